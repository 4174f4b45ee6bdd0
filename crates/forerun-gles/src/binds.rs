//! What is bound in the host's context, so that no call repeats what is so already.

use crate::host::gl::Gl;
use crate::twin::Native;
use forerun_pipe::gl as c;
use forerun_pipe::records::{MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS};

/// Generic buffer bindings that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// GL_COPY_READ_BUFFER.
    CopyRead,
    /// GL_COPY_WRITE_BUFFER.
    CopyWrite,
    /// GL_PIXEL_PACK_BUFFER.
    Pack,
    /// GL_PIXEL_UNPACK_BUFFER.
    Unpack,
    /// GL_DRAW_INDIRECT_BUFFER.
    DrawIndirect,
    /// GL_DISPATCH_INDIRECT_BUFFER.
    DispatchIndirect,
    /// GL_PARAMETER_BUFFER.
    Parameter,
}

const SLOTS: [u32; 7] = [
    c::COPY_READ_BUFFER,
    c::COPY_WRITE_BUFFER,
    c::PIXEL_PACK_BUFFER,
    c::PIXEL_UNPACK_BUFFER,
    c::DRAW_INDIRECT_BUFFER,
    c::DISPATCH_INDIRECT_BUFFER,
    c::PARAMETER_BUFFER,
];

impl Slot {
    /// The GL target.
    pub fn target(self) -> u32 {
        SLOTS[self as usize]
    }
}

/// Texture targets, each with a binding of its own per unit.
pub const TARGETS: [u32; 11] = [
    c::TEXTURE_2D,
    c::TEXTURE_CUBE_MAP,
    c::TEXTURE_3D,
    c::TEXTURE_2D_ARRAY,
    c::TEXTURE_CUBE_MAP_ARRAY,
    c::TEXTURE_2D_MULTISAMPLE,
    c::TEXTURE_2D_MULTISAMPLE_ARRAY,
    c::TEXTURE_BUFFER,
    c::TEXTURE_1D,
    c::TEXTURE_1D_ARRAY,
    c::TEXTURE_RECTANGLE,
];

/// The row of a target in [`TARGETS`]; an unknown one counts as 2D.
pub fn target_index(target: u32) -> usize {
    TARGETS.iter().position(|t| *t == target).unwrap_or(0)
}

/// A range at an indexed binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexedRange {
    /// The buffer's unique number; 0 for none.
    pub uid: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// What an image unit has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageBinding {
    /// The texture's unique number; 0 for none.
    pub uid: u64,
    /// Level.
    pub level: u32,
    /// Whole level, or one layer.
    pub layered: bool,
    /// The layer.
    pub layer: u32,
    /// GL access.
    pub access: u32,
    /// GL format.
    pub format: u32,
}

/// The bindings of the host's context.
pub struct Binds {
    buffers: [u64; SLOTS.len()],
    /// Uniform buffers by index.
    uniforms: Vec<IndexedRange>,
    /// Storage buffers by index.
    storages: Vec<IndexedRange>,
    textures: Vec<[u64; TARGETS.len()]>,
    samplers: Vec<u64>,
    images: Vec<ImageBinding>,
    unit: u32,
    scratch_unit: u32,
    draw_framebuffer: u64,
    read_framebuffer: u64,
    renderbuffer: u64,
    /// Vertex array.
    vertex_array: u64,
    program: u64,
    unpack_alignment: u32,
    pack_alignment: u32,
}

impl Binds {
    /// A fresh context's bindings, with that many texture units, of which the last is for uploads.
    pub fn new(texture_units: u32) -> Binds {
        let units = texture_units.clamp(1, MAX_TEXTURE_UNITS + 1);
        Binds {
            buffers: [0; SLOTS.len()],
            uniforms: Vec::new(),
            storages: Vec::new(),
            textures: vec![[0; TARGETS.len()]; units as usize],
            samplers: vec![0; units as usize],
            images: vec![ImageBinding::default(); MAX_IMAGE_UNITS as usize],
            unit: 0,
            scratch_unit: units - 1,
            draw_framebuffer: 0,
            read_framebuffer: 0,
            renderbuffer: 0,
            vertex_array: 0,
            program: 0,
            unpack_alignment: 4,
            pack_alignment: 4,
        }
    }

    /// Binds a buffer at a generic binding.
    #[inline]
    pub fn buffer(&mut self, gl: &Gl, slot: Slot, buffer: Native) {
        let bound = &mut self.buffers[slot as usize];
        if *bound != buffer.uid {
            *bound = buffer.uid;
            gl.bind_buffer(slot.target(), buffer.name);
        }
    }

    /// The binding was changed by others.
    pub fn forget_buffer(&mut self, slot: Slot) {
        self.buffers[slot as usize] = u64::MAX;
    }

    /// Binds a range at a uniform binding.
    #[inline]
    pub fn uniform(&mut self, gl: &Gl, index: u32, buffer: Native, offset: u64, size: u64) {
        indexed(&mut self.uniforms, gl, c::UNIFORM_BUFFER, index, buffer, offset, size);
    }

    /// Binds a range at a storage binding.
    #[inline]
    pub fn storage(&mut self, gl: &Gl, index: u32, buffer: Native, offset: u64, size: u64) {
        indexed(&mut self.storages, gl, c::SHADER_STORAGE_BUFFER, index, buffer, offset, size);
    }

    fn active(&mut self, gl: &Gl, unit: u32) {
        if self.unit != unit {
            self.unit = unit;
            gl.active_texture(c::TEXTURE0 + unit);
        }
    }

    /// Binds a texture at a unit; a unit that the host does not have is passed over.
    #[inline]
    pub fn texture(&mut self, gl: &Gl, unit: u32, target: u32, texture: Native) {
        let index = target_index(target);
        let Some(bound) = self.textures.get_mut(unit as usize) else { return };
        if bound[index] != texture.uid {
            bound[index] = texture.uid;
            self.active(gl, unit);
            gl.bind_texture(target, texture.name);
        }
    }

