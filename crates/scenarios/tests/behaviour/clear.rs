//! Clearing.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};

scenarios! { "clear";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        a_clear_is_read_back_to_the_bit,
        a_clear_respects_scissor_and_mask,
        the_last_of_many_clears_counts;
    [Es(30), Core(33)], Needs::PIXELS => clear_buffer_clears_one_buffer;
    [Core(33)], Needs::PIXELS => clear_colors_may_be_integers;
}

fn a_clear_is_read_back_to_the_bit(w: &mut World) {
    for color in [[0, 0, 0, 0], [255, 255, 255, 255], [1, 2, 3, 4], [200, 100, 50, 25]] {
        w.clear(color);
        w.expect_all(color);
    }
}

fn a_clear_respects_scissor_and_mask(w: &mut World) {
    w.clear([10, 20, 30, 40]);
    w.Enable(c::SCISSOR_TEST);
    w.Scissor(4, 8, 12, 6);
    w.ColorMask(1, 0, 0, 1);
    w.clear([99, 98, 97, 96]);
    w.Disable(c::SCISSOR_TEST);
    w.ColorMask(1, 1, 1, 1);
    w.expect_rect(4, 8, 12, 6, [99, 20, 30, 96]);
    w.expect_rect(0, 0, 32, 8, [10, 20, 30, 40]);
    w.expect_rect(16, 8, 16, 24, [10, 20, 30, 40]);
    w.expect_rect(0, 14, 32, 18, [10, 20, 30, 40]);
}

fn the_last_of_many_clears_counts(w: &mut World) {
    for i in 0..=255u8 {
        w.clear([i, 255 - i, i ^ 0x55, 7]);
    }
    w.expect_all([255, 0, 0xAA, 7]);
}

fn clear_buffer_clears_one_buffer(w: &mut World) {
    w.clear([1, 1, 1, 1]);
    w.ClearBufferfv(c::COLOR, 0, [0.0f32, 1.0, 0.0, 1.0].as_ptr());
    w.expect_all([0, 255, 0, 255]);
    w.ClearColor(1.0, 0.0, 0.0, 1.0);
    w.ClearBufferfi(c::DEPTH_STENCIL, 0, 0.5, 3);
    w.expect_all([0, 255, 0, 255]);
    w.rejects(c::INVALID_VALUE, || w.ClearBufferfv(c::COLOR, 99, [0.0f32; 4].as_ptr()));
    w.rejects(c::INVALID_ENUM, || w.ClearBufferfv(c::STENCIL, 0, [0.0f32; 4].as_ptr()));
}

fn clear_colors_may_be_integers(w: &mut World) {
    let texture = w.new_texture(c::TEXTURE_2D);
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGBA32I as i32,
        2,
        2,
        0,
        c::RGBA_INTEGER,
        c::INT,
        std::ptr::null(),
    );
    let window = w.integer(c::DRAW_FRAMEBUFFER_BINDING);
    w.framebuffer_of(texture);
    let read = || {
        let mut values = [0i32; 4];
        w.ReadPixels(1, 1, 1, 1, c::RGBA_INTEGER, c::INT, values.as_mut_ptr().cast());
        values
    };
    // No float holds the first.
    let color = [i32::MAX - 1, -7, i32::MIN, 16_777_217];
    w.ClearColorIiEXT(color[0], color[1], color[2], color[3]);
    w.Clear(c::COLOR_BUFFER_BIT | c::DEPTH_BUFFER_BIT);
    assert_eq!(read(), color);
    let mut said = [0; 4];
    w.GetIntegerv(c::COLOR_CLEAR_VALUE, said.as_mut_ptr());
    assert_eq!(said, color);
    w.BindFramebuffer(c::FRAMEBUFFER, window as u32);
    w.clear([1, 2, 3, 4]);
    w.expect_all([1, 2, 3, 4]);
}
