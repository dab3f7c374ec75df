//! A row of `xxl_job_user`: who may use the console.

/// A row of `xxl_job_user`.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct JobUser {
    /// Primary key.
    pub id: i32,
    /// Login name.
    pub username: String,
    /// Hash of the password, md5 or sha-256 by schema generation.
    pub password: String,
    /// 3.x login token; absent in older generations.
    pub token: Option<String>,
    /// 1 = administrator, anything else = user.
    pub role: i32,
    /// Comma-separated ids of the executor groups that a user may use.
    pub permission: Option<String>,
}

impl JobUser {
    /// Whether the role is that of an administrator.
    pub const fn is_admin(&self) -> bool {
        self.role == 1
    }

    /// Whether the user may use this executor group. Items of `permission` are compared as text, as in Java.
    pub fn may_use_group(&self, group: i32) -> bool {
        self.is_admin()
            || self.permission.as_deref().is_some_and(|list| list.split(',').any(|item| item == group.to_string()))
    }

    /// The executor groups that a user who is no administrator may use.
    pub fn permitted_groups(&self) -> Vec<i32> {
        let items = self.permission.as_deref().unwrap_or_default().split(',').filter_map(|item| item.parse().ok());
        items.filter(|group| self.may_use_group(*group)).collect()
    }
}

impl std::fmt::Debug for JobUser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobUser").field("id", &self.id).field("username", &self.username).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permission_is_by_whole_item() {
        let user = JobUser { permission: Some("11,2".into()), ..JobUser::default() };
        assert!(user.may_use_group(11) && user.may_use_group(2));
        assert!(!user.may_use_group(1));
        let odd = JobUser { permission: Some("11, 2,+3,x,".into()), ..JobUser::default() };
        assert_eq!(odd.permitted_groups(), [11]);
        assert!(JobUser { role: 1, ..JobUser::default() }.may_use_group(7));
        let debug = format!("{:?}", JobUser { password: "secret".into(), ..JobUser::default() });
        assert!(!debug.contains("secret"));
    }
}
