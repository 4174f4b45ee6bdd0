//! Executables: translation, compilation, uniforms, and the buffers that their slots read.

use crate::backend::GlBackend;
use crate::binds::Slot;
use crate::ring::Place;
use crate::sampler::target_of;
use crate::twin::Native;
use forerun_pipe::archive::{Archive, Stage};
use forerun_pipe::handle::kind;
use forerun_pipe::records::class;
use forerun_pipe::{Handle, RawHandle, gl as c};
use forerun_server::Tables;
use forerun_server::backend::{Failure, Outcome};
use forerun_server::objects::Executable;
use forerun_server::state::{Env, Resolved, Target};
use forerun_spirv::Options;
use std::ffi::CString;

/// A fragment shader that writes nothing.
const NO_FRAGMENT: &str = "#version 320 es\nvoid main() {}\n";

/// What a variant of an executable is specialised for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Key {
    /// Outputs that `gl_FragColor` goes to.
    broadcast: u32,
    /// Formats of images that the shaders give none.
    formats: Vec<(u32, u32)>,
    /// The bits of GL_POINT_SIZE, where a shader has to write it for the host.
    point_size: Option<u32>,
    /// `gl_PointCoord` counts from the lower edge.
    points_up: bool,
}

/// A program of the host, or the failure to make it.
#[derive(Clone, Debug)]
struct Variant {
    key: Key,
    program: Option<Native>,
}

/// An executable of the host.
#[derive(Debug)]
pub struct ProgramTwin {
    variants: Vec<Variant>,
    current: usize,
    /// Whether the variant depends on the framebuffer or the images.
    specialised: bool,
    /// Whether a variant writes the size of points.
    pointed: bool,
    /// Target that each sampler slot reads.
    pub sampler_targets: Vec<u32>,
    /// Bytes of the default block; 0 for none.
    constants: u64,
    /// Where the default block stands in the ring, with its serial.
    place: Option<(Place, u64)>,
    storages: u32,
    blocks: u32,
    images: u32,
    /// Whether shaders choose viewports.
    pub many_viewports: bool,
    /// Whether a shader reads the draw's number.
    pub uses_draw_id: bool,
    /// Whether primitives are patches.
    pub tessellated: bool,
}

impl GlBackend {
    pub(crate) fn create_executable(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Executable>,
    ) -> Outcome {
        let Some(executable) = tables.executables.get(handle) else { return Ok(()) };
        let archive = &executable.archive;
        let mut sampler_targets = vec![c::TEXTURE_2D; archive.sampler_slots() as usize];
        for sampler in &archive.samplers {
            let range = sampler.slot as usize..(sampler.slot + sampler.count) as usize;
            if let Some(slots) = sampler_targets.get_mut(range) {
                slots.fill(target_of(sampler.ty));
            }
        }
        let twin = ProgramTwin {
            variants: Vec::new(),
            current: 0,
            specialised: archive.broadcasts_color || archive.images.iter().any(|i| i.format == 0),
            pointed: false,
            sampler_targets,
            constants: u64::from(archive.default_block_size),
            place: None,
            storages: archive.storage_slots(),
            blocks: archive.uniform_slots(),
            images: archive.image_slots(),
            many_viewports: archive.stages.iter().any(|s| s.info.writes_viewport_index),
            uses_draw_id: archive.stages.iter().any(|s| s.info.uses_draw_id),
            tessellated: archive.stage(Stage::TessEvaluation).is_some(),
        };
        self.programs.insert(handle, twin);
        Ok(())
    }

