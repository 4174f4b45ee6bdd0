//! Every refusal by its name: records that contradict themselves or the tables end the session, and the driver hears nothing.

use super::*;

fn sub_data(offset: u64, bytes: BlobRef) -> ResourceSubData {
    ResourceSubData {
        handle: BUFFER,
        kind: Kind::Buffer as u32,
        offset,
        bytes,
        ..Default::default()
    }
}

fn pixels(x: i32, width: u32, size: u64) -> ResourceSubData {
    ResourceSubData {
        handle: TEXTURE,
        kind: Kind::Texture as u32,
        target: gl::TEXTURE_2D,
        x,
        width,
        height: 8,
        depth: 1,
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        bytes: staged(0, size),
        ..Default::default()
    }
}

#[test]
fn records_of_the_wrong_size_or_row() {
    let mut rig = Rig::ready();
    let body = [0u64; 4];
    assert_eq!(
        rig.applier.apply(67, 0, 1, &body.as_bytes()[..24]),
        Err(Fault::ProtocolCorruption { what: "Present" }),
        "eight bytes too many"
    );
    assert_eq!(
        rig.applier.apply(67, 0, 1, &body.as_bytes()[..8]),
        Err(Fault::ProtocolCorruption { what: "Present" })
    );
    assert_eq!(rig.applier.apply(1, 0, 1, &[]), Err(Fault::Unsupported { row: "GetCaps" }));
    assert_eq!(rig.applier.apply(9999, 0, 1, &[]), Err(Fault::Unsupported { row: "unknown" }));
    assert_eq!(
        rig.applier.apply(66, 0x8000, 1, &[0; 8]),
        Err(Fault::ProtocolCorruption { what: "Header.flags" })
    );
    // A count that the record does not hold.
    let p = SetVertexBuffers { count: u32::MAX, pad: 0 };
    rig.record(32, 0, [p.as_bytes(), &[], &[], &[]]);
    rig.refused("SetVertexBuffers");
}

#[test]
fn handles_that_were_never_introduced_or_are_introduced_twice() {
    let mut rig = Rig::ready();
    ResourceSubData { handle: h(9), ..sub_data(0, staged(0, 4)) }.send(&mut rig, &[]);
    rig.refused("ResourceSubData.handle");
    let newer = RawHandle { slot: 1, generation: 2 };
    ResourceSubData { handle: newer, ..sub_data(0, staged(0, 4)) }.send(&mut rig, &[]);
    rig.refused("ResourceSubData.handle");
    let create = ResourceCreate { handle: BUFFER, kind: Kind::Buffer as u32, target: 0 };
    create.send(&mut rig);
    rig.refused("ResourceCreate.handle");
    ResourceCreate { handle: RawHandle { slot: 1 << 20, generation: 1 }, ..create }.send(&mut rig);
    rig.refused("ResourceCreate.handle");
    ResourceCreate { kind: Kind::Query as u32, ..create }.send(&mut rig);
    rig.refused("ResourceCreate.kind");
    ResourceCreate { handle: h(7), kind: Kind::Texture as u32, target: 1 }.send(&mut rig);
    rig.refused("ResourceCreate.target");
    SetDrawProgram { executable: h(100) }.send(&mut rig);
    rig.refused("SetDrawProgram.executable");
    BindFramebuffers { draw: h(3), read: RawHandle::DEFAULT_FRAMEBUFFER }.send(&mut rig);
    rig.refused("BindFramebuffers.draw");
    BindContext { context: h(5), draw: SURFACE, read: SURFACE }.send(&mut rig);
    rig.refused("BindContext.context");
    ObjectDeath { handle: RawHandle::DEFAULT_FRAMEBUFFER, kind: Kind::Framebuffer as u32, pad: 0 }
        .send(&mut rig);
    rig.refused("ObjectDeath.handle");
}

