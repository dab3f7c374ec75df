//! `/api/{name}`: executors register, sign off and report results; job calls of programs are handed on.
//!
//! Served below the context path and at the root. What to do is decided by [`crate::protocol::decide`]; here the body is
//! read, the call is carried out, and the answer is sent after the write (Java answers first and loses what the database
//! then does not take). Not written within two seconds means code 500: the executor's own time-out is three, and it tries
//! the next admin or keeps its results.

use std::time::Duration;

use actix_web::http::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue};
use actix_web::http::{StatusCode, Version};
use actix_web::{HttpRequest, HttpResponse, web};

use super::job;
use crate::model::RegistryEntry;
use crate::protocol::{Answer, ApiCall, ApiRequest, Inbound, RegistryCall, body_limit, decide};
use crate::store;
use crate::web::auth::Public;
use crate::web::error::Error;
use crate::web::params::read;
use crate::web::state::Core;

/// Longest wait for a write.
const PATIENCE: Duration = Duration::from_secs(2);

const ACCESS_TOKEN: HeaderName = HeaderName::from_static("xxl-job-access-token");
const APP_NAME: HeaderName = HeaderName::from_static("xxl-job-appname");

/// The paths of executors.
pub fn configure(config: &mut web::ServiceConfig) {
    config.service(web::resource("/api/{name:.*}").to(call));
}

/// Says how long an idle connection is kept, in the two headers that the JDK's client reads together.
async fn call(public: Public, request: HttpRequest, payload: web::Payload) -> HttpResponse {
    let mut response = answer(public, &request, payload).await;
    let closes = request.headers().get(CONNECTION).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"close"));
    if !closes && request.version() == Version::HTTP_11 {
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("keep-alive"));
        headers.insert(HeaderName::from_static("keep-alive"), HeaderValue::from_static(crate::web::KEEP_ALIVE_HEADER));
    }
    response
}

async fn answer(public: Public, request: &HttpRequest, payload: web::Payload) -> HttpResponse {
    let profile = &public.state().core.profile;
    let path = request.match_info().query("name");
    let body = match read(payload.into_inner(), body_limit(path)).await {
        Ok(body) => body,
        Err(Error::TooLarge(_)) => return send(Answer::too_large(profile)),
        Err(error) => return send(Answer::exception(profile, &error)),
    };
    let text = |name: &HeaderName| request.headers().get(name).and_then(|value| value.to_str().ok());
    let inbound = decide(
        &ApiRequest {
            method: request.method().as_str(),
            path,
            access_token: request.headers().get(ACCESS_TOKEN).map(HeaderValue::as_bytes),
            app_name: text(&APP_NAME),
            content_type: text(&CONTENT_TYPE),
            body: &body,
        },
        profile,
        &public.state().tokens,
    );
    match inbound {
        Inbound::Answer(answer) => send(answer),
        Inbound::Call(call) => carry_out(&public.state().core, call).await,
        Inbound::Job(request) => send(job::answer(public.state(), public.client(), request, &body).await),
    }
}

async fn carry_out(core: &Core, call: ApiCall) -> HttpResponse {
    let profile = &core.profile;
    match tokio::time::timeout(PATIENCE, write(core, call)).await {
        Ok(Ok(())) => send(Answer::success(profile)),
        Ok(Err(error)) => {
            tracing::warn!("a call of an executor could not be stored; it has to come again: {error}");
            send(Answer::failure(profile, &error.to_string()))
        }
        Err(_) => {
            tracing::warn!(
                "a call of an executor was not stored within {} s; it has to come again",
                PATIENCE.as_secs()
            );
            send(Answer::failure(profile, "the call was not stored in time, please try again"))
        }
    }
}

async fn write(core: &Core, call: ApiCall) -> store::Result<()> {
    match call {
        ApiCall::Registry { call, dialect } => {
            if let Some(dialect) = dialect {
                core.executors.learn(&call.value, dialect);
            }
            let RegistryCall { group, key, value } = call;
            core.registry.register(RegistryEntry { group, key, value, update_time: None }).await
        }
        ApiCall::RegistryRemove(call) => core.registry.remove(&call.group, &call.key, &call.value).await,
        ApiCall::Callback(items) => core.complete.results(items).await,
    }
}

fn send(answer: Answer) -> HttpResponse {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::build(status).content_type(answer.content_type).body(answer.body)
}
