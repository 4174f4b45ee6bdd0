//! The knobs: every environment variable that Forerun reads, in one table.
//!
//! A row gives the name, the field, the allowed values, the default and the meaning. The typed
//! [`Knobs`], its parser, the command's help and `docs/env.md` all come from it. This crate does no
//! I/O: the caller hands the environment in, usually `Knobs::parse(std::env::vars_os())`.

mod values;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use values::Value;
pub use values::{
    Backend, ExtensionEdit, GlVersion, Isolate, Log, LogLevel, PresentMode, Transport,
};

/// The prefix that every knob has, and that nothing else may have.
pub const PREFIX: &str = "FORERUN_";

/// What a knob accepts; decides parsing, the words of an error and the documentation.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One of these words.
    Word(&'static [&'static str]),
    /// `0` or `1`.
    Switch,
    /// A decimal number between `min` and `max`, both included, counted in `unit`.
    Number {
        /// The least value.
        min: u32,
        /// The greatest value.
        max: u32,
        /// What is counted, as printed after the number; empty for a plain count.
        unit: &'static str,
        /// Whether only powers of two are accepted.
        power_of_two: bool,
    },
    /// Free text of the form described.
    Text(&'static str),
    /// Text of the form described, with a path: that of `path_in`.
    Path {
        /// What is accepted.
        form: &'static str,
        /// The path that a value ends with, if it has one that may be relative.
        path_in: fn(&str) -> Option<&str>,
    },
}

impl fmt::Display for Kind {
    /// The allowed values as they stand in an error and in the docs: `one of a, b, c`, `0 or 1`, …
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Word(words) => write!(f, "one of {}", words.join(", ")),
            Kind::Switch => f.write_str("0 or 1"),
            Kind::Number { min, max, unit, power_of_two } => {
                let what = if *power_of_two { "a power of two" } else { "a number" };
                write!(f, "{what} from {min} to {max}")?;
                if unit.is_empty() { Ok(()) } else { write!(f, " ({unit})") }
            }
            Kind::Text(form) | Kind::Path { form, .. } => f.write_str(form),
        }
    }
}

/// The value is a path.
fn whole(text: &str) -> Option<&str> {
    Some(text)
}

/// Which program reads a knob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The client library.
    Client,
    /// The server.
    Server,
    /// Client and server.
    Both,
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reader::Client => "client",
            Reader::Server => "server",
            Reader::Both => "both",
        })
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct KnobInfo {
    /// The environment variable.
    pub name: &'static str,
    /// What it accepts.
    pub kind: Kind,
    /// The default as one would write it; empty where the default is "not set".
    pub default: &'static str,
    /// Who reads it.
    pub reader: Reader,
    /// What it does, in one or two sentences.
    pub meaning: &'static str,
}

/// A knob that cannot be used: names the knob, the value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KnobError {
    /// The value is not one that the knob accepts.
    #[error("{name} is `{value}`, but it takes {allowed}")]
    BadValue {
        /// The knob.
        name: &'static str,
        /// The value found.
        value: String,
        /// The allowed values.
        allowed: String,
    },
    /// The name begins with `FORERUN_` and is no knob.
    #[error("{name} is not a knob; {hint}")]
    Unknown {
        /// The variable found.
        name: String,
        /// The nearest knob, or the list of all.
        hint: String,
    },
}

/// Makes [`Knobs`], its default, its parser and [`TABLE`] from the rows.
macro_rules! knobs {
    ($($name:literal $field:ident: $type:ty = $default:expr, $text:literal;
       $reader:ident, $kind:expr; $meaning:literal;)+) => {
        /// Every knob, parsed. A field's documentation is its row's meaning.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Knobs { $(#[doc = $meaning] pub $field: $type,)+ }

        impl Default for Knobs {
            fn default() -> Knobs {
                Knobs { $($field: $default,)+ }
            }
        }

        /// The table, in the order of the docs.
        pub const TABLE: &[KnobInfo] = &[$(KnobInfo {
            name: $name, kind: $kind, default: $text, reader: Reader::$reader, meaning: $meaning,
        },)+];

        impl Knobs {
            /// Sets one knob from its text; an empty text restores the default.
            ///
            /// # Errors
            /// [`KnobError`] when there is no such knob or the value is not allowed.
            pub fn set(&mut self, name: &str, text: &str) -> Result<(), KnobError> {
                match name {
                    $($name => self.$field = if text.is_empty() {
                        $default
                    } else {
                        <$type as Value>::parse(text, &$kind).ok_or_else(|| bad($name, text, &$kind))?
                    },)+
                    _ => return Err(unknown(name)),
                }
                Ok(())
            }
        }
    };
}

