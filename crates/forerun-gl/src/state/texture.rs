//! Texture objects and texture units (OpenGL ES 3.2, chapter 8).

use crate::context::State;
use crate::error::GlResult;
use crate::group::Group;
use crate::stream::Owned;
use crate::value::Value;
use forerun_pipe::handle::kind;

/// A texture object.
#[derive(Debug)]
pub struct Texture {
    /// Its name; 0 for the default textures of a context.
    pub name: u32,
    /// Its identity on the stream.
    pub handle: Owned<kind::Texture>,
}

/// Texture and sampler units of a context.
#[derive(Debug, Default)]
pub struct TextureUnits {}

impl TextureUnits {
    /// Units with the default textures of a new context.
    ///
    /// # Errors
    /// GL_OUT_OF_MEMORY when no handle can be minted.
    pub fn new(_group: &Group) -> GlResult<TextureUnits> {
        Ok(TextureUnits {})
    }
}

/// Answers glGet*.
pub fn get(_state: &State, _pname: u32) -> Option<Value> {
    None
}

/// Answers glGet*i_v.
pub fn get_indexed(_state: &State, _pname: u32, _index: u32) -> Option<GlResult<Value>> {
    None
}
