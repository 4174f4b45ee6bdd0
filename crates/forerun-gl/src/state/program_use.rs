//! The program that a context uses: what draws and dispatches run, and what they are checked for (OpenGL ES 3.2, sections 7.3 and
//! 11.1.3.11).

use super::program::{InUse, release};
use super::program_linked::{Limits, Linked};
use super::program_pipeline::PipelineState;
use crate::context::{Api, Config, Context, State};
use crate::emit::Dirty;
use crate::error::{GlResult, check_operation, invalid_operation};
use crate::value::Value;
use forerun_pipe::archive::Stage;
use forerun_pipe::gl;
use std::sync::Arc;

/// The current program and pipelines of a context.
#[derive(Debug, Default)]
pub struct ProgramState {
    /// glUseProgram.
    pub current: Option<InUse>,
    /// Program pipelines.
    pub pipelines: PipelineState,
    /// What the compiler is told of this context, made at the first compile.
    pub compiler: Option<Arc<super::program_link::Compiler>>,
    /// GL_MAX_SHADER_COMPILER_THREADS_KHR, inverted: all threads at first. Compiles are done at once whatever it says.
    pub withheld_threads: u32,
    /// Serial of the current program's values when they were sent last.
    sent_serial: u64,
    /// The subroutines selected.
    pub subroutines: super::program_subroutine::Selected,
    /// Whether samplers collide, for the id of a link and its serial of units.
    collision: Option<((u64, u64), bool)>,
}

impl ProgramState {
    /// No program.
    pub fn new(_config: &Config) -> ProgramState {
        ProgramState::default()
    }

    /// The program that draws use: the current one, else what the bound pipeline composes.
    pub fn drawing(&self) -> Option<&Arc<Linked>> {
        let linked = match &self.current {
            Some(in_use) => Some(&in_use.linked),
            None => self.pipelines.drawing(),
        };
        linked.filter(|linked| linked.draws())
    }

    /// The program that dispatches use.
    pub fn dispatching(&self) -> Option<&Arc<Linked>> {
        let linked = match &self.current {
            Some(in_use) => Some(&in_use.linked),
            None => self.pipelines.dispatching(),
        };
        linked.filter(|linked| linked.computes())
    }

    /// The program whose uniforms `glUniform*` sets.
    ///
    /// # Errors
    /// GL_INVALID_OPERATION without one.
    pub fn active(&self) -> GlResult<&Arc<Linked>> {
        let in_use = self.current.as_ref().or_else(|| self.pipelines.active());
        match in_use {
            Some(in_use) => Ok(&in_use.linked),
            None => invalid_operation("no program is active"),
        }
    }

    /// Whether anything moved that this context did not do itself.
    #[inline]
    pub fn moved(&self) -> bool {
        let Some(in_use) = &self.current else { return self.pipelines.moved() };
        in_use.is_stale() || in_use.linked.serial() != self.sent_serial
    }

    /// What is current has been sent.
    pub fn mark_sent(&mut self) {
        match &self.current {
            Some(in_use) => self.sent_serial = in_use.linked.serial(),
            None => self.pipelines.mark_sent(),
        }
    }

    /// Takes over successful relinks, and composes the bound pipeline anew if need be. To be called before a verb is checked.
    pub fn refresh(&mut self) -> bool {
        match &mut self.current {
            Some(in_use) => in_use.refresh(),
            None => self.pipelines.refresh(),
        }
    }
}

impl State {
    /// What bounds the values of opaque uniforms in this context.
    pub fn uniform_limits(&self) -> Limits {
        let l = &self.caps.limits;
        Limits {
            texture_units: l.max_combined_texture_image_units.max(0) as u32,
            image_units: l.max_image_units.max(0) as u32,
            images_settable: self.config.api != Api::Es,
        }
    }
}

fn check_not_feeding(state: &State) -> GlResult {
    check_operation(
        !super::feedback::is_active(state) || super::feedback::is_paused(state),
        "transform feedback is active and not paused",
    )
}

/// glUseProgram.
///
/// # Errors
/// GL_INVALID_OPERATION when the program is not linked or transform feedback is active.
pub fn use_program(cx: &mut Context, name: u32) -> GlResult {
    check_not_feeding(&cx.state)?;
    let next = match name {
        0 => None,
        _ => {
            let program = cx.group.program(name)?;
            let linked = program.linked()?;
            Some(InUse::new(&program, linked))
        }
    };
    cx.state.program.subroutines.clear();
    let has_subroutines = next.as_ref().is_some_and(|p| !p.linked.archive.subroutines.is_empty());
    if has_subroutines {
        cx.state.dirty |= Dirty::PROGRAM;
    }
    if let (Some(old), Some(new)) = (&cx.program.current, &next)
        && Arc::ptr_eq(&old.linked, &new.linked)
    {
        return Ok(());
    }
    let old = std::mem::replace(&mut cx.state.program.current, next);
    cx.state.dirty |= Dirty::PROGRAM;
    if let Some(old) = old {
        let program = Arc::clone(&old.program);
        drop(old);
        release(&cx.group, &program);
    }
    Ok(())
}

