//! How many bytes pixels take: by pixel format and type, by block of a compressed format, tight or with pixel store parameters.
//! Both sides use this one file, so that a blob's size and the bytes that a driver walks agree.

use crate::gl;
use crate::records::PixelStore;

/// Components of a pixel format; `None` when it is none that GL 4.6 or ES 3.2 name.
pub const fn components(format: u32) -> Option<u32> {
    Some(match format {
        gl::RED
        | gl::GREEN
        | gl::BLUE
        | gl::ALPHA
        | gl::LUMINANCE
        | gl::RED_INTEGER
        | gl::GREEN_INTEGER
        | gl::BLUE_INTEGER
        | gl::ALPHA_INTEGER
        | gl::DEPTH_COMPONENT
        | gl::STENCIL_INDEX => 1,
        gl::RG | gl::RG_INTEGER | gl::LUMINANCE_ALPHA | gl::DEPTH_STENCIL => 2,
        gl::RGB | gl::BGR | gl::RGB_INTEGER | gl::BGR_INTEGER => 3,
        gl::RGBA | gl::BGRA | gl::RGBA_INTEGER | gl::BGRA_INTEGER => 4,
        _ => return None,
    })
}

/// Bytes of one element of a type: a component, or a whole pixel where [`is_packed`].
pub const fn type_bytes(ty: u32) -> Option<u32> {
    Some(match ty {
        gl::UNSIGNED_BYTE | gl::BYTE | gl::UNSIGNED_BYTE_3_3_2 | gl::UNSIGNED_BYTE_2_3_3_REV => 1,
        gl::UNSIGNED_SHORT
        | gl::SHORT
        | gl::HALF_FLOAT
        | gl::HALF_FLOAT_OES
        | gl::UNSIGNED_SHORT_5_6_5
        | gl::UNSIGNED_SHORT_5_6_5_REV
        | gl::UNSIGNED_SHORT_4_4_4_4
        | gl::UNSIGNED_SHORT_4_4_4_4_REV
        | gl::UNSIGNED_SHORT_5_5_5_1
        | gl::UNSIGNED_SHORT_1_5_5_5_REV => 2,
        gl::UNSIGNED_INT
        | gl::INT
        | gl::FLOAT
        | gl::UNSIGNED_INT_8_8_8_8
        | gl::UNSIGNED_INT_8_8_8_8_REV
        | gl::UNSIGNED_INT_10_10_10_2
        | gl::UNSIGNED_INT_2_10_10_10_REV
        | gl::UNSIGNED_INT_24_8
        | gl::UNSIGNED_INT_10F_11F_11F_REV
        | gl::UNSIGNED_INT_5_9_9_9_REV => 4,
        gl::FLOAT_32_UNSIGNED_INT_24_8_REV => 8,
        _ => return None,
    })
}

/// Whether one element of the type holds a whole pixel.
pub const fn is_packed(ty: u32) -> bool {
    matches!(
        ty,
        gl::UNSIGNED_BYTE_3_3_2
            | gl::UNSIGNED_BYTE_2_3_3_REV
            | gl::UNSIGNED_SHORT_5_6_5
            | gl::UNSIGNED_SHORT_5_6_5_REV
            | gl::UNSIGNED_SHORT_4_4_4_4
            | gl::UNSIGNED_SHORT_4_4_4_4_REV
            | gl::UNSIGNED_SHORT_5_5_5_1
            | gl::UNSIGNED_SHORT_1_5_5_5_REV
            | gl::UNSIGNED_INT_8_8_8_8
            | gl::UNSIGNED_INT_8_8_8_8_REV
            | gl::UNSIGNED_INT_10_10_10_2
            | gl::UNSIGNED_INT_2_10_10_10_REV
            | gl::UNSIGNED_INT_24_8
            | gl::UNSIGNED_INT_10F_11F_11F_REV
            | gl::UNSIGNED_INT_5_9_9_9_REV
            | gl::FLOAT_32_UNSIGNED_INT_24_8_REV
    )
}

