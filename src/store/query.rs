//! A statement under construction: one body of SQL for three databases.
//!
//! Statements are written with `?`; PostgreSQL gets `$1`, `$2` … instead. Numbers of our own may stand in the text
//! (they cannot carry SQL), everything else is bound.

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::NaiveDateTime;

/// Which database speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// MySQL and MariaDB.
    MySql,
    /// PostgreSQL.
    Postgres,
    /// SQLite.
    Sqlite,
}

impl Dialect {
    /// Name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MySql => "MySQL/MariaDB",
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
        }
    }

    /// Suffix of a SELECT that locks its rows; SQLite's write transactions lock everything from their start.
    pub(super) const fn for_update(self) -> &'static str {
        match self {
            Self::MySql | Self::Postgres => " FOR UPDATE",
            Self::Sqlite => "",
        }
    }

    /// The `LIKE` that ignores case, as MySQL's and SQLite's do by themselves.
    pub(super) const fn like(self) -> &'static str {
        match self {
            Self::Postgres => "ILIKE",
            Self::MySql | Self::Sqlite => "LIKE",
        }
    }
}

/// A bound value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Int(i64),
    Text(Option<String>),
    Time(Option<NaiveDateTime>),
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}
impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(Some(value.to_owned()))
    }
}
impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(Some(value))
    }
}
impl From<Option<String>> for Value {
    fn from(value: Option<String>) -> Self {
        Self::Text(value)
    }
}
impl From<Option<&str>> for Value {
    fn from(value: Option<&str>) -> Self {
        Self::Text(value.map(str::to_owned))
    }
}
impl From<NaiveDateTime> for Value {
    fn from(value: NaiveDateTime) -> Self {
        Self::Time(Some(value))
    }
}
impl From<Option<NaiveDateTime>> for Value {
    fn from(value: Option<NaiveDateTime>) -> Self {
        Self::Time(value)
    }
}

/// A statement and its bound values.
#[derive(Debug, Clone)]
pub(super) struct Query {
    text: Cow<'static, str>,
    values: Vec<Value>,
    /// Whether the text is one of few, so that a prepared statement is worth keeping.
    persistent: bool,
}

impl Query {
    /// A statement whose text is always the same.
    pub fn new(text: &'static str) -> Self {
        Self { text: Cow::Borrowed(text), values: Vec::new(), persistent: true }
    }

    /// A statement whose text varies with its values' number.
    pub fn varying(text: &str) -> Self {
        Self { text: Cow::Owned(text.to_owned()), values: Vec::new(), persistent: false }
    }

    /// Adds text.
    pub fn push(mut self, text: &str) -> Self {
        self.text.to_mut().push_str(text);
        self
    }

    /// Binds the next `?`.
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Adds a `?` and binds it.
    pub fn push_bind(mut self, value: impl Into<Value>) -> Self {
        self.text.to_mut().push('?');
        self.bind(value)
    }

    /// Adds a number as text.
    pub fn push_number(mut self, number: i64) -> Self {
        // Writing to a String cannot fail.
        let _ = write!(self.text.to_mut(), "{number}");
        self
    }

    /// Adds `(1, 2, 3)`. The list must not be empty; no number means no row, which `(NULL)` says in every dialect.
    pub fn push_numbers(mut self, numbers: impl IntoIterator<Item = i64>) -> Self {
        self.text.to_mut().push('(');
        let mut first = true;
        for number in numbers {
            if !first {
                self.text.to_mut().push(',');
            }
            first = false;
            let _ = write!(self.text.to_mut(), "{number}");
        }
        if first {
            self.text.to_mut().push_str("NULL");
        }
        self.text.to_mut().push(')');
        self.persistent = false;
        self
    }

    /// Whether the text is one of many.
    pub const fn is_varying(&self) -> bool {
        !self.persistent
    }

