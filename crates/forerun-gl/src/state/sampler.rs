//! Sampler objects and image units (OpenGL ES 3.2, sections 8.2 and 8.22).

use super::texture::params::{self, Given};
use super::texture::{Texture, format};
use crate::context::{Api, Context, State};
use crate::emit::Dirty;
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
    invalid_value,
};
use crate::shared::Shared;
use crate::stream::Owned;
use crate::value::Value;
use forerun_pipe::caps::Caps;
use forerun_pipe::gl;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{ImageView, MAX_IMAGE_UNITS, SamplerParams};
use std::sync::Arc;

/// A sampler object.
#[derive(Debug)]
pub struct Sampler {
    /// Its name.
    pub name: u32,
    /// What can change.
    pub data: Shared<SamplerData>,
}

/// What can change of a sampler object.
#[derive(Debug)]
pub struct SamplerData {
    /// Its parameters.
    pub params: SamplerParams,
    /// The parameters as the server knows them; `None` when they have to be looked up again.
    pub state: Option<Arc<Owned<kind::Sampler>>>,
}

/// An image unit.
#[derive(Clone, Debug)]
pub struct ImageUnit {
    /// The texture.
    pub texture: Option<Arc<Texture>>,
    /// Level, layer, access, format.
    pub view: ImageView,
}

/// Image units of a context.
#[derive(Debug)]
pub struct ImageUnits {
    /// The units.
    pub units: Vec<ImageUnit>,
    /// Units that were ever bound to, counted from 0.
    pub used: usize,
}

impl ImageUnits {
    /// Empty units.
    pub fn new(caps: &Caps) -> ImageUnits {
        let count = (caps.limits.max_image_units.max(0) as usize).min(MAX_IMAGE_UNITS as usize);
        let units = (0..count).map(|unit| ImageUnit { texture: None, view: empty(unit) }).collect();
        ImageUnits { units, used: 0 }
    }
}

/// An image unit without a texture.
fn empty(unit: usize) -> ImageView {
    ImageView { unit: unit as u32, access: gl::READ_ONLY, format: gl::R8, ..Default::default() }
}

/// Whether sampler objects exist in this context.
fn exist(state: &State) -> bool {
    state.knows(gl::SAMPLER_BINDING)
}

/// glGenSamplers, glCreateSamplers: samplers exist as soon as they have a name.
///
/// # Errors
/// GL_INVALID_OPERATION where there are no sampler objects.
pub fn generate(cx: &mut Context, count: u32) -> GlResult<Vec<u32>> {
    check_operation(exist(&cx.state), "no sampler objects in this version")?;
    let mut names = cx.group.samplers.borrow_mut();
    let mut out = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let name = names.generate();
        let data = SamplerData { params: params::initial_sampler(0), state: None };
        names.insert(name, Arc::new(Sampler { name, data: Shared::new(data) }));
        out.push(name);
    }
    Ok(out)
}

/// glDeleteSamplers: unbinds from this context's units, frees the names.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for &name in names.iter().filter(|n| **n != 0) {
        let Some(sampler) = cx.group.samplers.borrow_mut().remove(name) else { continue };
        let state = &mut cx.state;
        for unit in &mut state.texture.units {
            if unit.sampler.as_ref().is_some_and(|s| Arc::ptr_eq(s, &sampler)) {
                unit.sampler = None;
                state.dirty |= Dirty::SAMPLERS;
            }
        }
    }
    Ok(())
}

/// glBindSampler.
///
/// # Errors
/// GL_INVALID_VALUE for a unit too large, GL_INVALID_OPERATION for an unknown sampler.
pub fn bind(cx: &mut Context, unit: u32, name: u32) -> GlResult {
    check_value((unit as usize) < cx.texture.units.len(), "texture unit")?;
    let sampler = if name == 0 {
        None
    } else {
        let known = cx.group.samplers.borrow_mut().get(name).cloned();
        match known {
            Some(sampler) => Some(sampler),
            None => return invalid_operation("no such sampler"),
        }
    };
    let units = &mut cx.state.texture;
    let slot = &mut units.units[unit as usize];
    let moved = match (&slot.sampler, &sampler) {
        (Some(a), Some(b)) => !Arc::ptr_eq(a, b) || b.data.borrow_mut().state.is_none(),
        (None, None) => false,
        _ => true,
    };
    if moved {
        slot.sampler = sampler;
        units.used = units.used.max(unit as usize + 1);
        cx.state.dirty |= Dirty::SAMPLERS;
    }
    Ok(())
}