/// Bytes of a pixel; `None` for a pair that GL does not have. Whether a pair suits an internal format is another question.
pub const fn pixel_bytes(format: u32, ty: u32) -> Option<u32> {
    let (Some(count), Some(bytes)) = (components(format), type_bytes(ty)) else { return None };
    let depth_stencil = matches!(ty, gl::UNSIGNED_INT_24_8 | gl::FLOAT_32_UNSIGNED_INT_24_8_REV);
    if (format == gl::DEPTH_STENCIL) != depth_stencil {
        return None;
    }
    if is_packed(ty) { Some(bytes) } else { Some(bytes * count) }
}

/// A block of a compressed format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Texels; 1 but for the volume formats.
    pub depth: u32,
    /// Bytes.
    pub bytes: u32,
}

/// The block of a compressed internal format; `None` when the format is not compressed, or only generically so.
pub const fn block(internal_format: u32) -> Option<Block> {
    const fn flat(width: u32, height: u32, bytes: u32) -> Option<Block> {
        Some(Block { width, height, depth: 1, bytes })
    }
    const fn volume(width: u32, height: u32, depth: u32) -> Option<Block> {
        Some(Block { width, height, depth, bytes: 16 })
    }
    match internal_format {
        gl::COMPRESSED_RGB_S3TC_DXT1_EXT
        | gl::COMPRESSED_RGBA_S3TC_DXT1_EXT
        | gl::COMPRESSED_SRGB_S3TC_DXT1_EXT
        | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT
        | gl::COMPRESSED_RED_RGTC1
        | gl::COMPRESSED_SIGNED_RED_RGTC1
        | gl::COMPRESSED_LUMINANCE_LATC1_EXT
        | gl::COMPRESSED_SIGNED_LUMINANCE_LATC1_EXT
        | gl::ETC1_RGB8_OES
        | gl::COMPRESSED_RGB8_ETC2
        | gl::COMPRESSED_SRGB8_ETC2
        | gl::COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2
        | gl::COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2
        | gl::COMPRESSED_R11_EAC
        | gl::COMPRESSED_SIGNED_R11_EAC => flat(4, 4, 8),
        gl::COMPRESSED_RGBA_S3TC_DXT3_EXT
        | gl::COMPRESSED_RGBA_S3TC_DXT5_EXT
        | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT
        | gl::COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT
        | gl::COMPRESSED_RG_RGTC2
        | gl::COMPRESSED_SIGNED_RG_RGTC2
        | gl::COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT
        | gl::COMPRESSED_SIGNED_LUMINANCE_ALPHA_LATC2_EXT
        | gl::COMPRESSED_RGBA_BPTC_UNORM
        | gl::COMPRESSED_SRGB_ALPHA_BPTC_UNORM
        | gl::COMPRESSED_RGB_BPTC_SIGNED_FLOAT
        | gl::COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT
        | gl::COMPRESSED_RGBA8_ETC2_EAC
        | gl::COMPRESSED_SRGB8_ALPHA8_ETC2_EAC
        | gl::COMPRESSED_RG11_EAC
        | gl::COMPRESSED_SIGNED_RG11_EAC => flat(4, 4, 16),
        gl::COMPRESSED_RGBA_ASTC_4x4_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR => {
            flat(4, 4, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_5x4_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR => {
            flat(5, 4, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_5x5_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR => {
            flat(5, 5, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_6x5_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR => {
            flat(6, 5, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_6x6_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR => {
            flat(6, 6, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_8x5_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR => {
            flat(8, 5, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_8x6_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR => {
            flat(8, 6, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_8x8_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR => {
            flat(8, 8, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_10x5_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR => {
            flat(10, 5, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_10x6_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR => {
            flat(10, 6, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_10x8_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR => {
            flat(10, 8, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_10x10_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR => {
            flat(10, 10, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_12x10_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR => {
            flat(12, 10, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_12x12_KHR | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR => {
            flat(12, 12, 16)
        }
        gl::COMPRESSED_RGBA_ASTC_3x3x3_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_3x3x3_OES => {
            volume(3, 3, 3)
        }
        gl::COMPRESSED_RGBA_ASTC_4x3x3_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_4x3x3_OES => {
            volume(4, 3, 3)
        }
        gl::COMPRESSED_RGBA_ASTC_4x4x3_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_4x4x3_OES => {
            volume(4, 4, 3)
        }
        gl::COMPRESSED_RGBA_ASTC_4x4x4_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_4x4x4_OES => {
            volume(4, 4, 4)
        }
        gl::COMPRESSED_RGBA_ASTC_5x4x4_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_5x4x4_OES => {
            volume(5, 4, 4)
        }
        gl::COMPRESSED_RGBA_ASTC_5x5x4_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_5x5x4_OES => {
            volume(5, 5, 4)
        }
        gl::COMPRESSED_RGBA_ASTC_5x5x5_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_5x5x5_OES => {
            volume(5, 5, 5)
        }
        gl::COMPRESSED_RGBA_ASTC_6x5x5_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_6x5x5_OES => {
            volume(6, 5, 5)
        }
        gl::COMPRESSED_RGBA_ASTC_6x6x5_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_6x6x5_OES => {
            volume(6, 6, 5)
        }
        gl::COMPRESSED_RGBA_ASTC_6x6x6_OES | gl::COMPRESSED_SRGB8_ALPHA8_ASTC_6x6x6_OES => {
            volume(6, 6, 6)
        }
        _ => None,
    }
}

/// Bytes of a box of pixels in tight rows; `None` for an unknown pair or past 2⁶³.
pub fn tight_bytes(format: u32, ty: u32, size: [u32; 3]) -> Option<u64> {
    product([pixel_bytes(format, ty)?, size[0], size[1], size[2]])
}

/// Bytes of a box of a compressed format: whole blocks; `None` when it is not one.
pub fn compressed_bytes(internal_format: u32, size: [u32; 3]) -> Option<u64> {
    let block = block(internal_format)?;
    product([
        block.bytes,
        size[0].div_ceil(block.width),
        size[1].div_ceil(block.height),
        size[2].div_ceil(block.depth),
    ])
}

/// Bytes of a box in tight rows as records carry it: compressed when `ty` is 0, and then `format` is the internal format.
pub fn content_bytes(format: u32, ty: u32, size: [u32; 3]) -> Option<u64> {
    if ty == 0 { compressed_bytes(format, size) } else { tight_bytes(format, ty, size) }
}

fn product(factors: [u32; 4]) -> Option<u64> {
    factors
        .iter()
        .try_fold(1u64, |all, f| all.checked_mul(u64::from(*f)))
        .filter(|all| *all >> 63 == 0)
}

/// Bytes from the address that the program named to one past the last byte that a transfer of a box touches, with pixel store
/// parameters (OpenGL 4.6 §8.4.4.1); 0 for an empty box. `images` says whether the image height and skip apply (3D and arrays).
pub fn stored_bytes(
    format: u32,
    ty: u32,
    size: [u32; 3],
    store: &PixelStore,
    images: bool,
) -> Option<u64> {
    if size.contains(&0) {
        return Some(0);
    }
    let pixel = u64::from(pixel_bytes(format, ty)?);
    let (image, _, row) = strides(format, ty, size, store, images)?;
    let skip_images = if images { u64::from(store.skip_images) } else { 0 };
    let last = (skip_images + u64::from(size[2]) - 1)
        .checked_mul(image)?
        .checked_add((u64::from(store.skip_rows) + u64::from(size[1]) - 1).checked_mul(row)?)?;
    let pixels = u64::from(store.skip_pixels) + u64::from(size[0]);
    last.checked_add(pixels.checked_mul(pixel)?).filter(|end| end >> 63 == 0)
}

/// Strides in bytes with pixel store parameters: from image to image, the bytes skipped before the first pixel, from row to row.
pub fn strides(
    format: u32,
    ty: u32,
    size: [u32; 3],
    store: &PixelStore,
    images: bool,
) -> Option<(u64, u64, u64)> {
    let pixel = u64::from(pixel_bytes(format, ty)?);
    if !matches!(store.alignment, 1 | 2 | 4 | 8) {
        return None;
    }
    let width = if store.row_length > 0 { store.row_length } else { size[0] };
    let height = if images && store.image_height > 0 { store.image_height } else { size[1] };
    // An element larger than the alignment aligns itself: its size is a power of two, and so is the row's then.
    let row = u64::from(width)
        .checked_mul(pixel)?
        .checked_next_multiple_of(u64::from(store.alignment))?;
    let image = row.checked_mul(u64::from(height))?;
    let skip_images = if images { u64::from(store.skip_images) } else { 0 };
    let skip = skip_images
        .checked_mul(image)?
        .checked_add(u64::from(store.skip_rows).checked_mul(row)?)?
        .checked_add(u64::from(store.skip_pixels).checked_mul(pixel)?)?;
    Some((image, skip, row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_take_what_the_specification_says() {
        for (format, ty, bytes) in [
            (gl::RGBA, gl::UNSIGNED_BYTE, Some(4)),
            (gl::RGB, gl::UNSIGNED_SHORT_5_6_5, Some(2)),
            (gl::RGB, gl::FLOAT, Some(12)),
            (gl::RGBA_INTEGER, gl::INT, Some(16)),
            (gl::DEPTH_STENCIL, gl::UNSIGNED_INT_24_8, Some(4)),
            (gl::DEPTH_STENCIL, gl::FLOAT_32_UNSIGNED_INT_24_8_REV, Some(8)),
            (gl::DEPTH_STENCIL, gl::FLOAT, None),
            (gl::RGBA, gl::UNSIGNED_INT_24_8, None),
            (gl::LUMINANCE_ALPHA, gl::HALF_FLOAT_OES, Some(4)),
            (gl::TEXTURE_2D, gl::FLOAT, None),
            (gl::RGBA, gl::DOUBLE, None),
        ] {
            assert_eq!(pixel_bytes(format, ty), bytes, "{format:#x} {ty:#x}");
        }
    }

    #[test]
    fn compressed_boxes_are_whole_blocks() {
        assert_eq!(compressed_bytes(gl::COMPRESSED_RGB8_ETC2, [5, 4, 1]), Some(16));
        assert_eq!(compressed_bytes(gl::COMPRESSED_RGBA_ASTC_12x10_KHR, [13, 10, 2]), Some(64));
        assert_eq!(compressed_bytes(gl::RGBA8, [4, 4, 1]), None);
    }

    #[test]
    fn pixel_store_parameters_move_the_end() {
        let tight = PixelStore { alignment: 4, ..Default::default() };
        // 3 pixels of RGB bytes: rows of 12, the last one ends after 9.
        let size = [3, 2, 1];
        assert_eq!(stored_bytes(gl::RGB, gl::UNSIGNED_BYTE, size, &tight, false), Some(21));
        let skips = PixelStore { row_length: 5, skip_rows: 1, skip_pixels: 2, ..tight };
        // Rows of 16: two whole rows, then 5 pixels.
        assert_eq!(stored_bytes(gl::RGB, gl::UNSIGNED_BYTE, size, &skips, false), Some(32 + 15));
        let volume = PixelStore { image_height: 4, skip_images: 1, ..tight };
        let size = [3, 2, 2];
        // Images of 48: two whole ones, then a row and 9 bytes.
        assert_eq!(stored_bytes(gl::RGB, gl::UNSIGNED_BYTE, size, &volume, true), Some(96 + 21));
        assert_eq!(stored_bytes(gl::RGB, gl::UNSIGNED_BYTE, [0, 2, 2], &volume, true), Some(0));
    }

    #[test]
    fn sizes_that_overflow_are_none() {
        assert_eq!(tight_bytes(gl::RGBA, gl::FLOAT, [u32::MAX; 3]), None);
        let store = PixelStore { alignment: 3, ..Default::default() };
        assert_eq!(stored_bytes(gl::RGB, gl::UNSIGNED_BYTE, [1, 1, 1], &store, false), None);
        let store = PixelStore {
            alignment: 8,
            row_length: u32::MAX,
            image_height: u32::MAX,
            skip_images: u32::MAX,
            ..Default::default()
        };
        assert_eq!(stored_bytes(gl::RGBA, gl::FLOAT, [1, 1, 1], &store, true), None);
    }
}
