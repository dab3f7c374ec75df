//! The console's calls, one module a page of the Java admin's console (its controllers).
//!
//! A module owns its paths. Every path takes every method, as the mappings of the Java admins do; login and logout take POST alone.

mod chart;
mod components;
mod dashboard;
mod error_page;
pub mod filter_time;
mod guide;
mod help;
mod job_code;
mod job_code_page;
mod job_group;
mod job_group_page;
mod job_info;
mod job_info_page;
mod job_log;
mod job_log_page;
mod job_names;
mod log_detail_page;
pub(super) mod log_tail;
mod log_text;
mod login;
mod markup;
mod overview;
mod user;
mod user_page;

use actix_web::Route;

use super::auth::LoginUser;
use super::auth::api_token::Access;
use super::call::{Kind, Place};
use super::dialect::Dialect;
use super::error::Error;
use super::params::Params;
use super::view::Choice;
use crate::i18n::Key;
use crate::model::JobGroup;

/// Which methods a path takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Methods {
    /// All of them.
    Any,
    /// POST alone.
    Post,
}

/// A path of the console and who answers it.
pub struct Mapping {
    /// The path, the dialects that have it, and what it answers with.
    pub place: Place,
    /// Which methods it takes.
    pub methods: Methods,
    /// No release has it: it is there for a client that asks for it all the same.
    pub is_extra: bool,
    pub(super) route: Route,
}

impl Mapping {
    /// A call that is answered with JSON. Of tokens only those of the scope `administer` may call it, unless it says so.
    const fn json(path: &'static str, dialects: &'static [Dialect], route: Route) -> Self {
        let place = Place { path, kind: Kind::Json, dialects, id_tells: false, access: Access::Administer };
        Self { place, methods: Methods::Any, is_extra: false, route }
    }

    /// A page for people.
    const fn page(path: &'static str, dialects: &'static [Dialect], route: Route) -> Self {
        let place = Place { path, kind: Kind::Page, dialects, id_tells: false, access: Access::Administer };
        Self { place, methods: Methods::Any, is_extra: false, route }
    }

    /// It takes POST alone.
    const fn post_only(mut self) -> Self {
        self.methods = Methods::Post;
        self
    }

    /// With `id` it is a call of the releases to 3.2.
    const fn id_tells(mut self) -> Self {
        self.place.id_tells = true;
        self
    }

    /// It only reads: every token may call it.
    const fn read(mut self) -> Self {
        self.place.access = Access::Read;
        self
    }

    /// It starts, stops, runs or kills: tokens of the scope `read` may not call it.
    const fn operate(mut self) -> Self {
        self.place.access = Access::Operate;
        self
    }

    /// No release has it.
    const fn extra(mut self) -> Self {
        self.is_extra = true;
        self
    }
}

/// Every path of the console.
pub fn mappings() -> Vec<Mapping> {
    [
        login::mappings(),
        chart::mappings(),
        job_group::mappings(),
        job_info::mappings(),
        job_code::mappings(),
        job_log::mappings(),
        user::mappings(),
        dashboard::mappings(),
        overview::mappings(),
        job_info_page::mappings(),
        job_log_page::mappings(),
        log_detail_page::mappings(),
        log_tail::mappings(),
        job_names::mappings(),
        job_code_page::mappings(),
        job_group_page::mappings(),
        user_page::mappings(),
        help::mappings(),
        error_page::mappings(),
        components::mappings(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The executor groups that a user may use, this one chosen, or else the first.
///
/// # Errors
/// When there is none, which pages say in words.
async fn group_choices(user: &LoginUser, chosen: i32) -> Result<Vec<Choice>, Error> {
    let groups = user.state().core.store.all_groups().await?;
    let groups: Vec<JobGroup> = groups.into_iter().filter(|group| user.user().may_use_group(group.id)).collect();
    let Some(first) = groups.first() else {
        return Err(Error::Exception(super::message::message![Key::JobgroupEmpty]));
    };
    let chosen = groups.iter().map(|group| group.id).find(|id| *id == chosen).unwrap_or(first.id);
    Ok(groups
        .iter()
        .map(|group| Choice::new(&group.id, group.title.as_str()).selected_if(group.id == chosen))
        .collect())
}

/// The part of a list that is asked for: rows to skip and rows to give.
fn page(user: &LoginUser, params: &Params) -> Result<(i64, i64), Error> {
    let (from, count) = if user.dialect() == Dialect::V3 { ("offset", "pagesize") } else { ("start", "length") };
    let (start, length) = (params.int_or(from, 0)?, params.int_or(count, 10)?);
    if start < 0 || length < 0 {
        let text = format!("{from} and {count} of a page must not be negative");
        return Err(Error::Exception(super::message::message![text]));
    }
    Ok((start.into(), i64::from(length).min(user.state().core.settings.console.page_limit)))
}
