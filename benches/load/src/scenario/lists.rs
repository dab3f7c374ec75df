//! The lists of the console on a log of millions: how long does a page take, without and with the additional indexes?

use std::time::{Duration, Instant};

use anyhow::Result;

use super::stage::{Stage, mib};
use super::{Arguments, Ground};
use crate::console::Console;
use crate::fill;
use crate::report::Report;

/// Pages asked for of each list.
const PAGES: u64 = 40;
/// Longest wait for the first exact total.
const WARM: Duration = Duration::from_mins(3);

/// A list that takes less was not sought among all runs.
const QUICK: Duration = Duration::from_millis(50);

/// What the Java admin 2.4.2 needs on the same tables, measured on the same kind of machine.
const JAVA: [(&str, &str); 4] = [
    ("java_2_4_2_all", "0.6 - 1.1 s"),
    ("java_2_4_2_of_a_job_a_group_or_failed", "2.9 - 5.8 s"),
    ("java_2_4_2_deep_page", "7 - 8 s"),
    ("java_2_4_2_note", "known figures, not measured in this run"),
];

/// A list of the console.
#[derive(Clone, Copy)]
struct List {
    name: &'static str,
    path: &'static str,
    /// p95 in ms that is demanded without indexes; with them it is 50.
    most: f64,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Jobs,
    JobsOfGroup,
    All,
    Day,
    Job,
    JobFailed,
    Group,
    Failed,
    Running,
    Deep,
    DeepGroup,
    Chart,
}

const LISTS: [List; 12] = [
    List { name: "jobs", path: "jobinfo/pageList", most: 100.0, kind: Kind::Jobs },
    List { name: "jobs_of_a_group", path: "jobinfo/pageList", most: 100.0, kind: Kind::JobsOfGroup },
    List { name: "log_all", path: "joblog/pageList", most: 100.0, kind: Kind::All },
    List { name: "log_of_a_day", path: "joblog/pageList", most: 100.0, kind: Kind::Day },
    List { name: "log_of_a_job", path: "joblog/pageList", most: 300.0, kind: Kind::Job },
    List { name: "log_of_a_job_failed", path: "joblog/pageList", most: 300.0, kind: Kind::JobFailed },
    List { name: "log_of_a_group", path: "joblog/pageList", most: 300.0, kind: Kind::Group },
    List { name: "log_failed", path: "joblog/pageList", most: 300.0, kind: Kind::Failed },
    List { name: "log_running", path: "joblog/pageList", most: 300.0, kind: Kind::Running },
    List { name: "log_deep_page", path: "joblog/pageList", most: 300.0, kind: Kind::Deep },
    List { name: "log_deep_page_of_a_group", path: "joblog/pageList", most: 300.0, kind: Kind::DeepGroup },
    List { name: "dashboard_chart", path: "chartInfo", most: 100.0, kind: Kind::Chart },
];

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let stage = Stage::set_up(arguments, ground).await?;
    let past = arguments.past;
    {
        let mut database = stage.database().await?;
        database.as_of_2_4().await?;
        let started = Instant::now();
        fill::fill(&mut database, &past, fill::now()).await?;
        eprintln!("filled in {} s", started.elapsed().as_secs());
    }
    let mut report = Report::new("lists", ground.name());
    report.figure("rows", past.rows);
    report.figure("jobs", past.owners);

    let admin = stage.start_admin().await?;
    measure(&stage, "", &mut report).await?;
    report.measure("admin_rss_mib", mib(admin.usage()?.rss_kib));
    stage.finish(admin, &mut report).await?;

    let started = Instant::now();
    stage.command("add-indexes").await?;
    report.measure("add_indexes_s", started.elapsed().as_secs_f64());
    let admin = stage.start_admin().await?;
    measure(&stage, "indexed_", &mut report).await?;
    stage.finish(admin, &mut report).await?;
    for (name, figure) in JAVA {
        report.figure(name, figure);
    }
    Ok(report)
}

