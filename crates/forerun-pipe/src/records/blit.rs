//! Blits.

use crate::flat;

flat! {
    /// glBlitFramebuffer from the bound read to the bound draw framebuffer.
    pub struct Blit {
        /// x0, y0, x1, y1 in the source.
        pub src: [i32; 4],
        /// x0, y0, x1, y1 in the destination.
        pub dst: [i32; 4],
        /// GL buffer bits.
        pub mask: u32,
        /// GL_NEAREST or GL_LINEAR.
        pub filter: u32,
    }
}
