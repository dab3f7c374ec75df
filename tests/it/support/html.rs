//! What a page holds, as far as recordings tell of it. Understands pages of ours alone: attributes in double quotes, every
//! element closed.

/// A page.
#[derive(Debug, Default)]
pub struct Page {
    pub title: String,
    /// Every id, in order.
    pub ids: Vec<String>,
    /// Headers of tables.
    pub th: Vec<String>,
    pub forms: Vec<Form>,
    /// What is visible below the title, blanks run together.
    pub text: String,
    /// Contents of text areas that have an id.
    pub areas: Vec<(String, String)>,
}

/// A form.
#[derive(Debug, Default)]
pub struct Form {
    pub id: String,
    /// Id of the dialog around it.
    pub inside: String,
    pub fields: Vec<Field>,
}

/// A field of a form.
#[derive(Debug, Default)]
pub struct Field {
    pub tag: String,
    pub kind: String,
    pub name: String,
    pub maxlength: String,
    pub value: String,
    /// Values of the options of a select.
    pub options: Vec<String>,
}

/// An opening or closing tag.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
}

impl Tag<'_> {
    fn get(&self, name: &str) -> String {
        let start = format!(" {name}=\"");
        let rest = self.attributes.split_once(&start).map(|(_, rest)| rest);
        rest.and_then(|rest| rest.split_once('"')).map(|(value, _)| decode(value)).unwrap_or_default()
    }
}

/// The text behind the encoding.
pub fn decode(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#13;", "\r"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

impl Page {
    /// The title without what the page itself is called: `Job Manage – Scheduling Center` is a page of the latter.
    pub fn product(&self) -> &str {
        self.title.rsplit(" – ").next().unwrap_or_default()
    }

    /// Reads a page.
    pub fn read(html: &str) -> Self {
        let mut page = Self::default();
        let (mut dialog, mut in_form, mut in_title) = (String::new(), false, false);
        let mut text = String::new();
        let mut rest = html;
        while let Some((before, from)) = rest.split_once('<') {
            let (inner, after) = from.split_once('>').expect("a tag ends");
            let (name, attributes) = inner.split_at(inner.find(' ').unwrap_or(inner.len()));
            let tag = Tag { name, attributes };
            if in_title {
                page.title = decode(before);
            } else if tag.name == "/th" {
                page.th.push(decode(before));
                text.push_str(before);
            } else {
                text.push_str(before);
            }
            text.push(' ');
            in_title = tag.name == "title";
            rest = after;
            let id = tag.get("id");
            if !id.is_empty() {
                page.ids.push(id.clone());
            }
            match tag.name {
                "dialog" => dialog = id,
                "/dialog" => dialog.clear(),
                "form" => {
                    in_form = true;
                    page.forms.push(Form { id, inside: dialog.clone(), ..Form::default() });
                }
                "/form" => in_form = false,
                "textarea" => {
                    let (content, end) = rest.split_once("</textarea>").expect("a text area ends");
                    page.areas.push((id, decode(content.strip_prefix('\n').unwrap_or(content))));
                    rest = end;
                    page.field(&tag, in_form);
                }
                "input" | "select" | "button" => page.field(&tag, in_form),
                "option" if in_form => {
                    let field = page.forms.last_mut().and_then(|form| form.fields.last_mut()).expect("a select");
                    field.options.push(tag.get("value"));
                }
                _ => {}
            }
        }
        page.text = decode(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        page
    }

    fn field(&mut self, tag: &Tag<'_>, in_form: bool) {
        let Some(form) = self.forms.last_mut().filter(|_| in_form) else { return };
        form.fields.push(Field {
            tag: tag.name.to_owned(),
            kind: tag.get("type"),
            name: tag.get("name"),
            maxlength: tag.get("maxlength"),
            value: tag.get("value"),
            options: Vec::new(),
        });
    }
}
