//! Calls of known console clients, over a socket: each file of `clients/flows` is what one client sends, in its own way
//! of keeping cookies and writing bodies. Every answer must have code 200 and look as recorded of a Java admin: no key
//! more or less, no value of another kind.
use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use compat_tests::admin::{Admin, PASSWORD};
use compat_tests::flow::{self, Flow, Schemas, Site};
use compat_tests::report::Report;
use compat_tests::sink::Sink;

/// The suite's name in the report.
pub const SUITE: &str = "client-flows";

/// One case a client.
pub async fn suite(report: &Report, work: &Path) -> Result<()> {
    let admin = Admin::start(work, SUITE, &[]).await?;
    let pool = admin.database().pool().await?;
    let sink = Sink::start().await?;
    let today: String = sqlx::query_scalar("SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d')").fetch_one(&pool).await?;
    let variables = [("password", PASSWORD), ("executor", &sink.address), ("today", &today)];
    let site = Site {
        port: admin.port(),
        context: "/xxl-job-admin".to_owned(),
        schemas: HashMap::from([("2", Schemas::recorded("2.4.2")?), ("3", Schemas::recorded("3.4.2")?)]),
        variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    };
    for name in flow::names()? {
        let run = async { flow::play(&site, &name, &Flow::read(&name)?).await };
        report.case(SUITE, &name, run).await;
    }
    pool.close().await;
    admin.remove().await
}
