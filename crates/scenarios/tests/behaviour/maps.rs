//! Maps of buffers, where they are large, many, or shared with the GPU.

use super::texture::sampler;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{Mode, Topology, World, scenarios};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

/// A stage of its usual size, and the smallest.
const STAGES: Needs = Needs {
    fits: |cell| matches!(cell.mode, Mode::RunAhead | Mode::TinyRing),
    each: true,
    ..Needs::PIXELS
};

/// A server of its own, in another process.
const OWN: Needs = Needs { fits: |cell| cell.topology == Topology::Spawn, ..Needs::PIXELS };

scenarios! { "maps";
    [Es(30), Core(33)], Needs::PIXELS =>
        all_kinds_of_maps_give_and_take_what_they_say,
        what_a_deleted_buffer_was_given_stays;
    [Es(32), Core(33)], OWN => maps_of_deleted_buffers_leave_nothing;
    [Es(30), Core(33)], STAGES =>
        a_map_larger_than_the_stage_arrives_whole,
        uploads_that_nobody_uses_do_not_hold_the_stage;
    [Es(32), Core(33)], Needs::PIXELS =>
        the_cpu_and_the_gpu_write_to_one_page,
        whatever_wrote_to_a_fresh_store_is_read_from_it,
        compressed_blocks_come_from_a_persistent_map;
    [Es(32), Core(33)], Needs::GATED => names_are_used_again_while_maps_live;
}

/// Bytes of the buffers that are mapped in all ways.
const SIZE: usize = 8192;

/// What a buffer has, by way of the server.
fn stored(w: &World, buffer: u32) -> Vec<u8> {
    let (mut copy, size) = (0, SIZE as isize);
    w.GenBuffers(1, &mut copy);
    w.BindBuffer(c::COPY_WRITE_BUFFER, copy);
    w.BufferData(c::COPY_WRITE_BUFFER, size, null(), c::STREAM_READ);
    w.BindBuffer(c::COPY_READ_BUFFER, buffer);
    w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 0, 0, size);
    let map = w.MapBufferRange(c::COPY_WRITE_BUFFER, 0, size, c::MAP_READ_BIT);
    assert!(!map.is_null());
    // SAFETY: as many bytes are mapped.
    let bytes = unsafe { std::slice::from_raw_parts(map.cast::<u8>(), SIZE) }.to_vec();
    w.UnmapBuffer(c::COPY_WRITE_BUFFER);
    w.DeleteBuffers(1, &copy);
    bytes
}

/// The error of a map of a whole, unmapped store (OpenGL 4.6, section 6.3).
fn error_of(access: u32, flags: Option<u32>) -> u32 {
    let has = |bits| access & bits != 0;
    // The flags of a store that can be defined anew.
    let flags = flags.unwrap_or(c::MAP_READ_BIT | c::MAP_WRITE_BIT);
    let (read, write) = (has(c::MAP_READ_BIT), has(c::MAP_WRITE_BIT));
    let lost =
        c::MAP_INVALIDATE_RANGE_BIT | c::MAP_INVALIDATE_BUFFER_BIT | c::MAP_UNSYNCHRONIZED_BIT;
    let kinds = c::MAP_READ_BIT | c::MAP_WRITE_BIT | c::MAP_PERSISTENT_BIT | c::MAP_COHERENT_BIT;
    let wrong = !read && !write
        || read && has(lost)
        || has(c::MAP_FLUSH_EXPLICIT_BIT) && !write
        || access & kinds & !flags != 0;
    if wrong { c::INVALID_OPERATION } else { c::NO_ERROR }
}

