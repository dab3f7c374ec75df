//! The HTTP edge: requests in, calls to the core, answers out.
//!
//! Serves the console's JSON calls, the executors' `/api/*` and the actuator. Mirrors the controllers and interceptors of
//! the Java admin. Permission is an argument of every handler ([`auth`]); what is wrong with a call is rendered in one place
//! ([`error`]), what an answer looks like is written in one place a dialect ([`envelope`]).

pub mod api;
pub mod assets;
pub mod auth;
pub mod call;
pub mod choices;
pub mod client;
pub mod dialect;
pub mod envelope;
pub mod error;
mod files;
mod headers;
pub mod jobs;
pub mod language;
mod message;
mod multipart;
mod origin;
pub mod pages;
mod params;
pub mod rows;
mod state;
mod templates;
mod texts;
pub mod view;

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_cors::Cors;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Server, ServiceRequest, ServiceResponse};
use actix_web::http::header::{ALLOW, LOCATION};
use actix_web::http::{KeepAlive, Method, StatusCode};
use actix_web::middleware::{Condition, Next, from_fn};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, guard, web};

pub use state::{AppState, Core};

use self::auth::{LoginUser, Public};
use self::call::{Kind, Place};
use self::dialect::Dialect;
use self::error::Error;
use self::pages::{Mapping, Methods};
use crate::config::Release;

/// What is said about idle connections; they are kept a little longer.
pub(crate) const KEEP_ALIVE_HEADER: &str = "timeout=60";
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// How long a stop waits for open requests. Idle connections, which executors keep, use all of it up.
const STOP_PATIENCE_S: u64 = 5;

const ALL_METHODS: &str = "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS";

/// An HTTP server on this listener; it works once it is awaited, and leaves signals to others.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve(state: Arc<AppState>, listener: TcpListener) -> std::io::Result<Server> {
    serve_with(state, listener, None)
}

/// As [`serve`], with this many workers; none = one a processor.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve_with(state: Arc<AppState>, listener: TcpListener, workers: Option<usize>) -> std::io::Result<Server> {
    let mut server = HttpServer::new(move || {
        let origins = &state.core.settings.console.cors_origins;
        App::new()
            .configure(|config| configure(config, &state))
            .wrap(from_fn(edge))
            .wrap(Condition::new(!origins.is_empty(), cors(origins)))
            .wrap(from_fn(headers::add))
    })
    .keep_alive(KeepAlive::Timeout(KEEP_ALIVE))
    .shutdown_timeout(STOP_PATIENCE_S)
    .disable_signals();
    if let Some(workers) = workers {
        server = server.workers(workers);
    }
    Ok(server.listen(listener)?.run())
}

/// Lets pages of these origins call the console from a browser.
fn cors(origins: &[String]) -> Cors {
    let cors = Cors::default()
        .supports_credentials()
        .allow_any_method()
        .allow_any_header()
        .expose_headers([dialect::HEADER])
        .max_age(3_600);
    origins.iter().fold(cors, |cors, origin| cors.allowed_origin(origin))
}

/// Every path of the console that a dialect has, below the context path.
pub fn console_paths(dialect: Dialect) -> Vec<&'static str> {
    let places = pages::mappings().into_iter().filter(|mapping| !mapping.is_extra).map(|mapping| mapping.place);
    places.filter(|place| place.dialects.contains(&dialect)).map(|place| place.path).collect()
}

