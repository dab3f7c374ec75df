//! Beats, and what becomes of rows without them.

use xxl_job_admin::model::{EXECUTOR_GROUP, EpochMs, NODE_GROUP, RegistryEntry};
use xxl_job_admin::store::{Error, Store};

use super::base::{Base, NOW};

conformance!(
    a_beat_is_fresh_once,
    beats_come_many_at_a_time,
    a_beat_may_carry_its_own_time,
    another_admin_may_be_quicker,
    a_node_that_leaves_is_removed,
    entries_of_a_key_are_read_and_removed,
    the_sweep_takes_only_the_dead,
    a_beat_meanwhile_saves_from_the_sweep,
    addresses_are_those_of_exactly_this_app,
    live_entries_are_by_group_and_time,
    rows_are_removed_by_how_their_values_start,
);

fn entry(key: &str, value: &str) -> RegistryEntry {
    RegistryEntry { group: EXECUTOR_GROUP.into(), key: key.into(), value: value.into(), update_time: None }
}

fn at(time: EpochMs, entry: RegistryEntry) -> RegistryEntry {
    RegistryEntry { update_time: Some(time), ..entry }
}

impl Base {
    async fn beat(&self, beats: &[RegistryEntry], now: EpochMs) -> Vec<RegistryEntry> {
        let mut fresh = self.store.beat(beats, now).await.expect("beat");
        fresh.sort_by(|a, b| (&a.key, &a.value).cmp(&(&b.key, &b.value)));
        fresh
    }

    /// Rows of app `a`.
    async fn rows(&self) -> Vec<RegistryEntry> {
        let mut rows = self.store.entries_of(EXECUTOR_GROUP, "a").await.expect("read");
        rows.sort_by(|a, b| a.value.cmp(&b.value));
        rows
    }
}

async fn a_beat_is_fresh_once(base: &Base) {
    assert!(base.beat(&[], NOW).await.is_empty());
    assert_eq!(base.beat(&[entry("a", "1")], NOW).await, [at(NOW, entry("a", "1"))]);
    assert_eq!(base.beat(&[entry("a", "1")], NOW + 30_000).await, []);
    assert_eq!(base.beat(&[entry("a", "1"), entry("a", "2")], NOW + 60_000).await, [at(NOW + 60_000, entry("a", "2"))]);
    // One row for a node, also where no key forbids a second.
    assert_eq!(base.rows().await, ["1", "2"].map(|value| at(NOW + 60_000, entry("a", value))));
}

async fn beats_come_many_at_a_time(base: &Base) {
    let beats: Vec<RegistryEntry> = (0..450).map(|number| entry("a", &format!("{number:03}"))).collect();
    // Of the doubles in a batch the last counts.
    let doubled: Vec<RegistryEntry> =
        beats.iter().map(|beat| at(NOW - 1_000, beat.clone())).chain(beats.iter().cloned()).collect();
    assert_eq!(base.beat(&doubled, NOW).await.len(), 450);
    assert_eq!(base.rows().await, beats.iter().map(|beat| at(NOW, beat.clone())).collect::<Vec<_>>());
    assert_eq!(base.beat(&beats, NOW + 1_000).await, []);
    assert_eq!(base.rows().await.len(), 450);
}

async fn a_beat_may_carry_its_own_time(base: &Base) {
    let future = NOW + 3_600_000;
    base.beat(&[at(future, entry("a", "1")), entry("a", "2")], NOW).await;
    assert_eq!(base.rows().await, [at(future, entry("a", "1")), at(NOW, entry("a", "2"))]);
    // It stays while others beat and while the dead are swept.
    base.beat(&[entry("a", "2")], NOW + 60_000).await;
    assert_eq!(base.store.sweep_registry(NOW + 120_000).await.expect("sweep"), 1);
    assert_eq!(base.rows().await, [at(future, entry("a", "1"))]);
    // Known nodes too get the time that their beat carries.
    base.beat(&[at(future + 1_000, entry("a", "1"))], NOW).await;
    assert_eq!(base.rows().await, [at(future + 1_000, entry("a", "1"))]);
}

async fn another_admin_may_be_quicker(base: &Base) {
    let beats: Vec<RegistryEntry> = (0..50).map(|number| entry("a", &format!("{number:02}"))).collect();
    let (one, two) = (base.store.clone(), base.another().await);
    // A lock that the database gave up waiting for is an order to try again at once, as the writer of beats does.
    let until_done = async |store: &Store| loop {
        match store.beat(&beats, NOW).await {
            Err(Error::Locked(_)) => {}
            done => return done,
        }
    };
    let (first, second) = tokio::join!(until_done(&one), until_done(&two));
    first.expect("the one beats");
    second.expect("the other beats");
    let mut values: Vec<String> = base.rows().await.into_iter().map(|row| row.value).collect();
    if base.store.schema().registry_unique {
        assert_eq!(values.len(), 50);
    }
    values.dedup();
    assert_eq!(values, beats.iter().map(|beat| beat.value.clone()).collect::<Vec<_>>());
}

