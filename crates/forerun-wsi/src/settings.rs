//! The knobs of this process, read once, and the messages that a person must see.

use forerun_pipe::knobs::{ExtensionEdit, Knobs, Log, LogLevel, from_here};
use parking_lot::Mutex;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

static KNOBS: OnceLock<Result<Knobs, String>> = OnceLock::new();

/// The knobs of the environment, as they were at the first EGL call.
///
/// # Errors
/// A sentence that names the knob, its value and what is allowed.
pub fn knobs() -> Result<&'static Knobs, String> {
    KNOBS.get_or_init(read).as_ref().map_err(Clone::clone)
}

/// The version of FORERUN_GL_VERSION as 10 × major + minor, 0 without it.
pub fn gl_version() -> u32 {
    let stated = knobs().ok().and_then(|knobs| knobs.gl_version);
    stated.map_or(0, |v| 10 * u32::from(v.major) + u32::from(v.minor))
}

fn read() -> Result<Knobs, String> {
    // Programs change their folder before they make a context.
    let here = |(name, value): (OsString, OsString)| {
        let value = from_here(&name, value);
        (name, value)
    };
    let read = Knobs::parse(std::env::vars_os().map(here)).map_err(|error| error.to_string());
    let read = read.and_then(|knobs| start_log(&knobs.log).map(|()| knobs));
    read.inspect_err(|_| {
        // Standard error takes the sentence; this log always starts.
        let _ = start_log(&Knobs::default().log);
    })
}

struct Logger {
    /// Standard error without one.
    file: Option<File>,
}

impl log::Log for Logger {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target().starts_with("forerun") && metadata.level() <= log::max_level()
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        // One write per line, so that two processes on one file do not mix within a line. A log that cannot be written is no reason to
        // fail.
        let level = match record.level() {
            log::Level::Error | log::Level::Warn => String::new(),
            level => format!("{} ", level.as_str().to_ascii_lowercase()),
        };
        let line = match &self.file {
            Some(_) => {
                format!("{} {level}{}: {}\n", std::process::id(), record.target(), record.args())
            }
            None => format!("forerun: {level}{}\n", record.args()),
        };
        let _ = match &self.file {
            Some(file) => (&*file).write_all(line.as_bytes()),
            None => std::io::stderr().write_all(line.as_bytes()),
        };
    }

    fn flush(&self) {}
}

fn start_log(knob: &Log) -> Result<(), String> {
    let level = match knob.level {
        LogLevel::Off => log::LevelFilter::Off,
        LogLevel::Error => log::LevelFilter::Error,
        LogLevel::Warn => log::LevelFilter::Warn,
        LogLevel::Info => log::LevelFilter::Info,
        LogLevel::Debug => log::LevelFilter::Debug,
        LogLevel::Trace => log::LevelFilter::Trace,
    };
    let open = |path: &PathBuf| {
        let file = File::options().create(true).append(true).open(path);
        file.map_err(|error| format!("FORERUN_LOG: cannot open {}: {error}", path.display()))
    };
    let file = knob.file.as_ref().map(open).transpose()?;
    // Only the first call takes: tests in one process may have set another.
    if log::set_logger(Box::leak(Box::new(Logger { file }))).is_ok() {
        log::set_max_level(level);
    }
    Ok(())
}

/// The names of extensions with the edits of a knob that begin with `prefix`, as one string with spaces.
pub fn edited(prefix: &str, names: &[&str], edits: &[ExtensionEdit]) -> String {
    let mut names: Vec<&str> = names.to_vec();
    for edit in edits.iter().filter(|edit| edit.name.starts_with(prefix)) {
        names.retain(|name| *name != edit.name);
        if edit.advertise {
            names.push(&edit.name);
        }
    }
    names.join(" ")
}

/// Logs what a person must mend, once for each sentence: programs try again and again.
pub fn complain(sentence: &str) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut said = SAID.lock();
    if said.iter().all(|old| old != sentence) {
        said.push(sentence.to_owned());
        log::error!("{sentence}");
    }
}
