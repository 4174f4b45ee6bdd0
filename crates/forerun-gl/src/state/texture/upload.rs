//! Pixels on their way to the stage: unpack parameters applied, in pieces that the stage can hold.

use super::check;
use super::{Texture, TextureData, bound, owner_target};
use crate::context::{Api, Context};
use crate::error::{GlResult, check_operation, check_value, invalid_enum, invalid_operation};
use crate::state::buffer::Buffer;
use crate::stream::{Stream, lost};
use forerun_pipe::pixel::Block;
use forerun_pipe::records::{PixelStore, ResourceSubData, TextureSubDataFromBuffer};
use forerun_pipe::{Kind, gl, pixel};
use std::sync::Arc;

/// A box of an image, and how its pixels are given.
#[derive(Clone, Copy, Debug)]
pub struct Box3 {
    /// Image target.
    pub target: u32,
    /// Level.
    pub level: u32,
    /// x, y, z.
    pub origin: [i32; 3],
    /// Width, height, depth.
    pub size: [u32; 3],
    /// Pixel format; for compressed bytes the internal format.
    pub format: u32,
    /// Pixel type; 0 for compressed bytes.
    pub ty: u32,
}

impl Box3 {
    /// Whether image height and skip of the pixel store parameters apply.
    pub fn has_images(&self) -> bool {
        has_images(self.target)
    }
}

/// Whether image height and skip apply to images of that target.
pub fn has_images(target: u32) -> bool {
    matches!(
        target,
        gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY | gl::TEXTURE_CUBE_MAP_ARRAY | gl::TEXTURE_CUBE_MAP
    )
}

/// Where pixels stand.
#[derive(Clone, Debug)]
pub enum Source {
    /// Nowhere: contents stay undefined.
    Nothing,
    /// In the program's memory.
    Client(*const u8),
    /// In the unpack buffer from an offset.
    Buffer(Arc<Buffer>, u64),
}

/// Finds and checks where pixels stand: in the unpack buffer if one is bound.
///
/// # Errors
/// GL_INVALID_OPERATION when the buffer is mapped, too small or the offset is not aligned.
pub fn source(cx: &Context, at: &Box3, pointer: *const u8) -> GlResult<Source> {
    let Some(buffer) = cx.buffer.slots.pixel_unpack.clone() else {
        return Ok(if pointer.is_null() { Source::Nothing } else { Source::Client(pointer) });
    };
    let offset = pointer as u64;
    let bytes = if at.ty == 0 {
        pixel::compressed_bytes(at.format, at.size)
    } else {
        let element = u64::from(pixel::type_bytes(at.ty).unwrap_or(1));
        check_operation(offset.is_multiple_of(element), "offset of pixels in the unpack buffer")?;
        pixel::stored_bytes(at.format, at.ty, at.size, &cx.pixel.unpack, at.has_images())
    };
    check_range(&buffer, offset, bytes)?;
    Ok(Source::Buffer(buffer, offset))
}

/// Checks that a transfer fits into a buffer that is not mapped.
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_range(buffer: &Buffer, offset: u64, bytes: Option<u64>) -> GlResult {
    let data = buffer.data.borrow_mut();
    check_operation(!data.blocked(), "the pixel buffer is mapped")?;
    let end = bytes.and_then(|bytes| offset.checked_add(bytes));
    check_operation(end.is_some_and(|end| end <= data.size), "pixels end behind the pixel buffer")
}

/// Rows of pixels in the program's memory.
struct Rows {
    base: *const u8,
    image: usize,
    row: usize,
    tight: usize,
    /// Bytes of the elements to swap; 1 for none.
    swap: usize,
}

impl Rows {
    /// Whether all of `rows` rows in several images stand one after another as they are to cross.
    fn is_tight(&self, rows: usize, images: usize) -> bool {
        self.swap == 1
            && (self.row == self.tight || rows <= 1)
            && (images <= 1 || self.row == self.tight && self.image == self.tight * rows)
    }

    fn at(&self, row: usize, image: usize) -> *const u8 {
        self.base.wrapping_add(image * self.image + row * self.row)
    }

