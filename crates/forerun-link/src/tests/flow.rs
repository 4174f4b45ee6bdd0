//! What flows: records, bulk bytes, answers, events.

use super::*;
use forerun_pipe::codec::framing;

#[test]
fn records_of_all_sizes_cross_a_ring_that_wraps_every_few_of_them() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    let mut rng = Rng(1);
    let most = client.max_record() - 8;
    for _ in 0..3000 {
        let parts: Vec<Vec<u8>> = (0..3).map(|_| rng.bytes(most / 4)).collect();
        let lens: Vec<usize> = (0..3).map(|_| rng.next(most / 4)).collect();
        let [a, b, c] = [&parts[0][..lens[0]], &parts[1][..lens[1]], &parts[2][..lens[2]]];
        let seq = client.record(ECHO, 0, [a, b, c, &[]]);
        if rng.next(4) == 0 {
            let reply = client.wait_reply(seq).unwrap();
            let padded = |bytes: &[u8]| [bytes, &vec![0; bytes.len().wrapping_neg() % 8]].concat();
            assert_eq!(reply.bytes, [padded(a), padded(b), padded(c)].concat());
        }
    }
    drop(client);
    assert_eq!(server.join().unwrap(), Ok(3000));
}

#[test]
fn the_longest_record_crosses_and_one_byte_more_ends_the_session_by_name() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    let longest = vec![5; client.max_record() - 8];
    for _ in 0..10 {
        let seq = send(&mut client, NOTHING, &longest);
        client.wait_applied(seq).unwrap();
    }
    send(&mut client, NOTHING, &vec![5; longest.len() + 1]);
    let fault = Fault::RingOverrun { what: "record over half the ring" };
    assert_eq!(client.lost(), Some(&fault));
    assert_eq!(client.wait_applied(11), Err(fault.clone()));
    assert_eq!(server.join().unwrap(), Err(fault), "the server is told");
}

#[test]
fn bulk_bytes_arrive_whole_through_a_tiny_stage_and_through_own_segments() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    let mut rng = Rng(2);
    let mut seqs = Vec::new();
    for round in 0..2000 {
        let most = if round % 50 == 0 { 100_000 } else { client.max_chunk() };
        let len = rng.next(most + 1);
        let bytes = rng.bytes(len);
        seqs.push(send_blob(&mut client, &bytes));
        if rng.next(20) == 0 {
            for seq in seqs.drain(..) {
                assert_eq!(client.wait_reply(seq).unwrap().status, Status::Ok, "record {seq}");
            }
        }
    }
    assert!(client.stats().space_waits > 0, "the stage was never full");
    drop(client);
    assert_eq!(server.join().unwrap(), Ok(2000));
}

#[test]
fn a_held_slice_keeps_its_bytes_while_others_come_and_go() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    assert!(client.hold(client.max_chunk()).unwrap().is_none(), "a quarter of the stage");
    for _ in 0..20 {
        let mut held = client.hold(700).unwrap().unwrap();
        let mut second = client.hold(1000).unwrap().unwrap();
        held.write(0, &[9; 700]);
        second.write(0, &[8; 1000]);
        for _ in 0..30 {
            send_blob(&mut client, &[1; 4000]);
        }
        for (slice, byte) in [(&held, 9), (&second, 8)] {
            client.release(slice);
            let expected = sum(&vec![byte; slice.len()]);
            let blob = slice.blob();
            let parts: [&[u8]; 4] = [blob.as_bytes(), expected.as_bytes(), &[], &[]];
            let seq = client.record(BLOB, 0, parts);
            assert_eq!(client.wait_reply(seq).unwrap().status, Status::Ok);
            until_free(&client, seq);
        }
    }
    drop(client);
    server.join().unwrap().unwrap();
}

/// Waits until what the record named is free: its answer comes before that.
fn until_free(client: &ClientLink, seq: Seq) {
    while client.retired() < seq {
        std::thread::yield_now();
    }
}

