//! Drawing: where primitives come from, and that each draw has the state of its moment.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::SIDE;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "draw";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        a_triangle_covers_its_half,
        indices_choose_the_vertices,
        no_draw_sees_a_later_uniform,
        no_draw_sees_later_vertices_or_indices;
    [Es(20), Es(30)], Needs::PIXELS =>
        client_arrays_are_read_at_the_call,
        client_indices_are_read_at_the_call;
    [Es(30), Core(33)], Needs::PIXELS =>
        instances_have_their_number_and_attributes,
        a_restart_index_ends_a_strip,
        points_have_their_size,
        a_rejected_draw_draws_nothing;
    [Es(32), Core(33)], Needs::PIXELS => a_base_vertex_is_added_to_indices;
    [Core(33)], Needs::PIXELS => many_draws_of_one_call_all_draw;
    [Es(31), Es(32)], Needs::PIXELS => indirect_commands_come_from_a_buffer;
}

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const BLACK: [u8; 4] = [0, 0, 0, 0];

/// Uses a painter of that colour.
fn paint(w: &World, color: [f32; 4]) -> i32 {
    let program = w.painter();
    w.UseProgram(program);
    let location = w.uniform(program, c"color");
    w.Uniform4fv(location, 1, color.as_ptr());
    location
}

fn a_triangle_covers_its_half(w: &mut World) {
    w.clear(BLACK);
    paint(w, [0.0, 1.0, 0.0, 1.0]);
    w.vertices(&[-1.0, -1.0, 1.0, -1.0, -1.0, 1.0]);
    w.DrawArrays(c::TRIANGLES, 0, 3);
    for (i, got) in w.pixels(0, 0, SIDE, SIDE).into_iter().enumerate() {
        let sum = i as i32 % SIDE + i as i32 / SIDE;
        // Centres on the hypotenuse belong to either side.
        if sum != SIDE - 1 {
            let inside = sum < SIDE - 1;
            assert_eq!(got, if inside { GREEN } else { BLACK }, "pixel {i}");
        }
    }
}

/// A strip over a column of the drawable, one of eight.
fn column(i: usize) -> [f32; 8] {
    let (left, right) = (-1.0 + i as f32 / 4.0, -0.75 + i as f32 / 4.0);
    [left, -1.0, right, -1.0, left, 1.0, right, 1.0]
}

fn expect_columns(w: &World, colors: &[[u8; 4]; 8]) {
    for (i, color) in colors.iter().enumerate() {
        w.expect_rect(4 * i as i32, 0, 4, SIDE, *color);
    }
}

fn indices_choose_the_vertices(w: &mut World) {
    paint(w, [1.0, 0.0, 0.0, 1.0]);
    let points: Vec<f32> = (0..8).flat_map(column).collect();
    w.vertices(&points);
    w.clear(BLACK);
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[4u8, 5, 6, 7, 8, 9, 10, 11]);
    w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_BYTE, 4 as *const _);
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[16u16, 17, 18, 18, 17, 19]);
    w.DrawElements(c::TRIANGLES, 6, c::UNSIGNED_SHORT, null());
    let mut colors = [BLACK; 8];
    (colors[2], colors[4]) = (RED, RED);
    if w.cell.api != Es(20) {
        w.buffer(c::ELEMENT_ARRAY_BUFFER, &[0u32, 28, 29, 30, 31]);
        w.DrawRangeElements(c::TRIANGLE_STRIP, 28, 31, 4, c::UNSIGNED_INT, 4 as *const _);
        colors[7] = RED;
    }
    expect_columns(w, &colors);
}

fn no_draw_sees_a_later_uniform(w: &mut World) {
    let color = paint(w, [0.0; 4]);
    let points: Vec<f32> = (0..8).flat_map(column).collect();
    w.vertices(&points);
    w.clear(BLACK);
    let mut colors = [BLACK; 8];
    for (i, expected) in colors.iter_mut().enumerate() {
        *expected = [30 * i as u8, 255 - i as u8, 7, 255];
        let value = expected.map(|v| f32::from(v) / 255.0);
        w.Uniform4fv(color, 1, value.as_ptr());
        w.DrawArrays(c::TRIANGLE_STRIP, 4 * i as i32, 4);
    }
    w.Uniform4f(color, 0.5, 0.5, 0.5, 0.5);
    expect_columns(w, &colors);
}

