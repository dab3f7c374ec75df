//! The job calls of 3.5 under `/api`: programs add, change and run jobs.
//!
//! Ports what `OpenApiController` of the unreleased release adds, onto [`jobs`], where the console's calls go as well.
//! Better on purpose: the token of one app opens the groups with that name alone; the children of an edited job stay; each
//! app has a bucket of its own; no token counts as an administrator where a setting keeps something for those.

use std::collections::HashSet;

use crate::i18n::{Key, text};
use crate::protocol::{APP_INVALID, Answer, JobCall, JobRequest, Reach};
use crate::store;
use crate::web::auth::audit;
use crate::web::client::Client;
use crate::web::dialect::Dialect;
use crate::web::jobs::{self, Caller, Refusal};
use crate::web::state::AppState;

/// Carries out a job call that is let in.
pub async fn answer(state: &AppState, client: &Client, request: JobRequest, body: &[u8]) -> Answer {
    let JobRequest { name, app, reach } = request;
    let program = match Program::find(&state.core.store, &app, reach, client).await {
        Ok(Some(program)) => program,
        Ok(None) => return Answer::job_refused(APP_INVALID),
        Err(error) => return refused(state, Refusal::Store(error)),
    };
    if !state.job_calls.take(&app).await {
        return Answer::too_many_job_calls();
    }
    let call = match JobCall::parse(name, body) {
        Ok(call) => call,
        Err(error) => return Answer::job_exception(&error),
    };
    match carry_out(state, &program, call).await {
        Ok(id) => Answer::job_done(id.map(|id| id.to_string()).as_deref()),
        Err(refusal) => refused(state, refusal),
    }
}

/// Gives the id of a new job.
async fn carry_out(state: &AppState, program: &Program<'_>, call: JobCall) -> Result<Option<i32>, Refusal> {
    let core = &state.core;
    match call {
        JobCall::Add(job) => return jobs::add(core, program, *job).await.map(Some),
        JobCall::Update(job) => jobs::update_in_place(core, program, *job).await?,
        JobCall::Remove(id) => jobs::remove(core, program, id).await?,
        JobCall::Start(id) => jobs::start(core, program, id).await?,
        JobCall::Stop(id) => jobs::stop(core, program, id).await?,
        JobCall::Trigger { id, param, addresses } => jobs::trigger(core, program, id, param, addresses).await?,
    }
    Ok(None)
}

fn refused(state: &AppState, refusal: Refusal) -> Answer {
    let locale = state.core.settings.job.locale;
    match refusal {
        Refusal::Refused(message) => Answer::job_refused(&message.render(locale)),
        Refusal::Exception(message) => Answer::job_exception(&message.render(locale)),
        Refusal::NotPermitted(_) => Answer::job_refused(text(locale, Key::SystemPermissionLimit)),
        Refusal::Store(error) => {
            tracing::warn!("a job call failed: {error}");
            Answer::job_exception(&error)
        }
    }
}

/// Who makes job calls: a program that shows the token of its app, or the shared one.
struct Program<'a> {
    app: &'a str,
    /// The executor groups that it may touch; none = all.
    groups: Option<HashSet<i32>>,
    client: &'a Client,
}

impl<'a> Program<'a> {
    /// The program that names this app; none when no executor group has that name.
    async fn find(store: &store::Store, app: &'a str, reach: Reach, client: &'a Client) -> store::Result<Option<Self>> {
        let own: HashSet<i32> = store.groups_of_app(app).await?.into_iter().map(|group| group.id).collect();
        if own.is_empty() {
            return Ok(None);
        }
        let groups = match reach {
            Reach::AllGroups => None,
            Reach::GroupsOfApp => Some(own),
        };
        Ok(Some(Self { app, groups, client }))
    }
}

impl Caller for Program<'_> {
    fn name(&self) -> &str {
        self.app
    }

    fn dialect(&self) -> Dialect {
        Dialect::V3
    }

    /// A program has no role.
    fn is_admin(&self) -> bool {
        false
    }

    fn may_use_group(&self, group: i32) -> bool {
        let permitted = self.groups.as_ref().is_none_or(|groups| groups.contains(&group));
        if !permitted {
            self.audit("refused", &format!("executor group {group}"));
        }
        permitted
    }

    fn audit(&self, action: &str, what: &str) {
        audit::write_of_app(self.app, &self.client.to_string(), action, what);
    }
}
