//! What a schedule pass costs a job: decide, with the next times of its cron expression.

use divan::{Bencher, black_box};
use xxl_job_admin::clock::Zone;
use xxl_job_admin::config::CronFlavour;
use xxl_job_admin::schedule::decide::decide;
use xxl_job_admin::schedule::next_time::CronCache;
use xxl_job_admin::store::DueJob;

const NOW: i64 = 1_796_070_773_000;

fn main() {
    divan::main();
}

/// Late by so much (negative: ahead), in milliseconds.
#[divan::bench(args = [-2_000, 0, 60_000])]
fn each_second(bencher: Bencher<'_, '_>, late_ms: i64) {
    let mut cache = CronCache::new(CronFlavour::V3_4, 2126, 16);
    let zone = Zone::utc();
    let job = DueJob {
        id: 1,
        schedule_type: "CRON".into(),
        schedule_conf: Some("* * * * * ?".into()),
        misfire_strategy: "FIRE_ONCE_NOW".into(),
        next: NOW - late_ms,
    };
    bencher.bench_local(|| {
        decide(black_box(&job), NOW, |from| {
            cache.next_time(&job.schedule_type, job.schedule_conf.as_deref(), from, &zone)
        })
    });
}
