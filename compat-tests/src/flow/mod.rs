//! What one console client sends, call by call, as data: `clients/flows/NAME.toml`, played byte for byte.
//!
//! A file begins with a comment on what the client does. Its keys are those of [`Flow`] and [`Call`]; `{name}` in a text
//! is a variable: see [`play()`].
mod play;
mod schema;
mod wire;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

pub use play::{Site, play};
pub use schema::Schemas;

use crate::paths;

/// The calls of a client.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Flow {
    /// The generation whose answers it reads: `2` or `3`.
    pub dialect: String,
    /// Its `User-Agent`.
    pub agent: Option<String>,
    /// How it sends its login back; `{cookie-name}`, `{cookie-value}` and `{set-cookie}` (the whole text) are of the last
    /// Set-Cookie that came.
    #[serde(default = "plain_cookie")]
    pub cookie: String,
    /// In order.
    #[serde(rename = "call")]
    pub calls: Vec<Call>,
}

/// A call and what must come of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Call {
    /// `METHOD PATH`, the path below the context path, with its query.
    pub call: String,
    /// The dialect of this answer, where it is not that of the file.
    pub dialect: Option<String>,
    /// Further header lines, `Name: value`.
    #[serde(default)]
    pub headers: Vec<String>,
    /// Another form of the cookie; empty = none is sent.
    pub cookie: Option<String>,
    /// An urlencoded body as it goes over the wire, however badly encoded.
    pub form: Option<String>,
    /// A body of type multipart/form-data, `name=value` each.
    pub multipart: Option<Vec<String>>,
    /// A body of type application/json.
    pub json: Option<String>,
    /// How the request is put on the wire, where not as usual.
    #[serde(default)]
    pub framing: Framing,
    /// HTTP status.
    #[serde(default = "ok")]
    pub status: u16,
    /// `code` of a JSON answer; lists of dialect 2 have none.
    #[serde(default = "success")]
    pub code: i64,
    /// What the Location ends in.
    pub location: Option<String>,
    /// An HTML page is right, not JSON.
    #[serde(default)]
    pub page: bool,
    /// The recorded path that the answer is held against, where it is another; `none` = not at all.
    pub like: Option<String>,
    /// Values in the answer by their place: `data.0.appname`. `*digits` = a text of digits, `*number`, `*text`.
    #[serde(default)]
    pub expect: BTreeMap<String, toml::Value>,
    /// Values in the answer that become variables: name and place.
    #[serde(default)]
    pub keep: BTreeMap<String, String>,
    /// Call again until all is as expected: it takes its time.
    #[serde(default)]
    pub until: bool,
}

/// How a request is put on the wire.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// HTTP/1.1 with Content-Length.
    #[default]
    Usual,
    /// HTTP/1.0.
    Old,
    /// The body in chunks.
    Chunked,
    /// The body only after `100 Continue`.
    Continue,
}

fn plain_cookie() -> String {
    "{cookie-name}={cookie-value}".to_owned()
}

const fn ok() -> u16 {
    200
}

const fn success() -> i64 {
    200
}

impl Flow {
    /// Reads a file, given by name without suffix.
    ///
    /// # Errors
    /// When it is not there, has no comment at its beginning, or is not in the format.
    pub fn read(name: &str) -> Result<Self> {
        let text = std::fs::read_to_string(folder().join(format!("{name}.toml"))).with_context(|| name.to_owned())?;
        ensure!(text.starts_with("# "), "{name} does not tell what the client does");
        toml::from_str(&text).with_context(|| name.to_owned())
    }
}

/// Names of all flows, in order.
///
/// # Errors
/// When the folder cannot be read.
pub fn names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder())? {
        if let Some(name) = entry?.file_name().to_str().and_then(|name| name.strip_suffix(".toml")) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn folder() -> std::path::PathBuf {
    paths::package().join("clients/flows")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flow_is_understood() {
        let names = names().unwrap();
        assert!(!names.is_empty());
        for name in names {
            let flow = Flow::read(&name).unwrap();
            assert!(["2", "3"].contains(&&*flow.dialect), "{name}");
            assert!(!flow.calls.is_empty(), "{name}");
        }
    }
}