fn no_draw_sees_later_vertices_or_indices(w: &mut World) {
    paint(w, [0.0, 0.0, 1.0, 1.0]);
    w.whole();
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[0u16; 4]);
    w.clear(BLACK);
    let put = |i: usize| {
        let data = column(i);
        w.BufferSubData(c::ARRAY_BUFFER, 0, 32, data.as_ptr().cast());
    };
    for i in [1, 3] {
        put(i);
        w.BufferSubData(c::ELEMENT_ARRAY_BUFFER, 0, 8, [0u16, 1, 2, 3].as_ptr().cast());
        w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_SHORT, null());
        // Nothing is drawn with all indices the same.
        w.BufferSubData(c::ELEMENT_ARRAY_BUFFER, 0, 8, [2u16; 4].as_ptr().cast());
        put(6);
        w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_SHORT, null());
    }
    // A respecified store leaves what was drawn alone, and is what is drawn from now on.
    put(5);
    w.strip();
    let last = column(7);
    w.BufferData(c::ARRAY_BUFFER, 32, last.as_ptr().cast(), c::DYNAMIC_DRAW);
    w.strip();
    expect_columns(w, &[BLACK, BLUE, BLACK, BLUE, BLACK, BLUE, BLACK, BLUE]);
}

fn client_arrays_are_read_at_the_call(w: &mut World) {
    let color = paint(w, [1.0, 0.0, 0.0, 1.0]);
    w.clear(BLACK);
    w.BindBuffer(c::ARRAY_BUFFER, 0);
    w.EnableVertexAttribArray(0);
    // Vertices of two floats with a third between them.
    let mut data: Vec<f32> = column(2).chunks(2).flat_map(|p| [p[0], p[1], 9.0]).collect();
    w.VertexAttribPointer(0, 2, c::FLOAT, 0, 12, data.as_ptr().cast());
    w.strip();
    for (to, from) in data.chunks_mut(3).zip(column(4).chunks(2)) {
        to[..2].copy_from_slice(from);
    }
    w.Uniform4f(color, 0.0, 1.0, 0.0, 1.0);
    w.strip();
    data.fill(0.25);
    drop(data);
    // Shorts, of which only those from the fourth vertex on are there.
    let bytes: [i8; 8] = [0x40, -127, 127, -127, 0x40, 127, 127, 127];
    let base = bytes.as_ptr().wrapping_sub(8);
    w.VertexAttribPointer(0, 2, c::BYTE, 1, 0, base.cast());
    w.Uniform4f(color, 0.0, 0.0, 1.0, 1.0);
    w.DrawArrays(c::TRIANGLE_STRIP, 4, 4);
    w.expect_rect(0, 0, 8, SIDE, BLACK);
    w.expect_rect(8, 0, 4, SIDE, RED);
    w.expect_rect(12, 0, 4, SIDE, BLACK);
    w.expect_rect(16, 0, 4, SIDE, GREEN);
    w.expect_rect(20, 0, 4, SIDE, BLACK);
    w.expect_rect(25, 0, 7, SIDE, BLUE);
}

fn client_indices_are_read_at_the_call(w: &mut World) {
    paint(w, [1.0, 0.0, 0.0, 1.0]);
    w.clear(BLACK);
    let points: Vec<f32> = (0..8).flat_map(column).collect();
    w.vertices(&points);
    let mut indices = vec![4u16, 5, 6, 7];
    w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_SHORT, indices.as_ptr().cast());
    indices.copy_from_slice(&[24, 25, 26, 27]);
    w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_SHORT, indices.as_ptr().cast());
    indices.fill(0xFFFF);
    drop(indices);
    // Both from memory: the indices say how much of the array is read.
    w.BindBuffer(c::ARRAY_BUFFER, 0);
    let end = points[..16].to_vec();
    w.VertexAttribPointer(0, 2, c::FLOAT, 0, 0, end.as_ptr().cast());
    w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_BYTE, [0u8, 1, 2, 3].as_ptr().cast());
    drop(end);
    expect_columns(w, &[RED, RED, BLACK, BLACK, BLACK, BLACK, RED, BLACK]);
}

