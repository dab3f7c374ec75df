//! What browsers fetch beside the pages: styles, scripts, icons.
//!
//! An address carries a mark of the content of all files (`/static/v-5f3a…/css/app.css`), so a browser may keep a file for
//! ever and still sees a new release at once; modules name each other by relative paths and so stay under the same mark.
//! Without the mark, or with an old one, a file is sent all the same, to be asked for again each time. All style sheets of
//! `static/css` are sent as one, `css/app.css`. The Java admin's console loads 28 files of 1.2 MB, uncompressed.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use actix_web::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderName, IF_NONE_MATCH, VARY,
};
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use super::auth::Public;
use super::error::Error;
use super::files::{File, Folder, Live};

/// The one style sheet that all of `static/css` becomes.
const STYLES: &str = "css/app.css";

/// Hexadecimal digits of a mark.
const MARK: usize = 12;

/// Smaller files are not worth compressing.
const SMALL: usize = 512;

/// Where the files are, below the context path.
pub const ROOT: &str = "/static";

static ASSETS: Live<Assets> = Live::new(Folder::Static, Assets::of);

/// All files, ready to be sent.
pub struct Assets {
    mark: String,
    files: HashMap<String, Asset>,
}

/// A file, ready to be sent.
pub struct Asset {
    content: Bytes,
    compressed: OnceLock<Option<Bytes>>,
    content_type: &'static str,
    tag: String,
}

impl Assets {
    /// Those of this program.
    pub fn current() -> Arc<Self> {
        ASSETS.get()
    }

    fn of(files: Vec<File>) -> Self {
        let (styles, mut others): (Vec<File>, Vec<File>) =
            files.into_iter().partition(|(path, _)| path.starts_with("css/"));
        let styles = styles.into_iter().flat_map(|(_, content)| content).collect();
        others.push((STYLES.to_owned(), styles));
        let mut hasher = Sha256::new();
        for (path, content) in &others {
            hasher.update(path);
            hasher.update(content);
        }
        let mark = format!("v-{}", &hex::encode(hasher.finalize())[..MARK]);
        let files = others.into_iter().map(|(path, content)| (path.clone(), Asset::of(&path, content))).collect();
        Self { mark, files }
    }

    /// The address of a file below the context path; none when there is no such file.
    pub fn address(&self, path: &str) -> Option<String> {
        self.files.contains_key(path).then(|| format!("{ROOT}/{}/{path}", self.mark))
    }

    /// A file and whether it was asked for by the present mark.
    fn find(&self, path: &str) -> Option<(&Asset, bool)> {
        let marked = path.split_once('/').filter(|(first, _)| first.starts_with("v-"));
        let (path, is_current) = marked.map_or((path, false), |(mark, rest)| (rest, mark == self.mark));
        Some((self.files.get(path)?, is_current))
    }

    /// Path, size and size when compressed of every file.
    pub fn sizes(&self) -> Vec<(&str, usize, usize)> {
        let size = |asset: &Asset| asset.compressed().map_or(asset.content.len(), |compressed| compressed.len());
        let mut sizes: Vec<_> =
            self.files.iter().map(|(path, asset)| (path.as_str(), asset.content.len(), size(asset))).collect();
        sizes.sort_unstable();
        sizes
    }
}

impl Asset {
    fn of(path: &str, content: Vec<u8>) -> Self {
        let tag = format!("\"{}\"", &hex::encode(Sha256::digest(&content))[..2 * MARK]);
        Self { content: content.into(), compressed: OnceLock::new(), content_type: content_type(path), tag }
    }

    /// The content as gzip, made when it is first asked for.
    fn compressed(&self) -> Option<Bytes> {
        let make = || {
            if self.content.len() < SMALL || self.content_type == "font/woff2" || self.content_type == "image/png" {
                return None;
            }
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(&self.content).ok()?;
            Some(encoder.finish().ok()?.into())
        };
        self.compressed.get_or_init(make).clone()
    }

