//! The server as a process of its own, on the null backend.

use forerun_link::{ClientLink, LinkOptions, Status};
use forerun_pipe::fault::Fault;
use forerun_pipe::knobs::Transport;
use forerun_pipe::records::*;
use forerun_pipe::{RawHandle, gl};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SERVER: &str = env!("CARGO_BIN_EXE_forerund");
const H: RawHandle = RawHandle { slot: 0, generation: 1 };

fn options(transport: Transport) -> LinkOptions {
    LinkOptions {
        transport,
        wait: Duration::from_secs(20),
        server: Some(PathBuf::from(SERVER)),
        wants: vec![("FORERUN_BACKEND".into(), "null".into())],
        ..LinkOptions::default()
    }
}

fn draw_something(link: &mut ClientLink) -> Result<(), Fault> {
    CreateContext { handle: H, api: api::ES, major: 3, ..Default::default() }.send(link);
    CreateSurface {
        handle: H,
        surface_kind: surface_kind::PBUFFER,
        width: 8,
        height: 8,
        color_format: gl::RGBA8,
        ..Default::default()
    }
    .send(link, &[]);
    BindContext { context: H, draw: H, read: H }.send(link);
    Clear { mask: gl::COLOR_BUFFER_BIT, ..Default::default() }.send(link);
    let seq = Finish::default().send(link);
    link.wait_reply(seq).map(|reply| assert_eq!(reply.status, Status::Ok))
}

/// Ends the server with the test.
struct Listening {
    child: Child,
    folder: PathBuf,
}

impl Listening {
    fn start(name: &str, isolate: &str) -> Listening {
        Listening::start_with(name, isolate, &[])
    }

    fn start_with(name: &str, isolate: &str, knobs: &[(&str, &str)]) -> Listening {
        // What ignores signals here (nohup) is not to be inherited.
        let mut command = Command::new("env");
        command.args(["--default-signal", SERVER]).env("FORERUN_ISOLATE", isolate);
        Listening::start_by(name, command, knobs)
    }

