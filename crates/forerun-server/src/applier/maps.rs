//! Persistent maps: a segment that the program writes while the GPU may read the buffer. Before a verb that reads the buffer, the
//! blocks that changed are copied into it.

use super::{Applier, corrupt};
use crate::bytes::Source;
use crate::peer::Blob;
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, gl};

/// Bytes that are compared, and copied, at once.
const BLOCK: usize = 64 << 10;

/// A persistent map.
pub(super) struct Map {
    buffer: Handle<kind::Buffer>,
    offset: u64,
    size: usize,
    bytes: Blob,
    /// What was last copied into the buffer; empty before the first copy.
    last: Vec<u8>,
}

pub(super) fn map_persistent(a: &mut Applier, p: &MapPersistent) -> Result<()> {
    if !a.tables.buffers.check(p.handle, "MapPersistent.handle")? {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    let Some(buffer) = a.tables.buffers.get(handle) else { return Ok(()) };
    if p.size == 0 || p.offset.checked_add(p.size).is_none_or(|end| end > buffer.size) {
        return corrupt("MapPersistent.size");
    }
    let bytes = a.peer.segment(p.segment)?;
    let Ok(size) = usize::try_from(p.size) else { return corrupt("MapPersistent.size") };
    if bytes.len() < size {
        return corrupt("MapPersistent.segment");
    }
    a.maps.retain(|map| map.buffer != handle);
    if p.access & gl::MAP_WRITE_BIT != 0 {
        // What stands in the segment now is what the buffer holds: the client filled it before it handed the map out.
        let last = bytes.source().slice(0, size).map_or_else(Vec::new, |view| view.to_vec());
        a.maps.push(Map { buffer: handle, offset: p.offset, size, bytes, last });
    }
    Ok(())
}

pub(super) fn unmap_persistent(a: &mut Applier, p: &UnmapPersistent) -> Result<()> {
    if !a.tables.buffers.check(p.handle, "UnmapPersistent.handle")? {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    sync(a, handle)?;
    detach(a, handle);
    Ok(())
}

/// Forgets a buffer's map without a copy.
pub(super) fn detach(a: &mut Applier, buffer: Handle<kind::Buffer>) {
    a.maps.retain(|map| map.buffer != buffer);
}

/// Copies what changed in the map of a buffer that is about to be read.
pub(super) fn sync(a: &mut Applier, buffer: Handle<kind::Buffer>) -> Result<()> {
    let Some(index) = a.maps.iter().position(|map| map.buffer == buffer) else { return Ok(()) };
    copy(a, index)
}

/// The same for every buffer that a draw or dispatch in the bound context can read.
pub(super) fn sync_bound(a: &mut Applier) -> Result<()> {
    for index in 0..a.maps.len() {
        let Some(handle) = a.maps.get(index).map(|map| map.buffer) else { break };
        if is_bound(a, handle) {
            copy(a, index)?;
        }
    }
    Ok(())
}

fn is_bound(a: &Applier, handle: Handle<kind::Buffer>) -> bool {
    let Some(context) = a.contexts.get(a.current) else { return false };
    context.index_buffer.value == handle
        || context.vertex_buffers.iter().any(|b| b.buffer == handle)
        || context
            .shader_buffers
            .iter()
            .any(|class| class.value.ranges.iter().any(|r| r.buffer == handle))
        || context.views.iter().any(|view| {
            let texture = a.tables.textures.get(view.texture);
            texture.and_then(|t| t.texel_buffer).is_some_and(|t| t.buffer == handle)
        })
}

fn copy(a: &mut Applier, index: usize) -> Result<()> {
    let mut fresh = [0u8; 4096];
    let blocks = a.maps.get(index).map_or(0, |map| map.size.div_ceil(BLOCK));
    for block in 0..blocks {
        let Some(map) = a.maps.get_mut(index) else { break };
        let start = block * BLOCK;
        let len = BLOCK.min(map.size - start);
        let Some(view) = map.bytes.source().slice(start, len) else { break };
        let Some(last) = map.last.get_mut(start..start + len) else { break };
        // The program may write while we look: what is compared is what is copied, through private memory.
        let mut changed = false;
        for (part, old) in last.chunks_mut(fresh.len()).enumerate() {
            let Some(new) = fresh.get_mut(..old.len()) else { break };
            let Some(view) = view.slice(part * 4096, old.len()) else { break };
            view.copy_to(new);
            if new != old {
                old.copy_from_slice(new);
                changed = true;
            }
        }
        if !changed {
            continue;
        }
        let (buffer, offset) = (map.buffer, map.offset + start as u64);
        let outcome = a.backend.buffer_sub_data(&a.tables, buffer, offset, Source::new(last));
        let serial = a.tables.clock.tick();
        if let Some(object) = a.tables.buffers.get_mut(buffer) {
            object.content_serial = serial;
        }
        a.settle(outcome)?;
    }
    Ok(())
}
