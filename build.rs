//! Lists the files that a release binary carries: `static/`, `templates/` and the texts of the console. A debug build
//! reads the folders while it runs and lists nothing.
//!
//! The third-party scripts in `static/vendor/` are made by `make assets`. Without them the program works, but the editor
//! of scripts is a plain text field; `REQUIRE_ASSETS=1`, which every release of ours is built with, makes that an error.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const FOLDERS: [(&str, &str); 3] = [("STATIC", "static"), ("TEMPLATES", "templates"), ("TEXTS", "locales/console")];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo names the package's folder")?);
    println!("cargo::rerun-if-env-changed=REQUIRE_ASSETS");
    println!("cargo::rerun-if-changed=static/vendor/manifest.json");
    let is_required = env::var("REQUIRE_ASSETS").is_ok_and(|value| value == "1");
    let has_vendor = root.join("static/vendor/manifest.json").is_file();
    if is_required && !has_vendor {
        return Err("static/vendor is missing: run `make assets` first".into());
    }
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile != "debug");
    if is_release && !has_vendor {
        println!(
            "cargo::warning=static/vendor is missing: scripts will be edited in a plain text field (`make assets`)"
        );
    }
    let mut list = String::new();
    for (name, folder) in FOLDERS {
        let mut files = Vec::new();
        if is_release {
            println!("cargo::rerun-if-changed={folder}");
            collect(&root.join(folder), &mut files);
            files.sort();
        }
        writeln!(list, "pub(super) static {name}: &[(&str, &[u8])] = &[")?;
        for path in files {
            let short = path.strip_prefix(root.join(folder))?.to_str().ok_or("a name in ASCII")?.replace('\\', "/");
            let whole = path.to_str().ok_or("a path in UTF-8")?;
            writeln!(list, "    ({short:?}, include_bytes!({whole:?})),")?;
        }
        list += "];\n";
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo names a folder for output")?);
    fs::write(out.join("carried.rs"), list)?;
    Ok(())
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into);
        } else if !entry.file_name().to_string_lossy().starts_with('.') {
            into.push(path);
        }
    }
}
