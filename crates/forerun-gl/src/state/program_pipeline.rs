//! Program pipelines (OpenGL ES 3.2, section 7.4; OpenGL 4.6, section 7.4): stages of several programs, composed into one for the
//! server at the first verb that uses them.

use super::program::{self, InUse};
use super::program_link::{STAGE_BITS, compose};
use super::program_linked::Linked;
use crate::context::Context;
use crate::emit::Dirty;
use crate::error::{
    GlResult, check_operation, check_value, invalid_enum, invalid_operation, invalid_value,
};
use crate::names::Names;
use forerun_pipe::archive::Stage;
use forerun_pipe::gl;
use std::sync::Arc;

/// A program pipeline object.
#[derive(Debug, Default)]
pub struct Pipeline {
    /// The program of each stage.
    pub stages: [Option<InUse>; 6],
    /// glActiveShaderProgram.
    pub active: Option<InUse>,
    /// GL_VALIDATE_STATUS.
    pub validate_status: bool,
    /// The info log.
    pub log: String,
    composed: Composed,
}

/// What the stages make together.
#[derive(Debug, Default)]
struct Composed {
    /// The links that it was made of.
    key: Vec<(Stage, Arc<Linked>)>,
    /// The whole, or the log of the failure.
    outcome: Option<Result<Arc<Linked>, String>>,
}

impl Pipeline {
    fn refresh(&mut self) -> bool {
        let mut moved = false;
        for in_use in self.stages.iter_mut().chain([&mut self.active]).flatten() {
            moved |= in_use.refresh();
        }
        self.compose() || moved
    }

    /// Links of the drawing stages in pipeline order.
    fn drawing_key(&self) -> Vec<(Stage, Arc<Linked>)> {
        Stage::ALL
            .iter()
            .zip(&self.stages)
            .filter(|(stage, _)| **stage != Stage::Compute)
            .filter_map(|(stage, in_use)| {
                let linked = &in_use.as_ref()?.linked;
                linked.stage(*stage)?;
                Some((*stage, Arc::clone(linked)))
            })
            .collect()
    }

    /// A rule that the stages break (OpenGL 4.6, section 11.1.3.11; OpenGL ES 3.2, section 11.1.3.11).
    fn violation(&self) -> Option<&'static str> {
        let drawing = || Stage::ALL.iter().copied().filter(|stage| *stage != Stage::Compute);
        let at = |stage: Stage| self.stages[stage as usize].as_ref().map(|in_use| &in_use.linked);
        for stage in Stage::ALL.iter().copied() {
            let Some(linked) = at(stage) else { continue };
            if !linked.archive.separable {
                return Some("a program was linked again without being separable");
            }
            let here = |s: Stage| at(s).is_some_and(|other| Arc::ptr_eq(other, linked));
            if linked.archive.stages.iter().any(|code| !here(code.stage)) {
                return Some("a program is used for some of its stages only");
            }
            let mut own = drawing().filter(|s| here(*s));
            if let (Some(first), Some(last)) = (own.next(), own.next_back())
                && drawing().any(|s| first < s && s < last && at(s).is_some() && !here(s))
            {
                return Some("a program stands between the stages of another");
            }
        }
        let later = [Stage::TessControl, Stage::TessEvaluation, Stage::Geometry];
        (at(Stage::Vertex).is_none() && later.into_iter().any(|stage| at(stage).is_some()))
            .then_some("there are tessellation or geometry stages without a vertex stage")
    }

    fn compose(&mut self) -> bool {
        let key = self.drawing_key();
        let same = |a: &(Stage, Arc<Linked>), b: &(Stage, Arc<Linked>)| {
            a.0 == b.0 && Arc::ptr_eq(&a.1, &b.1)
        };
        let known = &self.composed.key;
        if self.composed.outcome.is_some()
            && known.len() == key.len()
            && known.iter().zip(&key).all(|(a, b)| same(a, b))
        {
            return false;
        }
        let outcome = match (self.violation(), key.first()) {
            (Some(rule), _) => Err(format!("error: {rule}\n")),
            (None, None) => Err("error: no stage has a program\n".to_owned()),
            // One program needs no composing: all its stages are here.
            (None, Some((_, only))) if key.iter().all(|(_, linked)| Arc::ptr_eq(linked, only)) => {
                Ok(Arc::clone(only))
            }
            (None, Some(_)) => compose(&key).map(Arc::new),
        };
        if let Err(log) = &outcome {
            log::info!("the pipeline does not link: {}", log.trim_end());
        }
        self.composed = Composed { key, outcome: Some(outcome) };
        true
    }

    /// The program of a stage, 0 for none.
    fn stage_name(&self, stage: Stage) -> u32 {
        self.stages[stage as usize].as_ref().map_or(0, |in_use| in_use.program.name)
    }

    fn is_stale(&self) -> bool {
        self.stages.iter().chain([&self.active]).flatten().any(InUse::is_stale)
            || self.composed.outcome.is_none()
    }
}

