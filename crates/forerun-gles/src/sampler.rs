//! Sampler parameters, sampler objects, and what texture and image units hold.

use crate::backend::GlBackend;
use crate::binds::ImageBinding;
use crate::caps::Facts;
use crate::format;
use crate::host::{Dialect, gl::Gl};
use crate::texture::host_target;
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::records::SamplerParams;
use forerun_pipe::{Handle, RawHandle, gl as c};
use forerun_server::objects::{Executable, TextureParams};
use forerun_server::state::Env;

/// Sets sampler parameters that differ.
pub struct Applier<'a> {
    /// The host.
    pub gl: &'a Gl,
    /// Its facts.
    pub facts: &'a Facts,
    /// Its dialect.
    pub dialect: Dialect,
}

/// What takes the parameters.
#[derive(Clone, Copy)]
enum To {
    /// The texture bound to that target.
    Texture(u32),
    /// That sampler object.
    Sampler(u32),
}

impl Applier<'_> {
    fn int(&self, to: To, pname: u32, value: u32) {
        match to {
            To::Texture(target) => self.gl.tex_parameteri(target, pname, value as i32),
            To::Sampler(name) => self.gl.sampler_parameteri(name, pname, value as i32),
        }
    }

    fn float(&self, to: To, pname: u32, value: f32) {
        match to {
            To::Texture(target) => self.gl.tex_parameterf(target, pname, value),
            To::Sampler(name) => self.gl.sampler_parameterf(name, pname, value),
        }
    }

    fn border(&self, to: To, class: u32, bits: [u32; 4]) {
        let name = c::TEXTURE_BORDER_COLOR;
        let ints = bits.map(|b| b as i32);
        let floats = bits.map(f32::from_bits);
        let gl = self.gl;
        // SAFETY: four components.
        unsafe {
            match (to, class) {
                (To::Texture(t), 1) => gl.tex_parameter_iiv(t, name, ints.as_ptr()),
                (To::Texture(t), 2) => gl.tex_parameter_iuiv(t, name, bits.as_ptr()),
                (To::Texture(t), _) => gl.tex_parameterfv(t, name, floats.as_ptr()),
                (To::Sampler(s), 1) => gl.sampler_parameter_iiv(s, name, ints.as_ptr()),
                (To::Sampler(s), 2) => gl.sampler_parameter_iuiv(s, name, bits.as_ptr()),
                (To::Sampler(s), _) => gl.sampler_parameterfv(s, name, floats.as_ptr()),
            }
        }
    }

    /// Moves a bound texture's parameters from `had` to `wants`. The swizzle is that of the texture's format.
    pub fn texture(
        &self,
        target: u32,
        had: &SamplerParams,
        wants: &SamplerParams,
        swizzle: [u32; 4],
    ) {
        let mut wants = *wants;
        if swizzle != format::IDENTITY {
            // The border is read through the format's swizzle too: its components go where the swizzle takes them from.
            let mut border = [0; 4];
            for (component, from) in swizzle.into_iter().enumerate() {
                if let Some(at) = format::IDENTITY.iter().position(|name| *name == from) {
                    border[at] = wants.border[component];
                }
            }
            wants.border = border;
        }
        self.apply(To::Texture(target), had, &wants);
    }

    /// Moves a sampler object's parameters.
    pub fn sampler(&self, name: u32, had: &SamplerParams, wants: &SamplerParams) {
        self.apply(To::Sampler(name), had, wants);
    }

    fn apply(&self, to: To, had: &SamplerParams, wants: &SamplerParams) {
        let int = |pname: u32, had: u32, wants: u32| {
            if had != wants {
                self.int(to, pname, wants);
            }
        };
        int(c::TEXTURE_MIN_FILTER, had.min_filter, wants.min_filter);
        int(c::TEXTURE_MAG_FILTER, had.mag_filter, wants.mag_filter);
        int(c::TEXTURE_WRAP_S, had.wrap[0], wants.wrap[0]);
        int(c::TEXTURE_WRAP_T, had.wrap[1], wants.wrap[1]);
        int(c::TEXTURE_WRAP_R, had.wrap[2], wants.wrap[2]);
        int(c::TEXTURE_COMPARE_MODE, had.compare_mode, wants.compare_mode);
        int(c::TEXTURE_COMPARE_FUNC, had.compare_func, wants.compare_func);
        let float = |pname: u32, had: f32, wants: f32| {
            if had.to_bits() != wants.to_bits() {
                self.float(to, pname, wants);
            }
        };
        float(c::TEXTURE_MIN_LOD, had.min_lod, wants.min_lod);
        float(c::TEXTURE_MAX_LOD, had.max_lod, wants.max_lod);
        if self.dialect == Dialect::Gl {
            float(c::TEXTURE_LOD_BIAS, had.lod_bias, wants.lod_bias);
        }
        if self.facts.anisotropy && wants.max_anisotropy >= 1.0 {
            float(c::TEXTURE_MAX_ANISOTROPY, had.max_anisotropy, wants.max_anisotropy);
        }
        if self.facts.srgb_decode && wants.srgb_decode != 0 {
            int(c::TEXTURE_SRGB_DECODE_EXT, had.srgb_decode, wants.srgb_decode);
        }
        if (had.border_class, had.border) != (wants.border_class, wants.border) {
            self.border(to, wants.border_class, wants.border);
        }
        if self.facts.seamless_per_texture {
            int(c::TEXTURE_CUBE_MAP_SEAMLESS, had.cube_seamless, wants.cube_seamless);
        }
    }
}

