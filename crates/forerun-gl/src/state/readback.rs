//! Pixel store parameters and reading pixels (OpenGL ES 3.2, section 16.1; OpenGL 4.6, section 18.2).

use super::buffer::Buffer;
use super::framebuffer;
use super::texture::check;
use super::texture::format::{Class, Format};
use super::texture::upload::{Box3, check_range, pieces, swap_elements, swapped_element};
use crate::context::{Api, Context, State};
use crate::emit::{self, Dirty};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
};
use crate::stream::Stream;
use crate::value::Value;
use forerun_pipe::codec::BlobRef;
use forerun_pipe::records::{PixelStore, ReadPixels, ReadPixelsToBuffer};
use forerun_pipe::{Seq, gl, pixel};
use std::sync::Arc;

/// Pixel store parameters of a context.
#[derive(Clone, Copy, Debug)]
pub struct PixelStoreState {
    /// GL_PACK_*.
    pub pack: PixelStore,
    /// GL_UNPACK_*.
    pub unpack: PixelStore,
    /// GL_CLAMP_READ_COLOR.
    pub clamp_read: u32,
    /// GL_PACK_LSB_FIRST and GL_UNPACK_LSB_FIRST, which nothing uses.
    lsb_first: [bool; 2],
    /// GL_{PACK,UNPACK}_COMPRESSED_BLOCK_{WIDTH,HEIGHT,DEPTH,SIZE}.
    blocks: [[i32; 4]; 2],
}

impl Default for PixelStoreState {
    fn default() -> Self {
        let store = PixelStore { alignment: 4, ..Default::default() };
        PixelStoreState {
            pack: store,
            unpack: store,
            clamp_read: gl::FIXED_ONLY,
            lsb_first: [false; 2],
            blocks: [[0; 4]; 2],
        }
    }
}

/// What a pixel store token names: pack (0) or unpack (1), and the parameter by its unpack token.
fn parameter(state: &State, pname: u32) -> Option<(usize, u32)> {
    let found = match pname {
        gl::PACK_ALIGNMENT => (0, gl::UNPACK_ALIGNMENT),
        gl::PACK_ROW_LENGTH => (0, gl::UNPACK_ROW_LENGTH),
        gl::PACK_SKIP_ROWS => (0, gl::UNPACK_SKIP_ROWS),
        gl::PACK_SKIP_PIXELS => (0, gl::UNPACK_SKIP_PIXELS),
        gl::PACK_IMAGE_HEIGHT => (0, gl::UNPACK_IMAGE_HEIGHT),
        gl::PACK_SKIP_IMAGES => (0, gl::UNPACK_SKIP_IMAGES),
        gl::PACK_SWAP_BYTES => (0, gl::UNPACK_SWAP_BYTES),
        gl::PACK_LSB_FIRST => (0, gl::UNPACK_LSB_FIRST),
        gl::PACK_COMPRESSED_BLOCK_WIDTH..=gl::PACK_COMPRESSED_BLOCK_SIZE => {
            (0, pname - gl::PACK_COMPRESSED_BLOCK_WIDTH + gl::UNPACK_COMPRESSED_BLOCK_WIDTH)
        }
        gl::UNPACK_SWAP_BYTES
        | gl::UNPACK_LSB_FIRST
        | gl::UNPACK_COMPRESSED_BLOCK_WIDTH..=gl::UNPACK_COMPRESSED_BLOCK_SIZE => (1, pname),
        gl::UNPACK_ALIGNMENT
        | gl::UNPACK_ROW_LENGTH
        | gl::UNPACK_SKIP_ROWS
        | gl::UNPACK_SKIP_PIXELS
        | gl::UNPACK_IMAGE_HEIGHT
        | gl::UNPACK_SKIP_IMAGES => (1, pname),
        _ => return None,
    };
    state.knows(pname).then_some(found)
}

fn field(store: &mut PixelStore, name: u32) -> Option<&mut u32> {
    Some(match name {
        gl::UNPACK_ALIGNMENT => &mut store.alignment,
        gl::UNPACK_ROW_LENGTH => &mut store.row_length,
        gl::UNPACK_IMAGE_HEIGHT => &mut store.image_height,
        gl::UNPACK_SKIP_PIXELS => &mut store.skip_pixels,
        gl::UNPACK_SKIP_ROWS => &mut store.skip_rows,
        gl::UNPACK_SKIP_IMAGES => &mut store.skip_images,
        gl::UNPACK_SWAP_BYTES => &mut store.swap_bytes,
        _ => return None,
    })
}

