//! Running other programs: with a time limit, with a log, with progress that a person can follow.

use std::fs::File;
use std::io::{IsTerminal, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

use crate::{Doing, Error, Result, out};

/// How a program ended.
pub enum End {
    /// By itself.
    Exit(ExitStatus),
    /// It was still running at its limit, and was killed with all that it started.
    Timeout,
}

/// What a program did within its limit.
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// What it printed, both streams in order.
    pub output: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

impl Ran {
    /// Whether it ended by itself with status 0.
    pub fn ok(&self) -> bool {
        matches!(&self.end, End::Exit(status) if status.success())
    }

    /// Its output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }
}

/// Runs `command` for at most `limit`.
///
/// # Errors
/// When the program cannot be started.
pub fn run_for(command: &mut Command, limit: Duration) -> Result<Ran> {
    Running::start(command)?.wait(limit)
}

/// A program that is running in a process group of its own. Its output goes through a file and not a
/// pipe: a child that outlives the program must not keep us waiting. Dropping it kills it.
pub struct Running {
    child: Child,
    log: File,
    begun: Instant,
}

impl Running {
    /// Starts a program whose output is kept in memory.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(command: &mut Command) -> Result<Running> {
        Running::start_into(command, unnamed_file()?)
    }

    fn start_into(command: &mut Command, log: File) -> Result<Running> {
        let name = command.get_program().to_string_lossy().into_owned();
        let clone = |file: &File| file.try_clone().doing("cannot share the log");
        command.stdin(Stdio::null()).stdout(clone(&log)?).stderr(clone(&log)?).process_group(0);
        let die_with_us = || {
            let kill = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            kill.map_err(std::io::Error::from)
        };
        // SAFETY: between fork and exec it only makes a system call; it neither allocates nor locks.
        let child = unsafe { command.pre_exec(die_with_us) }.spawn();
        let child = child.doing(format!("cannot start {name}"))?;
        Ok(Running { child, log, begun: Instant::now() })
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the program ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits for the end, for at most `limit` since the start; then kills.
    ///
    /// # Errors
    /// When the output cannot be read.
    pub fn wait(self, limit: Duration) -> Result<Ran> {
        self.wait_with(limit, || {})
    }

    /// The same, calling `tick` now and then meanwhile.
    ///
    /// # Errors
    /// When the output cannot be read.
    pub fn wait_with(mut self, limit: Duration, mut tick: impl FnMut()) -> Result<Ran> {
        let mut nap = Duration::from_millis(1);
        let end = loop {
            if let Some(status) = self.ended() {
                break End::Exit(status);
            }
            if self.begun.elapsed() > limit {
                break End::Timeout;
            }
            std::thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(20));
            tick();
        };
        let took = self.begun.elapsed();
        self.kill();
        let output = self.output()?;
        Ok(Ran { end, output, took })
    }

    /// What it has printed so far.
    ///
    /// # Errors
    /// When the output cannot be read.
    pub fn output(&mut self) -> Result<Vec<u8>> {
        let mut output = Vec::new();
        let mut at = 0;
        loop {
            // Read by position: the program writes through the same file offset.
            let mut part = [0; 8192];
            match self.log.read_at(&mut part, at).doing("the log of a program")? {
                0 => return Ok(output),
                n => {
                    output.extend_from_slice(part.get(..n).unwrap_or_default());
                    at += n as u64;
                }
            }
        }
    }

    /// Asks the program to end, which lets it and what it started say how they end; after `grace` all are killed.
    pub fn ask_to_end(&mut self, grace: Duration) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let asked = Instant::now();
        let group = Pid::from_child(&self.child);
        while asked.elapsed() < grace {
            // The group is there as long as anything in it is.
            if self.ended().is_some() && test_kill_process_group(group).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.kill();
    }

    /// The same, but asks also what the program started.
    pub fn ask_all_to_end(&mut self, grace: Duration) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::TERM);
        self.ask_to_end(grace);
    }

    /// Ends the program and all that it started.
    pub fn kill(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

fn unnamed_file() -> Result<File> {
    let fd = rustix::fs::memfd_create("output", rustix::fs::MemfdFlags::CLOEXEC);
    Ok(File::from(fd.doing("cannot make a file in memory")?))
}

/// One numbered step of a longer command: shows that it goes on, keeps the log, says how it went.
pub struct Steps {
    prefix: String,
    next: usize,
    total: usize,
    begun: Instant,
}

impl Steps {
    /// `total` steps whose logs lie in `out/PREFIX/`.
    pub fn new(prefix: &str, total: usize) -> Steps {
        Steps { prefix: prefix.to_owned(), next: 1, total, begun: Instant::now() }
    }

    /// Says that a step is left out, and why.
    pub fn skip(&mut self, what: &str, why: &str) {
        println!("{} {what}: left out, {why}", self.number());
        self.next += 1;
    }

    /// Does a step inside this process.
    ///
    /// # Errors
    /// The step's own.
    pub fn call(&mut self, what: &str, step: impl FnOnce() -> Result) -> Result {
        println!("{} {what}", self.number());
        let start = Instant::now();
        step()?;
        println!("{} {what}: ok, {}", self.number(), seconds(start.elapsed()));
        self.next += 1;
        Ok(())
    }

    /// Runs a step's program. Its output is kept in a log and shown when it fails.
    ///
    /// # Errors
    /// When the program cannot be started or does not end with status 0.
    pub fn run(&mut self, what: &str, command: &mut Command) -> Result {
        let name = format!("{}/{:02}-{}.log", self.prefix, self.next, what.replace(' ', "-"));
        let log = out(&name)?;
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&log)
            .doing(log.display())?;
        let mut progress = Progress::new(format!("{} {what}", self.number()), log.clone());
        let limit = Duration::from_secs(7200);
        let ran = Running::start_into(command, file)?.wait_with(limit, || progress.tick())?;
        progress.done();
        if ran.ok() {
            println!("{} {what}: ok, {}", self.number(), seconds(ran.took));
            self.next += 1;
            return Ok(());
        }
        println!("{} {what}: FAILED after {}", self.number(), seconds(ran.took));
        println!("{}", tail(&ran.text(), 120));
        Err(Error(format!("{what} failed; the whole log is {}", log.display())))
    }

    /// Says that all is well, and how long it took.
    pub fn finish(self) {
        println!("all {} steps are well, {}", self.total, seconds(self.begun.elapsed()));
    }

    fn number(&self) -> String {
        format!("[{}/{}]", self.next, self.total)
    }
}

