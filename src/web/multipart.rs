//! Bodies of type `multipart/form-data`, which some scripts write for calls that take a plain form.
//!
//! The Java admins take their text fields like those of any form (measured). Files have no place here and are left out.

use super::params::is_blank;

const TYPE: &str = "multipart/form-data";

/// The boundary that a content type of this kind names.
pub fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    let boundary = kind.trim().eq_ignore_ascii_case(TYPE).then(|| parameter(parameters, "boundary"))??;
    (!boundary.is_empty()).then_some(boundary)
}

/// Names and values of the text fields, in order; a body that breaks off gives those before.
pub fn fields(body: &[u8], boundary: &str) -> Vec<(String, String)> {
    let delimiter = format!("--{boundary}");
    let mut fields = Vec::new();
    let Some(first) = find(body, delimiter.as_bytes()) else { return fields };
    let mut rest = &body[first + delimiter.len()..];
    let delimiter = format!("\r\n{delimiter}");
    while let Some(end) = find(rest, delimiter.as_bytes()) {
        fields.extend(field(&rest[..end]));
        rest = &rest[end + delimiter.len()..];
    }
    fields
}

fn field(part: &[u8]) -> Option<(String, String)> {
    let end = find(part, b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&part[..end]);
    let disposition = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    })?;
    if parameter(disposition, "filename").is_some() || parameter(disposition, "filename*").is_some() {
        return None;
    }
    let name = parameter(disposition, "name").filter(|name| !is_blank(Some(name)))?;
    Some((name.to_owned(), String::from_utf8_lossy(&part[end + 4..]).into_owned()))
}

/// A parameter of a header's value, without its quotes.
fn parameter<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    value.split(';').find_map(|item| {
        let (key, value) = item.split_once('=')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    })
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] =
        "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n2 \u{4e2d}\r\n--b\r\n\
        content-disposition: form-data; name=b\r\nContent-Type: text/plain\r\n\r\n\r\n--b\r\n\
        Content-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nfile\r\n--b--\r\nrest"
            .as_bytes();

    #[test]
    fn text_fields_are_read_and_files_are_not() {
        let wanted = [("a", "1\r\n2 \u{4e2d}"), ("b", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(fields(BODY, "b"), wanted);
    }

    #[test]
    fn what_breaks_off_gives_the_fields_before() {
        let cut = &BODY[..find(BODY, b"filename").unwrap()];
        assert_eq!(fields(cut, "b").len(), 2);
        for broken in ["", "--b", "--b\r\n", "--b\r\n\r\n--b", "--b\r\nname=\"a\"\r\n\r\nx\r\n--b"] {
            assert_eq!(fields(broken.as_bytes(), "b"), []);
        }
    }

    #[test]
    fn the_content_type_names_the_boundary() {
        assert_eq!(boundary("multipart/form-data; boundary=abc"), Some("abc"));
        assert_eq!(boundary("Multipart/Form-Data; charset=utf-8; boundary=\"a b\""), Some("a b"));
        for none in
            ["multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=a", "text/plain"]
        {
            assert_eq!(boundary(none), None, "{none}");
        }
    }
}
