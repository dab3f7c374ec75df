//! The report of `xxl-job-admin check`: each setting with its source, the zones, what the database is, warnings and
//! advice. Secrets never appear: the origins of the settings come without them.

use std::fmt::Write as _;

use crate::config::profile::{CronFlavour, MessageLayout, Profile};
use crate::config::{Loaded, Source};

/// What was found in the database.
#[derive(Debug, Clone)]
pub struct DatabaseFacts {
    /// Product and version, e.g. `MariaDB 10.11.6`.
    pub product: String,
    /// Generation of the tables, e.g. `2.5 – 3.1`.
    pub generation: String,
    /// What follows from it and `compat.release`.
    pub profile: Profile,
    /// What keeps the admin from working.
    pub problems: Vec<String>,
    /// What works and could be better.
    pub advice: Vec<String>,
}

/// The report; without facts the database was not reached.
pub fn render(loaded: &Loaded, facts: Option<&DatabaseFacts>) -> String {
    let mut report = String::from("Settings\n");
    let width = loaded.origins.iter().map(|origin| origin.key.chars().count()).max().unwrap_or(0);
    for origin in &loaded.origins {
        let source = if origin.source == Source::Default { String::new() } else { format!("  <- {}", origin.source) };
        line(&mut report, &format!("{:width$}  {}{source}", origin.key, origin.shown));
    }
    section(&mut report, "Zones", &zones(loaded));
    match facts {
        Some(facts) => {
            section(&mut report, "Database", &database(facts));
            let notes = facts.profile.notes(&loaded.settings);
            section(&mut report, "Warnings", &[loaded.warnings.as_slice(), &notes].concat());
            section(&mut report, "Advice", &facts.advice);
            section(&mut report, "Problems", &facts.problems);
        }
        None => section(&mut report, "Warnings", &loaded.warnings),
    }
    report.push_str(match facts {
        Some(facts) if facts.problems.is_empty() => "\nAll is well.\n",
        Some(_) => "\nThe admin cannot run like this.\n",
        None => "\nThe database was not reached.\n",
    });
    report
}

fn zones(loaded: &Loaded) -> Vec<String> {
    let process = loaded.settings.zone.name();
    let column = loaded.settings.database.column_zone.as_ref();
    vec![
        format!("process zone  {process}"),
        column.map_or_else(
            || format!("column zone   {process} (the process zone)"),
            |zone| format!("column zone   {}", zone.name()),
        ),
    ]
}

fn database(facts: &DatabaseFacts) -> Vec<String> {
    let profile = &facts.profile;
    let cron = match profile.cron {
        CronFlavour::V2_4 => "2.4",
        CronFlavour::V3_4 => "3.4",
    };
    let messages = match profile.messages {
        MessageLayout::Old => "old",
        MessageLayout::New => "new",
    };
    vec![
        format!("product     {}", facts.product),
        format!("generation  {}", facts.generation),
        format!("profile     {} (cron {cron}, messages {messages})", profile.release.as_str()),
    ]
}

/// A heading and its lines; nothing where there are none.
fn section(report: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(report, "\n{heading}");
    for text in lines {
        line(report, text);
    }
}

/// One line, indented; control characters of values that others wrote are made visible.
fn line(report: &mut String, text: &str) {
    let visible: String =
        text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect();
    let _ = writeln!(report, "  {}", visible.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Invocation, Release, load};

    fn loaded() -> Loaded {
        let args = ["--spring.datasource.url=mysql://me:s3cret@h/d?serverTimezone=PRC", "--xxl.job.timeout=11"];
        let env = [("TZ", "UTC"), ("XXL_JOB_ACCESSTOKEN", "s3cret"), ("XXL_JOB_I18N", "e\u{1b}n")];
        load(&Invocation {
            args: args.map(str::to_owned).to_vec(),
            env: env.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
            working_dir: "/nonexistent".into(),
        })
        .expect("a configuration")
    }

    fn facts(problems: &[&str]) -> DatabaseFacts {
        DatabaseFacts {
            product: "MariaDB 10.11.6".into(),
            generation: "2.5 – 3.1".into(),
            profile: Profile::resolve(&loaded().settings, Release::V2_5),
            problems: problems.iter().map(|&text| text.into()).collect(),
            advice: vec!["add the indexes".into()],
        }
    }

    #[test]
    fn the_report_names_everything_and_no_secret() {
        let report = render(&loaded(), Some(&facts(&[])));
        for text in [
            "mysql://me:***@h/d?serverTimezone=PRC  <- command line",
            "***  <- environment XXL_JOB_ACCESSTOKEN",
            "process zone  UTC",
            "column zone   PRC",
            "MariaDB 10.11.6",
            "profile     2.5 (cron 2.4, messages old)",
            "xxl.job.timeout 11",
            "add the indexes",
            "All is well.",
        ] {
            assert!(report.contains(text), "{text} is not in\n{report}");
        }
        assert!(report.lines().any(|line| line.contains("server.port") && line.ends_with("8080")));
        assert!(!report.contains("s3cret") && !report.contains('\u{1b}') && !report.contains("Problems"));
    }

    #[test]
    fn problems_and_an_absent_database_are_told() {
        let report = render(&loaded(), Some(&facts(&["the row schedule_lock is missing"])));
        assert!(report.contains("Problems\n  the row schedule_lock is missing"));
        assert!(report.ends_with("The admin cannot run like this.\n"));
        assert!(render(&loaded(), None).ends_with("The database was not reached.\n"));
    }
}
