//! Where things lie: all below cargo's target folder or this package.
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Cargo's target folder, found from the running test binary (`TARGET/PROFILE/deps/NAME`).
///
/// # Errors
/// When the binary does not lie in such a folder.
pub fn target() -> Result<PathBuf> {
    let binary = std::env::current_exe()?;
    Ok(binary.ancestors().nth(3).context("the test binary is not in a target folder")?.to_path_buf())
}

/// What `build-executors.sh` made.
pub fn executors() -> Result<PathBuf> {
    Ok(target()?.join("compat-executors"))
}

/// A fresh folder for what one run leaves behind; kept afterwards, because the logs in it explain a failure.
pub fn fresh_work() -> Result<PathBuf> {
    let work = target()?.join("compat-work");
    if work.exists() {
        std::fs::remove_dir_all(&work)?;
    }
    std::fs::create_dir_all(&work)?;
    Ok(work)
}

/// This package's folder.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The admin under test: `XXL_JOB_ADMIN_BIN`, else the debug build.
///
/// # Errors
/// When there is no such file.
pub fn admin_binary() -> Result<PathBuf> {
    let binary = match std::env::var_os("XXL_JOB_ADMIN_BIN") {
        Some(path) => PathBuf::from(path),
        None => target()?.join("debug/xxl-job-admin"),
    };
    binary.canonicalize().with_context(|| format!("no admin at {}: build it first", binary.display()))
}
