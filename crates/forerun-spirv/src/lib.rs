//! From the SPIR-V of a program archive to text for the host's GL: validation, specialisation, translation to ESSL and
//! GLSL.
//!
//! Words come from a peer: [`check`] and [`translate`] take anything and answer with a [`Refusal`], never a panic.
//! Bindings in the text are the archive's dense slots (see `forerun_pipe::archive`): the default block is uniform
//! buffer 0, uniform block slot *k* is uniform buffer *k* + 1, storage slot, sampler slot and image slot are the host's storage
//! buffer, texture unit and image unit of that number.

mod feedback;
mod format;
mod images;
mod lower;
mod module;
mod names;
mod rewrite;
mod translate;

pub use feedback::feedback_names;
pub use translate::translate;

use module::Module;
use rustc_hash::FxHashSet;
use spirv_tools::val::Validator as _;

pub use forerun_pipe::archive::Stage;

/// Why a stage was not translated. The program's executable is declined with this text; the session goes on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The words are not a module that we read, or exceed a bound.
    #[error("malformed SPIR-V: {0}")]
    Malformed(&'static str),
    /// The entry point is for another stage.
    #[error("the SPIR-V is not for the {0} stage")]
    Stage(&'static str),
    /// The validator's finding.
    #[error("invalid SPIR-V: {0}")]
    Invalid(String),
    /// A resource or interface variable does not follow the archive's slots.
    #[error("SPIR-V interface: {0}")]
    Slot(&'static str),
    /// The host's dialect cannot say it.
    #[error("the host's shading language lacks {0}")]
    Unsupported(String),
}

/// The host's shading language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// ESSL, of version 310 or 320.
    Essl(u16),
    /// Desktop GLSL, of version 430 to 460.
    Glsl(u16),
}

/// What the text is for.
#[derive(Clone, Debug)]
pub struct Target {
    /// The language.
    pub dialect: Dialect,
    /// The host's extensions by their GL names.
    pub extensions: FxHashSet<String>,
}

impl Target {
    /// A target with the extensions of a space-separated list.
    pub fn new(dialect: Dialect, extensions: &str) -> Target {
        Target { dialect, extensions: extensions.split_whitespace().map(str::to_owned).collect() }
    }

    /// Whether the language is ESSL.
    pub fn is_es(&self) -> bool {
        matches!(self.dialect, Dialect::Essl(_))
    }

    /// Whether the host has an extension.
    pub fn has(&self, name: &str) -> bool {
        self.extensions.contains(name)
    }
}

/// What a stage is specialised for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Bits of all stages of the program: it decides which stage an input comes from.
    pub stages: u32,
    /// The GL internal format of the texture at an image slot, for images that the shader gives none: `(slot, token)`.
    pub image_formats: &'a [(u32, u32)],
    /// Fragment output 0 is written to this many outputs from location 0 (`gl_FragColor`); 0 and 1 change nothing.
    pub broadcast: u32,
    /// Bits of the fragment output locations that begin with what their attachment holds: `StageInfo::fetched_outputs`.
    pub fetched: u32,
    /// The outputs are fetched without coherency.
    pub fetched_noncoherently: bool,
    /// `gl_FragCoord` was declared `origin_upper_left`. Desktop GLSL only.
    pub upper_left: bool,
    /// `gl_PointCoord` counts from the lower edge, which the host cannot say.
    pub points_up: bool,
    /// `gl_FragCoord` was declared `pixel_center_integer`.
    pub pixel_center_integer: bool,
}

/// Validates the words of one stage.
///
/// # Errors
/// Any [`Refusal`] but [`Refusal::Unsupported`].
pub fn check(stage: Stage, words: &[u32]) -> Result<(), Refusal> {
    module::check_header(words)?;
    let validator = spirv_tools::val::create(Some(spirv_tools::TargetEnv::Universal_1_6));
    validator.validate(words, None).map_err(|error| Refusal::Invalid(error.to_string()))?;
    let module = Module::read(stage, words)?;
    names::mint(stage, 0, &module).map(|_| ())
}
