//! Framebuffer objects: drawing elsewhere, blitting, resolving.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::SIDE;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "framebuffer";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        what_is_drawn_to_a_texture_is_sampled,
        a_texture_that_is_deleted_is_detached,
        completeness_is_told,
        a_renderbuffer_holds_depth,
        the_default_framebuffer_is_kept;
    [Es(30), Core(33)], Needs::PIXELS =>
        several_targets_take_several_outputs,
        a_blit_copies_scales_and_mirrors,
        samples_are_resolved,
        levels_layers_and_faces_are_attached_apart,
        integers_are_cleared_drawn_and_read,
        a_respecified_attachment_is_drawn_to,
        invalidated_contents_may_be_drawn_over;
    [Es(32), Core(33)], Needs::PIXELS => floats_are_drawn_and_read;
}

fn painter(w: &World) -> impl Fn([f32; 4]) {
    let program = w.painter();
    w.UseProgram(program);
    let color = w.uniform(program, c"color");
    w.whole();
    move |rgba| {
        w.UseProgram(program);
        w.Uniform4fv(color, 1, rgba.as_ptr());
        w.strip();
    }
}

fn sampler(w: &World) -> u32 {
    if w.cell.api == Es(20) {
        return w.program(
            "attribute vec2 position; varying vec2 uv; void main() { uv = position * 0.5 + 0.5; gl_Position = vec4(position, 0.0, 1.0); }",
            "varying vec2 uv; uniform sampler2D image; void main() { gl_FragColor = texture2D(image, uv); }",
        );
    }
    w.program(
        "layout(location = 0) in vec2 position; out vec2 uv; void main() { uv = position * 0.5 + 0.5; gl_Position = vec4(position, 0.0, 1.0); }",
        "in vec2 uv; uniform sampler2D image; out vec4 color; void main() { color = texture(image, uv); }",
    )
}

fn what_is_drawn_to_a_texture_is_sampled(w: &mut World) {
    let draw = painter(w);
    let sampler = sampler(w);
    let texture = w.texture(8, 8, &[[0; 4]; 64]);
    let framebuffer = w.framebuffer_of(texture);
    w.Enable(c::SCISSOR_TEST);
    for i in 0..3u8 {
        w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
        w.Viewport(0, 0, 8, 8);
        w.Scissor(0, 0, 8, 8);
        w.clear([i, 0, 0, 255]);
        w.Scissor(0, 0, 4, 4);
        draw([0.0, 1.0, f32::from(i) / 255.0, 1.0]);
        w.BindFramebuffer(c::FRAMEBUFFER, 0);
        w.Viewport(0, 0, SIDE, SIDE);
        w.Scissor(0, 0, SIDE, SIDE);
        w.UseProgram(sampler);
        w.strip();
        w.expect_rect(0, 0, 16, 16, [0, 255, i, 255]);
        w.expect_rect(16, 0, 16, SIDE, [i, 0, 0, 255]);
        w.expect_rect(0, 16, 16, 16, [i, 0, 0, 255]);
    }
}

fn a_texture_that_is_deleted_is_detached(w: &mut World) {
    let draw = painter(w);
    let texture = w.texture(4, 4, &[[0; 4]; 16]);
    let other = w.framebuffer_of(texture);
    let bound = w.framebuffer_of(texture);
    draw([1.0, 0.0, 0.0, 1.0]);
    w.DeleteTextures(1, &texture);
    // Of the bound framebuffer, it is detached …
    let attached = |what| {
        let mut value = -1;
        let attachment = c::COLOR_ATTACHMENT0;
        w.GetFramebufferAttachmentParameteriv(c::FRAMEBUFFER, attachment, what, &mut value);
        value as u32
    };
    assert_eq!(attached(c::FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE), c::NONE);
    let missing = c::FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT;
    assert_eq!(w.CheckFramebufferStatus(c::FRAMEBUFFER), missing);
    w.rejects(c::INVALID_FRAMEBUFFER_OPERATION, || w.clear([1; 4]));
    // … and in another one it lives on.
    let again = w.texture(4, 4, &[[9; 4]; 16]);
    w.BindFramebuffer(c::FRAMEBUFFER, other);
    w.expect_complete();
    w.expect_rect(0, 0, 4, 4, [255, 0, 0, 255]);
    draw([0.0, 1.0, 0.0, 1.0]);
    w.expect_rect(0, 0, 4, 4, [0, 255, 0, 255]);
    w.BindFramebuffer(c::FRAMEBUFFER, bound);
    w.FramebufferTexture2D(c::FRAMEBUFFER, c::COLOR_ATTACHMENT0, c::TEXTURE_2D, again, 0);
    w.expect_rect(0, 0, 4, 4, [9; 4]);
    w.DeleteFramebuffers(1, &bound);
    assert_eq!(w.integer(c::FRAMEBUFFER_BINDING), 0);
    w.clear([5; 4]);
    w.expect_all([5; 4]);
}

