//! Which texts of an executor group are refused because they could be markup. Our own pages encode what they show, so this
//! is for compatibility alone: which release refuses what.

use crate::config::Release;

/// Whether a release refuses a text when a group is added.
pub fn is_refused(release: Release, text: &str) -> bool {
    if release >= Release::V3_4 { has_script(text) } else { text.contains(['<', '>']) }
}

/// Whether a release refuses a text when a group is edited.
pub fn is_refused_in_edit(release: Release, text: &str) -> bool {
    release >= Release::V3_4 && has_script(text)
}

const EVENTS: [&str; 9] = ["load", "error", "click", "mouseover", "focus", "blur", "submit", "change", "input"];
const FUNCTIONS: [&str; 3] = ["eval", "expression", "url"];
const TAGS: [&str; 3] = ["<iframe", "<object", "<embed"];

/// The patterns of 3.4.1, without regard to case.
fn has_script(text: &str) -> bool {
    let text = text.to_lowercase();
    let text = text.as_str();
    ["script", "noscript"].iter().any(|tag| has_element(text, tag))
        || ["javascript:", "vbscript:"].iter().any(|scheme| text.contains(scheme))
        || EVENTS.iter().any(|event| is_followed_by(text, &format!("on{event}"), '='))
        || FUNCTIONS.iter().any(|function| is_followed_by(text, function, '('))
        || TAGS.iter().any(|tag| text.split(tag).skip(1).any(|rest| rest.contains('>')))
}

/// `<tag…>…</tag>`
fn has_element(text: &str, tag: &str) -> bool {
    let Some((_, rest)) = text.split_once(&format!("<{tag}")) else { return false };
    let Some((_, rest)) = rest.split_once('>') else { return false };
    rest.split_once(&format!("</{tag}")).is_some_and(|(_, rest)| rest.trim_start().starts_with('>'))
}

/// The word, perhaps blanks, the sign.
fn is_followed_by(text: &str, word: &str, sign: char) -> bool {
    text.split(word).skip(1).any(|rest| rest.trim_start().starts_with(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angle_brackets_were_refused_to_3_3_when_adding() {
        assert!(is_refused(Release::V3_3, "a<b") && is_refused(Release::V2_4, ">"));
        assert!(!is_refused_in_edit(Release::V3_3, "a<b"));
        assert!(!is_refused(Release::V3_4, "a<b"));
    }

    #[test]
    fn script_patterns_are_refused_from_3_4() {
        for text in [
            "<script>1</script>",
            "<SCRIPT src=x>\n1\n</Script >",
            "<noscript>x</noscript>",
            "JavaScript:x",
            "x onClick =1",
            "eval (1)",
            "url(x)",
            "<iframe src=x>",
            "<embed>",
        ] {
            assert!(is_refused(Release::V3_4, text) && is_refused_in_edit(Release::V3_4, text), "{text}");
        }
        for text in ["a<b>c", "<script>", "online = 1 of", "evaluation(1)", "http://a:1/,http://b:2/", "<iframe"] {
            assert!(!is_refused(Release::V3_4, text), "{text}");
        }
    }
}
