//! Descriptions of the objects that handles name. Each has serials that move when it changes; a backend's twin is clean when the
//! serials that it synced are equal to these.

use forerun_pipe::archive::Archive;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    Attachment, CreateContext, RenderStateDesc, SamplerParams, SetFramebufferState, VertexAttrib,
    VertexBinding,
};
use forerun_pipe::{Handle, Kind, RawHandle, gl};
use std::sync::Arc;
use std::time::Instant;

/// Mipmap levels at most; no image is so large that it would have more.
pub const MAX_LEVELS: u32 = 20;

/// A buffer object.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// Bytes.
    pub size: u64,
    /// GL usage; 0 for an immutable store.
    pub usage: u32,
    /// GL storage flags of an immutable store.
    pub storage_flags: u32,
    /// Storage that can never be respecified.
    pub immutable: bool,
    /// Moves when the store is defined anew; 0 before the first.
    pub serial: u64,
    /// Moves when any byte may have changed through the stream (not by shaders or feedback).
    pub content_serial: u64,
    /// The backend has no store for it: its uses are skipped.
    pub declined: bool,
}

/// One image of a texture: a level of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Internal format, as the program gave it.
    pub internal_format: u32,
    /// Pixel format given with it, or 0.
    pub format: u32,
    /// Pixel type given with it, or 0.
    pub ty: u32,
    /// Texels.
    pub width: u32,
    /// Texels, or layers of a 1D array.
    pub height: u32,
    /// Texels, layers or layer-faces.
    pub depth: u32,
}

/// The storage that a view sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewOf {
    /// The texture that owns the storage (it may be dead: its storage lives on in the view).
    pub origin: Handle<kind::Texture>,
    /// First level of the origin.
    pub min_level: u32,
    /// Levels.
    pub num_levels: u32,
    /// First layer of the origin.
    pub min_layer: u32,
    /// Layers.
    pub num_layers: u32,
}

/// The buffer that a buffer texture reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TexelBuffer {
    /// The buffer, or null.
    pub buffer: Handle<kind::Buffer>,
    /// Internal format.
    pub internal_format: u32,
    /// First byte.
    pub offset: u64,
    /// Bytes, or `u64::MAX` for the whole buffer at the time of use.
    pub size: u64,
}

/// A texture object's own parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureParams {
    /// Sampler parameters.
    pub sampler: SamplerParams,
    /// GL_TEXTURE_BASE_LEVEL.
    pub base_level: u32,
    /// GL_TEXTURE_MAX_LEVEL.
    pub max_level: u32,
    /// GL_TEXTURE_SWIZZLE_RGBA.
    pub swizzle: [u32; 4],
    /// GL_DEPTH_STENCIL_TEXTURE_MODE.
    pub depth_stencil_mode: u32,
}

impl TextureParams {
    /// GL's initial parameters of a texture of that target (OpenGL 4.6, table 23.18).
    pub fn initial(target: u32) -> Self {
        let rectangle = target == gl::TEXTURE_RECTANGLE;
        let wrap = if rectangle { 0x812F } else { 0x2901 };
        TextureParams {
            sampler: SamplerParams {
                min_filter: if rectangle { 0x2601 } else { 0x2702 },
                mag_filter: 0x2601,
                wrap: [wrap; 3],
                compare_mode: 0,
                compare_func: 0x0203,
                min_lod: -1000.0,
                max_lod: 1000.0,
                lod_bias: 0.0,
                max_anisotropy: 1.0,
                srgb_decode: 0x8A49,
                ..Default::default()
            },
            base_level: 0,
            max_level: 1000,
            swizzle: [0x1903, 0x1904, 0x1905, 0x1906],
            depth_stencil_mode: 0x1902,
        }
    }
}