/// All routes: executors at the root and below the context path, the console and the actuator below the context path. The
/// calls of the console may be at the root, too: scripts for 3.4 know no context path.
fn configure(config: &mut web::ServiceConfig, state: &Arc<AppState>) {
    let context_path = state.context_path().to_owned();
    let management_path = state.core.settings.server.management_path.trim_end_matches('/').to_owned();
    config.app_data(web::Data::from(state.clone()));
    if context_path.is_empty() {
        config.configure(|config| below_context_path(config, state, &management_path));
        config.default_service(web::to(nothing_here));
        return;
    }
    let home = format!("{context_path}/");
    config.configure(api::executor::configure);
    if state.has_root_alias() {
        config.configure(|config| console(config, state, |place| place.kind == Kind::Json));
    }
    config
        .service(web::resource("/").to(move |_: Public| {
            let home = home.clone();
            async move { HttpResponse::Found().insert_header((LOCATION, home)).finish() }
        }))
        .service(
            web::scope(&context_path)
                .configure(|config| below_context_path(config, state, &management_path))
                .service(web::resource("").to(|public: Public| async move {
                    let home = format!("{}/", public.state().context_path());
                    HttpResponse::Found().insert_header((LOCATION, home)).finish()
                }))
                .default_service(web::to(nothing_here)),
        )
        .default_service(web::to(not_ours));
}

fn below_context_path(config: &mut web::ServiceConfig, state: &AppState, management_path: &str) {
    config.configure(api::executor::configure);
    api::actuator::configure(config, management_path);
    assets::configure(config);
    console(config, state, |_| true);
}

/// The paths of the console: all of them, or, where one dialect alone is spoken, its own.
fn console(config: &mut web::ServiceConfig, state: &AppState, is_wanted: impl Fn(&Place) -> bool) {
    let ruling = &state.ruling;
    let ends_with_slash =
        !ruling.strict || (ruling.default == Dialect::V2 && state.core.profile.release < Release::V3_0);
    for Mapping { place, methods, is_extra, route } in pages::mappings() {
        let is_spoken = !ruling.strict || (!is_extra && place.dialects.contains(&ruling.default));
        if !is_spoken || !is_wanted(&place) {
            continue;
        }
        let mut patterns = vec![place.path.to_owned()];
        if ends_with_slash && place.path != "/" {
            patterns.push(format!("{}/", place.path));
        }
        let resource = web::resource(patterns);
        let resource = match methods {
            Methods::Any => resource.route(web::method(Method::OPTIONS).to(options)).route(route),
            Methods::Post => resource.route(route.guard(guard::Post())).default_service(web::to(post_only)),
        };
        config.service(resource.wrap(from_fn(move |request, next| call::look_through(place, request, next))));
    }
}

async fn options(_: LoginUser) -> HttpResponse {
    HttpResponse::Ok().insert_header((ALLOW, ALL_METHODS)).finish()
}

/// A path of the console that does not exist: whoever is not logged in does not learn that.
async fn nothing_here(_: LoginUser) -> Result<HttpResponse, Error> {
    Err(Error::NotFound)
}

async fn post_only(public: Public) -> Result<HttpResponse, Error> {
    // From 3.2 on nobody needs to be logged in to learn this.
    if public.dialect().is_3() || public.user().await?.is_some() {
        return Err(Error::MethodNotAllowed);
    }
    Err(Error::Unauthenticated { clear_cookie: None, post_only: true })
}

/// A path outside of the context path.
async fn not_ours(_: Public, request: HttpRequest) -> HttpResponse {
    error::status_page(&request, StatusCode::NOT_FOUND, "")
}

/// Renders what is wrong with a call, names the dialect of the answer, and counts the request.
async fn edge(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let response = next.call(request).await?;
    let rendered = response
        .response()
        .error()
        .and_then(|error| error.as_error::<Error>())
        .map(|error| error::render(error, response.request()));
    let mut response = match rendered {
        Some(rendered) => response.into_response(rendered),
        None => response.map_into_boxed_body(),
    };
    call::name_dialect(&mut response);
    let route = response.request().match_pattern().unwrap_or_else(|| "none".to_owned());
    let status = response.status().as_u16().to_string();
    metrics::counter!(crate::metrics::HTTP_REQUESTS, "route" => route, "status" => status).increment(1);
    Ok(response)
}

#[cfg(test)]
mod page_rules;
