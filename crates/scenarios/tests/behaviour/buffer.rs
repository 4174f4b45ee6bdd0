//! Buffers: contents, bindings, maps.

use super::maps::persistent;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ffi::c_void;
use std::ptr::null;

scenarios! { "buffer";
    [Es(30), Core(33)], Needs::PIXELS =>
        a_uniform_block_reads_the_bound_buffer,
        rebinding_alone_changes_what_is_read,
        a_base_binding_follows_a_respecified_store,
        a_range_is_read_from_its_offset,
        copies_move_bytes_on_the_server,
        a_written_map_is_drawn_from,
        a_map_keeps_what_is_not_written,
        only_flushed_ranges_need_arrive,
        a_read_map_sees_what_was_copied,
        a_mapped_buffer_is_guarded,
        a_size_beyond_any_memory_is_told_at_once,
        a_deleted_buffer_is_unbound_and_its_slot_is_used_again;
    [Es(31), Es(32)], Needs::PIXELS => rebinding_storage_alone_changes_what_is_written;
    [Core(33)], Needs::PIXELS => contents_are_read_back;
    [Es(31), Core(33)], Needs::PIXELS =>
        a_persistent_map_stays_mapped_while_it_is_drawn_from,
        vertices_and_indices_are_streamed_through_persistent_maps;
}