/// glPixelStorei, glPixelStoref.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown parameter, GL_INVALID_VALUE for a value out of range.
pub fn pixel_store(cx: &mut Context, pname: u32, value: i32) -> GlResult {
    let Some((side, name)) = parameter(&cx.state, pname) else {
        return invalid_enum("pixel store parameter");
    };
    let pixel = &mut cx.state.pixel;
    match name {
        gl::UNPACK_LSB_FIRST => {
            pixel.lsb_first[side] = value != 0;
            return Ok(());
        }
        gl::UNPACK_COMPRESSED_BLOCK_WIDTH..=gl::UNPACK_COMPRESSED_BLOCK_SIZE => {
            check_value(value >= 0, "size of a compressed block")?;
            pixel.blocks[side][(name - gl::UNPACK_COMPRESSED_BLOCK_WIDTH) as usize & 3] = value;
            return Ok(());
        }
        _ => {}
    }
    let store = if side == 0 { &mut pixel.pack } else { &mut pixel.unpack };
    let Some(field) = field(store, name) else { return invalid_enum("pixel store parameter") };
    *field = match name {
        gl::UNPACK_ALIGNMENT => {
            check_value(matches!(value, 1 | 2 | 4 | 8), "alignment")?;
            value as u32
        }
        gl::UNPACK_SWAP_BYTES => u32::from(value != 0),
        _ => {
            check_value(value >= 0, "pixel store parameter is negative")?;
            value as u32
        }
    };
    Ok(())
}

/// Where pixels go.
#[derive(Clone, Debug)]
pub enum Sink {
    /// Nowhere.
    Nothing,
    /// To the program's memory.
    Client(*mut u8),
    /// Into the pack buffer from an offset.
    Buffer(Arc<Buffer>, u64),
}

/// Finds and checks where pixels go: into the pack buffer if one is bound. `room` is what the program said it has.
///
/// # Errors
/// GL_INVALID_OPERATION when there is not enough room, the buffer is mapped, or the offset is not aligned.
pub fn sink(cx: &Context, at: &Box3, room: Option<i32>, pointer: *mut u8) -> GlResult<Sink> {
    let bytes = if at.ty == 0 {
        pixel::compressed_bytes(at.format, at.size)
    } else {
        pixel::stored_bytes(at.format, at.ty, at.size, &cx.pixel.pack, at.has_images())
    };
    if let Some(room) = room {
        let fits = bytes.is_some_and(|bytes| i64::try_from(bytes).is_ok_and(|b| b <= room.into()));
        check_operation(fits, "the program's memory is too small")?;
    }
    let Some(buffer) = cx.buffer.slots.pixel_pack.clone() else {
        return Ok(if pointer.is_null() { Sink::Nothing } else { Sink::Client(pointer) });
    };
    let offset = pointer as u64;
    if at.ty != 0 {
        let element = u64::from(pixel::type_bytes(at.ty).unwrap_or(1));
        check_operation(offset.is_multiple_of(element), "offset of pixels in the pack buffer")?;
    }
    check_range(&buffer, offset, bytes)?;
    Ok(Sink::Buffer(buffer, offset))
}

/// A part of a box.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// x, y, z.
    pub origin: [i32; 3],
    /// Width, height, depth.
    pub size: [u32; 3],
}

