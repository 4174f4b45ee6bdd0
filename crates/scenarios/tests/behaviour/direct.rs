//! Direct state access: objects are changed by their names, and bindings stay as they were. Several bindings at once, and clears of
//! buffers.

use forerun_pipe::gl as c;
use scenarios::Api::Core;
use scenarios::runner::Needs;
use scenarios::{World, scenarios};
use std::ptr::{null, null_mut};

scenarios! { "direct";
    [Core(45)], Needs::DESKTOP =>
        buffers_are_filled_copied_and_mapped_by_name,
        buffers_are_cleared_with_texels,
        textures_are_made_and_read_by_name,
        faces_of_a_cube_map_are_layers,
        parts_of_images_are_read,
        framebuffers_are_built_cleared_and_blitted_by_name,
        vertex_arrays_are_built_by_name,
        feedback_objects_are_built_by_name,
        several_points_are_bound_at_once,
        names_that_are_no_objects_are_refused;
}

fn buffers_are_filled_copied_and_mapped_by_name(w: &mut World) {
    let mut names = [0; 2];
    w.CreateBuffers(2, names.as_mut_ptr());
    let [a, b] = names;
    assert_eq!((w.IsBuffer(a), w.IsBuffer(b)), (1, 1));
    let bound = w.buffer(c::COPY_WRITE_BUFFER, &[9u8; 4]);
    w.NamedBufferData(a, 16, [1u32, 2, 3, 4].as_ptr().cast(), c::STATIC_DRAW);
    w.NamedBufferStorage(
        b,
        16,
        null(),
        c::MAP_READ_BIT | c::MAP_WRITE_BIT | c::DYNAMIC_STORAGE_BIT,
    );
    w.NamedBufferSubData(a, 4, 4, [7u32].as_ptr().cast());
    w.CopyNamedBufferSubData(a, b, 0, 4, 12);
    let mut words = [0u32; 3];
    w.GetNamedBufferSubData(b, 4, 12, words.as_mut_ptr().cast());
    assert_eq!(words, [1, 7, 3]);
    let map = w.MapNamedBufferRange(b, 8, 8, c::MAP_READ_BIT | c::MAP_WRITE_BIT).cast::<u32>();
    // SAFETY: two words are mapped.
    unsafe {
        assert_eq!(map.read(), 7);
        map.add(1).write(21);
    }
    let (mut value, mut pointer) = (0, null_mut());
    w.GetNamedBufferParameteriv(b, c::BUFFER_MAPPED, &mut value);
    w.GetNamedBufferPointerv(b, c::BUFFER_MAP_POINTER, &mut pointer);
    assert_eq!((value, pointer), (1, map.cast()));
    assert_eq!(w.UnmapNamedBuffer(b), 1);
    let mut size = 0;
    w.GetNamedBufferParameteri64v(b, c::BUFFER_SIZE, &mut size);
    assert_eq!(size, 16);
    w.GetNamedBufferSubData(b, 12, 4, words.as_mut_ptr().cast());
    assert_eq!(words[0], 21);
    assert_eq!(w.integer(c::COPY_WRITE_BUFFER_BINDING) as u32, bound);
    w.rejects(c::INVALID_VALUE, || w.NamedBufferSubData(a, 12, 8, words.as_ptr().cast()));
    w.rejects(c::INVALID_OPERATION, || w.NamedBufferData(b, 4, null(), c::STATIC_DRAW));
    w.rejects(c::INVALID_OPERATION, || {
        w.UnmapNamedBuffer(a);
    });
}