    /// `command` takes the address as its last argument.
    fn start_by(name: &str, mut command: Command, knobs: &[(&str, &str)]) -> Listening {
        let folder = std::env::temp_dir().join(format!("forerund-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        let child = command
            .arg(format!("unix:{}", folder.join("socket").display()))
            .envs(knobs.iter().copied())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let listening = Listening { child, folder };
        let end = Instant::now() + Duration::from_secs(10);
        while !listening.path().exists() {
            assert!(Instant::now() < end, "no socket");
            std::thread::sleep(Duration::from_millis(5));
        }
        listening
    }

    fn path(&self) -> PathBuf {
        self.folder.join("socket")
    }

    fn connect(&self) -> ClientLink {
        ClientLink::connect(&options(Transport::Unix(self.path()))).unwrap().0
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_spawned_server_serves_and_ends_with_its_client() {
    let (mut link, caps) = ClientLink::connect(&options(Transport::Spawn)).unwrap();
    assert_eq!(caps.backend, "null");
    draw_something(&mut link).unwrap();
    let pid = link.server_pid();
    assert_ne!(pid, std::process::id());
    let alive = || Path::new(&format!("/proc/{pid}/exe")).read_link().is_ok();
    assert!(alive());
    drop(link);
    let end = Instant::now() + Duration::from_secs(10);
    while alive() {
        assert!(Instant::now() < end, "server {pid} outlives its client");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_fault_of_a_spawned_server_is_left_to_its_client_to_tell() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut server = Command::new(SERVER);
    server.arg("fd:0").stdin(Stdio::from(OwnedFd::from(theirs))).stderr(Stdio::piped());
    let child = server.spawn().unwrap();
    (&ours).write_all(&[0x55; 64]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_server_without_a_driver_does_not_listen() {
    let mut server = Command::new(SERVER);
    server.arg("unix:/tmp/forerund-no-driver").env("FORERUN_HOST_EGL", "/nowhere.so");
    let output = server.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(said.starts_with("forerund: no host driver: /nowhere.so"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_clear_on_the_hosts_driver_is_read_back() {
    for backend in ["gl", "gles"] {
        let wants = vec![("FORERUN_BACKEND".into(), backend.into())];
        let spawned = LinkOptions { wants, ..options(Transport::Spawn) };
        let (mut link, caps) = match ClientLink::connect(&spawned) {
            Ok(session) => session,
            Err(fault) => panic!("{backend}: {fault}"),
        };
        assert_eq!(caps.backend, backend);
        draw_something(&mut link).unwrap();
        let color = [1.0f32, 0.0, 0.2, 1.0].map(f32::to_bits);
        Clear { mask: gl::COLOR_BUFFER_BIT, color, ..Default::default() }.send(&mut link);
        let slice = link.stage(8 * 8 * 4).unwrap();
        let read = ReadPixels {
            width: 8,
            height: 8,
            format: gl::RGBA,
            ty: gl::UNSIGNED_BYTE,
            dst: slice.blob(),
            ..Default::default()
        };
        let seq = read.send(&mut link);
        assert_eq!(link.wait_reply(seq).unwrap().status, Status::Ok);
        let mut bytes = [0; 256];
        slice.read(0, &mut bytes);
        for pixel in bytes.chunks_exact(4) {
            assert_eq!(pixel, [255, 0, 51, 255], "{backend}");
        }
        let _ = link.drain_events();
        assert_eq!(link.lost(), None);
    }
}

#[test]
fn each_client_of_a_socket_has_a_session_of_its_own() {
    for isolate in ["process", "thread"] {
        let server = Listening::start(isolate, isolate);
        let (mut good, mut bad) = (server.connect(), server.connect());
        assert_eq!(good.server_pid() == bad.server_pid(), isolate == "thread");
        draw_something(&mut bad).unwrap();
        Present { surface: H, serial: 7 }.send(&mut bad);
        let seq = Finish::default().send(&mut bad);
        assert!(bad.wait_reply(seq).is_err());
        assert!(bad.lost().unwrap().to_string().contains("Present.serial"), "{:?}", bad.lost());
        draw_something(&mut good).unwrap();
        draw_something(&mut server.connect()).unwrap();
    }
}

#[test]
fn a_server_that_is_told_to_end_takes_its_socket_with_it() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::os::unix::process::ExitStatusExt;
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut listening = Listening::start(&format!("end{}", signal.as_raw()), "process");
        let mut link = listening.connect();
        kill_process(Pid::from_child(&listening.child), signal).unwrap();
        assert_eq!(listening.child.wait().unwrap().signal(), Some(signal.as_raw()));
        assert!(!listening.path().exists(), "the socket stayed at {signal:?}");
        draw_something(&mut link).expect("sessions go on");
    }
}

#[test]
fn what_is_ignored_and_what_is_anothers_is_left_alone() {
    use rustix::process::{Pid, Signal, kill_process};
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$1\"", SERVER]);
    let mut listening = Listening::start_by("ignored", command, &[]);
    let pid = Pid::from_child(&listening.child);
    kill_process(pid, Signal::HUP).unwrap();
    draw_something(&mut listening.connect()).expect("it was started to outlive its terminal");
    std::fs::remove_file(listening.path()).unwrap();
    let _other = std::os::unix::net::UnixListener::bind(listening.path()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    listening.child.wait().unwrap();
    assert!(listening.path().exists(), "another server's socket");
}

#[test]
fn a_client_that_speaks_nonsense_is_no_harm() {
    use std::io::Write;
    let server = Listening::start("nonsense", "thread");
    for bytes in [&[][..], &[0xFF; 64], &[0; 4096]] {
        let mut stream = std::os::unix::net::UnixStream::connect(server.path()).unwrap();
        // The server may hang up before everything is written.
        let _ = stream.write_all(bytes);
    }
    draw_something(&mut server.connect()).unwrap();
}

fn run(args: &[&str], env: &[(&str, &str)]) -> Output {
    Command::new(SERVER).args(args).envs(env.iter().copied()).output().unwrap()
}

#[test]
fn what_cannot_be_served_is_one_sentence_and_a_failure() {
    for (args, env, says) in [
        (&[][..], &[][..], "one address is needed"),
        (&["tcp://here"], &[], "`tcp://here` is no address"),
        (&["fd:x"], &[], "names no descriptor"),
        (&["fd:77"], &[], "descriptor 77 cannot be used"),
        (&["unix:/no/such/folder/socket"], &[], "cannot listen on /no/such/folder/socket"),
        (&["unix:/"], &[], "/ exists and is not a socket"),
        (&["fd:0"], &[("FORERUN_ISOLATE", "room")], "FORERUN_ISOLATE"),
        (&["fd:0"], &[("FORERUN_NONSENSE", "1")], "FORERUN_NONSENSE is not a knob"),
    ] {
        let output = run(args, env);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{args:?}");
        assert!(said.contains(says) && said.lines().count() == 1, "{args:?}: {said}");
        assert!(output.stdout.is_empty());
    }
    let version = run(&["--version"], &[]);
    assert!(version.status.success());
    assert!(String::from_utf8(version.stdout).unwrap().starts_with("forerund "));
}

#[test]
fn a_probe_tells_what_is_missing_and_takes_nothing() {
    let probe = |host: &str, backend: &str| {
        let mut command = Command::new(SERVER);
        command.arg("probe").env("FORERUN_HOST_EGL", host).env("FORERUN_BACKEND", backend);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let said = probe("/nowhere.so", "auto");
    assert!(said.starts_with("backend\tgl\tmissing\t"), "{said}");
    assert!(said.contains("\nbackend\tgles\tmissing\t") && said.contains("/nowhere.so"), "{said}");
    assert!(!said.contains("choice"), "{said}");
    assert!(probe("/nowhere.so", "null").contains("\nchoice\tnull\t"));
}

#[test]
fn a_knob_limits_what_a_session_may_have() {
    let listening = Listening::start_with("quota", "process", &[("FORERUN_QUOTA_OBJECTS", "10")]);
    let (mut greedy, mut modest) = (listening.connect(), listening.connect());
    draw_something(&mut modest).unwrap();
    draw_something(&mut greedy).unwrap();
    for slot in 0..20 {
        FenceCreate { handle: RawHandle { slot, generation: 1 } }.send(&mut greedy);
    }
    let seq = Finish::default().send(&mut greedy);
    greedy.wait_reply(seq).unwrap_err();
    let said = greedy.lost().expect("lost").to_string();
    assert!(said.contains("quota exceeded: objects"), "{said}");
    Clear { mask: gl::COLOR_BUFFER_BIT, ..Default::default() }.send(&mut modest);
    let seq = Finish::default().send(&mut modest);
    assert_eq!(modest.wait_reply(seq).unwrap().status, Status::Ok);
}
