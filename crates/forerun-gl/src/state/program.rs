//! Shader and program objects, and the program that a context uses (OpenGL ES 3.2, chapter 7; OpenGL 4.6, chapter 7).
//!
//! Shaders and programs share one namespace of the share group. What a link made is a [`Linked`]; a context keeps the one that it
//! uses, so that a failed relink changes nothing for it.

use super::program_linked::Linked;
pub use super::program_use::{
    ProgramState, check_dispatch, check_draw, check_replaceable, get, reads_draw_id, use_program,
};
use crate::context::{Api, Context, State};
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
    invalid_value,
};
use crate::group::Group;
use crate::names::Names;
use crate::shared::Shared;
use forerun_pipe::archive::Stage;
use forerun_pipe::gl;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Shader and program objects of a share group.
#[derive(Debug, Default)]
pub struct ShaderNamespace {
    /// Objects by name.
    pub names: Names<Object>,
    /// Shaders that were compiled before.
    pub compiled: super::program_link::CompileCache,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Object {
    /// A shader.
    Shader(Arc<Shader>),
    /// A program.
    Program(Arc<Program>),
}

/// A shader object.
#[derive(Debug)]
pub struct Shader {
    /// Its name.
    pub name: u32,
    /// Its stage.
    pub stage: Stage,
    /// Programs that it is attached to.
    attachments: AtomicU32,
    /// What can change.
    pub data: Shared<ShaderData>,
}

/// What can change of a shader object.
#[derive(Debug, Default)]
pub struct ShaderData {
    /// The source, as one string.
    pub source: Vec<u8>,
    /// The last compile.
    pub compiled: Option<Arc<super::program_link::Compiled>>,
    /// glDeleteShader was called.
    pub delete_status: bool,
}

/// A shader's attachment to a program.
#[derive(Debug)]
pub struct Attachment(Arc<Shader>);

impl Attachment {
    fn new(shader: &Arc<Shader>) -> Attachment {
        shader.attachments.fetch_add(1, Ordering::Relaxed);
        Attachment(Arc::clone(shader))
    }