/// A program that paints the block `Paint { vec4 color; }`, bound to point 2.
fn painter(w: &World) -> u32 {
    let program = w.fragment_program(
        "layout(std140) uniform Paint { vec4 color; }; out vec4 result; void main() { result = color; }",
    );
    w.UseProgram(program);
    w.whole();
    let block = w.GetUniformBlockIndex(program, c"Paint".as_ptr().cast());
    assert_eq!(block, 0);
    w.UniformBlockBinding(program, block, 2);
    program
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

fn bytes([r, g, b, a]: [f32; 4]) -> [u8; 4] {
    [r, g, b, a].map(|v| (v * 255.0) as u8)
}

fn shows(w: &World, color: [f32; 4]) {
    w.clear([9; 4]);
    w.strip();
    w.expect_all(bytes(color));
}

fn a_uniform_block_reads_the_bound_buffer(w: &mut World) {
    painter(w);
    let buffer = w.buffer(c::UNIFORM_BUFFER, &RED);
    w.BindBufferBase(c::UNIFORM_BUFFER, 2, buffer);
    shows(w, RED);
    // Contents that change between draws: each draw has its own.
    w.Enable(c::SCISSOR_TEST);
    for i in 0..32 {
        let color = [0.0, i as f32 * 8.0 / 255.0, 1.0, 1.0];
        w.BufferSubData(c::UNIFORM_BUFFER, 0, 16, color.as_ptr().cast());
        w.Scissor(i, 0, 1, 32);
        w.strip();
    }
    w.Disable(c::SCISSOR_TEST);
    for i in 0..32 {
        w.expect_rect(i, 0, 1, 32, [0, 8 * i as u8, 255, 255]);
    }
}

fn rebinding_alone_changes_what_is_read(w: &mut World) {
    let program = painter(w);
    let buffers = [RED, GREEN, BLUE].map(|color| w.buffer(c::UNIFORM_BUFFER, &color));
    w.Enable(c::SCISSOR_TEST);
    w.clear([9; 4]);
    for i in 0..30 {
        w.BindBufferBase(c::UNIFORM_BUFFER, 2, buffers[i % 3]);
        w.Scissor(i as i32, 0, 1, 32);
        w.strip();
    }
    w.Disable(c::SCISSOR_TEST);
    for i in 0..30 {
        w.expect_rect(i as i32, 0, 1, 32, bytes([RED, GREEN, BLUE][i % 3]));
    }
    // Or the program's own binding.
    w.BindBufferBase(c::UNIFORM_BUFFER, 4, buffers[0]);
    w.BindBufferBase(c::UNIFORM_BUFFER, 2, buffers[1]);
    shows(w, GREEN);
    w.UniformBlockBinding(program, 0, 4);
    shows(w, RED);
    w.UniformBlockBinding(program, 0, 2);
    shows(w, GREEN);
}

fn a_base_binding_follows_a_respecified_store(w: &mut World) {
    painter(w);
    let buffer = w.buffer(c::UNIFORM_BUFFER, &[0u8; 4]);
    w.BindBufferBase(c::UNIFORM_BUFFER, 2, buffer);
    w.BufferData(c::UNIFORM_BUFFER, 16, RED.as_ptr().cast(), c::STATIC_DRAW);
    shows(w, RED);
    let large: Vec<f32> = GREEN.iter().copied().chain([0.5; 1000]).collect();
    w.BufferData(
        c::UNIFORM_BUFFER,
        4 * large.len() as isize,
        large.as_ptr().cast(),
        c::STREAM_DRAW,
    );
    shows(w, GREEN);
    w.BufferData(c::UNIFORM_BUFFER, 16, BLUE.as_ptr().cast(), c::DYNAMIC_DRAW);
    shows(w, BLUE);
    let mut size = 0;
    w.GetBufferParameteriv(c::UNIFORM_BUFFER, c::BUFFER_SIZE, &mut size);
    assert_eq!(size, 16);
}

fn a_range_is_read_from_its_offset(w: &mut World) {
    painter(w);
    let align = w.integer(c::UNIFORM_BUFFER_OFFSET_ALIGNMENT) as usize;
    assert!(align > 0 && align <= 256);
    let mut data = vec![0.25f32; 3 * align];
    for (i, color) in [RED, GREEN, BLUE].iter().enumerate() {
        data[i * align / 4..i * align / 4 + 4].copy_from_slice(color);
    }
    let buffer = w.buffer(c::UNIFORM_BUFFER, &data);
    for (i, color) in [RED, GREEN, BLUE].into_iter().enumerate() {
        w.BindBufferRange(c::UNIFORM_BUFFER, 2, buffer, (i * align) as isize, 16);
        shows(w, color);
    }
    let mut start = 0;
    w.GetInteger64i_v(c::UNIFORM_BUFFER_START, 2, &mut start);
    assert_eq!(start, 2 * align as i64);
    w.rejects(c::INVALID_VALUE, || w.BindBufferRange(c::UNIFORM_BUFFER, 2, buffer, 1, 16));
    w.rejects(c::INVALID_VALUE, || w.BindBufferRange(c::UNIFORM_BUFFER, 2, buffer, 0, 0));
    w.rejects(c::INVALID_VALUE, || w.BindBufferBase(c::UNIFORM_BUFFER, 9999, buffer));
}

fn copies_move_bytes_on_the_server(w: &mut World) {
    painter(w);
    let from = w.buffer(c::COPY_READ_BUFFER, &[RED, GREEN, BLUE]);
    let to = w.buffer(c::COPY_WRITE_BUFFER, &[[0.0f32; 4]; 2]);
    w.BindBufferBase(c::UNIFORM_BUFFER, 2, to);
    w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 16, 0, 16);
    shows(w, GREEN);
    w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 32, 0, 16);
    w.DeleteBuffers(1, &from);
    shows(w, BLUE);
    w.BindBuffer(c::COPY_READ_BUFFER, to);
    w.rejects(c::INVALID_VALUE, || {
        w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 0, 8, 16);
    });
    w.rejects(c::INVALID_VALUE, || {
        w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 0, 24, 16);
    });
}

fn write(pointer: *mut c_void, at: usize, color: [f32; 4]) {
    assert!(!pointer.is_null());
    // SAFETY: the map is large enough for four floats there.
    unsafe { pointer.cast::<u8>().add(at).cast::<[f32; 4]>().write_unaligned(color) };
}

fn read(pointer: *const c_void, at: usize) -> [f32; 4] {
    assert!(!pointer.is_null());
    // SAFETY: the map is large enough for four floats there.
    unsafe { pointer.cast::<u8>().add(at).cast::<[f32; 4]>().read_unaligned() }
}

