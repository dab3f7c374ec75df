//! `xxl-job-admin.toml`: tables become dotted names, lists of plain values one text with commas. Each value keeps its
//! line. Bearer tokens, the only thing that is not a plain setting, are read here.

use std::path::Path;

use jiff::civil::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::entry::Entry;
use super::error::{Fault, Source};
use super::settings::{ApiToken, Scope};

/// The content of a file.
#[derive(Debug, Default)]
pub struct TomlFile {
    /// Its settings.
    pub entries: Vec<Entry>,
    /// Its bearer tokens.
    pub api_tokens: Vec<ApiToken>,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// Reads a file; with no path it is the built-in one.
pub fn parse(text: &str, path: Option<&Path>) -> TomlFile {
    let mut file = TomlFile::default();
    let place = Place { text, path };
    match DeTable::parse(text) {
        Ok(table) => file.table("", table.get_ref(), &place),
        Err(error) => {
            let line = error.span().map_or(1, |span| place.line(span.start));
            let key = path.map_or_else(|| "config.default.toml".into(), |path| path.display().to_string());
            let wrong = format!("line {line} is not TOML: {}", error.message());
            file.faults.push(Fault::new(key, None, wrong, "a TOML file"));
        }
    }
    file
}

struct Place<'a> {
    text: &'a str,
    path: Option<&'a Path>,
}

impl Place<'_> {
    fn line(&self, offset: usize) -> usize {
        self.text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
    }

    fn source(&self, offset: usize) -> Source {
        self.path.map_or(Source::Default, |path| Source::File { path: path.to_owned(), line: Some(self.line(offset)) })
    }
}

