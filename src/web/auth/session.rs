//! Logins: opaque cookies that survive restarts, hold on every node, end at log-out and need no table of their own.
//!
//! The cookie is 32 random bytes and nothing else. A row of `xxl_job_registry` stands for it: group `RS_LOGIN`, key = hash
//! of the cookie, value = user id and an HMAC over the cookie with the stored password as key, time = when the login ends.
//! Java admins never look at such rows and sweep them once they have expired. Reading the table yields no cookie, nobody
//! can plant a row without knowing the stored password, and a password change, by whichever admin, ends all logins.
//!
//! Better on purpose than the Java admins, whose cookie of 2.x is the password hash itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use crate::clock::SharedClock;
use crate::model::{EpochMs, JobUser, LOGIN_GROUP, RegistryEntry};
use crate::store::{Error, Result, Store};

const DAY_MS: i64 = 86_400_000;
/// A row that ends sooner is none: one planted through a Java admin's `/api/registry` ends at once.
const MARGIN_MS: i64 = 60_000;
/// How long a login that was looked up is believed without looking again.
const CACHE_MS: i64 = 5_000;
/// Logins believed at a time; beyond, all are looked up anew.
const CACHE_SIZE: usize = 10_000;
/// Characters of a cookie.
const COOKIE_LENGTH: usize = 43;

/// The logins of all users. Holds what it looked up for a few seconds.
pub struct Sessions {
    store: Store,
    clock: SharedClock,
    life_ms: i64,
    cache: Mutex<HashMap<String, Cached>>,
}

struct Cached {
    user: Arc<JobUser>,
    until: EpochMs,
}

impl Sessions {
    /// Logins that end when they are not used for so many days.
    pub fn new(store: Store, clock: SharedClock, login_days: u32) -> Self {
        Self { store, clock, life_ms: i64::from(login_days) * DAY_MS, cache: Mutex::default() }
    }

    /// Whether a cookie could be one of ours, by its looks.
    pub fn is_plausible(cookie: &str) -> bool {
        cookie.len() == COOKIE_LENGTH && cookie.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    }

    /// Logs a user in and gives the cookie.
    ///
    /// # Errors
    /// When the database does not take it, or the system has no random numbers.
    pub async fn log_in(&self, user: &JobUser) -> Result<String> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|error| Error::Refused(format!("no random numbers: {error}")))?;
        let cookie = BASE64_URL_SAFE_NO_PAD.encode(random);
        let entry = RegistryEntry {
            group: LOGIN_GROUP.into(),
            key: key(&cookie),
            value: format!("{}.{}", user.id, hex::encode(mac(user, &cookie).finalize().into_bytes())),
            update_time: Some(self.clock.now_ms() + self.life_ms),
        };
        self.store.beat(&[entry], self.clock.now_ms()).await?;
        Ok(cookie)
    }

    /// The user whom a cookie logs in.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find(&self, cookie: &str) -> Result<Option<Arc<JobUser>>> {
        if !Self::is_plausible(cookie) {
            return Ok(None);
        }
        let key = key(cookie);
        let now = self.clock.now_ms();
        if let Some(user) = self.cached(&key, now) {
            return Ok(Some(user));
        }
        for entry in self.store.entries_of(LOGIN_GROUP, &key).await? {
            let Some(end) = entry.update_time.filter(|end| *end > now + MARGIN_MS) else { continue };
            let Some(user) = self.user_of(&entry, cookie).await? else { continue };
            self.renew(entry, end, now).await;
            let user = Arc::new(user);
            self.remember(key, user.clone(), now);
            return Ok(Some(user));
        }
        Ok(None)
    }

    async fn user_of(&self, entry: &RegistryEntry, cookie: &str) -> Result<Option<JobUser>> {
        let parts = entry.value.split_once('.').and_then(|(id, mac)| Some((id.parse().ok()?, hex::decode(mac).ok()?)));
        let Some((id, stored)) = parts else { return Ok(None) };
        let user = self.store.find_user(id).await?;
        Ok(user.filter(|user| mac(user, cookie).verify_slice(&stored).is_ok()))
    }

    /// Moves the end of a login that is used, at most once a day (with a life of one day: twice).
    async fn renew(&self, entry: RegistryEntry, end: EpochMs, now: EpochMs) {
        if end - now >= self.life_ms - DAY_MS.min(self.life_ms / 2) {
            return;
        }
        let renewed = RegistryEntry { update_time: Some(now + self.life_ms), ..entry };
        if let Err(error) = self.store.beat(&[renewed], now).await {
            tracing::warn!("a login could not be renewed and is tried again with its next call: {error}");
        }
    }

    /// Ends this login alone. Another node may believe it for some seconds yet.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn log_out(&self, cookie: &str) -> Result<()> {
        if !Self::is_plausible(cookie) {
            return Ok(());
        }
        let key = key(cookie);
        self.store.remove_entries_of(LOGIN_GROUP, &key).await?;
        self.lock().remove(&key);
        Ok(())
    }

    fn cached(&self, key: &str, now: EpochMs) -> Option<Arc<JobUser>> {
        self.lock().get(key).filter(|cached| cached.until > now).map(|cached| cached.user.clone())
    }

    fn remember(&self, key: String, user: Arc<JobUser>, now: EpochMs) {
        let mut cache = self.lock();
        if cache.len() >= CACHE_SIZE {
            cache.retain(|_, cached| cached.until > now);
            if cache.len() >= CACHE_SIZE {
                cache.clear();
            }
        }
        cache.insert(key, Cached { user, until: now + CACHE_MS });
    }

    /// The map is whole even after a panic while it was locked: every change is one call.
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Cached>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(cookie: &str) -> String {
    hex::encode(Sha256::digest(cookie.as_bytes()))
}

