//! `application.properties` and `application.yml` in all the places where Spring looks for them: the working directory
//! and its folder `config`, or what `spring.config.location` and `spring.config.additional-location` name; for each
//! active profile `application-PROFILE` after them.

use std::path::{Path, PathBuf};

use super::entry::Entry;
use super::error::{Fault, Source};
use super::properties::{self, Document};
use super::yaml;

/// Endings of the files in a folder; the last one wins.
const ENDINGS: [&str; 3] = ["yml", "yaml", "properties"];

/// Keys that decide which files are read.
pub const LOCATION: &str = "spring.config.location";
/// Places beside the usual ones.
pub const ADDITIONAL_LOCATION: &str = "spring.config.additional-location";
/// Name of the files without ending.
pub const NAME: &str = "spring.config.name";
/// Active profiles.
pub const PROFILES: &str = "spring.profiles.active";

/// Keys that are understood here and are no settings.
pub const CONTROL: [&str; 6] =
    [LOCATION, ADDITIONAL_LOCATION, NAME, PROFILES, "spring.config.activate.on-profile", "spring.profiles"];

/// Which files to read.
#[derive(Debug, Default)]
pub struct Wanted {
    /// `spring.config.location`.
    pub location: Option<String>,
    /// `spring.config.additional-location`.
    pub additional: Option<String>,
    /// `spring.config.name`.
    pub name: Option<String>,
    /// `spring.profiles.active`; none = as the files say.
    pub profiles: Option<String>,
}

/// What the files hold.
#[derive(Debug, Default)]
pub struct Files {
    /// Their values, in the order in which later ones win.
    pub entries: Vec<Entry>,
    /// What is worth telling.
    pub warnings: Vec<String>,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// Files without their ending: those of a folder, or one file.
struct Place {
    stem: PathBuf,
    endings: Vec<String>,
}

impl Place {
    fn paths(&self, profile: Option<&str>) -> impl Iterator<Item = PathBuf> {
        let mut stem = self.stem.clone().into_os_string();
        if let Some(profile) = profile {
            stem.push(format!("-{profile}"));
        }
        self.endings.iter().map(move |ending| {
            let mut path = stem.clone();
            path.push(format!(".{ending}"));
            path.into()
        })
    }
}

/// Reads the files.
pub fn read(wanted: &Wanted, working_dir: &Path) -> Files {
    let mut files = Files::default();
    let places = files.places(wanted, working_dir);
    let base: Vec<_> =
        places.iter().flat_map(|place| place.paths(None)).flat_map(|path| files.documents(&path)).collect();
    let active = wanted.profiles.clone().or_else(|| profiles_of(&base)).unwrap_or_default();
    let mut profiles: Vec<&str> = active.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if profiles.is_empty() {
        profiles.push("default");
    }
    for (path, document) in &base {
        files.take(path, document, &profiles);
    }
    for profile in &profiles {
        // A name with a slash would leave the places that were asked for.
        let plain = !profile.contains(['/', '\\']);
        let paths: Vec<_> = places.iter().filter(|_| plain).flat_map(|place| place.paths(Some(profile))).collect();
        for path in paths {
            for (path, document) in files.documents(&path) {
                files.take(&path, &document, &profiles);
            }
        }
    }
    files
}

fn profiles_of(documents: &[(PathBuf, Document)]) -> Option<String> {
    let always = documents.iter().filter(|(_, document)| condition(document).is_none());
    let mut named = always.flat_map(|(_, document)| document).filter(|(name, ..)| name == PROFILES);
    named.next_back().map(|(_, text, _)| text.clone())
}

/// The profiles for which a document counts; none = for all.
fn condition(document: &Document) -> Option<&str> {
    let names = ["spring.config.activate.on-profile", "spring.profiles"];
    document.iter().find(|(name, ..)| names.contains(&name.as_str())).map(|(_, text, _)| text.as_str())
}

impl Files {
    fn places(&mut self, wanted: &Wanted, working_dir: &Path) -> Vec<Place> {
        let name = wanted.name.as_deref().unwrap_or("application");
        let mut places = Vec::new();
        match &wanted.location {
            Some(list) => self.named_places(LOCATION, list, name, working_dir, &mut places),
            None => places
                .extend([working_dir.to_owned(), working_dir.join("config")].map(|folder| folder_of(&folder, name))),
        }
        if let Some(list) = &wanted.additional {
            self.named_places(ADDITIONAL_LOCATION, list, name, working_dir, &mut places);
        }
        places
    }

    fn named_places(&mut self, key: &str, list: &str, name: &str, working_dir: &Path, places: &mut Vec<Place>) {
        for item in list.split([',', ';']).map(str::trim).filter(|item| !item.is_empty()) {
            let (optional, item) = item.strip_prefix("optional:").map_or((false, item), |item| (true, item));
            if item.starts_with("classpath:") {
                self.warnings.push(format!("{key}: {item} is inside the Java admin's archive and is ignored"));
                continue;
            }
            let item = item.strip_prefix("file:").unwrap_or(item);
            let item = item.strip_prefix("//").unwrap_or(item);
            let path = working_dir.join(item);
            let is_folder = item.ends_with('/') || path.is_dir();
            if !optional && !path.exists() {
                let wrong = format!("{} does not exist", path.display());
                self.faults.push(Fault::new(key, None, wrong, "a file or folder that exists, or optional: before it"));
            } else if is_folder {
                places.push(folder_of(&path, name));
            } else if let Some(ending) = path.extension().and_then(|end| end.to_str()) {
                let endings = vec![ending.to_owned()];
                places.push(Place { stem: path.with_extension(""), endings });
            } else {
                let wrong = format!("{} has no ending", path.display());
                self.faults.push(Fault::new(key, None, wrong, "a file that ends in .properties, .yml or .yaml"));
            }
        }
    }

