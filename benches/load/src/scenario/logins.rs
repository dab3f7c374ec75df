//! Somebody guesses the password of one user, 500 times a second: do the others notice?

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use url::Url;

use super::stage::Stage;
use super::{Arguments, Ground};
use crate::console::Console;
use crate::database::PASSWORD;
use crate::report::Report;

/// Guesses a second.
const RATE: u64 = 500;
/// How long there is calm before the storm.
const CALM: Duration = Duration::from_secs(5);
/// Between two calls of the user who is measured.
const PAUSE: Duration = Duration::from_millis(20);
const OTHER: (&str, &str) = ("another", "another-1");

/// What came of the guesses.
#[derive(Default)]
struct Guesses {
    sent: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
}

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let stage = Stage::set_up(arguments, ground).await?;
    stage.database().await?.know_password().await?;
    let admin = stage.start_admin().await?;
    let base = stage.base()?;
    let mut console = Console::log_in(&base, "admin", PASSWORD).await?;
    let user = [("username", OTHER.0), ("password", OTHER.1), ("role", "0"), ("permission", "1")];
    let added = console.post("user/add", &user).await?;
    ensure!(added.body["code"] == 200, "no second user: {}", added.body);

    let mut report = Report::new("logins", ground.name());
    let calm = watch(&base, CALM).await?;
    let guesses = Arc::new(Guesses::default());
    let storm = tokio::spawn(storm(base.clone(), Duration::from_secs(arguments.seconds), guesses.clone()));
    let started = Instant::now();
    let during = watch(&base, Duration::from_secs(arguments.seconds)).await?;
    storm.await.context("the storm")?;

    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    report.figure("guesses", count(&guesses.sent));
    report.measure("guesses_per_s", count(&guesses.sent) as f64 / started.elapsed().as_secs_f64());
    report.figure("guesses_refused", count(&guesses.refused));
    report.figure("guesses_without_answer", count(&guesses.failed));
    for (prefix, times) in [("calm", &calm), ("storm", &during)] {
        for (name, times) in [("list", &times.0), ("login", &times.1)] {
            report.figure(&format!("{prefix}_{name}s"), times.len() as u64);
            report.measure(&format!("{prefix}_{name}_p50_ms"), at(times, 0.5));
            report.measure(&format!("{prefix}_{name}_p99_ms"), at(times, 0.99));
        }
    }
    report.demand("500 guesses a second", count(&guesses.sent) >= RATE * arguments.seconds * 9 / 10);
    report.demand("no guess is right", count(&guesses.refused) + count(&guesses.failed) == count(&guesses.sent));
    report.demand("lists of others: p99 at most 100 ms", at(&during.0, 0.99).is_some_and(|p99| p99 <= 100.0));
    report.demand("logins of others: p99 at most 100 ms", at(&during.1, 0.99).is_some_and(|p99| p99 <= 100.0));
    stage.finish(admin, &mut report).await?;
    Ok(report)
}

/// Another user's lists and logins: how long each took, sorted.
async fn watch(base: &Url, span: Duration) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let end = Instant::now() + span;
    let mut console = Console::log_in(base, OTHER.0, OTHER.1).await?;
    let (mut lists, mut logins) = (Vec::new(), Vec::new());
    while Instant::now() < end {
        let list = [("jobGroup", "1"), ("triggerStatus", "-1"), ("start", "0"), ("length", "10")];
        lists.push(console.list("jobinfo/pageList", &list).await?.took);
        let answer = Console::attempt(base, OTHER.0, OTHER.1).await?;
        ensure!(answer.body["code"] == 200, "the other user is refused: {}", answer.body);
        logins.push(answer.took);
        tokio::time::sleep(PAUSE).await;
    }
    lists.sort_unstable();
    logins.sort_unstable();
    Ok((lists, logins))
}

async fn storm(base: Url, span: Duration, guesses: Arc<Guesses>) {
    let mut clock = tokio::time::interval(Duration::from_secs(1) / RATE as u32);
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    let end = Instant::now() + span;
    let mut open = tokio::task::JoinSet::new();
    while Instant::now() < end {
        clock.tick().await;
        let (base, guesses) = (base.clone(), guesses.clone());
        let number = guesses.sent.fetch_add(1, Ordering::Relaxed);
        open.spawn(async move {
            let answer = Console::attempt(&base, "admin", &format!("guess-{number}")).await;
            match answer {
                Ok(answer) if answer.body["code"] == 500 => guesses.refused.fetch_add(1, Ordering::Relaxed),
                Ok(_) => 0,
                Err(_) => guesses.failed.fetch_add(1, Ordering::Relaxed),
            };
        });
        while open.try_join_next().is_some() {}
    }
    // Answers to guesses wait for some seconds, as they should.
    open.join_all().await;
}

fn at(times: &[Duration], share: f64) -> Option<f64> {
    let time = times.get((times.len() as f64 * share) as usize).or(times.last())?;
    Some(time.as_secs_f64() * 1e3)
}