fn completeness_is_told(w: &mut World) {
    let mut framebuffer = 0;
    w.GenFramebuffers(1, &mut framebuffer);
    assert_eq!(w.IsFramebuffer(framebuffer), 0);
    w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
    assert_eq!(w.IsFramebuffer(framebuffer), 1);
    let status = || w.CheckFramebufferStatus(c::FRAMEBUFFER);
    assert_eq!(status(), c::FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
    let texture = w.new_texture(c::TEXTURE_2D);
    let attach = |name, level| {
        w.FramebufferTexture2D(c::FRAMEBUFFER, c::COLOR_ATTACHMENT0, c::TEXTURE_2D, name, level);
    };
    attach(texture, 0);
    assert_eq!(status(), c::FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
    w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA as i32, 4, 4, 0, c::RGBA, c::UNSIGNED_BYTE, null());
    assert_eq!(status(), c::FRAMEBUFFER_COMPLETE);
    w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA as i32, 0, 0, 0, c::RGBA, c::UNSIGNED_BYTE, null());
    assert_eq!(status(), c::FRAMEBUFFER_INCOMPLETE_ATTACHMENT);
    attach(0, 0);
    assert_eq!(status(), c::FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT);
    w.rejects(c::INVALID_OPERATION, || attach(98765, 0));
    w.rejects(c::INVALID_ENUM, || {
        w.CheckFramebufferStatus(c::TEXTURE_2D);
    });
    w.BindFramebuffer(c::FRAMEBUFFER, 0);
    assert_eq!(status(), c::FRAMEBUFFER_COMPLETE);
    w.rejects(c::INVALID_OPERATION, || attach(texture, 0));
}

fn a_renderbuffer_holds_depth(w: &mut World) {
    let program = if w.cell.api == Es(20) {
        w.program(
            "attribute vec2 position; uniform float depth; void main() { gl_Position = vec4(position, depth, 1.0); }",
            "uniform vec4 color; void main() { gl_FragColor = color; }",
        )
    } else {
        w.program(
            "layout(location = 0) in vec2 position; uniform float depth; void main() { gl_Position = vec4(position, depth, 1.0); }",
            "uniform vec4 color; out vec4 result; void main() { result = color; }",
        )
    };
    w.UseProgram(program);
    w.whole();
    let texture = w.texture(4, 4, &[[0; 4]; 16]);
    w.framebuffer_of(texture);
    w.Viewport(0, 0, 4, 4);
    let mut renderbuffer = 0;
    w.GenRenderbuffers(1, &mut renderbuffer);
    w.BindRenderbuffer(c::RENDERBUFFER, renderbuffer);
    w.RenderbufferStorage(c::RENDERBUFFER, c::DEPTH_COMPONENT16, 4, 4);
    w.FramebufferRenderbuffer(c::FRAMEBUFFER, c::DEPTH_ATTACHMENT, c::RENDERBUFFER, renderbuffer);
    w.expect_complete();
    w.Enable(c::DEPTH_TEST);
    w.Clear(c::DEPTH_BUFFER_BIT);
    let draw = |z, rgba: [f32; 4]| {
        w.Uniform1f(w.uniform(program, c"depth"), z);
        w.Uniform4fv(w.uniform(program, c"color"), 1, rgba.as_ptr());
        w.strip();
    };
    draw(0.0, [1.0, 0.0, 0.0, 1.0]);
    draw(0.1, [0.0, 1.0, 0.0, 1.0]);
    w.expect_rect(0, 0, 4, 4, [255, 0, 0, 255]);
    draw(-0.1, [0.0, 0.0, 1.0, 1.0]);
    w.expect_rect(0, 0, 4, 4, [0, 0, 255, 255]);
    let mut size = 0;
    w.GetRenderbufferParameteriv(c::RENDERBUFFER, c::RENDERBUFFER_WIDTH, &mut size);
    assert_eq!(size, 4);
    w.DeleteRenderbuffers(1, &renderbuffer);
    // Without depth everything passes.
    draw(0.9, [1.0; 4]);
    w.expect_rect(0, 0, 4, 4, [255; 4]);
    w.rejects(c::INVALID_ENUM, || w.RenderbufferStorage(c::TEXTURE_2D, c::RGBA4, 1, 1));
}

