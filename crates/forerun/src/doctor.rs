//! `forerun doctor`: what is found, what would be used, what is missing and what mends it.

use std::fmt;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use forerun_pipe::knobs::{Knobs, PREFIX, Transport};

use crate::{Fault, install, run};

mod probe;

/// How a finding is to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// As it should be.
    Good,
    /// Programs run, but not all of them or not in every mode.
    Warn,
    /// Programs do not run until it is mended.
    Bad,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Good => "ok",
            Verdict::Warn => "note",
            Verdict::Bad => "MISSING",
        })
    }
}

/// One line of the report.
struct Finding {
    what: &'static str,
    verdict: Verdict,
    /// What was found, or what is wrong.
    text: String,
    /// What mends it; empty when there is nothing to mend.
    cure: String,
}

impl Finding {
    fn good(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { what, verdict: Verdict::Good, text: text.into(), cure: String::new() }
    }

    fn not(
        what: &'static str,
        verdict: Verdict,
        text: impl Into<String>,
        cure: impl Into<String>,
    ) -> Finding {
        Finding { what, verdict, text: text.into(), cure: cure.into() }
    }
}

/// Prints the report. The exit status is 1 when something is missing that every program needs.
///
/// # Errors
/// When standard output cannot be written.
pub fn doctor() -> Result<ExitCode, Fault> {
    let knobs = Knobs::parse(std::env::vars_os());
    let mut findings = own_pieces(knobs.as_ref().ok());
    findings.extend(loader());
    findings.push(host_driver(knobs.as_ref().ok()));
    let server = install::server(knobs.as_ref().ok().and_then(|k| k.server_path.as_deref()));
    let drivable = findings.iter().all(|f| f.what != "host driver" || f.verdict == Verdict::Good);
    if let (Ok(server), Ok(_), true) = (&server, &knobs, drivable) {
        findings.extend(probe::findings(server));
    }
    findings.push(display());
    findings.push(match &knobs {
        Ok(_) => Finding::good("knobs", set_knobs()),
        Err(error) => Finding::not("knobs", Verdict::Bad, error.to_string(), "see docs/env.md"),
    });
    if let Ok(knobs) = &knobs {
        findings.push(would_use(knobs));
    }
    print(&findings).map_err(|error| Fault::new(format!("cannot print the report: {error}")))?;
    let bad = findings.iter().any(|f| f.verdict == Verdict::Bad);
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print(findings: &[Finding]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "forerun {}\n", env!("CARGO_PKG_VERSION"))?;
    for Finding { what, verdict, text, cure } in findings {
        writeln!(out, "{what:<16}{verdict:<9}{text}")?;
        if !cure.is_empty() {
            writeln!(out, "{:<25}-> {cure}", "")?;
        }
    }
    Ok(())
}

/// The client library, the vendor file and the server, with the versions of both ends.
fn own_pieces(knobs: Option<&Knobs>) -> Vec<Finding> {
    let mut findings = Vec::new();
    match install::library() {
        Ok(library) => {
            findings.push(client_version(&library));
            findings.push(match install::vendor_json(&library) {
                Ok(file) => Finding::good("vendor file", file.display().to_string()),
                Err(fault) => Finding::not(
                    "vendor file",
                    Verdict::Bad,
                    fault.sentence,
                    "make the folder writable, or set XDG_RUNTIME_DIR",
                ),
            });
        }
        Err(fault) => findings.push(Finding::not(
            "client library",
            Verdict::Bad,
            fault.sentence,
            "cargo build --release",
        )),
    }
    findings.push(match install::server(knobs.and_then(|k| k.server_path.as_deref())) {
        Ok(server) => server_version(&server),
        Err(fault) => Finding::not("server", Verdict::Bad, fault.sentence, "cargo build --release"),
    });
    findings
}

/// Asks the library for its version and compares it with the command's.
fn client_version(library: &Path) -> Finding {
    const WHAT: &str = "client library";
    const CURE: &str = "cargo build --release";
    let path = library.display();
    let opened = match open(&library.to_string_lossy()) {
        Ok(opened) => opened,
        Err(error) => return Finding::not(WHAT, Verdict::Bad, error, CURE),
    };
    type Version = unsafe extern "C" fn() -> *const std::ffi::c_char;
    // SAFETY: the library's function of this name has this type.
    let version = match unsafe { opened.get::<Version>(c"forerun_version") } {
        Ok(version) => {
            // SAFETY: it takes nothing and returns text that ends with a zero and lives as long as the library.
            let text = unsafe { std::ffi::CStr::from_ptr(version()) };
            text.to_string_lossy().into_owned()
        }
        Err(_) => {
            let text = format!("{path} is no library of Forerun's");
            return Finding::not(WHAT, Verdict::Bad, text, CURE);
        }
    };
    let ours = env!("CARGO_PKG_VERSION");
    if version == ours {
        return Finding::good(WHAT, format!("forerun {version} ({path})"));
    }
    let text = format!("{path} is version {version}, the command is {ours}");
    Finding::not(WHAT, Verdict::Warn, text, "build all of it from one tree")
}

/// Asks the server for its version and compares it with the command's.
fn server_version(server: &Path) -> Finding {
    let path = server.display();
    let said = match Command::new(server).arg("--version").output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        Ok(output) => {
            let text = format!("{path} --version ended with {}", output.status);
            return Finding::not("server", Verdict::Bad, text, "cargo build --release");
        }
        Err(error) => {
            let text = format!("{path} cannot be started: {error}");
            return Finding::not("server", Verdict::Bad, text, "cargo build --release");
        }
    };
    let ours = env!("CARGO_PKG_VERSION");
    let version = said.split_whitespace().nth(1).unwrap_or("");
    if version == ours {
        Finding::good("server", format!("{said} ({path})"))
    } else {
        let text = format!("{path} is version {version}, the client is {ours}");
        let cure = "build both ends from one tree; records that differ are refused by name";
        Finding::not("server", Verdict::Warn, text, cure)
    }
}

