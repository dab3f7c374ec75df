//! What answers of the console look like: one function a kind and dialect, key order as the Java admin writes it.

use actix_web::body::BoxBody;
use actix_web::http::header::ContentType;
use actix_web::{HttpRequest, HttpResponse, Responder};
use serde::Serialize;

use super::call::Call;
use super::dialect::Dialect;

/// Content type of an answer that the Java admins write for an exception, from 3.2 on.
const EXCEPTION_TYPE: &str = "application/json;charset=UTF-8";

/// An answer of a call that did what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The success envelope around this JSON text.
    Content(String),
    /// Success of a login or logout, for which 3.2 has a text of its own.
    LoggedIn,
    /// A page of a list.
    List {
        /// The rows as a JSON array.
        rows: String,
        /// How many rows there are on all pages.
        total: i64,
    },
}

impl Reply {
    /// Success without anything to tell.
    pub fn done() -> Self {
        Self::Content("null".into())
    }

    /// Success with this content.
    pub fn content(content: &impl Serialize) -> Self {
        Self::Content(json(content))
    }

    /// A page of a list.
    pub fn list(rows: &impl Serialize, total: i64) -> Self {
        Self::List { rows: json(rows), total }
    }

    fn body(&self, dialect: Dialect) -> String {
        match (dialect, self) {
            (Dialect::V2, Self::Content(content)) => format!(r#"{{"code":200,"msg":null,"content":{content}}}"#),
            (Dialect::V3_2, Self::Content(content)) => success_3_2(content, "Success"),
            (Dialect::V3_2, Self::LoggedIn) => success_3_2("null", "成功"),
            (Dialect::V3, Self::Content(data)) => {
                format!(r#"{{"code":200,"data":{data},"msg":"Success","success":true}}"#)
            }
            (Dialect::V2 | Dialect::V3, Self::LoggedIn) => Self::done().body(dialect),
            (Dialect::V2 | Dialect::V3_2, Self::List { rows, total }) => {
                format!(r#"{{"recordsFiltered":{total},"data":{rows},"recordsTotal":{total}}}"#)
            }
            (Dialect::V3, Self::List { rows, total }) => {
                let page = format!(r#"{{"data":{rows},"offset":0,"pagesize":0,"total":{total}}}"#);
                Self::Content(page).body(dialect)
            }
        }
    }
}

fn success_3_2(content: &str, msg: &str) -> String {
    format!(r#"{{"code":200,"msg":"{msg}","content":{content},"success":true}}"#)
}

impl Responder for Reply {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok().content_type(ContentType::json()).body(self.body(Call::dialect(request)))
    }
}

/// The failure envelope. Without a text the releases from 3.2 say `Fail`.
pub(super) fn failure(dialect: Dialect, code: i32, msg: Option<&str>) -> HttpResponse {
    let msg = json(&if dialect.is_3() { msg.or(Some("Fail")) } else { msg });
    let body = match dialect {
        Dialect::V2 => format!(r#"{{"code":{code},"msg":{msg},"content":null}}"#),
        Dialect::V3_2 => format!(r#"{{"code":{code},"msg":{msg},"content":null,"success":false}}"#),
        Dialect::V3 => format!(r#"{{"code":{code},"data":null,"msg":{msg},"success":false}}"#),
    };
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// What the Java admin answers when it throws.
pub(super) fn exception(dialect: Dialect, msg: &str) -> HttpResponse {
    let (content_type, body) = match dialect {
        Dialect::V2 => {
            let msg = json(&msg.replace('\n', "<br/>"));
            ("application/json;charset=utf-8", format!(r#"{{"code":500,"msg":{msg},"content":null}}"#))
        }
        Dialect::V3_2 => (EXCEPTION_TYPE, format!("{{\"code\":203,\"msg\":{}}}\n", json(&msg))),
        Dialect::V3 => (EXCEPTION_TYPE, format!("{{\"code\":500,\"msg\":{}}}\n", json(&msg))),
    };
    HttpResponse::Ok().content_type(content_type).body(body)
}

fn json(value: &impl Serialize) -> String {
    #[expect(
        clippy::expect_used,
        reason = "rows and texts are plain data with string keys, which always have a JSON form"
    )]
    serde_json::to_string(value).expect("plain data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_of_dialect_2() {
        assert_eq!(Reply::content(&"7").body(Dialect::V2), r#"{"code":200,"msg":null,"content":"7"}"#);
        assert_eq!(Reply::done().body(Dialect::V2), r#"{"code":200,"msg":null,"content":null}"#);
        assert_eq!(
            Reply::list(&[1, 2], 12).body(Dialect::V2),
            r#"{"recordsFiltered":12,"data":[1,2],"recordsTotal":12}"#
        );
    }

    #[test]
    fn envelopes_of_dialect_3_2() {
        assert_eq!(
            Reply::content(&"7").body(Dialect::V3_2),
            r#"{"code":200,"msg":"Success","content":"7","success":true}"#
        );
        assert_eq!(Reply::LoggedIn.body(Dialect::V3_2), r#"{"code":200,"msg":"成功","content":null,"success":true}"#);
        assert_eq!(
            Reply::list(&[1, 2], 12).body(Dialect::V3_2),
            r#"{"recordsFiltered":12,"data":[1,2],"recordsTotal":12}"#
        );
    }

    #[test]
    fn envelopes_of_dialect_3() {
        assert_eq!(Reply::LoggedIn.body(Dialect::V3), r#"{"code":200,"data":null,"msg":"Success","success":true}"#);
        assert_eq!(
            Reply::list(&[1, 2], 12).body(Dialect::V3),
            r#"{"code":200,"data":{"data":[1,2],"offset":0,"pagesize":0,"total":12},"msg":"Success","success":true}"#
        );
    }
}