    /// Selects the program of an executable, made if need be.
    ///
    /// # Errors
    /// GL_INVALID_OPERATION with the host's info log, once; later uses are declined.
    pub(crate) fn use_program(
        &mut self,
        env: &Env,
        handle: Handle<kind::Executable>,
        executable: &Executable,
    ) -> Outcome {
        let Some(twin) = self.programs.get(handle) else {
            return Err(Failure::Declined { code: c::INVALID_OPERATION });
        };
        let points = self.drawing_points && self.is_gles();
        // While feedback is captured the host refuses another program.
        let pinned = !self.capturing.is_null() && !twin.variants.is_empty();
        let found = if !pinned
            && (twin.variants.is_empty() || twin.specialised || points || twin.pointed)
        {
            let key = self.key(env, executable);
            let Some(twin) = self.programs.get_mut(handle) else { return Ok(()) };
            let current = twin.variants.get(twin.current).is_some_and(|v| v.key == key);
            let at = if current {
                Some(twin.current)
            } else {
                twin.variants.iter().position(|v| v.key == key)
            };
            match at {
                Some(at) => {
                    twin.current = at;
                    twin.variants.get(at).and_then(|v| v.program)
                }
                None => {
                    let made = self.make(&executable.archive, &key);
                    let program = made.as_ref().ok().copied();
                    if let Some(twin) = self.programs.get_mut(handle) {
                        twin.pointed |= key.point_size.is_some() || key.points_up;
                        twin.current = twin.variants.len();
                        twin.variants.push(Variant { key, program });
                    }
                    if let Err(text) = made {
                        log::error!("a program cannot be made on the host: {text}");
                        return Err(Failure::gl(c::INVALID_OPERATION, text));
                    }
                    program
                }
            }
        } else {
            twin.variants.get(twin.current).and_then(|v| v.program)
        };
        match found {
            Some(native) => {
                self.binds.program(&self.host.gl, native);
                Ok(())
            }
            None => Err(Failure::Declined { code: c::INVALID_OPERATION }),
        }
    }

    /// What the present state specialises an executable for.
    fn key(&self, env: &Env, executable: &Executable) -> Key {
        let archive = &executable.archive;
        let broadcast = if archive.broadcasts_color {
            match env.draw_target() {
                Target::Framebuffer(_, object) => {
                    let buffers = &object.desc.draw_buffers;
                    buffers.iter().rposition(|b| *b != c::NONE).map_or(1, |i| i as u32 + 1)
                }
                _ => 1,
            }
        } else {
            0
        };
        let mut formats = Vec::new();
        for image in archive.images.iter().filter(|i| i.format == 0) {
            for slot in image.slot..image.slot.saturating_add(image.count) {
                let unit = executable.bindings.images.get(slot as usize).copied().unwrap_or(0);
                let format = env.context.images.get(unit as usize).map_or(0, |view| view.format);
                if format != 0 {
                    formats.push((slot, format));
                }
            }
        }
        // An ES host takes the size of points from shaders alone.
        let state = env.tables.render_states.get(env.context.render_state.value);
        let fixed = state.is_some_and(|state| state.desc.program_point_size == 0);
        let points = self.is_gles() && self.rasters_points(archive);
        let point_size = (points && fixed).then(|| env.context.dynamic.point_size.to_bits());
        let points_up =
            points && state.is_some_and(|state| state.desc.point_sprite_origin == c::LOWER_LEFT);
        Key { broadcast, formats, point_size, points_up }
    }

    /// Whether points come out of the last stage before rasterisation.
    fn rasters_points(&self, archive: &Archive) -> bool {
        if let Some(code) = archive.stage(Stage::Geometry) {
            return !self.client_es && code.info.geometry_output == c::POINTS;
        }
        match archive.stage(Stage::TessEvaluation) {
            Some(code) => !self.client_es && code.info.tess_point_mode,
            None => self.drawing_points,
        }
    }

    fn make(&mut self, archive: &Archive, key: &Key) -> Result<Native, String> {
        let begun = std::time::Instant::now();
        let made = self.compile_all(archive, key);
        self.compiled += begun.elapsed();
        made
    }

    fn compile_all(&mut self, archive: &Archive, key: &Key) -> Result<Native, String> {
        let gl = &self.host.gl;
        let program = gl.create_program();
        let mut failure = None;
        for code in &archive.stages {
            let options = Options {
                stages: archive.stage_mask(),
                image_formats: &key.formats,
                broadcast: key.broadcast,
                fetched: code.info.fetched_outputs,
                fetched_noncoherently: code.info.fetches_noncoherently,
                points_up: key.points_up,
                upper_left: code.info.fragcoord_upper_left,
                pixel_center_integer: code.info.fragcoord_integer,
            };
            let made = forerun_spirv::translate(code.stage, &code.spirv, &self.language, &options)
                .map_err(|refusal| refusal.to_string())
                .and_then(|mut text| {
                    if Some(code.stage) == last_before_raster(archive)
                        && let Some(size) = key.point_size
                    {
                        self.write_point_size(code.stage, &mut text, f32::from_bits(size));
                    }
                    self.compile(code.stage, &text)
                });
            match made {
                Ok(shader) => {
                    gl.attach_shader(program, shader);
                    // It lives on as long as it is attached.
                    gl.delete_shader(shader);
                }
                Err(text) => {
                    failure = Some(format!("{} stage: {text}", code.stage.word()));
                    break;
                }
            }
        }
        // ES links no rendering program without a fragment shader; desktop GL does.
        let rendering = archive.stage(Stage::Compute).is_none();
        if failure.is_none()
            && rendering
            && self.is_gles()
            && archive.stage(Stage::Fragment).is_none()
        {
            match self.compile(Stage::Fragment, NO_FRAGMENT) {
                Ok(shader) => {
                    gl.attach_shader(program, shader);
                    gl.delete_shader(shader);
                }
                Err(text) => failure = Some(text),
            }
        }
        if failure.is_none() {
            failure = self.link(archive, program).err();
        }
        if let Some(text) = failure {
            gl.delete_program(program);
            return Err(text);
        }
        Ok(Native { name: program, uid: self.uid() })
    }

