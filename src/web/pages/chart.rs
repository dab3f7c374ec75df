//! The figures of the first page: runs by day and outcome (Java: `IndexController.chartInfo`).

use actix_web::web;
use jiff::civil::DateTime;
use serde::Serialize;

use super::Mapping;
use crate::clock::Zone;
use crate::model::EpochMs;
use crate::store::DayCount;
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::params::{Params, is_blank};

/// Days shown when there is nothing to show.
const EMPTY_DAYS: i64 = 7;

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::json("/chartInfo", Dialect::ALL, web::to(chart_info)).read()]
}

/// The answer; its keys keep this order in every dialect.
#[derive(Debug, Default, Serialize)]
struct Chart {
    #[serde(rename = "triggerCountFailTotal")]
    fail_total: i64,
    #[serde(rename = "triggerDayList")]
    days: Vec<String>,
    #[serde(rename = "triggerDayCountRunningList")]
    running: Vec<i32>,
    #[serde(rename = "triggerCountSucTotal")]
    success_total: i64,
    #[serde(rename = "triggerDayCountFailList")]
    fail: Vec<i32>,
    #[serde(rename = "triggerCountRunningTotal")]
    running_total: i64,
    #[serde(rename = "triggerDayCountSucList")]
    success: Vec<i32>,
}

impl Chart {
    fn of(days: &[(EpochMs, DayCount)], zone: &Zone) -> Self {
        let mut chart = Self::default();
        for (day, count) in days {
            chart.days.push(zone.wall(*day).date().to_string());
            chart.running.push(count.running);
            chart.success.push(count.success);
            chart.fail.push(count.fail);
            chart.running_total += i64::from(count.running);
            chart.success_total += i64::from(count.success);
            chart.fail_total += i64::from(count.fail);
        }
        chart
    }
}

async fn chart_info(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let core = &user.state().core;
    let zone = &core.settings.zone;
    let span = (instant(&params, "startDate", zone)?, instant(&params, "endDate", zone)?);
    let mut days = match span {
        (Some(from), Some(to)) => core.store.days(from, to).await?,
        _ => Vec::new(),
    };
    if days.is_empty() {
        // Whatever was asked for: the last days up to today.
        let now = user.state().now();
        days = (1 - EMPTY_DAYS..=0).map(|day| (zone.day_start(now, day), DayCount::default())).collect();
    }
    Ok(Reply::content(&Chart::of(&days, zone)))
}

/// An end of the span; from 3.0 on it must be there.
fn instant(params: &Params, name: &'static str, zone: &Zone) -> Result<Option<EpochMs>, Error> {
    let text = params.required_text(name)?.filter(|text| !is_blank(Some(text)));
    match text {
        None if params.dialect().is_3() => Err(Error::NotADate(name)),
        None => Ok(None),
        Some(text) => wall(&text).map(|wall| Some(zone.instant(wall))).ok_or(Error::NotADate(name)),
    }
}

/// `yyyy-MM-dd HH:mm:ss` and nothing else.
fn wall(text: &str) -> Option<DateTime> {
    let digits = |range: std::ops::Range<usize>| {
        let part = text.get(range)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<i16>().ok())?
    };
    let separators: Vec<u8> = [4, 7, 10, 13, 16].iter().filter_map(|at| text.as_bytes().get(*at).copied()).collect();
    if text.len() != 19 || separators != *b"-- ::" {
        return None;
    }
    let small = |range| digits(range).map(|number| number as i8);
    DateTime::new(digits(0..4)?, small(5..7)?, small(8..10)?, small(11..13)?, small(14..16)?, small(17..19)?, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_one_form() {
        assert_eq!(wall("2026-11-30 23:59:59").map(|wall| wall.to_string()).as_deref(), Some("2026-11-30T23:59:59"));
        for bad in [
            "",
            "2026-11-30",
            "2026-13-01 00:00:00",
            "2026-02-30 00:00:00",
            "2026-01-01 24:00:00",
            "2026-1-1 00:00:00",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00:00 ",
            "+026-01-01 00:00:00",
            "二-01-01 00:00:0000",
        ] {
            assert_eq!(wall(bad), None, "{bad}");
        }
    }

    #[test]
    fn keys_keep_their_order_and_totals_are_sums() {
        let days = [
            (0, DayCount { running: 1, success: 2, fail: 3 }),
            (86_400_000, DayCount { running: 10, success: 20, fail: 30 }),
        ];
        insta::assert_snapshot!(
            serde_json::to_string(&Chart::of(&days, &Zone::utc())).unwrap(),
            @r#"{"triggerCountFailTotal":33,"triggerDayList":["1970-01-01","1970-01-02"],"triggerDayCountRunningList":[1,10],"triggerCountSucTotal":22,"triggerDayCountFailList":[3,30],"triggerCountRunningTotal":11,"triggerDayCountSucList":[2,20]}"#
        );
    }
}
