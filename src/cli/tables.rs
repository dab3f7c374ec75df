//! The commands that work on the database and end: `init-db`, `add-indexes`, `drop-indexes`, `password`, `check`.

use std::io::{BufRead, Write};

use secrecy::ExposeSecret as _;

use super::check::{DatabaseFacts, render};
use super::{InitDb, Password};
use crate::clock::{Clock as _, SystemClock};
use crate::config::settings::DatabaseUrl;
use crate::config::{Loaded, Profile, Release, Settings};
use crate::startup::{hash_for_new_tables, last_day_warning, open_store, random_password};
use crate::store::{Error, InitOutcome, Store};
use crate::web::auth::password;

/// Makes the eight tables; gives the exit status.
pub async fn init_db(settings: &Settings, options: &InitDb, out: &mut impl Write, err: &mut impl Write) -> u8 {
    let given = options.admin_password.as_ref().or(settings.init_admin_password.as_ref());
    let admin_password = given.map_or_else(random_password, |given| given.expose_secret().to_owned());
    let hash = hash_for_new_tables(&admin_password);
    let outcome = if options.with_indexes {
        Store::init_with_indexes(settings, &hash).await
    } else {
        Store::init(settings, &hash).await
    };
    match outcome {
        Ok(InitOutcome::Created) => {
            let _ = writeln!(out, "The eight tables and their first rows have been made.");
            if options.with_indexes {
                let _ = writeln!(out, "The additional indexes have been made.");
            }
            if given.is_none() {
                let _ = writeln!(out, "Login: admin / {admin_password}");
            }
            0
        }
        Ok(InitOutcome::Refused(tables)) => {
            let _ = writeln!(
                err,
                "Nothing was done: the database has the tables {} already; init-db takes an empty database.",
                tables.join(", ")
            );
            1
        }
        Err(error) => failed(err, &error),
    }
}

/// Makes the additional indexes that are missing; gives the exit status.
pub async fn add_indexes(settings: &Settings, out: &mut impl Write, err: &mut impl Write) -> u8 {
    if let DatabaseUrl::Sqlite(_) = &settings.database.url {
        let _ = writeln!(out, "SQLite lets nobody else write until the indexes are made.");
    }
    let _ = writeln!(out, "Making the additional indexes; with millions of log rows this takes minutes.");
    match Store::add_indexes(settings).await {
        Ok(made) if made.is_empty() => {
            let _ = writeln!(out, "Nothing to do: all additional indexes are there.");
            0
        }
        Ok(made) => {
            let _ = writeln!(out, "Made: {}. Admins use them from their next start on.", made.join(", "));
            0
        }
        Err(error) => failed(err, &error),
    }
}

/// Removes the additional indexes; gives the exit status.
pub async fn drop_indexes(settings: &Settings, out: &mut impl Write, err: &mut impl Write) -> u8 {
    match Store::drop_indexes(settings).await {
        Ok(gone) if gone.is_empty() => {
            let _ = writeln!(out, "Nothing to do: none of the additional indexes is there.");
            0
        }
        Ok(gone) => {
            let _ = writeln!(out, "Removed: {}.", gone.join(", "));
            0
        }
        Err(error) => failed(err, &error),
    }
}

/// Sets the password of a user; gives the exit status.
pub async fn set_password(
    settings: &Settings,
    options: &Password,
    mut stdin: impl BufRead,
    out: &mut impl Write,
    err: &mut impl Write,
) -> u8 {
    let mut new_password = String::new();
    if options.stdin {
        if let Err(error) = stdin.read_line(&mut new_password) {
            return failed(err, &error);
        }
        new_password = new_password.trim().to_owned();
        if !(4..=20).contains(&new_password.encode_utf16().count()) {
            let _ = writeln!(err, "The password must have 4 to 20 characters.");
            return 2;
        }
    } else {
        new_password = random_password();
    }
    let store = match open_store(settings).await {
        Ok(store) => store,
        Err(error) => return failed(err, &error),
    };
    let user = match store.find_user_by_name(&options.user).await {
        Ok(Some(user)) => user,
        Ok(None) => {
            let _ = writeln!(err, "There is no user {}.", options.user);
            return 1;
        }
        Err(error) => return failed(err, &error),
    };
    let hash = password::hash(store.schema().password_hash, &new_password);
    // Logins hold a keyed hash of the stored password, so a new one ends them.
    if let Err(error) = store.save_password(user.id, &hash).await {
        return failed(err, &error);
    }
    store.close().await;
    let _ = writeln!(out, "The password of {} has been set and the user's logins have ended.", user.username);
    if !options.stdin {
        let _ = writeln!(out, "Login: {} / {new_password}", user.username);
    }
    0
}

/// Reads, validates, connects, reports, changes nothing; gives the exit status.
pub async fn check(loaded: &Loaded, out: &mut impl Write) -> u8 {
    let settings = &loaded.settings;
    if let DatabaseUrl::Sqlite(path) = &settings.database.url
        && !path.exists()
    {
        let _ = write!(out, "{}", render(loaded, None));
        if settings.database.embedded {
            let _ = writeln!(out, "The embedded database is made at the first start.");
            return 0;
        }
        let _ = writeln!(out, "There is no file {}; make the database with: xxl-job-admin init-db", path.display());
        return 2;
    }
    match Store::open(settings).await {
        Ok(store) => {
            let facts = facts(&store, settings).await;
            store.close().await;
            let _ = write!(out, "{}", render(loaded, Some(&facts)));
            u8::from(!facts.problems.is_empty()) * 2
        }
        Err(Error::Schema(problem)) => {
            let facts = DatabaseFacts {
                product: "reached".to_owned(),
                generation: "none that is served".to_owned(),
                profile: Profile::resolve(settings, Release::V3_4),
                problems: vec![problem],
                advice: Vec::new(),
            };
            let _ = write!(out, "{}", render(loaded, Some(&facts)));
            2
        }
        Err(error) => {
            let _ = write!(out, "{}", render(loaded, None));
            let _ = writeln!(out, "{error}");
            2
        }
    }
}

async fn facts(store: &Store, settings: &Settings) -> DatabaseFacts {
    let schema = store.schema();
    let profile = Profile::resolve(settings, schema.generation.release());
    let mut advice = Vec::new();
    match store.lock_row_present().await {
        Ok(true) => {}
        Ok(false) => advice.push("the row schedule_lock of xxl_job_lock is missing; a start puts it back".to_owned()),
        Err(error) => advice.push(error.to_string()),
    }
    match last_day_warning(store).await {
        Ok(warning) => advice.extend(warning),
        Err(error) => advice.push(error.to_string()),
    }
    let dead_before = SystemClock.now_ms() - 15_000;
    if let Ok(nodes) = store.live_entries(crate::model::NODE_GROUP, dead_before).await
        && !nodes.is_empty()
    {
        let nodes: Vec<String> = nodes.into_iter().map(|node| node.value).collect();
        advice.push(format!("admins of ours that run on this database: {}", nodes.join(", ")));
    }
    DatabaseFacts {
        product: store.dialect().name().to_owned(),
        generation: schema.generation.releases().to_owned(),
        profile,
        problems: Vec::new(),
        advice,
    }
}

fn failed(err: &mut impl Write, error: &dyn std::fmt::Display) -> u8 {
    let _ = writeln!(err, "{error}");
    1
}
