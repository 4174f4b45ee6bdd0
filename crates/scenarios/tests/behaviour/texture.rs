//! Textures: what is uploaded is what is sampled.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::SIDE;
use scenarios::{World, scenarios};
use std::ptr::null;

scenarios! { "texture";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        every_texel_is_where_it_was_put,
        a_part_is_replaced_and_no_more,
        rows_are_unpacked_by_their_alignment,
        no_draw_sees_a_later_image,
        a_respecified_texture_has_its_new_size,
        a_deleted_texture_is_unbound_and_its_name_is_new_again,
        mipmaps_are_made_of_their_base,
        the_framebuffer_is_copied_to_a_texture,
        a_cube_has_six_faces;
    [Es(30), Core(33)], Needs::PIXELS =>
        unpack_state_picks_a_rectangle,
        pixels_come_from_an_unpack_buffer,
        layers_and_slices_are_apart,
        immutable_storage_stays;
    [Es(32)], Needs::PIXELS => images_are_copied_between_textures, a_buffer_is_sampled_as_texels;
}

/// Samples `image` over the whole viewport.
pub fn sampler(w: &World) -> u32 {
    let program = if w.cell.api == Es(20) {
        w.program(
            "attribute vec2 position; varying vec2 uv; void main() { uv = position * 0.5 + 0.5; gl_Position = vec4(position, 0.0, 1.0); }",
            "varying vec2 uv; uniform sampler2D image; void main() { gl_FragColor = texture2D(image, uv); }",
        )
    } else {
        w.program(
            "layout(location = 0) in vec2 position; out vec2 uv; void main() { uv = position * 0.5 + 0.5; gl_Position = vec4(position, 0.0, 1.0); }",
            "in vec2 uv; uniform sampler2D image; out vec4 color; void main() { color = texture(image, uv); }",
        )
    };
    w.UseProgram(program);
    w.whole();
    program
}

/// Sixteen colours that differ in all channels.
fn sixteen() -> Vec<[u8; 4]> {
    (0..16u8).map(|i| [i * 16, 255 - i * 7, i, 128 + i]).collect()
}

/// The texture of 4×4 texels is drawn 8 times as large.
fn expect_texels(w: &World, texels: &[[u8; 4]]) {
    w.clear([1; 4]);
    w.strip();
    for (i, color) in texels.iter().enumerate() {
        let (x, y) = (i as i32 % 4, i as i32 / 4);
        w.expect_rect(8 * x, 8 * y, 8, 8, *color);
    }
}

fn every_texel_is_where_it_was_put(w: &mut World) {
    sampler(w);
    w.texture(4, 4, &sixteen());
    expect_texels(w, &sixteen());
}

fn a_part_is_replaced_and_no_more(w: &mut World) {
    sampler(w);
    w.texture(4, 4, &sixteen());
    expect_texels(w, &sixteen());
    let part = [[1u8, 2, 3, 4], [5, 6, 7, 8]];
    let sub = |x, y, width, height| {
        w.TexSubImage2D(
            c::TEXTURE_2D,
            0,
            x,
            y,
            width,
            height,
            c::RGBA,
            c::UNSIGNED_BYTE,
            part.as_ptr().cast(),
        );
    };
    sub(1, 2, 2, 1);
    sub(3, 0, 1, 2);
    let mut texels = sixteen();
    (texels[9], texels[10]) = (part[0], part[1]);
    (texels[3], texels[7]) = (part[0], part[1]);
    expect_texels(w, &texels);
    w.rejects(c::INVALID_VALUE, || sub(3, 3, 2, 1));
    w.rejects(c::INVALID_VALUE, || sub(-1, 0, 1, 1));
    expect_texels(w, &texels);
}

