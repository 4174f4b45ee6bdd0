//! The host's GL functions: exactly those that this backend uses, typed, counted.
//!
//! Functions whose arguments are all values are safe methods: the table is made with its context current, it cannot leave that
//! thread, and GL checks values itself. Functions that take addresses are `unsafe`.

use super::Dialect;
use forerun_pipe::gl as c;
use std::cell::Cell;
use std::ffi::{c_char, c_void};

/// A callback for messages of the driver.
pub type DebugProc =
    Option<unsafe extern "system" fn(u32, u32, u32, u32, i32, *const c_char, *const c_void)>;

macro_rules! table {
    (
        required values { $( $rv:ident = $($rvn:literal)|+ ($($rva:ident : $rvt:ty),*) $(-> $rvr:ty)?; )* }
        required pointers { $( $rp:ident = $($rpn:literal)|+ ($($rpa:ident : $rpt:ty),*) $(-> $rpr:ty)?; )* }
        optional values { $( $ov:ident = $($ovn:literal)|+ ($($ova:ident : $ovt:ty),*) $(-> $ovr:ty)?
                where $ovg:literal [$($ovge:literal),*], $ove:literal [$($ovee:literal),*]; )* }
        optional pointers { $( $op:ident = $($opn:literal)|+ ($($opa:ident : $opt:ty),*) $(-> $opr:ty)?
                where $opg:literal [$($opge:literal),*], $ope:literal [$($opee:literal),*]; )* }
    ) => {
        /// Addresses of the functions.
        struct Functions {
            $( $rv: unsafe extern "system" fn($($rvt),*) $(-> $rvr)?, )*
            $( $rp: unsafe extern "system" fn($($rpt),*) $(-> $rpr)?, )*
            $( $ov: Option<unsafe extern "system" fn($($ovt),*) $(-> $ovr)?>, )*
            $( $op: Option<unsafe extern "system" fn($($opt),*) $(-> $opr)?>, )*
        }

        /// Which of the optional functions the host has.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Has {
            $( #[doc = concat!($($ovn, " "),+)] pub $ov: bool, )*
            $( #[doc = concat!($($opn, " "),+)] pub $op: bool, )*
        }

        /// The host's GL, for the thread whose current context it was made with.
        pub struct Gl {
            functions: Functions,
            /// Which of the optional functions there are.
            pub has: Has,
            calls: Cell<u64>,
            #[cfg(test)]
            log: std::cell::RefCell<Vec<&'static str>>,
            thread: std::marker::PhantomData<*const ()>,
        }

        #[allow(clippy::too_many_arguments)] // They are GL's.
        impl Gl {
            /// Looks all functions up. A context of that dialect must be current.
            ///
            /// Drivers give addresses for functions that the context does not have, so an optional one counts only when the
            /// context's version or extensions say so.
            ///
            /// # Errors
            /// The name of a function that every host of these dialects must have and that `lookup` does not find.
            pub fn load(lookup: &dyn Fn(&str) -> *const c_void, dialect: Dialect) -> Result<Gl, &'static str> {
                let first = |names: &[&str]| {
                    names.iter().map(|name| lookup(name)).find(|p| !p.is_null()).unwrap_or(std::ptr::null())
                };
                let functions = Functions {
                    $( $rv: {
                        let p = first(&[$($rvn),+]);
                        if p.is_null() { return Err(concat!($($rvn, " "),+)); }
                        // SAFETY: the driver's address of a function of this name has this type by the GL specification.
                        unsafe { std::mem::transmute::<*const c_void, unsafe extern "system" fn($($rvt),*) $(-> $rvr)?>(p) }
                    }, )*
                    $( $rp: {
                        let p = first(&[$($rpn),+]);
                        if p.is_null() { return Err(concat!($($rpn, " "),+)); }
                        // SAFETY: as above.
                        unsafe { std::mem::transmute::<*const c_void, unsafe extern "system" fn($($rpt),*) $(-> $rpr)?>(p) }
                    }, )*
                    $( $ov: None, )*
                    $( $op: None, )*
                };
                let mut gl = Gl {
                    functions,
                    has: Has::default(),
                    calls: Cell::new(0),
                    #[cfg(test)]
                    log: Default::default(),
                    thread: std::marker::PhantomData,
                };
                let offer = Offer::of(&gl, dialect);
                $( if offer.has($ovg, &[$($ovge),*], $ove, &[$($ovee),*]) {
                    let p = first(&[$($ovn),+]);
                    // SAFETY: as above; a null address is the absent function.
                    gl.functions.$ov = unsafe { std::mem::transmute::<*const c_void, Option<unsafe extern "system" fn($($ovt),*) $(-> $ovr)?>>(p) };
                    gl.has.$ov = !p.is_null();
                } )*
                $( if offer.has($opg, &[$($opge),*], $ope, &[$($opee),*]) {
                    let p = first(&[$($opn),+]);
                    // SAFETY: as above.
                    gl.functions.$op = unsafe { std::mem::transmute::<*const c_void, Option<unsafe extern "system" fn($($opt),*) $(-> $opr)?>>(p) };
                    gl.has.$op = !p.is_null();
                } )*
                Ok(gl)
            }

            $(
                #[doc = concat!($($rvn, " "),+)]
                #[inline]
                pub fn $rv(&self, $($rva: $rvt),*) $(-> $rvr)? {
                    self.count(stringify!($rv));
                    // SAFETY: all arguments are values, which GL checks; the context is current on this thread (see the type).
                    unsafe { (self.functions.$rv)($($rva),*) }
                }
            )*
            $(
                #[doc = concat!($($rpn, " "),+)]
                ///
                /// # Safety
                /// Every address must be good for what the GL specification says that the function reads or writes there.
                #[inline]
                pub unsafe fn $rp(&self, $($rpa: $rpt),*) $(-> $rpr)? {
                    self.count(stringify!($rp));
                    // SAFETY: the caller's.
                    unsafe { (self.functions.$rp)($($rpa),*) }
                }
            )*
            $(
                #[doc = concat!($($ovn, " "),+, "; nothing happens on a host without it.")]
                #[inline]
                pub fn $ov(&self, $($ova: $ovt),*) $(-> $ovr)? {
                    match self.functions.$ov {
                        Some(f) => {
                            self.count(stringify!($ov));
                            // SAFETY: all arguments are values.
                            unsafe { f($($ova),*) }
                        }
                        None => Default::default(),
                    }
                }
            )*
            $(
                #[doc = concat!($($opn, " "),+, "; nothing happens on a host without it.")]
                ///
                /// # Safety
                /// Every address must be good for what the GL specification says that the function reads or writes there.
                #[inline]
                pub unsafe fn $op(&self, $($opa: $opt),*) $(-> $opr)? {
                    match self.functions.$op {
                        Some(f) => {
                            self.count(stringify!($op));
                            // SAFETY: the caller's.
                            unsafe { f($($opa),*) }
                        }
                        None => Default::default(),
                    }
                }
            )*
        }
    };
}

