//! What reaches the backend, and what is kept for it.

use super::*;
use crate::backend::Failure;
use crate::state::{Env, Target};
use forerun_pipe::Handle;

fn draw() -> DrawVbo {
    DrawVbo { mode: gl::TRIANGLES, instance_count: 1, range_count: 1, ..Default::default() }
}

fn range(start: u32, count: u32) -> DrawRange {
    DrawRange { start, count, ..Default::default() }
}

#[test]
fn a_slot_is_used_again_and_the_old_handle_is_declined() {
    let mut rig = Rig::ready();
    ResourceDestroy { handle: BUFFER, kind: Kind::Buffer as u32, pad: 0 }.send(&mut rig);
    assert_eq!(rig.call(), "destroyed Buffer RawHandle { slot: 1, generation: 1 }");
    let sub = ResourceSubData {
        handle: BUFFER,
        kind: Kind::Buffer as u32,
        bytes: staged(0, 4),
        ..Default::default()
    };
    sub.send(&mut rig, &[]);
    rig.skipped();
    let second = RawHandle { slot: 1, generation: 2 };
    rig.create(Kind::Buffer, second, 0);
    ResourceRespecify { handle: second, ..rig.buffer(4) }.send(&mut rig);
    sub.send(&mut rig, &[]);
    assert_eq!(rig.call(), "buffer_defined #1.2", "nothing of the old handle");
    // The element buffer of the context is the dead one: an indexed draw finds no indices.
    DrawVbo { index_type: gl::UNSIGNED_BYTE, ..draw() }.send(&mut rig, &[range(0, 3)], &[], &[]);
    rig.skipped();
}

#[test]
fn state_survives_the_binding_of_another_context() {
    let mut rig = Rig::ready();
    let second = RawHandle { slot: 1, generation: 1 };
    CreateContext { handle: second, api: api::CORE, major: 3, minor: 3, ..Default::default() }
        .send(&mut rig);
    SetDynamicState { line_width: 5.0, ..Default::default() }.send(&mut rig);
    let first_serial = rig.applier.context(CONTEXT).unwrap().dynamic.serial;
    BindContext { context: second, draw: SURFACE, read: RawHandle::NULL }.send(&mut rig);
    SetDynamicState { line_width: 7.0, ..Default::default() }.send(&mut rig);
    BindContext { context: CONTEXT, draw: SURFACE, read: SURFACE }.send(&mut rig);
    rig.ok();
    let (a, b) = (rig.applier.context(CONTEXT).unwrap(), rig.applier.context(second).unwrap());
    assert_eq!((a.dynamic.line_width, b.dynamic.line_width), (5.0, 7.0));
    assert_eq!(a.dynamic.serial, first_serial, "binding is no change");
    assert!(b.dynamic.serial > first_serial, "serials are never given twice");
    assert!(b.surfaces.read.is_null());
    ObjectDeath { handle: CONTEXT, kind: Kind::Context as u32, pad: 0 }.send(&mut rig);
    rig.calls();
    Clear { mask: gl::COLOR_BUFFER_BIT, ..Default::default() }.send(&mut rig);
    rig.refused("Clear.context");
}

#[test]
fn indices_are_private_and_ranges_past_the_element_buffer_are_left_out() {
    let mut rig = Rig::ready();
    let indexed = DrawVbo { index_type: gl::UNSIGNED_SHORT, range_count: 2, ..draw() };
    let client = DrawVbo { indices: staged(4, 12), ..indexed };
    client.send(&mut rig, &[range(0, 3), range(6, 3)], &[], &[]);
    let call = rig.call();
    assert!(call.contains("bytes: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"), "{call}");
    indexed.send(&mut rig, &[range(1020, 3), range(1018, 3)], &[], &[]);
    let call = rig.call();
    assert!(call.contains("start: 1018") && !call.contains("start: 1020"), "{call}");
    indexed.send(&mut rig, &[range(1020, 3), range(1022, 2)], &[], &[]);
    rig.skipped();
    assert_eq!(rig.applier.counts().draws, 3);
}

