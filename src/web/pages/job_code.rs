//! Scripts of jobs (Java: `JobCodeController`).
//!
//! Better on purpose: rights are those of the stored job, in every dialect.

use actix_web::web;

use super::{Mapping, markup};
use crate::i18n::Key;
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::jobs;
use crate::web::message::message;
use crate::web::params::{Params, is_blank, utf16_len};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::json("/jobcode/save", Dialect::ALL, web::to(save))]
}

async fn save(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let id = params.int("id")?;
    let (source, remark) = (params.required_text("glueSource")?, params.required_text("glueRemark")?);
    if user.dialect() == Dialect::V3 && is_blank(source.as_deref()) {
        return Err(Error::refused(message![Key::SystemPleaseInput, Key::JobinfoGlueSource]));
    }
    let remark = remark.ok_or_else(|| Error::refused(message![Key::SystemPleaseInput, Key::JobinfoGlueRemark]))?;
    if !(4..=100).contains(&utf16_len(&remark)) {
        return Err(Error::refused(message![Key::JobinfoGlueRemarkLimit]));
    }
    let core = &user.state().core;
    if markup::is_refused_in_edit(core.profile.release, &remark) {
        return Err(Error::refused(message![Key::JobinfoGlueRemark, Key::SystemUnvalid]));
    }
    let no_job = || Error::refused(message![Key::JobinfoGlueJobidUnvalid]);
    let job = core.store.find_job(id).await?.ok_or_else(no_job)?;
    user.require_group(job.job_group)?;
    jobs::require_scripts(core, &user, &format!("the script of job {id}"))?;
    if !core.store.save_script(id, &job.glue_type, source.as_deref(), &remark, user.state().now()).await? {
        return Err(no_job());
    }
    user.audit("jobcode save", &format!("{id} {}: {remark}", job.job_desc));
    Ok(Reply::done())
}
