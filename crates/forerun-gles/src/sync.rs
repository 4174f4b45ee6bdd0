//! Fences, barriers, markers, and which context is bound.

use crate::backend::GlBackend;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{DebugMarker, MemoryBarrier, api, barrier, marker};
use forerun_pipe::{Handle, Kind, gl as c};
use forerun_server::backend::{Failure, Outcome};
use forerun_server::state::Env;

impl GlBackend {
    pub(crate) fn bind_context(&mut self, env: Option<&Env>) -> Outcome {
        self.suspend_feedback();
        if self.conditional {
            self.conditional = false;
            self.host.gl.end_conditional_render();
        }
        self.skip = false;
        let Some(env) = env else {
            self.context = Handle::NULL;
            self.host.gl.flush();
            return Ok(());
        };
        self.context = env.handle;
        self.client_es = env.context.desc.api == api::ES;
        if env.context.conditional.value.is_some() {
            self.set_conditional(env)?;
        }
        if self.host.lost() { Err(Failure::LOST) } else { Ok(()) }
    }

    pub(crate) fn barrier(&mut self, p: &MemoryBarrier) -> Outcome {
        let gl = &self.host.gl;
        match p.kind {
            barrier::BY_REGION => gl.memory_barrier_by_region(p.bits),
            barrier::TEXTURE => gl.texture_barrier(),
            barrier::BLEND => gl.blend_barrier(),
            barrier::FRAMEBUFFER_FETCH if gl.has.framebuffer_fetch_barrier_ext => {
                gl.framebuffer_fetch_barrier_ext();
            }
            // A host with coherent fetches only needs none.
            barrier::FRAMEBUFFER_FETCH => {}
            _ => {
                // Atomic counters are storage blocks on the host.
                let mut bits = p.bits;
                if bits & c::ATOMIC_COUNTER_BARRIER_BIT != 0 {
                    bits |= c::SHADER_STORAGE_BARRIER_BIT;
                }
                gl.memory_barrier(bits);
            }
        }
        Ok(())
    }

    pub(crate) fn marker(&mut self, p: &DebugMarker, text: &str) {
        let gl = &self.host.gl;
        let length = text.len() as i32;
        let address = text.as_ptr().cast();
        // SAFETY: the text has the length stated.
        unsafe {
            match p.what {
                marker::PUSH => {
                    gl.push_debug_group(c::DEBUG_SOURCE_APPLICATION, p.id, length, address)
                }
                marker::POP => gl.pop_debug_group(),
                marker::INSERT => gl.debug_message_insert(
                    c::DEBUG_SOURCE_APPLICATION,
                    p.ty,
                    p.id,
                    p.severity,
                    length,
                    address,
                ),
                _ => {
                    let label = match Kind::from_u32(p.kind) {
                        Some(Kind::Buffer) => {
                            let twin = self.buffers.get(Handle::from_raw(p.handle));
                            twin.map(|twin| (c::BUFFER, twin.native.name))
                        }
                        Some(Kind::Texture) => {
                            let twin = self.textures.get(Handle::from_raw(p.handle));
                            twin.map(|twin| (c::TEXTURE, twin.native.name))
                        }
                        _ => None,
                    };
                    if let Some((identifier, name)) = label {
                        gl.object_label(identifier, name, length, address);
                    }
                }
            }
        }
    }

    pub(crate) fn create_fence(&mut self, handle: Handle<kind::Fence>) -> Outcome {
        let fence = self.host.gl.fence_sync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
        if fence.is_null() {
            return Err(if self.host.lost() {
                Failure::LOST
            } else {
                Failure::gl(c::OUT_OF_MEMORY, "a fence cannot be made")
            });
        }
        self.fences.insert(handle, fence);
        Ok(())
    }

    pub(crate) fn wait_fence(
        &mut self,
        handle: Handle<kind::Fence>,
        timeout_ns: u64,
    ) -> Outcome<bool> {
        let Some(fence) = self.fences.get(handle) else { return Ok(true) };
        let flags = if timeout_ns > 0 { c::SYNC_FLUSH_COMMANDS_BIT } else { 0 };
        // SAFETY: our fence.
        match unsafe { self.host.gl.client_wait_sync(*fence, flags, timeout_ns) } {
            c::TIMEOUT_EXPIRED => Ok(false),
            c::WAIT_FAILED if self.host.lost() => Err(Failure::LOST),
            _ => Ok(true),
        }
    }

    pub(crate) fn wait_fence_on_gpu(&mut self, handle: Handle<kind::Fence>) -> Outcome {
        if let Some(fence) = self.fences.get(handle) {
            // SAFETY: our fence.
            unsafe { self.host.gl.wait_sync(*fence, 0, c::TIMEOUT_IGNORED) };
        }
        Ok(())
    }

    pub(crate) fn fence_gone(&mut self, handle: Handle<kind::Fence>) {
        if let Some(fence) = self.fences.remove(handle.raw()) {
            // SAFETY: our fence.
            unsafe { self.host.gl.delete_sync(fence) };
        }
    }
}
