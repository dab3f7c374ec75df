//! Who calls: logins, cookies, passwords, and the arguments by which a handler says who may call it.

pub mod api_token;
pub mod audit;
pub mod cookie;
mod extract;
pub mod java_cookie;
pub mod password;
pub mod seed_password;
pub mod session;
pub mod throttle;

pub use extract::{AdminUser, LoginUser, Public};