fn the_default_framebuffer_is_kept(w: &mut World) {
    w.clear([1, 2, 3, 4]);
    let texture = w.texture(SIDE, SIDE, &[[9; 4]; (SIDE * SIDE) as usize]);
    let framebuffer = w.framebuffer_of(texture);
    w.clear([5, 6, 7, 8]);
    w.expect_all([5, 6, 7, 8]);
    w.BindFramebuffer(c::FRAMEBUFFER, 0);
    w.expect_all([1, 2, 3, 4]);
    w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
    w.expect_all([5, 6, 7, 8]);
}

fn several_targets_take_several_outputs(w: &mut World) {
    let program = w.fragment_program(
        "layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; layout(location = 2) out vec4 e;
         void main() { a = vec4(1.0, 0.0, 0.0, 1.0); b = vec4(0.0, 1.0, 0.0, 1.0); e = vec4(0.0, 0.0, 1.0, 1.0); }",
    );
    w.UseProgram(program);
    w.whole();
    let textures: Vec<u32> = (0..3).map(|_| w.texture(4, 4, &[[9; 4]; 16])).collect();
    w.framebuffer_of(textures[0]);
    w.Viewport(0, 0, 4, 4);
    for (i, texture) in textures.iter().enumerate() {
        let attachment = c::COLOR_ATTACHMENT0 + i as u32;
        w.FramebufferTexture2D(c::FRAMEBUFFER, attachment, c::TEXTURE_2D, *texture, 0);
    }
    w.DrawBuffers(3, [c::COLOR_ATTACHMENT0, c::NONE, c::COLOR_ATTACHMENT2].as_ptr());
    w.expect_complete();
    w.strip();
    for (i, color) in [[255, 0, 0, 255], [9; 4], [0, 0, 255, 255]].into_iter().enumerate() {
        w.ReadBuffer(c::COLOR_ATTACHMENT0 + i as u32);
        w.expect_rect(0, 0, 4, 4, color);
    }
    w.ClearBufferfv(c::COLOR, 2, [1.0f32; 4].as_ptr());
    w.expect_rect(0, 0, 4, 4, [255; 4]);
    w.ReadBuffer(c::NONE);
    w.rejects(c::INVALID_OPERATION, || {
        w.pixel(0, 0);
    });
    w.ReadBuffer(c::COLOR_ATTACHMENT0);
}

fn a_blit_copies_scales_and_mirrors(w: &mut World) {
    let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255]];
    let texture = w.texture(2, 2, &colors);
    let framebuffer = w.framebuffer_of(texture);
    w.BindFramebuffer(c::FRAMEBUFFER, 0);
    w.clear([0; 4]);
    w.BindFramebuffer(c::READ_FRAMEBUFFER, framebuffer);
    let blit = |to: [i32; 4]| {
        w.BlitFramebuffer(0, 0, 2, 2, to[0], to[1], to[2], to[3], c::COLOR_BUFFER_BIT, c::NEAREST);
    };
    blit([0, 0, 2, 2]);
    blit([8, 8, 16, 16]);
    blit([24, 24, 16, 32]);
    w.Enable(c::SCISSOR_TEST);
    w.Scissor(24, 0, 4, 8);
    blit([24, 0, 32, 8]);
    w.Disable(c::SCISSOR_TEST);
    w.BindFramebuffer(c::READ_FRAMEBUFFER, 0);
    for (i, color) in colors.into_iter().enumerate() {
        let (x, y) = (i as i32 % 2, i as i32 / 2);
        w.expect(x, y, color);
        w.expect_rect(8 + 4 * x, 8 + 4 * y, 4, 4, color);
        w.expect_rect(20 - 4 * x, 24 + 4 * y, 4, 4, color);
        w.expect_rect(24 + 4 * x, 4 * y, 4, 4, if x == 0 { color } else { [0; 4] });
    }
    w.rejects(c::INVALID_VALUE, || w.BlitFramebuffer(0, 0, 1, 1, 0, 0, 1, 1, 1 << 20, c::NEAREST));
    w.rejects(c::INVALID_OPERATION, || {
        w.BlitFramebuffer(0, 0, 1, 1, 0, 0, 1, 1, c::DEPTH_BUFFER_BIT, c::LINEAR);
    });
}

