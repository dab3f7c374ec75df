//! One value as a source has it, before anybody has looked at what it means.

use std::fmt;

use super::error::Source;
use super::keys::{self, Match};

/// A name and its text.
#[derive(Clone)]
pub struct Entry {
    /// The name as it is written.
    pub name: String,
    /// The text as it is written.
    pub text: String,
    /// Where it stands.
    pub source: Source,
    /// The key that the name means.
    pub found: Option<Match>,
    /// Whether `${…}` is text.
    pub literal: bool,
}

impl Entry {
    /// A value of a file or the command line.
    pub fn new(name: impl Into<String>, text: impl Into<String>, source: Source) -> Self {
        let name = name.into();
        Self { found: keys::find(&name), name, text: text.into(), source, literal: false }
    }

    /// A value of an environment variable.
    pub fn of_variable(name: &str, text: &str) -> Self {
        Self {
            found: keys::find_variable(name),
            name: name.to_owned(),
            text: text.to_owned(),
            source: Source::Variable(name.to_owned()),
            literal: false,
        }
    }

    /// The same, with `${…}` as plain text.
    #[must_use]
    pub fn literally(self) -> Self {
        Self { literal: true, ..self }
    }
}

/// The text may be a secret and is not shown.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).field("source", &self.source).finish_non_exhaustive()
    }
}
