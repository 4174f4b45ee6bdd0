//! The backend on the host's own driver, called as the applier calls it.

mod objects;
mod pixels;
mod steady;
mod verbs;
mod window;

use crate::backend::{Choice, GlBackend};
use crate::host::Dialect;
use forerun_glsl::{Dialect as Glsl, Limits, LinkOptions, compile, link};
use forerun_pipe::archive::Stage;
use forerun_pipe::handle::{Kinded, kind};
use forerun_pipe::records::*;
use forerun_pipe::{Handle, RawHandle, gl as c};
use forerun_server::backend::{Backend, Defined, Draw, Extent, Indices, Pixels, Region};
use forerun_server::objects::*;
use forerun_server::state::{ContextState, Env, Framebuffers, Surfaces, VertexBufferBinding, View};
use forerun_server::{Dest, Source, Tables};
use std::sync::Arc;

/// A stream with one context and one drawable.
pub struct World {
    pub backend: GlBackend,
    pub tables: Tables,
    pub context: ContextState,
    pub surface: Handle<kind::Surface>,
    next: u32,
}

/// Runs a check on both dialects, for a program of each API.
pub fn everywhere(check: impl Fn(&mut World)) {
    for dialect in [Dialect::Gles, Dialect::Gl] {
        for api in [api::ES, api::CORE] {
            eprintln!("on {} for api {api}", dialect.name());
            let mut world = World::new(dialect, api);
            check(&mut world);
            let code = world.backend.host.gl.get_error();
            assert_eq!(code, 0, "the driver's error on {} for api {api}", dialect.name());
        }
    }
}

impl World {
    /// A context with an off-screen drawable of 16 × 16 pixels, bound.
    pub fn new(dialect: Dialect, api: u32) -> World {
        let mut world = World::bare(dialect, api);
        let mut state = raster();
        world.set_state(&mut state);
        world.context.viewports.value[0].rect = [0.0, 0.0, 16.0, 16.0];
        world.context.viewports.serial = world.tick();
        world.surface = world.new_surface(16, 16, 0);
        world.context.surfaces.value = Surfaces { draw: world.surface, read: world.surface };
        world.context.surfaces.serial = world.tick();
        world.run(|backend, env| backend.context_bound(Some(env)).unwrap());
        world
    }

    /// A context without a drawable.
    pub fn bare(dialect: Dialect, api: u32) -> World {
        let backend = GlBackend::open(Choice::Only(dialect), None).unwrap();
        let desc = CreateContext { api, major: 3, minor: 2, ..Default::default() };
        World {
            backend,
            tables: Tables::default(),
            context: ContextState::new(desc),
            surface: Handle::NULL,
            next: 0,
        }
    }

    pub fn tick(&mut self) -> u64 {
        self.tables.clock.tick()
    }

    /// A handle that nobody had.
    pub fn handle<K: Kinded>(&mut self) -> Handle<K> {
        self.next += 1;
        Handle::from_raw(RawHandle { slot: self.next, generation: 1 })
    }

    pub fn run<T>(&mut self, work: impl FnOnce(&mut GlBackend, &Env) -> T) -> T {
        let handle = Handle::from_raw(RawHandle { slot: 0, generation: 1 });
        let env = Env { tables: &self.tables, handle, context: &self.context };
        work(&mut self.backend, &env)
    }

    pub fn set_state(&mut self, desc: &mut RenderStateDesc) {
        let es = self.context.desc.api == api::ES;
        desc.program_point_size = u32::from(es);
        desc.framebuffer_srgb = u32::from(es);
        desc.cube_seamless = 1;
        let handle = self.handle::<kind::RenderState>();
        let serial = self.tick();
        let object = RenderState { desc: *desc, serial };
        self.tables.render_states.create(handle.raw(), object, "test").unwrap();
        self.context.render_state.value = handle;
        self.context.render_state.serial = self.tick();
    }

    pub fn new_surface(&mut self, width: u32, height: u32, samples: u32) -> Handle<kind::Surface> {
        let handle = self.handle::<kind::Surface>();
        let surface = Surface {
            surface_kind: surface_kind::PBUFFER,
            color_format: c::RGBA8,
            depth_stencil_format: c::DEPTH24_STENCIL8,
            samples,
            width,
            height,
            serial: self.tick(),
            ..Default::default()
        };
        self.tables.surfaces.create(handle.raw(), surface, "test").unwrap();
        let info = self.backend.surface_created(&self.tables, handle).unwrap();
        assert_eq!((info.width, info.height, info.present_mode), (width, height, 3));
        handle
    }

