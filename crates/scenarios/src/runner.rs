//! Runs scenarios over their cells, in parallel, each with a bound on its time.

use crate::actors::{self, PLAY, Part};
use crate::cell::{self, Api, Backend, Cell, Mode, Topology};
use crate::servers;
use crate::world::World;
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A scenario that takes longer hangs.
const BOUND: Duration = Duration::from_secs(240);
/// The argument that makes this program run one scenario on one cell.
const CHILD: &str = "--child";

/// What a scenario needs of its cell.
#[derive(Clone, Copy)]
pub struct Needs {
    /// Backends on which it shows.
    pub backends: &'static [Backend],
    /// Whether it runs in a process of its own, with no other beside it, because it measures the process.
    pub alone: bool,
    /// Whether it is tried with every topology, backend and mode, and not only with every pair of them.
    pub each: bool,
    /// Whether its server stands behind a gate, see [`World::held`].
    pub gated: bool,
    /// Which cells of the matrix say something about it.
    pub fits: fn(&Cell) -> bool,
}

impl Needs {
    /// Pixels.
    pub const PIXELS: Needs = Needs {
        backends: &[Backend::Gl, Backend::Gles],
        alone: false,
        each: false,
        gated: false,
        fits: |_| true,
    };
    /// Nothing: it runs on the null backend too.
    pub const NOTHING: Needs =
        Needs { backends: &[Backend::Gl, Backend::Gles, Backend::Null], ..Needs::PIXELS };
    /// Pixels, and what only a desktop host has.
    pub const DESKTOP: Needs = Needs { backends: &[Backend::Gl], ..Needs::PIXELS };
    /// A server that can be held back while the client goes on, and lockstep beside it. Rings are large enough for what is sent
    /// meanwhile: a full ring makes the client wait, as it should.
    pub const GATED: Needs = Needs {
        each: true,
        gated: true,
        fits: |cell| cell.topology != Topology::Monolith && cell.mode != Mode::TinyRing,
        ..Needs::PIXELS
    };
}

/// A behaviour and what it is tried on.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// The room it is in.
    pub room: &'static str,
    /// The behaviour, as a sentence.
    pub name: &'static str,
    /// Tries it.
    pub run: fn(&mut World),
    /// Contexts that have the behaviour.
    pub apis: &'static [Api],
    /// What it needs.
    pub needs: Needs,
}

/// Lists the scenarios of a room, by the contexts that they are tried on and what they need.
#[macro_export]
macro_rules! scenarios {
    ($room:literal; $( $apis:expr, $needs:expr => $($name:ident),+ $(,)? ; )+) => {
        /// The scenarios of this room.
        pub const SCENARIOS: &[$crate::Scenario] = &[ $( $( $crate::Scenario {
            room: $room, name: stringify!($name), run: $name, apis: &$apis, needs: $needs,
        } ),+ ),+ ];
    };
}

struct Job {
    scenario: Scenario,
    cell: Cell,
}

impl Job {
    fn name(&self) -> String {
        format!("{}::{} {}", self.scenario.room, self.scenario.name, self.cell)
    }
}

/// The program: `[WORD…]` runs what has all words in its name (room, behaviour, cell), `--skip=WORD` nothing that has that word;
/// `--list` lists. `parts` are what it plays when it is started for that.
pub fn main(rooms: &[&[Scenario]], parts: &[Part]) -> ExitCode {
    start_log();
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = args.split_first()
        && first == PLAY
    {
        return if actors::play(parts, rest) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let whole = std::env::var("FORERUN_SCENARIOS").is_ok_and(|v| v == "all");
    // Servers inherit the environment and refuse what is no knob of theirs.
    // SAFETY: no other thread has been started yet.
    unsafe { std::env::remove_var("FORERUN_SCENARIOS") };
    servers::allow_gates();
    let child = args.first().is_some_and(|arg| arg == CHILD);
    let words: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    let skipped: Vec<&str> = args.iter().filter_map(|arg| arg.strip_prefix("--skip=")).collect();
    let mut jobs = Vec::new();
    for scenario in rooms.iter().flat_map(|room| room.iter()) {
        let Needs { backends, fits, each, .. } = scenario.needs;
        let apis = scenario.apis;
        let every = whole || child;
        let mut cells = match (every, each) {
            (true, _) => cell::all(backends, apis),
            (false, true) => cell::each(backends, apis),
            (false, false) => cell::pairs(backends, apis),
        };
        cells.retain(fits);
        jobs.extend(cells.into_iter().map(|cell| Job { scenario: *scenario, cell }));
    }
    jobs.retain(|job| {
        let name = job.name();
        if child {
            return args.get(1) == Some(&name);
        }
        words.iter().all(|w| name.contains(*w)) && !skipped.iter().any(|w| name.contains(w))
    });
    if args.iter().any(|arg| arg == "--list") {
        for job in &jobs {
            say(&format!("{}: test", job.name()));
        }
        return ExitCode::SUCCESS;
    }
    if child {
        let failed = jobs.is_empty() || jobs.into_iter().any(|job| !run_here(&job));
        servers::clean_up();
        return if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let started = Instant::now();
    let (alone, together): (Vec<Job>, Vec<Job>) =
        jobs.into_iter().partition(|job| job.scenario.needs.alone);
    let results = Results::new(alone.iter().chain(&together));
    for job in &alone {
        results.put(job, Instant::now(), run_alone(job));
    }
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = together.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let began = Instant::now();
                    results.put(job, began, run_bounded(job));
                }
            });
        }
    });
    servers::clean_up();
    results.finish(started)
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// One scenario on one cell, on this thread.
fn run_here(job: &Job) -> bool {
    let run = || {
        let gate = job.scenario.needs.gated.then(servers::new_gate);
        let mut world = World::behind(gate, job.cell);
        (job.scenario.run)(&mut world);
        world.expect_clean();
        world.expect_only_demanded_waits();
    };
    catch_unwind(AssertUnwindSafe(run)).is_ok()
}

