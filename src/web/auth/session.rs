//! Logins: opaque cookies that survive restarts, hold on every node, end at log-out and need no table of their own.
//!
//! The cookie is 32 random bytes and nothing else. A row of `xxl_job_registry` stands for it: group `RS_LOGIN`, key = hash
//! of the cookie, value = user id and an HMAC over the cookie with the stored password as key, time = when the login ends.
//! Java admins never look at such rows and sweep them once they have expired. Reading the table yields no cookie, nobody
//! can plant a row without knowing the stored password, and a password change, by whichever admin, ends all logins.
//!
//! Better on purpose than the Java admins, whose cookie of 2.x is the password hash itself.
//!
//! With `console.shared-login` logins are made and read in the form of the Java admins that can run on the same tables:
//! on those to 3.1 the cookie with the password hash, on those from 3.2 the one with the column `token`, which is kept at a
//! further login so that none ends another. The other cookie name carries a value of ours then, too, and values of ours
//! count whatever their cookie's name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::cookie::Family;
use super::java_cookie::{Identity, Token};
use crate::clock::SharedClock;
use crate::config::settings::Console;
use crate::model::{EpochMs, JobUser, LOGIN_GROUP, RegistryEntry};
use crate::store::{Error, PasswordHash, Result, Store};

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
    /// Cookies of the Java admins are made and read.
    shared: bool,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    logins: HashMap<Key, Cached>,
    /// Counts what has ended here. What was looked up while something ended may be out of date and is not kept.
    ends: u64,
}

/// The cookie's family counts, as the values of Java admins are bound to their cookie's name.
type Key = (Family, String);

struct Cached {
    user: Arc<JobUser>,
    until: EpochMs,
}

impl Sessions {
    /// Logins as these settings want them.
    pub fn new(store: Store, clock: SharedClock, settings: &Console) -> Self {
        let life_ms = i64::from(settings.login_days) * DAY_MS;
        Self { store, clock, life_ms, shared: settings.shared_login, cache: Mutex::default() }
    }

    /// Whether a cookie could be one of ours, by its looks.
    pub fn is_plausible(cookie: &str) -> bool {
        cookie.len() == COOKIE_LENGTH && cookie.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    }

    /// Logs a user in and gives the value of this cookie.
    ///
    /// # Errors
    /// When the database does not take it, or the system has no random numbers.
    pub async fn log_in(&self, family: Family, user: &JobUser) -> Result<String> {
        if self.shared {
            match self.java_family() {
                Family::Identity if family == Family::Identity => return Ok(Identity::encode(user)),
                Family::Token if family == Family::Token => {
                    let fresh = hex::encode(random::<16>()?);
                    if let Some(signature) = self.store.share_token(user.id, &fresh).await? {
                        return Ok(Token::encode(user.id, &signature));
                    }
                }
                Family::Identity | Family::Token => {}
            }
        }
        let cookie = BASE64_URL_SAFE_NO_PAD.encode(random::<32>()?);
        let now = self.clock.now_ms();
        self.store.beat(&[self.entry(user, &cookie, now)], now).await?;
        Ok(cookie)
    }

    /// The cookie that the Java admins have which can run on these tables.
    fn java_family(&self) -> Family {
        match self.store.schema().password_hash {
            PasswordHash::Md5 => Family::Identity,
            PasswordHash::Sha256 => Family::Token,
        }
    }

    /// The row of a login of ours that begins now.
    fn entry(&self, user: &JobUser, cookie: &str, now: EpochMs) -> RegistryEntry {
        RegistryEntry {
            group: LOGIN_GROUP.into(),
            key: key(cookie),
            value: format!("{}{}", owner(user.id), hex::encode(mac(user, cookie).finalize().into_bytes())),
            update_time: Some(now + self.life_ms),
        }
    }

