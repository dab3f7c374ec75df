//! Passwords, in the form that the tables demand so that the way back to a Java admin stays open: unsalted, lower-case hex
//! of MD5 or SHA-256.

use md5::Md5;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::store::PasswordHash;

/// The form in which a password is stored.
pub fn hash(kind: PasswordHash, password: &str) -> String {
    match kind {
        PasswordHash::Md5 => hex::encode(Md5::digest(password.as_bytes())),
        PasswordHash::Sha256 => hex::encode(Sha256::digest(password.as_bytes())),
    }
}

/// Whether the password belongs to the stored hash; never when there is none. Takes the same time either way, so that the
/// answer does not tell which users exist.
pub fn verify(kind: PasswordHash, stored: Option<&str>, password: &str) -> bool {
    let given = hash(kind, password);
    let nobody = "-".repeat(given.len());
    let same: bool = given.as_bytes().ct_eq(stored.unwrap_or(&nobody).as_bytes()).into();
    same && stored.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_java_admins() {
        assert_eq!(hash(PasswordHash::Md5, "123456"), "e10adc3949ba59abbe56e057f20f883e");
        assert_eq!(
            hash(PasswordHash::Sha256, "123456"),
            "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92"
        );
    }

    #[test]
    fn only_the_right_password_of_a_known_user_is_right() {
        let stored = hash(PasswordHash::Md5, "right");
        assert!(verify(PasswordHash::Md5, Some(&stored), "right"));
        assert!(!verify(PasswordHash::Md5, Some(&stored), "wrong"));
        assert!(!verify(PasswordHash::Md5, Some(&stored.to_uppercase()), "right"));
        assert!(!verify(PasswordHash::Md5, None, "right"));
        assert!(!verify(PasswordHash::Md5, Some(""), ""));
    }
}
