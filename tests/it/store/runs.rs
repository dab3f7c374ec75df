//! Rows of runs up to the call: written, taken, and overwritten with what became of the trigger.

use std::collections::HashSet;

use xxl_job_admin::store::{Mark, NewRun, NodeId, TEXT_BYTES, TriggerResult};

use super::base::{Base, NOW, new_run, taken_by_executor};

conformance!(
    new_runs_get_ids_in_their_order,
    long_texts_of_new_runs_are_cut,
    only_own_claims_are_taken,
    a_take_is_told_again_to_its_own_node_alone,
    equal_and_differing_results_are_all_written,
    results_with_nulls_are_written,
    long_texts_of_results_are_cut,
    many_long_results_are_written,
    a_trigger_result_leaves_the_run_s_result_alone,
    existing_runs_are_found,
    the_newest_run_is_known,
    a_trigger_message_is_rewritten,
);

async fn new_runs_get_ids_in_their_order(base: &Base) {
    let node = NodeId::random();
    assert!(base.store.insert_runs(&node, 1, &[]).await.expect("write none").is_empty());
    let runs: Vec<NewRun> = (0..450)
        .map(|number| NewRun {
            job_id: number + 1,
            param: (number % 2 == 0).then(|| format!("p{number}")),
            sharding: (number % 3 == 0).then(|| format!("{number}/450")),
            retry: number % 4,
            trigger_time: NOW + i64::from(number) * 1_000,
            ..new_run()
        })
        .collect();
    let ids = base.store.insert_runs(&node, 2, &runs).await.expect("write runs");
    assert_eq!(ids.len(), runs.len());
    assert!(ids.is_sorted());
    for (run, log) in runs.iter().zip(base.store.find_logs(&ids).await.expect("read")) {
        assert_eq!((log.job_group, log.job_id), (run.job_group, run.job_id));
        assert_eq!(log.executor_handler, run.handler);
        assert_eq!(log.executor_param, run.param);
        assert_eq!(log.executor_sharding_param, run.sharding);
        assert_eq!(log.executor_fail_retry_count, run.retry);
        assert_eq!(log.trigger_time, Some(run.trigger_time));
        assert_eq!((log.trigger_code, log.handle_code, log.alarm_status), (0, 0, 0));
        assert_eq!(Mark::parse(log.trigger_msg.as_deref().expect("a mark")), Some(Mark::Claimed(node.clone())));
        assert_eq!((log.executor_address, log.handle_time, log.handle_msg), (None, None, None));
    }
}

async fn long_texts_of_new_runs_are_cut(base: &Base) {
    let long = "日".repeat(70_000);
    let run = NewRun { handler: Some(long.clone()), param: Some(long.clone()), sharding: Some(long), ..new_run() };
    let ids = base.store.insert_runs(&NodeId::random(), 1, &[run]).await.expect("write a run");
    let log = base.log(ids[0]).await;
    assert_eq!(characters(log.executor_handler.as_deref()), 255);
    assert_eq!(characters(log.executor_sharding_param.as_deref()), 20);
    let param = base.store.schema().limits.log_param.unwrap_or(TEXT_BYTES / 3);
    assert_eq!(characters(log.executor_param.as_deref()), param);
}

fn characters(text: Option<&str>) -> usize {
    text.map_or(0, |text| text.chars().count())
}

async fn only_own_claims_are_taken(base: &Base) {
    let (node, other) = (NodeId::random(), NodeId::random());
    let own = base.claimed(&node, 3).await;
    let foreign = base.claimed(&other, 1).await;
    base.sql(&format!("UPDATE xxl_job_log SET trigger_code = 500 WHERE id = {}", own[1])).await;
    base.sql(&format!("DELETE FROM xxl_job_log WHERE id = {}", own[2])).await;
    let asked: Vec<i64> = own.iter().chain(&foreign).copied().collect();
    assert_eq!(base.store.take(&node, &asked).await.expect("take"), HashSet::from([own[0]]));
    assert!(base.store.take(&node, &[]).await.expect("take none").is_empty());
    let mark = |log: &str| Mark::parse(log);
    assert_eq!(mark(&base.log(own[0]).await.trigger_msg.expect("a mark")), Some(Mark::Taken(node)));
    assert_eq!(mark(&base.log(foreign[0]).await.trigger_msg.expect("a mark")), Some(Mark::Claimed(other)));
}

/// The answer to a take may have been lost, so the node that took asks again and hears the same.
async fn a_take_is_told_again_to_its_own_node_alone(base: &Base) {
    let node = NodeId::random();
    let ids = base.claimed(&node, 2).await;
    assert_eq!(base.store.take(&node, &ids[..1]).await.expect("take").len(), 1);
    assert!(base.store.take(&NodeId::random(), &ids).await.expect("take").is_empty(), "a foreign mark");
    assert_eq!(base.store.take(&node, &ids).await.expect("take again"), ids.iter().copied().collect());
    base.store.save_trigger_results(&[taken_by_executor(ids[0])]).await.expect("write the result");
    assert_eq!(base.store.take(&node, &ids[..1]).await.expect("take"), HashSet::new(), "the call has been made");
}

/// Asserts that the row holds this result.
async fn holds(base: &Base, result: &TriggerResult) {
    let log = base.log(result.log_id).await;
    assert_eq!(log.trigger_time, Some(result.trigger_time));
    assert_eq!(log.trigger_code, result.code);
    assert_eq!(log.trigger_msg.as_ref(), Some(&result.msg));
    assert_eq!(log.executor_address, result.address);
    assert_eq!(log.executor_handler, result.handler);
    assert_eq!(log.executor_param, result.param);
    assert_eq!(log.executor_sharding_param, result.sharding);
    assert_eq!(log.executor_fail_retry_count, result.retry);
}

