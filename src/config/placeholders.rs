//! `${NAME:default}` inside values, as Spring resolves it: the name is looked up in the environment and among all other
//! keys, the source that wins elsewhere wins here too; a default may hold placeholders again.

use std::cell::RefCell;
use std::collections::HashSet;

use super::entry::Entry;
use super::error::Source;
use super::keys::{self, letters, relaxed};

/// Placeholders inside placeholders; more of them go round in circles.
const DEEPEST: usize = 16;
/// Longest text that comes out.
const LONGEST: usize = 64 * 1024;

/// Resolves placeholders among these entries, of which the last ones win.
#[derive(Debug)]
pub struct Placeholders<'a> {
    entries: &'a [Entry],
    used: RefCell<HashSet<String>>,
}

impl<'a> Placeholders<'a> {
    /// Of these entries the last ones win.
    pub fn new(entries: &'a [Entry]) -> Self {
        Self { entries, used: RefCell::default() }
    }

    /// The text of an entry with its placeholders resolved.
    ///
    /// # Errors
    /// The placeholder that cannot be.
    pub fn resolve(&self, entry: &Entry) -> Result<String, String> {
        if entry.literal { Ok(entry.text.clone()) } else { self.text(&entry.text, 0) }
    }

    /// Whether some placeholder has named this entry.
    pub fn is_used(&self, name: &str) -> bool {
        self.used.borrow().contains(name)
    }

    fn text(&self, text: &str, depth: usize) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let Some(end) = closing(&rest[start + 2..]) else { break };
            out.push_str(&rest[..start]);
            let inner = &rest[start + 2..start + 2 + end];
            out.push_str(&self.placeholder(inner, depth + 1)?);
            rest = &rest[start + 3 + end..];
            if out.len() > LONGEST {
                return Err("its placeholders make an endless text".into());
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    fn placeholder(&self, inner: &str, depth: usize) -> Result<String, String> {
        if depth > DEEPEST {
            return Err("its placeholders go round in circles".into());
        }
        let (written, default) = name_and_default(inner);
        let name = self.text(written, depth)?;
        let name = name.trim();
        if let Some(entry) = self.entries.iter().rev().find(|entry| is_meant(entry, name)) {
            self.used.borrow_mut().insert(entry.name.clone());
            return if entry.literal { Ok(entry.text.clone()) } else { self.text(&entry.text, depth) };
        }
        match default {
            Some(default) => self.text(default, depth),
            // As written: what stands for a placeholder inside the name may be a secret.
            None => Err(format!("nothing gives the placeholder `{written}` a value")),
        }
    }
}

/// Where the brace that opened before this text is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous = b' ';
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if previous == b'$' => depth += 1,
            b'}' if depth == 0 => return Some(index),
            b'}' => depth -= 1,
            _ => {}
        }
        previous = byte;
    }
    None
}

/// The name, and what follows the first colon that is not inside another placeholder.
fn name_and_default(inner: &str) -> (&str, Option<&str>) {
    let mut depth = 0_usize;
    for (index, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return (&inner[..index], Some(&inner[index + 1..])),
            _ => {}
        }
    }
    (inner, None)
}

fn is_meant(entry: &Entry, name: &str) -> bool {
    if letters(name).is_empty() {
        return false;
    }
    if matches!(entry.source, Source::Variable(_)) && letters(&entry.name) == letters(name) {
        return true;
    }
    if relaxed(&entry.name) == relaxed(name) {
        return true;
    }
    // The same key under another of its names.
    keys::find(name).zip(entry.found.as_ref()).is_some_and(|(wanted, found)| {
        std::ptr::eq(wanted.key, found.key) && wanted.rest.is_none() && found.rest.is_none()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries() -> Vec<Entry> {
        let file = || Source::File { path: "a".into(), line: None };
        vec![
            Entry::new("db.host", "file-host", file()),
            Entry::new("db.url", "jdbc:mysql://${db.host}:${DB_PORT:3306}/d", file()),
            Entry::new("a", "${b}", file()),
            Entry::new("b", "${a}", file()),
            Entry::new("fat", "${thin}${thin}${thin}${thin}", file()),
            Entry::new("thin", "x".repeat(20_000), file()),
            Entry::new("server.port", "8081", file()),
            Entry::of_variable("DB_NAME", "from-environment"),
            Entry::new("db.name", "from-command-line", Source::CommandLine),
        ]
    }

    fn resolve(text: &str) -> Result<String, String> {
        Placeholders::new(&entries()).text(text, 0)
    }

    #[test]
    fn names_are_found_in_every_source() {
        for (text, value) in [
            ("plain", "plain"),
            ("${db.url}", "jdbc:mysql://file-host:3306/d"),
            ("${db.name}", "from-command-line"),
            ("${DB_NAME}", "from-environment"),
            ("${SERVER.PORT}", "8081"),
            ("${none:x}", "x"),
            ("${none:}", ""),
            ("${none:a:b}", "a:b"),
            ("${none:${none2:${db.host}}}", "file-host"),
            ("${db.${none:host}}", "file-host"),
            ("a${none:b}c${none:d}", "abcd"),
            ("${open", "${open"),
            ("$5 {x}", "$5 {x}"),
        ] {
            assert_eq!(resolve(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_or_no_end_is_refused() {
        assert_eq!(resolve("${none}"), Err("nothing gives the placeholder `none` a value".into()));
        assert_eq!(resolve("${a}"), Err("its placeholders go round in circles".into()));
        assert!(resolve("${fat}").is_err());
    }

    proptest! {
        #[test]
        fn nothing_makes_the_resolver_panic(text in "[${}:a.bä]{0,40}") {
            let _ = resolve(&text);
        }
    }
}
