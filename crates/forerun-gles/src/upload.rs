//! Uploads of pixels into textures.

use crate::backend::GlBackend;
use crate::binds::Slot;
use crate::format;
use crate::host::Dialect;
use crate::texture::{From, host_box, is_solid};
use crate::twin::Native;
use forerun_pipe::convert;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{PixelStore, TextureSubDataFromBuffer};
use forerun_pipe::{Handle, gl as c, pixel};
use forerun_server::backend::{Failure, Outcome, Pixels, Region};
use forerun_server::{Source, Tables};

impl GlBackend {
    pub(crate) fn upload(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        pixels: &Pixels,
    ) -> Outcome {
        let Some(texture) = tables.textures.get(handle) else { return Ok(()) };
        let Some(twin) = self.textures.get(handle) else { return Ok(()) };
        let mut bytes = pixels.bytes;
        let converted;
        let (mut format, mut ty) = (pixels.format, pixels.ty);
        if ty != 0 {
            match format::upload(self.host.dialect, &twin.format, format, ty) {
                Some(same) => (format, ty) = same,
                None => {
                    let (to, to_ty) = (twin.format.format, twin.format.ty);
                    converted = convert::pixels(&bytes.to_vec(), format, ty, to, to_ty)
                        .ok_or(Failure::Declined { code: c::INVALID_OPERATION })?;
                    bytes = Source::new(&converted);
                    (format, ty) = (to, to_ty);
                }
            }
        }
        // A level that waits for its storage takes its pixels along.
        let whole = texture.level(region.face, region.level).is_some_and(|image| {
            region.origin == [0; 3] && region.size == [image.width, image.height, image.depth]
        });
        if whole && twin.pending == Some((region.face, region.level)) {
            if let Some(twin) = self.textures.get_mut(handle) {
                twin.pending = None;
            }
            // Drivers lay a texture out by its parameters: they come in the program's order.
            self.sync_params(tables, handle);
            let Some(twin) = self.textures.get(handle).cloned() else { return Ok(()) };
            let given = (ty != 0).then_some((format, ty));
            self.define_level(&twin, texture, region.face, region.level, From::Bytes(bytes), given);
            return self.check_memory("a texture's level");
        }
        let (native, target) = self.texture_storage(tables, handle);
        self.binds.buffer(&self.host.gl, Slot::Unpack, Native::NONE);
        self.binds.unpack_alignment(&self.host.gl, 1);
        self.sub_image(texture.target, native, target, region, format, ty, From::Bytes(bytes));
        Ok(())
    }

    /// glTexSubImage of a box.
    #[allow(clippy::too_many_arguments)] // They are what the GL calls take.
    fn sub_image(
        &mut self,
        program_target: u32,
        native: Native,
        target: u32,
        region: &Region,
        format: u32,
        ty: u32,
        from: From,
    ) {
        self.binds.texture_scratch(&self.host.gl, target, native);
        let ([x, y, z], [w, h, d]) =
            host_box(self.host.dialect, program_target, region.origin, region.size);
        let image = if target == c::TEXTURE_CUBE_MAP { region.target } else { target };
        let level = region.level as i32;
        let data = from.address();
        let gl = &self.host.gl;
        if ty == 0 {
            let format = match (self.host.dialect, format) {
                (Dialect::Gl, c::ETC1_RGB8_OES) => c::COMPRESSED_RGB8_ETC2,
                _ => format,
            };
            let len = pixel::compressed_bytes(format, region.size).unwrap_or(0) as i32;
            // SAFETY: the address has as many bytes as the box takes, or is an offset in the unpack buffer.
            unsafe {
                if is_solid(target) {
                    gl.compressed_tex_sub_image_3d(
                        image, level, x, y, z, w, h, d, format, len, data,
                    );
                } else if target == c::TEXTURE_1D {
                    gl.compressed_tex_sub_image_1d(image, level, x, w, format, len, data);
                } else {
                    gl.compressed_tex_sub_image_2d(image, level, x, y, w, h, format, len, data);
                }
            }
            return;
        }
        // SAFETY: as above.
        unsafe {
            if is_solid(target) {
                gl.tex_sub_image_3d(image, level, x, y, z, w, h, d, format, ty, data);
            } else if target == c::TEXTURE_1D {
                gl.tex_sub_image_1d(image, level, x, w, format, ty, data);
            } else {
                gl.tex_sub_image_2d(image, level, x, y, w, h, format, ty, data);
            }
        }
    }

    pub(crate) fn upload_from_buffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Texture>,
        region: &Region,
        p: &TextureSubDataFromBuffer,
    ) -> Outcome {
        let Some(texture) = tables.textures.get(handle) else { return Ok(()) };
        let (native, target) = self.texture_storage(tables, handle);
        let buffer = self.buffer(Handle::from_raw(p.buffer));
        let Some(twin) = self.textures.get(handle) else { return Ok(()) };
        if buffer == Native::NONE {
            return Ok(());
        }
        let solid = is_solid(target);
        if p.ty == 0 {
            self.binds.buffer(&self.host.gl, Slot::Unpack, buffer);
            self.sub_image(
                texture.target,
                native,
                target,
                region,
                p.format,
                0,
                From::Bound(p.offset),
            );
            return Ok(());
        }
        let direct = format::upload(self.host.dialect, &twin.format, p.format, p.ty)
            .filter(|_| p.store.swap_bytes == 0 || self.host.dialect == Dialect::Gl)
            .filter(|_| texture.target != c::TEXTURE_1D_ARRAY || self.host.dialect == Dialect::Gl);
        if let Some((format, ty)) = direct {
            self.binds.buffer(&self.host.gl, Slot::Unpack, buffer);
            self.unpack_store(&p.store, solid, true);
            self.sub_image(
                texture.target,
                native,
                target,
                region,
                format,
                ty,
                From::Bound(p.offset),
            );
            self.unpack_store(&p.store, solid, false);
            return Ok(());
        }
        // Through the CPU: tight rows first, then the canonical format.
        let images = solid && texture.target != c::TEXTURE_1D_ARRAY;
        let len = pixel::stored_bytes(p.format, p.ty, region.size, &p.store, images);
        let len = len.and_then(|len| usize::try_from(len).ok()).unwrap_or(0);
        let mut tight = Vec::new();
        self.with_mapped(buffer, p.offset, len, |bytes| {
            tight = convert::tighten(bytes, p.format, p.ty, region.size, &p.store, images);
        })?;
        let pixels = Pixels { format: p.format, ty: p.ty, bytes: Source::new(&tight) };
        self.upload(tables, handle, region, &pixels)
    }

    /// Sets, or sets back, how rows stand in the unpack buffer.
    fn unpack_store(&mut self, store: &PixelStore, images: bool, on: bool) {
        let gl = &self.host.gl;
        let set = |pname: u32, value: u32| {
            if value != 0 {
                gl.pixel_storei(pname, if on { value as i32 } else { 0 });
            }
        };
        set(c::UNPACK_ROW_LENGTH, store.row_length);
        set(c::UNPACK_SKIP_PIXELS, store.skip_pixels);
        set(c::UNPACK_SKIP_ROWS, store.skip_rows);
        if images {
            set(c::UNPACK_IMAGE_HEIGHT, store.image_height);
            set(c::UNPACK_SKIP_IMAGES, store.skip_images);
        }
        set(c::UNPACK_SWAP_BYTES, store.swap_bytes);
        if on {
            self.binds.unpack_alignment(gl, store.alignment.max(1));
        }
    }
}
