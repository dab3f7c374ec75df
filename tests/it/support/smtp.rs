//! A mail server that keeps what it gets.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How the server behaves.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// When it falls silent.
    pub silence: Silence,
    /// Demands this login (name, password); refuses senders without it.
    pub login: Option<(&'static str, &'static str)>,
    /// Which encryption it has. The start of a handshake is only looked at, no TLS is spoken.
    pub encryption: Encryption,
    /// Refuses this recipient.
    pub refused: Option<&'static str>,
}

/// When a server falls silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Silence {
    /// Never.
    #[default]
    Never,
    /// Once it has taken the connection.
    AtConnect,
    /// Where the message would come.
    AtData,
}

/// The encryption of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encryption {
    /// None.
    #[default]
    Plain,
    /// STARTTLS.
    StartTls,
    /// From the first byte.
    Wrapper,
}

/// A message as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Address of MAIL FROM.
    pub from: String,
    /// Addresses of RCPT TO.
    pub to: Vec<String>,
    /// Headers and body, lines ended by CR LF, dots undone.
    pub data: String,
    /// Name of the login, if there was one.
    pub login: Option<String>,
}

/// A mail server on a free port of this machine; gone when dropped.
pub struct SmtpServer {
    address: SocketAddr,
    seen: watch::Sender<Seen>,
    _accepting: JoinSet<()>,
}

/// What a server has seen.
#[derive(Debug, Default)]
struct Seen {
    messages: Vec<Received>,
    /// Bytes that began a TLS handshake, at the start or after STARTTLS.
    handshakes: usize,
}

impl SmtpServer {
    /// Starts a server.
    pub async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let seen = watch::Sender::default();
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, manner, seen.clone()));
        Self { address, seen, _accepting: accepting }
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The messages so far, in the order of their recipients.
    pub fn messages(&self) -> Vec<Received> {
        let mut messages = self.seen.borrow().messages.clone();
        messages.sort_by(|a, b| a.to.cmp(&b.to));
        messages
    }

    /// How many clients began to speak TLS.
    pub fn handshakes(&self) -> usize {
        self.seen.borrow().handshakes
    }
}

async fn accept(listener: TcpListener, manner: Manner, seen: watch::Sender<Seen>) {
    let mut clients = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        clients.spawn(serve(stream, manner.clone(), seen.clone()));
    }
}

/// Serves one client until it leaves. An error is a client that left early.
async fn serve(stream: TcpStream, manner: Manner, seen: watch::Sender<Seen>) {
    let mut client = Client { stream: BufReader::new(stream), manner, seen };
    let _ = client.talk().await;
}

struct Client {
    stream: BufReader<TcpStream>,
    manner: Manner,
    seen: watch::Sender<Seen>,
}

impl Client {
    async fn talk(&mut self) -> std::io::Result<()> {
        if self.manner.silence == Silence::AtConnect {
            return self.listen_for_ever().await;
        }
        if self.manner.encryption == Encryption::Wrapper {
            return self.expect_handshake().await;
        }
        self.say("220 test ESMTP").await?;
        let mut message = Received { from: String::new(), to: Vec::new(), data: String::new(), login: None };
        loop {
            let Some(line) = self.line().await? else { return Ok(()) };
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            match verb.as_str() {
                "EHLO" => self.greet().await?,
                "AUTH" => self.log_in(&line, &mut message).await?,
                "STARTTLS" => {
                    self.say("220 go ahead").await?;
                    return self.expect_handshake().await;
                }
                "MAIL" if self.manner.login.is_some() && message.login.is_none() => {
                    self.say("530 log in first").await?;
                }
                "MAIL" => {
                    message = Received { from: bracketed(&line), to: Vec::new(), data: String::new(), ..message };
                    self.say("250 ok").await?;
                }
                "RCPT" if self.manner.refused == Some(bracketed(&line).as_str()) => {
                    self.say("550 nobody here").await?;
                }
                "RCPT" => {
                    message.to.push(bracketed(&line));
                    self.say("250 ok").await?;
                }
                "DATA" if self.manner.silence == Silence::AtData => return self.listen_for_ever().await,
                "DATA" => {
                    self.say("354 go on").await?;
                    message.data = self.data().await?;
                    self.seen.send_modify(|seen| seen.messages.push(message.clone()));
                    self.say("250 taken").await?;
                }
                "QUIT" => return self.say("221 bye").await,
                _ => self.say("502 what?").await?,
            }
        }
    }

