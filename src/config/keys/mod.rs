//! The one table of all keys: name → our path → parser → explanation. Sources look names up here, the documentation and
//! `--help` are printed from here, and a key that is not here is unknown.
//!
//! Names are compared as Spring does it, with case, dashes and underscores removed; environment variables with the
//! dots removed as well.

mod java;
mod own;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::draft::Draft;
use super::value::Parsed;

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// The name that the documentation uses: Java's where there is one.
    pub name: &'static str,
    /// Java's other names.
    pub aliases: &'static [&'static str],
    /// Short name in `xxl-job-admin.toml`; Java's name is understood there as well.
    pub path: &'static str,
    /// Whether it is a setting of our own, which the environment has as `XXL_ADMIN_…`.
    pub own: bool,
    /// What can be written.
    pub values: &'static str,
    /// What holds where nothing is set and the built-in file gives no default.
    pub unset: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// How its value is shown.
    pub shown: Shown,
    /// Whether an empty text is a value; elsewhere it means "not set".
    pub empty_counts: bool,
    /// Parses a text into the draft of the settings.
    pub set: Set,
}

/// How a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// As it is.
    Plain,
    /// Not at all.
    Secret,
    /// As a URL without passwords.
    Url,
}

/// Parses a text into the draft.
#[derive(Debug)]
pub enum Set {
    /// A setting.
    One(fn(&mut Draft, &str) -> Parsed<()>),
    /// A family `name.*`; the first text is what stands for the star.
    Named(fn(&mut Draft, &str, &str) -> Parsed<()>),
}

impl Key {
    const fn java(
        name: &'static str,
        path: &'static str,
        values: &'static str,
        meaning: &'static str,
        set: Set,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            path,
            own: false,
            values,
            unset: "",
            meaning,
            shown: Shown::Plain,
            empty_counts: false,
            set,
        }
    }

    const fn own(name: &'static str, values: &'static str, meaning: &'static str, set: Set) -> Self {
        Self { own: true, ..Self::java(name, name, values, meaning, set) }
    }

    const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    const fn unset(self, unset: &'static str) -> Self {
        Self { unset, ..self }
    }

    const fn secret(self) -> Self {
        Self { shown: Shown::Secret, ..self }
    }

    /// Name without the `.*` of a family.
    pub fn stem(&self) -> &'static str {
        self.name.trim_end_matches(".*")
    }

    /// Every name under which files and the command line may have it, stems for families.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name, self.path].into_iter().chain(self.aliases.iter().copied()).map(|name| name.trim_end_matches(".*"))
    }

    const fn is_family(&self) -> bool {
        matches!(self.set, Set::Named(_))
    }
}

/// All keys, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Key> {
    java::KEYS.iter().chain(own::KEYS)
}

/// A key that was found, with what stands for the star of a family.
#[derive(Debug, Clone)]
pub struct Match {
    /// The key.
    pub key: &'static Key,
    /// Rest of the name in a family.
    pub rest: Option<String>,
}

/// The name with case, dashes and underscores removed.
pub fn relaxed(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// The name with everything but letters and digits removed.
pub fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

static BY_NAME: LazyLock<HashMap<String, &'static Key>> =
    LazyLock::new(|| all().flat_map(|key| key.names().map(move |name| (relaxed(name), key))).collect());

/// Java's names by letters; those of families are left out.
static BY_LETTERS: LazyLock<HashMap<String, &'static Key>> = LazyLock::new(|| {
    let plain = all().filter(|key| !key.is_family());
    plain
        .flat_map(|key| {
            let java = (!key.own).then_some(key.name).into_iter().chain(key.aliases.iter().copied());
            let own = key.names().map(|name| format!("xxladmin{}", letters(name)));
            java.map(letters).chain(own).map(move |name| (name, key)).collect::<Vec<_>>()
        })
        .collect()
});

/// Finds a key under any of its names, as files and the command line have them.
pub fn find(name: &str) -> Option<Match> {
    if let Some(key) = BY_NAME.get(&relaxed(name)).filter(|key| !key.is_family()) {
        return Some(Match { key, rest: None });
    }
    // A family: the first dot at which the front is its stem.
    name.match_indices('.').find_map(|(dot, _)| {
        let key = BY_NAME.get(&relaxed(&name[..dot])).filter(|key| key.is_family())?;
        let rest = name[dot + 1..].trim_matches(['[', ']', '"']);
        (!rest.is_empty()).then(|| Match { key, rest: Some(rest.to_owned()) })
    })
}

/// Finds the key that an environment variable means.
pub fn find_variable(variable: &str) -> Option<Match> {
    if let Some(key) = BY_LETTERS.get(&letters(variable)) {
        return Some(Match { key, rest: None });
    }
    let rest = variable.strip_prefix("LOGGING_LEVEL_").filter(|rest| !rest.is_empty())?;
    find(&format!("logging.level.{}", rest.to_lowercase().replace('_', ".")))
}

