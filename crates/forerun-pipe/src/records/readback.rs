//! Readbacks. Those with a `dst` answer when the bytes stand there.

use super::texture::PixelStore;
use crate::codec::BlobRef;
use crate::flat;
use crate::handle::RawHandle;

flat! {
    /// glReadPixels into client memory. Rows in `dst` are tight.
    pub struct ReadPixels {
        /// Lower left corner.
        pub x: i32,
        /// Lower left corner.
        pub y: i32,
        /// Pixels.
        pub width: u32,
        /// Pixels.
        pub height: u32,
        /// Pixel format.
        pub format: u32,
        /// Pixel type.
        pub ty: u32,
        /// GL_CLAMP_READ_COLOR: 0 for GL_FIXED_ONLY, 1 for GL_TRUE, 2 for GL_FALSE.
        pub clamp: u32,
        /// Zero.
        pub pad: u32,
        /// Where the server writes.
        pub dst: BlobRef,
    }

    /// glReadPixels into a pack buffer.
    pub struct ReadPixelsToBuffer {
        /// The pack buffer.
        pub buffer: RawHandle,
        /// First byte, before the skips.
        pub offset: u64,
        /// Lower left corner.
        pub x: i32,
        /// Lower left corner.
        pub y: i32,
        /// Pixels.
        pub width: u32,
        /// Pixels.
        pub height: u32,
        /// Pixel format.
        pub format: u32,
        /// Pixel type.
        pub ty: u32,
        /// How the bytes stand in the buffer.
        pub store: PixelStore,
        /// GL_CLAMP_READ_COLOR: 0 for GL_FIXED_ONLY, 1 for GL_TRUE, 2 for GL_FALSE.
        pub clamp: u32,
    }

    /// glGetTexImage, glGetTextureSubImage, glGetCompressedTexImage into client memory, tight.
    pub struct GetTextureImage {
        /// The texture.
        pub handle: RawHandle,
        /// Image target.
        pub target: u32,
        /// Level.
        pub level: u32,
        /// x, y, z.
        pub origin: [i32; 3],
        /// Width, height, depth.
        pub size: [u32; 3],
        /// Pixel format; 0 for compressed bytes.
        pub format: u32,
        /// Pixel type.
        pub ty: u32,
        /// Where the server writes.
        pub dst: BlobRef,
    }

    /// The same into a pack buffer.
    pub struct GetTextureImageToBuffer {
        /// The texture.
        pub handle: RawHandle,
        /// The pack buffer.
        pub buffer: RawHandle,
        /// First byte, before the skips.
        pub offset: u64,
        /// Image target.
        pub target: u32,
        /// Level.
        pub level: u32,
        /// x, y, z.
        pub origin: [i32; 3],
        /// Width, height, depth.
        pub size: [u32; 3],
        /// Pixel format; 0 for compressed bytes.
        pub format: u32,
        /// Pixel type.
        pub ty: u32,
        /// How the bytes stand in the buffer.
        pub store: PixelStore,
        /// Zero.
        pub pad: u32,
    }

    /// Buffer bytes.
    pub struct ResourceReadback {
        /// The buffer.
        pub handle: RawHandle,
        /// First byte.
        pub offset: u64,
        /// Where the server writes; its size is the range's.
        pub dst: BlobRef,
    }
}
