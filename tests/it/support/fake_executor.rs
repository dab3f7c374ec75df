//! An executor that does what a test tells it: a real HTTP server that records every call.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to do with a call.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// `{"code":200}`.
    Accept,
    /// This code and message.
    Refuse(i32, String),
    /// Status 200 and this body.
    Json(String),
    /// This status and body.
    Status(u16, String),
    /// These bytes on the wire, then the connection stays open.
    Raw(Vec<u8>),
    /// First wait, then the other.
    Slow(Duration, Box<Behaviour>),
    /// Wait for [`FakeExecutor::release`], then the other.
    Held(Box<Behaviour>),
    /// Close the connection without an answer.
    Cut,
    /// Never answer.
    Never,
}

/// A call as it arrived.
#[derive(Debug, Clone)]
pub struct Call {
    /// `/run`.
    pub path: String,
    /// In order and case of the wire.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// When the last byte was there.
    pub at: Instant,
    /// Number of the connection it came on, from 0.
    pub connection: usize,
}

impl Call {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// Where and how results are reported.
#[derive(Debug, Clone)]
pub struct Reporting {
    /// The admin's base URL, e.g. `http://127.0.0.1:8080/xxl-job-admin`.
    pub admin: String,
    pub token: String,
    pub handle_code: i32,
    pub handle_msg: Option<String>,
}

/// The executor. Dropping it closes its port and every connection soon, [`FakeExecutor::stop`] at once.
pub struct FakeExecutor {
    address: String,
    state: Arc<State>,
    tasks: JoinSet<()>,
}

#[derive(Default)]
struct State {
    calls: Mutex<Vec<Call>>,
    always: Mutex<HashMap<String, Behaviour>>,
    once: Mutex<HashMap<String, VecDeque<Behaviour>>>,
    reporting: Mutex<Option<Reporting>>,
    reports: Mutex<Vec<Value>>,
    /// Counts everything that happened, so that waiters look again.
    events: watch::Sender<usize>,
    releases: watch::Sender<usize>,
}

impl FakeExecutor {
    /// An executor on a free port of 127.0.0.1 that accepts every call to 3.4's paths.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}/", listener.local_addr().expect("bound"));
        let state = Arc::new(State::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, tasks }
    }

    /// Closes the port and every connection; when this returns nobody listens there any more.
    pub async fn stop(mut self) {
        self.tasks.shutdown().await;
    }

    /// `http://127.0.0.1:PORT/`, as executors register it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// From now on calls to this path (`run`, `beat` …) are answered so.
    pub fn on(&self, name: &str, behaviour: Behaviour) {
        lock(&self.state.always).insert(name.to_owned(), behaviour);
    }

    /// The next call to this path is answered so; several such are used up in order.
    pub fn once(&self, name: &str, behaviour: Behaviour) {
        lock(&self.state.once).entry(name.to_owned()).or_default().push_back(behaviour);
    }

    /// Speaks as 3.5 does: `/trigger` is known, `/run` is not.
    pub fn speak_trigger(&self) {
        self.on("trigger", Behaviour::Accept);
        self.on("run", unknown("run"));
    }

    /// Lets every call go on that is held now.
    pub fn release(&self) {
        self.state.releases.send_modify(|count| *count += 1);
    }

    /// From now on every accepted run is reported to the admin, after its answer.
    pub fn report(&self, reporting: Reporting) {
        *lock(&self.state.reporting) = Some(reporting);
    }

    /// Every call so far, in order of arrival.
    pub fn calls(&self) -> Vec<Call> {
        lock(&self.state.calls).clone()
    }

    /// The calls to this path so far.
    pub fn calls_to(&self, name: &str) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.path.trim_start_matches('/') == name).collect()
    }

    /// Waits until there were so many runs (`/run` and `/trigger`, accepted or not) and returns all.
    pub async fn wait_for_runs(&self, n: usize) -> Vec<Call> {
        self.wait("runs", || {
            let mut runs = self.calls();
            runs.retain(|call| matches!(&*call.path, "/run" | "/trigger"));
            (runs.len() >= n).then_some(runs)
        })
        .await
    }

    /// Waits until there were so many calls to this path and returns all.
    pub async fn wait_for(&self, name: &str, n: usize) -> Vec<Call> {
        self.wait(name, || Some(self.calls_to(name)).filter(|calls| calls.len() >= n)).await
    }

    /// Waits until so many results were reported and returns the admin's answers, each
    /// `{"logId":…,"status":…,"body":…}`.
    pub async fn wait_for_reports(&self, n: usize) -> Vec<Value> {
        self.wait("reports", || Some(lock(&self.state.reports).clone()).filter(|reports| reports.len() >= n)).await
    }

    async fn wait<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let mut events = self.state.events.subscribe();
        let waiting = async {
            loop {
                events.mark_unchanged();
                if let Some(found) = look() {
                    return found;
                }
                events.changed().await.expect("the state lives as long as the executor");
            }
        };
        let Ok(found) = tokio::time::timeout(PATIENCE, waiting).await else {
            panic!("waited {PATIENCE:?} for {what}; there was {:#?}", self.calls())
        };
        found
    }
}

