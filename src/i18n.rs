//! The three languages of the texts that are stored, mailed and answered.
//!
//! Mirrors `I18nUtil` of the Java admin: one flat list of names a language, the same names in all of them. Here a name is
//! a [`Key`], so a text that does not exist cannot be asked for, and the files are compiled in and read once. Where a
//! release changed a wording, both wordings are keys of their own (`…_since_3_3`, `…_to_2_3`) and the caller chooses by
//! its profile.

mod key;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use key::Key;

/// A language of `xxl.job.i18n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locale {
    /// Simplified Chinese.
    ZhCn,
    /// Traditional Chinese.
    ZhTc,
    /// English.
    En,
}

impl Locale {
    /// Every language.
    pub const ALL: [Self; 3] = [Self::ZhCn, Self::ZhTc, Self::En];

    /// The language of exactly this word: `zh_CN`, `zh_TC` or `en`.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|locale| locale.as_str() == word)
    }

    /// The word of `xxl.job.i18n`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ZhCn => "zh_CN",
            Self::ZhTc => "zh_TC",
            Self::En => "en",
        }
    }

    const fn source(self) -> &'static str {
        match self {
            Self::ZhCn => include_str!("../locales/zh_CN.toml"),
            Self::ZhTc => include_str!("../locales/zh_TC.toml"),
            Self::En => include_str!("../locales/en.toml"),
        }
    }
}

/// The texts of every language, each at the place of its key.
static TEXTS: LazyLock<[Vec<String>; 3]> = LazyLock::new(|| Locale::ALL.map(load));

/// A file that cannot be read or lacks a text gives the names instead of the texts; the tests rule out both.
fn load(locale: Locale) -> Vec<String> {
    let mut found: HashMap<String, String> = toml::from_str(locale.source()).unwrap_or_default();
    Key::ALL.iter().map(|key| found.remove(key.name()).unwrap_or_else(|| key.name().to_owned())).collect()
}

/// The text in this language.
pub fn text(locale: Locale, key: Key) -> &'static str {
    &TEXTS[locale as usize][key as usize]
}

/// Puts the arguments where `{0}`, `{1}` … stand. A number without argument, and any other brace, stays as it is.
pub fn format(text: &str, args: &[&str]) -> String {
    let mut out = String::with_capacity(text.len() + args.iter().map(|arg| arg.len()).sum::<usize>());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let placeholder = from.find('}').and_then(|close| Some((from[1..close].parse::<usize>().ok()?, close)));
        if let Some((arg, close)) = placeholder.and_then(|(index, close)| Some((args.get(index)?, close))) {
            out.push_str(arg);
            rest = &from[close + 1..];
        } else {
            out.push('{');
            rest = &from[1..];
        }
    }
    out + rest
}

/// A whole number as `java.text.MessageFormat` writes it: `1,234`.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::from(if number < 0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;

    fn file(locale: Locale) -> BTreeMap<String, String> {
        toml::from_str(locale.source()).expect("a flat file of texts")
    }

    fn placeholders(text: &str) -> Vec<&str> {
        let mut found: Vec<&str> = text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn the_files_have_exactly_the_keys() {
        let mut names: Vec<&str> = Key::ALL.iter().map(|key| key.name()).collect();
        names.sort_unstable();
        for locale in Locale::ALL {
            assert_eq!(file(locale).keys().map(String::as_str).collect::<Vec<_>>(), names, "{locale:?}");
        }
    }

    #[test]
    fn placeholders_agree_between_the_languages() {
        for key in Key::ALL {
            let [cn, tc, en] = Locale::ALL.map(|locale| placeholders(text(locale, *key)));
            assert_eq!(cn, en, "{key:?}");
            assert_eq!(tc, en, "{key:?}");
        }
    }

    /// Keys are enum variants, so one that neither the sources nor the templates name is a text that nobody can meet.
    #[test]
    fn every_key_is_used() {
        let mut sources = String::new();
        read_sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), "rs", &mut sources);
        let mut templates = String::new();
        read_sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/templates")), "html", &mut templates);
        let names = |text: &str, name: &str| {
            text.match_indices(name).any(|(at, found)| {
                !text[at + found.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
            })
        };
        let unused: Vec<&Key> = Key::ALL
            .iter()
            .filter(|key| {
                !names(&sources, &format!("Key::{key:?}")) && !names(&templates, &format!("t.{}", key.name()))
            })
            .collect();
        assert_eq!(unused, Vec::<&Key>::new());
    }

    fn read_sources(folder: &Path, ending: &str, into: &mut String) {
        for entry in std::fs::read_dir(folder).expect("readable folder") {
            let path = entry.expect("readable entry").path();
            if path.is_dir() {
                read_sources(&path, ending, into);
            } else if path.extension().is_some_and(|found| found == ending) {
                into.push_str(&std::fs::read_to_string(&path).expect("a source file"));
            }
        }
    }

    #[test]
    fn texts_are_those_of_the_java_admin() {
        assert_eq!(text(Locale::ZhCn, Key::JobconfTriggerRun), "触发调度");
        assert_eq!(text(Locale::ZhTc, Key::JobgroupFieldAddressType1), "手動登錄");
        assert_eq!(text(Locale::En, Key::JobconfTriggerExeRegtype), "Execotor-Registry Type");
        assert_eq!(text(Locale::En, Key::SystemPleaseInput), "please input ");
        assert_eq!(text(Locale::ZhCn, Key::JobinfoFieldAddSince33), "新增任务");
    }

    #[test]
    fn languages_parse_by_exact_word() {
        for locale in Locale::ALL {
            assert_eq!(Locale::parse(locale.as_str()), Some(locale));
        }
        assert_eq!(Locale::parse("zh_TW"), None);
        assert_eq!(Locale::parse("EN"), None);
    }

    #[test]
    fn arguments_go_to_their_places() {
        assert_eq!(format("{1}-{0}/{1}", &["a", "{0}"]), "{0}-a/{0}");
        assert_eq!(format("{2} {x} { {", &["a"]), "{2} {x} { {");
        assert_eq!(format("{{0}}", &["任"]), "{任}");
    }

    #[test]
    fn numbers_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1234, "1,234"), (-1234, "-1,234"), (1_000_000, "1,000,000")];
        for (number, shown) in cases {
            assert_eq!(grouped(number), shown);
        }
        assert_eq!(grouped(i64::MIN), "-9,223,372,036,854,775,808");
    }
}
