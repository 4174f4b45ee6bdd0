//! The client runs ahead, and what its program changes meanwhile is seen by no earlier draw: contents, objects, programs, bindings. In
//! each the server is held at a boundary while the client goes on; in lockstep the same fails exactly at "the client went on".

use super::texture::sampler;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::SIDE;
use scenarios::{World, scenarios};
use std::ptr::null;
use std::time::{Duration, Instant};

scenarios! { "ahead";
    [Es(30), Core(33)], Needs::GATED =>
        a_buffer_in_use_is_rewritten_and_defined_anew,
        indices_in_use_are_rewritten,
        a_texture_in_use_is_rewritten_and_defined_anew,
        a_texture_is_uploaded_drawn_and_uploaded_again,
        slots_of_the_dead_are_used_again,
        programs_change_and_are_linked_anew,
        uniforms_change,
        blocks_change_their_points_and_points_their_buffers,
        ranges_move_over_content_that_stays,
        a_fence_and_a_query_stand_in_the_backlog,
        one_frame_is_presented_ahead,
        three_frames_are_presented_ahead;
}

const GREEN: [u8; 4] = [0, 255, 0, 255];

/// What is drawn next goes to one of eight columns.
pub fn column(w: &World, i: i32) {
    w.Enable(c::SCISSOR_TEST);
    w.Scissor(4 * i, 0, 4, SIDE);
}

/// The columns must have those colours.
#[track_caller]
pub fn expect_columns(w: &World, colors: &[[u8; 4]]) {
    w.Disable(c::SCISSOR_TEST);
    for (i, color) in (0..).zip(colors) {
        w.expect_rect(4 * i, 0, 4, SIDE, *color);
    }
}

/// A strip over one of eight columns.
fn bar(i: i32) -> [f32; 8] {
    let (left, right) = (i as f32 / 4.0 - 1.0, (i + 1) as f32 / 4.0 - 1.0);
    [left, -1.0, right, -1.0, left, 1.0, right, 1.0]
}

fn a_buffer_in_use_is_rewritten_and_defined_anew(w: &mut World) {
    let program = w.painter();
    w.UseProgram(program);
    let color = w.uniform(program, c"color");
    w.vertices(&bar(0));
    w.clear([0, 0, 0, 255]);
    let paint = |i: i32| {
        w.Uniform4f(color, i as f32 * 10.0 / 255.0, 1.0, 0.0, 1.0);
        w.strip();
    };
    w.held(|| {
        paint(0);
        for i in 1..4 {
            w.BufferSubData(c::ARRAY_BUFFER, 0, 32, bar(i).as_ptr().cast());
            paint(i);
        }
        for i in 4..6 {
            let mut larger = vec![9.0f32; 4096 * i as usize];
            larger[..8].copy_from_slice(&bar(i));
            let size = size_of_val(&larger[..]) as isize;
            w.BufferData(c::ARRAY_BUFFER, size, larger.as_ptr().cast(), c::STREAM_DRAW);
            paint(i);
        }
        for i in 6..8 {
            let access = c::MAP_WRITE_BIT | c::MAP_INVALIDATE_BUFFER_BIT;
            let map = w.MapBufferRange(c::ARRAY_BUFFER, 0, 32, access);
            assert!(!map.is_null());
            // SAFETY: 32 bytes are mapped.
            unsafe { map.cast::<[f32; 8]>().write_unaligned(bar(i)) };
            w.UnmapBuffer(c::ARRAY_BUFFER);
            paint(i);
        }
    });
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| [i as u8 * 10, 255, 0, 255]));
}

fn indices_in_use_are_rewritten(w: &mut World) {
    let program = w.painter();
    w.UseProgram(program);
    let color = w.uniform(program, c"color");
    let bars: Vec<f32> = (0..4).flat_map(bar).collect();
    w.vertices(&bars);
    w.buffer(c::ELEMENT_ARRAY_BUFFER, &[0u16, 1, 2, 3]);
    w.clear([0, 0, 0, 255]);
    w.held(|| {
        for i in 0..4u16 {
            let indices = [0, 1, 2, 3].map(|k| 4 * i + k);
            if i % 2 == 0 {
                w.BufferSubData(c::ELEMENT_ARRAY_BUFFER, 0, 8, indices.as_ptr().cast());
            } else {
                w.BufferData(c::ELEMENT_ARRAY_BUFFER, 8, indices.as_ptr().cast(), c::STREAM_DRAW);
            }
            w.Uniform4f(color, f32::from(i) * 20.0 / 255.0, 0.0, 1.0, 1.0);
            w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_SHORT, null());
        }
    });
    expect_columns(w, &std::array::from_fn::<_, 4, _>(|i| [i as u8 * 20, 0, 255, 255]));
}

