//! The page about jobs.

use actix_web::{HttpResponse, web};
use serde::Serialize;

use super::{Mapping, group_choices};
use crate::config::Release;
use crate::i18n::{Key, text};
use crate::model::{BlockStrategy, GlueType, MisfireStrategy, RouteStrategy, ScheduleType};
use crate::trigger::message::{block_key, route_key};
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::error::Error;
use crate::web::params::Params;
use crate::web::view::{self, Choice, Shell};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::page("/jobinfo", Dialect::ALL, web::to(page))]
}

/// Longest parameter that the page takes where the column is a long text.
const PARAM_LENGTH: usize = 2048;

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    shell: Shell,
    /// The groups of the user, the chosen one marked.
    groups: Vec<Choice>,
    schedule_types: Vec<Choice>,
    glue_types: Vec<Choice>,
    routes: Vec<Choice>,
    misfires: Vec<Choice>,
    blocks: Vec<Choice>,
    param_length: usize,
}

async fn page(user: LoginUser, params: Params) -> Result<HttpResponse, Error> {
    let chosen = params.int_or("jobGroup", -1)?;
    let groups = group_choices(&user, chosen).await?;
    let core = &user.state().core;
    let locale = user.locale();
    let schedule_label = |kind: &ScheduleType| match kind {
        ScheduleType::None => text(locale, Key::ScheduleTypeNone),
        ScheduleType::Cron => "CRON",
        ScheduleType::FixRate => text(locale, Key::ScheduleTypeFixRate),
    };
    let misfire_label = |strategy: &MisfireStrategy| match strategy {
        MisfireStrategy::DoNothing => text(locale, Key::MisfireStrategyDoNothing),
        MisfireStrategy::FireOnceNow => text(locale, Key::MisfireStrategyFireOnceNow),
    };
    let has_python2 = core.profile.release >= Release::V3_2;
    let view = View {
        shell: Shell::new(&user, "/jobinfo"),
        groups,
        schedule_types: ScheduleType::ALL
            .iter()
            .map(|kind| Choice::new(kind.as_str(), schedule_label(kind)).selected_if(*kind == ScheduleType::Cron))
            .collect(),
        glue_types: GlueType::ALL
            .iter()
            .filter(|kind| has_python2 || **kind != GlueType::Python2)
            .map(|kind| Choice::new(kind.as_str(), glue_label(*kind)))
            .collect(),
        routes: RouteStrategy::ALL
            .iter()
            .map(|strategy| Choice::new(strategy.as_str(), text(locale, route_key(*strategy))))
            .collect(),
        misfires: MisfireStrategy::ALL
            .iter()
            .map(|strategy| Choice::new(strategy.as_str(), misfire_label(strategy)))
            .collect(),
        blocks: BlockStrategy::ALL
            .iter()
            .map(|strategy| Choice::new(strategy.as_str(), text(locale, block_key(*strategy))))
            .collect(),
        param_length: core.store.schema().limits.executor_param.unwrap_or(PARAM_LENGTH),
    };
    Ok(view::render("job_info.html", &view))
}

/// Name of a kind of job for people, the same in every language.
pub(super) const fn glue_label(kind: GlueType) -> &'static str {
    match kind {
        GlueType::Bean => "BEAN",
        GlueType::Groovy => "GLUE(Java)",
        GlueType::Shell => "GLUE(Shell)",
        GlueType::Python => "GLUE(Python)",
        GlueType::Python2 => "GLUE(Python2)",
        GlueType::Php => "GLUE(PHP)",
        GlueType::Nodejs => "GLUE(Nodejs)",
        GlueType::PowerShell => "GLUE(PowerShell)",
    }
}
