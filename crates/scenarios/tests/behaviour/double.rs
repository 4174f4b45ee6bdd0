//! Doubles in attributes and uniforms (OpenGL 4.1, section 2.7 and OpenGL 4.0, section 2.14.4).

use forerun_pipe::gl as c;
use scenarios::Api::Core;
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "double";
    [Core(41), Core(45)], Needs::DESKTOP =>
        attributes_keep_all_bits_of_a_double,
        current_values_are_doubles_too;
}

/// A third is no float.
const THIRD: f64 = 1.0 / 3.0;

/// A program that captures the double attributes `value` (two components) and `second` (four), at 1 and 2.
fn capturer(w: &World) -> u32 {
    let program = w.program_with(
        &[(
            c::VERTEX_SHADER,
            "layout(location = 1) in dvec2 value; layout(location = 2) in dvec4 second;
             flat out dvec2 first; flat out dvec4 last;
             void main() { first = value * 2.0LF; last = second; gl_Position = vec4(0.0); }",
        )],
        |program| {
            let names = [c"first".as_ptr().cast::<u8>(), c"last".as_ptr().cast()];
            w.TransformFeedbackVaryings(program, 2, names.as_ptr(), c::INTERLEAVED_ATTRIBS);
        },
    );
    w.UseProgram(program);
    program
}

/// Captures so many points.
fn capture<const N: usize>(w: &World, points: i32) -> [f64; N] {
    let buffer = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0.0f64; N]);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    w.Enable(c::RASTERIZER_DISCARD);
    w.BeginTransformFeedback(c::POINTS);
    w.DrawArrays(c::POINTS, 0, points);
    w.EndTransformFeedback();
    let mut out = [0.0f64; N];
    let bytes = size_of_val(&out) as isize;
    w.GetBufferSubData(c::TRANSFORM_FEEDBACK_BUFFER, 0, bytes, out.as_mut_ptr().cast());
    out
}

fn attributes_keep_all_bits_of_a_double(w: &mut World) {
    capturer(w);
    let data: [f64; 6] = [THIRD, -1e300, 7.0, 2.0 * THIRD, 1e-300, 9.0];
    w.buffer(c::ARRAY_BUFFER, &data);
    w.VertexAttribLPointer(1, 2, c::DOUBLE, 24, null());
    w.EnableVertexAttribArray(1);
    w.VertexAttribL4d(2, THIRD, 2.0, 3.0, 4.0);
    let got = capture::<12>(w, 2);
    let rest = [THIRD, 2.0, 3.0, 4.0];
    let (one, two) = ([2.0 * THIRD, -2e300], [4.0 * THIRD, 2e-300]);
    assert_eq!(got, [&one[..], &rest, &two, &rest].concat()[..]);
    // The name came with OpenGL 4.3.
    if w.cell.api == Core(45) {
        let mut long = 0;
        w.GetVertexAttribiv(1, c::VERTEX_ATTRIB_ARRAY_LONG, &mut long);
        assert_eq!(long, 1);
    }
    w.rejects(c::INVALID_ENUM, || w.VertexAttribLPointer(1, 2, c::FLOAT, 0, null()));
    w.rejects(c::INVALID_VALUE, || w.VertexAttribLPointer(1, 5, c::DOUBLE, 0, null()));
    w.rejects(c::INVALID_VALUE, || w.VertexAttribLPointer(1, 2, c::DOUBLE, -1, null()));
    w.rejects(c::INVALID_VALUE, || w.VertexAttribLPointer(99, 2, c::DOUBLE, 0, null()));
}

fn current_values_are_doubles_too(w: &mut World) {
    capturer(w);
    w.VertexAttribL2dv(1, [THIRD, 5.0].as_ptr());
    w.VertexAttribL3d(2, 6.0, -THIRD, 8.0);
    assert_eq!(capture::<6>(w, 1), [2.0 * THIRD, 10.0, 6.0, -THIRD, 8.0, 1.0]);
    let mut value = [0.0; 4];
    w.GetVertexAttribLdv(1, c::CURRENT_VERTEX_ATTRIB, value.as_mut_ptr());
    assert_eq!(value, [THIRD, 5.0, 0.0, 1.0]);
    w.rejects(c::INVALID_VALUE, || w.VertexAttribL1d(99, 0.0));
    w.rejects(c::INVALID_ENUM, || w.GetVertexAttribLdv(1, c::TEXTURE_2D, value.as_mut_ptr()));
}
