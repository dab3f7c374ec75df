//! The templates of pages, parsed once.
//!
//! Everything that a template shows is escaped; a template that does not parse, or that names an asset or a text that does
//! not exist, is a failure of a test. Components (`templates/components/*.html`) are known to every template.

use std::sync::Arc;

use serde::Serialize;
use tera::{Context, Kwargs, State, Tera, TeraResult};

use super::assets::Assets;
use super::files::{File, Folder, Live};

static TEMPLATES: Live<Result<Tera, String>> = Live::new(Folder::Templates, parse);

fn parse(files: Vec<File>) -> Result<Tera, String> {
    let mut tera = Tera::new();
    tera.register_function("asset", asset);
    let texts: Vec<(String, String)> = files
        .into_iter()
        .map(|(path, content)| String::from_utf8(content).map(|text| (path, text)))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    tera.add_raw_templates(texts).map_err(|error| error.to_string())?;
    Ok(tera)
}

/// `asset(path="js/page.js")`: the address of a file of `static/`.
#[expect(clippy::needless_pass_by_value, reason = "the form that the template engine calls")]
fn asset(arguments: Kwargs, state: &State) -> TeraResult<String> {
    let path: String = arguments.must_get("path")?;
    let base: String = state.get("base")?.unwrap_or_default();
    let address = Assets::current().address(&path);
    address.map(|address| base + &address).ok_or_else(|| tera::Error::message(format!("there is no asset {path}")))
}

/// Renders a template with a context.
///
/// # Errors
/// What is wrong with the templates; with those of a release nothing is.
pub(super) fn render(name: &str, context: &Context) -> Result<String, String> {
    let tera = templates();
    let tera = tera.as_ref().as_ref().map_err(Clone::clone)?;
    tera.render(name, context).map_err(|error| error.to_string())
}

/// A context of two parts, the second being that of the page.
pub(super) fn context(frame: &impl Serialize, view: &impl Serialize) -> Result<Context, String> {
    let mut context = Context::from_serialize(frame).map_err(|error| error.to_string())?;
    context.extend(Context::from_serialize(view).map_err(|error| error.to_string())?);
    Ok(context)
}

fn templates() -> Arc<Result<Tera, String>> {
    TEMPLATES.get()
}