fn mac(user: &JobUser, cookie: &str) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(user.password.as_bytes()).expect("a key");
    mac.update(cookie.as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock as _, ManualClock};
    use crate::config::settings::{DatabaseUrl, Settings};

    struct Fixture {
        _folder: tempfile::TempDir,
        store: Store,
        clock: Arc<ManualClock>,
        sessions: Sessions,
    }

    async fn fixture(login_days: u32) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings::for_database(DatabaseUrl::Sqlite(folder.path().join("x.db")));
        Store::init(&settings, "hash").await.unwrap();
        let store = Store::open(&settings).await.unwrap();
        let clock = Arc::new(ManualClock::at(1_796_071_183_000));
        let sessions = Sessions::new(store.clone(), clock.clone(), login_days);
        Fixture { _folder: folder, store, clock, sessions }
    }

    impl Fixture {
        async fn admin(&self) -> JobUser {
            self.store.find_user(1).await.unwrap().unwrap()
        }

        async fn name(&self, cookie: &str) -> Option<String> {
            self.sessions.find(cookie).await.unwrap().map(|user| user.username.clone())
        }

        async fn ends(&self, cookie: &str) -> Option<EpochMs> {
            let rows = self.store.entries_of(LOGIN_GROUP, &key(cookie)).await.unwrap();
            rows.first().and_then(|row| row.update_time)
        }
    }

    #[tokio::test]
    async fn a_login_lives_until_log_out() {
        let f = fixture(30).await;
        let admin = f.admin().await;
        let (one, two) = (f.sessions.log_in(&admin).await.unwrap(), f.sessions.log_in(&admin).await.unwrap());
        assert!(Sessions::is_plausible(&one) && one != two);
        assert_eq!(f.name(&one).await.as_deref(), Some("admin"));
        f.sessions.log_out(&one).await.unwrap();
        assert_eq!(f.name(&one).await, None);
        assert_eq!(f.name(&two).await.as_deref(), Some("admin"));
    }

    #[tokio::test]
    async fn the_row_tells_neither_cookie_nor_password() {
        let f = fixture(30).await;
        let cookie = f.sessions.log_in(&f.admin().await).await.unwrap();
        let rows = f.store.entries_of(LOGIN_GROUP, &key(&cookie)).await.unwrap();
        assert_eq!(rows.len(), 1);
        assert!(rows[0].value.starts_with("1.") && rows[0].value.len() == 66);
        assert_eq!(rows[0].update_time, Some(f.clock.now_ms() + 30 * DAY_MS));
        // What the table says is no cookie.
        assert_eq!(f.name(&rows[0].key).await, None);
        assert_eq!(f.name(&rows[0].value).await, None);
    }

    #[tokio::test]
    async fn a_password_change_ends_every_login() {
        let f = fixture(30).await;
        let cookie = f.sessions.log_in(&f.admin().await).await.unwrap();
        assert!(f.name(&cookie).await.is_some());
        f.store.save_password(1, "another").await.unwrap();
        f.clock.advance(CACHE_MS);
        assert_eq!(f.name(&cookie).await, None);
    }

    #[tokio::test]
    async fn a_used_login_is_renewed_once_a_day_and_an_unused_one_ends() {
        let f = fixture(2).await;
        let cookie = f.sessions.log_in(&f.admin().await).await.unwrap();
        let first = f.ends(&cookie).await.unwrap();
        f.clock.advance(DAY_MS);
        assert!(f.name(&cookie).await.is_some());
        assert_eq!(f.ends(&cookie).await, Some(first), "a day is left");
        f.clock.advance(CACHE_MS);
        assert!(f.name(&cookie).await.is_some());
        assert_eq!(f.ends(&cookie).await, Some(f.clock.now_ms() + 2 * DAY_MS));
        f.clock.advance(2 * DAY_MS - MARGIN_MS);
        assert_eq!(f.name(&cookie).await, None);
    }

    #[tokio::test]
    async fn a_planted_row_is_no_login() {
        let f = fixture(30).await;
        let cookie = "a".repeat(COOKIE_LENGTH);
        let other = f.sessions.log_in(&f.admin().await).await.unwrap();
        let value = f.store.entries_of(LOGIN_GROUP, &key(&other)).await.unwrap()[0].value.clone();
        for value in [value, "1.".into(), "1.zz".into(), "x".into(), format!("1.{}", "0".repeat(64))] {
            let update_time = Some(f.clock.now_ms() + DAY_MS);
            let row = RegistryEntry { group: LOGIN_GROUP.into(), key: key(&cookie), value, update_time };
            f.store.beat(&[row], 0).await.unwrap();
        }
        assert_eq!(f.name(&cookie).await, None);
    }
}