fn rows_are_unpacked_by_their_alignment(w: &mut World) {
    sampler(w);
    let texture = w.new_texture(c::TEXTURE_2D);
    assert_eq!(w.IsTexture(texture), 1);
    for alignment in [1, 2, 4, 8] {
        w.PixelStorei(c::UNPACK_ALIGNMENT, alignment);
        // Rows of three texels of three bytes.
        let row = 9usize.next_multiple_of(alignment as usize);
        let mut bytes = vec![0xEE; 3 * row];
        for (i, texel) in (0..9u8).map(|i| (i, [i * 20, 10 + i, 200 - i])) {
            let at = usize::from(i / 3) * row + usize::from(i % 3) * 3;
            bytes[at..at + 3].copy_from_slice(&texel);
        }
        w.TexImage2D(
            c::TEXTURE_2D,
            0,
            c::RGB as i32,
            3,
            3,
            0,
            c::RGB,
            c::UNSIGNED_BYTE,
            bytes.as_ptr().cast(),
        );
        w.Viewport(0, 0, 30, 30);
        w.strip();
        for i in 0..9 {
            let color = [i as u8 * 20, 10 + i as u8, 200 - i as u8, 255];
            w.expect_rect(10 * (i % 3), 10 * (i / 3), 10, 10, color);
        }
    }
    w.rejects(c::INVALID_VALUE, || w.PixelStorei(c::UNPACK_ALIGNMENT, 3));
}

fn no_draw_sees_a_later_image(w: &mut World) {
    sampler(w);
    w.texture(1, 1, &[[0; 4]]);
    w.Enable(c::SCISSOR_TEST);
    for i in 0..SIDE {
        let texel = [8 * i as u8, 255 - i as u8, 3, 255];
        if i % 2 == 0 {
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
        } else {
            w.TexImage2D(
                c::TEXTURE_2D,
                0,
                c::RGBA as i32,
                1,
                1,
                0,
                c::RGBA,
                c::UNSIGNED_BYTE,
                texel.as_ptr().cast(),
            );
        }
        w.Scissor(i, 0, 1, SIDE);
        w.strip();
    }
    w.TexSubImage2D(
        c::TEXTURE_2D,
        0,
        0,
        0,
        1,
        1,
        c::RGBA,
        c::UNSIGNED_BYTE,
        [9u8; 4].as_ptr().cast(),
    );
    w.Disable(c::SCISSOR_TEST);
    for i in 0..SIDE {
        w.expect_rect(i, 0, 1, SIDE, [8 * i as u8, 255 - i as u8, 3, 255]);
    }
}

fn a_respecified_texture_has_its_new_size(w: &mut World) {
    sampler(w);
    w.texture(1, 1, &[[255, 0, 0, 255]]);
    w.strip();
    w.expect_all([255, 0, 0, 255]);
    let texels = sixteen();
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGBA as i32,
        4,
        4,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        texels.as_ptr().cast(),
    );
    expect_texels(w, &texels);
    // Another format: without alpha.
    let bytes: Vec<u8> = texels.iter().flat_map(|t| t[..3].to_vec()).collect();
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGB as i32,
        4,
        4,
        0,
        c::RGB,
        c::UNSIGNED_BYTE,
        bytes.as_ptr().cast(),
    );
    let opaque: Vec<_> = texels.iter().map(|t| [t[0], t[1], t[2], 255]).collect();
    expect_texels(w, &opaque);
    // A texture whose levels are not all there is black.
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MIN_FILTER, c::NEAREST_MIPMAP_NEAREST as i32);
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MAG_FILTER, c::NEAREST as i32);
    w.strip();
    w.expect_all([0, 0, 0, 255]);
}

fn a_deleted_texture_is_unbound_and_its_name_is_new_again(w: &mut World) {
    sampler(w);
    let first = w.texture(1, 1, &[[255, 0, 0, 255]]);
    w.clear([9; 4]);
    w.Enable(c::SCISSOR_TEST);
    w.Scissor(0, 0, 16, 32);
    w.strip();
    w.DeleteTextures(1, &first);
    assert_eq!(w.integer(c::TEXTURE_BINDING_2D), 0);
    assert_eq!(w.IsTexture(first), 0);
    // Deaths and births with the draws behind them: slots are used again.
    for i in 0..50u8 {
        let texture = w.texture(1, 1, &[[i, 2 * i, 3, 255]]);
        w.Scissor(16, 0, 16, 32);
        w.strip();
        w.DeleteTextures(1, &texture);
    }
    w.Disable(c::SCISSOR_TEST);
    w.expect_rect(0, 0, 16, SIDE, [255, 0, 0, 255]);
    w.expect_rect(16, 0, 16, SIDE, [49, 98, 3, 255]);
    w.DeleteTextures(2, [0, 12345].as_ptr());
}