/// Pipelines of a context.
#[derive(Debug, Default)]
pub struct PipelineState {
    names: Names<Box<Pipeline>>,
    bound: u32,
    /// Serials of the values that were sent last.
    sent: Option<u64>,
}

impl PipelineState {
    /// The bound pipeline's name, or 0.
    pub fn bound_name(&self) -> u32 {
        self.bound
    }

    fn bound(&self) -> Option<&Pipeline> {
        self.names.get(self.bound).map(|p| &**p)
    }

    /// What draws use.
    pub fn drawing(&self) -> Option<&Arc<Linked>> {
        self.bound()?.composed.outcome.as_ref()?.as_ref().ok()
    }

    /// Whether the bound pipeline has stages that do not fit each other. One with only a fragment stage draws nothing, but is no error.
    pub fn is_broken(&self) -> bool {
        self.bound().is_some_and(|p| {
            let failed = matches!(p.composed.outcome, Some(Err(_)));
            failed && (p.stages[Stage::Vertex as usize].is_some() || p.violation().is_some())
        })
    }

    /// What dispatches use.
    pub fn dispatching(&self) -> Option<&Arc<Linked>> {
        self.bound()?.stages[Stage::Compute as usize].as_ref().map(|in_use| &in_use.linked)
    }

    /// The program whose uniforms are set.
    pub fn active(&self) -> Option<&InUse> {
        self.bound()?.active.as_ref()
    }

    /// Whether values or links of the bound pipeline moved since they were sent.
    pub fn moved(&self) -> bool {
        let Some(bound) = self.bound() else { return false };
        bound.is_stale() || self.sent != Some(self.serial())
    }

    fn serial(&self) -> u64 {
        let of = |linked: Option<&Arc<Linked>>| linked.map_or(0, |linked| linked.serial());
        of(self.drawing()).wrapping_add(of(self.dispatching()))
    }

    /// The values of the bound pipeline are sent.
    pub fn mark_sent(&mut self) {
        self.sent = Some(self.serial());
    }

    /// Takes over relinks, composes anew.
    pub fn refresh(&mut self) -> bool {
        match self.names.get_mut(self.bound) {
            Some(pipeline) => pipeline.refresh(),
            None => false,
        }
    }
}

fn object(cx: &mut Context, name: u32) -> GlResult<&mut Pipeline> {
    let names = &mut cx.state.program.pipelines.names;
    if !names.is_reserved(name) {
        return invalid_operation("the pipeline name was not generated");
    }
    if names.get(name).is_none() {
        names.insert(name, Box::default());
    }
    match names.get_mut(name) {
        Some(pipeline) => Ok(pipeline),
        None => invalid_operation("the pipeline name was not generated"),
    }
}

/// glGenProgramPipelines, and with `create` glCreateProgramPipelines.
///
/// # Errors
/// None.
pub fn generate(cx: &mut Context, count: u32, create: bool) -> GlResult<Vec<u32>> {
    let names = &mut cx.state.program.pipelines.names;
    Ok((0..count)
        .map(|_| {
            let name = names.generate();
            if create {
                names.insert(name, Box::default());
            }
            name
        })
        .collect())
}

/// glDeleteProgramPipelines.
///
/// # Errors
/// None.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for name in names.iter().copied().filter(|name| *name != 0) {
        if cx.program.pipelines.bound == name {
            cx.state.program.pipelines.bound = 0;
            cx.state.dirty |= Dirty::PROGRAM;
        }
        if let Some(pipeline) = cx.state.program.pipelines.names.remove(name) {
            let gone = pipeline.stages.into_iter().chain([pipeline.active]).flatten().collect();
            drop(pipeline.composed);
            program::release_all(&cx.group, gone);
        }
    }
    Ok(())
}

/// glIsProgramPipeline.
///
/// # Errors
/// None.
pub fn is_pipeline(cx: &Context, name: u32) -> GlResult<u8> {
    Ok(u8::from(cx.program.pipelines.names.get(name).is_some()))
}

/// glBindProgramPipeline.
///
/// # Errors
/// GL_INVALID_OPERATION for a name that was not generated, or while transform feedback is active.
pub fn bind(cx: &mut Context, name: u32) -> GlResult {
    program::check_replaceable(cx)?;
    if name != 0 {
        object(cx, name)?;
    }
    cx.state.program.pipelines.bound = name;
    cx.state.program.pipelines.sent = None;
    cx.state.program.subroutines = Default::default();
    cx.state.dirty |= Dirty::PROGRAM;
    Ok(())
}

