//! The server: `forerund unix:PATH` listens, `forerund fd:N` serves the one client that is connected there (`session:N` does so for a
//! listening server), `forerund probe` says what it would run on.

mod backend;
mod logger;
mod probe;

use forerun_pipe::Fault;
use forerun_pipe::knobs::{Backend, Knobs, Transport};
use forerun_server::session::{self, Make, Terms};
use forerun_server::stats::Scope;
use forerun_server::supervisor;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

const USAGE: &str = "forerund unix:PATH | fd:N | probe | --version";

/// Where clients are.
enum Address {
    /// They connect to this socket.
    Unix(PathBuf),
    /// One is connected already, and has started this process.
    Fd(RawFd),
    /// One is connected already, to the server that has started this process and has the log.
    Session(RawFd),
}

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(sentence) => {
            // Nobody is left to tell when standard error is closed.
            let _ = writeln!(std::io::stderr(), "forerund: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<ExitCode, String> {
    let mut args = std::env::args();
    let (Some(address), None) = (args.nth(1), args.next()) else {
        return Err(format!("one address is needed: {USAGE}"));
    };
    match address.as_str() {
        "--version" | "-V" => return say(concat!("forerund ", env!("CARGO_PKG_VERSION"))),
        "--help" | "-h" => return say(USAGE),
        _ => {}
    }
    keep_memory();
    let address = if address == "probe" { None } else { Some(parse(&address)?) };
    let knobs = Knobs::parse(std::env::vars_os()).map_err(|error| error.to_string())?;
    logger::start(&knobs.log).map_err(|error| format!("cannot open the log file: {error}"))?;
    // A session's process was started by way of a link, whose name would be shown.
    if let Err(error) = rustix::thread::set_name(c"forerund") {
        log::debug!("the process keeps its name: {error}");
    }
    let Some(address) = address else { return say(&probe::report(&knobs)) };
    let terms = Terms::from_knobs(&knobs);
    match address {
        Address::Fd(fd) | Address::Session(fd) => {
            let socket = take(fd)?;
            let mut make = backend::maker(&knobs);
            match session::serve(socket, &terms, Scope::Process, &mut *make) {
                // One that connects and leaves only looked whether a server is there.
                Ok(_) | Err(Fault::PeerLost) => Ok(ExitCode::SUCCESS),
                Err(fault) => {
                    // A client that has started its server was told, and tells the user: nobody has to read it twice.
                    let own = matches!(address, Address::Fd(_));
                    let level = if own { log::Level::Info } else { log::Level::Error };
                    log::log!(level, "no session: {fault}");
                    Ok(ExitCode::FAILURE)
                }
            }
        }
        Address::Unix(path) => {
            if knobs.backend != Backend::Null {
                probe::look()?;
            }
            let listener = supervisor::bind(&path).map_err(|fault| fault.to_string())?;
            remove_at_end(&path).map_err(|error| format!("cannot wait for signals: {error}"))?;
            log::info!("listening on {}", path.display());
            let isolate = knobs.isolate;
            let makers = Arc::new(move || -> Box<Make<'static>> { backend::maker(&knobs) });
            supervisor::listen(&listener, &terms, isolate, makers).map_err(|f| f.to_string())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Removes the socket's file when the process is told to end, and then ends as it was told to. Its sessions go on. Signals that
/// whoever started the process wants ignored (nohup) stay so.
fn remove_at_end(socket: &Path) -> std::io::Result<()> {
    let socket = socket.to_owned();
    let own = std::fs::symlink_metadata(&socket)?.ino();
    let mut signals =
        Signals::new([SIGTERM, SIGINT, SIGHUP].into_iter().filter(|s| !is_ignored(*s)))?;
    std::thread::Builder::new().name("forerun-signals".into()).spawn(move || {
        for signal in signals.forever() {
            log::info!("ending by signal {signal}");
            // Somebody may have taken it away, and another server may listen there.
            let is_own = std::fs::symlink_metadata(&socket).is_ok_and(|found| found.ino() == own);
            if is_own && let Err(error) = std::fs::remove_file(&socket) {
                log::warn!("{} stays: {error}", socket.display());
            }
            if let Err(error) = signal_hook::low_level::emulate_default_handler(signal) {
                log::error!("cannot end by signal {signal}: {error}");
            }
        }
    })?;
    Ok(())
}

fn is_ignored(signal: libc::c_int) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: asks only, and says whether it has written.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr()) == 0
            && now.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Keeps what the driver frees for its next frame: software drivers allocate and free tens of MiB per frame, and giving these back to
/// the system each time costs more than the drawing. Memory over [`KEPT`] still goes back.
fn keep_memory() {
    const KEPT: libc::c_int = 128 << 20;
    const GROWTH: libc::c_int = 1 << 20;
    #[cfg(target_env = "gnu")]
    // SAFETY: sets the allocator's parameters, before other threads are there.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        libc::mallopt(libc::M_TOP_PAD, GROWTH);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT / 4);
    }
}

fn say(line: &str) -> Result<ExitCode, String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| error.to_string())?;
    Ok(ExitCode::SUCCESS)
}

fn parse(address: &str) -> Result<Address, String> {
    if let Some((form @ ("fd" | "session"), number)) = address.split_once(':') {
        return match number.parse() {
            Ok(fd) if fd >= 0 && form == "fd" => Ok(Address::Fd(fd)),
            Ok(fd) if fd >= 0 => Ok(Address::Session(fd)),
            _ => Err(format!("`{address}` names no descriptor; the form is {form}:N")),
        };
    }
    let mut knobs = Knobs::default();
    match (knobs.set("FORERUN_TRANSPORT", address), knobs.transport) {
        (Ok(()), Transport::Unix(path)) => Ok(Address::Unix(path)),
        _ => Err(format!("`{address}` is no address; the forms are unix:PATH and fd:N")),
    }
}

/// Takes over an inherited socket, and keeps it from whatever the driver starts.
fn take(fd: RawFd) -> Result<OwnedFd, String> {
    // SAFETY: the descriptor is only looked at, before anything else in this process uses descriptors.
    let inherited = unsafe { BorrowedFd::borrow_raw(fd) };
    let socket = inherited
        .try_clone_to_owned()
        .map_err(|error| format!("descriptor {fd} cannot be used: {error}"))?;
    let null = std::fs::File::open("/dev/null").map_err(|error| format!("/dev/null: {error}"))?;
    // SAFETY: both descriptors are open; the inherited one is replaced by nothing of interest.
    let replaced = unsafe { libc::dup2(null.as_fd().as_raw_fd(), fd) };
    if replaced < 0 { Err(format!("descriptor {fd} cannot be replaced")) } else { Ok(socket) }
}
