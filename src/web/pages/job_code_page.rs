//! The window in which the script of a job is written.

use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::Mapping;
use super::job_info_page::glue_label;
use crate::clock::Zone;
use crate::i18n::Key;
use crate::model::{GlueType, ScriptVersion};
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::error::Error;
use crate::web::message::message;
use crate::web::params::Params;
use crate::web::view::{self, Frame};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::page("/jobcode", Dialect::ALL, web::to(page))]
}

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    job_id: i32,
    job_desc: String,
    /// The kind of the script, for people and as a word.
    glue_type: String,
    glue_word: String,
    source: String,
    remark: String,
    /// Newest first.
    versions: Vec<Version>,
}

#[derive(Serialize)]
struct Version {
    id: i32,
    glue_type: String,
    remark: String,
    /// When it was saved, in the zone of the server.
    time: String,
    source: String,
}

impl Version {
    fn of(version: ScriptVersion, zone: &Zone) -> Self {
        Self {
            id: version.id,
            glue_type: label(&version.glue_type.unwrap_or_default()),
            remark: version.remark,
            time: version.add_time.map(|at| zone.format(at)).unwrap_or_default(),
            source: version.source.unwrap_or_default(),
        }
    }
}

fn label(word: &str) -> String {
    GlueType::parse(word).map_or_else(|| word.to_owned(), |kind| glue_label(kind).to_owned())
}

async fn page(user: LoginUser, params: Params) -> Result<HttpResponse, Error> {
    let id = params.int("jobId")?;
    let core = &user.state().core;
    let job = core.store.find_job(id).await?;
    let job = job.ok_or_else(|| Error::Exception(message![Key::JobinfoGlueJobidUnvalid]))?;
    if job.glue_type == GlueType::Bean.as_str() {
        return Err(Error::Exception(message![Key::JobinfoGlueGluetypeUnvalid]));
    }
    user.require_group(job.job_group)?;
    let versions = core.store.versions_of(id).await?;
    let view = View {
        frame: Frame::new(&user),
        job_id: id,
        job_desc: job.job_desc,
        glue_type: label(&job.glue_type),
        glue_word: job.glue_type,
        source: job.glue_source.unwrap_or_default(),
        remark: job.glue_remark.unwrap_or_default(),
        versions: versions.into_iter().map(|version| Version::of(version, &core.settings.zone)).collect(),
    };
    Ok(view::render("job_code.html", &view))
}