fn buffers_are_cleared_with_texels(w: &mut World) {
    let buffer = w.buffer(c::COPY_WRITE_BUFFER, &[0xAAu8; 64]);
    let target = c::COPY_WRITE_BUFFER;
    let read = || {
        let mut bytes = [0u8; 64];
        w.GetBufferSubData(target, 0, 64, bytes.as_mut_ptr().cast());
        bytes
    };
    // RGBA8 from floats; half a texel up is none.
    let texel = [1.0f32, 0.0, 0.2, 1.0];
    w.ClearBufferSubData(target, c::RGBA8, 8, 8, c::RGBA, c::FLOAT, texel.as_ptr().cast());
    let mut expected = [0xAAu8; 64];
    expected[8..16].copy_from_slice(&[255, 0, 51, 255, 255, 0, 51, 255]);
    assert_eq!(read(), expected);
    // Three words of integers, components in the order of the format.
    let texel = [1u32, 2, 3];
    let (internal, ty) = (c::RGB32UI, c::UNSIGNED_INT);
    w.ClearBufferSubData(target, internal, 24, 24, c::RGB_INTEGER, ty, texel.as_ptr().cast());
    for word in 0..6usize {
        expected[24 + 4 * word..28 + 4 * word]
            .copy_from_slice(&(word as u32 % 3 + 1).to_ne_bytes());
    }
    assert_eq!(read(), expected);
    // Halves, one component; a missing texel is zero.
    w.ClearNamedBufferSubData(buffer, c::R16F, 0, 2, c::RED, c::FLOAT, [1.5f32].as_ptr().cast());
    expected[..2].copy_from_slice(&0x3E00u16.to_ne_bytes());
    assert_eq!(read(), expected);
    w.ClearNamedBufferData(buffer, c::R8UI, c::RED_INTEGER, c::UNSIGNED_BYTE, null());
    assert_eq!(read(), [0; 64]);
    let byte = [3u8];
    w.ClearBufferData(target, c::R8UI, c::RED_INTEGER, c::UNSIGNED_BYTE, byte.as_ptr().cast());
    assert_eq!(read(), [3; 64]);
    let clear = |internal, offset, size, format, ty| {
        w.ClearBufferSubData(target, internal, offset, size, format, ty, texel.as_ptr().cast());
    };
    let (red, byte) = (c::RED_INTEGER, c::UNSIGNED_BYTE);
    w.rejects(c::INVALID_ENUM, || clear(c::RGB8, 0, 3, c::RGB, byte));
    w.rejects(c::INVALID_VALUE, || clear(c::R32UI, 2, 4, red, byte));
    w.rejects(c::INVALID_VALUE, || clear(c::R32UI, 4, 2, red, byte));
    w.rejects(c::INVALID_VALUE, || clear(c::R32UI, 64, 4, red, byte));
    w.rejects(c::INVALID_VALUE, || clear(c::R32UI, -4, 4, red, byte));
    w.rejects(c::INVALID_VALUE, || clear(c::R32UI, 0, 4, c::TEXTURE_2D, byte));
    w.rejects(c::INVALID_VALUE, || clear(c::R32UI, 0, 4, red, c::TEXTURE_2D));
    w.rejects(c::INVALID_OPERATION, || clear(c::R32UI, 0, 4, c::RED, byte));
    w.MapBufferRange(target, 0, 4, c::MAP_READ_BIT);
    w.rejects(c::INVALID_OPERATION, || clear(c::R32UI, 0, 4, red, byte));
    w.UnmapBuffer(target);
    w.BindBuffer(target, 0);
    w.rejects(c::INVALID_OPERATION, || clear(c::R32UI, 0, 4, red, byte));
}