fn all_kinds_of_maps_give_and_take_what_they_say(w: &mut World) {
    let kinds = c::MAP_READ_BIT | c::MAP_WRITE_BIT | c::MAP_PERSISTENT_BIT | c::MAP_COHERENT_BIT;
    let mut stores = vec![None];
    if can_persist(w) {
        stores.extend([kinds, kinds & !c::MAP_COHERENT_BIT, c::MAP_READ_BIT].map(Some));
    }
    // Bits 0 to 5, and 6 and 7 where maps can persist.
    for access in 0..if can_persist(w) { 256u32 } else { 64 } {
        for flags in &stores {
            one_map(w, access, *flags);
        }
    }
}

/// A map with the access bits of a new store, from everywhere to everywhere.
fn one_map(w: &World, access: u32, flags: Option<u32>) {
    let target = c::ARRAY_BUFFER;
    let mut expected: Vec<u8> = (0..SIZE).map(|i| (i % 251) as u8).collect();
    let mut buffer = 0;
    w.GenBuffers(1, &mut buffer);
    w.BindBuffer(target, buffer);
    let (size, bytes) = (SIZE as isize, expected.as_ptr().cast());
    match flags {
        None => w.BufferData(target, size, bytes, c::DYNAMIC_DRAW),
        Some(flags) if w.is_es() => w.BufferStorageEXT(target, size, bytes, flags),
        Some(flags) => w.BufferStorage(target, size, bytes, flags),
    }
    w.no_error();
    // On the stack of records, on the stage, and beyond what the smallest stage takes.
    for (round, (offset, len)) in
        [(64, 40), (200, 900), (0, SIZE), (3, 5000)].into_iter().enumerate()
    {
        let case = format!("access {access:#x} of a store of {flags:x?}, {len} bytes");
        let map = w.MapBufferRange(target, offset as isize, len as isize, access).cast::<u8>();
        let error = w.GetError();
        assert_eq!(error, error_of(access, flags), "{case}");
        assert_eq!(map.is_null(), error != c::NO_ERROR, "{case}");
        if error != c::NO_ERROR {
            break;
        }
        // GL_MIN_MAP_BUFFER_ALIGNMENT.
        assert_eq!((map as usize - offset) % 64, 0, "{case}");
        if access & c::MAP_READ_BIT != 0 {
            // SAFETY: as many bytes are mapped, for reading.
            let read = unsafe { std::slice::from_raw_parts(map, len) };
            assert_eq!(read, &expected[offset..offset + len], "{case}");
        }
        let mut written = 0..0;
        if access & c::MAP_WRITE_BIT != 0 {
            // What is not written keeps its bytes, unless it is given up.
            let gives_up = c::MAP_INVALIDATE_BUFFER_BIT | c::MAP_INVALIDATE_RANGE_BIT;
            written = if access & gives_up != 0 { 0..len } else { 8..len - 8 };
            for at in written.clone() {
                // SAFETY: inside of what is mapped for writing.
                unsafe { map.add(at).write((at * 3 + round * 40 + 5) as u8) };
            }
            if access & c::MAP_FLUSH_EXPLICIT_BIT != 0 {
                let half = written.start + written.len() / 2;
                w.FlushMappedBufferRange(
                    target,
                    written.start as isize,
                    (half - written.start) as isize,
                );
                w.FlushMappedBufferRange(target, half as isize, 0);
                w.FlushMappedBufferRange(target, half as isize, (written.end - half) as isize);
            }
        }
        assert_eq!(w.UnmapBuffer(target), 1, "{case}");
        w.no_error();
        for at in written {
            expected[offset + at] = (at * 3 + round * 40 + 5) as u8;
        }
        let now = stored(w, buffer);
        let checked = match access & c::MAP_INVALIDATE_BUFFER_BIT {
            0 => 0..SIZE,
            _ => offset..offset + len,
        };
        let wrong = checked.clone().find(|at| now[*at] != expected[*at]);
        assert_eq!(wrong, None, "{case}: the first byte that differs");
        expected = now;
    }
    w.DeleteBuffers(1, &buffer);
}

