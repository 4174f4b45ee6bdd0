//! Clears.

use crate::backend::GlBackend;
use crate::framebuffer::Bound;
use forerun_pipe::gl as c;
use forerun_pipe::records::{Clear, clear_kind as kind};
use forerun_server::backend::Outcome;
use forerun_server::state::Env;

impl GlBackend {
    pub(crate) fn clear_target(&mut self, env: &Env, p: &Clear) -> Outcome {
        if self.skip || self.bind_draw_target(env) == Bound::Nothing {
            return Ok(());
        }
        self.sync_raster(env, false);
        let gl = &self.host.gl;
        let buffer = p.draw_buffer as i32;
        match p.kind {
            kind::COLOR => {
                // SAFETY: four components.
                unsafe {
                    match p.class {
                        1 => gl.clear_bufferiv(c::COLOR, buffer, p.color.as_ptr().cast()),
                        2 => gl.clear_bufferuiv(c::COLOR, buffer, p.color.as_ptr()),
                        _ => gl.clear_bufferfv(c::COLOR, buffer, p.color.as_ptr().cast()),
                    }
                }
            }
            // SAFETY: one component.
            kind::DEPTH => unsafe { gl.clear_bufferfv(c::DEPTH, 0, &p.depth) },
            // SAFETY: one component.
            kind::STENCIL => unsafe { gl.clear_bufferiv(c::STENCIL, 0, &p.stencil) },
            kind::DEPTH_STENCIL => gl.clear_bufferfi(c::DEPTH_STENCIL, 0, p.depth, p.stencil),
            _ => {
                let had = &mut self.raster;
                if p.mask & c::COLOR_BUFFER_BIT != 0 && had.clear_color != p.color {
                    had.clear_color = p.color;
                    let [r, g, b, a] = p.color.map(f32::from_bits);
                    gl.clear_color(r, g, b, a);
                }
                if p.mask & c::DEPTH_BUFFER_BIT != 0 && had.clear_depth != p.depth {
                    had.clear_depth = p.depth;
                    gl.clear_depthf(p.depth);
                }
                if p.mask & c::STENCIL_BUFFER_BIT != 0 && had.clear_stencil != p.stencil {
                    had.clear_stencil = p.stencil;
                    gl.clear_stencil(p.stencil);
                }
                gl.clear(p.mask);
            }
        }
        Ok(())
    }
}
