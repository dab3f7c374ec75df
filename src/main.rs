//! xxl-job-admin.
use std::sync::Arc;

use xxl_job_admin::app::App;
use xxl_job_admin::clock::SystemClock;
use xxl_job_admin::{config, startup, telemetry};

fn main() -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(run())
}

async fn run() -> anyhow::Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let init = args.first().is_some_and(|a| a == "init-db");
    if init {
        args.remove(0);
    }
    let loaded = config::load(&config::Invocation {
        args,
        env: std::env::vars().collect(),
        working_dir: std::env::current_dir()?,
    })?;
    let _guard = telemetry::init(&loaded.settings.logging)?;
    if init {
        println!("{:?}", xxl_job_admin::store::Store::init(&loaded.settings, &startup::hash_for_new_tables("123456")).await?);
        return Ok(());
    }
    startup::prepare_embedded(&loaded.settings).await?;
    let store = startup::open_store(&loaded.settings).await?;
    let app = App::build(loaded.settings, store, Arc::new(SystemClock)).await?;
    println!("xxl-job-admin listens on http://{}/xxl-job-admin", app.address());
    let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    app.run_until(async move {
        tokio::select! { _ = term.recv() => {}, _ = tokio::signal::ctrl_c() => {} }
    })
    .await?;
    Ok(())
}