fn named(cx: &Context, name: u32) -> GlResult<Arc<Sampler>> {
    match cx.group.samplers.borrow_mut().get(name) {
        Some(sampler) => Ok(Arc::clone(sampler)),
        None => invalid_operation("no such sampler"),
    }
}

/// glSamplerParameter*.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.2 says.
pub fn set(cx: &mut Context, name: u32, pname: u32, given: Given) -> GlResult {
    let sampler = named(cx, name)?;
    let mut data = sampler.data.borrow_mut();
    let mut params = data.params;
    let known = params::set_sampler(&cx.state, &mut params, false, pname, given)?;
    check_enum(known, "sampler parameter")?;
    if params != data.params {
        data.params = params;
        data.state = None;
        cx.state.dirty |= Dirty::SAMPLERS;
    }
    Ok(())
}

/// glGetSamplerParameter*.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown parameter, GL_INVALID_OPERATION for an unknown sampler.
pub fn get_parameter(cx: &Context, name: u32, pname: u32) -> GlResult<Value> {
    let sampler = named(cx, name)?;
    let data = sampler.data.borrow_mut();
    match params::sampler_value(&cx.state, &data.params, pname) {
        Some(value) => Ok(value),
        None => invalid_enum("sampler parameter"),
    }
}

fn is_image_format(state: &State, token: u32) -> bool {
    const ES: [u32; 12] = [
        gl::RGBA32F,
        gl::RGBA16F,
        gl::R32F,
        gl::RGBA32UI,
        gl::RGBA16UI,
        gl::RGBA8UI,
        gl::R32UI,
        gl::RGBA32I,
        gl::RGBA16I,
        gl::RGBA8I,
        gl::R32I,
        gl::RGBA8,
    ];
    if ES.contains(&token) || token == gl::RGBA8_SNORM {
        return true;
    }
    let Some(format) = format::FORMATS.iter().find(|f| f.token == token) else { return false };
    (state.config.api != Api::Es || state.extensions.has("GL_NV_image_formats"))
        && format.is_color()
        && match format.base {
            gl::RED | gl::RG => true,
            gl::RGBA => !matches!(
                token,
                gl::RGBA4 | gl::RGB5_A1 | gl::SRGB8_ALPHA8 | gl::RGBA2 | gl::RGBA12
            ),
            gl::RGB => token == gl::R11F_G11F_B10F,
            _ => false,
        }
}

/// What glBindImageTexture binds.
#[derive(Clone, Copy, Debug)]
pub struct ImageBinding {
    /// Level.
    pub level: i32,
    /// All layers.
    pub layered: bool,
    /// The layer otherwise.
    pub layer: i32,
    /// GL_READ_ONLY, GL_WRITE_ONLY or GL_READ_WRITE.
    pub access: u32,
    /// Format.
    pub format: u32,
}

/// glBindImageTexture.
///
/// # Errors
/// As OpenGL ES 3.2, section 8.22 says.
pub fn bind_image(cx: &mut Context, unit: u32, name: u32, at: ImageBinding) -> GlResult {
    check_value((unit as usize) < cx.image.units.len(), "image unit")?;
    check_value(at.level >= 0, "level")?;
    check_value(at.layer >= 0, "layer")?;
    check_enum(
        matches!(at.access, gl::READ_ONLY | gl::WRITE_ONLY | gl::READ_WRITE),
        "access to an image",
    )?;
    check_value(is_image_format(&cx.state, at.format), "format of an image")?;
    let texture = if name == 0 {
        None
    } else {
        match cx.group.texture(name) {
            Some(texture) => Some(texture),
            None => return invalid_value("no such texture"),
        }
    };
    if let Some(texture) = &texture {
        let immutable = texture.data.borrow_mut().immutable_levels > 0;
        check_operation(
            cx.config.api != Api::Es || immutable || texture.target == gl::TEXTURE_BUFFER,
            "the texture's storage is mutable",
        )?;
        written(texture);
    }
    let view = ImageView {
        texture: texture.as_ref().map_or_else(Default::default, |t| t.handle.raw()),
        unit,
        level: at.level as u32,
        layered: u32::from(at.layered),
        layer: at.layer as u32,
        access: at.access,
        format: at.format,
    };
    put(cx, unit as usize, ImageUnit { texture, view });
    Ok(())
}