fn textures_are_made_and_read_by_name(w: &mut World) {
    let bound = w.texture(1, 1, &[[1, 2, 3, 4]]);
    let mut name = 0;
    w.CreateTextures(c::TEXTURE_2D, 1, &mut name);
    w.TextureStorage2D(name, 2, c::RGBA8, 2, 2);
    let texels: [[u8; 4]; 4] = [[10, 20, 30, 40], [50, 60, 70, 80], [90, 100, 110, 120], [130; 4]];
    let pixels = texels.as_ptr().cast();
    w.TextureSubImage2D(name, 0, 0, 0, 2, 2, c::RGBA, c::UNSIGNED_BYTE, pixels);
    w.TextureParameteri(name, c::TEXTURE_MIN_FILTER, c::NEAREST as i32);
    w.TextureParameterfv(name, c::TEXTURE_BORDER_COLOR, [0.5f32, 0.25, 0.0, 1.0].as_ptr());
    let (mut value, mut border) = (0, [0.0f32; 4]);
    w.GetTextureParameteriv(name, c::TEXTURE_MIN_FILTER, &mut value);
    w.GetTextureParameterfv(name, c::TEXTURE_BORDER_COLOR, border.as_mut_ptr());
    assert_eq!((value as u32, border), (c::NEAREST, [0.5, 0.25, 0.0, 1.0]));
    w.GetTextureLevelParameteriv(name, 1, c::TEXTURE_WIDTH, &mut value);
    assert_eq!(value, 1);
    w.GetTextureParameteriv(name, c::TEXTURE_TARGET, &mut value);
    assert_eq!(value as u32, c::TEXTURE_2D);
    let mut read = [[0u8; 4]; 4];
    w.GetTextureImage(name, 0, c::RGBA, c::UNSIGNED_BYTE, 16, read.as_mut_ptr().cast());
    assert_eq!(read, texels);
    w.rejects(c::INVALID_OPERATION, || {
        w.GetTextureImage(name, 0, c::RGBA, c::UNSIGNED_BYTE, 15, read.as_mut_ptr().cast());
    });
    w.TextureSubImage2D(name, 0, 0, 0, 2, 2, c::RGBA, c::UNSIGNED_BYTE, [40u8; 16].as_ptr().cast());
    w.GenerateTextureMipmap(name);
    w.GetTextureImage(name, 1, c::RGBA, c::UNSIGNED_BYTE, 4, read.as_mut_ptr().cast());
    assert_eq!(read[0], [40; 4]);
    assert_eq!(w.integer(c::TEXTURE_BINDING_2D) as u32, bound);
    // It can be sampled where it is bound by unit.
    let program = w.fragment_program(
        "layout(binding = 3) uniform sampler2D image; out vec4 color;
         void main() { color = texelFetch(image, ivec2(0), 0); }",
    );
    w.UseProgram(program);
    w.BindTextureUnit(3, name);
    w.whole();
    w.strip();
    w.expect_all([40; 4]);
    let mut buffer_texture = 0;
    w.CreateTextures(c::TEXTURE_BUFFER, 1, &mut buffer_texture);
    let buffer = w.buffer(c::TEXTURE_BUFFER, &[1u32, 2, 3, 4]);
    w.TextureBufferRange(buffer_texture, c::R32UI, buffer, 0, 12);
    w.GetTextureLevelParameteriv(buffer_texture, 0, c::TEXTURE_WIDTH, &mut value);
    assert_eq!(value, 3);
    w.rejects(c::INVALID_OPERATION, || {
        w.TextureSubImage3D(name, 0, 0, 0, 0, 1, 1, 1, c::RGBA, c::UNSIGNED_BYTE, pixels);
    });
    w.rejects(c::INVALID_OPERATION, || w.GenerateTextureMipmap(buffer_texture));
    w.rejects(c::INVALID_OPERATION, || w.TextureStorage2D(name, 1, c::RGBA8, 2, 2));
}

