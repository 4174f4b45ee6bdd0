//! Linking: shaders to an archive.

mod attributes;
mod blocks;
mod feedback;
mod info;
mod initial;
mod interface;
mod rules;
mod subroutines;
mod uniforms;
mod unit;
mod walk;

use forerun_pipe::archive::{Archive, MAX_DEFAULT_BLOCK, SourceDialect, Stage, StageCode};

use crate::ffi::{Client, RawProgram};
use crate::{Limits, Shader, log, stack};
use unit::Unit;

/// What the program object says besides its shaders.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions<'a> {
    /// `glBindAttribLocation`: name and location.
    pub attributes: &'a [(String, u32)],
    /// `glBindFragDataLocationIndexed`: name, colour number, index.
    pub frag_data: &'a [(String, u32, u32)],
    /// `glTransformFeedbackVaryings`.
    pub feedback: &'a [String],
    /// `GL_INTERLEAVED_ATTRIBS` or `GL_SEPARATE_ATTRIBS`; ignored without varyings.
    pub feedback_mode: u32,
    /// `GL_PROGRAM_SEPARABLE`.
    pub separable: bool,
    /// The stages come from separate programs of a pipeline: what does not match between them is undefined, not wrong.
    pub pipeline: bool,
}

/// Links `shaders`, several of a stage allowed.
///
/// # Errors
/// The info log of a failed link; never empty.
pub fn link(shaders: &[&Shader], options: &LinkOptions<'_>) -> Result<Archive, String> {
    stack::run(|| try_link(shaders, options)).map_err(|mut log| {
        if log.trim().is_empty() {
            log = "error: the program does not link".into();
        }
        if !log.ends_with('\n') {
            log.push('\n');
        }
        log
    })
}

fn try_link(shaders: &[&Shader], options: &LinkOptions<'_>) -> Result<Archive, String> {
    let Some(first) = shaders.first() else {
        return Err("error: no shader is attached".into());
    };
    let limits: &Limits = &first.limits;
    rules::check(shaders, options)?;
    let mut sorted = shaders.to_vec();
    sorted.sort_by_key(|s| s.stage);
    let apart = rules::blocks_apart(&sorted);
    let ordered: Vec<&Shader> =
        sorted.iter().zip(&apart).map(|(own, apart)| apart.as_ref().unwrap_or(own)).collect();
    let raw = ordered.iter().map(|s| s.parsed()).collect::<Result<Vec<_>, _>>()?;
    let mut program = RawProgram::link(raw, Client::Vulkan).map_err(|text| log::clean(&text))?;

    let mut units = Vec::new();
    for stage in Stage::ALL.iter().copied() {
        let of_stage: Vec<&Shader> = ordered.iter().copied().filter(|s| s.stage == stage).collect();
        if of_stage.is_empty() {
            continue;
        }
        let words = program.generate(stage);
        let unit = Unit::new(stage, words, of_stage)
            .ok_or_else(|| format!("error: the {} shader has no code", stage.word()))?;
        rules::emitted_streams(&unit, limits)?;
        units.push(unit);
    }
    drop(program);

    let mut archive = Archive {
        dialect: SourceDialect {
            es: first.heading.es,
            version: shaders.iter().map(|s| s.heading.version).max().unwrap_or(0),
        },
        separable: options.separable,
        ..Archive::default()
    };
    interface::connect(&mut units, options, limits)?;
    attributes::inputs(&mut units, options, limits, &mut archive)?;
    attributes::outputs(&mut units, options, limits, &mut archive)?;
    feedback::resolve(&units, options, limits, &mut archive)?;
    blocks::assign(&mut units, limits, &mut archive)?;
    uniforms::assign(&mut units, limits, &mut archive)?;
    subroutines::assign(&units, &mut archive)?;
    if archive.default_block_size > MAX_DEFAULT_BLOCK {
        return Err(format!(
            "error: the uniforms outside of blocks take {} bytes, more than {MAX_DEFAULT_BLOCK}",
            archive.default_block_size
        ));
    }
    blocks::atomics(&mut units, limits, &mut archive)?;
    initial::values(&units, &mut archive);
    archive.broadcasts_color = units.iter().any(|u| u.facts().any(|f| f.broadcasts));
    for unit in &mut units {
        unit.strip();
        archive.stages.push(StageCode {
            stage: unit.stage,
            spirv: unit.patch.apply(&unit.module),
            info: info::of(unit),
        });
    }
    archive
        .validate()
        .map_err(|why| format!("error: the program exceeds the implementation: {why}"))?;
    Ok(archive)
}
