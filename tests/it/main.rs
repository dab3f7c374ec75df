//! Tests of parts together: one binary, one module a theme, what they share in `support`.

mod mail;
mod support;
