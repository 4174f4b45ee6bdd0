//! What a frame waits for: nothing. Every scenario is counted at its end; here the families are, one by one.

use super::texture::sampler;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{Mode, World, scenarios};
use std::ptr::{null, null_mut};

scenarios! { "census";
    [Es(30), Es(32), Core(33)], Needs::NOTHING => no_family_of_a_frame_waits;
}

/// Does it ten times; nobody waits, for an answer or for anything to be applied. In lockstep verbs do.
#[track_caller]
fn free(w: &World, family: &str, mut calls: impl FnMut()) {
    let sums = || {
        let waits = w.waits();
        let sum = |of: fn(&forerun_link::RowWaits) -> u64| waits.values().map(of).sum::<u64>();
        (sum(|row| row.reply), sum(|row| row.applied), sum(|row| row.credit))
    };
    let before = (w.stats().records, sums());
    for _ in 0..10 {
        calls();
    }
    w.no_error();
    let (replies, applied, credit) = sums();
    let (_, (had_replies, had_applied, had_credit)) = before;
    assert_eq!((replies, credit), (had_replies, had_credit), "{family}: {:?}", w.waits());
    if w.cell.mode != Mode::Lockstep {
        assert_eq!(applied, had_applied, "{family}: {:?}", w.waits());
    }
    assert!(w.stats().records > before.0, "{family} sends nothing");
}

fn no_family_of_a_frame_waits(w: &mut World) {
    let painter = w.painter();
    let image = sampler(w);
    let texture = w.texture(64, 64, &[[3; 4]; 64 * 64]);
    let other = w.texture(64, 64, &[[3; 4]; 64 * 64]);
    let own = w.integer(c::DRAW_FRAMEBUFFER_BINDING) as u32;
    let mut round = 0;
    free(w, "draws and state", || {
        round += 1;
        w.UseProgram(if round % 2 == 0 { painter } else { image });
        w.Viewport(0, 0, round, 9);
        w.Enable(c::BLEND);
        w.BlendFunc(c::ONE, c::ZERO + round as u32 % 2);
        w.StencilFunc(c::ALWAYS, round, 1);
        w.strip();
        if w.is_es() {
            w.DrawElements(c::POINTS, 3, c::UNSIGNED_BYTE, [0u8, 1, 2].as_ptr().cast());
        }
    });
    w.UseProgram(painter);
    let color = w.uniform(painter, c"color");
    free(w, "uniforms", || {
        round += 1;
        w.Uniform4f(color, round as f32, 0.0, 0.0, 0.0);
        let mut value = [0f32; 4];
        w.GetUniformfv(painter, color, value.as_mut_ptr());
        assert_eq!(value[0], round as f32);
        w.strip();
    });
    free(w, "objects that come and go", || {
        let texture = w.texture(4, 4, &[[1; 4]; 16]);
        let framebuffer = w.framebuffer_of(texture);
        w.clear([1; 4]);
        w.BindFramebuffer(c::FRAMEBUFFER, own);
        let buffer = w.buffer(c::COPY_WRITE_BUFFER, &[0u8; 64]);
        let mut names = [0; 4];
        w.GenRenderbuffers(1, &mut names[0]);
        w.BindRenderbuffer(c::RENDERBUFFER, names[0]);
        w.RenderbufferStorage(c::RENDERBUFFER, c::RGBA8, 8, 8);
        w.GenSamplers(1, &mut names[1]);
        w.SamplerParameteri(names[1], c::TEXTURE_WRAP_S, c::REPEAT as i32);
        w.BindSampler(3, names[1]);
        w.strip();
        w.DeleteTextures(1, &texture);
        w.DeleteBuffers(1, &buffer);
        w.DeleteFramebuffers(1, &framebuffer);
        w.DeleteRenderbuffers(1, &names[0]);
        w.DeleteSamplers(1, &names[1]);
    });
    let program = || {
        let program = w.painter();
        w.UseProgram(program);
        w.strip();
        w.UseProgram(painter);
        w.DeleteProgram(program);
    };
    free(w, "programs", program);
    let texels = vec![[7u8; 4]; 64 * 64];
    let buffer = w.buffer(c::COPY_WRITE_BUFFER, &[0u8; 4096]);
    w.BindTexture(c::TEXTURE_2D, texture);
    free(w, "uploads", || {
        let (target, format, ty) = (c::TEXTURE_2D, c::RGBA, c::UNSIGNED_BYTE);
        w.TexSubImage2D(target, 0, 0, 0, 64, 64, format, ty, texels.as_ptr().cast());
        w.TexImage2D(target, 0, format as i32, 32, 32, 0, format, ty, texels.as_ptr().cast());
        w.TexImage2D(target, 0, format as i32, 64, 64, 0, format, ty, texels.as_ptr().cast());
        w.BufferSubData(c::COPY_WRITE_BUFFER, 8, 2048, texels.as_ptr().cast());
        w.BufferData(c::COPY_WRITE_BUFFER, 4096, texels.as_ptr().cast(), c::STREAM_DRAW);
        let access = c::MAP_WRITE_BIT | c::MAP_INVALIDATE_BUFFER_BIT;
        let map = w.MapBufferRange(c::COPY_WRITE_BUFFER, 0, 1024, access);
        assert!(!map.is_null());
        w.UnmapBuffer(c::COPY_WRITE_BUFFER);
        w.strip();
    });
    free(w, "parameters", || {
        round += 1;
        let wrap = if round % 2 == 0 { c::REPEAT } else { c::MIRRORED_REPEAT };
        w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_WRAP_S, wrap as i32);
        w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MAX_LEVEL, round % 5);
        w.strip();
    });
    let source = w.buffer(c::COPY_READ_BUFFER, &[5u8; 4096]);
    let framebuffer = w.framebuffer_of(other);
    free(w, "copies, mipmaps, blits", || {
        w.CopyBufferSubData(c::COPY_READ_BUFFER, c::COPY_WRITE_BUFFER, 0, 64, 128);
        w.CopyTexSubImage2D(c::TEXTURE_2D, 0, 0, 0, 0, 0, 16, 16);
        w.CopyTexImage2D(c::TEXTURE_2D, 0, c::RGBA8, 0, 0, 32, 32, 0);
        w.GenerateMipmap(c::TEXTURE_2D);
        w.BindFramebuffer(c::READ_FRAMEBUFFER, framebuffer);
        w.BindFramebuffer(c::DRAW_FRAMEBUFFER, own);
        w.BlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, c::COLOR_BUFFER_BIT, c::NEAREST);
        w.BindFramebuffer(c::FRAMEBUFFER, own);
        if w.cell.api == Es(32) {
            let kind = c::TEXTURE_2D;
            w.CopyImageSubData(other, kind, 0, 0, 0, 0, texture, kind, 0, 4, 4, 0, 8, 8, 1);
        }
    });
    feedback(w);
    if w.cell.api == Es(32) {
        dispatch(w, source);
    }
    let pack = w.buffer(c::PIXEL_PACK_BUFFER, &[0u8; 4096]);
    free(w, "readbacks into buffers", || {
        w.ReadPixels(0, 0, 8, 8, c::RGBA, c::UNSIGNED_BYTE, null_mut());
        w.Flush();
    });
    w.BindBuffer(c::PIXEL_PACK_BUFFER, 0);
    polls(w, painter);
    w.DeleteBuffers(3, [buffer, source, pack].as_ptr());
}

