//! Waits and how they end: by what is waited for, by the peer's death, by their bound.

use super::*;
use forerun_pipe::RawHandle;
use std::time::Instant;

const SURFACE: RawHandle = RawHandle { slot: 1, generation: 1 };

/// A link whose server dies, or says why and dies, after a while in which it does nothing.
fn dying(last_word: Option<Fault>) -> (ClientLink, JoinHandle<()>) {
    let (client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        if let Some(fault) = last_word {
            server.fault(&fault);
        }
    });
    (client, thread)
}

/// Runs one wait against a dying server, and against one that stands still with a short bound.
fn ends(wait: impl Fn(&mut ClientLink) -> Result<(), Fault>, expires_as: &str) {
    let start = Instant::now();
    let (mut client, thread) = dying(None);
    assert_eq!(wait(&mut client), Err(Fault::PeerLost));
    assert_eq!(client.lost(), Some(&Fault::PeerLost));
    assert!(start.elapsed() < Duration::from_secs(1), "death is noticed at once");
    thread.join().unwrap();

    let short = LinkOptions { wait: Duration::from_millis(30), ..tiny() };
    let (mut client, _server) = ClientLink::inproc(&short, &audit()).unwrap();
    let fault = wait(&mut client).unwrap_err();
    assert!(fault.to_string().contains(expires_as), "{fault}");
    // Lost for good: nothing waits any more.
    let start = Instant::now();
    assert_eq!(wait(&mut client), Err(fault));
    let seq = send(&mut client, NOTHING, &[1; 100]);
    assert_eq!(send(&mut client, NOTHING, &[1; 100]), seq + 1, "the ordinal still moves");
    assert!(start.elapsed() < Duration::from_millis(20));
}

#[test]
fn a_wait_for_applied_ends() {
    ends(
        |client| {
            let seq = send(client, NOTHING, &[]);
            client.wait_applied(seq)
        },
        "a record to be applied",
    );
}

#[test]
fn a_wait_for_an_answer_ends() {
    ends(
        |client| {
            let seq = send(client, ECHO, &[]);
            client.wait_reply(seq).map(|_| ())
        },
        "an answer",
    );
}

#[test]
fn a_wait_for_the_ring_ends() {
    ends(
        |client| {
            for _ in 0..100 {
                send(client, NOTHING, &[0; 200]);
            }
            client.lost().cloned().map_or(Ok(()), Err)
        },
        "room in the ring",
    );
}

#[test]
fn a_full_ring_waits_for_no_more_than_it_needs_where_the_server_is_slow() {
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &ServerOptions::default()).unwrap();
    let thread = std::thread::spawn(move || {
        let mut buf = RecordBuf::default();
        loop {
            let next = server.next(&mut buf, None).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            if !step(&mut server, &mut buf, next).unwrap() {
                return;
            }
        }
    });
    let begun = std::time::Instant::now();
    let mut longest = Duration::ZERO;
    while begun.elapsed() < Duration::from_millis(1500) {
        let before = std::time::Instant::now();
        send(&mut client, NOTHING, &[0; 24]);
        longest = longest.max(before.elapsed());
    }
    // A quarter of the ring is 32 such records: 640 ms.
    assert!(longest < Duration::from_millis(300), "one record took {longest:?}");
    assert!(client.stats().space_waits > 3);
    drop(client);
    thread.join().unwrap();
}

#[test]
fn a_wait_for_the_stage_ends() {
    ends(
        |client| {
            for _ in 0..10 {
                let blob = client.put(&[0; 4000])?;
                client.record(BLOB, 0, [blob.as_bytes(), &[], &[], &[]]);
            }
            Ok(())
        },
        "room on the stage",
    );
}

#[test]
fn a_wait_for_credit_ends() {
    ends(|client| client.take_present_credit(SURFACE, 2, 1), "no present credit");
}

#[test]
fn the_last_word_of_a_server_is_heard() {
    let (mut client, thread) = dying(Some(Fault::BackendDeviceLost));
    let seq = send(&mut client, NOTHING, &[]);
    assert_eq!(client.wait_applied(seq), Err(Fault::BackendDeviceLost));
    thread.join().unwrap();
}

#[test]
fn a_program_that_only_polls_learns_of_the_loss() {
    let (mut client, thread) = dying(None);
    let query = RawHandle { slot: 0, generation: 1 };
    let start = Instant::now();
    let seq = send(&mut client, NOTHING, &[]);
    while client.query(query, seq).is_none() {
        client.flush_bell();
        assert!(start.elapsed() < Duration::from_secs(1));
    }
    assert_eq!(client.lost(), Some(&Fault::PeerLost));
    assert_eq!(client.fence(query, seq), Some(FenceState::Signaled));
    thread.join().unwrap();
}