knobs! {
    "FORERUN_TRANSPORT" transport: Transport = Transport::Spawn, "spawn";
        Client, Kind::Path { form: "monolith, inproc, spawn or unix:PATH", path_in: |text| text.strip_prefix("unix:") };
        "Where the server is: on the program's thread, on a thread of its own, in a process of its own, or behind a socket.";
    "FORERUN_BACKEND" backend: Backend = Backend::Auto, "auto";
        Server, Kind::Word(Backend::WORDS);
        "What the server executes on. `auto` takes `gl` where the host has desktop core 4.3, else `gles`.";
    "FORERUN_PRESENT" present: PresentMode = PresentMode::Auto, "auto";
        Both, Kind::Word(PresentMode::WORDS);
        "How a finished frame reaches the window. `auto` tries native, then shm, then offscreen.";
    "FORERUN_RUN_AHEAD" run_ahead: bool = true, "1";
        Client, Kind::Switch;
        "Whether the client goes on without waiting for the server. 0 is lockstep: it waits after every verb.";
    "FORERUN_PRESENT_CREDIT" present_credit: u32 = 1, "1";
        Client, Kind::Number { min: 1, max: 8, unit: "frames", power_of_two: false };
        "How many presents may be outstanding per surface before the client waits.";
    "FORERUN_GL_VERSION" gl_version: Option<GlVersion> = None, "";
        Client, Kind::Text("a version from 2.0 to 4.6, such as 3.3");
        "The version that contexts report, in place of the one that works.";
    "FORERUN_EXTENSIONS" extensions: Vec<ExtensionEdit> = Vec::new(), "";
        Client, Kind::Text("words of the form +GL_NAME or -GL_NAME");
        "Extensions to advertise or to hide, whatever the server can do.";
    "FORERUN_LOG" log: Log = Log { level: LogLevel::Warn, file: None }, "warn";
        Both, Kind::Path {
            form: "off, error, warn, info, debug or trace, optionally followed by :FILE",
            path_in: |text| Some(text.split_once(':')?.1),
        };
        "The least severe message that is logged, and the file that it is appended to (standard error without one).";
    "FORERUN_STATS" stats: bool = false, "0";
        Client, Kind::Switch;
        "Whether counters of both roles are printed on standard error when the program ends.";
    "FORERUN_STATS_JSON" stats_json: Option<PathBuf> = None, "";
        Client, Kind::Path { form: "a file", path_in: whole };
        "Where the same counters are written as JSON when the program ends.";
    "FORERUN_SERVER_PATH" server_path: Option<PathBuf> = None, "";
        Client, Kind::Path { form: "an executable file", path_in: whole };
        "The server that `spawn` starts; without it, `forerund` beside the library.";
    "FORERUN_HOST_EGL" host_egl: Option<PathBuf> = None, "";
        Both, Kind::Path {
            form: "a shared library",
            // One without a slash is looked for by the loader.
            path_in: |text| text.contains('/').then_some(text),
        };
        "The host's EGL vendor library, in place of the first one that glvnd's folders name.";
    "FORERUN_ISOLATE" isolate: Isolate = Isolate::Process, "process";
        Server, Kind::Word(Isolate::WORDS);
        "What a listening server gives each session: a process or a thread.";
    "FORERUN_RING_KB" ring_kb: u32 = 8192, "8192";
        Both, Kind::Number { min: 4, max: 262_144, unit: "KiB", power_of_two: true };
        "The size of the record ring. A small one wraps often, which tests use.";
    "FORERUN_STAGE_KB" stage_kb: u32 = 8192, "8192";
        Both, Kind::Number { min: 16, max: 1_048_576, unit: "KiB", power_of_two: true };
        "The size of the stage, which carries bulk bytes to the server.";
    "FORERUN_REPLY_KB" reply_kb: u32 = 16_384, "16384";
        Both, Kind::Number { min: 4, max: 262_144, unit: "KiB", power_of_two: true };
        "The size of the segment that carries small answers.";
    "FORERUN_EVENT_KB" event_kb: u32 = 256, "256";
        Both, Kind::Number { min: 4, max: 16_384, unit: "KiB", power_of_two: true };
        "The size of the ring that carries events to the client.";
    "FORERUN_SPIN_US" spin_us: u32 = 50, "50";
        Both, Kind::Number { min: 0, max: 1000, unit: "microseconds", power_of_two: false };
        "How long a waiting side spins before it sleeps; less is used when the cores are busy.";
    "FORERUN_WAIT_MS" wait_ms: u32 = 120_000, "120000";
        Both, Kind::Number { min: 1, max: 3_600_000, unit: "milliseconds", power_of_two: false };
        "How long a bounded wait lasts before the session ends with `WaitExpired`.";
    "FORERUN_RECORD" record: Option<PathBuf> = None, "";
        Server, Kind::Path { form: "a folder", path_in: whole };
        "Where each session's records are written, one file per session, for the fuzzer to replay.";
    "FORERUN_AUDIT" audit: bool = false, "0";
        Both, Kind::Switch;
        "Whether retired stage bytes are overwritten with 0xDD, so that a late reader shows.";
    "FORERUN_QUOTA_MB" quota_mb: u32 = 0, "0";
        Server, Kind::Number { min: 0, max: 16_777_216, unit: "MiB", power_of_two: false };
        "How much a session's buffers, textures and renderbuffers may take before it ends with `QuotaExceeded`; 0 is no limit.";
    "FORERUN_QUOTA_OBJECTS" quota_objects: u32 = 0, "0";
        Server, Kind::Number { min: 0, max: 100_000_000, unit: "objects", power_of_two: false };
        "How many objects of all kinds a session may have before it ends with `QuotaExceeded`; 0 is no limit.";
    "FORERUN_QUOTA_COMPILE_MS" quota_compile_ms: u32 = 0, "0";
        Server, Kind::Number { min: 0, max: 3_600_000, unit: "milliseconds", power_of_two: false };
        "How long the host's compiler may work for a session before it ends with `QuotaExceeded`; 0 is no limit.";
    "FORERUN_TEST_GATES" test_gates: Option<PathBuf> = None, "";
        Server, Kind::Path { form: "a file, or a folder of files that clients name", path_in: whole };
        "For tests: the file by which a session's records are held back or slowed down.";
}

