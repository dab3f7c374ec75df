//! Scripts of jobs and their versions.

use xxl_job_admin::model::ScriptVersion;
use xxl_job_admin::store::{Error, KEPT_VERSIONS};

use super::base::{Base, NOW};

conformance!(a_script_is_saved_with_a_version, the_newest_versions_stay);

async fn a_script_is_saved_with_a_version(base: &Base) {
    let source = "echo '</textarea>' ; \r\n 中文 😀";
    assert!(base.store.save_script(1, "GLUE_SHELL", Some(source), "first", NOW).await.expect("save"));
    assert!(base.store.save_script(1, "GLUE_SHELL", None, "second", NOW + 1_000).await.expect("save"));
    let job = base.job(1).await;
    assert_eq!((job.glue_source, job.glue_remark.as_deref()), (None, Some("second")));
    assert_eq!((job.glue_updatetime, job.update_time), (Some(NOW + 1_000), Some(NOW + 1_000)));
    assert_eq!(job.glue_type, "BEAN", "the kind stays");
    let versions = base.store.versions_of(1).await.expect("read");
    let wanted = ScriptVersion {
        id: versions[1].id,
        job_id: 1,
        glue_type: Some("GLUE_SHELL".into()),
        source: Some(source.into()),
        remark: "first".into(),
        add_time: Some(NOW),
        update_time: Some(NOW),
    };
    assert_eq!(versions.iter().map(|version| version.remark.as_str()).collect::<Vec<_>>(), ["second", "first"]);
    assert_eq!(versions[1], wanted);
    assert_eq!(base.store.find_version(wanted.id).await.expect("read"), Some(wanted));
    assert_eq!(base.store.find_version(999_999).await.expect("read"), None);
    assert!(base.store.versions_of(2).await.expect("read").is_empty());
}

async fn the_newest_versions_stay(base: &Base) {
    let other = base.scheduled(NOW).await;
    assert!(base.store.save_script(other, "GLUE_PHP", Some("x"), "other", NOW - 9_000_000).await.expect("save"));
    // An older one with a newer id, as after a restore: by time it goes first.
    for number in 0..i64::try_from(KEPT_VERSIONS).expect("a few") {
        let remark = format!("v{number:02}");
        assert!(base.store.save_script(1, "GLUE_SHELL", Some("x"), &remark, NOW + number).await.expect("save"));
    }
    base.sql("UPDATE xxl_job_logglue SET update_time = '2000-01-01 00:00:00' WHERE glue_remark = 'v07'").await;
    assert!(base.store.save_script(1, "GLUE_SHELL", Some("x"), "newest", NOW).await.expect("save"));
    let versions = base.store.versions_of(1).await.expect("read");
    assert_eq!(versions.len(), KEPT_VERSIONS);
    assert_eq!(versions[0].remark, "newest");
    assert!(versions.iter().all(|version| version.remark != "v07"));
    // At the same second the ids tell.
    assert!(base.store.save_script(1, "GLUE_SHELL", Some("x"), "again", NOW).await.expect("save"));
    assert!(base.store.versions_of(1).await.expect("read").iter().all(|version| version.remark != "v00"));
    assert_eq!(base.store.versions_of(other).await.expect("read").len(), 1, "another job's stay");
    // What does not go through leaves nothing behind.
    assert!(!base.store.save_script(999_999, "GLUE_SHELL", Some("x"), "lost", NOW).await.expect("save"));
    assert!(base.store.versions_of(999_999).await.expect("read").is_empty());
    let long = base.store.save_script(1, "GLUE_SHELL", Some("x"), &"中".repeat(129), NOW).await;
    assert!(matches!(long, Err(Error::TooLong { column: "glue_remark", .. })));
    assert!(base.store.save_script(1, "GLUE_SHELL", Some("x"), &"中".repeat(128), NOW).await.expect("save"));
}
