//! Statements on `xxl_job_registry`.
//!
//! Rows are updated by their ids and inserted only where missing: that takes no gap locks, so beats and the sweep of
//! dead rows do not deadlock, and it needs no unique key, which the tables of 2.3 and 2.4 lack.

use std::collections::{BTreeMap, HashSet};

use super::Store;
use super::db::Row;
use super::error::Result;
use super::query::{Dialect, Query};
use crate::model::{EXECUTOR_GROUP, EpochMs, RegistryEntry};

/// Rows in one statement.
const CHUNK: usize = 200;

/// Group, key and value of a row.
type Triple = (String, String, String);

fn triple(entry: &RegistryEntry) -> Triple {
    (entry.group.clone(), entry.key.clone(), entry.value.clone())
}

impl Store {
    /// Writes beats, each with its own time or else `now`, and gives those whose rows were not there before.
    pub async fn beat(&self, beats: &[RegistryEntry], now: EpochMs) -> Result<Vec<RegistryEntry>> {
        if beats.is_empty() {
            return Ok(Vec::new());
        }
        // Of several beats of one node in a batch the last counts. All admins write in the same order, lest they deadlock.
        let mut wanted: BTreeMap<Triple, EpochMs> = BTreeMap::new();
        for beat in beats {
            wanted.insert(triple(beat), beat.update_time.unwrap_or(now));
        }
        let mut tx = self.main.begin().await?;
        let mut by_time: BTreeMap<EpochMs, Vec<i64>> = BTreeMap::new();
        let keys: HashSet<&String> = wanted.keys().map(|(_, key, _)| key).collect();
        let mut query = Query::varying(
            "SELECT id, registry_group, registry_key, registry_value FROM xxl_job_registry WHERE registry_key IN (",
        );
        for (number, key) in keys.into_iter().enumerate() {
            query = query.push(if number == 0 { "" } else { "," }).push_bind(key.as_str());
        }
        let mut known = HashSet::new();
        for row in tx.fetch_all(query.push(")")).await? {
            let stored = (row.text(1)?, row.text(2)?, row.text(3)?);
            if let Some(time) = wanted.get(&stored) {
                by_time.entry(*time).or_default().push(row.int(0)?);
                known.insert(stored);
            }
        }
        for (time, mut ids) in by_time {
            ids.sort_unstable();
            let query = Query::varying("UPDATE xxl_job_registry SET update_time = ")
                .push_bind(self.wall(time))
                .push(" WHERE id IN ")
                .push_numbers(ids);
            tx.execute(query).await?;
        }
        let fresh: Vec<RegistryEntry> = wanted
            .into_iter()
            .filter(|(triple, _)| !known.contains(triple))
            .map(|((group, key, value), time)| RegistryEntry { group, key, value, update_time: Some(time) })
            .collect();
        for chunk in fresh.chunks(CHUNK) {
            tx.execute(self.insert_entries(chunk)).await?;
        }
        tx.commit().await?;
        Ok(fresh)
    }

    fn insert_entries(&self, entries: &[RegistryEntry]) -> Query {
        let mut query = Query::varying(
            "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) VALUES ",
        );
        for (number, entry) in entries.iter().enumerate() {
            query = query
                .push(if number == 0 { "(" } else { ",(" })
                .push_bind(entry.group.as_str())
                .push(",")
                .push_bind(entry.key.as_str())
                .push(",")
                .push_bind(entry.value.as_str())
                .push(",")
                .push_bind(entry.update_time.map(|time| self.wall(time)))
                .push(")");
        }
        match (self.schema.registry_unique, self.dialect()) {
            (false, _) => query,
            // The collation may know a row as the same that we do not, or another node was quicker.
            (true, Dialect::MySql) => query.push(" ON DUPLICATE KEY UPDATE update_time = VALUES(update_time)"),
            (true, Dialect::Postgres | Dialect::Sqlite) => query.push(
                " ON CONFLICT (registry_group, registry_key, registry_value) \
                 DO UPDATE SET update_time = excluded.update_time",
            ),
        }
    }

    /// Removes a node's rows. Gives how many there were.
    pub async fn remove_entry(&self, group: &str, key: &str, value: &str) -> Result<u64> {
        let query = Query::new(
            "DELETE FROM xxl_job_registry WHERE registry_group = ? AND registry_key = ? AND registry_value = ?",
        )
        .bind(group)
        .bind(key)
        .bind(value);
        Ok(self.main.execute(query).await?.rows)
    }

