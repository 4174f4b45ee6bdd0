//! Links to servers: one per share group. The first one is opened by eglInitialize, so that a missing server or driver is told
//! there; it serves the first context.

use crate::settings;
use forerun_gl::Group;
use forerun_link::{ClientLink, LinkOptions};
use forerun_pipe::Fault;
use forerun_pipe::caps::Caps;
use forerun_pipe::knobs::{Knobs, PREFIX, Transport};
use parking_lot::Mutex;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once, Weak};

/// The link that no context uses yet.
static SPARE: Mutex<Option<(ClientLink, Caps)>> = Mutex::new(None);
/// What servers can do, as the first one told.
static CAPS: Mutex<Option<Arc<Caps>>> = Mutex::new(None);
/// Groups that may still be alive.
static GROUPS: Mutex<Vec<(u64, Weak<Group>)>> = Mutex::new(Vec::new());
static NEXT_SESSION: AtomicU64 = AtomicU64::new(1);
/// Moves in the child of every fork.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// How often this process is the child of a fork that happened after the first link. What was made under another count is lost.
pub fn forks() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

/// In the child of a fork. The link knows by itself that it belongs to the parent.
extern "C" fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    forerun_gl::entry::forked();
}

fn watch_forks() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler only adds to an atomic and moves a pointer of its thread.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    });
}

/// What the server can do; opens the first link if there was none.
///
/// # Errors
/// A sentence that names what is missing.
pub fn caps() -> Result<Arc<Caps>, String> {
    let mut known = CAPS.lock();
    if let Some(caps) = &*known {
        return Ok(caps.clone());
    }
    let (link, caps) = open()?;
    let shared = Arc::new(caps.clone());
    *SPARE.lock() = Some((link, caps));
    *known = Some(shared.clone());
    Ok(shared)
}

/// A share group on a link of its own.
///
/// # Errors
/// A sentence that names what is missing.
pub fn new_group() -> Result<Arc<Group>, String> {
    let spare = SPARE.lock().take();
    let alive = spare.and_then(|(mut link, caps)| {
        // A server that died while nobody used it is found out here.
        let _ = link.drain_events();
        link.lost().is_none().then_some((link, caps))
    });
    let (link, caps) = match alive {
        Some(pair) => pair,
        None => open()?,
    };
    let group = Group::new(link, caps, settings::knobs()?.run_ahead);
    let mut groups = GROUPS.lock();
    groups.retain(|(_, group)| group.strong_count() > 0);
    groups.push((NEXT_SESSION.fetch_add(1, Ordering::Relaxed), Arc::downgrade(&group)));
    Ok(group)
}

/// Groups that are alive, with their sessions' numbers.
pub fn groups() -> Vec<(u64, Arc<Group>)> {
    let Some(groups) = GROUPS.try_lock() else { return Vec::new() };
    groups.iter().filter_map(|(number, group)| Some((*number, group.upgrade()?))).collect()
}

/// Takes down the counters of a group that may be about to end.
pub fn note(group: &Arc<Group>) {
    let number = GROUPS
        .lock()
        .iter()
        .find(|(_, other)| other.as_ptr() == Arc::as_ptr(group))
        .map(|(number, _)| *number);
    if let Some(number) = number {
        crate::stats::note(number, group);
    }
}

/// What the server can do, if that is known.
pub fn known_caps() -> Option<Arc<Caps>> {
    CAPS.try_lock().and_then(|caps| caps.clone())
}

fn open() -> Result<(ClientLink, Caps), String> {
    let knobs = settings::knobs()?;
    watch_forks();
    crate::stats::begin(knobs);
    let mut options = LinkOptions::from_knobs(knobs);
    options.wants = wants();
    let (link, caps) = match &knobs.transport {
        Transport::Spawn | Transport::Unix(_) => {
            ClientLink::connect(&options).map_err(|fault| sentence(&knobs.transport, &fault))?
        }
        Transport::Inproc | Transport::Monolith => embedded(knobs, &options)?,
    };
    log::info!(
        "session with {} through {}: {} on {} ({})",
        link.server_pid(),
        knobs.transport,
        caps.backend,
        caps.renderer,
        caps.version
    );
    Ok((link, caps))
}

/// Knobs that this process was given and that the server reads.
fn wants() -> Vec<(String, String)> {
    let own = std::env::vars().filter(|(name, _)| name.starts_with(PREFIX));
    own.filter(|(name, _)| {
        forerun_pipe::knobs::find(name).is_some_and(|knob| {
            knob.reader != forerun_pipe::knobs::Reader::Client || name == "FORERUN_GL_VERSION"
        })
    })
    .collect()
}

fn sentence(transport: &Transport, fault: &Fault) -> String {
    match (fault, transport) {
        (Fault::ServerUnavailable { why }, Transport::Unix(file)) => {
            let path = file.display();
            let found = std::fs::metadata(file);
            if found.is_ok_and(|found| !found.file_type().is_socket()) {
                format!("{path} is no socket, so that no server can be there ({why})")
            } else if UnixStream::connect(file).is_ok() {
                // Somebody listens, and has said why this program is not served.
                format!("the server at {path} does not serve this program: {why}")
            } else {
                format!(
                    "no server answers at {path} ({why}); start one with `forerun serve unix:{path}`"
                )
            }
        }
        _ => format!("OpenGL cannot start: {fault}"),
    }
}

/// The calling thread has no context current: a monolith may be applied on another one.
pub fn leave_thread() {
    #[cfg(feature = "embedded")]
    crate::embedded::leave();
}

/// Whether records are applied on the thread that publishes them.
pub fn is_monolith() -> bool {
    settings::knobs().is_ok_and(|knobs| knobs.transport == Transport::Monolith)
}

#[cfg(feature = "embedded")]
fn embedded(knobs: &Knobs, options: &LinkOptions) -> Result<(ClientLink, Caps), String> {
    crate::embedded::open(knobs, options).map_err(|fault| sentence(&knobs.transport, &fault))
}

#[cfg(not(feature = "embedded"))]
fn embedded(knobs: &Knobs, _: &LinkOptions) -> Result<(ClientLink, Caps), String> {
    Err(format!(
        "this build has no server inside, so FORERUN_TRANSPORT={} cannot be used",
        knobs.transport
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn the_advice_is_one_that_helps() {
        let full = Fault::ServerUnavailable { why: "64 sessions run there already".into() };
        let said = |path: &str| sentence(&Transport::Unix(path.into()), &full);
        let folder = std::env::temp_dir().join(format!("forerun-advice-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (socket, file) = (folder.join("socket"), folder.join("file"));
        let (socket, file) = (socket.to_str().unwrap(), file.to_str().unwrap());
        std::fs::write(file, "no socket").unwrap();
        assert!(said(file).contains("is no socket"), "{}", said(file));
        assert!(said(socket).contains("start one with `forerun serve unix:"), "{}", said(socket));
        let listening = UnixListener::bind(socket).unwrap();
        let answer = said(socket);
        assert!(!answer.contains("forerun serve") && answer.contains("64 sessions"), "{answer}");
        drop(listening);
        // A socket that nobody listens at any more.
        assert!(said(socket).contains("forerun serve"), "{}", said(socket));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
