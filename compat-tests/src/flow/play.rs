//! Plays the calls of a client and holds each answer against what was recorded and what the client reads.
use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{Call, Flow, Schemas, wire};
use crate::eventually::eventually;
use crate::exchange::{self, Answer, Request};
use crate::recording::media_type;

/// Longest wait for what takes its time, e.g. a run.
const PATIENCE: Duration = Duration::from_secs(30);
/// Largest cookie value that all clients keep.
const LONGEST_COOKIE: usize = 1024;

/// The admin that is called, and what was recorded of the Java admins.
pub struct Site {
    /// Where it listens on this machine.
    pub port: u16,
    /// Its context path.
    pub context: String,
    /// The recorded answers by dialect.
    pub schemas: HashMap<&'static str, Schemas>,
    /// What each file can name in braces.
    pub variables: HashMap<String, String>,
}

/// The last login cookie that came.
struct Login {
    name: String,
    value: String,
    whole: String,
}

struct Player<'a> {
    site: &'a Site,
    flow: &'a Flow,
    variables: HashMap<String, String>,
    login: Option<Login>,
}

/// Plays a flow. Variables: those of the site, `{me}` (the flow's name), and what the calls keep.
///
/// # Errors
/// What differs from what is right, with the number of the call.
pub async fn play(site: &Site, name: &str, flow: &Flow) -> Result<()> {
    let mut variables = site.variables.clone();
    variables.insert("me".to_owned(), name.to_owned());
    let mut player = Player { site, flow, variables, login: None };
    for (nth, call) in flow.calls.iter().enumerate() {
        let what = || format!("call {}, {}", nth + 1, call.call);
        let answer = if call.until {
            let again = async || player.ask(call).await;
            eventually(&call.call, PATIENCE, again).await.with_context(what)?
        } else {
            player.ask(call).await.with_context(what)?
        };
        player.take(call, &answer).with_context(what)?;
    }
    Ok(())
}

