//! Traffic recorded between real executors, real Java admins and a recording counterpart: one JSON object a line.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// One request and its answer.
#[derive(Debug, Deserialize)]
pub struct Recording {
    /// `executor->admin` or `admin->executor`.
    pub dir: String,
    /// What was tried.
    pub case: String,
    pub request: Request,
    pub response: Response,
    /// Version of the client, in `java-admin-client.jsonl`.
    #[serde(default)]
    pub admin: String,
    /// What the Java admin stored.
    #[serde(default)]
    pub db_after: Value,
}

#[derive(Debug, Deserialize)]
pub struct Request {
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
    /// None when left out for its size.
    pub body: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Response {
    /// None when there was no answer.
    pub status: Option<u16>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    pub body: Option<String>,
}

impl Recording {
    /// Every line of a file.
    pub fn read(file: &str) -> Vec<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("compat-tests/golden/executor").join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.lines().map(|line| serde_json::from_str(line).expect("a recording")).collect()
    }

    pub fn is_to_admin(&self) -> bool {
        self.dir == "executor->admin"
    }
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The body; empty when there is none.
    pub fn text(&self) -> &str {
        self.body.as_deref().unwrap_or_default()
    }

    /// The body as JSON; null when there is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_default()
    }
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The answer as bytes for the wire; none when there was no answer or its body was left out.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let (status, body) = (self.status?, self.body.as_deref()?);
        let mut text = format!("HTTP/1.1 {status} x\r\n");
        for (name, value) in &self.headers {
            // Recorded bodies are already put together, with lengths of their own.
            if !["content-length", "transfer-encoding"].contains(&&*name.to_ascii_lowercase()) {
                write!(text, "{name}: {value}\r\n").expect("a String takes everything");
            }
        }
        write!(text, "content-length: {}\r\n\r\n{body}", body.len()).expect("a String takes everything");
        Some(text.into_bytes())
    }
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}
