//! Environment variables: Spring's relaxed names, `XXL_ADMIN_…` for settings of our own, `NAME_FILE` for secrets in
//! files, and the variables that carry a start line.

use std::collections::BTreeMap;
use std::path::Path;

use super::arguments::Arguments;
use super::entry::Entry;
use super::error::{Fault, Source};
use super::keys;

/// Variables that the JVM or the start scripts read as JVM flags, earliest first.
const JVM_VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS"];

/// The environment, as handed in.
pub type Environment = BTreeMap<String, String>;

/// All variables as entries, also those that mean nothing: placeholders may name them. Files that a `NAME_FILE`
/// variable names come after them.
pub fn read(environment: &Environment, working_dir: &Path, faults: &mut Vec<Fault>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = environment.iter().map(|(name, text)| Entry::of_variable(name, text)).collect();
    for (variable, path) in environment {
        let plain = variable.strip_suffix("_FILE").filter(|_| keys::find_variable(variable).is_none());
        let Some((plain, found)) = plain.and_then(|plain| Some((plain, keys::find_variable(plain)?))) else { continue };
        if path.trim().is_empty() {
            continue;
        }
        if environment.contains_key(plain) {
            let wrong = format!("both {plain} and {variable} are set");
            faults.push(Fault::new(variable, None, wrong, "one of the two"));
        }
        let path = working_dir.join(path.trim());
        match std::fs::read_to_string(&path) {
            Ok(text) => entries.push(Entry {
                name: plain.to_owned(),
                text: text.trim_end_matches(['\r', '\n']).to_owned(),
                source: Source::VariableFile { variable: variable.clone(), path },
                found: Some(found),
                literal: true,
            }),
            Err(error) => {
                let wrong = format!("the file {} cannot be read: {error}", path.display());
                faults.push(Fault::new(variable, None, wrong, "a readable file that holds the value"));
            }
        }
    }
    entries
}

/// The start lines inside `PARAMS` and the variables with JVM flags; a key that only this program would refuse on its
/// own command line is no fault there, as Java took anything.
pub fn start_lines(environment: &Environment, faults: &mut Vec<Fault>) -> Vec<(String, Arguments)> {
    let params = std::iter::once(("PARAMS", Source::Inside("PARAMS".into())));
    let options = JVM_VARIABLES.into_iter().map(|name| (name, Source::JavaOptions(name.to_owned())));
    params
        .chain(options)
        .filter_map(|(name, source)| {
            let words: Vec<String> = environment.get(name)?.split_whitespace().map(str::to_owned).collect();
            let mut arguments = Arguments::split(&words, &source);
            faults.append(&mut arguments.faults);
            Some((name.to_owned(), arguments))
        })
        .collect()
}

/// Variables that look as if they were meant for us and are not known, each with the nearest known name.
pub fn unknown(entries: &[Entry], used: impl Fn(&str) -> bool) -> Vec<String> {
    const OURS: [&str; 4] = ["XXL_ADMIN_", "XXL_JOB_", "XXL_SSO_", "SPRING_"];
    // A token of the command line client, and what names files and profiles.
    const ELSEWHERE: [&str; 3] = ["XXL_ADMIN_TOKEN", "SPRING_APPLICATION_JSON", "SPRING_PROFILES_ACTIVE"];
    entries
        .iter()
        .filter(|entry| matches!(entry.source, Source::Variable(_)) && entry.found.is_none() && !used(&entry.name))
        .filter(|entry| OURS.iter().any(|prefix| entry.name.starts_with(prefix)))
        .filter(|entry| !ELSEWHERE.contains(&entry.name.as_str()) && !entry.name.starts_with("SPRING_CONFIG_"))
        .filter(|entry| !is_service_link(entry) && !names_a_file(&entry.name))
        .map(|entry| entry.name.clone())
        .collect()
}

fn names_a_file(variable: &str) -> bool {
    variable.strip_suffix("_FILE").is_some_and(|plain| keys::find_variable(plain).is_some())
}

/// Kubernetes gives each container variables about every service of its name space, such as
/// `XXL_JOB_ADMIN_SERVICE_HOST`, without being asked.
fn is_service_link(entry: &Entry) -> bool {
    let name = &entry.name;
    name.contains("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || name.contains("_TCP_")
        || ["tcp://", "udp://"].iter().any(|scheme| entry.text.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_secret_comes_from_a_file() {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(folder.path().join("secret"), "s3 ${x}\r\n").expect("file");
        let mut faults = Vec::new();
        let set = environment(&[("SPRING_DATASOURCE_PASSWORD_FILE", "secret"), ("SOME_FILE", "nowhere")]);
        let entries = read(&set, folder.path(), &mut faults);
        let last = entries.last().expect("an entry");
        assert_eq!((last.text.as_str(), last.literal), ("s3 ${x}", true));
        assert_eq!(last.found.as_ref().map(|found| found.key.name), Some("spring.datasource.password"));
        assert_eq!(faults, []);
    }

    #[test]
    fn a_missing_file_and_a_value_given_twice_are_faults() {
        let mut faults = Vec::new();
        let set = environment(&[("XXL_JOB_ACCESSTOKEN_FILE", "/nowhere/x"), ("XXL_JOB_ACCESSTOKEN", "y")]);
        read(&set, Path::new("/"), &mut faults);
        assert_eq!(faults.len(), 2);
        let set = environment(&[("XXL_ADMIN_AUDIT_FILE", "audit.json")]);
        faults.clear();
        read(&set, Path::new("/"), &mut faults);
        assert_eq!(faults, [], "audit.file is a key whose name ends in file");
    }

    #[test]
    fn variables_that_look_like_ours_are_told() {
        let set = environment(&[
            ("XXL_ADMIN_CONSOLE_DIALEKT", "3"),
            ("XXL_JOB_ACCESS", "x"),
            ("XXL_JOB_ADMIN_SERVICE_HOST", "10.0.0.1"),
            ("XXL_JOB_ADMIN_PORT", "tcp://10.0.0.1:8080"),
            ("XXL_ADMIN_TOKEN", "x"),
            ("SPRING_DATASOURCE_URL", "x"),
            ("HOME", "x"),
        ]);
        let entries = read(&set, Path::new("/"), &mut Vec::new());
        assert_eq!(unknown(&entries, |_| false), ["XXL_ADMIN_CONSOLE_DIALEKT", "XXL_JOB_ACCESS"]);
    }
}
