//! Which texts count as whole numbers: shards of a run, ids of child jobs.

use super::profile::Release;

/// The integer test of a release. Neither allows blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberRule {
    /// To 3.2: 32-bit numbers with an optional sign (`Integer.parseInt`).
    Signed,
    /// From 3.3: digits alone.
    Digits,
}

impl NumberRule {
    /// The rule of a release.
    pub fn of(release: Release) -> Self {
        if release >= Release::V3_3 { Self::Digits } else { Self::Signed }
    }

    /// The number in a text. One that 32 bits cannot hold is none in either rule (Java 3.3 throws).
    pub fn parse(self, text: &str) -> Option<i32> {
        match self {
            Self::Digits if !text.bytes().all(|byte| byte.is_ascii_digit()) => None,
            Self::Signed | Self::Digits => text.parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_were_allowed_before_3_3() {
        for (text, signed, digits) in [
            ("7", Some(7), Some(7)),
            ("007", Some(7), Some(7)),
            ("+7", Some(7), None),
            ("-7", Some(-7), None),
            (" 7", None, None),
            ("7.0", None, None),
            ("", None, None),
            ("2147483647", Some(i32::MAX), Some(i32::MAX)),
            ("2147483648", None, None),
        ] {
            assert_eq!(NumberRule::of(Release::V3_2).parse(text), signed, "{text}");
            assert_eq!(NumberRule::of(Release::V3_3).parse(text), digits, "{text}");
        }
    }
}