/// The vertices of a vertex array are deleted while they are mapped: the map ends, and the array keeps them.
fn what_a_deleted_buffer_was_given_stays(w: &mut World) {
    let painter = w.painter();
    w.UseProgram(painter);
    w.Uniform4f(w.uniform(painter, c"color"), 0.0, 1.0, 0.0, 1.0);
    let strip = [-1.0f32, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, 1.0];
    // Few bytes cross in a record, more of them by the stage.
    for (round, size) in [(0u8, 32), (1, 4000), (2, 600)] {
        let (mut array, mut other) = (0, 0);
        w.GenVertexArrays(1, &mut array);
        w.GenVertexArrays(1, &mut other);
        w.BindVertexArray(array);
        let buffer = w.buffer(c::ARRAY_BUFFER, &vec![0u8; size as usize]);
        w.EnableVertexAttribArray(0);
        w.VertexAttribPointer(0, 2, c::FLOAT, 0, 0, null());
        w.BindVertexArray(other);
        let access = c::MAP_WRITE_BIT | c::MAP_INVALIDATE_RANGE_BIT;
        let map = w.MapBufferRange(c::ARRAY_BUFFER, 0, size, access);
        assert!(!map.is_null());
        // SAFETY: more than as many bytes are mapped.
        unsafe { map.cast::<[f32; 8]>().write(strip) };
        w.DeleteBuffers(1, &buffer);
        w.BindVertexArray(array);
        w.clear([round, 9, 9, 255]);
        w.DrawArrays(c::TRIANGLE_STRIP, 0, 4);
        w.expect_all([0, 255, 0, 255]);
        w.DeleteVertexArrays(1, &array);
        w.DeleteVertexArrays(1, &other);
    }
}

/// Segments of clients that a process has mapped.
fn segments(pid: u32) -> usize {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("the server is there");
    maps.lines().filter(|line| line.contains("forerun-own")).count()
}

