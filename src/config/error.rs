//! What is wrong with the configuration: everything at once, so that one start shows all there is to mend.
//!
//! A fault names the key as its writer wrote it, where it stands, what is wrong and what would be right. Values of
//! secret keys never appear.

use std::fmt;
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The built-in defaults.
    Default,
    /// A file, with the line where the format tells it.
    File {
        /// Path as given or found.
        path: PathBuf,
        /// Line, counted from 1.
        line: Option<usize>,
    },
    /// An environment variable.
    Variable(String),
    /// A file named by an environment variable that ends in `_FILE`.
    VariableFile {
        /// Name of the variable.
        variable: String,
        /// The file.
        path: PathBuf,
    },
    /// Inside a variable that holds many keys: `PARAMS` of the Docker image, `SPRING_APPLICATION_JSON`.
    Inside(String),
    /// `-Dkey=value` in a variable such as `JAVA_OPTS`.
    JavaOptions(String),
    /// `-Dkey=value` on the command line.
    SystemProperty,
    /// `--key=value` on the command line.
    CommandLine,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line: Some(line) } => write!(f, "{} line {line}", path.display()),
            Self::File { path, line: None } => write!(f, "{}", path.display()),
            Self::Variable(name) | Self::Inside(name) | Self::JavaOptions(name) => write!(f, "environment {name}"),
            Self::VariableFile { variable, path } => write!(f, "environment {variable} ({})", path.display()),
            Self::SystemProperty => f.write_str("command line -D"),
            Self::CommandLine => f.write_str("command line"),
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The key, the variable or the file.
    pub key: String,
    /// Where it stands; none = where nothing was set or the key itself says it.
    pub source: Option<Source>,
    /// What is wrong.
    pub wrong: String,
    /// What would be right.
    pub right: String,
}

impl Fault {
    /// A fault of this key.
    pub fn new(
        key: impl Into<String>,
        source: Option<Source>,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) -> Self {
        Self { key: key.into(), source, wrong: wrong.into(), right: right.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        if let Some(source) = &self.source {
            write!(f, " ({source})")?;
        }
        write!(f, ": {}; right: {}", self.wrong, self.right)
    }
}

/// The configuration cannot be used; exit status 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the configuration cannot be used:{}", list(.faults))]
pub struct Error {
    /// Everything that is wrong, never empty.
    pub faults: Vec<Fault>,
}

fn list(faults: &[Fault]) -> String {
    faults.iter().flat_map(|fault| ["\n  - ".to_owned(), fault.to_string()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_told_with_key_place_wrong_and_right() {
        let file = Source::File { path: "application.properties".into(), line: Some(3) };
        let error = Error {
            faults: vec![
                Fault::new("server.port", Some(file), "`x` is not a whole number", "0 – 65535"),
                Fault::new("--prot", None, "there is no such option", "--server.port=…"),
            ],
        };
        assert_eq!(
            error.to_string(),
            "the configuration cannot be used:\n  - server.port (application.properties line 3): `x` is not a whole \
             number; right: 0 – 65535\n  - --prot: there is no such option; right: --server.port=…"
        );
    }
}
