//! Links to servers of every topology.

use crate::cell::{Backend, Cell, Mode, Topology};
use forerun_link::{ClientLink, LinkOptions, ServerLink, ServerOptions, Sizes};
use forerun_pipe::Fault;
use forerun_pipe::caps::Caps;
use forerun_pipe::knobs::{Backend as Choice, Knobs, Transport};
use forerun_server::gate::{Gated, Hand};
use forerun_server::peer::LinkPeer;
use forerun_server::session::start_thread;
use forerun_server::stats::Scope;
use forerun_server::{NullBackend, Session};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// A listening server and the socket that it listens on, one per way of being started.
struct Listening {
    kind: Kind,
    child: Child,
}

/// How a listening server was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each session in a process of its own.
    Plain,
    /// The same, and retired stage bytes are overwritten.
    Audit,
    /// All sessions in one process, which keeps a log: [`log_of_threads`].
    Threads,
}

/// Names the socket of the listening server to a process that a test starts.
pub const SOCKET: &str = "SCENARIOS_SOCKET";

static LISTENING: Mutex<Vec<Listening>> = Mutex::new(Vec::new());

/// The folder of sockets and scripts of this run.
pub fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("forerun-scenarios-{}", std::process::id()))
}

/// Ends the listening servers and removes their folder.
pub fn clean_up() {
    if let Ok(mut listening) = LISTENING.lock() {
        for mut server in listening.drain(..) {
            let _ = server.child.kill();
            let _ = server.child.wait();
        }
    }
    let _ = std::fs::remove_dir_all(folder());
}

/// The server's executable: the one that is named, or the one in the folder of what cargo builds; built if it is not there.
pub fn executable() -> PathBuf {
    static FOUND: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut found = FOUND.lock().expect("no panic while it is held");
    if let Some(path) = &*found {
        return path.clone();
    }
    let path = std::env::var_os("FORERUN_SERVER_PATH").map(PathBuf::from).unwrap_or_else(|| {
        let own = std::env::current_exe().expect("this program has a file");
        own.ancestors().nth(2).expect("cargo's folder").join("forerund")
    });
    if !path.is_file() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--release", "--locked", "-p", "forerund"]);
        let built = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(
            built.is_ok_and(|s| s.success()) && path.is_file(),
            "no server: {}",
            path.display()
        );
    }
    found.insert(path).clone()
}

