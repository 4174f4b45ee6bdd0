//! Compiling, linking, program binaries.

use super::program::{Attachment, Program, ProgramData};
use super::program_linked::Linked;
use crate::context::{Api, Context, State};
use crate::emit;
use crate::error::{GlResult, check_enum, check_operation, check_value};
use forerun_pipe::archive::{Archive, Stage};
use forerun_pipe::caps;
use forerun_pipe::gl;
use std::cell::RefMut;
use std::collections::VecDeque;
use std::sync::Arc;

/// The one format of program binaries: the bytes of an archive. The value stands in no registry.
pub const BINARY_FORMAT: u32 = 0x0001_F0E0;

/// A compile and its outcome.
pub struct Compiled {
    stage: Stage,
    source: Vec<u8>,
    compiler: Arc<Compiler>,
    /// The shader, if it compiled.
    pub shader: Option<forerun_glsl::Shader>,
    /// The info log.
    pub log: String,
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled")
            .field("stage", &self.stage)
            .field("ok", &self.shader.is_some())
            .finish()
    }
}

/// What the compiler is told of a context.
#[derive(Debug, PartialEq, Eq)]
pub struct Compiler {
    dialect: forerun_glsl::Dialect,
    limits: forerun_glsl::Limits,
}

impl Compiler {
    fn new(state: &State) -> Compiler {
        let extensions = (0..state.extensions.count())
            .filter_map(|index| state.extensions.get(index)?.to_str().ok().map(str::to_owned))
            .collect();
        let es = state.config.api == Api::Es;
        let version = state.config.version;
        let max_version = match (es, version) {
            (true, ..30) => 100,
            (true, _) => version * 10,
            (false, ..20) => 110,
            (false, 20) => 110,
            (false, 21) => 120,
            (false, 30) => 130,
            (false, 31) => 140,
            (false, 32) => 150,
            (false, _) => version * 10,
        };
        let dialect = forerun_glsl::Dialect { es, max_version, extensions };
        Compiler { dialect, limits: limits(&state.caps.limits) }
    }
}

/// The compiler's limits from the server's.
fn limits(l: &caps::Limits) -> forerun_glsl::Limits {
    macro_rules! same {
        ($($name:ident),* $(,)?) => {
            forerun_glsl::Limits { $($name: l.$name,)* ..forerun_glsl::Limits::default() }
        };
    }
    let mut limits = same!(
        max_vertex_attribs,
        max_vertex_uniform_components,
        max_fragment_uniform_components,
        max_geometry_uniform_components,
        max_compute_uniform_components,
        max_varying_components,
        max_vertex_output_components,
        max_fragment_input_components,
        max_geometry_input_components,
        max_geometry_output_components,
        max_geometry_output_vertices,
        max_geometry_total_output_components,
        max_vertex_texture_image_units,
        max_texture_image_units,
        max_geometry_texture_image_units,
        max_compute_texture_image_units,
        max_combined_texture_image_units,
        max_compute_work_group_invocations,
        max_geometry_shader_invocations,
        max_vertex_streams,
        max_draw_buffers,
        max_dual_source_draw_buffers,
        min_program_texel_offset,
        max_program_texel_offset,
        max_clip_distances,
        max_cull_distances,
        max_combined_clip_and_cull_distances,
        max_image_units,
        max_vertex_image_uniforms,
        max_fragment_image_uniforms,
        max_compute_image_uniforms,
        max_combined_image_uniforms,
        max_combined_shader_output_resources,
        max_image_samples,
        max_vertex_atomic_counters,
        max_fragment_atomic_counters,
        max_compute_atomic_counters,
        max_combined_atomic_counters,
        max_vertex_atomic_counter_buffers,
        max_fragment_atomic_counter_buffers,
        max_combined_atomic_counter_buffers,
        max_atomic_counter_buffer_size,
        max_tess_control_total_output_components,
        max_tess_patch_components,
        max_patch_vertices,
        max_tess_gen_level,
        max_viewports,
        max_samples,
        max_transform_feedback_buffers,
        max_transform_feedback_interleaved_components,
        max_transform_feedback_separate_components,
        max_transform_feedback_separate_attribs,
        max_combined_uniform_blocks,
        max_uniform_buffer_bindings,
        max_uniform_locations,
    );
    limits.max_compute_work_group_count = l.max_compute_work_group_count[0];
    limits.max_compute_work_group_size_xy = l.max_compute_work_group_size[0];
    limits.max_compute_work_group_size_z = l.max_compute_work_group_size[2];
    limits.max_atomic_counter_bindings = l.max_atomic_counter_buffer_bindings;
    limits.max_tess_components = l.max_tess_control_input_components;
    limits.max_stage_uniform_blocks = l.max_fragment_uniform_blocks;
    limits.max_uniform_block_size = i32::try_from(l.max_uniform_block_size).unwrap_or(i32::MAX);
    limits.max_storage_block_size =
        i32::try_from(l.max_shader_storage_block_size).unwrap_or(i32::MAX);
    limits.max_stage_storage_blocks = l.max_fragment_shader_storage_blocks;
    limits.max_combined_storage_blocks = l.max_combined_shader_storage_blocks;
    limits.max_storage_buffer_bindings = l.max_shader_storage_buffer_bindings;
    limits
}

