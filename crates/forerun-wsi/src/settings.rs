//! The knobs of this process, read once, and the messages that a person must see.

use forerun_pipe::knobs::{ExtensionEdit, Knobs, LogLevel};
use parking_lot::Mutex;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

static KNOBS: OnceLock<Result<Knobs, String>> = OnceLock::new();

/// The knobs of the environment, as they were at the first EGL call.
///
/// # Errors
/// A sentence that names the knob, its value and what is allowed.
pub fn knobs() -> Result<&'static Knobs, String> {
    let read = KNOBS.get_or_init(|| match Knobs::parse(std::env::vars_os()) {
        Ok(knobs) => {
            start_log(&knobs);
            Ok(knobs)
        }
        Err(error) => {
            start_log(&Knobs::default());
            Err(error.to_string())
        }
    });
    read.as_ref().map_err(Clone::clone)
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

fn start_log(knobs: &Knobs) {
    let level = match knobs.log.level {
        LogLevel::Off => log::LevelFilter::Off,
        LogLevel::Error => log::LevelFilter::Error,
        LogLevel::Warn => log::LevelFilter::Warn,
        LogLevel::Info => log::LevelFilter::Info,
        LogLevel::Debug => log::LevelFilter::Debug,
        LogLevel::Trace => log::LevelFilter::Trace,
    };
    let file = knobs.log.file.as_ref();
    let file = file.and_then(|path| File::options().create(true).append(true).open(path).ok());
    // Only the first call takes: tests in one process may have set another.
    if log::set_logger(Box::leak(Box::new(Logger { file }))).is_ok() {
        log::set_max_level(level);
    }
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
