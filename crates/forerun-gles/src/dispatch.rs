//! The `Backend` trait, by way of the rooms.

use crate::backend::GlBackend;
use forerun_pipe::caps::Caps;
use forerun_pipe::event::Event;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind, RawHandle};
use forerun_server::backend::{
    Backend, Defined, Draw, Failure, Grid, Outcome, Pixels, Presented, Region, SurfaceInfo,
};
use forerun_server::objects::Range;
use forerun_server::state::Env;
use forerun_server::{Dest, Source, Tables};

impl Backend for GlBackend {
    fn caps(&mut self) -> Caps {
        self.caps.clone()
    }

    fn driver_calls(&self) -> u64 {
        self.host.gl.calls()
    }

    fn compile_time(&self) -> std::time::Duration {
        self.compiled
    }

    fn enter(&mut self) {
        self.host.enter();
    }

    fn leave(&mut self) {
        self.host.leave();
    }

    fn take_events(&mut self, out: &mut Vec<Event>) {
        out.append(&mut self.events);
    }

    fn context_bound(&mut self, env: Option<&Env>) -> Outcome {
        self.bind_context(env)
    }

    fn destroyed(&mut self, kind: Kind, handle: RawHandle) {
        match kind {
            Kind::Buffer => self.buffer_gone(handle),
            Kind::Texture => self.texture_gone(handle),
            Kind::Renderbuffer => self.renderbuffer_gone(handle),
            Kind::Framebuffer => self.framebuffer_gone(handle),
            Kind::Feedback => self.feedback_gone(handle),
            Kind::VertexElements => self.vertex_elements_gone(handle),
            Kind::Sampler => self.sampler_gone(handle),
            Kind::Executable => self.executable_gone(handle),
            _ => {}
        }
    }

    fn buffer_defined(&mut self, tables: &Tables, handle: Handle<kind::Buffer>) -> Outcome {
        self.define_buffer(tables, handle)
    }

    fn buffer_sub_data(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Buffer>,
        offset: u64,
        bytes: Source,
    ) -> Outcome {
        self.write_buffer(tables, handle, offset, bytes)
    }

    fn buffer_copy(
        &mut self,
        tables: &Tables,
        src: Range,
        dst: Handle<kind::Buffer>,
        dst_offset: u64,
    ) -> Outcome {
        self.copy_buffer(tables, src, dst, dst_offset)
    }

    fn buffer_clear(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Buffer>,
        p: &ClearBufferData,
    ) -> Outcome {
        self.clear_buffer(tables, handle, p)
    }

    fn buffer_invalidate(&mut self, tables: &Tables, range: Range) -> Outcome {
        self.invalidate_buffer(tables, range)
    }

    fn buffer_read(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Buffer>,
        offset: u64,
        dst: &mut Dest,
    ) -> Outcome {
        self.read_buffer(tables, handle, offset, dst)
    }

    fn texture_defined(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        what: Defined,
    ) -> Outcome {
        self.define_texture(tables, handle, what)
    }

    fn texture_sub_data(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        pixels: &Pixels,
    ) -> Outcome {
        self.upload(tables, handle, region, pixels)
    }

