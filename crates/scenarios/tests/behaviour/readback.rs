//! Reading pixels back.

use forerun_pipe::gl as c;
use scenarios::Api::{Core, Es};
use scenarios::runner::Needs;
use scenarios::world::SIDE;
use scenarios::{Backend, World, scenarios};
use std::ptr::null_mut;

scenarios! { "readback";
    [Es(20), Es(30), Core(33)], Needs::PIXELS =>
        pixels_outside_do_no_harm,
        rows_are_packed_by_their_alignment;
    [Es(30), Core(33)], Needs::PIXELS =>
        pack_state_places_a_rectangle,
        pixels_go_to_a_pack_buffer,
        large_pictures_come_back_whole;
    [Core(33)], Needs::PIXELS => textures_are_read_back, other_formats_are_converted, colours_are_clamped_when_asked;
}

/// Pictures of some MiB cross in parts, several of which are on their way at once; while much of the stage is held by a map, one by one.
fn large_pictures_come_back_whole(w: &mut World) {
    let (width, height) = (1000, 777);
    let texel =
        |x: i32, y: i32| [x as u8, y as u8, (x >> 8 | y >> 8 << 4) as u8, (x * 7 + y) as u8];
    let texels: Vec<_> = (0..height).flat_map(|y| (0..width).map(move |x| texel(x, y))).collect();
    let texture = w.texture(width, height, &texels);
    w.framebuffer_of(texture);
    let access = c::MAP_WRITE_BIT | c::MAP_INVALIDATE_BUFFER_BIT;
    let mut maps = Vec::new();
    for held in [0, 4, 8] {
        while maps.len() < held {
            let buffer = w.buffer(c::COPY_WRITE_BUFFER, &vec![0u8; 2 << 20]);
            assert!(!w.MapBufferRange(c::COPY_WRITE_BUFFER, 0, 2 << 20, access).is_null());
            maps.push(buffer);
        }
        // Into memory, with room between the rows…
        w.PixelStorei(c::PACK_ROW_LENGTH, width + 3);
        let mut packed = vec![[0x77u8; 4]; ((width + 3) * height) as usize];
        let into = packed.as_mut_ptr().cast();
        w.ReadPixels(0, 0, width, height, c::RGBA, c::UNSIGNED_BYTE, into);
        w.PixelStorei(c::PACK_ROW_LENGTH, 0);
        for (row, expected) in
            packed.chunks((width + 3) as usize).zip(texels.chunks(width as usize))
        {
            assert_eq!(&row[..width as usize], expected, "{held} maps");
        }
        // …and by a buffer that is mapped.
        let size = (width * height * 4) as isize;
        let buffer = w.buffer(c::PIXEL_PACK_BUFFER, &vec![0u8; size as usize]);
        w.ReadPixels(0, 0, width, height, c::RGBA, c::UNSIGNED_BYTE, null_mut());
        let map = w.MapBufferRange(c::PIXEL_PACK_BUFFER, 0, size, c::MAP_READ_BIT);
        // SAFETY: as many bytes are mapped.
        let read = unsafe { std::slice::from_raw_parts(map.cast::<[u8; 4]>(), texels.len()) };
        assert!(read == texels, "{held} maps");
        w.UnmapBuffer(c::PIXEL_PACK_BUFFER);
        w.DeleteBuffers(1, &buffer);
    }
}

/// Every pixel says where it is.
fn gradient(w: &World) {
    w.Enable(c::SCISSOR_TEST);
    for y in 0..SIDE {
        for x in 0..4 {
            w.Scissor(8 * x, y, 8, 1);
            w.clear([60 * x as u8, 8 * y as u8, 3, 255]);
        }
    }
    w.Disable(c::SCISSOR_TEST);
}

fn at(x: i32, y: i32) -> [u8; 4] {
    [60 * (x / 8) as u8, 8 * y as u8, 3, 255]
}

fn pixels_outside_do_no_harm(w: &mut World) {
    gradient(w);
    // What is read outside is undefined; what is inside is where it belongs.
    let pixels = w.pixels(-4, -2, 10, 6);
    for (i, got) in pixels.into_iter().enumerate() {
        let (x, y) = (i as i32 % 10 - 4, i as i32 / 10 - 2);
        if x >= 0 && y >= 0 {
            assert_eq!(got, at(x, y), "at {x}, {y}");
        }
    }
    let pixels = w.pixels(30, 30, 4, 4);
    assert_eq!(pixels[0], at(30, 30));
    assert_eq!(pixels[5], at(31, 31));
    w.pixels(100, -100, 4, 4);
    w.rejects(c::INVALID_VALUE, || {
        w.ReadPixels(0, 0, -1, 1, c::RGBA, c::UNSIGNED_BYTE, null_mut());
    });
    w.rejects(c::INVALID_ENUM, || {
        w.ReadPixels(0, 0, 1, 1, c::TEXTURE_2D, c::UNSIGNED_BYTE, [0u8; 4].as_mut_ptr().cast());
    });
}