#[test]
fn everything_published_before_the_end_is_handed_out() {
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    for _ in 0..10 {
        send(&mut client, NOTHING, &[]);
    }
    drop(client);
    let mut buf = RecordBuf::default();
    for seq in 1..=10 {
        let next = server.next(&mut buf, None).unwrap();
        assert_eq!(next, Next::Record { op: NOTHING, flags: 0, seq });
    }
    assert_eq!(server.next(&mut buf, None), Ok(Next::HangUp));
}

#[test]
fn a_server_that_is_parked_on_events_sees_the_client_go() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    send(&mut client, EVENTS, 1000u64.as_bytes());
    client.publish();
    std::thread::sleep(Duration::from_millis(50));
    drop(client);
    assert_eq!(server.join().unwrap(), Ok(1));
}

#[test]
fn credit_lets_so_many_frames_ahead_and_no_more() {
    for credit in [1u32, 3] {
        let (mut client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
        server.progress().surface_size(SURFACE, 1, 1);
        for serial in 1..=u64::from(credit) {
            client.take_present_credit(SURFACE, serial, credit).unwrap();
            client.record(PRESENT, 0, [SURFACE.as_bytes(), serial.as_bytes(), &[], &[]]);
        }
        assert_eq!(client.stats().credit_waits, 0);
        let pen = server.progress();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            pen.presented(SURFACE, 1);
        });
        let start = Instant::now();
        client.take_present_credit(SURFACE, u64::from(credit) + 1, credit).unwrap();
        assert!(start.elapsed() >= Duration::from_millis(40), "went on without credit");
        assert_eq!(client.stats().credit_waits, 1);
        thread.join().unwrap();
        let mut buf = RecordBuf::default();
        assert!(matches!(server.next(&mut buf, None), Ok(Next::Record { op: PRESENT, .. })));
    }
}

#[test]
fn an_idle_server_wakes_for_records_and_for_its_timer() {
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let mut buf = RecordBuf::default();
    let start = Instant::now();
    assert_eq!(server.next(&mut buf, Some(Duration::from_millis(20))), Ok(Next::Idle));
    assert!(start.elapsed() >= Duration::from_millis(20));
    let thread = std::thread::spawn(move || {
        let mut buf = RecordBuf::default();
        server.next(&mut buf, Some(Duration::from_secs(20)))
    });
    std::thread::sleep(Duration::from_millis(50));
    send(&mut client, NOTHING, &[]);
    client.publish();
    let next = thread.join().unwrap().unwrap();
    assert_eq!(next, Next::Record { op: NOTHING, flags: 0, seq: 1 });
    assert_eq!(client.stats().wakes, 1);
}

#[test]
fn stage_pressure_reaches_a_server_that_keeps_bytes() {
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = std::thread::spawn(move || {
        let (mut buf, mut pressures) = (RecordBuf::default(), 0);
        loop {
            match server.next(&mut buf, None).unwrap() {
                Next::Record { seq, .. } => server.applied(seq).unwrap(),
                Next::Pressure => {
                    pressures += 1;
                    server.retired(server.seq());
                }
                Next::Idle => {}
                Next::HangUp => return pressures,
            }
        }
    });
    for _ in 0..40 {
        send_blob(&mut client, &[1; 4000]);
    }
    drop(client);
    assert!(server.join().unwrap() >= 9);
}

/// Not `Drop`'s business: the child must leave the parent's link as it is.
#[test]
fn a_forked_child_is_lost_and_its_parent_is_not() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    let seq = send(&mut client, ECHO, b"before");
    client.wait_reply(seq).unwrap();
    // SAFETY: the child only records, which takes no lock of another thread, and leaves with `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        send(&mut client, ECHO, b"from the child");
        let is_lost = client.lost() == Some(&Fault::PeerLost);
        drop(client);
        // SAFETY: no handlers of the parent run.
        unsafe { libc::_exit(if is_lost { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: `status` is writable.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(status, 0);
    let seq = send(&mut client, ECHO, b"after");
    assert_eq!(seq, 2);
    assert_eq!(client.wait_reply(seq).unwrap().bytes[..5], *b"after");
    drop(client);
    assert_eq!(server.join().unwrap(), Ok(2));
}