fn image(w: &World, side: i32, texel: [u8; 4]) {
    let texels = vec![texel; (side * side) as usize];
    let (target, format) = (c::TEXTURE_2D, c::RGBA as i32);
    let data = texels.as_ptr().cast();
    w.TexImage2D(target, 0, format, side, side, 0, c::RGBA, c::UNSIGNED_BYTE, data);
}

fn part(w: &World, side: i32, texel: [u8; 4]) {
    let texels = vec![texel; (side * side) as usize];
    let data = texels.as_ptr().cast();
    w.TexSubImage2D(c::TEXTURE_2D, 0, 0, 0, side, side, c::RGBA, c::UNSIGNED_BYTE, data);
}

fn texel(i: u8) -> [u8; 4] {
    [i * 30, 255 - i, i, 255]
}

fn a_texture_in_use_is_rewritten_and_defined_anew(w: &mut World) {
    sampler(w);
    w.texture(8, 8, &[texel(0); 64]);
    w.strip();
    w.held(|| {
        column(w, 0);
        w.strip();
        for i in 1..4u8 {
            part(w, 8, texel(i));
            column(w, i.into());
            w.strip();
        }
        for i in 4..8u8 {
            // Of another size each time.
            image(w, i32::from(i) * 16, texel(i));
            column(w, i.into());
            w.strip();
        }
    });
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| texel(i as u8)));
}

fn a_texture_is_uploaded_drawn_and_uploaded_again(w: &mut World) {
    sampler(w);
    w.texture(16, 16, &[[0; 4]; 256]);
    let color = |x: i32, y: i32| [(x * 8) as u8, (y * 8) as u8, (x ^ y) as u8, 255];
    w.held(|| {
        w.Enable(c::SCISSOR_TEST);
        for y in (0..SIDE).step_by(2) {
            for x in (0..SIDE).step_by(2) {
                part(w, 16, color(x, y));
                w.Scissor(x, y, 2, 2);
                w.strip();
            }
        }
        // The last upload is drawn by nobody.
        part(w, 16, [9; 4]);
    });
    w.Disable(c::SCISSOR_TEST);
    for (i, got) in (0..).zip(w.pixels(0, 0, SIDE, SIDE)) {
        assert_eq!(got, color((i % SIDE) & !1, (i / SIDE) & !1), "pixel {i}");
    }
}

fn slots_of_the_dead_are_used_again(w: &mut World) {
    sampler(w);
    let first = w.texture(4, 4, &[texel(0); 16]);
    w.strip();
    w.held(|| {
        let mut texture = first;
        for i in 0..8u8 {
            column(w, i.into());
            w.strip();
            w.DeleteTextures(1, &texture);
            let buffer = w.buffer(c::ARRAY_BUFFER, &bar(0));
            w.DeleteBuffers(1, &buffer);
            texture = w.texture(4, 4, &[texel(i + 1); 16]);
            // The vertices' buffer dies while the array has it, too: an array that is bound lets it go, so bring the next one.
            w.whole();
        }
        let mut many = [0; 50];
        for round in 0..20 {
            w.GenTextures(50, many.as_mut_ptr());
            for name in many {
                w.BindTexture(c::TEXTURE_2D, name);
                image(w, 1, [round; 4]);
            }
            w.DeleteTextures(50, many.as_ptr());
        }
    });
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| texel(i as u8)));
}

/// A fragment shader that paints a constant.
fn constant(r: u8, g: u8, b: u8) -> String {
    let f = |v: u8| f32::from(v) / 255.0;
    format!(
        "out vec4 color; void main() {{ color = vec4({:?}, {:?}, {:?}, 1.0); }}",
        f(r),
        f(g),
        f(b)
    )
}

fn programs_change_and_are_linked_anew(w: &mut World) {
    let red = w.fragment_program(&constant(255, 0, 0));
    let blue = w.fragment_program(&constant(0, 0, 255));
    let green = w.shader(c::FRAGMENT_SHADER, &constant(0, 255, 0));
    let flat = w.shader(c::VERTEX_SHADER, scenarios::world::FLAT);
    let strange = w.shader(
        c::FRAGMENT_SHADER,
        "in vec4 nowhere; out vec4 color; void main() { color = nowhere; }",
    );
    let own = w.program_with(&[], |program| {
        w.AttachShader(program, flat);
        let white = w.shader(c::FRAGMENT_SHADER, &constant(255, 255, 255));
        w.AttachShader(program, white);
        w.DeleteShader(white);
    });
    w.whole();
    let swap = |from: u32, to: u32| {
        w.DetachShader(own, from);
        w.AttachShader(own, to);
        w.LinkProgram(own);
    };
    w.held(|| {
        for (i, program) in (0..).zip([red, blue, red, own]) {
            w.UseProgram(program);
            column(w, i);
            w.strip();
        }
        let mut attached = [0; 2];
        w.GetAttachedShaders(own, 2, std::ptr::null_mut(), attached.as_mut_ptr());
        let white = attached.into_iter().find(|shader| *shader != flat).expect("it is attached");
        swap(white, green);
        column(w, 4);
        w.strip();
        // A link that fails leaves what was linked before in use.
        swap(green, strange);
        column(w, 5);
        w.strip();
        // Dead while it is used.
        w.DeleteProgram(own);
        column(w, 6);
        w.strip();
        w.UseProgram(red);
        w.DeleteProgram(red);
        w.DeleteProgram(blue);
        column(w, 7);
        w.strip();
        w.UseProgram(0);
    });
    let (red, blue, white) = ([255, 0, 0, 255], [0, 0, 255, 255], [255; 4]);
    expect_columns(w, &[red, blue, red, white, GREEN, GREEN, GREEN, red]);
}