/// Compiles that may come again, most recent first: programs compile the same text many times.
#[derive(Debug, Default)]
pub struct CompileCache {
    entries: VecDeque<Arc<Compiled>>,
}

impl CompileCache {
    const LIMIT: usize = 128;

    fn find(&mut self, stage: Stage, source: &[u8], compiler: &Compiler) -> Option<Arc<Compiled>> {
        let is =
            |c: &Arc<Compiled>| c.stage == stage && c.source == source && *c.compiler == *compiler;
        let index = self.entries.iter().position(is)?;
        let found = self.entries.remove(index)?;
        self.entries.push_front(Arc::clone(&found));
        Some(found)
    }

    fn insert(&mut self, compiled: &Arc<Compiled>) {
        self.entries.push_front(Arc::clone(compiled));
        self.entries.truncate(Self::LIMIT);
    }
}

impl State {
    fn compiler(&mut self) -> Arc<Compiler> {
        if let Some(compiler) = &self.program.compiler {
            return Arc::clone(compiler);
        }
        let compiler = Arc::new(Compiler::new(self));
        self.program.compiler = Some(Arc::clone(&compiler));
        compiler
    }
}

/// glCompileShader.
///
/// # Errors
/// As [`crate::group::Group::shader`].
pub fn compile(cx: &mut Context, name: u32) -> GlResult {
    let shader = cx.group.shader(name)?;
    let compiler = cx.state.compiler();
    let source = shader.data.borrow_mut().source.clone();
    let known = cx.group.programs.borrow_mut().compiled.find(shader.stage, &source, &compiler);
    let compiled = known.unwrap_or_else(|| {
        let text = String::from_utf8_lossy(&source);
        // It takes long: another thread of the group may draw meanwhile.
        let result = cx.outside(|| {
            forerun_glsl::compile(shader.stage, &text, &compiler.dialect, &compiler.limits)
        });
        let compiled = Arc::new(Compiled {
            stage: shader.stage,
            source,
            compiler,
            shader: result.shader,
            log: result.log,
        });
        cx.group.programs.borrow_mut().compiled.insert(&compiled);
        compiled
    });
    shader.data.borrow_mut().compiled = Some(compiled);
    Ok(())
}

/// What a link was made of, for composing pipelines.
#[derive(Debug, Default)]
pub struct Ingredients {
    /// Compiled shaders, several of a stage allowed.
    pub shaders: Vec<Arc<Compiled>>,
    /// glBindAttribLocation.
    pub attributes: Vec<(String, u32)>,
    /// glBindFragDataLocationIndexed.
    pub frag_data: Vec<(String, u32, u32)>,
    /// glTransformFeedbackVaryings.
    pub feedback: Vec<String>,
    /// Mode of the varyings.
    pub feedback_mode: u32,
}