    /// Makes a shader write the size of points: a geometry shader before each vertex, others as the last thing that they do. The
    /// entry point stands last in the text.
    fn write_point_size(&self, stage: Stage, text: &mut String, size: f32) {
        let line = format!("gl_PointSize = {size:?};");
        if stage == Stage::Geometry {
            *text = text.replace("EmitVertex();", &format!("{line} EmitVertex();"));
        } else if let Some(end) = text.rfind('}') {
            text.insert_str(end, &format!("    {line}\n"));
        }
        let word = match stage {
            Stage::Geometry => "geometry",
            Stage::TessEvaluation => "tessellation",
            _ => return,
        };
        let names = ["EXT", "OES"].map(|by| format!("GL_{by}_{word}_point_size"));
        if let Some(name) = names.iter().find(|name| self.facts.has(name))
            && let Some((first, rest)) = text.split_once('\n')
            && !text.contains(name.as_str())
        {
            *text = format!("{first}\n#extension {name} : require\n{rest}");
        }
    }

    fn compile(&self, stage: Stage, text: &str) -> Result<u32, String> {
        let gl = &self.host.gl;
        let shader = gl.create_shader(stage.gl_token());
        let (pointer, length) = (text.as_ptr().cast(), text.len() as i32);
        log::trace!("{} stage for the host:\n{text}", stage.word());
        let mut ok = 0;
        // SAFETY: one string of the length stated; one integer is answered.
        unsafe {
            gl.shader_source(shader, 1, &pointer, &length);
            gl.compile_shader(shader);
            gl.get_shaderiv(shader, c::COMPILE_STATUS, &mut ok);
        }
        if ok != 0 {
            return Ok(shader);
        }
        let log = info_log(|size, length, log| {
            // SAFETY: `log` has room for `size` bytes.
            unsafe { gl.get_shader_info_log(shader, size, length, log) };
        });
        gl.delete_shader(shader);
        log::debug!("the host refuses this {} stage:\n{text}", stage.word());
        Err(format!("the host's compiler says: {log}"))
    }

    fn link(&self, archive: &Archive, program: u32) -> Result<(), String> {
        let gl = &self.host.gl;
        let names =
            forerun_spirv::feedback_names(archive, &self.language).map_err(|r| r.to_string())?;
        let names: Vec<CString> =
            names.into_iter().filter_map(|name| CString::new(name).ok()).collect();
        let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let mut ok = 0;
        // SAFETY: as many zero-terminated names as stated; one integer is answered.
        unsafe {
            if !pointers.is_empty() {
                gl.transform_feedback_varyings(
                    program,
                    pointers.len() as i32,
                    pointers.as_ptr(),
                    archive.feedback_mode,
                );
            }
            gl.link_program(program);
            gl.get_programiv(program, c::LINK_STATUS, &mut ok);
        }
        if ok != 0 {
            return Ok(());
        }
        let log = info_log(|size, length, log| {
            // SAFETY: `log` has room for `size` bytes.
            unsafe { gl.get_program_info_log(program, size, length, log) };
        });
        Err(format!("the host's linker says: {log}"))
    }

