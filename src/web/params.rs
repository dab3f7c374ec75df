//! Parameters as a servlet container reads them: query and form body, urlencoded or multipart, merged, query first.
//!
//! Mirrors what Spring MVC on Tomcat makes of a call to the Java admins: a text given several
//! times is joined with commas, of a number given several times the first counts, blanks in a number do not matter and
//! `0x1` is 1; a number that must be there and is absent is an exception in dialect 2 and status 400 in the others, one
//! that is no number is status 400. JSON and text bodies are not read.

use std::future::{Ready, ready};
use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt as _;

use super::call::Call;
use super::dialect::Dialect;
use super::error::Error;
use super::message::message;
use super::multipart;
use super::state;
use crate::i18n::Key;

/// Largest body of a login.
const LOGIN_LIMIT: usize = 64 * 1024;
/// Largest body of any other call.
const LIMIT: usize = 16 * 1024 * 1024;

/// Most parameters of a call, as with Tomcat, which leaves out the rest without a word; a small body can hold millions.
const MOST: usize = 10_000;

const FORM: &str = "application/x-www-form-urlencoded";

/// Names and values as they came, query first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// The pairs of a query and of a form body; one more than a call may have tells that there are too many.
    pub fn parse(query: &str, form: &[u8]) -> Self {
        let pairs = url::form_urlencoded::parse(query.as_bytes()).chain(url::form_urlencoded::parse(form));
        Self(pairs.take(MOST + 1).map(|(key, value)| (key.into_owned(), value.into_owned())).collect())
    }

    /// Whether the name is among them.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    fn values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The parameters of a call, read as its dialect does.
#[derive(Debug, Clone)]
pub struct Params {
    pairs: Rc<Pairs>,
    dialect: Dialect,
    /// Names of the other generation are understood too.
    mixed: bool,
}

impl Params {
    /// A text; several values are joined with commas.
    pub fn text(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self.pairs.values(name).collect();
        (!values.is_empty()).then(|| values.join(","))
    }

    /// The dialect of the call.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// A text, empty when it is absent.
    pub fn text_or_empty(&self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// A text that must be there from 3.0 on, perhaps empty, and may be absent before.
    ///
    /// # Errors
    /// When it is absent and must not be.
    pub fn required_text(&self, name: &'static str) -> Result<Option<String>, Error> {
        match self.text(name) {
            None if self.dialect.is_3() => Err(Error::Missing(name)),
            text => Ok(text),
        }
    }

    /// A number that must be there.
    ///
    /// # Errors
    /// When it is absent or no number of 32 bits.
    pub fn int(&self, name: &'static str) -> Result<i32, Error> {
        self.long_of_bits(name, 32).map(|number| number as i32)
    }

    /// A number of 64 bits that must be there.
    ///
    /// # Errors
    /// When it is absent or no number of 64 bits.
    pub fn long(&self, name: &'static str) -> Result<i64, Error> {
        self.long_of_bits(name, 64)
    }

    fn long_of_bits(&self, name: &'static str, bits: u32) -> Result<i64, Error> {
        match self.pairs.values(name).next() {
            None => Err(Error::Missing(name)),
            Some(value) => number(value, bits).ok_or(Error::NotANumber(name)),
        }
    }

    /// A number with a default for when it is absent or empty.
    ///
    /// # Errors
    /// When it is no number.
    pub fn int_or(&self, name: &'static str, default: i32) -> Result<i32, Error> {
        match self.pairs.values(name).next().filter(|value| !value.is_empty()) {
            None => Ok(default),
            Some(value) => number(value, 32).map(|number| number as i32).ok_or(Error::NotANumber(name)),
        }
    }

    /// A number of a bound object: 0 when it is absent.
    ///
    /// # Errors
    /// When it is empty or no number.
    pub fn bound_int(&self, name: &'static str) -> Result<i32, Error> {
        self.bound_long_of_bits(name, 32).map(|number| number as i32)
    }

    /// A number of 64 bits of a bound object: 0 when it is absent.
    ///
    /// # Errors
    /// When it is empty or no number.
    pub fn bound_long(&self, name: &'static str) -> Result<i64, Error> {
        self.bound_long_of_bits(name, 64)
    }

    fn bound_long_of_bits(&self, name: &'static str, bits: u32) -> Result<i64, Error> {
        match self.pairs.values(name).next() {
            None => Ok(0),
            Some(value) => number(value, bits).ok_or(Error::NotANumber(name)),
        }
    }

    /// The id of the row that a call is about, under each of the names that the generations use.
    ///
    /// # Errors
    /// When it is absent or no number.
    pub fn id(&self) -> Result<i32, Error> {
        self.int(self.name_of_id(["id", "ids[]", "ids"]))
    }

    /// The same for a call that takes a list of ids from 3.3 on, of exactly one.
    ///
    /// # Errors
    /// When it is absent, no number, or not one.
    pub fn listed_id(&self) -> Result<i32, Error> {
        let is_3 = self.dialect == Dialect::V3;
        let name = self.name_of_id(if is_3 { ["ids[]", "ids", "id"] } else { ["id", "ids[]", "ids"] });
        // Of a list not just the first is taken, in any dialect: that would do a part of what was asked for.
        if !is_3 && name == "id" {
            return self.int(name);
        }
        if !self.pairs.has(name) {
            return Err(Error::Missing(name));
        }
        let items = self.pairs.values(name).flat_map(|value| value.split(',')).filter(|item| !item.is_empty());
        let ids = items.map(|item| number(item, 32).map(|id| id as i32).ok_or(Error::NotANumber(name)));
        match ids.collect::<Result<Vec<i32>, Error>>()?[..] {
            [id] => Ok(id),
            _ => Err(Error::refused(message![Key::SystemPleaseChoose, Key::SystemOneData])),
        }
    }

    /// Which of these names came; the first, when none did or no other is understood.
    fn name_of_id(&self, names: [&'static str; 3]) -> &'static str {
        let understood = if self.mixed { &names[..] } else { &names[..1] };
        understood.iter().copied().find(|name| self.pairs.has(name)).unwrap_or(names[0])
    }
}

/// A number as Spring reads it: blanks anywhere are ignored, hexadecimal has `0x` or `#` before it.
fn number(text: &str, bits: u32) -> Option<i64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.as_str()),
    };
    let hex = ["0x", "0X", "#"].into_iter().find_map(|prefix| digits.strip_prefix(prefix));
    let value: i128 = match hex {
        Some(hex) if hex.starts_with(['+', '-']) => None,
        Some(hex) => i128::from_str_radix(hex, 16).ok().map(|value| if negative { -value } else { value }),
        None => text.parse().ok(),
    }?;
    let bound = 1i128 << (bits - 1);
    (-bound..bound).contains(&value).then_some(value as i64)
}