fn instances_have_their_number_and_attributes(w: &mut World) {
    let program = w.program(
        "layout(location = 0) in vec2 position; layout(location = 1) in float second; flat out int number;
         void main() { number = gl_InstanceID; gl_Position = vec4(position.x + second, position.y, 0.0, 1.0); }",
        "flat in int number; out vec4 color; void main() { color = vec4(float(number) / 255.0, 0.0, 1.0, 1.0); }",
    );
    w.UseProgram(program);
    w.vertices(&column(0));
    let offsets: Vec<f32> = (0..8).map(|i| i as f32 / 4.0).collect();
    w.buffer(c::ARRAY_BUFFER, &offsets);
    w.VertexAttribPointer(1, 1, c::FLOAT, 0, 0, null());
    w.EnableVertexAttribArray(1);
    w.VertexAttribDivisor(1, 1);
    w.clear(BLACK);
    w.DrawArraysInstanced(c::TRIANGLE_STRIP, 0, 4, 5);
    let mut colors = [BLACK; 8];
    for (i, color) in colors.iter_mut().take(5).enumerate() {
        *color = [i as u8, 0, 255, 255];
    }
    expect_columns(w, &colors);
    // With a divisor of two, pairs of instances share an offset: the later of each pair shows.
    w.VertexAttribDivisor(1, 2);
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[0u16, 1, 2, 3]);
    w.clear(BLACK);
    w.DrawElementsInstanced(c::TRIANGLE_STRIP, 4, c::UNSIGNED_SHORT, null(), 4);
    let [one, three] = [1, 3].map(|i| [i, 0, 255, 255]);
    expect_columns(w, &[one, three, BLACK, BLACK, BLACK, BLACK, BLACK, BLACK]);
}

fn a_restart_index_ends_a_strip(w: &mut World) {
    paint(w, [0.0, 1.0, 0.0, 1.0]);
    let points: Vec<f32> = (0..8).flat_map(column).collect();
    w.vertices(&points);
    let restart = if w.is_es() { 0xFFFF } else { 77 };
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[0u16, 1, 2, 3, restart, 24, 25, 26, 27]);
    if w.is_es() {
        w.Enable(c::PRIMITIVE_RESTART_FIXED_INDEX);
    } else {
        w.Enable(c::PRIMITIVE_RESTART);
        w.PrimitiveRestartIndex(77);
    }
    w.clear(BLACK);
    w.DrawElements(c::TRIANGLE_STRIP, 9, c::UNSIGNED_SHORT, null());
    expect_columns(w, &[GREEN, BLACK, BLACK, BLACK, BLACK, BLACK, GREEN, BLACK]);
}

fn points_have_their_size(w: &mut World) {
    let program = w.program(
        "layout(location = 0) in vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); gl_PointSize = 8.0; }",
        "out vec4 color; void main() { color = vec4(gl_PointCoord.y < 0.5 ? 1.0 : 0.0, 1.0, 0.0, 1.0); }",
    );
    w.UseProgram(program);
    if !w.is_es() {
        w.Enable(c::PROGRAM_POINT_SIZE);
    }
    w.vertices(&[0.0, 0.0]);
    w.clear(BLACK);
    w.DrawArrays(c::POINTS, 0, 1);
    // The point's coordinate runs from its upper left.
    w.expect_rect(12, 16, 8, 4, [255, 255, 0, 255]);
    w.expect_rect(12, 12, 8, 4, GREEN);
    w.expect_rect(0, 0, 12, SIDE, BLACK);
    w.expect_rect(20, 0, 12, SIDE, BLACK);
    w.expect_rect(0, 0, SIDE, 12, BLACK);
    w.expect_rect(0, 20, SIDE, 12, BLACK);
}

