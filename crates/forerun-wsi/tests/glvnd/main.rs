//! Programs on the system's libEGL and libGLX with this library as their only vendor. Each case runs in a process of its own, once for each
//! topology.

#![allow(clippy::print_stdout)]

mod cases;
mod compositor;
mod egl;
mod glx;
mod loss;
mod names;
mod pace;
mod rounds;
mod threads;
mod wayland;
mod window;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Set in the process that runs one case.
const CASE: &str = "GLVND_CASE";

/// Tells the servers of one case from all others.
pub const MARK: &str = "GLVND_MARK";

/// The folder of what cargo built.
fn built() -> PathBuf {
    let exe = std::env::current_exe().unwrap_or_default();
    exe.parent().and_then(Path::parent).map(Path::to_owned).unwrap_or_default()
}

fn vendor_file(library: &Path) -> PathBuf {
    let path = std::env::temp_dir().join(format!("glvnd-test-{}.json", std::process::id()));
    let text = format!(
        "{{\"file_format_version\":\"1.0.0\",\"ICD\":{{\"library_path\":\"{}\"}}}}",
        library.display()
    );
    std::fs::write(&path, text).expect("a vendor file can be written");
    path
}

/// A folder in which the loader finds the library under the name that libGLX looks for.
fn vendor_folder(library: &Path) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("glvnd-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for name in ["libEGL_forerun.so.0", "libGLX_forerun.so.0"] {
        std::os::unix::fs::symlink(library, folder.join(name)).expect("a link can be made");
    }
    folder
}

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(CASE) {
        let case = cases::ALL.iter().find(|case| case.0 == name).expect("the case exists");
        let _server = Listening::start();
        case.1();
        return ExitCode::SUCCESS;
    }
    let filter: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let built = built();
    // What this test was built with stands beside it; what `cargo build` made last, one folder up.
    let places = [built.join("deps/libforerun_wsi.so"), built.join("libforerun_wsi.so")];
    let Some(library) = places.iter().find(|place| place.is_file()) else {
        println!("FAILED: there is no libforerun_wsi.so in {}", built.display());
        return ExitCode::FAILURE;
    };
    let vendor = vendor_file(library);
    let folder = vendor_folder(library);
    let server = built.join("forerund");
    let mut topologies = vec!["inproc", "monolith"];
    if server.is_file() {
        topologies.extend(["spawn", "unix"]);
    } else {
        println!("spawn and unix are left out: {} is not built", server.display());
    }
    let display = if std::env::var_os("DISPLAY").is_none() { Display::start() } else { None };
    let socket = std::env::temp_dir().join(format!("glvnd-test-{}.socket", std::process::id()));
    let unix = format!("unix:{}", socket.display());
    let exe = std::env::current_exe().expect("this program has a name");
    let mut failed = 0;
    for topology in topologies {
        for (name, _, only, present) in cases::ALL {
            let wanted = filter.is_empty()
                || filter.iter().any(|f| name.contains(f.as_str()) || topology == f);
            if !wanted || !only.contains(&topology) {
                continue;
            }
            let mut command = Command::new(&exe);
            if let Some(Display(_, name)) = &display {
                command.env("DISPLAY", name);
            }
            let mut words = present.split_whitespace();
            let private = |what: &str| {
                std::env::temp_dir().join(format!("glvnd-test-{}-{what}", std::process::id()))
            };
            let (gate, log) = (private("gate"), private("log"));
            let _ = std::fs::remove_file(&log);
            command
                .env(CASE, name)
                .env(MARK, format!("{}-{topology}-{}", std::process::id(), name.len()))
                .env("__EGL_VENDOR_LIBRARY_FILENAMES", &vendor)
                .env("__GLX_VENDOR_LIBRARY_NAME", "forerun")
                .env("LD_LIBRARY_PATH", &folder)
                .env("FORERUN_TRANSPORT", if topology == "unix" { &unix } else { topology })
                .env("FORERUN_SERVER_PATH", &server)
                .env("FORERUN_PRESENT", words.next().unwrap_or_default())
                .env("FORERUN_WAIT_MS", "10000");
            for word in words {
                match word.split_once('=') {
                    Some(("CREDIT", value)) => command.env("FORERUN_PRESENT_CREDIT", value),
                    Some((name, value)) => command.env(name, value),
                    None if word == "gate" => command.env("FORERUN_TEST_GATES", &gate),
                    None => command.env("FORERUN_LOG", format!("error:{}", log.display())),
                };
            }
            let mut child = command.spawn().expect("this program starts");
            let status = wait(&mut child, Duration::from_secs(240));
            let verdict = match status {
                Some(status) if status.success() => "ok",
                Some(_) => "FAILED",
                None => "FAILED (it hung)",
            };
            for left in [&gate, &log] {
                let _ = std::fs::remove_file(left);
            }
            println!("{topology}: {name} ... {verdict}");
            failed += usize::from(verdict != "ok");
        }
    }
    let _ = std::fs::remove_file(vendor);
    let _ = std::fs::remove_dir_all(folder);
    let _ = std::fs::remove_file(socket);
    println!("{failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A server that listens where the topology `unix` has it; killed when this goes.
pub struct Listening(std::process::Child);

impl Listening {
    /// `None` in the other topologies.
    pub fn start() -> Option<Listening> {
        let address = std::env::var("FORERUN_TRANSPORT").ok().filter(|t| t.starts_with("unix:"))?;
        let server = std::env::var_os("FORERUN_SERVER_PATH").expect("main has set it");
        let child = Command::new(server).arg(&address).spawn().expect("the server starts");
        let path = address.trim_start_matches("unix:");
        let begun = std::time::Instant::now();
        while std::os::unix::net::UnixStream::connect(path).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(20), "no server listens at {path}");
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(Listening(child))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An X server of our own, for machines where none is about.
struct Display(std::process::Child, String);

impl Display {
    fn start() -> Option<Display> {
        use std::io::Read;
        let mut child = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .ok()?;
        let mut number = String::new();
        let mut byte = [0u8];
        let out = child.stdout.as_mut()?;
        while out.read(&mut byte).ok()? == 1 && byte[0] != b'\n' {
            number.push(byte[0] as char);
        }
        Some(Display(child, format!(":{number}")))
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait(child: &mut std::process::Child, limit: Duration) -> Option<std::process::ExitStatus> {
    let begun = std::time::Instant::now();
    while begun.elapsed() < limit {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}
