//! Persistent maps: a segment that the program reads and writes while the GPU uses the buffer. Before a verb that uses the buffer,
//! what it reads there ([`reads`]) and the program changed is copied into it; before a fence or a finish is told, what the GPU changed
//! is copied out.

pub(super) mod reads;

use super::{Applier, corrupt};
use crate::bytes::{Dest, Source};
use crate::peer::Blob;
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, gl};
use reads::Vertices;
use std::ops::Range;

/// Bytes that are compared, and copied, at once.
const PAGE: usize = 4096;

/// A persistent map.
pub(super) struct Map {
    buffer: Handle<kind::Buffer>,
    offset: u64,
    size: usize,
    bytes: Blob,
    /// What the buffer holds, as far as it went through here.
    last: Vec<u8>,
    /// Which pages of `last` went through here. The program may have written before the map was applied, so others are copied
    /// whatever they hold.
    known: Vec<bool>,
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
    let Some(bytes) = bytes.slice((p.offset % MAP_ALIGNMENT) as usize, size) else {
        return corrupt("MapPersistent.segment");
    };
    a.maps.retain(|map| map.buffer != handle);
    a.maps.push(Map {
        buffer: handle,
        offset: p.offset,
        size,
        bytes,
        last: vec![0; size],
        known: vec![false; size.div_ceil(PAGE)],
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
    copy(a, index, 0..u64::MAX)
}

/// The same for a buffer that the GPU is about to write.
pub(super) fn sync_written(a: &mut Applier, buffer: Handle<kind::Buffer>) -> Result<()> {
    sync(a, buffer)?;
    if let Some(map) = a.maps.iter_mut().find(|map| map.buffer == buffer) {
        map.is_dirty = true;
    }
    Ok(())
}

/// The same for what a draw or dispatch in the bound context can use.
pub(super) fn sync_bound(a: &mut Applier, vertices: &Vertices) -> Result<()> {
    if a.maps.is_empty() {
        return Ok(());
    }
    sync_bound_maps(a, vertices)
}

#[cold]
fn sync_bound_maps(a: &mut Applier, vertices: &Vertices) -> Result<()> {
    // Indices first: they tell which vertices are read.
    for index in 0..a.maps.len() {
        let Some(handle) = a.maps.get(index).map(|map| map.buffer) else { break };
        for range in reads::of_indices(a, handle, vertices) {
            copy(a, index, range)?;
        }
    }
    let span = reads::span(a, vertices);
    for index in 0..a.maps.len() {
        let Some(handle) = a.maps.get(index).map(|map| map.buffer) else { break };
        for range in reads::others(a, handle, vertices, span) {
            copy(a, index, range)?;
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
        let (buffer, offset, size) = (map.buffer, map.offset, map.size);
        // It stays so meanwhile: of pages where the GPU may have written, only what the program changed is copied.
        copy(a, index, 0..u64::MAX)?;
        let Some(map) = a.maps.get_mut(index) else { break };
        map.is_dirty = false;
        let mut fresh = vec![0; size];
        let outcome = a.backend.buffer_read(&a.tables, buffer, offset, &mut Dest::new(&mut fresh));
        let failed = outcome.is_err();
        a.settle(outcome)?;
        let Some(map) = a.maps.get_mut(index).filter(|_| !failed) else { continue };
        let known = map.known.iter().all(|known| *known);
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
        map.known.fill(true);
    }
    Ok(())
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

/// Copies what the program changed of a range of the buffer into it.
fn copy(a: &mut Applier, index: usize, range: Range<u64>) -> Result<()> {
    let Some(map) = a.maps.get_mut(index).filter(|map| map.writes) else { return Ok(()) };
    let size = map.size as u64;
    let start = range.start.saturating_sub(map.offset).min(size) as usize;
    let end = range.end.saturating_sub(map.offset).min(size) as usize;
    if start >= end {
        return Ok(());
    }
    // Changed pages that stand one after another are copied at once.
    let mut changed: Option<Range<usize>> = None;
    for page in start / PAGE..end.div_ceil(PAGE) {
        let Some(map) = a.maps.get_mut(index) else { break };
        let at = page * PAGE..(page * PAGE + PAGE).min(map.size);
        let change = map.look(page, at.clone());
        if let Change::Whole = change {
            changed = Some(changed.map_or(at.start, |pages| pages.start)..at.end);
            continue;
        }
        if let Some(pages) = changed.take() {
            put(a, index, pages)?;
        }
        if let Change::Runs(runs) = change {
            for (start, end) in runs {
                put(a, index, at.start + start..at.start + end)?;
            }
        }
    }
    changed.map_or(Ok(()), |pages| put(a, index, pages))
}

/// What is to be copied of a page.
enum Change {
    None,
    Whole,
    Runs(Vec<(usize, usize)>),
}

impl Map {
    /// The bytes of a range of the buffer, where they are what the buffer holds: nobody but the program has written there, and what it
    /// wrote was copied.
    fn held(&self, range: Range<u64>) -> Option<&[u8]> {
        let at = |end: u64| usize::try_from(end.checked_sub(self.offset)?).ok();
        let (start, end) = (at(range.start)?, at(range.end)?);
        let bytes = self.last.get(start..end)?;
        let mut pages = self.known.get(start / PAGE..end.div_ceil(PAGE))?.iter();
        (self.writes && !self.is_dirty && pages.all(|known| *known)).then_some(bytes)
    }

    /// Takes over what the program has on a page. It may write meanwhile: what is compared is what is copied, through private memory.
    fn look(&mut self, page: usize, at: Range<usize>) -> Change {
        let mut fresh = [0u8; PAGE];
        let Some(new) = fresh.get_mut(..at.len()) else { return Change::None };
        let Some(view) = self.bytes.source().slice(at.start, at.len()) else { return Change::None };
        view.copy_to(new);
        let Some(old) = self.last.get_mut(at) else { return Change::None };
        let Some(known) = self.known.get_mut(page) else { return Change::None };
        let change = if !*known {
            Change::Whole
        } else if new == old {
            return Change::None;
        } else if self.is_dirty {
            // The GPU may have written beside it, which the program has not seen yet.
            Change::Runs(runs(old, new))
        } else {
            Change::Whole
        };
        *known = true;
        old.copy_from_slice(new);
        change
    }
}

/// Copies a part of `last` into the buffer.
fn put(a: &mut Applier, index: usize, at: Range<usize>) -> Result<()> {
    let Some(map) = a.maps.get(index) else { return Ok(()) };
    let (buffer, offset) = (map.buffer, map.offset + at.start as u64);
    let Some(bytes) = map.last.get(at) else { return Ok(()) };
    let outcome = a.backend.buffer_sub_data(&a.tables, buffer, offset, Source::new(bytes));
    let serial = a.tables.clock.tick();
    if let Some(object) = a.tables.buffers.get_mut(buffer) {
        object.content_serial = serial;
    }
    a.settle(outcome)
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
