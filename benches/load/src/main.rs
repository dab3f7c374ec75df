//! Load driver.
fn main() {}
