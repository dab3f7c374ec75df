//! Log lines: to standard output, or to a file that is rolled each day; audit lines to a file of their own besides.

pub mod audit;

use std::path::{Path, PathBuf};

use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::config::settings::Logging;

/// Days that rolled log files are kept.
const KEPT_FILES: usize = 30;

/// Must live as long as the program: writes out what is buffered when it is dropped.
pub struct Guard {
    // In this order: the writer of audit lines may have something to say at its end.
    _audit: Option<audit::Guard>,
    _writer: Option<WorkerGuard>,
}

/// Why logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The filter has a fault.
    #[error("the log level is not understood: {0}")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// The file cannot be written.
    #[error("the log file cannot be written: {0}")]
    File(#[from] tracing_appender::rolling::InitError),
    /// The audit file cannot be written.
    #[error("the audit file {path} cannot be opened: {why}")]
    Audit {
        /// Which.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// It is set up already.
    #[error("logging is set up already")]
    Twice,
}

/// Sets up logging for the whole program, panics included.
///
/// # Errors
/// When the settings cannot be followed.
pub fn init(settings: &Logging, audit_file: Option<&Path>) -> Result<Guard, Error> {
    let filter = EnvFilter::try_new(&settings.filter)?;
    let (audit_layer, audit_guard) = match audit_file {
        None => (None, None),
        Some(path) => {
            let started = audit::start(path).map_err(|why| Error::Audit { path: path.to_owned(), why })?;
            (Some(started.0), Some(started.1))
        }
    };
    let lines = tracing_subscriber::fmt::layer().with_ansi(false);
    let (lines, writer) = match &settings.file {
        None => (lines.boxed(), None),
        Some(file) => {
            let folder = file.parent().map_or_else(|| ".".into(), Path::to_path_buf);
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let rolling = tracing_appender::rolling::Builder::new()
                .rotation(tracing_appender::rolling::Rotation::DAILY)
                .filename_prefix(name)
                .max_log_files(KEPT_FILES)
                .build(folder)?;
            let (writer, guard) = tracing_appender::non_blocking(rolling);
            (lines.with_writer(writer).boxed(), Some(guard))
        }
    };
    // The level of the log does not count for the audit file.
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(filter)).with(audit_layer);
    subscriber.try_init().map_err(|_| Error::Twice)?;
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tracing::error!("panic: {panic}");
        told(panic);
    }));
    Ok(Guard { _audit: audit_guard, _writer: writer })
}
