//! Plays a Java admin beside ours: claims due jobs as Java releases do, in both forms, and writes one log row a fire.
//!
//! It knows one schedule only, every second, and has no console, registry or executors. A row's `trigger_time` is the
//! second that the occurrence was due, so that a late fire of its own does not look like a missing one.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use sqlx::{Acquire, Executor, MySqlConnection, MySqlPool};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// What stands in `executor_address` of its rows.
pub const ADDRESS: &str = "stand-in";
/// How far ahead jobs are claimed, in ms.
const PRE_READ_MS: i64 = 5000;
/// Most jobs of one pass.
const PRE_READ_COUNT: i64 = 6000;

/// How the claim is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// To 3.2: the lock on one connection, reads and one autocommitted UPDATE a job on others; late jobs are fired
    /// inside, before anything is committed, and (to 2.4) put ahead once more.
    Old,
    /// From 3.3: all in one transaction.
    New,
}

/// Jobs to fire, by the second (since 1970) at which they are due.
type Ring = Arc<Mutex<BTreeMap<i64, Vec<i32>>>>;

/// A running stand-in.
pub struct StandIn {
    stop: watch::Sender<bool>,
    tasks: [JoinHandle<Result<()>>; 2],
}

impl StandIn {
    /// Starts to claim and fire on the database behind `pool`, which must allow three connections.
    pub fn start(pool: MySqlPool, form: Form) -> Self {
        let ring = Ring::default();
        let (stop, stopped) = watch::channel(false);
        let scan = tokio::spawn(scan(pool.clone(), form, Arc::clone(&ring), stopped.clone()));
        let fire = tokio::spawn(turn(pool, ring, stopped));
        Self { stop, tasks: [scan, fire] }
    }

    /// Ends the passes, fires what is still in the ring, and waits for both.
    ///
    /// # Errors
    /// What went wrong in a pass or a fire.
    pub async fn stop(self) -> Result<()> {
        // Nobody listens any more when a task has failed; joining it tells.
        let _ = self.stop.send(true);
        for task in self.tasks {
            task.await??;
        }
        Ok(())
    }
}

fn now_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

/// The schedule: the first whole second after `from_ms`.
fn next(from_ms: i64) -> i64 {
    (from_ms / 1000 + 1) * 1000
}

/// A due job as a pass reads it.
#[derive(Clone, Copy)]
struct Due {
    id: i32,
    next: i64,
}

/// What a pass makes of a due job.
#[derive(Debug, PartialEq, Eq)]
struct Claim {
    /// Occurrences to fire at once, in ms.
    at_once: Vec<i64>,
    /// Occurrences for the ring, in ms.
    ahead: Vec<i64>,
    /// `trigger_last_time` and `trigger_next_time` to write.
    last: i64,
    next: i64,
}

/// The three cases of a pass: misfired, late, ahead.
fn claim(form: Form, due: Due, now: i64) -> Claim {
    if now > due.next + PRE_READ_MS {
        // DO_NOTHING
        return Claim { at_once: vec![], ahead: vec![], last: due.next, next: next(now) };
    }
    let is_late = if form == Form::Old { now > due.next } else { now >= due.next };
    if !is_late {
        return Claim { at_once: vec![], ahead: vec![due.next], last: due.next, next: next(due.next) };
    }
    let following = next(now);
    if form == Form::Old && now + PRE_READ_MS > following {
        return Claim { at_once: vec![due.next], ahead: vec![following], last: following, next: next(following) };
    }
    Claim { at_once: vec![due.next], ahead: vec![], last: due.next, next: following }
}

async fn scan(pool: MySqlPool, form: Form, ring: Ring, mut stopped: watch::Receiver<bool>) -> Result<()> {
    while !*stopped.borrow() {
        let begin = now_ms();
        let found = match form {
            Form::Old => old_pass(&pool, &ring).await?,
            Form::New => new_pass(&pool, &ring).await?,
        };
        let now = now_ms();
        if now - begin < 1000 {
            // To the next full second, or four to five seconds on after an empty pass.
            let whole = if found { 1000 } else { PRE_READ_MS };
            let pause = Duration::from_millis((whole - now % 1000).unsigned_abs());
            tokio::select! {
                () = sleep(pause) => {}
                _ = stopped.changed() => {}
            }
        }
    }
    Ok(())
}

const LOCK: &str = "SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE";
const DUE: &str = "SELECT id, CAST(trigger_next_time AS SIGNED) FROM xxl_job_info \
                   WHERE trigger_status = 1 AND trigger_next_time <= ? ORDER BY id ASC LIMIT ?";

async fn lock(connection: &mut MySqlConnection) -> Result<()> {
    ensure!(sqlx::query(LOCK).fetch_optional(connection).await?.is_some(), "the lock row is missing");
    Ok(())
}

async fn read_due<'c>(database: impl Executor<'c, Database = sqlx::MySql>, now: i64) -> Result<Vec<Due>> {
    let rows: Vec<(i32, i64)> =
        sqlx::query_as(DUE).bind(now + PRE_READ_MS).bind(PRE_READ_COUNT).fetch_all(database).await?;
    Ok(rows.into_iter().map(|(id, next)| Due { id, next }).collect())
}

