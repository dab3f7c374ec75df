//! Schedules: each second, once, never again, late.

use super::{SLACK, assert_each_second, executor_of, is_done, on};
use crate::support::db::TestDb;
use crate::support::running::{Job, Running, Stand, cron_at, in_seconds, now_ms, until, wall};

on!(each_second_once);

async fn each_second_once(db: TestDb) {
    let executor = executor_of(&db).await;
    let first = in_seconds(3);
    let jobs = [Job::cron(101, "* * * * * ?", first), Job::each(102, "1", first)];
    db.connect().await.add_jobs(&jobs).await;
    let admin = Running::start(&db).await;
    admin.hears_from(&executor);
    // Eight seconds of two jobs.
    until("16 runs", async || (executor.calls_to("run").len() >= 16).then_some(())).await;
    let fires = assert_each_second(&db, vec![admin], &executor, &[101, 102], first).await;
    assert!(fires >= 16);
    let runs = db.connect().await.runs("1 = 1").await;
    // The executor keeps what it has to say after the end.
    let end = runs.iter().map(|run| run.triggered).max().expect("runs");
    let all_done = runs.iter().all(|run| is_done(run) || run.triggered == end);
    assert!(all_done, "results are taken until the end: {runs:#?}");

    let run = &runs[0];
    let expected = format!(
        "<br>执行器-注册方式：手动录入<br>执行器-地址列表：[{address}]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>\
         任务超时时间：0<br>失败重试次数：0<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< \
         </span><br><br>执行器地址：{address}<br>JobHandler：demo<br>任务参数：p<br>调度备注：success",
        address = executor.address()
    );
    let (head, tail) = run.trigger_msg.split_at(run.trigger_msg.find("<br>").expect("lines"));
    assert_eq!(head, "任务触发类型：Cron触发");
    let (admin, tail) = tail.split_at(tail.find("<br>执行器-注册方式").expect("the third line"));
    let address = admin.strip_prefix("<br>调度机器：").expect("the second line");
    assert!(address.parse::<std::net::Ipv4Addr>().is_ok(), "{address}");
    assert_eq!(tail, expected);
    assert_eq!((run.address.as_deref(), run.handle_msg.as_deref()), (Some(executor.address()), Some("done")));

    let call = executor.calls_to("run").into_iter().find(|call| call.json()["logId"] == run.id).expect("its call");
    let sent = call.json()["logDateTime"].as_i64().expect("a time");
    assert_eq!(sent, run.triggered * 1000, "row and executor name the same second");
}

on!(late_starts_follow_the_misfire_strategy);

async fn late_starts_follow_the_misfire_strategy(db: TestDb) {
    let executor = executor_of(&db).await;
    let began = now_ms();
    let (long_ago, ahead) = (began - 3_600_000, in_seconds(3_600));
    let jobs = [
        Job { misfire: "FIRE_ONCE_NOW", ..Job::each(101, "600", long_ago) },
        Job { misfire: "DO_NOTHING", ..Job::each(102, "600", long_ago) },
        Job { misfire: "FIRE_ONCE_NOW", ..Job::cron(103, "0 0/10 * * * ?", long_ago) },
        Job { misfire: "DO_NOTHING", ..Job::cron(104, "0 0/10 * * * ?", long_ago) },
        Job { misfire: "FIRE_ONCE_NOW", ..Job::each(105, "600", ahead) },
    ];
    let mut connection = db.connect().await;
    connection.add_jobs(&jobs).await;
    let admin = Running::start(&db).await;
    executor.wait_for_runs(2).await;
    until("all are advanced", async || (connection.stand(104).await.next > began).then_some(())).await;
    admin.stop().await;

    let now = now_ms();
    for job in 101..=104 {
        let Stand { status, last, next } = connection.stand(job).await;
        assert_eq!((status, last), (1, long_ago), "job {job}");
        assert!(next > now && next <= now + 601_000, "job {job}: {next} at {now}");
    }
    assert_eq!(connection.stand(105).await, Stand { status: 1, last: 0, next: ahead });
    let mut fired: Vec<(i32, bool)> = connection
        .runs("1 = 1")
        .await
        .iter()
        .map(|run| (run.job, run.trigger_msg.starts_with("任务触发类型：调度过期补偿")))
        .collect();
    fired.sort_unstable();
    // A ten-minute cron may come round just now.
    fired.retain(|(job, misfire)| *misfire || *job <= 102);
    assert_eq!(fired, [(101, true), (103, true)], "one compensation for each FIRE_ONCE_NOW, none for DO_NOTHING");
    assert_eq!(executor.calls_to("run").iter().filter(|call| call.json()["jobId"] == 105).count(), 0);
}

on!(the_last_occurrence_stops_the_job);

async fn the_last_occurrence_stops_the_job(db: TestDb) {
    let executor = executor_of(&db).await;
    let soon = in_seconds(4);
    let expression = cron_at(soon);
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job::cron(101, &expression, soon)]).await;
    let admin = Running::start(&db).await;
    let call = executor.wait_for_runs(1).await.remove(0);
    assert!((0..=SLACK).contains(&(now_ms() / 1000 - soon / 1000)), "called at its second");
    let runs = connection.wait_for_runs(101, 1, |run| run.trigger_code == 200).await;
    assert_eq!(call.json()["logId"], runs[0].id);
    assert_eq!(connection.stand(101).await, Stand { status: 0, last: 0, next: 0 });
    admin.stop().await;
    assert_eq!(executor.calls_to("run").len(), 1);
}

on!(long_rates_do_not_overflow: sqlite Sqlite);

async fn long_rates_do_not_overflow(db: TestDb) {
    let executor = executor_of(&db).await;
    let soon = in_seconds(2);
    let rates = [(101, "2592000"), (102, "2147483"), (103, "2147484")];
    let mut connection = db.connect().await;
    connection.add_jobs(&rates.map(|(id, rate)| Job::each(id, rate, soon))).await;
    let admin = Running::start(&db).await;
    executor.wait_for_runs(3).await;
    admin.stop().await;
    for (id, rate) in rates {
        let period = rate.parse::<i64>().expect("a number") * 1000;
        let Stand { status, last, next } = connection.stand(id).await;
        assert_eq!((status, last), (1, soon));
        assert!((0..=6_000).contains(&(next - soon - period)), "{rate}: {}", wall(next));
    }
}
