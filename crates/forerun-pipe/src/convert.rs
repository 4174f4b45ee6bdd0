//! Pixels from one format and type to another: for hosts that do not take the program's own, and for buffers that a client fills with
//! a texel.
//!
//! Components go through `f64`, which holds 32-bit integers exactly.

use crate::gl as c;
use crate::pixel;
use crate::records::PixelStore;

/// Where each component of a pixel format goes: indices into red, green, blue, alpha.
fn places(format: u32) -> Option<&'static [usize]> {
    Some(match format {
        c::RED | c::RED_INTEGER | c::DEPTH_COMPONENT | c::STENCIL_INDEX | c::LUMINANCE => &[0],
        c::GREEN | c::GREEN_INTEGER => &[1],
        c::BLUE | c::BLUE_INTEGER => &[2],
        c::ALPHA | c::ALPHA_INTEGER => &[3],
        c::RG | c::RG_INTEGER | c::DEPTH_STENCIL => &[0, 1],
        c::LUMINANCE_ALPHA => &[0, 3],
        c::RGB | c::RGB_INTEGER => &[0, 1, 2],
        c::BGR | c::BGR_INTEGER => &[2, 1, 0],
        c::RGBA | c::RGBA_INTEGER => &[0, 1, 2, 3],
        c::BGRA | c::BGRA_INTEGER => &[2, 1, 0, 3],
        _ => return None,
    })
}

/// Whether values of the format are integers and not fractions of the largest.
fn is_integer(format: u32) -> bool {
    matches!(
        format,
        c::RED_INTEGER
            | c::GREEN_INTEGER
            | c::BLUE_INTEGER
            | c::ALPHA_INTEGER
            | c::RG_INTEGER
            | c::RGB_INTEGER
            | c::BGR_INTEGER
            | c::RGBA_INTEGER
            | c::BGRA_INTEGER
            | c::STENCIL_INDEX
    )
}

/// Bits of the fields of a packed type, first component first, and whether the first one is the lowest.
fn fields(ty: u32) -> Option<(&'static [u32], bool)> {
    Some(match ty {
        c::UNSIGNED_BYTE_3_3_2 => (&[3, 3, 2], false),
        c::UNSIGNED_BYTE_2_3_3_REV => (&[3, 3, 2], true),
        c::UNSIGNED_SHORT_5_6_5 => (&[5, 6, 5], false),
        c::UNSIGNED_SHORT_5_6_5_REV => (&[5, 6, 5], true),
        c::UNSIGNED_SHORT_4_4_4_4 => (&[4, 4, 4, 4], false),
        c::UNSIGNED_SHORT_4_4_4_4_REV => (&[4, 4, 4, 4], true),
        c::UNSIGNED_SHORT_5_5_5_1 => (&[5, 5, 5, 1], false),
        c::UNSIGNED_SHORT_1_5_5_5_REV => (&[5, 5, 5, 1], true),
        c::UNSIGNED_INT_8_8_8_8 => (&[8, 8, 8, 8], false),
        c::UNSIGNED_INT_8_8_8_8_REV => (&[8, 8, 8, 8], true),
        c::UNSIGNED_INT_10_10_10_2 => (&[10, 10, 10, 2], false),
        c::UNSIGNED_INT_2_10_10_10_REV => (&[10, 10, 10, 2], true),
        c::UNSIGNED_INT_24_8 => (&[24, 8], false),
        _ => return None,
    })
}

/// A half float's value.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = ((bits >> 10) & 31, f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction / 1024.0 / 16384.0,
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * f64::exp2(f64::from(exponent) - 15.0),
    }
}

/// The nearest half float.
fn to_half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if value.is_nan() {
        return sign | 0x7E00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7C00;
    }
    let exponent = magnitude.max(1e-30).log2().floor().clamp(-14.0, 15.0);
    let scaled = (magnitude / f64::exp2(exponent - 10.0)).round_ties_even() as u32;
    // A normal number has its leading one in bit 10, which the exponent field takes up.
    let base = if magnitude < f64::exp2(-14.0) { 0 } else { (exponent as i32 + 14) as u32 };
    sign | ((base << 10) + scaled) as u16
}

/// An unsigned float of a 5-bit exponent and that many bits of fraction.
fn small_float(bits: u32, fraction_bits: u32) -> f64 {
    half(((bits << (10 - fraction_bits)) & 0x7FFF) as u16)
}

