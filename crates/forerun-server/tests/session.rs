//! Sessions over a real link, on the null backend.

use forerun_link::{ClientLink, LinkOptions, ServerOptions, Sizes, Status};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::fault::Fault;
use forerun_pipe::records::*;
use forerun_pipe::{Kind, RawHandle, gl};
use forerun_server::null::{NullBackend, Script};
use forerun_server::session::{Ended, Session, start_thread};
use forerun_server::stats::Scope;
use std::cell::RefCell;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;
use zerocopy::FromBytes;

const H: RawHandle = RawHandle { slot: 0, generation: 1 };

fn options() -> LinkOptions {
    LinkOptions { wait: Duration::from_secs(20), ..LinkOptions::default() }
}

fn inproc(options: &LinkOptions) -> (ClientLink, JoinHandle<Ended>) {
    let (client, server) = ClientLink::inproc(options, &ServerOptions::default()).unwrap();
    let (caps, thread) = start_thread(server, || Ok(Box::new(NullBackend::new()))).unwrap();
    assert_eq!(caps.backend, "null");
    (client, thread)
}

/// A context and a drawable of 8 × 4.
fn begin(client: &mut ClientLink) {
    let seq =
        CreateContext { handle: H, api: api::ES, major: 3, ..Default::default() }.send(client);
    assert_eq!(client.wait_reply(seq).unwrap().status, Status::Ok);
    let surface = CreateSurface {
        handle: H,
        surface_kind: surface_kind::PBUFFER,
        width: 8,
        height: 4,
        ..Default::default()
    };
    let seq = surface.send(client, &[]);
    let reply = client.wait_reply(seq).unwrap();
    let info = SurfaceReply::read_from_bytes(&reply.bytes).unwrap();
    assert_eq!((info.width, info.height, info.present_mode), (8, 4, present_mode::OFFSCREEN));
    BindContext { context: H, draw: H, read: H }.send(client);
}

fn buffer(client: &mut ClientLink, size: u64) {
    ResourceCreate { handle: H, kind: Kind::Buffer as u32, target: 0 }.send(client);
    ResourceRespecify { handle: H, kind: Kind::Buffer as u32, size, ..Default::default() }
        .send(client);
}

#[test]
fn a_session_answers_presents_and_frees_everything_at_its_end() {
    for sizes in [Sizes::default(), Sizes::TINY] {
        let (mut client, thread) = inproc(&LinkOptions { sizes, ..options() });
        begin(&mut client);
        buffer(&mut client, 4096);
        for round in 0..200u64 {
            let content = [round as u8; 1000];
            let (bytes, inline) = client.content(&content).unwrap();
            ResourceSubData {
                handle: H,
                kind: Kind::Buffer as u32,
                offset: round,
                bytes,
                ..Default::default()
            }
            .send(&mut client, inline);
        }
        let slice = client.stage(8 * 4 * 4).unwrap();
        let read = ReadPixels {
            width: 8,
            height: 4,
            format: gl::RGBA,
            ty: gl::UNSIGNED_BYTE,
            dst: slice.blob(),
            ..Default::default()
        };
        let seq = read.send(&mut client);
        assert_eq!(client.wait_reply(seq).unwrap().status, Status::Ok);
        let mut bytes = [1u8; 128];
        slice.read(0, &mut bytes);
        assert_eq!(bytes, [0; 128], "the null backend's pixels");
        for serial in 1..=3 {
            Present { surface: H, serial }.send(&mut client);
        }
        FenceCreate { handle: H }.send(&mut client);
        let fence = client.seq();
        let seq = Finish::default().send(&mut client);
        client.wait_reply(seq).unwrap();
        client.wait_applied(seq).unwrap();
        assert_eq!(client.presented(H), 3);
        assert_eq!(client.surface_size(H), Some((8, 4)));
        assert!(client.fence(H, fence).is_some());
        assert_eq!(client.lost(), None);
        drop(client);
        let ended = thread.join().unwrap();
        assert_eq!(ended.fault, None);
        assert_eq!(ended.freed, 4, "context, drawable, buffer, fence");
        assert_eq!((ended.counts.frames, ended.counts.draws), (3, 0));
    }
}

#[test]
fn a_corrupt_record_ends_its_session_by_name_and_no_other() {
    let (mut good, good_thread) = inproc(&options());
    let (mut bad, bad_thread) = inproc(&options());
    begin(&mut good);
    begin(&mut bad);
    Present { surface: H, serial: 0 }.send(&mut bad);
    let seq = Finish::default().send(&mut bad);
    assert!(bad.wait_reply(seq).is_err());
    let said = bad.lost().expect("lost").to_string();
    assert!(said.contains("Present.serial"), "{said}");
    let ended = bad_thread.join().unwrap();
    assert_eq!(ended.fault, Some(Fault::ProtocolCorruption { what: "Present.serial" }));
    assert_eq!(ended.freed, 2);
    let seq = Finish::default().send(&mut good);
    assert_eq!(good.wait_reply(seq).unwrap().status, Status::Ok);
    drop(good);
    assert_eq!(good_thread.join().unwrap().fault, None);
}

#[test]
fn a_backend_that_cannot_start_refuses_by_name() {
    let (_client, server) = ClientLink::inproc(&options(), &ServerOptions::default()).unwrap();
    let fault = Fault::NoHostDriver { why: "none here".into() };
    let made = fault.clone();
    assert_eq!(start_thread(server, move || Err(made)).map(|_| ()), Err(fault));
    let (_client, server) = ClientLink::inproc(&options(), &ServerOptions::default()).unwrap();
    let refused = start_thread(server, || panic!("a driver's")).map(|_| ());
    assert!(matches!(refused, Err(Fault::NoHostDriver { .. })), "{refused:?}");
}

