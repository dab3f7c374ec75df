//! The program as a whole: build the parts, start them in order, stop them in order.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::alarm::Alarm;
use crate::alarm::mail::MailAlarm;
use crate::clock::SharedClock;
use crate::complete::Complete;
use crate::config::settings::Recovery as RecoveryMode;
use crate::config::{Profile, Settings};
use crate::health::Health;
use crate::monitor::failed::FailMonitor;
use crate::monitor::lost::LostMonitor;
use crate::monitor::recovery::Recovery;
use crate::monitor::report::Report;
use crate::protocol::{ClientError, ExecutorClient, SharedExecutors};
use crate::registry::Registry;
use crate::schedule::ring::Ring;
use crate::schedule::scan::{Scan, cron_cache};
use crate::schedule::tick;
use crate::store::{NodeId, Store};
use crate::supervise::{Task, supervise};
use crate::trigger::{Parts, TriggerHandle};
use crate::web::{self, Core};

/// How long a task may take to stop once it is told to.
const STOP_PATIENCE: Duration = Duration::from_secs(10);
/// Years after the present one in which cron expressions still fire.
const CRON_YEARS: i32 = 100;

/// Why the program could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
    /// The port.
    #[error("cannot listen on {address}: {why}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        why: std::io::Error,
    },
    /// The client for executors.
    #[error("cannot set up the client for executors: {0}")]
    Client(#[from] ClientError),
    /// The HTTP server.
    #[error("cannot start the HTTP server: {0}")]
    Server(std::io::Error),
}

/// A program that is built and listens, but does nothing yet.
pub struct App {
    core: Core,
    node: NodeId,
    batches: Arc<AtomicU64>,
    channels: Vec<Box<dyn Alarm>>,
    listener: TcpListener,
    address: SocketAddr,
    writers: Vec<JoinHandle<()>>,
}

