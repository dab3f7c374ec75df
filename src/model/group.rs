//! A row of `xxl_job_group`: an executor group and its addresses.

use super::EpochMs;

/// Column `address_type`: how the addresses of a group come to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressType {
    /// From the registrations of executors (0).
    Automatic,
    /// Entered by hand (anything else).
    Manual,
}

/// A row of `xxl_job_group`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobGroup {
    /// Primary key.
    pub id: i32,
    /// Name under which executors register.
    pub app_name: String,
    /// Name for people.
    pub title: String,
    /// 0 = automatic, anything else = by hand.
    pub address_type: i32,
    /// Comma-separated executor addresses.
    pub address_list: Option<String>,
    /// When the row was last written.
    pub update_time: Option<EpochMs>,
}

impl JobGroup {
    /// The meaning of `address_type`.
    pub const fn address_type(&self) -> AddressType {
        if self.address_type == 0 { AddressType::Automatic } else { AddressType::Manual }
    }

    /// The addresses as Java splits them: at `,`, trailing empty items dropped, none when the list is blank. Items are
    /// not trimmed.
    pub fn addresses(&self) -> Vec<String> {
        split_addresses(self.address_list.as_deref())
    }
}

/// Splits an address list as Java does (`scheduling` rule: trailing empty items dropped, others kept untrimmed).
pub fn split_addresses(list: Option<&str>) -> Vec<String> {
    let Some(list) = list else { return Vec::new() };
    if list.chars().all(|c| c <= ' ') {
        return Vec::new();
    }
    let mut items: Vec<String> = list.split(',').map(str::to_owned).collect();
    while items.last().is_some_and(String::is_empty) {
        items.pop();
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_split_as_in_java() {
        assert_eq!(split_addresses(None), Vec::<String>::new());
        assert_eq!(split_addresses(Some("  ")), Vec::<String>::new());
        assert_eq!(split_addresses(Some(",")), Vec::<String>::new());
        assert_eq!(split_addresses(Some("a,b,,")), ["a", "b"]);
        assert_eq!(split_addresses(Some(",a, b")), ["", "a", " b"]);
    }
}