#[test]
fn client_arrays_and_indirect_draws_arrive_whole() {
    let mut rig = Rig::ready();
    let array = UserArray { bytes: staged(16, 48), binding: 3, stride: 16 };
    DrawVbo { array_count: 1, ..draw() }.send(&mut rig, &[range(0, 3)], &[array], &[]);
    let call = rig.call();
    assert!(call.contains("Source(48 bytes), binding: 3, stride: 16"), "{call}");
    let indirect = DrawIndirect { buffer: BUFFER, offset: 0, draw_count: 64, ..Default::default() };
    let from_buffer = DrawVbo { range_count: 0, indirect_count: 1, ..draw() };
    from_buffer.send(&mut rig, &[], &[], &[indirect]);
    let call = rig.call();
    assert!(call.contains("draw_count: 64, stride: 16"), "{call}");
    // 64 tight commands of 16 bytes fill the buffer; one more leaves it.
    from_buffer.send(&mut rig, &[], &[], &[DrawIndirect { draw_count: 65, ..indirect }]);
    rig.skipped();
    let heard = rig.heard.borrow();
    assert!(matches!(&heard.events[..], [Event::GlError(e, _)] if e.code == gl::INVALID_OPERATION));
}

#[test]
fn draws_without_a_program_or_a_target_are_skipped() {
    let mut rig = Rig::ready();
    SetDrawProgram::default().send(&mut rig);
    draw().send(&mut rig, &[range(0, 3)], &[], &[]);
    rig.skipped();
    SetDrawProgram { executable: EXECUTABLE }.send(&mut rig);
    draw().send(&mut rig, &[range(0, 0)], &[], &[]);
    rig.skipped();
    BindContext { context: CONTEXT, ..Default::default() }.send(&mut rig);
    rig.calls();
    draw().send(&mut rig, &[range(0, 3)], &[], &[]);
    rig.skipped();
}

#[test]
fn uniforms_begin_with_the_sources_values_and_change_by_ranges() {
    let mut rig = Rig::ready();
    let before =
        rig.applier.tables().executables.get(Handle::from_raw(EXECUTABLE)).unwrap().clone();
    assert_eq!(before.constants.len(), 64);
    assert_eq!(before.constants[16..20], [7; 4]);
    let constants = SetGlobalConstants {
        executable: EXECUTABLE,
        range_count: 2,
        bytes: BlobRef::inline(6),
        ..Default::default()
    };
    let ranges = [ByteRange { offset: 0, size: 2 }, ByteRange { offset: 60, size: 4 }];
    constants.send(&mut rig, &ranges, &[1, 2, 3, 4, 5, 6]);
    rig.skipped();
    let after = rig.applier.tables().executables.get(Handle::from_raw(EXECUTABLE)).unwrap();
    assert_eq!(after.constants[..2], [1, 2]);
    assert_eq!(after.constants[60..], [3, 4, 5, 6]);
    assert_eq!(after.constants[16..20], [7; 4]);
    assert!(after.constants_serial > before.constants_serial);
}

#[test]
fn points_follow_the_buffers_size_at_the_time_of_use() {
    let mut rig = Rig::ready();
    let whole = BufferRange { buffer: BUFFER, offset: 256, size: WHOLE };
    let part = BufferRange { buffer: BUFFER, offset: 0, size: 2000 };
    SetShaderBuffers { class: class::UNIFORM, count: 2, ..Default::default() }
        .send(&mut rig, &[whole, part]);
    fn sizes(rig: &Rig) -> [Option<u64>; 2] {
        let a = &rig.applier;
        let env = Env::of(&a.tables, &a.contexts, a.current, "").unwrap();
        [0, 1].map(|point| env.point(class::UNIFORM, point).map(|r| r.size))
    }
    assert_eq!(sizes(&rig), [Some(768), Some(1024)]);
    rig.buffer(4096).send(&mut rig);
    assert_eq!(sizes(&rig), [Some(3840), Some(2000)]);
    rig.buffer(100).send(&mut rig);
    assert_eq!(sizes(&rig), [None, Some(100)]);
    let bindings =
        SetProgramBindings { executable: EXECUTABLE, storage_count: 1, ..Default::default() };
    bindings.send(&mut rig, &[], &[], &[ATOMIC_POINT | 1]);
    let a = &rig.applier;
    let env = Env::of(&a.tables, &a.contexts, a.current, "").unwrap();
    assert!(env.storage_point(ATOMIC_POINT | 1).is_none(), "of class atomic, not uniform");
}

