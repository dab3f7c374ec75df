//! The recorded exchanges in `golden/executor`; its README tells the format.
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::paths;

/// One recorded exchange.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The case's name, unique but for beats.
    pub case: String,
    /// Who asked: `executor->admin` or `admin->executor`.
    pub direction: String,
    /// What was asked.
    pub request: Request,
    /// What was answered.
    pub response: Response,
    /// `handle_code`, `handle_msg` and whether `handle_time` was set afterwards, where recorded.
    pub handled: Option<(i64, String, bool)>,
}

/// A recorded request.
#[derive(Clone, Debug)]
pub struct Request {
    /// GET, POST …
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// In wire order and case.
    pub headers: Vec<(String, String)>,
    /// `None`: left out of the file for its size.
    pub body: Option<String>,
}

/// A recorded answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// HTTP status; 0 = no answer.
    pub status: u16,
    /// `Content-Type` without parameters.
    pub content_type: Option<String>,
    /// `None`: left out of the file, e.g. an HTML page.
    pub body: Option<String>,
}

impl Request {
    /// The first header of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

/// The first header of this name, whatever its case.
pub fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// The media type of a `Content-Type`.
pub fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn folder() -> PathBuf {
    paths::package().join("golden/executor")
}

/// Names of all files, without suffix, in order.
///
/// # Errors
/// When the folder cannot be read.
pub fn files() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder())? {
        if let Some(name) = entry?.file_name().to_str().and_then(|name| name.strip_suffix(".jsonl")) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Reads a file, given by name without suffix.
///
/// # Errors
/// When it is not there or not in the format.
pub fn read(file: &str) -> Result<Vec<Recording>> {
    let text = std::fs::read_to_string(folder().join(format!("{file}.jsonl"))).context(file.to_owned())?;
    let lines = text.lines().enumerate();
    lines.map(|(nth, line)| parse(line).with_context(|| format!("{file}, line {}", nth + 1))).collect()
}

fn parse(line: &str) -> Result<Recording> {
    let json: Value = serde_json::from_str(line)?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (request, response, after) = (&json["request"], &json["response"], &json["db_after"]);
    Ok(Recording {
        case: text(&json["case"]).context("case")?,
        direction: text(&json["dir"]).context("dir")?,
        request: Request {
            method: text(&request["method"]).context("method")?,
            path: text(&request["path"]).context("path")?,
            headers: headers(&request["headers"])?,
            body: text(&request["body"]),
        },
        response: Response {
            status: response["status"].as_u64().unwrap_or(0).try_into()?,
            content_type: find(&headers(&response["headers"])?, "Content-Type").map(media_type),
            body: text(&response["body"]),
        },
        handled: after["handle_code"]
            .as_i64()
            .map(|code| (code, text(&after["handle_msg"]).unwrap_or_default(), after["handle_time"] == "set")),
    })
}

fn headers(list: &Value) -> Result<Vec<(String, String)>> {
    let Some(list) = list.as_array() else { return Ok(Vec::new()) };
    list.iter()
        .map(|pair| Ok((pair[0].as_str().context("name")?.to_owned(), pair[1].as_str().context("value")?.to_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{files, read};

    #[test]
    fn every_file_is_understood() {
        let files = files().unwrap();
        assert_eq!(files.len(), 26);
        for file in files {
            assert!(!read(&file).unwrap().is_empty(), "{file}");
        }
    }
}
