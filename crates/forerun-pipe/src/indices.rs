//! Which vertices indices reach. Both sides need it: a client for arrays in its program's memory, a server for what is mapped.

use crate::gl;
use crate::records::RenderStateDesc;

/// Bytes of an index; `None` for what is no index type.
pub fn width(ty: u32) -> Option<usize> {
    match ty {
        gl::UNSIGNED_BYTE => Some(1),
        gl::UNSIGNED_SHORT => Some(2),
        gl::UNSIGNED_INT => Some(4),
        _ => None,
    }
}

/// The index of that many bytes that begins a primitive anew, if any does (OpenGL 4.6, section 10.3.6).
pub fn restart(desc: &RenderStateDesc, index: u32, width: usize) -> Option<u32> {
    if desc.primitive_restart_fixed != 0 {
        Some(u32::MAX >> (32 - 8 * width as u32))
    } else {
        (desc.primitive_restart != 0).then_some(index)
    }
}

/// First and last vertex of some indices and those before; restart indices reach none.
pub fn reach(
    before: Option<(i64, i64)>,
    bytes: &[u8],
    width: usize,
    base_vertex: i32,
    restart: Option<u32>,
) -> Option<(i64, i64)> {
    let indices = bytes
        .chunks_exact(width)
        .map(|index| index.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)));
    indices.filter(|index| Some(*index) != restart).fold(before, |span, index| {
        let vertex = i64::from(index) + i64::from(base_vertex);
        Some(span.map_or((vertex, vertex), |(first, last)| (first.min(vertex), last.max(vertex))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_reach_from_the_least_to_the_greatest_but_the_restart() {
        let two = [3u16, 0xFFFF, 500, 7].map(u16::to_le_bytes).concat();
        assert_eq!(reach(None, &two, 2, 10, Some(0xFFFF)), Some((13, 510)));
        assert_eq!(reach(Some((-4, 2)), &two, 2, 0, None), Some((-4, 0xFFFF)));
        assert_eq!(reach(None, &[9, 9], 1, 0, Some(9)), None);
        let fixed = RenderStateDesc { primitive_restart_fixed: 1, ..Default::default() };
        assert_eq!(restart(&fixed, 5, 2), Some(0xFFFF));
        let other = RenderStateDesc { primitive_restart: 1, ..Default::default() };
        assert_eq!((restart(&other, 5, 2), restart(&Default::default(), 5, 2)), (Some(5), None));
    }
}