fn faces_of_a_cube_map_are_layers(w: &mut World) {
    let mut cube = 0;
    w.CreateTextures(c::TEXTURE_CUBE_MAP, 1, &mut cube);
    w.TextureStorage2D(cube, 1, c::R8, 2, 2);
    let bytes: [u8; 24] = std::array::from_fn(|i| i as u8 * 10);
    w.PixelStorei(c::UNPACK_ALIGNMENT, 1);
    w.PixelStorei(c::PACK_ALIGNMENT, 1);
    let ty = c::UNSIGNED_BYTE;
    w.TextureSubImage3D(cube, 0, 0, 0, 0, 2, 2, 6, c::RED, ty, bytes.as_ptr().cast());
    // Two faces again, from the second on, skipping an image of the source.
    w.PixelStorei(c::UNPACK_SKIP_IMAGES, 1);
    w.TextureSubImage3D(cube, 0, 0, 0, 1, 2, 2, 2, c::RED, ty, bytes.as_ptr().cast());
    w.PixelStorei(c::UNPACK_SKIP_IMAGES, 0);
    let mut read = [0u8; 24];
    w.GetTextureImage(cube, 0, c::RED, ty, 24, read.as_mut_ptr().cast());
    assert_eq!(read, bytes);
    let mut face = [0u8; 4];
    w.BindTexture(c::TEXTURE_CUBE_MAP, cube);
    let third = c::TEXTURE_CUBE_MAP_POSITIVE_Y;
    w.GetTexImage(third, 0, c::RED, ty, face.as_mut_ptr().cast());
    assert_eq!(face, [80, 90, 100, 110]);
    let to = face.as_mut_ptr().cast();
    w.GetTextureSubImage(cube, 0, 1, 0, 2, 1, 2, 2, c::RED, ty, 4, to);
    assert_eq!(face, [90, 110, 130, 150]);
    w.rejects(c::INVALID_VALUE, || {
        w.TextureSubImage3D(cube, 0, 0, 0, 5, 2, 2, 2, c::RED, ty, bytes.as_ptr().cast());
    });
    let mut half = 0;
    w.CreateTextures(c::TEXTURE_CUBE_MAP, 1, &mut half);
    w.BindTexture(c::TEXTURE_CUBE_MAP, half);
    w.TexImage2D(third, 0, c::R8 as i32, 2, 2, 0, c::RED, ty, null());
    w.rejects(c::INVALID_OPERATION, || {
        w.GetTextureImage(half, 0, c::RED, ty, 24, read.as_mut_ptr().cast());
    });
    // Also where the one face would be there.
    w.rejects(c::INVALID_OPERATION, || {
        w.TextureSubImage3D(half, 0, 0, 0, 2, 2, 2, 1, c::RED, ty, bytes.as_ptr().cast());
    });
}

fn parts_of_images_are_read(w: &mut World) {
    let mut name = 0;
    w.CreateTextures(c::TEXTURE_2D_ARRAY, 1, &mut name);
    w.TextureStorage3D(name, 1, c::R32UI, 3, 2, 2);
    let words: [u32; 12] = std::array::from_fn(|i| 100 + i as u32);
    let (format, ty) = (c::RED_INTEGER, c::UNSIGNED_INT);
    w.TextureSubImage3D(name, 0, 0, 0, 0, 3, 2, 2, format, ty, words.as_ptr().cast());
    let mut part = [0u32; 4];
    let to = part.as_mut_ptr().cast();
    w.GetTextureSubImage(name, 0, 1, 0, 1, 2, 2, 1, format, ty, 16, to);
    assert_eq!(part, [107, 108, 110, 111]);
    // Into a pack buffer, at an offset.
    let buffer = w.buffer(c::PIXEL_PACK_BUFFER, &[0u32; 4]);
    w.GetTextureSubImage(name, 0, 2, 1, 0, 1, 1, 2, format, ty, 16, 4usize as *mut _);
    assert_eq!(w.words::<4>(buffer), [0, 105, 111, 0]);
    w.BindBuffer(c::PIXEL_PACK_BUFFER, 0);
    let get = |x, width, z, room| {
        let mut part = [0u32; 16];
        let to = part.as_mut_ptr().cast();
        w.GetTextureSubImage(name, 0, x, 0, z, width, 1, 1, format, ty, room, to);
    };
    w.rejects(c::INVALID_VALUE, || get(2, 2, 0, 16));
    w.rejects(c::INVALID_VALUE, || get(0, -1, 0, 16));
    w.rejects(c::INVALID_VALUE, || get(0, 1, 2, 16));
    w.rejects(c::INVALID_OPERATION, || get(0, 3, 0, 11));
    let mut plain = 0;
    w.CreateTextures(c::TEXTURE_2D, 1, &mut plain);
    w.TextureStorage2D(plain, 1, c::R32UI, 4, 4);
    w.rejects(c::INVALID_VALUE, || {
        let to = part.as_mut_ptr().cast();
        w.GetTextureSubImage(plain, 0, 0, 0, 1, 1, 1, 1, format, ty, 16, to);
    });
    w.rejects(c::INVALID_OPERATION, || {
        let to = part.as_mut_ptr().cast();
        w.GetCompressedTextureSubImage(plain, 0, 0, 0, 0, 4, 4, 1, 16, to);
    });
}

