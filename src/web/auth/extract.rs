//! Permission as an argument: a handler reaches the state only through one of these, and so says who may call it.

use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use super::cookie::{self, Family};
use super::java_cookie::Token;
use super::session::Sessions;
use crate::config::settings::JsonDates;
use crate::model::JobUser;
use crate::web::call::Call;
use crate::web::client::Client;
use crate::web::dialect::{Choice, Dialect};
use crate::web::error::Error;
use crate::web::rows::Style;
use crate::web::state::{self, AppState};

type Pending<T> = Pin<Box<dyn Future<Output = Result<T, Error>>>>;

/// Anybody.
pub struct Public {
    state: Arc<AppState>,
    choice: Choice,
    client: Client,
    cookies: Vec<LoginCookie>,
}

/// A login cookie that came with a call, valid or not.
pub struct LoginCookie {
    /// Which of the two.
    pub family: Family,
    /// Its name at this site.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl LoginCookie {
    /// Whether a login can have made it, by its looks.
    pub fn could_be_valid(&self) -> bool {
        Sessions::is_plausible(&self.value)
            || match self.family {
                Family::Identity => self.value.bytes().all(|b| b.is_ascii_hexdigit()),
                Family::Token => Token::decode(&self.value).is_some(),
            }
    }
}

impl Public {
    fn of(request: &HttpRequest) -> Self {
        let state = state::of(request).clone();
        let choice = Call::of(request).choice;
        let client = Client::of(request, &state.core.settings.server.trusted_proxies);
        let cookies = Self::families(&state, choice.dialect)
            .iter()
            .filter_map(|family| {
                let name = state.cookie_name(*family);
                let value = cookie::value(request.headers(), name)?;
                Some(LoginCookie { family: *family, name: name.to_owned(), value })
            })
            .collect();
        Self { state, choice, client, cookies }
    }

    /// The login cookies that are looked at, the one of the dialect first.
    const fn families(state: &AppState, dialect: Dialect) -> &'static [Family] {
        match (state.ruling.strict, dialect.is_3()) {
            (false, false) => &[Family::Identity, Family::Token],
            (false, true) => &[Family::Token, Family::Identity],
            (true, false) => &[Family::Identity],
            (true, true) => &[Family::Token],
        }
    }

    /// What all handlers share.
    pub const fn state(&self) -> &Arc<AppState> {
        &self.state
    }

    /// The dialect of the answer.
    pub const fn dialect(&self) -> Dialect {
        self.choice.dialect
    }

    /// How rows are written in the answer.
    pub fn style(&self) -> Style {
        let core = &self.state.core;
        let by_dialect = match self.dialect() {
            Dialect::V2 | Dialect::V3_2 => JsonDates::Offset,
            Dialect::V3 => core.profile.json_dates,
        };
        Style {
            dialect: self.dialect(),
            dates: core.settings.console.json_dates.unwrap_or(by_dialect),
            zone: core.settings.zone.clone(),
        }
    }

    /// Where the call comes from.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The login cookie of the answer's dialect.
    pub const fn family(&self) -> Family {
        if self.dialect().is_3() { Family::Token } else { Family::Identity }
    }

    /// Its name.
    pub fn cookie_name(&self) -> &str {
        self.state.cookie_name(self.family())
    }

    /// The login cookies that came with the call, valid or not.
    pub fn cookies(&self) -> &[LoginCookie] {
        &self.cookies
    }

    /// Who is logged in, if anybody.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn user(&self) -> Result<Option<Arc<JobUser>>, Error> {
        for cookie in &self.cookies {
            if let Some(user) = self.state.sessions.find(cookie.family, &cookie.value).await? {
                if self.choice.is_telling {
                    self.state.habits.learn(&cookie.value, self.choice.dialect);
                }
                return Ok(Some(user));
            }
        }
        Ok(None)
    }

    async fn log_in(self) -> Result<LoginUser, Error> {
        match self.user().await? {
            Some(user) => Ok(LoginUser { public: self, user }),
            None => Err(Error::Unauthenticated { clear_cookie: self.cookie_to_clear(), post_only: false }),
        }
    }

    /// Name of a cookie that the Java admin of this dialect would tell the browser to forget: to 3.1 one that no release
    /// can have made, from 3.2 any that logs nobody in.
    fn cookie_to_clear(&self) -> Option<String> {
        let own = self.cookies.iter().find(|cookie| cookie.family == self.family())?;
        let is_bad = if self.dialect().is_3() { !own.value.is_empty() } else { !own.could_be_valid() };
        is_bad.then(|| own.name.clone())
    }
}

impl FromRequest for Public {
    type Error = Error;
    type Future = std::future::Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

/// Whoever is logged in.
pub struct LoginUser {
    public: Public,
    user: Arc<JobUser>,
}

impl LoginUser {
    /// The user's row.
    pub fn user(&self) -> &JobUser {
        &self.user
    }

    /// Whether the user may use this executor group; the refusal is written to the audit log.
    pub fn may_use_group(&self, group: i32) -> bool {
        let permitted = self.user.may_use_group(group);
        if !permitted {
            self.audit("refused", &format!("executor group {group}"));
        }
        permitted
    }

    /// Refuses unless the user may use this executor group.
    ///
    /// # Errors
    /// When he may not.
    pub fn require_group(&self, group: i32) -> Result<(), Error> {
        if self.may_use_group(group) { Ok(()) } else { Err(Error::NotPermitted(self.user.username.clone())) }
    }

    /// Writes a line of the audit log: who did what, from where.
    pub fn audit(&self, action: &str, what: &str) {
        tracing::info!(
            target: "audit",
            user = %self.user.username,
            from = %self.public.client,
            action,
            "{}",
            what.escape_debug()
        );
    }
}

impl Deref for LoginUser {
    type Target = Public;

    fn deref(&self) -> &Public {
        &self.public
    }
}

impl FromRequest for LoginUser {
    type Error = Error;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let public = Public::of(request);
        Box::pin(public.log_in())
    }
}

/// An administrator who is logged in.
pub struct AdminUser(LoginUser);

impl Deref for AdminUser {
    type Target = LoginUser;

    fn deref(&self) -> &LoginUser {
        &self.0
    }
}

impl FromRequest for AdminUser {
    type Error = Error;
    type Future = Pending<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let public = Public::of(request);
        let path = Call::of(request).place.map_or_else(|| request.path().to_owned(), |place| place.path.to_owned());
        Box::pin(async move {
            let user = public.log_in().await?;
            if user.user().is_admin() {
                return Ok(Self(user));
            }
            user.audit("refused", &path);
            Err(Error::NotAdmin)
        })
    }
}
