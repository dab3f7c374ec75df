//! The recordings of a Java admin 2.4.2, call by call, against ours: status, keys and their order, types and values.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use xxl_job_admin::config::profile::Release;
use xxl_job_admin::i18n::Locale;
use xxl_job_admin::store::{LogFilter, LogOrder};

use crate::support::app::{COOKIE_NAME, TestApp, set_cookie, spawn_app_on};
use crate::support::db::{Engine, TestDb};
use crate::support::fake_executor::{Behaviour, FakeExecutor};
use crate::support::html::{Field, Page};
use crate::support::schema::Generation;

/// What the recorded executor's log holds.
const LINES: &str = "2026-01-01 00:00:00 [a#b]-[1]-[t] <b>bold</b> & \"q\" 's' <br>next\n\
     second 中文 <script>alert(1)</script> <B>x</B> </b> $1 \\ end\n";

/// Where ours answers otherwise on purpose.
const PASSED_OVER: [(&str, &str); 4] = [
    ("auth.cookie.null_password", "not logged in, where Java throws"),
    ("auth.cookie.minimal_ok", "a cookie made of a password hash logs nobody in"),
    ("auth.cookie.role_in_cookie_ignored", "as before"),
    ("auth.after_logout_old_cookie", "a logout ends the login"),
];

/// Answered with the same code, but in words of our own where Java gives the text of an exception.
const OWN_WORDS: [&str; 2] = ["joblog.logDetailCat.failed_trigger", "page.jobcode.no_param"];

/// Keys whose values are ids, times or addresses of the one who recorded.
const ALWAYS_VOLATILE: [&str; 13] = [
    "id",
    "jobGroup",
    "jobId",
    "childJobId",
    "addTime",
    "updateTime",
    "glueUpdatetime",
    "triggerTime",
    "handleTime",
    "timestamp",
    "triggerNextTime",
    "alarmStatus",
    "triggerMsg",
];

struct Walk {
    app: TestApp,
    executor: FakeExecutor,
    variables: HashMap<String, String>,
    cookies: HashMap<String, String>,
    faults: Vec<String>,
    played: usize,
}

impl Walk {
    async fn start(locale: Locale) -> Self {
        let db = TestDb::create(Engine::Sqlite, Generation::V2_4).await.expect("SQLite is always there");
        let app = spawn_app_on(db, |settings| {
            settings.compat.release = Some(Release::V2_4);
            settings.console.strict = true;
            settings.job.locale = locale;
            settings.zone = xxl_job_admin::config::parse_zone("Asia/Shanghai").expect("a zone");
        })
        .await;
        let executor = FakeExecutor::start().await;
        let variables = HashMap::from([("exec".to_owned(), executor.address().to_owned())]);
        let admin = app.admin().await;
        let cookies = HashMap::from([("admin".to_owned(), admin)]);
        Self { app, executor, variables, cookies, faults: Vec::new(), played: 0 }
    }

    fn fill(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (name, value) in &self.variables {
            out = out.replace(&format!("{{{{{name}}}}}"), value);
        }
        out
    }

    /// Pairs of a recorded object; a list is a key given several times.
    fn pairs(&self, object: &Value) -> Vec<(String, String)> {
        let Some(object) = object.as_object() else { return Vec::new() };
        let text = |value: &Value| self.fill(value.as_str().unwrap_or(&value.to_string()));
        object
            .iter()
            .flat_map(|(key, value)| match value {
                Value::Array(values) => values.iter().map(|value| (key.clone(), text(value))).collect(),
                value => vec![(key.clone(), text(value))],
            })
            .collect()
    }