/// Whether nothing is left of a text when all characters up to U+0020 are taken from its ends.
pub(super) fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.chars().all(|c| c <= ' '))
}

/// The text without the characters up to U+0020 at its ends, as Java trims.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// Length of a text as Java counts it.
pub(super) fn utf16_len(text: &str) -> usize {
    text.encode_utf16().count()
}

impl FromRequest for Params {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let call = Call::of(request);
        let mixed = !state::of(request).ruling.strict;
        ready(Ok(Self { pairs: call.pairs, dialect: call.choice.dialect, mixed }))
    }
}

/// Whether a request is one to log in.
pub(super) fn is_login(request: &HttpRequest) -> bool {
    let path = request.path().trim_end_matches('/');
    path.ends_with("/login") || path.ends_with("/doLogin")
}

/// Reads the parameters of a call: its query, and its body when that is a form.
///
/// # Errors
/// When the body is larger than such a call may have, has too many parameters, or breaks off.
pub(super) async fn read_pairs(request: &HttpRequest, payload: Payload, may_be_known: bool) -> Result<Pairs, Error> {
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_form = content_type
        .is_some_and(|value| value.trim_start().get(..FORM.len()).is_some_and(|t| t.eq_ignore_ascii_case(FORM)));
    let takes_body = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let limit = if is_login(request) || !may_be_known { LOGIN_LIMIT } else { LIMIT };
    let boundary = content_type.and_then(multipart::boundary);
    if !takes_body || (!is_form && boundary.is_none()) {
        return Ok(Pairs::parse(request.query_string(), b""));
    }
    let body = read(payload, limit).await?;
    let pairs = match boundary {
        None => Pairs::parse(request.query_string(), &body),
        Some(boundary) => {
            let mut pairs = Pairs::parse(request.query_string(), b"");
            pairs.0.extend(multipart::fields(body.into(), boundary, MOST + 1).await);
            pairs
        }
    };
    if pairs.0.len() > MOST { Err(Error::TooManyParameters(MOST)) } else { Ok(pairs) }
}