/// The texture target that a sampler or image type reads.
pub fn target_of(ty: u32) -> u32 {
    match ty {
        c::SAMPLER_1D
        | c::SAMPLER_1D_SHADOW
        | c::INT_SAMPLER_1D
        | c::UNSIGNED_INT_SAMPLER_1D
        | c::IMAGE_1D
        | c::INT_IMAGE_1D
        | c::UNSIGNED_INT_IMAGE_1D => c::TEXTURE_1D,
        c::SAMPLER_1D_ARRAY
        | c::SAMPLER_1D_ARRAY_SHADOW
        | c::INT_SAMPLER_1D_ARRAY
        | c::UNSIGNED_INT_SAMPLER_1D_ARRAY => c::TEXTURE_1D_ARRAY,
        c::SAMPLER_3D | c::INT_SAMPLER_3D | c::UNSIGNED_INT_SAMPLER_3D => c::TEXTURE_3D,
        c::SAMPLER_CUBE
        | c::SAMPLER_CUBE_SHADOW
        | c::INT_SAMPLER_CUBE
        | c::UNSIGNED_INT_SAMPLER_CUBE => c::TEXTURE_CUBE_MAP,
        c::SAMPLER_CUBE_MAP_ARRAY
        | c::SAMPLER_CUBE_MAP_ARRAY_SHADOW
        | c::INT_SAMPLER_CUBE_MAP_ARRAY
        | c::UNSIGNED_INT_SAMPLER_CUBE_MAP_ARRAY => c::TEXTURE_CUBE_MAP_ARRAY,
        c::SAMPLER_2D_ARRAY
        | c::SAMPLER_2D_ARRAY_SHADOW
        | c::INT_SAMPLER_2D_ARRAY
        | c::UNSIGNED_INT_SAMPLER_2D_ARRAY => c::TEXTURE_2D_ARRAY,
        c::SAMPLER_2D_MULTISAMPLE
        | c::INT_SAMPLER_2D_MULTISAMPLE
        | c::UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE => c::TEXTURE_2D_MULTISAMPLE,
        c::SAMPLER_2D_MULTISAMPLE_ARRAY
        | c::INT_SAMPLER_2D_MULTISAMPLE_ARRAY
        | c::UNSIGNED_INT_SAMPLER_2D_MULTISAMPLE_ARRAY => c::TEXTURE_2D_MULTISAMPLE_ARRAY,
        c::SAMPLER_BUFFER | c::INT_SAMPLER_BUFFER | c::UNSIGNED_INT_SAMPLER_BUFFER => {
            c::TEXTURE_BUFFER
        }
        c::SAMPLER_2D_RECT
        | c::SAMPLER_2D_RECT_SHADOW
        | c::INT_SAMPLER_2D_RECT
        | c::UNSIGNED_INT_SAMPLER_2D_RECT => c::TEXTURE_RECTANGLE,
        _ => c::TEXTURE_2D,
    }
}

