//! What a recorded Java admin's answers look like, learned from `golden/console`: keys in their order, kinds of values.
//!
//! A typed client refuses a key that it does not know and misses one that is gone, and so does this.
use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::paths;

/// The look of a value, as far as recordings show it.
#[derive(Clone, Debug, PartialEq)]
enum Schema {
    /// A number; never null.
    Number,
    /// true or false; never null.
    Flag,
    /// A text or null: which columns may be null is the tables' matter.
    Text,
    /// A list or null; `None`: no item was recorded.
    List(Option<Box<Schema>>),
    /// An object or, where it was recorded as null too, null.
    Object { keys: Vec<(String, Schema)>, nullable: bool },
}

/// The answers of one release.
pub struct Schemas {
    /// By path below the context path.
    successes: BTreeMap<String, Schema>,
    /// Each envelope of a refusal: of what was returned and of what was thrown.
    refusals: Vec<Schema>,
}

impl Schema {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null | Value::String(_) => Self::Text,
            Value::Bool(_) => Self::Flag,
            Value::Number(_) => Self::Number,
            Value::Array(items) => {
                let items = items.iter().map(Self::of).reduce(Self::with);
                Self::List(items.map(Box::new))
            }
            Value::Object(object) => Self::Object {
                keys: object.iter().map(|(key, value)| (key.clone(), Self::of(value))).collect(),
                nullable: false,
            },
        }
    }

    /// What fits both; null, which is taken for a text first, gives way.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::List(left), Self::List(right)) => Self::List(match (left, right) {
                (Some(left), Some(right)) => Some(Box::new(left.with(*right))),
                (left, right) => left.or(right),
            }),
            (Self::Object { keys, nullable }, Self::Object { keys: other, nullable: also }) => {
                let both = keys.into_iter().map(|(key, schema)| match other.iter().find(|(name, _)| *name == key) {
                    Some((_, seen)) => (key, schema.with(seen.clone())),
                    None => (key, schema),
                });
                Self::Object { keys: both.collect(), nullable: nullable || also }
            }
            (Self::Text, Self::Object { keys, .. }) | (Self::Object { keys, .. }, Self::Text) => {
                Self::Object { keys, nullable: true }
            }
            (Self::Text, list @ Self::List(_)) | (list @ Self::List(_), Self::Text) => list,
            (left, _) => left,
        }
    }

    fn check(&self, value: &Value, at: &str) -> Result<()> {
        match (self, value) {
            (Self::Number, Value::Number(_))
            | (Self::Flag, Value::Bool(_))
            | (Self::Text, Value::String(_))
            | (Self::List(None), Value::Array(_))
            | (Self::Text | Self::List(_) | Self::Object { nullable: true, .. }, Value::Null) => Ok(()),
            (Self::List(Some(schema)), Value::Array(items)) => {
                items.iter().enumerate().try_for_each(|(nth, item)| schema.check(item, &format!("{at}[{nth}]")))
            }
            (Self::Object { keys, .. }, Value::Object(object)) => {
                let recorded: Vec<&String> = keys.iter().map(|(key, _)| key).collect();
                let ours: Vec<&String> = object.keys().collect();
                ensure!(recorded == ours, "{at}: the keys are {ours:?}, recorded {recorded:?}");
                keys.iter().try_for_each(|(key, schema)| schema.check(&object[key], &format!("{at}.{key}")))
            }
            (schema, value) => bail!("{at}: {value} is none of the recorded {schema:?}"),
        }
    }
}

/// Whether an answer is a list of the 2.x console, which has no code, or has code 200.
fn is_success(answer: &Value) -> bool {
    answer.get("code").is_none_or(|code| code == 200)
}

impl Schemas {
    /// Learns the answers of a recorded release, `2.4.2` or `3.4.2`.
    ///
    /// # Errors
    /// When there are no such recordings.
    pub fn recorded(release: &str) -> Result<Self> {
        let file = paths::package().join("golden/console").join(format!("{release}.jsonl"));
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let mut schemas = Self { successes: BTreeMap::new(), refusals: Vec::new() };
        for line in text.lines() {
            let line: Value = serde_json::from_str(line)?;
            let Some(Ok(answer)) = line["response"]["body"].as_str().map(serde_json::from_str::<Value>) else {
                continue;
            };
            if answer.is_object() && line["response"]["status"] == 200 {
                schemas.learn(line["request"]["path"].as_str().context("path")?, &answer);
            }
        }
        Ok(schemas)
    }

    fn learn(&mut self, path: &str, answer: &Value) {
        let schema = Schema::of(answer);
        if is_success(answer) {
            let known = self.successes.remove(path);
            let schema = known.map_or(schema.clone(), |known| known.with(schema));
            self.successes.insert(path.to_owned(), schema);
        } else if !self.refusals.contains(&schema) {
            self.refusals.push(schema);
        }
    }

    /// Holds an answer to `path` against what was recorded.
    ///
    /// # Errors
    /// What differs, and when nothing was recorded.
    pub fn check(&self, path: &str, answer: &Value) -> Result<()> {
        if is_success(answer) {
            let schema = self.successes.get(path).with_context(|| format!("no answer to {path} was recorded"))?;
            return schema.check(answer, path);
        }
        let outcomes: Vec<_> = self.refusals.iter().map(|schema| schema.check(answer, path)).collect();
        if outcomes.iter().any(Result::is_ok) {
            return Ok(());
        }
        bail!("{answer} is none of the recorded refusals: {outcomes:?}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_of_both_releases_are_known() {
        for (release, paths) in [("2.4.2", "data"), ("3.4.2", "data.data")] {
            let schemas = Schemas::recorded(release).unwrap();
            for path in ["/jobgroup/pageList", "/jobinfo/pageList", "/joblog/pageList", "/user/pageList"] {
                let mut schema = &schemas.successes[path];
                for key in paths.split('.') {
                    let Schema::Object { keys, .. } = schema else { panic!("{path}: {schema:?}") };
                    schema = &keys.iter().find(|(name, _)| name == key).unwrap().1;
                }
                assert!(matches!(schema, Schema::List(Some(_))), "{release} {path}: {schema:?}");
            }
        }
    }

    #[test]
    fn a_key_too_many_or_too_few_and_another_kind_are_seen() {
        let schemas = Schemas::recorded("2.4.2").unwrap();
        let check = |answer| schemas.check("/jobinfo/add", &answer);
        check(json!({ "code": 200, "msg": null, "content": "7" })).unwrap();
        check(json!({ "code": 500, "msg": "no", "content": null })).unwrap();
        assert!(check(json!({ "code": 200, "msg": null })).is_err());
        assert!(check(json!({ "code": 200, "msg": null, "content": "7", "data": "7" })).is_err());
        assert!(check(json!({ "code": 200, "content": "7", "msg": null })).is_err());
        assert!(check(json!({ "code": 200, "msg": null, "content": 7 })).is_err());
        assert!(check(json!({ "code": 500, "msg": "no" })).is_err());
        let row = json!({ "recordsFiltered": 1, "data": [{ "id": 1 }], "recordsTotal": 1 });
        assert!(schemas.check("/jobgroup/pageList", &row).is_err());
    }
}