/// The GPU may write what a buffer texture reads.
fn written(texture: &Texture) {
    if let Some(buffer) = texture.data.borrow_mut().buffer.as_ref().and_then(|t| t.buffer.as_ref())
    {
        buffer.gpu_writable.store(true, std::sync::atomic::Ordering::Relaxed);
        buffer.data.borrow_mut().written();
    }
}

fn put(cx: &mut Context, unit: usize, image: ImageUnit) {
    let units = &mut cx.state.image;
    if let Some(slot) = units.units.get_mut(unit) {
        let moved = slot.view != image.view;
        *slot = image;
        units.used = units.used.max(unit + 1);
        if moved {
            cx.state.dirty |= Dirty::IMAGES;
        }
    }
}

/// glBindImageTextures for one unit: the whole base level, read and written, in the texture's own format.
///
/// # Errors
/// As OpenGL 4.6, section 8.26 says.
pub fn bind_whole_image(cx: &mut Context, unit: u32, name: u32) -> GlResult {
    if name == 0 {
        let image = ImageUnit { texture: None, view: empty(unit as usize) };
        put(cx, unit as usize, image);
        return Ok(());
    }
    let Some(texture) = cx.group.texture(name) else {
        return invalid_operation("no such texture");
    };
    let image = texture.data.borrow_mut().image(0, 0).copied();
    let Some(image) = image else { return invalid_operation("the texture has no image") };
    check_operation(is_image_format(&cx.state, image.format.token), "format of an image")?;
    let at = ImageBinding {
        level: 0,
        layered: true,
        layer: 0,
        access: gl::READ_WRITE,
        format: image.format.token,
    };
    bind_image(cx, unit, name, at)
}

/// A texture was deleted: image units of this context let go of it.
pub fn texture_deleted(state: &mut State, texture: &Arc<Texture>) {
    let used = state.image.used;
    for (index, unit) in state.image.units[..used].iter_mut().enumerate() {
        if unit.texture.as_ref().is_some_and(|t| Arc::ptr_eq(t, texture)) {
            *unit = ImageUnit { texture: None, view: empty(index) };
            state.dirty |= Dirty::IMAGES;
        }
    }
}

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    if pname != gl::SAMPLER_BINDING {
        return None;
    }
    let unit = state.texture.units.get(state.texture.active)?;
    Some(Value::int(unit.sampler.as_ref().map_or(0, |s| s.name)))
}

/// Answers glGet*i_v.
pub fn get_indexed(state: &State, pname: u32, index: u32) -> Option<GlResult<Value>> {
    if pname == gl::SAMPLER_BINDING {
        let Some(unit) = state.texture.units.get(index as usize) else {
            return Some(invalid_value("texture unit"));
        };
        return Some(Ok(Value::int(unit.sampler.as_ref().map_or(0, |s| s.name))));
    }
    let image = matches!(
        pname,
        gl::IMAGE_BINDING_NAME
            | gl::IMAGE_BINDING_LEVEL
            | gl::IMAGE_BINDING_LAYERED
            | gl::IMAGE_BINDING_LAYER
            | gl::IMAGE_BINDING_ACCESS
            | gl::IMAGE_BINDING_FORMAT
    );
    if !image {
        return None;
    }
    let Some(unit) = state.image.units.get(index as usize) else {
        return Some(invalid_value("image unit"));
    };
    let view = &unit.view;
    Some(Ok(match pname {
        gl::IMAGE_BINDING_NAME => Value::int(unit.texture.as_ref().map_or(0, |t| t.name)),
        gl::IMAGE_BINDING_LEVEL => Value::int(view.level),
        gl::IMAGE_BINDING_LAYERED => Value::bool(view.layered != 0),
        gl::IMAGE_BINDING_LAYER => Value::int(view.layer),
        gl::IMAGE_BINDING_ACCESS => Value::int(view.access),
        _ => Value::int(view.format),
    }))
}