    async fn play(&mut self, line: &Value) {
        let case = line["case"].as_str().expect("a name").to_owned();
        if PASSED_OVER.iter().any(|(name, _)| *name == case) {
            return;
        }
        self.prepare_executor(line, &case);
        let request = &line["request"];
        let method = Method::from_bytes(request["method"].as_str().expect("a method").as_bytes()).expect("a method");
        let path = request["path"].as_str().expect("a path");
        let cookie = match request["cookie"].as_str() {
            Some(cookie) => cookie.strip_prefix(COOKIE_NAME).and_then(|c| c.strip_prefix('=')).map(ToOwned::to_owned),
            None => request["as"].as_str().and_then(|who| self.cookies.get(who).cloned()),
        };
        let query = encoded(&self.pairs(&request["query"]));
        let path = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        let mut call = self.app.request(method, &path, cookie.as_deref());
        for (name, value) in request["headers"].as_object().into_iter().flatten() {
            call = call.header(name, value.as_str().expect("a header"));
        }
        let form = self.pairs(&request["form"]);
        if let Some(raw) = request["raw"].as_str() {
            call = call.body(self.fill(raw));
        } else if !form.is_empty() {
            call = call.header("Content-Type", "application/x-www-form-urlencoded").body(encoded(&form));
        }
        let answer = call.send().await.expect("the admin answers");
        self.played += 1;
        if case.starts_with("auth.login.")
            && let Some(value) = set_cookie(&answer)
        {
            let who = form.iter().find(|(key, _)| key == "userName").map_or("admin", |(_, name)| name.as_str());
            let who = match who {
                "goldnormal" => "normal",
                "goldnone" => "noperm",
                other if other.starts_with("gold") => other,
                _ => "admin",
            };
            self.cookies.insert(who.to_owned(), value);
        }
        self.compare(line, &case, answer).await;
        if line["wait_s"].is_number() || case.starts_with("jobinfo.trigger.") {
            self.wait_for_runs().await;
        }
    }

    fn prepare_executor(&self, line: &Value, case: &str) {
        if case.starts_with("joblog.logKill.") {
            let refuse = Behaviour::Refuse(500, "kill refused".into());
            self.executor.on("kill", if line["stub"].is_null() { Behaviour::Accept } else { refuse });
        }
        if case.starts_with("joblog.logDetailCat.") {
            let from = self.pairs(&line["request"]["query"]).into_iter().find(|(key, _)| key == "fromLineNum");
            let from: i32 = from.map_or(1, |(_, from)| from.parse().expect("a number"));
            let content = if from == 1 { LINES } else { "" };
            let page = serde_json::json!({"fromLineNum": from, "toLineNum": 2, "logContent": content, "isEnd": false});
            self.executor.on("log", Behaviour::Json(serde_json::json!({"code": 200, "content": page}).to_string()));
        }
    }