fn maps_of_deleted_buffers_leave_nothing(w: &mut World) {
    if !can_persist(w) {
        return;
    }
    let server = w.server_pid();
    let mut buffers = [0u32; 8];
    for buffer in &mut buffers {
        persistent(w, c::ARRAY_BUFFER, 65536, c::MAP_WRITE_BIT);
        *buffer = w.integer(c::ARRAY_BUFFER_BINDING) as u32;
    }
    w.Finish();
    assert_eq!(segments(server), buffers.len(), "maps are segments");
    w.DeleteBuffers(buffers.len() as i32, buffers.as_ptr());
    // The server looks now and then what the client has dropped.
    let begun = Instant::now();
    while segments(server) > 0 && begun.elapsed() < Duration::from_secs(10) {
        w.Finish();
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(segments(server), 0);
}

/// Whether buffers can be mapped persistently.
fn can_persist(w: &World) -> bool {
    w.has(if w.is_es() { "GL_EXT_buffer_storage" } else { "GL_ARB_buffer_storage" })
}

/// A persistent, coherent map of a new buffer, bound to the target.
pub fn persistent(w: &World, target: u32, size: isize, access: u32) -> *mut c_void {
    let access = access | c::MAP_PERSISTENT_BIT | c::MAP_COHERENT_BIT;
    let mut buffer = 0;
    w.GenBuffers(1, &mut buffer);
    w.BindBuffer(target, buffer);
    if w.is_es() {
        w.BufferStorageEXT(target, size, null(), access);
    } else {
        w.BufferStorage(target, size, null(), access);
    }
    let map = w.MapBufferRange(target, 0, size, access);
    assert!(!map.is_null());
    map
}

/// Bytes of a stage.
fn stage(w: &World) -> usize {
    scenarios::servers::sizes(w.cell.mode).stage as usize
}

/// Contents that the client has not seen must be fetched, also where nobody gave the buffer any when it was defined.
fn whatever_wrote_to_a_fresh_store_is_read_from_it(w: &mut World) {
    let fresh = |target: u32| {
        let mut buffer = 0;
        w.GenBuffers(1, &mut buffer);
        w.BindBuffer(target, buffer);
        w.BufferData(target, 16, null(), c::DYNAMIC_COPY);
        buffer
    };
    let (rgba, bytes) = (c::RGBA, c::UNSIGNED_BYTE);
    w.buffer(c::COPY_READ_BUFFER, &[7u32; 4]);
    let copied = fresh(c::COPY_WRITE_BUFFER);
    w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 0, 0, 16);
    assert_eq!(w.words(copied), [7; 4], "a copy");

    w.clear([1, 2, 3, 4]);
    let read = fresh(c::PIXEL_PACK_BUFFER);
    w.ReadPixels(0, 0, 4, 1, rgba, bytes, null_mut());
    assert_eq!(w.words(read), [0x0403_0201; 4], "pixels");
    if w.is_es() {
        return;
    }
    w.texture(2, 2, &[[5, 6, 7, 8]; 4]);
    let texels = fresh(c::PIXEL_PACK_BUFFER);
    w.GetTexImage(c::TEXTURE_2D, 0, rgba, bytes, null_mut());
    assert_eq!(w.words(texels), [0x0807_0605; 4], "texels");
    w.BindBuffer(c::PIXEL_PACK_BUFFER, 0);
    if w.has("GL_ARB_clear_buffer_object") {
        let cleared = fresh(c::COPY_WRITE_BUFFER);
        let nine = [9u32];
        let (format, word) = (c::RED_INTEGER, c::UNSIGNED_INT);
        w.ClearBufferData(c::COPY_WRITE_BUFFER, c::R32UI, format, word, nine.as_ptr().cast());
        assert_eq!(w.words(cleared), [9; 4], "a clear");
    }
    if w.has("GL_ARB_query_buffer_object") {
        let program = w.painter();
        w.UseProgram(program);
        w.whole();
        let mut query = 0;
        w.GenQueries(1, &mut query);
        w.BeginQuery(c::ANY_SAMPLES_PASSED, query);
        w.strip();
        w.EndQuery(c::ANY_SAMPLES_PASSED);
        let result = fresh(c::QUERY_BUFFER);
        w.GetQueryObjectuiv(query, c::QUERY_RESULT, null_mut());
        let [any, ..] = w.words::<4>(result);
        assert_eq!(any, 1, "a query's result");
        w.BindBuffer(c::QUERY_BUFFER, 0);
    }
}

fn a_map_larger_than_the_stage_arrives_whole(w: &mut World) {
    let words = stage(w) / 4 * 5 / 4 + 77;
    let size = 4 * words as isize;
    w.buffer(c::ARRAY_BUFFER, &vec![0u32; words]);
    let target = c::ARRAY_BUFFER;
    let ways = [
        c::MAP_INVALIDATE_BUFFER_BIT,
        c::MAP_INVALIDATE_RANGE_BIT,
        c::MAP_FLUSH_EXPLICIT_BIT,
        c::MAP_READ_BIT,
        0,
    ];
    for (round, way) in (1u32..).zip(ways) {
        let value = |i: usize| (i as u32).wrapping_mul(2 * round + 1) ^ round << 20;
        let map = w.MapBufferRange(target, 0, size, c::MAP_WRITE_BIT | way);
        assert!(!map.is_null());
        for i in 0..words {
            // SAFETY: as many words are mapped.
            unsafe { map.cast::<u32>().add(i).write(value(i)) };
        }
        if way == c::MAP_FLUSH_EXPLICIT_BIT {
            let half = size / 8 * 4;
            w.FlushMappedBufferRange(target, 0, half);
            w.FlushMappedBufferRange(target, half, size - half);
        }
        assert_eq!(w.UnmapBuffer(target), 1);
        let map = w.MapBufferRange(target, 0, size, c::MAP_READ_BIT);
        assert!(!map.is_null());
        // SAFETY: as above.
        let wrong = (0..words).find(|i| unsafe { map.cast::<u32>().add(*i).read() } != value(*i));
        assert_eq!(wrong, None, "{way:#x}");
        w.UnmapBuffer(target);
    }
}