fn put_ahead(ring: &Ring, job: i32, occurrences: &[i64]) {
    let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
    for at in occurrences {
        ring.entry(at / 1000).or_default().push(job);
    }
}

/// Says whether any job was due.
async fn old_pass(pool: &MySqlPool, ring: &Ring) -> Result<bool> {
    let mut holder = pool.acquire().await?;
    let mut transaction = holder.begin().await?;
    lock(&mut transaction).await?;
    let now = now_ms();
    let due = read_due(pool, now).await?;
    let mut claims = Vec::with_capacity(due.len());
    for &job in &due {
        let claim = claim(Form::Old, job, now);
        for &at in &claim.at_once {
            fire(pool, job.id, at).await?;
        }
        put_ahead(ring, job.id, &claim.ahead);
        claims.push((job.id, claim));
    }
    // After the whole loop, without looking at what the row holds by now.
    let write = "UPDATE xxl_job_info SET trigger_last_time = ?, trigger_next_time = ?, trigger_status = 1 WHERE id = ?";
    for (id, claim) in &claims {
        sqlx::query(write).bind(claim.last).bind(claim.next).bind(id).execute(pool).await?;
    }
    transaction.commit().await?;
    Ok(!due.is_empty())
}

/// Says whether any job was due.
async fn new_pass(pool: &MySqlPool, ring: &Ring) -> Result<bool> {
    let mut transaction = pool.begin().await?;
    lock(&mut transaction).await?;
    let now = now_ms();
    let due = read_due(&mut *transaction, now).await?;
    let mut late = Vec::new();
    for &job in &due {
        let claim = claim(Form::New, job, now);
        late.extend(claim.at_once.iter().map(|&at| (job.id, at)));
        put_ahead(ring, job.id, &claim.ahead);
        let write = "UPDATE xxl_job_info SET trigger_last_time = ?, trigger_next_time = ? \
                     WHERE id = ? AND trigger_status = 1";
        sqlx::query(write).bind(claim.last).bind(claim.next).bind(job.id).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    for (job, at) in late {
        fire(pool, job, at).await?;
    }
    Ok(!due.is_empty())
}

/// Fires at each full second what has become due; goes on after the stop until the ring is empty.
async fn turn(pool: MySqlPool, ring: Ring, stopped: watch::Receiver<bool>) -> Result<()> {
    loop {
        sleep(Duration::from_millis((1000 - now_ms() % 1000).unsigned_abs())).await;
        let second = now_ms() / 1000;
        let (due, is_empty) = {
            let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
            let later = ring.split_off(&(second + 1));
            let due = std::mem::replace(&mut *ring, later);
            (due, ring.is_empty())
        };
        for (second, jobs) in due {
            for job in jobs {
                fire(&pool, job, second * 1000).await?;
            }
        }
        if is_empty && *stopped.borrow() {
            return Ok(());
        }
    }
}

async fn fire(pool: &MySqlPool, job: i32, at_ms: i64) -> Result<()> {
    let row = "INSERT INTO xxl_job_log (job_group, job_id, executor_address, trigger_time, trigger_code, trigger_msg, \
               handle_code, alarm_status) \
               SELECT job_group, id, ?, FROM_UNIXTIME(0) + INTERVAL ? SECOND, 200, '', 0, 0 \
               FROM xxl_job_info WHERE id = ?";
    sqlx::query(row).bind(ADDRESS).bind(at_ms / 1000).bind(job).execute(pool).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Claim, Due, Form, claim};

    const JOB: Due = Due { id: 1, next: 100_000 };

    fn made(at_once: &[i64], ahead: &[i64], last: i64, next: i64) -> Claim {
        Claim { at_once: at_once.to_vec(), ahead: ahead.to_vec(), last, next }
    }

    #[test]
    fn a_job_ahead_goes_to_the_ring() {
        for form in [Form::Old, Form::New] {
            assert_eq!(claim(form, JOB, 96_000), made(&[], &[100_000], 100_000, 101_000));
        }
    }

    #[test]
    fn a_late_job_is_fired_at_once_and_by_old_releases_put_ahead_again() {
        assert_eq!(claim(Form::New, JOB, 100_300), made(&[100_000], &[], 100_000, 101_000));
        assert_eq!(claim(Form::Old, JOB, 100_300), made(&[100_000], &[101_000], 101_000, 102_000));
    }

    #[test]
    fn the_very_second_is_late_for_new_releases_only() {
        assert_eq!(claim(Form::Old, JOB, 100_000), made(&[], &[100_000], 100_000, 101_000));
        assert_eq!(claim(Form::New, JOB, 100_000), made(&[100_000], &[], 100_000, 101_000));
    }

    #[test]
    fn a_misfired_job_is_only_moved_on() {
        for form in [Form::Old, Form::New] {
            assert_eq!(claim(form, JOB, 105_001), made(&[], &[], 100_000, 106_000));
        }
    }
}