#[test]
fn a_persistent_map_reaches_the_buffer_before_each_draw_that_reads_it() {
    let (mut client, server) = ClientLink::monolith(&options(), &ServerOptions::default()).unwrap();
    let script = Rc::new(RefCell::new(Script::default()));
    let backend = Box::new(NullBackend::recording(script.clone()));
    let mut session = Session::new(server, backend, Scope::Thread);
    let calls = |session: &mut Session, client: &mut ClientLink| {
        client.publish();
        session.pump().unwrap();
        let calls = std::mem::take(&mut script.borrow_mut().calls);
        calls.into_iter().filter(|call| call.starts_with("buffer_sub_data")).collect::<Vec<_>>()
    };
    CreateContext { handle: H, api: api::ES, major: 3, ..Default::default() }.send(&mut client);
    CreateSurface {
        handle: H,
        surface_kind: surface_kind::PBUFFER,
        width: 8,
        height: 4,
        ..Default::default()
    }
    .send(&mut client, &[]);
    BindContext { context: H, draw: H, read: H }.send(&mut client);
    buffer(&mut client, 200_000);
    let archive = forerun_pipe::archive::Archive::default().encode();
    CreateShaderState { handle: H, archive: BlobRef::inline(archive.len()) }
        .send(&mut client, &archive);
    SetDrawProgram { executable: H }.send(&mut client);
    let segment = client.create_segment(200_000).unwrap();
    MapPersistent {
        handle: H,
        offset: 0,
        size: 200_000,
        segment: segment.number(),
        access: gl::MAP_WRITE_BIT | gl::MAP_PERSISTENT_BIT,
    }
    .send(&mut client);
    let draw =
        DrawVbo { mode: gl::POINTS, instance_count: 1, range_count: 1, ..Default::default() };
    let attrib = VertexAttrib { size: 1, ty: gl::FLOAT, ..Default::default() };
    CreateVertexElements { handle: H, attrib_count: 1, binding_count: 1 }.send(
        &mut client,
        &[attrib],
        &[VertexBinding::default()],
    );
    BindVertexElements { handle: H }.send(&mut client);
    // All vertices that the buffer has.
    let range = [DrawRange { count: 50_000, ..Default::default() }];
    let poke = |at: usize, value: u8| {
        // SAFETY: inside the segment, which nobody reads meanwhile.
        unsafe { segment.as_mut_ptr().add(at).write(value) };
    };
    poke(70_000, 9);
    draw.send(&mut client, &range, &[], &[]);
    assert_eq!(calls(&mut session, &mut client), [""; 0], "the buffer is not bound");
    let bound = VertexBuffer { buffer: H, stride: 4, ..Default::default() };
    SetVertexBuffers { count: 1, pad: 0 }.send(&mut client, &[bound]);
    draw.send(&mut client, &range, &[], &[]);
    // The program may have written before the map was applied: the first copy is whole.
    let copied = calls(&mut session, &mut client);
    assert_eq!(copied.len(), 1, "{copied:?}");
    assert!(copied[0].starts_with("buffer_sub_data #0.1 0 200000 bytes"), "{copied:?}");
    poke(70_001, 9);
    draw.send(&mut client, &range, &[], &[]);
    let copied = calls(&mut session, &mut client);
    assert_eq!(copied.len(), 1, "{copied:?}");
    assert!(copied[0].starts_with("buffer_sub_data #0.1 69632 4096 bytes"), "{copied:?}");
    draw.send(&mut client, &range, &[], &[]);
    assert_eq!(calls(&mut session, &mut client), [""; 0], "nothing changed");
    poke(0, 1);
    poke(199_999, 1);
    draw.send(&mut client, &range, &[], &[]);
    assert_eq!(calls(&mut session, &mut client).len(), 2, "two pages");
    poke(100_000, 1);
    let few = [DrawRange { start: 100, count: 10, ..Default::default() }];
    draw.send(&mut client, &few, &[], &[]);
    assert_eq!(calls(&mut session, &mut client), [""; 0], "vertices 100 to 109 did not change");
    draw.send(&mut client, &range, &[], &[]);
    assert_eq!(calls(&mut session, &mut client).len(), 1, "the page that nobody had read yet");
    // What the GPU writes is copied out before a finish is answered: here zeros, by the null backend.
    let copy = CopyBuffer { src: H, dst: H, src_offset: 0, dst_offset: 100_000, size: 100_000 };
    copy.send(&mut client);
    Finish::default().send(&mut client);
    assert_eq!(calls(&mut session, &mut client), [""; 0]);
    let peek = |at: usize| {
        // SAFETY: inside the segment, which nobody writes meanwhile.
        unsafe { segment.as_mut_ptr().add(at).read() }
    };
    assert_eq!((peek(0), peek(70_000), peek(199_999)), (0, 0, 0));
    poke(1, 5);
    UnmapPersistent { handle: H }.send(&mut client);
    assert_eq!(calls(&mut session, &mut client).len(), 1, "the last copy");
    poke(1, 6);
    draw.send(&mut client, &range, &[], &[]);
    assert_eq!(calls(&mut session, &mut client), [""; 0], "detached");
}