    async fn wait_for_runs(&self) {
        for _ in 0..200 {
            let page = self.app.core.store.page_logs(&LogFilter::default(), LogOrder::Id, 0, 100).await;
            let (logs, _) = page.expect("the database answers");
            if logs.iter().all(|log| log.trigger_code != 0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("runs do not end");
    }

    async fn compare(&mut self, line: &Value, case: &str, answer: reqwest::Response) {
        let wanted = &line["response"];
        let status = u64::from(answer.status().as_u16());
        let headers = answer.headers().clone();
        let header =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        let body = answer.text().await.expect("a body");
        self.bind(line, &body).await;
        let mut faults = Vec::new();
        if Some(status) != wanted["status"].as_u64() {
            faults.push(format!("status {status}, recorded {}", wanted["status"]));
        }
        for name in ["Location", "Allow"] {
            if let Some(recorded) = wanted["headers"][name].as_str()
                && header(name) != recorded
            {
                faults.push(format!("{name} {}, recorded {recorded}", header(name)));
            }
        }
        if let Some(recorded) = wanted["headers"]["Content-Type"].as_str() {
            let media = |text: &str| text.split(';').next().unwrap_or_default().to_owned();
            if media(&header("Content-Type")) != media(recorded) {
                faults.push(format!("Content-Type {}, recorded {recorded}", header("Content-Type")));
            }
        }
        if header("Set-Cookie").is_empty() != wanted["headers"]["Set-Cookie"].is_null() {
            faults.push(format!("Set-Cookie {:?}", header("Set-Cookie")));
        }
        if let Some(recorded) = wanted["body"].as_str()
            && line["lenient"] != "body"
            && !recorded.is_empty()
        {
            faults.extend(self.body_fault(line, recorded, &body));
        }
        if wanted["page"].is_object() {
            faults.extend(page_faults(&wanted["page"], &body, OWN_WORDS.contains(&case)));
        }
        let refused = serde_json::from_str::<Value>(&body).is_ok_and(|json| json["code"] == 500);
        if faults.is_empty() || (!line["hole"].is_null() && refused) {
            return;
        }
        self.faults.push(format!("{} {case}: {}", line["seq"], faults.join("; ")));
    }

    fn body_fault(&self, line: &Value, recorded: &str, got: &str) -> Option<String> {
        let recorded = recorded.replace("http://127.0.0.1:9291/", self.executor.address());
        let lenient = line["lenient"] == "msg" || OWN_WORDS.iter().any(|case| line["case"] == *case);
        // Java does not escape the quotes in the text of a database error, which makes its answer no JSON at all.
        if lenient && serde_json::from_str::<Value>(&recorded).is_err() {
            let code = |text: &str| text.chars().take(r#"{"code":500,"#.len()).collect::<String>();
            return (code(&recorded) != code(got)).then(|| format!("body\n    {recorded}\n    {got}"));
        }
        if line["truncated"].is_number() {
            let start = |text: &str| numberless(&text.chars().take(60).collect::<String>());
            return (start(&recorded) != start(got)).then(|| format!("body\n    {recorded}\n    {got}"));
        }
        let differs = || Some(format!("body\n    recorded {recorded}\n    got      {got}"));
        let (Ok(left), Ok(right)) = (serde_json::from_str::<Value>(&recorded), serde_json::from_str::<Value>(got))
        else {
            return if recorded == got { None } else { differs() };
        };
        if lenient && left["code"].is_number() {
            return if left["code"] == right["code"] { None } else { differs() };
        }
        if line["volatile"].as_array().is_some_and(|keys| keys.iter().any(|key| key == "*")) {
            let keys = |json: &Value| json.as_object().map(|json| json.keys().cloned().collect::<Vec<_>>());
            return if keys(&left) == keys(&right) { None } else { differs() };
        }
        let volatile: Vec<&str> = line["volatile"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if lenient || same("", &left, &right, &volatile) { None } else { differs() }
    }

    async fn bind(&mut self, line: &Value, body: &str) {
        let rule = &line["bind"];
        let Some(name) = rule["var"].as_str() else { return };
        let value = if rule["from"] == "body" {
            let json: Value = serde_json::from_str(body).unwrap_or_default();
            rule["path"].as_str().expect("a path").split('.').fold(json, |json, step| match step.parse::<usize>() {
                Ok(index) => json[index].clone(),
                Err(_) => json[step].clone(),
            })
        } else {
            let (key, wanted) = rule["match"].as_object().and_then(|m| m.iter().next()).expect("what to look for");
            let wanted = wanted.as_str().unwrap_or_default().to_owned();
            let admin = self.cookies["admin"].clone();
            let form = [("length", "100"), ("role", "-1"), (key.as_str(), wanted.as_str())];
            let list = self.app.call(rule["path"].as_str().expect("a list"), &form, &admin).await;
            let other = rule["other_than"].as_str().and_then(|other| self.variables.get(other).cloned());
            let rows = list["data"].as_array().cloned().unwrap_or_default();
            rows.into_iter()
                .find(|row| row[key] == wanted.as_str() && Some(row["id"].to_string()) != other)
                .map(|row| row[rule["take"].as_str().expect("a key")].clone())
                .unwrap_or_default()
        };
        let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        self.variables.insert(name.to_owned(), value);
    }
}

/// What a page lacks of the recorded one: title, headers of tables, ids, forms with their fields; of a page that says what
/// is wrong, the text.
fn page_faults(recorded: &Value, html: &str, own_words: bool) -> Vec<String> {
    let page = Page::read(html);
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
    };
    let mut faults = Vec::new();
    // The one page without a title is the servlet container's own.
    let Some(title) = recorded["title"].as_str() else { return faults };
    if page.product() != title {
        faults.push(format!("title {:?}, recorded {title:?}", page.title));
    }
    if let Some(text) = recorded["text"].as_str().filter(|_| !own_words) {
        let (got, wanted) = (without_class(page.text.trim_start_matches("Error ")), without_class(text));
        if got != wanted {
            faults.push(format!("text {got:?}, recorded {wanted:?}"));
        }
    }
    let th = texts(&recorded["th"]);
    if !th.is_empty() && page.th != th {
        faults.push(format!("headers {:?}, recorded {th:?}", page.th));
    }
    let version = |id: &String| id.strip_prefix("version_").is_some_and(|id| id.parse::<i64>().is_ok());
    let lacking: Vec<String> =
        texts(&recorded["ids"]).into_iter().filter(|id| !version(id) && !page.ids.contains(id)).collect();
    if !lacking.is_empty() {
        faults.push(format!("no ids {lacking:?}"));
    }
    for form in recorded["forms"].as_array().into_iter().flatten() {
        let (id, inside) = (form["id"].as_str().unwrap_or_default(), form["inside"].as_str().unwrap_or_default());
        let Some(own) = page.forms.iter().find(|own| own.id == id && own.inside == inside) else {
            faults.push(format!("no form {id:?} inside {inside:?}"));
            continue;
        };
        for field in form["fields"].as_array().into_iter().flatten().filter(|field| field["name"].is_string()) {
            if !own.fields.iter().any(|own| is_field(own, field)) {
                faults.push(format!("no field {field} inside {inside:?}"));
            }
        }
    }
    faults
}

/// Whether a field is the recorded one. Passwords are not shown while they are typed; their fields and that of the name take
/// all 20 characters at the login, too. Groups are those of the database.
fn is_field(own: &Field, recorded: &Value) -> bool {
    let text = |key: &str| recorded[key].as_str().unwrap_or_default();
    let name = text("name");
    if own.name != name || own.tag != text("tag") {
        return false;
    }
    let is_password = name.to_lowercase().contains("password");
    let is_kind = own.kind == text("type") || (is_password && own.kind == "password");
    let is_length = own.maxlength == text("maxlength") || (text("maxlength") == "18" && own.maxlength == "20");
    let is_value = own.value == text("value") || name == "permission";
    let options: Vec<&str> = recorded["options"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    is_kind && is_length && is_value && (name == "jobGroup" || own.options == options)
}

/// The text without the name of a Java class.
fn without_class(text: &str) -> String {
    let words = text.split(' ').filter(|word| !(word.ends_with("Exception:") && word.contains('.')));
    words.collect::<Vec<_>>().join(" ")
}

fn encoded(pairs: &[(String, String)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// The text with every number shown as N.
fn numberless(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('N') {
            out.push('N');
        }
    }
    out
}

/// Same keys in the same order, same types; same values but for the volatile ones.
fn same(key: &str, left: &Value, right: &Value, volatile: &[&str]) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.keys().eq(right.keys())
                && left.iter().zip(right.values()).all(|((key, left), right)| same(key, left, right, volatile))
        }
        (Value::Array(left), Value::Array(right)) => {
            let is_volatile = volatile.contains(&key);
            (is_volatile || left.len() == right.len())
                && left.iter().zip(right).all(|(left, right)| same(key, left, right, volatile))
        }
        (left, right) => {
            let kind = |value: &Value| std::mem::discriminant(value);
            if volatile.contains(&key) || ALWAYS_VOLATILE.contains(&key) {
                return left.is_null() == right.is_null() && kind(left) == kind(right);
            }
            // An automatic group's list is rewritten by the registry, sooner or later.
            if key == "addressList" && (left == "" || left.is_null()) && (right == "" || right.is_null()) {
                return true;
            }
            match (key, left.as_str(), right.as_str()) {
                ("msg", Some(left), Some(right)) => numberless(left) == numberless(right),
                ("path", Some(left), Some(right)) => left == right,
                _ => left == right,
            }
        }
    }
}

async fn walk(lang: &str, locale: Locale) -> (usize, Vec<String>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("compat-tests/golden/console/2.4.2.jsonl");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut walk = Walk::start(locale).await;
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("a recording");
        if line["lang"] != lang {
            continue;
        }
        if line["case"] == "_meta" {
            for (name, value) in line["vars"].as_object().into_iter().flatten() {
                let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
                walk.variables.entry(name.clone()).or_insert(value);
            }
            continue;
        }
        walk.play(&line).await;
    }
    (walk.played, walk.faults)
}

#[tokio::test]
async fn answers_are_those_of_the_java_admin_in_chinese() {
    let (played, faults) = walk("zh_CN", Locale::ZhCn).await;
    assert!(faults.is_empty(), "{} of {played} calls differ:\n{}", faults.len(), faults.join("\n"));
    assert!(played > 200, "{played} calls");
}

#[tokio::test]
async fn answers_are_those_of_the_java_admin_in_english() {
    let (played, faults) = walk("en", Locale::En).await;
    assert!(faults.is_empty(), "{} of {played} calls differ:\n{}", faults.len(), faults.join("\n"));
    assert!(played > 60, "{played} calls");
}