#[test]
fn a_store_that_the_driver_refuses_is_declined_and_skipped() {
    let mut rig = Rig::ready();
    let oom = || Failure::gl(gl::OUT_OF_MEMORY, "no memory");
    rig.backend.borrow_mut().failures = vec![("buffer_defined", oom()), ("texture_defined", oom())];
    rig.buffer(4096).send(&mut rig);
    rig.level(0, 32, 32).send(&mut rig);
    rig.ok();
    {
        let heard = rig.heard.borrow();
        let codes: Vec<_> = heard
            .events
            .iter()
            .map(|e| match e {
                Event::ObjectDeclined(e) => (e.kind, e.code),
                other => panic!("{other:?}"),
            })
            .collect();
        let declined = [Kind::Buffer as u32, Kind::Texture as u32].map(|k| (k, gl::OUT_OF_MEMORY));
        assert_eq!(codes, declined);
    }
    rig.calls();
    // The client does not know yet: what it sends fits the store that it asked for.
    ResourceSubData {
        handle: BUFFER,
        kind: Kind::Buffer as u32,
        offset: 4092,
        bytes: staged(0, 4),
        ..Default::default()
    }
    .send(&mut rig, &[]);
    rig.skipped();
    DrawVbo { index_type: gl::UNSIGNED_BYTE, ..draw() }.send(&mut rig, &[range(0, 3)], &[], &[]);
    rig.skipped();
    ResourceReadback { handle: BUFFER, offset: 0, dst: staged(0, 4) }.send(&mut rig);
    assert_eq!(rig.reply().0, Status::Declined);
    rig.buffer(16).send(&mut rig);
    assert_eq!(rig.call(), "buffer_defined #1.1");
    assert!(!rig.applier.tables().buffers.get(Handle::from_raw(BUFFER)).unwrap().declined);
    rig.buffer(1 << 50).send(&mut rig);
    rig.skipped();
}

#[test]
fn mipmaps_define_the_levels_below() {
    let mut rig = Rig::ready();
    GenerateMipmap { handle: TEXTURE, target: gl::TEXTURE_2D, pad: 0 }.send(&mut rig);
    assert_eq!(rig.call(), "texture_generate_mipmap #1.1");
    let texture = rig.applier.tables().textures.get(Handle::from_raw(TEXTURE)).unwrap();
    let sizes: Vec<_> = (0..6).map(|n| texture.level(0, n).map(|l| (l.width, l.height))).collect();
    let chain = [(16, 8), (8, 4), (4, 2), (2, 1), (1, 1)].map(Some);
    assert_eq!(sizes, [&chain[..], &[None]].concat());
    let last = ResourceSubData {
        handle: TEXTURE,
        kind: Kind::Texture as u32,
        target: gl::TEXTURE_2D,
        level: 4,
        width: 1,
        height: 1,
        depth: 1,
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        bytes: staged(0, 4),
        ..Default::default()
    };
    last.send(&mut rig, &[]);
    assert!(rig.call().starts_with("texture_sub_data #1.1"));
}

