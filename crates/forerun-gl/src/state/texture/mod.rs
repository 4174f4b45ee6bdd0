//! Texture objects and texture units (OpenGL ES 3.2, chapter 8; OpenGL 4.6, chapter 8).
//!
//! The client keeps what levels are, never their pixels: bytes go to the stage at the call.

pub mod check;
pub mod copy;
pub mod format;
pub mod format_query;
pub mod image;
pub mod named;
pub mod params;
pub mod query;
pub mod storage;
pub mod upload;

use super::buffer::Buffer;
use super::sampler::Sampler;
use crate::context::{Context, State};
use crate::emit::Dirty;
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
};
use crate::group::Group;
use crate::shared::Shared;
use crate::stream::{Owned, Stream};
use crate::value::Value;
use forerun_pipe::caps::Caps;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{MAX_TEXTURE_UNITS, ResourceCreate, SetTextureParams};
use forerun_pipe::{Kind, gl};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Mipmap levels at most.
pub const MAX_LEVELS: u32 = 20;

/// Texture targets, in the order of a unit's bindings.
pub const TARGETS: [u32; 11] = [
    gl::TEXTURE_2D,
    gl::TEXTURE_CUBE_MAP,
    gl::TEXTURE_3D,
    gl::TEXTURE_2D_ARRAY,
    gl::TEXTURE_CUBE_MAP_ARRAY,
    gl::TEXTURE_BUFFER,
    gl::TEXTURE_2D_MULTISAMPLE,
    gl::TEXTURE_2D_MULTISAMPLE_ARRAY,
    gl::TEXTURE_1D,
    gl::TEXTURE_1D_ARRAY,
    gl::TEXTURE_RECTANGLE,
];

/// Row of [`TARGETS`].
pub fn target_index(target: u32) -> Option<usize> {
    TARGETS.iter().position(|t| *t == target)
}

/// One image: a level of a texture, or of a face of a cube map.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Internal format, as the program gave it.
    pub internal: u32,
    /// Pixel type that came with it, or 0.
    pub ty: u32,
    /// What it is made of.
    pub format: &'static format::Format,
    /// Width, height, depth; 1 for what the target does not have.
    pub size: [u32; 3],
    /// 0 for single-sampled.
    pub samples: u32,
    /// GL fixed sample locations.
    pub fixed_sample_locations: bool,
}

/// What a buffer texture reads.
#[derive(Clone, Debug)]
pub struct TexelBuffer {
    /// The buffer.
    pub buffer: Option<Arc<Buffer>>,
    /// Internal format.
    pub internal: u32,
    /// First byte.
    pub offset: u64,
    /// Bytes; `None` for the whole buffer.
    pub size: Option<u64>,
}

/// The part of another texture that a view sees.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// GL_TEXTURE_VIEW_MIN_LEVEL.
    pub min_level: u32,
    /// GL_TEXTURE_VIEW_NUM_LEVELS.
    pub num_levels: u32,
    /// GL_TEXTURE_VIEW_MIN_LAYER.
    pub min_layer: u32,
    /// GL_TEXTURE_VIEW_NUM_LAYERS.
    pub num_layers: u32,
}

/// A texture object.
#[derive(Debug)]
pub struct Texture {
    /// Its name; 0 for the default textures of a context.
    pub name: u32,
    /// Its target.
    pub target: u32,
    /// Its identity on the stream.
    pub handle: Owned<kind::Texture>,
    /// Whether it was ever attached to a framebuffer: then its definitions move [`Group::storage_epoch`].
    pub attached: AtomicBool,
    /// What can change.
    pub data: Shared<TextureData>,
}

/// What can change of a texture object.
#[derive(Debug)]
pub struct TextureData {
    /// Images by face and level.
    pub faces: Vec<Vec<Option<Image>>>,
    /// Its parameters, as they cross.
    pub params: SetTextureParams,
    /// Levels of immutable storage, also of that of a view; 0 for mutable.
    pub immutable_levels: u32,
    /// For immutable storage and views, the part that is seen.
    pub view: View,
    /// For a buffer texture.
    pub buffer: Option<TexelBuffer>,
}

