//! Transform feedback.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "feedback";
    [Es(30), Es(32), Core(33)], Needs::PIXELS =>
        outputs_are_captured_to_buffers,
        what_was_captured_is_drawn_from,
        counts_of_primitives_are_told;
    [Es(30), Es(32)], Needs::PIXELS => a_pause_leaves_a_gap;
    [Core(33)], Needs::PIXELS =>
        structures_are_captured_by_their_members,
        a_buffer_is_bound_from_an_offset_on;
}

fn doubler(w: &World, mode: u32) -> u32 {
    let program = w.program_with(
        &[
            (
                c::VERTEX_SHADER,
                "layout(location = 0) in vec2 position; out vec2 twice; flat out int number;
                 void main() { twice = position * 2.0; number = gl_VertexID; gl_Position = vec4(position, 0.0, 1.0); }",
            ),
            (c::FRAGMENT_SHADER, "in vec2 twice; flat in int number; out vec4 color; void main() { color = vec4(twice, number, 1.0); }"),
        ],
        |program| {
            let names = [c"twice".as_ptr().cast::<u8>(), c"number".as_ptr().cast()];
            w.TransformFeedbackVaryings(program, 2, names.as_ptr(), mode);
        },
    );
    w.UseProgram(program);
    w.vertices(&[0.25, -0.5, 1.0, 2.0, -3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
    program
}

fn outputs_are_captured_to_buffers(w: &mut World) {
    doubler(w, c::INTERLEAVED_ATTRIBS);
    let buffer = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0u32; 12]);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    w.Enable(c::RASTERIZER_DISCARD);
    w.BeginTransformFeedback(c::POINTS);
    w.DrawArrays(c::POINTS, 1, 3);
    w.EndTransformFeedback();
    let f = |value: f32| value.to_bits();
    let expected = [f(2.0), f(4.0), 1, f(-6.0), f(8.0), 2, f(10.0), f(12.0), 3, 0, 0, 0];
    assert_eq!(w.words::<12>(buffer), expected);
    // Apart, into two buffers, of which one begins later.
    doubler(w, c::SEPARATE_ATTRIBS);
    let twice = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0u32; 6]);
    let number = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[77u32; 4]);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, twice);
    w.BindBufferRange(c::TRANSFORM_FEEDBACK_BUFFER, 1, number, 4, 12);
    w.BeginTransformFeedback(c::TRIANGLES);
    w.rejects(c::INVALID_OPERATION, || w.DrawArrays(c::POINTS, 0, 3));
    w.DrawArrays(c::TRIANGLES, 0, 3);
    w.EndTransformFeedback();
    assert_eq!(w.words::<6>(twice), [0.5, -1.0, 2.0, 4.0, -6.0, 8.0].map(f));
    assert_eq!(w.words::<4>(number), [77, 0, 1, 2]);
    w.rejects(c::INVALID_OPERATION, || w.EndTransformFeedback());
    w.rejects(c::INVALID_ENUM, || w.BeginTransformFeedback(c::TRIANGLE_STRIP));
}

fn what_was_captured_is_drawn_from(w: &mut World) {
    let program = w.program_with(
        &[
            (c::VERTEX_SHADER, "layout(location = 0) in vec2 position; out vec2 half_; void main() { half_ = position * 0.5; gl_Position = vec4(0.0); }"),
            (c::FRAGMENT_SHADER, "out vec4 color; void main() { color = vec4(1.0); }"),
        ],
        |program| {
            let name = c"half_".as_ptr().cast::<u8>();
            w.TransformFeedbackVaryings(program, 1, &name, c::INTERLEAVED_ATTRIBS);
        },
    );
    let paint = w.painter();
    w.UseProgram(program);
    w.whole();
    let buffer = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0u32; 8]);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    w.Enable(c::RASTERIZER_DISCARD);
    w.BeginTransformFeedback(c::POINTS);
    w.DrawArrays(c::POINTS, 0, 4);
    w.EndTransformFeedback();
    w.Disable(c::RASTERIZER_DISCARD);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    w.UseProgram(paint);
    w.Uniform4f(w.uniform(paint, c"color"), 0.0, 1.0, 0.0, 1.0);
    w.BindBuffer(c::ARRAY_BUFFER, buffer);
    w.VertexAttribPointer(0, 2, c::FLOAT, 0, 0, null());
    w.clear([0; 4]);
    w.strip();
    w.expect_rect(8, 8, 16, 16, [0, 255, 0, 255]);
    w.expect_rect(0, 0, 8, 32, [0; 4]);
    w.expect_rect(0, 24, 32, 8, [0; 4]);
}

