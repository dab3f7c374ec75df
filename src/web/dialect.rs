//! The dialect of the console API that a call is answered in.
//!
//! The Java admins have had three: 2.3 – 3.1, 3.2, and 3.3 – 3.4. All of their paths are served, so a call must say by some
//! sign which of them its maker knows; this one place reads the signs. [`super::envelope`] and `rows` write.

use actix_web::http::header::HeaderMap;

pub use crate::config::settings::Dialect;

/// Header of a request that names its dialect, and of the answers that say which one they are in.
pub const HEADER: &str = "X-XXL-Dialect";

/// Name of the login cookie of the releases to 3.1.
pub const COOKIE_2: &str = "XXL_JOB_LOGIN_IDENTITY";

impl Dialect {
    /// All of them.
    pub const ALL: &[Self] = &[Self::V2, Self::V3_2, Self::V3];
    /// Those of the releases to 3.2.
    pub const TO_3_2: &[Self] = &[Self::V2, Self::V3_2];
    /// Those of the releases from 3.2.
    pub const FROM_3_2: &[Self] = &[Self::V3_2, Self::V3];
    /// That of the releases to 3.1.
    pub const ONLY_2: &[Self] = &[Self::V2];
    /// That of the releases from 3.3.
    pub const ONLY_3: &[Self] = &[Self::V3];

    /// Path of the page that leads to a login, below the context path.
    pub const fn login_page(self) -> &'static str {
        match self {
            Self::V2 => "/toLogin",
            Self::V3_2 | Self::V3 => "/auth/login",
        }
    }

    /// Its word in the setting `console.dialect` and in [`HEADER`].
    pub const fn word(self) -> &'static str {
        match self {
            Self::V2 => "2",
            Self::V3_2 => "3.2",
            Self::V3 => "3",
        }
    }

    /// Whether it is one of the releases from 3.2: the cookie with a token, pages for what is wrong with a call.
    pub const fn is_3(self) -> bool {
        matches!(self, Self::V3_2 | Self::V3)
    }

    /// The dialect that a call names itself.
    pub fn named(headers: &HeaderMap) -> Option<Self> {
        let word = headers.get(HEADER)?.to_str().ok()?.trim();
        Self::ALL.iter().copied().find(|dialect| dialect.word() == word)
    }
}

/// What a site's settings say about dialects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The dialect of calls that give no sign.
    pub default: Dialect,
    /// That one alone is spoken.
    pub strict: bool,
    /// Name of the login cookie of the releases from 3.2.
    pub token_cookie: String,
}

/// The signs in a call, the strongest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Signs {
    /// It says so itself.
    pub named: Option<Dialect>,
    /// The dialects that have the path; empty = unknown.
    pub path: &'static [Dialect],
    /// It uses a parameter of 3.3 – `offset`, `pagesize`, `ids[]` or `ids` – or else one of the releases before: `start`,
    /// `length`, or `id` to start or stop a job.
    pub parameter: Option<Dialect>,
    /// What earlier calls of this login said.
    pub habit: Option<Dialect>,
    /// A login cookie came, of one generation alone.
    pub cookie: Option<Dialect>,
}

/// The dialect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The dialect.
    pub dialect: Dialect,
    /// The path or a parameter said so, which tells how later calls of the same login are meant.
    pub is_telling: bool,
}

impl Signs {
    /// The dialect that these signs speak for.
    pub fn choose(&self, ruling: &Ruling) -> Choice {
        if ruling.strict {
            return Choice { dialect: ruling.default, is_telling: false };
        }
        if let Some(dialect) = self.named {
            return Choice { dialect, is_telling: false };
        }
        let told = self.by_path().or(self.parameter);
        let dialect = told.or(self.habit).or(self.cookie).unwrap_or(ruling.default);
        Choice { dialect: self.as_3_2(dialect, ruling), is_telling: told.is_some() }
    }

