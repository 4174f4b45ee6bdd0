//! Texture objects: storage, uploads, parameters, mipmaps, copies between images.

use crate::backend::GlBackend;
use crate::binds::Slot;
use crate::format::{self, Class};
use crate::host::Dialect;
use crate::sampler::Applier;
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{ClearTexture, InvalidateTexture, ResourceCopyRegion};
use forerun_pipe::{Handle, RawHandle, gl as c, pixel};
use forerun_server::backend::{Defined, Failure, Outcome, Pixels, Region};
use forerun_server::objects::{Texture, TextureParams};
use forerun_server::{Source, Tables};

/// A texture of the host.
#[derive(Clone, Debug)]
pub struct TextureTwin {
    /// The object.
    pub native: Native,
    /// The host's target.
    pub target: u32,
    /// What its format is on the host, by the level that was defined last.
    pub format: format::Native,
    /// A level that the table describes and the driver does not have yet: face and level.
    pub(crate) pending: Option<(usize, u32)>,
    /// Levels of the immutable object that stands for a mutable texture; 0 when none does.
    pub(crate) frozen: u32,
    /// The size of its level 0.
    pub(crate) frozen_size: [u32; 3],
    /// The parameters that the host's object has.
    applied: TextureParams,
    /// Serial of the parameters that were synced.
    params_serial: u64,
    /// The format's swizzle with which they were synced.
    params_swizzle: [u32; 4],
}

impl TextureTwin {
    /// The host's object was told to have that level alone.
    pub(crate) fn applied_levels(&mut self, level: u32) {
        (self.applied.base_level, self.applied.max_level) = (level, level);
    }

    /// Has the parameters synced at the next use.
    pub(crate) fn params_unknown(&mut self) {
        self.params_serial = u64::MAX;
    }
}

/// The host's target for a target of the program: an ES host has no 1D textures.
pub fn host_target(dialect: Dialect, target: u32) -> u32 {
    match (dialect, target) {
        (Dialect::Gles, c::TEXTURE_1D) => c::TEXTURE_2D,
        (Dialect::Gles, c::TEXTURE_1D_ARRAY) => c::TEXTURE_2D_ARRAY,
        // Rectangles are read with texel coordinates, which the shader's translation scales.
        (Dialect::Gles, c::TEXTURE_RECTANGLE) => c::TEXTURE_2D,
        _ => target,
    }
}

/// Whether images of that target have three dimensions in GL's calls.
pub(crate) fn is_solid(target: u32) -> bool {
    matches!(
        target,
        c::TEXTURE_3D
            | c::TEXTURE_2D_ARRAY
            | c::TEXTURE_CUBE_MAP_ARRAY
            | c::TEXTURE_2D_MULTISAMPLE_ARRAY
    )
}

/// A box as the host's target counts it.
pub(crate) fn host_box(
    dialect: Dialect,
    target: u32,
    origin: [u32; 3],
    size: [u32; 3],
) -> ([i32; 3], [i32; 3]) {
    let [x, y, z] = origin.map(|v| v as i32);
    let [w, h, d] = size.map(|v| v as i32);
    if dialect == Dialect::Gles && target == c::TEXTURE_1D_ARRAY {
        return ([x, 0, y], [w, 1, h]);
    }
    ([x, y, z], [w, h, d])
}

/// Where the bytes of an upload come from.
#[derive(Clone, Copy)]
pub(crate) enum From<'a> {
    /// Here.
    Bytes(Source<'a>),
    /// At that offset of the bound unpack buffer.
    Bound(u64),
    /// Nowhere: contents are undefined.
    Nothing,
}

impl From<'_> {
    /// For the driver.
    pub(crate) fn address(&self) -> *const std::ffi::c_void {
        match self {
            From::Bytes(bytes) => bytes.as_ptr().cast(),
            From::Bound(offset) => *offset as usize as *const _,
            From::Nothing => std::ptr::null(),
        }
    }
}

impl GlBackend {
    pub(crate) fn new_texture(&mut self, target: u32, format: format::Native) -> TextureTwin {
        let mut name = 0;
        // SAFETY: one name.
        unsafe { self.host.gl.gen_textures(1, &mut name) };
        let host = host_target(self.host.dialect, target);
        TextureTwin {
            native: Native { name, uid: self.uid() },
            target: host,
            format,
            pending: None,
            frozen: 0,
            frozen_size: [0; 3],
            applied: TextureParams::initial(host),
            // A stand-in has other initial parameters than the program's target.
            params_serial: if host == target { 0 } else { u64::MAX },
            params_swizzle: format::IDENTITY,
        }
    }