fn a_written_map_is_drawn_from(w: &mut World) {
    painter(w);
    let buffer = w.buffer(c::UNIFORM_BUFFER, &RED);
    w.BindBufferBase(c::UNIFORM_BUFFER, 2, buffer);
    w.clear([9; 4]);
    w.Enable(c::SCISSOR_TEST);
    for (i, access) in [
        c::MAP_WRITE_BIT,
        c::MAP_WRITE_BIT | c::MAP_INVALIDATE_BUFFER_BIT,
        c::MAP_WRITE_BIT | c::MAP_INVALIDATE_RANGE_BIT,
        c::MAP_WRITE_BIT | c::MAP_READ_BIT,
    ]
    .into_iter()
    .enumerate()
    {
        let color = [0.0, 0.2 * i as f32, 1.0, 1.0];
        write(w.MapBufferRange(c::UNIFORM_BUFFER, 0, 16, access), 0, color);
        assert_eq!(w.UnmapBuffer(c::UNIFORM_BUFFER), 1);
        w.Scissor(8 * i as i32, 0, 8, 32);
        w.strip();
    }
    w.Disable(c::SCISSOR_TEST);
    for i in 0..4 {
        w.expect_rect(8 * i, 0, 8, 32, [0, 51 * i as u8, 255, 255]);
    }
}

fn a_map_keeps_what_is_not_written(w: &mut World) {
    painter(w);
    let buffer = w.buffer(c::UNIFORM_BUFFER, &[RED, GREEN]);
    let align = w.integer(c::UNIFORM_BUFFER_OFFSET_ALIGNMENT) as isize;
    w.BufferData(c::UNIFORM_BUFFER, 2 * align.max(16), null(), c::STATIC_DRAW);
    w.BufferSubData(c::UNIFORM_BUFFER, 0, 16, RED.as_ptr().cast());
    w.BufferSubData(c::UNIFORM_BUFFER, align, 16, GREEN.as_ptr().cast());
    let map = w.MapBufferRange(c::UNIFORM_BUFFER, 0, 2 * align, c::MAP_WRITE_BIT);
    write(map, 0, BLUE);
    w.UnmapBuffer(c::UNIFORM_BUFFER);
    w.BindBufferRange(c::UNIFORM_BUFFER, 2, buffer, 0, 16);
    shows(w, BLUE);
    w.BindBufferRange(c::UNIFORM_BUFFER, 2, buffer, align, 16);
    shows(w, GREEN);
}

fn only_flushed_ranges_need_arrive(w: &mut World) {
    painter(w);
    let buffer = w.buffer(c::UNIFORM_BUFFER, &[RED, RED]);
    w.BindBufferBase(c::UNIFORM_BUFFER, 2, buffer);
    let access = c::MAP_WRITE_BIT | c::MAP_FLUSH_EXPLICIT_BIT;
    let map = w.MapBufferRange(c::UNIFORM_BUFFER, 0, 32, access);
    write(map, 0, GREEN);
    write(map, 16, BLUE);
    w.FlushMappedBufferRange(c::UNIFORM_BUFFER, 0, 16);
    w.rejects(c::INVALID_VALUE, || w.FlushMappedBufferRange(c::UNIFORM_BUFFER, 16, 32));
    w.UnmapBuffer(c::UNIFORM_BUFFER);
    shows(w, GREEN);
    // Flushes are relative to the map's beginning.
    let map = w.MapBufferRange(c::UNIFORM_BUFFER, 8, 16, access);
    write(map, 0, [0.0, 1.0, 0.0, 0.0]);
    w.FlushMappedBufferRange(c::UNIFORM_BUFFER, 0, 8);
    w.UnmapBuffer(c::UNIFORM_BUFFER);
    // Bytes 8 to 16 are now 0 and 1.
    shows(w, [0.0, 1.0, 0.0, 1.0]);
    w.rejects(c::INVALID_OPERATION, || {
        w.UnmapBuffer(c::UNIFORM_BUFFER);
    });
}

