//! The client runs ahead of what the GPU writes: storage, images, feedback, copies, clears, mipmaps, blits and readbacks into buffers.
//! As in `ahead`, the server is held while the client goes on, and lockstep is the control.

use super::ahead::{column, expect_columns};
use super::texture::sampler;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::SIDE;
use scenarios::{World, scenarios};
use std::ptr::{null, null_mut};

scenarios! { "ahead_gpu";
    [Es(30), Core(33)], Needs::GATED =>
        what_is_captured_is_drawn_from_and_read_back,
        buffers_are_copied_and_read_back,
        framebuffers_are_copied_to_textures,
        mipmaps_are_made_of_each_base,
        blits_stand_between_draws,
        clears_and_readbacks_into_buffers_keep_their_order;
    [Es(31), Es(32)], Needs::GATED =>
        storage_is_written_copied_and_read_back,
        images_are_stored_and_drawn_from;
    [Es(32)], Needs::GATED => images_are_copied_between_textures;
}

fn what_is_captured_is_drawn_from_and_read_back(w: &mut World) {
    let step = w.program_with(
        &[
            (
                c::VERTEX_SHADER,
                "layout(location = 0) in vec2 position; out vec2 next; uniform vec2 shift;
                 void main() { next = position + shift; gl_Position = vec4(0.0); }",
            ),
            (c::FRAGMENT_SHADER, "out vec4 color; void main() { color = vec4(1.0); }"),
        ],
        |program| {
            let name = c"next".as_ptr().cast::<u8>();
            w.TransformFeedbackVaryings(program, 1, &name, c::INTERLEAVED_ATTRIBS);
        },
    );
    let painter = w.painter();
    let (shift, color) = (w.uniform(step, c"shift"), w.uniform(painter, c"color"));
    let first = [-1.0f32, -1.0, -0.75, -1.0, -1.0, 1.0, -0.75, 1.0];
    let buffers = [0, 1].map(|_| w.vertices(&first));
    w.UseProgram(step);
    w.Uniform2f(shift, 0.25, 0.0);
    w.clear([0, 0, 0, 255]);
    w.held(|| {
        for i in 0..8usize {
            let (from, to) = (buffers[i % 2], buffers[(i + 1) % 2]);
            w.BindBuffer(c::ARRAY_BUFFER, from);
            w.VertexAttribPointer(0, 2, c::FLOAT, 0, 0, null());
            w.UseProgram(painter);
            w.Uniform4f(color, i as f32 / 255.0, 1.0, 0.0, 1.0);
            w.strip();
            w.UseProgram(step);
            w.BindBuffer(c::ARRAY_BUFFER, 0);
            w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, to);
            w.Enable(c::RASTERIZER_DISCARD);
            w.BeginTransformFeedback(c::POINTS);
            w.DrawArrays(c::POINTS, 0, 4);
            w.EndTransformFeedback();
            w.Disable(c::RASTERIZER_DISCARD);
            w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, 0);
        }
    });
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| [i as u8, 255, 0, 255]));
    let last = w.words::<8>(buffers[0]).map(f32::from_bits);
    assert_eq!(last, [1.0, -1.0, 1.25, -1.0, 1.0, 1.0, 1.25, 1.0]);
}

fn buffers_are_copied_and_read_back(w: &mut World) {
    let painter = w.painter();
    w.UseProgram(painter);
    w.whole();
    let source = w.buffer(c::COPY_READ_BUFFER, &[1u32, 2, 3, 4]);
    let target = w.buffer(c::COPY_WRITE_BUFFER, &[0u32; 4]);
    let copy = |from, to, size| {
        w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, from, to, size);
    };
    w.held(|| {
        copy(0, 4, 8);
        w.BufferSubData(c::COPY_READ_BUFFER, 0, 8, [50u32, 60].as_ptr().cast());
        w.strip();
        copy(4, 0, 4);
        w.BufferData(c::COPY_READ_BUFFER, 4, [7u32].as_ptr().cast(), c::STREAM_DRAW);
        copy(0, 12, 4);
        w.strip();
        w.DeleteBuffers(1, &source);
    });
    assert_eq!(w.words::<4>(target), [60, 1, 2, 7]);
}

fn framebuffers_are_copied_to_textures(w: &mut World) {
    sampler(w);
    w.texture(4, 4, &[[0; 4]; 16]);
    w.held(|| {
        for i in 0..8u8 {
            w.Enable(c::SCISSOR_TEST);
            // The colour goes through the last column, into the texture and from there to its own.
            w.Scissor(28, 0, 4, 4);
            w.clear([i * 20, 200 - i, 77, 255]);
            if i % 2 == 0 {
                w.CopyTexSubImage2D(c::TEXTURE_2D, 0, 0, 0, 28, 0, 4, 4);
            } else {
                w.CopyTexImage2D(c::TEXTURE_2D, 0, c::RGBA8, 28, 0, 4, 4, 0);
            }
            column(w, i.into());
            w.strip();
        }
    });
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| [i as u8 * 20, 200 - i as u8, 77, 255]));
}