#[test]
fn buffer_ranges_that_leave_the_buffer() {
    let mut rig = Rig::ready();
    sub_data(1021, staged(0, 4)).send(&mut rig, &[]);
    rig.refused("ResourceSubData.offset");
    sub_data(u64::MAX, staged(0, 4)).send(&mut rig, &[]);
    rig.refused("ResourceSubData.offset");
    sub_data(0, BlobRef::NONE).send(&mut rig, &[]);
    rig.refused("ResourceSubData.bytes");
    let copy = CopyBuffer { src: BUFFER, dst: BUFFER, src_offset: 0, dst_offset: 512, size: 512 };
    CopyBuffer { size: 513, ..copy }.send(&mut rig);
    rig.refused("CopyBuffer.dst_offset");
    CopyBuffer { src_offset: 1000, ..copy }.send(&mut rig);
    rig.refused("CopyBuffer.src_offset");
    CopyBuffer { dst_offset: 511, ..copy }.send(&mut rig);
    rig.refused("CopyBuffer.size");
    let clear = ClearBufferData { handle: BUFFER, size: 8, pattern_len: 4, ..Default::default() };
    ClearBufferData { pattern_len: 3, ..clear }.send(&mut rig);
    rig.refused("ClearBufferData.pattern_len");
    ClearBufferData { size: 6, ..clear }.send(&mut rig);
    rig.refused("ClearBufferData.size");
    ClearBufferData { offset: 1020, ..clear }.send(&mut rig);
    rig.refused("ClearBufferData.offset");
    ResourceReadback { handle: BUFFER, offset: 1024, dst: staged(0, 1) }.send(&mut rig);
    rig.refused("ResourceReadback.offset");
    InvalidateBuffer { handle: BUFFER, offset: 1, size: 1024 }.send(&mut rig);
    rig.refused("InvalidateBuffer.offset");
}

#[test]
fn blobs_that_leave_their_segment() {
    let mut rig = Rig::ready();
    sub_data(0, staged(8190, 4)).send(&mut rig, &[]);
    assert_eq!(rig.result, Err(Fault::SegmentMismatch { what: "BlobRef.offset" }));
    sub_data(0, staged(u64::MAX, 4)).send(&mut rig, &[]);
    assert_eq!(rig.result, Err(Fault::SegmentMismatch { what: "BlobRef.offset" }));
    sub_data(0, BlobRef { segment: 77, ..staged(0, 4) }).send(&mut rig, &[]);
    assert_eq!(rig.result, Err(Fault::SegmentMismatch { what: "BlobRef.segment" }));
    assert_eq!(rig.calls(), [""; 0]);
}

#[test]
fn boxes_that_leave_the_image_and_sizes_that_do_not_agree() {
    let mut rig = Rig::ready();
    let whole = 16 * 8 * 4;
    pixels(0, 16, whole - 1).send(&mut rig, &[]);
    rig.refused("ResourceSubData.bytes");
    ResourceSubData { ty: gl::TEXTURE_2D, ..pixels(0, 16, whole) }.send(&mut rig, &[]);
    rig.refused("ResourceSubData.bytes");
    pixels(1, 16, whole).send(&mut rig, &[]);
    rig.refused("ResourceSubData.width");
    pixels(-1, 16, whole).send(&mut rig, &[]);
    rig.refused("ResourceSubData.width");
    ResourceSubData { level: 1, ..pixels(0, 16, whole) }.send(&mut rig, &[]);
    rig.refused("ResourceSubData.level");
    ResourceSubData { target: gl::TEXTURE_3D, ..pixels(0, 16, whole) }.send(&mut rig, &[]);
    rig.refused("ResourceSubData.target");
    let read = ReadPixels {
        width: 4,
        height: 4,
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        dst: staged(0, 64),
        ..Default::default()
    };
    ReadPixels { dst: staged(0, 63), ..read }.send(&mut rig);
    rig.refused("ReadPixels.dst");
    ReadPixels { dst: BlobRef { segment: BlobRef::INLINE, ..staged(0, 64) }, ..read }
        .send(&mut rig);
    rig.refused("ReadPixels.dst");
    ReadPixels { x: i32::MAX, ..read }.send(&mut rig);
    rig.refused("ReadPixels.x");
    let packed = ReadPixelsToBuffer {
        buffer: BUFFER,
        offset: 1024 - 63,
        width: 4,
        height: 4,
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        store: PixelStore { alignment: 1, ..Default::default() },
        ..Default::default()
    };
    packed.send(&mut rig);
    rig.refused("ReadPixelsToBuffer.offset");
    let store = PixelStore { alignment: 3, ..Default::default() };
    ReadPixelsToBuffer { store, ..packed }.send(&mut rig);
    rig.refused("ReadPixelsToBuffer.format");
}

