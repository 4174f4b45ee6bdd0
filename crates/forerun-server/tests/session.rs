//! Sessions over a real link, on the null backend.

use forerun_link::{ClientLink, LinkOptions, OwnSegment, ServerOptions, Sizes, Status};
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

/// A session on the null backend whose calls are seen, with buffer H mapped whole and read as one float per vertex.
struct Mapped {
    client: ClientLink,
    session: Session,
    script: Rc<RefCell<Script>>,
    segment: OwnSegment,
}

impl Mapped {
    fn new(size: u64, access: u32) -> Mapped {
        let (mut client, server) =
            ClientLink::monolith(&options(), &ServerOptions::default()).unwrap();
        let script = Rc::new(RefCell::new(Script::default()));
        let backend = Box::new(NullBackend::recording(script.clone()));
        let session = Session::new(server, backend, Scope::Thread);
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
        buffer(&mut client, size);
        let archive = forerun_pipe::archive::Archive::default().encode();
        CreateShaderState { handle: H, archive: BlobRef::inline(archive.len()) }
            .send(&mut client, &archive);
        SetDrawProgram { executable: H }.send(&mut client);
        let segment = client.create_segment(size as usize).unwrap();
        let access = access | gl::MAP_PERSISTENT_BIT;
        MapPersistent { handle: H, offset: 0, size, segment: segment.number(), access }
            .send(&mut client);
        CreateVertexElements { handle: H, attrib_count: 1, binding_count: 1 }.send(
            &mut client,
            &[VertexAttrib { size: 1, ty: gl::FLOAT, ..Default::default() }],
            &[VertexBinding::default()],
        );
        BindVertexElements { handle: H }.send(&mut client);
        Mapped { client, session, script, segment }
    }

    fn bind_vertices(&mut self) {
        let bound = VertexBuffer { buffer: H, stride: 4, ..Default::default() };
        SetVertexBuffers { count: 1, pad: 0 }.send(&mut self.client, &[bound]);
    }

    fn draw(&mut self, start: u32, count: u32) {
        DrawVbo { mode: gl::POINTS, instance_count: 1, range_count: 1, ..Default::default() }.send(
            &mut self.client,
            &[DrawRange { start, count, ..Default::default() }],
            &[],
            &[],
        );
    }

    /// What was copied into buffers since it was last asked.
    fn copied(&mut self) -> Vec<String> {
        self.client.publish();
        self.session.pump().unwrap();
        let calls = std::mem::take(&mut self.script.borrow_mut().calls);
        calls.into_iter().filter(|call| call.starts_with("buffer_sub_data")).collect()
    }

    fn poke(&self, at: usize, value: u8) {
        // SAFETY: inside the segment, which nobody reads meanwhile.
        unsafe { self.segment.as_mut_ptr().add(at).write(value) };
    }

    fn peek(&self, at: usize) -> u8 {
        // SAFETY: inside the segment, which nobody writes meanwhile.
        unsafe { self.segment.as_mut_ptr().add(at).read() }
    }
}

#[test]
fn a_persistent_map_reaches_the_buffer_before_each_draw_that_reads_it() {
    let mut map = Mapped::new(200_000, gl::MAP_WRITE_BIT);
    // All vertices that the buffer has.
    let all = 50_000;
    map.poke(70_000, 9);
    map.draw(0, all);
    assert_eq!(map.copied(), [""; 0], "the buffer is not bound");
    map.bind_vertices();
    map.draw(0, all);
    // The program may have written before the map was applied: the first copy is whole.
    let copied = map.copied();
    assert_eq!(copied.len(), 1, "{copied:?}");
    assert!(copied[0].starts_with("buffer_sub_data #0.1 0 200000 bytes"), "{copied:?}");
    map.poke(70_001, 9);
    map.draw(0, all);
    let copied = map.copied();
    assert_eq!(copied.len(), 1, "{copied:?}");
    assert!(copied[0].starts_with("buffer_sub_data #0.1 69632 4096 bytes"), "{copied:?}");
    map.draw(0, all);
    assert_eq!(map.copied(), [""; 0], "nothing changed");
    map.poke(0, 1);
    map.poke(199_999, 1);
    map.draw(0, all);
    assert_eq!(map.copied().len(), 2, "two pages");
    map.poke(100_000, 1);
    map.draw(100, 10);
    assert_eq!(map.copied(), [""; 0], "vertices 100 to 109 did not change");
    map.draw(0, all);
    assert_eq!(map.copied().len(), 1, "the page that nobody had read yet");
    // What the GPU writes is copied out before a finish is answered: here zeros, by the null backend.
    let copy = CopyBuffer { src: H, dst: H, src_offset: 0, dst_offset: 100_000, size: 100_000 };
    copy.send(&mut map.client);
    Finish::default().send(&mut map.client);
    assert_eq!(map.copied(), [""; 0]);
    assert_eq!((map.peek(0), map.peek(70_000), map.peek(199_999)), (0, 0, 0));
    map.poke(1, 5);
    UnmapPersistent { handle: H }.send(&mut map.client);
    assert_eq!(map.copied().len(), 1, "the last copy");
    map.poke(1, 6);
    map.draw(0, all);
    assert_eq!(map.copied(), [""; 0], "detached");
}

#[test]
fn what_the_gpu_wrote_beside_the_program_on_a_page_is_not_overwritten() {
    let mut map = Mapped::new(3 * 4096, gl::MAP_READ_BIT | gl::MAP_WRITE_BIT);
    map.bind_vertices();
    let page = BufferRange { buffer: H, offset: 4096, size: 4096 };
    SetShaderBuffers { class: class::STORAGE, count: 1, writable_mask: [1, 0, 0, 0] }
        .send(&mut map.client, &[page]);
    map.draw(1024 + 10, 10);
    let copied = map.copied();
    assert_eq!(copied.len(), 1, "{copied:?}");
    assert!(copied[0].starts_with("buffer_sub_data #0.1 4096 4096 bytes"), "{copied:?}");
    // The draw may have written the middle page. Its neighbours were never copied, and are as a whole.
    map.poke(4096 + 100, 7);
    map.draw(0, 3 * 1024);
    let copied = map.copied();
    let starts = ["0 4096 bytes", "4196 1 bytes", "8192 4096 bytes"];
    assert_eq!(copied.len(), starts.len(), "{copied:?}");
    for (copied, start) in copied.iter().zip(starts) {
        assert!(copied.starts_with(&format!("buffer_sub_data #0.1 {start}")), "{copied}");
    }
}