impl App {
    /// Builds the parts on an open database and takes the port.
    ///
    /// # Errors
    /// [`StartError`] says what is in the way.
    pub async fn build(settings: Settings, store: Store, clock: SharedClock) -> Result<Self, StartError> {
        let profile = Profile::resolve(&settings, store.schema().generation.release());
        store.put_lock_row().await?;
        let (listener, address) = listen(&settings)?;
        let executors: SharedExecutors = Arc::new(ExecutorClient::new(&settings, &profile)?);
        let node = NodeId::random();
        let batches = Arc::new(AtomicU64::new(0));
        let (triggers, trigger_writers) = TriggerHandle::new(Parts {
            store: &store,
            clock: clock.clone(),
            node: &node,
            executors: executors.clone(),
            settings: &settings,
            profile: &profile,
            admin_address: own_address().to_string(),
            batches: batches.clone(),
        });
        let (registry, registry_writer) = Registry::new(store.clone(), clock.clone());
        let (complete, complete_writer) = Complete::new(
            store.clone(),
            clock.clone(),
            triggers.clone(),
            &profile,
            settings.job.locale,
            settings.trigger.child_depth,
        );
        let mut writers: Vec<JoinHandle<()>> =
            trigger_writers.into_iter().map(|(_, writer)| tokio::spawn(writer)).collect();
        writers.push(tokio::spawn(registry_writer));
        writers.push(tokio::spawn(complete_writer));
        let mail = MailAlarm::new(settings.mail.clone(), settings.job.locale, profile.release);
        let health = Health::new(clock.clone());
        let max_year = i32::from(settings.zone.wall(clock.now_ms()).year()) + CRON_YEARS;
        let settings = Arc::new(settings);
        let core = Core { settings, profile, store, clock, executors, triggers, registry, complete, health, max_year };
        Ok(Self { core, node, batches, channels: vec![Box::new(mail)], listener, address, writers })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The parts, for tests that look inside.
    pub const fn core(&self) -> &Core {
        &self.core
    }

    /// Runs until `shutdown` ends, then stops in order: no new claims, the ring runs empty, queued fires are called, the
    /// monitors end, HTTP last – so that results are taken as long as anything runs.
    ///
    /// # Errors
    /// When the HTTP server cannot start.
    pub async fn run_until(self, shutdown: impl Future<Output = ()>) -> Result<(), StartError> {
        let Self { core, node, batches, channels, listener, address, writers } = self;
        let server = web::serve(web::AppState::new(core.clone()), listener).map_err(StartError::Server)?;
        let server_handle = server.handle();
        let server = tokio::spawn(server);

        let ring = Arc::new(Ring::default());
        let recovery = Recovery::new(
            core.store.clone(),
            core.clock.clone(),
            node.clone(),
            address.to_string(),
            core.settings.scheduler.recovery_grace,
            core.settings.job.locale,
        );
        // Before anything is claimed, so that no other node takes this one's claims for a dead one's.
        recovery.beat().await?;
        let recovery = Arc::new(tokio::sync::Mutex::new(recovery));
        let scan = spawn_scan(&core, &node, batches, &ring);
        let ticks = spawn_ticks(&core, &ring);
        let monitors = spawn_monitors(&core, channels, &recovery);
        let beat = spawn_beat(&core, &node, address);

        shutdown.await;

        core.health.stopping();
        tracing::info!("stopping: no more claims");
        scan.stop(STOP_PATIENCE).await;
        ticks.stop(STOP_PATIENCE).await;
        tracing::info!(fires = core.triggers.waiting(), "stopping: waiting for queued fires and open calls");
        let given_up = core.triggers.drain(core.settings.drain_timeout).await;
        if given_up > 0 {
            tracing::error!(given_up, "stopping: fires were given up; their log rows say so");
        }
        for monitor in monitors {
            monitor.stop(STOP_PATIENCE).await;
        }
        server_handle.stop(true).await;
        let _ = server.await;
        // Results that came while HTTP was still open may have started child jobs.
        core.triggers.drain(STOP_PATIENCE).await;
        beat.stop(STOP_PATIENCE).await;
        if let Err(error) = recovery.lock().await.leave().await {
            tracing::warn!("this node could not be taken off the list of nodes: {error}");
        }
        let store = core.store.clone();
        drop((core, recovery));
        for writer in writers {
            if tokio::time::timeout(STOP_PATIENCE, writer).await.is_err() {
                tracing::warn!("a writer did not end in time");
            }
        }
        store.close().await;
        tracing::info!("stopped");
        Ok(())
    }
}

fn spawn_scan(core: &Core, node: &NodeId, batches: Arc<AtomicU64>, ring: &Arc<Ring>) -> Task {
    let scan = Scan {
        store: core.store.clone(),
        clock: core.clock.clone(),
        zone: core.settings.zone.clone(),
        node: node.clone(),
        batches,
        pre_read_count: core.profile.pre_read_count,
        batch_size: core.settings.job.schedule_batch_size,
        cron: cron_cache(core.profile.cron, core.max_year),
        ring: ring.clone(),
        triggers: core.triggers.clone(),
        health: core.health.clone(),
    };
    let scan = Arc::new(tokio::sync::Mutex::new(scan));
    let token = CancellationToken::new();
    supervise("scan", token.clone(), move || {
        let (scan, token) = (scan.clone(), token.clone());
        async move { scan.lock().await.run(&token).await }
    })
}

fn spawn_ticks(core: &Core, ring: &Arc<Ring>) -> Task {
    let (ring, clock, triggers) = (ring.clone(), core.clock.clone(), core.triggers.clone());
    let token = CancellationToken::new();
    supervise("ring", token.clone(), move || {
        let (ring, clock, triggers, token) = (ring.clone(), clock.clone(), triggers.clone(), token.clone());
        async move { tick::run(&ring, &clock, &triggers, &token).await }
    })
}

fn spawn_beat(core: &Core, node: &NodeId, address: SocketAddr) -> Task {
    let grace = core.settings.scheduler.recovery_grace;
    let beat = Arc::new(Recovery::new(
        core.store.clone(),
        core.clock.clone(),
        node.clone(),
        address.to_string(),
        grace,
        core.settings.job.locale,
    ));
    let token = CancellationToken::new();
    supervise("node beat", token.clone(), move || {
        let (beat, token) = (beat.clone(), token.clone());
        async move { beat.run_beat(&token).await }
    })
}

fn spawn_monitors(
    core: &Core,
    channels: Vec<Box<dyn Alarm>>,
    recovery: &Arc<tokio::sync::Mutex<Recovery>>,
) -> Vec<Task> {
    let rhythms = core.settings.monitor;
    let mut tasks = Vec::new();

    let (registry, token) = (core.registry.clone(), CancellationToken::new());
    tasks.push(supervise("registry sweep", token.clone(), move || {
        let (registry, token) = (registry.clone(), token.clone());
        async move { registry.run_sweep(rhythms.sweep_interval, &token).await }
    }));

    let failed = Arc::new(tokio::sync::Mutex::new(FailMonitor::new(
        core.store.clone(),
        core.clock.clone(),
        core.triggers.clone(),
        channels,
        &core.profile,
        core.settings.job.locale,
    )));
    let token = CancellationToken::new();
    tasks.push(supervise("fail monitor", token.clone(), move || {
        let (failed, token) = (failed.clone(), token.clone());
        async move { failed.lock().await.run(rhythms.failed_interval, &token).await }
    }));

    let lost = Arc::new(LostMonitor {
        store: core.store.clone(),
        clock: core.clock.clone(),
        executors: core.executors.clone(),
        complete: core.complete.clone(),
        lost_after: rhythms.lost_after,
        search: tokio::sync::Mutex::default(),
    });
    let token = CancellationToken::new();
    tasks.push(supervise("lost results", token.clone(), move || {
        let (lost, token) = (lost.clone(), token.clone());
        async move { lost.run(rhythms.lost_interval, &token).await }
    }));

    let report = Arc::new(tokio::sync::Mutex::new(Report::new(
        core.store.clone(),
        core.clock.clone(),
        core.settings.zone.clone(),
        &core.profile,
        core.settings.job.log_retention_days,
    )));
    let token = CancellationToken::new();
    tasks.push(supervise("report", token.clone(), move || {
        let (report, token) = (report.clone(), token.clone());
        async move { report.lock().await.run(&token).await }
    }));

    let (store, token) = (core.store.clone(), CancellationToken::new());
    tasks.push(supervise("catalogue of runs", token.clone(), move || {
        let (store, token) = (store.clone(), token.clone());
        async move { store.keep_catalogue(&token).await }
    }));

    let (health, store, token) = (core.health.clone(), core.store.clone(), CancellationToken::new());
    tasks.push(supervise("database probe", token.clone(), move || {
        let (health, store, token) = (health.clone(), store.clone(), token.clone());
        async move { health.probe_database(&store, &token).await }
    }));

    if core.settings.scheduler.recovery != RecoveryMode::Off {
        let (recovery, token) = (recovery.clone(), CancellationToken::new());
        tasks.push(supervise("recovery", token.clone(), move || {
            let (recovery, token) = (recovery.clone(), token.clone());
            async move { recovery.lock().await.run(&token).await }
        }));
    }
    tasks
}

fn listen(settings: &Settings) -> Result<(TcpListener, SocketAddr), StartError> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let all = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let ip = settings.server.address.unwrap_or(if settings.database.embedded { loopback } else { all });
    let address = SocketAddr::new(ip, settings.server.port);
    let refused = |why| StartError::Listen { address, why };
    let listener = TcpListener::bind(address).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    Ok((listener, address))
}

/// The IPv4 address that this machine speaks from, as shown in trigger messages. No packet is sent.
fn own_address() -> IpAddr {
    let route = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    };
    route().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}