fn a_read_map_sees_what_was_copied(w: &mut World) {
    let from = w.buffer(c::COPY_READ_BUFFER, &[RED, GREEN]);
    let to = w.buffer(c::COPY_WRITE_BUFFER, &[[0.5f32; 4]; 2]);
    assert_ne!(from, to);
    let look = |at, expected| {
        let map = w.MapBufferRange(c::COPY_WRITE_BUFFER, 0, 32, c::MAP_READ_BIT);
        assert_eq!(read(map, at), expected);
        assert_eq!(w.UnmapBuffer(c::COPY_WRITE_BUFFER), 1);
    };
    look(16, [0.5; 4]);
    w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 0, 16, 16);
    look(16, RED);
    look(0, [0.5; 4]);
    w.BufferSubData(c::COPY_WRITE_BUFFER, 0, 16, BLUE.as_ptr().cast());
    look(0, BLUE);
    w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 16, 16, 16);
    look(16, GREEN);
}

fn a_mapped_buffer_is_guarded(w: &mut World) {
    let buffer = w.buffer(c::ARRAY_BUFFER, &[0u8; 64]);
    let map = |access| w.MapBufferRange(c::ARRAY_BUFFER, 0, 64, access);
    w.rejects(c::INVALID_OPERATION, || assert!(map(0).is_null()));
    w.rejects(c::INVALID_VALUE, || {
        w.MapBufferRange(c::ARRAY_BUFFER, 60, 8, c::MAP_READ_BIT);
    });
    w.rejects(c::INVALID_OPERATION, || {
        map(c::MAP_READ_BIT | c::MAP_INVALIDATE_BUFFER_BIT);
    });
    let pointer = map(c::MAP_WRITE_BIT);
    let mut told = std::ptr::null_mut();
    w.GetBufferPointerv(c::ARRAY_BUFFER, c::BUFFER_MAP_POINTER, &mut told);
    assert_eq!(told, pointer);
    w.rejects(c::INVALID_OPERATION, || {
        map(c::MAP_READ_BIT);
    });
    w.rejects(c::INVALID_OPERATION, || {
        w.BufferSubData(c::ARRAY_BUFFER, 0, 4, [0u8; 4].as_ptr().cast());
    });
    let mut mapped = 0;
    w.GetBufferParameteriv(c::ARRAY_BUFFER, c::BUFFER_MAPPED, &mut mapped);
    assert_eq!(mapped, 1);
    // A respecified buffer is unmapped, and so is a deleted one.
    w.BufferData(c::ARRAY_BUFFER, 32, null(), c::STATIC_DRAW);
    w.GetBufferParameteriv(c::ARRAY_BUFFER, c::BUFFER_MAPPED, &mut mapped);
    assert_eq!(mapped, 0);
    w.MapBufferRange(c::ARRAY_BUFFER, 0, 32, c::MAP_WRITE_BIT);
    w.DeleteBuffers(1, &buffer);
    w.rejects(c::INVALID_OPERATION, || {
        w.UnmapBuffer(c::ARRAY_BUFFER);
    });
}

fn a_deleted_buffer_is_unbound_and_its_slot_is_used_again(w: &mut World) {
    painter(w);
    w.Enable(c::SCISSOR_TEST);
    for i in 0..32 {
        let color = [i as f32 * 8.0 / 255.0, 0.0, 1.0, 1.0];
        let buffer = w.buffer(c::UNIFORM_BUFFER, &color);
        w.BindBufferBase(c::UNIFORM_BUFFER, 2, buffer);
        w.Scissor(i, 0, 1, 32);
        w.strip();
        w.DeleteBuffers(1, &buffer);
        let mut bound = -1;
        w.GetIntegeri_v(c::UNIFORM_BUFFER_BINDING, 2, &mut bound);
        assert_eq!(bound, 0);
        assert_eq!(w.integer(c::UNIFORM_BUFFER_BINDING), 0);
    }
    w.Disable(c::SCISSOR_TEST);
    for i in 0..32 {
        w.expect_rect(i, 0, 1, 32, [8 * i as u8, 0, 255, 255]);
    }
}

