//! Users of the console.

use super::base::Base;

conformance!(
    users_are_found,
    names_are_compared_without_case_and_trailing_blanks,
    a_password_is_stored,
    a_token_is_shared_until_it_is_emptied,
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