    /// The host's object of a texture, with its storage and without regard to its parameters; [`Native::NONE`] when it has none.
    pub(crate) fn texture_storage(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
    ) -> (Native, u32) {
        let Some(twin) = self.textures.get_mut(handle) else {
            return (Native::NONE, c::TEXTURE_2D);
        };
        let found = (twin.native, twin.target);
        if let Some((face, level)) = twin.pending.take() {
            self.sync_params(tables, handle);
            let Some(twin) = self.textures.get(handle).cloned() else { return found };
            if let Some(texture) = tables.textures.get(handle) {
                self.define_level(&twin, texture, face, level, From::Nothing, None);
            }
        }
        found
    }

    /// The host's object of a texture, ready to be read by shaders.
    #[inline]
    pub(crate) fn texture(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
    ) -> (Native, u32) {
        let found = self.texture_storage(tables, handle);
        if found.0 != Native::NONE {
            self.sync_params(tables, handle);
        }
        found
    }

    pub(crate) fn sync_params(&mut self, tables: &Tables, handle: Handle<kind::Texture>) {
        let Some(texture) = tables.textures.get(handle) else { return };
        let Some(twin) = self.textures.get_mut(handle) else { return };
        let swizzle = twin.format.swizzle;
        if twin.params_serial == texture.params_serial && twin.params_swizzle == swizzle {
            return;
        }
        twin.params_serial = texture.params_serial;
        twin.params_swizzle = swizzle;
        let (native, target, applied) = (twin.native, twin.target, twin.applied);
        if target == c::TEXTURE_BUFFER {
            return;
        }
        let mut wanted = texture.params;
        wanted.swizzle = format::compose(swizzle, wanted.swizzle);
        if twin.format.class == Class::Stencil {
            wanted.depth_stencil_mode = applied.depth_stencil_mode;
        }
        twin.applied = wanted;
        self.binds.texture_scratch(&self.host.gl, target, native);
        let gl = &self.host.gl;
        let set = |pname: u32, had: u32, wants: u32| {
            if had != wants {
                gl.tex_parameteri(target, pname, wants as i32);
            }
        };
        for (i, pname) in
            [c::TEXTURE_SWIZZLE_R, c::TEXTURE_SWIZZLE_G, c::TEXTURE_SWIZZLE_B, c::TEXTURE_SWIZZLE_A]
                .into_iter()
                .enumerate()
        {
            set(pname, applied.swizzle[i], wanted.swizzle[i]);
        }
        set(c::TEXTURE_BASE_LEVEL, applied.base_level, wanted.base_level);
        set(c::TEXTURE_MAX_LEVEL, applied.max_level, wanted.max_level);
        set(c::DEPTH_STENCIL_TEXTURE_MODE, applied.depth_stencil_mode, wanted.depth_stencil_mode);
        let multisampled =
            matches!(target, c::TEXTURE_2D_MULTISAMPLE | c::TEXTURE_2D_MULTISAMPLE_ARRAY);
        if !multisampled {
            let applier = Applier { gl, facts: &self.facts, dialect: self.host.dialect };
            applier.texture(target, &applied.sampler, &wanted.sampler, swizzle);
        }
    }

    pub(crate) fn define_texture(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        what: Defined,
    ) -> Outcome {
        let Some(texture) = tables.textures.get(handle) else { return Ok(()) };
        self.texture_epoch += 1;
        match what {
            Defined::Level { face, level } => {
                let Some(image) = texture.level(face, level) else { return Ok(()) };
                let native = self.resolve(image.internal_format, image.format, image.ty)?;
                if self.keeps_frozen(texture, handle, (face, level)) {
                    return Ok(());
                }
                // A level that still waits is made first, unless it is the same one.
                match self.textures.get(handle).map(|twin| twin.pending) {
                    Some(Some(other)) if other != (face, level) => {
                        self.texture_storage(tables, handle);
                    }
                    Some(_) => {}
                    None => {
                        let twin = self.new_texture(texture.target, native);
                        self.textures.insert(handle, twin);
                    }
                }
                // Drivers lay a texture out by the filter that it has when a level is defined.
                self.sync_params(tables, handle);
                let Some(twin) = self.textures.get_mut(handle) else { return Ok(()) };
                twin.format = native;
                twin.pending = Some((face, level));
                // Large levels are made at once, so that a lack of memory is told where it belongs.
                let texels =
                    u64::from(image.width) * u64::from(image.height) * u64::from(image.depth);
                if texels > 4 << 20 {
                    self.texture_storage(tables, handle);
                    return self.check_memory("a texture's level");
                }
                Ok(())
            }
            Defined::Immutable => self.define_immutable(texture, handle),
            Defined::View => self.define_view(tables, texture, handle),
            Defined::TexelBuffer => self.define_texel_buffer(texture, handle),
        }
    }

