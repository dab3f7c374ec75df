//! A client of the console over its 2.x paths.
//!
//! The answers may be of either generation (`content` or `data`, flat or nested lists); both are read.
use anyhow::{Context, Result, bail, ensure};
use reqwest::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use serde_json::Value;
use url::form_urlencoded;

/// Name of the 2.x login cookie.
const COOKIE_NAME: &str = "XXL_JOB_LOGIN_IDENTITY";

/// A logged-in user.
#[derive(Clone)]
pub struct Console {
    http: reqwest::Client,
    base: String,
    cookie: String,
}

/// A row of the log list, as far as the suite looks at it.
#[derive(Clone, Debug)]
pub struct LogRow {
    /// Its id.
    pub id: i64,
    /// The node that was called; empty when none was.
    pub address: String,
    /// `index/total` of a broadcast, else empty.
    pub sharding: String,
    /// 0 = not called yet, 200 = accepted.
    pub trigger_code: i64,
    /// What the call did, HTML.
    pub trigger_msg: String,
    /// 0 = no result yet.
    pub handle_code: i64,
    /// The result's message; null reads as empty.
    pub handle_msg: String,
}

/// One answer of `logDetailCat`.
#[derive(Clone, Debug)]
pub struct LogPage {
    /// Last line that the page holds.
    pub to_line: i64,
    /// The text.
    pub content: String,
    /// Nothing will follow.
    pub end: bool,
}

impl Console {
    /// Logs in with a form as a script does and keeps the cookie.
    ///
    /// # Errors
    /// When the login is refused or brings no cookie.
    pub async fn login(base: &str, user: &str, password: &str) -> Result<Self> {
        // A second installation is refused, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build()?;
        let form = encode(&[("userName", user), ("password", password)]);
        let answer = http
            .post(format!("{base}/login"))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form)
            .send()
            .await?;
        let cookie = answer.headers().get_all(SET_COOKIE).iter().find_map(|set| {
            let pair = set.to_str().ok()?.split(';').next()?;
            pair.starts_with(&format!("{COOKIE_NAME}=")).then(|| pair.to_owned())
        });
        let text = answer.text().await?;
        let cookie = cookie.with_context(|| format!("no cookie after login, answer {text}"))?;
        payload("login", &text)?;
        Ok(Self { http, base: base.to_owned(), cookie })
    }

    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Result<String> {
        let answer = self
            .http
            .post(format!("{}{path}", self.base))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(COOKIE, &self.cookie)
            .body(encode(fields))
            .send()
            .await?;
        let status = answer.status();
        let text = answer.text().await?;
        ensure!(status == 200, "{path}: status {status}, answer {text}");
        Ok(text)
    }

    /// Posts a form and gives the payload of a successful answer.
    ///
    /// # Errors
    /// When the call fails or its `code` is not 200.
    pub async fn call(&self, path: &str, fields: &[(&str, &str)]) -> Result<Value> {
        payload(path, &self.post(path, fields).await?)
    }

    async fn list(&self, path: &str, fields: &[(&str, &str)]) -> Result<Vec<Value>> {
        let mut fields = fields.to_vec();
        fields.extend([("start", "0"), ("length", "1000")]);
        rows(path, &self.post(path, &fields).await?)
    }

    /// Adds an executor group and gives its id; `addresses` empty = they come from the registry.
    ///
    /// # Errors
    /// When the admin refuses.
    pub async fn add_group(&self, appname: &str, title: &str, addresses: &str) -> Result<i64> {
        let kind = if addresses.is_empty() { "0" } else { "1" };
        let fields = [("appname", appname), ("title", title), ("addressType", kind), ("addressList", addresses)];
        self.call("/jobgroup/save", &fields).await?;
        number(&self.group(appname).await?, "id")
    }

    /// The addresses that a group has now.
    ///
    /// # Errors
    /// When there is no such group.
    pub async fn group_addresses(&self, appname: &str) -> Result<Vec<String>> {
        let list = text(&self.group(appname).await?, "addressList");
        Ok(list.split(',').filter(|address| !address.is_empty()).map(str::to_owned).collect())
    }

    async fn group(&self, appname: &str) -> Result<Value> {
        let groups = self.list("/jobgroup/pageList", &[("appname", appname), ("title", "")]).await?;
        let found = groups.into_iter().find(|group| group["appname"] == appname);
        found.with_context(|| format!("no group {appname}"))
    }

    /// Adds a job and gives its id.
    ///
    /// # Errors
    /// When the admin refuses.
    pub async fn add_job(&self, fields: &[(&str, &str)]) -> Result<i64> {
        let id = self.call("/jobinfo/add", fields).await?;
        id.as_str().and_then(|id| id.parse().ok()).with_context(|| format!("job id {id}"))
    }

    /// `triggerStatus` of a job: 1 = started.
    ///
    /// # Errors
    /// When there is no such job in the group.
    pub async fn job_status(&self, group: i64, job: i64) -> Result<i64> {
        let fields = [
            ("jobGroup", &*group.to_string()),
            ("triggerStatus", "-1"),
            ("jobDesc", ""),
            ("executorHandler", ""),
            ("author", ""),
        ];
        let jobs = self.list("/jobinfo/pageList", &fields).await?;
        let found = jobs.iter().find(|row| row["id"] == job).with_context(|| format!("no job {job}"))?;
        number(found, "triggerStatus")
    }

    /// Runs a job once; `addresses` empty = those of the group.
    ///
    /// # Errors
    /// When the admin refuses.
    pub async fn trigger(&self, job: i64, param: &str, addresses: &str) -> Result<()> {
        let job = job.to_string();
        let fields = [("id", &*job), ("executorParam", param), ("addressList", addresses)];
        self.call("/jobinfo/trigger", &fields).await.map(drop)
    }

    /// Starts the schedule of a job.
    ///
    /// # Errors
    /// When the admin refuses.
    pub async fn start_job(&self, job: i64) -> Result<()> {
        self.call("/jobinfo/start", &[("id", &job.to_string())]).await.map(drop)
    }

    /// Stops the schedule of a job.
    ///
    /// # Errors
    /// When the admin refuses.
    pub async fn stop_job(&self, job: i64) -> Result<()> {
        self.call("/jobinfo/stop", &[("id", &job.to_string())]).await.map(drop)
    }

    /// Removes a job with its logs.
    ///
    /// # Errors
    /// When the admin refuses.
    pub async fn remove_job(&self, job: i64) -> Result<()> {
        self.call("/jobinfo/remove", &[("id", &job.to_string())]).await.map(drop)
    }

    /// The log rows of a job, oldest first.
    ///
    /// # Errors
    /// When the admin refuses.
    pub async fn logs(&self, group: i64, job: i64) -> Result<Vec<LogRow>> {
        let fields =
            [("jobGroup", &*group.to_string()), ("jobId", &*job.to_string()), ("logStatus", "-1"), ("filterTime", "")];
        let mut logs = Vec::new();
        for row in self.list("/joblog/pageList", &fields).await? {
            logs.push(LogRow {
                id: number(&row, "id")?,
                address: text(&row, "executorAddress"),
                sharding: text(&row, "executorShardingParam"),
                trigger_code: number(&row, "triggerCode")?,
                trigger_msg: text(&row, "triggerMsg"),
                handle_code: number(&row, "handleCode")?,
                handle_msg: text(&row, "handleMsg"),
            });
        }
        logs.sort_by_key(|row| row.id);
        Ok(logs)
    }

    /// Reads a run's log from a line on.
    ///
    /// # Errors
    /// When the admin or the executor refuses.
    pub async fn log_page(&self, log: i64, from_line: i64) -> Result<LogPage> {
        let fields = [("logId", &*log.to_string()), ("fromLineNum", &*from_line.to_string())];
        let page = self.call("/joblog/logDetailCat", &fields).await?;
        Ok(LogPage {
            to_line: number(&page, "toLineNum")?,
            content: text(&page, "logContent"),
            end: page["end"] == true,
        })
    }

    /// Kills a run.
    ///
    /// # Errors
    /// When the admin or the executor refuses.
    pub async fn kill(&self, log: i64) -> Result<()> {
        self.call("/joblog/logKill", &[("id", &log.to_string())]).await.map(drop)
    }
}

