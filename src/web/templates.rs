//! The templates of pages, parsed once, and the functions that they may call.
//!
//! Whatever is put into a template is encoded for HTML, so no text of a user is ever markup or template. A template that
//! does not parse, or that names an asset or a text that does not exist, fails a test. Components
//! (`templates/components/*.html`) are known to every template.

use std::io::Write;
use std::sync::Arc;

use serde::Serialize;
use tera::{Context, Kwargs, State, Tera, TeraResult, Value};

use super::assets::Assets;
use super::files::{File, Folder, Live};
use super::texts;
use crate::i18n::Locale;

static TEMPLATES: Live<Result<Tera, String>> =
    Live::new(Folder::Templates, |files| parse(files).map_err(|error| error.to_string()));

fn parse(files: Vec<File>) -> Result<Tera, Box<dyn std::error::Error>> {
    let mut tera = Tera::new();
    tera.set_escape_fn(escape);
    tera.register_function("asset", asset);
    tera.register_function("texts", page_texts);
    let text = |(path, content)| String::from_utf8(content).map(|content| (path, content));
    tera.add_raw_templates(files.into_iter().map(text).collect::<Result<Vec<(String, String)>, _>>()?)?;
    Ok(tera)
}

/// Encodes a text for HTML. A carriage return is encoded, too: browsers would drop it from a script.
fn escape(text: &str, into: &mut dyn Write) -> std::io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'', '\r']) {
        into.write_all(&rest.as_bytes()[..at])?;
        into.write_all(match rest.as_bytes()[at] {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&#39;",
            _ => b"&#13;",
        })?;
        rest = &rest[at + 1..];
    }
    into.write_all(rest.as_bytes())
}

/// `asset(path="js/page.js")`: the address of a file of `static/`. With `optional=true` it is empty when there is none.
#[expect(clippy::needless_pass_by_value, reason = "the form that the template engine calls")]
fn asset(arguments: Kwargs, state: &State) -> TeraResult<String> {
    let path: String = arguments.must_get("path")?;
    let is_optional: bool = arguments.get("optional")?.unwrap_or_default();
    let base: String = state.get("base")?.unwrap_or_default();
    match Assets::current().address(&path) {
        Some(address) => Ok(base + &address),
        None if is_optional => Ok(String::new()),
        None => Err(tera::Error::message(format!("there is no asset {path}"))),
    }
}

/// `texts(files=["words", "jobs"])`: the texts of some files as JSON, for the scripts of a page.
#[expect(clippy::needless_pass_by_value, reason = "the form that the template engine calls")]
fn page_texts(arguments: Kwargs, state: &State) -> TeraResult<Value> {
    let files: Vec<String> = arguments.must_get("files")?;
    let language: String = state.get("language")?.unwrap_or_default();
    let locale = Locale::parse(&language).unwrap_or(Locale::En);
    let json = texts::as_json(&texts::texts(locale), &files).map_err(tera::Error::message)?;
    Ok(Value::safe_string(&json))
}

/// Renders a template with what it shows.
///
/// # Errors
/// What is wrong with the templates; with those of a release nothing is.
pub(super) fn render(name: &str, view: &impl Serialize) -> Result<String, String> {
    let tera = templates();
    let tera = tera.as_ref().as_ref().map_err(Clone::clone)?;
    Context::from_serialize(view).and_then(|context| tera.render(name, &context)).map_err(|error| error.to_string())
}

fn templates() -> Arc<Result<Tera, String>> {
    TEMPLATES.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = Vec::new();
        escape(text, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn texts_are_encoded() {
        assert_eq!(escaped("<a href='x'>&\"中\r\n"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;中&#13;\n");
        assert_eq!(escaped("{{ 7*7 }}"), "{{ 7*7 }}");
    }

    #[test]
    fn every_template_parses() {
        let parsed = templates();
        let tera = parsed.as_ref().as_ref().unwrap_or_else(|error| panic!("{error}"));
        assert!(tera.contains_template("layout.html"));
        assert!(tera.contains_component("ui.button"));
    }
}
