//! Rules that templates, scripts and styles keep, whoever writes them.

use std::collections::{BTreeMap, BTreeSet};

use super::assets::Assets;
use super::files::Folder;
use super::texts;
use crate::i18n::Locale;

fn sources(folder: Folder, ending: &str) -> Vec<(String, String)> {
    let own = |(path, _): &(String, Vec<u8>)| path.ends_with(ending) && !path.starts_with("vendor/");
    let text = |(path, content)| (path, String::from_utf8(content).expect("UTF-8"));
    let found: Vec<_> = folder.read().into_iter().filter(own).map(text).collect();
    assert!(!found.is_empty(), "the sources are there");
    found
}

/// What stands between each `before` and the next `after`.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| Some(rest.split_once(after)?.0))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn no_faults(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn templates_hold_no_scripts_and_no_styles() {
    let mut faults = Vec::new();
    for (path, text) in sources(Folder::Templates, ".html") {
        for tag in between(&text, "<script", ">") {
            let is_data = tag.contains(r#"type="application/json""#);
            let is_module = tag.contains(r#"type="module""#) && tag.contains("src=");
            if !is_data && !is_module {
                faults.push(format!("{path}: <script{tag}>"));
            }
        }
        for word in ["<style", " style=", "javascript:", " onclick=", " onload=", " onchange=", " onsubmit="] {
            if text.contains(word) {
                faults.push(format!("{path}: {word}"));
            }
        }
        for safe in text.match_indices("| safe").filter_map(|(at, _)| text[..at].rsplit("{{").next()) {
            faults.push(format!("{path}: {safe}| safe"));
        }
        // A link may lead elsewhere; nothing is loaded from there.
        let elsewhere = text.match_indices("https://").chain(text.match_indices("http://"));
        if elsewhere.map(|(at, _)| at).any(|at| !text[..at].ends_with("<a href=\"")) {
            faults.push(format!("{path}: an address of another host"));
        }
    }
    no_faults(&faults);
}

#[test]
fn scripts_build_elements_and_never_parse_markup() {
    let forbidden = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "DOMParser",
        "setAttribute('style'",
        "createContextualFragment",
        "https://",
    ];
    let mut faults = Vec::new();
    for (path, text) in sources(Folder::Static, ".js") {
        faults.extend(forbidden.iter().filter(|word| text.contains(**word)).map(|word| format!("{path}: {word}")));
        for import in between(&text, "from './", "'").chain(between(&text, "import './", "'")) {
            if Assets::current().address(&format!("js/{import}")).is_none() {
                faults.push(format!("{path} imports {import}, which is not there"));
            }
        }
    }
    no_faults(&faults);
}

