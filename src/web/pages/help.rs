//! The page that leads from an empty server to the first run, and to keys and documents. Better on purpose: nothing of it
//! comes from another host.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;

use super::Mapping;
use super::guide::Guide;
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
    guide: Guide,
}

async fn help(user: LoginUser, request: HttpRequest) -> HttpResponse {
    view::render("help.html", &View { shell: Shell::new(&user, "/help"), guide: Guide::new(&user, &request) })
}