fn rows_are_packed_by_their_alignment(w: &mut World) {
    gradient(w);
    for alignment in [1, 4, 8] {
        w.PixelStorei(c::PACK_ALIGNMENT, alignment);
        let row = 12usize.next_multiple_of(alignment as usize);
        let mut bytes = vec![0x77u8; 2 * row];
        w.ReadPixels(7, 5, 3, 2, c::RGBA, c::UNSIGNED_BYTE, bytes.as_mut_ptr().cast());
        for y in 0..2 {
            for x in 0..3 {
                let from = y * row + 4 * x;
                assert_eq!(bytes[from..from + 4], at(7 + x as i32, 5 + y as i32));
            }
            // Padding of the last row is not written, and nobody reads that of the first.
            if y == 1 {
                assert!(bytes[y * row + 12..].iter().all(|b| *b == 0x77));
            }
        }
    }
}

fn pack_state_places_a_rectangle(w: &mut World) {
    gradient(w);
    w.PixelStorei(c::PACK_ROW_LENGTH, 10);
    w.PixelStorei(c::PACK_SKIP_PIXELS, 2);
    w.PixelStorei(c::PACK_SKIP_ROWS, 1);
    let mut picture = vec![[0x77u8; 4]; 40];
    w.ReadPixels(4, 4, 5, 2, c::RGBA, c::UNSIGNED_BYTE, picture.as_mut_ptr().cast());
    for (i, got) in picture.into_iter().enumerate() {
        let (x, y) = (i as i32 % 10 - 2, i as i32 / 10 - 1);
        let inside = (0..5).contains(&x) && (0..2).contains(&y);
        assert_eq!(got, if inside { at(4 + x, 4 + y) } else { [0x77; 4] }, "at {i}");
    }
}

fn pixels_go_to_a_pack_buffer(w: &mut World) {
    gradient(w);
    let buffer = w.buffer(c::PIXEL_PACK_BUFFER, &[0x77u8; 8 * 8 * 4 + 8]);
    w.ReadPixels(4, 4, 8, 8, c::RGBA, c::UNSIGNED_BYTE, 8 as *mut _);
    // What is drawn later is not read.
    w.clear([9; 4]);
    let map = w.MapBufferRange(c::PIXEL_PACK_BUFFER, 0, 264, c::MAP_READ_BIT);
    assert!(!map.is_null());
    // SAFETY: as many bytes are mapped.
    let bytes = unsafe { map.cast::<[u8; 264]>().read() };
    w.UnmapBuffer(c::PIXEL_PACK_BUFFER);
    assert_eq!(bytes[..8], [0x77; 8]);
    for (i, got) in bytes[8..].chunks(4).enumerate() {
        assert_eq!(got, at(4 + i as i32 % 8, 4 + i as i32 / 8));
    }
    w.rejects(c::INVALID_OPERATION, || {
        w.ReadPixels(0, 0, 8, 8, c::RGBA, c::UNSIGNED_BYTE, 12 as *mut _);
    });
    w.BindBuffer(c::PIXEL_PACK_BUFFER, 0);
    w.expect_all([9; 4]);
    // It may be the source of a texture.
    w.BindBuffer(c::PIXEL_UNPACK_BUFFER, buffer);
    w.new_texture(c::TEXTURE_2D);
    w.TexImage2D(
        c::TEXTURE_2D,
        0,
        c::RGBA8 as i32,
        8,
        8,
        0,
        c::RGBA,
        c::UNSIGNED_BYTE,
        8 as *const _,
    );
    w.BindBuffer(c::PIXEL_UNPACK_BUFFER, 0);
    let texture = w.integer(c::TEXTURE_BINDING_2D) as u32;
    w.framebuffer_of(texture);
    for (i, got) in w.pixels(0, 0, 8, 8).into_iter().enumerate() {
        assert_eq!(got, at(4 + i as i32 % 8, 4 + i as i32 / 8));
    }
}

