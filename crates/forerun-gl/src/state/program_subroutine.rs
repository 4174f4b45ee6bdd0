//! Subroutines (OpenGL 4.6, section 7.10): what a program has of them, and which ones a context has selected.
//!
//! A selection is state of the context and lasts until another program is used. The compiler made each subroutine uniform an `int`
//! of the default block, so the selection is written there at the verb.

use super::program_linked::Linked;
use crate::context::{Context, State};
use crate::emit::Dirty;
use crate::error::{
    GlResult, check_operation, check_value, invalid_enum, invalid_operation, invalid_value,
};
use forerun_pipe::archive::{Archive, Stage, Subroutine, SubroutineUniform};
use forerun_pipe::gl;
use std::sync::Arc;

/// GL_MAX_SUBROUTINES.
pub const MAX_SUBROUTINES: u32 = forerun_glsl::source::subroutines::MAX_SUBROUTINES;
/// GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS.
pub const MAX_LOCATIONS: u32 = forerun_glsl::source::subroutines::MAX_LOCATIONS;

/// The subroutines that a context has selected: stage, link, and what each location selects.
#[derive(Debug, Default)]
pub struct Selected(Vec<(Stage, u64, Vec<u32>)>);

impl Selected {
    /// What a location selects, if that was said for this link.
    fn at(&self, linked: &Linked, stage: Stage, location: u32) -> Option<u32> {
        let of = |(s, id, _): &&(Stage, u64, Vec<u32>)| *s == stage && *id == linked.id;
        self.0.iter().find(of)?.2.get(location as usize).copied()
    }