impl Knobs {
    /// Parses the knobs among `vars`; other variables are passed over. Of several faults, the
    /// one whose name sorts first is reported, so that the message does not depend on the order.
    ///
    /// # Errors
    /// [`KnobError`] for a value that its knob does not accept, and for a name that begins with
    /// `FORERUN_` and is no knob.
    pub fn parse<I, K, V>(vars: I) -> Result<Knobs, KnobError>
    where
        I: IntoIterator<Item = (K, V)>,
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        let mut knobs = Knobs::default();
        let mut fault: Option<(String, KnobError)> = None;
        for (name, value) in vars {
            let Some(name) = name.as_ref().to_str().filter(|n| n.starts_with(PREFIX)) else {
                continue;
            };
            let Err(error) = knobs.set_os(name, value.as_ref()) else { continue };
            if fault.as_ref().is_none_or(|(first, _)| name < first.as_str()) {
                fault = Some((name.to_owned(), error));
            }
        }
        match fault {
            Some((_, error)) => Err(error),
            None => Ok(knobs),
        }
    }

    fn set_os(&mut self, name: &str, value: &OsStr) -> Result<(), KnobError> {
        match (value.to_str(), find(name)) {
            (Some(text), _) => self.set(name, text),
            (None, Some(knob)) => Err(bad(knob.name, &value.to_string_lossy(), &knob.kind)),
            (None, None) => Err(unknown(name)),
        }
    }
}