fn uploads_that_nobody_uses_do_not_hold_the_stage(w: &mut World) {
    sampler(w);
    // A quarter of the stage is the most that goes over it at once.
    let side = if w.cell.mode == Mode::TinyRing { 32 } else { 1024 };
    let texels = |i: u8| vec![[i, 2, 3, 255]; (side * side) as usize];
    let mut textures = Vec::new();
    // Five times the stage at least.
    for i in 0..40 {
        textures.push(w.texture(side, side, &texels(i)));
        if i % 2 == 0 {
            // Never looked at either: a part, over what nobody has used yet.
            let part = [[9u8; 4]; 4];
            let (format, kind) = (c::RGBA, c::UNSIGNED_BYTE);
            w.TexSubImage2D(c::TEXTURE_2D, 0, 2, 2, 2, 2, format, kind, part.as_ptr().cast());
        }
    }
    let bytes = 40 * side as usize * side as usize * 4;
    assert!(bytes >= 5 * stage(w), "{bytes} bytes");
    w.Finish();
    for (i, texture) in (0..).zip(textures) {
        w.BindTexture(c::TEXTURE_2D, texture);
        w.strip();
        w.expect(31, 31, [i, 2, 3, 255]);
    }
}

fn the_cpu_and_the_gpu_write_to_one_page(w: &mut World) {
    if !can_persist(w) {
        return;
    }
    const LINE: usize = 64;
    const LINES: usize = 3 * 4096 / LINE;
    let target = c::COPY_WRITE_BUFFER;
    let size = (LINE * LINES) as isize;
    let map = persistent(w, target, size, c::MAP_READ_BIT | c::MAP_WRITE_BIT).cast::<u32>();
    let source = w.buffer(c::COPY_READ_BUFFER, &[0u32; 16]);
    let check = w.buffer(c::ARRAY_BUFFER, &vec![0u32; LINE / 4 * LINES]);
    for round in 1..=20u32 {
        for line in (0..LINES).step_by(2) {
            for word in 0..16 {
                // SAFETY: the line lies in the map, and no draw in flight reads it.
                unsafe { map.add(16 * line + word).write_volatile(round << 16 | line as u32) };
            }
        }
        // The other lines are the GPU's, a few in each round.
        let theirs = |line: usize| line % 2 == 1 && line % 10 == (2 * round as usize + 1) % 10;
        w.BindBuffer(c::COPY_READ_BUFFER, source);
        w.BufferSubData(c::COPY_READ_BUFFER, 0, 64, [round << 16 | 0x8000; 16].as_ptr().cast());
        for line in (0..LINES).filter(|line| theirs(*line)) {
            let (from, to) = (c::COPY_READ_BUFFER, target);
            w.CopyBufferSubData(from, to, 0, (line * LINE) as isize, LINE as isize);
        }
        // The GPU sees what both have written…
        w.BindBuffer(c::ARRAY_BUFFER, check);
        w.CopyBufferSubData(target, c::ARRAY_BUFFER, 0, 0, size);
        // …and so does the program, after a finish.
        w.Finish();
        let seen = w.MapBufferRange(c::ARRAY_BUFFER, 0, size, c::MAP_READ_BIT).cast::<u32>();
        assert!(!seen.is_null());
        for line in 0..LINES {
            let expected = match line {
                _ if line % 2 == 0 => round << 16 | line as u32,
                _ if theirs(line) => round << 16 | 0x8000,
                _ => continue,
            };
            for word in [0, 7, 15] {
                // SAFETY: inside both maps.
                let both = unsafe {
                    let at = 16 * line + word;
                    (seen.add(at).read(), map.add(at).read_volatile())
                };
                assert_eq!(both, (expected, expected), "line {line} of round {round}");
            }
        }
        w.UnmapBuffer(c::ARRAY_BUFFER);
    }
    w.UnmapBuffer(target);
}

