//! Bodies of type `multipart/form-data`, which some scripts write for calls that take a plain form.
//!
//! The Java admins take their text fields like those of any form (measured). Files have no place here and are left out.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use multer::Multipart;

/// The boundary that a content type of this kind names.
pub fn boundary(content_type: &str) -> Option<String> {
    multer::parse_boundary(content_type).ok()
}

/// Names and values of the text fields, in order and at most so many; a body that breaks off gives those before.
pub async fn fields(body: Bytes, boundary: String, most: usize) -> Vec<(String, String)> {
    let mut parts = Multipart::new(stream::iter([Ok::<_, Infallible>(body)]), boundary);
    let mut fields = Vec::new();
    while fields.len() < most
        && let Ok(Some(part)) = parts.next_field().await
    {
        let name = part.name().map(ToOwned::to_owned);
        let is_file = part.file_name().is_some();
        // UTF-8, whatever the part says.
        let Ok(value) = part.bytes().await else { break };
        if let Some(name) = name.filter(|_| !is_file) {
            fields.push((name, String::from_utf8_lossy(&value).into_owned()));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const BODY: &str = "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n2 \u{4e2d}\r\n--b\r\n\
        content-disposition: form-data; name=\"b\"\r\nContent-Type: text/plain\r\n\r\n\r\n--b\r\n\
        Content-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nfile\r\n--b--\r\nrest";

    async fn read(body: &'static str) -> Vec<(String, String)> {
        fields(Bytes::from_static(body.as_bytes()), "b".to_owned(), 10).await
    }

    #[tokio::test]
    async fn text_fields_are_read_and_files_are_not() {
        let wanted = [("a", "1\r\n2 \u{4e2d}"), ("b", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(read(BODY).await, wanted);
    }

    #[tokio::test]
    async fn what_breaks_off_gives_the_fields_before() {
        let cut = BODY.find("filename").unwrap();
        assert_eq!(read(&BODY[..cut]).await.len(), 2);
        for broken in ["", "--b", "--b\r\n", "--b\r\n\r\n--b", "--b\r\nname=\"a\"\r\n\r\nx\r\n--b"] {
            assert_eq!(read(broken).await, [], "{broken}");
        }
    }

    #[tokio::test]
    async fn no_more_fields_are_read_than_wanted() {
        assert_eq!(fields(Bytes::from_static(BODY.as_bytes()), "b".to_owned(), 1).await.len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_end(kind in ".{0,60}", bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), cut in 0..BODY.len()) {
            let mut body = BODY.as_bytes()[..cut].to_vec();
            body.extend(bytes);
            let read = fields(body.into(), "b".to_owned(), 10).now_or_never();
            proptest::prop_assert!(read.is_some_and(|fields| fields.len() <= 10));
            if let Some(boundary) = boundary(&kind) {
                proptest::prop_assert!(kind.contains(&boundary));
            }
        }
    }

    #[test]
    fn the_content_type_names_the_boundary() {
        assert_eq!(boundary("multipart/form-data; boundary=abc").as_deref(), Some("abc"));
        assert_eq!(boundary("Multipart/Form-Data; charset=utf-8; boundary=\"a b\"").as_deref(), Some("a b"));
        for none in ["multipart/form-data", "multipart/mixed; boundary=a", "text/plain", ""] {
            assert_eq!(boundary(none), None, "{none}");
        }
    }
}
