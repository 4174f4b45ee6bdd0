//! Draws and dispatches: validation (OpenGL ES 3.2, sections 10.5, 10.6 and 17).

use super::{buffer::Buffer, feedback, framebuffer, map, program};
use crate::context::{Api, Context, State};
use crate::emit::{self, Dirty};
use crate::error::{GlResult, check_enum, check_operation, check_value, count, invalid_operation};
use forerun_pipe::records::{DrawIndirect, DrawRange, DrawVbo, LaunchGrid};
use forerun_pipe::{RawHandle, gl, indices};
use std::sync::Arc;

/// Where a draw's indices stand.
#[derive(Clone, Copy, Debug)]
pub struct Indices {
    /// GL_UNSIGNED_BYTE, _SHORT or _INT.
    pub ty: u32,
    /// Client memory when no element buffer is bound.
    pub client: Option<*const u8>,
}

impl Indices {
    /// Bytes of an index.
    pub fn size(&self) -> usize {
        indices::width(self.ty).unwrap_or(4)
    }
}

/// Checks a primitive mode against the API and what is bound.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown mode.
#[inline]
pub fn check_mode(state: &State, mode: u32) -> GlResult {
    let known = match mode {
        gl::POINTS..=gl::TRIANGLE_FAN => true,
        gl::LINES_ADJACENCY..=gl::TRIANGLE_STRIP_ADJACENCY | gl::PATCHES => state.knows(mode),
        _ => false,
    };
    check_enum(known, "primitive mode")
}

/// Checks an index type.
///
/// # Errors
/// GL_INVALID_ENUM.
pub fn check_index_type(ty: u32) -> GlResult {
    check_enum(indices::width(ty).is_some(), "index type")
}

/// What every draw needs. False: there is nothing to draw with, which is no error.
#[inline]
fn prepare(cx: &mut Context, mode: u32) -> GlResult<bool> {
    check_mode(&cx.state, mode)?;
    check_operation(
        cx.config.api != Api::Core || cx.vertex.current.name != 0,
        "no vertex array is bound",
    )?;
    framebuffer::check_draw_complete(cx)?;
    feedback::check_draw(&cx.state, mode)?;
    program::check_draw(cx, mode)
}

/// glDrawArrays*, glMultiDrawArrays: each range is (first, count).
///
/// # Errors
/// As OpenGL ES 3.2, section 10.5 says.
pub fn arrays(
    cx: &mut Context,
    mode: u32,
    ranges: &[(i32, i32)],
    instances: i32,
    base_instance: u32,
) -> GlResult {
    let instance_count = count(instances)?;
    check_mode(&cx.state, mode)?;
    check_value(
        ranges.iter().all(|(first, count)| *first >= 0 && *count >= 0),
        "a range is negative",
    )?;
    if !prepare(cx, mode)? {
        return Ok(());
    }
    feedback::check_room(
        &mut cx.state,
        mode,
        ranges.iter().map(|r| r.1 as u64).sum::<u64>() * u64::from(instance_count),
    )?;
    let info = DrawVbo { mode, instance_count, base_instance, ..Default::default() };
    let ranges = ranges.iter().filter(|r| r.1 > 0).map(|(first, count)| DrawRange {
        start: *first as u32,
        count: *count as u32,
        base_vertex: 0,
        pad: 0,
    });
    if instance_count == 0 {
        return Ok(());
    }
    let mut stream = cx.group.stream();
    emit::draw::draw(&mut cx.state, &mut stream, info, None, ranges)
}

