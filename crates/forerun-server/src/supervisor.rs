//! The listening server: accepts clients and gives each a session in a process, or a thread, of its own.

use crate::session::{self, Make, Terms};
use crate::stats::Scope;
use forerun_link::{ServerLink, ServerOptions, check_user};
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
use std::time::Duration;

/// Sessions at once at most.
pub const MAX_SESSIONS: usize = 64;
/// Clients that are being told at once, at most, why they are not served.
const MAX_REFUSALS: usize = 8;

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
    listen_at(path).map_err(|error| unavailable(format!("cannot listen on {shown}: {error}")))
}

/// The file takes its name once the socket listens, and only this user may connect: whoever may, can do what this user can.
fn listen_at(path: &Path) -> std::io::Result<UnixListener> {
    let draft = path.with_file_name(format!(".f{}", std::process::id()));
    // One of that name is of a process that is no more.
    let _ = std::fs::remove_file(&draft);
    let listener = UnixListener::bind(&draft)?;
    let named = std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(0o600))
        // Unlike a renaming, a link does not take the place of what another server made meanwhile.
        .and_then(|()| std::fs::hard_link(&draft, path));
    std::fs::remove_file(&draft)?;
    named.map(|()| listener)
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
    let refusals = Arc::new(AtomicUsize::new(0));
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // Out of descriptors, or a client that left before it was accepted: the next may do better.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
                log::error!("cannot accept: {error}");
                std::thread::sleep(Duration::from_millis(100));
                continue;
            }
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
            Err(error) => return Err(Fault::System { what: "accept", why: error.to_string() }),
        };
        let has_room = || match sessions.load(Ordering::Relaxed) {
            0..MAX_SESSIONS => Ok(()),
            _ => Err(Fault::ServerUnavailable {
                why: format!("{MAX_SESSIONS} sessions run there already"),
            }),
        };
        if let Err(fault) = check_user(&stream).and_then(|()| has_room()) {
            log::error!("a client was turned away: {fault}");
            turn_away(stream, fault, &refusals);
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

/// Tells a client why it is not served, on a thread of its own: it need not read, nor speak. Clients that come while
/// [`MAX_REFUSALS`] are being told are hung up on.
fn turn_away(stream: UnixStream, fault: Fault, refusals: &Arc<AtomicUsize>) {
    if refusals.load(Ordering::Relaxed) >= MAX_REFUSALS {
        return;
    }
    let place = Place::take(refusals);
    let options =
        ServerOptions { same_user: false, wait: Duration::from_secs(1), ..Default::default() };
    let told = std::thread::Builder::new().name("forerun-refusal".into()).spawn(move || {
        let _place = place;
        // It is in the log already.
        let _ = ServerLink::accept::<()>(stream.into(), &options, |_| Err(fault));
    });
    if let Err(error) = told {
        log::error!("cannot tell a client that it is turned away: {error}");
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
