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
mod tests;
