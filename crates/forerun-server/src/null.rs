//! The backend that does nothing: every call is accepted, every answer is zero. It isolates our own cost from a driver's, and is
//! what fuzzers apply to.

use crate::backend::*;
use crate::bytes::{Dest, Source};
use crate::objects::Range;
use crate::state::Env;
use crate::tables::Tables;
use core::cell::RefCell;
use core::fmt;
use forerun_pipe::caps::{Caps, FormatCaps, Limits, feature};
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind, RawHandle, gl};
use std::rc::Rc;
use std::time::Duration;

/// What a recording backend was asked, and how it is to answer.
#[derive(Debug, Default)]
pub struct Script {
    /// Every call: its name and its arguments.
    pub calls: Vec<String>,
    /// The next call whose text begins with that fails so.
    pub failures: Vec<(&'static str, Failure)>,
    /// The next call whose text begins with that panics.
    pub panic: Option<&'static str>,
    /// How long compiling took so far.
    pub compiled: Duration,
}

/// See the module.
#[derive(Debug, Default)]
pub struct NullBackend {
    calls: u64,
    script: Option<Rc<RefCell<Script>>>,
}

/// Shows the first bytes of a view.
struct Peek<'a>(Source<'a>);

impl fmt::Debug for Peek<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut head = [0; 16];
        let len = self.0.copy_to(&mut head);
        write!(f, "{} bytes {:?}", self.0.len(), head.get(..len).unwrap_or(&[]))
    }
}

impl NullBackend {
    fn compiled(&self) -> Duration {
        self.script.as_ref().map_or(Duration::ZERO, |script| script.borrow().compiled)
    }

    /// A backend that does nothing.
    pub fn new() -> Self {
        NullBackend::default()
    }

    /// A backend that writes down what it is asked, and fails when told to.
    pub fn recording(script: Rc<RefCell<Script>>) -> Self {
        NullBackend { calls: 0, script: Some(script) }
    }

    fn call(&mut self, what: fmt::Arguments) -> Outcome {
        self.calls += 1;
        let Some(script) = &self.script else { return Ok(()) };
        let mut script = script.borrow_mut();
        let text = what.to_string();
        let failure = script.failures.iter().position(|(name, _)| text.starts_with(name));
        let panics = script.panic.is_some_and(|name| text.starts_with(name));
        script.calls.push(text);
        assert!(!panics, "as told by the script");
        failure.map_or(Ok(()), |index| Err(script.failures.remove(index).1))
    }
}

/// Formats that programs of ES 3.2 and core 3.3 use.
const FORMATS: &[u32] = &[
    gl::RGBA4,
    gl::RGB5_A1,
    gl::RGB565,
    gl::RGB8,
    gl::RGBA8,
    gl::SRGB8,
    gl::SRGB8_ALPHA8,
    gl::RGB10_A2,
    gl::RGB10_A2UI,
    gl::R8,
    gl::RG8,
    gl::R16,
    gl::RG16,
    gl::RGBA16,
    gl::R16F,
    gl::RG16F,
    gl::RGB16F,
    gl::RGBA16F,
    gl::R32F,
    gl::RG32F,
    gl::RGB32F,
    gl::RGBA32F,
    gl::R11F_G11F_B10F,
    gl::RGB9_E5,
    gl::R8_SNORM,
    gl::RG8_SNORM,
    gl::RGB8_SNORM,
    gl::RGBA8_SNORM,
    gl::R8I,
    gl::R8UI,
    gl::R16I,
    gl::R16UI,
    gl::R32I,
    gl::R32UI,
    gl::RG8I,
    gl::RG8UI,
    gl::RG16I,
    gl::RG16UI,
    gl::RG32I,
    gl::RG32UI,
    gl::RGBA8I,
    gl::RGBA8UI,
    gl::RGBA16I,
    gl::RGBA16UI,
    gl::RGBA32I,
    gl::RGBA32UI,
    gl::DEPTH_COMPONENT16,
    gl::DEPTH_COMPONENT24,
    gl::DEPTH_COMPONENT32,
    gl::DEPTH_COMPONENT32F,
    gl::DEPTH24_STENCIL8,
    gl::DEPTH32F_STENCIL8,
    gl::STENCIL_INDEX8,
];