impl GlBackend {
    /// The host's object of a sampler.
    fn sampler(&mut self, env: &Env, handle: Handle<kind::Sampler>) -> Native {
        if handle.is_null() {
            return Native::NONE;
        }
        if let Some(native) = self.samplers.get(handle) {
            return *native;
        }
        let Some(object) = env.tables.samplers.get(handle) else { return Native::NONE };
        let mut name = 0;
        // SAFETY: one name.
        unsafe { self.host.gl.gen_samplers(1, &mut name) };
        let native = Native { name, uid: self.uid() };
        let initial = TextureParams::initial(c::TEXTURE_2D).sampler;
        let applier = Applier { gl: &self.host.gl, facts: &self.facts, dialect: self.host.dialect };
        applier.sampler(name, &initial, &object.params);
        self.samplers.insert(handle, native);
        native
    }

    /// Binds the textures and samplers that an executable's slots read.
    pub(crate) fn sync_textures(
        &mut self,
        env: &Env,
        handle: Handle<kind::Executable>,
        executable: &Executable,
    ) {
        let key = (
            executable.serial,
            executable.bindings_serial,
            env.context.views.serial,
            env.context.samplers.serial,
            self.texture_epoch,
        );
        if self.synced.views == key {
            return;
        }
        let slots = self.programs.get(handle).map_or(0, |twin| twin.sampler_targets.len());
        for slot in 0..slots {
            let Some(kind) =
                self.programs.get(handle).and_then(|twin| twin.sampler_targets.get(slot).copied())
            else {
                break;
            };
            let unit = executable.bindings.samplers.get(slot).copied().unwrap_or(0) as usize;
            let Some(view) = env.context.views.get(unit) else { continue };
            let (mut native, mut target) = self.texture(env.tables, view.texture);
            let wanted = host_target(self.host.dialect, kind);
            if native == Native::NONE || target != wanted {
                (native, target) = (Native::NONE, wanted);
            }
            let sampler = env.context.samplers.get(unit).copied().unwrap_or(Handle::NULL);
            // Buffer and multisample textures have no sampling parameters.
            let sampler = match wanted {
                c::TEXTURE_BUFFER | c::TEXTURE_2D_MULTISAMPLE | c::TEXTURE_2D_MULTISAMPLE_ARRAY => {
                    Native::NONE
                }
                _ => self.sampler(env, sampler),
            };
            self.binds.texture(&self.host.gl, slot as u32, target, native);
            self.binds.sampler(&self.host.gl, slot as u32, sampler);
        }
        // Syncing parameters does not move the epoch; definitions cannot happen in between.
        self.synced.views = key;
    }

    /// Binds the images that an executable's slots read and write.
    pub(crate) fn sync_images(&mut self, env: &Env, executable: &Executable) {
        let key = (executable.bindings_serial, env.context.images.serial, self.texture_epoch);
        if self.synced.images == key {
            return;
        }
        self.synced.images = key;
        for slot in 0..executable.bindings.images.len() {
            let unit = executable.bindings.images.get(slot).copied().unwrap_or(0) as usize;
            let Some(view) = env.context.images.get(unit) else { continue };
            let (native, _) = self.texture(env.tables, Handle::from_raw(view.texture));
            let image = if native == Native::NONE {
                ImageBinding::default()
            } else {
                ImageBinding {
                    uid: native.uid,
                    level: view.level,
                    layered: view.layered != 0,
                    layer: view.layer,
                    access: view.access,
                    format: view.format,
                }
            };
            if image.uid == 0 {
                let none = ImageBinding { access: c::READ_ONLY, format: c::R32UI, ..image };
                self.binds.image(&self.host.gl, slot as u32, 0, none);
            } else {
                self.binds.image(&self.host.gl, slot as u32, native.name, image);
            }
        }
    }

    pub(crate) fn sampler_gone(&mut self, raw: RawHandle) {
        if let Some(native) = self.samplers.remove(raw) {
            // SAFETY: one name.
            unsafe { self.host.gl.delete_samplers(1, &native.name) };
            self.binds.sampler_gone(native.uid);
        }
    }
}
