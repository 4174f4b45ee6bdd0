//! Starts a server of our own: a process that is nobody's child, with one end of a socket and nothing else of the program's.

use forerun_pipe::{Fault, fault::Result};
use std::ffi::{CStr, OsStr, OsString};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The server's file name.
const SERVER: &str = "forerund";
/// Where a spawned server finds its socket; its argument is `fd:3`.
pub const SERVER_FD: i32 = 3;

/// The file that this code was loaded from: the program, or the client library.
fn own_file() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the address is of this code; `info` is writable.
    let found = unsafe { libc::dladdr(own_file as *const () as *const _, info.as_mut_ptr()) };
    // SAFETY: zeroed is a valid `Dl_info`.
    let info = unsafe { info.assume_init() };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's string lives as long as this code is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    // A program's own name may be relative to where it was started.
    let path = if path.is_absolute() { path.to_owned() } else { std::env::current_exe().ok()? };
    Some(path.canonicalize().unwrap_or(path))
}

/// The server: the named one, or the one beside this code, or in the `bin` or `libexec` of its prefix.
///
/// # Errors
/// [`Fault::ServerUnavailable`] with the folders searched.
pub fn find_server(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let file = own_file();
    let folders = file.iter().flat_map(|file| file.ancestors().skip(1).take(4));
    let folders: Vec<PathBuf> = folders
        .enumerate()
        .flat_map(|(up, folder)| {
            let deep = [folder.join("bin"), folder.join("libexec")];
            let plain = (up < 2).then(|| folder.to_owned());
            plain.into_iter().chain(deep)
        })
        .collect();
    let found = folders.iter().map(|folder| folder.join(SERVER)).find(|path| path.is_file());
    found.ok_or_else(|| Fault::ServerUnavailable {
        why: format!(
            "no {SERVER} beside the client library ({}); FORERUN_SERVER_PATH can name one",
            file.as_deref().and_then(Path::parent).unwrap_or(Path::new("?")).display()
        ),
    })
}

/// `LD_LIBRARY_PATH` without the folders that hold our own client library: the server must find the host's driver.
fn host_library_path(path: &OsStr) -> OsString {
    let ours = |folder: &[u8]| {
        let folder = Path::new(OsStr::from_bytes(folder));
        folder.join("libEGL_forerun.so.0").exists()
    };
    let kept: Vec<&[u8]> = path.as_bytes().split(|b| *b == b':').filter(|f| !ours(f)).collect();
    OsStr::from_bytes(&kept.join(&b':')).to_owned()
}

/// Starts the server and returns our end of its socket.
///
/// # Errors
/// [`Fault::ServerUnavailable`] with the file and what the system said.
pub fn spawn(named: Option<&Path>) -> Result<OwnedFd> {
    let server = find_server(named)?;
    let unavailable = |why: String| Fault::ServerUnavailable { why };
    let (ours, theirs) =
        UnixStream::pair().map_err(|error| unavailable(format!("socketpair: {error}")))?;
    let mut command = Command::new(&server);
    command
        .arg(format!("fd:{SERVER_FD}"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .env_remove("__EGL_VENDOR_LIBRARY_FILENAMES")
        .env_remove("__EGL_VENDOR_LIBRARY_DIRS")
        .env_remove("__GLX_VENDOR_LIBRARY_NAME");
    if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
        let path = host_library_path(&path);
        if path.is_empty() {
            command.env_remove("LD_LIBRARY_PATH");
        } else {
            command.env("LD_LIBRARY_PATH", path);
        }
    }
    let fd = theirs.as_raw_fd();
    // SAFETY: between fork and exec only async-signal-safe calls are made, on descriptors that are ours.
    unsafe { command.pre_exec(move || detach(fd)) };
    let child = command.spawn();
    drop(theirs);
    match child {
        Ok(mut child) => {
            // This was the process in between; the server itself is nobody's child. A program that reaps all its children may have
            // been faster.
            let _ = child.wait();
            Ok(ours.into())
        }
        Err(error) => Err(unavailable(format!("cannot start {}: {error}", server.display()))),
    }
}

/// In the child: becomes a process that the program cannot wait for and whose terminal signals do not reach, with the socket as
/// the only descriptor besides the standard ones.
fn detach(fd: i32) -> std::io::Result<()> {
    let check = |result: i32| {
        if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(result) }
    };
    // SAFETY: async-signal-safe calls; `_exit` runs no handlers of the program.
    unsafe {
        if check(libc::fork())? != 0 {
            libc::_exit(0);
        }
        check(libc::setsid())?;
        if fd == SERVER_FD {
            check(libc::fcntl(fd, libc::F_SETFD, 0))?;
        } else {
            check(libc::dup2(fd, SERVER_FD))?;
        }
        let first = SERVER_FD as libc::c_uint + 1;
        // The error pipe of `Command` must live until exec, so nothing is closed at once. An old kernel keeps what it keeps.
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_server_is_named() {
        let fault = spawn(Some(Path::new("/no/such/forerund"))).unwrap_err();
        let Fault::ServerUnavailable { why } = fault else { panic!("{fault}") };
        assert!(why.contains("/no/such/forerund"), "{why}");
    }

    #[test]
    fn foreign_folders_stay_on_the_library_path() {
        assert_eq!(host_library_path(OsStr::new("/a:/b")), OsStr::new("/a:/b"));
    }
}