/// Receives the pixels of a box in bands, each asked for by `ask` and awaited, and puts them where the pack parameters say.
///
/// # Errors
/// GL_OUT_OF_MEMORY when the session is lost.
pub fn receive(
    stream: &mut Stream,
    at: &Box3,
    store: &PixelStore,
    pointer: *mut u8,
    mut ask: impl FnMut(&mut Stream, Part, BlobRef) -> Seq,
) -> GlResult {
    let (block, tight, counts, strides, swap) = if at.ty == 0 {
        let Some(block) = pixel::block(at.format) else { return invalid_enum("compressed format") };
        let tight = (at.size[0].div_ceil(block.width) * block.bytes) as usize;
        let counts =
            [at.size[1].div_ceil(block.height) as usize, at.size[2].div_ceil(block.depth) as usize];
        let strides = (tight * counts[0], 0, tight);
        ([block.height, block.depth], tight, counts, strides, 1)
    } else {
        let (Some((image, skip, row)), Some(bytes)) = (
            pixel::strides(at.format, at.ty, at.size, store, at.has_images()),
            pixel::pixel_bytes(at.format, at.ty),
        ) else {
            return invalid_operation("pixel format and type");
        };
        (
            [1, 1],
            at.size[0] as usize * bytes as usize,
            [at.size[1] as usize, at.size[2] as usize],
            (image as usize, skip as usize, row as usize),
            swapped_element(at.ty, store),
        )
    };
    let (image, skip, row) = strides;
    let base = pointer.wrapping_add(skip);
    let bands = pieces(tight, counts[0], counts[1], stream.band(tight * counts[0] * counts[1]));
    let bands = bands.into_iter().map(|band| (tight * band[1] * band[3], band)).collect();
    let ask = |stream: &mut Stream, &[y, height, z, depth]: &[usize; 4], dst| {
        let (top, front) = (y as u32 * block[0], z as u32 * block[1]);
        let part = Part {
            origin: [at.origin[0], at.origin[1] + top as i32, at.origin[2] + front as i32],
            size: [
                at.size[0],
                (height as u32 * block[0]).min(at.size[1] - top),
                (depth as u32 * block[1]).min(at.size[2] - front),
            ],
        };
        ask(stream, part, dst)
    };
    stream.read_bands(bands, ask, |[y, height, z, depth], slice| {
        let mut from = 0;
        for n in z..z + depth {
            for line in y..y + height {
                let to = base.wrapping_add(n * image + line * row);
                // SAFETY: the program promised room for the pixels of the box as its pack parameters lay them out.
                let out = unsafe { std::slice::from_raw_parts_mut(to, tight) };
                slice.read(from, out);
                swap_elements(out, swap);
                from += tight;
            }
        }
    })
}

/// GL_IMPLEMENTATION_COLOR_READ_FORMAT and _TYPE of a read buffer.
pub fn preferred(format: &Format) -> (u32, u32) {
    match format.class {
        Class::Int => (gl::RGBA_INTEGER, gl::INT),
        Class::Uint => (gl::RGBA_INTEGER, gl::UNSIGNED_INT),
        Class::Float => (gl::RGBA, if format.bits[0] == 32 { gl::FLOAT } else { gl::HALF_FLOAT }),
        Class::Snorm => (gl::RGBA, gl::BYTE),
        Class::Norm => match format.token {
            gl::RGB10_A2 => (gl::RGBA, gl::UNSIGNED_INT_2_10_10_10_REV),
            gl::RGBA16 | gl::RG16 | gl::R16 => (gl::RGBA, gl::UNSIGNED_SHORT),
            _ => (gl::RGBA, gl::UNSIGNED_BYTE),
        },
    }
}

/// Checks format and type of a read as OpenGL ES allows them (OpenGL ES 3.2, section 16.1.2).
fn check_es(state: &State, source: &Format, format: u32, ty: u32) -> GlResult {
    let bgra = format == gl::BGRA && state.extensions.has("GL_EXT_read_format_bgra");
    let depth = matches!(format, gl::DEPTH_COMPONENT | gl::DEPTH_STENCIL | gl::STENCIL_INDEX);
    if depth {
        let name = match format {
            gl::DEPTH_COMPONENT => "GL_NV_read_depth",
            gl::STENCIL_INDEX => "GL_NV_read_stencil",
            _ => "GL_NV_read_depth_stencil",
        };
        if !state.extensions.has(name) {
            return invalid_enum("reading depth or stencil");
        }
        return Ok(());
    }
    if !bgra && !check::is_format(state, format) {
        return invalid_enum("pixel format");
    }
    let bgra_type =
        bgra && matches!(ty, gl::UNSIGNED_SHORT_4_4_4_4_REV | gl::UNSIGNED_SHORT_1_5_5_5_REV);
    if !bgra_type && !check::is_type(state, ty) {
        return invalid_enum("pixel type");
    }
    if (format, ty) == preferred(source) {
        return Ok(());
    }
    let allowed = match source.class {
        Class::Norm => {
            (format == gl::RGBA || bgra) && ty == gl::UNSIGNED_BYTE
                || format == gl::RGBA
                    && ty == gl::UNSIGNED_SHORT
                    && matches!(source.token, gl::R16 | gl::RG16 | gl::RGBA16)
                || format == source.transfer && source.types.contains(&ty)
                || bgra_type
        }
        Class::Snorm => {
            format == gl::RGBA && matches!(ty, gl::BYTE | gl::UNSIGNED_BYTE | gl::SHORT)
        }
        Class::Float => {
            format == gl::RGBA && matches!(ty, gl::FLOAT | gl::HALF_FLOAT | gl::HALF_FLOAT_OES)
                || format == source.transfer && source.types.contains(&ty)
        }
        Class::Int => {
            (format == gl::RGBA_INTEGER || format == source.transfer)
                && (ty == gl::INT || source.types.contains(&ty))
        }
        Class::Uint => {
            (format == gl::RGBA_INTEGER || format == source.transfer)
                && (ty == gl::UNSIGNED_INT || source.types.contains(&ty))
        }
    };
    check_operation(allowed, "pixel format and type do not suit the read buffer")
}

