//! From settings to an open database: waiting for it, and making the embedded one at the first start.

use std::path::{Path, PathBuf};
use std::time::Duration;

use secrecy::ExposeSecret as _;
use sha2::{Digest as _, Sha256};

use crate::config::Settings;
use crate::config::settings::DatabaseUrl;
use crate::store::{Error, Generation, InitOutcome, Result, Store};

/// Characters of passwords that we make: none that looks like another.
const ALPHABET: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// Length of passwords that we make.
const LENGTH: usize = 12;
/// File in `data.dir` that keeps the first password of the embedded database.
const PASSWORD_FILE: &str = "admin-password.txt";

/// The administrator's first password, for the one line that prints it.
pub struct FirstPassword {
    /// The password, when it was made here and now.
    pub password: Option<String>,
    /// The file that keeps it.
    pub file: PathBuf,
}

/// A warning about running jobs that a Java admin of 3.1.0 - 3.3.2 on the same tables would compute otherwise: those with
/// `L` or `LW` as the day of the month. None where there are no such jobs, or no such admin can be beside us.
///
/// # Errors
/// When the database does not answer.
pub async fn last_day_warning(store: &Store) -> Result<Option<String>> {
    if !matches!(store.schema().generation, Generation::G2_5 | Generation::G3_2) {
        return Ok(None);
    }
    let jobs: Vec<String> = store
        .running_crons_with_l()
        .await?
        .into_iter()
        .filter(|(_, cron)| cron.split_whitespace().nth(3).is_some_and(|day| day.to_uppercase().contains('L')))
        .map(|(id, _)| id.to_string())
        .collect();
    Ok((!jobs.is_empty()).then(|| {
        format!(
            "jobs {} use L as the day of the month: a Java admin of 3.1.0 - 3.3.2 beside this one computes it otherwise",
            jobs.join(", ")
        )
    }))
}

/// A new random password.
pub fn random_password() -> String {
    (0..LENGTH).map(|_| char::from(ALPHABET[rand::random_range(0..ALPHABET.len())])).collect()
}

/// The password as tables of generation 3.4 store it.
pub fn hash_for_new_tables(password: &str) -> String {
    hex::encode(Sha256::digest(password.as_bytes()))
}

/// Makes the embedded database if this is its first start.
///
/// # Errors
/// When it cannot be made.
pub async fn prepare_embedded(settings: &Settings) -> Result<Option<FirstPassword>> {
    let DatabaseUrl::Sqlite(path) = &settings.database.url else { return Ok(None) };
    if !settings.database.embedded {
        return Ok(None);
    }
    let file = settings.data_dir.join(PASSWORD_FILE);
    if path.exists() {
        let known = file.exists();
        return Ok(known.then_some(FirstPassword { password: None, file }));
    }
    let password = settings
        .init_admin_password
        .as_ref()
        .map_or_else(random_password, |password| password.expose_secret().to_owned());
    if let InitOutcome::Refused(tables) = Store::init(settings, &hash_for_new_tables(&password)).await? {
        return Err(Error::Schema(format!("the new database has the tables {} already", tables.join(", "))));
    }
    keep(&file, &password).map_err(|error| Error::Unavailable(format!("cannot write {}: {error}", file.display())))?;
    // One that somebody has set is known to him, and must not reach the terminal or a log.
    let made_here = settings.init_admin_password.is_none();
    Ok(Some(FirstPassword { password: made_here.then_some(password), file }))
}

/// Writes a file that only its owner may read.
fn keep(file: &Path, password: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(file)?, "{password}")
}

/// Opens the database, trying again while it is away, for as long as `startup-timeout` says.
///
/// # Errors
/// When it stays away, or its tables are not what we need.
pub async fn open_store(settings: &Settings) -> Result<Store> {
    let deadline = tokio::time::Instant::now() + settings.startup_timeout;
    let mut pause = Duration::from_millis(250);
    let mut attempt = 1;
    loop {
        let opened = match tokio::time::timeout_at(deadline, Store::open(settings)).await {
            Ok(opened) => opened,
            Err(_) => Err(Error::Unavailable(format!("no answer within {} s", settings.startup_timeout.as_secs_f32()))),
        };
        match opened {
            Err(error) if error.is_transient() && tokio::time::Instant::now() + pause < deadline => {
                tracing::warn!(attempt, "the database cannot be reached yet: {error}");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(5));
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_new_each_time_and_hashed_as_the_tables_demand() {
        assert_ne!(random_password(), random_password());
        assert_eq!(random_password().len(), LENGTH);
        assert_eq!(hash_for_new_tables("123456"), "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92");
    }
}
