//! Sync objects (OpenGL ES 3.2, section 4.1).

use crate::stream::Owned;
use forerun_pipe::handle::kind;

/// A sync object.
#[derive(Debug)]
pub struct Fence {
    /// Its identity on the stream.
    pub handle: Owned<kind::Fence>,
}
