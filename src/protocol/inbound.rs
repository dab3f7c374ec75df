//! What to do with a request to `/api/*`: the checks of the Java admin, in its order and with its texts.
//!
//! Ports `JobApiController.api` (from 3.3 `OpenApiController.api`). On purpose otherwise: a trailing slash is tolerated,
//! `Accept` is ignored, OPTIONS is just another method that is not POST, paths that name nothing get 404 with the failure
//! envelope in place of a redirect, results come in every dialect at once, and nobody registers in our own groups.

use super::answer::{Answer, uri_mapping_not_found};
use super::callback::{CallbackItem, Callbacks};
use super::executors::Dialect;
use super::job_call::JobCallName;
use super::json::is_blank;
use super::registry::RegistryCall;
use super::token::{Reach, Tokens};
use crate::config::profile::{ApiAnswer, Profile};

/// A request to `/api/*`, as far as it matters.
#[derive(Debug, Clone, Copy)]
pub struct ApiRequest<'a> {
    /// HTTP method.
    pub method: &'a str,
    /// Everything after `/api/`, decoded.
    pub path: &'a str,
    /// Header `XXL-JOB-ACCESS-TOKEN`.
    pub access_token: Option<&'a [u8]>,
    /// Header `XXL-JOB-APPNAME`, which executors of 3.5 send.
    pub app_name: Option<&'a str>,
    /// Header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The whole body.
    pub body: &'a [u8],
}

/// What to do with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inbound {
    /// Send this.
    Answer(Answer),
    /// Carry this out; then [`Answer::success`], or [`Answer::failure`] when it could not be stored in time.
    Call(ApiCall),
    /// A program wants something done to a job; its token fits. Whether its app is known is for whoever knows the groups
    /// to say, with [`APP_INVALID`] if not; then the body is read by [`JobCall::parse`](super::JobCall::parse).
    Job(JobRequest),
}

/// A job call that is let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRequest {
    /// Which.
    pub name: JobCallName,
    /// The app that it names.
    pub app: String,
    /// How far its token reaches.
    pub reach: Reach,
}

/// The text for a job call whose token does not fit its app, or whose app is not known.
pub const APP_INVALID: &str = "invalid request, accessToken or appname invalid.";

/// A call that an executor makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiCall {
    /// The executor lives.
    Registry {
        /// Who and where.
        call: RegistryCall,
        /// How the address wants to be called, when the request tells
        /// ([`ExecutorClient::learn`](super::ExecutorClient::learn)).
        dialect: Option<Dialect>,
    },
    /// The executor goes.
    RegistryRemove(RegistryCall),
    /// Results of runs, in order; possibly none.
    Callback(Vec<CallbackItem>),
}

/// Largest body for this path (everything after `/api/`), in bytes: batches of results have no bound before 3.4.1.
pub fn body_limit(path: &str) -> usize {
    const MIB: usize = 1024 * 1024;
    if name_of(path) == Some("callback") { 64 * MIB } else { 5 * MIB }
}

/// Decides about a request.
pub fn decide(request: &ApiRequest<'_>, profile: &Profile, tokens: &Tokens) -> Inbound {
    let decided = match name_of(request.path).and_then(JobCallName::parse) {
        Some(name) => check_job_call(request, name, tokens).map(Inbound::Job),
        None => check(request, profile, tokens).map(Inbound::Call),
    };
    decided.unwrap_or_else(Inbound::Answer)
}

/// The checks of 3.5, in its order.
fn check_job_call(request: &ApiRequest<'_>, name: JobCallName, tokens: &Tokens) -> Result<JobRequest, Answer> {
    let refuse = |msg: &str| Err(Answer::job_refused(msg));
    if request.method != "POST" {
        return refuse(NOT_POST);
    }
    if is_blank_body(request.body) {
        return refuse(BODY_EMPTY);
    }
    let token = request.access_token.filter(|token| token.iter().any(|byte| *byte > b' '));
    let (Some(token), Some(app)) = (token, request.app_name.filter(|app| !is_blank(app))) else {
        return refuse("invalid request, accessToken or appname is empty.");
    };
    let Some(reach) = tokens.reach(token, app) else { return refuse(APP_INVALID) };
    if is_form(request.content_type) {
        return Err(Answer::job_exception(&NOT_A_FORM));
    }
    Ok(JobRequest { name, app: app.to_owned(), reach })
}

const NOT_POST: &str = "invalid request, HttpMethod not support.";
const BODY_EMPTY: &str = "invalid request, requestBody empty.";
const NOT_A_FORM: &str = "the request body must be JSON, not a form";

fn is_blank_body(body: &[u8]) -> bool {
    body.iter().all(|byte| *byte <= b' ')
}