    /// One row.
    ///
    /// # Safety
    /// The program's memory holds that row.
    unsafe fn row(&self, row: usize, image: usize) -> &[u8] {
        // SAFETY: the caller promised it.
        unsafe { std::slice::from_raw_parts(self.at(row, image), self.tight) }
    }
}

/// Reverses the bytes of each element.
pub fn swap_elements(bytes: &mut [u8], element: usize) {
    if element > 1 {
        bytes.chunks_exact_mut(element).for_each(<[u8]>::reverse);
    }
}

/// Bytes of the elements that GL_*_SWAP_BYTES reverses.
pub fn swapped_element(ty: u32, store: &PixelStore) -> usize {
    match (store.swap_bytes, ty) {
        (0, _) => 1,
        // Two elements of four bytes.
        (_, gl::FLOAT_32_UNSIGNED_INT_24_8_REV) => 4,
        (_, ty) => pixel::type_bytes(ty).unwrap_or(1) as usize,
    }
}

/// Cuts `images` images of `rows` rows of `row` bytes into pieces of at most `most` bytes: (first row, rows, first image, images).
pub fn pieces(row: usize, rows: usize, images: usize, most: usize) -> Vec<[usize; 4]> {
    let mut out = Vec::new();
    let image = row.saturating_mul(rows);
    if image <= most {
        let step = (most / image.max(1)).clamp(1, images.max(1));
        let mut z = 0;
        while z < images {
            let count = step.min(images - z);
            out.push([0, rows, z, count]);
            z += count;
        }
        return out;
    }
    let step = (most / row.max(1)).clamp(1, rows.max(1));
    for z in 0..images {
        let mut y = 0;
        while y < rows {
            let count = step.min(rows - y);
            out.push([y, count, z, 1]);
            y += count;
        }
    }
    out
}

/// Sends the pixels of a box.
///
/// # Errors
/// GL_OUT_OF_MEMORY when the session is lost.
pub fn send(
    stream: &mut Stream,
    texture: &Texture,
    at: &Box3,
    source: &Source,
    store: &PixelStore,
) -> GlResult {
    if at.size.contains(&0) {
        return Ok(());
    }
    match source {
        Source::Nothing => Ok(()),
        Source::Buffer(buffer, offset) => {
            TextureSubDataFromBuffer {
                handle: texture.handle.raw(),
                buffer: buffer.handle.raw(),
                offset: *offset,
                target: at.target,
                level: at.level,
                origin: at.origin,
                size: at.size,
                format: at.format,
                ty: at.ty,
                image_size: if at.ty == 0 {
                    pixel::compressed_bytes(at.format, at.size).unwrap_or(0) as u32
                } else {
                    0
                },
                store: *store,
            }
            .send(stream);
            Ok(())
        }
        Source::Client(pointer) => send_client(stream, texture, at, *pointer, store),
    }
}