async fn measure(stage: &Stage<'_>, prefix: &str, report: &mut Report) -> Result<()> {
    let past = stage.past();
    let mut console = Console::log_in(&stage.base()?, "admin", crate::database::PASSWORD).await?;
    let job = List { kind: Kind::Job, ..LISTS[4] };
    let first = ask(&mut console, &job, stage, 17).await?;
    report.measure(&format!("{prefix}first_log_of_a_job_ms"), millis(first.took));
    let started = Instant::now();
    let exact = past.runs_of_a_job() as i64;
    while ask(&mut console, &job, stage, 17).await?.total() != Some(exact) && started.elapsed() < WARM {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    report.measure(&format!("{prefix}totals_exact_after_s"), started.elapsed().as_secs_f64());
    // A list that no index serves is quick once the catalogue is there.
    let running = List { kind: Kind::Running, ..LISTS[8] };
    report.measure(&format!("{prefix}first_log_running_ms"), millis(ask(&mut console, &running, stage, 0).await?.took));
    while ask(&mut console, &running, stage, 0).await?.took > QUICK && started.elapsed() < WARM {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    report.measure(&format!("{prefix}catalogue_after_s"), started.elapsed().as_secs_f64());
    let mut totals_hold = true;
    for list in LISTS {
        let mut times = Vec::new();
        for number in 0..PAGES {
            let answer = ask(&mut console, &list, stage, number * 37 + 1).await?;
            if matches!(list.kind, Kind::Chart) && answer.status != 200 {
                break;
            }
            match list.kind {
                Kind::Job => totals_hold &= answer.total() == Some(exact) && answer.rows().len() == 10,
                Kind::All | Kind::Group => totals_hold &= answer.total().is_some_and(|total| total > 10_000),
                _ => {}
            }
            times.push(answer.took);
        }
        times.sort_unstable();
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).or(times.last()).copied().map(millis);
        report.measure(&format!("{prefix}{}_p50_ms", list.name), at(0.5));
        report.measure(&format!("{prefix}{}_p95_ms", list.name), at(0.95));
        let most = if prefix.is_empty() { list.most } else { 50.0 };
        if let Some(p95) = at(0.95) {
            report.demand(&format!("{prefix}{}: p95 at most {most} ms", list.name), p95 <= most);
        }
    }
    report.demand(&format!("{prefix}totals are exact up to 10,000"), totals_hold);
    Ok(())
}

async fn ask(console: &mut Console, list: &List, stage: &Stage<'_>, number: u64) -> Result<crate::console::Answer> {
    let past = stage.past();
    let job = past.job(number * 131);
    let (mut group, mut of_job, mut status, mut start) = (0, 0, "-1", 0);
    let mut time = String::new();
    match list.kind {
        Kind::Jobs | Kind::All | Kind::Chart => {}
        Kind::JobsOfGroup | Kind::Group => group = past.group(number),
        Kind::Day => {
            let ago = 1 + number % past.days.saturating_sub(2).max(1);
            let day = chrono::DateTime::<chrono::Utc>::from_timestamp((fill::now() - ago * 86_400) as i64, 0);
            let day = day.unwrap_or_default().format("%Y-%m-%d");
            time = format!("{day} 00:00:00 - {day} 23:59:59");
        }
        Kind::Job => (group, of_job) = (past.group_of(job), job),
        Kind::JobFailed => (group, of_job, status) = (past.group_of(job), job, "2"),
        Kind::Failed => status = "2",
        Kind::Running => status = "3",
        Kind::Deep => start = past.rows * (number % 10) / 10 + past.rows / 20,
        Kind::DeepGroup => (group, start) = (past.group(number), past.rows / past.groups / 2),
    }
    let (group, of_job, start) = (group.to_string(), of_job.to_string(), start.to_string());
    let form: Vec<(&str, &str)> = match list.kind {
        Kind::Jobs | Kind::JobsOfGroup => vec![
            ("jobGroup", if group == "0" { "-1" } else { &group }),
            ("triggerStatus", "-1"),
            ("jobDesc", ""),
            ("executorHandler", ""),
            ("author", ""),
        ],
        Kind::Chart => vec![("startDate", "2026-01-01 00:00:00"), ("endDate", "2036-01-01 23:59:59")],
        _ => vec![("jobGroup", &group), ("jobId", &of_job), ("logStatus", status), ("filterTime", &time)],
    };
    let page = [("start", start.as_str()), ("length", "10")];
    let form = [form.as_slice(), &page].concat();
    if matches!(list.kind, Kind::Chart) {
        return console.post(list.path, &form).await;
    }
    console.list(list.path, &form).await
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
