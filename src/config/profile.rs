//! The release we resemble, and what follows from it: one value a question, never "if version is at least".

use super::settings::{Dialect, JsonDates, Settings};

/// A release line of the Java admin, always its newest patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// 2.3
    V2_3,
    /// 2.4
    V2_4,
    /// 2.5
    V2_5,
    /// 3.0
    V3_0,
    /// 3.1
    V3_1,
    /// 3.2
    V3_2,
    /// 3.3
    V3_3,
    /// 3.4
    V3_4,
}

impl Release {
    /// Every release, oldest first.
    pub const ALL: [Self; 8] =
        [Self::V2_3, Self::V2_4, Self::V2_5, Self::V3_0, Self::V3_1, Self::V3_2, Self::V3_3, Self::V3_4];

    /// `2.3` … `3.4`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|release| release.as_str() == text)
    }

    /// `2.3` … `3.4`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2_3 => "2.3",
            Self::V2_4 => "2.4",
            Self::V2_5 => "2.5",
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
            Self::V3_2 => "3.2",
            Self::V3_3 => "3.3",
            Self::V3_4 => "3.4",
        }
    }
}

/// Which of the two cron grammars counts (setting `compat.cron`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CronFlavour {
    /// As in 2.3 – 3.0 (Quartz 2.3); setting word `2.4`.
    V2_4,
    /// As in 3.4 (Quartz 2.5.2); setting word `3.4`.
    V3_4,
}

impl CronFlavour {
    /// `2.4` or `3.4`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "2.4" => Some(Self::V2_4),
            "3.4" => Some(Self::V3_4),
            _ => None,
        }
    }
}

/// Layout of stored trigger messages and texts of failed calls (setting `compat.messages`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageLayout {
    /// To 3.2.
    Old,
    /// From 3.3.
    New,
}

/// Shape of the answers of `/api/*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApiAnswer {
    /// `code,msg,content` (to 3.1).
    CodeMsgContent,
    /// `code,msg,content,success` (3.2).
    CodeMsgContentSuccess,
    /// `code,data,msg,success` (from 3.3).
    CodeDataMsgSuccess,
}

/// What follows from the release that we resemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// The release itself.
    pub release: Release,
    /// Cron grammar.
    pub cron: CronFlavour,
    /// Layout of stored messages.
    pub messages: MessageLayout,
    /// Text {4} of a child's line in the parent's result.
    pub child_message: &'static str,
    /// Colour of the retry line in a trigger message.
    pub retry_colour: &'static str,
    /// Shape of the answers of `/api/*`.
    pub api_answer: ApiAnswer,
    /// Shape of the console's answers when a call gives no sign.
    pub console: Dialect,
    /// Dates in the rows of dialect 3.
    pub json_dates: JsonDates,
    /// Rows read by one schedule pass.
    pub pre_read_count: i64,
    /// Days below which no log is ever removed.
    pub shortest_retention_days: i32,
    /// Time-out of executor calls in seconds.
    pub call_timeout_s: u64,
    /// Body of the health answer while all is well.
    pub health_body: &'static str,
}

