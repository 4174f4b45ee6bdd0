//! Built-in uniforms (gl_DepthRange, gl_NumSamples).

use forerun_pipe::archive::Archive;

/// Byte offsets of built-in uniforms in the default block, which the context's state and not the program sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Builtins {
    /// gl_DepthRange.near, .far, .diff.
    pub depth_range: [Option<usize>; 3],
    /// gl_NumSamples.
    pub samples: Option<usize>,
}

impl Builtins {
    pub fn find(archive: &Archive) -> Builtins {
        let offset = |name: &str| {
            let uniform = archive.uniforms.iter().find(|u| u.is_builtin && u.name == name)?;
            usize::try_from(uniform.offset).ok()
        };
        Builtins {
            depth_range: ["gl_DepthRange.near", "gl_DepthRange.far", "gl_DepthRange.diff"]
                .map(offset),
            samples: offset("gl_NumSamples"),
        }
    }
}
