//! The page about runs.

use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::job_names::MOST;
use super::{Mapping, group_choices};
use crate::i18n::{Key, text};
use crate::model::JobInfo;
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::error::Error;
use crate::web::message::message;
use crate::web::params::Params;
use crate::web::view::{self, Choice, Shell};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::page("/joblog", Dialect::ALL, web::to(page))]
}

/// What can be cleaned, by the number that is sent.
const CLEAN_TYPES: [Key; 9] = [
    Key::JoblogCleanType1,
    Key::JoblogCleanType2,
    Key::JoblogCleanType3,
    Key::JoblogCleanType4,
    Key::JoblogCleanType5,
    Key::JoblogCleanType6,
    Key::JoblogCleanType7,
    Key::JoblogCleanType8,
    Key::JoblogCleanType9,
];

/// What a run can be asked for by.
const STATES: [(i32, Key); 4] =
    [(-1, Key::SystemAll), (1, Key::JoblogStatusSuccess), (2, Key::JoblogStatusFail), (3, Key::JoblogStatusRunning)];

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    shell: Shell,
    /// The groups of the user, the chosen one marked; administrators may choose all.
    groups: Vec<Choice>,
    /// The jobs of the chosen group, or of all, the chosen one marked; the first is "all".
    jobs: Vec<Choice>,
    /// What became of a run.
    states: Vec<Choice>,
    clean_types: Vec<Choice>,
    /// The span that is shown at first: today, in the zone of the server.
    filter_time: String,
}

async fn page(user: LoginUser, params: Params) -> Result<HttpResponse, Error> {
    let (job_id, mut chosen) = (params.int_or("jobId", 0)?, params.int_or("jobGroup", 0)?);
    let mut groups = group_choices(&user, chosen).await?;
    let job = find_job(&user, job_id).await?;
    if let Some(job) = &job {
        chosen = job.job_group;
    }
    if !groups.iter().any(|group| group.value == chosen.to_string()) {
        // Administrators start with all groups, others with the first of theirs.
        let first = groups.first().and_then(|group| group.value.parse().ok()).unwrap_or_default();
        chosen = if user.user().is_admin() { 0 } else { first };
    }
    for group in &mut groups {
        group.is_selected = group.value == chosen.to_string();
    }
    let locale = user.locale();
    if user.user().is_admin() {
        groups.insert(0, Choice::new(&0, text(locale, Key::SystemAll)).selected_if(chosen == 0));
    }
    let core = &user.state().core;
    let mut jobs = vec![Choice::new(&0, text(locale, Key::SystemAll))];
    for other in core.store.job_names_of_group(chosen, MOST).await? {
        let is_chosen = other.id == job_id && job.is_some();
        jobs.push(Choice::new(&other.id, other.job_desc).selected_if(is_chosen));
    }
    let zone = &core.settings.zone;
    let (today, tomorrow) = (zone.day_start(user.state().now(), 0), zone.day_start(user.state().now(), 1));
    let view = View {
        shell: Shell::new(&user, "/joblog"),
        groups,
        jobs,
        states: STATES.into_iter().map(|(value, key)| Choice::new(&value, text(locale, key))).collect(),
        clean_types: (1..).zip(CLEAN_TYPES).map(|(number, key)| Choice::new(&number, text(locale, key))).collect(),
        filter_time: format!("{} - {}", zone.format(today), zone.format(tomorrow - 1_000)),
    };
    Ok(view::render("job_log.html", &view))
}

/// The job that the page is called for. From 3.3 on a foreign one is as none.
async fn find_job(user: &LoginUser, id: i32) -> Result<Option<JobInfo>, Error> {
    if id <= 0 {
        return Ok(None);
    }
    let job = user.state().core.store.find_job(id).await?;
    let job = job.ok_or_else(|| Error::Exception(message![Key::JobinfoFieldId, Key::SystemUnvalid]))?;
    if user.dialect() == Dialect::V3 {
        return Ok(user.may_use_group(job.job_group).then_some(job));
    }
    user.require_group(job.job_group)?;
    Ok(Some(job))
}