/// The row of a knob.
pub fn find(name: &str) -> Option<&'static KnobInfo> {
    TABLE.iter().find(|knob| knob.name == name)
}

/// The value of an environment variable with a knob's path made absolute, so that it means the same after a change of folder.
/// What is no knob, or has no path, is as it was.
pub fn from_here(name: &OsStr, value: OsString) -> OsString {
    let knob = name.to_str().and_then(find);
    let Some(Kind::Path { path_in, .. }) = knob.map(|knob| knob.kind) else { return value };
    let Some((text, path)) = value.to_str().and_then(|text| Some((text, path_in(text)?))) else {
        return value;
    };
    match std::path::absolute(path) {
        Ok(absolute) => {
            let mut whole = OsString::from(text.strip_suffix(path).unwrap_or_default());
            whole.push(absolute);
            whole
        }
        // An empty path.
        Err(_) => value,
    }
}

fn bad(name: &'static str, value: &str, kind: &Kind) -> KnobError {
    KnobError::BadValue { name, value: value.to_owned(), allowed: kind.to_string() }
}

fn unknown(name: &str) -> KnobError {
    let nearest = TABLE.iter().map(|knob| (distance(name, knob.name), knob.name)).min();
    let hint = match nearest {
        Some((d, near)) if d <= 3 => format!("did you mean {near}?"),
        _ => {
            let names: Vec<_> = TABLE.iter().map(|knob| knob.name).collect();
            format!("the knobs are {}", names.join(", "))
        }
    };
    KnobError::Unknown { name: name.to_owned(), hint }
}

