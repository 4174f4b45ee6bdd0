//! Readbacks of framebuffers and textures.

use crate::backend::GlBackend;
use crate::binds::Slot;
use crate::format::Class;
use crate::framebuffer::Bound;
use crate::texture::host_box;
use crate::twin::Native;
use forerun_pipe::convert;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    Attachment, GetTextureImage, GetTextureImageToBuffer, PixelStore, ReadPixels,
    ReadPixelsToBuffer,
};
use forerun_pipe::{Handle, gl as c, pixel};
use forerun_server::backend::{Failure, Outcome};
use forerun_server::state::Env;
use forerun_server::{Dest, Tables};

/// The pixel format and type in which an ES host reads values of that kind for certain.
fn canonical(class: Class, depth: bool) -> (u32, u32) {
    match class {
        _ if depth => (c::DEPTH_COMPONENT, c::FLOAT),
        Class::Float => (c::RGBA, c::FLOAT),
        Class::Int => (c::RGBA_INTEGER, c::INT),
        Class::Uint => (c::RGBA_INTEGER, c::UNSIGNED_INT),
        _ => (c::RGBA, c::UNSIGNED_BYTE),
    }
}

/// A type by the name that desktop GL has for it.
fn desktop_type(ty: u32) -> u32 {
    if ty == c::HALF_FLOAT_OES { c::HALF_FLOAT } else { ty }
}

impl GlBackend {
    /// Whether the host reads any format and type: desktop GL does; ES takes what an ES program may ask.
    fn reads_as_given(&self, class: Class, format: u32, ty: u32) -> bool {
        !self.is_gles() || self.client_es || canonical(class, false) == (format, ty)
    }

    /// The same of a read with that GL_CLAMP_READ_COLOR: an ES host never clamps.
    fn reads_clamped(&self, class: Class, clamp: u32, format: u32, ty: u32) -> bool {
        !(self.is_gles() && clamp == 1) && self.reads_as_given(class, format, ty)
    }

    fn clamp_reads(&self, clamp: u32) {
        if clamp != 0 && !self.is_gles() {
            let wanted = if clamp == 1 { c::TRUE } else { c::FALSE };
            self.host.gl.clamp_color(c::CLAMP_READ_COLOR, wanted);
        }
    }

    fn unclamp_reads(&self, clamp: u32) {
        if clamp != 0 && !self.is_gles() {
            self.host.gl.clamp_color(c::CLAMP_READ_COLOR, c::FIXED_ONLY);
        }
    }

    /// To be called before pixels are read. With threads of its own llvmpipe (Mesa 22.3) now and then gives a framebuffer's pixels
    /// back while draws into it are still under way; nobody else pays for it, and there the read waits for them anyway.
    fn let_draws_end(&self) {
        if self.facts.software {
            self.host.gl.finish();
        }
    }

    /// Bytes of the bound read framebuffer as RGBA.
    pub(crate) fn read_rgba(&mut self, x: i32, y: i32, width: u32, height: u32, out: &mut [u8]) {
        debug_assert_eq!(out.len(), width as usize * height as usize * 4);
        self.binds.buffer(&self.host.gl, Slot::Pack, Native::NONE);
        self.binds.pack_alignment(&self.host.gl, 1);
        self.let_draws_end();
        // SAFETY: the slice holds all pixels.
        unsafe {
            self.host.gl.read_pixels(
                x,
                y,
                width as i32,
                height as i32,
                c::RGBA,
                c::UNSIGNED_BYTE,
                out.as_mut_ptr().cast(),
            );
        }
    }

    pub(crate) fn read_target(&mut self, env: &Env, p: &ReadPixels, dst: &mut Dest) -> Outcome {
        if self.bind_read_target(env, true) == Bound::Nothing || dst.is_empty() {
            return Ok(());
        }
        self.binds.buffer(&self.host.gl, Slot::Pack, Native::NONE);
        self.binds.pack_alignment(&self.host.gl, 1);
        let class = self.read_class(env);
        let (w, h) = (p.width as i32, p.height as i32);
        if self.reads_clamped(class, p.clamp, p.format, p.ty) {
            let ty = if self.is_gles() { p.ty } else { desktop_type(p.ty) };
            self.clamp_reads(p.clamp);
            self.let_draws_end();
            // SAFETY: the view holds exactly the pixels' bytes.
            unsafe {
                self.host.gl.read_pixels(p.x, p.y, w, h, p.format, ty, dst.as_mut_ptr().cast());
            }
            self.unclamp_reads(p.clamp);
        } else {
            let bytes = self.read_converted(class, p)?;
            dst.write(0, &bytes);
        }
        if self.host.lost() { Err(Failure::LOST) } else { Ok(()) }
    }