fn textures_are_read_back(w: &mut World) {
    let texels: Vec<[u8; 4]> = (0..12u8).map(|i| [i, 20 * i, 255 - i, 7]).collect();
    w.texture(4, 3, &texels);
    let mut got = vec![[0u8; 4]; 12];
    w.GetTexImage(c::TEXTURE_2D, 0, c::RGBA, c::UNSIGNED_BYTE, got.as_mut_ptr().cast());
    assert_eq!(got, texels);
    let mut red = [0x77u8; 12];
    w.GetTexImage(c::TEXTURE_2D, 0, c::RED, c::UNSIGNED_BYTE, red.as_mut_ptr().cast());
    assert_eq!(red, std::array::from_fn(|i| i as u8));
    let mut size = 0;
    w.GetTexLevelParameteriv(c::TEXTURE_2D, 0, c::TEXTURE_HEIGHT, &mut size);
    assert_eq!(size, 3);
}

fn other_formats_are_converted(w: &mut World) {
    w.clear([51, 102, 255, 0]);
    let mut floats = [9.0f32; 4];
    w.ReadPixels(0, 0, 1, 1, c::RGBA, c::FLOAT, floats.as_mut_ptr().cast());
    for (got, expected) in floats.into_iter().zip([0.2, 0.4, 1.0, 0.0]) {
        assert!((got - expected).abs() < 1e-6, "{floats:?}");
    }
    let mut bytes = [9u8; 4];
    w.ReadPixels(0, 0, 1, 1, c::BGRA, c::UNSIGNED_BYTE, bytes.as_mut_ptr().cast());
    assert_eq!(bytes, [255, 102, 51, 0]);
    let mut red = [9u8; 4];
    w.PixelStorei(c::PACK_ALIGNMENT, 1);
    w.ReadPixels(0, 0, 4, 1, c::RED, c::UNSIGNED_BYTE, red.as_mut_ptr().cast());
    assert_eq!(red, [51; 4]);
    if w.cell.backend == Backend::Gles {
        // No depth is read from a host's OpenGL ES.
        return;
    }
    w.ClearDepth(0.25);
    w.Clear(c::DEPTH_BUFFER_BIT);
    let mut depth = 9.0f32;
    w.ReadPixels(3, 3, 1, 1, c::DEPTH_COMPONENT, c::FLOAT, (&raw mut depth).cast());
    assert!((depth - 0.25).abs() < 1e-6, "{depth}");
}

/// OpenGL 3.3, section 4.3.1: by default only fixed-point colours are clamped, which changes none.
fn colours_are_clamped_when_asked(w: &mut World) {
    let texture = w.new_texture(c::TEXTURE_2D);
    w.TexImage2D(c::TEXTURE_2D, 0, c::RGBA32F as i32, 2, 2, 0, c::RGBA, c::FLOAT, std::ptr::null());
    w.framebuffer_of(texture);
    w.ClearColor(2.5, -1.5, 0.25, 1.0);
    w.Clear(c::COLOR_BUFFER_BIT);
    let pixel = || {
        let mut pixel = [9.0f32; 4];
        w.ReadPixels(1, 1, 1, 1, c::RGBA, c::FLOAT, pixel.as_mut_ptr().cast());
        pixel
    };
    assert_eq!(w.integer(c::CLAMP_READ_COLOR) as u32, c::FIXED_ONLY);
    assert_eq!(pixel(), [2.5, -1.5, 0.25, 1.0]);
    w.ClampColor(c::CLAMP_READ_COLOR, c::TRUE);
    assert_eq!(pixel(), [1.0, 0.0, 0.25, 1.0]);
    let pack = w.buffer(c::PIXEL_PACK_BUFFER, &[0.0f32; 4]);
    w.ReadPixels(0, 0, 1, 1, c::RGBA, c::FLOAT, null_mut());
    let mut packed = [7.0f32; 4];
    w.GetBufferSubData(c::PIXEL_PACK_BUFFER, 0, 16, packed.as_mut_ptr().cast());
    assert_eq!(packed, [1.0, 0.0, 0.25, 1.0]);
    w.BindBuffer(c::PIXEL_PACK_BUFFER, 0);
    w.DeleteBuffers(1, &pack);
    w.ClampColor(c::CLAMP_READ_COLOR, c::FALSE);
    assert_eq!(pixel(), [2.5, -1.5, 0.25, 1.0]);
    w.rejects(c::INVALID_ENUM, || w.ClampColor(c::CLAMP_VERTEX_COLOR, c::TRUE));
    w.rejects(c::INVALID_ENUM, || w.ClampColor(c::CLAMP_READ_COLOR, c::NICEST));
}