/// glLinkProgram.
///
/// # Errors
/// GL_INVALID_OPERATION while transform feedback captures from the program.
pub fn link(cx: &mut Context, name: u32) -> GlResult {
    let program = cx.group.program(name)?;
    check_operation(
        !super::feedback::uses_program(&cx.state, &program),
        "transform feedback uses the program",
    )?;
    let (ingredients, separable) = {
        let data = program.data.borrow_mut();
        (gather(&data), data.separable)
    };
    // As long as compiling.
    let outcome = ingredients.and_then(|ingredients| {
        let archive = cx.outside(|| archive(&ingredients, separable))?;
        let mut linked = Linked::new(archive, Vec::new());
        linked.ingredients = ingredients;
        Ok(linked)
    });
    let mut data = program.data.borrow_mut();
    data.validate_status = false;
    data.linked_binary_hint = data.binary_hint;
    match outcome {
        Ok(linked) => install(cx, &program, data, linked),
        Err(log) => {
            data.link_status = false;
            data.linked = None;
            data.log = log;
            Ok(())
        }
    }
}

/// What a link of the program is made from.
fn gather(data: &ProgramData) -> Result<Ingredients, String> {
    if data.attached.is_empty() {
        return Err("error: no shader is attached\n".into());
    }
    let compiled = |attachment: &Attachment| {
        let shader = attachment.shader();
        let compiled = shader.data.borrow_mut().compiled.clone();
        compiled
            .filter(|compiled| compiled.shader.is_some())
            .ok_or_else(|| format!("error: shader {} is not compiled\n", shader.name))
    };
    Ok(Ingredients {
        shaders: data.attached.iter().map(compiled).collect::<Result<_, _>>()?,
        attributes: data.attributes.clone(),
        frag_data: data.frag_data.clone(),
        feedback: data.feedback.clone(),
        feedback_mode: data.feedback_mode,
    })
}

fn archive(ingredients: &Ingredients, separable: bool) -> Result<Archive, String> {
    let shaders: Vec<&forerun_glsl::Shader> =
        ingredients.shaders.iter().filter_map(|compiled| compiled.shader.as_ref()).collect();
    forerun_glsl::link(
        &shaders,
        &forerun_glsl::LinkOptions {
            attributes: &ingredients.attributes,
            frag_data: &ingredients.frag_data,
            feedback: &ingredients.feedback,
            feedback_mode: ingredients.feedback_mode,
            separable,
            pipeline: false,
        },
    )
}

fn install(
    cx: &mut Context,
    program: &Arc<Program>,
    mut data: RefMut<'_, ProgramData>,
    linked: Linked,
) -> GlResult {
    let linked = Arc::new(linked);
    data.link_status = true;
    data.log.clear();
    data.linked = Some(Arc::clone(&linked));
    program.relinked();
    // A thread that draws holds the stream and looks at the program.
    drop(data);
    cx.state.dirty |= emit::Dirty::PROGRAM;
    if !linked.archive.separable {
        // The server can begin at once; a separable program may never be used alone.
        emit::program::introduce(&linked, &mut cx.stream())?;
    }
    Ok(())
}

/// glGetProgramBinary: the bytes.
///
/// # Errors
/// GL_INVALID_OPERATION when the program is not linked or `room` is too small.
pub fn binary(cx: &Context, name: u32, room: i32) -> GlResult<Vec<u8>> {
    check_value(room >= 0, "size of a program binary")?;
    let linked = cx.group.linked(name)?;
    let bytes = linked.archive.encode();
    check_operation(bytes.len() <= room as usize, "the program binary is larger")?;
    Ok(bytes)
}