/// The server as the mode wants it started: through a script where it needs a knob of its own.
fn started_for(audit: bool) -> PathBuf {
    let server = executable();
    if !audit {
        return server;
    }
    static LOCK: Mutex<()> = Mutex::new(());
    let _guard = LOCK.lock().expect("no panic while it is held");
    let script = folder().join("forerund-audit");
    if !script.exists() {
        std::fs::create_dir_all(folder()).expect("a folder for the script");
        let text = format!("#!/bin/sh\nFORERUN_AUDIT=1 exec '{}' \"$@\"\n", server.display());
        // Written under another name first: a script that is open for writing cannot be run.
        let draft = script.with_extension("draft");
        std::fs::write(&draft, text).expect("the script can be written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&draft, mode).expect("the script can be made executable");
        std::fs::rename(&draft, &script).expect("the script can be named");
    }
    script
}

/// The log of the server whose sessions are threads.
pub fn log_of_threads() -> PathBuf {
    folder().join("threads.log")
}

/// The socket of a server that listens; started at first.
pub fn socket(kind: Kind) -> PathBuf {
    let mut listening = LISTENING.lock().expect("no panic while it is held");
    let path = folder().join(match kind {
        Kind::Plain => "plain",
        Kind::Audit => "audit",
        Kind::Threads => "threads",
    });
    if listening.iter().any(|server| server.kind == kind) {
        return path;
    }
    std::fs::create_dir_all(folder()).expect("a folder for the socket");
    let mut command = Command::new(started_for(kind == Kind::Audit));
    command.arg(format!("unix:{}", path.display())).stdin(Stdio::null());
    if kind == Kind::Threads {
        command.env("FORERUN_ISOLATE", "thread");
        // Which of several heaps a session's thread gets is chance, and each keeps what it once had.
        command.env("MALLOC_ARENA_MAX", "1");
        command.env("FORERUN_LOG", format!("info:{}", log_of_threads().display()));
    }
    let child = command.spawn().expect("the server starts");
    listening.push(Listening { kind, child });
    let end = Instant::now() + Duration::from_secs(20);
    while !path.exists() {
        assert!(Instant::now() < end, "no socket at {}", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
    path
}

/// Tells every server of this run where gates are. To be called before the first thread.
pub fn allow_gates() {
    std::fs::create_dir_all(folder()).expect("a folder for gates");
    // SAFETY: no other thread has been started yet.
    unsafe { std::env::set_var("FORERUN_TEST_GATES", folder()) };
}

/// A gate for one session.
pub fn new_gate() -> Hand {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("gate-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    Hand::new(&folder().join(name)).expect("a gate")
}

/// How large a link's segments are in a mode.
pub fn sizes(mode: Mode) -> Sizes {
    if mode == Mode::TinyRing { Sizes::TINY } else { Sizes::default() }
}

/// Opens a session, behind the gate of that file if there is one.
///
/// # Errors
/// Why there is none.
pub fn connect(
    cell: &Cell,
    sizes: Sizes,
    gate: Option<&Path>,
) -> Result<(ClientLink, Caps), Fault> {
    let audit = cell.mode == Mode::Audit;
    let backend = match cell.backend {
        Backend::Gl => "gl",
        Backend::Gles => "gles",
        Backend::Null => "null",
    };
    let mut options = LinkOptions {
        sizes,
        wait: Duration::from_secs(30),
        wants: vec![("FORERUN_BACKEND".into(), backend.into())],
        ..LinkOptions::default()
    };
    let granted = ServerOptions { audit, ..ServerOptions::default() };
    let gate = gate.map(Path::to_owned);
    if let Some(name) = gate.as_ref().and_then(|gate| gate.file_name()) {
        let name = name.to_string_lossy().into_owned();
        options.wants.push(("FORERUN_TEST_GATES".into(), name));
    }
    match cell.topology {
        Topology::Spawn => {
            options.transport = Transport::Spawn;
            options.server = Some(started_for(audit));
            ClientLink::connect(&options)
        }
        Topology::Unix => {
            let kind = if audit { Kind::Audit } else { Kind::Plain };
            let foreign = std::env::var_os(SOCKET).map(PathBuf::from);
            options.transport = Transport::Unix(foreign.unwrap_or_else(|| socket(kind)));
            ClientLink::connect(&options)
        }
        Topology::Inproc => {
            let (client, server) = ClientLink::inproc(&options, &granted)?;
            let backend = cell.backend;
            let caps = match gate {
                Some(gate) => start_gated(server, gate, backend)?,
                None => start_thread(server, move || make(backend))?.0,
            };
            Ok((client, caps))
        }
        Topology::Monolith => {
            let (mut client, server) = ClientLink::monolith(&options, &granted)?;
            let mut backend = make(cell.backend)?;
            let caps = backend.caps();
            let mut here = Here::new(server, backend);
            client.set_pump(Box::new(move || here.pump()));
            Ok((client, caps))
        }
    }
}

/// A server on a thread of its own, behind a gate.
fn start_gated(link: ServerLink, gate: PathBuf, backend: Backend) -> Result<Caps, Fault> {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let started = make(backend)
            .and_then(|backend| Ok((Gated::new(Box::new(LinkPeer::new(link)), &gate)?, backend)));
        match started {
            Ok((peer, mut backend)) => {
                let _ = send.send(Ok(backend.caps()));
                Session::with_peer(Box::new(peer), backend, Scope::Thread).run();
            }
            Err(fault) => drop(send.send(Err(fault))),
        }
    });
    receive.recv().expect("it answers")
}

fn make(backend: Backend) -> Result<Box<dyn forerun_server::Backend>, Fault> {
    let backend = match backend {
        Backend::Gl => Choice::Gl,
        Backend::Gles => Choice::Gles,
        Backend::Null => return Ok(Box::new(NullBackend::new())),
    };
    // The driver that spawned servers take too.
    let host_egl = std::env::var_os("FORERUN_HOST_EGL").map(PathBuf::from);
    let knobs = Knobs { backend, host_egl, ..Knobs::default() };
    forerun_gles::open(&knobs)
}

/// A session on the thread that made it.
struct Here {
    session: Option<Session>,
    thread: ThreadId,
}

// SAFETY: a world never leaves the thread that made it; `pump` and `drop` check that.
unsafe impl Send for Here {}

impl Here {
    fn new(link: ServerLink, backend: Box<dyn forerun_server::Backend>) -> Here {
        let session = Some(Session::new(link, backend, Scope::Thread));
        Here { session, thread: std::thread::current().id() }
    }

    fn pump(&mut self) -> Result<(), Fault> {
        assert_eq!(std::thread::current().id(), self.thread, "a monolith stays on its thread");
        self.session.as_mut().map_or(Err(Fault::PeerLost), Session::pump)
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        assert_eq!(std::thread::current().id(), self.thread, "a monolith stays on its thread");
        if let Some(session) = self.session.take() {
            session.end();
        }
    }
}

/// Whether a process is there and no zombie.
pub fn is_running(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}/exe")).read_link().is_ok()
}