    /// Pixels of the bound read framebuffer, converted from what the host reads.
    fn read_converted(&mut self, class: Class, p: &ReadPixels) -> Outcome<Vec<u8>> {
        let (from, from_ty) = match p.format {
            c::DEPTH_COMPONENT => (c::DEPTH_COMPONENT, self.depth_type()),
            c::STENCIL_INDEX => (c::STENCIL_INDEX, c::UNSIGNED_BYTE),
            c::DEPTH_STENCIL => (p.format, p.ty),
            _ => canonical(class, false),
        };
        let size = [p.width, p.height, 1];
        let declined = Failure::Declined { code: c::INVALID_OPERATION };
        let len = pixel::tight_bytes(from, from_ty, size).ok_or(declined.clone())?;
        let mut bytes = vec![0u8; len as usize];
        let (w, h) = (p.width as i32, p.height as i32);
        self.let_draws_end();
        // SAFETY: the vector holds exactly the pixels' bytes.
        unsafe {
            self.host.gl.read_pixels(p.x, p.y, w, h, from, from_ty, bytes.as_mut_ptr().cast());
        }
        if p.clamp == 1 && (from, from_ty) == (c::RGBA, c::FLOAT) {
            for value in bytes.chunks_exact_mut(4) {
                if let Some(given) = value.first_chunk().map(|b| f32::from_ne_bytes(*b)) {
                    value.copy_from_slice(&given.clamp(0.0, 1.0).to_ne_bytes());
                }
            }
        }
        if (from, from_ty) == (p.format, p.ty) {
            return Ok(bytes);
        }
        convert::pixels(&bytes, from, from_ty, p.format, p.ty).ok_or(declined)
    }

    fn depth_is_float(&self, handle: Handle<kind::Texture>) -> bool {
        self.textures.get(handle).is_some_and(|twin| {
            matches!(twin.format.internal, c::DEPTH_COMPONENT32F | c::DEPTH32F_STENCIL8)
        })
    }

    /// The type in which an ES host reads the depth of the bound read framebuffer.
    fn depth_type(&self) -> u32 {
        let mut component = 0;
        // SAFETY: one integer is answered.
        unsafe {
            self.host.gl.get_framebuffer_attachment_parameteriv(
                c::READ_FRAMEBUFFER,
                c::DEPTH_ATTACHMENT,
                c::FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE,
                &mut component,
            );
        }
        if component as u32 == c::FLOAT { c::FLOAT } else { c::UNSIGNED_INT }
    }

    pub(crate) fn read_target_to_buffer(
        &mut self,
        env: &Env,
        buffer: Handle<kind::Buffer>,
        p: &ReadPixelsToBuffer,
    ) -> Outcome {
        let native = self.buffer(buffer);
        if native == Native::NONE || self.bind_read_target(env, true) == Bound::Nothing {
            return Ok(());
        }
        let class = self.read_class(env);
        let swaps = p.store.swap_bytes != 0;
        if self.reads_clamped(class, p.clamp, p.format, p.ty) && !(swaps && self.is_gles()) {
            self.binds.buffer(&self.host.gl, Slot::Pack, native);
            self.pack_store(&p.store, true);
            let ty = if self.is_gles() { p.ty } else { desktop_type(p.ty) };
            self.clamp_reads(p.clamp);
            self.let_draws_end();
            // SAFETY: an offset in the bound pack buffer.
            unsafe {
                self.host.gl.read_pixels(
                    p.x,
                    p.y,
                    p.width as i32,
                    p.height as i32,
                    p.format,
                    ty,
                    p.offset as usize as *mut _,
                );
            }
            self.unclamp_reads(p.clamp);
            self.pack_store(&p.store, false);
            self.binds.buffer(&self.host.gl, Slot::Pack, Native::NONE);
            return Ok(());
        }
        self.binds.buffer(&self.host.gl, Slot::Pack, Native::NONE);
        self.binds.pack_alignment(&self.host.gl, 1);
        let plain = ReadPixels {
            x: p.x,
            y: p.y,
            width: p.width,
            height: p.height,
            format: p.format,
            ty: p.ty,
            clamp: p.clamp,
            ..Default::default()
        };
        let bytes = self.read_converted(class, &plain)?;
        self.scatter(native, p.offset, &bytes, p.format, p.ty, [p.width, p.height, 1], &p.store)
    }