/// Registers an executor, as it would do itself; returns status and body of the answer.
pub async fn register(admin: &str, token: &str, app_name: &str, address: &str) -> (u16, String) {
    let body = json!({"registryGroup": "EXECUTOR", "registryKey": app_name, "registryValue": address});
    post(&format!("{admin}/api/registry"), token, &body).await
}

/// Sends a JSON body as an executor does; returns status and body of the answer.
pub async fn post(url: &str, token: &str, body: &Value) -> (u16, String) {
    let rest = url.strip_prefix("http://").expect("an http URL");
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let body = body.to_string();
    let mut stream = TcpStream::connect(host).await.expect("the admin listens");
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json;charset=UTF-8\r\n\
         XXL-JOB-ACCESS-TOKEN: {token}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("the admin reads");
    let mut answer = String::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_string(&mut answer)).await;
    read.expect("an answer in time").expect("the admin answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body.to_owned())
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    for number in 0.. {
        let Ok((stream, _)) = listener.accept().await else { return };
        stream.set_nodelay(true).expect("a TCP socket");
        connections.spawn(serve(stream, number, Arc::clone(&state)));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, connection: usize, state: Arc<State>) {
    let mut stream = BufReader::new(stream);
    let mut reports = JoinSet::new();
    while let Some(call) = read_call(&mut stream, connection).await {
        let name = call.path.trim_start_matches('/').to_owned();
        let behaviour = state.behaviour(&name);
        let run = matches!(&*name, "run" | "trigger").then(|| call.json());
        let last = call.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        // A held call is released by what comes after its arrival is seen.
        let mut released = state.releases.subscribe();
        released.mark_unchanged();
        lock(&state.calls).push(call);
        state.happened();
        let Some(bytes) = answer(behaviour, &mut released).await else { return };
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
        let reporting = lock(&state.reporting).clone();
        if let (Some(run), Some(reporting)) = (run, reporting)
            && bytes.ends_with(br#"{"code":200}"#)
        {
            reports.spawn(report(run, reporting, Arc::clone(&state)));
        }
        if last {
            break;
        }
    }
    drop(stream);
    while reports.join_next().await.is_some() {}
}

async fn report(run: Value, reporting: Reporting, state: Arc<State>) {
    let mut item =
        json!({"logId": run["logId"], "logDateTim": run["logDateTime"], "handleCode": reporting.handle_code});
    if let Some(msg) = reporting.handle_msg {
        item["handleMsg"] = msg.into();
    }
    let (status, body) = post(&format!("{}/api/callback", reporting.admin), &reporting.token, &json!([item])).await;
    lock(&state.reports).push(json!({"logId": run["logId"], "status": status, "body": body}));
    state.happened();
}

/// The bytes to send; none to close the connection.
async fn answer(mut behaviour: Behaviour, released: &mut watch::Receiver<usize>) -> Option<Vec<u8>> {
    loop {
        behaviour = match behaviour {
            Behaviour::Accept => return Some(http(200, r#"{"code":200}"#)),
            Behaviour::Refuse(code, msg) => return Some(http(200, &json!({"code": code, "msg": msg}).to_string())),
            Behaviour::Json(body) => return Some(http(200, &body)),
            Behaviour::Status(status, body) => return Some(http(status, &body)),
            Behaviour::Raw(bytes) => return Some(bytes),
            Behaviour::Slow(time, then) => {
                tokio::time::sleep(time).await;
                *then
            }
            Behaviour::Held(then) => {
                released.changed().await.ok()?;
                *then
            }
            Behaviour::Cut => return None,
            Behaviour::Never => std::future::pending().await,
        };
    }
}

impl State {
    fn behaviour(&self, name: &str) -> Behaviour {
        if let Some(next) = lock(&self.once).get_mut(name).and_then(VecDeque::pop_front) {
            return next;
        }
        if let Some(always) = lock(&self.always).get(name) {
            return always.clone();
        }
        match name {
            "run" | "beat" | "idleBeat" | "kill" => Behaviour::Accept,
            "log" => Behaviour::Json(
                json!({"code": 200, "data": {"fromLineNum": 1, "toLineNum": 1, "logContent": "line\n", "isEnd": false}})
                    .to_string(),
            ),
            _ => unknown(name),
        }
    }

    fn happened(&self) {
        self.events.send_modify(|count| *count += 1);
    }
}

fn unknown(name: &str) -> Behaviour {
    Behaviour::Refuse(500, format!("invalid request, uri-mapping(/{name}) not found."))
}

fn http(status: u16, body: &str) -> Vec<u8> {
    let mut text = String::new();
    write!(
        text,
        "HTTP/1.1 {status} x\r\ncontent-type: text/html;charset=UTF-8\r\ncontent-length: {}\r\n\
         connection: keep-alive\r\n\r\n{body}",
        body.len()
    )
    .expect("a String takes everything");
    text.into_bytes()
}

/// Reads one request; none at the end of the connection.
async fn read_call(stream: &mut BufReader<TcpStream>, connection: usize) -> Option<Call> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut call = Call { path, headers, body: String::new(), at: Instant::now(), connection };
    let length = call.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    call.body = String::from_utf8(body).expect("executors are sent UTF-8");
    call.at = Instant::now();
    Some(call)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().expect("no test panics while it holds a lock of the fake executor")
}