fn samples_are_resolved(w: &mut World) {
    let draw = painter(w);
    let mut framebuffer = 0;
    w.GenFramebuffers(1, &mut framebuffer);
    w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
    let mut renderbuffer = 0;
    w.GenRenderbuffers(1, &mut renderbuffer);
    w.BindRenderbuffer(c::RENDERBUFFER, renderbuffer);
    w.RenderbufferStorageMultisample(c::RENDERBUFFER, 4, c::RGBA8, SIDE, SIDE);
    let attachment = c::COLOR_ATTACHMENT0;
    w.FramebufferRenderbuffer(c::FRAMEBUFFER, attachment, c::RENDERBUFFER, renderbuffer);
    w.expect_complete();
    assert!(w.integer(c::SAMPLES) >= 4);
    w.clear([0, 0, 0, 255]);
    w.Enable(c::SCISSOR_TEST);
    w.Scissor(0, 0, 16, SIDE);
    draw([0.0, 1.0, 0.0, 1.0]);
    w.Disable(c::SCISSOR_TEST);
    w.rejects(c::INVALID_OPERATION, || {
        w.pixel(0, 0);
    });
    // A triangle's edge through a pixel covers a part of its samples.
    w.vertices(&[-1.0, -1.0, 1.0, -1.0, 1.0, 1.0]);
    w.DrawArrays(c::TRIANGLES, 0, 3);
    w.BindFramebuffer(c::DRAW_FRAMEBUFFER, 0);
    w.BlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, c::COLOR_BUFFER_BIT, c::NEAREST);
    w.BindFramebuffer(c::FRAMEBUFFER, 0);
    w.expect_rect(0, 0, 16, SIDE, [0, 255, 0, 255]);
    w.expect(16, 30, [0, 0, 0, 255]);
    w.expect(30, 2, [0, 255, 0, 255]);
    let edge = w.pixel(20, 20);
    assert!((50..=205).contains(&edge[1]), "the edge is a mixture: {edge:?}");
}

fn levels_layers_and_faces_are_attached_apart(w: &mut World) {
    let texture = w.new_texture(c::TEXTURE_2D_ARRAY);
    for level in 0..2 {
        let side = 4 >> level;
        w.TexImage3D(
            c::TEXTURE_2D_ARRAY,
            level,
            c::RGBA8 as i32,
            side,
            side,
            3,
            0,
            c::RGBA,
            c::UNSIGNED_BYTE,
            null(),
        );
    }
    // Two of three possible levels: complete, because there are to be no more.
    w.TexParameteri(c::TEXTURE_2D_ARRAY, c::TEXTURE_MAX_LEVEL, 1);
    let mut framebuffer = 0;
    w.GenFramebuffers(1, &mut framebuffer);
    w.BindFramebuffer(c::FRAMEBUFFER, framebuffer);
    let each = |visit: &dyn Fn(i32, i32, [u8; 4])| {
        for level in 0..2 {
            for layer in 0..3 {
                let attachment = c::COLOR_ATTACHMENT0;
                w.FramebufferTextureLayer(c::FRAMEBUFFER, attachment, texture, level, layer);
                w.expect_complete();
                visit(level, layer, [40 * level as u8, 50 * layer as u8, 3, 255]);
            }
        }
    };
    each(&|_, _, color| w.clear(color));
    each(&|level, _, color| w.expect_rect(0, 0, 4 >> level, 4 >> level, color));
    let cube = w.new_texture(c::TEXTURE_CUBE_MAP);
    let faces = (0..6).map(|i| c::TEXTURE_CUBE_MAP_POSITIVE_X + i);
    for face in faces.clone() {
        w.TexImage2D(face, 0, c::RGBA8 as i32, 2, 2, 0, c::RGBA, c::UNSIGNED_BYTE, null());
    }
    for pass in 0..2 {
        for face in faces.clone() {
            w.FramebufferTexture2D(c::FRAMEBUFFER, c::COLOR_ATTACHMENT0, face, cube, 0);
            let color = [face as u8, 1, 2, 255];
            if pass == 0 { w.clear(color) } else { w.expect_rect(0, 0, 2, 2, color) }
        }
    }
    w.rejects(c::INVALID_VALUE, || {
        w.FramebufferTextureLayer(c::FRAMEBUFFER, c::COLOR_ATTACHMENT0, texture, 0, -1);
    });
}

