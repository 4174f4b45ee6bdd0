//! The server's log: standard error or a file, one write per line.

use forerun_pipe::knobs::{Log, LogLevel};
use std::fs::File;
use std::io::{Error, Write};
use std::sync::OnceLock;

struct Logger {
    /// Standard error without one.
    file: Option<File>,
}

static LOGGER: OnceLock<Logger> = OnceLock::new();

impl log::Log for Logger {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target().starts_with("forerun") && metadata.level() <= log::max_level()
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let level = record.level().as_str().to_ascii_lowercase();
        let line = format!("forerund[{}] {level}: {}\n", std::process::id(), record.args());
        // A log that cannot be written is no reason to fail.
        let _ = match &self.file {
            Some(file) => (&*file).write_all(line.as_bytes()),
            None => std::io::stderr().write_all(line.as_bytes()),
        };
    }

    fn flush(&self) {}
}

/// Starts the log.
///
/// # Errors
/// When its file cannot be opened.
pub fn start(knob: &Log) -> Result<(), Error> {
    let open = |path| File::options().create(true).append(true).open(path);
    let file = knob.file.as_ref().map(open).transpose()?;
    let logger = LOGGER.get_or_init(|| Logger { file });
    if log::set_logger(logger).is_ok() {
        log::set_max_level(match knob.level {
            LogLevel::Off => log::LevelFilter::Off,
            LogLevel::Error => log::LevelFilter::Error,
            LogLevel::Warn => log::LevelFilter::Warn,
            LogLevel::Info => log::LevelFilter::Info,
            LogLevel::Debug => log::LevelFilter::Debug,
            LogLevel::Trace => log::LevelFilter::Trace,
        });
    }
    Ok(())
}
