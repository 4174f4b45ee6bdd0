//! Blits, and copies from a framebuffer into a texture.

use crate::backend::GlBackend;
use crate::format;
use crate::framebuffer::Bound;
use crate::texture::host_box;
use crate::twin::Native;
use forerun_pipe::convert;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{Blit, CopyFramebufferToTexture};
use forerun_pipe::{Handle, gl as c};
use forerun_server::Source;
use forerun_server::backend::{Outcome, Pixels, Region};
use forerun_server::state::Env;

impl GlBackend {
    pub(crate) fn blit_targets(&mut self, env: &Env, p: &Blit) -> Outcome {
        if self.skip {
            return Ok(());
        }
        if self.bind_read_target(env, false) == Bound::Nothing
            || self.bind_draw_target(env) == Bound::Nothing
            // A front buffer that the draw target needed just now was copied through the read target.
            || self.bind_read_target(env, false) == Bound::Nothing
        {
            return Ok(());
        }
        self.sync_raster(env, false);
        let ([a, b, d, e], [f, g, h, i]) = (p.src, p.dst);
        self.host.gl.blit_framebuffer(a, b, d, e, f, g, h, i, p.mask, p.filter);
        Ok(())
    }

    pub(crate) fn copy_target_to_texture(
        &mut self,
        env: &Env,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &CopyFramebufferToTexture,
    ) -> Outcome {
        let Some(texture) = env.tables.textures.get(handle) else { return Ok(()) };
        let (native, target) = self.texture_storage(env.tables, handle);
        if native == Native::NONE || self.bind_read_target(env, true) == Bound::Nothing {
            return Ok(());
        }
        let Some(twin) = self.textures.get(handle) else { return Ok(()) };
        let takes_alpha = twin.format.swizzle.contains(&c::RED)
            && twin.format.swizzle != format::IDENTITY
            && twin.format.swizzle[3] != c::ONE;
        if takes_alpha {
            return self.copy_alpha(env, handle, region, p);
        }
        self.binds.texture_scratch(&self.host.gl, target, native);
        let image = if target == c::TEXTURE_CUBE_MAP { region.target } else { target };
        let ([x, y, z], _) =
            host_box(self.host.dialect, texture.target, region.origin, region.size);
        let (level, w, h) = (region.level as i32, p.width as i32, p.height as i32);
        let gl = &self.host.gl;
        match target {
            c::TEXTURE_1D => gl.copy_tex_sub_image_1d(image, level, x, p.x, p.y, w),
            c::TEXTURE_3D | c::TEXTURE_2D_ARRAY | c::TEXTURE_CUBE_MAP_ARRAY => {
                gl.copy_tex_sub_image_3d(image, level, x, y, z, p.x, p.y, w, h);
            }
            _ => gl.copy_tex_sub_image_2d(image, level, x, y, p.x, p.y, w, h),
        }
        Ok(())
    }

    /// Formats with an alpha that the host keeps in red or green: the driver's copy would take the wrong component.
    fn copy_alpha(
        &mut self,
        env: &Env,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &CopyFramebufferToTexture,
    ) -> Outcome {
        let mut pixels = vec![0u8; p.width as usize * p.height as usize * 4];
        self.read_rgba(p.x, p.y, p.width, p.height, &mut pixels);
        let Some(twin) = self.textures.get(handle) else { return Ok(()) };
        let to = if twin.format.swizzle[0] == c::ZERO { c::ALPHA } else { c::LUMINANCE_ALPHA };
        let Some(bytes) = convert::pixels(&pixels, c::RGBA, c::UNSIGNED_BYTE, to, c::UNSIGNED_BYTE)
        else {
            return Ok(());
        };
        let pixels = Pixels { format: to, ty: c::UNSIGNED_BYTE, bytes: Source::new(&bytes) };
        self.upload(env.tables, handle, region, &pixels)
    }
}