fn check(request: &ApiRequest<'_>, profile: &Profile, tokens: &Tokens) -> Result<ApiCall, Answer> {
    let refuse = |msg: &str| Answer::failure(profile, msg);
    let name = name_of(request.path).ok_or_else(|| Answer::not_found(profile, request.path))?;
    if request.method != "POST" {
        return Err(refuse(NOT_POST));
    }
    let from_3_3 = profile.api_answer == ApiAnswer::CodeDataMsgSuccess;
    if from_3_3 && is_blank_body(request.body) {
        return Err(refuse(BODY_EMPTY));
    }
    if !admitted(request, name, tokens) {
        return Err(refuse("The access token is wrong."));
    }
    if !matches!(name, "registry" | "registryRemove" | "callback") {
        return Err(refuse(&uri_mapping_not_found(name)));
    }
    if is_form(request.content_type) {
        return Err(Answer::exception(profile, &NOT_A_FORM));
    }
    if name == "callback" {
        return callback(request.body).map_err(|error| Answer::exception(profile, &error));
    }
    let call = RegistryCall::parse(request.body).map_err(|error| Answer::exception(profile, &error))?;
    if !call.is_acceptable() {
        return Err(refuse("Illegal Argument."));
    }
    Ok(if name == "registry" {
        let names_app = request.app_name.is_some_and(|app| !is_blank(app));
        ApiCall::Registry { call, dialect: names_app.then_some(Dialect::Trigger) }
    } else {
        ApiCall::RegistryRemove(call)
    })
}

