//! Transform feedback.

use crate::flat;
use crate::handle::RawHandle;

flat! {
    /// glBeginTransformFeedback.
    pub struct BeginStreamOutput {
        /// The feedback object; the first use of a handle introduces it.
        pub handle: RawHandle,
        /// The executable whose varyings are captured.
        pub executable: RawHandle,
        /// GL_POINTS, GL_LINES or GL_TRIANGLES.
        pub primitive_mode: u32,
        /// Targets that follow, from binding 0.
        pub count: u32,
    }

    /// glEndTransformFeedback.
    pub struct EndStreamOutput {
        /// The feedback object.
        pub handle: RawHandle,
    }

    /// glPauseTransformFeedback.
    pub struct PauseStreamOutput {
        /// The feedback object.
        pub handle: RawHandle,
    }

    /// glResumeTransformFeedback.
    pub struct ResumeStreamOutput {
        /// The feedback object.
        pub handle: RawHandle,
    }
}