fn uniforms_change(w: &mut World) {
    let program = w.fragment_program(
        "uniform vec4 color; uniform float parts[16]; uniform ivec2 pair; out vec4 result;
         void main() { result = vec4(color.r, parts[7], float(pair.x + pair.y) / 255.0, 1.0); }",
    );
    w.UseProgram(program);
    w.whole();
    let other = w.painter();
    let (color, parts) = (w.uniform(program, c"color"), w.uniform(program, c"parts[7]"));
    let pair = w.uniform(program, c"pair");
    w.held(|| {
        for i in 0..8 {
            match i % 3 {
                0 => w.Uniform4f(color, i as f32 / 255.0, 0.0, 0.0, 0.0),
                1 => w.Uniform1f(parts, i as f32 / 255.0),
                _ => w.Uniform2i(pair, i, 100),
            }
            column(w, i);
            w.strip();
            // What is set for another program meanwhile is not this one's.
            w.UseProgram(other);
            w.Uniform4f(w.uniform(other, c"color"), 1.0, 1.0, 1.0, 1.0);
            w.UseProgram(program);
        }
    });
    let expected = |i: u8| {
        let last = |k: u8| (0..=i).rev().find(|j| j % 3 == k);
        [last(0).unwrap_or(0), last(1).unwrap_or(0), last(2).map_or(0, |j| j + 100), 255]
    };
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| expected(i as u8)));
}

const BLOCKS: &str = "
    layout(std140) uniform First { vec4 one; };
    layout(std140) uniform Second { vec4 two; };
    out vec4 color; void main() { color = vec4(one.r, two.g, 0.0, 1.0); }";

fn blocks_change_their_points_and_points_their_buffers(w: &mut World) {
    let program = w.fragment_program(BLOCKS);
    w.UseProgram(program);
    w.whole();
    let index = |name: &std::ffi::CStr| w.GetUniformBlockIndex(program, name.as_ptr().cast());
    let (first, second) = (index(c"First"), index(c"Second"));
    let value = |i: u8| [f32::from(i) / 255.0; 4];
    let buffers: [u32; 6] =
        std::array::from_fn(|i| w.buffer(c::UNIFORM_BUFFER, &value(10 * i as u8 + 10)));
    for (i, buffer) in (0..).zip(buffers) {
        w.BindBufferBase(c::UNIFORM_BUFFER, i, buffer);
    }
    w.UniformBlockBinding(program, second, 1);
    w.held(|| {
        let mut i = 0;
        let mut draw = || {
            column(w, i);
            w.strip();
            i += 1;
        };
        draw();
        w.UniformBlockBinding(program, first, 2);
        draw();
        w.UniformBlockBinding(program, second, 3);
        draw();
        w.BindBufferBase(c::UNIFORM_BUFFER, 2, buffers[4]);
        draw();
        w.BindBuffer(c::UNIFORM_BUFFER, buffers[4]);
        w.BufferSubData(c::UNIFORM_BUFFER, 0, 16, value(200).as_ptr().cast());
        draw();
        // A buffer that is bound as a whole is defined anew.
        let larger = [value(210), value(1)];
        w.BufferData(c::UNIFORM_BUFFER, 32, larger.as_ptr().cast(), c::STREAM_DRAW);
        draw();
        w.BindBufferBase(c::UNIFORM_BUFFER, 3, buffers[5]);
        w.UniformBlockBinding(program, first, 0);
        draw();
        // Both of one point.
        w.UniformBlockBinding(program, second, 0);
        draw();
    });
    let pairs = [(10, 20), (30, 20), (30, 40), (50, 40), (200, 40), (210, 40), (10, 60), (10, 10)];
    expect_columns(w, &pairs.map(|(r, g)| [r, g, 0, 255]));
}

