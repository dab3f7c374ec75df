//! Bearer tokens of scripts (`[[api-token]]`): accepted on the console's JSON paths in place of a login, without a cookie.
//!
//! A token acts as a user who is no row of the table: an administrator when it reaches all executor groups, else a user of
//! the groups that it names. On top of that its scope must allow the path, see [`Access`]. Where no tokens are configured
//! the header is not looked at, so a proxy may put what it likes into it. The Java admins have nothing of the kind.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::clock::Zone;
use crate::config::Settings;
use crate::config::settings::{ApiToken, Scope};
use crate::model::{EpochMs, JobUser};
use crate::store::{Result, Store};

/// How long the ids of a token's groups are believed without looking again.
const CACHE_MS: i64 = 5_000;

/// What a path does, as far as the scopes of tokens are concerned. Logins are not concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// It only reads.
    Read,
    /// It starts, stops, runs or kills.
    Operate,
    /// It changes something else.
    Administer,
}

impl Access {
    const fn is_within(self, scope: Scope) -> bool {
        match (self, scope) {
            (Self::Read, _) | (Self::Operate, Scope::Operate | Scope::Administer) | (_, Scope::Administer) => true,
            (Self::Operate | Self::Administer, _) => false,
        }
    }
}

/// The configured tokens.
pub struct ApiTokens {
    tokens: Vec<ApiToken>,
    /// The days on which tokens expire are those of this zone.
    zone: Zone,
    /// By the token's place in the list.
    users: Mutex<HashMap<usize, (EpochMs, Arc<JobUser>)>>,
}

/// A call by a token.
#[derive(Debug, Clone)]
pub struct TokenCall {
    /// The user as whom the token acts.
    pub user: Arc<JobUser>,
    /// What it allows.
    pub scope: Scope,
}

impl TokenCall {
    /// Whether the token may do this at all.
    pub const fn may(&self, access: Access) -> bool {
        access.is_within(self.scope)
    }

    /// Whether the token stands for an administrator, not just for one who sees every group.
    pub fn is_admin(&self) -> bool {
        self.scope == Scope::Administer && self.user.is_admin()
    }
}

impl ApiTokens {
    /// Those of these settings.
    pub fn of(settings: &Settings) -> Self {
        Self { tokens: settings.api_tokens.clone(), zone: settings.zone.clone(), users: Mutex::default() }
    }

    /// What the call shows as its token, if tokens are in use.
    pub fn shown<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        if self.tokens.is_empty() {
            return None;
        }
        let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    }

    /// Place of this token in the list, when it is one and has not expired. Takes the same time for every token.
    fn find(&self, shown: &str, now: EpochMs) -> Option<usize> {
        let hash = Sha256::digest(shown.as_bytes());
        let mut found = None;
        for (place, token) in self.tokens.iter().enumerate() {
            if bool::from(token.sha256.as_slice().ct_eq(&hash)) {
                found = Some(place);
            }
        }
        let today = self.zone.wall(now).date();
        found.filter(|place| self.tokens[*place].expires.is_none_or(|last| today <= last))
    }

    /// As whom this token acts; none when it is no token, or has expired.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn call(&self, shown: &str, store: &Store, now: EpochMs) -> Result<Option<TokenCall>> {
        let Some(place) = self.find(shown, now) else { return Ok(None) };
        let scope = self.tokens[place].scope;
        let cached = self.users.lock().unwrap_or_else(PoisonError::into_inner).get(&place).cloned();
        if let Some((_, user)) = cached.filter(|(until, _)| *until > now) {
            return Ok(Some(TokenCall { user, scope }));
        }
        let user = Arc::new(user_of(&self.tokens[place], store).await?);
        let kept = (now + CACHE_MS, user.clone());
        self.users.lock().unwrap_or_else(PoisonError::into_inner).insert(place, kept);
        Ok(Some(TokenCall { user, scope }))
    }
}

/// The user as whom a token acts. No row has the id 0, nor a hash that is empty.
async fn user_of(token: &ApiToken, store: &Store) -> Result<JobUser> {
    let mut user = JobUser { username: format!("token:{}", token.name), ..JobUser::default() };
    if token.groups.is_empty() {
        user.role = 1;
        return Ok(user);
    }
    let groups = store.all_groups().await?;
    let own = groups.iter().filter(|group| token.groups.contains(&group.app_name));
    user.permission = Some(own.map(|group| group.id.to_string()).collect::<Vec<_>>().join(","));
    Ok(user)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use jiff::civil::Date;

    use super::*;

    fn token(name: &str, expires: Option<Date>) -> ApiToken {
        let sha256 = Sha256::digest(name.as_bytes()).into();
        ApiToken { name: name.into(), sha256, scope: Scope::Read, groups: Vec::new(), expires }
    }

    fn tokens(tokens: Vec<ApiToken>) -> ApiTokens {
        ApiTokens { tokens, zone: Zone::utc(), users: Mutex::default() }
    }

    #[test]
    fn a_token_is_found_by_its_hash_until_its_last_day_is_over() {
        let day = Date::constant(2026, 11, 30);
        let tokens = tokens(vec![token("a", None), token("b", Some(day))]);
        let noon = Zone::utc().instant(day.at(12, 0, 0, 0));
        assert_eq!((tokens.find("a", noon), tokens.find("b", noon)), (Some(0), Some(1)));
        let next = Zone::utc().instant(day.at(23, 59, 59, 0)) + 1_000;
        assert_eq!((tokens.find("a", next), tokens.find("b", next)), (Some(0), None));
        for wrong in ["", "c", "A", &hex::encode(Sha256::digest(b"a"))] {
            assert_eq!(tokens.find(wrong, noon), None, "{wrong}");
        }
    }

    #[test]
    fn the_header_is_looked_at_only_where_there_are_tokens() {
        let some = tokens(vec![token("a", None)]);
        let mut headers = HeaderMap::new();
        assert_eq!(some.shown(&headers), None);
        for (value, wanted) in [
            ("Bearer x", Some("x")),
            ("bearer  x ", Some("x")),
            ("Basic x", None),
            ("Bearer", None),
            ("Bearer ", Some("")),
        ] {
            headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
            assert_eq!(some.shown(&headers), wanted, "{value}");
            assert_eq!(tokens(Vec::new()).shown(&headers), None);
        }
    }

    #[test]
    fn each_scope_includes_the_one_before() {
        let all = [Access::Read, Access::Operate, Access::Administer];
        for (scope, count) in [(Scope::Read, 1), (Scope::Operate, 2), (Scope::Administer, 3)] {
            for (place, access) in all.into_iter().enumerate() {
                assert_eq!(access.is_within(scope), place < count, "{access:?} {scope:?}");
            }
        }
    }
}
