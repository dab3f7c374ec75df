//! The start line of a Java admin, told apart: `--key=value`, JVM flags, and what is left for the commands of our own.

use super::entry::Entry;
use super::error::{Fault, Source};
use super::keys;

/// Flags of our own that take a value and count for every command.
const NATIVE: [&str; 3] = ["config", "drain-timeout", "startup-timeout"];

/// JVM flags of two dashes; Java takes their value with `=` or as the next word.
const JVM_LONG: [&str; 8] = [
    "add-opens",
    "add-exports",
    "add-modules",
    "add-reads",
    "enable-native-access",
    "illegal-access",
    "enable-preview",
    "sun-misc-unsafe-memory-access",
];

/// A start line, told apart.
#[derive(Debug, Default)]
pub struct Arguments {
    /// `--config FILE`.
    pub config: Option<String>,
    /// `--key=value` and `-Dkey=value`.
    pub entries: Vec<Entry>,
    /// JVM flags, without what follows a `=`.
    pub jvm_flags: Vec<String>,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What is left for the commands of our own, the native flags included.
    pub rest: Vec<String>,
}

impl Arguments {
    /// Tells the words of a start line apart; the name of the program is not among them.
    pub fn split(words: &[String], source: &Source) -> Self {
        let mut split = Self::default();
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            if word == "--" {
                split.rest.push(word.to_owned());
                split.rest.extend(words.by_ref().map(str::to_owned));
            } else if let Some(long) = word.strip_prefix("--") {
                split.long(word, long, &mut words, source);
            } else if !split.jvm_flag(word, &mut words, source) {
                split.rest.push(word.to_owned());
            }
        }
        split
    }

    fn long<'a>(
        &mut self,
        word: &str,
        long: &str,
        words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
        source: &Source,
    ) {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        if JVM_LONG.contains(&name) {
            if value.is_none() && name != "enable-preview" {
                words.next_if(|next| !next.starts_with('-'));
            }
            self.jvm_flags.push(format!("--{name}"));
        } else if NATIVE.contains(&name) {
            self.rest.push(word.to_owned());
            let value = value.map(str::to_owned).or_else(|| {
                let next = words.next()?.to_owned();
                self.rest.push(next.clone());
                Some(next)
            });
            match value {
                Some(value) if name == "config" => self.config = Some(value),
                Some(value) => self.entries.push(Entry::new(name, value, source.clone())),
                None => {}
            }
        } else if let Some(value) = value.filter(|_| name.contains('.') || keys::find(name).is_some()) {
            self.entries.push(Entry::new(name, value, source.clone()));
        } else if name == "debug" || name == "trace" {
            self.jvm_flags.push(word.to_owned());
        } else if value.is_none() && name.contains('.') {
            let right = format!("--{name}=VALUE, without blanks around the equals sign");
            self.faults.push(Fault::new(word, Some(source.clone()), "the value is missing", right));
        } else {
            self.rest.push(word.to_owned());
        }
    }

    /// Takes a word that only a JVM understands; says whether it was one.
    fn jvm_flag<'a>(
        &mut self,
        word: &str,
        words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
        source: &Source,
    ) -> bool {
        if let Some((name, value)) = word.strip_prefix("-D").and_then(|pair| pair.split_once('=')) {
            let source = if *source == Source::CommandLine { &Source::SystemProperty } else { source };
            let entry = Entry::new(name, value, source.clone());
            if entry.found.is_none() && !keys::is_of_java(name) {
                self.jvm_flags.push(format!("-D{name}"));
            }
            self.entries.push(entry);
            return true;
        }
        if matches!(word, "-jar" | "-cp" | "-classpath" | "-p" | "-module-path") {
            words.next();
            self.jvm_flags.push(word.to_owned());
            return true;
        }
        let jvm = [
            "-X",
            "-D",
            "-javaagent",
            "-agentlib",
            "-agentpath",
            "-verbose",
            "-ea",
            "-esa",
            "-da",
            "-enableassertions",
        ];
        let is_jar = std::path::Path::new(word).extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"));
        let is_flag = jvm.iter().any(|flag| word.starts_with(flag)) || matches!(word, "-server" | "-client") || is_jar;
        if is_flag {
            self.jvm_flags.push(word.split('=').next().unwrap_or(word).to_owned());
        }
        is_flag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Arguments {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::split(&words, &Source::CommandLine)
    }

    fn names(split: &Arguments) -> Vec<(&str, &str)> {
        split.entries.iter().map(|entry| (entry.name.as_str(), entry.text.as_str())).collect()
    }

    #[test]
    fn a_java_start_line_leaves_nothing_for_our_commands() {
        let split = split(
            "-server -Xms1g -Xmx1g -XX:+UseG1GC -Dfile.encoding=UTF-8 -Duser.timezone=PRC -javaagent:/a.jar=token=x \
             --add-opens java.base/java.lang=ALL-UNNAMED -jar xxl-job-admin.jar --server.port=8081 --spring.x.y=z",
        );
        assert_eq!(split.rest, [""; 0]);
        assert_eq!(
            names(&split),
            [("file.encoding", "UTF-8"), ("user.timezone", "PRC"), ("server.port", "8081"), ("spring.x.y", "z")]
        );
        assert_eq!(
            split.jvm_flags,
            [
                "-server",
                "-Xms1g",
                "-Xmx1g",
                "-XX:+UseG1GC",
                "-Dfile.encoding",
                "-javaagent:/a.jar",
                "--add-opens",
                "-jar"
            ]
        );
        assert_eq!(split.entries[1].source, Source::SystemProperty);
    }

    #[test]
    fn our_own_commands_and_flags_are_left_over() {
        let split = split(
            "init-db --admin-password=p --config a.toml --drain-timeout=5s --with-indexes next --zone PRC --from -5",
        );
        assert_eq!(split.config.as_deref(), Some("a.toml"));
        assert_eq!(names(&split), [("drain-timeout", "5s")]);
        assert_eq!(
            split.rest.join(" "),
            "init-db --admin-password=p --config a.toml --drain-timeout=5s --with-indexes next --zone PRC --from -5"
        );
    }

    #[test]
    fn a_key_without_a_value_is_a_fault_and_after_two_dashes_all_is_text() {
        assert_eq!(split("--server.port 8081").faults.len(), 1);
        assert_eq!(split("next -- --server.port=1").entries.len(), 0);
        assert_eq!(split("old-xxl-job-admin.jar").rest.len(), 0);
    }
}
