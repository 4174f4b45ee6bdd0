//! The applied state of a client context: what the next verb uses. It survives the binding of other contexts.
//!
//! Each family has a serial from the stream's [`crate::tables::Clock`]. As serials are never given twice on a stream, a backend
//! that multiplexes contexts need only remember the last serial that it synced per family: another context has another serial.

use crate::objects::{Buffer, ContextDesc, Executable, Framebuffer, Range};
use crate::tables::{Table, Tables};
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    ATOMIC_POINT, AttribDefault, ImageView, MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS, MAX_VERTEX_ATTRIBS,
    MAX_VIEWPORTS, SetDynamicState, SetPatchState, Viewport, WHOLE, class,
};
use forerun_pipe::{Handle, RawHandle};

/// A value and the serial of its last change; 0 before the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Family<T> {
    /// The value.
    pub value: T,
    /// Serial of the last change.
    pub serial: u64,
}

impl<T> Family<T> {
    fn initial(value: T) -> Self {
        Family { value, serial: 0 }
    }
}

impl<T> core::ops::Deref for Family<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// The surfaces of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surfaces {
    /// Draw surface, or null.
    pub draw: Handle<kind::Surface>,
    /// Read surface, or null.
    pub read: Handle<kind::Surface>,
}

/// The bound framebuffers; either may be the default framebuffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framebuffers {
    /// Draw framebuffer.
    pub draw: Handle<kind::Framebuffer>,
    /// Read framebuffer.
    pub read: Handle<kind::Framebuffer>,
}

/// Draw and read buffers of the default framebuffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefaultFramebuffer {
    /// GL draw buffers; GL_NONE from the first unused.
    pub draw_buffers: [u32; 8],
    /// GL read buffer.
    pub read_buffer: u32,
}

/// A vertex buffer at a binding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexBufferBinding {
    /// The buffer, or null.
    pub buffer: Handle<kind::Buffer>,
    /// First byte.
    pub offset: u64,
    /// Bytes between elements.
    pub stride: u32,
}

/// A texture at a unit for one target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// The texture, or null.
    pub texture: Handle<kind::Texture>,
    /// Target of the binding.
    pub target: u32,
}

/// Binding points of one class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShaderBuffers {
    /// Points from 0; points after the last are empty.
    pub ranges: Vec<Range>,
    /// Bit per point: the program may write through it.
    pub writable: [u32; 4],
}

/// The applied state of a context.
#[derive(Clone, Debug)]
pub struct ContextState {
    /// What it was created with.
    pub desc: ContextDesc,
    /// Its drawables.
    pub surfaces: Family<Surfaces>,
    /// Bound framebuffers.
    pub framebuffers: Family<Framebuffers>,
    /// Buffers of the default framebuffer.
    pub default_framebuffer: Family<DefaultFramebuffer>,
    /// Pipeline half of the render state, or null before the first.
    pub render_state: Family<Handle<kind::RenderState>>,
    /// The rest of the render state.
    pub dynamic: Family<SetDynamicState>,
    /// Viewports, depth ranges and scissors.
    pub viewports: Family<[Viewport; MAX_VIEWPORTS as usize]>,
    /// Vertex format, or null.
    pub vertex_elements: Family<Handle<kind::VertexElements>>,
    /// Vertex buffers by binding.
    pub vertex_buffers: Family<[VertexBufferBinding; MAX_VERTEX_ATTRIBS as usize]>,
    /// Element buffer, or null.
    pub index_buffer: Family<Handle<kind::Buffer>>,
    /// Current attribute values by location.
    pub attrib_defaults: Family<[AttribDefault; MAX_VERTEX_ATTRIBS as usize]>,
    /// Textures by unit.
    pub views: Family<Box<[View; MAX_TEXTURE_UNITS as usize]>>,
    /// Sampler objects by unit; null for the texture's own parameters.
    pub samplers: Family<Box<[Handle<kind::Sampler>; MAX_TEXTURE_UNITS as usize]>>,
    /// Image units; a null texture is an empty unit.
    pub images: Family<Box<[ImageView; MAX_IMAGE_UNITS as usize]>>,
    /// Binding points by class: uniform, storage, atomic.
    pub shader_buffers: [Family<ShaderBuffers>; 3],
    /// Tessellation parameters.
    pub patch: Family<SetPatchState>,
    /// The executable of draws, or null.
    pub draw_program: Family<Handle<kind::Executable>>,
    /// The executable of dispatches, or null.
    pub dispatch_program: Family<Handle<kind::Executable>>,
    /// The feedback object between begin and end (it may be paused), or null.
    pub feedback: Family<Handle<kind::Feedback>>,
    /// Conditional rendering: query and mode.
    pub conditional: Family<Option<(Handle<kind::Query>, u32)>>,
    /// Running queries: target, stream, query.
    pub active_queries: Vec<(u32, u32, Handle<kind::Query>)>,
}

