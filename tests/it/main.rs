//! Integration tests: parts of the program, or all of it, on databases and sockets of their own.
//!
//! One binary, because each binary links everything.
#![expect(clippy::expect_used, reason = "a test that cannot go on fails with the sentence given")]

mod protocol;
mod support;