fn send_client(
    stream: &mut Stream,
    texture: &Texture,
    at: &Box3,
    pointer: *const u8,
    store: &PixelStore,
) -> GlResult {
    // Rows are rows of blocks when the bytes are compressed.
    let (block, rows, counts) = if at.ty == 0 {
        let Some(block) = pixel::block(at.format) else {
            return invalid_enum("compressed format");
        };
        let tight = (at.size[0].div_ceil(block.width) * block.bytes) as usize;
        let counts =
            [at.size[1].div_ceil(block.height) as usize, at.size[2].div_ceil(block.depth) as usize];
        let rows = Rows { base: pointer, image: tight * counts[0], row: tight, tight, swap: 1 };
        ([block.height, block.depth], rows, counts)
    } else {
        let strides = pixel::strides(at.format, at.ty, at.size, store, at.has_images());
        let (Some((image, skip, row)), Some(bytes)) =
            (strides, pixel::pixel_bytes(at.format, at.ty))
        else {
            return invalid_operation("pixel format and type");
        };
        let rows = Rows {
            base: pointer.wrapping_add(skip as usize),
            image: image as usize,
            row: row as usize,
            tight: at.size[0] as usize * bytes as usize,
            swap: swapped_element(at.ty, store),
        };
        ([1, 1], rows, [at.size[1] as usize, at.size[2] as usize])
    };
    for [y, height, z, depth] in
        pieces(rows.tight, counts[0], counts[1], stream.link.max_chunk().max(1))
    {
        let (top, front) = (y as u32 * block[0], z as u32 * block[1]);
        let record = ResourceSubData {
            handle: texture.handle.raw(),
            kind: Kind::Texture as u32,
            target: at.target,
            level: at.level,
            x: at.origin[0],
            y: at.origin[1] + top as i32,
            z: at.origin[2] + front as i32,
            width: at.size[0],
            height: (height as u32 * block[0]).min(at.size[1] - top),
            depth: (depth as u32 * block[1]).min(at.size[2] - front),
            format: at.format,
            ty: at.ty,
            ..Default::default()
        };
        let len = rows.tight * height * depth;
        if rows.is_tight(height, depth) {
            // SAFETY: the program promised the pixels of the box, and these rows stand one after another.
            let bytes = unsafe { std::slice::from_raw_parts(rows.at(y, z), len) };
            let (bytes, inline) = stream.link.content(bytes).map_err(|fault| lost(&fault))?;
            ResourceSubData { bytes, ..record }.send(stream, inline);
        } else if len <= stream.link.max_inline() || rows.swap > 1 {
            let mut packed = Vec::with_capacity(len);
            for (image, row) in boxes(y, height, z, depth) {
                // SAFETY: the program promised the pixels of the box.
                packed.extend_from_slice(unsafe { rows.row(row, image) });
            }
            swap_elements(&mut packed, rows.swap);
            let (bytes, inline) = stream.link.content(&packed).map_err(|fault| lost(&fault))?;
            ResourceSubData { bytes, ..record }.send(stream, inline);
        } else {
            let mut slice = stream.link.stage(len).map_err(|fault| lost(&fault))?;
            for (index, (image, row)) in boxes(y, height, z, depth).enumerate() {
                // SAFETY: the program promised the pixels of the box.
                slice.write(index * rows.tight, unsafe { rows.row(row, image) });
            }
            ResourceSubData { bytes: slice.blob(), ..record }.send(stream, &[]);
        }
    }
    Ok(())
}

fn boxes(y: usize, height: usize, z: usize, depth: usize) -> impl Iterator<Item = (usize, usize)> {
    (z..z + depth).flat_map(move |image| (y..y + height).map(move |row| (image, row)))
}

/// Checks a box against the image that it is put into.
///
/// # Errors
/// GL_INVALID_OPERATION when there is no image, GL_INVALID_VALUE when the box leaves it.
pub fn check_box(
    texture: &Texture,
    data: &TextureData,
    target: u32,
    level: u32,
    origin: [i32; 3],
    size: [u32; 3],
) -> GlResult<super::Image> {
    let image = texture.face(target).and_then(|face| data.image(face, level));
    let Some(image) = image else { return invalid_operation("the level is not defined") };
    let mut extent = image.size;
    if target == gl::TEXTURE_CUBE_MAP {
        extent[2] = 6;
    }
    let inside = (0..3).all(|i| {
        u32::try_from(origin[i])
            .ok()
            .and_then(|o| o.checked_add(size[i]))
            .is_some_and(|end| end <= extent[i])
    });
    check_value(inside, "a box leaves the image")?;
    Ok(*image)
}

/// Whether a box inside an image is made of whole blocks, but for those at the image's ends.
pub fn is_aligned(block: &Block, origin: [i32; 3], size: [u32; 3], image: &super::Image) -> bool {
    [block.width, block.height, block.depth].into_iter().enumerate().all(|(i, step)| {
        let (first, count) = (origin[i] as u32, size[i]);
        first.is_multiple_of(step) && (count.is_multiple_of(step) || first + count == image.size[i])
    })
}

/// Which targets an entry point of so many dimensions takes.
pub fn is_image_target(cx: &Context, dims: u32, target: u32) -> bool {
    let known = match dims {
        1 => target == gl::TEXTURE_1D,
        2 => {
            matches!(target, gl::TEXTURE_2D | gl::TEXTURE_1D_ARRAY | gl::TEXTURE_RECTANGLE)
                || super::face_of(target).is_some()
        }
        _ => matches!(target, gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY | gl::TEXTURE_CUBE_MAP_ARRAY),
    };
    known && cx.state.has_target(owner_target(target))
}