impl TextureData {
    /// An image.
    pub fn image(&self, face: usize, level: u32) -> Option<&Image> {
        self.faces.get(face)?.get(level as usize)?.as_ref()
    }

    /// Puts an image.
    pub fn set_image(&mut self, face: usize, level: u32, image: Image) {
        let Some(levels) = self.faces.get_mut(face) else { return };
        if levels.len() <= level as usize {
            levels.resize(level as usize + 1, None);
        }
        if let Some(slot) = levels.get_mut(level as usize) {
            *slot = Some(image);
        }
    }

    /// The base level as it counts: clamped for immutable storage.
    pub fn base_level(&self) -> u32 {
        let base = self.params.base_level;
        match self.immutable_levels {
            0 => base,
            _ => base.min(self.view.num_levels.saturating_sub(1)),
        }
    }
}

impl Texture {
    /// Row of [`TextureData::faces`] of an image target.
    pub fn face(&self, target: u32) -> Option<usize> {
        if target == self.target {
            return Some(0);
        }
        face_of(target).filter(|_| self.target == gl::TEXTURE_CUBE_MAP)
    }
}

/// The face of a cube map that a target names.
pub fn face_of(target: u32) -> Option<usize> {
    let face = target.checked_sub(gl::TEXTURE_CUBE_MAP_POSITIVE_X)? as usize;
    (face < 6).then_some(face)
}

/// The target of the texture whose images a target names.
pub fn owner_target(target: u32) -> u32 {
    if face_of(target).is_some() { gl::TEXTURE_CUBE_MAP } else { target }
}

/// A texture and sampler unit.
#[derive(Debug, Default)]
pub struct Unit {
    /// Textures by row of [`TARGETS`]; `None` for the context's default texture.
    pub bound: [Option<Arc<Texture>>; TARGETS.len()],
    /// Row of [`TARGETS`] that was bound last.
    pub last: usize,
    /// The sampler object.
    pub sampler: Option<Arc<Sampler>>,
}

/// Texture and sampler units of a context.
#[derive(Debug)]
pub struct TextureUnits {
    /// GL_ACTIVE_TEXTURE, counted from 0.
    pub active: usize,
    /// The units.
    pub units: Vec<Unit>,
    /// The textures named 0, made when they are first used.
    pub defaults: [Option<Arc<Texture>>; TARGETS.len()],
    /// Units that were ever bound to, counted from 0.
    pub used: usize,
    /// Images of the proxy targets.
    pub proxies: [Option<(u32, Image)>; TARGETS.len()],
    /// What the current programs read of each unit.
    pub rows: crate::emit::texture::Rows,
}

impl TextureUnits {
    /// Units of a new context.
    pub fn new(caps: &Caps) -> TextureUnits {
        let units = caps.limits.max_combined_texture_image_units.max(2) as usize;
        TextureUnits {
            active: 0,
            units: std::iter::repeat_with(Unit::default)
                .take(units.min(MAX_TEXTURE_UNITS as usize))
                .collect(),
            defaults: Default::default(),
            used: 0,
            proxies: Default::default(),
            rows: Default::default(),
        }
    }

    /// The texture of a unit that is read as that row of [`TARGETS`].
    pub fn at(&self, unit: usize, row: usize) -> Option<&Arc<Texture>> {
        let bound = self.units.get(unit)?.bound.get(row)?;
        bound.as_ref().or_else(|| self.defaults.get(row)?.as_ref())
    }
}

impl State {
    /// Whether textures of that target exist in this context.
    pub fn has_target(&self, target: u32) -> bool {
        TARGETS.contains(&target) && self.knows(target)
    }

    /// The row of [`TARGETS`] of a target that this context has.
    ///
    /// # Errors
    /// GL_INVALID_ENUM.
    pub fn target_row(&self, target: u32) -> GlResult<usize> {
        match target_index(target) {
            Some(row) if self.has_target(target) => Ok(row),
            _ => invalid_enum("texture target"),
        }
    }
}

