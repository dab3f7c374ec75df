//! The access token: what executors must show, and what they are shown.

use std::collections::HashMap;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use subtle::{Choice, ConstantTimeEq};

use super::json::is_blank;
use crate::config::settings::Settings;

/// How far a program reaches with its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The shared token: every executor group.
    AllGroups,
    /// The token of one app: the executor groups with its name.
    GroupsOfApp,
}

/// The token shared with all executors, and the tokens of single groups (from 3.5 each group has its own).
#[derive(Clone)]
pub struct Tokens {
    shared: SecretString,
    by_app: HashMap<String, SecretString>,
}

impl Tokens {
    /// `xxl.job.accessToken` and `executor.tokens`.
    pub const fn new(shared: SecretString, by_app: HashMap<String, SecretString>) -> Self {
        Self { shared, by_app }
    }

    /// The tokens of these settings.
    pub fn of(settings: &Settings) -> Self {
        Self::new(settings.job.access_token.clone(), settings.executor.tokens.clone())
    }

    /// Whether a request that shows this token and names these apps is let in: no token is configured, or it is the
    /// shared one, or that of one of the apps. An empty token is none. The comparison takes the same time wherever two
    /// tokens differ.
    pub fn admits<'a>(&self, shown: Option<&[u8]>, apps: impl IntoIterator<Item = &'a str>) -> bool {
        if is_blank(self.shared.expose_secret()) {
            return true;
        }
        let Some(shown) = shown.filter(|token| !token.is_empty()) else { return false };
        let mut same = equal(&self.shared, shown);
        for app in apps {
            if let Some(token) = self.by_app.get(app).filter(|token| !is_blank(token.expose_secret())) {
                same |= equal(token, shown);
            }
        }
        same.into()
    }

    /// How far a program reaches that names an app and shows a token; none when it is not let in. Unlike executors, nobody
    /// is let in where no token is configured.
    pub fn reach(&self, shown: &[u8], app: &str) -> Option<Reach> {
        let own = self.by_app.get(app).filter(|token| !is_blank(token.expose_secret()));
        let has_own = own.map_or_else(|| Choice::from(0), |token| equal(token, shown));
        let has_shared = !is_blank(self.shared.expose_secret()) & bool::from(equal(&self.shared, shown));
        if has_shared {
            return Some(Reach::AllGroups);
        }
        bool::from(has_own).then_some(Reach::GroupsOfApp)
    }

    /// Whether single groups have tokens of their own.
    pub fn has_app_tokens(&self) -> bool {
        !self.by_app.is_empty()
    }

    /// What the executors of this app are shown; none when nothing is configured.
    pub fn for_app(&self, app: &str) -> Option<&SecretString> {
        let token = self.by_app.get(app).unwrap_or(&self.shared);
        (!is_blank(token.expose_secret())).then_some(token)
    }
}

/// Shows no token.
impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("apps", &self.by_app.keys()).finish_non_exhaustive()
    }
}

fn equal(token: &SecretString, shown: &[u8]) -> Choice {
    token.expose_secret().as_bytes().ct_eq(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(shared: &str) -> Tokens {
        Tokens::new(shared.into(), HashMap::from([("demo".into(), "of-demo".into()), ("open".into(), " ".into())]))
    }

    #[test]
    fn the_shared_token_or_that_of_the_named_app_is_let_in() {
        let tokens = tokens("secret");
        assert!(tokens.admits(Some(b"secret"), []));
        assert!(tokens.admits(Some(b"of-demo"), ["demo"]));
        assert!(tokens.admits(Some(b"secret"), ["demo"]));
        assert!(!tokens.admits(Some(b"of-demo"), []));
        assert!(!tokens.admits(Some(b"of-demo"), ["other"]));
        assert!(!tokens.admits(Some(b" "), ["open"]));
        assert!(!tokens.admits(Some(b""), ["demo"]));
        assert!(!tokens.admits(Some(b"secre"), []));
        assert!(!tokens.admits(None, ["demo"]));
    }

    #[test]
    fn without_a_configured_token_everybody_is_let_in() {
        assert!(tokens("").admits(None, []));
        assert!(tokens("  ").admits(Some(b"anything"), []));
    }

    #[test]
    fn programs_reach_as_far_as_their_token() {
        let reach = |shared: &str, shown: &str, app: &str| tokens(shared).reach(shown.as_bytes(), app);
        assert_eq!(reach("secret", "secret", "demo"), Some(Reach::AllGroups));
        assert_eq!(reach("secret", "secret", "other"), Some(Reach::AllGroups));
        assert_eq!(reach("secret", "of-demo", "demo"), Some(Reach::GroupsOfApp));
        assert_eq!(reach("", "of-demo", "demo"), Some(Reach::GroupsOfApp));
        for (shared, shown, app) in [
            ("secret", "of-demo", "other"),
            ("secret", "wrong", "demo"),
            ("secret", "", "demo"),
            ("secret", " ", "open"),
            ("", "", "other"),
            (" ", " ", "other"),
            ("", "anything", "other"),
        ] {
            assert_eq!(reach(shared, shown, app), None, "{shared:?} {shown:?} {app}");
        }
    }

    #[test]
    fn executors_are_shown_their_own_token_first() {
        let tokens = tokens("secret");
        let shown = |app| tokens.for_app(app).map(|token| token.expose_secret().to_owned());
        assert_eq!(shown("demo").as_deref(), Some("of-demo"));
        assert_eq!(shown("other").as_deref(), Some("secret"));
        assert_eq!(shown("open"), None);
    }

    #[test]
    fn debug_shows_no_token() {
        let text = format!("{:?}", tokens("secret"));
        assert!(text.contains("demo") && !text.contains("secret") && !text.contains("of-demo"), "{text}");
    }
}