/// What a context offers beyond the functions that every host has.
struct Offer {
    desktop: bool,
    version: u32,
    extensions: Vec<String>,
}

impl Offer {
    fn of(gl: &Gl, dialect: Dialect) -> Offer {
        let number = |pname: u32| u32::try_from(gl.integer(pname)).unwrap_or(0);
        Offer {
            desktop: dialect == Dialect::Gl,
            version: number(c::MAJOR_VERSION) * 10 + number(c::MINOR_VERSION),
            extensions: gl.extensions(),
        }
    }

    /// Whether the version of its API (0 for never) or one of the extensions (several are joined by `&`) brings a function.
    fn has(&self, gl: u32, gl_extensions: &[&str], es: u32, es_extensions: &[&str]) -> bool {
        let (version, extensions) =
            if self.desktop { (gl, gl_extensions) } else { (es, es_extensions) };
        let named = |name: &str| self.extensions.iter().any(|found| found == name);
        (version > 0 && self.version >= version)
            || extensions.iter().any(|names| names.split('&').all(named))
    }
}

impl Gl {
    #[inline]
    fn count(&self, _name: &'static str) {
        self.calls.set(self.calls.get().wrapping_add(1));
        #[cfg(test)]
        self.log.borrow_mut().push(_name);
    }

    /// How many calls were made into the driver.
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// The names of the calls since the last time this was asked.
    #[cfg(test)]
    pub fn take_log(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.log.borrow_mut())
    }

    /// One integer of the context.
    pub fn integer(&self, pname: u32) -> i32 {
        // Four values: some names (viewports, colours) answer more than one.
        let mut values = [0i32; 16];
        // SAFETY: no name that is asked here answers more than sixteen values.
        unsafe { self.get_integerv(pname, values.as_mut_ptr()) };
        values[0]
    }

    /// A string of the context; empty where there is none.
    pub fn string(&self, name: u32) -> String {
        text(self.get_string(name))
    }

    /// The names of the context's extensions.
    pub fn extensions(&self) -> Vec<String> {
        let count = u32::try_from(self.integer(c::NUM_EXTENSIONS)).unwrap_or(0);
        (0..count).map(|i| text(self.get_stringi(c::EXTENSIONS, i))).collect()
    }
}

fn text(address: *const u8) -> String {
    if address.is_null() {
        return String::new();
    }
    // SAFETY: GL's strings end with a zero and live as long as the context.
    unsafe { std::ffi::CStr::from_ptr(address.cast()) }.to_string_lossy().into_owned()
}

