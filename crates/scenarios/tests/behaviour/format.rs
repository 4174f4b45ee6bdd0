//! Formats of texels.

use crate::texture::sampler;
use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "format";
    [Es(30), Core(33)], Needs::PIXELS =>
        integer_textures_keep_their_integers,
        formats_have_the_channels_that_they_name;
    [Es(20)], Needs::PIXELS => luminance_and_alpha_are_spread;
    [Es(30), Es(32)], Needs::PIXELS => compressed_blocks_are_decoded;
}

fn integer_textures_keep_their_integers(w: &mut World) {
    let program = w.fragment_program(
        "precision highp isampler2D; precision highp usampler2D;
         uniform isampler2D signed_; uniform usampler2D unsigned_; out vec4 color;
         void main() {
             bool a = texelFetch(signed_, ivec2(1, 0), 0) == ivec4(-5, 2000000000, 0, 1);
             bool b = texelFetch(unsigned_, ivec2(0, 0), 0) == uvec4(65535u, 3u, 2u, 1u);
             color = vec4(0.0, a ? 1.0 : 0.0, b ? 1.0 : 0.0, 1.0);
         }",
    );
    w.UseProgram(program);
    w.whole();
    w.Uniform1i(w.uniform(program, c"unsigned_"), 1);
    w.new_texture(c::TEXTURE_2D);
    let data = [[1i32, 2], [-5, 2_000_000_000]];
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RG32I as i32,
        2,
        1,
        0,
        c::RG_INTEGER,
        c::INT,
        data.as_ptr().cast(),
    );
    w.ActiveTexture(c::TEXTURE1);
    w.new_texture(c::TEXTURE_2D);
    let data = [65535u16, 3, 2, 1];
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGBA16UI as i32,
        1,
        1,
        0,
        c::RGBA_INTEGER,
        c::UNSIGNED_SHORT,
        data.as_ptr().cast(),
    );
    w.strip();
    w.expect_all([0, 255, 255, 255]);
}

fn try_format<T: Copy>(
    w: &World,
    (internal, format, ty): (u32, u32, u32),
    texel: &[T],
    color: [u8; 4],
) {
    w.new_texture(c::TEXTURE_2D);
    w.TexImage2D(c::TEXTURE_2D, 0, internal as i32, 1, 1, 0, format, ty, texel.as_ptr().cast());
    w.no_error();
    w.clear([1; 4]);
    w.strip();
    let got = w.pixel(5, 5);
    let near = got.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 1);
    assert!(near, "format {internal:#06x}: {got:?}, not {color:?}");
}

fn formats_have_the_channels_that_they_name(w: &mut World) {
    sampler(w);
    let (byte, float) = (c::UNSIGNED_BYTE, c::FLOAT);
    try_format(w, (c::R8, c::RED, byte), &[77u8], [77, 0, 0, 255]);
    try_format(w, (c::RG8, c::RG, byte), &[77u8, 88], [77, 88, 0, 255]);
    try_format(w, (c::RGB8, c::RGB, byte), &[7u8, 8, 9], [7, 8, 9, 255]);
    try_format(w, (c::RGB565, c::RGB, c::UNSIGNED_SHORT_5_6_5), &[0xF81Fu16], [255, 0, 255, 255]);
    try_format(w, (c::RGBA4, c::RGBA, c::UNSIGNED_SHORT_4_4_4_4), &[0xF0A5u16], [255, 0, 170, 85]);
    try_format(w, (c::RGB5_A1, c::RGBA, c::UNSIGNED_SHORT_5_5_5_1), &[0x07C1u16], [0, 255, 0, 255]);
    try_format(
        w,
        (c::RGB10_A2, c::RGBA, c::UNSIGNED_INT_2_10_10_10_REV),
        &[1023u32 | 1 << 30],
        [255, 0, 0, 85],
    );
    try_format(w, (c::R32F, c::RED, float), &[0.2f32], [51, 0, 0, 255]);
    try_format(w, (c::RGBA32F, c::RGBA, float), &[0.2f32, 2.0, -1.0, 0.4], [51, 255, 0, 102]);
    try_format(
        w,
        (c::RGBA16F, c::RGBA, c::HALF_FLOAT),
        &[0x3C00u16, 0, 0x3800, 0x3C00],
        [255, 0, 128, 255],
    );
    try_format(w, (c::RGBA8_SNORM, c::RGBA, c::BYTE), &[127i8, -127, 0, 127], [255, 0, 0, 255]);
    try_format(w, (c::R11F_G11F_B10F, c::RGB, float), &[1.0f32, 0.5, 0.25], [255, 128, 64, 255]);
    try_format(w, (c::RGB9_E5, c::RGB, float), &[1.0f32, 0.5, 0.25], [255, 128, 64, 255]);
    // sRGB: 188 decodes to 0.5029.
    try_format(w, (c::SRGB8_ALPHA8, c::RGBA, byte), &[188u8, 255, 0, 100], [128, 255, 0, 100]);
    w.rejects(c::INVALID_OPERATION, || {
        w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA8UI as i32, 1, 1, 0, c::RGBA, byte, null());
    });
}

fn luminance_and_alpha_are_spread(w: &mut World) {
    sampler(w);
    let byte = c::UNSIGNED_BYTE;
    try_format(w, (c::LUMINANCE, c::LUMINANCE, byte), &[77u8], [77, 77, 77, 255]);
    try_format(w, (c::ALPHA, c::ALPHA, byte), &[77u8], [0, 0, 0, 77]);
    try_format(w, (c::LUMINANCE_ALPHA, c::LUMINANCE_ALPHA, byte), &[77u8, 88], [77, 77, 77, 88]);
    try_format(w, (c::RGBA, c::RGBA, c::UNSIGNED_SHORT_4_4_4_4), &[0xF0A5u16], [255, 0, 170, 85]);
    try_format(w, (c::RGB, c::RGB, c::UNSIGNED_SHORT_5_6_5), &[0xF81Fu16], [255, 0, 255, 255]);
}

fn compressed_blocks_are_decoded(w: &mut World) {
    sampler(w);
    w.new_texture(c::TEXTURE_2D);
    // ETC2, individual mode: both halves of the block have the base colour (15, 0, 0) of four bits, and all texels the modifier +2.
    let block = [0xFFu8, 0, 0, 0, 0, 0, 0, 0];
    w.CompressedTexImage2D(
        c::TEXTURE_2D,
        0,
        c::COMPRESSED_RGB8_ETC2,
        4,
        4,
        0,
        8,
        block.as_ptr().cast(),
    );
    w.strip();
    w.expect_all([255, 2, 2, 255]);
    let block = [0u8, 0xFF, 0, 0, 0, 0, 0, 0];
    w.CompressedTexSubImage2D(
        c::TEXTURE_2D,
        0,
        0,
        0,
        4,
        4,
        c::COMPRESSED_RGB8_ETC2,
        8,
        block.as_ptr().cast(),
    );
    w.strip();
    w.expect_all([2, 255, 2, 255]);
    w.rejects(c::INVALID_VALUE, || {
        w.CompressedTexImage2D(
            c::TEXTURE_2D,
            0,
            c::COMPRESSED_RGB8_ETC2,
            4,
            4,
            0,
            7,
            block.as_ptr().cast(),
        );
    });
    w.strip();
    w.expect_all([2, 255, 2, 255]);
}
