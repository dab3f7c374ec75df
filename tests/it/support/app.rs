//! The whole program on a database and a port of its own.

use std::path::Path;
use std::sync::Arc;

use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::{Method, RequestBuilder, Response};
use secrecy::SecretString;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use xxl_job_admin::app::App;
use xxl_job_admin::clock::SystemClock;
use xxl_job_admin::config::{Settings, jdbc};
use xxl_job_admin::store::{NewRun, NodeId, Store};
use xxl_job_admin::web::Core;

use super::db::{Engine, TestDb};
use super::schema::Generation;

/// Token that executors show.
pub const TOKEN: &str = "default_token";
/// Name of the login cookie of dialect 2.
pub const COOKIE_NAME: &str = "XXL_JOB_LOGIN_IDENTITY";

/// The form of the sample job, which fires in a far year.
pub const SAMPLE_JOB: &[(&str, &str)] = &[
    ("id", "1"),
    ("jobGroup", "1"),
    ("jobDesc", "d"),
    ("author", "a"),
    ("scheduleType", "CRON"),
    ("scheduleConf", "0 0 0 1 1 ? 2099"),
    ("glueType", "BEAN"),
    ("executorHandler", "h"),
    ("executorRouteStrategy", "FIRST"),
    ("misfireStrategy", "DO_NOTHING"),
    ("executorBlockStrategy", "SERIAL_EXECUTION"),
];

/// A running program. It stops when this goes.
pub struct TestApp {
    /// `http://127.0.0.1:PORT/xxl-job-admin`
    pub base_url: String,
    /// Follows no redirect and keeps no cookie.
    pub client: reqwest::Client,
    /// The parts inside.
    pub core: Core,
    /// The database.
    pub db: TestDb,
    running: Running,
}

/// The task of the program; it ends when this goes.
struct Running {
    stop: oneshot::Sender<()>,
    task: AbortOnDrop,
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The program on SQLite with the newest tables.
pub async fn spawn_app() -> TestApp {
    spawn_app_with(|_| {}).await
}

/// The program on SQLite with the newest tables and these settings.
pub async fn spawn_app_with(change: impl FnOnce(&mut Settings)) -> TestApp {
    let db = TestDb::create(Engine::Sqlite, Generation::V3_4).await.expect("SQLite is always there");
    spawn_app_on(db, change).await
}

/// The program on this database with these settings.
pub async fn spawn_app_on(db: TestDb, change: impl FnOnce(&mut Settings)) -> TestApp {
    let parsed = jdbc::parse(db.url(), Path::new(".")).expect("a database URL");
    let mut settings = Settings::for_database(parsed.url);
    settings.database.username = parsed.username;
    settings.database.password = parsed.password;
    settings.job.access_token = SecretString::from(TOKEN);
    change(&mut settings);
    let context_path = settings.server.context_path.clone();
    let store = Store::open(&settings).await.expect("the tables are there");
    let app = App::build(settings, store, Arc::new(SystemClock)).await.expect("the program starts");
    let base_url = format!("http://{}{context_path}", app.address());
    let core = app.core().clone();
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(async move {
        let shutdown = async {
            // Dropped or sent: either way it is time.
            let _ = stopped.await;
        };
        app.run_until(shutdown).await.expect("the program runs");
    });
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build();
    TestApp {
        base_url,
        client: client.expect("a client"),
        core,
        db,
        running: Running { stop, task: AbortOnDrop(task) },
    }
}

impl TestApp {
    /// A request to a path below the context path, with this login cookie.
    pub fn request(&self, method: Method, path: &str, cookie: Option<&str>) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base_url));
        match cookie {
            Some(cookie) => request.header(COOKIE, format!("{COOKIE_NAME}={cookie}")),
            None => request,
        }
    }

    /// Posts a form.
    pub async fn post(&self, path: &str, form: &[(&str, &str)], cookie: Option<&str>) -> Response {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.request(Method::POST, path, cookie);
        let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(body);
        request.send().await.expect("the admin answers")
    }

    /// Posts a form in a dialect that the call names itself.
    pub async fn post_in(&self, dialect: &str, path: &str, form: &[(&str, &str)], cookie: &str) -> Response {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.request(Method::POST, path, Some(cookie)).header("X-XXL-Dialect", dialect);
        let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(body);
        request.send().await.expect("the admin answers")
    }

    /// Posts a form in a dialect and reads the answer as text.
    pub async fn text_in(&self, dialect: &str, path: &str, form: &[(&str, &str)], cookie: &str) -> String {
        self.post_in(dialect, path, form, cookie).await.text().await.expect("a body")
    }

    /// Posts a form and reads the answer as JSON.
    pub async fn call(&self, path: &str, form: &[(&str, &str)], cookie: &str) -> Value {
        let answer = self.post(path, form, Some(cookie)).await;
        assert_eq!(answer.status(), 200, "{path} {form:?}");
        let text = answer.text().await.expect("a body");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path} answered {text}: {error}"))
    }

    /// Posts a form and reads `code msg`.
    pub async fn outcome(&self, path: &str, form: &[(&str, &str)], cookie: &str) -> String {
        let answer = self.call(path, form, cookie).await;
        format!("{} {}", answer["code"], answer["msg"].as_str().unwrap_or("-"))
    }

    /// Logs in and gives the cookie.
    pub async fn log_in(&self, user: &str, password: &str) -> String {
        let answer = self.post("/login", &[("userName", user), ("password", password)], None).await;
        let cookie = set_cookie(&answer);
        let body = answer.text().await.expect("a body");
        cookie.unwrap_or_else(|| panic!("the login of {user} was refused: {body}"))
    }

    /// The administrator's cookie.
    pub async fn admin(&self) -> String {
        self.log_in("admin", "123456").await
    }

    /// Adds a user with the password `secret`.
    pub async fn add_user(&self, name: &str, permission: &str) {
        let kind = self.core.store.schema().password_hash;
        let hash = xxl_job_admin::web::auth::password::hash(kind, "secret");
        let sql = format!(
            "INSERT INTO xxl_job_user (username, password, role, permission) VALUES ('{name}', '{hash}', 0, '{permission}')"
        );
        self.db.connect().await.execute(&sql).await;
    }

    /// Adds a run of a job that an executor at this address has taken; gives its id.
    pub async fn add_run(&self, group: i32, job: i32, address: &str) -> i64 {
        let run = NewRun {
            job_group: group,
            job_id: job,
            handler: None,
            param: None,
            sharding: None,
            retry: 0,
            trigger_time: self.core.clock.now_ms(),
        };
        let id = self.core.store.insert_runs(&NodeId::random(), 1, &[run]).await.expect("a run")[0];
        let sql = format!("UPDATE xxl_job_log SET trigger_code = 200, executor_address = '{address}' WHERE id = {id}");
        self.db.connect().await.execute(&sql).await;
        id
    }

    /// Stops the program and waits until it has.
    pub async fn stop(self) {
        let Self { core, client, running: Running { stop, mut task }, .. } = self;
        // What the program hands out must be given back before its writers can end.
        drop((core, client, stop));
        (&mut task.0).await.expect("it stops in order");
    }
}

/// Value of the one login cookie that an answer sets.
pub fn set_cookie(answer: &Response) -> Option<String> {
    let text = answer.headers().get(SET_COOKIE)?.to_str().ok()?;
    let value = text.strip_prefix(COOKIE_NAME)?.strip_prefix('=')?;
    Some(value.split(';').next()?.to_owned()).filter(|value| !value.is_empty())
}
