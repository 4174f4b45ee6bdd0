//! glslang, wrapped so that its objects are freed and its text is owned.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{NonNull, null, null_mut};
use std::sync::OnceLock;

use forerun_pipe::archive::Stage;
use glslang_sys as sys;

/// glslang builds its tables once per process; it offers no instance to hold them.
static PROCESS: OnceLock<bool> = OnceLock::new();

fn initialise() -> bool {
    // SAFETY: called once, before any other glslang function (the OnceLock orders it).
    *PROCESS.get_or_init(|| unsafe { sys::glslang_initialize_process() } != 0)
}

/// Rules to compile under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Vulkan SPIR-V with the relaxed rules: what crosses.
    Vulkan,
    /// OpenGL SPIR-V: used only to read the initial values of uniforms.
    OpenGl,
}

fn stage(stage: Stage) -> sys::glslang_stage_t {
    match stage {
        Stage::Vertex => sys::glslang_stage_t::Vertex,
        Stage::TessControl => sys::glslang_stage_t::TesselationControl,
        Stage::TessEvaluation => sys::glslang_stage_t::TesselationEvaluation,
        Stage::Geometry => sys::glslang_stage_t::Geometry,
        Stage::Fragment => sys::glslang_stage_t::Fragment,
        Stage::Compute => sys::glslang_stage_t::Compute,
    }
}

/// Name of the block that holds the default uniforms.
pub const DEFAULT_BLOCK: &CStr = c"fr_DefaultBlock";

/// One shader in glslang.
pub struct RawShader {
    raw: NonNull<sys::glslang_shader_t>,
    stage: Stage,
    client: Client,
    es: bool,
    resource: Box<sys::glslang_resource_t>,
    // glslang keeps pointers to the text, and to where the input names it, between calls.
    _source: CString,
    _input: Box<sys::glslang_input_t>,
}

// SAFETY: a glslang shader has no thread affinity; it is used by one thread at a time (`&mut self`).
unsafe impl Send for RawShader {}

impl Drop for RawShader {
    fn drop(&mut self) {
        // SAFETY: made by glslang_shader_create and freed once, after any program that used it.
        unsafe { sys::glslang_shader_delete(self.raw.as_ptr()) }
    }
}

impl RawShader {
    /// A shader of `source`, not yet looked at. None when glslang gives none or `source` holds a NUL.
    pub fn new(
        stage: Stage,
        source: &str,
        es: bool,
        client: Client,
        resource: &sys::glslang_resource_t,
    ) -> Option<Self> {
        if !initialise() {
            return None;
        }
        let text = CString::new(source).ok()?;
        let resource = Box::new(*resource);
        let input = Box::new(input(stage, es, client, &resource, text.as_ptr()));
        // SAFETY: `input` and what it points at live as long as the shader.
        let raw = NonNull::new(unsafe { sys::glslang_shader_create(&*input) })?;
        let shader = Self { raw, stage, client, es, resource, _source: text, _input: input };
        let options = match client {
            Client::Vulkan => {
                sys::glslang_shader_options_t::AUTO_MAP_BINDINGS
                    | sys::glslang_shader_options_t::AUTO_MAP_LOCATIONS
                    | sys::glslang_shader_options_t::VULKAN_RULES_RELAXED
            }
            Client::OpenGl => {
                sys::glslang_shader_options_t::AUTO_MAP_BINDINGS
                    | sys::glslang_shader_options_t::AUTO_MAP_LOCATIONS
            }
        };
        // SAFETY: the shader is live; the name is a static string.
        unsafe {
            sys::glslang_shader_set_options(shader.raw.as_ptr(), options.0);
            sys::glslang_shader_set_default_uniform_block_name(
                shader.raw.as_ptr(),
                DEFAULT_BLOCK.as_ptr(),
            );
            sys::glslang_shader_set_default_uniform_block_set_and_binding(
                shader.raw.as_ptr(),
                0,
                0,
            );
        }
        Some(shader)
    }

    /// Runs the preprocessor and gives its output.
    ///
    /// # Errors
    /// glslang's log.
    pub fn preprocess(&mut self) -> Result<String, String> {
        let input = input(self.stage, self.es, self.client, &self.resource, self._source.as_ptr());
        // SAFETY: the shader is live and `input` with its text and limits outlives the call.
        if unsafe { sys::glslang_shader_preprocess(self.raw.as_ptr(), &input) } == 0 {
            return Err(self.log());
        }
        // SAFETY: glslang gives a NUL-terminated string that lives until the shader changes.
        let code = unsafe { text(sys::glslang_shader_get_preprocessed_code(self.raw.as_ptr())) };
        Ok(code)
    }

    /// Parses `code`, which needs no preprocessing. Gives the log, which may hold warnings.
    ///
    /// # Errors
    /// glslang's log.
    pub fn parse(&mut self, code: &str) -> Result<String, String> {
        let code = CString::new(code).map_err(|_| "ERROR: the source has a NUL".to_owned())?;
        let input = input(self.stage, self.es, self.client, &self.resource, self._source.as_ptr());
        // SAFETY: glslang copies `code`; `input` outlives the call.
        let parsed = unsafe {
            sys::glslang_shader_set_preprocessed_code(self.raw.as_ptr(), code.as_ptr());
            sys::glslang_shader_parse(self.raw.as_ptr(), &input)
        };
        if parsed == 0 { Err(self.log()) } else { Ok(self.log()) }
    }