    /// The rows of this group and key.
    pub async fn entries_of(&self, group: &str, key: &str) -> Result<Vec<RegistryEntry>> {
        let query = Query::new(
            "SELECT registry_group, registry_key, registry_value, update_time FROM xxl_job_registry \
             WHERE registry_group = ? AND registry_key = ?",
        )
        .bind(group)
        .bind(key);
        self.main.fetch_all(query).await?.iter().map(|row| self.entry(row)).collect()
    }

    /// Removes all rows of this group and key. Gives how many.
    pub async fn remove_entries_of(&self, group: &str, key: &str) -> Result<u64> {
        let query = Query::new("DELETE FROM xxl_job_registry WHERE registry_group = ? AND registry_key = ?")
            .bind(group)
            .bind(key);
        Ok(self.main.execute(query).await?.rows)
    }

    /// Removes the rows of this group whose values start so, but for one row's value. Gives how many.
    pub async fn remove_entries_starting(&self, group: &str, prefix: &str, but: Option<&str>) -> Result<u64> {
        let query = Query::new("SELECT id, registry_value FROM xxl_job_registry WHERE registry_group = ?").bind(group);
        let mut ids = Vec::new();
        for row in self.main.fetch_all(query).await? {
            let value = row.text(1)?;
            if value.starts_with(prefix) && but != Some(value.as_str()) {
                ids.push(row.int(0)?);
            }
        }
        ids.sort_unstable();
        let mut removed = 0;
        for chunk in ids.chunks(CHUNK) {
            let query = Query::varying("DELETE FROM xxl_job_registry WHERE id IN ").push_numbers(chunk.iter().copied());
            removed += self.main.execute(query).await?.rows;
        }
        Ok(removed)
    }

    /// Removes all rows whose last beat is older than the instant. Gives how many.
    pub async fn sweep_registry(&self, dead_before: EpochMs) -> Result<u64> {
        let query = Query::new("SELECT id FROM xxl_job_registry WHERE update_time < ? ORDER BY id")
            .bind(self.wall(dead_before));
        let ids = self.main.fetch_all(query).await?.iter().map(|row| row.int(0)).collect::<Result<Vec<_>>>()?;
        let mut removed = 0;
        for chunk in ids.chunks(CHUNK) {
            // Who has beaten since stays.
            let query = Query::varying("DELETE FROM xxl_job_registry WHERE id IN ")
                .push_numbers(chunk.iter().copied())
                .push(" AND update_time < ")
                .push_bind(self.wall(dead_before));
            removed += self.main.execute(query).await?.rows;
        }
        Ok(removed)
    }

    /// Entries of a registry group that have beaten after the instant.
    pub async fn live_entries(&self, group: &str, after: EpochMs) -> Result<Vec<RegistryEntry>> {
        let query = Query::new(
            "SELECT registry_group, registry_key, registry_value, update_time FROM xxl_job_registry \
             WHERE registry_group = ? AND update_time > ?",
        )
        .bind(group)
        .bind(self.wall(after));
        self.main.fetch_all(query).await?.iter().map(|row| self.entry(row)).collect()
    }

    fn entry(&self, row: &Row) -> Result<RegistryEntry> {
        Ok(RegistryEntry {
            group: row.text(0)?,
            key: row.text(1)?,
            value: row.text(2)?,
            update_time: self.time(row, 3)?,
        })
    }

    /// Addresses of executors of one app that have beaten after the instant, as stored, in no order.
    pub async fn live_addresses(&self, app_name: &str, after: EpochMs) -> Result<Vec<String>> {
        let query = Query::new(
            "SELECT registry_group, registry_key, registry_value FROM xxl_job_registry \
             WHERE registry_group = ? AND registry_key = ? AND update_time > ?",
        )
        .bind(EXECUTOR_GROUP)
        .bind(app_name)
        .bind(self.wall(after));
        let mut addresses = Vec::new();
        for row in self.main.fetch_all(query).await? {
            // The columns' collation may ignore case, the match of groups and app names does not.
            if row.text(0)? == EXECUTOR_GROUP && row.text(1)? == app_name {
                addresses.push(row.text(2)?);
            }
        }
        Ok(addresses)
    }
}