#[test]
fn a_view_has_the_sizes_of_its_origins_levels() {
    let mut rig = Rig::ready();
    rig.create(Kind::Texture, h(2), gl::TEXTURE_2D_ARRAY);
    let array = ResourceRespecify {
        handle: h(2),
        target: gl::TEXTURE_2D_ARRAY,
        depth: 5,
        levels: 3,
        immutable: 1,
        ..rig.level(0, 16, 8)
    };
    array.send(&mut rig);
    rig.create(Kind::Texture, h(3), gl::TEXTURE_2D);
    ResourceRespecify {
        handle: h(3),
        view_of: h(2),
        min_level: 1,
        levels: 2,
        min_layer: 4,
        num_layers: 1,
        internal_format: gl::RGBA8UI,
        ..rig.level(0, 0, 0)
    }
    .send(&mut rig);
    assert_eq!(rig.calls(), ["texture_defined #2.1 Immutable", "texture_defined #3.1 View"]);
    let view = rig.applier.tables().textures.get(Handle::from_raw(h(3))).unwrap();
    let level = view.level(0, 1).unwrap();
    assert_eq!((level.width, level.height, level.depth), (4, 2, 1));
    assert_eq!(level.internal_format, gl::RGBA8UI);
    assert_eq!(view.immutable_levels, 2);
}

#[test]
fn multisample_storage_is_defined_again_until_it_is_immutable() {
    let mut rig = Rig::ready();
    let target = gl::TEXTURE_2D_MULTISAMPLE;
    rig.create(Kind::Texture, h(2), target);
    let image =
        ResourceRespecify { handle: h(2), target, samples: 4, levels: 1, ..rig.level(0, 8, 8) };
    image.send(&mut rig);
    ResourceRespecify { width: 4, ..image }.send(&mut rig);
    ResourceRespecify { immutable: 1, ..image }.send(&mut rig);
    assert_eq!(rig.calls(), ["texture_defined #2.1 Immutable"; 3]);
    image.send(&mut rig);
    rig.refused("ResourceRespecify.immutable");
}

#[test]
fn copies_between_images_count_blocks() {
    let mut rig = Rig::ready();
    rig.create(Kind::Texture, h(2), gl::TEXTURE_2D);
    let compressed = gl::COMPRESSED_RGBA8_ETC2_EAC;
    ResourceRespecify { handle: h(2), internal_format: compressed, ..rig.level(0, 16, 16) }
        .send(&mut rig);
    rig.create(Kind::Texture, h(3), gl::TEXTURE_2D);
    ResourceRespecify { handle: h(3), internal_format: gl::RGBA32UI, ..rig.level(0, 4, 4) }
        .send(&mut rig);
    rig.calls();
    let copy = ResourceCopyRegion {
        src: h(2),
        dst: h(3),
        src_target: gl::TEXTURE_2D,
        dst_target: gl::TEXTURE_2D,
        size: [16, 16, 1],
        ..Default::default()
    };
    copy.send(&mut rig);
    assert!(rig.call().starts_with("copy_image"));
    ResourceCopyRegion { dst_origin: [1, 0, 0], ..copy }.send(&mut rig);
    rig.refused("ResourceCopyRegion.dst_origin");
    ResourceCopyRegion { src: h(3), dst: h(2), size: [4, 4, 1], ..copy }.send(&mut rig);
    assert!(rig.call().starts_with("copy_image"));
    ResourceCopyRegion { src: h(3), dst: h(2), size: [5, 4, 1], ..copy }.send(&mut rig);
    rig.refused("ResourceCopyRegion.src_origin");
}