fn encode(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// The payload of a successful answer of either generation.
fn payload(path: &str, answer: &str) -> Result<Value> {
    let mut json: Value = serde_json::from_str(answer).with_context(|| format!("{path}: no JSON: {answer}"))?;
    ensure!(json["code"] == 200, "{path}: refused: {answer}");
    let key = if json.get("data").is_some() { "data" } else { "content" };
    Ok(json[key].take())
}

/// The rows of a list of either generation.
fn rows(path: &str, answer: &str) -> Result<Vec<Value>> {
    let mut json: Value = serde_json::from_str(answer).with_context(|| format!("{path}: no JSON: {answer}"))?;
    match json["data"].take() {
        Value::Array(rows) => Ok(rows),
        Value::Object(mut page) => match page.get_mut("data").map(Value::take) {
            Some(Value::Array(rows)) => Ok(rows),
            _ => bail!("{path}: no list: {answer}"),
        },
        _ => bail!("{path}: no list: {answer}"),
    }
}

fn number(row: &Value, key: &str) -> Result<i64> {
    row[key].as_i64().with_context(|| format!("{key} is no number in {row}"))
}

fn text(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{payload, rows};

    #[test]
    fn both_envelopes_are_read() {
        assert_eq!(payload("/x", r#"{"code":200,"msg":null,"content":"7"}"#).unwrap(), "7");
        assert_eq!(payload("/x", r#"{"code":200,"data":"7","msg":"Success","success":true}"#).unwrap(), "7");
        assert!(payload("/x", r#"{"code":500,"msg":"no","content":null}"#).is_err());
    }

    #[test]
    fn both_lists_are_read() {
        assert_eq!(rows("/x", r#"{"recordsFiltered":1,"data":[1],"recordsTotal":1}"#).unwrap().len(), 1);
        assert_eq!(rows("/x", r#"{"code":200,"data":{"data":[1,2],"total":2}}"#).unwrap().len(), 2);
        assert!(rows("/x", r#"{"code":500,"msg":"no"}"#).is_err());
    }
}