#[allow(unused_variables)]
impl Backend for NullBackend {
    fn caps(&mut self) -> Caps {
        let mut formats: Vec<_> = FORMATS
            .iter()
            .map(|format| FormatCaps { format: *format, flags: 0x1FF, samples: 0b1_0000, pad: 0 })
            .collect();
        formats.sort_by_key(|f| f.format);
        Caps {
            backend: "null".into(),
            vendor: "none".into(),
            renderer: "null".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            max_core: 33,
            max_es: 32,
            features: feature::RUN_AHEAD
                | feature::DESKTOP_HOST
                | feature::PERSISTENT_MAP
                | feature::TIMER_QUERY
                | feature::SAMPLES_PASSED
                | feature::POLYGON_MODE
                | feature::LOGIC_OP
                | feature::DEPTH_CLAMP
                | feature::CLIP_DISTANCE
                | feature::DUAL_SOURCE
                | feature::CONDITIONAL_RENDER
                | feature::BASE_INSTANCE
                | feature::PROVOKING_VERTEX
                | feature::TEXTURE_1D
                | feature::LOD_BIAS
                | feature::BORDER_CLAMP
                | feature::VIEWPORT_ARRAY
                | feature::FLOAT_BLEND,
            limits: Limits {
                max_texture_size: 16384,
                max_3d_texture_size: 2048,
                max_cube_map_texture_size: 16384,
                max_array_texture_layers: 2048,
                max_rectangle_texture_size: 16384,
                max_renderbuffer_size: 16384,
                max_viewport_dims: [16384, 16384],
                max_viewports: 16,
                max_draw_buffers: 8,
                max_color_attachments: 8,
                max_dual_source_draw_buffers: 1,
                max_clip_distances: 8,
                max_geometry_shader_invocations: 32,
                ..Limits::MINIMA
            },
            formats,
            compressed_formats: Vec::new(),
            host_extensions: Vec::new(),
        }
    }

    fn compile_time(&self) -> Duration {
        self.compiled()
    }

    fn driver_calls(&self) -> u64 {
        self.calls
    }

    fn destroyed(&mut self, kind: Kind, handle: RawHandle) {
        let _ = self.call(format_args!("destroyed {kind:?} {handle:?}"));
    }

    fn buffer_defined(&mut self, t: &Tables, handle: Handle<kind::Buffer>) -> Outcome {
        self.call(format_args!("buffer_defined {handle:?}"))
    }

    fn buffer_sub_data(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Buffer>,
        offset: u64,
        bytes: Source,
    ) -> Outcome {
        self.call(format_args!("buffer_sub_data {handle:?} {offset:?} {:?}", Peek(bytes)))
    }

    fn buffer_copy(
        &mut self,
        t: &Tables,
        src: Range,
        dst: Handle<kind::Buffer>,
        dst_offset: u64,
    ) -> Outcome {
        self.call(format_args!("buffer_copy {src:?} {dst:?} {dst_offset:?}"))
    }

    fn buffer_clear(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Buffer>,
        p: &ClearBufferData,
    ) -> Outcome {
        self.call(format_args!("buffer_clear {handle:?} {p:?}"))
    }

    fn buffer_read(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Buffer>,
        offset: u64,
        dst: &mut Dest,
    ) -> Outcome {
        dst.fill(0);
        self.call(format_args!("buffer_read {handle:?} {offset:?} {} bytes", dst.len()))
    }

    fn texture_defined(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Texture>,
        what: Defined,
    ) -> Outcome {
        self.call(format_args!("texture_defined {handle:?} {what:?}"))
    }

    fn texture_sub_data(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        pixels: &Pixels,
    ) -> Outcome {
        self.call(format_args!("texture_sub_data {handle:?} {region:?} {:?}", Peek(pixels.bytes)))
    }

    fn texture_sub_data_from_buffer(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &TextureSubDataFromBuffer,
    ) -> Outcome {
        self.call(format_args!("texture_sub_data_from_buffer {handle:?} {region:?} {p:?}"))
    }

    fn texture_generate_mipmap(&mut self, t: &Tables, handle: Handle<kind::Texture>) -> Outcome {
        self.call(format_args!("texture_generate_mipmap {handle:?}"))
    }

    fn texture_clear(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &ClearTexture,
    ) -> Outcome {
        self.call(format_args!("texture_clear {handle:?} {region:?} {p:?}"))
    }

    fn copy_image(&mut self, t: &Tables, p: &ResourceCopyRegion) -> Outcome {
        self.call(format_args!("copy_image {p:?}"))
    }

    fn texture_read(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImage,
        dst: &mut Dest,
    ) -> Outcome {
        dst.fill(0);
        self.call(format_args!("texture_read {handle:?} {p:?} {} bytes", dst.len()))
    }

    fn texture_read_to_buffer(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImageToBuffer,
    ) -> Outcome {
        self.call(format_args!("texture_read_to_buffer {handle:?} {p:?}"))
    }

    fn renderbuffer_defined(&mut self, t: &Tables, handle: Handle<kind::Renderbuffer>) -> Outcome {
        self.call(format_args!("renderbuffer_defined {handle:?}"))
    }

    fn executable_created(&mut self, t: &Tables, handle: Handle<kind::Executable>) -> Outcome {
        self.call(format_args!("executable_created {handle:?}"))
    }

    fn clear(&mut self, env: &Env, p: &Clear) -> Outcome {
        self.call(format_args!("clear {p:?}"))
    }

