//! The command `token new`: makes a bearer token of a script and prints it once, with the lines for the TOML file. It
//! opens no database and keeps nothing: the file holds only a hash.

use std::fmt::Write as _;
use std::io::Write;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use clap::{Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

/// So that tokens are known as such where they turn up by mistake.
const PREFIX: &str = "xja_";

/// Options of `token`.
#[derive(Debug, Clone, Args)]
pub struct Token {
    /// What to do
    #[command(subcommand)]
    pub action: TokenAction,
}

/// What can be done with tokens.
#[derive(Debug, Clone, Subcommand)]
pub enum TokenAction {
    /// Make a token, print it once, and the lines for xxl-job-admin.toml
    New(NewToken),
}

/// Options of `token new`.
#[derive(Debug, Clone, Args)]
pub struct NewToken {
    /// Name in logs and audit lines
    #[arg(value_parser = name)]
    pub name: String,
    /// What it allows; each includes the one before
    #[arg(long)]
    pub scope: ScopeWord,
    /// App name of an executor group that it reaches; several times for several [default: all]
    #[arg(long = "group", value_name = "APP")]
    pub groups: Vec<String>,
    /// Last day on which it is accepted, such as 2027-01-31 [default: none]
    #[arg(long, value_name = "DATE")]
    pub expires: Option<Date>,
}

/// Words of the scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeWord {
    /// Read
    Read,
    /// Start, stop, run and kill as well
    Operate,
    /// Everything
    Administer,
}

fn name(text: &str) -> Result<String, &'static str> {
    if text.is_empty() || text.chars().count() > 60 || text.chars().any(char::is_control) {
        return Err("a name has 1 to 60 characters, none of them a control character");
    }
    Ok(text.to_owned())
}

/// Makes a token; gives the exit status.
pub fn run(options: &Token, out: &mut impl Write, err: &mut impl Write) -> u8 {
    let TokenAction::New(new) = &options.action;
    let mut random = [0; 32];
    if let Err(error) = getrandom::fill(&mut random) {
        let _ = writeln!(err, "no random numbers: {error}");
        return 1;
    }
    let token = format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(random));
    let text = format!(
        "Token, shown this once: {token}\nScripts send it as the header  Authorization: Bearer {token}\n\n\
         Lines for xxl-job-admin.toml, of every node:\n{}",
        lines(new, &token)
    );
    // Whoever closed our output has no token.
    u8::from(out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err())
}

/// The lines for the file.
fn lines(new: &NewToken, token: &str) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let scope = new.scope.to_possible_value().map(|word| word.get_name().to_owned()).unwrap_or_default();
    let hash = hex::encode(Sha256::digest(token.as_bytes()));
    let mut lines =
        format!("[[api-token]]\nname = {}\nhash = \"sha256:{hash}\"\nscope = \"{scope}\"\n", quoted(&new.name));
    if !new.groups.is_empty() {
        let groups: Vec<String> = new.groups.iter().map(|group| quoted(group)).collect();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(lines, "groups = [{}]", groups.join(", "));
    }
    if let Some(day) = new.expires {
        let _ = writeln!(lines, "expires = {day}");
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::cli::{Action, parse};
    use crate::config::settings::Scope;
    use crate::config::toml_file;

    fn printed(words: &[&str]) -> String {
        let words = ["token", "new"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        let command = parse(words, BTreeMap::new(), "/".into()).unwrap();
        let Action::Token(options) = command.action else { panic!("another command") };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(run(&options, &mut out, &mut err), 0);
        assert!(err.is_empty());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_lines_that_are_printed_belong_to_the_token() {
        let name = "ci \"1\" = \\x";
        let text = printed(&[name, "--scope", "operate", "--group", "a", "--group=b\"", "--expires", "2027-01-31"]);
        let token = text.split_whitespace().find(|word| word.starts_with(PREFIX)).unwrap();
        assert_eq!(token.len(), PREFIX.len() + 43);
        let lines = &text[text.find("[[").unwrap()..];
        assert!(!lines.contains(token));
        let file = toml_file::parse(lines, None);
        assert_eq!(file.faults, []);
        let read = &file.api_tokens[0];
        assert_eq!(
            (read.name.as_str(), read.scope, read.groups.as_slice()),
            (name, Scope::Operate, ["a".to_owned(), "b\"".to_owned()].as_slice())
        );
        assert_eq!(read.sha256.as_slice(), Sha256::digest(token.as_bytes()).as_slice());
        assert_eq!(read.expires, Some(Date::constant(2027, 1, 31)));
    }

    #[test]
    fn each_token_is_another() {
        let (one, two) = (printed(&["a", "--scope", "read"]), printed(&["a", "--scope", "read"]));
        assert_ne!(one, two);
        assert!(!one.contains("groups") && !one.contains("expires"));
    }

    #[test]
    fn scope_and_name_must_be_there() {
        for words in [
            &["token", "new", "a"][..],
            &["token", "new", "--scope", "read"],
            &["token"],
            &["token", "new", "a", "--scope", "all"],
            &["token", "new", "a\nb", "--scope", "read"],
        ] {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(parse(words, BTreeMap::new(), "/".into()).unwrap_err().status, 2);
        }
    }
}
