//! The real world: file system, names, environment and day. It only looks, it never changes anything.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the port to the file system, the environment and the clock"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::net::{IpAddr, ToSocketAddrs as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use crate::base::limits::ADDRESSES_PER_NAME_MAX;
use crate::effects::world::{Node, Platform, World, WorldError};
use crate::model::path::Folding;
use crate::syntax::ast::Date;

/// The longest that a name may take to resolve. The system's own resolver may try for minutes.
const NAME_TIME_MAX: Duration = Duration::from_secs(5);
/// Bytes read of the list of users: real ones have a few hundred lines.
const PASSWD_BYTES_MAX: u64 = 1 << 20;

/// What a real world is made from.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// The workspace root, absolute.
    pub workspace: String,
    /// The working directory of calls that name none.
    pub cwd: Option<String>,
    /// What the gate loads or keeps, canonical.
    pub protected: Vec<String>,
    /// The environment that commands will run in.
    pub environment: BTreeMap<String, String>,
    /// The home directory, where it is not that of the environment or of the user.
    pub home: Option<String>,
    /// The day, where it is not today (in UTC).
    pub today: Option<Date>,
}

/// The real file system and resolver.
#[derive(Debug, Clone)]
pub struct RealWorld {
    setup: Setup,
    home: Option<String>,
    temp: String,
}

impl RealWorld {
    /// Takes a setup as it is; home is `HOME` of its environment, else what the list of users says;
    /// temp is `TMPDIR`, else `/tmp`.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let absolute = |text: &String| text.starts_with('/');
        let variable = |name: &str| setup.environment.get(name).filter(|text| absolute(text)).cloned();
        let home = setup.home.clone().or_else(|| variable("HOME")).or_else(|| {
            let user = rustix::process::getuid().as_raw().to_string();
            passwd_home(|name_and_id| name_and_id.1 == user)
        });
        let temp = variable("TMPDIR").unwrap_or_else(|| "/tmp".to_owned());
        Self { setup, home, temp }
    }

    /// As [`RealWorld::new`], with those variables of this process's environment that `allow` names.
    #[must_use]
    pub fn with_environment_of_process<'a>(
        mut setup: Setup,
        allow: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        for name in allow {
            if let Ok(value) = std::env::var(name) {
                setup.environment.entry(name.to_owned()).or_insert(value);
            }
        }
        Self::new(setup)
    }
}

/// The home directory of the first user for whom `wanted` holds on name and id.
fn passwd_home(wanted: impl Fn((&str, &str)) -> bool) -> Option<String> {
    let mut text = String::new();
    fs::File::open("/etc/passwd").ok()?.take(PASSWD_BYTES_MAX).read_to_string(&mut text).ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let id = fields.nth(1)?;
        let home = fields.nth(2)?;
        (wanted((name, id)) && home.starts_with('/')).then(|| home.to_owned())
    })
}

fn world_error(error: &io::Error) -> WorldError {
    match error.kind() {
        ErrorKind::NotFound => WorldError::Missing,
        ErrorKind::PermissionDenied => WorldError::Denied,
        // The system's words for the code alone: the full text may hold a path.
        _ => WorldError::Other(error.kind().to_string()),
    }
}

impl World for RealWorld {
    fn workspace(&self) -> &str {
        &self.setup.workspace
    }

    fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    fn home_of(&self, user: &str) -> Option<String> {
        passwd_home(|name_and_id| name_and_id.0 == user)
    }

    fn temp(&self) -> Option<&str> {
        Some(&self.temp)
    }

    fn cwd(&self) -> Option<&str> {
        self.setup.cwd.as_deref()
    }

    fn platform(&self) -> Platform {
        Platform::Posix
    }

    fn folding(&self, path: &str) -> Folding {
        folding(path)
    }