table! {
    required values {
        active_texture = "glActiveTexture" (texture: u32);
        attach_shader = "glAttachShader" (program: u32, shader: u32);
        begin_query = "glBeginQuery" (target: u32, id: u32);
        begin_transform_feedback = "glBeginTransformFeedback" (primitive_mode: u32);
        bind_buffer = "glBindBuffer" (target: u32, buffer: u32);
        bind_buffer_base = "glBindBufferBase" (target: u32, index: u32, buffer: u32);
        bind_buffer_range = "glBindBufferRange" (target: u32, index: u32, buffer: u32, offset: isize, size: isize);
        bind_framebuffer = "glBindFramebuffer" (target: u32, framebuffer: u32);
        bind_image_texture = "glBindImageTexture" (unit: u32, texture: u32, level: i32, layered: u8, layer: i32, access: u32, format: u32);
        bind_renderbuffer = "glBindRenderbuffer" (target: u32, renderbuffer: u32);
        bind_sampler = "glBindSampler" (unit: u32, sampler: u32);
        bind_texture = "glBindTexture" (target: u32, texture: u32);
        bind_transform_feedback = "glBindTransformFeedback" (target: u32, id: u32);
        bind_vertex_array = "glBindVertexArray" (array: u32);
        bind_vertex_buffer = "glBindVertexBuffer" (bindingindex: u32, buffer: u32, offset: isize, stride: i32);
        blend_color = "glBlendColor" (red: f32, green: f32, blue: f32, alpha: f32);
        blend_equation_separate = "glBlendEquationSeparate" (mode_rgb: u32, mode_alpha: u32);
        blend_equation_separatei = "glBlendEquationSeparatei" (buf: u32, mode_rgb: u32, mode_alpha: u32);
        blend_func_separate = "glBlendFuncSeparate" (sfactor_rgb: u32, dfactor_rgb: u32, sfactor_alpha: u32, dfactor_alpha: u32);
        blend_func_separatei = "glBlendFuncSeparatei" (buf: u32, src_rgb: u32, dst_rgb: u32, src_alpha: u32, dst_alpha: u32);
        blit_framebuffer = "glBlitFramebuffer" (src_x0: i32, src_y0: i32, src_x1: i32, src_y1: i32, dst_x0: i32, dst_y0: i32, dst_x1: i32, dst_y1: i32, mask: u32, filter: u32);
        check_framebuffer_status = "glCheckFramebufferStatus" (target: u32) -> u32;
        clear = "glClear" (mask: u32);
        clear_bufferfi = "glClearBufferfi" (buffer: u32, drawbuffer: i32, depth: f32, stencil: i32);
        clear_color = "glClearColor" (red: f32, green: f32, blue: f32, alpha: f32);
        clear_depthf = "glClearDepthf" (d: f32);
        clear_stencil = "glClearStencil" (s: i32);
        color_mask = "glColorMask" (red: u8, green: u8, blue: u8, alpha: u8);
        color_maski = "glColorMaski" (index: u32, r: u8, g: u8, b: u8, a: u8);
        compile_shader = "glCompileShader" (shader: u32);
        copy_buffer_sub_data = "glCopyBufferSubData" (read_target: u32, write_target: u32, read_offset: isize, write_offset: isize, size: isize);
        copy_image_sub_data = "glCopyImageSubData" (src_name: u32, src_target: u32, src_level: i32, src_x: i32, src_y: i32, src_z: i32, dst_name: u32, dst_target: u32, dst_level: i32, dst_x: i32, dst_y: i32, dst_z: i32, src_width: i32, src_height: i32, src_depth: i32);
        copy_tex_sub_image_2d = "glCopyTexSubImage2D" (target: u32, level: i32, xoffset: i32, yoffset: i32, x: i32, y: i32, width: i32, height: i32);
        copy_tex_sub_image_3d = "glCopyTexSubImage3D" (target: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, x: i32, y: i32, width: i32, height: i32);
        create_program = "glCreateProgram" () -> u32;
        create_shader = "glCreateShader" (ty: u32) -> u32;
        cull_face = "glCullFace" (mode: u32);
        delete_program = "glDeleteProgram" (program: u32);
        delete_shader = "glDeleteShader" (shader: u32);
        depth_func = "glDepthFunc" (func: u32);
        depth_mask = "glDepthMask" (flag: u8);
        depth_rangef = "glDepthRangef" (n: f32, f: f32);
        disable = "glDisable" (cap: u32);
        disable_vertex_attrib_array = "glDisableVertexAttribArray" (index: u32);
        disablei = "glDisablei" (target: u32, index: u32);
        dispatch_compute = "glDispatchCompute" (num_groups_x: u32, num_groups_y: u32, num_groups_z: u32);
        dispatch_compute_indirect = "glDispatchComputeIndirect" (indirect: isize);
        draw_arrays = "glDrawArrays" (mode: u32, first: i32, count: i32);
        draw_arrays_indirect = "glDrawArraysIndirect" (mode: u32, indirect: usize);
        draw_arrays_instanced = "glDrawArraysInstanced" (mode: u32, first: i32, count: i32, instancecount: i32);
        draw_elements = "glDrawElements" (mode: u32, count: i32, ty: u32, indices: usize);
        draw_elements_base_vertex = "glDrawElementsBaseVertex" (mode: u32, count: i32, ty: u32, indices: usize, basevertex: i32);
        draw_elements_indirect = "glDrawElementsIndirect" (mode: u32, ty: u32, indirect: usize);
        draw_elements_instanced = "glDrawElementsInstanced" (mode: u32, count: i32, ty: u32, indices: usize, instancecount: i32);
        draw_elements_instanced_base_vertex = "glDrawElementsInstancedBaseVertex" (mode: u32, count: i32, ty: u32, indices: usize, instancecount: i32, basevertex: i32);
        enable = "glEnable" (cap: u32);
        enable_vertex_attrib_array = "glEnableVertexAttribArray" (index: u32);
        enablei = "glEnablei" (target: u32, index: u32);
        end_query = "glEndQuery" (target: u32);
        end_transform_feedback = "glEndTransformFeedback" ();
        fence_sync = "glFenceSync" (condition: u32, flags: u32) -> *const c_void;
        finish = "glFinish" ();
        flush = "glFlush" ();
        flush_mapped_buffer_range = "glFlushMappedBufferRange" (target: u32, offset: isize, length: isize);
        framebuffer_parameteri = "glFramebufferParameteri" (target: u32, pname: u32, param: i32);
        framebuffer_renderbuffer = "glFramebufferRenderbuffer" (target: u32, attachment: u32, renderbuffertarget: u32, renderbuffer: u32);
        framebuffer_texture = "glFramebufferTexture" (target: u32, attachment: u32, texture: u32, level: i32);
        framebuffer_texture_2d = "glFramebufferTexture2D" (target: u32, attachment: u32, textarget: u32, texture: u32, level: i32);
        framebuffer_texture_layer = "glFramebufferTextureLayer" (target: u32, attachment: u32, texture: u32, level: i32, layer: i32);
        front_face = "glFrontFace" (mode: u32);
        generate_mipmap = "glGenerateMipmap" (target: u32);
        get_error = "glGetError" () -> u32;
        get_string = "glGetString" (name: u32) -> *const u8;
        get_stringi = "glGetStringi" (name: u32, index: u32) -> *const u8;
        line_width = "glLineWidth" (width: f32);
        link_program = "glLinkProgram" (program: u32);
        map_buffer_range = "glMapBufferRange" (target: u32, offset: isize, length: isize, access: u32) -> *mut c_void;
        memory_barrier = "glMemoryBarrier" (barriers: u32);
        memory_barrier_by_region = "glMemoryBarrierByRegion" (barriers: u32);
        min_sample_shading = "glMinSampleShading" (value: f32);
        patch_parameteri = "glPatchParameteri" (pname: u32, value: i32);
        pause_transform_feedback = "glPauseTransformFeedback" ();
        pixel_storei = "glPixelStorei" (pname: u32, param: i32);
        polygon_offset = "glPolygonOffset" (factor: f32, units: f32);
        pop_debug_group = "glPopDebugGroup" ();
        read_buffer = "glReadBuffer" (src: u32);
        renderbuffer_storage = "glRenderbufferStorage" (target: u32, internalformat: u32, width: i32, height: i32);
        renderbuffer_storage_multisample = "glRenderbufferStorageMultisample" (target: u32, samples: i32, internalformat: u32, width: i32, height: i32);
        resume_transform_feedback = "glResumeTransformFeedback" ();
        sample_coverage = "glSampleCoverage" (value: f32, invert: u8);
        sample_maski = "glSampleMaski" (mask_number: u32, mask: u32);
        sampler_parameterf = "glSamplerParameterf" (sampler: u32, pname: u32, param: f32);
        sampler_parameteri = "glSamplerParameteri" (sampler: u32, pname: u32, param: i32);
        scissor = "glScissor" (x: i32, y: i32, width: i32, height: i32);
        stencil_func_separate = "glStencilFuncSeparate" (face: u32, func: u32, reference: i32, mask: u32);
        stencil_mask_separate = "glStencilMaskSeparate" (face: u32, mask: u32);
        stencil_op_separate = "glStencilOpSeparate" (face: u32, sfail: u32, dpfail: u32, dppass: u32);
        tex_buffer = "glTexBuffer" (target: u32, internalformat: u32, buffer: u32);
        tex_buffer_range = "glTexBufferRange" (target: u32, internalformat: u32, buffer: u32, offset: isize, size: isize);
        tex_parameterf = "glTexParameterf" (target: u32, pname: u32, param: f32);
        tex_parameteri = "glTexParameteri" (target: u32, pname: u32, param: i32);
        tex_storage_2d = "glTexStorage2D" (target: u32, levels: i32, internalformat: u32, width: i32, height: i32);
        tex_storage_2d_multisample = "glTexStorage2DMultisample" (target: u32, samples: i32, internalformat: u32, width: i32, height: i32, fixedsamplelocations: u8);
        tex_storage_3d = "glTexStorage3D" (target: u32, levels: i32, internalformat: u32, width: i32, height: i32, depth: i32);
        tex_storage_3d_multisample = "glTexStorage3DMultisample" (target: u32, samples: i32, internalformat: u32, width: i32, height: i32, depth: i32, fixedsamplelocations: u8);
        unmap_buffer = "glUnmapBuffer" (target: u32) -> u8;
        use_program = "glUseProgram" (program: u32);
        vertex_attrib_binding = "glVertexAttribBinding" (attribindex: u32, bindingindex: u32);
        vertex_attrib_pointer = "glVertexAttribPointer" (index: u32, size: i32, ty: u32, normalized: u8, stride: i32, offset: usize);
        vertex_attrib_format = "glVertexAttribFormat" (attribindex: u32, size: i32, ty: u32, normalized: u8, relativeoffset: u32);
        vertex_attrib_i_format = "glVertexAttribIFormat" (attribindex: u32, size: i32, ty: u32, relativeoffset: u32);
        vertex_binding_divisor = "glVertexBindingDivisor" (bindingindex: u32, divisor: u32);
        viewport = "glViewport" (x: i32, y: i32, width: i32, height: i32);
    }
    required pointers {
        buffer_data = "glBufferData" (target: u32, size: isize, data: *const c_void, usage: u32);
        buffer_sub_data = "glBufferSubData" (target: u32, offset: isize, size: isize, data: *const c_void);
        clear_bufferfv = "glClearBufferfv" (buffer: u32, drawbuffer: i32, value: *const f32);
        clear_bufferiv = "glClearBufferiv" (buffer: u32, drawbuffer: i32, value: *const i32);
        clear_bufferuiv = "glClearBufferuiv" (buffer: u32, drawbuffer: i32, value: *const u32);
        client_wait_sync = "glClientWaitSync" (sync: *const c_void, flags: u32, timeout: u64) -> u32;
        compressed_tex_image_2d = "glCompressedTexImage2D" (target: u32, level: i32, internalformat: u32, width: i32, height: i32, border: i32, image_size: i32, data: *const c_void);
        compressed_tex_image_3d = "glCompressedTexImage3D" (target: u32, level: i32, internalformat: u32, width: i32, height: i32, depth: i32, border: i32, image_size: i32, data: *const c_void);
        compressed_tex_sub_image_2d = "glCompressedTexSubImage2D" (target: u32, level: i32, xoffset: i32, yoffset: i32, width: i32, height: i32, format: u32, image_size: i32, data: *const c_void);
        compressed_tex_sub_image_3d = "glCompressedTexSubImage3D" (target: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, width: i32, height: i32, depth: i32, format: u32, image_size: i32, data: *const c_void);
        debug_message_insert = "glDebugMessageInsert" (source: u32, ty: u32, id: u32, severity: u32, length: i32, buf: *const c_char);
        delete_buffers = "glDeleteBuffers" (n: i32, buffers: *const u32);
        delete_framebuffers = "glDeleteFramebuffers" (n: i32, framebuffers: *const u32);
        delete_queries = "glDeleteQueries" (n: i32, ids: *const u32);
        delete_renderbuffers = "glDeleteRenderbuffers" (n: i32, renderbuffers: *const u32);
        delete_samplers = "glDeleteSamplers" (count: i32, samplers: *const u32);
        delete_sync = "glDeleteSync" (sync: *const c_void);
        delete_textures = "glDeleteTextures" (n: i32, textures: *const u32);
        delete_transform_feedbacks = "glDeleteTransformFeedbacks" (n: i32, ids: *const u32);
        delete_vertex_arrays = "glDeleteVertexArrays" (n: i32, arrays: *const u32);
        draw_buffers = "glDrawBuffers" (n: i32, bufs: *const u32);
        gen_buffers = "glGenBuffers" (n: i32, buffers: *mut u32);
        gen_framebuffers = "glGenFramebuffers" (n: i32, framebuffers: *mut u32);
        gen_queries = "glGenQueries" (n: i32, ids: *mut u32);
        gen_renderbuffers = "glGenRenderbuffers" (n: i32, renderbuffers: *mut u32);
        gen_samplers = "glGenSamplers" (count: i32, samplers: *mut u32);
        gen_textures = "glGenTextures" (n: i32, textures: *mut u32);
        gen_transform_feedbacks = "glGenTransformFeedbacks" (n: i32, ids: *mut u32);
        gen_vertex_arrays = "glGenVertexArrays" (n: i32, arrays: *mut u32);
        get_floatv = "glGetFloatv" (pname: u32, data: *mut f32);
        get_framebuffer_attachment_parameteriv = "glGetFramebufferAttachmentParameteriv" (target: u32, attachment: u32, pname: u32, params: *mut i32);
        get_integer_64v = "glGetInteger64v" (pname: u32, data: *mut i64);
        get_integeri_v = "glGetIntegeri_v" (target: u32, index: u32, data: *mut i32);
        get_integerv = "glGetIntegerv" (pname: u32, data: *mut i32);
        get_internalformativ = "glGetInternalformativ" (target: u32, internalformat: u32, pname: u32, count: i32, params: *mut i32);
        get_program_info_log = "glGetProgramInfoLog" (program: u32, buf_size: i32, length: *mut i32, info_log: *mut c_char);
        get_programiv = "glGetProgramiv" (program: u32, pname: u32, params: *mut i32);
        get_query_objectuiv = "glGetQueryObjectuiv" (id: u32, pname: u32, params: *mut u32);
        get_queryiv = "glGetQueryiv" (target: u32, pname: u32, params: *mut i32);
        get_renderbuffer_parameteriv = "glGetRenderbufferParameteriv" (target: u32, pname: u32, params: *mut i32);
        get_shader_info_log = "glGetShaderInfoLog" (shader: u32, buf_size: i32, length: *mut i32, info_log: *mut c_char);
        get_shaderiv = "glGetShaderiv" (shader: u32, pname: u32, params: *mut i32);
        get_tex_level_parameteriv = "glGetTexLevelParameteriv" (target: u32, level: i32, pname: u32, params: *mut i32);
        invalidate_framebuffer = "glInvalidateFramebuffer" (target: u32, num_attachments: i32, attachments: *const u32);
        invalidate_sub_framebuffer = "glInvalidateSubFramebuffer" (target: u32, num_attachments: i32, attachments: *const u32, x: i32, y: i32, width: i32, height: i32);
        object_label = "glObjectLabel" (identifier: u32, name: u32, length: i32, label: *const c_char);
        push_debug_group = "glPushDebugGroup" (source: u32, id: u32, length: i32, message: *const c_char);
        read_pixels = "glReadPixels" (x: i32, y: i32, width: i32, height: i32, format: u32, ty: u32, pixels: *mut c_void);
        sampler_parameter_iiv = "glSamplerParameterIiv" (sampler: u32, pname: u32, param: *const i32);
        sampler_parameter_iuiv = "glSamplerParameterIuiv" (sampler: u32, pname: u32, param: *const u32);
        sampler_parameterfv = "glSamplerParameterfv" (sampler: u32, pname: u32, param: *const f32);
        shader_source = "glShaderSource" (shader: u32, count: i32, string: *const *const c_char, length: *const i32);
        tex_image_2d = "glTexImage2D" (target: u32, level: i32, internalformat: i32, width: i32, height: i32, border: i32, format: u32, ty: u32, pixels: *const c_void);
        tex_image_3d = "glTexImage3D" (target: u32, level: i32, internalformat: i32, width: i32, height: i32, depth: i32, border: i32, format: u32, ty: u32, pixels: *const c_void);
        tex_parameter_iiv = "glTexParameterIiv" (target: u32, pname: u32, params: *const i32);
        tex_parameter_iuiv = "glTexParameterIuiv" (target: u32, pname: u32, params: *const u32);
        tex_parameterfv = "glTexParameterfv" (target: u32, pname: u32, params: *const f32);
        tex_sub_image_2d = "glTexSubImage2D" (target: u32, level: i32, xoffset: i32, yoffset: i32, width: i32, height: i32, format: u32, ty: u32, pixels: *const c_void);
        tex_sub_image_3d = "glTexSubImage3D" (target: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, width: i32, height: i32, depth: i32, format: u32, ty: u32, pixels: *const c_void);
        transform_feedback_varyings = "glTransformFeedbackVaryings" (program: u32, count: i32, varyings: *const *const c_char, buffer_mode: u32);
        vertex_attrib_4fv = "glVertexAttrib4fv" (index: u32, v: *const f32);
        vertex_attrib_i4iv = "glVertexAttribI4iv" (index: u32, v: *const i32);
        vertex_attrib_i4uiv = "glVertexAttribI4uiv" (index: u32, v: *const u32);
        wait_sync = "glWaitSync" (sync: *const c_void, flags: u32, timeout: u64);
    }
    optional values {
        begin_conditional_render = "glBeginConditionalRender" | "glBeginConditionalRenderNV" (id: u32, mode: u32) where 33 [], 0 ["GL_NV_conditional_render"];
        begin_query_indexed = "glBeginQueryIndexed" (target: u32, index: u32, id: u32) where 40 [], 0 [];
        blend_barrier = "glBlendBarrier" | "glBlendBarrierKHR" | "glBlendBarrierNV" () where 0 ["GL_KHR_blend_equation_advanced"], 32 [];
        clip_control = "glClipControl" | "glClipControlEXT" (origin: u32, depth: u32) where 45 ["GL_ARB_clip_control"], 0 ["GL_EXT_clip_control"];
        copy_tex_sub_image_1d = "glCopyTexSubImage1D" (target: u32, level: i32, xoffset: i32, x: i32, y: i32, width: i32) where 33 [], 0 [];
        depth_range = "glDepthRange" (n: f64, f: f64) where 33 [], 0 [];
        depth_range_indexed = "glDepthRangeIndexed" (index: u32, n: f64, f: f64) where 41 [], 0 [];
        depth_range_indexedf_oes = "glDepthRangeIndexedfOES" | "glDepthRangeIndexedfNV" (index: u32, n: f32, f: f32) where 0 [], 0 ["GL_OES_viewport_array", "GL_NV_viewport_array"];
        draw_arrays_instanced_base_instance = "glDrawArraysInstancedBaseInstance" | "glDrawArraysInstancedBaseInstanceEXT" (mode: u32, first: i32, count: i32, instancecount: i32, baseinstance: u32) where 42 [], 0 ["GL_EXT_base_instance"];
        draw_buffer = "glDrawBuffer" (buf: u32) where 33 [], 0 [];
        draw_elements_instanced_base_instance = "glDrawElementsInstancedBaseInstance" | "glDrawElementsInstancedBaseInstanceEXT" (mode: u32, count: i32, ty: u32, indices: usize, instancecount: i32, baseinstance: u32) where 42 [], 0 ["GL_EXT_base_instance"];
        draw_elements_instanced_base_vertex_base_instance = "glDrawElementsInstancedBaseVertexBaseInstance" | "glDrawElementsInstancedBaseVertexBaseInstanceEXT" (mode: u32, count: i32, ty: u32, indices: usize, instancecount: i32, basevertex: i32, baseinstance: u32) where 42 [], 0 ["GL_EXT_base_instance"];
        draw_transform_feedback = "glDrawTransformFeedback" (mode: u32, id: u32) where 40 [], 0 [];
        draw_transform_feedback_instanced = "glDrawTransformFeedbackInstanced" (mode: u32, id: u32, instancecount: i32) where 42 [], 0 [];
        draw_transform_feedback_stream = "glDrawTransformFeedbackStream" (mode: u32, id: u32, stream: u32) where 40 [], 0 [];
        draw_transform_feedback_stream_instanced = "glDrawTransformFeedbackStreamInstanced" (mode: u32, id: u32, stream: u32, instancecount: i32) where 42 [], 0 [];
        end_conditional_render = "glEndConditionalRender" | "glEndConditionalRenderNV" () where 33 [], 0 ["GL_NV_conditional_render"];
        end_query_indexed = "glEndQueryIndexed" (target: u32, index: u32) where 40 [], 0 [];
        framebuffer_fetch_barrier_ext = "glFramebufferFetchBarrierEXT" () where 0 ["GL_EXT_shader_framebuffer_fetch_non_coherent"], 0 ["GL_EXT_shader_framebuffer_fetch_non_coherent"];
        clamp_color = "glClampColor" (target: u32, clamp: u32) where 33 [], 0 [];
        framebuffer_texture_1d = "glFramebufferTexture1D" (target: u32, attachment: u32, textarget: u32, texture: u32, level: i32) where 33 [], 0 [];
        framebuffer_texture_2d_multisample_ext = "glFramebufferTexture2DMultisampleEXT" (target: u32, attachment: u32, textarget: u32, texture: u32, level: i32, samples: i32) where 0 [], 0 ["GL_EXT_multisampled_render_to_texture"];
        framebuffer_texture_3d = "glFramebufferTexture3D" | "glFramebufferTexture3DOES" (target: u32, attachment: u32, textarget: u32, texture: u32, level: i32, zoffset: i32) where 33 [], 0 [];
        get_graphics_reset_status = "glGetGraphicsResetStatus" | "glGetGraphicsResetStatusEXT" | "glGetGraphicsResetStatusKHR" | "glGetGraphicsResetStatusARB" () -> u32 where 45 ["GL_KHR_robustness", "GL_ARB_robustness"], 32 [];
        invalidate_buffer_sub_data = "glInvalidateBufferSubData" (buffer: u32, offset: isize, length: isize) where 43 [], 0 [];
        invalidate_tex_image = "glInvalidateTexImage" (texture: u32, level: i32) where 43 [], 0 [];
        invalidate_tex_sub_image = "glInvalidateTexSubImage" (texture: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, width: i32, height: i32, depth: i32) where 43 [], 0 [];
        logic_op = "glLogicOp" (opcode: u32) where 33 [], 0 [];
        multi_draw_arrays_indirect = "glMultiDrawArraysIndirect" | "glMultiDrawArraysIndirectEXT" (mode: u32, indirect: usize, drawcount: i32, stride: i32) where 43 [], 0 ["GL_EXT_multi_draw_indirect"];
        multi_draw_arrays_indirect_count = "glMultiDrawArraysIndirectCount" | "glMultiDrawArraysIndirectCountARB" (mode: u32, indirect: usize, drawcount: isize, maxdrawcount: i32, stride: i32) where 46 ["GL_ARB_indirect_parameters"], 0 [];
        multi_draw_elements_indirect = "glMultiDrawElementsIndirect" | "glMultiDrawElementsIndirectEXT" (mode: u32, ty: u32, indirect: usize, drawcount: i32, stride: i32) where 43 [], 0 ["GL_EXT_multi_draw_indirect"];
        multi_draw_elements_indirect_count = "glMultiDrawElementsIndirectCount" | "glMultiDrawElementsIndirectCountARB" (mode: u32, ty: u32, indirect: usize, drawcount: isize, maxdrawcount: i32, stride: i32) where 46 ["GL_ARB_indirect_parameters"], 0 [];
        point_parameterf = "glPointParameterf" (pname: u32, param: f32) where 33 [], 0 [];
        point_parameteri = "glPointParameteri" (pname: u32, param: i32) where 33 [], 0 [];
        point_size = "glPointSize" (size: f32) where 33 [], 0 [];
        polygon_mode = "glPolygonMode" | "glPolygonModeNV" (face: u32, mode: u32) where 33 [], 0 ["GL_NV_polygon_mode"];
        polygon_offset_clamp = "glPolygonOffsetClamp" | "glPolygonOffsetClampEXT" (factor: f32, units: f32, clamp: f32) where 46 ["GL_ARB_polygon_offset_clamp", "GL_EXT_polygon_offset_clamp"], 0 ["GL_EXT_polygon_offset_clamp"];
        primitive_bounding_box = "glPrimitiveBoundingBox" | "glPrimitiveBoundingBoxEXT" | "glPrimitiveBoundingBoxOES" (min_x: f32, min_y: f32, min_z: f32, min_w: f32, max_x: f32, max_y: f32, max_z: f32, max_w: f32) where 0 ["GL_ARB_ES3_2_compatibility"], 32 [];
        primitive_restart_index = "glPrimitiveRestartIndex" (index: u32) where 33 [], 0 [];
        provoking_vertex = "glProvokingVertex" (mode: u32) where 33 [], 0 [];
        query_counter = "glQueryCounter" | "glQueryCounterEXT" (id: u32, target: u32) where 33 [], 0 ["GL_EXT_disjoint_timer_query"];
        renderbuffer_storage_multisample_ext = "glRenderbufferStorageMultisampleEXT" (target: u32, samples: i32, internalformat: u32, width: i32, height: i32) where 0 [], 0 ["GL_EXT_multisampled_render_to_texture"];
        scissor_indexed = "glScissorIndexed" | "glScissorIndexedOES" | "glScissorIndexedNV" (index: u32, left: i32, bottom: i32, width: i32, height: i32) where 41 [], 0 ["GL_OES_viewport_array", "GL_NV_viewport_array"];
        tex_image_2d_multisample = "glTexImage2DMultisample" (target: u32, samples: i32, internalformat: u32, width: i32, height: i32, fixedsamplelocations: u8) where 33 [], 0 [];
        tex_image_3d_multisample = "glTexImage3DMultisample" (target: u32, samples: i32, internalformat: u32, width: i32, height: i32, depth: i32, fixedsamplelocations: u8) where 33 [], 0 [];
        tex_storage_1d = "glTexStorage1D" (target: u32, levels: i32, internalformat: u32, width: i32) where 42 [], 0 [];
        texture_barrier = "glTextureBarrier" | "glTextureBarrierNV" () where 45 ["GL_ARB_texture_barrier", "GL_NV_texture_barrier"], 0 ["GL_NV_texture_barrier"];
        texture_view = "glTextureView" | "glTextureViewEXT" | "glTextureViewOES" (texture: u32, target: u32, origtexture: u32, internalformat: u32, minlevel: u32, numlevels: u32, minlayer: u32, numlayers: u32) where 43 [], 0 ["GL_EXT_texture_view", "GL_OES_texture_view"];
        vertex_attrib_l_format = "glVertexAttribLFormat" (attribindex: u32, size: i32, ty: u32, relativeoffset: u32) where 43 [], 0 [];
        viewport_indexedf = "glViewportIndexedf" | "glViewportIndexedfOES" | "glViewportIndexedfNV" (index: u32, x: f32, y: f32, w: f32, h: f32) where 41 [], 0 ["GL_OES_viewport_array", "GL_NV_viewport_array"];
    }
    optional pointers {
        buffer_storage = "glBufferStorage" | "glBufferStorageEXT" (target: u32, size: isize, data: *const c_void, flags: u32) where 44 ["GL_ARB_buffer_storage"], 0 ["GL_EXT_buffer_storage"];
        clear_buffer_sub_data = "glClearBufferSubData" (target: u32, internalformat: u32, offset: isize, size: isize, format: u32, ty: u32, data: *const c_void) where 43 [], 0 [];
        clear_tex_sub_image = "glClearTexSubImage" | "glClearTexSubImageEXT" (texture: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, width: i32, height: i32, depth: i32, format: u32, ty: u32, data: *const c_void) where 44 ["GL_ARB_clear_texture"], 0 ["GL_EXT_clear_texture"];
        compressed_tex_image_1d = "glCompressedTexImage1D" (target: u32, level: i32, internalformat: u32, width: i32, border: i32, image_size: i32, data: *const c_void) where 33 [], 0 [];
        compressed_tex_sub_image_1d = "glCompressedTexSubImage1D" (target: u32, level: i32, xoffset: i32, width: i32, format: u32, image_size: i32, data: *const c_void) where 33 [], 0 [];
        debug_message_callback = "glDebugMessageCallback" | "glDebugMessageCallbackKHR" (callback: DebugProc, user_param: *const c_void) where 43 [], 32 [];
        get_compressed_tex_image = "glGetCompressedTexImage" (target: u32, level: i32, img: *mut c_void) where 33 [], 0 [];
        get_compressed_texture_sub_image = "glGetCompressedTextureSubImage" (texture: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, width: i32, height: i32, depth: i32, buf_size: i32, pixels: *mut c_void) where 45 ["GL_ARB_get_texture_sub_image"], 0 [];
        get_internalformati_64v = "glGetInternalformati64v" (target: u32, internalformat: u32, pname: u32, count: i32, params: *mut i64) where 43 [], 0 [];
        get_query_objectui_64v = "glGetQueryObjectui64v" | "glGetQueryObjectui64vEXT" (id: u32, pname: u32, params: *mut u64) where 33 [], 0 ["GL_EXT_disjoint_timer_query"];
        get_tex_image = "glGetTexImage" (target: u32, level: i32, format: u32, ty: u32, pixels: *mut c_void) where 33 [], 0 [];
        get_texture_sub_image = "glGetTextureSubImage" (texture: u32, level: i32, xoffset: i32, yoffset: i32, zoffset: i32, width: i32, height: i32, depth: i32, format: u32, ty: u32, buf_size: i32, pixels: *mut c_void) where 45 ["GL_ARB_get_texture_sub_image"], 0 [];
        multi_draw_arrays = "glMultiDrawArrays" | "glMultiDrawArraysEXT" (mode: u32, first: *const i32, count: *const i32, drawcount: i32) where 33 [], 0 ["GL_EXT_multi_draw_arrays"];
        multi_draw_elements = "glMultiDrawElements" | "glMultiDrawElementsEXT" (mode: u32, count: *const i32, ty: u32, indices: *const *const c_void, drawcount: i32) where 33 [], 0 ["GL_EXT_multi_draw_arrays"];
        multi_draw_elements_base_vertex = "glMultiDrawElementsBaseVertex" | "glMultiDrawElementsBaseVertexEXT" | "glMultiDrawElementsBaseVertexOES" (mode: u32, count: *const i32, ty: u32, indices: *const *const c_void, drawcount: i32, basevertex: *const i32) where 33 [], 0 ["GL_EXT_draw_elements_base_vertex&GL_EXT_multi_draw_arrays", "GL_OES_draw_elements_base_vertex&GL_EXT_multi_draw_arrays"];
        patch_parameterfv = "glPatchParameterfv" (pname: u32, values: *const f32) where 40 [], 0 [];
        tex_image_1d = "glTexImage1D" (target: u32, level: i32, internalformat: i32, width: i32, border: i32, format: u32, ty: u32, pixels: *const c_void) where 33 [], 0 [];
        tex_sub_image_1d = "glTexSubImage1D" (target: u32, level: i32, xoffset: i32, width: i32, format: u32, ty: u32, pixels: *const c_void) where 33 [], 0 [];
        vertex_attrib_l4dv = "glVertexAttribL4dv" (index: u32, v: *const f64) where 41 [], 0 [];
    }
}
