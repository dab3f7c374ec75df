//! Executors that register, beat, leave and die, and the address lists that follow from it.
//!
//! Ports `JobRegistryHelper`. Better on purpose: the answer comes after the write; a node that is new or leaves changes
//! its group's list at once and not with the next round; dead rows go even when no group registers automatically; only
//! the list and its time are written, and only while the group still registers automatically; one bad group does not
//! hold up the others.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::model::{AddressType, EXECUTOR_GROUP, JobGroup, RegistryEntry};
use crate::store::{GroupCommit, Result, Store, TEXT_BYTES, group_commit};

/// Silence after which a node counts as dead (three missed beats).
pub const DEAD_AFTER: Duration = Duration::from_secs(90);

/// A beat so far ahead of our clock was written by an admin with another column zone or a wrong clock.
const FUTURE_MS: i64 = 300_000;

/// Beats that may wait before senders wait in turn.
const QUEUE: usize = 10_000;
/// Beats written at once.
const BATCH: usize = 500;

/// Where registrations are handed in. Cheap to clone.
#[derive(Clone)]
pub struct Registry {
    beats: GroupCommit<RegistryEntry, ()>,
    lists: Lists,
}

/// The address lists of the groups.
#[derive(Clone)]
struct Lists {
    store: Store,
    clock: SharedClock,
}

impl Registry {
    /// The registry of a node and the writer that must run for it.
    pub fn new(store: Store, clock: SharedClock) -> (Self, BoxFuture<'static, ()>) {
        let lists = Lists { store, clock };
        let writer = lists.clone();
        let (beats, mut task) = group_commit(QUEUE, BATCH, move |beats: Vec<RegistryEntry>| {
            let lists = writer.clone();
            Box::pin(async move {
                let count = beats.len();
                lists.write(beats).await?;
                Ok(vec![(); count])
            })
        });
        (Self { beats, lists }, Box::pin(async move { task.run().await }))
    }

    /// Takes a beat. Returns when it is written and, for a new node, its group's list as well.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn register(&self, entry: RegistryEntry) -> Result<()> {
        self.beats.submit(entry).await
    }

    /// Removes a node and takes it from its group's list.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn remove(&self, group: &str, key: &str, value: &str) -> Result<()> {
        if self.lists.store.remove_entry(group, key, value).await? > 0 && group == EXECUTOR_GROUP {
            self.lists.refresh_app(key).await?;
        }
        Ok(())
    }

    /// The address list that the executors of an app make now; none when nobody is registered.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn address_list(&self, app_name: &str) -> Result<Option<String>> {
        let addresses = self.lists.store.live_addresses(app_name, self.lists.dead_before()).await?;
        Ok(address_list(addresses, self.lists.limit()))
    }

    /// Gives a group that has just been made the executors that registered before it. Where there are none its list stays
    /// as it was saved, until the sweep, as in Java.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn fill(&self, app_name: &str) -> Result<()> {
        match self.address_list(app_name).await? {
            Some(_) => self.lists.refresh_app(app_name).await,
            None => Ok(()),
        }
    }

    /// Removes dead nodes and brings every automatic group's list up to date.
    ///
    /// # Errors
    /// When the database does not answer; a group whose list is refused is logged and passed over.
    pub async fn sweep(&self) -> Result<()> {
        self.lists.sweep().await
    }

    /// Sweeps at once and then in this rhythm until the token is cancelled.
    pub async fn run_sweep(&self, rhythm: Duration, token: &CancellationToken) {
        loop {
            if let Err(error) = self.sweep().await {
                tracing::warn!("the registry could not be swept and is tried again: {error}");
            }
            // A little later each time, so that the nodes of a cluster do not all come at the same second.
            let jitter = rand::random_range(0..=rhythm.as_millis() as i64 / 20);
            let wake = self.lists.clock.now_ms() + rhythm.as_millis() as i64 + jitter;
            if token.run_until_cancelled(self.lists.clock.sleep_until(wake)).await.is_none() {
                return;
            }
        }
    }
}

impl Lists {
    fn dead_before(&self) -> i64 {
        self.clock.now_ms() - DEAD_AFTER.as_millis() as i64
    }

    /// Most characters in an address list.
    fn limit(&self) -> usize {
        self.store.schema().limits.address_list.unwrap_or(TEXT_BYTES)
    }

