//! Escaping of an executor's log text in the JSON answer, by release.

use crate::config::Release;

/// Tags that survive from 3.1 on, in exactly this form.
const KEPT: [&str; 3] = ["<br>", "<b>", "</b>"];

/// The text as a release answers it.
pub fn escape(release: Release, text: &str) -> String {
    let kept: &[&str] = if release >= Release::V3_1 { &KEPT } else { &[] };
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(tag) = kept.iter().find(|tag| rest.starts_with(**tag)) {
            out.push_str(tag);
            rest = &rest[tag.len()..];
            continue;
        }
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_tags_survive_from_3_1() {
        let text = "<b>x</b> & \"q\" 's' <br>中 <B>";
        assert_eq!(
            escape(Release::V2_4, text),
            "&lt;b&gt;x&lt;/b&gt; &amp; &quot;q&quot; &#39;s&#39; &lt;br&gt;中 &lt;B&gt;"
        );
        assert_eq!(escape(Release::V3_1, text), "<b>x</b> &amp; &quot;q&quot; &#39;s&#39; <br>中 &lt;B&gt;");
    }
}
