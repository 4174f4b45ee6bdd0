//! `forerun run`: sets the environment and becomes the program.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use forerun_pipe::knobs::{self, Knobs, Transport};

use crate::{Fault, RunArgs, install};

/// The variable in which glvnd is told the EGL vendors; it replaces the system's list.
const VENDOR_FILES: &str = "__EGL_VENDOR_LIBRARY_FILENAMES";

/// The variable that names libGLX's vendor: the `NAME` of `libGLX_NAME.so.0`.
const GLX_VENDOR: (&str, &str) = ("__GLX_VENDOR_LIBRARY_NAME", "forerun");
/// Where the loader finds that library.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// Becomes the program; returns only if that fails.
///
/// # Errors
/// A sentence for a missing program, library or server, and for a bad knob.
pub fn run(args: &RunArgs) -> Result<ExitCode, Fault> {
    let (program, rest) = args.program.split_first().ok_or_else(|| Fault::new("no program"))?;
    let mut set = knob_flags(&[
        ("FORERUN_TRANSPORT", args.transport.as_deref()),
        ("FORERUN_BACKEND", args.backend.as_deref()),
        ("FORERUN_STATS", args.stats.then_some("1")),
    ]);
    if let Some(file) = &args.stats_json {
        set.push(("FORERUN_STATS_JSON", file.clone().into_os_string()));
    }
    let knobs = knobs_with(&set)?;
    let file = find_program(program)?;
    let library = install::library()?;
    match &knobs.transport {
        Transport::Spawn => {
            let server = install::server(knobs.server_path.as_deref())?;
            set.push(("FORERUN_SERVER_PATH", server.into_os_string()));
        }
        Transport::Unix(path) => knock(path)?,
        Transport::Monolith | Transport::Inproc => {}
    }
    set.push((VENDOR_FILES, install::vendor_json(&library)?.into_os_string()));
    set.push((GLX_VENDOR.0, GLX_VENDOR.1.into()));
    let mut path = install::vendor_folder(&library)?.into_os_string();
    if let Some(old) = std::env::var_os(LIBRARY_PATH).filter(|old| !old.is_empty()) {
        path.push(":");
        path.push(old);
    }
    set.push((LIBRARY_PATH, path));
    from_here(&mut set);
    let error = Command::new(&file).arg0(program).args(rest).envs(set).exec();
    Err(cannot_start(&file, &error))
}

/// Adds the knobs of the environment, and makes the paths of all absolute: the program may change its folder before they are looked at.
fn from_here(set: &mut Vec<(&'static str, OsString)>) {
    for knob in knobs::TABLE {
        let given = set.iter().any(|(name, _)| *name == knob.name);
        if let Some(value) = std::env::var_os(knob.name).filter(|_| !given) {
            set.push((knob.name, value));
        }
    }
    for (name, value) in set {
        *value = knobs::from_here(OsStr::new(name), std::mem::take(value));
    }
}

/// The flags that were given, as variables.
pub fn knob_flags(flags: &[(&'static str, Option<&str>)]) -> Vec<(&'static str, OsString)> {
    flags.iter().filter_map(|(name, value)| value.map(|v| (*name, OsString::from(v)))).collect()
}

/// The knobs of the environment with `set` laid over it.
///
/// # Errors
/// The first bad knob.
pub fn knobs_with(set: &[(&'static str, OsString)]) -> Result<Knobs, Fault> {
    let kept = std::env::vars_os().filter(|(name, _)| set.iter().all(|(over, _)| name != over));
    let over = set.iter().filter(|(name, _)| name.starts_with("FORERUN_"));
    let over = over.map(|(name, value)| (OsString::from(name), value.clone()));
    Ok(Knobs::parse(kept.chain(over))?)
}

/// What to say when a program could not be started.
pub fn cannot_start(program: &Path, error: &io::Error) -> Fault {
    let status = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    Fault { sentence: format!("cannot start {}: {error}", program.display()), status }
}

/// The program's file: as named when the name has a slash, else the first in `PATH`.
fn find_program(name: &OsStr) -> Result<PathBuf, Fault> {
    let text = name.to_string_lossy();
    let named = Path::new(name);
    if text.contains('/') {
        return match (named.exists(), install::is_executable(named)) {
            (true, true) => Ok(named.to_owned()),
            (true, false) => {
                Err(Fault { sentence: format!("{text} cannot be executed"), status: 126 })
            }
            (false, _) => Err(Fault { sentence: format!("there is no {text}"), status: 127 }),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(named))
        .find(|file| install::is_executable(file))
        .ok_or_else(|| Fault {
            sentence: format!("there is no program {text} in PATH"),
            status: 127,
        })
}

/// Whether something else than a socket has that name.
pub fn is_no_socket(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.file_type().is_socket())
}

/// Checks that a server listens at `path`, so that the program does not start without GL.
pub fn knock(path: &Path) -> Result<(), Fault> {
    match UnixStream::connect(path) {
        Ok(_) => Ok(()),
        Err(_) if is_no_socket(path) => Err(Fault::new(format!(
            "{} is no socket, so that no server can be there",
            path.display()
        ))),
        Err(error) => {
            let path = path.display();
            Err(Fault::new(format!(
                "no server answers at {path} ({error}); start one with `forerun serve unix:{path}`"
            )))
        }
    }
}