impl Profile {
    /// The profile of these settings on tables whose generation follows `table_release`.
    pub fn resolve(settings: &Settings, table_release: Release) -> Self {
        let release = settings.compat.release.unwrap_or(table_release);
        let from_3_3 = release >= Release::V3_3;
        let (fast, slow, factor) = if from_3_3 { (300, 200, 10) } else { (200, 100, 20) };
        let fast = settings.job.fast_max.unwrap_or(fast).max(200);
        let slow = settings.job.slow_max.unwrap_or(slow).max(100);
        let timeout = settings.job.timeout_s;
        let timeout_fits = timeout >= 1 && (from_3_3 || timeout <= 10);
        Self {
            release,
            cron: settings.compat.cron.unwrap_or(if release >= Release::V3_1 {
                CronFlavour::V3_4
            } else {
                CronFlavour::V2_4
            }),
            messages: settings.compat.messages.unwrap_or(if from_3_3 {
                MessageLayout::New
            } else {
                MessageLayout::Old
            }),
            child_message: if release >= Release::V3_2 { "Success" } else { "null" },
            retry_colour: if from_3_3 { "#00c0ef" } else { "#F39C12" },
            api_answer: match release {
                r if r >= Release::V3_3 => ApiAnswer::CodeDataMsgSuccess,
                Release::V3_2 => ApiAnswer::CodeMsgContentSuccess,
                _ => ApiAnswer::CodeMsgContent,
            },
            console: match release {
                r if r >= Release::V3_3 => Dialect::V3,
                Release::V3_2 => Dialect::V3_2,
                _ => Dialect::V2,
            },
            json_dates: match release {
                Release::V3_4 => JsonDates::Plain,
                Release::V3_3 => JsonDates::Z,
                _ => JsonDates::Offset,
            },
            pre_read_count: i64::from(fast + slow) * factor,
            shortest_retention_days: if release >= Release::V3_1 { 3 } else { 7 },
            call_timeout_s: if timeout_fits { timeout.unsigned_abs() } else { 3 },
            health_body: if release >= Release::V3_4 {
                r#"{"groups":["liveness","readiness"],"status":"UP"}"#
            } else {
                r#"{"status":"UP"}"#
            },
        }
    }

    /// Values of the settings that this release takes for something else, one line each.
    pub fn notes(&self, settings: &Settings) -> Vec<String> {
        let job = &settings.job;
        let release = self.release.as_str();
        let mut notes = Vec::new();
        if u64::try_from(job.timeout_s) != Ok(self.call_timeout_s) {
            notes.push(format!(
                "xxl.job.timeout {} is out of the range of release {release}: {} s is taken",
                job.timeout_s, self.call_timeout_s
            ));
        }
        for (key, value, floor) in [("fast", job.fast_max, 200), ("slow", job.slow_max, 100)] {
            if let Some(value) = value.filter(|value| *value < floor) {
                notes.push(format!("xxl.job.triggerpool.{key}.max {value} is too small: {floor} is taken"));
            }
        }
        if job.log_retention_days < self.shortest_retention_days {
            notes.push(format!(
                "xxl.job.logretentiondays {} is less than the {} of release {release}: logs are kept for ever",
                job.log_retention_days, self.shortest_retention_days
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::DatabaseUrl;

    fn settings() -> Settings {
        Settings::for_database(DatabaseUrl::Sqlite("x".into()))
    }

    #[test]
    fn a_profile_follows_the_tables_until_it_is_set() {
        let old = Profile::resolve(&settings(), Release::V2_4);
        assert_eq!((old.cron, old.messages, old.pre_read_count), (CronFlavour::V2_4, MessageLayout::Old, 6000));
        let new = Profile::resolve(&settings(), Release::V3_4);
        assert_eq!((new.cron, new.messages, new.pre_read_count), (CronFlavour::V3_4, MessageLayout::New, 5000));
        let mut set = settings();
        set.compat.release = Some(Release::V3_2);
        let between = Profile::resolve(&set, Release::V3_3);
        assert_eq!(between.api_answer, ApiAnswer::CodeMsgContentSuccess);
        assert_eq!(between.child_message, "Success");
    }

    #[test]
    fn a_time_out_beyond_the_range_is_three_seconds() {
        let mut set = settings();
        set.job.timeout_s = 11;
        assert_eq!(Profile::resolve(&set, Release::V2_4).call_timeout_s, 3);
        assert_eq!(Profile::resolve(&set, Release::V3_3).call_timeout_s, 11);
        set.job.timeout_s = 0;
        assert_eq!(Profile::resolve(&set, Release::V3_3).call_timeout_s, 3);
    }

    #[test]
    fn what_a_release_takes_for_something_else_is_told() {
        let mut set = settings();
        assert_eq!(Profile::resolve(&set, Release::V2_4).notes(&set), [""; 0]);
        set.job.timeout_s = 11;
        set.job.fast_max = Some(10);
        set.job.slow_max = Some(100);
        set.job.log_retention_days = 5;
        assert_eq!(Profile::resolve(&set, Release::V2_4).notes(&set).len(), 3);
        assert_eq!(Profile::resolve(&set, Release::V3_3).notes(&set).len(), 1);
    }
}
