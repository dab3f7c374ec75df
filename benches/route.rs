//! How long a route takes, by strategy and number of addresses. A fire makes one.

use divan::{Bencher, black_box};
use futures_util::future::{BoxFuture, FutureExt as _};
use xxl_job_admin::i18n::Locale;
use xxl_job_admin::model::{RouteStrategy, Shard};
use xxl_job_admin::protocol::CallResult;
use xxl_job_admin::trigger::route::{Prober, RouteRequest, Router};

fn main() {
    divan::main();
}

/// Executors that all answer at once.
struct AllFine;

impl Prober for AllFine {
    fn beat<'a>(&'a self, _: &'a str) -> BoxFuture<'a, CallResult> {
        Box::pin(async { CallResult { code: 200, msg: None, answered: true } })
    }

    fn idle_beat<'a>(&'a self, address: &'a str, _: i32) -> BoxFuture<'a, CallResult> {
        self.beat(address)
    }
}

#[divan::bench(
    args = RouteStrategy::ALL.iter().flat_map(|strategy| [3, 100].map(|addresses| (*strategy, addresses))),
)]
fn route(bencher: Bencher<'_, '_>, (strategy, addresses): (RouteStrategy, usize)) {
    let addresses: Vec<String> = (0..addresses).map(|i| format!("http://10.0.{}.{}:9999/", i / 250, i % 250)).collect();
    let router = Router::new(Locale::En);
    let mut job_id = 0;
    bencher.bench_local(|| {
        job_id = job_id % 1000 + 1;
        let request =
            RouteRequest { strategy, job_id, addresses: &addresses, shard: Shard::SINGLE, now_ms: 1_796_070_773_121 };
        // Nothing is waited for, so this is the whole route.
        router.route(black_box(request), &AllFine).now_or_never()
    });
}
