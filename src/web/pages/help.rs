//! The page that leads to the documents. Better on purpose: nothing of it comes from another host.

use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::Mapping;
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::view::{self, Shell};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::page("/help", Dialect::ALL, web::to(help))]
}

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    shell: Shell,
}

async fn help(user: LoginUser) -> HttpResponse {
    view::render("help.html", &View { shell: Shell::new(&user, "/help") })
}