fn framebuffers_are_built_cleared_and_blitted_by_name(w: &mut World) {
    let (mut textures, mut framebuffers) = ([0; 2], [0; 2]);
    w.CreateTextures(c::TEXTURE_2D, 2, textures.as_mut_ptr());
    w.CreateFramebuffers(2, framebuffers.as_mut_ptr());
    let [from, to] = framebuffers;
    for (texture, framebuffer) in textures.into_iter().zip(framebuffers) {
        w.TextureStorage2D(texture, 1, c::RGBA8, 4, 4);
        w.NamedFramebufferTexture(framebuffer, c::COLOR_ATTACHMENT0, texture, 0);
        let status = w.CheckNamedFramebufferStatus(framebuffer, c::DRAW_FRAMEBUFFER);
        assert_eq!(status, c::FRAMEBUFFER_COMPLETE);
    }
    let mut depth = 0;
    w.CreateRenderbuffers(1, &mut depth);
    w.NamedRenderbufferStorage(depth, c::DEPTH24_STENCIL8, 4, 4);
    w.NamedFramebufferRenderbuffer(from, c::DEPTH_STENCIL_ATTACHMENT, c::RENDERBUFFER, depth);
    let mut value = 0;
    w.GetNamedRenderbufferParameteriv(depth, c::RENDERBUFFER_STENCIL_SIZE, &mut value);
    assert_eq!(value, 8);
    let pname = c::FRAMEBUFFER_ATTACHMENT_OBJECT_NAME;
    w.GetNamedFramebufferAttachmentParameteriv(from, c::DEPTH_ATTACHMENT, pname, &mut value);
    assert_eq!(value as u32, depth);
    w.clear([1, 2, 3, 4]);
    w.ClearNamedFramebufferfv(from, c::COLOR, 0, [1.0f32, 0.0, 0.2, 1.0].as_ptr());
    w.ClearNamedFramebufferfi(from, c::DEPTH_STENCIL, 0, 0.5, 7);
    w.ClearNamedFramebufferfv(to, c::COLOR, 0, [0.0f32; 4].as_ptr());
    w.BlitNamedFramebuffer(from, to, 0, 0, 2, 2, 1, 1, 3, 3, c::COLOR_BUFFER_BIT, c::NEAREST);
    // Nothing was bound meanwhile, and the default framebuffer has kept its picture.
    assert_eq!(w.integer(c::DRAW_FRAMEBUFFER_BINDING), 0);
    assert_eq!(w.integer(c::READ_FRAMEBUFFER_BINDING), 0);
    w.expect_all([1, 2, 3, 4]);
    w.BindFramebuffer(c::READ_FRAMEBUFFER, to);
    w.expect(1, 1, [255, 0, 51, 255]);
    w.expect(2, 2, [255, 0, 51, 255]);
    w.expect(3, 3, [0; 4]);
    w.BindFramebuffer(c::READ_FRAMEBUFFER, from);
    let mut stencil = [0u8; 1];
    w.ReadPixels(2, 3, 1, 1, c::STENCIL_INDEX, c::UNSIGNED_BYTE, stencil.as_mut_ptr().cast());
    assert_eq!(stencil, [7]);
    w.BindFramebuffer(c::READ_FRAMEBUFFER, 0);
    // To the window, by the name 0.
    w.BlitNamedFramebuffer(to, 0, 1, 1, 2, 2, 0, 0, 32, 32, c::COLOR_BUFFER_BIT, c::NEAREST);
    w.expect_all([255, 0, 51, 255]);
    w.ClearNamedFramebufferfv(0, c::COLOR, 0, [0.0f32, 1.0, 0.0, 1.0].as_ptr());
    w.expect_all([0, 255, 0, 255]);
    w.NamedFramebufferDrawBuffer(from, c::NONE);
    w.NamedFramebufferReadBuffer(from, c::NONE);
    let mut empty = 0;
    w.CreateFramebuffers(1, &mut empty);
    w.NamedFramebufferParameteri(empty, c::FRAMEBUFFER_DEFAULT_WIDTH, 9);
    w.GetNamedFramebufferParameteriv(empty, c::FRAMEBUFFER_DEFAULT_WIDTH, &mut value);
    assert_eq!(value, 9);
    w.rejects(c::INVALID_ENUM, || {
        w.CheckNamedFramebufferStatus(from, c::TEXTURE_2D);
    });
    w.rejects(c::INVALID_OPERATION, || {
        w.NamedFramebufferTexture(0, c::COLOR_ATTACHMENT0, textures[0], 0);
    });
    w.rejects(c::INVALID_OPERATION, || w.NamedFramebufferDrawBuffer(from, c::BACK));
}

