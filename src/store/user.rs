//! Statements on `xxl_job_user`.

use super::Store;
use super::db::Row;
use super::error::Result;
use super::query::{Dialect, Query};
use crate::model::JobUser;

impl Store {
    /// Columns of a [`JobUser`], in the order in which [`Store::user`] reads them; old generations have no token.
    fn user_columns(&self) -> &'static str {
        if self.schema.user_token {
            "id, username, password, role, permission, token"
        } else {
            "id, username, password, role, permission"
        }
    }

    fn user(&self, row: &Row) -> Result<JobUser> {
        Ok(JobUser {
            id: row.int32(0)?,
            username: row.text(1)?,
            password: row.text(2)?,
            role: row.int32(3)?,
            permission: row.maybe_text(4)?,
            token: if self.schema.user_token { row.maybe_text(5)? } else { None },
        })
    }

    /// The user with this name, compared as MySQL's default collation does: without case and trailing blanks.
    pub async fn find_user_by_name(&self, name: &str) -> Result<Option<JobUser>> {
        let query = Query::varying("SELECT ").push(self.user_columns()).push(" FROM xxl_job_user WHERE ");
        let query = match self.dialect() {
            Dialect::MySql => query.push("username = ").push_bind(name),
            Dialect::Postgres | Dialect::Sqlite => {
                query.push("lower(rtrim(username)) = ").push_bind(name.trim_end_matches(' ').to_lowercase())
            }
        };
        self.main.fetch_optional(query.push(" ORDER BY id LIMIT 1")).await?.map(|row| self.user(&row)).transpose()
    }

    /// The user with this id.
    pub async fn find_user(&self, id: i32) -> Result<Option<JobUser>> {
        let query = Query::varying("SELECT ").push(self.user_columns()).push(" FROM xxl_job_user WHERE id = ");
        self.main.fetch_optional(query.push_bind(id)).await?.map(|row| self.user(&row)).transpose()
    }

    /// The 3.x login token of a user: the stored one if there is one, else `fresh`, which is stored then. So logins at
    /// several admins, and several at once, share one token. None when the user is gone or the tables have no tokens.
    pub async fn share_token(&self, id: i32, fresh: &str) -> Result<Option<String>> {
        if !self.schema.user_token {
            return Ok(None);
        }
        let query =
            Query::new("UPDATE xxl_job_user SET token = ? WHERE id = ? AND (token IS NULL OR trim(token) = '')")
                .bind(fresh)
                .bind(id);
        self.main.execute(query).await?;
        let query = Query::new("SELECT token FROM xxl_job_user WHERE id = ?").bind(id);
        let row = self.main.fetch_optional(query).await?;
        Ok(row.map(|row| row.maybe_text(0)).transpose()?.flatten())
    }

    /// Empties the 3.x login token of a user, as the log-out of a Java admin does.
    pub async fn clear_token(&self, id: i32) -> Result<()> {
        if !self.schema.user_token {
            return Ok(());
        }
        let query = Query::new("UPDATE xxl_job_user SET token = '' WHERE id = ?").bind(id);
        self.main.execute(query).await.map(drop)
    }

    /// Stores a password hash. Tells whether the user exists.
    pub async fn save_password(&self, id: i32, hash: &str) -> Result<bool> {
        let query = Query::new("UPDATE xxl_job_user SET password = ? WHERE id = ?").bind(hash).bind(id);
        Ok(self.main.execute(query).await?.rows > 0)
    }
}