/// Shows the last line of a growing log: a spinner on a terminal, a plain line a minute elsewhere.
struct Progress {
    title: String,
    log: PathBuf,
    bar: Option<ProgressBar>,
    begun: Instant,
    said: Instant,
}

impl Progress {
    fn new(title: String, log: PathBuf) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) =
                ProgressStyle::with_template("{spinner} {prefix} [{elapsed}] {wide_msg}")
            {
                bar.set_style(style);
            }
            bar.set_prefix(title.clone());
            bar
        });
        if bar.is_none() {
            println!("{title}");
        }
        Progress { title, log, bar, begun: Instant::now(), said: Instant::now() }
    }

    fn tick(&mut self) {
        let pause = if self.bar.is_some() { 200 } else { 60_000 };
        if self.said.elapsed() < Duration::from_millis(pause) {
            return;
        }
        self.said = Instant::now();
        let last = last_line(&self.log);
        match &self.bar {
            Some(bar) => {
                bar.set_message(last);
                bar.tick();
            }
            None => println!("{}: {}, {last}", self.title, seconds(self.begun.elapsed())),
        }
    }

    fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar for `len` things of one kind; plain output gets a line every tenth.
pub struct Counter {
    bar: Option<ProgressBar>,
    title: String,
    len: usize,
    done: usize,
}