/// Makes a texture object.
fn create(stream: &mut Stream, name: u32, target: u32) -> GlResult<Arc<Texture>> {
    let handle = stream.mint::<kind::Texture>()?;
    ResourceCreate { handle: handle.raw(), kind: Kind::Texture as u32, target }.send(stream);
    let params = params::initial(handle.raw(), target);
    Ok(Arc::new(Texture {
        name,
        target,
        attached: AtomicBool::new(false),
        data: Shared::new(TextureData {
            faces: vec![Vec::new(); if target == gl::TEXTURE_CUBE_MAP { 6 } else { 1 }],
            params,
            immutable_levels: 0,
            view: View::default(),
            buffer: None,
        }),
        handle,
    }))
}

impl Group {
    /// An image that framebuffers may have attached changed its definition.
    pub fn storage_moved(&self, attached: &AtomicBool) {
        if attached.load(Ordering::Relaxed) {
            self.storage_epoch.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// The texture of a name that is an object.
    ///
    /// # Errors
    /// The given error code when there is none.
    pub fn texture(&self, name: u32) -> Option<Arc<Texture>> {
        self.textures.borrow_mut().get(name).cloned()
    }
}

/// glActiveTexture.
///
/// # Errors
/// GL_INVALID_ENUM for a unit that does not exist.
pub fn set_active(cx: &mut Context, unit: u32) -> GlResult {
    let unit = unit.wrapping_sub(gl::TEXTURE0) as usize;
    check_enum(unit < cx.texture.units.len(), "texture unit")?;
    cx.texture.active = unit;
    Ok(())
}

/// glBindTexture.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target, GL_INVALID_OPERATION for a texture of another target or an unknown name.
pub fn bind(cx: &mut Context, target: u32, name: u32) -> GlResult {
    let row = cx.state.target_row(target)?;
    let unit = cx.texture.active;
    bind_unit(cx, unit, row, name)
}

/// Binds a texture to a row of a unit.
///
/// # Errors
/// As [`bind`].
pub fn bind_unit(cx: &mut Context, unit: usize, row: usize, name: u32) -> GlResult {
    let target = TARGETS[row];
    let texture = if name == 0 { None } else { Some(named(cx, target, name)?) };
    let units = &mut cx.state.texture;
    let Some(slot) = units.units.get_mut(unit) else { return Ok(()) };
    let moved = match (&slot.bound[row], &texture) {
        (Some(a), Some(b)) => !Arc::ptr_eq(a, b),
        (None, None) => false,
        _ => true,
    };
    if moved || slot.last != row {
        slot.bound[row] = texture;
        slot.last = row;
        units.used = units.used.max(unit + 1);
        cx.state.dirty |= Dirty::TEXTURES;
    }
    Ok(())
}

/// The texture of a name, made of that target if the name was only generated (or, outside core profiles, never seen).
fn named(cx: &Context, target: u32, name: u32) -> GlResult<Arc<Texture>> {
    let mut names = cx.group.textures.borrow_mut();
    if let Some(texture) = names.get(name) {
        check_operation(texture.target == target, "the texture has another target")?;
        return Ok(Arc::clone(texture));
    }
    check_operation(
        cx.config.api != crate::Api::Core || names.is_reserved(name),
        "the texture name was not generated",
    )?;
    let texture = create(&mut cx.group.stream(), name, target)?;
    names.insert(name, Arc::clone(&texture));
    Ok(texture)
}

/// The texture bound to a row of the active unit; the default texture is made if need be.
///
/// # Errors
/// GL_OUT_OF_MEMORY when no handle can be minted.
pub fn current(cx: &mut Context, row: usize) -> GlResult<Arc<Texture>> {
    let unit = cx.texture.active;
    if let Some(texture) = cx.texture.at(unit, row) {
        return Ok(Arc::clone(texture));
    }
    let texture = create(&mut cx.group.stream(), 0, TARGETS[row])?;
    cx.texture.defaults[row] = Some(Arc::clone(&texture));
    cx.texture.used = cx.texture.used.max(unit + 1);
    cx.dirty |= Dirty::TEXTURES;
    Ok(texture)
}

/// The texture bound to a target of the active unit.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target.
pub fn bound(cx: &mut Context, target: u32) -> GlResult<Arc<Texture>> {
    let row = cx.state.target_row(target)?;
    current(cx, row)
}

/// glDeleteTextures: unbinds from this context's units, image units and bound framebuffers, frees the names.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for &name in names.iter().filter(|n| **n != 0) {
        let Some(texture) = cx.group.textures.borrow_mut().remove(name) else { continue };
        let state = &mut cx.state;
        let used = state.texture.used;
        for unit in &mut state.texture.units[..used] {
            for slot in &mut unit.bound {
                if slot.as_ref().is_some_and(|t| Arc::ptr_eq(t, &texture)) {
                    *slot = None;
                    state.dirty |= Dirty::TEXTURES;
                }
            }
        }
        super::sampler::texture_deleted(state, &texture);
        super::framebuffer::texture_deleted(state, &texture);
    }
    Ok(())
}