    fn answer(&self, request: &HttpRequest, is_current: bool) -> HttpResponse {
        let has = |name: HeaderName, wanted: &str| {
            let values = request.headers().get_all(name).filter_map(|value| value.to_str().ok());
            values
                .flat_map(|value| value.split(','))
                .any(|item| item.split(';').next().is_some_and(|item| item.trim() == wanted))
        };
        let keep = if is_current { "public, max-age=31536000, immutable" } else { "no-cache" };
        let headers = [(CACHE_CONTROL, keep), (VARY, "Accept-Encoding"), (ETAG, self.tag.as_str())];
        if has(IF_NONE_MATCH, &self.tag) {
            let mut unchanged = HttpResponse::NotModified();
            for header in headers {
                unchanged.insert_header(header);
            }
            return unchanged.finish();
        }
        let mut answer = HttpResponse::Ok();
        for header in headers {
            answer.insert_header(header);
        }
        answer.content_type(self.content_type);
        match self.compressed() {
            Some(compressed) if has(ACCEPT_ENCODING, "gzip") => {
                answer.insert_header((CONTENT_ENCODING, "gzip")).body(compressed)
            }
            _ => answer.body(self.content.clone()),
        }
    }
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The files, below the context path.
pub(super) fn configure(config: &mut web::ServiceConfig) {
    config.service(
        web::resource([concat!("/static", "/{path:.+}")]).route(web::get().to(serve)).route(web::head().to(serve)),
    );
    config.service(web::resource("/favicon.ico").route(web::get().to(favicon)));
}

async fn serve(_: Public, request: HttpRequest, path: web::Path<String>) -> Result<HttpResponse, Error> {
    let assets = Assets::current();
    let (asset, is_current) = assets.find(&path).ok_or(Error::NotFound)?;
    Ok(asset.answer(&request, is_current))
}

/// Browsers ask for it before they have read a page.
async fn favicon(_: Public, request: HttpRequest) -> Result<HttpResponse, Error> {
    let assets = Assets::current();
    let (asset, _) = assets.find("favicon.svg").ok_or(Error::NotFound)?;
    Ok(asset.answer(&request, false))
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;
    use actix_web::http::StatusCode;
    use actix_web::test::TestRequest;

    use super::*;

    fn assets() -> Assets {
        let file = |path: &str, content: &str| (path.to_owned(), content.as_bytes().to_vec());
        Assets::of(vec![file("css/a.css", "a{}"), file("css/b.css", "b{}"), file("js/x.js", &"let x;".repeat(500))])
    }

    #[test]
    fn style_sheets_become_one_in_the_order_of_their_names() {
        let assets = assets();
        let (styles, _) = assets.find("css/app.css").expect("styles");
        assert_eq!(styles.content, "a{}b{}");
        assert!(assets.find("css/a.css").is_none());
    }

    #[test]
    fn an_address_changes_with_any_content_and_old_ones_still_lead_there() {
        let (one, mut other) = (assets(), assets());
        let address = one.address("js/x.js").expect("an address");
        assert_eq!(one.address("js/y.js"), None);
        let path = address.strip_prefix("/static/").expect("below static");
        assert!(one.find(path).expect("by mark").1);
        other = Assets::of(vec![("js/x.js".into(), other.files["css/app.css"].content.to_vec())]);
        assert_ne!(other.address("js/x.js"), Some(address.clone()));
        assert!(!other.find(path).expect("by an old mark").1);
        assert!(!other.find("js/x.js").expect("without mark").1);
        assert!(other.find("v-0/../Cargo.toml").is_none());
    }

    #[actix_web::test]
    async fn files_are_compressed_kept_and_not_sent_twice() {
        let assets = assets();
        let (asset, _) = assets.find("js/x.js").expect("a file");
        let plain = asset.answer(&TestRequest::default().to_http_request(), true);
        assert_eq!(plain.headers().get(CACHE_CONTROL).expect("kept"), "public, max-age=31536000, immutable");
        assert_eq!(to_bytes(plain.into_body()).await.expect("a body").len(), 3000);

        let asks = TestRequest::default().insert_header((ACCEPT_ENCODING, "br, gzip;q=0.8")).to_http_request();
        let small = asset.answer(&asks, false);
        assert_eq!(small.headers().get(CONTENT_ENCODING).expect("compressed"), "gzip");
        assert_eq!(small.headers().get(CACHE_CONTROL).expect("asked again"), "no-cache");
        assert!(to_bytes(small.into_body()).await.expect("a body").len() < 100);

        let knows = TestRequest::default().insert_header((IF_NONE_MATCH, asset.tag.clone())).to_http_request();
        assert_eq!(asset.answer(&knows, true).status(), StatusCode::NOT_MODIFIED);
    }
}
