//! The page about users.

use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::Mapping;
use crate::web::auth::AdminUser;
use crate::web::dialect::Dialect;
use crate::web::error::Error;
use crate::web::view::{self, Choice, Shell};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::page("/user", Dialect::ALL, web::to(page))]
}

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    shell: Shell,
    /// The executor groups that a user may be permitted.
    groups: Vec<Choice>,
}

async fn page(user: AdminUser) -> Result<HttpResponse, Error> {
    let groups = user.state().core.store.all_groups().await?;
    let groups = groups.iter().map(|group| Choice::new(&group.id, format!("{}({})", group.title, group.app_name)));
    let view = View { shell: Shell::new(&user, "/user"), groups: groups.collect() };
    Ok(view::render("user.html", &view))
}