    async fn write(&self, beats: Vec<RegistryEntry>) -> Result<()> {
        let fresh = self.store.beat(&beats, self.clock.now_ms()).await?;
        let apps: BTreeSet<&str> =
            fresh.iter().filter(|entry| entry.group == EXECUTOR_GROUP).map(|entry| entry.key.as_str()).collect();
        for app in apps {
            tracing::info!(app, "executors have registered anew");
            // The beat is written; a list that is not refreshed now is so with the next sweep.
            if let Err(error) = self.refresh_app(app).await {
                tracing::warn!(app, "the address list could not be refreshed at once: {error}");
            }
        }
        Ok(())
    }

    async fn refresh_app(&self, app_name: &str) -> Result<()> {
        let groups: Vec<JobGroup> = self
            .store
            .all_groups()
            .await?
            .into_iter()
            .filter(|group| group.address_type() == AddressType::Automatic && group.app_name == app_name)
            .collect();
        if groups.is_empty() {
            return Ok(());
        }
        let addresses = self.store.live_addresses(app_name, self.dead_before()).await?;
        for group in groups {
            self.refresh(&group, addresses.clone()).await?;
        }
        Ok(())
    }

    async fn sweep(&self) -> Result<()> {
        let now = self.clock.now_ms();
        let removed = self.store.sweep_registry(self.dead_before()).await?;
        if removed > 0 {
            tracing::info!(removed, "registrations have ended");
        }
        let groups = self.store.all_groups().await?;
        let mut by_app: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut from_the_future = 0;
        for entry in self.store.live_entries(EXECUTOR_GROUP, self.dead_before()).await? {
            from_the_future += usize::from(entry.update_time.is_some_and(|at| at > now + FUTURE_MS));
            by_app.entry(entry.key).or_default().push(entry.value);
        }
        if from_the_future > 0 {
            tracing::error!(
                registrations = from_the_future,
                "another admin writes times that lie ahead of ours: serverTimezone in the database URL, or a clock, differs \
                 between the admins of this database; each then takes the other's executors for dead or for alive too long"
            );
        }
        for group in groups.iter().filter(|group| group.address_type() == AddressType::Automatic) {
            let addresses = by_app.get(&group.app_name).cloned().unwrap_or_default();
            if let Err(error) = self.refresh(group, addresses).await {
                if error.is_transient() {
                    return Err(error);
                }
                tracing::error!(group.id = group.id, "the address list of a group was refused: {error}");
            }
        }
        Ok(())
    }

    async fn refresh(&self, group: &JobGroup, addresses: Vec<String>) -> Result<()> {
        let list = address_list(addresses, self.limit());
        if list == group.address_list {
            return Ok(());
        }
        self.store.save_addresses(group.id, list.as_deref(), self.clock.now_ms()).await.map(drop)
    }
}

/// The list as Java makes it: without doubles, in the order of UTF-16 units, joined by commas. It is cut between two
/// addresses when the column cannot hold it.
fn address_list(mut addresses: Vec<String>, limit: usize) -> Option<String> {
    addresses.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
    addresses.dedup();
    let count = addresses.len();
    let mut list = String::new();
    for (number, address) in addresses.iter().enumerate() {
        let room = limit.saturating_sub(list.len() + usize::from(number > 0));
        if address.len() > room {
            tracing::warn!(kept = number, of = count, "an address list is too long for its column and was cut");
            break;
        }
        if number > 0 {
            list.push(',');
        }
        list.push_str(address);
    }
    (!list.is_empty()).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(addresses: &[&str], limit: usize) -> Option<String> {
        address_list(addresses.iter().map(ToString::to_string).collect(), limit)
    }

    #[test]
    fn lists_are_sorted_without_doubles_and_cut_between_addresses() {
        assert_eq!(list(&["http://b/", "http://a/", "http://b/"], 100).as_deref(), Some("http://a/,http://b/"));
        assert_eq!(list(&[], 100), None);
        assert_eq!(list(&["aaaa", "bbbb", "cccc"], 9).as_deref(), Some("aaaa,bbbb"));
        assert_eq!(list(&["aaaa", "bbbb"], 8).as_deref(), Some("aaaa"));
    }
}
