//! Login and logout (Java: `IndexController`, `LoginService`).

use actix_web::http::header::{LOCATION, SET_COOKIE};
use actix_web::{HttpResponse, Responder as _, web};
use serde::Serialize;

use super::Mapping;
use crate::i18n::Key;
use crate::model::JobUser;
use crate::protocol::CallResult;
use crate::web::auth::throttle::{Attempt, Subject};
use crate::web::auth::{Public, audit, cookie, password, seed_password};
use crate::web::dialect::Dialect;
use crate::web::envelope::{Reply, failure};
use crate::web::error::Error;
use crate::web::message::message;
use crate::web::params::{Params, is_blank};
use crate::web::state::AppState;
use crate::web::view::{self, Frame};

pub(super) fn mappings() -> Vec<Mapping> {
    use Dialect as D;
    vec![
        Mapping::page("/toLogin", D::ONLY_2, web::to(login_page)),
        Mapping::page("/auth/login", D::FROM_3_2, web::to(login_page)),
        Mapping::json("/login", D::ONLY_2, web::to(log_in)).post_only(),
        Mapping::json("/logout", D::ONLY_2, web::to(log_out)).post_only(),
        Mapping::json("/auth/doLogin", D::FROM_3_2, web::to(log_in)).post_only(),
        Mapping::json("/auth/logout", D::FROM_3_2, web::to(log_out)).post_only(),
    ]
}

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    /// Where the form goes, below the context path.
    login_path: &'static str,
}

async fn login_page(public: Public) -> Result<HttpResponse, Error> {
    if public.user().await?.is_some() {
        let home = format!("{}/", public.state().context_path());
        return Ok(HttpResponse::SeeOther().insert_header((LOCATION, home)).finish());
    }
    let login_path = if public.dialect().is_3() { "/auth/doLogin" } else { "/login" };
    Ok(view::render("login.html", &View { frame: Frame::new(&public), login_path }))
}

async fn log_in(public: Public, params: Params, request: actix_web::HttpRequest) -> Result<HttpResponse, Error> {
    let user_name = params.text("userName").or_else(|| params.text("username"));
    if public.dialect() == Dialect::V3_2 {
        // In 3.2 alone both must be there.
        user_name.as_ref().ok_or(Error::Missing("userName"))?;
        params.required_text("password")?;
    }
    let (name, given) = (user_name.unwrap_or_default(), params.text_or_empty("password"));
    if is_blank(Some(&name)) || is_blank(Some(&given)) {
        return Err(Error::refused(message![Key::LoginParamEmpty]));
    }
    let state = public.state();
    let client = public.client();
    let Some((user, attempts)) = check(&public, &name, &given).await? else {
        return Err(Error::refused(message![Key::LoginParamUnvalid]));
    };
    if seed_password::is_refused(state.core.settings.security.seed_password, &given, client) {
        audit::write(&user.username, &client.to_string(), "login refused", "seed password from elsewhere");
        return Err(Error::refused(message![Key::OwnSeedPassword]));
    }
    attempts.into_iter().for_each(Attempt::succeed);
    let value = state.sessions.log_in(public.family(), &user).await?;
    audit::write(&user.username, &client.to_string(), "login", "logged in");
    let remember = params.text("ifRemember").as_deref() == Some("on");
    let cookie = cookie::issued(public.cookie_name(), &value, remember, client.is_https(), state.now());
    Ok(with_cookie(Reply::LoggedIn.respond_to(&request), &cookie))
}

/// The user whom name and password belong to, if any, and what is to be said to the throttle. Who guesses is slowed down;
/// he meets the same answer, whether the password was looked at or not.
async fn check(public: &Public, name: &str, given: &str) -> Result<Option<(JobUser, Vec<Attempt>)>, Error> {
    let state = public.state();
    let mut attempts = Vec::new();
    let named = Subject::new(name, public.client().address());
    if !admit(state, &named, &mut attempts).await {
        return Ok(None);
    }
    let user = match state.core.store.find_user_by_name(name).await {
        Ok(user) => user,
        Err(error) => {
            attempts.into_iter().for_each(Attempt::void);
            return Err(error.into());
        }
    };
    // The column's collation may take other letters for the same, such as those with accents.
    if let Some(user) = &user {
        let stored = Subject::new(&user.username, public.client().address());
        if !stored.is_counted_with(&named) && !admit(state, &stored, &mut attempts).await {
            return Ok(None);
        }
    }
    let stored = user.as_ref().map(|user| user.password.as_str());
    let right = password::verify(state.core.store.schema().password_hash, stored, given);
    if !right {
        audit::write(name, &public.client().to_string(), "login refused", "wrong name or password");
    }
    Ok(user.filter(|_| right).map(|user| (user, attempts)))
}

async fn admit(state: &AppState, subject: &Subject, attempts: &mut Vec<Attempt>) -> bool {
    if !state.core.settings.console.login_throttle {
        return true;
    }
    match state.throttle.admit(subject, &*state.core.clock).await {
        Some(attempt) => attempts.push(attempt),
        None => return false,
    }
    true
}

async fn log_out(public: Public, request: actix_web::HttpRequest) -> Result<HttpResponse, Error> {
    let answer = Reply::LoggedIn.respond_to(&request);
    if public.cookies().is_empty() {
        return Ok(answer);
    }
    let user = public.user().await?;
    if let Some(user) = &user {
        audit::write(&user.username, &public.client().to_string(), "logout", "logged out");
    }
    let mut has_login = false;
    for cookie in public.cookies() {
        has_login |= cookie.could_be_valid();
        public.state().sessions.log_out(cookie.family, &cookie.value).await?;
    }
    // From 3.2 on a cookie that no login can have made is told.
    let answer = if public.dialect().is_3() && !has_login {
        failure(public.dialect(), CallResult::FAIL, Some("token is invalid"))
    } else {
        answer
    };
    Ok(with_cookie(answer, &cookie::cleared(public.cookie_name(), public.client().is_https())))
}

fn with_cookie(mut answer: HttpResponse, cookie: &str) -> HttpResponse {
    // A cookie of ours is plain ASCII.
    if let Ok(value) = cookie.parse() {
        answer.headers_mut().append(SET_COOKIE, value);
    }
    answer
}