fn vertex_arrays_are_built_by_name(w: &mut World) {
    let before = w.integer(c::VERTEX_ARRAY_BINDING);
    let mut array = 0;
    w.CreateVertexArrays(1, &mut array);
    let corners: [f32; 12] = [9.0, -1.0, -1.0, 9.0, 1.0, -1.0, 9.0, -1.0, 1.0, 9.0, 1.0, 1.0];
    let vertices = w.buffer(c::COPY_READ_BUFFER, &corners);
    let indices = w.buffer(c::COPY_READ_BUFFER, &[0u16, 1, 2, 3]);
    w.VertexArrayVertexBuffer(array, 5, vertices, 4, 12);
    w.VertexArrayAttribFormat(array, 0, 2, c::FLOAT, 0, 0);
    w.VertexArrayAttribBinding(array, 0, 5);
    w.EnableVertexArrayAttrib(array, 0);
    w.EnableVertexArrayAttrib(array, 3);
    w.DisableVertexArrayAttrib(array, 3);
    w.VertexArrayAttribIFormat(array, 4, 3, c::SHORT, 8);
    w.VertexArrayAttribLFormat(array, 6, 4, c::DOUBLE, 16);
    w.VertexArrayBindingDivisor(array, 6, 3);
    w.VertexArrayElementBuffer(array, indices);
    assert_eq!(w.integer(c::VERTEX_ARRAY_BINDING), before);
    let mut value = 0;
    w.GetVertexArrayiv(array, c::ELEMENT_ARRAY_BUFFER_BINDING, &mut value);
    assert_eq!(value as u32, indices);
    for (index, pname, expected) in [
        (0, c::VERTEX_ATTRIB_ARRAY_ENABLED, 1),
        (3, c::VERTEX_ATTRIB_ARRAY_ENABLED, 0),
        (4, c::VERTEX_ATTRIB_ARRAY_INTEGER, 1),
        (4, c::VERTEX_ATTRIB_ARRAY_SIZE, 3),
        (4, c::VERTEX_ATTRIB_RELATIVE_OFFSET, 8),
        (6, c::VERTEX_ATTRIB_ARRAY_LONG, 1),
        (6, c::VERTEX_ATTRIB_ARRAY_TYPE, c::DOUBLE as i32),
        (6, c::VERTEX_ATTRIB_ARRAY_DIVISOR, 3),
    ] {
        w.GetVertexArrayIndexediv(array, index, pname, &mut value);
        assert_eq!(value, expected, "{pname:#x} of {index}");
    }
    let mut offset = 0;
    w.GetVertexArrayIndexed64iv(array, 0, c::VERTEX_BINDING_OFFSET, &mut offset);
    assert_eq!(offset, 4);
    let paint = w.painter();
    w.UseProgram(paint);
    w.Uniform4f(w.uniform(paint, c"color"), 0.2, 1.0, 0.0, 1.0);
    w.BindVertexArray(array);
    w.DrawElements(c::TRIANGLE_STRIP, 4, c::UNSIGNED_SHORT, null());
    w.expect_all([51, 255, 0, 255]);
    w.rejects(c::INVALID_ENUM, || w.GetVertexArrayiv(array, c::TEXTURE_2D, &mut value));
    w.rejects(c::INVALID_VALUE, || w.EnableVertexArrayAttrib(array, 99));
    w.rejects(c::INVALID_VALUE, || w.VertexArrayVertexBuffer(array, 0, vertices, -1, 12));
    w.rejects(c::INVALID_OPERATION, || w.VertexArrayElementBuffer(array, 9999));
    w.rejects(c::INVALID_OPERATION, || w.VertexArrayVertexBuffer(array, 0, 9999, 0, 12));
    w.rejects(c::INVALID_ENUM, || w.VertexArrayAttribLFormat(array, 0, 2, c::FLOAT, 0));
}

