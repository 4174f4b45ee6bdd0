//! Draws and dispatches.

use crate::backend::GlBackend;
use crate::binds::Slot;
use crate::framebuffer::Bound;
use crate::twin::Native;
use forerun_pipe::gl as c;
use forerun_pipe::pixel;
use forerun_pipe::records::DrawRange;
use forerun_server::backend::{Draw, Extent, Failure, Grid, Indices, Outcome};
use forerun_server::state::Env;

/// Whether primitives restart at another index than the largest of the type.
fn restarts_elsewhere(env: &Env, ty: u32) -> bool {
    let largest = match ty {
        c::UNSIGNED_BYTE => 0xFF,
        c::UNSIGNED_SHORT => 0xFFFF,
        _ => u32::MAX,
    };
    let state = env.tables.render_states.get(env.context.render_state.value);
    state.is_some_and(|state| {
        state.desc.primitive_restart != 0 && state.desc.primitive_restart_fixed == 0
    }) && env.context.dynamic.restart_index != largest
}

impl GlBackend {
    pub(crate) fn draw_all(&mut self, env: &Env, draw: &Draw) -> Outcome {
        if self.skip {
            return Ok(());
        }
        let Some((handle, executable)) = env.draw_executable() else { return Ok(()) };
        self.prepare_images(env, executable);
        if self.bind_draw_target(env) == Bound::Nothing {
            return Ok(());
        }
        self.drawing_points = draw.mode == c::POINTS && !self.client_es;
        self.use_program(env, handle, executable)?;
        if env.context.feedback.value != self.capturing {
            self.sync_feedback(env)?;
            self.use_program(env, handle, executable)?;
        }
        let Some(twin) = self.programs.get(handle) else { return Ok(()) };
        let (many, tessellated, numbered) =
            (twin.many_viewports, twin.tessellated, twin.uses_draw_id);
        self.sync_raster(env, many);
        self.sync_vertices(env, draw);
        self.sync_attribs(env);
        self.sync_buffers(env, handle, executable);
        self.sync_textures(env, handle, executable);
        if tessellated {
            self.sync_patch(env);
        }
        match draw.extent {
            Extent::Ranges(ranges) => match draw.indices {
                Indices::None => self.draw_arrays(draw, ranges, numbered),
                Indices::Buffer { ty } | Indices::Client { ty, .. }
                    if self.is_gles() && restarts_elsewhere(env, ty) =>
                {
                    self.draw_restarted(env, draw, ranges, ty)?;
                }
                Indices::Buffer { ty } => self.draw_elements(draw, ranges, ty, 0, numbered),
                Indices::Client { ty, bytes } => {
                    let base = self.client_indices(env, bytes);
                    self.draw_elements(draw, ranges, ty, base, numbered);
                }
            },
            Extent::Indirect { buffer, offset, parameter, draw_count, stride } => {
                let commands = self.buffer(buffer);
                let parameter = parameter.map(|(handle, at)| (self.buffer(handle), at));
                self.draw_indirect(draw, commands, offset, parameter, draw_count, stride);
            }
            Extent::Feedback { handle, stream } => {
                let Some(name) = self.feedback_name(handle) else { return Ok(()) };
                if !self.host.gl.has.draw_transform_feedback_stream_instanced {
                    return Err(Failure::Declined { code: c::INVALID_OPERATION });
                }
                self.host.gl.draw_transform_feedback_stream_instanced(
                    draw.mode,
                    name,
                    stream,
                    draw.instance_count as i32,
                );
            }
        }
        Ok(())
    }

    fn draw_arrays(&mut self, draw: &Draw, ranges: &[DrawRange], numbered: bool) {
        let gl = &self.host.gl;
        let plain = draw.instance_count == 1 && draw.base_instance == 0;
        if plain && (ranges.len() > 1 || numbered) && gl.has.multi_draw_arrays {
            let firsts: Vec<i32> = ranges.iter().map(|r| r.start as i32).collect();
            let counts: Vec<i32> = ranges.iter().map(|r| r.count as i32).collect();
            // SAFETY: as many elements as stated.
            unsafe {
                gl.multi_draw_arrays(
                    draw.mode,
                    firsts.as_ptr(),
                    counts.as_ptr(),
                    ranges.len() as i32,
                );
            }
            return;
        }
        let instances = draw.instance_count as i32;
        for range in ranges {
            let (first, count) = (range.start as i32, range.count as i32);
            if plain {
                gl.draw_arrays(draw.mode, first, count);
            } else if draw.base_instance == 0 {
                gl.draw_arrays_instanced(draw.mode, first, count, instances);
            } else {
                gl.draw_arrays_instanced_base_instance(
                    draw.mode,
                    first,
                    count,
                    instances,
                    draw.base_instance,
                );
            }
        }
    }