    /// Another program is used.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// The subroutines of a stage.
pub fn of_stage(archive: &Archive, stage: Stage) -> impl Iterator<Item = &Subroutine> {
    archive.subroutines.iter().filter(move |s| s.stage == stage)
}

/// The subroutine uniforms of a stage.
pub fn uniforms_of(archive: &Archive, stage: Stage) -> impl Iterator<Item = &SubroutineUniform> {
    archive.subroutine_uniforms.iter().filter(move |u| u.stage == stage)
}

/// GL_ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS: one past the highest.
fn locations(archive: &Archive, stage: Stage) -> u32 {
    uniforms_of(archive, stage).map(|u| u.location + u.array_size).max().unwrap_or(0)
}

/// The location of an element of a subroutine uniform, or −1.
pub fn location_in(archive: &Archive, stage: Stage, name: &str) -> i32 {
    let found = uniforms_of(archive, stage).find_map(|u| {
        if u.name == name || u.is_array && u.name.strip_suffix("[0]") == Some(name) {
            return Some(u.location);
        }
        let (base, element) = super::program_query::subscript(name)?;
        let same = u.is_array && u.name.strip_suffix("[0]") == Some(base);
        (same && element < u.array_size).then(|| u.location + element)
    });
    found.map_or(-1, |location| location as i32)
}

/// The index of a subroutine, or GL_INVALID_INDEX.
pub fn index_in(archive: &Archive, stage: Stage, name: &str) -> u32 {
    of_stage(archive, stage).find(|s| s.name == name).map_or(gl::INVALID_INDEX, |s| s.index)
}

impl State {
    /// The stage of a token, if this context has it.
    ///
    /// # Errors
    /// GL_INVALID_ENUM.
    fn stage_of(&self, token: u32) -> GlResult<Stage> {
        match Stage::from_gl_token(token) {
            Some(stage) if super::program::offers_stage(self, stage) => Ok(stage),
            _ => invalid_enum("shader stage"),
        }
    }
}

/// The archive of a linked program.
fn linked(cx: &Context, program: u32) -> GlResult<Arc<Linked>> {
    cx.group.program(program)?.linked()
}

/// glGetSubroutineUniformLocation.
///
/// # Errors
/// GL_INVALID_ENUM for the stage, GL_INVALID_OPERATION when the program is not linked.
pub fn location(cx: &Context, program: u32, stage: u32, name: &str) -> GlResult<i32> {
    let stage = cx.state.stage_of(stage)?;
    Ok(location_in(&linked(cx, program)?.archive, stage, name))
}

/// glGetSubroutineIndex.
///
/// # Errors
/// As [`location`].
pub fn index(cx: &Context, program: u32, stage: u32, name: &str) -> GlResult<u32> {
    let stage = cx.state.stage_of(stage)?;
    Ok(index_in(&linked(cx, program)?.archive, stage, name))
}

/// glGetActiveSubroutineUniformiv.
///
/// # Errors
/// GL_INVALID_ENUM for the stage or the parameter, GL_INVALID_VALUE for the index.
pub fn uniform_parameter(
    cx: &Context,
    program: u32,
    stage: u32,
    index: u32,
    pname: u32,
) -> GlResult<Vec<i32>> {
    let stage = cx.state.stage_of(stage)?;
    let linked = linked(cx, program)?;
    let Some(uniform) = uniforms_of(&linked.archive, stage).nth(index as usize) else {
        return invalid_value("index of a subroutine uniform");
    };
    Ok(match pname {
        gl::NUM_COMPATIBLE_SUBROUTINES => vec![uniform.compatible.len() as i32],
        gl::COMPATIBLE_SUBROUTINES => uniform.compatible.iter().map(|i| *i as i32).collect(),
        gl::UNIFORM_SIZE => vec![uniform.array_size as i32],
        gl::UNIFORM_NAME_LENGTH => vec![uniform.name.len() as i32 + 1],
        _ => return invalid_enum("subroutine uniform parameter"),
    })
}

/// glGetActiveSubroutineUniformName.
///
/// # Errors
/// GL_INVALID_ENUM for the stage, GL_INVALID_VALUE for the index or a negative size.
pub fn uniform_name(
    cx: &Context,
    program: u32,
    stage: u32,
    index: u32,
    room: i32,
) -> GlResult<String> {
    let stage = cx.state.stage_of(stage)?;
    check_value(room >= 0, "room for a name")?;
    let linked = linked(cx, program)?;
    match uniforms_of(&linked.archive, stage).nth(index as usize) {
        Some(uniform) => Ok(uniform.name.clone()),
        None => invalid_value("index of a subroutine uniform"),
    }
}

/// glGetActiveSubroutineName.
///
/// # Errors
/// As [`uniform_name`].
pub fn name(cx: &Context, program: u32, stage: u32, index: u32, room: i32) -> GlResult<String> {
    let stage = cx.state.stage_of(stage)?;
    check_value(room >= 0, "room for a name")?;
    let linked = linked(cx, program)?;
    match of_stage(&linked.archive, stage).find(|s| s.index == index) {
        Some(subroutine) => Ok(subroutine.name.clone()),
        None => invalid_value("index of a subroutine"),
    }
}

/// glGetProgramStageiv. A program that is not linked has no subroutines.
///
/// # Errors
/// GL_INVALID_ENUM for the stage or the parameter.
pub fn stage_parameter(cx: &Context, program: u32, stage: u32, pname: u32) -> GlResult<i32> {
    let program = cx.group.program(program)?;
    let stage = cx.state.stage_of(stage)?;
    let linked = program.data.borrow_mut().linked.clone();
    let empty = Archive::default();
    let archive = linked.as_ref().map_or(&empty, |linked| &linked.archive);
    let longest = |names: &mut dyn Iterator<Item = &String>| {
        names.map(|name| name.len() as i32 + 1).max().unwrap_or(0)
    };
    Ok(match pname {
        gl::ACTIVE_SUBROUTINES => of_stage(archive, stage).count() as i32,
        gl::ACTIVE_SUBROUTINE_UNIFORMS => uniforms_of(archive, stage).count() as i32,
        gl::ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS => locations(archive, stage) as i32,
        gl::ACTIVE_SUBROUTINE_MAX_LENGTH => longest(&mut of_stage(archive, stage).map(|s| &s.name)),
        gl::ACTIVE_SUBROUTINE_UNIFORM_MAX_LENGTH => {
            longest(&mut uniforms_of(archive, stage).map(|u| &u.name))
        }
        _ => return invalid_enum("program stage parameter"),
    })
}

/// The link that runs a stage in this context.
fn running(cx: &mut Context, stage: Stage) -> GlResult<Arc<Linked>> {
    cx.state.program.refresh();
    let program = &cx.state.program;
    let linked = if stage == Stage::Compute { program.dispatching() } else { program.drawing() };
    match linked.filter(|linked| linked.stage(stage).is_some()) {
        Some(linked) => Ok(Arc::clone(linked)),
        None => invalid_operation("no program is current for the stage"),
    }
}

/// glUniformSubroutinesuiv: one index for each location.
///
/// # Errors
/// GL_INVALID_ENUM for the stage, GL_INVALID_OPERATION without a program for it or for a subroutine of another type,
/// GL_INVALID_VALUE when the count is not that of the locations or an index is no subroutine's.
pub fn select(cx: &mut Context, stage: u32, indices: &[u32]) -> GlResult {
    let stage = cx.state.stage_of(stage)?;
    let linked = running(cx, stage)?;
    let archive = &linked.archive;
    check_value(
        indices.len() == locations(archive, stage) as usize,
        "count of subroutine uniform locations",
    )?;
    for uniform in uniforms_of(archive, stage) {
        for location in uniform.location..uniform.location + uniform.array_size {
            let index = indices.get(location as usize).copied().unwrap_or(gl::INVALID_INDEX);
            check_value(
                of_stage(archive, stage).any(|s| s.index == index),
                "index of a subroutine",
            )?;
            check_operation(
                uniform.compatible.contains(&index),
                "the subroutine does not have the uniform's type",
            )?;
        }
    }
    let selected = &mut cx.state.program.subroutines.0;
    selected.retain(|(s, ..)| *s != stage);
    selected.push((stage, linked.id, indices.to_vec()));
    cx.state.dirty |= Dirty::PROGRAM;
    Ok(())
}

/// glGetUniformSubroutineuiv.
///
/// # Errors
/// GL_INVALID_ENUM for the stage, GL_INVALID_OPERATION without a program for it, GL_INVALID_VALUE for the location.
pub fn selected(cx: &mut Context, stage: u32, location: i32) -> GlResult<u32> {
    let stage = cx.state.stage_of(stage)?;
    let linked = running(cx, stage)?;
    let Ok(location) = u32::try_from(location) else {
        return invalid_value("location of a subroutine uniform");
    };
    check_value(location < locations(&linked.archive, stage), "location of a subroutine uniform")?;
    let uniform = uniforms_of(&linked.archive, stage)
        .find(|u| (u.location..u.location + u.array_size).contains(&location));
    let first = uniform.and_then(|u| u.compatible.first().copied()).unwrap_or(0);
    Ok(cx.state.program.subroutines.at(&linked, stage, location).unwrap_or(first))
}

/// Writes what the context has selected into the default block. Uniforms that nothing was said of select their first subroutine.
pub fn apply(selected: &Selected, linked: &Linked) {
    for uniform in &linked.archive.subroutine_uniforms {
        for element in 0..uniform.array_size {
            let index = selected
                .at(linked, uniform.stage, uniform.location + element)
                .or_else(|| uniform.compatible.first().copied())
                .unwrap_or(0);
            linked.set_word(uniform.offset + element * uniform.array_stride, index);
        }
    }
}
