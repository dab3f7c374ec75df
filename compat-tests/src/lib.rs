//! Harness of the compatibility suite: it starts the built admin on a database of its own, real executors beside it
//! (Java 2.2.0 to 3.3.2, Go, Python) and real clients of the console (Python, Java), and drives the admin from outside,
//! as the scripts of an existing site do: over the console's paths and the executor protocol.
//!
//! The cases are in `tests/compat`. Settings, all from the environment:
//!
//! | name | meaning |
//! |---|---|
//! | `TEST_MYSQL_URL` | MySQL or MariaDB server to make databases on, e.g. `mysql://root@127.0.0.1:3306/`; needed |
//! | `XXL_JOB_ADMIN_BIN` | the admin under test; default: the debug build of this workspace |
//! | `JAVA_ADMIN_JAR` | a Java admin; then it runs beside ours on one database as well |
#![forbid(unsafe_code)]

pub mod admin;
pub mod client;
pub mod console;
pub mod database;
pub mod eventually;
pub mod exchange;
pub mod executor;
pub mod fires;
pub mod flow;
pub mod paths;
pub mod port;
pub mod process;
pub mod recording;
pub mod report;
pub mod sink;
pub mod stand_in;