#[test]
fn a_slice_that_is_held_for_ever_stops_other_held_ones_only() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    let forever = client.hold(100).unwrap().unwrap();
    let mut rounds = 0;
    while let Some(slice) = client.hold(1000).unwrap() {
        client.release(&slice);
        send_blob(&mut client, &[1; 10]);
        rounds += 1;
        assert!(rounds < 10, "the linear allocator came past a held slice");
    }
    for _ in 0..30 {
        send_blob(&mut client, &[1; 4000]);
    }
    let most = client.max_chunk();
    assert_eq!(client.stage(most).unwrap().blob().segment, BlobRef::STAGE);
    client.release(&forever);
    let seq = send_blob(&mut client, &[1; 4000]);
    client.wait_reply(seq).unwrap();
    until_free(&client, seq);
    assert!(client.hold(1000).unwrap().is_some(), "what was released is used again");
    drop(client);
    server.join().unwrap().unwrap();
}

#[test]
fn a_readback_stands_in_its_destination_when_the_answer_comes() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    for len in [1, 100, 4096, 50_000] {
        let slice = client.stage(len).unwrap();
        let seq = client.record(READBACK, 0, [slice.blob().as_bytes(), &[], &[], &[]]);
        client.wait_reply(seq).unwrap();
        let mut out = vec![0; len];
        slice.read(0, &mut out);
        assert!(out.iter().enumerate().all(|(i, byte)| *byte == (i % 251) as u8), "{len} bytes");
    }
    drop(client);
    server.join().unwrap().unwrap();
}

#[test]
fn one_segment_serves_long_transfers_in_turn() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    let mut segments = Vec::new();
    for len in [50_000, 40_000, 50_000, 60_000, 10_000] {
        let mut slice = client.stage(len).unwrap();
        let bytes = vec![len as u8; len];
        slice.write(0, &bytes);
        let (blob, expected) = (slice.blob(), sum(&bytes));
        let parts: [&[u8]; 4] = [blob.as_bytes(), expected.as_bytes(), &[], &[]];
        let seq = client.record(BLOB, 0, parts);
        assert_eq!(client.wait_reply(seq).unwrap().status, Status::Ok, "{len} bytes");
        until_free(&client, seq);
        segments.push(blob.segment);
    }
    assert_eq!(segments[..3], [segments[0]; 3], "nobody had it any more");
    assert_ne!(segments[3], segments[0], "it is too short");
    assert_eq!(segments[4], segments[3]);
    drop(client);
    server.join().unwrap().unwrap();
}

#[test]
fn answers_are_kept_until_they_are_read() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    let seqs: Vec<Seq> =
        (0u64..200).map(|n| client.record(ECHO, 0, [n.as_bytes(), &[3; 500], &[], &[]])).collect();
    for (n, seq) in seqs.iter().enumerate().rev() {
        let reply = client.wait_reply(*seq).unwrap();
        assert_eq!(reply.bytes[..8], (n as u64).to_ne_bytes());
    }
    drop(client);
    server.join().unwrap().unwrap();
}

#[test]
fn an_answer_that_nobody_wants_is_not_posted() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    // Many times what the answer ring holds: without the bit the server would park for ever, because nobody drains.
    for _ in 0..100 {
        client.record(ECHO, framing::NO_ANSWER, [&[1; 1000], &[], &[], &[]]);
    }
    let seq = send(&mut client, ECHO, b"answered");
    assert_eq!(client.wait_reply(seq).unwrap().bytes, b"answered");
    let fault = client.wait_reply(seq - 1).unwrap_err();
    assert!(matches!(fault, Fault::ReplyMissing { .. }), "{fault}");
    assert_eq!(server.join().unwrap(), Err(fault), "the server is told");
}

#[test]
fn all_events_of_a_record_are_there_when_it_is_applied() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    for count in [1u64, 20, 500, 3] {
        let seq = send(&mut client, EVENTS, count.as_bytes());
        client.wait_applied(seq).unwrap();
        let texts: Vec<String> = client
            .drain_events()
            .into_iter()
            .map(|event| match event {
                Event::GlError(_, text) => text,
                other => panic!("{other:?}"),
            })
            .collect();
        let expected: Vec<String> =
            (0..count).map(|i| format!("number {i} of record {seq}")).collect();
        assert_eq!(texts, expected);
    }
    drop(client);
    server.join().unwrap().unwrap();
}

#[test]
fn a_program_that_does_not_look_parks_the_server_and_nothing_is_lost() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    let seq = send(&mut client, ECHO, &[]);
    client.wait_reply(seq).unwrap();
    send(&mut client, EVENTS, 1000u64.as_bytes());
    let last = send(&mut client, NOTHING, &[]);
    client.publish();
    std::thread::sleep(Duration::from_millis(100));
    assert!(client.applied() < last, "the server went past events that had no room");
    assert!(client.server_counter(Counter::Parks) < 20, "it sleeps, it does not poll");
    let mut events = 0;
    while events < 1000 {
        events += client.drain_events().len();
    }
    client.wait_applied(last).unwrap();
    drop(client);
    server.join().unwrap().unwrap();
}

