//! `/actuator`: health, information and metrics for whoever watches us, in the form of Spring Boot's.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde_json::json;

use crate::health::Report;
use crate::web::auth::Public;

const SPRING: &str = "application/vnd.spring-boot.actuator.v3+json";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The paths below the management path; the list of them only where that is not the home of the console.
pub fn configure(config: &mut web::ServiceConfig, management_path: &str) {
    let resource =
        |path: &str| web::resource([format!("{management_path}{path}"), format!("{management_path}{path}/")]);
    if !management_path.is_empty() {
        config.service(resource("").to(index));
    }
    config
        .service(resource("/health").to(health))
        .service(resource("/health/liveness").to(liveness))
        .service(resource("/health/readiness").to(readiness))
        .service(resource("/info").to(info))
        .service(resource("/prometheus").to(prometheus));
}

fn answer(status: StatusCode, body: String) -> HttpResponse {
    HttpResponse::build(status).content_type(SPRING).body(body)
}

fn word(up: bool) -> &'static str {
    if up { "UP" } else { "DOWN" }
}

async fn index(public: Public) -> HttpResponse {
    let settings = &public.state().core.settings;
    let base = format!("{}{}", public.state().context_path(), settings.server.management_path);
    let link = |path: &str| json!({ "href": format!("{base}{path}"), "templated": false });
    let links = json!({ "_links": {
        "self": link(""), "health": link("/health"), "info": link("/info"), "prometheus": link("/prometheus"),
    }});
    answer(StatusCode::OK, links.to_string())
}

async fn health(public: Public) -> HttpResponse {
    let core = &public.state().core;
    health_of(&core.health.report(), core.profile.health_body)
}

fn health_of(report: &Report, healthy: &str) -> HttpResponse {
    if report.is_up() {
        return answer(StatusCode::OK, healthy.to_owned());
    }
    let mut scheduler = json!({ "status": word(report.scheduler.is_ok()) });
    if let Err(reason) = &report.scheduler {
        scheduler["details"] = json!({ "reason": reason });
    }
    let body = json!({
        "status": "DOWN",
        "components": { "db": { "status": word(report.database) }, "scheduler": scheduler },
    });
    answer(StatusCode::SERVICE_UNAVAILABLE, body.to_string())
}

async fn liveness(_: Public) -> HttpResponse {
    answer(StatusCode::OK, r#"{"status":"UP"}"#.into())
}

async fn readiness(public: Public) -> HttpResponse {
    if public.state().core.health.report().ready {
        answer(StatusCode::OK, r#"{"status":"UP"}"#.into())
    } else {
        answer(StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"OUT_OF_SERVICE"}"#.into())
    }
}

async fn info(_: Public) -> HttpResponse {
    let build = json!({ "build": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") } });
    answer(StatusCode::OK, build.to_string())
}

async fn prometheus(public: Public) -> HttpResponse {
    let core = &public.state().core;
    let (open, idle) = core.store.pool_usage();
    metrics::gauge!(crate::metrics::DB_POOL, "state" => "open").set(f64::from(open));
    metrics::gauge!(crate::metrics::DB_POOL, "state" => "idle").set(idle as f64);
    metrics::gauge!(crate::metrics::TRIGGER_QUEUE).set(core.triggers.waiting() as f64);
    HttpResponse::Ok().content_type(PROMETHEUS).body(public.state().metrics.render())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn what_is_down_is_named() {
        let report = Report { database: true, scheduler: Err("no pass".into()), ready: true };
        let response = health_of(&report, "{}");
        assert_eq!(response.status(), 503);
        let body = actix_web::body::to_bytes(response.into_body()).await.unwrap();
        insta::assert_snapshot!(String::from_utf8_lossy(&body), @r#"{"status":"DOWN","components":{"db":{"status":"UP"},"scheduler":{"status":"DOWN","details":{"reason":"no pass"}}}}"#);
        let up = Report { database: true, scheduler: Ok(()), ready: false };
        assert_eq!(health_of(&up, "{}").status(), 200);
    }
}
