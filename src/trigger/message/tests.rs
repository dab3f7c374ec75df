use super::*;

const EXECUTOR: &str = "http://127.0.0.1:19901/";

fn job() -> JobInfo {
    JobInfo {
        id: 4,
        executor_route_strategy: Some("FIRST".into()),
        executor_block_strategy: Some("SERIAL_EXECUTION".into()),
        executor_handler: Some("demo".into()),
        ..JobInfo::default()
    }
}

fn to(address: &str) -> RouteOutcome {
    RouteOutcome { address: Some(address.into()), code: 200, msg: None }
}

fn answer(code: i32, msg: Option<&str>) -> CallResult {
    CallResult { code, msg: msg.map(Into::into), answered: true }
}

/// A message of which a test changes what it is about.
fn message<'a>(job: &'a JobInfo, addresses: &'a [String], route: &'a RouteOutcome) -> TriggerMessage<'a> {
    TriggerMessage {
        layout: MessageLayout::Old,
        locale: Locale::ZhCn,
        trigger_type: TriggerType::Cron,
        admin_address: "192.0.2.2",
        address_type: AddressType::Manual,
        addresses,
        job,
        param: Some("p"),
        retry: 0,
        shard: Shard::SINGLE,
        route,
        call: None,
        child_depth: 0,
    }
}

#[test]
fn old_success_is_the_recorded_sample() {
    let (job, list, route, call) = (job(), [EXECUTOR.to_owned()], to(EXECUTOR), answer(200, None));
    let message = TriggerMessage { call: Some(&call), ..message(&job, &list, &route) };
    assert_eq!(
        message.compose(),
        "任务触发类型：Cron触发<br>调度机器：192.0.2.2<br>执行器-注册方式：手动录入<br>执行器-地址列表：\
         [http://127.0.0.1:19901/]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0\
         <br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>触发调度：<br>address：\
         http://127.0.0.1:19901/<br>code：200<br>msg：null"
    );
}

#[test]
fn new_success_is_the_recorded_sample() {
    let (job, list, route, call) = (job(), [EXECUTOR.to_owned()], to(EXECUTOR), answer(200, Some("Success")));
    let message = TriggerMessage { layout: MessageLayout::New, call: Some(&call), ..message(&job, &list, &route) };
    assert_eq!(
        message.compose(),
        "任务触发类型：Cron触发<br>调度机器：192.0.2.2<br>执行器-注册方式：手动录入<br>执行器-地址列表：\
         [http://127.0.0.1:19901/]<br>路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0\
         <br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br><br>执行器地址：\
         http://127.0.0.1:19901/<br>JobHandler：demo<br>任务参数：p<br>调度备注：success"
    );
}

/// Both are recordings of a manual trigger on a group without executors.
#[test]
fn no_address_is_the_recorded_sample_of_either_layout() {
    let job = JobInfo { executor_handler: Some("demoJobHandler".into()), ..job() };
    let route = RouteOutcome::no_address(Locale::ZhCn);
    let old = TriggerMessage {
        trigger_type: TriggerType::Manual,
        address_type: AddressType::Automatic,
        param: Some(""),
        ..message(&job, &[], &route)
    };
    let head = "任务触发类型：手动触发<br>调度机器：192.0.2.2<br>执行器-注册方式：自动注册<br>执行器-地址列表：null<br>\
                路由策略：第一个<br>阻塞处理策略：单机串行<br>任务超时时间：0<br>失败重试次数：0<br><br>\
                <span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>";
    assert_eq!(old.compose(), format!("{head}调度失败：执行器地址为空<br><br>"));
    let new = TriggerMessage { layout: MessageLayout::New, ..old };
    assert_eq!(
        new.compose(),
        format!(
            "{head}<br>执行器地址：address route fail, 调度失败：执行器地址为空<br>JobHandler：demoJobHandler<br>\
             任务参数：<br>调度备注：error, Address Router Fail."
        )
    );
}