fn a_rejected_draw_draws_nothing(w: &mut World) {
    paint(w, [1.0; 4]);
    w.whole();
    w.clear(GREEN);
    w.rejects(c::INVALID_ENUM, || w.DrawArrays(0x7777, 0, 4));
    w.rejects(c::INVALID_VALUE, || w.DrawArrays(c::TRIANGLE_STRIP, 0, -1));
    w.rejects(c::INVALID_VALUE, || w.DrawArraysInstanced(c::TRIANGLE_STRIP, 0, 4, -1));
    w.rejects(c::INVALID_ENUM, || w.DrawElements(c::TRIANGLES, 3, c::FLOAT, null()));
    w.rejects(c::INVALID_FRAMEBUFFER_OPERATION, || {
        let mut framebuffer = 0;
        w.GenFramebuffers(1, &mut framebuffer);
        w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
        w.strip();
        w.BindFramebuffer(c::FRAMEBUFFER, 0);
    });
    w.expect_all(GREEN);
}

fn a_base_vertex_is_added_to_indices(w: &mut World) {
    paint(w, [0.0, 1.0, 0.0, 1.0]);
    let points: Vec<f32> = (0..8).flat_map(column).collect();
    w.vertices(&points);
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[0u16, 1, 2, 3]);
    w.clear(BLACK);
    for column in [1, 6] {
        w.DrawElementsBaseVertex(c::TRIANGLE_STRIP, 4, c::UNSIGNED_SHORT, null(), 4 * column);
    }
    expect_columns(w, &[BLACK, GREEN, BLACK, BLACK, BLACK, BLACK, GREEN, BLACK]);
}

fn many_draws_of_one_call_all_draw(w: &mut World) {
    paint(w, [0.0, 0.0, 1.0, 1.0]);
    let points: Vec<f32> = (0..8).flat_map(column).collect();
    w.vertices(&points);
    w.clear(BLACK);
    w.MultiDrawArrays(c::TRIANGLE_STRIP, [0, 12].as_ptr(), [4, 4].as_ptr(), 2);
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[20u16, 21, 22, 23, 28, 29, 30, 31]);
    let offsets: [*const std::ffi::c_void; 2] = [null(), 8 as *const _];
    w.MultiDrawElements(c::TRIANGLE_STRIP, [4, 4].as_ptr(), c::UNSIGNED_SHORT, offsets.as_ptr(), 2);
    expect_columns(w, &[BLUE, BLACK, BLACK, BLUE, BLACK, BLUE, BLACK, BLUE]);
}

fn indirect_commands_come_from_a_buffer(w: &mut World) {
    let mut array = 0;
    w.GenVertexArrays(1, &mut array);
    w.BindVertexArray(array);
    paint(w, [1.0, 0.0, 0.0, 1.0]);
    let points: Vec<f32> = (0..8).flat_map(column).collect();
    w.vertices(&points);
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[0u16, 1, 2, 3]);
    // count, instances, first, 0; then count, instances, first index, base vertex, 0.
    w.buffer(c::DRAW_INDIRECT_BUFFER, &[4u32, 1, 8, 0, 4, 1, 0, 20, 0]);
    w.clear(BLACK);
    w.DrawArraysIndirect(c::TRIANGLE_STRIP, null());
    w.DrawElementsIndirect(c::TRIANGLE_STRIP, c::UNSIGNED_SHORT, 16 as *const _);
    w.BufferSubData(c::DRAW_INDIRECT_BUFFER, 8, 4, [28u32].as_ptr().cast());
    w.DrawArraysIndirect(c::TRIANGLE_STRIP, null());
    expect_columns(w, &[BLACK, BLACK, RED, BLACK, BLACK, RED, BLACK, RED]);
    w.rejects(c::INVALID_VALUE, || w.DrawArraysIndirect(c::TRIANGLE_STRIP, 2 as *const _));
    w.BindBuffer(c::DRAW_INDIRECT_BUFFER, 0);
    w.rejects(c::INVALID_OPERATION, || w.DrawArraysIndirect(c::TRIANGLE_STRIP, null()));
}
