//! Texts for people: parts of the language files and literal pieces, joined without a blank as the Java admin does. They
//! become a text in one language only at the edge, so whoever refuses something need not know the language.

use crate::i18n::{self, Key, Locale};

/// A text in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message(Vec<Part>);

/// A part of a [`Message`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A text of the language files.
    Key(Key),
    /// The same in every language.
    Text(String),
}

impl From<Key> for Part {
    fn from(key: Key) -> Self {
        Self::Key(key)
    }
}
impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Message {
    /// A text of these parts.
    pub const fn new(parts: Vec<Part>) -> Self {
        Self(parts)
    }

    /// The text in this language.
    pub fn render(&self, locale: Locale) -> String {
        let text = |part: &Part| match part {
            Part::Key(key) => i18n::text(locale, *key).to_owned(),
            Part::Text(text) => text.clone(),
        };
        self.0.iter().map(text).collect()
    }
}

/// `message![Key::SystemPleaseInput, "AppName"]`
macro_rules! message {
    ($($part:expr),+ $(,)?) => {
        $crate::web::message::Message::new(vec![$($crate::web::message::Part::from($part)),+])
    };
}
pub(crate) use message;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_without_a_blank() {
        let text = message![Key::SystemPleaseInput, "AppName"];
        assert_eq!(text.render(Locale::ZhCn), "请输入AppName");
        assert_eq!(text.render(Locale::En), "please input AppName");
        assert_eq!(message!["Cron", Key::SystemUnvalid].render(Locale::En), "Cronillegal");
    }
}
