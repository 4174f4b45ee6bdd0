//! Entry point of blits.

use crate::entries;
use crate::state::blit;

entries! {
    fn glBlitFramebuffer(
        src_x0: i32, src_y0: i32, src_x1: i32, src_y1: i32,
        dst_x0: i32, dst_y0: i32, dst_x1: i32, dst_y1: i32,
        mask: u32, filter: u32,
    ) = |cx| {
        blit::blit(cx, [src_x0, src_y0, src_x1, src_y1], [dst_x0, dst_y0, dst_x1, dst_y1], mask, filter)
    };
}
