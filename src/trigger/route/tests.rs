use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use futures_util::future::FutureExt as _;
use proptest::prelude::*;

use super::*;

/// An executor group as probes find it: each address answers this code and message; those not listed are fine.
#[derive(Default)]
struct Group {
    answers: HashMap<String, CallResult>,
    asked: Mutex<Vec<String>>,
}

impl Group {
    fn of<const N: usize>(answers: [(&str, i32, Option<&str>); N]) -> Self {
        let answers = answers.into_iter().map(|(address, code, msg)| {
            (address.to_owned(), CallResult { code, msg: msg.map(Into::into), answered: true })
        });
        Self { answers: answers.collect(), asked: Mutex::default() }
    }

    fn answer(&self, question: String, address: &str) -> CallResult {
        self.asked.lock().expect("not poisoned").push(question);
        let fine = CallResult { code: 200, msg: None, answered: true };
        self.answers.get(address).cloned().unwrap_or(fine)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("not poisoned").clone()
    }
}

impl Prober for Group {
    fn beat<'a>(&'a self, address: &'a str) -> BoxFuture<'a, CallResult> {
        Box::pin(async move { self.answer(format!("beat {address}"), address) })
    }

    fn idle_beat<'a>(&'a self, address: &'a str, job_id: i32) -> BoxFuture<'a, CallResult> {
        Box::pin(async move { self.answer(format!("idle {address} {job_id}"), address) })
    }
}

fn list<const N: usize>(addresses: [&str; N]) -> Vec<String> {
    addresses.map(str::to_owned).to_vec()
}

fn request(strategy: RouteStrategy, job_id: i32, addresses: &[String]) -> RouteRequest<'_> {
    RouteRequest { strategy, job_id, addresses, shard: Shard::SINGLE, now_ms: 1_796_070_773_121 }
}

/// The outcome of a route that waits for nothing.
fn route(router: &Router, request: RouteRequest<'_>) -> RouteOutcome {
    router.route(request, &Group::default()).now_or_never().expect("nothing to wait for")
}

/// The addresses that so many runs of a job go to.
fn walk(router: &Router, strategy: RouteStrategy, addresses: &[String], runs: usize) -> Vec<String> {
    let addresses = (0..runs).map(|_| route(router, request(strategy, 1, addresses)).address);
    addresses.map(|address| address.expect("an address of the list")).collect()
}

#[tokio::test]
async fn failover_takes_the_first_that_answers_and_tells_all_probes() {
    let group = Group::of([("a", 500, Some("refused")), ("b", 200, None)]);
    let addresses = list(["a", "b", "c"]);
    let outcome = Router::new(Locale::ZhCn).route(request(RouteStrategy::Failover, 1, &addresses), &group).await;
    assert_eq!(
        outcome,
        RouteOutcome {
            address: Some("b".into()),
            code: 200,
            msg: Some(
                "心跳检测：<br>address：a<br>code：500<br>msg：refused<br><br>心跳检测：<br>address：b<br>code：200<br>msg：null"
                    .into()
            ),
        }
    );
    assert_eq!(group.asked(), ["beat a", "beat b"]);
}

#[tokio::test]
async fn busyover_that_finds_everybody_busy_tells_so() {
    let busy = Some("job thread is running or has trigger queue.");
    let group = Group::of([("a", 500, busy), ("b", 500, busy)]);
    let addresses = list(["a", "b"]);
    let outcome = Router::new(Locale::En).route(request(RouteStrategy::Busyover, 7, &addresses), &group).await;
    assert_eq!(
        outcome,
        RouteOutcome::failed(
            "Idle check：<br>address：a<br>code：500<br>msg：job thread is running or has trigger queue.<br><br>\
             Idle check：<br>address：b<br>code：500<br>msg：job thread is running or has trigger queue."
                .into()
        )
    );
    assert_eq!(group.asked(), ["idle a 7", "idle b 7"]);
}

#[tokio::test]
async fn a_group_without_addresses_is_an_outcome_of_every_strategy() {
    let (router, group) = (Router::new(Locale::ZhTc), Group::default());
    for strategy in RouteStrategy::ALL {
        let outcome = router.route(request(*strategy, 1, &[]), &group).await;
        assert_eq!(outcome, RouteOutcome::failed("調度失敗：執行器地址為空".into()), "{strategy:?}");
    }
    assert_eq!(group.asked(), Vec::<String>::new());
}

#[test]
fn first_and_last_are_the_ends_of_the_list() {
    let (router, addresses) = (Router::new(Locale::En), list(["a", "b", "c"]));
    assert_eq!(walk(&router, RouteStrategy::First, &addresses, 2), ["a", "a"]);
    assert_eq!(walk(&router, RouteStrategy::Last, &addresses, 2), ["c", "c"]);
}