    /// The documents of a file; none where it does not exist.
    fn documents(&mut self, path: &Path) -> Vec<(PathBuf, Document)> {
        let parsed = match std::fs::read(path) {
            Ok(bytes) => match path.extension().and_then(|end| end.to_str()) {
                Some("properties") => properties::parse(&bytes),
                Some("yml" | "yaml") => yaml::parse(&String::from_utf8_lossy(&bytes)),
                _ => Err("its ending is none of .properties, .yml and .yaml".into()),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => Err(format!("it cannot be read: {error}")),
        };
        match parsed {
            Ok(documents) => documents.into_iter().map(|document| (path.to_owned(), document)).collect(),
            Err(wrong) => {
                let name = path.display().to_string();
                self.faults.push(Fault::new(name, None, wrong, "a readable file in the syntax that its ending says"));
                Vec::new()
            }
        }
    }

    fn take(&mut self, path: &Path, document: &Document, profiles: &[&str]) {
        if let Some(condition) = condition(document)
            && !condition.split(',').map(str::trim).any(|one| match one.strip_prefix('!') {
                Some(not) => !profiles.contains(&not),
                None => profiles.contains(&one),
            })
        {
            return;
        }
        self.entries.extend(document.iter().map(|(name, text, line)| {
            Entry::new(name.as_str(), text.as_str(), Source::File { path: path.to_owned(), line: *line })
        }));
    }
}

fn folder_of(folder: &Path, name: &str) -> Place {
    Place { stem: folder.join(name), endings: ENDINGS.map(str::to_owned).to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files, in which the key `k` says where it comes from.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
            std::fs::write(path, text).expect("file");
        }
        folder
    }

    fn winner(files: &Files) -> Option<&str> {
        assert_eq!(files.faults, []);
        files.entries.iter().rev().find(|entry| entry.name == "k").map(|entry| entry.text.as_str())
    }

    #[test]
    fn the_nearer_place_and_the_properties_win() {
        let all = [
            ("application.yml", "k: yml"),
            ("application.properties", "k=properties"),
            ("config/application.yml", "k: config yml"),
            ("config/application.properties", "k=config properties"),
        ];
        for (count, expected) in [(1, "yml"), (2, "properties"), (3, "config yml"), (4, "config properties")] {
            let folder = folder(&all[..count]);
            assert_eq!(winner(&read(&Wanted::default(), folder.path())), Some(expected));
        }
    }

    #[test]
    fn named_places_replace_or_follow_the_usual_ones() {
        let folder = folder(&[
            ("application.properties", "k=usual"),
            ("other/application.properties", "k=folder"),
            ("one.properties", "k=file"),
            ("one-prod.properties", "k=file of the profile"),
        ]);
        let absolute = format!("file:{}/one.properties", folder.path().display());
        for (location, expected) in [
            ("one.properties", "file"),
            ("file:./other/", "folder"),
            ("other", "folder"),
            (absolute.as_str(), "file"),
            ("one.properties,optional:nowhere/", "file"),
            ("optional:classpath:/,file:other/", "folder"),
        ] {
            let wanted = Wanted { location: Some(location.into()), ..Wanted::default() };
            assert_eq!(winner(&read(&wanted, folder.path())), Some(expected), "{location}");
            let wanted = Wanted { additional: Some(location.into()), ..Wanted::default() };
            assert_eq!(winner(&read(&wanted, folder.path())), Some(expected), "{location}");
        }
        let wanted =
            Wanted { location: Some("one.properties".into()), profiles: Some("prod".into()), ..Wanted::default() };
        assert_eq!(winner(&read(&wanted, folder.path())), Some("file of the profile"));
        let wanted = Wanted { name: Some("one".into()), ..Wanted::default() };
        assert_eq!(winner(&read(&wanted, folder.path())), Some("file"));
        let missing = Wanted { location: Some("nowhere.properties".into()), ..Wanted::default() };
        assert_eq!(read(&missing, folder.path()).faults.len(), 1);
    }

    #[test]
    fn profiles_choose_files_and_documents() {
        let folder = folder(&[
            (
                "application.properties",
                "spring.profiles.active=prod\nk=base\n#---\nspring.config.activate.on-profile=dev\nk=dev\n",
            ),
            ("config/application-prod.properties", "k=prod"),
        ]);
        assert_eq!(winner(&read(&Wanted::default(), folder.path())), Some("prod"));
        let wanted = Wanted { profiles: Some("dev".into()), ..Wanted::default() };
        assert_eq!(winner(&read(&wanted, folder.path())), Some("dev"));
        let wanted = Wanted { profiles: Some("../x".into()), ..Wanted::default() };
        assert_eq!(winner(&read(&wanted, folder.path())), Some("base"));
    }

    #[test]
    fn a_file_that_cannot_be_understood_is_a_fault() {
        let folder = folder(&[("application.yml", "a: [")]);
        assert_eq!(read(&Wanted::default(), folder.path()).faults.len(), 1);
    }
}