fn integers_are_cleared_drawn_and_read(w: &mut World) {
    let texture = w.new_texture(c::TEXTURE_2D);
    w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA32I as i32, 2, 2, 0, c::RGBA_INTEGER, c::INT, null());
    w.framebuffer_of(texture);
    w.Viewport(0, 0, 2, 2);
    let read = || {
        let mut values = [[99i32; 4]; 4];
        w.ReadPixels(0, 0, 2, 2, c::RGBA_INTEGER, c::INT, values.as_mut_ptr().cast());
        values
    };
    w.ClearBufferiv(c::COLOR, 0, [-1, 2, 1 << 30, i32::MIN].as_ptr());
    assert_eq!(read(), [[-1, 2, 1 << 30, i32::MIN]; 4]);
    let program =
        w.fragment_program("uniform ivec4 value; out ivec4 color; void main() { color = value; }");
    w.UseProgram(program);
    w.whole();
    w.Uniform4i(w.uniform(program, c"value"), 7, -7, i32::MAX, 0);
    w.strip();
    assert_eq!(read(), [[7, -7, i32::MAX, 0]; 4]);
    w.rejects(c::INVALID_OPERATION, || {
        w.pixel(0, 0);
    });
}

fn a_respecified_attachment_is_drawn_to(w: &mut World) {
    let draw = painter(w);
    let texture = w.texture(2, 2, &[[1; 4]; 4]);
    w.framebuffer_of(texture);
    w.Viewport(0, 0, 8, 8);
    draw([1.0, 0.0, 0.0, 1.0]);
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGBA8 as i32,
        8,
        8,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        [[3u8; 4]; 64].as_ptr().cast(),
    );
    w.expect_complete();
    w.expect_rect(0, 0, 8, 8, [3; 4]);
    draw([0.0, 1.0, 0.0, 1.0]);
    w.expect_rect(0, 0, 8, 8, [0, 255, 0, 255]);
    w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA8 as i32, 0, 0, 0, c::RGBA, c::UNSIGNED_BYTE, null());
    w.rejects(c::INVALID_FRAMEBUFFER_OPERATION, || draw([0.0; 4]));
}

fn invalidated_contents_may_be_drawn_over(w: &mut World) {
    if !w.is_es() && !w.has("GL_ARB_invalidate_subdata") {
        return;
    }
    let draw = painter(w);
    w.clear([1; 4]);
    w.InvalidateFramebuffer(c::FRAMEBUFFER, 2, [c::DEPTH, c::STENCIL].as_ptr());
    w.expect_all([1; 4]);
    w.InvalidateFramebuffer(c::FRAMEBUFFER, 1, [c::COLOR].as_ptr());
    draw([0.0, 0.0, 1.0, 1.0]);
    w.expect_all([0, 0, 255, 255]);
    w.rejects(c::INVALID_ENUM, || {
        w.InvalidateFramebuffer(c::FRAMEBUFFER, 1, [c::TEXTURE_2D].as_ptr());
    });
}

fn floats_are_drawn_and_read(w: &mut World) {
    let draw = painter(w);
    let texture = w.new_texture(c::TEXTURE_2D);
    w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA32F as i32, 2, 2, 0, c::RGBA, c::FLOAT, null());
    w.framebuffer_of(texture);
    w.Viewport(0, 0, 2, 2);
    let read = || {
        let mut values = [[9f32; 4]; 4];
        w.ReadPixels(0, 0, 2, 2, c::RGBA, c::FLOAT, values.as_mut_ptr().cast());
        values
    };
    w.ClearColor(-2.5, 1e10, 0.125, 7.0);
    w.Clear(c::COLOR_BUFFER_BIT);
    assert_eq!(read(), [[-2.5, 1e10, 0.125, 7.0]; 4]);
    draw([1000.5, -0.25, 1e-3, 2.0]);
    assert_eq!(read(), [[1000.5, -0.25, 1e-3, 2.0]; 4]);
}