#[test]
fn random_reaches_every_address() {
    let (router, addresses) = (Router::new(Locale::En), list(["a", "b", "c"]));
    // The chance that one of three is missed in 500 runs is below 10^-87.
    let reached: HashSet<String> = walk(&router, RouteStrategy::Random, &addresses, 500).into_iter().collect();
    assert_eq!(reached.len(), 3);
}

#[test]
fn lru_goes_round_in_the_order_of_the_list_and_puts_new_addresses_last() {
    let router = Router::new(Locale::En);
    let walk = |addresses: &[String], runs| walk(&router, RouteStrategy::LeastRecentlyUsed, addresses, runs);
    assert_eq!(walk(&list(["a", "b", "c"]), 4), ["a", "b", "c", "a"]);
    assert_eq!(walk(&list(["d", "b", "c", "b"]), 4), ["b", "c", "d", "b"]);
    assert_eq!(walk(&list(["a"]), 2), ["a", "a"]);
}

#[test]
fn jobs_do_not_share_their_memory() {
    let (router, addresses) = (Router::new(Locale::En), list(["a", "b", "c"]));
    let run = |job| route(&router, request(RouteStrategy::LeastRecentlyUsed, job, &addresses)).address;
    let walked: Vec<_> = [1, 1, 2, 1].into_iter().filter_map(run).collect();
    assert_eq!(walked, ["a", "b", "a", "c"]);
}

#[test]
fn parallel_routes_of_one_job_stay_even() {
    let (router, addresses) = (Router::new(Locale::En), list(["a", "b", "c", "d"]));
    let chosen = Mutex::new(HashMap::<String, usize>::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for address in walk(&router, RouteStrategy::Round, &addresses, 100) {
                    *chosen.lock().expect("not poisoned").entry(address).or_default() += 1;
                }
            });
        }
    });
    assert_eq!(chosen.into_inner().expect("not poisoned"), addresses.into_iter().map(|a| (a, 100)).collect());
}

fn addresses() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-z]{1,3}", 1..8)
}

fn distinct_addresses() -> impl Strategy<Value = Vec<String>> {
    prop::collection::hash_set("[a-z]{1,3}", 1..8).prop_map(|set| set.into_iter().collect())
}

fn counts(walked: &[String]) -> HashMap<&str, usize> {
    walked.iter().fold(HashMap::new(), |mut counts, address| {
        *counts.entry(address.as_str()).or_default() += 1;
        counts
    })
}

proptest! {
    #[test]
    fn a_route_is_always_a_member_of_the_present_list(
        lists in prop::collection::vec(addresses(), 1..12),
        strategy in prop::sample::select(RouteStrategy::ALL),
        index in -2..12,
    ) {
        let router = Router::new(Locale::En);
        for (turn, list) in lists.iter().enumerate() {
            let shard = Shard { index, total: 9 };
            let now_ms = turn as i64 * 10 * 60 * 60 * 1000;
            let request = RouteRequest { shard, now_ms, ..request(strategy, 1, list) };
            let outcome = route(&router, request);
            prop_assert!(outcome.address.is_some_and(|address| list.contains(&address)));
            prop_assert_eq!(outcome.code, 200);
        }
    }

    #[test]
    fn round_covers_all_addresses_evenly(list in distinct_addresses(), rounds in 1_usize..5) {
        let walked = walk(&Router::new(Locale::En), RouteStrategy::Round, &list, list.len() * rounds);
        prop_assert!(list.iter().all(|address| counts(&walked)[address.as_str()] == rounds));
    }

    /// The random starts lie below the number of addresses, and so do the differences ever after.
    #[test]
    fn lfu_keeps_the_counts_together(list in distinct_addresses(), rounds in 1_usize..5) {
        let walked = walk(&Router::new(Locale::En), RouteStrategy::LeastFrequentlyUsed, &list, list.len() * (rounds + 1));
        let counts = counts(&walked);
        let of = |address: &String| counts.get(address.as_str()).copied().unwrap_or(0);
        let (least, most) = (list.iter().map(of).min(), list.iter().map(of).max());
        prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= list.len()));
    }

    #[test]
    fn lru_never_takes_an_address_again_before_all_others(list in distinct_addresses(), runs in 1_usize..40) {
        let walked = walk(&Router::new(Locale::En), RouteStrategy::LeastRecentlyUsed, &list, runs);
        for window in walked.windows(list.len()) {
            prop_assert_eq!(window.iter().collect::<HashSet<_>>().len(), list.len());
        }
    }

    #[test]
    fn consistent_hash_moves_only_jobs_of_the_address_that_left(mut list in distinct_addresses(), job in 1_i32..100_000) {
        let router = Router::new(Locale::En);
        let run = |list: &[String]| route(&router, request(RouteStrategy::ConsistentHash, job, list)).address;
        let before = run(&list);
        prop_assume!(list.len() > 1);
        let gone = list.pop();
        prop_assert!(before == gone || run(&list) == before);
    }
}
