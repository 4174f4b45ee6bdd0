//! What buffers, textures and renderbuffers share: existence, storage, contents.

use crate::codec::BlobRef;
use crate::flat;
use crate::handle::RawHandle;

flat! {
    /// Introduces an object.
    pub struct ResourceCreate {
        /// The new handle.
        pub handle: RawHandle,
        /// [`crate::Kind`]: Buffer, Texture or Renderbuffer.
        pub kind: u32,
        /// Texture target, or 0.
        pub target: u32,
    }

    /// Defines storage. Contents are undefined (buffers: zero) until they are written.
    pub struct ResourceRespecify {
        /// The object.
        pub handle: RawHandle,
        /// [`crate::Kind`].
        pub kind: u32,
        /// Texture: the image target (a cube face for one level of a cube map). Otherwise 0.
        pub target: u32,
        /// Buffer: bytes.
        pub size: u64,
        /// Buffer: GL usage. Immutable buffer: 0.
        pub usage: u32,
        /// Immutable buffer: GL_MAP_* and GL_DYNAMIC_STORAGE_BIT flags.
        pub storage_flags: u32,
        /// Texture, renderbuffer: internal format, as the program gave it.
        pub internal_format: u32,
        /// Texture: pixel format that the program gave with the level (decides an unsized format), or 0.
        pub format: u32,
        /// Texture: pixel type, likewise.
        pub ty: u32,
        /// Texels.
        pub width: u32,
        /// Texels (1 for 1D).
        pub height: u32,
        /// Texels, layers or layer-faces (1 unless 3D or an array).
        pub depth: u32,
        /// Immutable texture: number of levels. 0: this record defines the one level `level`.
        pub levels: u32,
        /// The level defined.
        pub level: u32,
        /// 0 for single-sampled.
        pub samples: u32,
        /// GL fixed sample locations.
        pub fixed_sample_locations: u32,
        /// Storage that can never be respecified.
        pub immutable: u32,
        /// View: first level of the origin.
        pub min_level: u32,
        /// View: first layer of the origin.
        pub min_layer: u32,
        /// View: layers.
        pub num_layers: u32,
        /// View: the texture whose storage is seen, or null.
        pub view_of: RawHandle,
        /// Buffer texture: the buffer, or null.
        pub buffer: RawHandle,
        /// Buffer texture: first byte.
        pub buffer_offset: u64,
        /// Buffer texture: bytes; all ones for the whole buffer, resolved at use.
        pub buffer_size: u64,
    }

    /// Ends an object's life; uses still bound live on as GL says because the client sends this after the last of them.
    pub struct ResourceDestroy {
        /// The object.
        pub handle: RawHandle,
        /// [`crate::Kind`].
        pub kind: u32,
        /// Zero.
        pub pad: u32,
    }

    /// Bytes for a buffer range (`offset`, the blob's size) or a box of a texture level (tight rows).
    pub struct ResourceSubData {
        /// The object.
        pub handle: RawHandle,
        /// [`crate::Kind`]: Buffer or Texture.
        pub kind: u32,
        /// Texture: image target (a cube face for a cube map).
        pub target: u32,
        /// Buffer: first byte.
        pub offset: u64,
        /// Texture: level.
        pub level: u32,
        /// Texture: box origin.
        pub x: i32,
        /// Texture: box origin.
        pub y: i32,
        /// Texture: box origin.
        pub z: i32,
        /// Texture: box size.
        pub width: u32,
        /// Texture: box size.
        pub height: u32,
        /// Texture: box size.
        pub depth: u32,
        /// Texture: pixel format; for compressed bytes the compressed internal format.
        pub format: u32,
        /// Texture: pixel type; 0 for compressed bytes.
        pub ty: u32,
        /// Zero.
        pub pad: u32,
        /// The bytes.
        pub bytes: BlobRef,
    }

    /// An object of a kind without storage of its own is gone: Framebuffer, Feedback, Context, Surface.
    pub struct ObjectDeath {
        /// The object.
        pub handle: RawHandle,
        /// [`crate::Kind`].
        pub kind: u32,
        /// Zero.
        pub pad: u32,
    }
}