    /// The text with its `?`, for a log: no value is in it. One that is always the same costs nothing to clone.
    pub const fn text(&self) -> &Cow<'static, str> {
        &self.text
    }

    /// The whole statement for MySQL, every value in the text. Texts stand there as hexadecimal numbers, which nothing can
    /// break out of, whatever the server's mode.
    pub fn inlined(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + self.values.len() * 24);
        let mut values = self.values.iter();
        for part in self.text.split_inclusive('?') {
            match (part.strip_suffix('?'), values.as_slice()) {
                (Some(before), [_, ..]) => {
                    out.push_str(before);
                    if let Some(value) = values.next() {
                        push_literal(&mut out, value);
                    }
                }
                _ => out.push_str(part),
            }
        }
        out
    }

    /// The text with the dialect's placeholders, the values, and whether to keep the prepared statement.
    pub fn finish(self, dialect: Dialect) -> (Cow<'static, str>, Vec<Value>, bool) {
        let text = match dialect {
            Dialect::MySql | Dialect::Sqlite => self.text,
            // Where nothing is bound, as in a script, a question mark is text.
            Dialect::Postgres if self.values.is_empty() => self.text,
            Dialect::Postgres => numbered(&self.text).into(),
        };
        (text, self.values, self.persistent)
    }
}

/// A value as MySQL reads it.
fn push_literal(out: &mut String, value: &Value) {
    // Writing to a String cannot fail.
    let _ = match value {
        Value::Int(number) => write!(out, "{number}"),
        Value::Text(Some(text)) => write!(out, "_utf8mb4 X'{}'", hex::encode(text)),
        Value::Time(Some(time)) => write!(out, "TIMESTAMP'{}'", time.format("%Y-%m-%d %H:%M:%S%.f")),
        Value::Text(None) | Value::Time(None) => write!(out, "NULL"),
    };
}

/// `?` → `$1`, `$2` … (no statement of ours has a question mark in a literal).
fn numbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut count = 0;
    for part in text.split_inclusive('?') {
        if let Some(part) = part.strip_suffix('?') {
            count += 1;
            let _ = write!(out, "{part}${count}");
        } else {
            out.push_str(part);
        }
    }
    out
}

/// Adds "the column contains this text" unless the text is blank. The caller's `%` and `_` are wildcards, as in Java, and
/// case does not matter.
pub(super) fn contains(query: Query, dialect: Dialect, column: &str, text: &str) -> Query {
    if text.chars().all(|c| c <= ' ') {
        return query;
    }
    query.push(" AND ").push(column).push(" ").push(dialect.like()).push(" ").push_bind(format!("%{text}%"))
}

/// Most bytes of text bound in one statement: far below what the servers take (MySQL's `max_allowed_packet` is 4 MB and
/// more), and few enough for the table of values to stay small.
const STATEMENT_BYTES: usize = 1 << 20;

/// Cuts rows into statements of at most so many rows, and of about [`STATEMENT_BYTES`] of text by the given measure.
pub(super) fn by_statement<T>(rows: &[T], most: usize, bytes: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let mut statements = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (at, row) in rows.iter().enumerate() {
        let more = bytes(row);
        if at > start && (at - start == most || size + more > STATEMENT_BYTES) {
            statements.push(&rows[start..at]);
            (start, size) = (at, 0);
        }
        size += more;
    }
    if start < rows.len() {
        statements.push(&rows[start..]);
    }
    statements
}

/// A table made of values, to be joined in one UPDATE: `columns` name the values of each row in order.
pub(super) struct ValuesTable<'a> {
    pub alias: &'a str,
    pub columns: &'a [&'a str],
}

impl ValuesTable<'_> {
    /// Adds the table to the statement. MySQL before 8.0.19 has no VALUES table, so there it is a UNION.
    pub fn push_to(&self, dialect: Dialect, query: Query, rows: Vec<Vec<Cell>>) -> Query {
        match dialect {
            Dialect::MySql => self.push_union(query, rows),
            Dialect::Postgres | Dialect::Sqlite => self.push_values(query, rows),
        }
    }

    fn push_union(&self, mut query: Query, rows: Vec<Vec<Cell>>) -> Query {
        query = query.push("(");
        for (number, row) in rows.into_iter().enumerate() {
            query = query.push(if number == 0 { "SELECT " } else { " UNION ALL SELECT " });
            for (place, cell) in row.into_iter().enumerate() {
                query = cell.push_to(query.push(if place == 0 { "" } else { "," }));
                if number == 0 {
                    query = query.push(" AS ").push(self.columns[place]);
                }
            }
        }
        query.push(") ").push(self.alias)
    }

    fn push_values(&self, mut query: Query, rows: Vec<Vec<Cell>>) -> Query {
        // SQLite knows no column aliases on a VALUES table outside WITH, but names them column1, column2 …
        query = query.push("(SELECT ");
        for (place, column) in self.columns.iter().enumerate() {
            query = query.push(if place == 0 { "" } else { "," }).push("column").push_number(place as i64 + 1);
            query = query.push(" AS ").push(column);
        }
        query = query.push(" FROM (VALUES ");
        for (number, row) in rows.into_iter().enumerate() {
            query = query.push(if number == 0 { "(" } else { ",(" });
            for (place, cell) in row.into_iter().enumerate() {
                query = cell.push_to(query.push(if place == 0 { "" } else { "," }));
            }
            query = query.push(")");
        }
        query.push(") ").push(self.alias).push("_values) ").push(self.alias)
    }
}