/// How many single-letter edits turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(b.bytes()) {
            let above = *cell;
            left = (diagonal + usize::from(x != y)).min(above + 1).min(left + 1);
            *cell = left;
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(vars: &[(&str, &str)]) -> Result<Knobs, KnobError> {
        Knobs::parse(vars.iter().copied())
    }

    fn message(vars: &[(&str, &str)]) -> String {
        parse(vars).expect_err("refused").to_string()
    }

    #[test]
    fn the_default_of_every_row_is_what_its_text_parses_to() {
        for knob in TABLE {
            let knobs = parse(&[(knob.name, knob.default)]).expect(knob.name);
            assert_eq!(knobs, Knobs::default(), "{}", knob.name);
        }
    }

    #[test]
    fn names_are_unique_and_prefixed() {
        for (i, knob) in TABLE.iter().enumerate() {
            assert!(knob.name.starts_with(PREFIX), "{}", knob.name);
            assert!(TABLE.iter().skip(i + 1).all(|other| other.name != knob.name));
            assert!(knob.meaning.ends_with('.'), "{}", knob.name);
        }
    }

    #[test]
    fn paths_are_those_of_the_folder_at_the_time() {
        let here = std::env::current_dir().unwrap();
        let file = |before: &str, name: &str| format!("{before}{}", here.join(name).display());
        for (name, value, expected) in [
            ("FORERUN_TRANSPORT", "unix:a/s", file("unix:", "a/s")),
            ("FORERUN_TRANSPORT", "spawn", "spawn".into()),
            ("FORERUN_LOG", "debug:l", file("debug:", "l")),
            ("FORERUN_LOG", "debug", "debug".into()),
            ("FORERUN_LOG", "debug:", "debug:".into()),
            ("FORERUN_STATS_JSON", "s.json", file("", "s.json")),
            ("FORERUN_RECORD", "/r", "/r".into()),
            ("FORERUN_HOST_EGL", "libEGL_x.so.0", "libEGL_x.so.0".into()),
            ("FORERUN_HOST_EGL", "./libEGL_x.so.0", file("", "libEGL_x.so.0")),
            ("FORERUN_BACKEND", "gl", "gl".into()),
            ("HOME", "x", "x".into()),
            ("FORERUN_RECORD", "", String::new()),
        ] {
            assert_eq!(
                from_here(OsStr::new(name), value.into()),
                OsString::from(expected),
                "{name}"
            );
        }
    }

    #[test]
    fn values_reach_their_fields() {
        let knobs = parse(&[
            ("HOME", "/root"),
            ("FORERUN_TRANSPORT", "unix:/run/f.sock"),
            ("FORERUN_BACKEND", "gles"),
            ("FORERUN_LOG", "debug:/tmp/f.log"),
            ("FORERUN_RUN_AHEAD", "0"),
            ("FORERUN_PRESENT_CREDIT", "8"),
            ("FORERUN_RING_KB", "4"),
            ("FORERUN_GL_VERSION", "3.3"),
            ("FORERUN_EXTENSIONS", "+GL_A -GL_B"),
            ("FORERUN_ISOLATE", "thread"),
        ])
        .expect("accepted");
        assert_eq!(knobs.transport, Transport::Unix("/run/f.sock".into()));
        assert_eq!(knobs.backend, Backend::Gles);
        let log = Log { level: LogLevel::Debug, file: Some("/tmp/f.log".into()) };
        assert_eq!(knobs.log, log);
        assert!(!knobs.run_ahead);
        assert_eq!(knobs.present_credit, 8);
        assert_eq!(knobs.ring_kb, 4);
        assert_eq!(knobs.gl_version, Some(GlVersion { major: 3, minor: 3 }));
        let edits: Vec<_> =
            knobs.extensions.iter().map(|e| (e.name.as_str(), e.advertise)).collect();
        assert_eq!(edits, [("GL_A", true), ("GL_B", false)]);
        assert_eq!(knobs.isolate, Isolate::Thread);
        assert_eq!(knobs.stage_kb, 8192);
    }

    #[test]
    fn a_bad_value_is_named_with_what_is_allowed() {
        assert_eq!(
            message(&[("FORERUN_BACKEND", "metal")]),
            "FORERUN_BACKEND is `metal`, but it takes one of auto, gl, gles, null"
        );
        assert_eq!(
            message(&[("FORERUN_PRESENT_CREDIT", "9")]),
            "FORERUN_PRESENT_CREDIT is `9`, but it takes a number from 1 to 8 (frames)"
        );
        for (name, value) in [
            ("FORERUN_TRANSPORT", "unix:"),
            ("FORERUN_TRANSPORT", "Spawn"),
            ("FORERUN_RUN_AHEAD", "yes"),
            ("FORERUN_RING_KB", "5"),
            ("FORERUN_RING_KB", "+8"),
            ("FORERUN_SPIN_US", "-1"),
            ("FORERUN_WAIT_MS", "99999999999"),
            ("FORERUN_LOG", "loud"),
            ("FORERUN_LOG", "debug:"),
            ("FORERUN_GL_VERSION", "33"),
            ("FORERUN_GL_VERSION", "1.5"),
            ("FORERUN_GL_VERSION", "3.4"),
            ("FORERUN_GL_VERSION", "9.9"),
            ("FORERUN_EXTENSIONS", "+ARB_x"),
            ("FORERUN_EXTENSIONS", "GL_A"),
        ] {
            let said = message(&[(name, value)]);
            assert!(said.starts_with(&format!("{name} is `{value}`")), "{said}");
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_its_nearest() {
        assert_eq!(
            message(&[("FORERUN_TRANSPRT", "spawn")]),
            "FORERUN_TRANSPRT is not a knob; did you mean FORERUN_TRANSPORT?"
        );
        let said = message(&[("FORERUN_WHATEVER_ELSE", "1")]);
        assert!(said.contains("the knobs are FORERUN_TRANSPORT, "), "{said}");
    }

    #[test]
    fn of_several_faults_the_first_by_name_is_reported() {
        let both = [("FORERUN_RUN_AHEAD", "x"), ("FORERUN_BACKEND", "x")];
        assert!(message(&both).starts_with("FORERUN_BACKEND"));
    }

    #[test]
    fn a_value_that_is_not_text_is_refused_and_other_variables_may_be_anything() {
        use std::os::unix::ffi::OsStrExt;
        let odd = OsStr::from_bytes(b"\xff\xfe");
        assert!(Knobs::parse([(OsStr::new("LANG"), odd)]).is_ok());
        assert!(Knobs::parse([(OsStr::new("FORERUN_LOG"), odd)]).is_err());
    }
}
