//! Texts from disk, bounded and checked, and texts to disk, whole or not at all.
#![expect(clippy::disallowed_methods, reason = "the command line reads and writes the files it is told to")]

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use crate::base::limits::POLICY_FILE_BYTES_MAX;
use crate::compile::import::Files;

use super::exit::Failure;

/// The system's answer in words that need no manual.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is no folder".to_owned(),
        ErrorKind::InvalidInput => "the path holds a NUL character".to_owned(),
        ErrorKind::AlreadyExists => "something else stands there".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}

/// Bytes as people read them.
#[must_use]
pub fn size_text(bytes: usize) -> String {
    if bytes.is_multiple_of(1 << 20) { format!("{} MiB", bytes >> 20) } else { format!("{bytes} bytes") }
}

/// Reads a text of at most `max` bytes.
///
/// # Errors
/// One sentence that names neither the file nor its kind: what is wrong, and where in the text.
pub fn read_bounded(from: impl io::Read, max: usize) -> Result<String, String> {
    let mut bytes = Vec::new();
    from.take(max as u64 + 1).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    if bytes.len() > max {
        return Err(format!("it is larger than {}", size_text(max)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..good).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let in_line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let column = String::from_utf8_lossy(in_line).chars().count() + 1;
        format!("line {line}, column {column} is not UTF-8 text")
    })
}

/// Reads a text file of at most `max` bytes; `what` names its kind for people, such as `policy`.
///
/// # Errors
/// Names the file and what is wrong with it.
pub fn read_text(path: &Path, what: &str, max: usize) -> Result<String, Failure> {
    File::open(path)
        .map_err(|error| reason(&error))
        .and_then(|file| read_bounded(file, max))
        .map_err(|why| Failure::unusable(format!("the {what} `{}` cannot be read: {why}", path.display())))
}

/// Whether something stands there, links followed.
#[must_use]
pub fn exists(path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

/// Whether a folder stands there, links followed.
#[must_use]
pub fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_dir())
}

/// The path with links followed; of a missing end, the part that exists is resolved.
#[must_use]
pub fn canonical(path: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !parent.as_os_str().is_empty() => canonical(parent).join(name),
        (Some(_), Some(name)) => fs::canonicalize(".").unwrap_or_default().join(name),
        _ => path.to_path_buf(),
    }
}

/// The path with the links above its last part followed: where the thing itself lies, link or not.
#[must_use]
pub fn canonical_link(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match path.file_name() {
        Some(name) => canonical(parent.unwrap_or_else(|| Path::new("."))).join(name),
        None => canonical(path),
    }
}

/// The path without `.` parts, as it is shown to people.
#[must_use]
pub fn shown(path: &Path) -> String {
    let plain: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    let text = plain.to_string_lossy().into_owned();
    if text.is_empty() { ".".to_owned() } else { text }
}

/// The `*.toll` files of a folder, sorted by name: links count where they lead to a file.
///
/// # Errors
/// What the system said.
pub fn toll_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| reason(&error))? {
        let path = entry.map_err(|error| reason(&error))?.path();
        let is_toll = path.extension().is_some_and(|extension| extension == "toll");
        if is_toll && fs::metadata(&path).is_ok_and(|found| found.is_file()) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The `*.toll` files below a folder, sorted; hidden folders and links to folders are left alone.
///
/// # Errors
/// Names the folder that could not be read.
pub fn toll_files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    files_below(folder, &|name| Path::new(name).extension().is_some_and(|extension| extension == "toll"))
}

/// The files below a folder whose names are wanted, those of a folder before those of its folders,
/// sorted; hidden folders and links to folders are left alone.
///
/// # Errors
/// Names the folder that could not be read.
pub fn files_below(folder: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<PathBuf>, String> {
    let fail = |error: io::Error| format!("`{}`: {}", folder.display(), reason(&error));
    let (mut found, mut inner) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if !name.starts_with('.') {
                inner.push(path);
            }
        } else if wanted(&name) && fs::metadata(&path).is_ok_and(|found| found.is_file()) {
            found.push(path);
        }
    }
    found.sort();
    inner.sort();
    for folder in inner {
        found.extend(files_below(&folder, wanted)?);
    }
    Ok(found)
}

/// Replaces a file's text in one step: a reader sees the old text or the new one. Links stay links,
/// permissions stay as they are.
///
/// # Errors
/// Names the file and what the system said.
pub fn replace_text(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        let target = fs::canonicalize(path)?;
        let folder = target.parent().unwrap_or_else(|| Path::new("."));
        let mut fresh = tempfile::Builder::new().prefix(".tollgate-").tempfile_in(folder)?;
        fresh.write_all(text.as_bytes())?;
        fresh.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
        fresh.as_file().sync_all()?;
        fresh.persist(&target).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| {
        Failure::unusable(format!("`{}` cannot be written: {}", path.display(), reason(&error)))
    })
}

/// Writes a text, whether or not the file is there yet.
///
/// # Errors
/// Names the file and what the system said.
pub fn put_text(path: &Path, text: &str) -> Result<(), Failure> {
    if create_text(path, text, false)? { Ok(()) } else { replace_text(path, text) }
}

