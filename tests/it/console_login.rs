//! Logins and what proves them: cookies of ours and of the Java admins, guessed passwords, bearer tokens.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use hmac::digest::Digest as _;
use reqwest::Method;
use reqwest::header::{LOCATION, SET_COOKIE};
use serde_json::Value;
use sha2::Sha256;
use xxl_job_admin::config::settings::{ApiToken, Dialect, Scope, Settings};
use xxl_job_admin::web::auth::session::Sessions;
use xxl_job_admin::web::console_paths;

use crate::support::app::{COOKIE_NAME, TestApp, spawn_app, spawn_app_on, spawn_app_with};
use crate::support::db::{Engine, TestDb};
use crate::support::schema::Generation;

const TOKEN_NAME: &str = "xxl_job_login_token";
const WRONG: &str = "账号或密码错误";

/// The cookie of a Java admin 2.4 for the user `admin` of the seed rows.
const JAVA_2: &str = "7b226964223a312c22757365726e616d65223a2261646d696e222c2270617373776f7264223a226531306164633339343962613539616262653536653035376632306638383365222c22726f6c65223a312c227065726d697373696f6e223a6e756c6c7d";

/// An answer, as far as logins are concerned.
struct Answer {
    status: u16,
    location: String,
    set_cookies: Vec<String>,
    body: String,
}

impl Answer {
    fn msg(&self) -> String {
        let json: Value = serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{}: {error}", self.body));
        format!("{} {}", json["code"], json["msg"].as_str().unwrap_or("-"))
    }

    /// Name and value of the one cookie that is set.
    fn cookie(&self) -> (&str, &str) {
        assert_eq!(self.set_cookies.len(), 1, "{:?} {}", self.set_cookies, self.body);
        let (name, rest) = self.set_cookies[0].split_once('=').expect("a cookie");
        (name, rest.split(';').next().unwrap_or_default())
    }

    fn is_not_logged_in(&self, path: &str) -> bool {
        match self.status {
            302 => self.location.ends_with("/toLogin") && self.body.is_empty(),
            _ => self.body == not_logged_in(path),
        }
    }
}

fn not_logged_in(path: &str) -> String {
    format!("{{\"code\":500,\"msg\":\"com.xxl.sso.core.exception.XxlSsoException: not login for path:{path}\"}}\n")
}