fn decode(bytes: &[u8], format: u32, ty: u32) -> Option<[f64; 4]> {
    let mut out = [0.0, 0.0, 0.0, 1.0];
    let places = places(format)?;
    let integer = is_integer(format);
    let word = |size: usize| -> u64 {
        let mut word = [0u8; 8];
        word[..size].copy_from_slice(&bytes[..size]);
        u64::from_le_bytes(word)
    };
    match ty {
        c::FLOAT_32_UNSIGNED_INT_24_8_REV => {
            out[0] = f64::from(f32::from_bits(word(4) as u32));
            out[1] = f64::from(bytes[4]);
            return Some(out);
        }
        c::UNSIGNED_INT_10F_11F_11F_REV => {
            let bits = word(4) as u32;
            out[0] = small_float(bits & 0x7FF, 6);
            out[1] = small_float((bits >> 11) & 0x7FF, 6);
            out[2] = small_float(bits >> 22, 5);
            return Some(out);
        }
        c::UNSIGNED_INT_5_9_9_9_REV => {
            let bits = word(4) as u32;
            let scale = f64::exp2(f64::from(bits >> 27) - 24.0);
            for (i, value) in out.iter_mut().take(3).enumerate() {
                *value = f64::from((bits >> (9 * i)) & 511) * scale;
            }
            return Some(out);
        }
        _ => {}
    }
    if let Some((sizes, first_low)) = fields(ty) {
        let size = pixel::type_bytes(ty)? as usize;
        let bits = word(size);
        let mut at = if first_low { 0 } else { size as u32 * 8 };
        for (place, width) in places.iter().zip(sizes) {
            if !first_low {
                at -= width;
            }
            let most = (1u64 << width) - 1;
            let value = ((bits >> at) & most) as f64;
            if first_low {
                at += width;
            }
            // The stencil index of a depth-stencil pixel is no fraction.
            let stencil = format == c::DEPTH_STENCIL && *place == 1;
            out[*place] = if integer || stencil { value } else { value / most as f64 };
        }
        return Some(out);
    }
    let size = pixel::type_bytes(ty)? as usize;
    for (i, place) in places.iter().enumerate() {
        let element = bytes.get(i * size..(i + 1) * size)?;
        let mut word = [0u8; 4];
        word[..size].copy_from_slice(element);
        let raw = u32::from_le_bytes(word);
        let fraction = |value: f64, most: f64| {
            if integer { value } else { (value / most).max(-1.0) }
        };
        out[*place] = match ty {
            c::UNSIGNED_BYTE => fraction(f64::from(raw), 255.0),
            c::BYTE => fraction(f64::from(raw as u8 as i8), 127.0),
            c::UNSIGNED_SHORT => fraction(f64::from(raw), 65535.0),
            c::SHORT => fraction(f64::from(raw as u16 as i16), 32767.0),
            c::UNSIGNED_INT => fraction(f64::from(raw), 4_294_967_295.0),
            c::INT => fraction(f64::from(raw as i32), 2_147_483_647.0),
            c::FLOAT => f64::from(f32::from_bits(raw)),
            c::HALF_FLOAT | c::HALF_FLOAT_OES => half(raw as u16),
            _ => return None,
        };
    }
    if matches!(format, c::LUMINANCE | c::LUMINANCE_ALPHA) {
        out[1] = out[0];
        out[2] = out[0];
    }
    Some(out)
}

