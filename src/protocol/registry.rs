//! A registration or its end, as executors send it to `/api/registry` and `/api/registryRemove`.

use serde_json::{Map, Value};

use super::json::{self, BodyError};
use crate::model::OWN_GROUP_PREFIX;

/// Body of `/api/registry` and `/api/registryRemove` (Java `RegistryParam`, later `RegistryRequest`). Absent fields are
/// empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryCall {
    /// Kind of node; `EXECUTOR` from every executor.
    pub group: String,
    /// The app name.
    pub key: String,
    /// The executor's address, verbatim.
    pub value: String,
}

impl RegistryCall {
    /// Reads the body.
    ///
    /// # Errors
    /// When it is no JSON object with text in the three fields.
    pub fn parse(body: &[u8]) -> Result<Self, BodyError> {
        let Value::Object(mut object) = json::parse(body)? else {
            return Err(BodyError::Shape("an object with registryGroup, registryKey and registryValue"));
        };
        Ok(Self {
            group: text(&mut object, "registryGroup")?,
            key: text(&mut object, "registryKey")?,
            value: text(&mut object, "registryValue")?,
        })
    }

    /// Whether the call may be carried out: nothing blank, and not one of our own groups, whose rows are logins and nodes.
    pub fn is_acceptable(&self) -> bool {
        let own = self.group.get(..OWN_GROUP_PREFIX.len()).is_some_and(|p| p.eq_ignore_ascii_case(OWN_GROUP_PREFIX));
        !own && ![&self.group, &self.key, &self.value].into_iter().any(|text| json::is_blank(text))
    }
}

fn text(object: &mut Map<String, Value>, field: &str) -> Result<String, BodyError> {
    match object.remove(field).unwrap_or_default() {
        Value::Array(_) | Value::Object(_) => Err(BodyError::Shape("an object whose registry fields are texts")),
        value => Ok(json::scalar_text(value).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_read_verbatim() {
        let body = br#"{"registryGroup":"EXECUTOR","registryKey":" demo","registryValue":5,"more":{}}"#;
        let call = RegistryCall::parse(body).expect("readable");
        assert_eq!((&*call.group, &*call.key, &*call.value), ("EXECUTOR", " demo", "5"));
        assert!(call.is_acceptable());
    }

    #[test]
    fn blank_fields_and_our_own_groups_are_not_acceptable() {
        for (group, key, value) in
            [("", "k", "v"), ("g", "\t", "v"), ("g", "k", " "), ("RS_NODE", "k", "v"), ("rs_login", "k", "v")]
        {
            let call = RegistryCall { group: group.into(), key: key.into(), value: value.into() };
            assert!(!call.is_acceptable(), "{call:?}");
        }
        let other = RegistryCall { group: "RSX".into(), key: "k".into(), value: "v".into() };
        assert!(other.is_acceptable());
    }

    #[test]
    fn what_is_no_object_of_texts_is_refused() {
        for body in ["", "null", "[]", "hello", r#"{"registryGroup":"#, r#"{"registryGroup":{}}"#] {
            assert!(RegistryCall::parse(body.as_bytes()).is_err(), "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..256)) {
            let _ = RegistryCall::parse(&body);
        }
    }
}