/// glvnd's libraries, through which programs reach a vendor.
fn loader() -> Vec<Finding> {
    let wanted = [
        ("EGL loader", "libEGL.so.1", "libegl1", Verdict::Bad),
        ("GLES loader", "libGLESv2.so.2", "libgles2", Verdict::Warn),
        ("GL loader", "libOpenGL.so.0", "libopengl0", Verdict::Warn),
        ("GLX loader", "libGLX.so.0", "libglx0", Verdict::Warn),
    ];
    let look = |(what, name, package, verdict)| match open(name) {
        Ok(_) => Finding::good(what, name),
        Err(error) => Finding::not(what, verdict, error, apt(package)),
    };
    wanted.into_iter().map(look).collect()
}

/// The vendor library that the server would execute on: the one that `FORERUN_HOST_EGL` names, else
/// the first in glvnd's folders that is not ours.
fn host_driver(knobs: Option<&Knobs>) -> Finding {
    const WHAT: &str = "host driver";
    let cure = apt("libegl-mesa0 libgl1-mesa-dri");
    if let Some(named) = knobs.and_then(|k| k.host_egl.as_ref()) {
        let name = named.to_string_lossy();
        return match vendor(&name) {
            Ok(()) => Finding::good(WHAT, format!("{name} (FORERUN_HOST_EGL)")),
            Err(error) => Finding::not(WHAT, Verdict::Bad, error, "mend or unset FORERUN_HOST_EGL"),
        };
    }
    let mut faults = Vec::new();
    for file in vendor_files() {
        let Some(name) = library_named_in(&file) else {
            faults.push(format!("{} names no library", file.display()));
            continue;
        };
        if name.contains("forerun") {
            continue;
        }
        match vendor(&name) {
            Ok(()) => return Finding::good(WHAT, format!("{name} ({})", file.display())),
            Err(error) => faults.push(error),
        }
    }
    let text = if faults.is_empty() {
        "no EGL vendor in /etc/glvnd/egl_vendor.d or /usr/share/glvnd/egl_vendor.d".to_owned()
    } else {
        faults.join("; ")
    };
    Finding::not(WHAT, Verdict::Bad, text, cure)
}

/// The vendor files of the system, in glvnd's order: by folder, then by name.
fn vendor_files() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in ["/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"] {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|ext| ext == "json"));
        files.sort();
        all.extend(files);
    }
    all
}

fn library_named_in(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(json.get("ICD")?.get("library_path")?.as_str()?.to_owned())
}

/// Whether `name` loads and is an EGL vendor.
fn vendor(name: &str) -> Result<(), String> {
    let library = open(name)?;
    // SAFETY: the symbol is only looked up, never called; its type does not matter.
    let main = unsafe { library.get::<*const ()>(c"__egl_Main") };
    main.map(|_| ()).map_err(|_| format!("{name} is not an EGL vendor library"))
}

fn open(name: &str) -> Result<libloading::Library, String> {
    // SAFETY: these are the system's GL libraries, whose initialisers expect to run in any program.
    unsafe { libloading::Library::new(name) }.map_err(|error| format!("{name}: {error}"))
}

/// The X display that windows would go to.
fn display() -> Finding {
    const WHAT: &str = "display";
    let cure = "programs without windows run; for others: apt-get install -y xvfb, then xvfb-run -a \
                forerun run -- PROGRAM";
    let Some(name) = std::env::var("DISPLAY").ok().filter(|name| !name.is_empty()) else {
        return Finding::not(WHAT, Verdict::Warn, "DISPLAY is not set", cure);
    };
    let number: Option<&str> = name.strip_prefix(':').and_then(|rest| rest.split('.').next());
    let Some(number) = number else {
        return Finding::good(WHAT, format!("{name} (on another machine; not tried)"));
    };
    match UnixStream::connect(format!("/tmp/.X11-unix/X{number}")) {
        Ok(_) => Finding::good(WHAT, name),
        Err(error) => {
            Finding::not(WHAT, Verdict::Warn, format!("no X server at {name}: {error}"), cure)
        }
    }
}

/// The knobs that the environment sets.
fn set_knobs() -> String {
    let mut set: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name.starts_with(PREFIX))
        .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
        .collect();
    set.sort();
    if set.is_empty() { "all at their defaults".to_owned() } else { set.join(" ") }
}

/// The choices that `forerun run` would make now.
fn would_use(knobs: &Knobs) -> Finding {
    let text = format!(
        "transport {}, backend {}, present {}, run-ahead {}",
        knobs.transport,
        knobs.backend,
        knobs.present,
        if knobs.run_ahead { "on" } else { "off" },
    );
    if let Transport::Unix(path) = &knobs.transport
        && let Err(fault) = run::knock(path)
    {
        let cure = if run::is_no_socket(path) {
            "name a socket in unix:PATH".to_owned()
        } else {
            format!("forerun serve unix:{}", path.display())
        };
        return Finding::not(
            "would use",
            Verdict::Bad,
            format!("{text}; {}", fault.sentence),
            cure,
        );
    }
    Finding::good("would use", text)
}

fn apt(packages: &str) -> String {
    format!("apt-get install -y {packages}")
}
