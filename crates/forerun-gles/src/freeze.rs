//! Textures that shaders read and write as images. An OpenGL ES host takes immutable ones only (ES 3.2, section 8.22), desktop programs
//! bind what `glTexImage` made: its storage moves into an immutable object at its first use as an image, and back if a level is defined
//! otherwise.

use crate::backend::GlBackend;
use crate::texture::{From, TextureTwin, host_box, is_solid};
use forerun_pipe::handle::kind;
use forerun_pipe::{Handle, gl as c};
use forerun_server::Tables;
use forerun_server::objects::{Executable, Texture};
use forerun_server::state::Env;

impl GlBackend {
    /// Makes sure that what a program uses as images can be bound, before anything of the draw is: objects are replaced.
    #[inline]
    pub(crate) fn prepare_images(&mut self, env: &Env, executable: &Executable) {
        if executable.bindings.images.is_empty() || !self.is_gles() {
            return;
        }
        let (units, textures) = (env.context.images.serial, self.texture_epoch);
        if self.synced.prepared == (executable.bindings_serial, units, textures) {
            return;
        }
        for unit in &executable.bindings.images {
            if let Some(view) = env.context.images.get(*unit as usize) {
                self.make_bindable(env.tables, Handle::from_raw(view.texture));
            }
        }
        self.synced.prepared = (executable.bindings_serial, units, self.texture_epoch);
    }

    fn make_bindable(&mut self, tables: &Tables, handle: Handle<kind::Texture>) {
        let Some(texture) = tables.textures.get(handle) else { return };
        let mutable = texture.immutable_levels == 0
            && texture.view.is_none()
            && texture.texel_buffer.is_none()
            && texture.samples == 0;
        if !mutable || self.textures.get(handle).is_none_or(|twin| twin.frozen != 0) {
            return;
        }
        let levels = whole_levels(texture);
        let Some(image) = texture.level(0, 0) else { return };
        let Ok(format) = self.resolve(image.internal_format, 0, 0) else { return };
        self.texture_storage(tables, handle);
        let mut fresh = self.new_texture(texture.target, format);
        fresh.frozen = levels;
        let size = [image.width, image.height, image.depth];
        let (_, [w, h, d]) = host_box(self.host.dialect, texture.target, [0; 3], size);
        let (target, levels) = (fresh.target, levels as i32);
        self.binds.texture_scratch(&self.host.gl, target, fresh.native);
        if is_solid(target) {
            self.host.gl.tex_storage_3d(target, levels, format.internal, w, h, d);
        } else {
            self.host.gl.tex_storage_2d(target, levels, format.internal, w, h);
        }
        self.replace(texture, handle, fresh, None);
    }

    /// Whether a level that is defined anew fits the immutable object that stands for a texture. If not, a mutable one takes its place.
    pub(crate) fn keeps_frozen(
        &mut self,
        texture: &Texture,
        handle: Handle<kind::Texture>,
        (face, level): (usize, u32),
    ) -> bool {
        let Some(twin) = self.textures.get(handle) else { return false };
        if twin.frozen == 0 {
            return false;
        }
        let format = twin.format;
        let same = texture.level(face, level).is_some_and(|image| {
            self.resolve(image.internal_format, 0, 0)
                .is_ok_and(|native| native.internal == format.internal)
        });
        // The storage was made for so many levels, and for a level 0 of that size.
        let shaped = whole_levels(texture) == twin.frozen && base_size(texture) == twin.frozen_size;
        if same && shaped && level < twin.frozen {
            return true;
        }
        let fresh = self.new_texture(texture.target, format);
        self.replace(texture, handle, fresh, Some((face, level)));
        false
    }

    /// Puts another object in the place of a texture's, with all levels but one.
    fn replace(
        &mut self,
        texture: &Texture,
        handle: Handle<kind::Texture>,
        mut fresh: TextureTwin,
        but: Option<(usize, u32)>,
    ) {
        let Some(old) = self.textures.remove(handle.raw()) else { return };
        fresh.frozen_size = base_size(texture);
        let (levels, frozen) =
            (texture.faces.iter().map(Vec::len).max().unwrap_or(0), fresh.frozen);
        for level in 0..levels as u32 {
            let there = |object: &TextureTwin| object.frozen == 0 || level < object.frozen;
            if !there(&old) || !there(&fresh) {
                continue;
            }
            let faces = 0..texture.faces.len();
            let defined = faces.filter(|face| texture.level(*face, level).is_some());
            let defined: Vec<usize> = defined.collect();
            if frozen == 0 {
                for face in &defined {
                    self.define_level(&fresh, texture, *face, level, From::Nothing, None);
                }
            }
            // Images are copied between complete textures only, and a texture of one level is complete.
            for object in [old.native, fresh.native] {
                self.binds.texture_scratch(&self.host.gl, fresh.target, object);
                for pname in [c::TEXTURE_BASE_LEVEL, c::TEXTURE_MAX_LEVEL] {
                    self.host.gl.tex_parameteri(fresh.target, pname, level as i32);
                }
            }
            fresh.applied_levels(level);
            for face in defined.into_iter().filter(|face| but != Some((*face, level))) {
                let Some(image) = texture.level(face, level) else { continue };
                let size = [image.width, image.height, image.depth];
                let (_, [w, h, d]) = host_box(self.host.dialect, texture.target, [0; 3], size);
                let z = if texture.target == c::TEXTURE_CUBE_MAP { face as i32 } else { 0 };
                let (from, to, target) = (old.native.name, fresh.native.name, fresh.target);
                let l = level as i32;
                self.host
                    .gl
                    .copy_image_sub_data(from, target, l, 0, 0, z, to, target, l, 0, 0, z, w, h, d);
            }
        }
        self.delete_texture(old.native);
        fresh.params_unknown();
        self.textures.insert(handle, fresh);
        self.texture_epoch += 1;
        self.attach_epoch += 1;
    }
}

/// The size of level 0.
fn base_size(texture: &Texture) -> [u32; 3] {
    texture.level(0, 0).map_or([0; 3], |image| [image.width, image.height, image.depth])
}

/// How many levels from 0 on are there, in all faces and with the sizes and formats of one mipmap; at least 1.
fn whole_levels(texture: &Texture) -> u32 {
    let Some(base) = texture.level(0, 0) else { return 1 };
    let deep = texture.target == c::TEXTURE_3D;
    let tall = texture.target != c::TEXTURE_1D_ARRAY;
    let half = |size: u32, level: u32| (size >> level.min(31)).max(1);
    let fits = |level: u32| {
        texture.faces.iter().enumerate().all(|(face, _)| {
            texture.level(face, level).is_some_and(|image| {
                image.internal_format == base.internal_format
                    && image.width == half(base.width, level)
                    && image.height == if tall { half(base.height, level) } else { base.height }
                    && image.depth == if deep { half(base.depth, level) } else { base.depth }
            })
        })
    };
    let largest =
        base.width.max(if tall { base.height } else { 1 }).max(if deep { base.depth } else { 1 });
    let most = 32 - largest.max(1).leading_zeros();
    (1..most).find(|level| !fits(*level)).unwrap_or(most).max(1)
}