/// glUseProgramStages.
///
/// # Errors
/// As OpenGL ES 3.2, section 7.4 says.
pub fn use_stages(cx: &mut Context, name: u32, stages: u32, program: u32) -> GlResult {
    let known = STAGE_BITS
        .iter()
        .filter(|(_, stage)| program::offers_stage(&cx.state, *stage))
        .fold(0, |known, (bit, _)| known | bit);
    check_value(stages == gl::ALL_SHADER_BITS || stages & !known == 0, "stage bits")?;
    let linked = match program {
        0 => None,
        _ => {
            let program = cx.group.program(program)?;
            let linked = program.linked()?;
            check_operation(linked.archive.separable, "the program is not separable")?;
            Some((program, linked))
        }
    };
    if name == cx.program.pipelines.bound {
        program::check_replaceable(cx)?;
    }
    let pipeline = object(cx, name)?;
    let mut gone = Vec::new();
    for (bit, stage) in STAGE_BITS {
        if stages & bit == 0 {
            continue;
        }
        // A stage that the program lacks becomes empty.
        let next = linked
            .as_ref()
            .filter(|(_, linked)| linked.stage(stage).is_some())
            .map(|(program, linked)| InUse::new(program, Arc::clone(linked)));
        gone.extend(std::mem::replace(&mut pipeline.stages[stage as usize], next));
    }
    pipeline.validate_status = false;
    pipeline.composed = Composed::default();
    cx.state.program.subroutines = Default::default();
    cx.state.dirty |= Dirty::PROGRAM;
    program::release_all(&cx.group, gone);
    Ok(())
}

/// glActiveShaderProgram.
///
/// # Errors
/// GL_INVALID_OPERATION for a program that is not linked.
pub fn set_active(cx: &mut Context, name: u32, program: u32) -> GlResult {
    let next = match program {
        0 => None,
        _ => {
            let program = cx.group.program(program)?;
            let linked = program.linked()?;
            Some(InUse::new(&program, linked))
        }
    };
    let pipeline = object(cx, name)?;
    let gone = std::mem::replace(&mut pipeline.active, next).into_iter().collect();
    program::release_all(&cx.group, gone);
    Ok(())
}

/// glGetProgramPipelineiv.
///
/// # Errors
/// GL_INVALID_OPERATION for an unknown name, GL_INVALID_ENUM for the parameter.
pub fn parameter(cx: &mut Context, name: u32, pname: u32) -> GlResult<i32> {
    let stage =
        Stage::from_gl_token(pname).filter(|stage| program::offers_stage(&cx.state, *stage));
    let pipeline = object(cx, name)?;
    Ok(match pname {
        gl::ACTIVE_PROGRAM => pipeline.active.as_ref().map_or(0, |p| p.program.name) as i32,
        gl::VALIDATE_STATUS => i32::from(pipeline.validate_status),
        gl::INFO_LOG_LENGTH => {
            if pipeline.log.is_empty() {
                0
            } else {
                pipeline.log.len() as i32 + 1
            }
        }
        _ if stage.is_some() => stage.map_or(0, |stage| pipeline.stage_name(stage) as i32),
        _ => return invalid_enum("program pipeline parameter"),
    })
}

/// glValidateProgramPipeline.
///
/// # Errors
/// GL_INVALID_OPERATION for an unknown name.
pub fn validate(cx: &mut Context, name: u32) -> GlResult {
    let pipeline = object(cx, name)?;
    pipeline.refresh();
    let compute = pipeline.stages[Stage::Compute as usize].is_some();
    let log = match &pipeline.composed.outcome {
        Some(Ok(linked)) if linked.samplers_collide() => {
            "samplers of different types read one texture unit\n"
        }
        Some(Ok(_)) => "",
        Some(Err(_)) | None if compute && pipeline.composed.key.is_empty() => "",
        Some(Err(log)) => log.as_str(),
        None => "error: no stage has a program\n",
    }
    .to_owned();
    pipeline.validate_status = log.is_empty();
    pipeline.log = log;
    Ok(())
}

/// glGetProgramPipelineInfoLog.
///
/// # Errors
/// GL_INVALID_VALUE for an unknown name or a negative size.
pub fn log(cx: &mut Context, name: u32, room: i32) -> GlResult<String> {
    check_value(room >= 0, "room for a log")?;
    if !cx.program.pipelines.names.is_reserved(name) {
        return invalid_value("the name is no pipeline's");
    }
    Ok(object(cx, name)?.log.clone())
}
