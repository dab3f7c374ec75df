//! Permission as an argument: a handler reaches the state only through one of these, and so says who may call it.

use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use super::api_token::{Access, TokenCall};
use super::audit;
use super::cookie::{Family, LoginCookie};
use crate::config::settings::JsonDates;
use crate::i18n::Locale;
use crate::model::JobUser;
use crate::web::call::Call;
use crate::web::choices::Choices;
use crate::web::client::Client;
use crate::web::dialect::{Choice, Dialect};
use crate::web::error::Error;
use crate::web::language;
use crate::web::rows::Style;
use crate::web::state::{self, AppState};

type Pending<T> = Pin<Box<dyn Future<Output = Result<T, Error>>>>;

/// Anybody.
pub struct Public {
    state: Arc<AppState>,
    choice: Choice,
    client: Client,
    cookies: Vec<LoginCookie>,
    /// What the call shows as its bearer token.
    bearer: Option<String>,
    access: Access,
    locale: Locale,
    choices: Choices,
}

impl Public {
    fn of(request: &HttpRequest) -> Self {
        let state = state::of(request).clone();
        let Call { choice, place, cookies: came, .. } = Call::of(request);
        let client = Client::of(request, &state.core.settings.server.trusted_proxies);
        let families = Self::families(&state, choice.dialect).iter();
        let cookies =
            families.filter_map(|family| came.iter().find(|cookie| cookie.family == *family)).cloned().collect();
        let bearer = state.api_tokens.shown(request.headers()).map(ToOwned::to_owned);
        let access = place.map_or(Access::Administer, |place| place.access);
        let (locale, choices) = (language::of(request), Choices::of(request.headers()));
        Self { state, choice, client, cookies, bearer, access, locale, choices }
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

    /// The language of the answer.
    pub const fn locale(&self) -> Locale {
        self.locale
    }

    /// What the reader of pages chose.
    pub const fn choices(&self) -> Choices {
        self.choices
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
        Ok(self.login().await?.map(|(_, user)| user))
    }

    /// The cookie that logs somebody in, and whom. Of two that do so the one of the dialect counts.
    async fn login(&self) -> Result<Option<(&LoginCookie, Arc<JobUser>)>, Error> {
        for cookie in &self.cookies {
            if let Some(user) = self.state.sessions.find(cookie.family, &cookie.value).await? {
                if self.choice.is_telling {
                    self.state.habits.learn(&cookie.value, self.choice.dialect);
                }
                return Ok(Some((cookie, user)));
            }
        }
        Ok(None)
    }

    async fn log_in(self) -> Result<LoginUser, Error> {
        if let Some(bearer) = &self.bearer {
            let call = self.state.api_tokens.call(bearer, &self.state.core.store, self.state.now()).await?;
            return match call {
                Some(call) => LoginUser::of_token(self, call),
                None => Err(Error::Unauthenticated { clear_cookie: None, post_only: false }),
            };
        }
        match self.login().await? {
            Some((cookie, user)) => {
                let value = cookie.value.clone();
                Ok(LoginUser { public: self, user, proof: Proof::Cookie(value) })
            }
            None => Err(Error::Unauthenticated { clear_cookie: self.cookie_to_clear(), post_only: false }),
        }
    }

    /// Name of a cookie that the Java admin of this dialect would tell the browser to forget: to 3.1 one that no release
    /// can have made, from 3.2 any that logs nobody in.
    fn cookie_to_clear(&self) -> Option<String> {
        let own = self.cookies.iter().find(|cookie| cookie.family == self.family())?;
        let is_bad = if self.dialect().is_3() { !own.value.is_empty() } else { !own.could_be_valid() };
        is_bad.then(|| self.cookie_name().to_owned())
    }
}

impl FromRequest for Public {
    type Error = Error;
    type Future = std::future::Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

/// Whoever is logged in, or calls with a token whose scope allows the path.
pub struct LoginUser {
    public: Public,
    user: Arc<JobUser>,
    proof: Proof,
}

/// By what a caller is known.
enum Proof {
    /// The value of a login cookie.
    Cookie(String),
    /// A bearer token.
    Token(TokenCall),
}

impl LoginUser {
    fn of_token(public: Public, call: TokenCall) -> Result<Self, Error> {
        let (is_permitted, access) = (call.may(public.access), public.access);
        let user = Self { public, user: call.user.clone(), proof: Proof::Token(call) };
        if is_permitted {
            return Ok(user);
        }
        user.audit("refused", &format!("the token's scope does not allow to {access:?}").to_lowercase());
        Err(Error::NotPermitted(user.user.username.clone()))
    }

    /// The user's row. A token has none; it acts as a user with the id 0.
    pub fn user(&self) -> &JobUser {
        &self.user
    }

    /// Whether this is an administrator. A token is one only with the scope `administer` and for all groups, though one of
    /// another scope may see all groups as well.
    pub fn is_admin(&self) -> bool {
        match &self.proof {
            Proof::Cookie(_) => self.user.is_admin(),
            Proof::Token(call) => call.is_admin(),
        }
    }

    /// The executor groups that the caller may list: none = all of them. A token may list those that it reaches; a user
    /// who is no administrator none, as in the Java admins.
    ///
    /// # Errors
    /// When he may list none.
    pub fn listed_groups(&self) -> Result<Option<Vec<i32>>, Error> {
        match &self.proof {
            _ if self.user.is_admin() => Ok(None),
            Proof::Token(_) => Ok(Some(self.user.permitted_groups())),
            Proof::Cookie(_) => {
                self.audit("refused", "the list of executor groups");
                Err(Error::NotAdmin)
            }
        }
    }

    /// To be called when the user's own password has been changed, with its new hash: ends the user's logins – in dialect 2
    /// all of them, in the others all but this one, as in the Java admins.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn password_changed(&self, hash: &str) -> Result<(), Error> {
        let sessions = &self.public.state.sessions;
        match &self.proof {
            Proof::Cookie(cookie) if self.dialect().is_3() => {
                sessions.rewrite(cookie, &JobUser { password: hash.to_owned(), ..(*self.user).clone() }).await?;
            }
            _ => sessions.end_all_of(self.user.id).await?,
        }
        Ok(())
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
        audit::write(&self.user.username, &self.public.client.to_string(), action, what);
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
