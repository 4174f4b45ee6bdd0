//! Clears.

use crate::flat;

/// [`Clear::kind`].
pub mod clear_kind {
    /// glClear: `mask` says what; values are the context's clear values.
    pub const WHOLE: u32 = 0;
    /// glClearBuffer*v(GL_COLOR, `draw_buffer`).
    pub const COLOR: u32 = 1;
    /// glClearBufferfv(GL_DEPTH).
    pub const DEPTH: u32 = 2;
    /// glClearBufferiv(GL_STENCIL).
    pub const STENCIL: u32 = 3;
    /// glClearBufferfi(GL_DEPTH_STENCIL).
    pub const DEPTH_STENCIL: u32 = 4;
}

flat! {
    /// Clears the bound draw framebuffer.
    pub struct Clear {
        /// [`clear_kind`].
        pub kind: u32,
        /// GL clear bits for [`clear_kind::WHOLE`].
        pub mask: u32,
        /// Draw buffer index for [`clear_kind::COLOR`].
        pub draw_buffer: u32,
        /// 0 float, 1 int, 2 unsigned int.
        pub class: u32,
        /// Colour bits.
        pub color: [u32; 4],
        /// Depth.
        pub depth: f32,
        /// Stencil.
        pub stencil: i32,
    }
}
