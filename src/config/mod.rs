//! Settings: where they come from and what they are once read.
//!
//! The Java admin's keys, files, environment and start line are understood as they are; `xxl-job-admin.toml` is for
//! whoever starts afresh. Nothing that is understood is ignored in silence.
//!
//! Six layers of sources ([`sources`]) give texts under names; the one table of [`keys`] knows the names and parses the
//! texts into a [`draft`]; what follows from several keys together is worked out at its end. All faults are reported at
//! once. The environment and the working directory are handed in.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

pub mod arguments;
pub mod draft;
pub mod entry;
pub mod environment;
pub mod error;
pub mod files;
pub mod jdbc;
pub mod keys;
pub mod number;
pub mod placeholders;
pub mod profile;
pub mod properties;
pub mod settings;
pub mod sources;
pub mod toml_file;
pub mod value;
pub mod yaml;
pub mod zone;

pub use error::{Error, Fault, Source};
pub use profile::{CronFlavour, MessageLayout, Profile, Release};
pub use settings::Settings;
pub use zone::{UnknownZone, parse_zone};

use draft::Draft;
use entry::Entry;
use keys::{Key, Set, Shown};
use placeholders::Placeholders;

/// Folder that tells the zone of the machine.
const ETC: &str = "/etc";

/// How the program was started. `Debug` shows no value.
#[derive(Clone, Default)]
pub struct Invocation {
    /// Words of the start line without the program's name.
    pub args: Vec<String>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// The folder that relative paths count from.
    pub working_dir: PathBuf,
}

impl fmt::Debug for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation").field("working_dir", &self.working_dir).finish_non_exhaustive()
    }
}

/// The configuration, read and checked.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// What is worth telling at start, one line each.
    pub warnings: Vec<String>,
    /// Each setting and where it comes from, in the order of the documentation.
    pub origins: Vec<Origin>,
}

/// A setting and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Name of the key.
    pub key: String,
    /// Its value; `***` for a secret.
    pub shown: String,
    /// Its source.
    pub source: Source,
}

/// Reads and checks all sources.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn load(invocation: &Invocation) -> Result<Loaded, Error> {
    let mut gathered = sources::gather(invocation);
    let entries = std::mem::take(&mut gathered.entries);
    let placeholders = Placeholders::new(&entries);
    let mut reading = Reading { draft: Draft::default(), origins: Vec::new(), faults: Vec::new() };
    let mut found: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &entries {
        if let Some(meant) = &entry.found {
            found.entry(meant.key.name).or_default().push(entry);
        }
    }
    for key in keys::all() {
        reading.key(key, found.get(key.name).map_or(&[], Vec::as_slice), &placeholders);
    }
    let Reading { draft, mut origins, faults } = reading;
    gathered.faults.extend(faults);

    let finished = draft.finish(&invocation.working_dir, Path::new(ETC));
    for (key, wrong, right) in finished.conflicts {
        let source = origins.iter().find(|origin| origin.key == key).map(|origin| origin.source.clone());
        gathered.faults.push(Fault::new(key, source, wrong, right));
    }
    gathered.warnings.extend(finished.warnings);
    gathered.tell_unknown(&entries, &placeholders);
    if !gathered.faults.is_empty() {
        return Err(Error { faults: gathered.faults });
    }
    let mut settings = finished.settings;
    settings.api_tokens = gathered.api_tokens;
    for token in &settings.api_tokens {
        let source = Source::File { path: sources::OWN_FILE.into(), line: None };
        origins.push(Origin { key: format!("api-token {}", token.name), shown: "***".into(), source });
    }
    Ok(Loaded { settings, warnings: gathered.warnings, origins })
}

/// The built-in default of a key, as it is written.
pub fn default_of(key: &Key) -> Option<String> {
    let entries = sources::defaults();
    let meant = |entry: &&Entry| entry.found.as_ref().is_some_and(|found| std::ptr::eq(found.key, key));
    entries.iter().find(meant).map(|entry| entry.text.clone())
}

/// Keys on their way from texts to values.
struct Reading {
    draft: Draft,
    origins: Vec<Origin>,
    faults: Vec<Fault>,
}

impl Reading {
    /// Reads a key from all entries that mean it, of which the last one counts.
    fn key(&mut self, key: &'static Key, entries: &[&Entry], placeholders: &Placeholders<'_>) {
        match key.set {
            Set::One(set) => {
                let mut counting = entries.last().copied();
                let mut text = counting.map(|entry| placeholders.resolve(entry));
                if !key.empty_counts && matches!(&text, Some(Ok(text)) if text.trim().is_empty()) {
                    counting = entries.iter().find(|entry| entry.source == Source::Default).copied();
                    text = counting.map(|entry| Ok(entry.text.clone()));
                }
                match counting.zip(text) {
                    Some((entry, text)) => self.take(key, key.name, entry, text, set),
                    None => self.origins.push(Origin {
                        key: key.name.into(),
                        shown: if key.unset.is_empty() { "none".into() } else { key.unset.replace('`', "") },
                        source: Source::Default,
                    }),
                }
            }
            Set::Named(set) => {
                let mut last: BTreeMap<&str, &Entry> = BTreeMap::new();
                for entry in entries {
                    if let Some(rest) = entry.found.as_ref().and_then(|found| found.rest.as_deref()) {
                        last.insert(rest, entry);
                    }
                }
                for (rest, entry) in last {
                    let name = format!("{}.{rest}", key.stem());
                    let text = placeholders.resolve(entry);
                    self.take(key, &name, entry, text, |draft, text| set(draft, rest, text));
                }
            }
        }
    }

    fn take(
        &mut self,
        key: &Key,
        name: &str,
        entry: &Entry,
        text: Result<String, String>,
        set: impl FnOnce(&mut Draft, &str) -> value::Parsed<()>,
    ) {
        let outcome = text.and_then(|text| {
            set(&mut self.draft, &text)?;
            Ok(match key.shown {
                Shown::Plain => text,
                Shown::Secret if text.is_empty() => "empty".into(),
                Shown::Secret => "***".into(),
                Shown::Url => jdbc::redact(&text),
            })
        });
        match outcome {
            Ok(shown) => self.origins.push(Origin { key: name.into(), shown, source: entry.source.clone() }),
            Err(wrong) => {
                self.faults.push(Fault::new(name, Some(entry.source.clone()), wrong, key.values.replace('`', "")));
            }
        }
    }
}

#[cfg(test)]
mod tests;
