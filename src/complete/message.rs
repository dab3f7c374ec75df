//! The result of a run as text: what the executor said and which child jobs were triggered.
//!
//! Mirrors `XxlJobCompleter` and the texts of `JobCompleteHelper` and of the console's kill. Better on purpose: a job
//! that names itself as its child is passed over in every release, and a chain of children has an end.

use crate::config::number::NumberRule;
use crate::i18n::{Key, Locale, format, grouped, text};

/// UTF-16 units of a result that are kept.
pub const MAX_UNITS: usize = 15_000;

/// One item of a list of child jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildItem {
    /// The item as it stands in the list.
    pub text: String,
    /// What it names.
    pub target: ChildTarget,
}

/// What an item of a list of child jobs names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildTarget {
    /// This job.
    Job(i32),
    /// The job whose list it is; passed over without a word.
    Itself,
    /// No job id.
    Bad,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildOutcome<'a> {
    /// The job was triggered; with the profile's word (`null` or `Success`).
    Triggered(&'a str),
    /// The job could not be triggered, for this reason.
    Failed(&'a str),
    /// The chain of children has reached this length, its limit.
    TooDeep(u32),
    /// The item is no job id.
    Bad,
    /// The item is the job itself.
    PassedOver,
}

/// The items of a job's list of child jobs; trailing empty ones do not count. None when the list is blank.
pub fn child_items(child_jobid: Option<&str>, own_id: i32, rule: NumberRule) -> Option<Vec<ChildItem>> {
    let list = child_jobid.filter(|list| !list.trim_matches(|c| c <= ' ').is_empty())?;
    let list = list.trim_end_matches(',');
    let items = list.split(',').filter(|_| !list.is_empty()).map(|item| {
        let target = match rule.parse(item) {
            Some(id) if id == own_id => ChildTarget::Itself,
            Some(id) if id > 0 => ChildTarget::Job(id),
            _ => ChildTarget::Bad,
        };
        ChildItem { text: item.to_owned(), target }
    });
    Some(items.collect())
}

/// The section about child jobs that a successful result gets: a heading and one line an item.
pub fn child_section<'a>(
    locale: Locale,
    children: impl ExactSizeIterator<Item = (&'a ChildItem, ChildOutcome<'a>)>,
) -> String {
    let of = grouped(children.len() as i64);
    let heading = text(locale, Key::JobconfTriggerChildRun);
    let mut out = format!("<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>{heading}<<<<<<<<<<< </span><br>");
    for (number, (item, outcome)) in children.enumerate() {
        let number = grouped(number as i64 + 1);
        let line = |key, rest: &[&str]| {
            let args: Vec<&str> =
                [number.as_str(), of.as_str(), item.text.as_str()].into_iter().chain(rest.iter().copied()).collect();
            format(text(locale, key), &args)
        };
        out += &match outcome {
            ChildOutcome::Triggered(note) => {
                line(Key::JobconfCallbackChildMsg1, &[text(locale, Key::SystemSuccess), note])
            }
            ChildOutcome::Failed(note) => line(Key::JobconfCallbackChildMsg1, &[text(locale, Key::SystemFail), note]),
            ChildOutcome::TooDeep(limit) => line(Key::OwnChildTooDeep, &[&limit.to_string()]),
            ChildOutcome::Bad => line(Key::JobconfCallbackChildMsg2, &[]),
            ChildOutcome::PassedOver => String::new(),
        };
    }
    out
}

/// The result that is stored: what was there already, what the executor said, the section about child jobs; at most
/// [`MAX_UNITS`] long.
pub fn handle_message(existing: Option<&str>, said: Option<&str>, children: &str) -> String {
    let before = existing.map(|existing| format!("{existing}<br>")).unwrap_or_default();
    cut(before + said.unwrap_or_default() + children)
}

/// The first [`MAX_UNITS`] UTF-16 units. Where Java would keep half a character there is none.
pub fn cut(mut message: String) -> String {
    // No character has more units than bytes.
    if message.len() > MAX_UNITS {
        let mut units = 0;
        let over = message.char_indices().find(|(_, c)| {
            units += c.len_utf16();
            units > MAX_UNITS
        });
        if let Some((at, _)) = over {
            message.truncate(at);
        }
    }
    message
}

/// The result of a run that somebody ended from the console; with the words of the executor that ended it.
pub fn killed(locale: Locale, said: Option<&str>) -> String {
    cut(format!("{}:{}", text(locale, Key::JoblogKillLogByman), said.unwrap_or_default()))
}