    fn texture_sub_data_from_buffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &TextureSubDataFromBuffer,
    ) -> Outcome {
        self.upload_from_buffer(tables, handle, region, p)
    }

    fn texture_params(&mut self, _tables: &Tables, _handle: Handle<kind::Texture>) -> Outcome {
        self.texture_epoch += 1;
        Ok(())
    }

    fn texture_generate_mipmap(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
    ) -> Outcome {
        self.generate_mipmap(tables, handle)
    }

    fn texture_clear(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &ClearTexture,
    ) -> Outcome {
        self.clear_texture(tables, handle, region, p)
    }

    fn texture_invalidate(
        &mut self,
        _tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &InvalidateTexture,
    ) -> Outcome {
        self.invalidate_texture(handle, p)
    }

    fn copy_image(&mut self, tables: &Tables, p: &ResourceCopyRegion) -> Outcome {
        self.copy_image_data(tables, p)
    }

    fn texture_read(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImage,
        dst: &mut Dest,
    ) -> Outcome {
        self.read_texture(tables, handle, p, dst)
    }

    fn texture_read_to_buffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImageToBuffer,
    ) -> Outcome {
        self.read_texture_to_buffer(tables, handle, p)
    }

    fn renderbuffer_defined(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Renderbuffer>,
    ) -> Outcome {
        self.define_renderbuffer(tables, handle)
    }

    fn executable_created(&mut self, tables: &Tables, handle: Handle<kind::Executable>) -> Outcome {
        self.create_executable(tables, handle)
    }

    fn clear(&mut self, env: &Env, p: &Clear) -> Outcome {
        self.clear_target(env, p)
    }

    fn draw(&mut self, env: &Env, draw: &Draw) -> Outcome {
        self.draw_all(env, draw)
    }

    fn dispatch(&mut self, env: &Env, grid: &Grid) -> Outcome {
        self.launch(env, grid)
    }

    fn blit(&mut self, env: &Env, p: &Blit) -> Outcome {
        self.blit_targets(env, p)
    }

    fn copy_framebuffer_to_texture(
        &mut self,
        env: &Env,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &CopyFramebufferToTexture,
    ) -> Outcome {
        self.copy_target_to_texture(env, handle, region, p)
    }

    fn read_pixels(&mut self, env: &Env, p: &ReadPixels, dst: &mut Dest) -> Outcome {
        self.read_target(env, p, dst)
    }

    fn read_pixels_to_buffer(
        &mut self,
        env: &Env,
        buffer: Handle<kind::Buffer>,
        p: &ReadPixelsToBuffer,
    ) -> Outcome {
        self.read_target_to_buffer(env, buffer, p)
    }

    fn invalidate_framebuffer(
        &mut self,
        env: &Env,
        p: &InvalidateFramebuffer,
        attachments: &[u32],
    ) -> Outcome {
        self.invalidate_target(env, p, attachments)
    }

    fn memory_barrier(&mut self, _env: &Env, p: &MemoryBarrier) -> Outcome {
        self.barrier(p)
    }

    fn feedback_begin(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        self.begin_feedback(env, handle)
    }

    fn feedback_end(&mut self, _env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        self.end_feedback(handle)
    }

    fn feedback_pause(&mut self, _env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        self.pause_feedback(handle)
    }

    fn feedback_resume(&mut self, env: &Env, handle: Handle<kind::Feedback>) -> Outcome {
        self.resume_feedback(env, handle)
    }

    fn conditional_render(&mut self, env: &Env) -> Outcome {
        self.set_conditional(env)
    }

    fn debug_marker(&mut self, _env: &Env, p: &DebugMarker, text: &str) {
        self.marker(p, text);
    }

    fn query_begin(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome {
        self.begin_query(env.tables, handle)
    }

    fn query_end(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome {
        self.end_query(env.tables, handle)
    }

    fn query_counter(&mut self, env: &Env, handle: Handle<kind::Query>) -> Outcome {
        self.count_time(env.tables, handle)
    }

    fn query_result(
        &mut self,
        _tables: &Tables,
        handle: Handle<kind::Query>,
        wait: bool,
    ) -> Outcome<Option<u64>> {
        self.result(handle, wait)
    }

    fn query_destroyed(&mut self, handle: Handle<kind::Query>) {
        self.query_gone(handle);
    }

    fn timestamp(&mut self) -> Outcome<i64> {
        self.time_now()
    }

    fn fence_create(&mut self, handle: Handle<kind::Fence>) -> Outcome {
        self.create_fence(handle)
    }

    fn fence_wait(&mut self, handle: Handle<kind::Fence>, timeout_ns: u64) -> Outcome<bool> {
        self.wait_fence(handle, timeout_ns)
    }

    fn fence_wait_server(&mut self, handle: Handle<kind::Fence>) -> Outcome {
        self.wait_fence_on_gpu(handle)
    }

    fn fence_destroyed(&mut self, handle: Handle<kind::Fence>) {
        self.fence_gone(handle);
    }

    fn flush(&mut self) -> Outcome {
        self.host.gl.flush();
        if self.host.lost() { Err(Failure::LOST) } else { Ok(()) }
    }

    fn finish(&mut self) -> Outcome {
        self.host.gl.finish();
        if self.host.lost() { Err(Failure::LOST) } else { Ok(()) }
    }

    fn surface_created(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
    ) -> Outcome<SurfaceInfo> {
        self.create_surface(tables, handle)
    }

    fn surface_resized(&mut self, tables: &Tables, handle: Handle<kind::Surface>) -> Outcome {
        self.resize_surface(tables, handle)
    }

    fn surface_size(&mut self, handle: Handle<kind::Surface>) -> Option<(u32, u32)> {
        self.window_size(handle)
    }

    fn present(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        _serial: u64,
    ) -> Outcome<Presented> {
        self.back_to_front(handle);
        self.show(tables, handle, false)
    }

    fn present_front(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        both: bool,
    ) -> Outcome {
        if both {
            self.swap_inside(tables, handle);
        }
        self.show(tables, handle, true).map(|_| ())
    }

    fn surface_read(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Surface>,
        front: bool,
        dst: &mut Dest,
    ) -> Outcome {
        self.read_surface(tables, handle, front, dst)
    }

    fn surface_destroyed(&mut self, handle: Handle<kind::Surface>) {
        self.surface_gone(handle);
    }
}