#[test]
fn broadcast_shows_its_part_behind_the_strategy() {
    let job = JobInfo {
        executor_route_strategy: Some("SHARDING_BROADCAST".into()),
        executor_block_strategy: Some("COVER_EARLY".into()),
        executor_timeout: 30,
        ..job()
    };
    let (list, route, call) = (["a".to_owned(), "b".to_owned()], to("b"), answer(500, Some("busy")));
    let message = TriggerMessage {
        locale: Locale::En,
        trigger_type: TriggerType::Misfire,
        retry: 2,
        shard: Shard { index: 1, total: 2 },
        call: Some(&call),
        ..message(&job, &list, &route)
    };
    assert_eq!(
        message.compose(),
        "Job trigger type：Misfire compensation trigger<br>Trigger machine address：192.0.2.2<br>\
         Execotor-Registry Type：Manual registration<br>Execotor-Registry Address：[a, b]<br>\
         Route Strategy：Sharding Broadcast(1/2)<br>Block Strategy：Cover Early<br>Job timeout period：30<br>\
         Fail Retry Count：2<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>Trigger Job<<<<<<<<<<< </span><br>\
         Trigger Job：<br>address：b<br>code：500<br>msg：busy"
    );
}

#[test]
fn heads_speak_traditional_chinese() {
    let job = JobInfo {
        executor_route_strategy: Some("CONSISTENT_HASH".into()),
        executor_block_strategy: Some("whatever".into()),
        ..job()
    };
    let (list, route) = (["a".to_owned()], to("a"));
    let message = TriggerMessage {
        layout: MessageLayout::New,
        locale: Locale::ZhTc,
        trigger_type: TriggerType::Parent,
        param: None,
        ..message(&job, &list, &route)
    };
    assert_eq!(
        message.compose(),
        "任務觸發類型：父任務觸發<br>調度機器：192.0.2.2<br>執行器-注冊方式：手動登錄<br>執行器-地址列表：[a]<br>\
         路由策略：一致性HASH<br>阻塞處理策略：單機串行<br>任務超時秒數：0<br>失敗重試次數：0<br><br>\
         <span style=\"color:#00c0ef;\" > >>>>>>>>>>>觸發調度<<<<<<<<<<< </span><br><br>執行器地址：a<br>\
         JobHandler：demo<br>任務參數：null<br>調度備註：error, Address Router Fail."
    );
}

#[test]
fn probes_are_told_in_the_old_layout_and_in_the_new_one_only_when_all_failed() {
    let (job, list) = (job(), ["a".to_owned(), "b".to_owned()]);
    let probes =
        "心跳检测：<br>address：a<br>code：500<br>msg：gone<br><br>心跳检测：<br>address：b<br>code：200<br>msg：null";
    let (route, call) = (RouteOutcome { msg: Some(probes.into()), ..to("b") }, answer(200, None));
    let old = TriggerMessage { call: Some(&call), ..message(&job, &list, &route) };
    let run = "触发调度：<br>address：b<br>code：200<br>msg：null";
    assert!(old.compose().ends_with(&format!(" </span><br>{probes}<br><br>{run}")));
    let new = TriggerMessage { layout: MessageLayout::New, ..old };
    assert!(!new.compose().contains("心跳检测"));

    let none = RouteOutcome { address: None, code: 500, msg: Some("probe".into()) };
    let old = TriggerMessage { route: &none, call: None, ..old };
    assert!(old.compose().ends_with("<<<<<<<<<<< </span><br>probe<br><br>"));
    let new = TriggerMessage { layout: MessageLayout::New, ..old };
    assert!(new.compose().contains("<br>执行器地址：address route fail, probe<br>"));
    let silent = RouteOutcome { msg: None, ..none.clone() };
    assert!(TriggerMessage { route: &silent, ..new }.compose().contains("：address route fail.<br>JobHandler"));
}

