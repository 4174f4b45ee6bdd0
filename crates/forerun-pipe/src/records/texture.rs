//! Texture objects.

use super::sampler::SamplerParams;
use crate::flat;
use crate::handle::RawHandle;

flat! {
    /// A texture object's own parameters, whole.
    pub struct SetTextureParams {
        /// The texture.
        pub handle: RawHandle,
        /// Its own sampler parameters.
        pub sampler: SamplerParams,
        /// GL_TEXTURE_BASE_LEVEL.
        pub base_level: u32,
        /// GL_TEXTURE_MAX_LEVEL.
        pub max_level: u32,
        /// GL_TEXTURE_SWIZZLE_RGBA.
        pub swizzle: [u32; 4],
        /// GL_DEPTH_STENCIL_TEXTURE_MODE.
        pub depth_stencil_mode: u32,
        /// Zero.
        pub pad: u32,
    }

    /// glGenerateMipmap.
    pub struct GenerateMipmap {
        /// The texture.
        pub handle: RawHandle,
        /// Its target.
        pub target: u32,
        /// Zero.
        pub pad: u32,
    }

    /// glCopyImageSubData.
    pub struct ResourceCopyRegion {
        /// Source texture or renderbuffer.
        pub src: RawHandle,
        /// Destination texture or renderbuffer.
        pub dst: RawHandle,
        /// GL_RENDERBUFFER or a texture target.
        pub src_target: u32,
        /// GL_RENDERBUFFER or a texture target.
        pub dst_target: u32,
        /// Level.
        pub src_level: u32,
        /// Level.
        pub dst_level: u32,
        /// x, y, z in the source.
        pub src_origin: [i32; 3],
        /// x, y, z in the destination.
        pub dst_origin: [i32; 3],
        /// Width, height, depth.
        pub size: [u32; 3],
        /// Zero.
        pub pad: u32,
    }

    /// glCopyTexSubImage*; glCopyTexImage* is a [`super::ResourceRespecify`] followed by this.
    pub struct CopyFramebufferToTexture {
        /// Destination.
        pub handle: RawHandle,
        /// Image target.
        pub target: u32,
        /// Level.
        pub level: u32,
        /// x, y, z in the texture.
        pub dst_origin: [i32; 3],
        /// Lower left corner in the read framebuffer.
        pub x: i32,
        /// Lower left corner in the read framebuffer.
        pub y: i32,
        /// Pixels.
        pub width: u32,
        /// Pixels.
        pub height: u32,
        /// Zero.
        pub pad: u32,
    }

    /// A texture upload whose bytes stand in a buffer object.
    pub struct TextureSubDataFromBuffer {
        /// Destination.
        pub handle: RawHandle,
        /// The unpack buffer.
        pub buffer: RawHandle,
        /// First byte read, before the skips.
        pub offset: u64,
        /// Image target.
        pub target: u32,
        /// Level.
        pub level: u32,
        /// x, y, z in the texture.
        pub origin: [i32; 3],
        /// Width, height, depth.
        pub size: [u32; 3],
        /// Pixel format, or the compressed internal format.
        pub format: u32,
        /// Pixel type; 0 for compressed bytes.
        pub ty: u32,
        /// Compressed: bytes of the image. Otherwise 0.
        pub image_size: u32,
        /// How the bytes stand in the buffer.
        pub store: PixelStore,
    }

    /// Pixel store parameters of a transfer from or to a buffer.
    pub struct PixelStore {
        /// GL_*_ALIGNMENT.
        pub alignment: u32,
        /// GL_*_ROW_LENGTH.
        pub row_length: u32,
        /// GL_*_IMAGE_HEIGHT.
        pub image_height: u32,
        /// GL_*_SKIP_PIXELS.
        pub skip_pixels: u32,
        /// GL_*_SKIP_ROWS.
        pub skip_rows: u32,
        /// GL_*_SKIP_IMAGES.
        pub skip_images: u32,
        /// GL_*_SWAP_BYTES.
        pub swap_bytes: u32,
    }

    /// glClearTexSubImage.
    pub struct ClearTexture {
        /// The texture.
        pub handle: RawHandle,
        /// Level.
        pub level: u32,
        /// Format of `value`.
        pub format: u32,
        /// Type of `value`.
        pub ty: u32,
        /// x, y, z.
        pub origin: [i32; 3],
        /// Width, height, depth.
        pub size: [u32; 3],
        /// Bytes of `value` in use.
        pub value_len: u32,
        /// One texel in that format and type.
        pub value: [u8; 32],
    }

    /// glInvalidateTexSubImage; a width of all ones means the whole level.
    pub struct InvalidateTexture {
        /// The texture.
        pub handle: RawHandle,
        /// Level.
        pub level: u32,
        /// Zero.
        pub pad: u32,
        /// x, y, z.
        pub origin: [i32; 3],
        /// Width, height, depth.
        pub size: [u32; 3],
    }
}