async fn equal_and_differing_results_are_all_written(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 460).await;
    let untouched = base.claimed(&NodeId::random(), 1).await[0];
    let before = base.log(untouched).await;
    base.store.save_trigger_results(&[]).await.expect("write none");
    // 230 that are equal, 230 of which each is another.
    let results: Vec<TriggerResult> = ids
        .iter()
        .enumerate()
        .map(|(number, id)| match number % 2 {
            0 => taken_by_executor(*id),
            _ => TriggerResult {
                code: 500,
                msg: format!("refused {number} \\ ' \" ? $1 ☕"),
                trigger_time: NOW + number as i64 * 1_000,
                retry: number as i32,
                ..taken_by_executor(*id)
            },
        })
        .collect();
    base.store.save_trigger_results(&results).await.expect("write results");
    for result in &results {
        holds(base, result).await;
    }
    assert_eq!(base.log(untouched).await, before);
}

async fn results_with_nulls_are_written(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 5).await;
    let bare = |log_id| TriggerResult { address: None, handler: None, param: None, ..taken_by_executor(log_id) };
    // The first row of a table of values must not decide what the others may hold.
    let results = [
        TriggerResult { msg: "a".into(), ..bare(ids[0]) },
        TriggerResult { sharding: Some("1/2".into()), ..taken_by_executor(ids[1]) },
        TriggerResult { msg: String::new(), ..bare(ids[2]) },
        bare(ids[3]),
        bare(ids[4]),
    ];
    base.store.save_trigger_results(&results).await.expect("write results");
    for result in &results {
        holds(base, result).await;
    }
}

async fn long_texts_of_results_are_cut(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 4).await;
    let long = |log_id, letter: &str| {
        let text = letter.repeat(70_000);
        let same = Some(text.clone());
        TriggerResult {
            address: same.clone(),
            handler: same.clone(),
            sharding: same.clone(),
            param: same,
            msg: text,
            ..taken_by_executor(log_id)
        }
    };
    // Two equal ones and two that differ go two ways.
    let results = [long(ids[0], "x"), long(ids[1], "x"), long(ids[2], "y"), long(ids[3], "日")];
    base.store.save_trigger_results(&results).await.expect("write results");
    for (id, size) in ids.into_iter().zip([1, 1, 1, 3]) {
        let log = base.log(id).await;
        assert_eq!(log.trigger_msg.map(|msg| msg.len()), Some(TEXT_BYTES / size * size));
        assert_eq!(characters(log.executor_address.as_deref()), 255);
        assert_eq!(characters(log.executor_handler.as_deref()), 255);
        assert_eq!(characters(log.executor_sharding_param.as_deref()), 20);
        let param = base.store.schema().limits.log_param.unwrap_or(TEXT_BYTES / size);
        assert_eq!(characters(log.executor_param.as_deref()), param);
    }
}

/// Together they are longer than what a server takes in one statement (MySQL: `max_allowed_packet`).
async fn many_long_results_are_written(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 300).await;
    let results: Vec<TriggerResult> = ids
        .iter()
        .map(|id| TriggerResult { msg: format!("{id}{}", "x".repeat(65_000)), ..taken_by_executor(*id) })
        .collect();
    base.store.save_trigger_results(&results).await.expect("write results");
    for result in [&results[0], &results[199], &results[200], &results[299]] {
        holds(base, result).await;
    }
    assert_eq!(base.count("xxl_job_log WHERE trigger_code = 200").await, 300);
}

async fn a_trigger_result_leaves_the_run_s_result_alone(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 3).await;
    let handled = "handle_code = 200, handle_msg = 'done', alarm_status = 2";
    base.sql(&format!("UPDATE xxl_job_log SET {handled}, handle_time = '2026-12-01 00:00:05'")).await;
    let results = [
        taken_by_executor(ids[0]),
        taken_by_executor(ids[1]),
        TriggerResult { msg: "other".into(), ..taken_by_executor(ids[2]) },
    ];
    base.store.save_trigger_results(&results).await.expect("write results");
    for result in &results {
        holds(base, result).await;
        let log = base.log(result.log_id).await;
        assert_eq!((log.handle_code, log.handle_time, log.alarm_status), (200, Some(NOW + 5_000), 2));
        assert_eq!(log.handle_msg.as_deref(), Some("done"));
    }
}

async fn existing_runs_are_found(base: &Base) {
    let ids = base.claimed(&NodeId::random(), 3).await;
    base.sql(&format!("DELETE FROM xxl_job_log WHERE id = {}", ids[1])).await;
    assert_eq!(base.store.existing_logs(&ids).await.expect("look"), HashSet::from([ids[0], ids[2]]));
    assert!(base.store.existing_logs(&[]).await.expect("look").is_empty());
    let found = base.store.find_logs(&[ids[2], ids[1], ids[0]]).await.expect("read");
    assert_eq!(found.iter().map(|log| log.id).collect::<Vec<_>>(), [ids[0], ids[2]]);
    assert_eq!(base.store.find_log(ids[1]).await.expect("read"), None);
}

async fn the_newest_run_is_known(base: &Base) {
    assert_eq!(base.store.newest_log().await.expect("look"), 0);
    let ids = base.claimed(&NodeId::random(), 3).await;
    assert_eq!(base.store.newest_log().await.expect("look"), ids[2]);
}

async fn a_trigger_message_is_rewritten(base: &Base) {
    let id = base.run(NOW, 500, 0).await;
    base.store.save_trigger_msg(id, &"é".repeat(40_000)).await.expect("write");
    let log = base.log(id).await;
    assert_eq!(log.trigger_msg.map(|msg| msg.len()), Some(TEXT_BYTES - 1), "no half character");
    assert_eq!(log.trigger_code, 500);
}