fn compressed_blocks_come_from_a_persistent_map(w: &mut World) {
    if !can_persist(w) {
        return;
    }
    sampler(w);
    let map = persistent(w, c::PIXEL_UNPACK_BUFFER, 1 << 16, c::MAP_WRITE_BIT).cast::<u8>();
    // One block of one colour, and what it is decoded to: EAC's and RGTC's ends, of which all texels have the first.
    type Blocks = (u32, fn(u8) -> [u8; 8], fn(u8) -> [u8; 4]);
    let (format, block, color): Blocks = if w.is_es() {
        // ETC2, individual mode: the base colour in four bits for both halves, and the modifier +2.
        (c::COMPRESSED_RGB8_ETC2, |i| [i * 17, 0, 0, 0, 0, 0, 0, 0], |i| [i * 17 + 2, 2, 2, 255])
    } else {
        (c::COMPRESSED_RED_RGTC1, |i| [i * 17, 0, 0, 0, 0, 0, 0, 0], |i| [i * 17, 0, 0, 255])
    };
    w.new_texture(c::TEXTURE_2D);
    for i in 0..12u8 {
        // Each round at a place of its own: what the GPU may still read is not written again.
        let at = 4096 * usize::from(i) + 8;
        // SAFETY: inside the map.
        unsafe { map.add(at).cast::<[u8; 8]>().write_unaligned(block(i)) };
        let data = at as *const c_void;
        if i % 2 == 0 {
            w.CompressedTexImage2D(c::TEXTURE_2D, 0, format, 4, 4, 0, 8, data);
        } else {
            w.CompressedTexSubImage2D(c::TEXTURE_2D, 0, 0, 0, 4, 4, format, 8, data);
        }
        w.no_error();
        w.strip();
        w.expect_all(color(i));
    }
    w.UnmapBuffer(c::PIXEL_UNPACK_BUFFER);
    w.BindBuffer(c::PIXEL_UNPACK_BUFFER, 0);
}

fn names_are_used_again_while_maps_live(w: &mut World) {
    if !can_persist(w) {
        // Whatever the cell, the control must find something that waits.
        w.held(|| w.clear([0; 4]));
        return;
    }
    let program = w.fragment_program(
        "layout(std140) uniform Block { vec4 value; }; out vec4 color; void main() { color = value; }",
    );
    w.UseProgram(program);
    w.whole();
    let value = |i: u8| [f32::from(i * 8) / 255.0, 1.0, f32::from(i) / 255.0, 1.0];
    w.held(|| {
        w.Enable(c::SCISSOR_TEST);
        for i in 0..32u8 {
            let map = persistent(w, c::UNIFORM_BUFFER, 65536, c::MAP_WRITE_BIT);
            // SAFETY: inside the map.
            unsafe { map.cast::<[f32; 4]>().write(value(i)) };
            let buffer = w.integer(c::UNIFORM_BUFFER_BINDING) as u32;
            w.BindBufferBase(c::UNIFORM_BUFFER, 0, buffer);
            w.Scissor(i.into(), 0, 1, 32);
            w.strip();
            if i % 3 == 0 {
                assert_eq!(w.UnmapBuffer(c::UNIFORM_BUFFER), 1);
            }
            // With its map, which ends; the name is the next one's.
            w.DeleteBuffers(1, &buffer);
            let mut mapped = null_mut();
            w.GetBufferPointerv(c::UNIFORM_BUFFER, c::BUFFER_MAP_POINTER, &mut mapped);
            assert_eq!(w.GetError(), c::INVALID_OPERATION, "nothing is bound");
        }
        w.Disable(c::SCISSOR_TEST);
    });
    for i in 0..32u8 {
        w.expect_rect(i.into(), 0, 1, 32, [i * 8, 255, i, 255]);
    }
}
