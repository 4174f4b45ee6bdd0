//! Vertex arrays and attributes.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "vertex";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        a_disabled_attribute_has_its_current_value,
        attributes_are_converted_as_their_type_says,
        a_stride_skips_what_lies_between;
    [Es(30), Core(33)], Needs::PIXELS =>
        a_vertex_array_keeps_its_attributes,
        integers_reach_the_shader_as_integers,
        a_buffer_that_a_vertex_array_holds_outlives_its_name;
    [Es(31), Es(32)], Needs::PIXELS =>
        formats_and_buffers_are_bound_apart,
        fixed_point_values_stand_anywhere_in_a_vertex;
}

/// A program that paints attribute 1.
fn painter(w: &World) -> u32 {
    let program = if w.cell.api == Es(20) {
        w.program(
            "attribute vec2 position; attribute vec4 second; varying vec4 v;
             void main() { v = second; gl_Position = vec4(position, 0.0, 1.0); }",
            "varying vec4 v; void main() { gl_FragColor = v; }",
        )
    } else {
        w.program(
            "layout(location = 0) in vec2 position; layout(location = 1) in vec4 second; out vec4 v;
             void main() { v = second; gl_Position = vec4(position, 0.0, 1.0); }",
            "in vec4 v; out vec4 color; void main() { color = v; }",
        )
    };
    w.UseProgram(program);
    program
}

fn a_disabled_attribute_has_its_current_value(w: &mut World) {
    painter(w);
    w.whole();
    w.strip();
    w.expect_all([0, 0, 0, 255]);
    w.VertexAttrib4f(1, 1.0, 0.0, 0.2, 0.6);
    w.strip();
    w.expect_all([255, 0, 51, 153]);
    // Missing components are 0, 0, 1.
    w.VertexAttrib2f(1, 0.0, 1.0);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    // It survives an array that comes and goes.
    w.buffer(c::ARRAY_BUFFER, &[1.0f32; 16]);
    w.VertexAttribPointer(1, 4, c::FLOAT, 0, 0, null());
    w.EnableVertexAttribArray(1);
    w.strip();
    w.expect_all([255; 4]);
    w.DisableVertexAttribArray(1);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    let mut value = [0.0f32; 4];
    w.GetVertexAttribfv(1, c::CURRENT_VERTEX_ATTRIB, value.as_mut_ptr());
    assert_eq!(value, [0.0, 1.0, 0.0, 1.0]);
}

/// Four vertices with the same bytes as attribute 1.
fn try_format<T: Copy>(
    w: &World,
    size: i32,
    ty: u32,
    normalized: bool,
    data: &[T],
    color: [u8; 4],
) {
    let stride = size_of_val(data).next_multiple_of(4);
    let mut bytes = vec![0u8; 4 * stride];
    for vertex in bytes.chunks_mut(stride) {
        // SAFETY: plain numbers, and no more bytes than the vertex has.
        let from =
            unsafe { std::slice::from_raw_parts(data.as_ptr().cast::<u8>(), size_of_val(data)) };
        vertex[..from.len()].copy_from_slice(from);
    }
    w.buffer(c::ARRAY_BUFFER, &bytes);
    w.VertexAttribPointer(1, size, ty, normalized.into(), stride as i32, null());
    w.EnableVertexAttribArray(1);
    w.clear([7; 4]);
    w.strip();
    w.expect_near(16, 16, color);
}

