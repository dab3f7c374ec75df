//! Executor groups.

use xxl_job_admin::model::JobGroup;

use super::base::{Base, NOW};

conformance!(
    groups_are_added_found_changed_and_removed,
    groups_are_listed_by_app_name_title_and_id,
    groups_are_paged_by_texts,
    groups_of_an_app_have_its_name_to_the_letter,
    addresses_are_saved_for_automatic_groups_alone,
    a_group_with_jobs_stays,
);

fn group(app_name: &str, title: &str) -> JobGroup {
    JobGroup { app_name: app_name.into(), title: title.into(), ..JobGroup::default() }
}

impl Base {
    /// Adds a group; its id.
    async fn group(&self, group: JobGroup) -> i32 {
        self.store.insert_group(&group, NOW).await.expect("add a group");
        let groups = self.store.all_groups().await.expect("read");
        groups.iter().map(|group| group.id).max().expect("a group")
    }
}

async fn groups_are_added_found_changed_and_removed(base: &Base) {
    let manual =
        JobGroup { address_type: 1, address_list: Some("http://a/,http://b/".into()), ..group("app", "标题") };
    let id = base.group(manual.clone()).await;
    let stored = base.store.find_group(id).await.expect("read");
    assert_eq!(stored, Some(JobGroup { id, update_time: Some(NOW), ..manual }));
    assert_eq!(base.store.count_groups().await.expect("count"), 2);
    assert_eq!(base.store.find_groups(&[id, 999_999]).await.expect("read").len(), 1);
    assert!(base.store.find_groups(&[]).await.expect("read").is_empty());

    let changed = JobGroup { id, ..group("app2", "other") };
    assert!(base.store.update_group(&changed, NOW + 1_000).await.expect("change"));
    // Written though nothing differs.
    assert!(base.store.update_group(&changed, NOW + 1_000).await.expect("change"));
    let stored = base.store.find_group(id).await.expect("read");
    assert_eq!(stored, Some(JobGroup { update_time: Some(NOW + 1_000), ..changed.clone() }));
    assert!(!base.store.update_group(&JobGroup { id: 999_999, ..changed }, NOW).await.expect("change"));

    assert!(base.store.remove_group(id).await.expect("remove"));
    assert!(!base.store.remove_group(id).await.expect("remove"));
    assert_eq!(base.store.find_group(id).await.expect("read"), None);
}

async fn groups_are_listed_by_app_name_title_and_id(base: &Base) {
    let c = base.group(group("zz", "a")).await;
    let b = base.group(group("aa", "b")).await;
    let a = base.group(group("aa", "a")).await;
    let a2 = base.group(group("aa", "a")).await;
    let ids: Vec<i32> = base.store.all_groups().await.expect("read").iter().map(|group| group.id).collect();
    assert_eq!(ids, [a, a2, b, 1, c]);
}

async fn groups_are_paged_by_texts(base: &Base) {
    for number in 0..5 {
        base.group(group(&format!("Billing-{number}"), "Rechnung")).await;
    }
    let (page, total) = base.store.page_groups("billing", "RECH", 3, 10).await.expect("read");
    assert_eq!((page.len(), total), (2, 5), "case does not matter");
    assert_eq!(page[0].app_name, "Billing-3");
    let (page, total) = base.store.page_groups(" ", "", 0, 2).await.expect("read");
    assert_eq!((page.len(), total), (2, 6), "blank means all");
    assert_eq!(base.store.page_groups("b%2", "", 0, 10).await.expect("read").1, 1, "the caller's wildcard");
    assert_eq!(base.store.page_groups("billing", "xxl", 0, 10).await.expect("read").1, 0);
}

async fn groups_of_an_app_have_its_name_to_the_letter(base: &Base) {
    let first = base.group(group("orders", "b")).await;
    for other in ["Orders", "orders2", "order"] {
        base.group(group(other, "a")).await;
    }
    let second = base.group(group("orders", "a")).await;
    let ids = async |app: &str| -> Vec<i32> {
        base.store.groups_of_app(app).await.expect("read").iter().map(|group| group.id).collect()
    };
    assert_eq!(ids("orders").await, [first, second]);
    for none in ["orders ", "ORDERS", "order_", "%", ""] {
        assert_eq!(ids(none).await, [0; 0], "{none}");
    }
}

async fn addresses_are_saved_for_automatic_groups_alone(base: &Base) {
    let manual = base.group(JobGroup { address_type: 1, address_list: Some("own".into()), ..group("m", "m") }).await;
    assert!(base.store.save_addresses(1, Some("http://a/"), NOW).await.expect("save"));
    assert!(!base.store.save_addresses(manual, Some("http://a/"), NOW + 1_000).await.expect("save"));
    assert!(!base.store.save_addresses(999_999, None, NOW).await.expect("save"));
    let automatic = base.store.find_group(1).await.expect("read").expect("the seed group");
    assert_eq!((automatic.address_list.as_deref(), automatic.update_time), (Some("http://a/"), Some(NOW)));
    let manual = base.store.find_group(manual).await.expect("read").expect("the group");
    assert_eq!((manual.address_list.as_deref(), manual.update_time), (Some("own"), Some(NOW)));
    assert!(base.store.save_addresses(1, None, NOW).await.expect("save"));
    assert_eq!(base.store.find_group(1).await.expect("read").expect("the group").address_list, None);
}

async fn a_group_with_jobs_stays(base: &Base) {
    assert!(base.store.is_group_used(1).await.expect("look"), "by the seed job");
    assert!(!base.store.remove_group(1).await.expect("ask"));
    base.store.remove_job(1).await.expect("remove the job");
    assert!(!base.store.is_group_used(1).await.expect("look"));
    assert!(base.store.remove_group(1).await.expect("remove"));
}