/// glTexSubImage*.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.6 says.
#[allow(clippy::too_many_arguments)]
pub fn sub_image(
    cx: &mut Context,
    dims: u32,
    target: u32,
    level: i32,
    origin: [i32; 3],
    size: [i32; 3],
    format: u32,
    ty: u32,
    pointer: *const u8,
) -> GlResult {
    if !is_image_target(cx, dims, target) {
        return invalid_enum("texture target");
    }
    let level = cx.state.check_level(target, level)?;
    let size = check::sizes(size)?;
    let texture = bound(cx, owner_target(target))?;
    let data = texture.data.borrow_mut();
    // Unknown tokens come before the image is looked at.
    if !check::is_format(&cx.state, format) {
        return invalid_enum("pixel format");
    }
    if !check::is_type(&cx.state, ty) {
        return invalid_enum("pixel type");
    }
    let image = check_box(&texture, &data, target, level, origin, size)?;
    check_operation(
        !image.format.is_compressed()
            || cx.config.api != Api::Es && image.format.token == image.internal,
        "uncompressed pixels for a compressed image",
    )?;
    check::check_sub_format(&cx.state, &image, format, ty)?;
    let at = Box3 { target, level, origin, size, format, ty };
    let source = source(cx, &at, pointer)?;
    let store = cx.pixel.unpack;
    send(&mut cx.stream(), &texture, &at, &source, &store)
}

/// glCompressedTexSubImage*.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.7 says.
#[allow(clippy::too_many_arguments)]
pub fn compressed_sub_image(
    cx: &mut Context,
    dims: u32,
    target: u32,
    level: i32,
    origin: [i32; 3],
    size: [i32; 3],
    format: u32,
    bytes: i32,
    pointer: *const u8,
) -> GlResult {
    if !is_image_target(cx, dims, target) {
        return invalid_enum("texture target");
    }
    if !cx.state.has_compressed_format(format) {
        return invalid_enum("compressed format");
    }
    let level = cx.state.check_level(target, level)?;
    let size = check::sizes(size)?;
    check_value(bytes >= 0, "size of compressed bytes")?;
    let texture = bound(cx, owner_target(target))?;
    let data = texture.data.borrow_mut();
    let image = check_box(&texture, &data, target, level, origin, size)?;
    check_operation(image.internal == format, "the image has another format")?;
    let Some(block) = pixel::block(format) else { return invalid_enum("compressed format") };
    check_operation(format != gl::ETC1_RGB8_OES, "parts of an ETC1 image")?;
    check_operation(
        is_aligned(&block, origin, size, &image),
        "a box of compressed blocks is not aligned",
    )?;
    check_value(
        pixel::compressed_bytes(format, size) == Some(bytes as u64),
        "size of compressed bytes",
    )?;
    let at = Box3 { target, level, origin, size, format, ty: 0 };
    let source = source(cx, &at, pointer)?;
    let store = PixelStore { alignment: 4, ..Default::default() };
    send(&mut cx.stream(), &texture, &at, &source, &store)
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn a_box_that_fits_is_one_piece() {
        assert_eq!(pieces(16, 4, 3, 1000), [[0, 4, 0, 3]]);
    }

    #[test]
    fn whole_images_are_kept_together_where_they_fit() {
        assert_eq!(pieces(16, 4, 3, 130), [[0, 4, 0, 2], [0, 4, 2, 1]]);
    }

    #[test]
    fn an_image_too_large_is_cut_into_rows() {
        assert_eq!(pieces(16, 4, 1, 50), [[0, 3, 0, 1], [3, 1, 0, 1]]);
        assert_eq!(pieces(16, 2, 2, 16), [[0, 1, 0, 1], [1, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]]);
    }

    #[test]
    fn a_row_too_large_still_goes_alone() {
        assert_eq!(pieces(100, 2, 1, 10), [[0, 1, 0, 1], [1, 1, 0, 1]]);
    }
}
