//! Framebuffer objects.

use crate::flat;
use crate::handle::RawHandle;

/// Colour attachments at most.
pub const MAX_COLOR_ATTACHMENTS: usize = 8;

flat! {
    /// What is attached at one point.
    pub struct Attachment {
        /// The texture or renderbuffer, or null.
        pub handle: RawHandle,
        /// [`crate::Kind`] of the handle, or 0.
        pub kind: u32,
        /// Texture: image target (a cube face, or the texture's target).
        pub target: u32,
        /// Texture: level.
        pub level: u32,
        /// Texture: layer, when one layer of an array or 3D texture is attached.
        pub layer: u32,
        /// Texture: all layers are attached.
        pub layered: u32,
        /// Implicit multisampling (EXT_multisampled_render_to_texture); 0 for none.
        pub samples: u32,
    }

    /// Describes one framebuffer object whole.
    pub struct SetFramebufferState {
        /// The framebuffer; for the default framebuffer only `draw_buffers` and `read_buffer` count.
        pub handle: RawHandle,
        /// Colour attachments.
        pub color: [Attachment; 8],
        /// Depth attachment.
        pub depth: Attachment,
        /// Stencil attachment.
        pub stencil: Attachment,
        /// GL draw buffers; GL_NONE from the first unused.
        pub draw_buffers: [u32; 8],
        /// GL read buffer.
        pub read_buffer: u32,
        /// GL_FRAMEBUFFER_DEFAULT_WIDTH.
        pub default_width: u32,
        /// GL_FRAMEBUFFER_DEFAULT_HEIGHT.
        pub default_height: u32,
        /// GL_FRAMEBUFFER_DEFAULT_LAYERS.
        pub default_layers: u32,
        /// GL_FRAMEBUFFER_DEFAULT_SAMPLES.
        pub default_samples: u32,
        /// GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS.
        pub default_fixed_sample_locations: u32,
    }

    /// Selects the framebuffers of the verbs that follow.
    pub struct BindFramebuffers {
        /// Draw framebuffer; [`RawHandle::DEFAULT_FRAMEBUFFER`] for the drawable.
        pub draw: RawHandle,
        /// Read framebuffer.
        pub read: RawHandle,
    }

    /// The contents of attachments become undefined.
    pub struct InvalidateFramebuffer {
        /// The framebuffer.
        pub handle: RawHandle,
        /// How many attachment points follow (GL_COLOR_ATTACHMENTi, GL_COLOR, …).
        pub count: u32,
        /// Only the rectangle that follows.
        pub has_rect: u32,
        /// x, y, width, height.
        pub rect: [i32; 4],
    }
}
