//! The executor protocol against recorded traffic and against an executor that misbehaves.

mod client;
mod fake_executor;
mod inbound_replay;
mod outbound_replay;
mod tls;

use std::collections::HashMap;

use xxl_job_admin::config::profile::{Profile, Release};
use xxl_job_admin::config::settings::{DatabaseUrl, Settings};
use xxl_job_admin::protocol::{ExecutorClient, RunRequest, Target, Tokens};

/// Settings with the token of the recordings and a short time-out.
fn settings() -> Settings {
    let mut settings = Settings::for_database(DatabaseUrl::Sqlite("unused".into()));
    settings.job.timeout_s = 1;
    settings
}

fn profile(release: Release) -> Profile {
    Profile::resolve(&settings(), release)
}

fn client(release: Release) -> ExecutorClient {
    ExecutorClient::new(&settings(), &profile(release)).expect("a client")
}

fn tokens() -> Tokens {
    Tokens::new("default_token".into(), HashMap::new())
}

/// The group of the recordings at this address.
fn demo(address: &str) -> Target<'_> {
    Target { address, app_name: "demo" }
}

fn run_request(log_id: i64) -> RunRequest<'static> {
    RunRequest {
        job_id: 7,
        executor_handler: Some("demoJobHandler"),
        executor_params: Some("a=1&b=<2>"),
        executor_block_strategy: "SERIAL_EXECUTION",
        executor_timeout: 0,
        log_id,
        log_date_time: 1_700_000_000_123,
        glue_type: "BEAN",
        glue_source: Some(""),
        glue_updatetime: 1_700_000_000_000,
        broadcast_index: 0,
        broadcast_total: 1,
    }
}
