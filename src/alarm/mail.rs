//! Alarms by e-mail: one message an address, in the form that sites' mail filters know.
//!
//! Mirrors `EmailJobAlarm`. Better on purpose: connecting and sending have time limits, so a mail server that says nothing
//! cannot hold up the retries of other jobs, the addresses of one job are served side by side, and nothing that a job or an
//! executor wrote becomes a tag of the message.

mod text;

use std::collections::HashSet;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream;
use lettre::Message;
use lettre::address::AddressError;
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use secrecy::ExposeSecret as _;
use thiserror::Error;

use super::{Alarm, FailedRun};
use crate::config::profile::Release;
use crate::config::settings::{Mail, MailTls};
use crate::i18n::{self, Key, Locale};
use crate::model::JobInfo;

/// Time allowed for connecting (with greeting, encryption and login), and again for sending.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Messages of one alarm that are under way at once.
const AT_ONCE: usize = 4;

/// What is asked of the server, in order of preference.
const MECHANISMS: &[Mechanism] = &[Mechanism::Plain, Mechanism::Login];

/// The mail channel.
#[derive(Debug)]
pub struct MailAlarm {
    server: Option<Mail>,
    locale: Locale,
    sender_name: &'static str,
    time_limit: Duration,
}

/// Why a message was not sent. Never shows what was said during a login.
#[derive(Debug, Error)]
enum MailError {
    #[error("no mail server is configured (spring.mail.host)")]
    NoServer,
    #[error("not an e-mail address: {0}")]
    Address(#[from] AddressError),
    #[error("the message could not be composed: {0}")]
    Compose(#[from] lettre::error::Error),
    #[error("no answer within {} s while {stage}", .limit.as_secs_f32())]
    TimedOut { stage: &'static str, limit: Duration },
    #[error("the server did not accept the login{}", .code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default())]
    Login { code: Option<String> },
    #[error("{0}")]
    Smtp(#[from] lettre::transport::smtp::Error),
}

impl MailAlarm {
    /// A channel over this server. Without a server, alarms that ask for mail fail.
    pub fn new(server: Option<Mail>, locale: Locale, release: Release) -> Self {
        let name = if release >= Release::V3_3 { Key::AdminNameFullSince33 } else { Key::AdminNameFull };
        Self { server, locale, sender_name: i18n::text(locale, name), time_limit: TIME_LIMIT }
    }

    /// The same with another limit than [`TIME_LIMIT`].
    #[must_use]
    pub const fn with_time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Sends to one address and says whether that went well; what went wrong is in the log.
    async fn try_send(&self, run: FailedRun<'_>, address: &str, body: &str) -> bool {
        let sent = self.send_to(address, body).await;
        if let Err(error) = &sent {
            tracing::warn!(job.id = run.job.id, log.id = run.log.id, address, %error, "alarm mail not sent");
        }
        sent.is_ok()
    }

    /// Sends to one address.
    async fn send_to(&self, address: &str, body: &str) -> Result<(), MailError> {
        let server = self.server.as_ref().ok_or(MailError::NoServer)?;
        let message = self.message(server, address, body)?;
        let mut connection = self.within("connecting", connect(server, self.time_limit)).await?;
        let sending = async { Ok(connection.send(message.envelope(), &message.formatted()).await?) };
        self.within("sending", sending).await?;
        // The message is accepted; how the server takes the farewell changes nothing.
        let _ = tokio::time::timeout(self.time_limit.min(Duration::from_secs(1)), connection.quit()).await;
        Ok(())
    }

    /// A multipart message with one HTML part, nested as the Java admin's are.
    fn message(&self, server: &Mail, address: &str, body: &str) -> Result<Message, MailError> {
        let from: Mailbox = server.from.trim().parse()?;
        let html = MultiPart::related().singlepart(SinglePart::html(body.to_owned()));
        let message = Message::builder()
            .from(Mailbox::new(Some(self.sender_name.to_owned()), from.email))
            .to(address.trim().parse()?)
            .message_id(None)
            .subject(i18n::text(self.locale, Key::JobconfMonitor))
            .multipart(MultiPart::mixed().multipart(html))?;
        Ok(message)
    }

    async fn within<T>(
        &self,
        stage: &'static str,
        work: impl Future<Output = Result<T, MailError>>,
    ) -> Result<T, MailError> {
        let limit = self.time_limit;
        tokio::time::timeout(limit, work).await.map_err(|_| MailError::TimedOut { stage, limit })?
    }
}

impl Alarm for MailAlarm {
    fn is_wanted(&self, job: &JobInfo) -> bool {
        job.alarm_email.as_deref().is_some_and(|list| !list.trim_matches(|c| c <= ' ').is_empty())
    }

    fn send<'a>(&'a self, run: FailedRun<'a>) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            if !self.is_wanted(run.job) {
                return true;
            }
            let body = text::body(self.locale, run);
            let list = run.job.alarm_email.as_deref().unwrap_or_default();
            let sent = addresses(list).into_iter().map(|address| self.try_send(run, address, &body));
            stream::iter(sent.collect::<Vec<_>>())
                .buffer_unordered(AT_ONCE)
                .fold(true, |all, sent| async move { all && sent })
                .await
        })
    }
}

