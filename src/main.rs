//! xxl-job-admin.
fn main() {}