fn mipmaps_are_made_of_their_base(w: &mut World) {
    sampler(w);
    // Blocks of 2×2 texels of one colour: their average is that colour whatever the filter's rounding.
    let blocks = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]];
    let texels: Vec<[u8; 4]> = (0..16).map(|i| blocks[(i % 4) / 2 + i / 8 * 2]).collect();
    w.texture(4, 4, &texels);
    w.GenerateMipmap(c::TEXTURE_2D);
    w.TexParameteri(c::TEXTURE_2D, c::TEXTURE_MIN_FILTER, c::NEAREST_MIPMAP_NEAREST as i32);
    w.clear([1; 4]);
    // Two pixels for four texels: level 1.
    w.Viewport(0, 0, 2, 2);
    w.strip();
    // And one pixel: level 2, the average of the four.
    w.Viewport(8, 8, 1, 1);
    w.strip();
    for (i, color) in blocks.iter().enumerate() {
        w.expect(i as i32 % 2, i as i32 / 2, *color);
    }
    w.expect_near(8, 8, [128, 128, 128, 255]);
    w.rejects(c::INVALID_ENUM, || w.GenerateMipmap(c::RENDERBUFFER));
}

fn the_framebuffer_is_copied_to_a_texture(w: &mut World) {
    sampler(w);
    w.clear([10, 20, 30, 40]);
    w.Enable(c::SCISSOR_TEST);
    w.Scissor(4, 4, 2, 4);
    w.clear([50, 60, 70, 80]);
    w.Disable(c::SCISSOR_TEST);
    w.new_texture(c::TEXTURE_2D);
    w.CopyTexImage2D(c::TEXTURE_2D, 0, c::RGBA, 4, 4, 4, 4, 0);
    // What is cleared later was not copied.
    w.clear([99; 4]);
    let (on, off) = ([50, 60, 70, 80], [10, 20, 30, 40]);
    let mut texels: Vec<_> = (0..16).map(|i| if i % 4 < 2 { on } else { off }).collect();
    expect_texels(w, &texels);
    w.clear([7; 4]);
    w.CopyTexSubImage2D(c::TEXTURE_2D, 0, 2, 1, 0, 0, 2, 2);
    for i in [6, 7, 10, 11] {
        texels[i] = [7; 4];
    }
    expect_texels(w, &texels);
}

fn a_cube_has_six_faces(w: &mut World) {
    let program = if w.cell.api == Es(20) {
        w.program(
            "attribute vec2 position; void main() { gl_Position = vec4(position, 0.0, 1.0); }",
            "uniform samplerCube image; uniform vec3 way; void main() { gl_FragColor = textureCube(image, way); }",
        )
    } else {
        w.fragment_program(
            "uniform samplerCube image; uniform vec3 way; out vec4 color; void main() { color = texture(image, way); }",
        )
    };
    w.UseProgram(program);
    w.whole();
    w.new_texture(c::TEXTURE_CUBE_MAP);
    for i in 0..6u32 {
        let texel = [40 * i as u8, 255 - 40 * i as u8, 7, 255];
        let face = c::TEXTURE_CUBE_MAP_POSITIVE_X + i;
        w.TexImage2D(
            face,
            0,
            c::RGBA as i32,
            1,
            1,
            0,
            c::RGBA,
            c::UNSIGNED_BYTE,
            texel.as_ptr().cast(),
        );
    }
    let way = w.uniform(program, c"way");
    for i in 0..6 {
        let mut direction = [0.0f32; 3];
        direction[i / 2] = if i % 2 == 0 { 1.0 } else { -1.0 };
        w.Uniform3fv(way, 1, direction.as_ptr());
        w.strip();
        w.expect_all([40 * i as u8, 255 - 40 * i as u8, 7, 255]);
    }
}