fn feedback_objects_are_built_by_name(w: &mut World) {
    let program = w.program_with(
        &[(
            c::VERTEX_SHADER,
            "flat out int number; void main() { number = gl_VertexID * 3; gl_Position = vec4(0.0); }",
        )],
        |program| {
            let name = c"number".as_ptr().cast::<u8>();
            w.TransformFeedbackVaryings(program, 1, &name, c::INTERLEAVED_ATTRIBS);
        },
    );
    w.UseProgram(program);
    let mut object = 0;
    w.CreateTransformFeedbacks(1, &mut object);
    assert_eq!(w.IsTransformFeedback(object), 1);
    let buffer = w.buffer(c::COPY_READ_BUFFER, &[55i32; 4]);
    w.TransformFeedbackBufferRange(object, 0, buffer, 4, 8);
    w.TransformFeedbackBufferBase(object, 2, buffer);
    let (mut value, mut wide) = (0, 0);
    w.GetTransformFeedbacki_v(object, c::TRANSFORM_FEEDBACK_BUFFER_BINDING, 2, &mut value);
    assert_eq!(value as u32, buffer);
    w.GetTransformFeedbacki64_v(object, c::TRANSFORM_FEEDBACK_BUFFER_SIZE, 0, &mut wide);
    assert_eq!(wide, 8);
    w.Enable(c::RASTERIZER_DISCARD);
    w.BindTransformFeedback(c::TRANSFORM_FEEDBACK, object);
    w.BeginTransformFeedback(c::POINTS);
    w.GetTransformFeedbackiv(object, c::TRANSFORM_FEEDBACK_ACTIVE, &mut value);
    assert_eq!(value, 1);
    w.DrawArrays(c::POINTS, 1, 2);
    w.EndTransformFeedback();
    assert_eq!(w.words::<4>(buffer), [55, 3, 6, 55]);
    w.rejects(c::INVALID_VALUE, || w.TransformFeedbackBufferBase(object, 99, buffer));
    w.rejects(c::INVALID_VALUE, || w.TransformFeedbackBufferBase(object, 0, 9999));
    w.rejects(c::INVALID_VALUE, || w.TransformFeedbackBufferRange(object, 0, buffer, 2, 8));
    w.rejects(c::INVALID_VALUE, || w.TransformFeedbackBufferRange(object, 0, buffer, 0, 0));
    w.rejects(c::INVALID_ENUM, || w.GetTransformFeedbackiv(object, c::TEXTURE_2D, &mut value));
}