/// glProgramBinary.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown format. Bytes that are no archive make the link fail.
pub fn load_binary(cx: &mut Context, name: u32, format: u32, bytes: &[u8]) -> GlResult {
    let program = cx.group.program(name)?;
    check_enum(format == BINARY_FORMAT, "format of a program binary")?;
    check_operation(
        !super::feedback::uses_program(&cx.state, &program),
        "transform feedback uses the program",
    )?;
    let es = cx.config.api == Api::Es;
    let mut data = program.data.borrow_mut();
    data.validate_status = false;
    match Archive::decode(bytes) {
        Ok(archive) if archive.dialect.es == es => {
            install(cx, &program, data, Linked::new(archive, Vec::new()))
        }
        Ok(_) => {
            fail(&mut data, "error: the binary is for another API\n".into());
            Ok(())
        }
        Err(why) => {
            fail(&mut data, format!("error: {why}\n"));
            Ok(())
        }
    }
}

fn fail(data: &mut ProgramData, log: String) {
    data.link_status = false;
    data.linked = None;
    data.log = log;
}

/// glShaderBinary: there is no format.
///
/// # Errors
/// Always one.
pub fn shader_binary(cx: &Context, shaders: &[u32], _format: u32, len: i32) -> GlResult {
    check_value(len >= 0, "size of a shader binary")?;
    for name in shaders {
        cx.group.shader(*name)?;
    }
    check_enum(false, "format of a shader binary")
}

/// glCreateShaderProgramv: 0 when the shader type is unknown.
///
/// # Errors
/// GL_INVALID_ENUM for the type.
pub fn create_shader_program(cx: &mut Context, token: u32, source: Vec<u8>) -> GlResult<u32> {
    let shader = super::program::create_shader(cx, token)?;
    super::program::set_source(cx, shader, source)?;
    compile(cx, shader)?;
    let name = super::program::create_program(cx)?;
    let program = cx.group.program(name)?;
    program.data.borrow_mut().separable = true;
    let object = cx.group.shader(shader)?;
    let compiled = object.data.borrow_mut().compiled.clone();
    let ok = compiled.as_ref().is_some_and(|c| c.shader.is_some());
    if ok {
        super::program::attach(cx, name, shader)?;
        link(cx, name)?;
        super::program::detach(cx, name, shader)?;
    }
    if let Some(compiled) = compiled {
        let mut data = program.data.borrow_mut();
        data.log = format!("{}{}", compiled.log, data.log);
    }
    super::program::delete_shader(cx, shader)?;
    Ok(name)
}

/// Composes stages of several linked programs into one, whose uniforms are apart.
///
/// # Errors
/// The log of the failed link.
pub fn compose(stages: &[(Stage, Arc<Linked>)]) -> Result<Linked, String> {
    let mut parts: Vec<Arc<Linked>> = Vec::new();
    for (_, linked) in stages {
        if !parts.iter().any(|part| Arc::ptr_eq(part, linked)) {
            parts.push(Arc::clone(linked));
        }
    }
    super::program_compose::compose(stages, &parts)
}

/// GL_PROGRAM_BINARY_LENGTH.
pub fn binary_length(linked: Option<&Arc<Linked>>) -> i32 {
    linked.map_or(0, |linked| i32::try_from(linked.archive.encode().len()).unwrap_or(0))
}

/// The stage bits of glUseProgramStages.
pub const STAGE_BITS: [(u32, Stage); 6] = [
    (gl::VERTEX_SHADER_BIT, Stage::Vertex),
    (gl::TESS_CONTROL_SHADER_BIT, Stage::TessControl),
    (gl::TESS_EVALUATION_SHADER_BIT, Stage::TessEvaluation),
    (gl::GEOMETRY_SHADER_BIT, Stage::Geometry),
    (gl::FRAGMENT_SHADER_BIT, Stage::Fragment),
    (gl::COMPUTE_SHADER_BIT, Stage::Compute),
];
