//! Compatibility tests.
