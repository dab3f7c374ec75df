//! Every component of the pages in all its states, for whoever builds pages; in debug builds alone.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;

use super::Mapping;
use crate::web::auth::AdminUser;
use crate::web::dialect::Dialect;
use crate::web::frame::Page;

pub(super) fn mappings() -> Vec<Mapping> {
    if !cfg!(debug_assertions) {
        return Vec::new();
    }
    vec![Mapping::page("/components", Dialect::ALL, web::to(components)).extra()]
}

#[derive(Serialize)]
struct View {}

async fn components(admin: AdminUser, request: HttpRequest) -> HttpResponse {
    let page = Page { template: "components.html", texts: &["components"], user: Some(admin.user()), view: View {} };
    page.answer(&request, StatusCode::OK)
}
