//! The login cookies of the Java admins, byte for byte.
//!
//! To 3.1 (`XXL_JOB_LOGIN_IDENTITY`) the cookie is the user's row as JSON, written as hexadecimal digits; the password hash
//! in it is the proof. From 3.2 (`xxl_job_login_token`) it is base64 of a JSON with the user's id and a signature that
//! stands in the column `token` of `xxl_job_user`. Only with `console.shared-login` are they issued or looked at: whoever
//! has read a password hash can make the older one.
//!
//! Here is only the form. Whether what a cookie claims is true is for [`super::session`] to find out.

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose::NO_PAD};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::model::JobUser;

/// What a cookie of the releases to 3.1 claims.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The user's name.
    pub username: String,
    /// Hash of the password.
    pub password: String,
    // What else is in it is read from the row; it may be missing.
    #[serde(default, rename = "id")]
    _id: Option<IgnoredAny>,
    #[serde(default, rename = "role")]
    _role: Option<IgnoredAny>,
    #[serde(default, rename = "permission")]
    _permission: Option<IgnoredAny>,
}

/// The row as it stands in the cookie; the order of the keys is Java's.
#[derive(Serialize)]
struct Row<'a> {
    id: i32,
    username: &'a str,
    password: &'a str,
    role: i32,
    permission: Option<&'a str>,
}

impl Identity {
    /// The cookie of a user.
    pub fn encode(user: &JobUser) -> String {
        let row = Row {
            id: user.id,
            username: &user.username,
            password: &user.password,
            role: user.role,
            permission: user.permission.as_deref(),
        };
        hex::encode(json(&row))
    }

    /// What a cookie claims. Java reads a hexadecimal number: case and leading zeros do not matter.
    pub fn decode(cookie: &str) -> Option<Self> {
        let digits = cookie.trim().trim_matches('"').trim_start_matches('0');
        let bytes =
            if digits.len().is_multiple_of(2) { hex::decode(digits) } else { hex::decode(format!("0{digits}")) };
        serde_json::from_slice(&bytes.ok()?).ok().filter(|claim: &Self| !claim.password.is_empty())
    }
}

/// What a cookie of the releases from 3.2 claims.
pub struct Token {
    /// Id of the user's row.
    pub user_id: i32,
    /// What must stand in the column `token`; never blank.
    pub signature: String,
}

/// The JSON of the cookie as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    user_id: String,
    expire_time: i64,
    signature: &'a str,
}

/// The JSON of the cookie as far as it is looked at: further keys do not matter, nor does `expireTime`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    user_id: Id,
    signature: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(i32),
    Text(String),
}

/// Reads with and without padding, as Java's decoder does.
const TOLERANT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl Token {
    /// The cookie of a user with this signature.
    pub fn encode(user_id: i32, signature: &str) -> String {
        let text = json(&Written { user_id: user_id.to_string(), expire_time: 0, signature });
        GeneralPurpose::new(&URL_SAFE, NO_PAD).encode(text)
    }

    /// What a cookie claims. It may be URL-encoded on top.
    pub fn decode(cookie: &str) -> Option<Self> {
        let form = format!("value={}", cookie.trim().trim_matches('"'));
        let (_, value) = url::form_urlencoded::parse(form.as_bytes()).next()?;
        let text = TOLERANT.decode(value.as_bytes()).ok()?;
        let read: Read = serde_json::from_slice(&text).ok()?;
        let user_id = match read.user_id {
            Id::Number(id) => id,
            Id::Text(text) => text.parse().ok()?,
        };
        (!read.signature.trim().is_empty()).then_some(Self { user_id, signature: read.signature })
    }
}

