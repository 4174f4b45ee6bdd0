//! Buffer objects and binding points.

use super::{Applier, corrupt, maps};
use crate::objects::Range;
use crate::tables::Tables;
use forerun_link::Status;
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, RawHandle};

/// Largest offset: GL's are signed.
pub(super) const MAX_OFFSET: u64 = i64::MAX as u64;

/// A range as the state keeps it: a dead buffer is null.
pub(super) fn range(tables: &Tables, r: &BufferRange, what: &'static str) -> Result<Range> {
    if r.offset > MAX_OFFSET || (r.size > MAX_OFFSET && r.size != WHOLE) {
        return corrupt(what);
    }
    if !tables.buffers.check(r.buffer, what)? {
        return Ok(Range::default());
    }
    Ok(Range { buffer: Handle::from_raw(r.buffer), offset: r.offset, size: r.size })
}

/// Checks that a range lies inside a buffer. `None`: the buffer is dead or declined.
pub(super) fn inside(
    a: &Applier,
    raw: RawHandle,
    offset: u64,
    size: u64,
    names: [&'static str; 2],
) -> Result<Option<Handle<kind::Buffer>>> {
    if !a.tables.buffers.check(raw, names[0])? {
        return Ok(None);
    }
    let handle = Handle::from_raw(raw);
    let Some(buffer) = a.tables.buffers.get(handle) else { return Ok(None) };
    if offset.checked_add(size).is_none_or(|end| end > buffer.size) {
        return corrupt(names[1]);
    }
    Ok((!buffer.declined).then_some(handle))
}

pub(super) fn set_shader_buffers(
    a: &mut Applier,
    p: &SetShaderBuffers,
    ranges: &[BufferRange],
) -> Result<()> {
    if p.count > MAX_POINTS {
        return corrupt("SetShaderBuffers.count");
    }
    let serial = a.tables.clock.tick();
    let Some(state) = a.contexts.get_mut(a.current) else {
        return corrupt("SetShaderBuffers.context");
    };
    let Some(family) = state.shader_buffers.get_mut(p.class as usize) else {
        return corrupt("SetShaderBuffers.class");
    };
    // In place: the steady state of a program that rebinds its blocks allocates nothing.
    family.value.ranges.clear();
    for r in ranges {
        family.value.ranges.push(range(&a.tables, r, "SetShaderBuffers.ranges")?);
    }
    family.value.writable = p.writable_mask;
    family.serial = serial;
    Ok(())
}

fn touch(a: &mut Applier, handle: Handle<kind::Buffer>) {
    let serial = a.tables.clock.tick();
    if let Some(buffer) = a.tables.buffers.get_mut(handle) {
        buffer.content_serial = serial;
    }
}

pub(super) fn copy_buffer(a: &mut Applier, p: &CopyBuffer) -> Result<()> {
    let src = inside(a, p.src, p.src_offset, p.size, ["CopyBuffer.src", "CopyBuffer.src_offset"])?;
    let dst = inside(a, p.dst, p.dst_offset, p.size, ["CopyBuffer.dst", "CopyBuffer.dst_offset"])?;
    let (Some(src), Some(dst)) = (src, dst) else { return Ok(()) };
    if src == dst && p.src_offset.abs_diff(p.dst_offset) < p.size {
        return corrupt("CopyBuffer.size");
    }
    if p.size == 0 {
        return Ok(());
    }
    maps::sync(a, src)?;
    maps::sync_written(a, dst)?;
    touch(a, dst);
    let range = Range { buffer: src, offset: p.src_offset, size: p.size };
    let outcome = a.backend.buffer_copy(&a.tables, range, dst, p.dst_offset);
    a.settle(outcome)
}

pub(super) fn invalidate_buffer(a: &mut Applier, p: &InvalidateBuffer) -> Result<()> {
    let names = ["InvalidateBuffer.handle", "InvalidateBuffer.offset"];
    let Some(buffer) = inside(a, p.handle, p.offset, p.size, names)? else { return Ok(()) };
    let range = Range { buffer, offset: p.offset, size: p.size };
    let outcome = a.backend.buffer_invalidate(&a.tables, range);
    a.settle(outcome)
}

pub(super) fn clear_buffer_data(a: &mut Applier, p: &ClearBufferData) -> Result<()> {
    if !matches!(p.pattern_len, 1 | 2 | 4 | 8 | 12 | 16) {
        return corrupt("ClearBufferData.pattern_len");
    }
    let len = u64::from(p.pattern_len);
    if !p.size.is_multiple_of(len) || !p.offset.is_multiple_of(len) {
        return corrupt("ClearBufferData.size");
    }
    let names = ["ClearBufferData.handle", "ClearBufferData.offset"];
    let Some(handle) = inside(a, p.handle, p.offset, p.size, names)? else { return Ok(()) };
    if p.size == 0 {
        return Ok(());
    }
    maps::sync_written(a, handle)?;
    touch(a, handle);
    let outcome = a.backend.buffer_clear(&a.tables, handle, p);
    a.settle(outcome)
}

pub(super) fn resource_readback(a: &mut Applier, p: &ResourceReadback) -> Result<()> {
    let names = ["ResourceReadback.handle", "ResourceReadback.offset"];
    let Some(handle) = inside(a, p.handle, p.offset, p.dst.size, names)? else {
        return a.answer(Status::Declined, &[]);
    };
    let mut bytes = a.destination(&p.dst, Some(p.dst.size), "ResourceReadback.dst")?;
    maps::sync(a, handle)?;
    let outcome = a.backend.buffer_read(&a.tables, handle, p.offset, &mut bytes.dest());
    a.answer_outcome(outcome)
}
