//! Persistent maps: a segment that the program reads and writes while the GPU uses the buffer. Before a verb that uses the buffer,
//! the blocks that the program changed are copied into it; before a fence or a finish is told, what the GPU changed is copied out.

use super::{Applier, corrupt};
use crate::bytes::{Dest, Source};
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
    /// What the buffer holds, as far as it went through here; empty before the first copy. The program may have written before the
    /// map was applied, so the first copy is whole.
    last: Vec<u8>,
    /// The program may write.
    writes: bool,
    /// The program said that it reads.
    reads: bool,
    /// The GPU may have written since the last copy out.
    is_dirty: bool,
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
    a.maps.push(Map {
        buffer: handle,
        offset: p.offset,
        size,
        bytes,
        last: Vec::new(),
        writes: p.access & gl::MAP_WRITE_BIT != 0,
        reads: p.access & gl::MAP_READ_BIT != 0,
        // What was written before the map is the program's to see.
        is_dirty: p.access & gl::MAP_WRITE_BIT == 0,
    });
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

/// Copies what the program changed in the map of a buffer that is about to be used.
pub(super) fn sync(a: &mut Applier, buffer: Handle<kind::Buffer>) -> Result<()> {
    let Some(index) = a.maps.iter().position(|map| map.buffer == buffer) else { return Ok(()) };
    copy(a, index)
}

/// The same for a buffer that the GPU is about to write.
pub(super) fn sync_written(a: &mut Applier, buffer: Handle<kind::Buffer>) -> Result<()> {
    sync(a, buffer)?;
    if let Some(map) = a.maps.iter_mut().find(|map| map.buffer == buffer) {
        map.is_dirty = true;
    }
    Ok(())
}

/// The same for every buffer that a draw or dispatch in the bound context can use.
pub(super) fn sync_bound(a: &mut Applier) -> Result<()> {
    for index in 0..a.maps.len() {
        let Some(handle) = a.maps.get(index).map(|map| map.buffer) else { break };
        if is_bound(a, handle) {
            copy(a, index)?;
        }
        // A store that shaders may write is copied out for those who said that they read: it is so bound in every frame.
        let context = a.contexts.get(a.current);
        let captured = context.is_some_and(|c| captured(a, c.feedback.value, handle));
        let written = is_written(a, handle);
        if let Some(map) = a.maps.get_mut(index)
            && (captured || written && map.reads)
        {
            map.is_dirty = true;
        }
    }
    Ok(())
}

/// Whether shaders or feedback of the bound context may write the buffer.
fn is_written(a: &Applier, handle: Handle<kind::Buffer>) -> bool {
    let Some(context) = a.contexts.get(a.current) else { return false };
    let [_, storage, atomic] = &context.shader_buffers;
    [storage, atomic].iter().any(|class| class.value.ranges.iter().any(|r| r.buffer == handle))
        || captured(a, context.feedback.value, handle)
        || context.images.iter().any(|image| {
            let texture = a.tables.textures.get(Handle::from_raw(image.texture));
            texture.and_then(|t| t.texel_buffer).is_some_and(|t| t.buffer == handle)
        })
}

fn captured(a: &Applier, feedback: Handle<kind::Feedback>, handle: Handle<kind::Buffer>) -> bool {
    a.tables
        .feedbacks
        .get(feedback)
        .is_some_and(|feedback| feedback.targets.iter().any(|r| r.buffer == handle))
}

/// Copies what the GPU wrote out to the maps, also to those that the program said it would only write: on a driver of its own they
/// would be the same memory. Waits for the GPU where there is any such map.
pub(super) fn refresh(a: &mut Applier) -> Result<()> {
    for index in 0..a.maps.len() {
        let Some(map) = a.maps.get_mut(index) else { break };
        if !map.is_dirty {
            continue;
        }
        map.is_dirty = false;
        let (buffer, offset, size) = (map.buffer, map.offset, map.size);
        copy(a, index)?;
        let mut fresh = vec![0; size];
        let outcome = a.backend.buffer_read(&a.tables, buffer, offset, &mut Dest::new(&mut fresh));
        let failed = outcome.is_err();
        a.settle(outcome)?;
        let Some(map) = a.maps.get_mut(index).filter(|_| !failed) else { continue };
        let known = map.last.len() == size;
        let mut dest = map.bytes.dest();
        if known {
            // Only runs that the GPU changed: the program may be writing others.
            for (start, end) in runs(&map.last, &fresh) {
                dest.write(start, fresh.get(start..end).unwrap_or(&[]));
            }
        } else {
            dest.write(0, &fresh);
        }
        map.last = fresh;
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
        || is_written(a, handle)
}

/// Where two buffers of one length differ.
fn runs(old: &[u8], new: &[u8]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, (old, new)) in old.iter().zip(new).enumerate() {
        if old == new {
            continue;
        }
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs
}

/// Copies the blocks that the program changed into the buffer.
fn copy(a: &mut Applier, index: usize) -> Result<()> {
    let mut fresh = [0u8; 4096];
    let Some(map) = a.maps.get_mut(index).filter(|map| map.writes) else { return Ok(()) };
    let is_first = map.last.len() != map.size;
    map.last.resize(map.size, 0);
    for block in 0..map.size.div_ceil(BLOCK) {
        let Some(map) = a.maps.get_mut(index) else { break };
        let start = block * BLOCK;
        let len = BLOCK.min(map.size - start);
        let Some(view) = map.bytes.source().slice(start, len) else { break };
        let Some(last) = map.last.get_mut(start..start + len) else { break };
        // The program may write while we look: what is compared is what is copied, through private memory.
        let mut changed = is_first;
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

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn runs_are_the_longest_that_differ() {
        assert_eq!(runs(b"abcdef", b"aXXdeY"), [(1, 3), (5, 6)]);
        assert_eq!(runs(b"same", b"same"), []);
    }
}