/// glDrawElements*, glMultiDrawElements*: each range is (pointer or offset, count, base vertex).
///
/// # Errors
/// As OpenGL ES 3.2, section 10.5 says.
pub fn elements(
    cx: &mut Context,
    mode: u32,
    ty: u32,
    ranges: &[(usize, i32, i32)],
    instances: i32,
    base_instance: u32,
) -> GlResult {
    let instance_count = count(instances)?;
    check_mode(&cx.state, mode)?;
    check_index_type(ty)?;
    check_value(ranges.iter().all(|r| r.1 >= 0), "a count is negative")?;
    if !prepare(cx, mode)? {
        return Ok(());
    }
    feedback::check_indexed(&cx.state)?;
    if instance_count == 0 {
        return Ok(());
    }
    let info =
        DrawVbo { mode, index_type: ty, instance_count, base_instance, ..Default::default() };
    if cx.vertex.current.element_buffer.is_none() {
        check_operation(cx.config.api != Api::Core, "no element array buffer is bound")?;
        let mut stream = cx.group.stream();
        for &(pointer, count, base_vertex) in ranges.iter().filter(|r| r.1 > 0 && r.0 != 0) {
            let range = DrawRange { start: 0, count: count as u32, base_vertex, pad: 0 };
            let indices = Indices { ty, client: Some(pointer as *const u8) };
            emit::draw::draw(
                &mut cx.state,
                &mut stream,
                info,
                Some(indices),
                std::iter::once(range),
            )?;
        }
        return Ok(());
    }
    if cx.state.client_bindings() != 0
        && let Some(buffer) = cx.vertex.current.element_buffer.clone()
    {
        fill_shadow(cx, &buffer)?;
    }
    let ranges = ranges.iter().filter(|r| r.1 > 0).filter_map(|(offset, count, base_vertex)| {
        Some(DrawRange {
            start: u32::try_from(*offset).ok()?,
            count: *count as u32,
            base_vertex: *base_vertex,
            pad: 0,
        })
    });
    let mut stream = cx.group.stream();
    emit::draw::draw(&mut cx.state, &mut stream, info, Some(Indices { ty, client: None }), ranges)
}

/// Client-memory arrays are copied as far as the indices reach, so the client has to know them.
fn fill_shadow(cx: &Context, buffer: &Arc<Buffer>) -> GlResult {
    let mut data = buffer.data.borrow_mut();
    map::shadow(&mut cx.stream(), buffer, &mut data).map(|_| ())
}

/// The parameters of an indirect draw.
#[derive(Clone, Copy, Debug)]
pub struct Indirect {
    /// Byte offset in the draw-indirect buffer.
    pub offset: usize,
    /// Draws.
    pub draw_count: i32,
    /// Bytes between commands; 0 for tight.
    pub stride: i32,
    /// Byte offset in the parameter buffer of the number of draws, `draw_count` at most.
    pub count_at: Option<isize>,
}

/// gl(Multi)Draw*Indirect, glMultiDraw*IndirectCount; `ty` is 0 for arrays.
///
/// # Errors
/// As OpenGL ES 3.2, section 10.5 says.
pub fn indirect(cx: &mut Context, mode: u32, ty: u32, at: Indirect) -> GlResult {
    check_mode(&cx.state, mode)?;
    if ty != 0 {
        check_index_type(ty)?;
    }
    let draw_count = count(at.draw_count)?;
    check_value(at.stride >= 0 && at.stride % 4 == 0, "stride of indirect commands")?;
    check_value(at.offset.is_multiple_of(4), "offset of indirect commands")?;
    check_operation(
        cx.config.api != Api::Es || cx.vertex.current.name != 0,
        "no vertex array is bound",
    )?;
    let Some(buffer) = cx.buffer.slots.draw_indirect.clone() else {
        return check_operation(false, "no draw-indirect buffer is bound");
    };
    check_operation(cx.state.client_bindings() == 0, "client memory in an indirect draw")?;
    check_operation(
        ty == 0 || cx.vertex.current.element_buffer.is_some(),
        "no element array buffer is bound",
    )?;
    {
        let data = buffer.data.borrow_mut();
        check_operation(!data.blocked(), "the draw-indirect buffer is mapped")?;
        let command: u64 = if ty == 0 { 16 } else { 20 };
        let stride = if at.stride == 0 { command } else { at.stride as u64 };
        let end = (at.offset as u64)
            .saturating_add(u64::from(draw_count.saturating_sub(1)).saturating_mul(stride))
            .saturating_add(if draw_count == 0 { 0 } else { command });
        check_operation(end <= data.size, "indirect commands end behind the buffer")?;
    }
    let parameters = match at.count_at {
        None => None,
        Some(offset) => Some((count_buffer(cx, offset)?, offset as u64)),
    };
    if !prepare(cx, mode)? || draw_count == 0 {
        return Ok(());
    }
    feedback::check_indirect(&cx.state)?;
    let info = DrawVbo {
        mode,
        index_type: ty,
        instance_count: 1,
        indirect_count: 1,
        ..Default::default()
    };
    let indirect = DrawIndirect {
        buffer: buffer.handle.raw(),
        offset: at.offset as u64,
        parameter_buffer: parameters.as_ref().map_or(RawHandle::NULL, |(b, _)| b.handle.raw()),
        parameter_offset: parameters.as_ref().map_or(0, |(_, offset)| *offset),
        draw_count,
        stride: at.stride as u32,
    };
    let mut stream = cx.group.stream();
    emit::draw::indirect(&mut cx.state, &mut stream, info, indirect)
}

