//! Log lines: to standard output, or to a file that is rolled each day.

use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::config::settings::Logging;

/// Days that rolled log files are kept.
const KEPT_FILES: usize = 30;

/// Must live as long as the program: writes out what is buffered when it is dropped.
pub struct Guard {
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
    /// It is set up already.
    #[error("logging is set up already")]
    Twice,
}

/// Sets up logging for the whole program, panics included.
///
/// # Errors
/// When the settings cannot be followed.
pub fn init(settings: &Logging) -> Result<Guard, Error> {
    let filter = EnvFilter::try_new(&settings.filter)?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_span_events(FmtSpan::NONE);
    let writer = match &settings.file {
        None => {
            lines.with_ansi(false).try_init().map_err(|_| Error::Twice)?;
            None
        }
        Some(file) => {
            let folder = file.parent().map_or_else(|| ".".into(), std::path::Path::to_path_buf);
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let rolling = tracing_appender::rolling::Builder::new()
                .rotation(tracing_appender::rolling::Rotation::DAILY)
                .filename_prefix(name)
                .max_log_files(KEPT_FILES)
                .build(folder)?;
            let (writer, guard) = tracing_appender::non_blocking(rolling);
            lines.with_ansi(false).with_writer(writer).try_init().map_err(|_| Error::Twice)?;
            Some(guard)
        }
    };
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tracing::error!("panic: {panic}");
        told(panic);
    }));
    Ok(Guard { _writer: writer })
}
