//! Several contexts of a share group.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::{FIRST, SIDE};
use scenarios::{World, scenarios};

scenarios! { "share";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        contexts_keep_their_own_state,
        objects_are_shared_and_containers_are_not,
        a_deleted_texture_lives_where_it_is_bound;
    [Es(30), Core(33)], Needs::PIXELS =>
        what_one_context_writes_another_draws_from,
        a_program_of_another_context_is_used;
    [Es(20), Es(32), Core(33)], Needs::NOTHING => contexts_come_and_go;
}

fn painter(w: &World) -> (u32, i32) {
    let program = w.painter();
    let color = w.uniform(program, c"color");
    w.UseProgram(program);
    w.whole();
    (program, color)
}

fn contexts_keep_their_own_state(w: &mut World) {
    let first = w.new_context();
    let second = w.new_context();
    w.make_current(first);
    w.setup();
    let (program, color) = painter(w);
    w.Uniform4f(color, 1.0, 0.0, 0.0, 1.0);
    w.Enable(c::SCISSOR_TEST);
    w.Scissor(0, 0, 16, SIDE);
    w.ClearColor(0.2, 0.2, 0.2, 1.0);
    w.make_current(second);
    w.setup();
    let (_, other) = painter(w);
    w.Uniform4f(other, 0.0, 1.0, 0.0, 1.0);
    assert_eq!(w.IsEnabled(c::SCISSOR_TEST), 0);
    w.Clear(c::COLOR_BUFFER_BIT);
    for i in 0..4 {
        w.make_current(first);
        if i == 2 {
            w.Clear(c::COLOR_BUFFER_BIT);
        } else {
            w.strip();
        }
        w.make_current(second);
        w.Viewport(16, 0, 16, 4 * (i + 1));
        w.strip();
    }
    w.expect_rect(0, 0, 16, SIDE, [255, 0, 0, 255]);
    w.expect_rect(16, 0, 16, 16, [0, 255, 0, 255]);
    w.expect_rect(16, 16, 16, 16, [0; 4]);
    w.make_current(first);
    assert_eq!(w.integer(c::CURRENT_PROGRAM) as u32, program);
    // Errors are each context's own.
    w.Enable(0x7777);
    w.make_current(second);
    w.no_error();
    w.make_current(first);
    assert_eq!(w.GetError(), c::INVALID_ENUM);
}

fn objects_are_shared_and_containers_are_not(w: &mut World) {
    let second = w.new_context();
    let texture = w.texture(1, 1, &[[1, 2, 3, 4]]);
    let buffer = w.buffer(c::ARRAY_BUFFER, &[0u8; 8]);
    let framebuffer = w.framebuffer_of(texture);
    let program = w.painter();
    w.make_current(second);
    assert_eq!((w.IsTexture(texture), w.IsBuffer(buffer), w.IsProgram(program)), (1, 1, 1));
    assert_eq!(w.IsFramebuffer(framebuffer), 0);
    assert_eq!(w.integer(c::TEXTURE_BINDING_2D), 0);
    // A framebuffer of this context around the other's texture.
    w.framebuffer_of(texture);
    w.expect(0, 0, [1, 2, 3, 4]);
    w.clear([9, 8, 7, 6]);
    w.Flush();
}

fn a_deleted_texture_lives_where_it_is_bound(w: &mut World) {
    let second = w.new_context();
    let texture = w.texture(2, 2, &[[1, 2, 3, 4]; 4]);
    w.framebuffer_of(texture);
    w.Finish();
    w.make_current(second);
    w.DeleteTextures(1, &texture);
    assert_eq!(w.IsTexture(texture), 0);
    w.texture(2, 2, &[[9; 4]; 4]);
    w.Finish();
    w.make_current(FIRST);
    w.expect_complete();
    w.expect_rect(0, 0, 2, 2, [1, 2, 3, 4]);
    w.clear([5, 6, 7, 8]);
    w.expect_rect(0, 0, 2, 2, [5, 6, 7, 8]);
}

fn what_one_context_writes_another_draws_from(w: &mut World) {
    let second = w.new_context();
    let program = w.fragment_program(
        "uniform sampler2D image; out vec4 color; void main() { color = texture(image, vec2(0.5)); }",
    );
    w.UseProgram(program);
    let vertices = w.whole();
    let texture = w.texture(1, 1, &[[0; 4]]);
    for i in 0..8u8 {
        w.make_current(second);
        w.BindTexture(c::TEXTURE_2D, texture);
        let texel = [30 * i, 1, 2, 255];
        if i % 2 == 0 {
            w.TexImage2D(
                c::TEXTURE_2D,
                0,
                c::RGBA8 as i32,
                1,
                1,
                0,
                c::RGBA,
                c::UNSIGNED_BYTE,
                texel.as_ptr().cast(),
            );
        } else {
            w.TexSubImage2D(
                c::TEXTURE_2D,
                0,
                0,
                0,
                1,
                1,
                c::RGBA,
                c::UNSIGNED_BYTE,
                texel.as_ptr().cast(),
            );
        }
        w.BindBuffer(c::ARRAY_BUFFER, vertices);
        let left = [
            -1.0f32,
            -1.0,
            1.0 - f32::from(i) / 4.0,
            -1.0,
            -1.0,
            1.0,
            1.0 - f32::from(i) / 4.0,
            1.0,
        ];
        w.BufferSubData(c::ARRAY_BUFFER, 0, 32, left.as_ptr().cast());
        w.Flush();
        w.make_current(FIRST);
        w.BindTexture(c::TEXTURE_2D, texture);
        w.clear([0; 4]);
        w.strip();
        let width = SIDE - 4 * i32::from(i);
        w.expect_rect(0, 0, width, SIDE, texel);
        if width < SIDE {
            w.expect_rect(width, 0, SIDE - width, SIDE, [0; 4]);
        }
    }
}

fn a_program_of_another_context_is_used(w: &mut World) {
    let second = w.new_context();
    let (program, color) = painter(w);
    w.make_current(second);
    w.setup();
    w.UseProgram(program);
    w.whole();
    w.Uniform4f(color, 0.0, 0.0, 1.0, 1.0);
    w.strip();
    w.expect_all([0, 0, 255, 255]);
    // Uniforms belong to the program: the first context sees the value.
    w.Flush();
    w.make_current(FIRST);
    w.clear([0; 4]);
    w.strip();
    w.expect_all([0, 0, 255, 255]);
    // Deleted there, it stays while it is in use here.
    w.make_current(second);
    w.UseProgram(0);
    w.DeleteProgram(program);
    w.make_current(FIRST);
    w.clear([0; 4]);
    w.strip();
    w.expect_all([0, 0, 255, 255]);
}

fn contexts_come_and_go(w: &mut World) {
    for i in 0..20 {
        let context = w.new_context();
        w.make_current(context);
        w.clear([i; 4]);
        w.GetError();
        w.make_current(FIRST);
        w.destroy(context);
        w.clear([i; 4]);
    }
}