/// The one segment of the path, without one trailing slash.
fn name_of(path: &str) -> Option<&str> {
    let name = path.strip_suffix('/').unwrap_or(path);
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

fn admitted(request: &ApiRequest<'_>, name: &str, tokens: &Tokens) -> bool {
    if tokens.admits(request.access_token, request.app_name) {
        return true;
    }
    // Executors before 3.5 name their app only in the body.
    tokens.has_app_tokens()
        && name.starts_with("registry")
        && RegistryCall::parse(request.body).is_ok_and(|call| tokens.admits(request.access_token, [call.key.as_str()]))
}

fn is_form(content_type: Option<&str>) -> bool {
    const FORM: &str = "application/x-www-form-urlencoded";
    content_type.is_some_and(|value| value.trim_start().get(..FORM.len()).is_some_and(|t| t.eq_ignore_ascii_case(FORM)))
}

fn callback(body: &[u8]) -> Result<ApiCall, super::BodyError> {
    let callbacks = Callbacks::parse(body)?;
    if callbacks.unreadable > 0 {
        tracing::warn!(
            unreadable = callbacks.unreadable,
            read = callbacks.items.len(),
            "an executor reported results without a usable logId or code; they are dropped"
        );
    }
    Ok(ApiCall::Callback(callbacks.items))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::config::profile::Release;
    use crate::config::settings::{DatabaseUrl, Settings};

    fn profile(release: Release) -> Profile {
        Profile::resolve(&Settings::for_database(DatabaseUrl::Sqlite("x".into())), release)
    }

    fn tokens() -> Tokens {
        Tokens::new("default_token".into(), HashMap::from([("demo".into(), "of-demo".into())]))
    }

    const REGISTRY: &[u8] =
        br#"{"registryGroup":"EXECUTOR","registryKey":"demo","registryValue":"http://10.0.0.1:9999/"}"#;

    fn request(path: &'static str) -> ApiRequest<'static> {
        ApiRequest {
            method: "POST",
            path,
            access_token: Some(b"default_token"),
            app_name: None,
            content_type: Some("application/json;charset=UTF-8"),
            body: REGISTRY,
        }
    }

    fn refusal(request: &ApiRequest<'_>, release: Release) -> String {
        match decide(request, &profile(release), &tokens()) {
            Inbound::Answer(answer) => {
                let json: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
                format!("{} {} {}", answer.status, json["code"], json["msg"].as_str().unwrap_or_default())
            }
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn checks_come_in_order() {
        let all_wrong = ApiRequest { method: "GET", access_token: Some(b"w"), body: b" ", ..request("nope") };
        let old = |request| refusal(&request, Release::V2_4);
        let new = |request| refusal(&request, Release::V3_4);
        assert_eq!(
            old(ApiRequest { path: "a/b", ..all_wrong }),
            "404 500 invalid request, uri-mapping(a/b) not found."
        );
        assert_eq!(old(all_wrong), "200 500 invalid request, HttpMethod not support.");
        let posted = ApiRequest { method: "POST", ..all_wrong };
        assert_eq!(old(posted), "200 500 The access token is wrong.");
        assert_eq!(new(posted), "200 500 invalid request, requestBody empty.");
        assert_eq!(new(ApiRequest { body: b"{}", ..posted }), "200 500 The access token is wrong.");
        assert_eq!(new(request("nope")), "200 500 invalid request, uri-mapping(nope) not found.");
        assert_eq!(new(request("Registry")), "200 500 invalid request, uri-mapping(Registry) not found.");
        assert_eq!(old(ApiRequest { body: b"{}", ..request("registry") }), "200 500 Illegal Argument.");
    }

    #[test]
    fn forms_and_bad_bodies_are_exceptions() {
        let form = ApiRequest { content_type: Some("Application/X-WWW-form-urlencoded; x"), ..request("registry") };
        assert_eq!(
            refusal(&form, Release::V3_3),
            "200 500 openapi invoke error: the request body must be JSON, not a form"
        );
        assert_eq!(refusal(&form, Release::V3_2), "200 203 the request body must be JSON, not a form");
        let empty = ApiRequest { body: b"", ..request("registryRemove") };
        assert!(refusal(&empty, Release::V2_5).starts_with("200 500 the request body must be an object"));
    }

    #[test]
    fn job_calls_are_checked_as_by_3_5_whatever_release_we_resemble() {
        let all_wrong = ApiRequest { method: "GET", access_token: Some(b" "), body: b" ", ..request("addJob") };
        for release in Release::ALL {
            let refusal = |request: ApiRequest<'_>| refusal(&request, release);
            assert_eq!(refusal(all_wrong), "200 500 invalid request, HttpMethod not support.");
            let posted = ApiRequest { method: "POST", ..all_wrong };
            assert_eq!(refusal(posted), "200 500 invalid request, requestBody empty.");
            let full = ApiRequest { body: b"{}", app_name: Some("demo"), ..posted };
            let empty = "200 500 invalid request, accessToken or appname is empty.";
            assert_eq!(refusal(full), empty);
            assert_eq!(refusal(ApiRequest { access_token: None, ..full }), empty);
            let shown = ApiRequest { access_token: Some(b"default_token"), ..full };
            assert_eq!(refusal(ApiRequest { app_name: None, ..shown }), empty);
            assert_eq!(refusal(ApiRequest { app_name: Some(" "), ..shown }), empty);
            let foreign = ApiRequest { access_token: Some(b"of-demo"), app_name: Some("other"), ..full };
            assert_eq!(refusal(foreign), "200 500 invalid request, accessToken or appname invalid.");
            let form = ApiRequest { content_type: Some("application/x-www-form-urlencoded"), ..shown };
            let not_a_form = "200 500 openapi invoke error: the request body must be JSON, not a form";
            assert_eq!(refusal(form), not_a_form);
            for name in JobCallName::ALL {
                for (token, reach) in [(&b"default_token"[..], Reach::AllGroups), (b"of-demo", Reach::GroupsOfApp)] {
                    let request = ApiRequest { path: name.as_str(), access_token: Some(token), ..shown };
                    let job = JobRequest { name, app: "demo".into(), reach };
                    assert_eq!(decide(&request, &profile(release), &tokens()), Inbound::Job(job));
                }
            }
        }
    }

    #[test]
    fn one_trailing_slash_is_tolerated() {
        for path in ["registry", "registry/"] {
            assert!(matches!(decide(&request(path), &profile(Release::V3_4), &tokens()), Inbound::Call(_)), "{path}");
        }
        for path in ["", "/", "registry//", "/registry"] {
            assert!(refusal(&request(path), Release::V3_4).starts_with("404"), "{path}");
        }
    }

    #[test]
    fn an_app_is_named_by_header_or_body() {
        let profile = profile(Release::V2_4);
        let own = ApiRequest { access_token: Some(b"of-demo"), ..request("registry") };
        let call = RegistryCall::parse(REGISTRY).expect("readable");
        assert_eq!(
            decide(&own, &profile, &tokens()),
            Inbound::Call(ApiCall::Registry { call: call.clone(), dialect: None })
        );
        assert_eq!(
            decide(&ApiRequest { app_name: Some("demo"), ..own }, &profile, &tokens()),
            Inbound::Call(ApiCall::Registry { call, dialect: Some(Dialect::Trigger) })
        );
        let results = ApiRequest { body: b"[]", path: "callback", ..own };
        assert_eq!(refusal(&results, Release::V2_4), "200 500 The access token is wrong.");
        assert_eq!(
            decide(&ApiRequest { app_name: Some("demo"), ..results }, &profile, &tokens()),
            Inbound::Call(ApiCall::Callback(Vec::new()))
        );
    }

    #[test]
    fn results_may_be_larger_than_the_rest() {
        assert_eq!(body_limit("callback/"), 64 << 20);
        assert_eq!(body_limit("registry"), 5 << 20);
    }

    proptest! {
        #[test]
        fn no_request_is_too_odd(
            method in "(POST|GET|\\PC{0,8})",
            path in "(registry|callback|registryRemove|\\PC{0,12})/?",
            token: Option<Vec<u8>>,
            app_name: Option<String>,
            content_type: Option<String>,
            body: Vec<u8>,
            release in proptest::sample::select(&Release::ALL[..]),
        ) {
            let request = ApiRequest {
                method: &method,
                path: &path,
                access_token: token.as_deref(),
                app_name: app_name.as_deref(),
                content_type: content_type.as_deref(),
                body: &body,
            };
            for tokens in [tokens(), Tokens::new("".into(), HashMap::new())] {
                if let Inbound::Answer(answer) = decide(&request, &profile(release), &tokens) {
                    let json: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
                    prop_assert!(json["code"].as_i64() != Some(200));
                }
            }
        }
    }
}
