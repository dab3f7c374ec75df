//! The dialect of the console API that a call is answered in.
//!
//! The Java admins have had three. This one place decides; [`super::envelope`] and `rows` write. So far every call
//! is answered as by the releases 2.3 – 3.1.

use actix_web::HttpRequest;

/// A dialect of the console API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The releases 2.3 – 3.1.
    V2,
}

impl Dialect {
    /// The dialect that answers this request.
    pub const fn of(_request: &HttpRequest) -> Self {
        Self::V2
    }

    /// Path of the page that leads to a login, below the context path.
    pub const fn login_page(self) -> &'static str {
        match self {
            Self::V2 => "/toLogin",
        }
    }

    /// Name of the login cookie.
    pub const fn cookie(self) -> &'static str {
        match self {
            Self::V2 => "XXL_JOB_LOGIN_IDENTITY",
        }
    }
}
