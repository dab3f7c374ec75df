//! Rows and enums as data, without behaviour: what the eight tables hold, with our own names and instants.
//!
//! Text columns that Java reads leniently (route, block strategy …) stay text in the rows; the enums here parse them
//! once where they are used, so that an unknown word in a row is a value and never an error.

mod group;
mod job;
mod log;
mod registry;
mod script;
mod user;

pub use group::{AddressType, JobGroup, split_addresses};
pub use job::{BlockStrategy, GlueType, JobInfo, MisfireStrategy, RouteStrategy, ScheduleType, TriggerType};
pub use log::{AlarmStatus, JobLog, Shard};
pub use registry::{EXECUTOR_GROUP, LOGIN_GROUP, NODE_GROUP, OWN_GROUP_PREFIX, RegistryEntry};
pub use script::ScriptVersion;
pub use user::JobUser;

/// An instant in milliseconds since 1970-01-01T00:00:00Z.
pub type EpochMs = i64;

/// Declares an enum of words that are stored in the database: `parse` and `as_str` of the exact words.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Every variant, in the order of the Java enum.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The variant of exactly this stored word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }

            /// The word as stored in the database and spoken on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}
pub(crate) use words;