    fn draw_elements(
        &mut self,
        draw: &Draw,
        ranges: &[DrawRange],
        ty: u32,
        base: u64,
        numbered: bool,
    ) {
        let gl = &self.host.gl;
        let plain = draw.instance_count == 1 && draw.base_instance == 0;
        let at = |range: &DrawRange| base as usize + range.start as usize;
        if plain && (ranges.len() > 1 || numbered) && gl.has.multi_draw_elements_base_vertex {
            let counts: Vec<i32> = ranges.iter().map(|r| r.count as i32).collect();
            let offsets: Vec<*const std::ffi::c_void> =
                ranges.iter().map(|r| at(r) as *const _).collect();
            let bases: Vec<i32> = ranges.iter().map(|r| r.base_vertex).collect();
            // SAFETY: as many elements as stated; the offsets lie in the bound element buffer.
            unsafe {
                gl.multi_draw_elements_base_vertex(
                    draw.mode,
                    counts.as_ptr(),
                    ty,
                    offsets.as_ptr(),
                    ranges.len() as i32,
                    bases.as_ptr(),
                );
            }
            return;
        }
        let instances = draw.instance_count as i32;
        for range in ranges {
            let (count, offset, shift) = (range.count as i32, at(range), range.base_vertex);
            match (plain, draw.base_instance, shift) {
                (true, _, 0) => gl.draw_elements(draw.mode, count, ty, offset),
                (true, _, _) => gl.draw_elements_base_vertex(draw.mode, count, ty, offset, shift),
                (false, 0, 0) => {
                    gl.draw_elements_instanced(draw.mode, count, ty, offset, instances)
                }
                (false, 0, _) => gl.draw_elements_instanced_base_vertex(
                    draw.mode, count, ty, offset, instances, shift,
                ),
                (false, first, _) => gl.draw_elements_instanced_base_vertex_base_instance(
                    draw.mode, count, ty, offset, instances, shift, first,
                ),
            }
        }
    }

    /// Draws with a restart index that an ES host does not have: the indices become words with the one that it has.
    fn draw_restarted(&mut self, env: &Env, draw: &Draw, ranges: &[DrawRange], ty: u32) -> Outcome {
        let restart = env.context.dynamic.restart_index;
        let size = pixel::type_bytes(ty).unwrap_or(4) as usize;
        let buffer = self.buffer(env.context.index_buffer.value);
        let mut words: Vec<u8> = Vec::new();
        let mut moved = Vec::new();
        for range in ranges {
            let (start, len) = (range.start as usize, range.count as usize * size);
            moved.push(DrawRange { start: words.len() as u32, ..*range });
            let mut widen = |bytes: &[u8]| {
                for index in bytes.chunks_exact(size) {
                    let mut word = [0u8; 4];
                    word[..size].copy_from_slice(index);
                    let index = u32::from_ne_bytes(word);
                    let index = if index == restart { u32::MAX } else { index };
                    words.extend(index.to_ne_bytes());
                }
            };
            match draw.indices {
                Indices::Client { bytes, .. } => {
                    widen(bytes.get(start..start + len).unwrap_or(&[]))
                }
                _ if buffer != Native::NONE && len > 0 => {
                    self.with_mapped(buffer, u64::from(range.start), len, widen)?;
                }
                _ => {}
            }
        }
        let base = self.client_indices(env, &words);
        self.draw_elements(draw, &moved, c::UNSIGNED_INT, base, false);
        Ok(())
    }

    fn draw_indirect(
        &mut self,
        draw: &Draw,
        commands: Native,
        offset: u64,
        parameter: Option<(Native, u64)>,
        draw_count: u32,
        stride: u32,
    ) {
        self.binds.buffer(&self.host.gl, Slot::DrawIndirect, commands);
        let gl = &self.host.gl;
        let (mode, at) = (draw.mode, offset as usize);
        let (count, gap) = (draw_count as i32, stride as i32);
        let indexed = match draw.indices {
            Indices::Buffer { ty } => Some(ty),
            _ => None,
        };
        if let Some((parameter, from)) = parameter {
            self.binds.buffer(gl, Slot::Parameter, parameter);
            let from = from as isize;
            match indexed {
                Some(ty) => gl.multi_draw_elements_indirect_count(mode, ty, at, from, count, gap),
                None => gl.multi_draw_arrays_indirect_count(mode, at, from, count, gap),
            }
            return;
        }
        match indexed {
            Some(ty) if draw_count > 1 && gl.has.multi_draw_elements_indirect => {
                gl.multi_draw_elements_indirect(mode, ty, at, count, gap);
            }
            None if draw_count > 1 && gl.has.multi_draw_arrays_indirect => {
                gl.multi_draw_arrays_indirect(mode, at, count, gap);
            }
            _ => {
                for i in 0..draw_count as usize {
                    let at = at + i * stride as usize;
                    match indexed {
                        Some(ty) => gl.draw_elements_indirect(mode, ty, at),
                        None => gl.draw_arrays_indirect(mode, at),
                    }
                }
            }
        }
    }

    pub(crate) fn launch(&mut self, env: &Env, grid: &Grid) -> Outcome {
        if self.skip {
            return Ok(());
        }
        let Some((handle, executable)) = env.dispatch_executable() else { return Ok(()) };
        self.prepare_images(env, executable);
        self.use_program(env, handle, executable)?;
        self.sync_buffers(env, handle, executable);
        self.sync_textures(env, handle, executable);
        match grid {
            Grid::Groups([x, y, z]) => self.host.gl.dispatch_compute(*x, *y, *z),
            Grid::Indirect { buffer, offset } => {
                let commands = self.buffer(*buffer);
                self.binds.buffer(&self.host.gl, Slot::DispatchIndirect, commands);
                self.host.gl.dispatch_compute_indirect(*offset as isize);
            }
        }
        Ok(())
    }
}