    fn draw(&mut self, env: &Env, draw: &Draw) -> Outcome {
        self.call(format_args!("draw {draw:?}"))
    }

    fn dispatch(&mut self, env: &Env, grid: &Grid) -> Outcome {
        self.call(format_args!("dispatch {grid:?}"))
    }

    fn blit(&mut self, env: &Env, p: &Blit) -> Outcome {
        self.call(format_args!("blit {p:?}"))
    }

    fn copy_framebuffer_to_texture(
        &mut self,
        env: &Env,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &CopyFramebufferToTexture,
    ) -> Outcome {
        self.call(format_args!("copy_framebuffer_to_texture {handle:?} {region:?} {p:?}"))
    }

    fn read_pixels(&mut self, env: &Env, p: &ReadPixels, dst: &mut Dest) -> Outcome {
        dst.fill(0);
        self.call(format_args!("read_pixels {p:?} {} bytes", dst.len()))
    }

    fn read_pixels_to_buffer(
        &mut self,
        env: &Env,
        buffer: Handle<kind::Buffer>,
        p: &ReadPixelsToBuffer,
    ) -> Outcome {
        self.call(format_args!("read_pixels_to_buffer {buffer:?} {p:?}"))
    }

    fn memory_barrier(&mut self, env: &Env, p: &MemoryBarrier) -> Outcome {
        self.call(format_args!("memory_barrier {p:?}"))
    }

    fn feedback_begin(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        self.call(format_args!("feedback_begin {handle:?}"))
    }

    fn feedback_end(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        self.call(format_args!("feedback_end {handle:?}"))
    }

    fn feedback_pause(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        self.call(format_args!("feedback_pause {handle:?}"))
    }

    fn feedback_resume(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        self.call(format_args!("feedback_resume {handle:?}"))
    }

    fn query_begin(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome {
        self.call(format_args!("query_begin {handle:?}"))
    }

    fn query_end(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome {
        self.call(format_args!("query_end {handle:?}"))
    }

    fn query_counter(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome {
        self.call(format_args!("query_counter {handle:?}"))
    }

    fn query_result(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Query>,
        wait: bool,
    ) -> Outcome<Option<u64>> {
        self.call(format_args!("query_result {handle:?} {wait:?}"))?;
        Ok(Some(0))
    }

    fn query_destroyed(&mut self, handle: Handle<kind::Query>) {
        let _ = self.call(format_args!("query_destroyed {handle:?}"));
    }

    fn timestamp(&mut self) -> Outcome<i64> {
        Ok(0)
    }

    fn fence_create(&mut self, handle: Handle<kind::Fence>) -> Outcome {
        self.call(format_args!("fence_create {handle:?}"))
    }

    fn fence_wait(&mut self, handle: Handle<kind::Fence>, timeout_ns: u64) -> Outcome<bool> {
        self.call(format_args!("fence_wait {handle:?} {timeout_ns:?}"))?;
        Ok(true)
    }

    fn fence_destroyed(&mut self, handle: Handle<kind::Fence>) {
        let _ = self.call(format_args!("fence_destroyed {handle:?}"));
    }

    fn flush(&mut self) -> Outcome {
        self.call(format_args!("flush"))
    }

    fn finish(&mut self) -> Outcome {
        self.call(format_args!("finish"))
    }

    fn surface_created(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Surface>,
    ) -> Outcome<SurfaceInfo> {
        self.call(format_args!("surface_created {handle:?}"))?;
        let surface = t.surfaces.get(handle).ok_or(Failure::Declined { code: 0 })?;
        Ok(SurfaceInfo {
            width: surface.width,
            height: surface.height,
            present_mode: present_mode::OFFSCREEN,
        })
    }

    fn surface_resized(&mut self, t: &Tables, handle: Handle<kind::Surface>) -> Outcome {
        self.call(format_args!("surface_resized {handle:?}"))
    }

    fn present(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Surface>,
        serial: u64,
    ) -> Outcome<Presented> {
        self.call(format_args!("present {handle:?} {serial:?}"))?;
        Ok(Presented::Done)
    }

    fn present_front(&mut self, t: &Tables, handle: Handle<kind::Surface>, both: bool) -> Outcome {
        self.call(format_args!("present_front {handle:?} {both}"))
    }

    fn surface_read(
        &mut self,
        t: &Tables,
        handle: Handle<kind::Surface>,
        front: bool,
        dst: &mut Dest,
    ) -> Outcome {
        dst.fill(0);
        let which = if front { "front_read" } else { "surface_read" };
        self.call(format_args!("{which} {handle:?} {} bytes", dst.len()))
    }

    fn surface_destroyed(&mut self, handle: Handle<kind::Surface>) {
        let _ = self.call(format_args!("surface_destroyed {handle:?}"));
    }
}