    /// Puts tight pixels into a buffer with pixel store parameters.
    #[allow(clippy::too_many_arguments)] // They describe one transfer.
    fn scatter(
        &mut self,
        native: Native,
        offset: u64,
        tight: &[u8],
        format: u32,
        ty: u32,
        size: [u32; 3],
        store: &PixelStore,
    ) -> Outcome {
        let len = pixel::stored_bytes(format, ty, size, store, size[2] > 1).unwrap_or(0) as usize;
        self.change_bytes(native, offset, len, |bytes| {
            convert::scatter(tight, bytes, format, ty, size, store, size[2] > 1);
        })
    }

    /// Sets, or sets back, how rows stand in the pack buffer.
    fn pack_store(&mut self, store: &PixelStore, on: bool) {
        let desktop = !self.is_gles();
        let gl = &self.host.gl;
        let set = |pname: u32, value: u32| {
            if value != 0 {
                gl.pixel_storei(pname, if on { value as i32 } else { 0 });
            }
        };
        set(c::PACK_ROW_LENGTH, store.row_length);
        set(c::PACK_SKIP_PIXELS, store.skip_pixels);
        set(c::PACK_SKIP_ROWS, store.skip_rows);
        if desktop {
            set(c::PACK_IMAGE_HEIGHT, store.image_height);
            set(c::PACK_SKIP_IMAGES, store.skip_images);
            set(c::PACK_SWAP_BYTES, store.swap_bytes);
        }
        if on {
            self.binds.pack_alignment(gl, store.alignment.max(1));
        }
    }

    pub(crate) fn read_texture(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImage,
        dst: &mut Dest,
    ) -> Outcome {
        if dst.is_empty() {
            return Ok(());
        }
        self.binds.buffer(&self.host.gl, Slot::Pack, Native::NONE);
        self.binds.pack_alignment(&self.host.gl, 1);
        if self.is_gles() {
            let bytes = self.read_layers(tables, handle, p)?;
            dst.write(0, &bytes);
            return Ok(());
        }
        let len = dst.len();
        self.get_image(tables, handle, p, dst.as_mut_ptr().cast(), len)
    }

    /// The desktop's own way to read a texture: into memory, or at an offset of the bound pack buffer.
    fn get_image(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImage,
        to: *mut std::ffi::c_void,
        len: usize,
    ) -> Outcome {
        let Some(texture) = tables.textures.get(handle) else { return Ok(()) };
        let (native, target) = self.texture_storage(tables, handle);
        if native == Native::NONE {
            return Ok(());
        }
        let [x, y, mut z] = p.origin;
        let [w, h, d] = p.size.map(|v| v as i32);
        let mut image = target;
        if target == c::TEXTURE_CUBE_MAP && p.target != target {
            z = texture.face(p.target).unwrap_or(0) as i32;
            image = p.target;
        }
        let (level, len) = (p.level as i32, i32::try_from(len).unwrap_or(i32::MAX));
        let ty = desktop_type(p.ty);
        self.let_draws_end();
        let gl = &self.host.gl;
        let parts = gl.has.get_texture_sub_image && gl.has.get_compressed_texture_sub_image;
        // SAFETY: the address has `len` bytes, which is what the box takes, or is an offset in the bound pack buffer.
        unsafe {
            if p.format == 0 && parts {
                gl.get_compressed_texture_sub_image(native.name, level, x, y, z, w, h, d, len, to);
            } else if parts {
                gl.get_texture_sub_image(
                    native.name,
                    level,
                    x,
                    y,
                    z,
                    w,
                    h,
                    d,
                    p.format,
                    ty,
                    len,
                    to,
                );
            } else {
                let whole = texture.extent(p.target, p.level) == Some(p.size) && p.origin == [0; 3];
                if !whole || (target == c::TEXTURE_CUBE_MAP && image == target) {
                    return Err(Failure::Declined { code: c::INVALID_OPERATION });
                }
                self.binds.texture_scratch(gl, target, native);
                if p.format == 0 {
                    gl.get_compressed_tex_image(image, level, to);
                } else {
                    gl.get_tex_image(image, level, p.format, ty, to);
                }
            }
        }
        if self.host.lost() { Err(Failure::LOST) } else { Ok(()) }
    }

