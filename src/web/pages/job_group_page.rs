//! The page about executor groups, with what an executor needs to register.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;

use super::Mapping;
use super::guide::Guide;
use crate::web::auth::AdminUser;
use crate::web::dialect::Dialect;
use crate::web::view::{self, Shell};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::page("/jobgroup", Dialect::ALL, web::to(page))]
}

/// Longest title where the column does not say.
const TITLE_LENGTH: usize = 64;

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    shell: Shell,
    title_length: usize,
    guide: Guide,
}

async fn page(user: AdminUser, request: HttpRequest) -> HttpResponse {
    let title_length = user.state().core.store.schema().limits.title.unwrap_or(TITLE_LENGTH);
    let guide = Guide::new(&user, &request);
    view::render("job_group.html", &View { shell: Shell::new(&user, "/jobgroup"), title_length, guide })
}