    /// The shader.
    pub fn shader(&self) -> &Arc<Shader> {
        &self.0
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        self.0.attachments.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A program object.
#[derive(Debug)]
pub struct Program {
    /// Its name.
    pub name: u32,
    /// Contexts and pipelines that use it.
    users: AtomicU32,
    /// Moves with each successful link.
    serial: AtomicU64,
    /// What can change.
    pub data: Shared<ProgramData>,
}

/// What can change of a program object.
#[derive(Debug, Default)]
pub struct ProgramData {
    /// Attached shaders, in order.
    pub attached: Vec<Attachment>,
    /// glDeleteProgram was called.
    pub delete_status: bool,
    /// glBindAttribLocation, for the next link.
    pub attributes: Vec<(String, u32)>,
    /// glBindFragDataLocation(Indexed): name, colour number, index; for the next link.
    pub frag_data: Vec<(String, u32, u32)>,
    /// glTransformFeedbackVaryings, for the next link.
    pub feedback: Vec<String>,
    /// GL_INTERLEAVED_ATTRIBS or GL_SEPARATE_ATTRIBS.
    pub feedback_mode: u32,
    /// GL_PROGRAM_SEPARABLE, for the next link.
    pub separable: bool,
    /// GL_PROGRAM_BINARY_RETRIEVABLE_HINT, for the next link.
    pub binary_hint: bool,
    /// The hint of the last link.
    pub linked_binary_hint: bool,
    /// GL_LINK_STATUS.
    pub link_status: bool,
    /// GL_VALIDATE_STATUS.
    pub validate_status: bool,
    /// The info log.
    pub log: String,
    /// What the last link made, if it succeeded.
    pub linked: Option<Arc<Linked>>,
}

/// A program in use by a context or a pipeline, with what it had linked when the use began or a relink succeeded.
#[derive(Debug)]
pub struct InUse {
    /// The program.
    pub program: Arc<Program>,
    /// Its link.
    pub linked: Arc<Linked>,
    serial: u64,
}

impl InUse {
    /// Uses a linked program.
    pub fn new(program: &Arc<Program>, linked: Arc<Linked>) -> InUse {
        program.users.fetch_add(1, Ordering::Relaxed);
        InUse {
            program: Arc::clone(program),
            linked,
            serial: program.serial.load(Ordering::Acquire),
        }
    }

    /// Takes over a later successful link; true if there was one.
    pub fn refresh(&mut self) -> bool {
        let serial = self.program.serial.load(Ordering::Acquire);
        if serial == self.serial {
            return false;
        }
        self.serial = serial;
        match &self.program.data.borrow_mut().linked {
            Some(linked) if !Arc::ptr_eq(linked, &self.linked) => self.linked = Arc::clone(linked),
            _ => return false,
        }
        true
    }

    /// Whether a later link succeeded.
    #[inline]
    pub fn is_stale(&self) -> bool {
        self.program.serial.load(Ordering::Relaxed) != self.serial
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.program.users.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shader {
    fn is_dead(&self) -> bool {
        self.attachments.load(Ordering::Relaxed) == 0 && self.data.borrow_mut().delete_status
    }
}

impl Program {
    fn is_dead(&self) -> bool {
        self.users.load(Ordering::Relaxed) == 0 && self.data.borrow_mut().delete_status
    }

    /// A link succeeded: users take it over at their next verb.
    pub fn relinked(&self) {
        self.serial.fetch_add(1, Ordering::Release);
    }

    /// What the last link made.
    ///
    /// # Errors
    /// GL_INVALID_OPERATION when it failed or there was none.
    pub fn linked(&self) -> GlResult<Arc<Linked>> {
        match &self.data.borrow_mut().linked {
            Some(linked) => Ok(Arc::clone(linked)),
            None => invalid_operation("the program is not linked"),
        }
    }
}

impl Object {
    fn is_dead(&self) -> bool {
        match self {
            Object::Shader(shader) => shader.is_dead(),
            Object::Program(program) => program.is_dead(),
        }
    }
}

impl ShaderNamespace {
    /// What a name stands for, while that is alive.
    pub fn get(&mut self, name: u32) -> Option<Object> {
        let object = self.names.get(name)?.clone();
        if object.is_dead() {
            self.names.remove(name);
            return None;
        }
        Some(object)
    }

    /// Frees the names of objects that only waited for their last user. Programs first: they hold shaders.
    fn purge(&mut self, names: &[u32]) {
        for name in names {
            self.get(*name);
        }
    }
}

impl Group {
    /// The shader of a name.
    ///
    /// # Errors
    /// GL_INVALID_VALUE for an unknown name, GL_INVALID_OPERATION for a program's.
    pub fn shader(&self, name: u32) -> GlResult<Arc<Shader>> {
        match self.programs.borrow_mut().get(name) {
            Some(Object::Shader(shader)) => Ok(shader),
            Some(Object::Program(_)) => invalid_operation("the name is a program's"),
            None => invalid_value("the name is no shader's"),
        }
    }

    /// The program of a name.
    ///
    /// # Errors
    /// GL_INVALID_VALUE for an unknown name, GL_INVALID_OPERATION for a shader's.
    pub fn program(&self, name: u32) -> GlResult<Arc<Program>> {
        match self.programs.borrow_mut().get(name) {
            Some(Object::Program(program)) => Ok(program),
            Some(Object::Shader(_)) => invalid_operation("the name is a shader's"),
            None => invalid_value("the name is no program's"),
        }
    }

    /// The linked program of a name.
    ///
    /// # Errors
    /// As [`Group::program`]; GL_INVALID_OPERATION when it is not linked.
    pub fn linked(&self, name: u32) -> GlResult<Arc<Linked>> {
        self.program(name)?.linked()
    }
}

/// Whether a context has a stage.
pub fn offers_stage(state: &State, stage: Stage) -> bool {
    match stage {
        Stage::Vertex | Stage::Fragment => true,
        Stage::Geometry => state.knows(gl::GEOMETRY_SHADER),
        Stage::TessControl | Stage::TessEvaluation => state.knows(gl::TESS_CONTROL_SHADER),
        Stage::Compute => state.knows(gl::COMPUTE_SHADER),
    }
}

fn stage_of(cx: &Context, token: u32) -> GlResult<Stage> {
    match Stage::from_gl_token(token) {
        Some(stage) if offers_stage(&cx.state, stage) => Ok(stage),
        _ => invalid_enum("shader type"),
    }
}

/// glCreateShader.
///
/// # Errors
/// GL_INVALID_ENUM for a stage that this context does not have.
pub fn create_shader(cx: &mut Context, token: u32) -> GlResult<u32> {
    let stage = stage_of(cx, token)?;
    let mut programs = cx.group.programs.borrow_mut();
    let name = programs.names.generate();
    let shader = Shader { name, stage, attachments: AtomicU32::new(0), data: Shared::default() };
    programs.names.insert(name, Object::Shader(Arc::new(shader)));
    Ok(name)
}

/// glCreateProgram.
///
/// # Errors
/// None.
pub fn create_program(cx: &mut Context) -> GlResult<u32> {
    let mut programs = cx.group.programs.borrow_mut();
    let name = programs.names.generate();
    let data = ProgramData { feedback_mode: gl::INTERLEAVED_ATTRIBS, ..Default::default() };
    let program = Program {
        name,
        users: AtomicU32::new(0),
        serial: AtomicU64::new(0),
        data: Shared::new(data),
    };
    programs.names.insert(name, Object::Program(Arc::new(program)));
    Ok(name)
}

/// glDeleteShader.
///
/// # Errors
/// As [`Group::shader`]; 0 is ignored.
pub fn delete_shader(cx: &mut Context, name: u32) -> GlResult {
    if name == 0 {
        return Ok(());
    }
    cx.group.shader(name)?.data.borrow_mut().delete_status = true;
    cx.group.programs.borrow_mut().purge(&[name]);
    Ok(())
}

/// glDeleteProgram.
///
/// # Errors
/// As [`Group::program`]; 0 is ignored.
pub fn delete_program(cx: &mut Context, name: u32) -> GlResult {
    if name == 0 {
        return Ok(());
    }
    let program = cx.group.program(name)?;
    program.data.borrow_mut().delete_status = true;
    release(&cx.group, &program);
    Ok(())
}

/// A user of a program is gone: frees the names that only waited for that, the program's and its shaders'.
pub fn release(group: &Group, program: &Arc<Program>) {
    if !program.is_dead() {
        return;
    }
    let attached = std::mem::take(&mut program.data.borrow_mut().attached);
    let shaders: Vec<u32> = attached.iter().map(|a| a.shader().name).collect();
    drop(attached);
    let mut programs = group.programs.borrow_mut();
    programs.purge(&[program.name]);
    programs.purge(&shaders);
}

/// glIsShader.
///
/// # Errors
/// None.
pub fn is_shader(cx: &Context, name: u32) -> GlResult<u8> {
    Ok(u8::from(matches!(cx.group.programs.borrow_mut().get(name), Some(Object::Shader(_)))))
}

/// glIsProgram.
///
/// # Errors
/// None.
pub fn is_program(cx: &Context, name: u32) -> GlResult<u8> {
    Ok(u8::from(matches!(cx.group.programs.borrow_mut().get(name), Some(Object::Program(_)))))
}

/// glAttachShader.
///
/// # Errors
/// GL_INVALID_OPERATION when it is attached already, or (ES) another of its stage is.
pub fn attach(cx: &mut Context, program: u32, shader: u32) -> GlResult {
    let program = cx.group.program(program)?;
    let shader = cx.group.shader(shader)?;
    let mut data = program.data.borrow_mut();
    for attached in &data.attached {
        let attached = attached.shader();
        check_operation(!Arc::ptr_eq(attached, &shader), "the shader is attached already")?;
        check_operation(
            cx.config.api != Api::Es || attached.stage != shader.stage,
            "a shader of that stage is attached already",
        )?;
    }
    data.attached.push(Attachment::new(&shader));
    Ok(())
}

/// glDetachShader.
///
/// # Errors
/// GL_INVALID_OPERATION when it is not attached.
pub fn detach(cx: &mut Context, program: u32, shader: u32) -> GlResult {
    let program = cx.group.program(program)?;
    let shader = cx.group.shader(shader)?;
    let mut data = program.data.borrow_mut();
    match data.attached.iter().position(|a| Arc::ptr_eq(a.shader(), &shader)) {
        Some(index) => drop(data.attached.remove(index)),
        None => return invalid_operation("the shader is not attached"),
    }
    drop(data);
    cx.group.programs.borrow_mut().purge(&[shader.name]);
    Ok(())
}

/// glShaderSource, with the strings already joined.
///
/// # Errors
/// As [`Group::shader`].
pub fn set_source(cx: &mut Context, name: u32, source: Vec<u8>) -> GlResult {
    cx.group.shader(name)?.data.borrow_mut().source = source;
    Ok(())
}

/// glBindAttribLocation.
///
/// # Errors
/// GL_INVALID_VALUE for a location beyond the last, GL_INVALID_OPERATION for a built-in's name.
pub fn bind_attribute(cx: &mut Context, program: u32, index: u32, name: &str) -> GlResult {
    let program = cx.group.program(program)?;
    check_value(index < cx.caps.limits.max_vertex_attribs.max(0) as u32, "attribute location")?;
    check_operation(!name.starts_with("gl_"), "a name that begins with gl_")?;
    let mut data = program.data.borrow_mut();
    match data.attributes.iter_mut().find(|(known, _)| known == name) {
        Some(entry) => entry.1 = index,
        None => data.attributes.push((name.to_owned(), index)),
    }
    Ok(())
}

/// glBindFragDataLocationIndexed; glBindFragDataLocation is index 0.
///
/// # Errors
/// As OpenGL 4.6, section 15.2.3 says.
pub fn bind_frag_data(
    cx: &mut Context,
    program: u32,
    number: u32,
    index: u32,
    name: &str,
) -> GlResult {
    let program = cx.group.program(program)?;
    let limits = &cx.caps.limits;
    check_value(index <= 1, "index of a fragment output")?;
    let most =
        if index == 0 { limits.max_draw_buffers } else { limits.max_dual_source_draw_buffers };
    check_value(number < most.max(0) as u32, "colour number of a fragment output")?;
    check_operation(!name.starts_with("gl_"), "a name that begins with gl_")?;
    let mut data = program.data.borrow_mut();
    match data.frag_data.iter_mut().find(|(known, ..)| known == name) {
        Some(entry) => (entry.1, entry.2) = (number, index),
        None => data.frag_data.push((name.to_owned(), number, index)),
    }
    Ok(())
}

/// glTransformFeedbackVaryings.
///
/// # Errors
/// GL_INVALID_ENUM for the mode, GL_INVALID_VALUE for too many separate varyings.
pub fn feedback_varyings(
    cx: &mut Context,
    program: u32,
    names: Vec<String>,
    mode: u32,
) -> GlResult {
    let program = cx.group.program(program)?;
    let limits = &cx.caps.limits;
    match mode {
        gl::INTERLEAVED_ATTRIBS => {}
        gl::SEPARATE_ATTRIBS => {
            check_value(
                names.len() <= limits.max_transform_feedback_separate_attribs.max(0) as usize,
                "too many separate feedback varyings",
            )?;
            let special =
                names.iter().any(|n| n == "gl_NextBuffer" || n.starts_with("gl_SkipComponents"));
            check_operation(!special, "gl_NextBuffer and gl_SkipComponents need interleaved mode")?;
        }
        _ => return invalid_enum("transform feedback buffer mode"),
    }
    let mut data = program.data.borrow_mut();
    data.feedback = names;
    data.feedback_mode = mode;
    Ok(())
}

/// glProgramParameteri.
///
/// # Errors
/// As OpenGL ES 3.2, section 7.3 says.
pub fn parameter(cx: &mut Context, program: u32, pname: u32, value: i32) -> GlResult {
    let program = cx.group.program(program)?;
    let mut data = program.data.borrow_mut();
    check_enum(cx.knows(pname), "program parameter")?;
    let target = match pname {
        gl::PROGRAM_BINARY_RETRIEVABLE_HINT => &mut data.binary_hint,
        gl::PROGRAM_SEPARABLE => &mut data.separable,
        _ => return invalid_enum("program parameter"),
    };
    check_value(value == 0 || value == 1, "value of a program parameter")?;
    *target = value == 1;
    Ok(())
}

/// glValidateProgram.
///
/// # Errors
/// As [`Group::program`].
pub fn validate(cx: &mut Context, program: u32) -> GlResult {
    let program = cx.group.program(program)?;
    let mut data = program.data.borrow_mut();
    let verdict = match &data.linked {
        None => Err("the program is not linked\n"),
        Some(linked) if linked.samplers_collide() => {
            Err("samplers of different types read one texture unit\n")
        }
        Some(_) => Ok(()),
    };
    data.validate_status = verdict.is_ok();
    data.log = verdict.err().unwrap_or("").to_owned();
    Ok(())
}

/// Makes a pipeline's change of programs visible: its old users are released.
pub fn release_all(group: &Group, gone: Vec<InUse>) {
    let programs: Vec<Arc<Program>> =
        gone.iter().map(|in_use| Arc::clone(&in_use.program)).collect();
    drop(gone);
    for program in &programs {
        release(group, program);
    }
}