#[expect(clippy::expect_used, reason = "plain data with string keys always has a JSON form")]
fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain data")
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    use super::*;

    /// The cookie of the user `admin` of the seed rows with the password `123456`, as a Java admin 2.4 sets it.
    const GOLDEN: &str = "7b226964223a312c22757365726e616d65223a2261646d696e222c2270617373776f7264223a226531306164633339343962613539616262653536653035376632306638383365222c22726f6c65223a312c227065726d697373696f6e223a6e756c6c7d";

    const MD5: &str = "e10adc3949ba59abbe56e057f20f883e";

    fn admin() -> JobUser {
        JobUser { id: 1, username: "admin".into(), password: MD5.into(), role: 1, ..JobUser::default() }
    }

    fn claim(text: &str) -> Option<(String, String)> {
        Identity::decode(&hex::encode(text)).map(|claim| (claim.username, claim.password))
    }

    #[test]
    fn the_cookie_to_3_1_is_the_recorded_one() {
        assert_eq!(Identity::encode(&admin()), GOLDEN);
        let read = Identity::decode(GOLDEN).unwrap();
        assert_eq!((read.username.as_str(), read.password.as_str()), ("admin", MD5));
    }

    #[test]
    fn the_cookie_to_3_1_is_read_as_a_number() {
        for cookie in [GOLDEN.to_uppercase(), format!("000{GOLDEN}"), format!("\"{GOLDEN}\""), format!("0{GOLDEN}")] {
            assert!(Identity::decode(&cookie).is_some(), "{cookie}");
        }
        assert_eq!(claim(r#"{"username":"a","password":"b"}"#), Some(("a".into(), "b".into())));
        assert!(claim(r#"{"role":1,"permission":"1,2","id":"7","password":"b","username":"a"}"#).is_some());
    }

    #[test]
    fn what_java_refuses_is_refused() {
        for text in [
            r#"{"username":"a","password":"b","x":1}"#,
            r#"{"username":"a","password":null}"#,
            r#"{"username":"a","password":""}"#,
            r#"{"username":"a"}"#,
            r#"{"username":null,"password":"b"}"#,
            "[]",
            "garbage",
            "",
        ] {
            assert_eq!(claim(text), None, "{text}");
        }
        for cookie in ["", "0", "xyz", "-7b", &GOLDEN[2..], "7", "\""] {
            assert!(Identity::decode(cookie).is_none(), "{cookie}");
        }
    }

    fn token(text: &str) -> Option<(i32, String)> {
        Token::decode(&BASE64_URL_SAFE_NO_PAD.encode(text)).map(|claim| (claim.user_id, claim.signature))
    }

    #[test]
    fn the_cookie_from_3_2_has_three_keys_and_no_padding() {
        let cookie = Token::encode(1, "c4a38d6253c04c15a12426435761a5a9");
        let text = BASE64_URL_SAFE_NO_PAD.decode(&cookie).unwrap();
        let wanted = r#"{"userId":"1","expireTime":0,"signature":"c4a38d6253c04c15a12426435761a5a9"}"#;
        assert_eq!(String::from_utf8(text).unwrap(), wanted);
        let recorded =
            "eyJ1c2VySWQiOiIxIiwiZXhwaXJlVGltZSI6MCwic2lnbmF0dXJlIjoiMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAifQ";
        assert_eq!(Token::encode(1, &"0".repeat(32)), recorded);
    }

    #[test]
    fn the_cookie_from_3_2_is_read_with_tolerance() {
        let text = r#"{"userId":1,"userName":"x","zz":[1],"expireTime":1,"signature":"s"}"#;
        assert_eq!(token(text), Some((1, "s".into())));
        assert_eq!(token(r#"{"userId":"12","signature":"s"}"#), Some((12, "s".into())));
        let padded = BASE64_URL_SAFE.encode(r#"{"userId":"12","signature":"ss"}"#);
        assert!(padded.ends_with('='));
        for cookie in [padded.clone(), padded.replace('=', "%3D"), format!("\"{padded}\"")] {
            assert!(Token::decode(&cookie).is_some(), "{cookie}");
        }
        for text in [
            r#"{"userId":"x","signature":"s"}"#,
            r#"{"userId":"1","signature":" "}"#,
            r#"{"userId":"1"}"#,
            r#"{"userId":"1","signature":null}"#,
            r#"{"userId":null,"signature":"s"}"#,
            r#"{"userId":99999999999,"signature":"s"}"#,
            "hello",
        ] {
            assert_eq!(token(text), None, "{text}");
        }
        for cookie in ["%%%", "", "a+b", "aGVsbG8", "=", "&"] {
            assert!(Token::decode(cookie).is_none(), "{cookie}");
        }
    }

    proptest! {
        #[test]
        fn nothing_upsets_the_readers(text in ".{0,80}", digits in "[0-9a-fA-F]{0,80}", bytes in any::<Vec<u8>>()) {
            for cookie in [&text, &digits, &hex::encode(&bytes), &BASE64_URL_SAFE.encode(&bytes)] {
                let _ = (Identity::decode(cookie), Token::decode(cookie));
            }
        }

        #[test]
        fn what_is_written_is_read(id: i32, username in ".{1,20}", password in ".{1,64}", permission in proptest::option::of(".{0,30}")) {
            let user = JobUser { id, username, password, permission, ..JobUser::default() };
            let read = Identity::decode(&Identity::encode(&user)).unwrap();
            prop_assert_eq!((read.username, read.password), (user.username, user.password));
        }

        #[test]
        fn tokens_are_read_back(id: i32, signature in "[0-9a-f]{32}") {
            let read = Token::decode(&Token::encode(id, &signature)).unwrap();
            prop_assert_eq!((read.user_id, read.signature), (id, signature));
        }
    }
}