/// The parameter buffer, of which four bytes at an offset say how many draws there are (OpenGL 4.6, section 10.4).
fn count_buffer(cx: &Context, offset: isize) -> GlResult<Arc<Buffer>> {
    check_value(offset >= 0 && offset % 4 == 0, "offset of a draw count")?;
    let Some(buffer) = cx.buffer.slots.parameter.clone() else {
        return invalid_operation("no parameter buffer is bound");
    };
    let data = buffer.data.borrow_mut();
    check_operation(!data.blocked(), "the parameter buffer is mapped")?;
    check_operation(offset as u64 + 4 <= data.size, "the draw count ends behind the buffer")?;
    drop(data);
    Ok(buffer)
}

/// glDispatchCompute.
///
/// # Errors
/// GL_INVALID_VALUE for too many groups, GL_INVALID_OPERATION without a compute program.
pub fn dispatch(cx: &mut Context, groups: [u32; 3]) -> GlResult {
    program::check_dispatch(cx)?;
    let limits = cx.caps.limits.max_compute_work_group_count;
    check_value(
        groups.iter().zip(limits).all(|(n, limit)| i64::from(*n) <= i64::from(limit)),
        "groups of a dispatch",
    )?;
    if groups.contains(&0) {
        return Ok(());
    }
    send_dispatch(cx, LaunchGrid { groups, ..Default::default() })
}

/// glDispatchComputeIndirect.
///
/// # Errors
/// As OpenGL ES 3.2, section 17 says.
pub fn dispatch_indirect(cx: &mut Context, offset: isize) -> GlResult {
    check_value(offset >= 0 && offset % 4 == 0, "offset of indirect groups")?;
    program::check_dispatch(cx)?;
    let Some(buffer) = cx.buffer.slots.dispatch_indirect.clone() else {
        return check_operation(false, "no dispatch-indirect buffer is bound");
    };
    {
        let data = buffer.data.borrow_mut();
        check_operation(!data.blocked(), "the dispatch-indirect buffer is mapped")?;
        check_operation(offset as u64 + 12 <= data.size, "indirect groups end behind the buffer")?;
    }
    let grid = LaunchGrid {
        groups: [0; 3],
        indirect: 1,
        buffer: buffer.handle.raw(),
        offset: offset as u64,
    };
    send_dispatch(cx, grid)
}

fn send_dispatch(cx: &mut Context, grid: LaunchGrid) -> GlResult {
    let mut stream = cx.group.stream();
    cx.state.bind(&mut stream);
    emit::sync(&mut cx.state, &mut stream, Dirty::DISPATCH)?;
    grid.send(&mut *stream);
    Ok(())
}

/// glDrawTransformFeedback*: as many vertices as the feedback object captured.
///
/// # Errors
/// As OpenGL 4.6, section 13.3.3 says.
pub fn feedback(
    cx: &mut Context,
    mode: u32,
    name: u32,
    stream_index: u32,
    instances: i32,
) -> GlResult {
    let instance_count = count(instances)?;
    check_mode(&cx.state, mode)?;
    let feedback = feedback::source(cx, name)?;
    if !prepare(cx, mode)? || instance_count == 0 {
        return Ok(());
    }
    let info =
        DrawVbo { mode, instance_count, feedback, stream: stream_index, ..Default::default() };
    let mut stream = cx.group.stream();
    emit::draw::feedback(&mut cx.state, &mut stream, info)
}