/// A texture object.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Its target; never a face.
    pub target: u32,
    /// Images by face (one row but for cube maps, which have six) and level. Gaps are levels that are not defined.
    pub faces: Vec<Vec<Option<Level>>>,
    /// Number of levels of immutable storage; 0 for mutable.
    pub immutable_levels: u32,
    /// 0 for single-sampled.
    pub samples: u32,
    /// GL fixed sample locations.
    pub fixed_sample_locations: bool,
    /// For a view, what it sees.
    pub view: Option<ViewOf>,
    /// For a buffer texture, what it reads.
    pub texel_buffer: Option<TexelBuffer>,
    /// Its parameters.
    pub params: TextureParams,
    /// The backend has no storage for it: its uses are skipped.
    pub declined: bool,
    /// Moves with any definition of storage; 0 before the first.
    pub serial: u64,
    /// Moves with the parameters; 0 for GL's initial ones.
    pub params_serial: u64,
}

impl Texture {
    /// A texture without images.
    pub fn new(target: u32) -> Self {
        Texture {
            target,
            faces: vec![Vec::new(); if target == gl::TEXTURE_CUBE_MAP { 6 } else { 1 }],
            immutable_levels: 0,
            samples: 0,
            fixed_sample_locations: false,
            view: None,
            texel_buffer: None,
            params: TextureParams::initial(target),
            declined: false,
            serial: 0,
            params_serial: 0,
        }
    }

    /// The row in [`Texture::faces`] of an image target: a face of a cube map, or the texture's own target (face 0).
    pub fn face(&self, target: u32) -> Option<usize> {
        if target == self.target {
            return Some(0);
        }
        let face = target.checked_sub(gl::TEXTURE_CUBE_MAP_POSITIVE_X)? as usize;
        (self.target == gl::TEXTURE_CUBE_MAP && face < 6).then_some(face)
    }

    /// An image.
    pub fn level(&self, face: usize, level: u32) -> Option<&Level> {
        self.faces.get(face)?.get(level as usize)?.as_ref()
    }

    /// The size of the texture's boxes at a level: that of the image, with six layers for a whole cube map.
    pub fn extent(&self, target: u32, level: u32) -> Option<[u32; 3]> {
        let image = self.level(self.face(target)?, level)?;
        let depth = if target == gl::TEXTURE_CUBE_MAP { 6 } else { image.depth };
        Some([image.width, image.height, depth])
    }

    /// The size of mipmap `n` levels below an image of that size.
    pub fn minified(target: u32, size: [u32; 3], n: u32) -> [u32; 3] {
        let shrink = |v: u32| v.checked_shr(n).unwrap_or(0).max(1);
        [
            shrink(size[0]),
            if target == gl::TEXTURE_1D_ARRAY { size[1] } else { shrink(size[1]) },
            if target == gl::TEXTURE_3D { shrink(size[2]) } else { size[2] },
        ]
    }
}

/// A renderbuffer object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Renderbuffer {
    /// Internal format.
    pub internal_format: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// 0 for single-sampled.
    pub samples: u32,
    /// The backend has no storage for it: its uses are skipped.
    pub declined: bool,
    /// Moves with any definition of storage; 0 before the first.
    pub serial: u64,
}

/// What is attached at a point of a framebuffer, with a typed handle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attached {
    /// Nothing, or an object that is dead.
    None,
    /// A texture image; the attachment says which.
    Texture(Handle<kind::Texture>, Attachment),
    /// A renderbuffer.
    Renderbuffer(Handle<kind::Renderbuffer>),
}

/// A framebuffer object.
#[derive(Clone, Copy, Debug)]
pub struct Framebuffer {
    /// The description as the client gave it. Handles in it were checked when it came.
    pub desc: SetFramebufferState,
    /// Moves with the description.
    pub serial: u64,
}

impl Framebuffer {
    /// An attachment of [`Framebuffer::desc`], with its handle typed.
    pub fn attached(attachment: &Attachment) -> Attached {
        if attachment.handle.is_null() {
            Attached::None
        } else if attachment.kind == Kind::Texture as u32 {
            Attached::Texture(Handle::from_raw(attachment.handle), *attachment)
        } else if attachment.kind == Kind::Renderbuffer as u32 {
            Attached::Renderbuffer(Handle::from_raw(attachment.handle))
        } else {
            Attached::None
        }
    }
}