    pub(crate) fn resolve(&self, internal: u32, format: u32, ty: u32) -> Outcome<format::Native> {
        let dialect = self.host.dialect;
        format::resolve(dialect, &self.facts, self.client_es, internal, format, ty).ok_or_else(
            || {
                log::warn!("the host has nothing for internal format 0x{internal:04X}");
                Failure::Declined { code: c::INVALID_OPERATION }
            },
        )
    }

    /// glTexImage of a level, with or without its pixels.
    pub(crate) fn define_level(
        &mut self,
        twin: &TextureTwin,
        texture: &Texture,
        face: usize,
        level: u32,
        from: From,
        given: Option<(u32, u32)>,
    ) {
        let Some(image) = texture.level(face, level) else { return };
        self.binds.texture_scratch(&self.host.gl, twin.target, twin.native);
        if !matches!(from, From::Bound(_)) {
            self.binds.buffer(&self.host.gl, Slot::Unpack, Native::NONE);
        }
        let (_, [w, h, d]) = host_box(
            self.host.dialect,
            texture.target,
            [0; 3],
            [image.width, image.height, image.depth],
        );
        let target = if twin.target == c::TEXTURE_CUBE_MAP {
            c::TEXTURE_CUBE_MAP_POSITIVE_X + face as u32
        } else {
            twin.target
        };
        let level = level as i32;
        let internal = twin.format.internal;
        let gl = &self.host.gl;
        if twin.format.class == Class::Compressed {
            let size = [image.width, image.height, image.depth];
            let bytes = pixel::compressed_bytes(image.internal_format, size).unwrap_or(0);
            let zeros = matches!(from, From::Nothing).then(|| vec![0u8; bytes as usize]);
            let data = match &zeros {
                Some(zeros) => zeros.as_ptr().cast(),
                None => from.address(),
            };
            let len = bytes as i32;
            // SAFETY: the address has as many bytes as the image takes.
            unsafe {
                if is_solid(twin.target) {
                    gl.compressed_tex_image_3d(target, level, internal, w, h, d, 0, len, data);
                } else if twin.target == c::TEXTURE_1D {
                    gl.compressed_tex_image_1d(target, level, internal, w, 0, len, data);
                } else {
                    gl.compressed_tex_image_2d(target, level, internal, w, h, 0, len, data);
                }
            }
            return;
        }
        self.binds.unpack_alignment(gl, 1);
        let (format, ty) = given.unwrap_or_else(|| {
            let (format, ty) = (image.format, image.ty);
            if twin.format.as_given && format != 0 {
                format::upload(self.host.dialect, &twin.format, format, ty)
                    .unwrap_or((twin.format.format, twin.format.ty))
            } else {
                (twin.format.format, twin.format.ty)
            }
        });
        let internal = internal as i32;
        let data = from.address();
        // SAFETY: the address is null, an offset in the unpack buffer, or has exactly the bytes of the image.
        unsafe {
            if is_solid(twin.target) {
                gl.tex_image_3d(target, level, internal, w, h, d, 0, format, ty, data);
            } else if twin.target == c::TEXTURE_1D {
                gl.tex_image_1d(target, level, internal, w, 0, format, ty, data);
            } else {
                gl.tex_image_2d(target, level, internal, w, h, 0, format, ty, data);
            }
        }
    }

