//! The link between real processes: start, death, standstill. This program is its own server (`fd:3`) and its own victim
//! (`client`), so it has a small harness of its own.

use forerun_link::{
    ClientLink, LinkOptions, Next, RecordBuf, ServerLink, ServerOptions, Sizes, Status,
};
use forerun_pipe::caps::Caps;
use forerun_pipe::knobs::Transport;
use forerun_pipe::{Fault, Seq, Sink};
use rustix::process::{Pid, Signal, kill_process};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

/// The server's words for this test: answers the body.
const ECHO: u16 = 103;
/// Sleeps for as many milliseconds as the body says, then answers.
const SLEEP: u16 = 101;
/// Answers its open descriptors and whether it sees the program's EGL vendor.
const TELL: u16 = 100;
/// Nothing.
const NOTHING: u16 = 66;

fn serve(socket: OwnedFd) -> Result<Seq, Fault> {
    let (mut link, ()) =
        ServerLink::accept(socket, &ServerOptions::default(), |_| Ok((Caps::default(), ())))?;
    let mut buf = RecordBuf::default();
    loop {
        match link.next(&mut buf, None)? {
            Next::Record { op, seq, .. } => {
                let body = buf.body().to_vec();
                match op {
                    ECHO => link.reply(seq, Status::Ok, &body)?,
                    SLEEP => {
                        let ms = u64::from_ne_bytes(body[..8].try_into().unwrap_or_default());
                        std::thread::sleep(Duration::from_millis(ms));
                        link.reply(seq, Status::Ok, &[])?;
                    }
                    TELL => link.reply(seq, Status::Ok, tell().as_bytes())?,
                    _ => {}
                }
                link.done(seq)?;
            }
            Next::HangUp => return Ok(link.seq()),
            Next::Idle | Next::Pressure => {}
        }
    }
}

fn tell() -> String {
    let fds = descriptors().join(",");
    format!("{fds} vendor={:?}", std::env::var_os("__EGL_VENDOR_LIBRARY_FILENAMES"))
}

fn descriptors() -> Vec<String> {
    let folder = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    folder.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn options(wait: Duration) -> LinkOptions {
    LinkOptions {
        transport: Transport::Spawn,
        sizes: Sizes::TINY,
        wait,
        server: std::env::current_exe().ok(),
        ..LinkOptions::default()
    }
}

fn spawned() -> ClientLink {
    spawned_with(Duration::from_secs(20))
}

fn spawned_with(wait: Duration) -> ClientLink {
    ClientLink::connect(&options(wait)).expect("the server starts").0
}

fn pid(client: &ClientLink) -> Pid {
    Pid::from_raw(client.server_pid() as i32).expect("a process")
}

fn signal(client: &ClientLink, signal: Signal) {
    kill_process(pid(client), signal).expect("it can be signalled");
}

fn send(client: &mut ClientLink, op: u16, body: &[u8]) -> Seq {
    client.record(op, 0, [body, &[], &[], &[]])
}

fn echoes(client: &mut ClientLink) {
    let seq = send(client, ECHO, b"anything");
    assert_eq!(client.wait_reply(seq).expect("an answer").bytes, b"anything");
}

fn a_spawned_server_is_nobodys_child_and_goes_with_its_client() {
    let mut client = spawned();
    echoes(&mut client);
    let server = pid(&client);
    assert_ne!(client.server_pid(), std::process::id());
    // SAFETY: no pointer is read or written.
    let child = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
    assert_eq!(child, -1, "the program has a child that it did not make");
    drop(client);
    let start = Instant::now();
    while is_running(server) {
        assert!(start.elapsed() < Duration::from_secs(5), "the server stays");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the process is there and no zombie that nobody has reaped yet.
fn is_running(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| !rest.starts_with(" Z")))
}

fn a_spawned_server_has_nothing_of_the_programs() {
    let (leak, _other) = UnixStream::pair().expect("a pair");
    // SAFETY: 77 is free in this test.
    unsafe { libc::dup2(leak.as_raw_fd(), 77) };
    let mut client = spawned();
    let seq = send(&mut client, TELL, &[]);
    let reply = client.wait_reply(seq).expect("an answer");
    let told = String::from_utf8_lossy(&reply.bytes).into_owned();
    assert!(told.ends_with("vendor=None"), "{told}");
    assert!(!told.split([',', ' ']).any(|fd| fd == "77"), "{told}");
    // SAFETY: opened above.
    unsafe { libc::close(77) };
}

fn a_killed_server_is_lost_at_once_in_every_wait() {
    let short = |start: Instant| assert!(start.elapsed() < Duration::from_secs(1));
    // Before the wait.
    let mut client = spawned();
    echoes(&mut client);
    signal(&client, Signal::KILL);
    let start = Instant::now();
    let seq = send(&mut client, SLEEP, &60_000u64.to_ne_bytes());
    assert_eq!(client.wait_reply(seq), Err(Fault::PeerLost));
    short(start);
    // Within the wait.
    let mut client = spawned();
    let server = pid(&client);
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        kill_process(server, Signal::KILL).expect("it can be killed");
    });
    let seq = send(&mut client, SLEEP, &60_000u64.to_ne_bytes());
    let start = Instant::now();
    assert_eq!(client.wait_applied(seq), Err(Fault::PeerLost));
    short(start);
    killer.join().expect("killed");
    // While the program only records: the ring fills, and then nothing hangs.
    let mut client = spawned();
    signal(&client, Signal::KILL);
    let start = Instant::now();
    for _ in 0..10_000 {
        send(&mut client, NOTHING, &[0; 500]);
    }
    assert_eq!(client.lost(), Some(&Fault::PeerLost));
    assert!(client.put(&[0; 100]).is_err() && client.create_segment(100).is_err());
    short(start);
    // While the program only polls.
    let mut client = spawned();
    signal(&client, Signal::KILL);
    let start = Instant::now();
    while client.lost().is_none() {
        client.drain_events();
        short(start);
    }
}

