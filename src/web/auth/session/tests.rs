use super::*;
use crate::clock::{Clock as _, ManualClock};
use crate::config::settings::{DatabaseUrl, Settings};

struct Fixture {
    _folder: tempfile::TempDir,
    store: Store,
    clock: Arc<ManualClock>,
    sessions: Sessions,
}

async fn fixture(login_days: u32) -> Fixture {
    fixture_with(login_days, false).await
}

async fn fixture_with(login_days: u32, shared_login: bool) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::for_database(DatabaseUrl::Sqlite(folder.path().join("x.db")));
    Store::init(&settings, "hash").await.unwrap();
    let store = Store::open(&settings).await.unwrap();
    let clock = Arc::new(ManualClock::at(1_796_071_183_000));
    let console = Console { shared_login, login_days, ..settings.console };
    let sessions = Sessions::new(store.clone(), clock.clone(), &console);
    Fixture { _folder: folder, store, clock, sessions }
}

impl Fixture {
    async fn admin(&self) -> JobUser {
        self.store.find_user(1).await.unwrap().unwrap()
    }

    async fn log_in(&self, user: &JobUser) -> String {
        self.sessions.log_in(Family::Identity, user).await.unwrap()
    }

    async fn name(&self, cookie: &str) -> Option<String> {
        self.sessions.find(Family::Identity, cookie).await.unwrap().map(|user| user.username.clone())
    }

    async fn ends(&self, cookie: &str) -> Option<EpochMs> {
        let rows = self.store.entries_of(LOGIN_GROUP, &key(cookie)).await.unwrap();
        rows.first().and_then(|row| row.update_time)
    }
}

#[tokio::test]
async fn a_login_lives_until_log_out() {
    let f = fixture(30).await;
    let admin = f.admin().await;
    let (one, two) = (
        f.sessions.log_in(Family::Identity, &admin).await.unwrap(),
        f.sessions.log_in(Family::Identity, &admin).await.unwrap(),
    );
    assert!(Sessions::is_plausible(&one) && one != two);
    assert_eq!(f.name(&one).await.as_deref(), Some("admin"));
    f.sessions.log_out(Family::Identity, &one).await.unwrap();
    assert_eq!(f.name(&one).await, None);
    assert_eq!(f.name(&two).await.as_deref(), Some("admin"));
}

#[tokio::test]
async fn the_row_tells_neither_cookie_nor_password() {
    let f = fixture(30).await;
    let cookie = f.sessions.log_in(Family::Identity, &f.admin().await).await.unwrap();
    let rows = f.store.entries_of(LOGIN_GROUP, &key(&cookie)).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert!(rows[0].value.starts_with("1.") && rows[0].value.len() == 66);
    assert_eq!(rows[0].update_time, Some(f.clock.now_ms() + 30 * DAY_MS));
    // What the table says is no cookie.
    assert_eq!(f.name(&rows[0].key).await, None);
    assert_eq!(f.name(&rows[0].value).await, None);
}

#[tokio::test]
async fn a_password_change_ends_every_login() {
    let f = fixture(30).await;
    let cookie = f.sessions.log_in(Family::Identity, &f.admin().await).await.unwrap();
    assert!(f.name(&cookie).await.is_some());
    f.store.save_password(1, "another").await.unwrap();
    f.clock.advance(CACHE_MS);
    assert_eq!(f.name(&cookie).await, None);
}

#[tokio::test]
async fn a_used_login_is_renewed_once_a_day_and_an_unused_one_ends() {
    let f = fixture(2).await;
    let cookie = f.sessions.log_in(Family::Identity, &f.admin().await).await.unwrap();
    let first = f.ends(&cookie).await.unwrap();
    f.clock.advance(DAY_MS);
    assert!(f.name(&cookie).await.is_some());
    assert_eq!(f.ends(&cookie).await, Some(first), "a day is left");
    f.clock.advance(CACHE_MS);
    assert!(f.name(&cookie).await.is_some());
    assert_eq!(f.ends(&cookie).await, Some(f.clock.now_ms() + 2 * DAY_MS));
    f.clock.advance(2 * DAY_MS - MARGIN_MS);
    assert_eq!(f.name(&cookie).await, None);
}

#[tokio::test]
async fn a_planted_row_is_no_login() {
    let f = fixture(30).await;
    let cookie = "a".repeat(COOKIE_LENGTH);
    let other = f.sessions.log_in(Family::Identity, &f.admin().await).await.unwrap();
    let value = f.store.entries_of(LOGIN_GROUP, &key(&other)).await.unwrap()[0].value.clone();
    for value in [value, "1.".into(), "1.zz".into(), "x".into(), format!("1.{}", "0".repeat(64))] {
        let update_time = Some(f.clock.now_ms() + DAY_MS);
        let row = RegistryEntry { group: LOGIN_GROUP.into(), key: key(&cookie), value, update_time };
        f.store.beat(&[row], 0).await.unwrap();
    }
    assert_eq!(f.name(&cookie).await, None);
}

