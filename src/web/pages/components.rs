//! Every component of the pages in all its states, for whoever builds pages; in debug builds alone.

use actix_web::{HttpResponse, web};

use super::Mapping;
use crate::web::auth::AdminUser;
use crate::web::dialect::Dialect;
use crate::web::view::{self, Shell};

pub(super) fn mappings() -> Vec<Mapping> {
    if !cfg!(debug_assertions) {
        return Vec::new();
    }
    vec![Mapping::page("/components", Dialect::ALL, web::to(components)).extra()]
}

async fn components(admin: AdminUser) -> HttpResponse {
    view::render("components.html", &Shell::new(&admin, "/components"))
}
