//! `application.yml`: nested keys become dotted names, as Spring flattens them; lists of plain values become one text
//! with commas.

use yaml_rust2::{Yaml, YamlLoader};

use super::properties::Document;

/// Reads a file, or JSON, which is YAML as well.
///
/// # Errors
/// What is wrong, and in which line.
pub fn parse(text: &str) -> Result<Vec<Document>, String> {
    let documents = YamlLoader::load_from_str(text).map_err(|error| {
        let at = error.marker();
        format!("line {} is not YAML: {}", at.line(), error.info())
    })?;
    Ok(documents
        .iter()
        .map(|yaml| {
            let mut document = Document::new();
            flatten("", yaml, &mut document);
            document
        })
        .collect())
}

fn flatten(name: &str, yaml: &Yaml, document: &mut Document) {
    match yaml {
        Yaml::Hash(map) => {
            for (key, value) in map {
                let Some(key) = scalar(key) else { continue };
                let name = if name.is_empty() { key } else { format!("{name}.{key}") };
                flatten(&name, value, document);
            }
        }
        Yaml::Array(items) => match items.iter().map(scalar).collect::<Option<Vec<_>>>() {
            Some(texts) => document.push((name.to_owned(), texts.join(","), None)),
            None => {
                for (index, item) in items.iter().enumerate() {
                    flatten(&format!("{name}[{index}]"), item, document);
                }
            }
        },
        other => {
            if let Some(text) = scalar(other).filter(|_| !name.is_empty()) {
                document.push((name.to_owned(), text, None));
            }
        }
    }
}

fn scalar(yaml: &Yaml) -> Option<String> {
    match yaml {
        Yaml::String(text) | Yaml::Real(text) => Some(text.clone()),
        Yaml::Integer(number) => Some(number.to_string()),
        Yaml::Boolean(truth) => Some(truth.to_string()),
        Yaml::Null => Some(String::new()),
        Yaml::Array(_) | Yaml::Hash(_) | Yaml::Alias(_) | Yaml::BadValue => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(text: &str) -> Vec<Vec<(String, String)>> {
        let documents = parse(text).unwrap_or_else(|e| panic!("{e}"));
        documents.into_iter().map(|all| all.into_iter().map(|(name, text, _)| (name, text)).collect()).collect()
    }

    #[test]
    fn nested_keys_become_dotted_names() {
        let text = "server:\n  port: 8081\nxxl.job:\n  accessToken: 'x: y'\n  i18n:\nlist: [a, 1]\n---\na: true\n";
        let expected: [Vec<(String, String)>; 2] = [
            vec![
                ("server.port".into(), "8081".into()),
                ("xxl.job.accessToken".into(), "x: y".into()),
                ("xxl.job.i18n".into(), String::new()),
                ("list".into(), "a,1".into()),
            ],
            vec![("a".into(), "true".into())],
        ];
        assert_eq!(pairs(text), expected);
        assert_eq!(pairs("{\"server\":{\"port\":1}}"), [vec![("server.port".into(), "1".into())]]);
        assert_eq!(pairs("a:\n - b: 1"), [vec![("a[0].b".into(), "1".into())]]);
        assert_eq!(pairs("").len(), 0);
    }

    #[test]
    fn what_is_not_yaml_is_told_with_its_line() {
        let wrong = parse("a: b\nc: [").expect_err("an open bracket");
        assert!(wrong.starts_with("line "), "{wrong}");
    }

    proptest! {
        #[test]
        fn nothing_makes_the_parser_panic(text in "[a-c:\\-\\[\\]{}&*'\"#,|> \n\t]{0,60}") {
            let _ = parse(&text);
        }
    }
}
