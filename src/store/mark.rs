//! The mark of ours in the `trigger_msg` of a run that has not been called yet.
//!
//! A run's row is written when its fire is claimed. Until the executor is called, the row says in an HTML comment (that
//! no console shows) which node holds the claim (*claimed*) or is just calling (*taken*). Java admins leave rows with
//! trigger_code 0 and handle_code 0 alone. The result of the trigger overwrites the mark.

/// Identity of a node of ours, new at every start: 16 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeId(String);

impl NodeId {
    /// A new random identity.
    pub fn random() -> Self {
        Self(format!("{:016x}", rand::random::<u64>()))
    }

    /// The identity as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the mark of a row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// The node holds the claim; nothing has been called.
    Claimed(NodeId),
    /// The node is calling the executor, or was when it died.
    Taken(NodeId),
}

const CLAIMED: &str = "<!--rs:claimed:";
const TAKEN: &str = "<!--rs:taken:";
const END: &str = "-->";

impl Mark {
    /// Start of every mark, for `LIKE`.
    pub(super) const PATTERN: &'static str = "<!--rs:%";

    /// The mark of one batch of claims; the number tells batches apart.
    pub(super) fn claimed(node: &NodeId, batch: u64) -> String {
        format!("{CLAIMED}{node}:{batch}{END}")
    }

    /// `LIKE` pattern of all claims of a node.
    pub(super) fn claimed_by(node: &NodeId) -> String {
        format!("{CLAIMED}{node}:%")
    }

    /// The mark of a run that is being called.
    pub(super) fn taken(node: &NodeId) -> String {
        format!("{TAKEN}{node}{END}")
    }

    /// The mark in a trigger message, if it is one.
    pub fn parse(trigger_msg: &str) -> Option<Self> {
        let body = trigger_msg.strip_suffix(END)?;
        if let Some(rest) = body.strip_prefix(CLAIMED) {
            return Some(Self::Claimed(NodeId(rest.split(':').next()?.to_owned())));
        }
        body.strip_prefix(TAKEN).map(|node| Self::Taken(NodeId(node.to_owned())))
    }

    /// The node that left the mark.
    pub const fn node(&self) -> &NodeId {
        match self {
            Self::Claimed(node) | Self::Taken(node) => node,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_there_and_back() {
        let node = NodeId::random();
        assert_eq!(Mark::parse(&Mark::claimed(&node, 7)), Some(Mark::Claimed(node.clone())));
        assert_eq!(Mark::parse(&Mark::taken(&node)), Some(Mark::Taken(node)));
        assert_eq!(Mark::parse("<br>"), None);
    }
}
