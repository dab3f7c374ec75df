//! The executor protocol: wire types and the client.

/// What a call to an executor came to. A call never fails with an error: whatever went wrong is a code and a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// The executor's code, or 500 when there was no usable answer.
    pub code: i32,
    /// The executor's message, or the text of what went wrong.
    pub msg: Option<String>,
    /// Whether the executor itself said so. `false`: no usable answer came, `msg` tells why.
    pub answered: bool,
}

impl CallResult {
    /// The code of success, in answers of executors, `trigger_code` and `handle_code`.
    pub const SUCCESS: i32 = 200;
    /// The code of failure.
    pub const FAIL: i32 = 500;

    /// Whether the executor took the call.
    pub const fn is_success(&self) -> bool {
        self.code == Self::SUCCESS
    }
}
