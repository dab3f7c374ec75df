//! Lines of the audit log: who did what, from where. They go to the log under the target `audit`, and as JSON to the file
//! of the setting `audit.file`.

use crate::telemetry::audit::TARGET;

/// Characters shown of a name: a name that logs nobody in may be anything.
const SHOWN: usize = 64;

/// Writes a line. The texts may come from anybody: fields are written so that none can end the line or begin another.
pub fn write(user: &str, from: &str, action: &str, what: &str) {
    let user = user.char_indices().nth(SHOWN).map_or(user, |(end, _)| &user[..end]);
    tracing::info!(target: TARGET, user, from, action, what);
}

/// The same for a program that makes job calls: it has the name of its app in place of a user's, in a field of its own so
/// that neither passes for the other.
pub fn write_of_app(app: &str, from: &str, action: &str, what: &str) {
    tracing::info!(target: TARGET, app, from, action, what);
}
