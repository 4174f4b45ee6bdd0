//! The types that knobs are parsed into.

use std::fmt;
use std::path::PathBuf;

use super::Kind;

/// A type that a knob's text is parsed into.
pub trait Value: Sized {
    /// `None` when the text is not acceptable for a knob of this kind.
    fn parse(text: &str, kind: &Kind) -> Option<Self>;
}

impl Value for bool {
    fn parse(text: &str, _: &Kind) -> Option<bool> {
        match text {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }
}

impl Value for u32 {
    fn parse(text: &str, kind: &Kind) -> Option<u32> {
        let Kind::Number { min, max, power_of_two, .. } = *kind else { return None };
        // `u32::from_str` takes a leading plus; a knob is digits only.
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let n: u32 = text.parse().ok()?;
        ((min..=max).contains(&n) && (!power_of_two || n.is_power_of_two())).then_some(n)
    }
}

impl Value for Option<PathBuf> {
    fn parse(text: &str, _: &Kind) -> Option<Self> {
        Some(Some(PathBuf::from(text)))
    }
}

/// Declares an enum whose variants are the words of a [`Kind::Word`] knob.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every accepted word, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word that stands for this variant.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl Value for $name {
            fn parse(text: &str, _: &Kind) -> Option<Self> {
                match text { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// Which backend the server executes on.
    Backend {
        /// Desktop GL where the host has core 4.3 or later, else OpenGL ES.
        Auto = "auto",
        /// The host's desktop OpenGL, core 4.3 or later.
        Gl = "gl",
        /// The host's OpenGL ES 3.2.
        Gles = "gles",
        /// No driver: records are decoded, checked and dropped.
        Null = "null",
    }
}

words! {
    /// How a finished frame reaches a window.
    PresentMode {
        /// The first of the following that works.
        Auto = "auto",
        /// The server opens the program's display and draws on its window.
        Native = "native",
        /// The server reads frames back into shared memory, the client puts them on the window.
        Shm = "shm",
        /// Frames stay on the server.
        Offscreen = "offscreen",
    }
}

words! {
    /// What the server gives each session.
    Isolate {
        /// A process of its own.
        Process = "process",
        /// A thread of the server.
        Thread = "thread",
    }
}

words! {
    /// The least severe message that is logged.
    LogLevel {
        /// Nothing.
        Off = "off",
        /// What ended a session or made an operation fail.
        Error = "error",
        /// What a person should know.
        Warn = "warn",
        /// What was chosen.
        Info = "info",
        /// What happened.
        Debug = "debug",
        /// Every record.
        Trace = "trace",
    }
}

/// Where the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Records are applied by direct call on the program's own thread.
    Monolith,
    /// A server thread inside the program.
    Inproc,
    /// A server process of the program's own.
    Spawn,
    /// A running server that listens on this unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transport::Monolith => f.write_str("monolith"),
            Transport::Inproc => f.write_str("inproc"),
            Transport::Spawn => f.write_str("spawn"),
            Transport::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Value for Transport {
    fn parse(text: &str, _: &Kind) -> Option<Self> {
        match text {
            "monolith" => Some(Transport::Monolith),
            "inproc" => Some(Transport::Inproc),
            "spawn" => Some(Transport::Spawn),
            _ => {
                let path = text.strip_prefix("unix:")?;
                (!path.is_empty()).then(|| Transport::Unix(PathBuf::from(path)))
            }
        }
    }
}

/// What is logged, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The least severe message that is logged.
    pub level: LogLevel,
    /// The file that messages are appended to; standard error when absent.
    pub file: Option<PathBuf>,
}

impl Value for Log {
    fn parse(text: &str, kind: &Kind) -> Option<Self> {
        let (level, file) = match text.split_once(':') {
            Some((level, file)) if !file.is_empty() => (level, Some(PathBuf::from(file))),
            Some(_) => return None,
            None => (text, None),
        };
        Some(Log { level: LogLevel::parse(level, kind)?, file })
    }
}

/// A GL or GL ES version, as in `3.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GlVersion {
    /// The number before the point.
    pub major: u8,
    /// The number after the point.
    pub minor: u8,
}

impl Value for Option<GlVersion> {
    fn parse(text: &str, _: &Kind) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        let digit = |s: &str| match s.as_bytes() {
            [b @ b'0'..=b'9'] => Some(b - b'0'),
            _ => None,
        };
        let version = GlVersion { major: digit(major)?, minor: digit(minor)? };
        // OpenGL ES has none that OpenGL has not.
        let known = match version.major {
            2 => version.minor <= 1,
            3 => version.minor <= 3,
            4 => version.minor <= 6,
            _ => false,
        };
        known.then_some(Some(version))
    }
}

/// One word of `FORERUN_EXTENSIONS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionEdit {
    /// The extension, `GL_…`, `EGL_…` or `GLX_…`.
    pub name: String,
    /// Whether it is advertised (`+`) or hidden (`-`).
    pub advertise: bool,
}

impl Value for Vec<ExtensionEdit> {
    fn parse(text: &str, _: &Kind) -> Option<Self> {
        text.split_whitespace()
            .map(|word| {
                let (advertise, name) = match word.as_bytes().first()? {
                    b'+' => (true, word.get(1..)?),
                    b'-' => (false, word.get(1..)?),
                    _ => return None,
                };
                let known = ["GL_", "EGL_", "GLX_"].iter().any(|prefix| name.starts_with(prefix));
                known.then(|| ExtensionEdit { name: name.to_owned(), advertise })
            })
            .collect()
    }
}