fn unpack_state_picks_a_rectangle(w: &mut World) {
    sampler(w);
    w.new_texture(c::TEXTURE_2D);
    // A picture of 10 × 8 texels, of which 4 × 4 at (3, 2) are taken.
    let picture: Vec<[u8; 4]> = (0..80u8).map(|i| [i, 255 - i, i * 3, 255]).collect();
    w.PixelStorei(c::UNPACK_ROW_LENGTH, 10);
    w.PixelStorei(c::UNPACK_SKIP_PIXELS, 3);
    w.PixelStorei(c::UNPACK_SKIP_ROWS, 2);
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGBA8 as i32,
        4,
        4,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        picture.as_ptr().cast(),
    );
    let texels: Vec<_> = (0..16).map(|i| picture[(2 + i / 4) * 10 + 3 + i % 4]).collect();
    expect_texels(w, &texels);
    // The same for three dimensions: layers of 10 × 4.
    w.PixelStorei(c::UNPACK_IMAGE_HEIGHT, 4);
    w.PixelStorei(c::UNPACK_SKIP_IMAGES, 1);
    w.PixelStorei(c::UNPACK_SKIP_ROWS, 0);
    w.new_texture(c::TEXTURE_3D);
    w.TexImage3D(
        c::TEXTURE_3D,
        0,
        c::RGBA8 as i32,
        4,
        4,
        1,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        picture.as_ptr().cast(),
    );
    let program = w.program(
        "layout(location = 0) in vec2 position; out vec2 uv; void main() { uv = position * 0.5 + 0.5; gl_Position = vec4(position, 0.0, 1.0); }",
        "precision highp sampler3D; in vec2 uv; uniform sampler3D image; out vec4 color; void main() { color = texture(image, vec3(uv, 0.5)); }",
    );
    w.UseProgram(program);
    let texels: Vec<_> = (0..16).map(|i| picture[40 + i / 4 * 10 + 3 + i % 4]).collect();
    expect_texels(w, &texels);
}

fn pixels_come_from_an_unpack_buffer(w: &mut World) {
    sampler(w);
    w.new_texture(c::TEXTURE_2D);
    let mut bytes = vec![[0xEE; 4]; 2];
    bytes.extend(sixteen());
    let buffer = w.buffer(c::PIXEL_UNPACK_BUFFER, &bytes);
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGBA8 as i32,
        4,
        4,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        8 as *const _,
    );
    // The buffer may change at once.
    w.BufferSubData(c::PIXEL_UNPACK_BUFFER, 0, 72, [0u8; 72].as_ptr().cast());
    w.BindBuffer(c::PIXEL_UNPACK_BUFFER, 0);
    expect_texels(w, &sixteen());
    w.BindBuffer(c::PIXEL_UNPACK_BUFFER, buffer);
    w.TexSubImage2D(c::TEXTURE_2D, 0, 0, 1, 4, 1, c::RGBA, c::UNSIGNED_BYTE, null());
    w.rejects(c::INVALID_OPERATION, || {
        w.TexSubImage2D(c::TEXTURE_2D, 0, 0, 0, 4, 4, c::RGBA, c::UNSIGNED_BYTE, 12 as *const _);
    });
    w.BindBuffer(c::PIXEL_UNPACK_BUFFER, 0);
    let mut texels = sixteen();
    texels[4..8].fill([0; 4]);
    expect_texels(w, &texels);
}

