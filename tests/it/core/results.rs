//! Results of runs and the children that follow from them.

use serde_json::{Value, json};

use super::{executor_of, is_done, on};
use crate::support::db::TestDb;
use crate::support::running::{Job, Running, now_ms, until};

on!(one_result_a_run_counts);

async fn one_result_a_run_counts(db: TestDb) {
    let _executor = executor_of(&db).await;
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job::new(101)]).await;
    for id in 1..=6 {
        connection.add_run(id, 101, now_ms(), (200, "taken"), "http://192.0.2.1:9999/", 0).await;
    }
    let admin = Running::start(&db).await;
    let result = |id: i64, code: i32, msg: &str| json!({"logId": id, "handleCode": code, "handleMsg": msg});
    let lists: [Value; 8] = [
        json!([result(1, 200, "first")]),
        // Repeated, in a later call and in the same list.
        json!([result(1, 500, "second")]),
        json!([result(2, 502, "first"), result(2, 200, "second")]),
        // Of nobody.
        json!([result(4_711, 200, "unknown")]),
        // One that cannot be read costs only itself.
        json!([{"logId": "x", "handleCode": 200}, {"logId": 3, "handleCode": {}}, result(3, 200, "third")]),
        // 0 says something and leaves the run open.
        json!([result(4, 0, "going on")]),
        json!([result(4, 200, "done")]),
        // As executors of 2.2 say it.
        json!([{"logId": 5, "logDateTim": 1, "executeResult": {"code": 200, "msg": "nested"}}]),
    ];
    for list in &lists {
        assert_eq!(admin.report(list).await, 200, "{list}");
    }
    let runs = connection.runs("1 = 1").await;
    let found: Vec<(i64, i32, Option<&str>)> =
        runs.iter().map(|run| (run.id, run.handle_code, run.handle_msg.as_deref())).collect();
    let expected = [
        (1, 200, Some("first")),
        (2, 502, Some("first")),
        (3, 200, Some("third")),
        (4, 200, Some("going on<br>done")),
        (5, 200, Some("nested")),
        (6, 0, None),
    ];
    assert_eq!(found, expected);
    admin.stop().await;
}

on!(one_of_two_admins_starts_the_child: mariadb MariaDb, postgres Postgres);

async fn one_of_two_admins_starts_the_child(db: TestDb) {
    let executor = executor_of(&db).await;
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job { children: "102", ..Job::new(101) }, Job::new(102)]).await;
    const PARENTS: i64 = 20;
    for id in 1..=PARENTS {
        connection.add_run(id, 101, now_ms(), (200, "taken"), "http://192.0.2.1:9999/", 0).await;
    }
    let (one, two) = (Running::start(&db).await, Running::start(&db).await);
    for id in 1..=PARENTS {
        let result = json!([{"logId": id, "handleCode": 200}]);
        let answers = tokio::join!(one.report(&result), two.report(&result), one.report(&result), two.report(&result));
        assert_eq!(answers, (200, 200, 200, 200));
    }
    executor.wait_for_runs(PARENTS as usize).await;
    tokio::join!(one.stop(), two.stop());
    assert_eq!(connection.runs_of(102).await.len(), PARENTS as usize);
    assert_eq!(executor.calls_to("run").len(), PARENTS as usize);
}

on!(chains_of_children_end);

async fn chains_of_children_end(db: TestDb) {
    let executor = executor_of(&db).await;
    let mut connection = db.connect().await;
    connection
        .add_jobs(&[
            // A line with a hole, an odd item and the job itself.
            Job { children: "102,x,101,999", ..Job::new(101) },
            Job { children: "103", ..Job::new(102) },
            Job::new(103),
            // A circle.
            Job { children: "112", ..Job::new(111) },
            Job { children: "111", ..Job::new(112) },
        ])
        .await;
    let admin = Running::start_with(&db, |settings| settings.trigger.child_depth = 3).await;
    admin.hears_from(&executor);
    admin.trigger(101).await;
    let last = connection.wait_for_runs(103, 1, is_done).await;
    assert!(last[0].trigger_msg.starts_with("任务触发类型：父任务触发"), "{last:#?}");
    let parent = connection.wait_for_runs(101, 1, is_done).await.remove(0);
    assert_eq!(
        parent.handle_msg.as_deref(),
        Some(
            "done<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发子任务<<<<<<<<<<< </span><br>\
             1/4 [任务ID=102], 触发成功, 触发备注: Success <br>2/4 [任务ID=x], 触发失败, 触发备注: 任务ID格式错误 <br>\
             4/4 [任务ID=999], 触发成功, 触发备注: Success <br>"
        )
    );

    admin.trigger(111).await;
    let runs = until("the end of the circle", async || {
        let runs = connection.runs("job_id IN (111, 112)").await;
        (runs.len() >= 4 && runs.iter().all(is_done)).then_some(runs)
    })
    .await;
    let end = runs.last().and_then(|run| run.handle_msg.as_deref()).expect("a result");
    assert!(end.contains("子任务链已达到深度上限 3"), "{end}");
    admin.stop().await;
    assert_eq!(connection.runs("1 = 1").await.len(), 3 + 4);
    assert_eq!(executor.calls_to("run").len(), 3 + 4);
}