#[test]
fn a_draw_grows_while_it_is_open_and_no_longer() {
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let first = client.record(NOTHING, 0, [b"payload1", b"tail1...", &[], &[]]);
    assert_eq!(client.last_unpublished(), Some(first));
    assert!(client.extend_last(first, b"payload2", b"tail2..."));
    assert!(client.extend_last(first, b"payload3", b"tail3..."));
    assert!(!client.extend_last(first, b"payload3", b"odd"), "tails are multiples of 8");
    let second = send(&mut client, NOTHING, &[]);
    assert!(!client.extend_last(first, b"payload4", &[]), "another record follows");
    client.publish();
    assert_eq!(client.last_unpublished(), None);
    assert!(!client.extend_last(second, &[], b"too late"), "published");
    let mut buf = RecordBuf::default();
    server.next(&mut buf, None).unwrap();
    assert_eq!(buf.body(), b"payload3tail1...tail2...tail3...");
    server.next(&mut buf, None).unwrap();
    assert_eq!(buf.body(), b"");
}

#[test]
fn an_open_record_ends_before_the_ring_does() {
    let (mut client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let server = serve(server);
    for _ in 0..500 {
        let mut expected = b"firstone".to_vec();
        let seq = client.record(ECHO, 0, [b"firstone", &[], &[], &[]]);
        while expected.len() < 1500
            && client.extend_last(seq, b"firstone", &[expected.len() as u8; 8])
        {
            expected.extend([expected.len() as u8; 8]);
        }
        assert_eq!(client.wait_reply(seq).unwrap().bytes, expected);
    }
    drop(client);
    server.join().unwrap().unwrap();
}

#[test]
fn publishing_is_adaptive() {
    let (mut client, mut server) = ClientLink::inproc(&options(), &audit()).unwrap();
    let mut buf = RecordBuf::default();
    for _ in 0..32 {
        send(&mut client, NOTHING, &[]);
    }
    assert_eq!(server.next(&mut buf, Some(Duration::ZERO)), Ok(Next::Idle));
    send(&mut client, NOTHING, &[]);
    for seq in 1..=32 {
        let next = server.next(&mut buf, Some(Duration::ZERO)).unwrap();
        assert_eq!(next, Next::Record { op: NOTHING, flags: 0, seq });
    }
    assert_eq!(server.next(&mut buf, Some(Duration::ZERO)), Ok(Next::Idle), "one stays open");
    client.record(PRESENT, 0, [&[0; 16], &[], &[], &[]]);
    assert!(matches!(server.next(&mut buf, Some(Duration::ZERO)), Ok(Next::Record { .. })));
    assert!(matches!(server.next(&mut buf, Some(Duration::ZERO)), Ok(Next::Record { .. })));
}

#[test]
fn on_one_thread_everything_published_is_applied_at_once() {
    let (mut client, mut server) = ClientLink::monolith(&tiny(), &audit()).unwrap();
    let mut buf = RecordBuf::default();
    client.set_pump(Box::new(move || {
        loop {
            let next = server.next(&mut buf, None)?;
            if next == Next::Idle || !step(&mut server, &mut buf, next)? {
                return Ok(());
            }
        }
    }));
    let mut rng = Rng(3);
    for round in 0..1000u64 {
        let len = rng.next(client.max_chunk() * 2);
        let bytes = rng.bytes(len);
        let seq = send_blob(&mut client, &bytes);
        let echo = client.record(ECHO, 0, [round.as_bytes(), &[], &[], &[]]);
        assert_eq!(client.wait_reply(echo).unwrap().bytes, round.to_ne_bytes());
        assert_eq!(client.wait_reply(seq).unwrap().status, Status::Ok);
    }
    // Far more than the event ring holds, and nobody else to drain it.
    let seq = send(&mut client, EVENTS, 500u64.as_bytes());
    client.wait_applied(seq).unwrap();
    assert_eq!(client.drain_events().len(), 500);
    assert_eq!(client.stats().parks, 0);
}

#[test]
fn audit_fills_what_retired() {
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let mut slice = client.stage(100).unwrap();
    slice.write(0, &[4; 100]);
    client.record(BLOB, 0, [slice.blob().as_bytes(), 0u64.as_bytes(), &[], &[]]);
    client.publish();
    let mut buf = RecordBuf::default();
    server.next(&mut buf, None).unwrap();
    let bytes = server.blob(&slice.blob()).unwrap();
    server.applied(1).unwrap();
    assert_eq!(bytes.to_vec(), [4; 100]);
    server.retired(1);
    assert_eq!(bytes.to_vec(), [0xDD; 100]);
}

#[test]
fn a_blob_outside_its_segment_is_named() {
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let segment = client.create_segment(1000).unwrap();
    let mut check = |offset, size, segment| {
        server.blob(&BlobRef { offset, size, segment, pad: 0 }).map(|b| b.len())
    };
    let outside = Err(Fault::SegmentMismatch { what: "BlobRef.offset" });
    let unknown = Err(Fault::SegmentMismatch { what: "BlobRef.segment" });
    assert_eq!(check(16384 - 8, 8, BlobRef::STAGE), Ok(8));
    assert_eq!(check(16384 - 8, 9, BlobRef::STAGE), outside);
    assert_eq!(check(u64::MAX, 2, BlobRef::STAGE), outside);
    assert_eq!(check(990, 10, segment.number()), Ok(10));
    assert_eq!(check(990, 11, segment.number()), outside);
    assert_eq!(check(0, 0, segment.number() + 1), unknown);
    assert_eq!(check(0, 0, 0), unknown);
    assert_eq!(check(0, 0, BlobRef::INLINE), unknown);
}

#[test]
fn a_dropped_segment_goes_after_the_records_before_it() {
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let segment = client.create_segment(5000).unwrap();
    let (number, blob) = (segment.number(), segment.blob(0, 5000));
    send(&mut client, NOTHING, &[]);
    client.drop_segment(segment);
    client.publish();
    let mut buf = RecordBuf::default();
    server.next(&mut buf, None).unwrap();
    assert!(server.blob(&blob).is_ok());
    server.done(1).unwrap();
    assert_eq!(server.next(&mut buf, Some(Duration::ZERO)), Ok(Next::Idle));
    assert!(server.segment(number).is_err());
}

#[test]
fn own_segments_end_at_the_quota() {
    let quota = ServerOptions { own_bytes: 10_000, ..audit() };
    let (mut client, mut server) = ClientLink::inproc(&tiny(), &quota).unwrap();
    let first = client.create_segment(8000).unwrap();
    assert!(server.segment(first.number()).is_ok());
    let second = client.create_segment(8000).unwrap();
    let fault = server.segment(second.number()).unwrap_err();
    assert_eq!(fault, Fault::QuotaExceeded { what: "own segments" });
}

#[test]
fn polls_read_the_progress_page() {
    let (client, server) = ClientLink::inproc(&tiny(), &audit()).unwrap();
    let pen = server.progress();
    let handle = |slot, generation| forerun_pipe::RawHandle { slot, generation };
    let last = handle(forerun_pipe::handle::MAX_SLOTS - 1, 1);
    assert_eq!(client.query(last, 5), None);
    pen.query(last, 5, 99);
    assert_eq!(client.query(last, 5), Some(99));
    assert_eq!(client.query(last, 6), None, "an earlier use is not a later one");
    pen.query(last, 4, 1);
    assert_eq!(client.query(last, 5), Some(99), "a late completion hides nothing");
    assert_eq!(client.fence(last, 7), None);
    pen.fence(last, 7, FenceState::Declined);
    assert_eq!(client.fence(last, 7), Some(FenceState::Declined));
    assert_eq!(client.surface_size(handle(3, 2)), None);
    pen.surface_size(handle(3, 2), 640, 480);
    pen.presented(handle(3, 2), 9);
    assert_eq!(client.surface_size(handle(3, 2)), Some((640, 480)));
    assert_eq!(client.presented(handle(3, 2)), 9);
    pen.surface_size(handle(3, 3), 10, 10);
    pen.presented(handle(3, 2), 50);
    assert_eq!(client.presented(handle(3, 3)), 0, "a new drawable starts at 0");
    // Out of range: nothing happens.
    pen.query(handle(u32::MAX, 1), 9, 1);
    assert_eq!(client.query(handle(u32::MAX, 1), 9), None);
}