#[test]
fn assets_that_templates_name_are_there() {
    let mut faults = Vec::new();
    for (path, text) in sources(Folder::Templates, ".html") {
        for named in between(&text, r#"asset(path=""#, r#"")"#).filter(|named| !named.contains('"')) {
            let is_optional = named.starts_with("vendor/");
            if !is_optional && Assets::current().address(named).is_none() {
                faults.push(format!("{path} names {named}"));
            }
        }
    }
    let icons = Folder::Static.read().into_iter().find(|(path, _)| path == "icons.svg").expect("the icons");
    let icons = String::from_utf8(icons.1).expect("UTF-8");
    let known: BTreeSet<&str> = between(&icons, r#"<symbol id=""#, "\"").collect();
    let templates = sources(Folder::Templates, ".html")
        .into_iter()
        .map(|(path, text)| (path, text, r#"icon=""#, r#"<ui.icon name=""#, "\""));
    let scripts = sources(Folder::Static, ".js").into_iter().map(|(path, text)| (path, text, "icon: '", "icon('", "'"));
    for (path, text, one, other, end) in templates.chain(scripts) {
        let named = between(&text, one, end)
            .chain(between(&text, other, end))
            .filter(|name| !name.is_empty() && !name.contains('{'));
        faults.extend(named.filter(|name| !known.contains(name)).map(|name| format!("{path} names the icon {name}")));
    }
    no_faults(&faults);
}

/// The texts that templates and scripts name: whole keys, and beginnings of keys that a script completes.
fn named_texts(files: &BTreeSet<&str>) -> (BTreeMap<String, String>, BTreeSet<String>) {
    let (mut keys, mut beginnings) = (BTreeMap::new(), BTreeSet::new());
    for (path, text) in sources(Folder::Templates, ".html") {
        for (at, _) in text.match_indices("t.") {
            if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.') {
                continue;
            }
            let word = text[at + 2..].split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).next();
            if let Some((file, key)) = word.and_then(|word| word.split_once('.'))
                && is_name(file)
            {
                keys.insert(format!("{file}.{key}"), path.clone());
            }
        }
    }
    for (path, text) in sources(Folder::Static, ".js") {
        for word in text.split('\'') {
            if let Some((file, key)) = word.split_once('.')
                && files.contains(file)
                && is_name(key)
            {
                keys.insert(word.to_owned(), path.clone());
            }
        }
        beginnings.extend(between(&text, "t(`", "${").map(str::to_owned));
    }
    (keys, beginnings)
}

#[test]
fn texts_that_pages_name_are_there_and_each_is_named() {
    let texts = texts::texts(Locale::En);
    let files: BTreeSet<&str> = texts.keys().map(String::as_str).collect();
    let (named, beginnings) = named_texts(&files);
    let known: BTreeSet<String> =
        texts.iter().flat_map(|(file, keys)| keys.keys().map(move |key| format!("{file}.{key}"))).collect();
    let missing =
        named.iter().filter(|(key, _)| !known.contains(*key)).map(|(key, path)| format!("{path} names {key}"));
    let begins = |key: &String| beginnings.iter().any(|beginning| key.starts_with(beginning));
    let unused =
        known.iter().filter(|key| !named.contains_key(*key) && !begins(key)).map(|key| format!("nobody names {key}"));
    no_faults(&missing.chain(unused).collect::<Vec<_>>());
}

#[test]
fn a_page_with_a_list_stays_small() {
    // A list page may have 120 KB with its HTML and its rows.
    const MOST: usize = 90 * 1024;
    const EDITOR: usize = 200 * 1024;
    let assets = Assets::current();
    let mut sum = 0;
    for (path, whole, compressed) in assets.sizes() {
        println!("{path:24} {whole:7} {compressed:7}");
        if path == "vendor/editor.js" {
            assert!(compressed <= EDITOR, "the editor has {compressed} bytes");
        } else if path != "js/components.js" && !path.starts_with("vendor/") {
            sum += compressed;
        }
    }
    // All modules together, though no page loads all of them.
    println!("{:24} {:7} {sum:7}", "styles, scripts, icons", "");
    assert!(sum <= MOST, "styles and scripts have {sum} bytes when compressed");
}

/// Custom properties of the first block that begins with this.
fn properties(styles: &str, start: &str) -> BTreeMap<String, String> {
    let at = styles.find(start).unwrap_or_else(|| panic!("{start} is there")) + start.len();
    let block = styles[at..].split('}').next().unwrap_or_default();
    let pairs = block.split(';').filter_map(|line| line.trim().split_once(':'));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

/// Relative luminance of `#rrggbb` (WCAG 2.2).
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("a hexadecimal colour")) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

#[test]
fn colours_can_be_told_apart_in_both_themes() {
    let tokens = sources(Folder::Static, "tokens.css").pop().expect("the tokens").1;
    let light = properties(&tokens, ":root {");
    let dark = properties(&tokens, ":root[data-theme=\"dark\"] {");
    assert_eq!(properties(&tokens, ":root:not([data-theme=\"light\"]) {"), dark, "dark is the same, chosen or found");

    const TEXT: f64 = 4.5;
    const SHAPE: f64 = 3.0;
    let mut pairs = vec![
        ("--on-accent", "--accent", TEXT),
        ("--on-accent", "--accent-hover", TEXT),
        ("--on-danger", "--danger", TEXT),
        ("--accent-text", "--accent-soft", TEXT),
        ("--border-input", "--surface", SHAPE),
        ("--focus", "--surface", SHAPE),
        ("--focus", "--bg", SHAPE),
        ("--ok-solid", "--surface", SHAPE),
        ("--fail-solid", "--surface", SHAPE),
        ("--run-solid", "--surface", SHAPE),
    ];
    for ground in ["--surface", "--surface-2", "--bg", "--sidebar-bg"] {
        for text in ["--text", "--text-2", "--text-3", "--accent-text", "--fail"] {
            pairs.push((text, ground, TEXT));
        }
    }
    for text in ["--code-keyword", "--code-string", "--code-comment", "--code-number", "--code-name", "--code-variable"]
    {
        pairs.push((text, "--surface", TEXT));
    }
    for (text, ground) in [
        ("--ok", "--ok-soft"),
        ("--fail", "--fail-soft"),
        ("--warn", "--warn-soft"),
        ("--run", "--run-soft"),
        ("--idle", "--idle-soft"),
        ("--text", "--surface-3"),
        ("--text-2", "--surface-3"),
    ] {
        pairs.push((text, ground, TEXT));
    }
    let mut faults = Vec::new();
    for (theme, colours) in [("light", &light), ("dark", &dark)] {
        for (one, other, least) in &pairs {
            let (a, b) = (luminance(&colours[*one]), luminance(&colours[*other]));
            let ratio = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            if ratio < *least {
                faults.push(format!("{theme}: {one} on {other} has {ratio:.2}, needs {least}"));
            }
        }
    }
    no_faults(&faults);
}