#[test]
fn storage_that_no_texture_can_have() {
    let mut rig = Rig::ready();
    rig.level(20, 1, 1).send(&mut rig);
    rig.refused("ResourceRespecify.level");
    rig.level(0, 1 << 17, 1).send(&mut rig);
    rig.refused("ResourceRespecify.width");
    ResourceRespecify { levels: 6, immutable: 1, ..rig.level(0, 16, 8) }.send(&mut rig);
    rig.refused("ResourceRespecify.levels");
    ResourceRespecify { levels: 5, immutable: 1, ..rig.level(0, 16, 8) }.send(&mut rig);
    assert_eq!(rig.call(), "texture_defined #1.1 Immutable");
    rig.level(0, 16, 8).send(&mut rig);
    rig.refused("ResourceRespecify.immutable");
    rig.create(Kind::Texture, h(2), gl::TEXTURE_CUBE_MAP);
    let face =
        ResourceRespecify { handle: h(2), target: gl::TEXTURE_CUBE_MAP, ..rig.level(0, 8, 8) };
    face.send(&mut rig);
    rig.refused("ResourceRespecify.target");
    let view =
        ResourceRespecify { handle: h(3), view_of: TEXTURE, num_layers: 1, ..rig.level(0, 0, 0) };
    rig.create(Kind::Texture, h(3), gl::TEXTURE_2D);
    ResourceRespecify { min_level: 4, levels: 2, ..view }.send(&mut rig);
    rig.refused("ResourceRespecify.min_level");
    ResourceRespecify { min_layer: 1, levels: 1, ..view }.send(&mut rig);
    rig.refused("ResourceRespecify.min_layer");
}

#[test]
fn state_out_of_its_bounds() {
    let mut rig = Rig::ready();
    SetVertexBuffers { count: 1, pad: 0 }
        .send(&mut rig, &[VertexBuffer { buffer: BUFFER, binding: 32, ..Default::default() }]);
    rig.refused("SetVertexBuffers.binding");
    SetSamplerViews { count: 1, pad: 0 }
        .send(&mut rig, &[BoundView { texture: TEXTURE, unit: 192, target: gl::TEXTURE_2D }]);
    rig.refused("SetSamplerViews.unit");
    SetSamplerViews { count: 1, pad: 0 }
        .send(&mut rig, &[BoundView { texture: TEXTURE, unit: 0, target: 7 }]);
    rig.refused("SetSamplerViews.target");
    let range = [BufferRange { buffer: BUFFER, offset: 0, size: WHOLE }; 85];
    let buffers = SetShaderBuffers { class: 0, count: 85, ..Default::default() };
    buffers.send(&mut rig, &range);
    rig.refused("SetShaderBuffers.count");
    SetShaderBuffers { class: 3, count: 1, ..buffers }.send(&mut rig, &range[..1]);
    rig.refused("SetShaderBuffers.class");
    SetViewports { first: 15, count: 2 }.send(&mut rig, &[Viewport::default(); 2]);
    rig.refused("SetViewports.first");
    SetViewports { first: u32::MAX, count: 1 }.send(&mut rig, &[Viewport::default()]);
    rig.refused("SetViewports.first");
    SetPatchState { vertices: 0, ..Default::default() }.send(&mut rig);
    rig.refused("SetPatchState.vertices");
    SetVertexAttribDefaults { count: 1, pad: 0 }
        .send(&mut rig, &[AttribDefault { location: 32, ..Default::default() }]);
    rig.refused("SetVertexAttribDefaults.location");
    let good = VertexAttrib { size: 4, ty: gl::FLOAT, ..Default::default() };
    let elements = CreateVertexElements { handle: h(1), attrib_count: 2, binding_count: 0 };
    elements.send(&mut rig, &[good, good], &[]);
    rig.refused("CreateVertexElements.location");
    elements.send(&mut rig, &[good, VertexAttrib { location: 1, size: 5, ..good }], &[]);
    rig.refused("CreateVertexElements.size");
}