/// Removes a file, if it is there.
///
/// # Errors
/// Names the file and what the system said.
pub fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let why = reason(&error);
            Err(Failure::unusable(format!("`{}` cannot be removed: {why}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Writes a new file; one that exists stays as it is.
///
/// # Errors
/// Names the file and what the system said.
pub fn create_text(path: &Path, text: &str, executable: bool) -> Result<bool, Failure> {
    let fail = |error: &io::Error| {
        Failure::unusable(format!("`{}` cannot be written: {}", path.display(), reason(error)))
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| fail(&error))?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(if executable { 0o777 } else { 0o666 });
    }
    match options.open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true).map_err(|error| fail(&error)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(fail(&error)),
    }
}

/// Makes a folder that nobody else looks into, or makes the one that is there so.
///
/// # Errors
/// Names the folder and what the system said.
pub fn private_folder(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    let make = || -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))
    };
    make().map_err(|error| {
        Failure::unusable(format!("the state folder `{}` cannot be made: {}", path.display(), reason(&error)))
            .help("name another with `--state DIR`")
    })
}

/// A copy of a folder, removed with this value.
#[derive(Debug)]
pub struct FolderCopy {
    place: tempfile::TempDir,
}

impl FolderCopy {
    /// Copies files, folders and links (as links); anything else is left out.
    ///
    /// # Errors
    /// What the system said.
    pub fn of(folder: &Path) -> Result<Self, String> {
        let place = tempfile::Builder::new().prefix("tollgate-").tempdir().map_err(|error| reason(&error))?;
        let copy = Self { place };
        copy_folder(folder, &copy.folder()).map_err(|error| reason(&error))?;
        Ok(copy)
    }

    /// Where the copy is.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        canonical(self.place.path()).join("workspace")
    }

    /// A place that goes away with the copy.
    #[must_use]
    pub fn beside(&self, name: &str) -> PathBuf {
        canonical(self.place.path()).join(name)
    }
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    let entries = fs::read_dir(from)?;
    fs::create_dir(to)?;
    for entry in entries {
        let entry = entry?;
        let (source, target, kind) = (entry.path(), to.join(entry.file_name()), entry.file_type()?);
        if kind.is_dir() {
            copy_folder(&source, &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// The folders that each layer may import from.
#[derive(Debug, Default)]
pub struct LayerFolders {
    layers: Vec<Vec<Folder>>,
}

/// A folder as its files' names begin, and where it is.
#[derive(Debug)]
struct Folder {
    shown: PathBuf,
    real: PathBuf,
}

impl LayerFolders {
    /// Adds a layer without folders.
    pub fn add_layer(&mut self) {
        self.layers.push(Vec::new());
    }

    /// Adds a folder to the last layer: names that begin with `shown` lie in `real`.
    pub fn add_folder(&mut self, shown: &Path, real: &Path) {
        if let Some(folders) = self.layers.last_mut() {
            let shown = shown.components().filter(|part| *part != Component::CurDir).collect();
            folders.push(Folder { shown, real: canonical(real) });
        }
    }

    /// Where the file of a layer with this name is, if it lies in one of the layer's folders.
    #[must_use]
    pub fn locate(&self, layer: usize, name: &str) -> Option<PathBuf> {
        let name: PathBuf = Path::new(name).components().filter(|part| *part != Component::CurDir).collect();
        self.layers.get(layer)?.iter().find_map(|folder| {
            let rest = name.strip_prefix(&folder.shown).ok()?;
            // `..` in what is left would lead out; in the shown part it is what the user wrote.
            let inside = rest.components().all(|part| matches!(part, Component::Normal(_)));
            inside.then(|| folder.real.join(rest))
        })
    }

    /// Reads a file of the layer that was added last.
    ///
    /// # Errors
    /// As for imports.
    pub fn read_last(&self, name: &str) -> Result<String, String> {
        self.read(self.layers.len().saturating_sub(1), name)
    }

    /// Where a file with this name is, in whatever layer.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        (0..self.layers.len()).find_map(|layer| self.locate(layer, name)).filter(|path| exists(path))
    }
}

impl Files for LayerFolders {
    fn read(&self, layer: usize, path: &str) -> Result<String, String> {
        let outside = || "it lies outside the folder of its layer".to_owned();
        let place = self.locate(layer, path).ok_or_else(outside)?;
        let real = fs::canonicalize(&place).map_err(|error| reason(&error))?;
        let inside = self
            .layers
            .get(layer)
            .is_some_and(|folders| folders.iter().any(|folder| real.starts_with(&folder.real)));
        if !inside {
            return Err("it is a link that leads outside the folder of its layer".to_owned());
        }
        let found = fs::metadata(&real).map_err(|error| reason(&error))?;
        if !found.is_file() {
            return Err("it is no plain file".to_owned());
        }
        let file = File::open(&real).map_err(|error| reason(&error))?;
        read_bounded(file, POLICY_FILE_BYTES_MAX)
    }
}