    fn log(&self) -> String {
        // SAFETY: the shader is live; glslang gives a NUL-terminated string.
        unsafe { text(sys::glslang_shader_get_info_log(self.raw.as_ptr())) }
    }
}

/// A program in glslang together with the shaders that it borrows.
pub struct RawProgram {
    raw: NonNull<sys::glslang_program_t>,
    _shaders: Vec<RawShader>,
}

impl Drop for RawProgram {
    fn drop(&mut self) {
        // SAFETY: made by glslang_program_create, freed once, before its shaders (field order).
        unsafe { sys::glslang_program_delete(self.raw.as_ptr()) }
    }
}

impl RawProgram {
    /// Links `shaders`.
    ///
    /// # Errors
    /// glslang's log.
    pub fn link(shaders: Vec<RawShader>, client: Client) -> Result<Self, String> {
        // SAFETY: glslang was initialised when the shaders were made.
        let raw = NonNull::new(unsafe { sys::glslang_program_create() })
            .ok_or_else(|| "ERROR: out of memory".to_owned())?;
        for shader in &shaders {
            // SAFETY: both are live; the program keeps the shaders until it is deleted.
            unsafe { sys::glslang_program_add_shader(raw.as_ptr(), shader.raw.as_ptr()) };
        }
        let program = Self { raw, _shaders: shaders };
        // SAFETY: the program is live.
        let linked = unsafe { sys::glslang_program_link(program.raw.as_ptr(), messages(client).0) };
        if linked == 0 {
            // SAFETY: the program is live; glslang gives a NUL-terminated string.
            return Err(unsafe { text(sys::glslang_program_get_info_log(program.raw.as_ptr())) });
        }
        Ok(program)
    }

    /// SPIR-V words of one linked stage; empty if glslang could not make them.
    pub fn generate(&mut self, of: Stage) -> Vec<u32> {
        let mut options = sys::glslang_spv_options_t {
            generate_debug_info: false,
            strip_debug_info: false,
            disable_optimizer: true,
            optimize_size: false,
            optimize_performance: false,
            disassemble: false,
            validate: false,
            emit_nonsemantic_shader_debug_info: false,
            emit_nonsemantic_shader_debug_source: false,
            compile_only: false,
            optimize_allow_expanded_id_bound: false,
            compiler_signature: null(),
            command_line_arguments: null(),
            current_working_directory: null(),
        };
        // SAFETY: the program is linked; the options live across the call; `get` writes `size` words.
        unsafe {
            sys::glslang_program_SPIRV_generate_with_options(
                self.raw.as_ptr(),
                stage(of),
                &mut options,
            );
            let size = sys::glslang_program_SPIRV_get_size(self.raw.as_ptr());
            let mut words = vec![0u32; size];
            if size != 0 {
                sys::glslang_program_SPIRV_get(self.raw.as_ptr(), words.as_mut_ptr());
            }
            words
        }
    }
}

fn messages(client: Client) -> sys::glslang_messages_t {
    match client {
        Client::Vulkan => {
            sys::glslang_messages_t::SPV_RULES | sys::glslang_messages_t::VULKAN_RULES
        }
        Client::OpenGl => sys::glslang_messages_t::SPV_RULES,
    }
}

fn input(
    of: Stage,
    es: bool,
    client: Client,
    resource: &sys::glslang_resource_t,
    code: *const c_char,
) -> sys::glslang_input_t {
    let (raw_client, client_version) = match client {
        Client::Vulkan => {
            (sys::glslang_client_t::Vulkan, sys::glslang_target_client_version_t::Vulkan1_1)
        }
        Client::OpenGl => {
            (sys::glslang_client_t::OpenGL, sys::glslang_target_client_version_t::OpenGL450)
        }
    };
    let (version, profile) =
        if es { (320, sys::glslang_profile_t::ES) } else { (460, sys::glslang_profile_t::Core) };
    sys::glslang_input_t {
        language: sys::glslang_source_t::GLSL,
        stage: stage(of),
        client: raw_client,
        client_version,
        target_language: sys::glslang_target_language_t::SPIRV,
        target_language_version: sys::glslang_target_language_version_t::SPIRV1_3,
        code,
        default_version: version,
        default_profile: profile,
        force_default_version_and_profile: 0,
        forward_compatible: 0,
        messages: messages(client),
        resource,
        callbacks: sys::glsl_include_callbacks_t {
            include_system: None,
            include_local: None,
            free_include_result: None,
        },
        callbacks_ctx: null_mut(),
    }
}

/// # Safety
/// `raw` is null or a NUL-terminated string that is not written during the call.
unsafe fn text(raw: *const c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(raw) }.to_string_lossy().into_owned()
}