fn feedback(w: &World) {
    let program = w.program_with(
        &[
            (
                c::VERTEX_SHADER,
                "layout(location = 0) in vec2 position; out vec2 next; void main() { next = position; gl_Position = vec4(0.0); }",
            ),
            (c::FRAGMENT_SHADER, "out vec4 color; void main() { color = vec4(1.0); }"),
        ],
        |program| {
            let name = c"next".as_ptr().cast::<u8>();
            w.TransformFeedbackVaryings(program, 1, &name, c::INTERLEAVED_ATTRIBS);
        },
    );
    let buffer = w.buffer(c::TRANSFORM_FEEDBACK_BUFFER, &[0u8; 64]);
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    w.UseProgram(program);
    free(w, "feedback", || {
        w.BeginTransformFeedback(c::POINTS);
        w.DrawArrays(c::POINTS, 0, 4);
        w.EndTransformFeedback();
    });
    w.BindBufferBase(c::TRANSFORM_FEEDBACK_BUFFER, 0, 0);
}

fn dispatch(w: &World, buffer: u32) {
    let text =
        "layout(local_size_x = 1) in; layout(std430, binding = 0) buffer Data { uint number; };
                void main() { number += 1u; }";
    let program = w.program_with(&[(c::COMPUTE_SHADER, text)], |_| ());
    w.BindBufferBase(c::SHADER_STORAGE_BUFFER, 0, buffer);
    w.UseProgram(program);
    free(w, "dispatches", || {
        w.DispatchCompute(1, 1, 1);
        w.MemoryBarrier(c::ALL_BARRIER_BITS);
    });
}

fn polls(w: &World, painter: u32) {
    w.UseProgram(painter);
    let mut query = 0;
    w.GenQueries(1, &mut query);
    free(w, "polls", || {
        w.BeginQuery(c::ANY_SAMPLES_PASSED, query);
        w.DrawArrays(c::POINTS, 0, 1);
        w.EndQuery(c::ANY_SAMPLES_PASSED);
        let fence = w.FenceSync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
        let (mut available, mut status) = (0, 0);
        while available == 0 || status as u32 != c::SIGNALED {
            w.GetQueryObjectuiv(query, c::QUERY_RESULT_AVAILABLE, &mut available);
            w.GetSynciv(fence, c::SYNC_STATUS, 1, null_mut(), &mut status);
            std::thread::yield_now();
        }
        w.GetQueryObjectuiv(query, c::QUERY_RESULT, &mut available);
        assert_eq!(w.ClientWaitSync(fence, 0, 0), c::ALREADY_SIGNALED);
        w.DeleteSync(fence);
    });
    w.DeleteQueries(1, &query);
    w.VertexAttribPointer(0, 2, c::FLOAT, 0, 0, null());
}
