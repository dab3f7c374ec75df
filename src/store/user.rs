//! Statements on `xxl_job_user`.

use super::db::Row;
use super::error::Result;
use super::query::{Dialect, Query, contains};
use super::{Store, require_fit};
use crate::model::JobUser;

/// What an administrator may change of a user; never the name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserEdit {
    /// New password hash; none = the old one stays.
    pub password: Option<String>,
    /// New role.
    pub role: i32,
    /// New list of executor groups.
    pub permission: Option<String>,
}

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

    /// A page of users by name, and how many there are in all: those whose name contains the text (`%` and `_` are
    /// wildcards, as in Java), and of this role unless it is negative.
    pub async fn page_users(&self, name: &str, role: i32, offset: i64, limit: i64) -> Result<(Vec<JobUser>, i64)> {
        let filtered = |query: Query| {
            let query = contains(query, self.dialect(), "username", name);
            if role >= 0 { query.push(" AND role = ").push_bind(role) } else { query }
        };
        let count = filtered(Query::varying("SELECT COUNT(*) FROM xxl_job_user WHERE 1 = 1"));
        let total = self.main.fetch_optional(count).await?.map_or(Ok(0), |row| row.int(0))?;
        let query = Query::varying("SELECT ").push(self.user_columns()).push(" FROM xxl_job_user WHERE 1 = 1");
        // One order in every database: without case, as MySQL has it by itself.
        let query = filtered(query)
            .push(" ORDER BY lower(username), id LIMIT ")
            .push_bind(limit)
            .push(" OFFSET ")
            .push_bind(offset);
        let users = self.main.fetch_all(query).await?.iter().map(|row| self.user(row)).collect::<Result<_>>()?;
        Ok((users, total))
    }

    /// Adds a user; the id and the token are not looked at, and the password must be hashed already.
    ///
    /// # Errors
    /// [`super::Error::Conflict`] when the name exists, [`super::Error::TooLong`], and what the database says.
    pub async fn insert_user(&self, user: &JobUser) -> Result<()> {
        let limits = self.schema.limits;
        require_fit("username", Some(&user.username), limits.username)?;
        require_fit("permission", user.permission.as_deref(), limits.permission)?;
        let query = Query::new("INSERT INTO xxl_job_user (username, password, role, permission) VALUES (?, ?, ?, ?)")
            .bind(user.username.as_str())
            .bind(user.password.as_str())
            .bind(user.role)
            .bind(user.permission.as_deref());
        self.main.execute(query).await.map(drop)
    }

    /// Changes a user. Tells whether there is one.
    ///
    /// # Errors
    /// [`super::Error::TooLong`], and what the database says.
    pub async fn update_user(&self, id: i32, edit: &UserEdit) -> Result<bool> {
        require_fit("permission", edit.permission.as_deref(), self.schema.limits.permission)?;
        let mut query = Query::varying("UPDATE xxl_job_user SET role = ")
            .push_bind(edit.role)
            .push(", permission = ")
            .push_bind(edit.permission.as_deref());
        if let Some(password) = &edit.password {
            query = query.push(", password = ").push_bind(password.as_str());
        }
        Ok(self.main.execute(query.push(" WHERE id = ").push_bind(id)).await?.rows > 0)
    }

    /// Removes a user. Tells whether there was one.
    pub async fn remove_user(&self, id: i32) -> Result<bool> {
        Ok(self.main.execute(Query::new("DELETE FROM xxl_job_user WHERE id = ?").bind(id)).await?.rows > 0)
    }

    /// Stores a password hash. Tells whether the user exists.
    pub async fn save_password(&self, id: i32, hash: &str) -> Result<bool> {
        let query = Query::new("UPDATE xxl_job_user SET password = ? WHERE id = ?").bind(hash).bind(id);
        Ok(self.main.execute(query).await?.rows > 0)
    }
}