#[test]
fn attachments_that_died_are_empty_and_framebuffers_follow_their_descriptions() {
    let mut rig = Rig::ready();
    let mut desc = SetFramebufferState { handle: h(1), ..Default::default() };
    desc.color[0] = Attachment {
        handle: TEXTURE,
        kind: Kind::Texture as u32,
        target: gl::TEXTURE_2D,
        ..Default::default()
    };
    desc.send(&mut rig);
    BindFramebuffers { draw: h(1), read: RawHandle::DEFAULT_FRAMEBUFFER }.send(&mut rig);
    rig.ok();
    fn target(rig: &Rig) -> Option<RawHandle> {
        let a = &rig.applier;
        let env = Env::of(&a.tables, &a.contexts, a.current, "").unwrap();
        assert!(matches!(env.read_target(), Target::Surface(_)));
        match env.draw_target() {
            Target::Framebuffer(_, object) => Some(object.desc.color[0].handle),
            _ => None,
        }
    }
    assert_eq!(target(&rig), Some(TEXTURE));
    ResourceDestroy { handle: TEXTURE, kind: Kind::Texture as u32, pad: 0 }.send(&mut rig);
    desc.send(&mut rig);
    assert_eq!(target(&rig), Some(RawHandle::NULL));
    ObjectDeath { handle: h(1), kind: Kind::Framebuffer as u32, pad: 0 }.send(&mut rig);
    assert_eq!(target(&rig), None);
    desc.color[0].kind = Kind::Query as u32;
    rig.calls();
    SetFramebufferState { handle: RawHandle { slot: 1, generation: 2 }, ..desc }.send(&mut rig);
    rig.refused("SetFramebufferState.kind");
}

#[test]
fn fences_and_queries_are_told_with_the_record_that_made_them() {
    let mut rig = Rig::ready();
    FenceCreate { handle: h(1) }.send(&mut rig);
    let fence = rig.seq;
    let target = gl::ANY_SAMPLES_PASSED;
    QueryCreate { handle: h(2), target, pad: 0 }.send(&mut rig);
    QueryResult { handle: h(2) }.send(&mut rig);
    assert_eq!(rig.reply().0, Status::Declined, "it never ran");
    QueryBegin { handle: h(2), target, index: 0 }.send(&mut rig);
    QueryEnd { handle: h(2), target, index: 0 }.send(&mut rig);
    let query = rig.seq;
    assert!(rig.heard.borrow().fences.is_empty() && rig.applier.pending());
    Flush::default().send(&mut rig);
    rig.ok();
    {
        let heard = rig.heard.borrow();
        assert_eq!(heard.fences, [(h(1), fence, FenceState::Signaled)]);
        assert_eq!(heard.queries, [(h(2), query, 0)]);
    }
    assert!(!rig.applier.pending());
    QueryResult { handle: h(2) }.send(&mut rig);
    assert_eq!(rig.reply(), (Status::Ok, 0u64.to_ne_bytes().to_vec()));
    FenceWait { handle: h(1), timeout_ns: 1, ..Default::default() }.send(&mut rig);
    assert_eq!(rig.reply(), (Status::Ok, gl::ALREADY_SIGNALED.to_ne_bytes().to_vec()));
    // A fence that the driver cannot make counts as signalled once everything before it is done.
    rig.calls();
    rig.backend.borrow_mut().failures = vec![("fence_create", Failure::Declined { code: 0 })];
    FenceCreate { handle: h(2) }.send(&mut rig);
    assert_eq!(rig.calls(), ["fence_create #2.1", "finish"]);
    assert_eq!(rig.heard.borrow().fences[1], (h(2), rig.seq, FenceState::Declined));
}

#[test]
fn readbacks_answer_when_the_bytes_stand_there() {
    let mut rig = Rig::ready();
    let read = ReadPixels {
        width: 4,
        height: 2,
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        dst: staged(0, 32),
        ..Default::default()
    };
    read.send(&mut rig);
    assert_eq!(rig.reply(), (Status::Ok, vec![]));
    rig.backend.borrow_mut().failures =
        vec![("read_pixels", Failure::gl(gl::INVALID_OPERATION, ""))];
    read.send(&mut rig);
    assert_eq!(rig.reply().0, Status::Error);
    assert_eq!(rig.heard.borrow().events.len(), 1);
    rig.calls();
    ReadSurface { surface: SURFACE, dst: staged(0, 64 * 32 * 4 - 4) }.send(&mut rig);
    assert_eq!(rig.reply().0, Status::Declined, "the size of another moment");
    ReadSurface { surface: SURFACE, dst: staged(0, 64 * 32 * 4) }.send(&mut rig);
    assert_eq!(rig.reply().0, Status::Ok);
}

