//! The layers in which values are looked for, later ones win: built-in defaults, `xxl-job-admin.toml`, Spring's files,
//! environment, `PARAMS` and the variables with JVM flags, command line. Every value keeps its source.

use std::collections::BTreeMap;
use std::path::Path;

use super::Invocation;
use super::arguments::Arguments;
use super::entry::Entry;
use super::environment;
use super::error::{Fault, Source};
use super::files::{self, Wanted};
use super::keys::{self, relaxed};
use super::placeholders::Placeholders;
use super::settings::ApiToken;
use super::{toml_file, yaml};

/// The defaults of all keys, and their explanation in the form of a file.
pub const DEFAULTS: &str = include_str!("config.default.toml");

/// The file of our own in the working directory.
pub const OWN_FILE: &str = "xxl-job-admin.toml";

/// Everything that the sources hold.
#[derive(Debug, Default)]
pub struct Gathered {
    /// All values, in the order in which later ones win.
    pub entries: Vec<Entry>,
    /// Bearer tokens.
    pub api_tokens: Vec<ApiToken>,
    /// What is worth telling.
    pub warnings: Vec<String>,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// The entries of the built-in defaults.
pub fn defaults() -> Vec<Entry> {
    toml_file::parse(DEFAULTS, None).entries
}

/// Reads all sources.
pub fn gather(invocation: &Invocation) -> Gathered {
    let mut all = Gathered { entries: defaults(), ..Gathered::default() };
    let mut line = Arguments::split(&invocation.args, &Source::CommandLine);
    all.faults.append(&mut line.faults);
    let variables = environment::read(&invocation.env, &invocation.working_dir, &mut all.faults);
    let others = environment::start_lines(&invocation.env, &mut all.faults);

    all.own_file(line.config.as_deref(), &invocation.working_dir);
    let mut later = variables;
    later.extend(application_json(&invocation.env, &mut all.faults));
    for (name, arguments) in others {
        all.tell_ignored(&name, &arguments);
        later.extend(arguments.entries);
    }
    all.tell_ignored("command line", &line);
    later.append(&mut line.entries);

    let mut found = files::read(&wanted(&later), &invocation.working_dir);
    all.entries.append(&mut found.entries);
    all.warnings.append(&mut found.warnings);
    all.faults.append(&mut found.faults);
    all.entries.append(&mut later);
    all
}

impl Gathered {
    fn own_file(&mut self, named: Option<&str>, working_dir: &Path) {
        let path = working_dir.join(named.unwrap_or(OWN_FILE));
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let mut file = toml_file::parse(&text, Some(&path));
                self.entries.append(&mut file.entries);
                self.faults.append(&mut file.faults);
                self.api_tokens = file.api_tokens;
            }
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                let key = if named.is_some() { "--config" } else { OWN_FILE };
                let wrong = format!("the file {} cannot be read: {error}", path.display());
                self.faults.push(Fault::new(key, None, wrong, "a readable TOML file"));
            }
        }
    }

    fn tell_ignored(&mut self, place: &str, arguments: &Arguments) {
        if !arguments.jvm_flags.is_empty() {
            let flags = arguments.jvm_flags.join(" ");
            self.warnings.push(format!("{place}: these mean something to a JVM alone and are ignored: {flags}"));
        }
    }

    /// Names the keys that nobody has asked for: faults on the command line, warnings elsewhere.
    pub fn tell_unknown(&mut self, entries: &[Entry], placeholders: &Placeholders<'_>) {
        let mut ignored: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in entries {
            let control = files::CONTROL.iter().any(|name| relaxed(name) == relaxed(&entry.name));
            if entry.found.is_some() || control || placeholders.is_used(&entry.name) {
                continue;
            }
            let place = match &entry.source {
                // Told among the JVM flags where it is not one of Java's keys.
                Source::SystemProperty | Source::JavaOptions(_) if !keys::is_of_java(&entry.name) => continue,
                // Most variables are for others.
                Source::Default | Source::Variable(_) | Source::VariableFile { .. } => continue,
                Source::File { path, .. } => path.display().to_string(),
                other => other.to_string(),
            };
            let (nearest, distance) = keys::nearest(&entry.name);
            // A slip in a key that counts is no key of Spring; of the keys below `xxl` we know all.
            let is_slip = distance <= 2 || relaxed(&entry.name).starts_with("xxl.");
            let is_ignorable = keys::is_of_java(&entry.name) && !is_slip;
            if entry.source == Source::CommandLine && !is_ignorable {
                let wrong = "there is no such key";
                let right = format!("--{nearest}=… is the nearest known one; --help names all");
                self.faults.push(Fault::new(format!("--{}", entry.name), Some(entry.source.clone()), wrong, right));
                continue;
            }
            let hint = if distance <= 3 { format!(" (did you mean {nearest}?)") } else { String::new() };
            ignored.entry(place).or_default().push(format!("{}{hint}", entry.name));
        }
        for (place, mut names) in ignored {
            names.dedup();
            let names = names.join(", ");
            self.warnings.push(format!("{place}: these keys mean nothing here and are ignored: {names}"));
        }
        for variable in environment::unknown(entries, |name| placeholders.is_used(name)) {
            self.warnings.push(format!("environment: {variable} means nothing here and is ignored"));
        }
    }
}

/// Spring's variable that holds keys as JSON.
fn application_json(env: &environment::Environment, faults: &mut Vec<Fault>) -> Vec<Entry> {
    const NAME: &str = "SPRING_APPLICATION_JSON";
    let Some(text) = env.get(NAME).filter(|text| !text.trim().is_empty()) else { return Vec::new() };
    let Ok(documents) = yaml::parse(text) else {
        faults.push(Fault::new(NAME, None, "it is not JSON", "a JSON object of keys and values"));
        return Vec::new();
    };
    let pairs = documents.into_iter().flatten();
    pairs.map(|(name, text, _)| Entry::new(name, text, Source::Inside(NAME.into()))).collect()
}

/// What the sources that win over the files say about which files to read.
fn wanted(later: &[Entry]) -> Wanted {
    let text = |name: &str| {
        let meant = |entry: &&Entry| match &entry.source {
            Source::Variable(variable) => keys::letters(variable) == keys::letters(name),
            _ => relaxed(&entry.name) == relaxed(name),
        };
        let entry = later.iter().rev().find(meant)?;
        // A location that needs a file to be known cannot be resolved yet; it is taken as it is.
        let text = Placeholders::new(later).resolve(entry).unwrap_or_else(|_| entry.text.clone());
        (!text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    Wanted {
        location: text(files::LOCATION),
        additional: text(files::ADDITIONAL_LOCATION),
        name: text(files::NAME),
        profiles: text(files::PROFILES),
    }
}
