//! Two ends over a real socket, and every way in which they can disagree.

use super::*;
use crate::memory::create_sealed;
use crate::message::{self, Welcome, kind};
use crate::wire::Socket;
use forerun_pipe::caps::Caps;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

fn pair() -> (OwnedFd, OwnedFd) {
    let (a, b) = UnixStream::pair().unwrap();
    (a.into(), b.into())
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

/// A server on its own thread; returns what became of it.
fn server(socket: OwnedFd, options: ServerOptions) -> JoinHandle<Result<Seq, Fault>> {
    std::thread::spawn(move || {
        let (link, ()) = ServerLink::accept(socket, &options, |hello| {
            assert_eq!(hello.want("FORERUN_BACKEND"), Some("null"));
            Ok((Caps { renderer: "a renderer".into(), ..Caps::default() }, ()))
        })?;
        serve(link).join().unwrap()
    })
}

fn wishes(options: LinkOptions) -> LinkOptions {
    LinkOptions { wants: vec![("FORERUN_BACKEND".into(), "null".into())], ..options }
}

#[test]
fn ends_that_agree_work_as_in_one_process() {
    let (ours, theirs) = pair();
    let server = server(theirs, audit());
    let (mut client, caps) = ClientLink::shake_hands(ours, &wishes(tiny())).unwrap();
    assert_eq!(caps.renderer, "a renderer");
    assert_eq!(client.max_record(), 2048);
    let mut rng = Rng(4);
    for round in 0..500 {
        let len = rng.next(if round % 20 == 0 { 200_000 } else { 4096 });
        let bytes = rng.bytes(len);
        let blob = send_blob(&mut client, &bytes);
        let echo = send(&mut client, ECHO, &[round as u8; 8]);
        assert_eq!(client.wait_reply(echo).unwrap().bytes, [round as u8; 8]);
        assert_eq!(client.wait_reply(blob).unwrap().status, Status::Ok);
    }
    let seq = send(&mut client, EVENTS, 1000u64.as_bytes());
    client.wait_applied(seq).unwrap();
    assert_eq!(client.drain_events().len(), 1000);
    assert!(client.available(forerun_pipe::Op::DrawVbo as u16));
    assert!(!client.available(1), "reserved");
    drop(client);
    assert_eq!(server.join().unwrap(), Ok(1001));
}

#[test]
fn the_server_states_the_sizes() {
    let (ours, theirs) = pair();
    let small = ServerOptions { sizes: Sizes { ring: 65536, ..Sizes::TINY }, ..audit() };
    let server = server(theirs, small);
    let asks = Sizes { ring: 5 << 20, ..Sizes::default() };
    let asks = LinkOptions { sizes: asks, ..options() };
    let (client, _) = ClientLink::shake_hands(ours, &wishes(asks)).unwrap();
    assert_eq!((client.max_record(), client.max_chunk()), (32768, 4096));
    drop(client);
    server.join().unwrap().unwrap();
}

/// Plays a client that says `body`; returns the server's answer and its result.
fn hello_of(body: Vec<u8>) -> (Fault, Fault) {
    let (ours, theirs) = pair();
    let server = server(theirs, audit());
    let mut socket = Socket::new(ours).unwrap();
    socket.send(kind::HELLO, &body, &[], soon()).unwrap();
    let frame = socket.receive(soon(), "an answer").unwrap();
    assert_eq!(frame.kind, kind::REFUSE);
    (message::read_fault(&frame.body), server.join().unwrap().unwrap_err())
}

fn hello() -> Hello {
    Hello { pid: 1, build: "b".into(), sizes: Sizes::TINY, wants: Vec::new() }
}

#[test]
fn a_client_of_another_version_is_refused_by_both_names() {
    let mut body = message::write_hello(&hello(), &[]);
    body[0] = 77;
    let (told, kept) = hello_of(body);
    let refused = |ours: &str, theirs: &str| Fault::Refused {
        what: "handshake version".into(),
        ours: ours.into(),
        theirs: theirs.into(),
    };
    assert_eq!(kept, refused("1", "77"));
    assert_eq!(told, refused("77", "1"));
}

#[test]
fn a_client_with_another_row_is_refused_by_both_fingerprints() {
    let mut rows = message::own_rows();
    let ours = rows[5].fingerprint;
    rows[5].fingerprint = 42;
    let row = forerun_pipe::catalogue::row(rows[5].op).unwrap().name.to_owned();
    let (told, kept) = hello_of(message::write_hello(&hello(), &rows));
    assert_eq!(kept, Fault::AbiMismatch { row: row.clone(), ours, theirs: 42 });
    assert_eq!(told, Fault::AbiMismatch { row, ours: 42, theirs: ours });
}

#[test]
fn a_hello_that_is_cut_short_is_corruption() {
    let mut body = message::write_hello(&hello(), &message::own_rows());
    body.truncate(body.len() - 1);
    let (_, kept) = hello_of(body);
    assert!(matches!(kept, Fault::ProtocolCorruption { .. }), "{kept}");
}

#[test]
fn a_server_without_a_driver_says_so() {
    let (ours, theirs) = pair();
    let server = std::thread::spawn(move || {
        ServerLink::accept(theirs, &audit(), |_| {
            Err::<(Caps, ()), _>(Fault::NoHostDriver { why: "no EGL".into() })
        })
        .map(|_| ())
    });
    let fault = ClientLink::shake_hands(ours, &options()).err().unwrap();
    assert_eq!(fault, Fault::NoHostDriver { why: "no EGL".into() });
    assert_eq!(server.join().unwrap(), Err(fault));
}

#[test]
fn a_server_that_hangs_up_is_unavailable() {
    let (ours, theirs) = pair();
    drop(theirs);
    let fault = ClientLink::shake_hands(ours, &options()).err().unwrap();
    assert!(matches!(fault, Fault::ServerUnavailable { .. }), "{fault}");
}

#[test]
fn an_end_that_comes_with_the_welcome_is_seen() {
    let options = LinkOptions { wait: Duration::from_secs(2), ..options() };
    let (ours, theirs) = pair();
    let mut socket = Socket::new(ours).unwrap();
    let body = message::write_hello(&hello(), &message::own_rows());
    socket.send(kind::HELLO, &body, &[], soon()).unwrap();
    // Both are there before the client looks.
    drop(ServerLink::accept(theirs, &audit(), |_| Ok((Caps::default(), ()))).unwrap());
    let (mut client, _) = ClientLink::welcomed(socket, soon(), &options).unwrap();
    let seq = send(&mut client, ECHO, &[1; 8]);
    assert_eq!(client.wait_reply(seq), Err(Fault::PeerLost));
}

#[test]
fn a_server_that_says_nothing_expires() {
    let (ours, _theirs) = pair();
    let short = LinkOptions { wait: Duration::from_millis(30), ..options() };
    let fault = ClientLink::shake_hands(ours, &short).err().unwrap();
    assert_eq!(fault, Fault::WaitExpired { what: "Welcome", waited_ms: 30 });
}

/// Plays a server that welcomes with these segments.
fn welcomed(
    change: impl Fn(&mut Welcome) + Send + 'static,
    fds: impl Fn(usize, usize) -> OwnedFd + Send + 'static,
) -> Fault {
    let (ours, theirs) = pair();
    let server = std::thread::spawn(move || {
        let mut socket = Socket::new(theirs).unwrap();
        socket.receive(soon(), "Hello").unwrap();
        let mut welcome = Welcome {
            pid: 1,
            build: "b".into(),
            sizes: Sizes::TINY,
            rows: message::own_rows(),
            caps: Caps::default().encode(),
        };
        change(&mut welcome);
        let lengths = crate::page::Segments::lengths(&Sizes::TINY);
        let lengths = lengths.into_iter().chain([8, 8]).enumerate();
        let fds: Vec<OwnedFd> = lengths.map(|(index, len)| fds(index, len)).collect();
        let fds: Vec<BorrowedFd<'_>> = fds.iter().map(|fd| fd.as_fd()).collect();
        socket.send(kind::WELCOME, &welcome.write(), &fds, soon()).unwrap();
    });
    let fault = ClientLink::shake_hands(ours, &tiny()).err().unwrap();
    server.join().unwrap();
    fault
}

fn sealed(_: usize, len: usize) -> OwnedFd {
    create_sealed("x", len).unwrap()
}

#[test]
fn a_client_checks_what_it_is_given() {
    let mismatch = |what| Fault::SegmentMismatch { what };
    let fault = welcomed(|_| {}, |index, len| sealed(0, if index == 1 { len / 2 } else { len }));
    assert_eq!(fault, mismatch("Segment.size"));
    let loose = |_: usize, len: usize| {
        let fd = rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        rustix::fs::ftruncate(&fd, len as u64).unwrap();
        fd
    };
    assert_eq!(welcomed(|_| {}, loose), mismatch("Segment.seals"));
    let fault = welcomed(|welcome| welcome.sizes.ring = 5000, sealed);
    assert_eq!(fault, mismatch("Welcome.sizes"));
    let fault = welcomed(|welcome| welcome.rows[0].fingerprint = 1, sealed);
    assert!(matches!(fault, Fault::AbiMismatch { theirs: 1, .. }), "{fault}");
    let fault = welcomed(|welcome| welcome.caps.truncate(3), sealed);
    assert!(matches!(fault, Fault::ProtocolCorruption { .. }), "{fault}");
}

#[test]
fn an_unsealed_own_segment_ends_the_session_by_name() {
    let (ours, theirs) = pair();
    let server = server(theirs, audit());
    // The handshake by hand, to have the socket for ourselves.
    let mut socket = Socket::new(ours).unwrap();
    let wishes = vec![("FORERUN_BACKEND".into(), "null".into())];
    let hello = Hello { wants: wishes, ..hello() };
    let body = message::write_hello(&hello, &message::own_rows());
    socket.send(kind::HELLO, &body, &[], soon()).unwrap();
    assert_eq!(socket.receive(soon(), "Welcome").unwrap().kind, kind::WELCOME);
    let fd = rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
    rustix::fs::ftruncate(&fd, 4096).unwrap();
    let body = crate::wire::Writer::default().u32(16).u64(4096).0;
    socket.send(kind::SEGMENT, &body, &[fd.as_fd()], soon()).unwrap();
    let fault = server.join().unwrap().unwrap_err();
    assert_eq!(fault, Fault::SegmentMismatch { what: "Segment.seals" });
}
