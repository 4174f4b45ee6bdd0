//! What levels are, and reading them (OpenGL ES 3.2, section 8.11; OpenGL 4.6, section 8.11).

use super::format::{self, Format};
use super::upload::Box3;
use super::{Image, Texture, bound, check, owner_target, target_index};
use crate::context::{Api, Context, State};
use crate::error::{GlResult, check_enum, check_operation, invalid_enum, invalid_operation};
use crate::state::readback::{self, Part, Sink};
use forerun_pipe::records::{GetTextureImage, GetTextureImageToBuffer, PixelStore};
use forerun_pipe::{gl, pixel};

/// Compressed formats that GL_COMPRESSED_TEXTURE_FORMATS lists.
pub fn compressed_formats(state: &State) -> Vec<u32> {
    const ETC2: std::ops::RangeInclusive<u32> =
        gl::COMPRESSED_R11_EAC..=gl::COMPRESSED_SRGB8_ALPHA8_ETC2_EAC;
    let mut known: Vec<u32> = state
        .caps
        .compressed_formats
        .iter()
        .copied()
        .filter(|format| state.has_compressed_format(*format))
        .collect();
    if state.es(20) {
        known.extend(ETC2.chain([gl::ETC1_RGB8_OES]).filter(|f| state.has_compressed_format(*f)));
    }
    known.sort_unstable();
    known.dedup();
    known
}

fn level_value(state: &State, image: &Image, pname: u32) -> GlResult<i64> {
    let format = image.format;
    let bits = |i: usize| i64::from(format.bits[i]);
    let luminance = matches!(format.base, gl::LUMINANCE | gl::LUMINANCE_ALPHA);
    let kind = |has: bool| i64::from(if has { format.component_type() } else { gl::NONE });
    let color = format.is_color() && !luminance;
    check_enum(state.knows(pname), "level parameter")?;
    Ok(match pname {
        gl::TEXTURE_WIDTH => i64::from(image.size[0]),
        gl::TEXTURE_HEIGHT => i64::from(image.size[1]),
        gl::TEXTURE_DEPTH => i64::from(image.size[2]),
        gl::TEXTURE_SAMPLES => i64::from(image.samples),
        gl::TEXTURE_FIXED_SAMPLE_LOCATIONS => i64::from(image.fixed_sample_locations),
        gl::TEXTURE_INTERNAL_FORMAT => i64::from(image.internal),
        gl::TEXTURE_BORDER => 0,
        gl::TEXTURE_RED_SIZE => {
            if color && format.base != gl::INTENSITY {
                bits(0)
            } else {
                0
            }
        }
        gl::TEXTURE_GREEN_SIZE => bits(1),
        gl::TEXTURE_BLUE_SIZE => bits(2),
        gl::TEXTURE_ALPHA_SIZE => bits(3),
        gl::TEXTURE_DEPTH_SIZE => bits(4),
        gl::TEXTURE_STENCIL_SIZE => bits(5),
        gl::TEXTURE_LUMINANCE_SIZE => {
            if luminance {
                bits(0)
            } else {
                0
            }
        }
        gl::TEXTURE_INTENSITY_SIZE => {
            if format.base == gl::INTENSITY {
                bits(0)
            } else {
                0
            }
        }
        gl::TEXTURE_SHARED_SIZE => {
            if format.token == gl::RGB9_E5 {
                5
            } else {
                0
            }
        }
        gl::TEXTURE_RED_TYPE => kind(color && (bits(0) > 0 || format.is_compressed())),
        gl::TEXTURE_GREEN_TYPE => {
            kind(bits(1) > 0 || format.is_compressed() && format.base != gl::RED)
        }
        gl::TEXTURE_BLUE_TYPE => {
            kind(bits(2) > 0 || format.is_compressed() && matches!(format.base, gl::RGB | gl::RGBA))
        }
        gl::TEXTURE_ALPHA_TYPE => {
            kind(bits(3) > 0 || format.is_compressed() && format.base == gl::RGBA)
        }
        gl::TEXTURE_DEPTH_TYPE => kind(format.has_depth()),
        gl::TEXTURE_COMPRESSED => i64::from(format.is_compressed()),
        gl::TEXTURE_COMPRESSED_IMAGE_SIZE => {
            check_operation(format.is_compressed(), "the image is not compressed")?;
            pixel::compressed_bytes(image.internal, image.size).unwrap_or(0) as i64
        }
        gl::TEXTURE_BUFFER_OFFSET
        | gl::TEXTURE_BUFFER_SIZE
        | gl::TEXTURE_BUFFER_DATA_STORE_BINDING => 0,
        _ => return invalid_enum("level parameter"),
    })
}

/// What a level that is not defined answers.
fn undefined_level(pname: u32) -> i64 {
    match pname {
        gl::TEXTURE_INTERNAL_FORMAT => i64::from(gl::RGBA),
        gl::TEXTURE_FIXED_SAMPLE_LOCATIONS => 1,
        _ => 0,
    }
}

static NOTHING: Format = Format {
    token: gl::RGBA,
    base: gl::RGBA,
    class: format::Class::Norm,
    bits: [0; 6],
    transfer: gl::RGBA,
    types: &[gl::UNSIGNED_BYTE],
    es: 20,
    es_color: 99,
};

