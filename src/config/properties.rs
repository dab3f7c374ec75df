//! The syntax of `application.properties`: comments, separators, escapes and continued lines as Java reads them, and
//! Spring's documents divided by `#---`.

use java_properties::{LineContent, PropertiesIter};

/// The pairs of one document of a file, each with its line where the format tells it.
pub type Document = Vec<(String, String, Option<usize>)>;

/// Reads a file; its bytes are Latin-1, as in Java.
///
/// # Errors
/// What is wrong, and in which line.
pub fn parse(bytes: &[u8]) -> Result<Vec<Document>, String> {
    documents(bytes).iter().map(|document| parse_document(document)).collect()
}

fn parse_document(bytes: &[u8]) -> Result<Document, String> {
    let mut document = Document::new();
    for line in PropertiesIter::new(bytes) {
        let line = line.map_err(|error| match error.line_number() {
            Some(line) => format!("line {line} has a malformed \\uXXXX escape"),
            None => "it is not a properties file".to_owned(),
        })?;
        let number = line.line_number();
        if let LineContent::KVPair(name, text) = line.consume_content() {
            document.push((name, text, Some(number)));
        }
    }
    Ok(document)
}

/// Divides a file at its `#---` lines and blanks the comments, in which Java, unlike the parser behind us, allows
/// anything, such as the `\u` of a Windows path. Lines keep their numbers.
fn documents(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut documents = vec![Vec::with_capacity(bytes.len())];
    let mut continued = false;
    for (number, line) in lines(bytes).enumerate() {
        let comment = !continued && line.trim_ascii_start().first().is_some_and(|first| b"#!".contains(first));
        if comment && matches!(line.trim_ascii_end(), b"#---" | b"!---") {
            documents.push(b"\n".repeat(number));
        }
        if let Some(document) = documents.last_mut() {
            if !comment {
                document.extend(line);
            }
            document.push(b'\n');
        }
        continued = !comment && line.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    }
    documents
}

/// Lines ended by LF, CR LF or CR.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').flat_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.split(|byte| *byte == b'\r')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let documents = parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        documents.into_iter().flatten().map(|(name, text, _)| (name, text)).collect()
    }

    #[test]
    fn the_syntax_of_java() {
        for (text, name, value) in [
            ("a=b", "a", "b"),
            ("a = b", "a", "b"),
            ("a:b", "a", "b"),
            ("a b", "a", "b"),
            ("  a=b ", "a", "b "),
            ("a", "a", ""),
            ("a==b", "a", "=b"),
            ("a\\:b=c", "a:b", "c"),
            ("a=\\u4e2d\\t\\\\", "a", "中\t\\"),
            ("a=b\\\n   c", "a", "bc"),
            ("a=b\\\n#c", "a", "b#c"),
            ("a=b\\\\\nc", "a", "b\\"),
            ("a=b\r\n", "a", "b"),
            ("a=x#y", "a", "x#y"),
            ("a=jdbc:mysql://h:1/d?x=y&z=w", "a", "jdbc:mysql://h:1/d?x=y&z=w"),
        ] {
            assert_eq!(pairs(text).first(), Some(&(name.into(), value.into())), "{text}");
        }
    }

    #[test]
    fn comments_may_hold_anything() {
        assert_eq!(pairs("# C:\\users\\x\n  ! \\u12\n#a=b\\\na=c"), [("a".into(), "c".into())]);
        assert_eq!(pairs("#x\ra=b\r#y\rc=d"), [("a".into(), "b".into()), ("c".into(), "d".into())]);
    }

    #[test]
    fn documents_and_lines_are_counted() {
        let documents = parse(b"a=1\n#---\n\nb=2\n").expect("a file");
        assert_eq!(documents, [vec![("a".into(), "1".into(), Some(1))], vec![("b".into(), "2".into(), Some(4))]]);
        assert_eq!(parse(b"a=1\nb=\\u12"), Err("line 2 has a malformed \\uXXXX escape".into()));
    }

    proptest! {
        #[test]
        fn nothing_makes_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[#!=: \\\\u0-9a-f\r\n\t-]{0,80}") {
            let _ = parse(text.as_bytes());
        }
    }
}