fn several_points_are_bound_at_once(w: &mut World) {
    let program = w.fragment_program(
        "layout(std140, binding = 1) uniform A { vec4 a; }; layout(std140, binding = 2) uniform B { vec4 b; };
         out vec4 color; void main() { color = a + b; }",
    );
    w.UseProgram(program);
    w.whole();
    let alignment = w.integer(c::UNIFORM_BUFFER_OFFSET_ALIGNMENT) as usize;
    let first = w.buffer(c::COPY_READ_BUFFER, &[1.0f32, 0.0, 0.0, 0.5]);
    let mut words = vec![0.0f32; alignment / 4 + 4];
    words[alignment / 4..].copy_from_slice(&[0.0, 0.2, 0.0, 0.5]);
    let second = w.buffer(c::COPY_READ_BUFFER, &words);
    let bound = w.buffer(c::UNIFORM_BUFFER, &[0u8; 16]);
    let (names, sizes) = ([first, second], [16isize, 16]);
    w.BindBuffersRange(
        c::UNIFORM_BUFFER,
        1,
        2,
        names.as_ptr(),
        [0, alignment as isize].as_ptr(),
        sizes.as_ptr(),
    );
    w.strip();
    w.expect_all([255, 51, 0, 255]);
    assert_eq!(w.integer(c::UNIFORM_BUFFER_BINDING) as u32, bound);
    // A wrong one leaves the other bound.
    let target = c::UNIFORM_BUFFER;
    w.rejects(c::INVALID_OPERATION, || w.BindBuffersBase(target, 1, 2, [9999, first].as_ptr()));
    let mut value = 0;
    w.GetIntegeri_v(c::UNIFORM_BUFFER_BINDING, 1, &mut value);
    assert_eq!(value as u32, first);
    w.GetIntegeri_v(c::UNIFORM_BUFFER_BINDING, 2, &mut value);
    assert_eq!(value as u32, first);
    w.BindBuffersBase(target, 1, 2, null());
    w.GetIntegeri_v(c::UNIFORM_BUFFER_BINDING, 1, &mut value);
    assert_eq!(value, 0);
    let most = w.integer(c::MAX_UNIFORM_BUFFER_BINDINGS) as u32;
    w.rejects(c::INVALID_OPERATION, || w.BindBuffersBase(target, most, 1, null()));
    w.rejects(c::INVALID_ENUM, || w.BindBuffersBase(c::ARRAY_BUFFER, 0, 1, null()));
    // Vertex buffers likewise.
    w.BindVertexBuffers(3, 2, names.as_ptr(), [0, 4].as_ptr(), [8, 12].as_ptr());
    w.GetIntegeri_v(c::VERTEX_BINDING_BUFFER, 4, &mut value);
    assert_eq!(value as u32, second);
    w.GetIntegeri_v(c::VERTEX_BINDING_STRIDE, 4, &mut value);
    assert_eq!(value, 12);
    w.BindVertexBuffers(3, 2, null(), null(), null());
    w.GetIntegeri_v(c::VERTEX_BINDING_BUFFER, 4, &mut value);
    assert_eq!(value, 0);
    w.GetIntegeri_v(c::VERTEX_BINDING_STRIDE, 4, &mut value);
    assert_eq!(value, 16);
    let most = w.integer(c::MAX_VERTEX_ATTRIB_BINDINGS) as u32;
    w.rejects(c::INVALID_OPERATION, || {
        w.BindVertexBuffers(most - 1, 2, null(), null(), null());
    });
}

fn names_that_are_no_objects_are_refused(w: &mut World) {
    // Generated, but never an object.
    let mut name = 0;
    let mut value = 0;
    w.GenBuffers(1, &mut name);
    w.rejects(c::INVALID_OPERATION, || w.NamedBufferData(name, 4, null(), c::STATIC_DRAW));
    w.rejects(c::INVALID_OPERATION, || {
        w.GetNamedBufferParameteriv(9999, c::BUFFER_SIZE, &mut value);
    });
    w.GenTextures(1, &mut name);
    w.rejects(c::INVALID_OPERATION, || w.TextureStorage2D(name, 1, c::RGBA8, 1, 1));
    w.rejects(c::INVALID_OPERATION, || w.TextureParameteri(0, c::TEXTURE_MAX_LEVEL, 1));
    w.GenFramebuffers(1, &mut name);
    w.rejects(c::INVALID_OPERATION, || w.NamedFramebufferDrawBuffer(name, c::NONE));
    w.GenRenderbuffers(1, &mut name);
    w.rejects(c::INVALID_OPERATION, || w.NamedRenderbufferStorage(name, c::RGBA8, 1, 1));
    w.GenVertexArrays(1, &mut name);
    w.rejects(c::INVALID_OPERATION, || w.EnableVertexArrayAttrib(name, 0));
    w.GenTransformFeedbacks(1, &mut name);
    w.rejects(c::INVALID_OPERATION, || {
        w.GetTransformFeedbackiv(name, c::TRANSFORM_FEEDBACK_ACTIVE, &mut value);
    });
    for create in [c::TEXTURE_2D, c::TEXTURE_CUBE_MAP] {
        w.rejects(c::INVALID_VALUE, || w.CreateTextures(create, -1, &mut name));
    }
    w.rejects(c::INVALID_ENUM, || w.CreateTextures(c::TEXTURE_CUBE_MAP_POSITIVE_X, 1, &mut name));
    w.rejects(c::INVALID_VALUE, || w.CreateBuffers(-1, &mut name));
    w.rejects(c::INVALID_VALUE, || w.CreateVertexArrays(-1, &mut name));
}