fn mipmaps_are_made_of_each_base(w: &mut World) {
    sampler(w);
    w.texture(64, 64, &[[0; 4]; 64 * 64]);
    // 64 texels on 4 pixels: a level far down.
    let minify = c::NEAREST_MIPMAP_NEAREST as i32;
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MIN_FILTER, minify);
    w.GenerateMipmap(c::TEXTURE_2D);
    w.Enable(c::SCISSOR_TEST);
    w.held(|| {
        for i in 0..8u8 {
            let texels = [[i * 30, i, 255 - i, 255]; 64 * 64];
            let data = texels.as_ptr().cast();
            let (target, format) = (c::TEXTURE_2D, c::RGBA);
            w.TexSubImage2D(target, 0, 0, 0, 64, 64, format, c::UNSIGNED_BYTE, data);
            if i % 2 == 0 {
                w.GenerateMipmap(c::TEXTURE_2D);
            }
            w.Viewport(4 * i32::from(i), 0, 4, 4);
            w.Scissor(4 * i32::from(i), 0, 4, 4);
            w.strip();
        }
    });
    w.Disable(c::SCISSOR_TEST);
    for i in 0..8u8 {
        // Of odd ones only the base is new.
        let of = i & !1;
        w.expect_rect(4 * i32::from(i), 0, 4, 4, [of * 30, of, 255 - of, 255]);
    }
}

fn blits_stand_between_draws(w: &mut World) {
    let painter = w.painter();
    w.UseProgram(painter);
    let color = w.uniform(painter, c"color");
    w.whole();
    let own = w.integer(c::DRAW_FRAMEBUFFER_BINDING) as u32;
    let texture = w.texture(4, 4, &[[0; 4]; 16]);
    let framebuffer = w.framebuffer_of(texture);
    w.held(|| {
        for i in 0..8i32 {
            w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
            w.Viewport(0, 0, 4, 4);
            w.Uniform4f(color, i as f32 / 255.0, 0.0, 1.0, 1.0);
            w.strip();
            w.BindFramebuffer(c::DRAW_FRAMEBUFFER, own);
            let x = 4 * i;
            let nearest = c::NEAREST;
            w.BlitFramebuffer(0, 0, 4, 4, x, 0, x + 4, SIDE, c::COLOR_BUFFER_BIT, nearest);
        }
        w.BindFramebuffer(c::FRAMEBUFFER, own);
    });
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| [i as u8, 0, 255, 255]));
}

fn clears_and_readbacks_into_buffers_keep_their_order(w: &mut World) {
    let packs: [u32; 6] = std::array::from_fn(|_| w.buffer(c::PIXEL_PACK_BUFFER, &[0u32; 4]));
    let unpack = w.buffer(c::PIXEL_UNPACK_BUFFER, &[[9u8; 4]; 4]);
    w.BindBuffer(c::PIXEL_UNPACK_BUFFER, 0);
    let texture = w.texture(2, 2, &[[0; 4]; 4]);
    let format = (c::RGBA, c::UNSIGNED_BYTE);
    w.held(|| {
        for (i, pack) in (0..).zip(packs) {
            if i % 2 == 0 {
                w.clear([i, 1, 2, 255]);
            } else {
                let color = [f32::from(i) / 255.0, 0.0, 0.0, 1.0];
                w.ClearBufferfv(c::COLOR, 0, color.as_ptr());
            }
            w.BindBuffer(c::PIXEL_PACK_BUFFER, pack);
            w.ReadPixels(i.into(), 3, 2, 2, format.0, format.1, null_mut());
        }
        // What was read is uploaded, behind the same backlog.
        w.BindBuffer(c::PIXEL_PACK_BUFFER, unpack);
        w.ReadPixels(0, 0, 2, 2, format.0, format.1, null_mut());
        w.BindBuffer(c::PIXEL_PACK_BUFFER, 0);
        w.BindBuffer(c::PIXEL_UNPACK_BUFFER, unpack);
        w.TexSubImage2D(c::TEXTURE_2D, 0, 0, 0, 2, 2, format.0, format.1, null());
        w.BindBuffer(c::PIXEL_UNPACK_BUFFER, 0);
        w.clear([1; 4]);
    });
    for (i, pack) in (0..).zip(packs) {
        let color = if i % 2 == 0 { [i, 1, 2, 255] } else { [i, 0, 0, 255] };
        assert_eq!(w.words::<4>(pack), [u32::from_ne_bytes(color); 4], "{i}");
    }
    w.expect_all([1; 4]);
    w.framebuffer_of(texture);
    w.expect_rect(0, 0, 2, 2, [5, 0, 0, 255]);
}

