//! Which module may know which: the picture of docs/architecture.md, kept true.

use std::path::{Path, PathBuf};

/// Crates that only some places may name.
const CRATES: [(&str, &[&str]); 6] = [
    ("sqlx::", &["store"]),
    ("actix_web::", &["web", "app.rs"]),
    ("reqwest::", &["protocol"]),
    ("lettre::", &["alarm"]),
    ("tera::", &["web"]),
    ("SystemTime", &["clock.rs"]),
];

/// Modules of ours that a module may use; whoever is not named here may use all.
const MODULES: [(&str, &[&str]); 11] = [
    ("model", &["model"]),
    ("i18n", &["i18n"]),
    ("clock", &["clock", "model"]),
    ("cron", &["cron", "clock", "config", "model"]),
    ("config", &["config", "clock", "i18n", "model", "cli"]),
    ("protocol", &["protocol", "config", "model"]),
    ("store", &["store", "clock", "config", "model"]),
    ("schedule", &["schedule", "clock", "config", "cron", "health", "model", "store", "trigger"]),
    ("trigger", &["trigger", "clock", "config", "i18n", "model", "protocol", "store"]),
    ("complete", &["complete", "clock", "config", "i18n", "model", "protocol", "store", "trigger"]),
    ("monitor", &["monitor", "alarm", "clock", "complete", "config", "i18n", "model", "protocol", "store", "trigger"]),
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push(path);
        }
    }
}

/// The code without comments and without the test module at its end.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The first folder or file below `src` that a source belongs to.
fn room(path: &Path) -> String {
    let below = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("below src");
    below.components().next().expect("a name").as_os_str().to_string_lossy().into_owned()
}

#[test]
fn modules_and_crates_are_used_in_one_direction() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 50, "the sources are there");
    let mut faults = Vec::new();
    for path in files.iter().filter(|path| !path.ends_with("tests.rs")) {
        let (room, code) = (room(path), code(path));
        for (name, allowed) in CRATES {
            if code.contains(name) && !allowed.contains(&room.as_str()) {
                faults.push(format!("{} names {name}", path.display()));
            }
        }
        let module = room.trim_end_matches(".rs");
        let Some((_, allowed)) = MODULES.iter().find(|(name, _)| *name == module) else { continue };
        for (at, _) in code.match_indices("crate::") {
            let used = code[at + 7..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let is_module = used.chars().next().is_some_and(char::is_lowercase);
            if is_module && !allowed.contains(&used) {
                faults.push(format!("{} uses crate::{used}", path.display()));
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}