impl Counter {
    /// A bar with this title.
    pub fn new(title: &str, len: usize) -> Counter {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(len as u64);
            let form = "{prefix} {wide_bar} {pos}/{len} [{elapsed}, {eta} left] {msg}";
            if let Ok(style) = ProgressStyle::with_template(form) {
                bar.set_style(style);
            }
            bar.set_prefix(title.to_owned());
            bar
        });
        Counter { bar, title: title.to_owned(), len, done: 0 }
    }

    /// Counts one more, showing `message`.
    pub fn step(&mut self, message: &str) {
        self.done += 1;
        match &self.bar {
            Some(bar) => {
                bar.set_message(message.to_owned());
                bar.inc(1);
            }
            None if self.done == self.len
                || self.done * 10 / self.len > (self.done - 1) * 10 / self.len =>
            {
                println!("{}: {}/{} {message}", self.title, self.done, self.len);
            }
            None => {}
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A duration as people say it: `14 s`, `3 min 20 s`.
pub fn seconds(took: Duration) -> String {
    let s = took.as_secs();
    if s < 60 {
        format!("{:.1} s", took.as_secs_f64())
    } else {
        format!("{} min {} s", s / 60, s % 60)
    }
}

fn last_line(log: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(log)?;
        let len = file.metadata()?.len();
        file.seek(SeekFrom::Start(len.saturating_sub(400)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).trim().lines().last().unwrap_or("").to_owned())
    };
    read().unwrap_or_default()
}

/// The last `count` lines of a text.
pub fn tail(text: &str, count: usize) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines.get(lines.len().saturating_sub(count)..).unwrap_or(&[]).join("\n")
}

/// Cargo, in the root of the tree.
pub fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(crate::root());
    command
}

/// Whether a program of this name is in `PATH`.
pub fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Installs what is missing with apt; each need is a file or a program in `PATH`, and its package.
///
/// # Errors
/// When something is missing and apt cannot be used, with the command that mends it.
pub fn need(needs: &[(String, &str)]) -> Result {
    let there =
        |what: &str| if what.starts_with('/') { Path::new(what).exists() } else { has(what) };
    let mut missing: Vec<&str> =
        needs.iter().filter(|(what, _)| !there(what)).map(|(_, package)| *package).collect();
    missing.dedup();
    if missing.is_empty() {
        return Ok(());
    }
    let cure = format!("apt-get install -y {}", missing.join(" "));
    if !has("apt-get") || !rustix::process::getuid().is_root() {
        return Err(Error(format!("missing {}; as root: {cure}", missing.join(" "))));
    }
    let mut steps = Steps::new("apt", 2);
    steps.run("apt-get update", Command::new("apt-get").arg("update"))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "--no-install-recommends"]).args(&missing);
    steps.run(&cure, install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// A file of the machine's library folder.
pub fn system_library(name: &str) -> String {
    format!("/usr/lib/{}-linux-gnu/{name}", std::env::consts::ARCH)
}

/// What the build needs besides Rust, with its package.
pub fn toolchain() -> Vec<(String, &'static str)> {
    vec![("g++".into(), "g++")]
}

/// What tests, demo and measurements run or load, with its package.
pub fn programs() -> Vec<(String, &'static str)> {
    vec![
        (system_library("libEGL.so.1"), "libegl1"),
        (system_library("libGLESv2.so.2"), "libgles2"),
        (system_library("libOpenGL.so.0"), "libopengl0"),
        (system_library("libGLX.so.0"), "libglx0"),
        (system_library("libEGL_mesa.so.0"), "libegl-mesa0"),
        (system_library("libGLX_mesa.so.0"), "libglx-mesa0"),
        (system_library("dri/swrast_dri.so"), "libgl1-mesa-dri"),
        ("Xvfb".into(), "xvfb"),
        ("piglit".into(), "piglit"),
        ("glmark2-es2".into(), "glmark2-es2-x11"),
        ("glmark2".into(), "glmark2-x11"),
        ("es2gears_x11".into(), "mesa-utils"),
        ("wflinfo".into(), "waffle-utils"),
        ("virgl_test_server".into(), "virgl-server"),
    ]
}
