//! The checks of a job's fields, in the order and with the texts of the Java admin's `XxlJobServiceImpl.add` and `update`.

use crate::config::{Profile, Release};
use crate::cron::Cron;
use crate::i18n::Key;
use crate::model::{BlockStrategy, GlueType, JobInfo, MisfireStrategy, RouteStrategy, ScheduleType};
use crate::web::message::{Message, message};
use crate::web::params::is_blank;

/// What the fields are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A new job.
    Add,
    /// A job that is there.
    Update,
}

/// Checks the fields that need no look into the database: the rules 2 – 12 of the Java admin.
///
/// # Errors
/// The first rule that is broken.
pub fn check(job: &JobInfo, purpose: Purpose, profile: &Profile, max_year: i32) -> Result<(), Message> {
    if is_blank(Some(&job.job_desc)) {
        return Err(message![Key::SystemPleaseInput, Key::JobinfoFieldJobdesc]);
    }
    if is_blank(job.author.as_deref()) {
        return Err(message![Key::SystemPleaseInput, Key::JobinfoFieldAuthor]);
    }
    check_schedule(job, purpose, profile, max_year)?;
    if purpose == Purpose::Add {
        check_glue(job, profile)?;
    }
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    if RouteStrategy::parse(&word(&job.executor_route_strategy)).is_none() {
        return Err(message![Key::JobinfoFieldExecutorRouteStrategy, Key::SystemUnvalid]);
    }
    if MisfireStrategy::parse(&job.misfire_strategy).is_none() {
        return Err(message![Key::MisfireStrategy, Key::SystemUnvalid]);
    }
    if BlockStrategy::parse(&word(&job.executor_block_strategy)).is_none() {
        return Err(message![Key::JobinfoFieldExecutorBlockStrategy, Key::SystemUnvalid]);
    }
    Ok(())
}

fn check_schedule(job: &JobInfo, purpose: Purpose, profile: &Profile, max_year: i32) -> Result<(), Message> {
    let bad = || message![Key::ScheduleType, Key::SystemUnvalid];
    let conf = job.schedule_conf.as_deref();
    match ScheduleType::parse(&job.schedule_type).ok_or_else(bad)? {
        ScheduleType::None => Ok(()),
        ScheduleType::Cron => {
            let valid = conf.is_some_and(|conf| Cron::parse(conf, profile.cron, max_year).is_ok());
            if valid { Ok(()) } else { Err(message!["Cron", Key::SystemUnvalid]) }
        }
        ScheduleType::FixRate => match (conf, purpose) {
            (None, Purpose::Add) => Err(message![Key::ScheduleType]),
            (None, Purpose::Update) => Err(bad()),
            (Some(conf), _) => match conf.parse::<i32>() {
                Ok(seconds) if seconds >= 1 => Ok(()),
                _ => Err(bad()),
            },
        },
    }
}

fn check_glue(job: &JobInfo, profile: &Profile) -> Result<(), Message> {
    let glue = GlueType::parse(&job.glue_type)
        .filter(|glue| *glue != GlueType::Python2 || profile.release >= Release::V3_2)
        .ok_or_else(|| message![Key::JobinfoFieldGluetype, Key::SystemUnvalid])?;
    if glue == GlueType::Bean && is_blank(job.executor_handler.as_deref()) {
        return Err(message![Key::SystemPleaseInput, "JobHandler"]);
    }
    Ok(())
}

/// Shell scripts lose every CR: a shell stumbles over it.
pub fn normalise_source(job: &mut JobInfo) {
    if job.glue_type == GlueType::Shell.as_str()
        && let Some(source) = &mut job.glue_source
    {
        source.retain(|c| c != '\r');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use crate::config::settings::DatabaseUrl;
    use crate::i18n::Locale;

    fn job() -> JobInfo {
        JobInfo {
            job_desc: "d".into(),
            author: Some("a".into()),
            schedule_type: "CRON".into(),
            schedule_conf: Some("0 0 0 1 1 ? 2099".into()),
            misfire_strategy: "DO_NOTHING".into(),
            executor_route_strategy: Some("FIRST".into()),
            executor_handler: Some("h".into()),
            executor_block_strategy: Some("SERIAL_EXECUTION".into()),
            glue_type: "BEAN".into(),
            ..JobInfo::default()
        }
    }

    fn text(job: &JobInfo, purpose: Purpose, release: Release) -> String {
        let settings = Settings::for_database(DatabaseUrl::Sqlite("x".into()));
        let profile = Profile::resolve(&settings, release);
        check(job, purpose, &profile, 2126).err().map(|message| message.render(Locale::ZhCn)).unwrap_or_default()
    }

    #[test]
    fn the_first_broken_rule_is_told() {
        let mut bad = JobInfo::default();
        let mut seen = Vec::new();
        let steps: [fn(&mut JobInfo); 8] = [
            |job| job.job_desc = "d".into(),
            |job| job.author = Some("a".into()),
            |job| job.schedule_type = "CRON".into(),
            |job| job.schedule_conf = Some("0 0 0 * * ?".into()),
            |job| job.glue_type = "BEAN".into(),
            |job| job.executor_handler = Some("h".into()),
            |job| job.executor_route_strategy = Some("ROUND".into()),
            |job| job.misfire_strategy = "DO_NOTHING".into(),
        ];
        for step in steps {
            seen.push(text(&bad, Purpose::Add, Release::V2_4));
            step(&mut bad);
        }
        seen.push(text(&bad, Purpose::Add, Release::V2_4));
        assert_eq!(
            seen,
            [
                "请输入任务描述",
                "请输入负责人",
                "调度类型非法",
                "Cron非法",
                "运行模式非法",
                "请输入JobHandler",
                "路由策略非法",
                "调度过期策略非法",
                "阻塞处理策略非法"
            ]
        );
        assert_eq!(text(&job(), Purpose::Add, Release::V2_4), "");
    }

    #[test]
    fn a_period_is_a_whole_number_of_32_bits_from_1() {
        let period = |conf: Option<&str>, purpose| {
            let job = JobInfo { schedule_type: "FIX_RATE".into(), schedule_conf: conf.map(Into::into), ..job() };
            text(&job, purpose, Release::V2_4)
        };
        assert_eq!(period(None, Purpose::Add), "调度类型");
        assert_eq!(period(None, Purpose::Update), "调度类型非法");
        for bad in ["0", "-1", "1.5", " 5", "99999999999", ""] {
            assert_eq!(period(Some(bad), Purpose::Add), "调度类型非法", "{bad}");
        }
        assert_eq!(period(Some("30"), Purpose::Update), "");
    }

    #[test]
    fn python_2_came_with_3_2() {
        let python2 = JobInfo { glue_type: "GLUE_PYTHON2".into(), ..job() };
        assert_eq!(text(&python2, Purpose::Add, Release::V3_1), "运行模式非法");
        assert_eq!(text(&python2, Purpose::Add, Release::V3_2), "");
        assert_eq!(text(&python2, Purpose::Update, Release::V2_4), "");
    }

    #[test]
    fn only_shell_loses_its_carriage_returns() {
        for (glue_type, kept) in [("GLUE_SHELL", "a\n"), ("GLUE_PYTHON", "a\r\n")] {
            let mut job = JobInfo { glue_type: glue_type.into(), glue_source: Some("a\r\n".into()), ..job() };
            normalise_source(&mut job);
            assert_eq!(job.glue_source.as_deref(), Some(kept));
        }
    }
}