/// Reads a body up to a limit.
///
/// # Errors
/// When it is larger, or the connection breaks.
pub(super) async fn read(mut payload: Payload, limit: usize) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Error::Unreadable)?;
        if body.len() + chunk.len() > limit {
            return Err(Error::TooLarge(limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    fn params(dialect: Dialect, query: &str, form: &[u8]) -> Params {
        Params { pairs: Rc::new(Pairs::parse(query, form)), dialect, mixed: true }
    }

    #[test]
    fn from_3_3_an_id_comes_in_a_list_of_one() {
        let id = |query: &str| match params(Dialect::V3, query, b"").listed_id() {
            Ok(id) => id.to_string(),
            Err(Error::Refused(Some(message))) => message.render(Locale::ZhCn),
            Err(error) => error.to_string(),
        };
        assert_eq!(id("ids[]=5"), "5");
        assert_eq!(id("id=5"), "5");
        for not_one in ["ids[]=1&ids[]=2", "ids[]=1,2", "ids[]="] {
            assert_eq!(id(not_one), "请选择一条数据", "{not_one}");
        }
        assert_eq!(id("ids[]=x"), "the parameter ids[] is not a number");
        assert_eq!(id(""), "the parameter ids[] is missing");
        let strict = Params { mixed: false, ..params(Dialect::V3, "id=5", b"") };
        assert!(matches!(strict.listed_id(), Err(Error::Missing("ids[]"))));
    }

    #[test]
    fn texts_must_be_there_from_3_0() {
        assert_eq!(params(Dialect::V2, "", b"").required_text("t").ok(), Some(None));
        assert!(matches!(params(Dialect::V3, "", b"").required_text("t"), Err(Error::Missing("t"))));
        assert_eq!(params(Dialect::V3, "t=", b"").required_text("t").ok(), Some(Some(String::new())));
    }

    #[test]
    fn texts_are_joined_and_of_numbers_the_first_counts() {
        let params = params(Dialect::V2, "author=q&n=1", b"author=x&author=y&n=2&e=&c=%E4%B8%AD+%2B");
        assert_eq!(params.text("author").as_deref(), Some("q,x,y"));
        assert_eq!(params.int("n").ok(), Some(1));
        assert_eq!(params.text("e").as_deref(), Some(""));
        assert_eq!(params.text("c").as_deref(), Some("中 +"));
        assert_eq!(params.text("none"), None);
    }

    #[test]
    fn numbers_are_read_as_by_spring() {
        for (text, wanted) in [
            ("7", Some(7)),
            (" 7 ", Some(7)),
            ("+7", Some(7)),
            ("-7", Some(-7)),
            ("0x1", Some(1)),
            ("-0X1f", Some(-31)),
            ("#ff", Some(255)),
            ("", None),
            ("x", None),
            ("1.5", None),
            ("0x-1", None),
            ("2147483648", None),
            ("-2147483648", Some(-2_147_483_648)),
        ] {
            assert_eq!(number(text, 32), wanted, "{text}");
        }
        assert_eq!(number("2147483648", 64), Some(2_147_483_648));
        assert_eq!(number("9223372036854775808", 64), None);
    }

    #[test]
    fn absent_empty_and_wrong_numbers_differ() {
        let params = params(Dialect::V2, "e=&x=x&ids[]=5", b"");
        assert!(matches!(params.int("none"), Err(Error::Missing("none"))));
        assert!(matches!(params.int("e"), Err(Error::NotANumber("e"))));
        assert_eq!(params.int_or("e", 10).ok(), Some(10));
        assert_eq!(params.int_or("none", 10).ok(), Some(10));
        assert!(params.int_or("x", 10).is_err());
        assert_eq!(params.bound_int("none").ok(), Some(0));
        assert!(matches!(params.bound_int("e"), Err(Error::NotANumber("e"))));
        assert_eq!(params.id().ok(), Some(5));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_parameters(query in ".{0,60}", form in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let pairs = Pairs::parse(&query, &form);
            proptest::prop_assert!(pairs.0.len() <= query.len() + form.len());
            let whole = params(Dialect::V2, &query, &form);
            for (name, _) in &pairs.0 {
                proptest::prop_assert!(whole.text(name).is_some());
            }
        }
    }

    #[test]
    fn there_are_never_many_more_than_a_call_may_have() {
        assert_eq!(Pairs::parse("a&b", "c&".repeat(MOST).as_bytes()).0.len(), MOST + 1);
    }

    #[test]
    fn blank_and_length_are_javas() {
        assert!(is_blank(None) && is_blank(Some("\t \u{1}")));
        assert!(!is_blank(Some("\u{a0}")));
        assert_eq!(utf16_len("a😀"), 3);
    }
}
