//! What jobs are called, for the pages: `/joblog/getJobsByGroup` answers whole rows with their sources, and knows no "all".

use actix_web::web;
use serde::Serialize;

use super::Mapping;
use crate::store::JobName;
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::params::Params;

/// Jobs that a filter offers; whoever has more chooses the executor first.
pub(super) const MOST: i64 = 5_000;
/// Ids that are named in one call: the rows of the largest page of a list.
const IDS: usize = 100;

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::json("/console/jobinfo/names", Dialect::ALL, web::to(names)).read().extra()]
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Name {
    id: i32,
    job_group: i32,
    job_desc: String,
}

/// The jobs with these `jobIds` (with commas) that the caller may use, or else those of `jobGroup`.
async fn names(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let store = &user.state().core.store;
    let jobs = if let Some(ids) = params.text("jobIds") {
        let ids: Vec<i32> = ids.split(',').filter_map(|id| id.parse().ok()).take(IDS).collect();
        let jobs = store.job_names(&ids).await?;
        jobs.into_iter().filter(|job| user.user().may_use_group(job.job_group)).collect()
    } else {
        let job_group = params.int("jobGroup")?;
        user.require_group(job_group)?;
        store.job_names_of_group(job_group, MOST).await?
    };
    let names: Vec<Name> =
        jobs.into_iter().map(|JobName { id, job_group, job_desc }| Name { id, job_group, job_desc }).collect();
    Ok(Reply::content(&names))
}