    /// Binds a texture at the unit for uploads and makes that unit active.
    pub fn texture_scratch(&mut self, gl: &Gl, target: u32, texture: Native) {
        self.active(gl, self.scratch_unit);
        self.texture(gl, self.scratch_unit, target, texture);
    }

    /// Binds a sampler at a unit.
    #[inline]
    pub fn sampler(&mut self, gl: &Gl, unit: u32, sampler: Native) {
        let Some(bound) = self.samplers.get_mut(unit as usize) else { return };
        if *bound != sampler.uid {
            *bound = sampler.uid;
            gl.bind_sampler(unit, sampler.name);
        }
    }

    /// Binds an image.
    pub fn image(&mut self, gl: &Gl, unit: u32, name: u32, image: ImageBinding) {
        let Some(bound) = self.images.get_mut(unit as usize) else { return };
        if *bound != image {
            *bound = image;
            gl.bind_image_texture(
                unit,
                name,
                image.level as i32,
                u8::from(image.layered),
                image.layer as i32,
                image.access,
                image.format,
            );
        }
    }

    /// Binds the draw framebuffer.
    #[inline]
    pub fn draw_framebuffer(&mut self, gl: &Gl, framebuffer: Native) {
        if self.draw_framebuffer != framebuffer.uid {
            self.draw_framebuffer = framebuffer.uid;
            gl.bind_framebuffer(c::DRAW_FRAMEBUFFER, framebuffer.name);
        }
    }

    /// Binds the read framebuffer.
    #[inline]
    pub fn read_framebuffer(&mut self, gl: &Gl, framebuffer: Native) {
        if self.read_framebuffer != framebuffer.uid {
            self.read_framebuffer = framebuffer.uid;
            gl.bind_framebuffer(c::READ_FRAMEBUFFER, framebuffer.name);
        }
    }

    /// Binds a renderbuffer.
    pub fn renderbuffer(&mut self, gl: &Gl, renderbuffer: Native) {
        if self.renderbuffer != renderbuffer.uid {
            self.renderbuffer = renderbuffer.uid;
            gl.bind_renderbuffer(c::RENDERBUFFER, renderbuffer.name);
        }
    }

    /// Binds a vertex array. Whether it was another one.
    #[inline]
    pub fn vertex_array(&mut self, gl: &Gl, array: Native) -> bool {
        let moved = self.vertex_array != array.uid;
        if moved {
            self.vertex_array = array.uid;
            gl.bind_vertex_array(array.name);
        }
        moved
    }

    /// Selects a program.
    #[inline]
    pub fn program(&mut self, gl: &Gl, program: Native) {
        if self.program != program.uid {
            self.program = program.uid;
            gl.use_program(program.name);
        }
    }

    /// Rows of pixels that come from here on are aligned to that.
    pub fn unpack_alignment(&mut self, gl: &Gl, alignment: u32) {
        if self.unpack_alignment != alignment {
            self.unpack_alignment = alignment;
            gl.pixel_storei(c::UNPACK_ALIGNMENT, alignment as i32);
        }
    }

    /// Rows of pixels that are read from here on are aligned to that.
    pub fn pack_alignment(&mut self, gl: &Gl, alignment: u32) {
        if self.pack_alignment != alignment {
            self.pack_alignment = alignment;
            gl.pixel_storei(c::PACK_ALIGNMENT, alignment as i32);
        }
    }

    /// A buffer was deleted: the driver has unbound it here.
    pub fn buffer_gone(&mut self, uid: u64) {
        forget(&mut self.buffers, uid);
        for range in self.uniforms.iter_mut().chain(&mut self.storages) {
            if range.uid == uid {
                *range = IndexedRange::default();
            }
        }
    }

    /// A texture was deleted.
    pub fn texture_gone(&mut self, uid: u64) {
        for unit in &mut self.textures {
            forget(unit, uid);
        }
        for image in &mut self.images {
            if image.uid == uid {
                *image = ImageBinding::default();
            }
        }
    }

    /// A sampler was deleted.
    pub fn sampler_gone(&mut self, uid: u64) {
        forget(&mut self.samplers, uid);
    }

    /// A framebuffer was deleted.
    pub fn framebuffer_gone(&mut self, uid: u64) {
        forget(std::slice::from_mut(&mut self.draw_framebuffer), uid);
        forget(std::slice::from_mut(&mut self.read_framebuffer), uid);
    }

    /// A renderbuffer was deleted.
    pub fn renderbuffer_gone(&mut self, uid: u64) {
        forget(std::slice::from_mut(&mut self.renderbuffer), uid);
    }

    /// A vertex array was deleted.
    pub fn vertex_array_gone(&mut self, uid: u64) {
        forget(std::slice::from_mut(&mut self.vertex_array), uid);
    }
}

fn forget(bound: &mut [u64], uid: u64) {
    for slot in bound {
        if *slot == uid {
            *slot = 0;
        }
    }
}

fn indexed(
    ranges: &mut Vec<IndexedRange>,
    gl: &Gl,
    target: u32,
    index: u32,
    buffer: Native,
    offset: u64,
    size: u64,
) {
    let at = index as usize;
    if at >= ranges.len() {
        ranges.resize(at + 1, IndexedRange::default());
    }
    let range = IndexedRange { uid: buffer.uid, offset, size };
    if ranges[at] != range {
        ranges[at] = range;
        if buffer.uid == 0 {
            gl.bind_buffer_base(target, index, 0);
        } else {
            gl.bind_buffer_range(target, index, buffer.name, offset as isize, size as isize);
        }
    }
}