/// Posts a form with these headers.
async fn post(app: &TestApp, path: &str, form: &[(&str, &str)], headers: &[(&'static str, &str)]) -> Answer {
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let mut request = app.client.request(Method::POST, format!("{}{path}", app.base_url)).body(body);
    request = request.header("Content-Type", "application/x-www-form-urlencoded");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.expect("an answer");
    let texts = |name| answer.headers().get_all(name).iter().map(|value| value.to_str().expect("text").to_owned());
    Answer {
        status: answer.status().as_u16(),
        location: texts(LOCATION).next().unwrap_or_default(),
        set_cookies: texts(SET_COOKIE).collect(),
        body: answer.text().await.expect("a body"),
    }
}

async fn log_in(app: &TestApp, path: &str, name: &str, password: &str, headers: &[(&'static str, &str)]) -> Answer {
    post(app, path, &[("userName", name), ("password", password)], headers).await
}

/// The cookie header of an administrator who logs in here.
async fn admin(app: &TestApp, path: &str) -> String {
    let answer = log_in(app, path, "admin", "123456", &[]).await;
    let (name, value) = answer.cookie();
    format!("{name}={value}")
}

const LIST: (&str, &[(&str, &str)]) = ("/jobinfo/pageList", &[("jobGroup", "-1"), ("triggerStatus", "-1")]);

/// Whether this cookie header logs somebody in.
async fn is_known(app: &TestApp, cookie: &str) -> bool {
    // In dialect 3 the text filters must be there.
    let form = [LIST.1, &[("jobDesc", ""), ("executorHandler", ""), ("author", "")]].concat();
    let answer = post(app, LIST.0, &form, &[("Cookie", cookie)]).await;
    let known = answer.body.contains("\"data\":[");
    assert!(known || answer.is_not_logged_in(LIST.0), "{} {}", answer.status, answer.body);
    known
}

async fn on(generation: Generation, change: impl FnOnce(&mut Settings)) -> TestApp {
    spawn_app_on(TestDb::create(Engine::Sqlite, generation).await.expect("SQLite"), change).await
}

#[tokio::test]
async fn whoever_is_not_logged_in_gets_the_same_whatever_his_cookie() {
    let app = spawn_app().await;
    let tampered = |cookie: &str| {
        let (name, value) = cookie.split_once('=').expect("a cookie");
        let first = if value.starts_with('A') { 'B' } else { 'A' };
        format!("{name}={first}{}", &value[1..])
    };
    let old = admin(&app, "/login").await;
    let new = admin(&app, "/auth/doLogin").await;
    let cases = [
        (Dialect::V2, COOKIE_NAME, tampered(&old), format!("{COOKIE_NAME}={JAVA_2}")),
        (Dialect::V3, TOKEN_NAME, tampered(&new), format!("{TOKEN_NAME}=aGVsbG8")),
    ];
    for (dialect, name, tampered, made_up) in cases {
        let open = ["/login", "/logout", "/toLogin", "/auth/login", "/auth/doLogin", "/auth/logout", "/errorpage"];
        for path in console_paths(dialect).into_iter().filter(|path| !open.contains(path)) {
            for cookie in [String::new(), format!("{name}="), tampered.clone(), made_up.clone()] {
                let headers = [("Cookie", cookie.as_str()), ("X-XXL-Dialect", dialect.word())];
                let answer = post(&app, path, &[], &headers).await;
                if dialect == Dialect::V2 {
                    let got = (answer.status, answer.location.as_str(), answer.body.as_str());
                    assert_eq!(got, (302, "/xxl-job-admin/toLogin", ""), "{path} {cookie}");
                } else if answer.status == 302 {
                    assert_eq!(answer.location, format!("{}/auth/login", app.base_url), "{path} {cookie}");
                } else {
                    assert_eq!((answer.status, answer.body), (200, not_logged_in(path)), "{path} {cookie}");
                }
            }
        }
    }
    assert!(is_known(&app, &old).await && is_known(&app, &new).await);
}

#[tokio::test]
async fn a_login_that_has_ended_is_none() {
    let app = spawn_app().await;
    let cookie = admin(&app, "/login").await;
    app.db.connect().await.execute("UPDATE xxl_job_registry SET update_time = '2020-01-01 00:00:00'").await;
    assert!(!is_known(&app, &cookie).await);
}

#[tokio::test]
async fn the_cookie_tells_nothing_and_comes_alone() {
    let app = spawn_app_with(|settings| {
        settings.console.token_cookie = "site_token".into();
        settings.server.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
        settings.security.seed_password = xxl_job_admin::config::settings::SeedPassword::Allow;
    })
    .await;
    let form = [("userName", "admin"), ("password", "123456"), ("ifRemember", "on")];
    for (path, name) in [("/login", COOKIE_NAME), ("/auth/doLogin", "site_token")] {
        let answer = post(&app, path, &form, &[]).await;
        assert_eq!(answer.cookie().0, name);
        let (_, value) = answer.cookie();
        assert!(Sessions::is_plausible(value), "{value}");
        let text = BASE64_URL_SAFE_NO_PAD.decode(value).expect("base64");
        assert_eq!(text.len(), 32);
        let attributes = answer.set_cookies[0].split_once("; ").expect("attributes").1;
        assert!(attributes.starts_with("Max-Age=31536000; Expires="), "{attributes}");
        assert!(attributes.ends_with("; Path=/; HttpOnly; SameSite=Lax"), "{attributes}");
        let answer = post(&app, path, &form[..2], &[("X-Forwarded-Proto", "https")]).await;
        let (_, attributes) = answer.set_cookies[0].split_once("; ").expect("attributes");
        assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax; Secure");
    }
    let cookie = admin(&app, "/auth/doLogin").await;
    assert!(cookie.starts_with("site_token=") && is_known(&app, &cookie).await);
    let headers = [("Cookie", cookie.as_str()), ("X-Forwarded-Proto", "https")];
    let answer = post(&app, "/auth/logout", &[], &headers).await;
    assert!(
        answer.set_cookies[0].starts_with("site_token=; Max-Age=0; Expires=Thu, 01 Jan 1970"),
        "{:?}",
        answer.set_cookies
    );
    assert!(answer.set_cookies[0].ends_with("; Secure"));
    assert!(!is_known(&app, &cookie).await);
}

#[tokio::test]
async fn logins_of_one_user_live_side_by_side() {
    let app = spawn_app().await;
    let logins: Vec<String> =
        join_all((0..20).map(|n| admin(&app, if n % 2 == 0 { "/login" } else { "/auth/doLogin" }))).await;
    for cookie in &logins {
        assert!(is_known(&app, cookie).await);
    }
    let answer = post(&app, "/logout", &[], &[("Cookie", &logins[0])]).await;
    assert_eq!(answer.msg(), "200 -");
    let known = join_all(logins.iter().map(|cookie| is_known(&app, cookie))).await;
    assert_eq!(known.iter().filter(|known| **known).count(), 19);
    assert!(!known[0]);
}

#[tokio::test]
async fn a_log_out_and_a_changed_password_end_logins_for_good() {
    let app = spawn_app().await;
    let (one, two) = (admin(&app, "/login").await, admin(&app, "/auth/doLogin").await);
    post(&app, "/logout", &[], &[("Cookie", &one)]).await;
    assert!(!is_known(&app, &one).await && is_known(&app, &two).await);
    let three = admin(&app, "/login").await;
    app.core.store.save_password(1, &"0".repeat(64)).await.expect("stored");
    // Another node may believe a login for five seconds; this one was not looked up yet.
    assert!(!is_known(&app, &three).await);
}

#[tokio::test]
async fn of_two_users_cookies_the_one_of_the_paths_family_counts() {
    let app = spawn_app().await;
    app.add_user("nobody-much", "").await;
    let old_nobody = log_in(&app, "/login", "nobody-much", "secret", &[]).await.cookie().1.to_owned();
    let new_nobody = log_in(&app, "/auth/doLogin", "nobody-much", "secret", &[]).await.cookie().1.to_owned();
    let old_admin = log_in(&app, "/login", "admin", "123456", &[]).await.cookie().1.to_owned();
    let new_admin = log_in(&app, "/auth/doLogin", "admin", "123456", &[]).await.cookie().1.to_owned();
    let group = [("jobGroup", "1")];
    let old_path = async |old: &str, new: &str| {
        let cookies = format!("{TOKEN_NAME}={new}; {COOKIE_NAME}={old}");
        post(&app, "/joblog/getJobsByGroup", &group, &[("Cookie", &cookies)]).await.msg()
    };
    assert_eq!(old_path(&old_admin, &new_nobody).await, "200 -");
    assert!(old_path(&old_nobody, &new_admin).await.contains("[username=nobody-much]"));
    assert_eq!(old_path("spoilt", &new_admin).await, "200 -");
    let new_path = async |old: &str, new: &str| {
        let cookies = format!("{COOKIE_NAME}={old}; {TOKEN_NAME}={new}");
        post(&app, "/jobgroup/insert", &[("appname", ""), ("title", "")], &[("Cookie", &cookies)]).await.msg()
    };
    assert_eq!(new_path(&old_nobody, &new_admin).await, "500 请输入AppName");
    assert!(new_path(&old_admin, &new_nobody).await.contains("permission limit"));
    assert_eq!(new_path(&old_admin, "spoilt").await, "500 请输入AppName");
}

fn from(address: &str) -> [(&'static str, &str); 1] {
    [("X-Forwarded-For", address)]
}

fn behind_a_proxy(settings: &mut Settings) {
    settings.server.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
}

#[tokio::test]
async fn who_guesses_is_slowed_and_then_refused_and_the_owner_gets_in_from_elsewhere() {
    let app = spawn_app_with(behind_a_proxy).await;
    app.add_user("deploy", "").await;
    let (a, b) = (from("192.0.2.1"), from("192.0.2.2"));
    for (n, name) in ["deploy", "DEPLOY", "Deploy  "].into_iter().cycle().take(10).enumerate() {
        assert_eq!(log_in(&app, "/login", name, &n.to_string(), &a).await.msg(), format!("500 {WRONG}"));
    }
    let begin = std::time::Instant::now();
    assert_eq!(log_in(&app, "/auth/doLogin", "deploy", "x", &a).await.msg(), format!("500 {WRONG}"));
    assert!(begin.elapsed().as_millis() >= 500, "the eleventh waits");
    // The rest side by side, as it would take minutes one after the other.
    let rest = join_all((0..39).map(|_| log_in(&app, "/login", "deploy", "x", &a))).await;
    assert!(rest.iter().all(|answer| answer.msg() == format!("500 {WRONG}") && answer.set_cookies.is_empty()));
    let begin = std::time::Instant::now();
    let refused = log_in(&app, "/login", "deploy", "secret", &a).await;
    assert_eq!((refused.status, refused.msg()), (200, format!("500 {WRONG}")), "not even the right one");
    assert!(begin.elapsed().as_millis() < 500, "refused at once");
    assert_eq!(log_in(&app, "/login", "deploy", "secret", &b).await.msg(), "200 -");
    assert_eq!(log_in(&app, "/login", "nobody", "secret", &a).await.msg(), format!("500 {WRONG}"));
}

#[tokio::test]
async fn guesses_from_many_addresses_leave_the_known_ones_in() {
    let app = spawn_app_with(behind_a_proxy).await;
    app.add_user("deploy", "").await;
    let home = from("198.51.100.1");
    assert_eq!(log_in(&app, "/login", "deploy", "secret", &home).await.msg(), "200 -");
    for n in 0..200 {
        let address = format!("192.0.2.{}", n / 5);
        assert_eq!(log_in(&app, "/login", "deploy", "x", &from(&address)).await.msg(), format!("500 {WRONG}"));
    }
    let elsewhere = from("203.0.113.1");
    assert_eq!(log_in(&app, "/login", "deploy", "secret", &elsewhere).await.msg(), format!("500 {WRONG}"));
    assert_eq!(log_in(&app, "/login", "deploy", "secret", &home).await.msg(), "200 -");
}

#[tokio::test]
async fn the_throttle_can_be_switched_off() {
    let app = spawn_app_with(|settings| settings.console.login_throttle = false).await;
    app.add_user("deploy", "").await;
    for _ in 0..60 {
        assert_eq!(log_in(&app, "/login", "deploy", "x", &[]).await.msg(), format!("500 {WRONG}"));
    }
    assert_eq!(log_in(&app, "/login", "deploy", "secret", &[]).await.msg(), "200 -");
}

#[tokio::test]
async fn logins_are_shared_with_java_admins_to_3_1_byte_for_byte() {
    let app = on(Generation::V2_4, |settings| settings.console.shared_login = true).await;
    assert_eq!(admin(&app, "/login").await, format!("{COOKIE_NAME}={JAVA_2}"));
    let encode = |text: &str| format!("{COOKIE_NAME}={}", hex::encode(text));
    let md5 = "e10adc3949ba59abbe56e057f20f883e";
    for good in [
        format!("{COOKIE_NAME}={JAVA_2}"),
        format!("{COOKIE_NAME}={}", JAVA_2.to_uppercase()),
        format!("{COOKIE_NAME}=00{JAVA_2}"),
        format!("{COOKIE_NAME}=\"{JAVA_2}\""),
        encode(&format!(r#"{{"username":"admin","password":"{md5}"}}"#)),
    ] {
        assert!(is_known(&app, &good).await, "{good}");
    }
    for bad in [
        encode(&format!(r#"{{"username":"admin","password":"{md5}","x":1}}"#)),
        encode(&format!(r#"{{"username":"admin","password":"{}"}}"#, md5.to_uppercase())),
        encode(r#"{"username":"admin","password":"e10adc3949ba59abbe56e057f20f883f"}"#),
        encode(r#"{"username":"admin","password":null}"#),
        encode(&format!(r#"{{"username":"nobody","password":"{md5}"}}"#)),
        format!("{TOKEN_NAME}={JAVA_2}"),
        format!("{COOKIE_NAME}="),
    ] {
        assert!(!is_known(&app, &bad).await, "{bad}");
    }
    // The role in the cookie does not count.
    app.add_user("nobody-much", "").await;
    let hash = xxl_job_admin::web::auth::password::hash(app.core.store.schema().password_hash, "secret");
    let claim = format!(r#"{{"id":1,"username":"nobody-much","password":"{hash}","role":1,"permission":null}}"#);
    let answer = post(&app, "/jobgroup/pageList", &[], &[("Cookie", &encode(&claim))]).await;
    assert_eq!(answer.msg(), "500 java.lang.RuntimeException: 权限拦截");
    // These tables have no column for the other cookie: it carries a value of ours, which survives a log-out of the first.
    let own = admin(&app, "/auth/doLogin").await;
    assert!(Sessions::is_plausible(own.split_once('=').expect("a cookie").1));
    let answer = post(&app, "/logout", &[], &[("Cookie", &format!("{COOKIE_NAME}={JAVA_2}"))]).await;
    assert!(answer.set_cookies[0].starts_with(&format!("{COOKIE_NAME}=; Max-Age=0")), "{:?}", answer.set_cookies);
    assert!(is_known(&app, &own).await);
    app.core.store.save_password(1, &"0".repeat(32)).await.expect("stored");
    let fresh = format!("{COOKIE_NAME}=0{JAVA_2}");
    assert!(!is_known(&app, &fresh).await, "a changed password ends them");
}

#[tokio::test]
async fn logins_are_shared_with_java_admins_from_3_2_through_the_token() {
    let app = on(Generation::V3_4, |settings| settings.console.shared_login = true).await;
    let one = admin(&app, "/auth/doLogin").await;
    let text = BASE64_URL_SAFE_NO_PAD.decode(one.split_once('=').expect("a cookie").1).expect("base64");
    let token = app.core.store.find_user(1).await.expect("read").expect("the user").token.expect("a token");
    assert_eq!(token.len(), 32);
    let wanted = format!(r#"{{"userId":"1","expireTime":0,"signature":"{token}"}}"#);
    assert_eq!(String::from_utf8(text).expect("text"), wanted);
    assert_eq!(admin(&app, "/auth/doLogin").await, one, "no login ends another");
    let encode = |text: &str| format!("{TOKEN_NAME}={}", BASE64_URL_SAFE_NO_PAD.encode(text));
    for good in [
        encode(&format!(r#"{{"userId":"1","signature":"{token}"}}"#)),
        encode(&format!(r#"{{"userId":1,"signature":"{token}","roleList":["Z"],"zz":1,"expireTime":1}}"#)),
        one.clone(),
    ] {
        assert!(is_known(&app, &good).await, "{good}");
    }
    for bad in [
        encode(r#"{"userId":"1","signature":"00000000000000000000000000000000"}"#),
        encode(r#"{"userId":"1","signature":""}"#),
        encode(&format!(r#"{{"userId":"x","signature":"{token}"}}"#)),
        format!("{TOKEN_NAME}=%%%"),
        format!("{TOKEN_NAME}=aGVsbG8"),
        format!("{COOKIE_NAME}={}", one.split_once('=').expect("a cookie").1),
    ] {
        assert!(!is_known(&app, &bad).await, "{bad}");
    }
    // The other cookie carries a value of ours.
    let own = admin(&app, "/login").await;
    assert!(Sessions::is_plausible(own.split_once('=').expect("a cookie").1));
    let answer = post(&app, "/auth/logout", &[], &[("Cookie", &one)]).await;
    assert_eq!(answer.msg(), "200 Success");
    assert!(!is_known(&app, &one).await && is_known(&app, &own).await);
    let answer = post(&app, "/auth/logout", &[], &[("Cookie", &format!("{TOKEN_NAME}=aGVsbG8"))]).await;
    assert_eq!(answer.msg(), "500 token is invalid");
    assert_ne!(admin(&app, "/auth/doLogin").await, one, "an emptied token is made anew");
}

#[tokio::test]
async fn java_cookies_are_nothing_unless_they_are_shared() {
    let app = on(Generation::V2_4, |_| {}).await;
    assert!(!is_known(&app, &format!("{COOKIE_NAME}={JAVA_2}")).await);
    let app = on(Generation::V3_4, |_| {}).await;
    app.core.store.share_token(1, "0123456789abcdef0123456789abcdef").await.expect("stored");
    let text = r#"{"userId":"1","expireTime":0,"signature":"0123456789abcdef0123456789abcdef"}"#;
    assert!(!is_known(&app, &format!("{TOKEN_NAME}={}", BASE64_URL_SAFE_NO_PAD.encode(text))).await);
}

fn token(secret: &str, scope: Scope, groups: &[&str]) -> ApiToken {
    ApiToken {
        name: secret.into(),
        sha256: Sha256::digest(secret.as_bytes()).into(),
        scope,
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        expires: None,
    }
}

async fn with_token(app: &TestApp, token: &str, path: &str, form: &[(&str, &str)]) -> Answer {
    post(app, path, form, &[("Authorization", &format!("Bearer {token}")), ("X-XXL-Dialect", "2")]).await
}

const JOB: &[(&str, &str)] = &[
    ("jobDesc", "d"),
    ("author", "a"),
    ("scheduleType", "NONE"),
    ("glueType", "BEAN"),
    ("executorHandler", "h"),
    ("executorRouteStrategy", "FIRST"),
    ("misfireStrategy", "DO_NOTHING"),
    ("executorBlockStrategy", "SERIAL_EXECUTION"),
];

#[tokio::test]
async fn a_token_does_what_its_scope_and_its_groups_allow() {
    let app = spawn_app_with(|settings| {
        settings.api_tokens = vec![
            token("reader", Scope::Read, &[]),
            token("operator", Scope::Operate, &["xxl-job-executor-sample"]),
            token("stranger", Scope::Administer, &["other-app"]),
            token("root", Scope::Administer, &[]),
            ApiToken { expires: Some("2020-01-01".parse().expect("a date")), ..token("expired", Scope::Read, &[]) },
        ];
    })
    .await;
    let call = async |token: &str, path: &str, form: &[(&str, &str)]| with_token(&app, token, path, form).await.msg();
    let group = [("appname", "other-app"), ("title", "t")];
    assert!(call("reader", "/jobgroup/save", &group).await.contains("权限拦截[username=token:reader]"));
    assert_eq!(call("root", "/jobgroup/save", &group).await, "200 -");
    let add = |group: &'static str| [JOB, &[("jobGroup", group)]].concat();

    assert!(with_token(&app, "reader", LIST.0, LIST.1).await.body.contains("\"recordsTotal\":1"));
    assert!(with_token(&app, "reader", "/jobgroup/pageList", &[]).await.body.contains("other-app"));
    assert_eq!(call("reader", "/jobinfo/nextTriggerTime", &[]).await, "200 -");
    for path in ["/jobinfo/stop", "/jobinfo/trigger", "/jobinfo/remove", "/joblog/logKill", "/joblog/clearLog"] {
        assert!(call("reader", path, &[("id", "1")]).await.contains("权限拦截"), "{path}");
    }

    assert_eq!(call("operator", "/jobinfo/stop", &[("id", "1")]).await, "200 -");
    let groups = with_token(&app, "operator", "/jobgroup/pageList", &[("appname", "SAMPLE")]).await.body;
    assert!(groups.contains("\"recordsTotal\":1") && groups.contains("xxl-job-executor-sample"), "{groups}");
    assert!(with_token(&app, "operator", "/jobgroup/pageList", &[]).await.body.contains("\"recordsTotal\":1"));
    assert_eq!(call("operator", "/jobgroup/loadById", &[("id", "1")]).await, "200 -");
    assert!(call("operator", "/jobgroup/loadById", &[("id", "2")]).await.contains("权限拦截"));
    assert!(call("operator", "/jobinfo/add", &add("1")).await.contains("权限拦截"));
    assert!(call("operator", "/jobinfo/remove", &[("id", "1")]).await.contains("权限拦截"));

    let other =
        app.core.store.all_groups().await.expect("read").into_iter().find(|group| group.app_name == "other-app");
    let other: &'static str = other.expect("the group").id.to_string().leak();
    assert!(call("stranger", "/jobinfo/add", &add("1")).await.contains("权限拦截"));
    assert_eq!(call("stranger", "/jobinfo/stop", &[("id", "1")]).await, "500 权限拦截");
    assert!(call("stranger", "/jobgroup/save", &group).await.contains("权限拦截"));
    assert_eq!(call("stranger", "/jobinfo/add", &add(other)).await, "200 -");
    assert!(with_token(&app, "stranger", LIST.0, LIST.1).await.body.contains("\"recordsTotal\":1"));
    assert_eq!(call("root", "/jobinfo/add", &add("1")).await, "200 -");

    for wrong in ["expired", "wrong", ""] {
        let answer = with_token(&app, wrong, LIST.0, LIST.1).await;
        assert_eq!((answer.status, answer.location.as_str()), (302, "/xxl-job-admin/toLogin"), "{wrong}");
        let headers = [("Authorization", format!("Bearer {wrong}")), ("X-XXL-Dialect", "3".to_owned())];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let answer = post(&app, LIST.0, LIST.1, &headers).await;
        assert_eq!((answer.status, answer.body), (200, not_logged_in(LIST.0)), "{wrong}");
    }
}

#[tokio::test]
async fn a_bearer_header_of_somebody_else_does_not_matter_where_there_are_no_tokens() {
    let app = spawn_app().await;
    let cookie = admin(&app, "/login").await;
    let headers = [("Cookie", cookie.as_str()), ("Authorization", "Bearer of-a-proxy")];
    assert!(post(&app, LIST.0, LIST.1, &headers).await.body.contains("\"recordsTotal\":1"));
}

#[tokio::test]
async fn letters_that_the_column_takes_for_the_same_are_counted_together() {
    let Some(db) = TestDb::create(Engine::MariaDb, Generation::V3_4).await else { return };
    let app = spawn_app_on(db, behind_a_proxy).await;
    app.add_user("deploy", "").await;
    let a = from("192.0.2.1");
    // Each spelling has its ten free failures, but the user has them only once.
    for name in ["deploy", "dèploy", "déploy", "DÊPLOY"].into_iter().cycle().take(10) {
        assert_eq!(log_in(&app, "/login", name, "x", &a).await.msg(), format!("500 {WRONG}"));
    }
    let begin = std::time::Instant::now();
    assert_eq!(log_in(&app, "/login", "dëploy", "secret", &a).await.msg(), "200 -");
    assert!(begin.elapsed().as_millis() >= 500, "the eleventh waits");
}