/// Whether there is something to draw with: a program or pipeline with the stages that the mode needs. Without one, nothing is
/// drawn, which is no error.
///
/// # Errors
/// GL_INVALID_OPERATION when the stages do not fit the mode, when samplers of different types read one unit, or when the stages of
/// the pipeline do not fit each other.
pub fn check_draw(cx: &mut Context, mode: u32) -> GlResult<bool> {
    if cx.program.moved() && cx.state.program.refresh() {
        cx.state.program.collision = None;
    }
    if cx.program.moved() {
        cx.state.dirty |= Dirty::PROGRAM;
    }
    let program = &cx.state.program;
    let Some(linked) = program.drawing() else {
        check_operation(
            program.current.is_some() || !program.pipelines.is_broken(),
            "the pipeline does not link",
        )?;
        return Ok(false);
    };
    check_stages(linked, mode)?;
    let has_vertex = linked.stage(Stage::Vertex).is_some();
    let key = (linked.id, linked.units_serial());
    let collides = match program.collision {
        Some((known, answer)) if known == key => answer,
        _ => {
            linked.gather();
            linked.samplers_collide()
        }
    };
    cx.state.program.collision = Some((key, collides));
    check_operation(!collides, "samplers of different types read one texture unit")?;
    Ok(has_vertex)
}

fn check_stages(linked: &Linked, mode: u32) -> GlResult {
    let evaluation = linked.stage(Stage::TessEvaluation);
    check_operation(
        evaluation.is_some() == (mode == gl::PATCHES),
        "patches need tessellation, and the other way round",
    )?;
    let Some(geometry) = linked.stage(Stage::Geometry) else { return Ok(()) };
    let arriving = match evaluation {
        Some(info) if info.tess_point_mode => gl::POINTS,
        Some(info) if info.tess_mode == gl::ISOLINES => gl::LINES,
        Some(_) => gl::TRIANGLES,
        None => match mode {
            gl::LINES | gl::LINE_LOOP | gl::LINE_STRIP => gl::LINES,
            gl::TRIANGLES | gl::TRIANGLE_STRIP | gl::TRIANGLE_FAN => gl::TRIANGLES,
            gl::LINES_ADJACENCY | gl::LINE_STRIP_ADJACENCY => gl::LINES_ADJACENCY,
            gl::TRIANGLES_ADJACENCY | gl::TRIANGLE_STRIP_ADJACENCY => gl::TRIANGLES_ADJACENCY,
            other => other,
        },
    };
    check_operation(
        geometry.geometry_input == arriving,
        "the geometry shader takes another primitive",
    )
}

/// Whether there is a compute program.
///
/// # Errors
/// GL_INVALID_OPERATION when there is none.
pub fn check_dispatch(cx: &mut Context) -> GlResult {
    if cx.program.moved() {
        cx.state.program.refresh();
        cx.state.dirty |= Dirty::PROGRAM;
    }
    match cx.program.dispatching() {
        Some(linked) => check_operation(
            !linked.samplers_collide(),
            "samplers of different types read one texture unit",
        ),
        None => invalid_operation("no compute program is current"),
    }
}

/// Whether the current program reads gl_DrawID: then draws are not joined.
pub fn reads_draw_id(state: &State) -> bool {
    let vertex = state.program.drawing().and_then(|linked| linked.stage(Stage::Vertex));
    vertex.is_some_and(|info| info.uses_draw_id)
}

/// The name that glUseProgram was given, or 0.
pub fn current_name(state: &State) -> u32 {
    state.program.current.as_ref().map_or(0, |current| current.program.name)
}

/// Answers glGet* for the family.
pub fn get(state: &State, pname: u32) -> Option<Value> {
    Some(match pname {
        gl::CURRENT_PROGRAM => Value::int(current_name(state)),
        gl::PROGRAM_PIPELINE_BINDING => Value::int(state.program.pipelines.bound_name()),
        gl::SHADER_COMPILER => Value::bool(true),
        gl::NUM_SHADER_BINARY_FORMATS => Value::int(0),
        gl::SHADER_BINARY_FORMATS => Value::ints::<i32>(&[]),
        gl::NUM_PROGRAM_BINARY_FORMATS => Value::int(1),
        gl::PROGRAM_BINARY_FORMATS => Value::int(super::program_link::BINARY_FORMAT),
        gl::MAX_SUBROUTINES => Value::int(super::program_subroutine::MAX_SUBROUTINES),
        gl::MAX_SUBROUTINE_UNIFORM_LOCATIONS => {
            Value::int(super::program_subroutine::MAX_LOCATIONS)
        }
        gl::MAX_SHADER_COMPILER_THREADS_KHR => Value::int(!state.program.withheld_threads),
        _ => return None,
    })
}

/// Fails while transform feedback captures from the current program.
///
/// # Errors
/// GL_INVALID_OPERATION.
pub fn check_replaceable(cx: &Context) -> GlResult {
    check_not_feeding(&cx.state)
}