fn attributes_are_converted_as_their_type_says(w: &mut World) {
    painter(w);
    w.whole();
    try_format(w, 4, c::UNSIGNED_BYTE, true, &[255u8, 128, 64, 32], [255, 128, 64, 32]);
    try_format(w, 3, c::UNSIGNED_BYTE, false, &[1u8, 0, 1], [255, 0, 255, 255]);
    try_format(w, 4, c::BYTE, true, &[127i8, -127, 0, 127], [255, 0, 0, 255]);
    try_format(w, 2, c::UNSIGNED_SHORT, true, &[65535u16, 13107], [255, 51, 0, 255]);
    try_format(w, 4, c::SHORT, false, &[1i16, -5, 0, 1], [255, 0, 0, 255]);
    try_format(w, 1, c::FLOAT, false, &[0.2f32], [51, 0, 0, 255]);
    if w.is_es() {
        try_format(w, 3, c::FIXED, false, &[0x10000i32, 0x3333, 0], [255, 51, 0, 255]);
    }
    if w.cell.api != Es(20) {
        // 1.0 and 0.5 as halves.
        try_format(w, 2, c::HALF_FLOAT, false, &[0x3C00u16, 0x3800], [255, 128, 0, 255]);
        let packed = 1023u32 | 341 << 20 | 3 << 30;
        try_format(w, 4, c::UNSIGNED_INT_2_10_10_10_REV, true, &[packed], [255, 0, 85, 255]);
        try_format(w, 3, c::UNSIGNED_INT, false, &[0u32, 1, 0], [0, 255, 0, 255]);
    }
}

fn a_stride_skips_what_lies_between(w: &mut World) {
    painter(w);
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Vertex {
        noise: [u8; 4],
        color: [u8; 4],
        position: [f32; 2],
        more: u32,
    }
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let vertices = corners.map(|position| Vertex {
        noise: [9; 4],
        color: [0, 51, 102, 255],
        position,
        more: u32::MAX,
    });
    w.buffer(c::ARRAY_BUFFER, &vertices);
    let stride = size_of::<Vertex>() as i32;
    w.VertexAttribPointer(0, 2, c::FLOAT, 0, stride, 8 as *const _);
    w.VertexAttribPointer(1, 4, c::UNSIGNED_BYTE, 1, stride, 4 as *const _);
    w.EnableVertexAttribArray(0);
    w.EnableVertexAttribArray(1);
    w.clear([1; 4]);
    w.strip();
    w.expect_all([0, 51, 102, 255]);
}

fn a_vertex_array_keeps_its_attributes(w: &mut World) {
    painter(w);
    let mut arrays = [0; 2];
    w.GenVertexArrays(2, arrays.as_mut_ptr());
    for (array, value) in arrays.iter().zip([[1.0f32, 0.0], [0.0, 1.0]]) {
        w.BindVertexArray(*array);
        w.whole();
        w.buffer(c::ARRAY_BUFFER, &[value; 4]);
        w.VertexAttribPointer(1, 2, c::FLOAT, 0, 0, null());
        w.EnableVertexAttribArray(1);
        w.buffer(c::ELEMENT_ARRAY_BUFFER, &[0u8, 1, 2, 3]);
    }
    let draw = || w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_BYTE, null());
    for _ in 0..3 {
        w.BindVertexArray(arrays[0]);
        draw();
        w.expect_all([255, 0, 0, 255]);
        w.BindVertexArray(arrays[1]);
        draw();
        w.expect_all([0, 255, 0, 255]);
    }
    w.DeleteVertexArrays(1, &arrays[1]);
    assert_eq!(w.integer(c::VERTEX_ARRAY_BINDING), 0);
    w.rejects(c::INVALID_OPERATION, || w.BindVertexArray(arrays[1]));
    w.BindVertexArray(arrays[0]);
    draw();
    w.expect_all([255, 0, 0, 255]);
}

fn integers_reach_the_shader_as_integers(w: &mut World) {
    let program = w.program(
        "layout(location = 0) in vec2 position; layout(location = 1) in ivec4 second; flat out ivec4 v;
         void main() { v = second; gl_Position = vec4(position, 0.0, 1.0); }",
        "flat in ivec4 v; out vec4 color;
         void main() { color = v == ivec4(-7, 2000000000, 0, 1) ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0); }",
    );
    w.UseProgram(program);
    w.whole();
    w.VertexAttribI4i(1, -7, 2_000_000_000, 0, 1);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    w.buffer(c::ARRAY_BUFFER, &[[-7i32, 2_000_000_000]; 4]);
    w.VertexAttribIPointer(1, 2, c::INT, 0, null());
    w.EnableVertexAttribArray(1);
    w.clear([0; 4]);
    w.strip();
    w.expect_all([0, 255, 0, 255]);
    w.buffer(c::ARRAY_BUFFER, &[[-7i8, 3]; 8]);
    w.VertexAttribIPointer(1, 1, c::BYTE, 2, null());
    w.strip();
    w.expect_all([255, 0, 0, 255]);
}

