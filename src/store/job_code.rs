//! Statements on the scripts of jobs: the one in `xxl_job_info` and its versions in `xxl_job_logglue`.

use super::db::Row;
use super::error::Result;
use super::query::Query;
use super::{Store, require_fit};
use crate::model::{EpochMs, ScriptVersion};

/// Versions that are kept of a job's script, as in the Java admins.
pub const KEPT_VERSIONS: usize = 30;

/// Columns of a [`ScriptVersion`], in the order in which [`Store::version`] reads them.
const COLUMNS: &str = "id, job_id, glue_type, glue_source, glue_remark, add_time, update_time";

impl Store {
    fn version(&self, row: &Row) -> Result<ScriptVersion> {
        Ok(ScriptVersion {
            id: row.int32(0)?,
            job_id: row.int32(1)?,
            glue_type: row.maybe_text(2)?,
            source: row.maybe_text(3)?,
            remark: row.text(4)?,
            add_time: self.time(row, 5)?,
            update_time: self.time(row, 6)?,
        })
    }

    /// Writes a job's script and adds it to the versions, of which the newest stay. Tells whether the job is there.
    ///
    /// # Errors
    /// [`super::Error::TooLong`], and what the database says.
    pub async fn save_script(
        &self,
        job_id: i32,
        glue_type: &str,
        source: Option<&str>,
        remark: &str,
        now: EpochMs,
    ) -> Result<bool> {
        require_fit("glue_remark", Some(remark), self.schema.limits.glue_remark)?;
        let now = self.wall(now);
        let mut tx = self.main.begin().await?;
        let query = Query::new(
            "UPDATE xxl_job_info SET glue_source = ?, glue_remark = ?, glue_updatetime = ?, update_time = ? WHERE id = ?",
        )
        .bind(source)
        .bind(remark)
        .bind(now)
        .bind(now)
        .bind(job_id);
        if tx.execute(query).await?.rows == 0 {
            return Ok(false);
        }
        let query = Query::new(
            "INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark, add_time, update_time) \
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(job_id)
        .bind(glue_type)
        .bind(source)
        .bind(remark)
        .bind(now)
        .bind(now);
        tx.execute(query).await?;
        let query = Query::new("SELECT id FROM xxl_job_logglue WHERE job_id = ? ORDER BY update_time DESC, id DESC");
        let rows = tx.fetch_all(query.bind(job_id)).await?;
        let old = rows.iter().skip(KEPT_VERSIONS).map(|row| row.int(0)).collect::<Result<Vec<i64>>>()?;
        if !old.is_empty() {
            tx.execute(Query::varying("DELETE FROM xxl_job_logglue WHERE id IN ").push_numbers(old)).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The versions of a job's script, newest id first.
    pub async fn versions_of(&self, job_id: i32) -> Result<Vec<ScriptVersion>> {
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_logglue WHERE job_id = ? ORDER BY id DESC");
        self.main.fetch_all(query.bind(job_id)).await?.iter().map(|row| self.version(row)).collect()
    }

    /// The version with this id.
    pub async fn find_version(&self, id: i32) -> Result<Option<ScriptVersion>> {
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_logglue WHERE id = ?").bind(id);
        self.main.fetch_optional(query).await?.map(|row| self.version(&row)).transpose()
    }
}