/// glCreateTextures (OpenGL 4.5) for one name.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target.
pub fn create_named(cx: &mut Context, target: u32) -> GlResult<u32> {
    cx.state.target_row(target)?;
    let mut names = cx.group.textures.borrow_mut();
    let name = names.generate();
    let texture = create(&mut cx.group.stream(), name, target)?;
    names.insert(name, texture);
    Ok(name)
}

/// glBindTextureUnit (OpenGL 4.5).
///
/// # Errors
/// GL_INVALID_VALUE for a unit too large, GL_INVALID_OPERATION for an unknown texture.
pub fn bind_texture_unit(cx: &mut Context, unit: u32, name: u32) -> GlResult {
    check_value((unit as usize) < cx.texture.units.len(), "texture unit")?;
    if name == 0 {
        for row in 0..TARGETS.len() {
            bind_unit(cx, unit as usize, row, 0)?;
        }
        return Ok(());
    }
    let Some(texture) = cx.group.texture(name) else {
        return invalid_operation("no such texture");
    };
    let Some(row) = target_index(texture.target) else { return Ok(()) };
    bind_unit(cx, unit as usize, row, name)
}

/// The target and token of glGet for each row of [`TARGETS`].
const BINDINGS: [u32; TARGETS.len()] = [
    gl::TEXTURE_BINDING_2D,
    gl::TEXTURE_BINDING_CUBE_MAP,
    gl::TEXTURE_BINDING_3D,
    gl::TEXTURE_BINDING_2D_ARRAY,
    gl::TEXTURE_BINDING_CUBE_MAP_ARRAY,
    gl::TEXTURE_BINDING_BUFFER,
    gl::TEXTURE_BINDING_2D_MULTISAMPLE,
    gl::TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY,
    gl::TEXTURE_BINDING_1D,
    gl::TEXTURE_BINDING_1D_ARRAY,
    gl::TEXTURE_BINDING_RECTANGLE,
];

fn binding(state: &State, unit: usize, pname: u32) -> Option<Value> {
    let row = BINDINGS.iter().position(|b| *b == pname)?;
    if !state.has_target(TARGETS[row]) {
        return None;
    }
    let bound = state.texture.units.get(unit)?.bound.get(row)?;
    Some(Value::int(bound.as_ref().map_or(0, |t| t.name)))
}

/// Answers glGet*.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    Some(match pname {
        gl::ACTIVE_TEXTURE => Value::int(gl::TEXTURE0 + state.texture.active as u32),
        gl::NUM_COMPRESSED_TEXTURE_FORMATS => {
            Value::int(query::compressed_formats(state).len() as i64)
        }
        gl::COMPRESSED_TEXTURE_FORMATS => Value::ints(&query::compressed_formats(state)),
        _ => return binding(state, state.texture.active, pname),
    })
}

/// Answers glGet*i_v.
pub fn get_indexed(state: &State, pname: u32, index: u32) -> Option<GlResult<Value>> {
    if !BINDINGS.contains(&pname) {
        return None;
    }
    Some(check_value((index as usize) < state.texture.units.len(), "texture unit").and_then(|()| {
        match binding(state, index as usize, pname) {
            Some(value) => Ok(value),
            None => invalid_enum("texture binding"),
        }
    }))
}
