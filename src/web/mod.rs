//! The HTTP edge.
use std::net::TcpListener;
use std::time::Duration;

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};

use crate::app::Core;
use crate::model::RegistryEntry;
use crate::protocol::{Answer, ApiCall, ApiRequest, Inbound, Tokens, decide};

/// State.
#[derive(Clone)]
pub struct AppState {
    core: Core,
}
impl AppState {
    /// New.
    pub fn new(core: Core) -> Self {
        Self { core }
    }
}

async fn api(req: HttpRequest, path: web::Path<String>, body: web::Bytes, state: web::Data<AppState>) -> HttpResponse {
    let core = &state.core;
    let tokens = Tokens::of(&core.settings);
    let header = |name: &str| req.headers().get(name).map(actix_web::http::header::HeaderValue::as_bytes);
    let request = ApiRequest {
        method: req.method().as_str(),
        path: &path,
        access_token: header("XXL-JOB-ACCESS-TOKEN"),
        app_name: header("XXL-JOB-APPNAME").and_then(|v| std::str::from_utf8(v).ok()),
        content_type: header("content-type").and_then(|v| std::str::from_utf8(v).ok()),
        body: &body,
    };
    let answer = match decide(&request, &core.profile, &tokens) {
        Inbound::Answer(answer) => answer,
        Inbound::Call(call) => {
            let work = async {
                match call {
                    ApiCall::Registry { call, .. } => {
                        core.registry
                            .register(RegistryEntry { group: call.group, key: call.key, value: call.value, update_time: None })
                            .await
                    }
                    ApiCall::RegistryRemove(call) => core.registry.remove(&call.group, &call.key, &call.value).await,
                    ApiCall::Callback(items) => core.complete.results(items).await,
                }
            };
            match tokio::time::timeout(Duration::from_secs(2), work).await {
                Ok(Ok(())) => Answer::success(&core.profile),
                Ok(Err(error)) => Answer::failure(&core.profile, &error.to_string()),
                Err(_) => Answer::failure(&core.profile, "the database did not answer in time"),
            }
        }
    };
    HttpResponse::build(actix_web::http::StatusCode::from_u16(answer.status).unwrap_or_default())
        .content_type(answer.content_type)
        .body(answer.body)
}

async fn health(state: web::Data<AppState>) -> HttpResponse {
    let report = state.core.health.report();
    if report.ready && report.is_up() { HttpResponse::Ok().body("UP") } else { HttpResponse::ServiceUnavailable().body(format!("{report:?}")) }
}

async fn prometheus(handle: web::Data<metrics_exporter_prometheus::PrometheusHandle>) -> String {
    handle.render()
}

/// Serve.
///
/// # Errors
/// Io.
pub fn serve(state: AppState, listener: TcpListener) -> std::io::Result<actix_web::dev::Server> {
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _ = metrics::set_global_recorder(recorder);
    Ok(HttpServer::new(move || {
        App::new()
            .app_data(web::PayloadConfig::new(64 << 20))
            .app_data(web::Data::new(state.clone()))
            .app_data(web::Data::new(handle.clone()))
            .route("/api/{path:.*}", web::route().to(api))
            .route("/xxl-job-admin/api/{path:.*}", web::route().to(api))
            .route("/xxl-job-admin/actuator/health", web::get().to(health))
            .route("/xxl-job-admin/actuator/health/readiness", web::get().to(health))
            .route("/xxl-job-admin/actuator/prometheus", web::get().to(prometheus))
    })
    .workers(2)
    .disable_signals()
    .listen(listener)?
    .run())
}