#[tokio::test]
async fn all_logins_of_a_user_end_at_once_and_those_of_others_stay() {
    let f = fixture(30).await;
    let admin = f.admin().await;
    let (one, two) = (f.log_in(&admin).await, f.log_in(&admin).await);
    f.store.beat(&[f.sessions.entry(&JobUser { id: 11, ..admin }, "other", 0)], 0).await.unwrap();
    assert!(f.name(&one).await.is_some() && f.name(&two).await.is_some());
    f.sessions.end_all_of(1).await.unwrap();
    assert_eq!((f.name(&one).await, f.name(&two).await), (None, None));
    assert_eq!(f.store.entries_of(LOGIN_GROUP, &key("other")).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_login_is_rewritten_for_a_new_password_and_the_others_end() {
    let f = fixture(30).await;
    let admin = f.admin().await;
    let (one, two) = (f.log_in(&admin).await, f.log_in(&admin).await);
    assert!(f.name(&one).await.is_some() && f.name(&two).await.is_some());
    f.store.save_password(1, "another").await.unwrap();
    f.sessions.rewrite(&one, &f.admin().await).await.unwrap();
    assert_eq!((f.name(&one).await.as_deref(), f.name(&two).await), (Some("admin"), None));
    assert_eq!(f.store.entries_of(LOGIN_GROUP, &key(&one)).await.unwrap().len(), 1);
    // A cookie that logs nobody in, or somebody else, is not made one that does.
    let made_up = "a".repeat(COOKIE_LENGTH);
    f.sessions.rewrite(&made_up, &f.admin().await).await.unwrap();
    f.sessions.rewrite(&one, &JobUser { id: 2, ..f.admin().await }).await.unwrap();
    assert_eq!((f.name(&made_up).await, f.name(&one).await), (None, None));
}

#[tokio::test]
async fn what_was_looked_up_while_a_login_ended_is_not_kept() {
    let f = fixture(30).await;
    let admin = f.admin().await;
    let cookie = f.log_in(&admin).await;
    let key = (Family::Identity, key(&cookie));
    let ends = f.sessions.cached(&key, f.clock.now_ms()).unwrap_err();
    f.sessions.end_all_of(1).await.unwrap();
    f.sessions.remember(key, Arc::new(admin), f.clock.now_ms(), ends);
    assert_eq!(f.name(&cookie).await, None);
}

#[tokio::test]
async fn java_cookies_count_only_where_they_are_shared_and_under_their_name() {
    let signature = "0123456789abcdef0123456789abcdef";
    let java = Token::encode(1, signature);
    for shared in [false, true] {
        let f = fixture_with(30, shared).await;
        f.store.share_token(1, signature).await.unwrap();
        let find = async |family, cookie: &str| f.sessions.find(family, cookie).await.unwrap().is_some();
        assert_eq!(find(Family::Token, &java).await, shared);
        assert!(!find(Family::Identity, &java).await);
        assert!(!find(Family::Token, &Token::encode(1, "0")).await);
        assert!(!find(Family::Token, &Token::encode(2, signature)).await);
        // The tables are those of 3.4, so a cookie of the releases to 3.1 is none.
        assert!(!find(Family::Identity, &Identity::encode(&f.admin().await)).await);
        // Values of ours count in either mode, whatever their name.
        let own = f.log_in(&f.admin().await).await;
        assert!(find(Family::Identity, &own).await && find(Family::Token, &own).await);
    }
}

#[tokio::test]
async fn a_shared_token_is_kept_at_a_further_login_and_emptied_at_log_out() {
    let f = fixture_with(30, true).await;
    let admin = f.admin().await;
    let one = f.sessions.log_in(Family::Token, &admin).await.unwrap();
    let two = f.sessions.log_in(Family::Token, &admin).await.unwrap();
    assert_eq!(one, two);
    let claim = Token::decode(&one).unwrap();
    assert_eq!((claim.user_id, f.admin().await.token), (1, Some(claim.signature)));
    let own = f.log_in(&admin).await;
    assert!(f.sessions.find(Family::Token, &one).await.unwrap().is_some());
    f.sessions.log_out(Family::Token, &one).await.unwrap();
    assert!(f.sessions.find(Family::Token, &one).await.unwrap().is_none());
    assert_eq!(f.admin().await.token.as_deref(), Some(""));
    assert!(f.sessions.find(Family::Token, &Token::encode(1, "")).await.unwrap().is_none());
    assert_eq!(f.name(&own).await.as_deref(), Some("admin"), "a login of ours ends alone");
}
