//! Slows down whoever guesses passwords, without locking out those who know them.
//!
//! Failures are counted by user and address: ten in a quarter of an hour are free, then each answer waits, longer and longer,
//! and from fifty on a login is refused without a look at the password. Somebody who guesses from many addresses is
//! stopped by a count over all of them; addresses from which the user has logged in before go on. The Java admins have
//! nothing of the kind.
//!
//! A login counts as failed from its beginning until it is known to have succeeded, so that guesses side by side gain
//! nothing. All counts are in memory, bounded, and each node's own. No lock is held while a login waits.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::audit;
use crate::clock::Clock;
use crate::model::EpochMs;

/// How long failures count.
const WINDOW_MS: i64 = 15 * 60_000;
/// Failures of a user at an address that cost nothing.
const FREE: u32 = 10;
/// Failures of a user at an address from which on the password is not looked at.
const LIMIT: u32 = 50;
/// The same over all addresses, for those from which the user has not logged in before.
const USER_LIMIT: u32 = 200;
const FIRST_WAIT_MS: i64 = 500;
const LONGEST_WAIT_MS: i64 = 8_000;
/// Answers that wait at a time; more are refused.
const WAITING: usize = 200;
/// Windows, users and earlier successes that are known at a time.
const CAPACITY: usize = 50_000;

/// Guards the logins of one node.
pub struct Throttle {
    counts: Arc<Mutex<Counts>>,
    waiting: Arc<Semaphore>,
}

/// Hash of a user's name, as far as the names' collation looks at it: nobody can fill the memory with long names.
type User = [u8; 16];
/// A user and an address; of IPv6 the network of the last 64 bits, which is one customer's.
type Place = (User, Option<IpAddr>);

/// Who tries to log in, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    name: String,
    address: Option<IpAddr>,
    place: Place,
}

impl Subject {
    /// Names that the column's collation takes for the same are the same here: case and trailing blanks do not count.
    pub fn new(name: &str, address: Option<IpAddr>) -> Self {
        let folded = name.trim_end_matches(' ').to_lowercase();
        let hash = Sha256::digest(folded.as_bytes());
        let mut user = User::default();
        user.copy_from_slice(&hash[..16]);
        Self { name: name.to_owned(), address, place: (user, address.map(network)) }
    }

    /// Whether both are counted together.
    pub fn is_counted_with(&self, other: &Self) -> bool {
        self.place == other.place
    }

