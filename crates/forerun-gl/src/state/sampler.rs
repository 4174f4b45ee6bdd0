//! Sampler objects and image units (OpenGL ES 3.2, sections 8.2 and 8.22).

use crate::context::State;
use crate::error::GlResult;
use crate::stream::Owned;
use crate::value::Value;
use forerun_pipe::caps::Caps;
use forerun_pipe::handle::kind;

/// A sampler object.
#[derive(Debug)]
pub struct Sampler {
    /// Its name.
    pub name: u32,
    /// Its identity on the stream.
    pub handle: Owned<kind::Sampler>,
}

/// Image units of a context.
#[derive(Debug, Default)]
pub struct ImageUnits {}

impl ImageUnits {
    /// Empty units.
    pub fn new(_caps: &Caps) -> ImageUnits {
        ImageUnits {}
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