fn storage_is_written_copied_and_read_back(w: &mut World) {
    let program = w.program_with(
        &[(
            c::COMPUTE_SHADER,
            "layout(local_size_x = 4) in; layout(std430, binding = 0) buffer Data { uint numbers[]; };
             uniform uint factor;
             void main() { numbers[gl_GlobalInvocationID.x] = numbers[gl_GlobalInvocationID.x] * factor + 1u; }",
        )],
        |_| (),
    );
    w.UseProgram(program);
    let factor = w.uniform(program, c"factor");
    let storage = w.buffer(c::SHADER_STORAGE_BUFFER, &[1u32, 2, 3, 4]);
    let copies: [u32; 4] = std::array::from_fn(|_| w.buffer(c::COPY_WRITE_BUFFER, &[0u32; 4]));
    w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 0, storage);
    w.BindBuffer(c::COPY_READ_BUFFER, storage);
    w.held(|| {
        for (i, copy) in (2..).zip(copies) {
            w.Uniform1ui(factor, i);
            w.DispatchCompute(1, 1, 1);
            w.MemoryBarrier(c::BUFFER_UPDATE_BARRIER_BIT);
            w.BindBuffer(c::COPY_WRITE_BUFFER, copy);
            w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 0, 0, 16);
            // The program writes one word of what the GPU wrote.
            w.BufferSubData(c::COPY_READ_BUFFER, 0, 4, (&raw const i).cast());
            w.MemoryBarrier(c::ALL_BARRIER_BITS);
        }
    });
    let mut numbers = [1u32, 2, 3, 4];
    for (i, copy) in (2..).zip(copies) {
        numbers = numbers.map(|n| n * i + 1);
        assert_eq!(w.words::<4>(copy), numbers, "after dispatch {i}");
        numbers[0] = i;
    }
    assert_eq!(w.words::<4>(storage), numbers);
}

fn images_are_stored_and_drawn_from(w: &mut World) {
    let store = w.program_with(
        &[(
            c::COMPUTE_SHADER,
            "layout(local_size_x = 4, local_size_y = 4) in;
             layout(rgba8, binding = 1) writeonly uniform highp image2D image; uniform vec4 color;
             void main() { imageStore(image, ivec2(gl_GlobalInvocationID.xy), color); }",
        )],
        |_| (),
    );
    let color = w.uniform(store, c"color");
    let draw = sampler(w);
    let texture = w.new_texture(c::TEXTURE_2D);
    w.TexStorage2D(c::TEXTURE_2D, 1, c::RGBA8, 4, 4);
    w.BindImageTexture(1, texture, 0, 0, 0, c::WRITE_ONLY, c::RGBA8);
    w.held(|| {
        for i in 0..8 {
            w.UseProgram(store);
            w.Uniform4f(color, i as f32 * 20.0 / 255.0, 1.0, 0.0, 1.0);
            w.DispatchCompute(1, 1, 1);
            w.MemoryBarrier(c::TEXTURE_FETCH_BARRIER_BIT);
            w.UseProgram(draw);
            column(w, i);
            w.strip();
            w.MemoryBarrier(c::SHADER_IMAGE_ACCESS_BARRIER_BIT);
        }
    });
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| [i as u8 * 20, 255, 0, 255]));
}

fn images_are_copied_between_textures(w: &mut World) {
    sampler(w);
    let source = w.texture(4, 4, &[[0; 4]; 16]);
    let target = w.texture(4, 4, &[[0; 4]; 16]);
    let kind = c::TEXTURE_2D;
    w.held(|| {
        for i in 0..8u8 {
            let texels = [[i * 30, 3, 200, 255]; 16];
            w.BindTexture(kind, source);
            let data = texels.as_ptr().cast();
            w.TexSubImage2D(kind, 0, 0, 0, 4, 4, c::RGBA, c::UNSIGNED_BYTE, data);
            w.CopyImageSubData(source, kind, 0, 0, 0, 0, target, kind, 0, 0, 0, 0, 4, 4, 1);
            w.BindTexture(kind, target);
            column(w, i.into());
            w.strip();
        }
        w.DeleteTextures(1, &source);
    });
    expect_columns(w, &std::array::from_fn::<_, 8, _>(|i| [i as u8 * 30, 3, 200, 255]));
}