fn ranges_move_over_content_that_stays(w: &mut World) {
    let program = w.fragment_program(BLOCKS);
    w.UseProgram(program);
    w.whole();
    let step = w.integer(c::UNIFORM_BUFFER_OFFSET_ALIGNMENT).max(16) as usize;
    let mut content = vec![0f32; step / 4 * 9];
    for i in 0..9 {
        content[step / 4 * i..][..4].fill(i as f32 * 25.0 / 255.0);
    }
    let buffer = w.buffer(c::UNIFORM_BUFFER, &content);
    w.UniformBlockBinding(program, w.GetUniformBlockIndex(program, c"Second".as_ptr().cast()), 1);
    w.held(|| {
        for i in 0..8 {
            // Nothing is written: only where the points look moves.
            w.BindBufferRange(c::UNIFORM_BUFFER, 0, buffer, (step * i) as isize, 16);
            w.BindBufferRange(c::UNIFORM_BUFFER, 1, buffer, (step * (8 - i)) as isize, 16);
            column(w, i as i32);
            w.strip();
        }
    });
    let color = |i: usize| [i as u8 * 25, (8 - i as u8) * 25, 0, 255];
    expect_columns(w, &std::array::from_fn::<_, 8, _>(color));
}

fn a_fence_and_a_query_stand_in_the_backlog(w: &mut World) {
    let program = w.painter();
    w.UseProgram(program);
    w.Uniform4f(w.uniform(program, c"color"), 0.0, 1.0, 0.0, 1.0);
    w.whole();
    let mut query = 0;
    w.GenQueries(1, &mut query);
    let status = |fence| {
        let mut value = 0;
        w.GetSynciv(fence, c::SYNC_STATUS, 1, std::ptr::null_mut(), &mut value);
        value as u32
    };
    let available = || {
        let mut value = 0;
        w.GetQueryObjectuiv(query, c::QUERY_RESULT_AVAILABLE, &mut value);
        value
    };
    let fences = w.held(|| {
        let fences: [_; 3] = std::array::from_fn(|i| {
            column(w, i as i32);
            if i == 1 {
                w.BeginQuery(c::ANY_SAMPLES_PASSED, query);
            }
            w.strip();
            if i == 1 {
                w.EndQuery(c::ANY_SAMPLES_PASSED);
            }
            w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0)
        });
        if w.runs_ahead() {
            for _ in 0..100 {
                assert_eq!(fences.map(status), [c::UNSIGNALED; 3], "nothing was done yet");
                assert_eq!(available(), 0, "nothing was done yet");
            }
            assert_eq!(w.ClientWaitSync(fences[0], 0, 0), c::TIMEOUT_EXPIRED);
        }
        // The server waits for itself.
        w.WaitSync(fences[2], 0, c::TIMEOUT_IGNORED);
        fences
    });
    let end = Instant::now() + Duration::from_secs(20);
    while fences.map(status) != [c::SIGNALED; 3] || available() == 0 {
        assert!(Instant::now() < end, "polls end");
        std::thread::yield_now();
    }
    let mut passed = 0;
    w.GetQueryObjectuiv(query, c::QUERY_RESULT, &mut passed);
    assert_eq!(passed, 1);
    for fence in fences {
        w.DeleteSync(fence);
    }
    expect_columns(w, &[GREEN; 3]);
}

/// `credit` frames are presented while the server is held; the next one waits for the first.
fn frames_are_presented_ahead(w: &World, credit: u32) {
    for round in 0..3u8 {
        w.held(|| {
            for frame in 0..credit {
                w.clear([round, frame as u8, 3, 255]);
                w.present(credit);
            }
        });
        assert_eq!(w.frames(), u64::from(round + 1) * u64::from(credit));
        w.settle();
        assert_eq!(w.presented(), w.frames(), "every frame's credit came back");
    }
    // One more than the credit waits for the first: nobody is further ahead than that.
    let boundary = w.settle();
    w.gate().close_after(boundary).expect("the gate closes");
    let begun = Instant::now();
    let wait = Duration::from_millis(60);
    let before = w.presented();
    let gate = w.gate();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(wait);
            gate.open().expect("the gate opens");
        });
        for _ in 0..=credit {
            w.clear([0, 255, 0, 255]);
            w.present(credit);
        }
    });
    assert!(begun.elapsed() >= wait, "a frame more than its credit");
    assert!(w.presented() > before, "the first frame was shown before the last was begun");
    w.expect_all(GREEN);
}

fn one_frame_is_presented_ahead(w: &mut World) {
    frames_are_presented_ahead(w, 1);
}

fn three_frames_are_presented_ahead(w: &mut World) {
    frames_are_presented_ahead(w, 3);
}
