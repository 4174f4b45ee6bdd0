//! The listening server: accepts clients and gives each a session in a process, or a thread, of its own.

use crate::session::{self, Make, Terms};
use crate::stats::Scope;
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::knobs::Isolate;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sessions at once at most.
const MAX_SESSIONS: usize = 64;

/// Makes a [`Make`] for each session's thread.
pub type Makers = dyn Fn() -> Box<Make<'static>> + Send + Sync;

/// Binds the socket. A socket file that nobody listens on any more is replaced.
///
/// # Errors
/// One sentence: somebody listens already, something else is in the way, or the system's words.
pub fn bind(path: &Path) -> Result<UnixListener> {
    let shown = path.display();
    let unavailable = |why: String| Fault::ServerUnavailable { why };
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.file_type().is_socket() => {
            return Err(unavailable(format!("{shown} exists and is not a socket")));
        }
        Ok(_) => match UnixStream::connect(path) {
            Ok(_) => return Err(unavailable(format!("a server already listens on {shown}"))),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path).map_err(|error| {
                    unavailable(format!("cannot remove the stale socket {shown}: {error}"))
                })?;
            }
            Err(error) => {
                return Err(unavailable(format!("cannot look at the socket {shown}: {error}")));
            }
        },
        Err(_) => {}
    }
    let listener = UnixListener::bind(path)
        .map_err(|error| unavailable(format!("cannot listen on {shown}: {error}")))?;
    // Whoever may connect can do what this user can: nobody else may.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
        .map_err(|error| unavailable(format!("cannot protect {shown}: {error}")))?;
    Ok(listener)
}

/// Accepts clients for ever.
///
/// # Errors
/// When the socket itself fails.
pub fn listen(
    listener: &UnixListener,
    terms: &Terms,
    isolate: Isolate,
    makers: Arc<Makers>,
) -> Result<()> {
    let sessions = Arc::new(AtomicUsize::new(0));
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // Out of descriptors, or a client that left before it was accepted: the next may do better.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
                log::error!("cannot accept: {error}");
                std::thread::sleep(std::time::Duration::from_millis(100));
                continue;
            }
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
            Err(error) => return Err(Fault::System { what: "accept", why: error.to_string() }),
        };
        if !is_allowed(&stream) {
            continue;
        }
        if sessions.load(Ordering::Relaxed) >= MAX_SESSIONS {
            log::error!("a client was turned away: {MAX_SESSIONS} sessions run already");
            continue;
        }
        let place = Place::take(&sessions);
        let started = match isolate {
            Isolate::Process => in_process(stream, place),
            Isolate::Thread => in_thread(stream, terms.clone(), makers.clone(), place),
        };
        if let Err(error) = started {
            log::error!("cannot start a session: {error}");
        }
    }
}

/// A session's place in the count, given back when it ends.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Place(count.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Only processes of our own user, and root's, are served.
fn is_allowed(stream: &UnixStream) -> bool {
    let ours = rustix::process::geteuid();
    match rustix::net::sockopt::socket_peercred(stream) {
        Ok(peer) if peer.uid == ours || peer.uid.is_root() => true,
        Ok(peer) => {
            log::error!("a client of user {} was turned away", peer.uid.as_raw());
            false
        }
        Err(error) => {
            log::error!("a client without credentials was turned away: {error}");
            false
        }
    }
}

/// Starts this executable again with the connection as its standard input.
fn in_process(stream: UnixStream, place: Place) -> std::io::Result<()> {
    let mut child = Command::new("/proc/self/exe")
        .arg0("forerund")
        .arg("session:0")
        .stdin(Stdio::from(OwnedFd::from(stream)))
        .stdout(Stdio::null())
        .spawn()?;
    std::thread::Builder::new().name("forerun-reaper".into()).spawn(move || {
        let _place = place;
        match child.wait() {
            Ok(status) if status.success() => log::info!("session {} ended", child.id()),
            Ok(status) => log::error!("session {} ended: {status}", child.id()),
            Err(error) => log::error!("session {}: {error}", child.id()),
        }
    })?;
    Ok(())
}

fn in_thread(
    stream: UnixStream,
    terms: Terms,
    makers: Arc<Makers>,
    place: Place,
) -> std::io::Result<()> {
    std::thread::Builder::new().name("forerun-session".into()).spawn(move || {
        let _place = place;
        let mut make = makers();
        match session::serve(stream.into(), &terms, Scope::Thread, &mut *make) {
            // One that connects and leaves only looked whether a server is there.
            Ok(_) | Err(Fault::PeerLost) => {}
            Err(fault) => log::error!("no session: {fault}"),
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("forerun-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        folder
    }

    #[test]
    fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let folder = folder("stale");
        let path = folder.join("socket");
        let first = bind(&path).unwrap();
        let said = bind(&path).unwrap_err().to_string();
        assert!(said.contains("already listens"), "{said}");
        drop(first);
        assert!(path.exists(), "the file stays behind");
        bind(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_no_socket_is_left_alone() {
        let folder = folder("plain");
        let path = folder.join("file");
        std::fs::write(&path, "precious").unwrap();
        let said = bind(&path).unwrap_err().to_string();
        assert!(said.contains("is not a socket"), "{said}");
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        let said = bind(&folder.join("missing/socket")).unwrap_err().to_string();
        assert!(said.contains("cannot listen on"), "{said}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