fn a_buffer_that_a_vertex_array_holds_outlives_its_name(w: &mut World) {
    painter(w);
    w.VertexAttrib4f(1, 0.0, 0.0, 1.0, 1.0);
    let mut arrays = [0; 2];
    w.GenVertexArrays(2, arrays.as_mut_ptr());
    w.BindVertexArray(arrays[0]);
    let buffer = w.whole();
    w.BindVertexArray(arrays[1]);
    w.DeleteBuffers(1, &buffer);
    assert_eq!(w.IsBuffer(buffer), 0);
    // Others take the name's and the handle's place.
    for _ in 0..4 {
        w.vertices(&[0.0; 8]);
    }
    w.clear([0; 4]);
    w.BindVertexArray(arrays[0]);
    w.strip();
    w.expect_all([0, 0, 255, 255]);
    let mut bound = 0;
    w.GetVertexAttribiv(0, c::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &mut bound);
    assert_eq!(bound as u32, buffer);
}

fn formats_and_buffers_are_bound_apart(w: &mut World) {
    painter(w);
    let mut array = 0;
    w.GenVertexArrays(1, &mut array);
    w.BindVertexArray(array);
    let corners = w.buffer(c::ARRAY_BUFFER, &scenarios::world::WHOLE);
    let red = w.buffer(c::ARRAY_BUFFER, &[[0u8, 0, 0, 0], [255, 0, 0, 255]]);
    let blue = w.buffer(c::ARRAY_BUFFER, &[[0u8, 0, 255, 255]]);
    w.VertexAttribFormat(0, 2, c::FLOAT, 0, 0);
    w.VertexAttribFormat(1, 4, c::UNSIGNED_BYTE, 1, 0);
    w.VertexAttribBinding(0, 3);
    w.VertexAttribBinding(1, 5);
    w.VertexBindingDivisor(5, 1);
    w.EnableVertexAttribArray(0);
    w.EnableVertexAttribArray(1);
    w.BindVertexBuffer(3, corners, 0, 8);
    w.BindVertexBuffer(5, red, 4, 4);
    w.strip();
    w.expect_all([255, 0, 0, 255]);
    w.BindVertexBuffer(5, blue, 0, 4);
    w.strip();
    w.expect_all([0, 0, 255, 255]);
    w.rejects(c::INVALID_VALUE, || w.BindVertexBuffer(99, blue, 0, 4));
    w.rejects(c::INVALID_VALUE, || w.BindVertexBuffer(1, blue, -4, 4));
}

/// Two attributes of one buffer, of which the second begins later.
fn fixed_point_values_stand_anywhere_in_a_vertex(w: &mut World) {
    painter(w);
    let mut array = 0;
    w.GenVertexArrays(1, &mut array);
    w.BindVertexArray(array);
    let one = 0x10000i32;
    let vertices: Vec<i32> = [[-one, -one], [one, -one], [-one, one], [one, one]]
        .iter()
        .flat_map(|[x, y]| [*x, *y, 0, one, 0x3333])
        .collect();
    let buffer = w.buffer(c::ARRAY_BUFFER, &vertices);
    w.BindVertexBuffer(3, buffer, 0, 20);
    for (attribute, size, offset) in [(0, 2, 0), (1, 3, 8)] {
        w.VertexAttribFormat(attribute, size, c::FIXED, 0, offset);
        w.VertexAttribBinding(attribute, 3);
        w.EnableVertexAttribArray(attribute);
    }
    w.clear([7; 4]);
    w.strip();
    w.expect_all([0, 255, 51, 255]);
    // Another buffer at the same binding.
    let green: Vec<i32> = vertices.iter().map(|v| if *v == 0x3333 { one } else { *v }).collect();
    let other = w.buffer(c::ARRAY_BUFFER, &green);
    w.BindVertexBuffer(3, other, 0, 20);
    w.strip();
    w.expect_all([0, 255, 255, 255]);
}