    fn define_immutable(&mut self, texture: &Texture, handle: Handle<kind::Texture>) -> Outcome {
        let Some(image) = texture.level(0, 0) else { return Ok(()) };
        let native = self.resolve(image.internal_format, 0, 0)?;
        let multisampled =
            matches!(texture.target, c::TEXTURE_2D_MULTISAMPLE | c::TEXTURE_2D_MULTISAMPLE_ARRAY);
        let redefine = multisampled && self.host.gl.has.tex_image_2d_multisample;
        if multisampled
            && !redefine
            && let Some(old) = self.textures.remove(handle.raw())
        {
            // This host has immutable multisample storage only: another object stands for the second definition.
            self.delete_texture(old.native);
            self.attach_epoch += 1;
        }
        match self.textures.get_mut(handle) {
            Some(twin) => {
                twin.format = native;
                twin.pending = None;
            }
            None => {
                let twin = self.new_texture(texture.target, native);
                self.textures.insert(handle, twin);
            }
        }
        let Some(twin) = self.textures.get(handle) else { return Ok(()) };
        let (object, target) = (twin.native, twin.target);
        self.binds.texture_scratch(&self.host.gl, target, object);
        let (_, [w, h, d]) = host_box(
            self.host.dialect,
            texture.target,
            [0; 3],
            [image.width, image.height, image.depth],
        );
        let levels = texture.immutable_levels.max(1) as i32;
        let internal = native.internal;
        let samples = texture.samples.max(1) as i32;
        let fixed = u8::from(texture.fixed_sample_locations);
        let gl = &self.host.gl;
        match target {
            c::TEXTURE_2D_MULTISAMPLE if redefine => {
                gl.tex_image_2d_multisample(target, samples, internal, w, h, fixed);
            }
            c::TEXTURE_2D_MULTISAMPLE_ARRAY if redefine => {
                gl.tex_image_3d_multisample(target, samples, internal, w, h, d, fixed);
            }
            c::TEXTURE_2D_MULTISAMPLE => {
                gl.tex_storage_2d_multisample(target, samples, internal, w, h, fixed);
            }
            c::TEXTURE_2D_MULTISAMPLE_ARRAY => {
                gl.tex_storage_3d_multisample(target, samples, internal, w, h, d, fixed);
            }
            c::TEXTURE_1D => gl.tex_storage_1d(target, levels, internal, w),
            _ if is_solid(target) => gl.tex_storage_3d(target, levels, internal, w, h, d),
            _ => gl.tex_storage_2d(target, levels, internal, w, h),
        }
        self.check_memory("a texture's storage")
    }

    fn define_view(
        &mut self,
        tables: &Tables,
        texture: &Texture,
        handle: Handle<kind::Texture>,
    ) -> Outcome {
        let Some(view) = texture.view else { return Ok(()) };
        let Some(image) = texture.level(0, 0) else { return Ok(()) };
        let native = self.resolve(image.internal_format, 0, 0)?;
        let (origin, _) = self.texture_storage(tables, view.origin);
        if origin == Native::NONE || !self.host.gl.has.texture_view {
            return Err(Failure::Declined { code: c::INVALID_OPERATION });
        }
        let twin = self.new_texture(texture.target, native);
        self.host.gl.texture_view(
            twin.native.name,
            twin.target,
            origin.name,
            native.internal,
            view.min_level,
            view.num_levels,
            view.min_layer,
            view.num_layers,
        );
        self.textures.insert(handle, twin);
        self.check_memory("a texture view")
    }

    fn define_texel_buffer(&mut self, texture: &Texture, handle: Handle<kind::Texture>) -> Outcome {
        let Some(texels) = texture.texel_buffer else { return Ok(()) };
        let native = self.resolve(texels.internal_format, 0, 0)?;
        if self.textures.get(handle).is_none() {
            let twin = self.new_texture(c::TEXTURE_BUFFER, native);
            self.textures.insert(handle, twin);
        }
        let Some(twin) = self.textures.get(handle) else { return Ok(()) };
        let object = twin.native;
        let buffer = self.ensure_buffer(texels.buffer);
        self.binds.texture_scratch(&self.host.gl, c::TEXTURE_BUFFER, object);
        let gl = &self.host.gl;
        if texels.size == u64::MAX || buffer == Native::NONE {
            gl.tex_buffer(c::TEXTURE_BUFFER, native.internal, buffer.name);
        } else {
            gl.tex_buffer_range(
                c::TEXTURE_BUFFER,
                native.internal,
                buffer.name,
                texels.offset as isize,
                texels.size as isize,
            );
        }
        self.check_memory("a buffer texture")
    }

    pub(crate) fn generate_mipmap(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
    ) -> Outcome {
        let (native, target) = self.texture(tables, handle);
        if native == Native::NONE {
            return Ok(());
        }
        self.binds.texture_scratch(&self.host.gl, target, native);
        self.host.gl.generate_mipmap(target);
        self.check_memory("mipmaps")
    }