    pub fn new_buffer(&mut self, bytes: &[u8]) -> Handle<kind::Buffer> {
        let handle = self.handle::<kind::Buffer>();
        let serial = self.tick();
        let buffer = Buffer {
            size: bytes.len() as u64,
            usage: c::STATIC_DRAW,
            serial,
            content_serial: serial,
            ..Default::default()
        };
        self.tables.buffers.create(handle.raw(), buffer, "test").unwrap();
        self.backend.buffer_defined(&self.tables, handle).unwrap();
        self.backend.buffer_sub_data(&self.tables, handle, 0, Source::new(bytes)).unwrap();
        handle
    }

    /// A 2D texture with one level.
    pub fn new_texture(
        &mut self,
        internal: u32,
        format: u32,
        ty: u32,
        size: [u32; 2],
        bytes: &[u8],
    ) -> Handle<kind::Texture> {
        let handle = self.handle::<kind::Texture>();
        let [width, height] = size;
        let mut texture = Texture::new(c::TEXTURE_2D);
        let level = Level { internal_format: internal, format, ty, width, height, depth: 1 };
        texture.faces[0].push(Some(level));
        texture.serial = self.tick();
        texture.params_serial = self.tick();
        texture.params.sampler.min_filter = c::NEAREST;
        texture.params.sampler.mag_filter = c::NEAREST;
        self.tables.textures.create(handle.raw(), texture, "test").unwrap();
        let defined = Defined::Level { face: 0, level: 0 };
        self.backend.texture_defined(&self.tables, handle, defined).unwrap();
        if !bytes.is_empty() {
            let region = Region {
                target: c::TEXTURE_2D,
                face: 0,
                level: 0,
                origin: [0; 3],
                size: [width, height, 1],
            };
            let pixels = Pixels { format, ty, bytes: Source::new(bytes) };
            self.backend.texture_sub_data(&self.tables, handle, &region, &pixels).unwrap();
        }
        handle
    }

    pub fn bind_texture(&mut self, unit: usize, texture: Handle<kind::Texture>) {
        self.context.views.value[unit] = View { texture, target: c::TEXTURE_2D };
        self.context.views.serial = self.tick();
    }

    /// A framebuffer with one colour texture, bound.
    pub fn bind_framebuffer(&mut self, textures: &[Handle<kind::Texture>]) {
        let handle = self.handle::<kind::Framebuffer>();
        let mut desc = SetFramebufferState { handle: handle.raw(), ..Default::default() };
        for (i, texture) in textures.iter().enumerate() {
            desc.color[i] = Attachment {
                handle: texture.raw(),
                kind: kind::Texture::KIND as u32,
                target: c::TEXTURE_2D,
                ..Default::default()
            };
            desc.draw_buffers[i] = c::COLOR_ATTACHMENT0 + i as u32;
        }
        desc.read_buffer = c::COLOR_ATTACHMENT0;
        let serial = self.tick();
        self.tables
            .framebuffers
            .create(handle.raw(), Framebuffer { desc, serial }, "test")
            .unwrap();
        self.context.framebuffers.value = Framebuffers { draw: handle, read: handle };
        self.context.framebuffers.serial = self.tick();
    }