#[test]
fn programs_that_are_none_and_uniforms_outside_the_block() {
    let mut rig = Rig::ready();
    let mut bytes = archive().encode();
    bytes[4] ^= 1;
    CreateShaderState { handle: h(2), archive: BlobRef::inline(bytes.len()) }
        .send(&mut rig, &bytes);
    rig.refused("CreateShaderState.archive");
    let constants = SetGlobalConstants {
        executable: EXECUTABLE,
        range_count: 1,
        bytes: BlobRef::inline(8),
        ..Default::default()
    };
    constants.send(&mut rig, &[ByteRange { offset: 60, size: 8 }], &[0; 8]);
    rig.refused("SetGlobalConstants.ranges");
    constants.send(&mut rig, &[ByteRange { offset: u32::MAX, size: 8 }], &[0; 8]);
    rig.refused("SetGlobalConstants.ranges");
    constants.send(&mut rig, &[ByteRange { offset: 0, size: 4 }], &[0; 8]);
    rig.refused("SetGlobalConstants.bytes");
    let bindings = SetProgramBindings { executable: EXECUTABLE, ..Default::default() };
    SetProgramBindings { block_count: 1, ..bindings }.send(&mut rig, &[84], &[], &[]);
    rig.refused("SetProgramBindings.blocks");
    SetProgramBindings { sampler_count: 1, ..bindings }.send(&mut rig, &[], &[192], &[]);
    rig.refused("SetProgramBindings.units");
    SetProgramBindings { storage_count: 1, ..bindings }.send(
        &mut rig,
        &[],
        &[],
        &[ATOMIC_POINT | 84],
    );
    rig.refused("SetProgramBindings.storages");
}

#[test]
fn draws_that_contradict_themselves() {
    let mut rig = Rig::ready();
    let range = [DrawRange { start: 0, count: 3, ..Default::default() }];
    let draw =
        DrawVbo { mode: gl::TRIANGLES, instance_count: 1, range_count: 1, ..Default::default() };
    DrawVbo { mode: 7, ..draw }.send(&mut rig, &range, &[], &[]);
    rig.refused("DrawVbo.mode");
    DrawVbo { index_type: gl::FLOAT, ..draw }.send(&mut rig, &range, &[], &[]);
    rig.refused("DrawVbo.index_type");
    DrawVbo { instance_count: u32::MAX, ..draw }.send(&mut rig, &range, &[], &[]);
    rig.refused("DrawVbo.instance_count");
    let huge = [DrawRange { count: u32::MAX, ..range[0] }];
    draw.send(&mut rig, &huge, &[], &[]);
    rig.refused("DrawVbo.ranges");
    DrawVbo { indices: staged(0, 6), ..draw }.send(&mut rig, &range, &[], &[]);
    rig.refused("DrawVbo.indices");
    let indexed = DrawVbo { index_type: gl::UNSIGNED_SHORT, indices: staged(0, 5), ..draw };
    indexed.send(&mut rig, &range, &[], &[]);
    rig.refused("DrawVbo.indices");
    DrawVbo { array_count: 1, ..draw }.send(
        &mut rig,
        &range,
        &[UserArray { bytes: staged(0, 4), binding: 32, stride: 4 }],
        &[],
    );
    rig.refused("DrawVbo.arrays");
    let indirect = DrawIndirect { buffer: BUFFER, draw_count: 1, ..Default::default() };
    DrawVbo { indirect_count: 1, ..draw }.send(&mut rig, &range, &[], &[indirect]);
    rig.refused("DrawVbo.indirect_count");
    let from_buffer = DrawVbo { range_count: 0, indirect_count: 1, ..draw };
    from_buffer.send(&mut rig, &[], &[], &[DrawIndirect { offset: 2, ..indirect }]);
    rig.refused("DrawVbo.indirect.offset");
    DrawVbo { range_count: 0, feedback: h(1), stream: 0, ..draw }.send(&mut rig, &[], &[], &[]);
    rig.refused("DrawVbo.feedback");
    Clear { mask: 1, ..Default::default() }.send(&mut rig);
    rig.refused("Clear.mask");
    Blit { mask: gl::COLOR_BUFFER_BIT, filter: 0, ..Default::default() }.send(&mut rig);
    rig.refused("Blit.filter");
    LaunchGrid { indirect: 1, buffer: BUFFER, offset: 1, ..Default::default() }.send(&mut rig);
    rig.refused("LaunchGrid.offset");
}