/// The addresses of a list, each once, as they stand; trailing empty ones do not count.
fn addresses(list: &str) -> Vec<&str> {
    let mut seen = HashSet::new();
    list.trim_end_matches(',').split(',').filter(|address| seen.insert(*address)).collect()
}

/// Opens a connection that is ready for a message: encrypted as demanded and logged in when the server wants that.
async fn connect(server: &Mail, limit: Duration) -> Result<AsyncSmtpConnection, MailError> {
    let hello = ClientId::default();
    let tls = || TlsParameters::new(server.host.clone());
    let wrapper = if server.tls == MailTls::Wrapper { Some(tls()?) } else { None };
    let address = (server.host.as_str(), server.port);
    let mut connection = AsyncSmtpConnection::connect_tokio1(address, Some(limit), &hello, wrapper, None).await?;
    match server.tls {
        MailTls::Required => connection.starttls(tls()?, &hello).await?,
        MailTls::Opportunistic if connection.can_starttls() => connection.starttls(tls()?, &hello).await?,
        MailTls::Opportunistic | MailTls::Plain | MailTls::Wrapper => {}
    }
    log_in(&mut connection, server).await?;
    Ok(connection)
}

/// Logs in when there is a name and the server offers a way to; as with Java, a server that offers none is tried without.
async fn log_in(connection: &mut AsyncSmtpConnection, server: &Mail) -> Result<(), MailError> {
    let Some(username) = &server.username else { return Ok(()) };
    if connection.server_info().get_auth_mechanism(MECHANISMS).is_none() {
        return Ok(());
    }
    let password = server.password.as_ref().map(|password| password.expose_secret().to_owned()).unwrap_or_default();
    let login = connection.auth(MECHANISMS, &Credentials::new(username.clone(), password)).await;
    // The server's own words may repeat what was sent to it.
    login.map_err(|error| MailError::Login { code: error.status().map(|code| code.to_string()) })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_split_once_each_and_not_trimmed() {
        assert_eq!(addresses("a@x,b@x,a@x,, a@x,,"), ["a@x", "b@x", "", " a@x"]);
        assert_eq!(addresses(","), [""]);
    }

    #[test]
    fn the_password_shows_in_no_output() {
        let server = Mail {
            host: "mail".into(),
            port: 25,
            username: Some("u".into()),
            password: Some("very-secret".to_owned().into()),
            from: "a@x".into(),
            tls: MailTls::Plain,
        };
        let alarm = MailAlarm::new(Some(server), Locale::En, Release::V2_4);
        assert!(!format!("{alarm:?}").contains("very-secret"));
    }
}
