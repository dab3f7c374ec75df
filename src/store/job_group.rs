//! Statements on `xxl_job_group`.

use super::db::Row;
use super::error::Result;
use super::query::{Query, contains};
use super::{Store, require_fit};
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

    /// The groups whose app name is exactly this, by id; some databases by themselves take no heed of case.
    pub async fn groups_of_app(&self, app_name: &str) -> Result<Vec<JobGroup>> {
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_group WHERE app_name = ? ORDER BY id");
        let rows = self.main.fetch_all(query.bind(app_name)).await?;
        let groups: Vec<JobGroup> = rows.iter().map(|row| self.group(row)).collect::<Result<_>>()?;
        Ok(groups.into_iter().filter(|group| group.app_name == app_name).collect())
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

    /// A page of groups whose app name and title contain these texts (`%` and `_` are wildcards, as in Java), in the
    /// order of the Java admin, and how many there are in all.
    pub async fn page_groups(
        &self,
        app_name: &str,
        title: &str,
        offset: i64,
        limit: i64,
    ) -> Result<(Vec<JobGroup>, i64)> {
        let filtered = |query: Query| {
            let query = contains(query, self.dialect(), "app_name", app_name);
            contains(query, self.dialect(), "title", title)
        };
        let count = filtered(Query::varying("SELECT COUNT(*) FROM xxl_job_group WHERE 1 = 1"));
        let total = self.main.fetch_optional(count).await?.map_or(Ok(0), |row| row.int(0))?;
        let query = Query::varying("SELECT ").push(COLUMNS).push(" FROM xxl_job_group WHERE 1 = 1");
        let query = filtered(query)
            .push(" ORDER BY app_name, title, id LIMIT ")
            .push_bind(limit)
            .push(" OFFSET ")
            .push_bind(offset);
        let groups = self.main.fetch_all(query).await?.iter().map(|row| self.group(row)).collect::<Result<_>>()?;
        Ok((groups, total))
    }

    /// Adds a group; its id and time are not looked at.
    ///
    /// # Errors
    /// [`super::Error::TooLong`], and what the database says.
    pub async fn insert_group(&self, group: &JobGroup, now: EpochMs) -> Result<()> {
        self.require_group_fits(group)?;
        let query = Query::new(
            "INSERT INTO xxl_job_group (app_name, title, address_type, address_list, update_time) \
             VALUES (?, ?, ?, ?, ?)",
        )
        .bind(group.app_name.as_str())
        .bind(group.title.as_str())
        .bind(group.address_type)
        .bind(group.address_list.as_deref())
        .bind(self.wall(now));
        self.main.execute(query).await.map(drop)
    }

    /// Writes a group's row. Tells whether there is one.
    ///
    /// # Errors
    /// [`super::Error::TooLong`], and what the database says.
    pub async fn update_group(&self, group: &JobGroup, now: EpochMs) -> Result<bool> {
        self.require_group_fits(group)?;
        let query = Query::new(
            "UPDATE xxl_job_group SET app_name = ?, title = ?, address_type = ?, address_list = ?, update_time = ? \
             WHERE id = ?",
        )
        .bind(group.app_name.as_str())
        .bind(group.title.as_str())
        .bind(group.address_type)
        .bind(group.address_list.as_deref())
        .bind(self.wall(now))
        .bind(group.id);
        Ok(self.main.execute(query).await?.rows > 0)
    }

    fn require_group_fits(&self, group: &JobGroup) -> Result<()> {
        let limits = self.schema.limits;
        require_fit("app_name", Some(&group.app_name), limits.app_name)?;
        require_fit("title", Some(&group.title), limits.title)?;
        require_fit("address_list", group.address_list.as_deref(), limits.address_list)
    }

    /// Whether a job belongs to this group.
    pub async fn is_group_used(&self, id: i32) -> Result<bool> {
        let query = Query::new("SELECT id FROM xxl_job_info WHERE job_group = ? LIMIT 1").bind(id);
        Ok(self.main.fetch_optional(query).await?.is_some())
    }

    /// How many groups there are.
    pub async fn count_groups(&self) -> Result<i64> {
        let row = self.main.fetch_optional(Query::new("SELECT COUNT(*) FROM xxl_job_group")).await?;
        row.map_or(Ok(0), |row| row.int(0))
    }

    /// Removes a group, unless a job has come to belong to it. Tells whether it was there and went.
    pub async fn remove_group(&self, id: i32) -> Result<bool> {
        let query = Query::new(
            "DELETE FROM xxl_job_group WHERE id = ? \
             AND NOT EXISTS (SELECT 1 FROM xxl_job_info WHERE job_group = ?)",
        )
        .bind(id)
        .bind(id);
        Ok(self.main.execute(query).await?.rows > 0)
    }
}