fn counts_of_primitives_are_told(w: &mut World) {
    doubler(w, c::INTERLEAVED_ATTRIBS);
    let buffer = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0u32; 36]);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    let mut query = 0;
    w.GenQueries(1, &mut query);
    for count in [1, 2] {
        w.BeginQuery(c::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
        w.BeginTransformFeedback(c::TRIANGLES);
        w.DrawArrays(c::TRIANGLES, 0, 3 * count);
        w.EndTransformFeedback();
        w.EndQuery(c::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        let mut result = 99;
        w.GetQueryObjectuiv(query, c::QUERY_RESULT, &mut result);
        assert_eq!(result, count as u32);
    }
}

fn a_pause_leaves_a_gap(w: &mut World) {
    doubler(w, c::INTERLEAVED_ATTRIBS);
    let buffer = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0u32; 9]);
    let mut feedback = 0;
    w.GenTransformFeedbacks(1, &mut feedback);
    w.BindTransformFeedback(c::TRANSFORM_FEEDBACK, feedback);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    w.BeginTransformFeedback(c::POINTS);
    w.DrawArrays(c::POINTS, 0, 1);
    w.PauseTransformFeedback();
    w.BindTransformFeedback(c::TRANSFORM_FEEDBACK, 0);
    w.DrawArrays(c::POINTS, 1, 2);
    w.BindTransformFeedback(c::TRANSFORM_FEEDBACK, feedback);
    w.rejects(c::INVALID_OPERATION, || w.PauseTransformFeedback());
    w.ResumeTransformFeedback();
    w.DrawArrays(c::POINTS, 3, 1);
    w.EndTransformFeedback();
    let f = |value: f32| value.to_bits();
    assert_eq!(w.words::<9>(buffer), [f(0.5), f(-1.0), 0, f(10.0), f(12.0), 3, 0, 0, 0]);
}

/// Arrays of structures and structures of arrays, which ESSL lets no stage hand on, reach the next stage and the buffer.
fn structures_are_captured_by_their_members(w: &mut World) {
    let both = "struct Inner { vec2 a; ivec2 b; }; struct Outer { float list[2]; Inner inner; };";
    let program = w.program_with(
        &[
            (
                c::VERTEX_SHADER,
                &format!(
                    "{both} layout(location = 0) in vec2 position; flat out Inner many[2]; flat out Outer one;
                     void main() {{
                         for (int i = 0; i < 2; i++) {{ many[i].a = vec2(i, 2.5); many[i].b = ivec2(i + 7); }}
                         one.list[0] = 0.2; one.list[1] = 1.0; one.inner = many[1];
                         gl_Position = vec4(position, 0.0, 1.0);
                     }}"
                ),
            ),
            (
                c::FRAGMENT_SHADER,
                &format!(
                    "{both} flat in Inner many[2]; flat in Outer one; out vec4 color;
                     void main() {{
                         bool good = many[0].b == ivec2(7) && many[1].a == vec2(1.0, 2.5) && one.inner == many[1];
                         color = vec4(one.list[0], good ? one.list[1] : 0.0, 0.0, 1.0);
                     }}"
                ),
            ),
        ],
        |program| {
            let names = [c"many[1].b".as_ptr().cast::<u8>(), c"one.list".as_ptr().cast(), c"one.inner.a".as_ptr().cast()];
            w.TransformFeedbackVaryings(program, 3, names.as_ptr(), c::INTERLEAVED_ATTRIBS);
        },
    );
    w.UseProgram(program);
    w.whole();
    let buffer = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0u32; 7]);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    w.BeginTransformFeedback(c::POINTS);
    w.DrawArrays(c::POINTS, 0, 1);
    w.EndTransformFeedback();
    let f = |value: f32| value.to_bits();
    let expected = [8, 8, f(0.2), f(1.0), f(1.0), f(2.5), 0];
    assert_eq!(w.words::<7>(buffer), expected);
    w.strip();
    w.expect_all([51, 255, 0, 255]);
}

/// EXT_transform_feedback: the range ends where the buffer does.
fn a_buffer_is_bound_from_an_offset_on(w: &mut World) {
    doubler(w, c::INTERLEAVED_ATTRIBS);
    let target = c::TRANSFORM_FEEDBACK_BUFFER;
    let buffer = w.buffer(target, &[7u32; 11]);
    w.BindBufferOffsetEXT(target, 0, buffer, 8);
    w.Enable(c::RASTERIZER_DISCARD);
    w.BeginTransformFeedback(c::POINTS);
    w.DrawArrays(c::POINTS, 1, 6);
    w.EndTransformFeedback();
    let f = |value: f32| value.to_bits();
    // Three of the six points have room: 36 of 44 bytes.
    let expected = [7, 7, f(2.0), f(4.0), 1, f(-6.0), f(8.0), 2, f(10.0), f(12.0), 3];
    assert_eq!(w.words::<11>(buffer), expected);
    w.rejects(c::INVALID_VALUE, || w.BindBufferOffsetEXT(target, 0, buffer, 44));
    w.rejects(c::INVALID_VALUE, || w.BindBufferOffsetEXT(target, 0, buffer, -4));
    w.rejects(c::INVALID_ENUM, || w.BindBufferOffsetEXT(c::UNIFORM_BUFFER, 0, buffer, 0));
}