    /// The user whom the value of this cookie logs in.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find(&self, family: Family, cookie: &str) -> Result<Option<Arc<JobUser>>> {
        let is_plausible = Self::is_plausible(cookie);
        if !is_plausible && !self.reads_java(family) {
            return Ok(None);
        }
        let key = (family, key(cookie));
        let now = self.clock.now_ms();
        let ends = match self.cached(&key, now) {
            Ok(user) => return Ok(Some(user)),
            Err(ends) => ends,
        };
        let mut user = None;
        if is_plausible {
            user = self.find_own(cookie, &key.1, now).await?;
        }
        if user.is_none() && self.reads_java(family) {
            user = self.find_java(family, cookie).await?;
        }
        let user = user.map(Arc::new);
        if let Some(user) = &user {
            self.remember(key, user.clone(), now, ends);
        }
        Ok(user)
    }

    async fn find_own(&self, cookie: &str, key: &str, now: EpochMs) -> Result<Option<JobUser>> {
        for entry in self.store.entries_of(LOGIN_GROUP, key).await? {
            let Some(end) = entry.update_time.filter(|end| *end > now + MARGIN_MS) else { continue };
            let Some(user) = self.user_of(&entry, cookie).await? else { continue };
            self.renew(entry, end, now).await;
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

    /// Whether a cookie of the Java admins counts under this name.
    fn reads_java(&self, family: Family) -> bool {
        self.shared && family == self.java_family()
    }

    async fn find_java(&self, family: Family, cookie: &str) -> Result<Option<JobUser>> {
        match family {
            Family::Identity => {
                let Some(claim) = Identity::decode(cookie) else { return Ok(None) };
                let user = self.store.find_user_by_name(&claim.username).await?;
                Ok(user.filter(|user| is_same(&user.password, &claim.password)))
            }
            Family::Token => {
                let Some(claim) = Token::decode(cookie) else { return Ok(None) };
                let user = self.store.find_user(claim.user_id).await?;
                Ok(user.filter(|user| user.token.as_deref().is_some_and(|token| is_same(token, &claim.signature))))
            }
        }
    }

    /// Moves the end of a login that is used, at most once a day (with a life of one day: twice).
    async fn renew(&self, entry: RegistryEntry, end: EpochMs, now: EpochMs) {
        if end - now >= self.life_ms - DAY_MS.min(self.life_ms / 2) {
            return;
        }
        let renewed = RegistryEntry { update_time: Some(now + self.life_ms), ..entry };
        if let Err(error) = self.store.beat(&[renewed], now).await {
            tracing::warn!("a login could not be renewed: {error}");
        }
    }

    /// Ends a login. One of ours ends alone; with a token of the Java admins all that share it end; their older cookie
    /// cannot be ended but by a change of the password. Another node may believe it for some seconds yet.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn log_out(&self, family: Family, cookie: &str) -> Result<()> {
        if Self::is_plausible(cookie) {
            self.store.remove_entries_of(LOGIN_GROUP, &key(cookie)).await?;
        }
        if family == Family::Token
            && self.reads_java(family)
            && let Some(user) = self.find_java(family, cookie).await?
        {
            self.store.clear_token(user.id).await?;
            self.forget_user(user.id);
        }
        let key = key(cookie);
        let mut cache = self.lock();
        cache.ends += 1;
        cache.logins.retain(|(_, cached), _| *cached != key);
        Ok(())
    }

    /// Ends all logins of a user: after a change of the password by a call of the releases to 3.1, or when the user is
    /// removed. Another node may believe them for some seconds yet.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn end_all_of(&self, user: i32) -> Result<()> {
        // A changed password has ended them by itself; this clears away the rows.
        self.store.remove_entries_starting(LOGIN_GROUP, &owner(user), None).await?;
        if self.shared {
            self.store.clear_token(user).await?;
        }
        self.forget_user(user);
        Ok(())
    }

    /// Ends all logins of a user but this one, which goes on under the user's new password: after a change of it by a call
    /// of the releases from 3.2. A login by a token of the Java admins goes on by itself, as with them.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn rewrite(&self, cookie: &str, user: &JobUser) -> Result<()> {
        let now = self.clock.now_ms();
        let mut kept = None;
        if Self::is_plausible(cookie)
            && let stored = self.store.entries_of(LOGIN_GROUP, &key(cookie)).await?
            && stored.iter().any(|entry| entry.value.starts_with(&owner(user.id)))
        {
            let entry = self.entry(user, cookie, now);
            kept = Some(entry.value.clone());
            self.store.beat(&[entry], now).await?;
        }
        self.store.remove_entries_starting(LOGIN_GROUP, &owner(user.id), kept.as_deref()).await?;
        self.forget_user(user.id);
        Ok(())
    }

    /// The login that was looked up a moment ago, or else how much has ended until now.
    fn cached(&self, key: &Key, now: EpochMs) -> std::result::Result<Arc<JobUser>, u64> {
        let cache = self.lock();
        match cache.logins.get(key).filter(|cached| cached.until > now) {
            Some(cached) => Ok(cached.user.clone()),
            None => Err(cache.ends),
        }
    }

    fn remember(&self, key: Key, user: Arc<JobUser>, now: EpochMs, ends: u64) {
        let mut cache = self.lock();
        if cache.ends != ends {
            return;
        }
        if cache.logins.len() >= CACHE_SIZE {
            cache.logins.retain(|_, cached| cached.until > now);
            if cache.logins.len() >= CACHE_SIZE {
                cache.logins.clear();
            }
        }
        cache.logins.insert(key, Cached { user, until: now + CACHE_MS });
    }

    /// Looks a user up anew at the next call, so that what has been changed of him counts at once.
    pub fn forget_user(&self, user: i32) {
        let mut cache = self.lock();
        cache.ends += 1;
        cache.logins.retain(|_, cached| cached.user.id != user);
    }

    /// The map is whole even after a panic while it was locked: every change is one call.
    fn lock(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn random<const LENGTH: usize>() -> Result<[u8; LENGTH]> {
    let mut random = [0; LENGTH];
    getrandom::fill(&mut random).map_err(|error| Error::Refused(format!("no random numbers: {error}")))?;
    Ok(random)
}

/// How the values of a user's rows start.
fn owner(user: i32) -> String {
    format!("{user}.")
}

/// Whether a stored secret is the one that is shown; a blank one is none. In constant time.
fn is_same(stored: &str, shown: &str) -> bool {
    !stored.trim().is_empty() && bool::from(stored.as_bytes().ct_eq(shown.as_bytes()))
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
        fixture_with(login_days, false).await
    }

    async fn fixture_with(login_days: u32, shared_login: bool) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings::for_database(DatabaseUrl::Sqlite(folder.path().join("x.db")));
        Store::init(&settings, "hash").await.unwrap();
        let store = Store::open(&settings).await.unwrap();
        let clock = Arc::new(ManualClock::at(1_796_071_183_000));
        let console = Console { shared_login, login_days, ..settings.console };
        let sessions = Sessions::new(store.clone(), clock.clone(), &console);
        Fixture { _folder: folder, store, clock, sessions }
    }

    impl Fixture {
        async fn admin(&self) -> JobUser {
            self.store.find_user(1).await.unwrap().unwrap()
        }

        async fn log_in(&self, user: &JobUser) -> String {
            self.sessions.log_in(Family::Identity, user).await.unwrap()
        }

        async fn name(&self, cookie: &str) -> Option<String> {
            self.sessions.find(Family::Identity, cookie).await.unwrap().map(|user| user.username.clone())
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
        let (one, two) = (
            f.sessions.log_in(Family::Identity, &admin).await.unwrap(),
            f.sessions.log_in(Family::Identity, &admin).await.unwrap(),
        );
        assert!(Sessions::is_plausible(&one) && one != two);
        assert_eq!(f.name(&one).await.as_deref(), Some("admin"));
        f.sessions.log_out(Family::Identity, &one).await.unwrap();
        assert_eq!(f.name(&one).await, None);
        assert_eq!(f.name(&two).await.as_deref(), Some("admin"));
    }

    #[tokio::test]
    async fn the_row_tells_neither_cookie_nor_password() {
        let f = fixture(30).await;
        let cookie = f.sessions.log_in(Family::Identity, &f.admin().await).await.unwrap();
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
        let cookie = f.sessions.log_in(Family::Identity, &f.admin().await).await.unwrap();
        assert!(f.name(&cookie).await.is_some());
        f.store.save_password(1, "another").await.unwrap();
        f.clock.advance(CACHE_MS);
        assert_eq!(f.name(&cookie).await, None);
    }

    #[tokio::test]
    async fn a_used_login_is_renewed_once_a_day_and_an_unused_one_ends() {
        let f = fixture(2).await;
        let cookie = f.sessions.log_in(Family::Identity, &f.admin().await).await.unwrap();
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
        let other = f.sessions.log_in(Family::Identity, &f.admin().await).await.unwrap();
        let value = f.store.entries_of(LOGIN_GROUP, &key(&other)).await.unwrap()[0].value.clone();
        for value in [value, "1.".into(), "1.zz".into(), "x".into(), format!("1.{}", "0".repeat(64))] {
            let update_time = Some(f.clock.now_ms() + DAY_MS);
            let row = RegistryEntry { group: LOGIN_GROUP.into(), key: key(&cookie), value, update_time };
            f.store.beat(&[row], 0).await.unwrap();
        }
        assert_eq!(f.name(&cookie).await, None);
    }

    #[tokio::test]
    async fn all_logins_of_a_user_end_at_once_and_those_of_others_stay() {
        let f = fixture(30).await;
        let admin = f.admin().await;
        let (one, two) = (f.log_in(&admin).await, f.log_in(&admin).await);
        f.store.beat(&[f.sessions.entry(&JobUser { id: 11, ..admin }, "other", 0)], 0).await.unwrap();
        assert!(f.name(&one).await.is_some() && f.name(&two).await.is_some());
        f.sessions.end_all_of(1).await.unwrap();
        assert_eq!((f.name(&one).await, f.name(&two).await), (None, None));
        assert_eq!(f.store.entries_of(LOGIN_GROUP, &key("other")).await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_login_is_rewritten_for_a_new_password_and_the_others_end() {
        let f = fixture(30).await;
        let admin = f.admin().await;
        let (one, two) = (f.log_in(&admin).await, f.log_in(&admin).await);
        assert!(f.name(&one).await.is_some() && f.name(&two).await.is_some());
        f.store.save_password(1, "another").await.unwrap();
        f.sessions.rewrite(&one, &f.admin().await).await.unwrap();
        assert_eq!((f.name(&one).await.as_deref(), f.name(&two).await), (Some("admin"), None));
        assert_eq!(f.store.entries_of(LOGIN_GROUP, &key(&one)).await.unwrap().len(), 1);
        // A cookie that logs nobody in, or somebody else, is not made one that does.
        let made_up = "a".repeat(COOKIE_LENGTH);
        f.sessions.rewrite(&made_up, &f.admin().await).await.unwrap();
        f.sessions.rewrite(&one, &JobUser { id: 2, ..f.admin().await }).await.unwrap();
        assert_eq!((f.name(&made_up).await, f.name(&one).await), (None, None));
    }

    #[tokio::test]
    async fn what_was_looked_up_while_a_login_ended_is_not_kept() {
        let f = fixture(30).await;
        let admin = f.admin().await;
        let cookie = f.log_in(&admin).await;
        let key = (Family::Identity, key(&cookie));
        let ends = f.sessions.cached(&key, f.clock.now_ms()).unwrap_err();
        f.sessions.end_all_of(1).await.unwrap();
        f.sessions.remember(key, Arc::new(admin), f.clock.now_ms(), ends);
        assert_eq!(f.name(&cookie).await, None);
    }

    #[tokio::test]
    async fn java_cookies_count_only_where_they_are_shared_and_under_their_name() {
        let signature = "0123456789abcdef0123456789abcdef";
        let java = Token::encode(1, signature);
        for shared in [false, true] {
            let f = fixture_with(30, shared).await;
            f.store.share_token(1, signature).await.unwrap();
            let find = async |family, cookie: &str| f.sessions.find(family, cookie).await.unwrap().is_some();
            assert_eq!(find(Family::Token, &java).await, shared);
            assert!(!find(Family::Identity, &java).await);
            assert!(!find(Family::Token, &Token::encode(1, "0")).await);
            assert!(!find(Family::Token, &Token::encode(2, signature)).await);
            // The tables are those of 3.4, so a cookie of the releases to 3.1 is none.
            assert!(!find(Family::Identity, &Identity::encode(&f.admin().await)).await);
            // Values of ours count in either mode, whatever their name.
            let own = f.log_in(&f.admin().await).await;
            assert!(find(Family::Identity, &own).await && find(Family::Token, &own).await);
        }
    }

    #[tokio::test]
    async fn a_shared_token_is_kept_at_a_further_login_and_emptied_at_log_out() {
        let f = fixture_with(30, true).await;
        let admin = f.admin().await;
        let one = f.sessions.log_in(Family::Token, &admin).await.unwrap();
        let two = f.sessions.log_in(Family::Token, &admin).await.unwrap();
        assert_eq!(one, two);
        let claim = Token::decode(&one).unwrap();
        assert_eq!((claim.user_id, f.admin().await.token), (1, Some(claim.signature)));
        let own = f.log_in(&admin).await;
        assert!(f.sessions.find(Family::Token, &one).await.unwrap().is_some());
        f.sessions.log_out(Family::Token, &one).await.unwrap();
        assert!(f.sessions.find(Family::Token, &one).await.unwrap().is_none());
        assert_eq!(f.admin().await.token.as_deref(), Some(""));
        assert!(f.sessions.find(Family::Token, &Token::encode(1, "")).await.unwrap().is_none());
        assert_eq!(f.name(&own).await.as_deref(), Some("admin"), "a login of ours ends alone");
    }
}