impl ContextState {
    /// A fresh context. The client sends all state that a verb uses before its first verb.
    pub fn new(desc: ContextDesc) -> Self {
        const DEFAULT: Handle<kind::Framebuffer> = Handle::from_raw(RawHandle::DEFAULT_FRAMEBUFFER);
        let one = [0, 0, 0, 1.0f32.to_bits()];
        let mut attribs = [AttribDefault::default(); MAX_VERTEX_ATTRIBS as usize];
        for (location, attrib) in attribs.iter_mut().enumerate() {
            attrib.location = location as u32;
            attrib.value[..4].copy_from_slice(&one);
        }
        ContextState {
            desc,
            surfaces: Family::default(),
            framebuffers: Family::initial(Framebuffers { draw: DEFAULT, read: DEFAULT }),
            default_framebuffer: Family::initial(DefaultFramebuffer {
                draw_buffers: [0x0405, 0, 0, 0, 0, 0, 0, 0],
                read_buffer: 0x0405,
            }),
            render_state: Family::default(),
            dynamic: Family::initial(SetDynamicState {
                line_width: 1.0,
                point_size: 1.0,
                sample_coverage_value: 1.0,
                sample_mask: u32::MAX,
                point_fade_threshold: 1.0,
                bounding_box: [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
                ..Default::default()
            }),
            viewports: Family::initial(
                [Viewport { depth_range: [0.0, 1.0], ..Default::default() }; 16],
            ),
            vertex_elements: Family::default(),
            vertex_buffers: Family::default(),
            index_buffer: Family::default(),
            attrib_defaults: Family::initial(attribs),
            views: Family::initial(Box::new([View::default(); MAX_TEXTURE_UNITS as usize])),
            samplers: Family::initial(Box::new([Handle::NULL; MAX_TEXTURE_UNITS as usize])),
            images: Family::initial(Box::new([ImageView::default(); MAX_IMAGE_UNITS as usize])),
            shader_buffers: Default::default(),
            patch: Family::initial(SetPatchState {
                vertices: 3,
                outer: [1.0; 4],
                inner: [1.0; 2],
                ..Default::default()
            }),
            draw_program: Family::default(),
            dispatch_program: Family::default(),
            feedback: Family::default(),
            conditional: Family::default(),
            active_queries: Vec::new(),
        }
    }
}

/// A range of a living buffer, inside its size.
#[derive(Clone, Copy, Debug)]
pub struct Resolved<'a> {
    /// The buffer's handle.
    pub handle: Handle<kind::Buffer>,
    /// The buffer.
    pub buffer: &'a Buffer,
    /// First byte.
    pub offset: u64,
    /// Bytes, more than 0; `offset + size` is at most the buffer's size.
    pub size: u64,
}

/// Where a framebuffer binding leads.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// Nowhere: no drawable, or a framebuffer that is dead.
    None,
    /// The drawable of the context.
    Surface(Handle<kind::Surface>),
    /// A framebuffer object.
    Framebuffer(Handle<kind::Framebuffer>, &'a Framebuffer),
}

/// What a verb runs in: the tables and the state of the bound context.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// The stream's objects.
    pub tables: &'a Tables,
    /// The bound context.
    pub handle: Handle<kind::Context>,
    /// Its state.
    pub context: &'a ContextState,
}

impl<'a> Env<'a> {
    /// The surroundings of a verb in the bound context.
    ///
    /// # Errors
    /// [`Fault::ProtocolCorruption`] when no context is bound.
    #[inline]
    pub fn of(
        tables: &'a Tables,
        contexts: &'a Table<kind::Context, ContextState>,
        handle: Handle<kind::Context>,
        what: &'static str,
    ) -> Result<Env<'a>> {
        let context = contexts.get(handle).ok_or(Fault::ProtocolCorruption { what })?;
        Ok(Env { tables, handle, context })
    }

    #[inline]
    fn target(
        &self,
        framebuffer: Handle<kind::Framebuffer>,
        surface: Handle<kind::Surface>,
    ) -> Target<'a> {
        if framebuffer.raw() == RawHandle::DEFAULT_FRAMEBUFFER {
            return match self.tables.surfaces.get(surface) {
                Some(_) => Target::Surface(surface),
                None => Target::None,
            };
        }
        match self.tables.framebuffers.get(framebuffer) {
            Some(object) => Target::Framebuffer(framebuffer, object),
            None => Target::None,
        }
    }

    /// Where draws and clears go.
    #[inline]
    pub fn draw_target(&self) -> Target<'a> {
        self.target(self.context.framebuffers.draw, self.context.surfaces.draw)
    }

    /// Where reads come from.
    #[inline]
    pub fn read_target(&self) -> Target<'a> {
        self.target(self.context.framebuffers.read, self.context.surfaces.read)
    }

    /// The executable of draws, if it is alive.
    #[inline]
    pub fn draw_executable(&self) -> Option<(Handle<kind::Executable>, &'a Executable)> {
        let handle = self.context.draw_program.value;
        Some((handle, self.tables.executables.get(handle)?))
    }

    /// The executable of dispatches, if it is alive.
    #[inline]
    pub fn dispatch_executable(&self) -> Option<(Handle<kind::Executable>, &'a Executable)> {
        let handle = self.context.dispatch_program.value;
        Some((handle, self.tables.executables.get(handle)?))
    }

    /// The bytes at a binding point of a class ([`class`]) now: the part of the range that its buffer has.
    #[inline]
    pub fn point(&self, class: u32, point: u32) -> Option<Resolved<'a>> {
        let ranges = &self.context.shader_buffers.get(class as usize)?.value.ranges;
        self.tables.resolve(ranges.get(point as usize)?)
    }

    /// The bytes that a storage slot's point names, as [`crate::objects::Bindings::storages`] gives it.
    pub fn storage_point(&self, point: u32) -> Option<Resolved<'a>> {
        if point & ATOMIC_POINT != 0 {
            self.point(class::ATOMIC, point & !ATOMIC_POINT)
        } else {
            self.point(class::STORAGE, point)
        }
    }
}

impl Tables {
    /// The part of a range that its buffer has now; `None` when that is nothing.
    pub fn resolve(&self, range: &Range) -> Option<Resolved<'_>> {
        let buffer = self.buffers.get(range.buffer).filter(|buffer| !buffer.declined)?;
        let rest = buffer.size.checked_sub(range.offset).filter(|rest| *rest > 0)?;
        let size = if range.size == WHOLE { rest } else { range.size.min(rest) };
        (size > 0).then_some(Resolved { handle: range.buffer, buffer, offset: range.offset, size })
    }
}
