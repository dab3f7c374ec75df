//! Permission as an argument: a handler reaches the state only through one of these, and so says who may call it.

use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use super::cookie;
use super::session::Sessions;
use crate::model::JobUser;
use crate::web::client::Client;
use crate::web::dialect::Dialect;
use crate::web::error::Error;
use crate::web::state::{self, AppState};

type Pending<T> = Pin<Box<dyn Future<Output = Result<T, Error>>>>;

/// Anybody.
pub struct Public {
    state: Arc<AppState>,
    dialect: Dialect,
    client: Client,
    cookie: Option<String>,
}

impl Public {
    fn of(request: &HttpRequest) -> Self {
        let state = state::of(request).clone();
        let dialect = Dialect::of(request);
        let client = Client::of(request, &state.core.settings.server.trusted_proxies);
        let cookie = cookie::value(request.headers(), dialect.cookie());
        Self { state, dialect, client, cookie }
    }

    /// What all handlers share.
    pub const fn state(&self) -> &Arc<AppState> {
        &self.state
    }

    /// The dialect of the answer.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Where the call comes from.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The login cookie that came with the call, valid or not.
    pub fn cookie(&self) -> Option<&str> {
        self.cookie.as_deref()
    }

    /// Who is logged in, if anybody.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn user(&self) -> Result<Option<Arc<JobUser>>, Error> {
        match self.cookie() {
            Some(cookie) => Ok(self.state.sessions.find(cookie).await?),
            None => Ok(None),
        }
    }

    async fn log_in(self) -> Result<LoginUser, Error> {
        match self.user().await? {
            Some(user) => Ok(LoginUser { public: self, user }),
            None => Err(Error::Unauthenticated { clear_cookie: self.has_foreign_cookie(), post_only: false }),
        }
    }

    /// Whether a cookie came that no release of 2.x and none of ours can have made.
    fn has_foreign_cookie(&self) -> bool {
        let is_hex = |cookie: &str| cookie.bytes().all(|b| b.is_ascii_hexdigit());
        self.cookie().is_some_and(|cookie| !Sessions::is_plausible(cookie) && !is_hex(cookie))
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
        let path = request.path().to_owned();
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
