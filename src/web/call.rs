//! What is found out about a call of the console before its handler runs: its parameters, and the dialect of the answer.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{HttpMessage as _, HttpRequest};

use super::auth::api_token::Access;
use super::auth::audit;
use super::auth::cookie::{Family, LoginCookie};
use super::client::Client;
use super::dialect::{Choice, Dialect, HEADER, Signs};
use super::error::{self, Error};
use super::origin;
use super::params::{self, Pairs};
use super::state;

/// What kind of answer a path gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// JSON.
    Json,
    /// A page for people.
    Page,
}

/// A path of the console, as far as it decides how its calls are answered.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The path below the context path.
    pub path: &'static str,
    /// JSON or a page.
    pub kind: Kind,
    /// The dialects that have it.
    pub dialects: &'static [Dialect],
    /// With `id` it is a call of the releases to 3.2, with `ids[]` one of those after.
    pub id_tells: bool,
    /// What it does, for the scopes of tokens.
    pub access: Access,
}

/// A call, looked through.
#[derive(Clone)]
pub struct Call {
    /// The dialect of the answer.
    pub choice: Choice,
    /// Where it went; nothing known of an unknown path.
    pub place: Option<Place>,
    /// Its parameters, whatever their form.
    pub pairs: Rc<Pairs>,
    /// The login cookies that came with it, valid or not.
    pub cookies: Rc<[LoginCookie]>,
}

impl Call {
    /// The call that a request is. Where nothing read its body – a path that does not exist – its headers and its
    /// query must do.
    pub fn of(request: &HttpRequest) -> Self {
        if let Some(call) = request.extensions().get::<Self>() {
            return call.clone();
        }
        let pairs = Pairs::parse(request.query_string(), b"");
        let cookies = state::of(request).login_cookies(request.headers());
        Self::new(request, None, pairs, cookies)
    }

    fn new(request: &HttpRequest, place: Option<Place>, pairs: Pairs, cookies: Vec<LoginCookie>) -> Self {
        let choice = choose(request, place, &pairs, &cookies);
        Self { choice, place, pairs: Rc::new(pairs), cookies: cookies.into() }
    }

    /// The dialect of the answer to a request.
    pub fn dialect(request: &HttpRequest) -> Dialect {
        Self::of(request).choice.dialect
    }
}

fn choose(request: &HttpRequest, place: Option<Place>, pairs: &Pairs, cookies: &[LoginCookie]) -> Choice {
    let state = state::of(request);
    let has = |name: &&str| pairs.has(name);
    let id_tells = place.is_some_and(|place| place.id_tells);
    let parameter = if ["offset", "pagesize", "ids[]", "ids"].iter().any(has) {
        Some(Dialect::V3)
    } else if ["start", "length"].iter().any(has) || (id_tells && pairs.has("id")) {
        Some(Dialect::V2)
    } else {
        None
    };
    let signs = Signs {
        named: Dialect::named(request.headers()),
        path: place.map_or(&[], |place| place.dialects),
        parameter,
        habit: cookies.iter().find_map(|cookie| state.habits.of(&cookie.value)),
        // Of both generations they tell nothing.
        cookie: match cookies {
            [LoginCookie { family: Family::Identity, .. }] => Some(Dialect::V2),
            [LoginCookie { family: Family::Token, .. }] => Some(Dialect::V3),
            _ => None,
        },
    };
    signs.choose(&state.ruling)
}

/// Reads the parameters of a call and finds its dialect before the handler runs. A call whose body is too large or breaks
/// off is answered here.
///
/// # Errors
/// Those of the handler.
pub async fn look_through(
    place: Place,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let payload = request.take_payload();
    let cookies = state::of(request.request()).login_cookies(request.headers());
    let may_be_known = !cookies.is_empty() || request.headers().contains_key(AUTHORIZATION);
    let (pairs, fault) = match read(request.request(), payload, may_be_known).await {
        Ok(pairs) => (pairs, None),
        Err(error) => (Pairs::parse(request.query_string(), b""), Some(error)),
    };
    let call = Call::new(request.request(), Some(place), pairs, cookies);
    request.extensions_mut().insert(call);
    match fault.or_else(|| foreign(request.request(), place)) {
        Some(refused) => {
            let answer = error::render(&refused, request.request());
            Ok(request.into_response(answer))
        }
        None => Ok(next.call(request).await?.map_into_boxed_body()),
    }
}

/// Says in the answer to a call which dialect it is in, unless one alone is spoken.
pub(super) fn name_dialect(response: &mut ServiceResponse<BoxBody>) {
    let request = response.request();
    let dialect = match request.extensions().get::<Call>() {
        Some(call) if !state::of(request).ruling.strict => call.choice.dialect,
        _ => return,
    };
    if let Ok(header) = HeaderName::try_from(HEADER) {
        response.headers_mut().insert(header, HeaderValue::from_static(dialect.word()));
    }
}

/// The refusal of a call by which a page of another site would change something. A bearer token is no cookie, which a
/// browser would add by itself: whoever shows one is meant. Pages change nothing, and whoever opens one over plain http or
/// follows a link to it sends what a foreign page would.
fn foreign(request: &HttpRequest, place: Place) -> Option<Error> {
    let state = state::of(request);
    let reads = place.kind == Kind::Page || place.access == Access::Read;
    let is_harmless = reads || *request.method() == Method::OPTIONS;
    if is_harmless || state.api_tokens.shown(request.headers()).is_some() {
        return None;
    }
    let origin::Foreign(site) = origin::check(request, state).err()?;
    let client = Client::of(request, &state.core.settings.server.trusted_proxies);
    audit::write("", &client.to_string(), "refused", &format!("{} from the site {site}", place.path));
    Some(Error::ForeignSite(site))
}

/// The parameters. Of a caller without any login no more is read than a login may have: it will be turned away.
async fn read(request: &HttpRequest, payload: Payload, may_be_known: bool) -> Result<Pairs, Error> {
    match params::read_pairs(request, payload, may_be_known).await {
        Err(Error::TooLarge(_) | Error::TooManyParameters(_)) if !may_be_known && !params::is_login(request) => {
            Ok(Pairs::parse(request.query_string(), b""))
        }
        read => read,
    }
}

/// Logins whose habits are known at a time; the oldest is forgotten.
const HABITS: usize = 10_000;

/// Which dialect each login uses, as its earlier calls have told: in memory, per node, as good as it goes.
#[derive(Debug, Default)]
pub struct Habits(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    dialects: HashMap<String, Dialect>,
    order: VecDeque<String>,
}

impl Habits {
    /// The dialect that this login has used.
    pub fn of(&self, cookie: &str) -> Option<Dialect> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).dialects.get(cookie).copied()
    }

    /// Notes what the first telling call of a login has told; a stray call later does not change it.
    pub fn learn(&self, cookie: &str, dialect: Dialect) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.dialects.contains_key(cookie) {
            return;
        }
        known.dialects.insert(cookie.to_owned(), dialect);
        known.order.push_back(cookie.to_owned());
        if known.order.len() > HABITS
            && let Some(oldest) = known.order.pop_front()
        {
            known.dialects.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_habit_stays_and_the_oldest_login_is_forgotten() {
        let habits = Habits::default();
        for n in 0..=HABITS {
            habits.learn(&n.to_string(), Dialect::V3);
        }
        habits.learn("1", Dialect::V2);
        assert_eq!(habits.of("0"), None);
        assert_eq!(habits.of("1"), Some(Dialect::V3));
        assert_eq!(habits.of(&HABITS.to_string()), Some(Dialect::V3));
    }
}