/// glGetTexLevelParameter*.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.11 says.
pub fn level_parameter(cx: &mut Context, target: u32, level: i32, pname: u32) -> GlResult<i64> {
    let empty = Image {
        internal: gl::RGBA,
        ty: 0,
        format: &NOTHING,
        size: [0; 3],
        samples: 0,
        fixed_sample_locations: true,
    };
    if let Some(of) = super::image::proxied(target).filter(|_| cx.config.api != Api::Es) {
        let level = cx.state.check_level(of, level)?;
        let proxy = target_index(of).and_then(|row| cx.texture.proxies[row]);
        let image = proxy.filter(|(l, _)| *l == level).map_or(empty, |(_, image)| image);
        return level_value(&cx.state, &image, pname);
    }
    let own = owner_target(target);
    check_enum(cx.state.has_target(own) && target != gl::TEXTURE_CUBE_MAP, "texture target")?;
    let level = cx.state.check_level(target, level)?;
    let texture = bound(cx, own)?;
    let data = texture.data.borrow_mut();
    if let (gl::TEXTURE_BUFFER, Some(texel)) = (target, &data.buffer) {
        let whole = texel.buffer.as_ref().map_or(0, |b| b.data.borrow_mut().size);
        let size = texel.size.unwrap_or(whole.saturating_sub(texel.offset));
        match pname {
            gl::TEXTURE_BUFFER_OFFSET => return Ok(texel.offset as i64),
            gl::TEXTURE_BUFFER_SIZE => return Ok(size as i64),
            gl::TEXTURE_BUFFER_DATA_STORE_BINDING => {
                return Ok(texel.buffer.as_ref().map_or(0, |b| i64::from(b.name)));
            }
            gl::TEXTURE_WIDTH => {
                let bytes = format::find(texel.internal).map_or(1, Format::bytes);
                let most = cx.caps.limits.max_texture_buffer_size.max(0) as u64;
                return Ok((size / u64::from(bytes.max(1))).min(most) as i64);
            }
            _ => {}
        }
    }
    match texture.face(target).and_then(|face| data.image(face, level)) {
        Some(image) => level_value(&cx.state, image, pname),
        None => level_value(&cx.state, &empty, pname).map(|_| undefined_level(pname)),
    }
}

/// glGetTexImage: into client memory, or into the bound pack buffer. `room` is what glGetnTexImage was told.
///
/// # Errors
/// As OpenGL 4.6, section 8.11.4 says.
pub fn get_image(
    cx: &mut Context,
    target: u32,
    level: i32,
    format: u32,
    ty: u32,
    room: Option<i32>,
    pointer: *mut u8,
) -> GlResult {
    let own = owner_target(target);
    let readable = !matches!(
        target,
        gl::TEXTURE_BUFFER
            | gl::TEXTURE_2D_MULTISAMPLE
            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY
            | gl::TEXTURE_CUBE_MAP
    );
    check_enum(readable && cx.state.has_target(own), "texture target")?;
    let level = cx.state.check_level(target, level)?;
    check::check_pair(&cx.state, format, ty)?;
    let texture = bound(cx, own)?;
    let image = {
        let data = texture.data.borrow_mut();
        texture.face(target).and_then(|face| data.image(face, level).copied())
    };
    let Some(image) = image.filter(|i| !i.size.contains(&0)) else { return Ok(()) };
    check::check_kind(image.format, format)?;
    let at = Box3 { target, level, origin: [0; 3], size: image.size, format, ty };
    read(cx, &texture, &at, room, pointer)
}

/// Reads a checked box into client memory, or into the bound pack buffer. Pixel type 0 stands for compressed bytes, whose format is the
/// image's.
///
/// # Errors
/// GL_INVALID_OPERATION when there is not enough room.
pub fn read(
    cx: &mut Context,
    texture: &Texture,
    at: &Box3,
    room: Option<i32>,
    pointer: *mut u8,
) -> GlResult {
    let store = match at.ty {
        0 => PixelStore { alignment: 1, ..Default::default() },
        _ => cx.pixel.pack,
    };
    let format = if at.ty == 0 { 0 } else { at.format };
    let (handle, target, level, ty) = (texture.handle.raw(), at.target, at.level, at.ty);
    match readback::sink(cx, at, room, pointer)? {
        Sink::Nothing => Ok(()),
        Sink::Buffer(buffer, offset) => {
            buffer.data.borrow_mut().written();
            let (buffer, origin, size) = (buffer.handle.raw(), at.origin, at.size);
            GetTextureImageToBuffer {
                handle,
                buffer,
                offset,
                target,
                level,
                origin,
                size,
                format,
                ty,
                store,
                pad: 0,
            }
            .send(&mut *cx.stream());
            Ok(())
        }
        Sink::Client(pointer) => {
            let mut stream = cx.stream();
            readback::receive(&mut stream, at, &store, pointer, |stream, part, dst| {
                let Part { origin, size } = part;
                GetTextureImage { handle, target, level, origin, size, format, ty, dst }
                    .send(stream)
            })
        }
    }
}

/// glGetCompressedTexImage.
///
/// # Errors
/// As OpenGL 4.6, section 8.11.4 says.
pub fn get_compressed_image(
    cx: &mut Context,
    target: u32,
    level: i32,
    room: Option<i32>,
    pointer: *mut u8,
) -> GlResult {
    let own = owner_target(target);
    check_enum(
        cx.state.has_target(own) && target != gl::TEXTURE_BUFFER && target != gl::TEXTURE_CUBE_MAP,
        "texture target",
    )?;
    let level = cx.state.check_level(target, level)?;
    let texture = bound(cx, own)?;
    let image = {
        let data = texture.data.borrow_mut();
        texture.face(target).and_then(|face| data.image(face, level).copied())
    };
    let Some(image) = image else { return invalid_operation("the level is not defined") };
    check_operation(pixel::block(image.internal).is_some(), "the image is not compressed")?;
    let at =
        Box3 { target, level, origin: [0; 3], size: image.size, format: image.internal, ty: 0 };
    read(cx, &texture, &at, room, pointer)
}
