//! The texts of the console's pages: `locales/console/*.toml`, a file a page, each text in three languages side by side.
//!
//! Texts that are stored, mailed or answered are [`crate::i18n`]'s; these are seen on pages alone. In a template a text is
//! `{{ t.file.key }}`, in a script `t('file.key')`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::files::{File, Folder, Live};
use crate::i18n::Locale;

/// Texts by file and key.
pub(super) type Texts = BTreeMap<String, BTreeMap<String, String>>;

/// A text in every language.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    en: String,
    #[serde(rename = "zh_CN")]
    zh_cn: String,
    #[serde(rename = "zh_TC")]
    zh_tc: String,
}

impl Text {
    fn take(self) -> [String; 3] {
        [self.zh_cn, self.zh_tc, self.en]
    }
}

static TEXTS: Live<[Arc<Texts>; 3]> = Live::new(Folder::Texts, load);

/// A file that cannot be read has no texts; a test rules that out.
fn load(files: Vec<File>) -> [Arc<Texts>; 3] {
    let mut loaded: [Texts; 3] = Default::default();
    for (path, content) in files {
        let Some(name) = path.strip_suffix(".toml") else { continue };
        for (key, text) in parse(&content).unwrap_or_default() {
            for (texts, text) in loaded.iter_mut().zip(text.take()) {
                texts.entry(name.to_owned()).or_default().insert(key.clone(), text);
            }
        }
    }
    loaded.map(Arc::new)
}

fn parse(content: &[u8]) -> Result<BTreeMap<String, Text>, toml::de::Error> {
    toml::from_slice(content)
}

/// The texts of a language.
pub(super) fn texts(locale: Locale) -> Arc<Texts> {
    TEXTS.get()[locale as usize].clone()
}

/// Some files of texts as JSON that may stand in a page: nothing in it can end the element around it.
///
/// # Errors
/// The name of a file that does not exist.
pub(super) fn as_json(texts: &Texts, files: &[String]) -> Result<String, String> {
    let known = |file: &String| Some((file.clone(), texts.get(file)?));
    let chosen: BTreeMap<String, _> = files
        .iter()
        .map(|file| known(file).ok_or_else(|| format!("there are no texts {file}")))
        .collect::<Result<_, _>>()?;
    let json = serde_json::to_string(&chosen).map_err(|error| error.to_string())?;
    Ok(json.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_every_text_in_three_languages_with_the_same_places() {
        let files = Folder::Texts.read();
        assert!(!files.is_empty());
        let places = |text: &str| {
            let mut places: Vec<&str> =
                text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)).collect();
            places.sort_unstable();
            places.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        for (path, content) in files {
            let parsed = parse(&content).unwrap_or_else(|error| panic!("{path}: {error}"));
            for (key, text) in parsed {
                let [cn, tc, en] = text.take();
                assert!(![&cn, &tc, &en].into_iter().any(|text| text.trim().is_empty()), "{path}: {key} is empty");
                assert_eq!(places(&cn), places(&en), "{path}: {key}");
                assert_eq!(places(&tc), places(&en), "{path}: {key}");
            }
        }
    }

    #[test]
    fn languages_stand_at_their_places() {
        assert_eq!(texts(Locale::En)["words"]["ok"], "Confirm");
        assert_eq!(texts(Locale::ZhCn)["words"]["ok"], "确定");
        assert_eq!(texts(Locale::ZhTc)["words"]["ok"], "確定");
    }

    #[test]
    fn json_cannot_end_the_script_around_it() {
        let text = BTreeMap::from([("a".to_owned(), "</script><b>".to_owned())]);
        let texts = Texts::from([("x".to_owned(), text)]);
        assert_eq!(as_json(&texts, &["x".into()]), Ok(r#"{"x":{"a":"\u003c/script>\u003cb>"}}"#.into()));
        assert!(as_json(&texts, &["y".into()]).is_err());
    }
}