impl Player<'_> {
    /// Puts values in place of the variables. Braces that hold no name, as in JSON, stay.
    fn fill(&self, text: &str) -> Result<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            out.push_str(before);
            let name = behind.split('}').next().unwrap_or_default();
            let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
            if is_name && behind.len() > name.len() {
                out.push_str(&self.variable(name)?);
                rest = &behind[name.len() + 1..];
            } else {
                out.push('{');
                rest = behind;
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    fn variable(&self, name: &str) -> Result<String> {
        let login = || self.login.as_ref().with_context(|| format!("{{{name}}} before a login"));
        Ok(match name {
            "cookie-name" => login()?.name.clone(),
            "cookie-value" => login()?.value.clone(),
            "set-cookie" => login()?.whole.clone(),
            _ => self.variables.get(name).with_context(|| format!("nothing is called {{{name}}}"))?.clone(),
        })
    }

    fn request(&self, call: &Call) -> Result<Request> {
        let (method, path) = call.call.split_once(' ').context("METHOD PATH")?;
        let mut headers = vec![format!("Host: 127.0.0.1:{}", self.site.port)];
        headers.extend(self.flow.agent.as_ref().map(|agent| format!("User-Agent: {agent}")));
        let cookie = match (&call.cookie, &self.login) {
            (Some(cookie), _) => cookie.as_str(),
            (None, Some(_)) => &self.flow.cookie,
            (None, None) => "",
        };
        if !cookie.is_empty() {
            headers.push(format!("Cookie: {}", self.fill(cookie)?));
        }
        for header in &call.headers {
            headers.push(self.fill(header)?);
        }
        let (content_type, body) = self.body(call)?;
        let path = format!("{}{}", self.site.context, self.fill(path)?);
        Ok(wire::request(method, &path, headers, content_type, body, call.framing))
    }

    /// The body and its type, empty without one.
    fn body(&self, call: &Call) -> Result<(&'static str, String)> {
        if let Some(form) = &call.form {
            return Ok(("application/x-www-form-urlencoded", self.fill(form)?));
        }
        if let Some(json) = &call.json {
            return Ok(("application/json", self.fill(json)?));
        }
        let Some(parts) = &call.multipart else { return Ok(("", String::new())) };
        let mut fields = Vec::new();
        for part in parts {
            let (name, value) = part.split_once('=').context("name=value")?;
            fields.push((name, self.fill(value)?));
        }
        Ok((wire::MULTIPART, wire::multipart(&fields)))
    }

    /// Makes a call and looks at the answer.
    async fn ask(&self, call: &Call) -> Result<Answer> {
        let answer = exchange::send(self.site.port, &self.request(call)?).await?;
        self.look(call, &answer).with_context(|| format!("{answer:?}"))?;
        Ok(answer)
    }

    fn look(&self, call: &Call, answer: &Answer) -> Result<()> {
        ensure!(answer.status == call.status, "the status is not {}", call.status);
        if let Some(end) = &call.location {
            let location = answer.header("Location").context("no Location")?;
            ensure!(location.ends_with(end.as_str()), "it does not lead to {end}");
            ensure!(answer.body.is_empty(), "there is a body");
            return Ok(());
        }
        let media = answer.header("Content-Type").map(media_type).unwrap_or_default();
        if call.page {
            ensure!(media == "text/html", "no page");
            return Ok(());
        }
        if call.status != 200 {
            return Ok(());
        }
        ensure!(media == "application/json", "no JSON");
        ensure!(answer.body.starts_with('{'), "it does not start with a brace");
        let json: Value = serde_json::from_str(&answer.body)?;
        let dialect = call.dialect.as_ref().unwrap_or(&self.flow.dialect);
        let said = answer.header("X-XXL-Dialect");
        ensure!(said == Some(dialect), "the answer says that it is in dialect {said:?}");
        let like = call.like.as_deref().unwrap_or(path_of(call));
        if like != "none" {
            self.site.schemas.get(&**dialect).context("dialect")?.check(like, &json)?;
        }
        if json.get("recordsTotal").is_none() {
            ensure!(json["code"] == call.code, "the code is not {}", call.code);
        }
        for (place, wanted) in &call.expect {
            self.expect(place, value(&json, place), wanted)?;
        }
        Ok(())
    }

    fn expect(&self, place: &str, found: &Value, wanted: &toml::Value) -> Result<()> {
        let fits = match wanted.as_str() {
            Some("*digits") => found.as_str().is_some_and(|text| text.parse::<i32>().is_ok()),
            Some("*number") => found.is_i64(),
            Some("*text") => found.is_string(),
            Some("*null") => found.is_null(),
            Some(text) => {
                let text = self.fill(text)?;
                found.as_str() == Some(&text) || found.as_i64().is_some_and(|number| number.to_string() == text)
            }
            None => *found == serde_json::to_value(wanted)?,
        };
        ensure!(fits, "{place} is {found}, not {wanted}");
        Ok(())
    }

    /// Keeps what later calls send.
    fn take(&mut self, call: &Call, answer: &Answer) -> Result<()> {
        let set = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        // A cookie that is no login, or none any more, may be taken back.
        let cookies: Vec<&String> =
            set.map(|(_, cookie)| cookie).filter(|cookie| !cookie.contains("Thu, 01 Jan 1970")).collect();
        let is_login = ["/login", "/auth/doLogin"].contains(&path_of(call));
        let logs_in = is_login && call.code == 200 && call.status == 200;
        ensure!(cookies.len() == usize::from(logs_in), "{} cookies are set: {cookies:?}", cookies.len());
        if logs_in {
            self.login = Some(login(cookies[0])?);
        }
        if !call.keep.is_empty() {
            let json: Value = serde_json::from_str(&answer.body)?;
            for (name, place) in &call.keep {
                let kept = match value(&json, place) {
                    Value::String(text) => text.clone(),
                    Value::Number(number) => number.to_string(),
                    other => bail!("{place} is {other}, which cannot be kept"),
                };
                self.variables.insert(name.clone(), kept);
            }
        }
        Ok(())
    }
}

/// The path alone, as it was recorded.
fn path_of(call: &Call) -> &str {
    call.call.split([' ', '?']).nth(1).unwrap_or_default().trim_end_matches('/')
}

/// What a client can take out of a Set-Cookie, and whether it can: some split the text by hand.
fn login(cookie: &str) -> Result<Login> {
    let pair = cookie.split(';').next().unwrap_or_default();
    let (name, value) = pair.split_once('=').context("no cookie")?;
    ensure!(!value.contains(['=', ',', ' ', '"', '%']), "the cookie's value cannot be split by hand: {value}");
    ensure!(!value.is_empty() && value.len() < LONGEST_COOKIE, "the cookie's value is empty or too long");
    Ok(Login { name: name.to_owned(), value: value.to_owned(), whole: cookie.to_owned() })
}

/// The value at a place like `data.0.appname`; null where there is none.
fn value<'a>(json: &'a Value, place: &str) -> &'a Value {
    place.split('.').fold(json, |value, step| match step.parse::<usize>() {
        Ok(nth) if value.is_array() => &value[nth],
        _ => &value[step],
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_found() {
        let json = json!({ "data": [{ "id": 7 }], "code": 200 });
        assert_eq!(value(&json, "data.0.id"), 7);
        assert_eq!(value(&json, "data.1.id"), &Value::Null);
        assert_eq!(value(&json, "data.id"), &Value::Null);
    }

    #[test]
    fn cookies_that_cannot_be_split_are_refused() {
        assert_eq!(login("N=v; Path=/; HttpOnly").unwrap().value, "v");
        for cookie in ["N=a=b; Path=/", "N=\"v\"", "N=; Path=/", "N"] {
            assert!(login(cookie).is_err(), "{cookie}");
        }
    }
}