#[test]
fn presents_out_of_their_order() {
    let mut rig = Rig::ready();
    Present { surface: SURFACE, serial: 0 }.send(&mut rig);
    rig.refused("Present.serial");
    Present { surface: SURFACE, serial: 2 }.send(&mut rig);
    rig.refused("Present.serial");
    Present { surface: SURFACE, serial: 1 }.send(&mut rig);
    assert_eq!(rig.call(), "present #0.1 1");
    Present { surface: SURFACE, serial: 1 }.send(&mut rig);
    rig.refused("Present.serial");
    assert_eq!(rig.heard.borrow().presented, [(SURFACE, 1)]);
}

#[test]
fn queries_and_feedback_out_of_their_order() {
    let mut rig = Rig::ready();
    let target = gl::ANY_SAMPLES_PASSED;
    QueryCreate { handle: h(1), target: 5, pad: 0 }.send(&mut rig);
    rig.refused("QueryCreate.target");
    for slot in 1..3 {
        QueryCreate { handle: h(slot), target, pad: 0 }.send(&mut rig);
    }
    QueryEnd { handle: h(1), target, index: 0 }.send(&mut rig);
    rig.refused("QueryEnd.handle");
    QueryBegin { handle: h(1), target, index: 4 }.send(&mut rig);
    rig.refused("QueryBegin.target");
    QueryBegin { handle: h(1), target, index: 0 }.send(&mut rig);
    assert_eq!(rig.call(), "query_begin #1.1");
    QueryBegin { handle: h(2), target, index: 0 }.send(&mut rig);
    rig.refused("QueryBegin.handle");
    let begin = BeginStreamOutput {
        handle: h(1),
        executable: EXECUTABLE,
        primitive_mode: gl::TRIANGLES,
        count: 0,
    };
    BeginStreamOutput { primitive_mode: gl::PATCHES, ..begin }.send(&mut rig, &[]);
    rig.refused("BeginStreamOutput.primitive_mode");
    EndStreamOutput { handle: h(1) }.send(&mut rig);
    rig.refused("EndStreamOutput.handle");
    begin.send(&mut rig, &[]);
    assert_eq!(rig.call(), "feedback_begin #1.1");
    begin.send(&mut rig, &[]);
    rig.refused("BeginStreamOutput.handle");
    ResumeStreamOutput { handle: h(1) }.send(&mut rig);
    rig.refused("ResumeStreamOutput.handle");
}

#[test]
fn verbs_and_state_without_a_context() {
    let mut rig = Rig::ready();
    BindContext::default().send(&mut rig);
    rig.calls();
    Clear { mask: gl::COLOR_BUFFER_BIT, ..Default::default() }.send(&mut rig);
    rig.refused("Clear.context");
    SetDynamicState::default().send(&mut rig);
    rig.refused("SetDynamicState.context");
    // What GL executes on an object needs none.
    ResourceSubData {
        handle: BUFFER,
        kind: Kind::Buffer as u32,
        bytes: staged(0, 4),
        ..Default::default()
    }
    .send(&mut rig, &[]);
    assert_eq!(rig.call(), "buffer_sub_data #1.1 0 4 bytes [0, 1, 2, 3]");
}