    /// Binds the buffers of an executable's slots and its default block.
    pub(crate) fn sync_buffers(
        &mut self,
        env: &Env,
        handle: Handle<kind::Executable>,
        executable: &Executable,
    ) {
        let Some(twin) = self.programs.get(handle) else { return };
        let (constants, blocks, storages, images) =
            (twin.constants, twin.blocks, twin.storages, twin.images);
        if constants > 0 {
            self.sync_constants(handle, executable, constants);
        }
        if blocks > 0 {
            let key = (
                executable.serial,
                executable.bindings_serial,
                env.context.shader_buffers[class::UNIFORM as usize].serial,
                self.buffer_epoch,
            );
            if self.synced.uniforms != key {
                self.synced.uniforms = key;
                for slot in 0..blocks {
                    let point = executable.bindings.blocks.get(slot as usize).copied();
                    let found = env.point(class::UNIFORM, point.unwrap_or(0));
                    self.bind_block(slot + 1, found);
                }
            }
        }
        if storages > 0 {
            self.shaders_write = true;
            let key = (
                executable.serial,
                executable.bindings_serial,
                env.context.shader_buffers[class::STORAGE as usize].serial,
                env.context.shader_buffers[class::ATOMIC as usize].serial,
                self.buffer_epoch,
            );
            if self.synced.storages != key {
                self.synced.storages = key;
                for slot in 0..storages {
                    let point = executable.bindings.storages.get(slot as usize).copied();
                    let found = env.storage_point(point.unwrap_or(0));
                    let (buffer, offset, size) = self.range_of(found);
                    self.binds.storage(&self.host.gl, slot, buffer, offset, size);
                }
            }
        }
        if images > 0 {
            self.sync_images(env, executable);
        }
    }

    fn bind_block(&mut self, index: u32, found: Option<Resolved>) {
        let (buffer, offset, size) = self.range_of(found);
        let size = size.min(self.facts.limits.uniform_block_size);
        self.binds.uniform(&self.host.gl, index, buffer, offset, size);
    }

    fn range_of(&mut self, found: Option<Resolved>) -> (Native, u64, u64) {
        match found {
            Some(found) => {
                let buffer = self.buffer(found.handle);
                if buffer == Native::NONE {
                    (buffer, 0, 0)
                } else {
                    (buffer, found.offset, found.size)
                }
            }
            None => (Native::NONE, 0, 0),
        }
    }

    /// Uploads the default block when its bytes moved or its place in the ring is given up, and binds it.
    fn sync_constants(
        &mut self,
        handle: Handle<kind::Executable>,
        executable: &Executable,
        size: u64,
    ) {
        let serial = executable.constants_serial;
        let align = self.facts.limits.uniform_alignment;
        let held = self.programs.get(handle).and_then(|twin| twin.place);
        let (gl, ring) = self.uniform_ring();
        let buffer = ring.buffer;
        let place = match held {
            Some((place, synced)) if synced == serial && ring.holds(place) => place,
            _ => {
                if size > ring.largest() {
                    return;
                }
                let bytes = executable.constants.as_slice();
                let (place, moved) = ring.write(gl, size, align, |to| {
                    let len = bytes.len().min(size as usize);
                    // SAFETY: the ring has room for `size` bytes at `to`.
                    unsafe {
                        std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, len);
                        std::ptr::write_bytes(to.add(len), 0, size as usize - len);
                    }
                });
                if moved {
                    self.binds.forget_buffer(Slot::CopyWrite);
                }
                if let Some(twin) = self.programs.get_mut(handle) {
                    twin.place = Some((place, serial));
                }
                place
            }
        };
        self.binds.uniform(&self.host.gl, 0, buffer, place.offset, size);
    }

    pub(crate) fn executable_gone(&mut self, raw: RawHandle) {
        if let Some(twin) = self.programs.remove(raw) {
            for program in twin.variants.iter().filter_map(|v| v.program) {
                self.host.gl.delete_program(program.name);
            }
        }
    }
}

fn last_before_raster(archive: &Archive) -> Option<Stage> {
    let stages = [Stage::Geometry, Stage::TessEvaluation, Stage::Vertex];
    stages.into_iter().find(|stage| archive.stage(*stage).is_some())
}

/// Reads a log of the driver.
fn info_log(read: impl Fn(i32, *mut i32, *mut std::ffi::c_char)) -> String {
    let mut log = vec![0u8; 8192];
    let mut length = 0;
    read(log.len() as i32, &mut length, log.as_mut_ptr().cast());
    log.truncate(usize::try_from(length).unwrap_or(0));
    String::from_utf8_lossy(&log).trim_end().to_owned()
}
