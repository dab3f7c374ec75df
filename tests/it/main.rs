//! Tests of parts together: one binary, one module a theme, what they share in `support`.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod mail;
mod support;