fn rebinding_storage_alone_changes_what_is_written(w: &mut World) {
    let program = w.program_with(
        &[(
            c::COMPUTE_SHADER,
            "layout(local_size_x = 1) in; layout(std430, binding = 1) buffer Out { uint number; };
             layout(std430, binding = 0) readonly buffer In { uint source; };
             void main() { number = source + 1u; }",
        )],
        |_| (),
    );
    w.UseProgram(program);
    let buffers: Vec<u32> =
        (0..4).map(|i| w.buffer(c::SHADER_STORAGE_BUFFER, &[10u32 * i; 4])).collect();
    for pair in buffers.windows(2) {
        w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 0, pair[0]);
        w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 1, pair[1]);
        w.DispatchCompute(1, 1, 1);
        w.MemoryBarrier(c::SHADER_STORAGE_BARRIER_BIT);
    }
    w.MemoryBarrier(c::BUFFER_UPDATE_BARRIER_BIT);
    for (i, buffer) in buffers.iter().enumerate() {
        w.BindBuffer(c::SHADER_STORAGE_BUFFER, *buffer);
        let map = w.MapBufferRange(c::SHADER_STORAGE_BUFFER, 0, 8, c::MAP_READ_BIT);
        assert!(!map.is_null());
        // SAFETY: eight bytes are mapped.
        let values = unsafe { map.cast::<[u32; 2]>().read() };
        assert_eq!(values, [i as u32, 10 * i as u32]);
        w.UnmapBuffer(c::SHADER_STORAGE_BUFFER);
    }
}

fn contents_are_read_back(w: &mut World) {
    w.buffer(c::ARRAY_BUFFER, &[1u32, 2, 3, 4]);
    let mut values = [0u32; 2];
    w.GetBufferSubData(c::ARRAY_BUFFER, 4, 8, values.as_mut_ptr().cast());
    assert_eq!(values, [2, 3]);
    w.BufferSubData(c::ARRAY_BUFFER, 8, 4, [9u32].as_ptr().cast());
    w.GetBufferSubData(c::ARRAY_BUFFER, 4, 8, values.as_mut_ptr().cast());
    assert_eq!(values, [2, 9]);
    w.rejects(c::INVALID_VALUE, || {
        w.GetBufferSubData(c::ARRAY_BUFFER, 12, 8, values.as_mut_ptr().cast());
    });
}

fn a_size_beyond_any_memory_is_told_at_once(w: &mut World) {
    w.buffer(c::UNIFORM_BUFFER, &[7u32; 4]);
    let byte = 1u8;
    for size in [1 << 62, isize::MAX] {
        // The pointer is not followed: it has one byte.
        w.rejects(c::OUT_OF_MEMORY, || {
            w.BufferData(c::UNIFORM_BUFFER, size, (&raw const byte).cast(), c::STATIC_DRAW);
        });
    }
    w.rejects(c::INVALID_VALUE, || {
        w.BufferData(c::UNIFORM_BUFFER, -1, std::ptr::null(), c::STATIC_DRAW);
    });
    let mut size = 0;
    w.GetBufferParameteriv(c::UNIFORM_BUFFER, c::BUFFER_SIZE, &raw mut size);
    assert_eq!(size, 16, "the store is as it was");
}

