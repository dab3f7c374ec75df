//! Settings: where they come from and what they are once read.
//!
//! The Java admin's keys, files, environment and start line are understood as they are; `xxl-job-admin.toml` is for
//! whoever starts afresh. Nothing that is understood is ignored in silence.

pub mod number;
pub mod profile;
pub mod settings;

pub use profile::{CronFlavour, MessageLayout, Profile, Release};
pub use settings::Settings;
