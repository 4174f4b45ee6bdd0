//! The command as a user meets it: what a program finds in its environment, and what each fault
//! says and exits with.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::RwLock;

/// A folder of its own with a copy of the command, and what a test puts beside it.
struct Install {
    folder: PathBuf,
}

impl Install {
    fn new(test: &str) -> Install {
        let folder = std::env::temp_dir().join(format!("forerun-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("run")).unwrap();
        let _writing = PROGRAMS.write().unwrap();
        fs::copy(env!("CARGO_BIN_EXE_forerun"), folder.join("forerun")).unwrap();
        Install { folder }
    }

    fn whole(test: &str) -> Install {
        let install = Install::new(test);
        fs::write(install.folder.join("libforerun_wsi.so"), "").unwrap();
        install.script("forerund", "echo server \"$@\"; env");
        install
    }

    fn script(&self, name: &str, body: &str) {
        let file = self.folder.join(name);
        let _writing = PROGRAMS.write().unwrap();
        fs::write(&file, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.folder.join("forerun"));
        command.env_clear().env("PATH", "/usr/bin:/bin");
        command.env("XDG_RUNTIME_DIR", self.folder.join("run")).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        finish(&mut self.command(args))
    }
}

/// Held for writing while a program is written, and for reading while a child is started: a child inherits what is open until it
/// becomes its program, and a program that somebody has open for writing cannot be executed.
static PROGRAMS: RwLock<()> = RwLock::new(());

/// Runs a command to its end.
fn finish(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = {
        let _whole = PROGRAMS.read().unwrap();
        command.spawn().unwrap()
    };
    child.wait_with_output().unwrap()
}

impl Drop for Install {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn variable(output: &Output, name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.strip_prefix(&format!("{name}=")).map(str::to_owned))
}

/// The one line that a fault says, without the command's name, and its exit status.
fn fault(output: &Output) -> (String, i32) {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.strip_prefix("forerun: ").expect("the command names itself").trim_end();
    assert!(!line.contains('\n'), "one sentence: {line}");
    (line.to_owned(), output.status.code().unwrap())
}

#[test]
fn run_makes_the_program_load_the_library_and_find_the_server() {
    let install = Install::whole("run");
    let output = install.run(&["run", "--backend", "gles", "--stats", "--", "env"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(variable(&output, "FORERUN_BACKEND").as_deref(), Some("gles"));
    assert_eq!(variable(&output, "FORERUN_STATS").as_deref(), Some("1"));
    assert_eq!(variable(&output, "FORERUN_TRANSPORT"), None);
    let server = install.folder.join("forerund");
    assert_eq!(variable(&output, "FORERUN_SERVER_PATH").as_deref(), server.to_str());

    let vendor = variable(&output, "__EGL_VENDOR_LIBRARY_FILENAMES").unwrap();
    let json: serde_json::Value = serde_json::from_slice(&fs::read(&vendor).unwrap()).unwrap();
    let library = install.folder.join("libforerun_wsi.so");
    assert_eq!(json["ICD"]["library_path"].as_str(), library.to_str());
    let mode = fs::metadata(Path::new(&vendor).parent().unwrap()).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "nobody else can enter the folder");

    // glvnd's libGLX looks for the name on the loader's path.
    assert_eq!(variable(&output, "__GLX_VENDOR_LIBRARY_NAME").as_deref(), Some("forerun"));
    let path = variable(&output, "LD_LIBRARY_PATH").unwrap();
    let folder = Path::new(path.split(':').next().unwrap());
    for name in ["libGLX_forerun.so.0", "libEGL_forerun.so.0"] {
        assert_eq!(fs::read_link(folder.join(name)).unwrap(), library);
    }
}

#[test]
fn the_programs_own_library_path_stays_behind_ours() {
    let install = Install::whole("path");
    let mut command = install.command(&["run", "--", "env"]);
    let output = finish(command.env("LD_LIBRARY_PATH", "/opt/first:/opt/second"));
    let path = variable(&output, "LD_LIBRARY_PATH").unwrap();
    assert!(path.ends_with(":/opt/first:/opt/second"), "{path}");
}

#[test]
fn flags_win_over_the_environment_and_files_become_absolute() {
    let install = Install::whole("flags");
    let mut command =
        install.command(&["run", "-t", "inproc", "--stats-json", "out.json", "--", "env"]);
    command.current_dir(&install.folder).env("FORERUN_TRANSPORT", "nonsense");
    let output = finish(&mut command);
    assert_eq!(variable(&output, "FORERUN_TRANSPORT").as_deref(), Some("inproc"));
    let stats = variable(&output, "FORERUN_STATS_JSON").unwrap();
    assert_eq!(Path::new(&stats), install.folder.join("out.json"));
    // Whichever way they were given: the program may change its folder.
    let socket = std::os::unix::net::UnixListener::bind(install.folder.join("s")).unwrap();
    let mut command = install.command(&["run", "-t", "unix:s", "--", "env"]);
    command.current_dir(&install.folder).env("FORERUN_LOG", "debug:l").env("FORERUN_RECORD", "r");
    command.env("FORERUN_HOST_EGL", "libEGL.so.1");
    let output = finish(&mut command);
    let expected = |before: &str, name| format!("{before}{}", install.folder.join(name).display());
    assert_eq!(variable(&output, "FORERUN_TRANSPORT"), Some(expected("unix:", "s")));
    assert_eq!(variable(&output, "FORERUN_LOG"), Some(expected("debug:", "l")));
    assert_eq!(variable(&output, "FORERUN_RECORD"), Some(expected("", "r")));
    assert_eq!(variable(&output, "FORERUN_HOST_EGL").as_deref(), Some("libEGL.so.1"));
    drop(socket);
}

#[test]
fn arguments_and_exit_status_are_the_programs_own() {
    let install = Install::whole("args");
    let output = install.run(&["run", "--", "sh", "-c", "echo $1; exit 7", "sh", "--help"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "--help\n");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn each_fault_is_one_sentence_and_a_status() {
    let install = Install::whole("faults");
    let (said, status) = fault(&install.run(&["run", "--", "no-such-program"]));
    assert_eq!((said.as_str(), status), ("there is no program no-such-program in PATH", 127));
    let (said, status) = fault(&install.run(&["run", "--", "/etc/passwd"]));
    assert_eq!((said.as_str(), status), ("/etc/passwd cannot be executed", 126));
    let (said, status) = fault(&install.run(&["run", "--backend", "metal", "--", "env"]));
    assert!(said.contains("one of auto, gl, gles, null"), "{said}");
    assert_eq!(status, 2);
    let output = finish(install.command(&["run", "--", "env"]).env("FORERUN_RNG_KB", "4"));
    let (said, status) = fault(&output);
    assert_eq!(said, "FORERUN_RNG_KB is not a knob; did you mean FORERUN_RING_KB?");
    assert_eq!(status, 2);
    let (said, status) = fault(&install.run(&["run", "-t", "unix:/nowhere/s", "--", "env"]));
    assert!(said.contains("forerun serve unix:/nowhere/s"), "{said}");
    assert_eq!(status, 1);
    let (said, status) = fault(&install.run(&["run", "-t", "unix:/etc/passwd", "--", "env"]));
    assert_eq!(said, "/etc/passwd is no socket, so that no server can be there");
    assert_eq!(status, 1);
}

#[test]
fn a_missing_server_stops_only_the_transport_that_starts_it() {
    let install = Install::new("no-server");
    fs::write(install.folder.join("libforerun_wsi.so"), "").unwrap();
    let (said, status) = fault(&install.run(&["run", "--", "env"]));
    assert!(said.starts_with("no server (forerund) beside the command"), "{said}");
    assert_eq!(status, 1);
    assert!(install.run(&["run", "-t", "monolith", "--", "env"]).status.success());
}

#[test]
fn a_missing_library_is_named() {
    let install = Install::new("no-library");
    install.script("forerund", "exit 0");
    let (said, status) = fault(&install.run(&["run", "--", "env"]));
    assert!(said.starts_with("no client library"), "{said}");
    assert_eq!(status, 1);
}

#[test]
fn a_runtime_folder_that_others_can_write_is_refused() {
    let install = Install::whole("shared");
    let folder = install.folder.join("run/forerun");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let (said, _) = fault(&install.run(&["run", "--", "env"]));
    assert!(said.contains("can be written by somebody else"), "{said}");
}

#[test]
fn serve_becomes_the_server_with_the_knobs() {
    let install = Install::whole("serve");
    let output = install.run(&["serve", "unix:/tmp/s", "--isolate", "thread"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("server unix:/tmp/s\n"));
    assert_eq!(variable(&output, "FORERUN_ISOLATE").as_deref(), Some("thread"));
    let (said, status) = fault(&install.run(&["serve", "spawn"]));
    assert_eq!((said.as_str(), status), ("cannot listen on `spawn`; the form is unix:PATH", 2));
}

#[test]
fn doctor_names_what_is_missing_and_the_cure() {
    let install = Install::new("doctor");
    let output = install.run(&["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("client library  MISSING"), "{text}");
    assert!(text.contains("-> cargo build --release"), "{text}");

    let install = Install::whole("doctor-versions");
    install.script("forerund", "echo forerund 0.0.1");
    let text = String::from_utf8_lossy(&install.run(&["doctor"]).stdout).into_owned();
    assert!(text.contains("is version 0.0.1, the client is"), "{text}");
}

/// What doctor says of one thing, and its exit status.
fn finding(output: &Output, what: &str) -> (String, Option<i32>) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with(what)).expect(&text);
    let cure = lines.get(at + 1).filter(|line| line.trim_start().starts_with("->"));
    let said = lines[at][what.len()..].trim_start();
    (format!("{said}{}", cure.map_or("", |cure| cure.trim_start())), output.status.code())
}

const VERSION: &str = concat!("echo forerund ", env!("CARGO_PKG_VERSION"));

#[test]
fn doctor_tells_which_backend_is_taken_and_why() {
    let install = Install::new("doctor-backend");
    let probe =
        r"printf 'backend\tgl\tok\t4.5 on X\nchoice\tgl\tthe host has it\nwindows\tput\tso\n'";
    install.script("forerund", &format!("[ $1 = probe ] && {{ {probe}; exit 0; }}; {VERSION}"));
    let output = install.run(&["doctor"]);
    assert_eq!(finding(&output, "host OpenGL ").0, "ok       4.5 on X");
    assert_eq!(finding(&output, "backend").0, "ok       gl: the host has it");
    assert_eq!(finding(&output, "windows").0, "ok       put: so");
}

#[test]
fn doctor_survives_a_driver_that_does_not() {
    let install = Install::new("doctor-crash");
    let probe = "echo it fell over >&2; kill -SEGV $$";
    install.script("forerund", &format!("[ $1 = probe ] && {{ {probe}; }}; {VERSION}"));
    let (said, status) = finding(&install.run(&["doctor"]), "backend");
    assert!(said.starts_with("MISSING  looking at the host's driver ended with signal"), "{said}");
    assert!(said.contains("it fell over") && said.contains("-> apt-get install"), "{said}");
    assert_eq!(status, Some(1));
}

#[test]
fn doctor_names_the_cure_of_each_part() {
    let install = Install::whole("doctor-parts");
    install.script("forerund", VERSION);
    let output = install.run(&["doctor"]);
    let (said, status) = finding(&output, "client library");
    assert!(said.starts_with("MISSING") && said.contains("-> cargo build"), "{said}");
    assert_eq!(status, Some(1));
    let (said, _) = finding(&output, "display");
    assert!(said.contains("DISPLAY is not set") && said.contains("xvfb"), "{said}");
    let with = |name: &str, value: &str| finish(install.command(&["doctor"]).env(name, value));
    let (said, status) = finding(&with("FORERUN_PRESENT", "paper"), "knobs");
    assert!(said.contains("one of auto, native, shm, offscreen"), "{said}");
    assert_eq!(status, Some(1));
    let (said, _) = finding(&with("FORERUN_TRANSPORT", "unix:/etc/passwd"), "would use");
    assert!(said.contains("is no socket") && said.contains("-> name a socket"), "{said}");
    let (said, _) = finding(&with("FORERUN_TRANSPORT", "unix:/nowhere/s"), "would use");
    assert!(said.contains("-> forerun serve unix:/nowhere/s"), "{said}");
    let (said, _) = finding(&with("FORERUN_HOST_EGL", "/nowhere.so"), "host driver");
    assert!(said.contains("/nowhere.so") && said.contains("-> mend or unset"), "{said}");
}
