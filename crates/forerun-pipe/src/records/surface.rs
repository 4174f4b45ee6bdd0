//! Contexts, drawables and presentation.

use crate::codec::BlobRef;
use crate::flat;
use crate::handle::RawHandle;

/// [`CreateContext::api`].
pub mod api {
    /// OpenGL ES 2.0 or later.
    pub const ES: u32 = 1;
    /// Core profile.
    pub const CORE: u32 = 2;
    /// What old toolkits ask for: no version, no profile.
    pub const COMPATIBILITY: u32 = 3;
}

/// [`CreateSurface::surface_kind`].
pub mod surface_kind {
    /// Off-screen.
    pub const PBUFFER: u32 = 1;
    /// An X11 window.
    pub const X11_WINDOW: u32 = 2;
    /// An X11 pixmap.
    pub const X11_PIXMAP: u32 = 3;
    /// A window that only the client knows: it reads the picture back and shows and paces it.
    pub const CLIENT_WINDOW: u32 = 4;
}

/// [`CreateSurface::present_mode`] and [`SurfaceReply::present_mode`].
pub mod present_mode {
    /// The server chooses.
    pub const AUTO: u32 = 0;
    /// The server swaps on the program's window.
    pub const NATIVE: u32 = 1;
    /// The client presents bytes that the server reads back.
    pub const SHM: u32 = 2;
    /// Nothing is shown.
    pub const OFFSCREEN: u32 = 3;
}

flat! {
    /// Introduces a context.
    pub struct CreateContext {
        /// The new handle.
        pub handle: RawHandle,
        /// [`api`].
        pub api: u32,
        /// Major version that the program gets.
        pub major: u32,
        /// Minor version.
        pub minor: u32,
        /// EGL_CONTEXT_OPENGL_*_BIT flags: 1 debug, 2 forward compatible, 4 robust access.
        pub flags: u32,
    }

    /// Introduces a drawable.
    pub struct CreateSurface {
        /// The new handle.
        pub handle: RawHandle,
        /// XID of the window or pixmap; 0 otherwise.
        pub native: u64,
        /// [`surface_kind`].
        pub surface_kind: u32,
        /// Pixels; for a window the client's last knowledge.
        pub width: u32,
        /// Pixels.
        pub height: u32,
        /// GL_RGBA8, GL_RGB8, GL_SRGB8_ALPHA8, …
        pub color_format: u32,
        /// GL_DEPTH24_STENCIL8 and its kin, or 0.
        pub depth_stencil_format: u32,
        /// 0 for single-sampled.
        pub samples: u32,
        /// [`present_mode`].
        pub present_mode: u32,
        /// Length of the X display's name that follows.
        pub display_len: u32,
        /// X visual of the window, or 0.
        pub visual: u64,
    }

    /// The answer of [`CreateSurface`].
    pub struct SurfaceReply {
        /// Pixels.
        pub width: u32,
        /// Pixels.
        pub height: u32,
        /// [`present_mode`] in force.
        pub present_mode: u32,
        /// Zero.
        pub pad: u32,
    }

    /// Another size for a drawable whose size the client decides.
    pub struct ResizeSurface {
        /// The drawable.
        pub handle: RawHandle,
        /// Pixels.
        pub width: u32,
        /// Pixels.
        pub height: u32,
    }

    /// The records after it belong to that context and those drawables.
    pub struct BindContext {
        /// The context, or null when it is released.
        pub context: RawHandle,
        /// Draw surface, or null.
        pub draw: RawHandle,
        /// Read surface, or null.
        pub read: RawHandle,
    }

    /// eglSwapBuffers.
    pub struct Present {
        /// The drawable.
        pub surface: RawHandle,
        /// Its frame, from 1; 0 is corruption.
        pub serial: u64,
    }

    /// eglSwapInterval.
    pub struct SetSwapInterval {
        /// The drawable.
        pub surface: RawHandle,
        /// Vertical blanks per frame.
        pub interval: i32,
        /// Zero.
        pub pad: u32,
    }

    /// A drawable's picture, tight BGRA8 rows, top row first.
    pub struct ReadSurface {
        /// The drawable.
        pub surface: RawHandle,
        /// Where the server writes.
        pub dst: BlobRef,
    }

    /// Shows a window's front buffer as it is.
    pub struct PresentFront {
        /// The drawable.
        pub surface: RawHandle,
        /// Whether what was drawn went to both buffers: the back buffer becomes the front buffer first.
        pub both: u32,
        /// Zero.
        pub pad: u32,
    }

    /// A drawable's front buffer, tight BGRA8 rows, top row first. A drawable that never had one drawn to gives its only buffer.
    pub struct ReadFront {
        /// The drawable.
        pub surface: RawHandle,
        /// Where the server writes.
        pub dst: BlobRef,
    }
}
