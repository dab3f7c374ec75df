//! Statements on `xxl_job_group`.

use super::Store;
use super::db::Row;
use super::error::Result;
use super::query::Query;
use crate::model::{EpochMs, JobGroup};

/// Columns of a [`JobGroup`], in the order in which [`Store::group`] reads them.
const COLUMNS: &str = "id, app_name, title, address_type, address_list, update_time";

impl Store {
    fn group(&self, row: &Row) -> Result<JobGroup> {
        Ok(JobGroup {
            id: row.int32(0)?,
            app_name: row.text(1)?,
            title: row.text(2)?,
            address_type: row.int32(3)?,
            address_list: row.maybe_text(4)?,
            update_time: self.time(row, 5)?,
        })
    }

    /// The group with this id.
    pub async fn find_group(&self, id: i32) -> Result<Option<JobGroup>> {
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_group WHERE id = ?").bind(id);
        self.main.fetch_optional(query).await?.map(|row| self.group(&row)).transpose()
    }

    /// The groups with these ids, in no particular order; missing ones are left out.
    pub async fn find_groups(&self, ids: &[i32]) -> Result<Vec<JobGroup>> {
        let query = Query::varying("SELECT ")
            .push(COLUMNS)
            .push(" FROM xxl_job_group WHERE id IN ")
            .push_numbers(ids.iter().map(|id| i64::from(*id)));
        self.main.fetch_all(query).await?.iter().map(|row| self.group(row)).collect()
    }

    /// Every group, in the order of the Java admin: app name, title, id.
    pub async fn all_groups(&self) -> Result<Vec<JobGroup>> {
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_group ORDER BY app_name, title, id");
        self.main.fetch_all(query).await?.iter().map(|row| self.group(row)).collect()
    }

    /// Writes the address list of a group that registers automatically; a group that was switched to manual meanwhile
    /// is left alone. Tells whether the row was written.
    pub async fn save_addresses(&self, id: i32, addresses: Option<&str>, now: EpochMs) -> Result<bool> {
        let query =
            Query::new("UPDATE xxl_job_group SET address_list = ?, update_time = ? WHERE id = ? AND address_type = 0")
                .bind(addresses)
                .bind(self.wall(now))
                .bind(id);
        Ok(self.main.execute(query).await?.rows > 0)
    }
}