    fn tell(&self, what: &str) {
        let from = self.address.map_or_else(|| "unknown".to_owned(), |address| address.to_string());
        audit::write(&self.name, &from, "login throttled", what);
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[derive(Default)]
struct Counts {
    places: HashMap<Place, Window>,
    users: HashMap<User, Window>,
    successes: HashMap<Place, EpochMs>,
}

/// Failures since a first one.
#[derive(Debug, Clone, Copy)]
struct Window {
    failures: u32,
    /// Logins that have begun and not ended.
    pending: u32,
    ends: EpochMs,
    /// Refused without a look at the password.
    refused: u64,
}

impl Window {
    const fn new(now: EpochMs) -> Self {
        Self { failures: 0, pending: 0, ends: now + WINDOW_MS, refused: 0 }
    }

    /// Counts a failure. Who reaches the limit is refused for the whole length of a window. Tells whether it is reached.
    fn fail(&mut self, limit: u32, now: EpochMs) -> bool {
        if self.failures == 0 {
            self.ends = now + WINDOW_MS;
        }
        self.failures += 1;
        let is_reached = self.failures == limit;
        if is_reached {
            self.ends = now + WINDOW_MS;
        }
        is_reached
    }
}

/// What becomes of a login.
enum Verdict {
    /// It is counted as open, and the password may be looked at after this wait.
    Check { wait_ms: i64 },
    /// So many logins are open that some must end first.
    Later,
    /// The password is not looked at.
    Refuse,
}

impl Throttle {
    /// A guard that has seen nothing yet.
    pub fn new() -> Self {
        Self { counts: Arc::default(), waiting: Arc::new(Semaphore::new(WAITING)) }
    }

    /// Lets a login in, after a wait if need be. None = it is refused, and the password is not to be looked at.
    pub async fn admit(&self, subject: &Subject, clock: &dyn Clock) -> Option<Attempt> {
        let mut seat = None;
        loop {
            let now = clock.now_ms();
            let (attempt, wait_ms) = match self.decide(subject, now) {
                Verdict::Refuse => return None,
                Verdict::Later => (None, FIRST_WAIT_MS),
                Verdict::Check { wait_ms } => (Some(self.attempt(subject, now)), wait_ms),
            };
            if wait_ms > 0 {
                if seat.is_none() {
                    seat = self.seat();
                }
                if seat.is_none() {
                    attempt.into_iter().for_each(Attempt::void);
                    self.lock().refuse(subject).tell();
                    return None;
                }
                clock.sleep_until(now + wait_ms).await;
            }
            if attempt.is_some() {
                return attempt;
            }
        }
    }

    fn seat(&self) -> Option<OwnedSemaphorePermit> {
        self.waiting.clone().try_acquire_owned().ok()
    }

    fn attempt(&self, subject: &Subject, now: EpochMs) -> Attempt {
        Attempt { counts: self.counts.clone(), subject: subject.clone(), began: now, is_settled: false }
    }

    fn decide(&self, subject: &Subject, now: EpochMs) -> Verdict {
        let (verdict, news) = self.lock().decide(subject, now);
        news.tell();
        verdict
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        lock(&self.counts)
    }
}

impl Default for Throttle {
    fn default() -> Self {
        Self::new()
    }
}

/// Every change is whole when a lock is given back: nothing between can panic.
fn lock(counts: &Mutex<Counts>) -> MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A login that was let in. It counts as failed when it goes, unless it is said to have succeeded or not to count.
pub struct Attempt {
    counts: Arc<Mutex<Counts>>,
    subject: Subject,
    began: EpochMs,
    is_settled: bool,
}

impl Attempt {
    /// The password was right: earlier failures at this address are forgotten, the address is one of the user's.
    pub fn succeed(mut self) {
        self.is_settled = true;
        lock(&self.counts).succeed(&self.subject, self.began);
    }

    /// Nothing is known of the password, as after a fault of the database.
    pub fn void(mut self) {
        self.is_settled = true;
        lock(&self.counts).close(&self.subject, self.began);
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if !self.is_settled {
            let news = lock(&self.counts).fail(&self.subject, self.began);
            news.tell();
        }
    }
}

/// What is to be told once the lock is given back.
#[derive(Default)]
struct News(Vec<(Subject, String)>);

impl News {
    fn of(subject: &Subject, text: String) -> Self {
        Self(vec![(subject.clone(), text)])
    }

    fn tell(self) {
        for (subject, text) in self.0 {
            subject.tell(&text);
        }
    }
}

impl Counts {
    fn decide(&mut self, subject: &Subject, now: EpochMs) -> (Verdict, News) {
        make_room(&mut self.places, now);
        make_room(&mut self.users, now);
        let is_known = self.successes.contains_key(&subject.place);
        let user = window(&mut self.users, subject.place.0, now);
        let place = window(&mut self.places, subject.place, now);
        if place.failures >= LIMIT || (!is_known && user.failures >= USER_LIMIT) {
            return (Verdict::Refuse, self.refuse(subject));
        }
        if place.failures + place.pending >= LIMIT || (!is_known && user.failures + user.pending >= USER_LIMIT) {
            return (Verdict::Later, News::default());
        }
        // Who has failed too often gains nothing by trying side by side; a site's nodes that start together may.
        let wait_ms = if place.failures < FREE { 0 } else { wait(place.failures + place.pending) };
        place.pending += 1;
        user.pending += 1;
        (Verdict::Check { wait_ms }, News::default())
    }

    /// Counts a login that is refused; the first is told, then each tenfold.
    fn refuse(&mut self, subject: &Subject) -> News {
        let Some(place) = self.places.get_mut(&subject.place) else { return News::default() };
        place.refused += 1;
        let count = place.refused;
        if 10_u64.pow(count.ilog10()) == count {
            return News::of(subject, format!("refused without a look at the password: {count}"));
        }
        News::default()
    }

    /// A login is not open any more.
    fn close(&mut self, subject: &Subject, now: EpochMs) {
        let place = window(&mut self.places, subject.place, now);
        place.pending = place.pending.saturating_sub(1);
        let user = window(&mut self.users, subject.place.0, now);
        user.pending = user.pending.saturating_sub(1);
    }

    fn fail(&mut self, subject: &Subject, now: EpochMs) -> News {
        self.close(subject, now);
        let mut news = News::default();
        let place = window(&mut self.places, subject.place, now);
        let is_reached = place.fail(LIMIT, now);
        let failures = place.failures;
        if is_reached {
            let text = format!("{failures} failures at this address: refused for {} min", WINDOW_MS / 60_000);
            news.0.push((subject.clone(), text));
        } else if failures >= FREE && wait(failures) > wait(failures - 1) {
            let text = format!("{failures} failures at this address: answers wait {} ms", wait(failures));
            news.0.push((subject.clone(), text));
        }
        if window(&mut self.users, subject.place.0, now).fail(USER_LIMIT, now) {
            let text = format!(
                "{USER_LIMIT} failures from all addresses: for {} min only addresses of earlier logins are let in",
                WINDOW_MS / 60_000
            );
            news.0.push((subject.clone(), text));
        }
        news
    }

    fn succeed(&mut self, subject: &Subject, now: EpochMs) {
        self.close(subject, now);
        window(&mut self.places, subject.place, now).failures = 0;
        if self.successes.len() >= CAPACITY {
            let times = self.successes.values().copied().collect();
            let oldest = lowest(times, CAPACITY / 4);
            self.successes.retain(|_, time| *time > oldest);
        }
        self.successes.insert(subject.place, now);
    }
}

/// Wait of the next answer after so many failures.
const fn wait(failures: u32) -> i64 {
    let Some(doublings) = failures.checked_sub(FREE) else { return 0 };
    if doublings >= 4 { LONGEST_WAIT_MS } else { FIRST_WAIT_MS << doublings }
}

/// The window of a key; what failed in one that is over is forgotten.
fn window<K: Eq + Hash>(windows: &mut HashMap<K, Window>, key: K, now: EpochMs) -> &mut Window {
    let window = windows.entry(key).or_insert_with(|| Window::new(now));
    if window.ends <= now {
        *window = Window { pending: window.pending, ..Window::new(now) };
    }
    window
}

/// Makes room for a further window: those that are over go, then those with the fewest failures, so that nobody can
/// flood his own count away with made-up names.
fn make_room<K: Eq + Hash>(windows: &mut HashMap<K, Window>, now: EpochMs) {
    if windows.len() < CAPACITY {
        return;
    }
    windows.retain(|_, window| window.pending > 0 || (window.failures > 0 && window.ends > now));
    if windows.len() >= CAPACITY / 4 * 3 {
        let weights = windows.values().map(|window| (window.failures, window.ends)).collect();
        let lightest = lowest(weights, CAPACITY / 4);
        windows.retain(|_, window| window.pending > 0 || (window.failures, window.ends) > lightest);
    }
}

/// The value below and at which so many lie. There are more than that.
fn lowest<T: Ord + Copy>(mut values: Vec<T>, count: usize) -> T {
    *values.select_nth_unstable(count).1
}

#[cfg(test)]
mod tests;