#[test]
fn a_front_buffer_is_shown_without_a_credit_and_read_apart_from_the_back() {
    let mut rig = Rig::ready();
    rig.calls();
    PresentFront { surface: SURFACE, both: 1, pad: 0 }.send(&mut rig);
    PresentFront { surface: SURFACE, both: 0, pad: 0 }.send(&mut rig);
    ReadFront { surface: SURFACE, dst: staged(0, 64 * 32 * 4) }.send(&mut rig);
    assert_eq!(rig.reply().0, Status::Ok);
    ReadFront { surface: SURFACE, dst: staged(0, 64 * 32 * 4 - 4) }.send(&mut rig);
    assert_eq!(rig.reply().0, Status::Declined, "the size of another moment");
    let calls: Vec<String> = rig.calls();
    let said = |name: &str, end: &str| {
        calls.iter().filter(|call| call.starts_with(name) && call.ends_with(end)).count()
    };
    assert_eq!((said("present_front", "true"), said("present_front", "false")), (1, 1));
    assert_eq!((said("front_read", "bytes"), said("surface_read", "bytes")), (1, 0));
    ObjectDeath { handle: SURFACE, kind: Kind::Surface as u32, pad: 0 }.send(&mut rig);
    rig.calls();
    PresentFront { surface: SURFACE, both: 0, pad: 0 }.send(&mut rig);
    assert_eq!(rig.calls().len(), 0, "a dead drawable shows nothing");
}

#[test]
fn a_context_or_drawable_that_cannot_be_is_answered_and_its_slot_is_free() {
    let mut rig = Rig::new();
    let refusal = || Failure::gl(gl::INVALID_VALUE, "no such window");
    rig.backend.borrow_mut().failures = vec![("surface_created", refusal())];
    let surface = CreateSurface {
        handle: h(4),
        surface_kind: surface_kind::X11_WINDOW,
        native: 99,
        display_len: 2,
        ..Default::default()
    };
    surface.send(&mut rig, b":0");
    assert_eq!(rig.reply(), (Status::Error, b"no such window".to_vec()));
    assert_eq!(rig.applier.alive(), 0);
    let again = CreateSurface { handle: RawHandle { slot: 4, generation: 2 }, ..surface };
    again.send(&mut rig, b":0");
    assert_eq!(rig.reply().0, Status::Ok);
    surface.send(&mut rig, &[0, 0]);
    assert_eq!(rig.result, Err(Fault::ProtocolCorruption { what: "CreateSurface.display_len" }));
}

#[test]
fn a_lost_device_and_a_panic_end_the_session_by_name() {
    let mut rig = Rig::ready();
    rig.backend.borrow_mut().failures = vec![("draw", Failure::LOST)];
    draw().send(&mut rig, &[range(0, 3)], &[], &[]);
    assert_eq!(rig.result, Err(Fault::BackendDeviceLost));

    let heard = Rc::new(RefCell::new(Heard { script: vec![Next::Pressure], ..Default::default() }));
    let script = Rc::new(RefCell::new(Script { panic: Some("flush"), ..Default::default() }));
    let session = crate::Session::with_peer(
        Box::new(TestPeer(heard.clone())),
        Box::new(NullBackend::recording(script)),
        crate::stats::Scope::Thread,
    );
    let ended = session.run();
    let Some(Fault::System { what, why }) = &ended.fault else { panic!("{ended:?}") };
    assert_eq!((*what, why.as_str()), ("panic in the server", "as told by the script"));
    assert_eq!(heard.borrow().faults.len(), 1, "the client was told");
}

#[test]
fn every_applied_record_is_told_once_and_in_order() {
    let mut rig = Rig::ready();
    Flush::default().send(&mut rig);
    let heard = rig.heard.borrow();
    assert_eq!(heard.applied, (1..=rig.seq).collect::<Vec<_>>());
}