    pub(crate) fn clear_texture(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &ClearTexture,
    ) -> Outcome {
        let Some(texture) = tables.textures.get(handle) else { return Ok(()) };
        let (native, target) = self.texture_storage(tables, handle);
        let Some(twin) = self.textures.get(handle) else { return Ok(()) };
        let value = p.value.get(..p.value_len as usize).unwrap_or(&p.value);
        let direct = format::upload(self.host.dialect, &twin.format, p.format, p.ty);
        if let Some((format, ty)) = direct
            && self.host.gl.has.clear_tex_sub_image
        {
            let ([x, y, mut z], [w, h, d]) =
                host_box(self.host.dialect, texture.target, region.origin, region.size);
            if target == c::TEXTURE_CUBE_MAP {
                z += region.face as i32;
            }
            // SAFETY: no value means zeros; otherwise one texel of this format stands in 32 bytes.
            unsafe {
                let data =
                    if value.is_empty() { std::ptr::null() } else { p.value.as_ptr().cast() };
                self.host.gl.clear_tex_sub_image(
                    native.name,
                    region.level as i32,
                    x,
                    y,
                    z,
                    w,
                    h,
                    d,
                    format,
                    ty,
                    data,
                );
            }
            return Ok(());
        }
        let texels = region.size.iter().map(|v| *v as usize).product::<usize>();
        let one = pixel::pixel_bytes(p.format, p.ty).unwrap_or(4) as usize;
        let texel = if value.is_empty() { vec![0; one] } else { value.to_vec() };
        let bytes = texel.repeat(texels);
        let pixels = Pixels { format: p.format, ty: p.ty, bytes: Source::new(&bytes) };
        self.upload(tables, handle, region, &pixels)
    }

    pub(crate) fn invalidate_texture(
        &mut self,
        handle: Handle<kind::Texture>,
        p: &InvalidateTexture,
    ) -> Outcome {
        if let Some(twin) = self.textures.get(handle)
            && twin.pending.is_none()
        {
            let (name, level) = (twin.native.name, p.level as i32);
            let gl = &self.host.gl;
            if p.size[0] == u32::MAX {
                gl.invalidate_tex_image(name, level);
            } else {
                let [x, y, z] = p.origin;
                let [w, h, d] = p.size.map(|v| v as i32);
                gl.invalidate_tex_sub_image(name, level, x, y, z, w, h, d);
            }
        }
        Ok(())
    }

    pub(crate) fn copy_image_data(&mut self, tables: &Tables, p: &ResourceCopyRegion) -> Outcome {
        let (src, src_target) = self.image_of(tables, p.src, p.src_target);
        let (dst, dst_target) = self.image_of(tables, p.dst, p.dst_target);
        if src == 0 || dst == 0 {
            return Ok(());
        }
        let layers_in_y = |target: u32| self.is_gles() && target == c::TEXTURE_1D_ARRAY;
        let turn = |target: u32, [x, y, z]: [i32; 3]| {
            if layers_in_y(target) { [x, 0, y] } else { [x, y, z] }
        };
        let [sx, sy, sz] = turn(p.src_target, p.src_origin);
        let [dx, dy, dz] = turn(p.dst_target, p.dst_origin);
        let size = p.size.map(|v| v as i32);
        let [w, h, d] = if layers_in_y(p.src_target) { [size[0], 1, size[1]] } else { size };
        self.host.gl.copy_image_sub_data(
            src,
            src_target,
            p.src_level as i32,
            sx,
            sy,
            sz,
            dst,
            dst_target,
            p.dst_level as i32,
            dx,
            dy,
            dz,
            w,
            h,
            d,
        );
        Ok(())
    }

    fn image_of(&mut self, tables: &Tables, raw: RawHandle, target: u32) -> (u32, u32) {
        if target == c::RENDERBUFFER {
            let twin = self.renderbuffers.get(Handle::from_raw(raw));
            return (twin.map_or(0, |twin| twin.native.name), target);
        }
        // With its parameters: a host copies only from complete textures.
        let (native, target) = self.texture(tables, Handle::from_raw(raw));
        (native.name, target)
    }

    pub(crate) fn delete_texture(&mut self, native: Native) {
        // SAFETY: one name.
        unsafe { self.host.gl.delete_textures(1, &native.name) };
        self.binds.texture_gone(native.uid);
        self.texture_epoch += 1;
    }

    pub(crate) fn texture_gone(&mut self, raw: RawHandle) {
        if let Some(twin) = self.textures.remove(raw) {
            self.delete_texture(twin.native);
        }
    }
}
