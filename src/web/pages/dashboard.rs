//! The first page: sums over everything, and the chart of [`super::chart`] (Java: `IndexController`).

use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::Mapping;
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::error::Error;
use crate::web::view::{self, Shell};

pub(super) fn mappings() -> Vec<Mapping> {
    // From 3.3 on the first page is a frame around this one, which ours needs not.
    vec![
        Mapping::page("/", Dialect::ALL, web::to(dashboard)),
        Mapping::page("/dashboard", Dialect::ONLY_3, web::to(dashboard)),
    ]
}

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    shell: Shell,
    jobs: i64,
    runs: i64,
    successful_runs: i64,
    executors: i64,
}

async fn dashboard(user: LoginUser) -> Result<HttpResponse, Error> {
    let totals = user.state().core.store.totals().await?;
    let view = View {
        shell: Shell::new(&user, "/"),
        jobs: totals.jobs,
        runs: totals.runs,
        successful_runs: totals.successful_runs,
        executors: totals.executors,
    };
    Ok(view::render("dashboard.html", &view))
}