/// A transform feedback object.
#[derive(Clone, Debug, Default)]
pub struct Feedback {
    /// Whether it is between begin and end.
    pub active: bool,
    /// Whether it is paused.
    pub paused: bool,
    /// The executable whose varyings are captured.
    pub executable: Handle<kind::Executable>,
    /// GL_POINTS, GL_LINES or GL_TRIANGLES.
    pub primitive_mode: u32,
    /// Targets from binding 0, as given by the last begin.
    pub targets: Vec<Range>,
    /// Moves with each begin.
    pub serial: u64,
}

/// A render state.
#[derive(Clone, Copy, Debug)]
pub struct RenderState {
    /// The state.
    pub desc: RenderStateDesc,
    /// Its serial; never moves.
    pub serial: u64,
}

/// A vertex format.
#[derive(Clone, Debug)]
pub struct VertexElements {
    /// Enabled attributes. Locations and bindings are below 32, each location stands once.
    pub attribs: Vec<VertexAttrib>,
    /// Divisors of the bindings; bindings that are missing have 0.
    pub bindings: Vec<VertexBinding>,
    /// Its serial; never moves.
    pub serial: u64,
}

/// Sampler parameters.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    /// The parameters.
    pub params: SamplerParams,
    /// Its serial; never moves.
    pub serial: u64,
}

/// What the slots of an executable read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bindings {
    /// Point of class uniform per uniform block slot.
    pub blocks: Vec<u32>,
    /// Texture unit per sampler slot.
    pub samplers: Vec<u32>,
    /// Image unit per image slot.
    pub images: Vec<u32>,
    /// Point per storage slot; [`forerun_pipe::records::ATOMIC_POINT`] says that it is of class atomic.
    pub storages: Vec<u32>,
}

/// A linked program.
#[derive(Clone, Debug)]
pub struct Executable {
    /// The archive. Its own promises hold (slots, offsets and indices lie in range); the SPIR-V in it is untrusted.
    pub archive: Arc<Archive>,
    /// Its serial; never moves.
    pub serial: u64,
    /// The bytes of the default uniform block, of its whole size.
    pub constants: Vec<u8>,
    /// Moves with [`Executable::constants`].
    pub constants_serial: u64,
    /// What the slots read.
    pub bindings: Bindings,
    /// Moves with [`Executable::bindings`].
    pub bindings_serial: u64,
}

/// A fence.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fence {
    /// Whether it is known to be signalled.
    pub signalled: bool,
}

/// A query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query {
    /// GL query target.
    pub target: u32,
    /// Vertex stream of the last begin.
    pub index: u32,
    /// Whether it is between begin and end.
    pub active: bool,
    /// Whether it was ended and its result is not known yet.
    pub pending: bool,
    /// The last known result.
    pub result: Option<u64>,
}

/// A drawable.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// [`forerun_pipe::records::surface_kind`].
    pub surface_kind: u32,
    /// XID of the window or pixmap, or 0.
    pub native: u64,
    /// X visual, or 0.
    pub visual: u64,
    /// Name of the X display; empty for none.
    pub display: String,
    /// Colour format.
    pub color_format: u32,
    /// Depth and stencil format, or 0.
    pub depth_stencil_format: u32,
    /// 0 for single-sampled.
    pub samples: u32,
    /// Presentation asked for, then in force: [`forerun_pipe::records::present_mode`].
    pub present_mode: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Vertical blanks per frame.
    pub swap_interval: i32,
    /// Serial of the last present that was applied; 0 before the first.
    pub presented: u64,
    /// When the screen has taken the last present, where that is not left to the driver.
    pub taken: Option<Instant>,
    /// Moves with the size.
    pub serial: u64,
}

/// A range of a buffer. The handle was checked when it came; the buffer may have died or shrunk since.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The buffer, or null.
    pub buffer: Handle<kind::Buffer>,
    /// First byte.
    pub offset: u64,
    /// Bytes, or [`forerun_pipe::records::WHOLE`].
    pub size: u64,
}

/// What a context was created with.
pub type ContextDesc = CreateContext;

/// Whether a raw handle is the default framebuffer's.
pub fn is_default_framebuffer(handle: RawHandle) -> bool {
    handle == RawHandle::DEFAULT_FRAMEBUFFER
}