fn a_persistent_map_stays_mapped_while_it_is_drawn_from(w: &mut World) {
    let extension = if w.is_es() { "GL_EXT_buffer_storage" } else { "GL_ARB_buffer_storage" };
    if !w.has(extension) {
        return;
    }
    painter(w);
    let mut buffer = 0;
    w.GenBuffers(1, &mut buffer);
    w.BindBuffer(c::UNIFORM_BUFFER, buffer);
    let access = c::MAP_WRITE_BIT | c::MAP_PERSISTENT_BIT | c::MAP_COHERENT_BIT;
    let size = 1 << 20;
    if w.is_es() {
        w.BufferStorageEXT(c::UNIFORM_BUFFER, size, null(), access);
    } else {
        w.BufferStorage(c::UNIFORM_BUFFER, size, null(), access);
    }
    let map = w.MapBufferRange(c::UNIFORM_BUFFER, 0, size, access);
    w.no_error();
    w.clear([9; 4]);
    w.Enable(c::SCISSOR_TEST);
    for i in 0..32 {
        // Each draw has a part of its own: none is overwritten while it may be read.
        let at = 4096 * i as usize;
        write(map, at, [0.0, i as f32 * 8.0 / 255.0, 1.0, 1.0]);
        w.BindBufferRange(c::UNIFORM_BUFFER, 2, buffer, at as isize, 16);
        w.Scissor(i, 0, 1, 32);
        w.strip();
    }
    // After a fence parts may be written again.
    let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
    let waited = w.ClientWaitSync(fence, c::SYNC_FLUSH_COMMANDS_BIT, 10_000_000_000);
    assert!(matches!(waited, c::ALREADY_SIGNALED | c::CONDITION_SATISFIED), "{waited:#x}");
    write(map, 4096 * 31, RED);
    w.Scissor(31, 0, 1, 16);
    w.strip();
    w.Disable(c::SCISSOR_TEST);
    for i in 0..31 {
        w.expect_rect(i, 0, 1, 32, [0, 8 * i as u8, 255, 255]);
    }
    w.expect_rect(31, 0, 1, 16, [255, 0, 0, 255]);
    w.expect_rect(31, 16, 1, 16, [0, 248, 255, 255]);
    w.DeleteSync(fence);
    assert_eq!(w.UnmapBuffer(c::UNIFORM_BUFFER), 1);
}

/// Every draw reads a part of its own, whose last vertex and index stand on the next page: none may see too little, or what came later.
fn vertices_and_indices_are_streamed_through_persistent_maps(w: &mut World) {
    let extension = if w.is_es() { "GL_EXT_buffer_storage" } else { "GL_ARB_buffer_storage" };
    if !w.has(extension) || (w.is_es() && w.cell.api != Es(32)) {
        return;
    }
    const COLUMNS: usize = 32;
    const PAGE: usize = 4096;
    const SIZE: usize = (COLUMNS + 2) * PAGE;
    let program =
        w.fragment_program("out vec4 result; void main() { result = vec4(0.0, 1.0, 0.0, 1.0); }");
    w.UseProgram(program);
    let points = persistent(w, c::ARRAY_BUFFER, SIZE as isize, c::MAP_WRITE_BIT);
    w.VertexAttribPointer(0, 2, c::FLOAT, 0, 8, null());
    w.EnableVertexAttribArray(0);
    let indices = persistent(w, c::ELEMENT_ARRAY_BUFFER, SIZE as isize, c::MAP_WRITE_BIT);
    w.no_error();
    let put = |column: usize, low: f32, high: f32| {
        let (left, right) = (-1.0 + column as f32 / 16.0, -1.0 + (column + 1) as f32 / 16.0);
        let end = (column + 1) * PAGE;
        let (at, list_at) = (end - 24, end - 12);
        // SAFETY: the maps have a page for each column, and more.
        unsafe {
            let corners = [left, low, right, low, left, high, right, high];
            points.cast::<u8>().add(at).cast::<[f32; 8]>().write_unaligned(corners);
            // Odd columns count from a base vertex.
            let first = if column.is_multiple_of(2) { at as u32 / 8 } else { 0 };
            let list = [first, first + 1, first + 2, first + 3];
            indices.cast::<u8>().add(list_at).cast::<[u32; 4]>().write_unaligned(list);
        }
        (at, list_at, if column.is_multiple_of(2) { 0 } else { at as i32 / 8 })
    };
    w.clear([9; 4]);
    for column in 0..COLUMNS {
        let (_, list, base) = put(column, -1.0, 0.0);
        let list = list as *const c_void;
        w.DrawElementsBaseVertex(c::TRIANGLE_STRIP, 4, c::UNSIGNED_INT, list, base);
    }
    w.Finish();
    // The same parts once more, now without indices.
    for column in 0..COLUMNS {
        let (at, ..) = put(column, 0.0, 0.5);
        w.DrawArrays(c::TRIANGLE_STRIP, at as i32 / 8, 4);
    }
    w.expect_rect(0, 0, 32, 24, [0, 255, 0, 255]);
    w.expect_rect(0, 24, 32, 8, [9; 4]);
}
