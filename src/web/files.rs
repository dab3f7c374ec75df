//! The files of the console: carried inside a release binary, read from the source folders by a debug build, which takes
//! up every change with the next request.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The lists that the build script wrote; empty in a debug build.
mod carried {
    include!(concat!(env!("OUT_DIR"), "/carried.rs"));
}

/// Whether files are read from the source folders.
pub(super) const IS_LIVE: bool = cfg!(debug_assertions);

/// A kind of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Folder {
    /// What browsers fetch.
    Static,
    /// Templates of pages.
    Templates,
    /// Texts of pages.
    Texts,
}

/// A file: its path below its folder, with `/`, and its content.
pub(super) type File = (String, Vec<u8>);

impl Folder {
    const fn path(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Templates => "templates",
            Self::Texts => "locales/console",
        }
    }

    const fn carried(self) -> &'static [(&'static str, &'static [u8])] {
        match self {
            Self::Static => carried::STATIC,
            Self::Templates => carried::TEMPLATES,
            Self::Texts => carried::TEXTS,
        }
    }

    fn source(self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(self.path())
    }

    /// Every file, by path.
    pub(super) fn read(self) -> Vec<File> {
        if !IS_LIVE {
            return self.carried().iter().map(|(name, content)| ((*name).to_owned(), content.to_vec())).collect();
        }
        let root = self.source();
        let mut paths = Vec::new();
        walk(&root, &mut paths);
        paths.sort();
        let read = |path: &PathBuf| {
            let name = path.strip_prefix(&root).ok()?.to_str()?.replace('\\', "/");
            Some((name, std::fs::read(path).ok()?))
        };
        paths.iter().filter_map(read).collect()
    }

    /// A number that changes when a file does.
    fn state(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        if IS_LIVE {
            let mut paths = Vec::new();
            walk(&self.source(), &mut paths);
            paths.sort();
            for path in paths {
                let seen = path.metadata().ok().map(|found| (found.len(), found.modified().ok()));
                (path, seen).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

/// Something made from the files of a folder: once in a release, and again after every change in a debug build.
pub(super) struct Live<T> {
    folder: Folder,
    make: fn(Vec<File>) -> T,
    made: Mutex<Option<(u64, Arc<T>)>>,
}

impl<T> Live<T> {
    /// Nothing is made yet.
    pub(super) const fn new(folder: Folder, make: fn(Vec<File>) -> T) -> Self {
        Self { folder, make, made: Mutex::new(None) }
    }

    /// What the files make now.
    pub(super) fn get(&self) -> Arc<T> {
        let state = self.folder.state();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((of, value)) if *of == state => value.clone(),
            _ => {
                let value = Arc::new((self.make)(self.folder.read()));
                *made = Some((state, value.clone()));
                value
            }
        }
    }
}

fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, into);
        } else if !entry.file_name().to_string_lossy().starts_with('.') {
            into.push(path);
        }
    }
}