    /// Compiles and links, introduces the executable and uses it for draws.
    pub fn use_program(&mut self, vertex: &str, fragment: &str) -> Handle<kind::Executable> {
        self.use_stages(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)], &[])
    }

    pub fn use_stages(
        &mut self,
        stages: &[(Stage, &str)],
        feedback: &[String],
    ) -> Handle<kind::Executable> {
        let es = self.context.desc.api == api::ES;
        let dialect = Glsl::new(es, if es { 320 } else { 460 });
        let shaders: Vec<_> = stages
            .iter()
            .map(|(stage, text)| {
                let heading = if es {
                    "#version 320 es\nprecision highp float;\nprecision highp int;\n"
                } else {
                    "#version 430\n"
                };
                let source = format!("{heading}{text}");
                let result = compile(*stage, &source, &dialect, &Limits::default());
                result.shader.unwrap_or_else(|| panic!("{}", result.log))
            })
            .collect();
        let options =
            LinkOptions { feedback, feedback_mode: c::INTERLEAVED_ATTRIBS, ..Default::default() };
        let archive = link(&shaders.iter().collect::<Vec<_>>(), &options).unwrap();
        let handle = self.handle::<kind::Executable>();
        let bindings = Bindings {
            blocks: (0..archive.uniform_slots()).collect(),
            samplers: (0..archive.sampler_slots()).collect(),
            images: (0..archive.image_slots()).collect(),
            storages: (0..archive.storage_slots()).collect(),
        };
        let executable = Executable {
            constants: vec![0; archive.default_block_size as usize],
            archive: Arc::new(archive),
            serial: self.tick(),
            constants_serial: self.tick(),
            bindings,
            bindings_serial: self.tick(),
        };
        self.tables.executables.create(handle.raw(), executable, "test").unwrap();
        self.backend.executable_created(&self.tables, handle).unwrap();
        self.context.draw_program.value = handle;
        self.context.dispatch_program.value = handle;
        self.context.draw_program.serial = self.tick();
        handle
    }

    pub fn set_uniform(&mut self, handle: Handle<kind::Executable>, name: &str, value: &[f32]) {
        let serial = self.tick();
        let executable = self.tables.executables.get_mut(handle).unwrap();
        let uniform = executable.archive.uniforms.iter().find(|u| u.name == name).unwrap();
        for (i, v) in value.iter().enumerate() {
            let at = uniform.offset as usize + i * 4;
            executable.constants[at..at + 4].copy_from_slice(&v.to_ne_bytes());
        }
        executable.constants_serial = serial;
    }

    /// A vertex format of one attribute of that many floats at location 0, and its buffer.
    pub fn bind_vertices(&mut self, components: u32, values: &[f32]) -> Handle<kind::Buffer> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
        let buffer = self.new_buffer(&bytes);
        let attrib = VertexAttrib { size: components, ty: c::FLOAT, ..Default::default() };
        let handle = self.handle::<kind::VertexElements>();
        let object = VertexElements {
            attribs: vec![attrib],
            bindings: vec![VertexBinding::default()],
            serial: self.tick(),
        };
        self.tables.vertex_elements.create(handle.raw(), object, "test").unwrap();
        self.context.vertex_elements.value = handle;
        self.context.vertex_elements.serial = self.tick();
        self.set_vertex_buffer(buffer, 0, components * 4);
        buffer
    }

    pub fn set_vertex_buffer(&mut self, buffer: Handle<kind::Buffer>, offset: u64, stride: u32) {
        self.context.vertex_buffers.value[0] = VertexBufferBinding { buffer, offset, stride };
        self.context.vertex_buffers.serial = self.tick();
    }

    /// Draws triangles.
    pub fn draw(&mut self, count: u32) {
        self.draw_ranges(&[DrawRange { count, ..Default::default() }], Indices::None);
    }

    pub fn draw_ranges(&mut self, ranges: &[DrawRange], indices: Indices) {
        let draw = Draw {
            mode: c::TRIANGLES,
            indices,
            extent: Extent::Ranges(ranges),
            instance_count: 1,
            base_instance: 0,
            first_draw_id: 0,
            first_vertex: 0,
            arrays: &[],
        };
        self.run(|backend, env| backend.draw(env, &draw)).unwrap();
    }

    pub fn clear(&mut self, color: [f32; 4]) {
        let p = Clear {
            kind: clear_kind::WHOLE,
            mask: c::COLOR_BUFFER_BIT | c::DEPTH_BUFFER_BIT | c::STENCIL_BUFFER_BIT,
            color: color.map(f32::to_bits),
            depth: 1.0,
            ..Default::default()
        };
        self.run(|backend, env| backend.clear(env, &p)).unwrap();
    }

    /// One pixel of the read target as bytes.
    pub fn pixel(&mut self, x: i32, y: i32) -> [u8; 4] {
        let mut bytes = [0u8; 4];
        let p = ReadPixels {
            x,
            y,
            width: 1,
            height: 1,
            format: c::RGBA,
            ty: c::UNSIGNED_BYTE,
            ..Default::default()
        };
        self.run(|backend, env| backend.read_pixels(env, &p, &mut Dest::new(&mut bytes))).unwrap();
        bytes
    }
}

/// The render state that a context begins with.
pub fn raster() -> RenderStateDesc {
    let blend = BlendTarget {
        src_rgb: c::ONE,
        src_alpha: c::ONE,
        equation_rgb: c::FUNC_ADD,
        equation_alpha: c::FUNC_ADD,
        color_mask: 15,
        ..Default::default()
    };
    let face = StencilFace {
        func: c::ALWAYS,
        fail: c::KEEP,
        zfail: c::KEEP,
        zpass: c::KEEP,
        compare_mask: u32::MAX,
        write_mask: u32::MAX,
    };
    RenderStateDesc {
        blend: [blend; 8],
        stencil: [face; 2],
        depth_func: c::LESS,
        depth_mask: 1,
        cull_face: c::BACK,
        front_face: c::CCW,
        polygon_mode: c::FILL,
        dither: 1,
        multisample: 1,
        logic_op: c::COPY,
        provoking_vertex: c::LAST_VERTEX_CONVENTION,
        point_sprite_origin: c::UPPER_LEFT,
        clip_origin: c::LOWER_LEFT,
        clip_depth_mode: c::NEGATIVE_ONE_TO_ONE,
        ..Default::default()
    }
}

/// Two triangles that cover everything.
pub const QUAD: [f32; 12] = [-1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0];
/// A vertex shader that passes positions on.
pub const PASS: &str = "layout(location = 0) in vec2 at; out vec2 uv;
void main() { uv = at * 0.5 + 0.5; gl_Position = vec4(at, 0.0, 1.0); }";
