//! The password of the seed rows, which everybody knows, is taken from this machine alone (`security.seed-password`).

use crate::config::settings::SeedPassword;
use crate::web::client::Client;

/// The password of the user `admin` in the seed rows of every release.
pub const SEED_PASSWORD: &str = "123456";

/// Whether a login with this (right) password is refused because of where it comes from.
pub fn is_refused(setting: SeedPassword, password: &str, client: &Client) -> bool {
    setting == SeedPassword::Local && password == SEED_PASSWORD && !client.is_local()
}