    fn inspect(&self, path: &str) -> Result<Node, WorldError> {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Node::Missing),
            Err(error) => return Err(world_error(&error)),
        };
        let kind = metadata.file_type();
        Ok(if kind.is_symlink() {
            let target = fs::read_link(path).map_err(|error| world_error(&error))?;
            Node::Link(target.into_os_string().into_string().map_err(|_| WorldError::NotUtf8)?)
        } else if kind.is_dir() {
            Node::Dir
        } else if kind.is_file() {
            Node::File { hard_links: metadata.nlink() }
        } else {
            Node::Other
        })
    }

    fn list(&self, directory: &str, max: usize) -> Result<Vec<String>, WorldError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(directory).map_err(|error| world_error(&error))? {
            if names.len() >= max {
                return Err(WorldError::TooMany(max));
            }
            let name = entry.map_err(|error| world_error(&error))?.file_name();
            names.push(name.into_string().map_err(|_| WorldError::NotUtf8)?);
        }
        names.sort_unstable();
        Ok(names)
    }

    fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, WorldError> {
        let (send, receive) = mpsc::channel();
        let host = host.to_owned();
        // The resolver cannot be interrupted: a late answer finds nobody, and its thread ends.
        std::thread::spawn(move || {
            let found = (host.as_str(), 0).to_socket_addrs().map(|list| {
                list.map(|address| address.ip()).take(ADDRESSES_PER_NAME_MAX + 1).collect::<Vec<_>>()
            });
            let _ = send.send(found);
        });
        match receive.recv_timeout(NAME_TIME_MAX) {
            Ok(Ok(mut addresses)) if !addresses.is_empty() => {
                addresses.sort_unstable();
                addresses.dedup();
                Ok(addresses)
            }
            Ok(_) => Err(WorldError::Missing),
            Err(_) => Err(WorldError::Other("the name took too long to resolve".to_owned())),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.setup.environment.get(name).cloned()
    }

    fn today(&self) -> Option<Date> {
        if self.setup.today.is_some() {
            return self.setup.today;
        }
        let date = jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::now()).date();
        Some(Date {
            year: u16::try_from(date.year()).ok()?,
            month: u8::try_from(date.month()).ok()?,
            day: u8::try_from(date.day()).ok()?,
        })
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }

    fn protected(&self) -> Vec<String> {
        self.setup.protected.clone()
    }
}

/// macOS compares names without case and in a normal form unless a volume was made otherwise; taking
/// every volume so can only make a block match more.
#[cfg(target_os = "macos")]
fn folding(_path: &str) -> Folding {
    Folding { case: true, unicode: true }
}

/// On Linux the file system of the deepest existing directory tells, or the directory's own flag.
#[cfg(not(target_os = "macos"))]
fn folding(path: &str) -> Folding {
    let existing = Path::new(path).ancestors().find(|dir| fs::metadata(dir).is_ok_and(|m| m.is_dir()));
    let Some(dir) = existing else { return Folding::default() };
    let case = folds_by_type(dir) || folds_by_flag(dir);
    // Linux's folding directories compare names in a normal form too.
    Folding { case, unicode: case }
}

/// vfat, exfat, ntfs, ntfs3, cifs, smb, smb2, hfs+, as statfs(2) and the kernel's sources number them.
#[cfg(not(target_os = "macos"))]
fn folds_by_type(dir: &Path) -> bool {
    const TYPES: [u64; 8] =
        [0x4d44, 0x2011_bab0, 0x5346_544e, 0x7366_746e, 0xff53_4d42, 0x517b, 0xfe53_4d42, 0x482b];
    rustix::fs::statfs(dir).is_ok_and(|stat| {
        // The type is signed on some architectures; the numbers above are what its bits say.
        u64::try_from(stat.f_type).is_ok_and(|number| TYPES.contains(&(number & 0xffff_ffff)))
    })
}

/// `FS_CASEFOLD_FL` of ext4 and f2fs (linux/fs.h).
#[cfg(not(target_os = "macos"))]
fn folds_by_flag(dir: &Path) -> bool {
    const CASEFOLD: u32 = 0x4000_0000;
    use rustix::fs::{Mode, OFlags};
    rustix::fs::open(dir, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .and_then(rustix::fs::ioctl_getflags)
        .is_ok_and(|flags| flags.bits() & CASEFOLD != 0)
}
