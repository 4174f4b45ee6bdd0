//! Programs on the system's libEGL with this library as its only vendor. Each case runs in a process of its own, once for each
//! topology.

#![allow(clippy::print_stdout)]

mod cases;
mod egl;
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

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(CASE) {
        let case = cases::ALL.iter().find(|case| case.0 == name).expect("the case exists");
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
    let server = built.join("forerund");
    let mut topologies = vec!["inproc", "monolith"];
    if server.is_file() {
        topologies.push("spawn");
    } else {
        println!("spawn is left out: {} is not built", server.display());
    }
    let exe = std::env::current_exe().expect("this program has a name");
    let mut failed = 0;
    for topology in topologies {
        for (name, _, only, present) in cases::ALL {
            let wanted = filter.is_empty()
                || filter.iter().any(|f| name.contains(f.as_str()) || topology == f);
            if !wanted || !only.contains(&topology) {
                continue;
            }
            let mut child = Command::new(&exe)
                .env(CASE, name)
                .env(MARK, format!("{}-{topology}-{}", std::process::id(), name.len()))
                .env("__EGL_VENDOR_LIBRARY_FILENAMES", &vendor)
                .env("FORERUN_TRANSPORT", topology)
                .env("FORERUN_SERVER_PATH", &server)
                .env("FORERUN_PRESENT", present)
                .env("FORERUN_WAIT_MS", "10000")
                .spawn()
                .expect("this program starts");
            let status = wait(&mut child, Duration::from_secs(60));
            let verdict = match status {
                Some(status) if status.success() => "ok",
                Some(_) => "FAILED",
                None => "FAILED (it hung)",
            };
            println!("{topology}: {name} ... {verdict}");
            failed += usize::from(verdict != "ok");
        }
    }
    let _ = std::fs::remove_file(vendor);
    println!("{failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
