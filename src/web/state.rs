//! What the handlers work with.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::HeaderMap;
use actix_web::web::Data;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Semaphore;

use super::api::bucket::Buckets;
use super::auth::api_token::ApiTokens;
use super::auth::cookie::{self, Family, LoginCookie};
use super::auth::session::Sessions;
use super::auth::throttle::Throttle;
use super::call::Habits;
use super::dialect::{COOKIE_2, Ruling};
use super::pages::log_tail::READERS;
use crate::clock::SharedClock;
use crate::complete::Complete;
use crate::config::{Profile, Release, Settings};
use crate::health::Health;
use crate::model::EpochMs;
use crate::protocol::{SharedExecutors, Tokens};
use crate::registry::Registry;
use crate::schedule::next_time::{NextTimeError, next_time};
use crate::store::Store;
use crate::trigger::TriggerHandle;

/// The parts of the program that the HTTP edge speaks to.
#[derive(Clone)]
pub struct Core {
    /// The settings.
    pub settings: Arc<Settings>,
    /// The release we resemble.
    pub profile: Profile,
    /// The database.
    pub store: Store,
    /// Time.
    pub clock: SharedClock,
    /// The executors.
    pub executors: SharedExecutors,
    /// Where fires are handed in.
    pub triggers: TriggerHandle,
    /// Where registrations are handed in.
    pub registry: Registry,
    /// Where results are handed in.
    pub complete: Complete,
    /// How the program feels.
    pub health: Health,
    /// Last year in which cron expressions fire.
    pub max_year: i32,
}

impl Core {
    /// When a schedule fires next after an instant.
    pub(super) fn next_time(
        &self,
        schedule_type: &str,
        conf: Option<&str>,
        from: EpochMs,
    ) -> Result<Option<EpochMs>, NextTimeError> {
        let Self { settings, profile, max_year, .. } = self;
        next_time(schedule_type, conf, from, &settings.zone, profile.cron, *max_year)
    }
}

/// What all handlers share.
///
/// A handler reaches it only through an argument that says who may call: [`super::auth::LoginUser`],
/// [`super::auth::AdminUser`] or [`super::auth::Public`].
pub struct AppState {
    /// The parts of the program.
    pub core: Core,
    pub(super) tokens: Tokens,
    pub(super) sessions: Sessions,
    pub(super) throttle: Throttle,
    pub(super) api_tokens: ApiTokens,
    pub(super) ruling: Ruling,
    pub(super) habits: Habits,
    pub(super) job_calls: Buckets,
    /// Places of those who follow a log.
    pub(super) log_readers: Arc<Semaphore>,
    pub(super) metrics: PrometheusHandle,
}

impl AppState {
    /// The state of one HTTP edge over these parts.
    pub fn new(core: Core) -> Arc<Self> {
        let tokens = Tokens::of(&core.settings);
        let sessions = Sessions::new(core.store.clone(), core.clock.clone(), &core.settings.console);
        let console = &core.settings.console;
        let ruling = Ruling {
            default: console.dialect.unwrap_or(core.profile.console),
            strict: console.strict,
            token_cookie: console.token_cookie.clone(),
        };
        Arc::new(Self {
            tokens,
            sessions,
            throttle: Throttle::new(),
            api_tokens: ApiTokens::of(&core.settings),
            ruling,
            habits: Habits::default(),
            job_calls: Buckets::new(core.clock.clone()),
            log_readers: Arc::new(Semaphore::new(READERS)),
            metrics: crate::metrics::recorder().clone(),
            core,
        })
    }

    pub(super) fn now(&self) -> EpochMs {
        self.core.clock.now_ms()
    }

    /// The context path, empty for the root.
    pub(super) fn context_path(&self) -> &str {
        self.core.settings.server.context_path.trim_end_matches('/')
    }

    /// Name of a login cookie.
    pub(super) fn cookie_name(&self, family: Family) -> &str {
        match family {
            Family::Identity => COOKIE_2,
            Family::Token => &self.ruling.token_cookie,
        }
    }

    /// The login cookies in these headers.
    pub(super) fn login_cookies(&self, headers: &HeaderMap) -> Vec<LoginCookie> {
        let families = [Family::Identity, Family::Token].into_iter();
        families
            .filter_map(|family| Some(LoginCookie { family, value: cookie::value(headers, self.cookie_name(family))? }))
            .collect()
    }

    /// Whether the console's calls are at the root, too.
    pub(super) fn has_root_alias(&self) -> bool {
        self.core.settings.console.root_alias.unwrap_or(self.core.profile.release >= Release::V3_4)
    }
}

/// The state of the application that a request belongs to.
#[expect(clippy::expect_used, reason = "every application of this module is made with its state")]
pub(super) fn of(request: &HttpRequest) -> &Arc<AppState> {
    request.app_data::<Data<AppState>>().expect("an application with its state")
}
