//! Finds Forerun's own pieces, and makes what lets a program's EGL and GLX load them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::Fault;

/// The client library as cargo names it, and as it is installed.
const LIBRARY_NAMES: [&str; 2] = ["libforerun_wsi.so", "libEGL_forerun.so.0"];
/// The names under which glvnd looks for the client library. A server started by a program leaves folders
/// with such names out of its own path.
const VENDOR_NAMES: [&str; 2] = ["libEGL_forerun.so.0", "libGLX_forerun.so.0"];
/// The server's file name.
const SERVER_NAME: &str = "forerund";

/// The folders that may hold Forerun's pieces, most likely first: the command's own, and the `lib`
/// folders of the prefix that it is installed in.
fn folders() -> Vec<PathBuf> {
    let Some(own) = std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned))
    else {
        return Vec::new();
    };
    let mut folders = vec![own.clone()];
    if own.file_name().is_some_and(|name| name == "bin")
        && let Some(prefix) = own.parent()
    {
        folders.push(prefix.join("lib").join(format!("{}-linux-gnu", std::env::consts::ARCH)));
        folders.push(prefix.join("lib"));
        folders.push(prefix.join("libexec"));
    }
    folders
}

fn beside(names: &[&str]) -> Option<PathBuf> {
    let folders = folders();
    names.iter().find_map(|name| folders.iter().map(|f| f.join(name)).find(|p| p.is_file()))
}

/// The client library, found beside the command or in its prefix.
///
/// # Errors
/// A sentence that names the folder searched and the command that builds the library.
pub fn library() -> Result<PathBuf, Fault> {
    beside(&LIBRARY_NAMES).ok_or_else(|| {
        Fault::new(format!(
            "no client library ({}) beside the command in {}; build it with `cargo build --release`",
            LIBRARY_NAMES.join(" or "),
            folders().first().map_or_else(String::new, |f| f.display().to_string()),
        ))
    })
}

/// The server: the one that `FORERUN_SERVER_PATH` names, else the one beside the command.
///
/// # Errors
/// A sentence that names the file expected and what mends its absence.
pub fn server(named: Option<&Path>) -> Result<PathBuf, Fault> {
    match named {
        Some(path) if is_executable(path) => Ok(path.to_owned()),
        Some(path) => Err(Fault::new(format!(
            "FORERUN_SERVER_PATH names {}, which is not an executable file",
            path.display()
        ))),
        None => beside(&[SERVER_NAME]).filter(|path| is_executable(path)).ok_or_else(|| {
            Fault::new(format!(
                "no server ({SERVER_NAME}) beside the command in {}; build it with `cargo build \
                 --release`, or name one in FORERUN_SERVER_PATH",
                folders().first().map_or_else(String::new, |f| f.display().to_string()),
            ))
        }),
    }
}

/// Whether `path` is a file that may be executed.
pub fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Writes the vendor file that names `library`, and returns where it is. The file lies in a folder
/// that only this user can write, and is replaced in one step, so that programs started at the
/// same time never see half of it.
///
/// # Errors
/// A sentence that names the file and what the system said.
pub fn vendor_json(library: &Path) -> Result<PathBuf, Fault> {
    let fault = |path: &Path, error: io::Error| {
        Fault::new(format!("cannot write the EGL vendor file {}: {error}", path.display()))
    };
    let folder = runtime_folder();
    private_folder(&folder).map_err(|error| fault(&folder, error))?;
    let file = folder.join(format!("egl-{:016x}.json", hash(library)));
    let text = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": library.to_string_lossy() },
    })
    .to_string();
    if fs::read_to_string(&file).is_ok_and(|old| old == text) {
        return Ok(file);
    }
    let fresh = file.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&fresh, text)
        .and_then(|()| fs::rename(&fresh, &file))
        .map_err(|error| fault(&file, error))?;
    Ok(file)
}

/// Makes a folder in which the loader finds `library` under the names that glvnd's libGLX and libEGL ask
/// for, and returns it. Both names are links to one file, so that a program which uses both has it once.
///
/// # Errors
/// A sentence that names the link and what the system said.
pub fn vendor_folder(library: &Path) -> Result<PathBuf, Fault> {
    let fault = |path: &Path, error: io::Error| {
        Fault::new(format!("cannot make the vendor library's link {}: {error}", path.display()))
    };
    let runtime = runtime_folder();
    private_folder(&runtime).map_err(|error| fault(&runtime, error))?;
    let folder = runtime.join(format!("lib-{:016x}", hash(library)));
    private_folder(&folder).map_err(|error| fault(&folder, error))?;
    for name in VENDOR_NAMES {
        let link = folder.join(name);
        if fs::read_link(&link).is_ok_and(|old| old == library) {
            continue;
        }
        let fresh = folder.join(format!("{name}.{}.tmp", std::process::id()));
        let _ = fs::remove_file(&fresh);
        std::os::unix::fs::symlink(library, &fresh)
            .and_then(|()| fs::rename(&fresh, &link))
            .map_err(|error| fault(&link, error))?;
    }
    Ok(folder)
}

fn hash(library: &Path) -> u64 {
    let mut hash = DefaultHasher::new();
    library.hash(&mut hash);
    hash.finish()
}

/// `$XDG_RUNTIME_DIR/forerun`, or a folder of this user's in the folder for temporary files.
fn runtime_folder() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(dir) if dir.is_dir() => dir.join("forerun"),
        _ => std::env::temp_dir().join(format!("forerun-{}", rustix::process::getuid().as_raw())),
    }
}

/// Makes a folder that only this user can enter, or checks that it is one: in a shared folder
/// somebody else may have made it first, to make our programs load a library of theirs.
fn private_folder(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let found = fs::symlink_metadata(folder)?;
    let ours = found.is_dir()
        && found.uid() == rustix::process::getuid().as_raw()
        && found.mode() & 0o022 == 0;
    if ours {
        Ok(())
    } else {
        Err(io::Error::other("the folder can be written by somebody else; remove it"))
    }
}