impl TomlFile {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>, place: &Place<'_>) {
        for (key, value) in table {
            let key_text = key.get_ref();
            let name = if prefix.is_empty() { key_text.to_string() } else { format!("{prefix}.{key_text}") };
            self.value(&name, value, place, key.span().start);
        }
    }

    fn value(&mut self, name: &str, value: &Spanned<DeValue<'_>>, place: &Place<'_>, offset: usize) {
        match value.get_ref() {
            DeValue::Table(table) => self.table(name, table, place),
            DeValue::Array(items) if name == "api-token" => {
                for item in items {
                    self.api_token(item, place);
                }
            }
            DeValue::Array(items) => {
                match items.iter().map(|item| scalar(item.get_ref())).collect::<Option<Vec<_>>>() {
                    Some(texts) => {
                        self.entries.push(Entry::new(name, texts.join(","), place.source(offset)).literally());
                    }
                    None => self.faults.push(Fault::new(
                        name,
                        Some(place.source(offset)),
                        "it is a list of something else than plain values",
                        "a list of texts or numbers",
                    )),
                }
            }
            plain => {
                let text = scalar(plain).unwrap_or_default();
                self.entries.push(Entry::new(name, text, place.source(offset)).literally());
            }
        }
    }

    fn api_token(&mut self, item: &Spanned<DeValue<'_>>, place: &Place<'_>) {
        let parsed = match item.get_ref() {
            DeValue::Table(table) => read_api_token(table),
            _ => Err("it is not a table".into()),
        };
        match parsed {
            Ok(token) if self.api_tokens.iter().any(|other| other.name == token.name) => self.faults.push(Fault::new(
                "api-token",
                Some(place.source(item.span().start)),
                format!("the name `{}` is there twice", token.name),
                "a name of its own for each token",
            )),
            Ok(token) => self.api_tokens.push(token),
            Err(wrong) => self.faults.push(Fault::new(
                "api-token",
                Some(place.source(item.span().start)),
                wrong,
                "name, hash (`sha256:` and 64 hexadecimal digits), scope (read, operate or administer), groups, expires",
            )),
        }
    }
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(i64::from_str_radix(number.as_str(), number.radix()).ok()?.to_string()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(truth) => Some(truth.to_string()),
        DeValue::Datetime(time) => Some(time.to_string()),
        DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn read_api_token(table: &DeTable<'_>) -> Result<ApiToken, String> {
    let (mut name, mut sha256, mut scope, mut groups, mut expires) = (None, None, None, Vec::new(), None);
    for (key, value) in table {
        let text = scalar(value.get_ref());
        match (key.get_ref().as_ref(), value.get_ref(), text) {
            ("name", _, Some(text)) if !text.is_empty() => name = Some(text),
            // A wrong hash is not repeated: it may be the token itself.
            ("hash", _, Some(text)) => sha256 = Some(hash(&text).ok_or("the hash is malformed")?),
            ("scope", _, Some(text)) => {
                scope = Some(match text.as_str() {
                    "read" => Scope::Read,
                    "operate" => Scope::Operate,
                    "administer" => Scope::Administer,
                    other => return Err(format!("there is no scope `{other}`")),
                });
            }
            ("groups", DeValue::Array(items), _) => {
                let names: Option<Vec<String>> = items.iter().map(|item| scalar(item.get_ref())).collect();
                groups = names.ok_or("groups is not a list of app names")?;
            }
            ("expires", _, Some(text)) => {
                expires = Some(text.parse::<Date>().map_err(|_| format!("`{text}` is not a date such as 2027-01-31"))?);
            }
            (other, ..) => return Err(format!("`{other}` is unknown or of a wrong kind")),
        }
    }
    Ok(ApiToken {
        name: name.ok_or("the name is missing")?,
        sha256: sha256.ok_or("the hash is missing")?,
        scope: scope.ok_or("the scope is missing")?,
        groups,
        expires,
    })
}

fn hash(text: &str) -> Option<[u8; 32]> {
    hex::decode(text.strip_prefix("sha256:")?).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_names_and_values_keep_their_lines() {
        let text = "drain-timeout = 5\n[console]\ndialect = \"3\"\ncors-origins = [\"http://a\", \"http://b\"]\n\
                    [executor.tokens]\n\"my.app\" = \"x${y}\"\n";
        let file = parse(text, Some(Path::new("a.toml")));
        assert_eq!(file.faults, []);
        let read: Vec<_> =
            file.entries.iter().map(|e| (e.name.as_str(), e.text.as_str(), e.source.to_string())).collect();
        assert_eq!(read.len(), 4);
        assert!(read.contains(&("drain-timeout", "5", "a.toml line 1".into())));
        assert!(read.contains(&("console.dialect", "3", "a.toml line 3".into())));
        assert!(read.contains(&("console.cors-origins", "http://a,http://b", "a.toml line 4".into())));
        assert!(read.contains(&("executor.tokens.my.app", "x${y}", "a.toml line 6".into())));
        assert!(file.entries.iter().all(|entry| entry.literal && entry.found.is_some()));
    }

    #[test]
    fn bearer_tokens_are_read() {
        let hash = "ab".repeat(32);
        let text = format!(
            "[[api-token]]\nname = \"ci\"\nhash = \"sha256:{hash}\"\nscope = \"operate\"\ngroups = [\"a\"]\nexpires = 2027-01-31\n"
        );
        let file = parse(&text, None);
        assert_eq!(file.faults, []);
        assert_eq!(
            file.api_tokens,
            [ApiToken {
                name: "ci".into(),
                sha256: [0xab; 32],
                scope: Scope::Operate,
                groups: vec!["a".into()],
                expires: Some(Date::constant(2027, 1, 31)),
            }]
        );
        for wrong in [
            "name = \"ci\"".to_owned(),
            format!("name = \"ci\"\nscope = \"read\"\nhash = \"{hash}\""),
            format!("name = \"ci\"\nscope = \"all\"\nhash = \"sha256:{hash}\""),
            format!("name = \"ci\"\nscope = \"read\"\nhash = \"sha256:{hash}\"\nexpires = \"soon\""),
            format!("name = \"ci\"\nscope = \"read\"\nhash = \"sha256:{hash}\"\ngroup = [\"a\"]"),
        ] {
            let file = parse(&format!("[[api-token]]\n{wrong}\n"), None);
            assert_eq!((file.faults.len(), file.api_tokens.len()), (1, 0), "{wrong}");
            assert!(!file.faults[0].to_string().contains(&hash));
        }
        let twice = text.repeat(2);
        assert_eq!(parse(&twice, None).faults.len(), 1);
    }

    #[test]
    fn what_is_not_toml_is_told_with_its_line() {
        let file = parse("a = 1\nb = = 2\n", Some(Path::new("a.toml")));
        assert_eq!(file.faults.len(), 1);
        assert!(file.faults[0].to_string().starts_with("a.toml: line 2 is not TOML"), "{}", file.faults[0]);
    }
}
