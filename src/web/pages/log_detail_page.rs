//! The window in which the log of a run rolls.

use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::Mapping;
use crate::i18n::Key;
use crate::model::EpochMs;
use crate::protocol::CallResult;
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::error::Error;
use crate::web::message::message;
use crate::web::params::Params;
use crate::web::view::{self, Frame};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::page("/joblog/logDetailPage", Dialect::ALL, web::to(page))]
}

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    log_id: i64,
    job_id: i32,
    trigger_code: i32,
    handle_code: i32,
    trigger_time: Option<EpochMs>,
    handle_time: Option<EpochMs>,
    /// The executor that was called.
    address: String,
    /// What the job is for; empty when it is gone.
    job: String,
    /// An executor took the run, so it has a log.
    is_readable: bool,
    is_running: bool,
}

async fn page(user: LoginUser, params: Params) -> Result<HttpResponse, Error> {
    let id = params.long("id")?;
    let core = &user.state().core;
    // A foreign run looks like one that is not there.
    let log = core.store.find_log(id).await?.filter(|log| user.may_use_group(log.job_group));
    let log = log.ok_or_else(|| Error::Exception(message![Key::JoblogLogidUnvalid]))?;
    let job = core.store.find_job(log.job_id).await?;
    let is_readable = log.trigger_code == CallResult::SUCCESS || log.handle_code != 0;
    let view = View {
        frame: Frame::new(&user),
        log_id: log.id,
        job_id: log.job_id,
        trigger_code: log.trigger_code,
        handle_code: log.handle_code,
        trigger_time: log.trigger_time,
        handle_time: log.handle_time,
        address: log.executor_address.unwrap_or_default(),
        job: job.map(|job| job.job_desc).unwrap_or_default(),
        is_readable,
        is_running: is_readable && log.handle_code <= 0,
    };
    Ok(view::render("log_detail.html", &view))
}