fn layers_and_slices_are_apart(w: &mut World) {
    for (target, sampler, filter) in [
        (c::TEXTURE_2D_ARRAY, "sampler2DArray", "layer"),
        (c::TEXTURE_3D, "sampler3D", "(layer + 0.5) / 4.0"),
    ] {
        let program = w.fragment_program(&format!(
            "precision highp {sampler}; uniform {sampler} image; uniform float layer; out vec4 color;
             void main() {{ color = texture(image, vec3(0.5, 0.5, {filter})); }}"
        ));
        w.UseProgram(program);
        w.whole();
        w.new_texture(target);
        let texels: Vec<[u8; 4]> = (0..4).map(|i| [60 * i, 1, 2, 255]).collect();
        w.TexImage3D(
            target,
            0,
            c::RGBA8 as i32,
            1,
            1,
            4,
            0,
            c::RGBA,
            c::UNSIGNED_BYTE,
            texels.as_ptr().cast(),
        );
        w.TexSubImage3D(
            target,
            0,
            0,
            0,
            2,
            1,
            1,
            1,
            c::RGBA,
            c::UNSIGNED_BYTE,
            [77u8, 1, 2, 255].as_ptr().cast(),
        );
        let layer = w.uniform(program, c"layer");
        for (i, red) in [0, 60, 77, 180].into_iter().enumerate() {
            w.Uniform1f(layer, i as f32);
            w.strip();
            w.expect_all([red, 1, 2, 255]);
        }
    }
}

fn immutable_storage_stays(w: &mut World) {
    if !w.is_es() && !w.has("GL_ARB_texture_storage") {
        return;
    }
    sampler(w);
    let texture = w.new_texture(c::TEXTURE_2D);
    w.TexStorage2D(c::TEXTURE_2D, 2, c::RGBA8, 4, 4);
    w.TexSubImage2D(
        c::TEXTURE_2D,
        0,
        0,
        0,
        4,
        4,
        c::RGBA,
        c::UNSIGNED_BYTE,
        sixteen().as_ptr().cast(),
    );
    expect_texels(w, &sixteen());
    w.rejects(c::INVALID_OPERATION, || {
        w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA8 as i32, 1, 1, 0, c::RGBA, c::UNSIGNED_BYTE, null());
    });
    w.rejects(c::INVALID_OPERATION, || w.TexStorage2D(c::TEXTURE_2D, 1, c::RGBA8, 1, 1));
    let mut value = 0;
    w.GetTexParameteriv(c::TEXTURE_2D, c::TEXTURE_IMMUTABLE_FORMAT, &mut value);
    assert_eq!(value, 1);
    expect_texels(w, &sixteen());
    w.BindTexture(c::TEXTURE_2D, 0);
    w.rejects(c::INVALID_OPERATION, || w.TexStorage2D(c::TEXTURE_2D, 1, c::RGBA8, 1, 1));
    w.BindTexture(c::TEXTURE_2D, texture);
    w.rejects(c::INVALID_OPERATION, || w.BindTexture(c::TEXTURE_3D, texture));
}

fn images_are_copied_between_textures(w: &mut World) {
    sampler(w);
    let from = w.texture(4, 4, &sixteen());
    let to = w.texture(4, 4, &[[9; 4]; 16]);
    w.CopyImageSubData(from, c::TEXTURE_2D, 0, 1, 1, 0, to, c::TEXTURE_2D, 0, 2, 0, 0, 2, 3, 1);
    w.no_error();
    let mut texels = vec![[9; 4]; 16];
    for y in 0..3 {
        for x in 0..2 {
            texels[4 * y + 2 + x] = sixteen()[4 * (y + 1) + 1 + x];
        }
    }
    expect_texels(w, &texels);
}

fn a_buffer_is_sampled_as_texels(w: &mut World) {
    let program = w.fragment_program(
        "precision highp samplerBuffer; uniform samplerBuffer image; uniform int at; out vec4 color;
         void main() { color = texelFetch(image, at); }",
    );
    w.UseProgram(program);
    w.whole();
    w.buffer(c::TEXTURE_BUFFER, &sixteen());
    let buffer = w.integer(c::TEXTURE_BUFFER_BINDING) as u32;
    w.new_texture(c::TEXTURE_BUFFER);
    w.TexBuffer(c::TEXTURE_BUFFER, c::RGBA8, buffer);
    let at = w.uniform(program, c"at");
    w.Uniform1i(at, 5);
    w.strip();
    w.expect_all(sixteen()[5]);
    // The texture sees what the buffer becomes.
    w.BufferSubData(c::TEXTURE_BUFFER, 20, 4, [1u8, 2, 3, 4].as_ptr().cast());
    w.strip();
    w.expect_all([1, 2, 3, 4]);
}