/// The result of a run whose executor is gone.
pub fn lost(locale: Locale) -> &'static str {
    text(locale, Key::JoblogLostFail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(list: &str, rule: NumberRule) -> Vec<(String, ChildTarget)> {
        let items = child_items(Some(list), 5, rule).expect("a list that is not blank");
        items.into_iter().map(|item| (item.text, item.target)).collect()
    }

    fn item(text: &str) -> ChildItem {
        ChildItem { text: text.into(), target: ChildTarget::Bad }
    }

    #[test]
    fn lists_of_children_are_read_by_the_rule_of_the_release() {
        use ChildTarget::{Bad, Itself, Job};
        let expected = [
            ("1", Job(1), Job(1)),
            (" 2", Bad, Bad),
            ("", Bad, Bad),
            ("5", Itself, Itself),
            ("x", Bad, Bad),
            ("+7", Job(7), Bad),
            ("-1", Bad, Bad),
            ("0", Bad, Bad),
            ("99999999999", Bad, Bad),
        ];
        let list = "1, 2,,5,x,+7,-1,0,99999999999,,";
        let column = |pick: fn(&(&str, ChildTarget, ChildTarget)) -> ChildTarget| {
            expected.iter().map(|row| (row.0.to_owned(), pick(row))).collect::<Vec<_>>()
        };
        assert_eq!(items(list, NumberRule::Signed), column(|row| row.1));
        assert_eq!(items(list, NumberRule::Digits), column(|row| row.2));
    }

    #[test]
    fn a_blank_list_has_no_section_and_one_of_commas_has_no_lines() {
        assert_eq!(child_items(None, 1, NumberRule::Signed), None);
        assert_eq!(child_items(Some(" \t"), 1, NumberRule::Signed), None);
        assert_eq!(child_items(Some(",,"), 1, NumberRule::Signed), Some(Vec::new()));
    }

    #[test]
    fn children_are_told_line_by_line() {
        let (a, own, b) = (item("12"), item("5"), item("x"));
        let children = [
            (&a, ChildOutcome::Triggered("null")),
            (&own, ChildOutcome::PassedOver),
            (&b, ChildOutcome::Bad),
            (&a, ChildOutcome::TooDeep(100)),
            (&a, ChildOutcome::Failed("stopped")),
        ];
        assert_eq!(
            child_section(Locale::ZhCn, children.into_iter()),
            "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发子任务<<<<<<<<<<< </span><br>\
             1/5 [任务ID=12], 触发成功, 触发备注: null <br>\
             3/5 [任务ID=x], 触发失败, 触发备注: 任务ID格式错误 <br>\
             4/5 [任务ID=12], 未触发: 子任务链已达到深度上限 100 <br>\
             5/5 [任务ID=12], 触发失败, 触发备注: stopped <br>"
        );
        assert_eq!(
            child_section(Locale::En, children[..1].iter().copied()),
            "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>Trigger child job<<<<<<<<<<< </span><br>\
             1/1 [Job ID=12], Trigger success, Trigger msg: null <br>"
        );
        assert_eq!(
            child_section(Locale::ZhTc, [(&b, ChildOutcome::Bad)].into_iter()),
            "<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>觸發子任務<<<<<<<<<<< </span><br>\
             1/1 [任務ID=x], 觸發失败, 觸發備註: 任務ID格式錯誤 <br>"
        );
    }

    #[test]
    fn numbers_of_lines_are_grouped_and_ids_are_not() {
        let child = item("1234");
        let children = vec![(&child, ChildOutcome::Triggered("Success")); 1234];
        let section = child_section(Locale::En, children.into_iter());
        assert!(section.contains("<br>999/1,234 [Job ID=1234], "));
        assert!(section.ends_with("<br>1,234/1,234 [Job ID=1234], Trigger success, Trigger msg: Success <br>"));
    }

    #[test]
    fn a_result_follows_what_was_there() {
        assert_eq!(handle_message(None, None, ""), "");
        assert_eq!(handle_message(None, Some("done"), "+"), "done+");
        assert_eq!(handle_message(Some(""), None, ""), "<br>");
        assert_eq!(handle_message(Some("a"), Some("b"), ""), "a<br>b");
    }

    #[test]
    fn a_result_is_cut_by_utf_16_units() {
        for (character, kept) in [("x", 15_000), ("任", 15_000), ("😀", 7_500)] {
            let message = handle_message(None, Some(&character.repeat(15_001)), "");
            assert_eq!(message, character.repeat(kept));
        }
        let message = cut("x".to_owned() + &"😀".repeat(7_500));
        assert_eq!(message.encode_utf16().count(), 14_999);
        assert_eq!(cut("任".repeat(15_000)).chars().count(), 15_000);
    }

    #[test]
    fn killed_and_lost_runs_say_so() {
        assert_eq!(killed(Locale::ZhCn, None), "人为操作，主动终止:");
        assert_eq!(killed(Locale::En, Some("Success")), "Manual operation, kill job:Success");
        assert_eq!(lost(Locale::ZhTc), "任務結果丟失，標記失敗");
    }
}
