//! Query objects (OpenGL ES 3.2, section 4.2).

use crate::context::Config;
use crate::context::Context;
use crate::error::GlResult;
use crate::value::Value;

/// Queries of a context.
#[derive(Debug, Default)]
pub struct QueryState {}

impl QueryState {
    /// No queries.
    pub fn new(_config: &Config) -> QueryState {
        QueryState {}
    }
}

/// Answers glGet* for what may need the server's answer (GL_TIMESTAMP) and for query limits.
pub fn get(_cx: &mut Context, _pname: u32) -> Option<GlResult<Value>> {
    None
}
