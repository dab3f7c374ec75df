//! The three languages of the texts that are stored, mailed and answered.

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
