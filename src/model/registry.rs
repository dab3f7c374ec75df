//! A row of `xxl_job_registry`: a node that beats.

use super::EpochMs;

/// `registry_group` of executors, the only one that Java admins read.
pub const EXECUTOR_GROUP: &str = "EXECUTOR";
/// `registry_group` of our own nodes.
pub const NODE_GROUP: &str = "RS_NODE";
/// `registry_group` of console logins.
pub const LOGIN_GROUP: &str = "RS_LOGIN";
/// Groups that start so belong to us; no executor may write them.
pub const OWN_GROUP_PREFIX: &str = "RS_";

/// A row of `xxl_job_registry`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegistryEntry {
    /// Kind of node.
    pub group: String,
    /// For executors: the app name.
    pub key: String,
    /// For executors: the address.
    pub value: String,
    /// Time of the last beat.
    pub update_time: Option<EpochMs>,
}