fn encode(value: [f64; 4], format: u32, ty: u32, out: &mut Vec<u8>) -> Option<()> {
    let places = places(format)?;
    let integer = is_integer(format);
    match ty {
        c::FLOAT_32_UNSIGNED_INT_24_8_REV => {
            out.extend((value[0] as f32).to_le_bytes());
            out.extend((value[1] as u32 & 255).to_le_bytes());
            return Some(());
        }
        c::UNSIGNED_INT_10F_11F_11F_REV => {
            let field = |v: f64, bits: u32| u32::from(to_half(v.max(0.0))) >> (10 - bits);
            let word = field(value[0], 6) | field(value[1], 6) << 11 | field(value[2], 5) << 22;
            out.extend(word.to_le_bytes());
            return Some(());
        }
        c::UNSIGNED_INT_5_9_9_9_REV => {
            // OpenGL 4.6 §8.5.2, with N = 9, B = 15, Emax = 31.
            let clamped = [0, 1, 2].map(|i| value[i].clamp(0.0, 65408.0));
            let most = clamped.into_iter().fold(0.0f64, f64::max);
            let estimate = most.max(f64::exp2(-16.0)).log2().floor().max(-16.0) + 16.0;
            let scale = f64::exp2(estimate - 24.0);
            let exponent = if (most / scale).round() >= 512.0 { estimate + 1.0 } else { estimate };
            let scale = f64::exp2(exponent - 24.0);
            let mut word = (exponent as u32) << 27;
            for (i, v) in clamped.into_iter().enumerate() {
                word |= ((v / scale).round() as u32).min(511) << (9 * i);
            }
            out.extend(word.to_le_bytes());
            return Some(());
        }
        _ => {}
    }
    if let Some((sizes, first_low)) = fields(ty) {
        let size = pixel::type_bytes(ty)? as usize;
        let mut bits = 0u64;
        let mut at = if first_low { 0 } else { size as u32 * 8 };
        for (place, width) in places.iter().zip(sizes) {
            if !first_low {
                at -= width;
            }
            let most = ((1u64 << width) - 1) as f64;
            let stencil = format == c::DEPTH_STENCIL && *place == 1;
            let scaled = if integer || stencil { value[*place] } else { value[*place] * most };
            bits |= (scaled.round().clamp(0.0, most) as u64) << at;
            if first_low {
                at += width;
            }
        }
        out.extend(bits.to_le_bytes().get(..size)?);
        return Some(());
    }
    for place in places {
        let v = value[*place];
        let whole = |most: f64, least: f64| {
            if integer { v.clamp(least, most) } else { (v * most).round().clamp(-most, most) }
        };
        match ty {
            c::UNSIGNED_BYTE => out.push(whole(255.0, 0.0).max(0.0) as u8),
            c::BYTE => out.push(whole(127.0, -128.0) as i8 as u8),
            c::UNSIGNED_SHORT => out.extend((whole(65535.0, 0.0).max(0.0) as u16).to_le_bytes()),
            c::SHORT => out.extend((whole(32767.0, -32768.0) as i16).to_le_bytes()),
            c::UNSIGNED_INT => {
                out.extend((whole(4_294_967_295.0, 0.0).max(0.0) as u32).to_le_bytes());
            }
            c::INT => {
                out.extend((whole(2_147_483_647.0, -2_147_483_648.0) as i32).to_le_bytes());
            }
            c::FLOAT => out.extend((v as f32).to_le_bytes()),
            c::HALF_FLOAT | c::HALF_FLOAT_OES => out.extend(to_half(v).to_le_bytes()),
            _ => return None,
        }
    }
    Some(())
}

/// Converts tight pixels; `None` for a pair that has no meaning.
pub fn pixels(bytes: &[u8], from: u32, from_ty: u32, to: u32, to_ty: u32) -> Option<Vec<u8>> {
    let size = pixel::pixel_bytes(from, from_ty)? as usize;
    let to_size = pixel::pixel_bytes(to, to_ty)? as usize;
    if size == 0 || is_integer(from) != is_integer(to) {
        return None;
    }
    let count = bytes.len() / size;
    let mut out = Vec::with_capacity(count * to_size);
    let red_and_blue = (from == c::BGRA && to == c::RGBA) || (from == c::RGBA && to == c::BGRA);
    let plain = |ty: u32| matches!(ty, c::UNSIGNED_BYTE | c::UNSIGNED_INT_8_8_8_8_REV);
    if red_and_blue && plain(from_ty) && plain(to_ty) {
        for pixel in bytes.chunks_exact(4) {
            out.extend([pixel[2], pixel[1], pixel[0], pixel[3]]);
        }
        return Some(out);
    }
    for pixel in bytes.chunks_exact(size) {
        encode(decode(pixel, from, from_ty)?, to, to_ty, &mut out)?;
    }
    Some(out)
}

/// The tight rows of a box that stands in `bytes` with pixel store parameters.
pub fn tighten(
    bytes: &[u8],
    format: u32,
    ty: u32,
    size: [u32; 3],
    store: &PixelStore,
    images: bool,
) -> Vec<u8> {
    let mut out = Vec::new();
    let Some((image, skip, row)) = pixel::strides(format, ty, size, store, images) else {
        return out;
    };
    let len = u64::from(size[0]) * u64::from(pixel::pixel_bytes(format, ty).unwrap_or(0));
    for z in 0..u64::from(size[2]) {
        for y in 0..u64::from(size[1]) {
            let at = (skip + z * image + y * row) as usize;
            match bytes.get(at..at + len as usize) {
                Some(row) => out.extend_from_slice(row),
                None => out.resize(out.len() + len as usize, 0),
            }
        }
    }
    if store.swap_bytes != 0 {
        swap(&mut out, ty);
    }
    out
}

