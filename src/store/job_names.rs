//! What jobs are called, for lists that name jobs by their id: without the sources, which rows of jobs carry along.

use super::Store;
use super::error::Result;
use super::query::Query;

/// A job by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobName {
    /// Its id.
    pub id: i32,
    /// Its group.
    pub job_group: i32,
    /// What it is for.
    pub job_desc: String,
}

impl Store {
    /// Names of the jobs of a group (0 or less = of all), newest first, at most so many.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn job_names_of_group(&self, job_group: i32, most: i64) -> Result<Vec<JobName>> {
        let mut query = Query::varying("SELECT id, job_group, job_desc FROM xxl_job_info");
        if job_group > 0 {
            query = query.push(" WHERE job_group = ").push_bind(job_group);
        }
        self.names(query.push(" ORDER BY id DESC LIMIT ").push_bind(most)).await
    }

    /// Names of the jobs with these ids, in no particular order; missing ones are left out.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn job_names(&self, ids: &[i32]) -> Result<Vec<JobName>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let query = Query::varying("SELECT id, job_group, job_desc FROM xxl_job_info WHERE id IN ")
            .push_numbers(ids.iter().map(|id| i64::from(*id)));
        self.names(query).await
    }

    async fn names(&self, query: Query) -> Result<Vec<JobName>> {
        let name =
            |row: &super::db::Row| Ok(JobName { id: row.int32(0)?, job_group: row.int32(1)?, job_desc: row.text(2)? });
        self.main.fetch_all(query).await?.iter().map(name).collect()
    }
}
