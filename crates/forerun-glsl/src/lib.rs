//! GLSL to SPIR-V and its reflection archive.
//!
//! [`compile`] checks one shader and keeps what a link needs; [`link`] makes an
//! [`Archive`](forerun_pipe::archive::Archive) of shaders. Source of any version is raised to `460 core` or `320 es`
//! by [`source`], parsed by glslang, and the SPIR-V that comes back is read and re-decorated by [`spirv`] and `link`.

mod compile;
mod ffi;
mod limits;
mod link;
mod log;
pub mod source;
pub mod spirv;
mod stack;

pub use compile::{CompileResult, Shader, compile};
pub use limits::Limits;
pub use link::{LinkOptions, link};

/// What the context compiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// An OpenGL ES context.
    pub es: bool,
    /// Highest `#version`: 100, 300, 310, 320 for ES, 110 to 460 for the desktop.
    pub max_version: u32,
    /// The context's extensions, `GL_…`.
    pub extensions: std::sync::Arc<[String]>,
}

impl Dialect {
    /// A dialect without extensions.
    pub fn new(es: bool, max_version: u32) -> Self {
        Self { es, max_version, extensions: std::sync::Arc::new([]) }
    }

    /// True if the context has the extension.
    pub fn offers(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
    }
}