/// Puts tight rows where they stand in `bytes` with pixel store parameters.
pub fn scatter(
    tight: &[u8],
    bytes: &mut [u8],
    format: u32,
    ty: u32,
    size: [u32; 3],
    store: &PixelStore,
    images: bool,
) {
    let Some((image, skip, row)) = pixel::strides(format, ty, size, store, images) else { return };
    let len = u64::from(size[0]) * u64::from(pixel::pixel_bytes(format, ty).unwrap_or(0));
    let mut rows = tight.chunks_exact((len as usize).max(1));
    for z in 0..u64::from(size[2]) {
        for y in 0..u64::from(size[1]) {
            let at = (skip + z * image + y * row) as usize;
            if let (Some(row), Some(to)) = (rows.next(), bytes.get_mut(at..at + len as usize)) {
                to.copy_from_slice(row);
                if store.swap_bytes != 0 {
                    swap(to, ty);
                }
            }
        }
    }
}

/// Turns the bytes of each element round.
fn swap(bytes: &mut [u8], ty: u32) {
    let size = match ty {
        c::FLOAT_32_UNSIGNED_INT_24_8_REV => 4,
        _ => pixel::type_bytes(ty).unwrap_or(1) as usize,
    };
    for element in bytes.chunks_exact_mut(size.max(1)) {
        element.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_and_swapped_pixels_become_plain_ones() {
        let bytes = [10, 20, 30, 40];
        assert_eq!(
            pixels(&bytes, c::BGRA, c::UNSIGNED_BYTE, c::RGBA, c::UNSIGNED_BYTE).unwrap(),
            [30, 20, 10, 40]
        );
        // 5_6_5 has red in the highest bits.
        let red = 0xF800u16.to_le_bytes();
        assert_eq!(
            pixels(&red, c::RGB, c::UNSIGNED_SHORT_5_6_5, c::RGBA, c::UNSIGNED_BYTE).unwrap(),
            [255, 0, 0, 255]
        );
        // 8_8_8_8 has red in the highest byte, which comes last in memory.
        let word = 0x11223344u32.to_le_bytes();
        assert_eq!(
            pixels(&word, c::RGBA, c::UNSIGNED_INT_8_8_8_8, c::RGBA, c::UNSIGNED_BYTE).unwrap(),
            [0x11, 0x22, 0x33, 0x44]
        );
    }

    #[test]
    fn half_floats_round_trip() {
        for bits in (0..0x7C00u16).step_by(7) {
            assert_eq!(to_half(half(bits)), bits, "{bits:#06x}");
            assert_eq!(to_half(-half(bits)), bits | 0x8000, "{bits:#06x}");
        }
        assert_eq!(to_half(1.0), 0x3C00);
        assert_eq!(to_half(1e9), 0x7C00);
    }

    #[test]
    fn shared_exponents_and_small_floats_keep_powers_of_two() {
        for ty in [c::UNSIGNED_INT_5_9_9_9_REV, c::UNSIGNED_INT_10F_11F_11F_REV] {
            let value = [0.5f32, 2.0, 1.0];
            let bytes: Vec<u8> = value.iter().flat_map(|v| v.to_le_bytes()).collect();
            let packed = pixels(&bytes, c::RGB, c::FLOAT, c::RGB, ty).unwrap();
            assert_eq!(pixels(&packed, c::RGB, ty, c::RGB, c::FLOAT).unwrap(), bytes, "{ty:#x}");
        }
    }

    #[test]
    fn integers_are_kept_and_never_mixed_with_fractions() {
        let bytes = 0xFFFF_FFFEu32.to_le_bytes();
        let kept =
            pixels(&bytes, c::RED_INTEGER, c::UNSIGNED_INT, c::RGBA_INTEGER, c::UNSIGNED_INT);
        assert_eq!(kept.unwrap()[..4], bytes);
        assert!(pixels(&bytes, c::RED, c::UNSIGNED_INT, c::RED_INTEGER, c::UNSIGNED_INT).is_none());
    }

    #[test]
    fn rows_are_found_where_the_pixel_store_puts_them() {
        let store = PixelStore { alignment: 4, row_length: 3, skip_rows: 1, ..Default::default() };
        let size = [2, 2, 1];
        let bytes: Vec<u8> = (0..12).collect();
        let tight = tighten(&bytes, c::RED, c::UNSIGNED_BYTE, size, &store, false);
        assert_eq!(tight, [4, 5, 8, 9]);
        let mut back = vec![0; 12];
        scatter(&tight, &mut back, c::RED, c::UNSIGNED_BYTE, size, &store, false);
        assert_eq!(back, [0, 0, 0, 0, 4, 5, 0, 0, 8, 9, 0, 0]);
    }
}
