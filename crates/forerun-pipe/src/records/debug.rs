//! Debug groups, markers and labels, for the host's tools.

use crate::flat;
use crate::handle::RawHandle;

/// [`DebugMarker::what`].
pub mod marker {
    /// glPushDebugGroup.
    pub const PUSH: u32 = 0;
    /// glPopDebugGroup.
    pub const POP: u32 = 1;
    /// glDebugMessageInsert.
    pub const INSERT: u32 = 2;
    /// glObjectLabel.
    pub const LABEL: u32 = 3;
}

flat! {
    /// A marker on the stream.
    pub struct DebugMarker {
        /// The labelled object, or null.
        pub handle: RawHandle,
        /// Its [`crate::Kind`], or 0.
        pub kind: u32,
        /// [`marker`].
        pub what: u32,
        /// GL_DEBUG_SOURCE_*.
        pub source: u32,
        /// GL_DEBUG_TYPE_*.
        pub ty: u32,
        /// Message id.
        pub id: u32,
        /// GL_DEBUG_SEVERITY_*.
        pub severity: u32,
        /// Length of the text that follows.
        pub text_len: u32,
        /// Zero.
        pub pad: u32,
    }
}