/// glReadPixels; `room` is what glReadnPixels was told.
///
/// # Errors
/// As OpenGL ES 3.2, section 16.1.2 says.
#[allow(clippy::too_many_arguments)]
pub fn read_pixels(
    cx: &mut Context,
    origin: [i32; 2],
    size: [i32; 2],
    format: u32,
    ty: u32,
    room: Option<i32>,
    pointer: *mut u8,
) -> GlResult {
    let [width, height, _] = check::sizes([size[0], size[1], 1])?;
    if cx.config.api != Api::Es {
        check::check_pair(&cx.state, format, ty)?;
    }
    let source = framebuffer::read_source(cx, format)?;
    if cx.config.api == Api::Es {
        check_es(&cx.state, source, format, ty)?;
    } else {
        check::check_kind(source, format)?;
    }
    let at = Box3 {
        target: gl::TEXTURE_2D,
        level: 0,
        origin: [origin[0], origin[1], 0],
        size: [width, height, 1],
        format,
        ty,
    };
    let sink = sink(cx, &at, room, pointer)?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let store = cx.pixel.pack;
    let clamp = match cx.pixel.clamp_read {
        gl::TRUE => 1,
        gl::FALSE => 2,
        _ => 0,
    };
    let mut stream = cx.group.stream();
    cx.state.bind(&mut stream);
    emit::sync(&mut cx.state, &mut stream, Dirty::FRAMEBUFFER)?;
    match sink {
        Sink::Nothing => Ok(()),
        Sink::Buffer(buffer, offset) => {
            buffer.data.borrow_mut().written();
            ReadPixelsToBuffer {
                buffer: buffer.handle.raw(),
                offset,
                x: origin[0],
                y: origin[1],
                width,
                height,
                format,
                ty,
                store,
                clamp,
            }
            .send(&mut *stream);
            Ok(())
        }
        Sink::Client(pointer) => receive(&mut stream, &at, &store, pointer, |stream, part, dst| {
            ReadPixels {
                x: part.origin[0],
                y: part.origin[1],
                width: part.size[0],
                height: part.size[1],
                format,
                ty,
                clamp,
                pad: 0,
                dst,
            }
            .send(stream)
        }),
    }
}

/// glClampColor, whose other targets the core profile does not have.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target or value.
pub fn clamp_color(state: &mut State, target: u32, clamp: u32) -> GlResult {
    check_enum(target == gl::CLAMP_READ_COLOR && state.knows(target), "target of a clamp")?;
    check_enum(matches!(clamp, gl::TRUE | gl::FALSE | gl::FIXED_ONLY), "clamp")?;
    state.pixel.clamp_read = clamp;
    Ok(())
}

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    if matches!(pname, gl::IMPLEMENTATION_COLOR_READ_FORMAT | gl::IMPLEMENTATION_COLOR_READ_TYPE) {
        let (format, ty) =
            framebuffer::read_format(state).map_or((gl::RGBA, gl::UNSIGNED_BYTE), preferred);
        return Some(Value::int(if pname == gl::IMPLEMENTATION_COLOR_READ_FORMAT {
            format
        } else {
            ty
        }));
    }
    let pixel = &state.pixel;
    if pname == gl::CLAMP_READ_COLOR {
        return Some(Value::int(pixel.clamp_read));
    }
    let (side, name) = parameter(state, pname)?;
    Some(match name {
        gl::UNPACK_LSB_FIRST => Value::bool(pixel.lsb_first[side]),
        gl::UNPACK_COMPRESSED_BLOCK_WIDTH..=gl::UNPACK_COMPRESSED_BLOCK_SIZE => {
            Value::int(pixel.blocks[side][(name - gl::UNPACK_COMPRESSED_BLOCK_WIDTH) as usize & 3])
        }
        _ => {
            let mut store = if side == 0 { pixel.pack } else { pixel.unpack };
            let value = *field(&mut store, name)?;
            if name == gl::UNPACK_SWAP_BYTES { Value::bool(value != 0) } else { Value::int(value) }
        }
    })
}