#[test]
fn new_failures_tell_an_answer_as_a_block_and_a_fault_as_its_text() {
    let (job, list, route) = (JobInfo { executor_handler: Some(" ".into()), ..job() }, ["a".to_owned()], to("a"));
    let cases = [
        (answer(500, None), "error, 触发调度：<br>address：a<br>code：500<br>msg：null"),
        (CallResult { answered: false, ..answer(500, Some("refused")) }, "error, refused"),
        (CallResult { answered: false, ..answer(500, None) }, "fail"),
    ];
    for (call, told) in cases {
        let message = TriggerMessage { layout: MessageLayout::New, call: Some(&call), ..message(&job, &list, &route) };
        assert!(message.compose().ends_with(&format!("执行器地址：a<br>任务参数：p<br>调度备注：{told}")), "{call:?}");
    }
}

#[test]
fn an_unknown_strategy_is_told_as_it_stands() {
    let list = ["a".to_owned()];
    let route = RouteOutcome { address: None, code: 500, msg: None };
    for (word, shown) in [(Some("NEAREST"), "NEAREST"), (None, "null")] {
        let job = JobInfo { executor_route_strategy: word.map(Into::into), ..job() };
        assert!(message(&job, &list, &route).compose().contains(&format!("<br>路由策略：{shown}<br>")));
    }
}

#[test]
fn retries_are_announced_in_the_colour_of_the_release() {
    assert_eq!(
        with_retry(Some("m"), Locale::ZhCn, "#F39C12"),
        "m<br><br><span style=\"color:#F39C12;\" > >>>>>>>>>>>失败重试触发<<<<<<<<<<< </span><br>"
    );
    assert_eq!(
        with_retry(None, Locale::En, "#00c0ef"),
        "null<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>Fail retry trigger<<<<<<<<<<< </span><br>"
    );
}

#[test]
fn the_depth_of_a_chain_survives_a_retry_and_a_full_column() {
    let (job, list, route) = (job(), ["a".to_owned()], to("a"));
    let call = answer(500, Some("任".repeat(30_000).as_str()));
    let long = TriggerMessage { call: Some(&call), child_depth: 12, ..message(&job, &list, &route) }.compose();
    assert!(long.ends_with("任<!--d12-->"));
    assert!((MAX_BYTES - 2..=MAX_BYTES).contains(&long.len()));
    assert_eq!(child_depth(&long), 12);

    let once = with_retry(Some(&long), Locale::ZhTc, "#00c0ef");
    assert!((MAX_BYTES - 2..=MAX_BYTES).contains(&once.len()));
    assert!(once.ends_with("失敗重試觸發<<<<<<<<<<< </span><br>"));
    assert_eq!(child_depth(&once), 12);
    assert_eq!(child_depth(&with_retry(Some("m<!--d3-->"), Locale::En, "#F39C12")), 3);
}

#[test]
fn only_the_mark_at_the_end_counts() {
    for (message, depth) in [
        ("", 0),
        ("m", 0),
        ("<!--d3--> and more", 0),
        ("m<!--d3-->", 3),
        ("m<!--d9--><!--d3-->", 3),
        ("m<!--d-->", 0),
        ("m<!--d+3-->", 0),
        ("m<!--d99999999999-->", 0),
    ] {
        assert_eq!(child_depth(message), depth, "{message}");
    }
    for said in ["<!--d7-->x", "x<!--d7-->"] {
        let (job, list, route, call) = (job(), ["a".to_owned()], to("a"), answer(500, Some(said)));
        let message = TriggerMessage { call: Some(&call), ..message(&job, &list, &route) };
        assert_eq!(child_depth(&message.compose()), 0, "{said}");
    }
}

proptest::proptest! {
    #[test]
    fn a_message_always_fits_and_keeps_its_depth(said in "\\PC{0,40}", times in 0_usize..3000, depth in 1_u32..200) {
        let (job, list, route) = (job(), ["a".to_owned()], to("a"));
        let call = answer(500, Some(&said.repeat(times)));
        let message = TriggerMessage { call: Some(&call), child_depth: depth, ..message(&job, &list, &route) };
        let composed = message.compose();
        proptest::prop_assert!(composed.len() <= MAX_BYTES);
        proptest::prop_assert_eq!(child_depth(&composed), depth);
    }
}
