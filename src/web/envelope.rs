//! What answers of the console look like: one function a kind and dialect, key order as the Java admin writes it.

use actix_web::body::BoxBody;
use actix_web::http::header::ContentType;
use actix_web::{HttpRequest, HttpResponse, Responder};
use serde::Serialize;

use super::dialect::Dialect;

/// Content type of an answer that the Java admin writes for an exception.
const EXCEPTION_TYPE: &str = "application/json;charset=utf-8";

/// An answer of a call that did what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The success envelope around this JSON text.
    Content(String),
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
            (Dialect::V2, Self::List { rows, total }) => {
                format!(r#"{{"recordsFiltered":{total},"data":{rows},"recordsTotal":{total}}}"#)
            }
        }
    }
}

impl Responder for Reply {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok().content_type(ContentType::json()).body(self.body(Dialect::of(request)))
    }
}

/// The failure envelope.
pub(super) fn failure(dialect: Dialect, code: i32, msg: Option<&str>) -> HttpResponse {
    let msg = json(&msg);
    let body = match dialect {
        Dialect::V2 => format!(r#"{{"code":{code},"msg":{msg},"content":null}}"#),
    };
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// What the Java admin answers when it throws.
pub(super) fn exception(dialect: Dialect, msg: &str) -> HttpResponse {
    match dialect {
        Dialect::V2 => {
            let msg = json(&msg.replace('\n', "<br/>"));
            let body = format!(r#"{{"code":500,"msg":{msg},"content":null}}"#);
            HttpResponse::Ok().content_type(EXCEPTION_TYPE).body(body)
        }
    }
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
}
