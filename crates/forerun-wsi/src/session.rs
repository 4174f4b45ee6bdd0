//! Links to servers: one per share group. The first one is opened by eglInitialize, so that a missing server or driver is told
//! there; it serves the first context.

use crate::settings;
use forerun_gl::Group;
use forerun_link::{ClientLink, LinkOptions};
use forerun_pipe::Fault;
use forerun_pipe::caps::Caps;
use forerun_pipe::knobs::{Knobs, PREFIX, Transport};
use parking_lot::Mutex;
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
        (Fault::ServerUnavailable { why }, Transport::Unix(path)) => format!(
            "no server answers at {path} ({why}); start one with `forerun serve unix:{path}`",
            path = path.display()
        ),
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