fn a_server_that_stands_still_is_reported_and_not_killed() {
    let mut client = spawned_with(Duration::from_secs(20));
    echoes(&mut client);
    drop(client);
    let mut client = spawned_with(Duration::from_millis(700));
    signal(&client, Signal::STOP);
    let seq = send(&mut client, ECHO, &[]);
    let start = Instant::now();
    let fault = client.wait_reply(seq).expect_err("nothing answers");
    assert!(matches!(fault, Fault::WaitExpired { .. }), "{fault}");
    assert!(start.elapsed() >= Duration::from_millis(700));
    assert!(is_running(pid(&client)), "it is still there");
    signal(&client, Signal::CONT);
}

fn a_slow_server_is_no_fault() {
    let mut client = spawned_with(Duration::from_secs(2));
    let seq = send(&mut client, SLEEP, &300u64.to_ne_bytes());
    client.wait_reply(seq).expect("slow, not dead");
    let seq = send(&mut client, SLEEP, &2300u64.to_ne_bytes());
    client.wait_reply_for(seq, Duration::from_secs(3)).expect("announced");
    echoes(&mut client);
}

fn a_killed_client_leaves_a_server_that_sees_it() {
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    let fd = theirs.as_raw_fd();
    let mut victim = {
        use std::os::unix::process::CommandExt;
        let mut command =
            std::process::Command::new(std::env::current_exe().expect("this program"));
        // SAFETY: between fork and exec, async-signal-safe calls only.
        unsafe {
            command.arg("client").pre_exec(move || {
                if libc::dup2(fd, 3) < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
            });
        }
        command.spawn().expect("it starts")
    };
    drop(theirs);
    let server = std::thread::spawn(move || serve(ours.into()));
    std::thread::sleep(Duration::from_millis(300));
    victim.kill().expect("killed");
    victim.wait().expect("reaped");
    let start = Instant::now();
    let records = server.join().expect("no panic").expect("a hang-up is no fault");
    assert!(records > 10, "{records} records came before");
    assert!(start.elapsed() < Duration::from_secs(1));
}

/// The victim: sends until it is killed.
fn client() -> ! {
    // SAFETY: whoever started this put the socket there.
    let socket = unsafe { OwnedFd::from_raw_fd(3) };
    let (mut link, _) = ClientLink::shake_hands(socket, &options(Duration::from_secs(20)))
        .expect("the server answers");
    loop {
        echoes(&mut link);
        send(&mut link, NOTHING, &[1; 300]);
    }
}

fn a_server_that_listens_is_dialled_and_found_again_after_its_death() {
    let path = std::env::temp_dir().join(format!("forerun-link-{}", std::process::id()));
    let dialled = LinkOptions {
        transport: Transport::Unix(path.clone()),
        ..options(Duration::from_secs(20))
    };
    let fault = ClientLink::connect(&dialled).err().expect("nobody listens");
    assert!(matches!(&fault, Fault::ServerUnavailable { why } if why.contains("forerun-link-")));
    for _ in 0..2 {
        let listener = UnixListener::bind(&path).expect("a socket");
        let server =
            std::thread::spawn(move || serve(listener.accept().expect("a client").0.into()));
        let mut client = ClientLink::connect(&dialled).expect("it listens").0;
        echoes(&mut client);
        drop(client);
        assert_eq!(server.join().expect("no panic"), Ok(1));
        std::fs::remove_file(&path).expect("removed");
    }
}

fn links_leave_nothing_behind() {
    let mut after_warm_up = 0;
    for round in 0..60 {
        let mut client = spawned();
        echoes(&mut client);
        let segment = client.create_segment(100_000).expect("memory");
        echoes(&mut client);
        client.drop_segment(segment);
        drop(client);
        let count = descriptors().len() + maps();
        if round == 10 {
            after_warm_up = count;
        }
        assert!(round <= 10 || count <= after_warm_up, "{count} after {after_warm_up}");
    }
}

fn maps() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().filter(|line| line.contains("memfd:forerun")).count()
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("fd:3") => {
            // SAFETY: the link put the socket there.
            let socket = unsafe { OwnedFd::from_raw_fd(forerun_link::SERVER_FD) };
            std::process::exit(i32::from(serve(socket).is_err()));
        }
        Some("client") => client(),
        _ => {}
    }
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("__EGL_VENDOR_LIBRARY_FILENAMES", "/the/programs/own.json") };
    macro_rules! run {
        ($($test:ident)*) => { $( $test(); eprintln!("test {} ... ok", stringify!($test)); )* };
    }
    run! {
        a_spawned_server_is_nobodys_child_and_goes_with_its_client
        a_spawned_server_has_nothing_of_the_programs
        a_killed_server_is_lost_at_once_in_every_wait
        a_server_that_stands_still_is_reported_and_not_killed
        a_slow_server_is_no_fault
        a_killed_client_leaves_a_server_that_sees_it
        a_server_that_listens_is_dialled_and_found_again_after_its_death
        links_leave_nothing_behind
    }
}