async fn a_node_that_leaves_is_removed(base: &Base) {
    base.beat(&[entry("a", "1"), entry("a", "2"), entry("b", "1")], NOW).await;
    assert_eq!(base.store.remove_entry(EXECUTOR_GROUP, "a", "1").await.expect("remove"), 1);
    assert_eq!(base.store.remove_entry(EXECUTOR_GROUP, "a", "1").await.expect("remove"), 0);
    assert_eq!(base.store.remove_entry(NODE_GROUP, "a", "2").await.expect("remove"), 0);
    assert_eq!(base.count("xxl_job_registry").await, 2);
}

async fn entries_of_a_key_are_read_and_removed(base: &Base) {
    base.beat(&[entry("a", "1"), entry("a", "2"), entry("b", "3")], NOW).await;
    assert_eq!(base.store.remove_entries_of(EXECUTOR_GROUP, "a").await.expect("remove"), 2);
    assert!(base.rows().await.is_empty());
    assert_eq!(base.store.entries_of(EXECUTOR_GROUP, "b").await.expect("read"), [at(NOW, entry("b", "3"))]);
}

async fn the_sweep_takes_only_the_dead(base: &Base) {
    let dead: Vec<RegistryEntry> = (0..450).map(|number| entry("a", &number.to_string())).collect();
    base.beat(&dead, NOW - 91_000).await;
    let own = RegistryEntry { group: NODE_GROUP.into(), ..entry("node", "10.0.0.1:8080") };
    base.beat(&[own, entry("a", "old")], NOW - 91_000).await;
    base.beat(&[entry("a", "edge"), entry("b", "live")], NOW - 90_000).await;
    base.sql(
        "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value) VALUES ('EXECUTOR', 'n', 'n')",
    )
    .await;
    assert_eq!(base.store.sweep_registry(NOW - 90_000).await.expect("sweep"), 452);
    assert_eq!(base.column("registry_value", "xxl_job_registry ORDER BY registry_value").await.len(), 3);
    assert_eq!(base.rows().await, [at(NOW - 90_000, entry("a", "edge"))]);
    assert_eq!(base.store.sweep_registry(NOW - 90_000).await.expect("sweep"), 0);
}

async fn a_beat_meanwhile_saves_from_the_sweep(base: &Base) {
    let nodes: Vec<RegistryEntry> = (0..100).map(|number| entry("a", &format!("{number:02}"))).collect();
    let other = base.another().await;
    for round in 0..5 {
        base.beat(&nodes, NOW - 100_000).await;
        let (beat, sweep) = tokio::join!(other.beat(&nodes, NOW), base.store.sweep_registry(NOW - 90_000));
        let fresh = beat.expect("beat");
        let swept = sweep.expect("sweep") as usize;
        // Whoever was swept before his beat is fresh, or comes with the next; nobody who has beaten is taken.
        let rows = base.rows().await;
        assert!(rows.iter().all(|row| row.update_time == Some(NOW)), "round {round}");
        assert_eq!(rows.len(), nodes.len() - swept + fresh.len(), "round {round}");
    }
}

async fn addresses_are_those_of_exactly_this_app(base: &Base) {
    base.beat(&[entry("App", "1"), entry("App", "2"), entry("app", "3"), entry("other", "4")], NOW).await;
    base.beat(&[entry("App", "old")], NOW - 90_000).await;
    base.beat(&[RegistryEntry { group: NODE_GROUP.into(), ..entry("App", "node") }], NOW).await;
    base.beat(&[RegistryEntry { group: "executor".into(), ..entry("App", "odd") }], NOW).await;
    let mut addresses = base.store.live_addresses("App", NOW - 90_000).await.expect("read");
    addresses.sort();
    assert_eq!(addresses, ["1", "2"]);
    assert_eq!(base.store.live_addresses("app", NOW - 90_000).await.expect("read"), ["3"]);
    assert!(base.store.live_addresses("APP", NOW - 90_000).await.expect("read").is_empty());
}

async fn live_entries_are_by_group_and_time(base: &Base) {
    let node = |key: &str| RegistryEntry { group: NODE_GROUP.into(), ..entry(key, "10.0.0.1:8080") };
    base.beat(&[node("late")], NOW).await;
    base.beat(&[node("dead")], NOW - 15_000).await;
    base.beat(&[entry("a", "1")], NOW).await;
    assert_eq!(base.store.live_entries(NODE_GROUP, NOW - 15_000).await.expect("read"), [at(NOW, node("late"))]);
}

async fn rows_are_removed_by_how_their_values_start(base: &Base) {
    let rows = [entry("a", "7.x"), entry("a", "7.y"), entry("b", "7.z"), entry("a", "70.x"), entry("a", "x7.x")];
    base.beat(&rows, NOW).await;
    let elsewhere = RegistryEntry { group: NODE_GROUP.into(), ..entry("a", "7.n") };
    base.beat(&[elsewhere], NOW).await;
    assert_eq!(base.store.remove_entries_starting(EXECUTOR_GROUP, "7.", Some("7.y")).await.expect("removed"), 2);
    let left: Vec<String> = base.rows().await.into_iter().map(|row| row.value).collect();
    assert_eq!(left, ["7.y", "70.x", "x7.x"]);
    assert_eq!(base.store.remove_entries_starting(EXECUTOR_GROUP, "7.", None).await.expect("removed"), 1);
    assert_eq!(base.store.entries_of(NODE_GROUP, "a").await.expect("read").len(), 1);
}