/// A value of a [`ValuesTable`].
pub(super) enum Cell {
    /// A number that stands in the text.
    Number(i64),
    /// A bound value.
    Bound(Value),
}

impl Cell {
    fn push_to(self, query: Query) -> Query {
        match self {
            Self::Number(number) => query.push_number(number),
            Self::Bound(value) => query.push_bind(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_an_inlined_statement() {
        let time = chrono::NaiveDate::from_ymd_opt(2026, 12, 1).and_then(|day| day.and_hms_opt(5, 6, 7));
        let query = Query::varying("SELECT ")
            .push_bind(-7)
            .push(", ")
            .push_bind("a'?\\中")
            .push(", ")
            .push_bind(time)
            .push(", ")
            .push_bind(None::<String>)
            .push(", ")
            .push_bind("")
            .push(" FROM t");
        assert_eq!(
            query.inlined(),
            "SELECT -7, _utf8mb4 X'61273f5ce4b8ad', TIMESTAMP'2026-12-01 05:06:07', NULL, _utf8mb4 X'' FROM t"
        );
        assert_eq!(Query::varying("SELECT '?'").inlined(), "SELECT '?'");
    }

    #[test]
    fn placeholders_are_numbered_for_postgres_alone() {
        let query = || Query::new("SELECT a FROM t WHERE b = ? AND c = ?").bind(1).bind("x");
        assert_eq!(query().finish(Dialect::Postgres).0, "SELECT a FROM t WHERE b = $1 AND c = $2");
        assert_eq!(query().finish(Dialect::MySql).0, "SELECT a FROM t WHERE b = ? AND c = ?");
    }

    #[test]
    fn a_statement_without_values_keeps_its_question_marks() {
        assert_eq!(Query::new("SELECT '0 0 0 * * ? *'").finish(Dialect::Postgres).0, "SELECT '0 0 0 * * ? *'");
    }

    #[test]
    fn statements_are_bounded_by_rows_and_by_bytes() {
        let sizes = |rows: &[usize]| by_statement(rows, 3, |row| *row).iter().map(|s| s.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&[]), [0_usize; 0]);
        assert_eq!(sizes(&[1; 7]), [3, 3, 1]);
        let half = STATEMENT_BYTES / 2;
        assert_eq!(sizes(&[half, half, 1, 2 * STATEMENT_BYTES, 1]), [2, 1, 1, 1], "a longer row goes alone");
    }

    #[test]
    fn an_empty_list_matches_nothing() {
        assert_eq!(Query::new("x IN ").push_numbers([]).finish(Dialect::Sqlite).0, "x IN (NULL)");
        assert_eq!(Query::new("x IN ").push_numbers([1, 2]).finish(Dialect::Sqlite).0, "x IN (1,2)");
    }

    #[test]
    fn a_values_table_in_both_forms() {
        let table = ValuesTable { alias: "v", columns: &["id", "msg"] };
        let rows =
            || vec![vec![Cell::Number(1), Cell::Bound("a".into())], vec![Cell::Number(2), Cell::Bound("b".into())]];
        let text = |dialect| table.push_to(dialect, Query::varying(""), rows()).finish(dialect).0;
        assert_eq!(text(Dialect::MySql), "(SELECT 1 AS id,? AS msg UNION ALL SELECT 2,?) v");
        assert_eq!(
            text(Dialect::Postgres),
            "(SELECT column1 AS id,column2 AS msg FROM (VALUES (1,$1),(2,$2)) v_values) v"
        );
    }
}