    /// An ES host's way: each layer is attached and read.
    fn read_layers(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImage,
    ) -> Outcome<Vec<u8>> {
        let declined = Failure::Declined { code: c::INVALID_OPERATION };
        let Some(texture) = tables.textures.get(handle) else { return Err(declined) };
        let (native, target) = self.texture_storage(tables, handle);
        let Some(class) = self.textures.get(handle).map(|twin| twin.format.class) else {
            return Err(declined);
        };
        let origin = p.origin.map(|v| v.max(0) as u32);
        let ([x, y, z], [w, h, d]) = host_box(self.host.dialect, texture.target, origin, p.size);
        let depth = matches!(class, Class::Depth | Class::DepthStencil);
        let point = match class {
            Class::Compressed | Class::Stencil => return Err(declined),
            Class::Depth => c::DEPTH_ATTACHMENT,
            Class::DepthStencil => c::DEPTH_STENCIL_ATTACHMENT,
            _ => c::COLOR_ATTACHMENT0,
        };
        let (from, from_ty) = match p.format {
            c::DEPTH_COMPONENT if self.depth_is_float(handle) => (p.format, c::FLOAT),
            c::DEPTH_COMPONENT => (p.format, c::UNSIGNED_INT),
            _ if depth => (p.format, p.ty),
            _ => canonical(class, false),
        };
        let layer_bytes = pixel::tight_bytes(from, from_ty, [w as u32, h as u32, 1]);
        let layer_bytes = layer_bytes.ok_or(declined.clone())? as usize;
        let mut bytes = vec![0u8; layer_bytes * d as usize];
        self.binds.read_framebuffer(&self.host.gl, self.scratch_framebuffer);
        for (layer, out) in bytes.chunks_exact_mut(layer_bytes.max(1)).enumerate() {
            let layer = z as u32 + layer as u32;
            let whole_cube = target == c::TEXTURE_CUBE_MAP && p.target == target;
            let attachment = Attachment {
                target: if whole_cube { c::TEXTURE_CUBE_MAP } else { p.target },
                level: p.level,
                layer,
                ..Default::default()
            };
            self.attach_texture(c::READ_FRAMEBUFFER, point, native, target, &attachment);
            let status = self.host.gl.check_framebuffer_status(c::READ_FRAMEBUFFER);
            if status == c::FRAMEBUFFER_COMPLETE {
                // SAFETY: the slice holds exactly the layer's bytes.
                unsafe {
                    self.host.gl.read_pixels(x, y, w, h, from, from_ty, out.as_mut_ptr().cast());
                }
            } else {
                self.detach(point);
                return Err(declined);
            }
        }
        self.detach(point);
        if (from, from_ty) == (p.format, p.ty) {
            return Ok(bytes);
        }
        convert::pixels(&bytes, from, from_ty, p.format, p.ty).ok_or(declined)
    }

    fn detach(&mut self, point: u32) {
        self.host.gl.framebuffer_renderbuffer(c::READ_FRAMEBUFFER, point, c::RENDERBUFFER, 0);
    }

    pub(crate) fn read_texture_to_buffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        p: &GetTextureImageToBuffer,
    ) -> Outcome {
        let buffer = self.buffer(Handle::from_raw(p.buffer));
        if buffer == Native::NONE {
            return Ok(());
        }
        let plain = GetTextureImage {
            handle: p.handle,
            target: p.target,
            level: p.level,
            origin: p.origin,
            size: p.size,
            format: p.format,
            ty: p.ty,
            ..Default::default()
        };
        if !self.is_gles() {
            let Some(object) = tables.buffers.get(Handle::from_raw(p.buffer)) else {
                return Ok(());
            };
            let room = object.size.saturating_sub(p.offset) as usize;
            self.binds.buffer(&self.host.gl, Slot::Pack, buffer);
            self.pack_store(&p.store, true);
            let outcome = self.get_image(tables, handle, &plain, p.offset as usize as *mut _, room);
            self.pack_store(&p.store, false);
            self.binds.buffer(&self.host.gl, Slot::Pack, Native::NONE);
            return outcome;
        }
        self.binds.buffer(&self.host.gl, Slot::Pack, Native::NONE);
        self.binds.pack_alignment(&self.host.gl, 1);
        let bytes = self.read_layers(tables, handle, &plain)?;
        self.scatter(buffer, p.offset, &bytes, p.format, p.ty, p.size, &p.store)
    }
}