fn run_bounded(job: &Job) -> bool {
    let (send, receive) = mpsc::channel();
    let (scenario, cell) = (job.scenario, job.cell);
    let work = move || {
        let _ = send.send(run_here(&Job { scenario, cell }));
    };
    let thread = std::thread::Builder::new().name(job.name()).spawn(work);
    let Ok(thread) = thread else { return false };
    match receive.recv_timeout(BOUND) {
        Ok(passed) => {
            let _ = thread.join();
            passed
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => false,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            say(&format!("{} hangs; nothing more is run", job.name()));
            servers::clean_up();
            std::process::exit(1)
        }
    }
}

fn run_alone(job: &Job) -> bool {
    let Ok(program) = std::env::current_exe() else { return false };
    let Ok(mut child) = Command::new(program).args([CHILD, &job.name()]).spawn() else {
        return false;
    };
    let end = Instant::now() + BOUND;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(10)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

#[derive(Default)]
struct Tally {
    left: usize,
    cells: usize,
    failed: Vec<String>,
    time: Duration,
}

struct Results(Mutex<BTreeMap<String, Tally>>);

impl Results {
    fn new<'a>(jobs: impl Iterator<Item = &'a Job>) -> Results {
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        for job in jobs {
            let tally = tallies.entry(key(job)).or_default();
            tally.left += 1;
            tally.cells += 1;
        }
        Results(Mutex::new(tallies))
    }

    fn put(&self, job: &Job, began: Instant, passed: bool) {
        let mut tallies = self.0.lock().expect("no panic while it is held");
        let Some(tally) = tallies.get_mut(&key(job)) else { return };
        tally.left -= 1;
        tally.time += began.elapsed();
        if !passed {
            tally.failed.push(job.cell.to_string());
        }
        if tally.left == 0 {
            let verdict = if tally.failed.is_empty() { "ok" } else { "FAILED" };
            let seconds = tally.time.as_secs_f64();
            say(&format!("{} ... {verdict} ({} cells, {seconds:.1} s)", key(job), tally.cells));
        }
    }

    fn finish(self, started: Instant) -> ExitCode {
        let tallies = self.0.into_inner().expect("no panic while it was held");
        let failed: Vec<_> = tallies.iter().filter(|(_, t)| !t.failed.is_empty()).collect();
        for (name, tally) in &failed {
            say(&format!("{name} fails on {}", tally.failed.join(", ")));
        }
        let cells: usize = tallies.values().map(|t| t.cells).sum();
        say(&format!(
            "{} scenarios on {cells} cells: {} failed; {:.0} s",
            tallies.len(),
            failed.len(),
            started.elapsed().as_secs_f64()
        ));
        if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn key(job: &Job) -> String {
    format!("{}::{}", job.scenario.room, job.scenario.name)
}

struct Log;

impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{}: {}\n", record.level(), record.args());
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    fn flush(&self) {}
}

/// The client's own log, for whoever looks for a cause: `FORERUN_LOG=debug`.
fn start_log() {
    let level = std::env::var("FORERUN_LOG").ok().and_then(|v| v.parse().ok());
    if let Some(level) = level
        && log::set_logger(&Log).is_ok()
    {
        log::set_max_level(level);
    }
}