/// The name closest to one that is unknown, and how many letters they differ in. A name without a dot may be the last
/// part of one.
pub fn nearest(name: &str) -> (&'static str, usize) {
    let wanted = letters(name);
    let distance = |known: &str| strsim::damerau_levenshtein(&wanted, &letters(known));
    let last_part = |known: &'static str| known.rsplit('.').next().filter(|_| !name.contains('.'));
    all()
        .flat_map(Key::names)
        .map(|known| (known, last_part(known).map_or(usize::MAX, distance).min(distance(known))))
        .min_by_key(|(_, distance)| *distance)
        .unwrap_or(("server.port", usize::MAX))
}

/// Whether a Java admin's configuration may have keys of this name: they are ignored here, and named.
pub fn is_of_java(name: &str) -> bool {
    const FAMILIES: [&str; 11] =
        ["spring", "server", "management", "mybatis", "logging", "xxlsso", "info", "debug", "trace", "java", "xxl"];
    let name = relaxed(name);
    FAMILIES.iter().any(|family| name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// The keys as a table of the documentation; `default` gives the built-in default of a key.
pub fn markdown(own: bool, default: impl Fn(&Key) -> Option<String>) -> String {
    let mut table = String::from(if own {
        "| name | default | values | effect |\n|---|---|---|---|\n"
    } else {
        "| key (Java name) | in the TOML file | default | values | meaning |\n|---|---|---|---|---|\n"
    });
    for key in all().filter(|key| key.own == own) {
        let names: Vec<String> =
            std::iter::once(&key.name).chain(key.aliases).map(|name| format!("`{name}`")).collect();
        let default = default(key).map_or_else(|| key.unset.to_owned(), |text| format!("`{text}`"));
        let path = if own { String::new() } else { format!("`{}` | ", key.path) };
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {} | {path}{default} | {} | {} |", names.join(", "), key.values, key.meaning);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_keys_share_a_name() {
        let mut seen = HashMap::new();
        for key in all() {
            let mut names: Vec<String> = key.names().map(relaxed).collect();
            names.sort();
            names.dedup();
            for name in names {
                assert_eq!(seen.insert(name.clone(), key.name), None, "{name}");
            }
        }
    }

    #[test]
    fn names_are_compared_as_spring_does() {
        for name in ["xxl.job.accessToken", "xxl.job.access-token", "XXL.JOB.ACCESS_TOKEN", "job.access-token"] {
            assert_eq!(find(name).map(|found| found.key.name), Some("xxl.job.accessToken"), "{name}");
        }
        assert!(find("xxljob.accesstoken").is_none());
        let family = find("logging.level.com.xxl.job").expect("a family");
        assert_eq!((family.key.name, family.rest.as_deref()), ("logging.level.*", Some("com.xxl.job")));
        assert!(find("logging.level").is_none());
    }

    #[test]
    fn variables_of_our_own_have_a_prefix() {
        for (variable, name) in [
            ("SERVER_PORT", Some("server.port")),
            ("SPRING_DATASOURCE_HIKARI_MAXIMUMPOOLSIZE", Some("spring.datasource.hikari.maximum-pool-size")),
            ("SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE", Some("spring.datasource.hikari.maximum-pool-size")),
            ("spring.datasource.url", Some("spring.datasource.url")),
            ("XXL_JOB_TRIGGERPOOL_FAST_MAX", Some("xxl.job.triggerpool.fast.max")),
            ("XXL_ADMIN_CONSOLE_DIALECT", Some("console.dialect")),
            ("XXL_ADMIN_DRAIN_TIMEOUT", Some("drain-timeout")),
            ("XXL_ADMIN_DATABASE_URL", Some("spring.datasource.url")),
            ("TZ", Some("TZ")),
            ("LOG_HOME", Some("LOG_HOME")),
            ("LOGGING_LEVEL_COM_XXL_JOB", Some("logging.level.*")),
            ("CONSOLE_DIALECT", None),
            ("DATABASE_URL", None),
            ("DRAIN_TIMEOUT", None),
            ("HOME", None),
        ] {
            assert_eq!(find_variable(variable).map(|found| found.key.name), name, "{variable}");
        }
    }

    #[test]
    fn a_slip_is_recognised() {
        assert_eq!(nearest("server.prot"), ("server.port", 1));
        assert_eq!(nearest("prot"), ("server.port", 1));
        assert_eq!(nearest("xxl.job.acessToken").0, "xxl.job.accessToken");
        assert!(is_of_java("spring.freemarker.suffix") && is_of_java("debug") && !is_of_java("springer.x"));
    }
}
