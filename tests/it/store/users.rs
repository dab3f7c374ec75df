//! Users of the console.

use xxl_job_admin::model::JobUser;
use xxl_job_admin::store::{Error, UserEdit};

use super::base::Base;

conformance!(
    users_are_found,
    names_are_compared_without_case_and_trailing_blanks,
    a_password_is_stored,
    a_token_is_shared_until_it_is_emptied,
    users_are_added_changed_and_removed,
    users_are_paged_by_name_and_role,
);

async fn users_are_found(base: &Base) {
    let token = if base.store.schema().user_token { ", token" } else { "" };
    let value = if token.is_empty() { "" } else { ", 't0'" };
    base.sql(&format!(
        "INSERT INTO xxl_job_user (username, password, role, permission{token}) VALUES ('eve', 'hash', 0, '1,3'{value})"
    ))
    .await;
    let admin = base.store.find_user(1).await.expect("read").expect("the seed user");
    assert_eq!((admin.username.as_str(), admin.role, &admin.permission, &admin.token), ("admin", 1, &None, &None));
    let eve = base.store.find_user_by_name("eve").await.expect("read").expect("the user");
    assert_eq!((eve.username.as_str(), eve.password.as_str(), eve.role), ("eve", "hash", 0));
    assert_eq!(eve.permission.as_deref(), Some("1,3"));
    assert_eq!(eve.token.as_deref(), (!token.is_empty()).then_some("t0"));
    assert_eq!(base.store.find_user(eve.id).await.expect("read"), Some(eve));
    assert_eq!(base.store.find_user(999_999).await.expect("read"), None);
}

async fn names_are_compared_without_case_and_trailing_blanks(base: &Base) {
    for name in ["admin", "ADMIN", "Admin  "] {
        let found = base.store.find_user_by_name(name).await.expect("read");
        assert_eq!(found.map(|user| user.id), Some(1), "{name:?}");
    }
    for name in [" admin", "adm", "admin%", "", "' OR 1 = 1 -- "] {
        assert_eq!(base.store.find_user_by_name(name).await.expect("read"), None, "{name:?}");
    }
}

async fn a_password_is_stored(base: &Base) {
    let hash = "0123456789abcdef0123456789abcdef";
    assert!(base.store.save_password(1, hash).await.expect("store"));
    assert!(base.store.save_password(1, hash).await.expect("store the same"));
    assert!(!base.store.save_password(999_999, hash).await.expect("store"));
    assert_eq!(base.store.find_user(1).await.expect("read").expect("the user").password, hash);
}

async fn a_token_is_shared_until_it_is_emptied(base: &Base) {
    let store = &base.store;
    if !store.schema().user_token {
        assert_eq!(store.share_token(1, "t1").await.expect("an answer"), None);
        store.clear_token(1).await.expect("nothing to do");
        return;
    }
    assert_eq!(store.share_token(1, "t1").await.expect("an answer").as_deref(), Some("t1"), "none was there");
    assert_eq!(store.share_token(1, "t2").await.expect("an answer").as_deref(), Some("t1"), "the first one stays");
    store.clear_token(1).await.expect("emptied");
    assert_eq!(store.find_user(1).await.expect("read").expect("the user").token.as_deref(), Some(""));
    assert_eq!(store.share_token(1, "t3").await.expect("an answer").as_deref(), Some("t3"), "an empty one is none");
    base.sql("UPDATE xxl_job_user SET token = '  ' WHERE id = 1").await;
    assert_eq!(store.share_token(1, "t4").await.expect("an answer").as_deref(), Some("t4"), "nor is a blank one");
    assert_eq!(store.share_token(999_999, "t5").await.expect("an answer"), None);
    assert_eq!(store.find_user(1).await.expect("read").expect("the user").token.as_deref(), Some("t4"));
}

fn user(name: &str, role: i32) -> JobUser {
    JobUser {
        username: name.into(),
        password: "hash".into(),
        role,
        permission: Some("1,3".into()),
        ..JobUser::default()
    }
}

impl Base {
    async fn user(&self, name: &str, role: i32) -> JobUser {
        self.store.insert_user(&user(name, role)).await.expect("add");
        self.store.find_user_by_name(name).await.expect("read").expect("the user")
    }
}

async fn users_are_added_changed_and_removed(base: &Base) {
    let added = base.user("eve", 7).await;
    assert_eq!(added, JobUser { id: added.id, ..user("eve", 7) });
    assert!(matches!(base.store.insert_user(&user("eve", 0)).await, Err(Error::Conflict(_))), "a name exists once");
    let edit = UserEdit { password: None, role: 1, permission: None };
    assert!(base.store.update_user(added.id, &edit).await.expect("change"));
    assert!(base.store.update_user(added.id, &edit).await.expect("change nothing"));
    let found = base.store.find_user(added.id).await.expect("read").expect("the user");
    assert_eq!(found, JobUser { role: 1, permission: None, ..added.clone() }, "name and password stay");
    let edit = UserEdit { password: Some("new".into()), role: 0, permission: Some(String::new()) };
    assert!(base.store.update_user(added.id, &edit).await.expect("change"));
    let found = base.store.find_user(added.id).await.expect("read").expect("the user");
    assert_eq!((found.password.as_str(), found.permission.as_deref()), ("new", Some("")));
    let long = UserEdit { permission: Some("1".repeat(256)), ..edit.clone() };
    assert!(matches!(base.store.update_user(added.id, &long).await, Err(Error::TooLong { column: "permission", .. })));
    assert!(!base.store.update_user(999_999, &edit).await.expect("change"));
    assert!(base.store.remove_user(added.id).await.expect("remove"));
    assert!(!base.store.remove_user(added.id).await.expect("remove"));
    assert_eq!(base.store.find_user(added.id).await.expect("read"), None);
}

async fn users_are_paged_by_name_and_role(base: &Base) {
    for (name, role) in [("Zoe", 0), ("bob", 0), ("Bobby", 1), ("alice", 0)] {
        base.user(name, role).await;
    }
    let names = async |name: &str, role: i32, offset: i64, limit: i64| {
        let (users, total) = base.store.page_users(name, role, offset, limit).await.expect("read");
        (users.into_iter().map(|user| user.username).collect::<Vec<_>>().join(" "), total)
    };
    assert_eq!(names("", -1, 0, 10).await, ("admin alice bob Bobby Zoe".into(), 5));
    assert_eq!(names("BOB", -1, 0, 10).await, ("bob Bobby".into(), 2));
    assert_eq!(names("", 0, 1, 1).await, ("bob".into(), 3));
    assert_eq!(names("", 1, 0, 10).await, ("admin Bobby".into(), 2));
    assert_eq!(names("b_b", 9, 0, 10).await, (String::new(), 0));
    assert_eq!(names("b_b", -5, 0, 0).await, (String::new(), 2));
}