    async fn greet(&mut self) -> std::io::Result<()> {
        if self.manner.encryption == Encryption::StartTls {
            self.say("250-STARTTLS").await?;
        }
        if self.manner.login.is_some() {
            self.say("250-AUTH PLAIN LOGIN").await?;
        }
        self.say("250 8BITMIME").await
    }

    /// `AUTH PLAIN` with the answer in the same line. A refusal repeats what was sent, as some servers do.
    async fn log_in(&mut self, line: &str, message: &mut Received) -> std::io::Result<()> {
        let sent = line.strip_prefix("AUTH PLAIN ").and_then(|text| BASE64.decode(text).ok()).unwrap_or_default();
        let sent = String::from_utf8_lossy(&sent).into_owned();
        match self.manner.login {
            Some((name, password)) if sent == format!("\0{name}\0{password}") => {
                message.login = Some(name.to_owned());
                self.say("235 welcome").await
            }
            _ => self.say(&format!("535 not you: {}", sent.replace('\0', " "))).await,
        }
    }

    async fn data(&mut self) -> std::io::Result<String> {
        let mut data = String::new();
        while let Some(line) = self.line().await? {
            if line == "." {
                break;
            }
            data.push_str(line.strip_prefix('.').unwrap_or(&line));
            data.push_str("\r\n");
        }
        Ok(data)
    }

    /// Notes whether the client begins a TLS record and ends the talk. The client waits for an answer to it, so the note
    /// is there before the client gives up.
    async fn expect_handshake(&mut self) -> std::io::Result<()> {
        if self.stream.read_u8().await? == 0x16 {
            self.seen.send_modify(|seen| seen.handshakes += 1);
        }
        Ok(())
    }

    async fn listen_for_ever(&mut self) -> std::io::Result<()> {
        let mut heard = [0; 1024];
        while self.stream.read(&mut heard).await? > 0 {}
        Ok(())
    }

    async fn say(&mut self, line: &str) -> std::io::Result<()> {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await
    }

    /// The next line without its end; none when the client is gone.
    async fn line(&mut self) -> std::io::Result<Option<String>> {
        let mut line = Vec::new();
        if self.stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
    }
}

/// What stands between `<` and `>`.
fn bracketed(line: &str) -> String {
    line.split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'))
        .map(|(inner, _)| inner.to_owned())
        .unwrap_or_default()
}

impl Received {
    /// A header of the message, its folded lines joined and its encoded words decoded.
    pub fn header(&self, name: &str) -> Option<String> {
        let head = self.data.split("\r\n\r\n").next()?.replace("\r\n ", " ").replace("\r\n\t", " ");
        let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))?;
        Some(decode_words(line))
    }

    /// The HTML part, decoded.
    pub fn html(&self) -> String {
        let (_, part) = self.data.split_once("Content-Type: text/html; charset=utf-8\r\n").expect("an HTML part");
        let (head, rest) = part.split_once("\r\n\r\n").expect("a body");
        let body = rest.split("\r\n--").next().expect("the part has an end");
        let bytes = match head.rsplit(": ").next().expect("an encoding").trim() {
            "base64" => BASE64.decode(body.replace("\r\n", "")).expect("base64"),
            "quoted-printable" => unquote(body),
            _ => body.into(),
        };
        String::from_utf8(bytes).expect("UTF-8").replace("\r\n", "\n")
    }
}

/// Decodes `=?utf-8?b?…?=` words; blanks between two of them do not count.
fn decode_words(text: &str) -> String {
    let mut out = String::new();
    for (i, part) in text.split("=?utf-8?b?").enumerate() {
        match part.split_once("?=") {
            Some((word, rest)) if i > 0 => {
                out += &String::from_utf8(BASE64.decode(word).expect("base64")).expect("UTF-8");
                out += if rest.trim().is_empty() { "" } else { rest };
            }
            _ => out += part,
        }
    }
    out
}

fn unquote(text: &str) -> Vec<u8> {
    let text = text.replace("=\r\n", "");
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'=' && after.len() >= 2 {
            let digits = std::str::from_utf8(&after[..2]).expect("hex digits");
            out.push(u8::from_str_radix(digits, 16).expect("hex digits"));
            rest = &after[2..];
        } else {
            out.push(byte);
        }
    }
    out
}