    fn by_path(&self) -> Option<Dialect> {
        match (self.path.contains(&Dialect::V2), self.path.contains(&Dialect::V3)) {
            (true, false) => Some(Dialect::V2),
            (false, true) => Some(Dialect::V3),
            _ => None,
        }
    }

    /// At a site of 3.2 every call that 3.2.0 has is one of that dialect: it shares its paths and signs with the others.
    fn as_3_2(&self, dialect: Dialect, ruling: &Ruling) -> Dialect {
        let has_path = self.path.is_empty() || self.path.contains(&Dialect::V3_2);
        if ruling.default == Dialect::V3_2 && has_path && self.parameter != Some(Dialect::V3) {
            Dialect::V3_2
        } else {
            dialect
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruling(default: Dialect) -> Ruling {
        Ruling { default, strict: false, token_cookie: "xxl_job_login_token".into() }
    }

    fn shape(signs: Signs, default: Dialect) -> &'static str {
        signs.choose(&ruling(default)).dialect.word()
    }

    /// Every combination of cookies and parameters on a path that all dialects have.
    #[test]
    fn parameters_count_before_habits_habits_before_cookies_and_cookies_before_the_setting() {
        let all = Signs { path: Dialect::ALL, ..Signs::default() };
        for cookie in [Some(Dialect::V2), Some(Dialect::V3), None] {
            let call = Signs { cookie, ..all };
            for default in [Dialect::V2, Dialect::V3] {
                assert_eq!(shape(call, default), cookie.unwrap_or(default).word());
                for told in [Dialect::V2, Dialect::V3] {
                    let other = if told == Dialect::V2 { Dialect::V3 } else { Dialect::V2 };
                    assert_eq!(shape(Signs { habit: Some(told), ..call }, default), told.word());
                    let by_parameter = Signs { parameter: Some(told), habit: Some(other), ..call };
                    assert_eq!(shape(by_parameter, default), told.word());
                    assert_eq!(shape(Signs { named: Some(other), ..by_parameter }, default), other.word());
                }
            }
        }
    }

    #[test]
    fn a_path_of_one_family_counts_before_parameters() {
        for (path, word) in
            [(Dialect::ONLY_2, "2"), (Dialect::TO_3_2, "2"), (Dialect::FROM_3_2, "3"), (Dialect::ONLY_3, "3")]
        {
            let call = Signs { path, parameter: Some(Dialect::V3), ..Signs::default() };
            assert_eq!(shape(call, Dialect::V2), word);
            assert!(call.choose(&ruling(Dialect::V2)).is_telling);
        }
    }

    #[test]
    fn a_site_of_3_2_answers_what_3_2_has_in_its_shape() {
        let at_3_2 = |signs: Signs| shape(signs, Dialect::V3_2);
        assert_eq!(at_3_2(Signs { path: Dialect::TO_3_2, ..Signs::default() }), "3.2");
        assert_eq!(at_3_2(Signs { path: Dialect::FROM_3_2, ..Signs::default() }), "3.2");
        assert_eq!(at_3_2(Signs { path: Dialect::ALL, parameter: Some(Dialect::V2), ..Signs::default() }), "3.2");
        assert_eq!(at_3_2(Signs { path: Dialect::ALL, cookie: Some(Dialect::V3), ..Signs::default() }), "3.2");
        assert_eq!(at_3_2(Signs { path: Dialect::ALL, parameter: Some(Dialect::V3), ..Signs::default() }), "3");
        assert_eq!(at_3_2(Signs { path: Dialect::ONLY_2, ..Signs::default() }), "2");
        assert_eq!(at_3_2(Signs { path: Dialect::ONLY_3, ..Signs::default() }), "3");
    }

    #[test]
    fn strict_means_one_dialect_whatever_a_call_says() {
        let strict = Ruling { strict: true, ..ruling(Dialect::V2) };
        let call =
            Signs { named: Some(Dialect::V3), path: Dialect::ONLY_3, parameter: Some(Dialect::V3), ..Signs::default() };
        assert_eq!(call.choose(&strict), Choice { dialect: Dialect::V2, is_telling: false });
    }
}
