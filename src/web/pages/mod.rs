//! The console's calls, one module a page of the Java admin's console (its controllers).
//!
//! A module owns its paths. Every path takes every method, as the mappings of the Java admins do, and with or without a
//! slash at its end; login and logout take POST alone.

pub mod child_jobs;
pub mod filter_time;
pub mod job_form;
mod job_group;
mod job_info;
mod job_log;
mod log_text;
mod login;
mod markup;

use actix_web::Route;

use super::auth::LoginUser;
use super::error::Error;
use super::params::Params;

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
    /// Below the context path, starting with a slash.
    pub path: &'static str,
    /// Which methods it takes.
    pub methods: Methods,
    pub(super) route: Route,
}

impl Mapping {
    const fn any(path: &'static str, route: Route) -> Self {
        Self { path, methods: Methods::Any, route }
    }

    const fn post(path: &'static str, route: Route) -> Self {
        Self { path, methods: Methods::Post, route }
    }
}

/// Every path of the console.
pub fn mappings() -> Vec<Mapping> {
    [login::mappings(), job_group::mappings(), job_info::mappings(), job_log::mappings()]
        .into_iter()
        .flatten()
        .collect()
}

/// The part of a list that is asked for: rows to skip and rows to give.
fn page(user: &LoginUser, params: &Params) -> Result<(i64, i64), Error> {
    let (start, length) = (params.int_or("start", 0)?, params.int_or("length", 10)?);
    if start < 0 || length < 0 {
        let text = "start and length of a page must not be negative";
        return Err(Error::Exception(super::message::message![text]));
    }
    Ok((start.into(), i64::from(length).min(user.state().core.settings.console.page_limit)))
}
