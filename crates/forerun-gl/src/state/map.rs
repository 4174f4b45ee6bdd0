//! Mapped buffers (OpenGL ES 3.2, section 6.3).

use super::buffer::{Buffer, BufferData, bound, read_bytes, send_bytes};
use crate::context::Context;
use crate::error::{GlResult, check_operation, check_value, invalid_operation, out_of_memory};
use crate::stream::Stream;
use forerun_link::{OwnSegment, StageSlice};
use forerun_pipe::records::{MAP_ALIGNMENT, MapPersistent, ResourceSubData, UnmapPersistent};
use forerun_pipe::{Kind, gl};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// From so many bytes on, private memory of a map is used for the next one…
const LARGE: usize = 64 << 10;
/// …up to so many, which nobody may ever map again.
const LARGEST: usize = 32 << 20;

/// A map.
pub struct Map {
    /// First byte mapped.
    pub offset: u64,
    /// GL_MAP_* bits.
    pub access: u32,
    memory: Memory,
}

enum Memory {
    /// Private memory; bytes cross at flush and unmap. The slice is over-allocated so that `start` is aligned.
    Private { bytes: Box<[u8]>, start: usize, len: usize },
    /// A piece of the stage: what the program writes crosses without a copy. The map begins at `start`, so that it is aligned.
    Staged { slice: StageSlice, start: usize },
    /// Memory that the server sees too. The map begins at `start`, as above.
    Shared { segment: OwnSegment, start: usize },
}

impl Memory {
    /// The program has no use for it any more. A piece of the stage was released before.
    fn give_back(self, stream: &mut Stream, buffer: &Buffer) {
        match self {
            Memory::Private { bytes, .. } if (LARGE..=LARGEST).contains(&bytes.len()) => {
                stream.spare = bytes;
            }
            Memory::Private { .. } | Memory::Staged { .. } => {}
            Memory::Shared { segment, .. } => {
                UnmapPersistent { handle: buffer.handle.raw() }.send(stream);
                stream.link.drop_segment(segment);
            }
        }
    }
}

/// Where a map begins in memory that is aligned itself.
fn start_of(offset: u64) -> usize {
    (offset % MAP_ALIGNMENT) as usize
}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Map {{ offset: {}, len: {}, access: {:#x} }}",
            self.offset,
            self.len(),
            self.access
        )
    }
}

impl Map {
    fn private(stream: &mut Stream, offset: u64, len: usize, access: u32) -> GlResult<Map> {
        const ALIGNMENT: usize = MAP_ALIGNMENT as usize;
        let size = len.saturating_add(2 * ALIGNMENT);
        let bytes = match stream.spare.len() {
            spare if spare >= size && len >= LARGE => std::mem::take(&mut stream.spare),
            _ => zeroed(size)?.into_boxed_slice(),
        };
        let start = bytes.as_ptr().align_offset(ALIGNMENT) + start_of(offset);
        Ok(Map { offset, access, memory: Memory::Private { bytes, start, len } })
    }

    /// Memory that the program writes on its way to the server; `None` when the stage has no place for it.
    fn staged(stream: &mut Stream, offset: u64, len: usize, access: u32) -> Option<Map> {
        let start = start_of(offset);
        if len <= stream.link.max_inline() {
            return None;
        }
        let slice = stream.link.hold(start.checked_add(len)?).ok().flatten()?;
        Some(Map { offset, access, memory: Memory::Staged { slice, start } })
    }

    /// Bytes mapped.
    pub fn len(&self) -> usize {
        match &self.memory {
            Memory::Private { len, .. } => *len,
            Memory::Staged { slice, start } => slice.len() - start,
            Memory::Shared { segment, start } => segment.len() - start,
        }
    }

    /// Whether nothing is mapped. GL refuses such maps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the program got.
    pub fn pointer(&mut self) -> *mut u8 {
        match &mut self.memory {
            Memory::Private { bytes, start, .. } => bytes[*start..].as_mut_ptr(),
            Memory::Staged { slice, start } => slice.as_mut_ptr().wrapping_add(*start),
            Memory::Shared { segment, start } => segment.as_mut_ptr().wrapping_add(*start),
        }
    }

    /// What the program finds when it has mapped.
    fn fill(&mut self, stream: &mut Stream, buffer: &Buffer, data: &mut BufferData) -> GlResult {
        let (from, len) = (self.offset as usize, self.len());
        match &mut self.memory {
            Memory::Private { bytes, start, len }
                if buffer.gpu_writable.load(Ordering::Relaxed) =>
            {
                let bytes = &mut bytes[*start..*start + *len];
                unless_lost(read_bytes(stream, buffer, self.offset, bytes))
            }
            Memory::Private { bytes, start, .. } => {
                let current = &shadow(stream, buffer, data)?[from..from + len];
                bytes[*start..*start + len].copy_from_slice(current);
                Ok(())
            }
            Memory::Staged { slice, start } => {
                slice.write(*start, &shadow(stream, buffer, data)?[from..from + len]);
                Ok(())
            }
            // A persistent map has the contents from its beginning.
            Memory::Shared { .. } => Ok(()),
        }
    }

    /// Sends what the program wrote to a range of the map. Persistent maps need no sending.
    fn send(
        &self,
        stream: &mut Stream,
        buffer: &Buffer,
        shadow: Option<&mut Vec<u8>>,
        range: Range<usize>,
    ) -> GlResult {
        let (at, len) = (self.offset + range.start as u64, range.len());
        let shadow = shadow.map(|shadow| &mut shadow[at as usize..at as usize + len]);
        match &self.memory {
            Memory::Private { bytes, start, .. } => {
                let bytes = &bytes[*start..][range];
                if let Some(shadow) = shadow {
                    shadow.copy_from_slice(bytes);
                }
                send_bytes(stream, buffer, at, bytes)
            }
            Memory::Staged { slice, start } if len > 0 => {
                let from = start + range.start;
                if let Some(shadow) = shadow {
                    slice.read(from, shadow);
                }
                ResourceSubData {
                    handle: buffer.handle.raw(),
                    kind: Kind::Buffer as u32,
                    offset: at,
                    bytes: slice.part(from, len),
                    ..Default::default()
                }
                .send(stream, &[]);
                Ok(())
            }
            Memory::Staged { .. } | Memory::Shared { .. } => Ok(()),
        }
    }

    /// The map ends: what the program wrote crosses, and its memory goes back.
    fn end(self, stream: &mut Stream, buffer: &Buffer, shadow: Option<&mut Vec<u8>>) -> GlResult {
        let unsent =
            self.access & gl::MAP_WRITE_BIT != 0 && self.access & gl::MAP_FLUSH_EXPLICIT_BIT == 0;
        if let Memory::Staged { slice, .. } = &self.memory {
            stream.link.release(slice);
        }
        let sent = match unsent {
            true => self.send(stream, buffer, shadow, 0..self.len()),
            false => Ok(()),
        };
        self.memory.give_back(stream, buffer);
        sent
    }

    /// The map ends with what it was of: nothing of it is wanted, and its memory goes back.
    fn discard(self, stream: &mut Stream, buffer: &Buffer) {
        if let Memory::Staged { slice, .. } = &self.memory {
            stream.link.release(slice);
        }
        self.memory.give_back(stream, buffer);
    }

    /// GL_BUFFER_ACCESS of the old interface.
    pub fn old_access(&self) -> u32 {
        match self.access & (gl::MAP_READ_BIT | gl::MAP_WRITE_BIT) {
            gl::MAP_READ_BIT => gl::READ_ONLY,
            gl::MAP_WRITE_BIT => gl::WRITE_ONLY,
            _ => gl::READ_WRITE,
        }
    }
}

/// Zeros, or GL_OUT_OF_MEMORY: a store may be larger than what the client can have.
fn zeroed(len: usize) -> GlResult<Vec<u8>> {
    /// What is refused by no system. Memory that is zeroed by it costs nothing until it is used.
    const SURE: usize = 256 << 20;
    if len <= SURE {
        return Ok(vec![0; len]);
    }
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(len).is_err() {
        return out_of_memory("memory for a map");
    }
    bytes.resize(len, 0);
    Ok(bytes)
}

/// Programs write through the pointer of a map without a look at it: one of a session that is lost is memory like any other.
fn unless_lost(result: GlResult) -> GlResult {
    result.or_else(|error| if error.code == gl::CONTEXT_LOST { Ok(()) } else { Err(error) })
}

fn check_access(access: u32) -> GlResult {
    let known = gl::MAP_READ_BIT
        | gl::MAP_WRITE_BIT
        | gl::MAP_INVALIDATE_RANGE_BIT
        | gl::MAP_INVALIDATE_BUFFER_BIT
        | gl::MAP_FLUSH_EXPLICIT_BIT
        | gl::MAP_UNSYNCHRONIZED_BIT
        | gl::MAP_PERSISTENT_BIT
        | gl::MAP_COHERENT_BIT;
    check_value(access & !known == 0, "unknown access bits")?;
    let invalidating =
        gl::MAP_INVALIDATE_RANGE_BIT | gl::MAP_INVALIDATE_BUFFER_BIT | gl::MAP_UNSYNCHRONIZED_BIT;
    check_operation(
        access & (gl::MAP_READ_BIT | gl::MAP_WRITE_BIT) != 0,
        "neither read nor write",
    )?;
    check_operation(
        access & gl::MAP_READ_BIT == 0 || access & invalidating == 0,
        "reading what is invalidated",
    )?;
    check_operation(
        access & gl::MAP_FLUSH_EXPLICIT_BIT == 0 || access & gl::MAP_WRITE_BIT != 0,
        "explicit flush without write",
    )
}

/// glMapBufferRange.
///
/// # Errors
/// As OpenGL ES 3.2, section 6.3 says.
pub fn map(cx: &mut Context, target: u32, offset: i64, len: i64, access: u32) -> GlResult<*mut u8> {
    let buffer = bound(cx, target)?;
    let mut data = buffer.data.borrow_mut();
    check_value(offset >= 0 && len >= 0, "a mapped range is negative")?;
    check_value(
        offset.checked_add(len).is_some_and(|end| end as u64 <= data.size),
        "a map ends behind the buffer",
    )?;
    check_operation(len > 0, "an empty map")?;
    check_access(access)?;
    check_operation(data.map.is_none(), "the buffer is mapped")?;
    if data.immutable {
        let wanted = access
            & (gl::MAP_READ_BIT
                | gl::MAP_WRITE_BIT
                | gl::MAP_PERSISTENT_BIT
                | gl::MAP_COHERENT_BIT);
        check_operation(
            wanted & !data.storage_flags == 0,
            "the storage flags do not allow this map",
        )?;
    } else {
        check_operation(
            access & (gl::MAP_PERSISTENT_BIT | gl::MAP_COHERENT_BIT) == 0,
            "a persistent or coherent map of mutable storage",
        )?;
    }
    let (offset, len) = (offset as u64, len as usize);
    let mut stream = cx.stream();
    let undefined =
        gl::MAP_INVALIDATE_RANGE_BIT | gl::MAP_INVALIDATE_BUFFER_BIT | gl::MAP_FLUSH_EXPLICIT_BIT;
    let keeps = access & gl::MAP_READ_BIT != 0 || access & undefined == 0;
    let gpu_writable = buffer.gpu_writable.load(Ordering::Relaxed);
    let mut map = if access & gl::MAP_PERSISTENT_BIT != 0 {
        let fresh = data.fresh && !gpu_writable;
        persistent(&mut stream, &buffer, offset, len, access, fresh)?
    } else {
        // What is read back comes into memory of our own.
        let on_its_way = access & gl::MAP_WRITE_BIT != 0 && !(keeps && gpu_writable);
        let staged = on_its_way.then(|| Map::staged(&mut stream, offset, len, access)).flatten();
        match staged {
            Some(map) => map,
            None => Map::private(&mut stream, offset, len, access)?,
        }
    };
    if keeps && let Err(error) = map.fill(&mut stream, &buffer, &mut data) {
        map.discard(&mut stream, &buffer);
        return Err(error);
    }
    data.fresh &= access & gl::MAP_WRITE_BIT == 0;
    Ok(data.map.insert(map).pointer())
}

/// The contents of a buffer that only the client writes, read back once.
///
/// # Errors
/// GL_OUT_OF_MEMORY when there is none for them.
pub fn shadow<'a>(
    stream: &mut Stream,
    buffer: &Buffer,
    data: &'a mut BufferData,
) -> GlResult<&'a mut Vec<u8>> {
    if data.shadow.is_none() {
        let mut bytes = zeroed(data.size as usize)?;
        if !data.fresh {
            unless_lost(read_bytes(stream, buffer, 0, &mut bytes))?;
        }
        data.shadow = Some(bytes);
    }
    Ok(data.shadow.get_or_insert_default())
}

fn persistent(
    stream: &mut Stream,
    buffer: &Buffer,
    offset: u64,
    len: usize,
    access: u32,
    fresh: bool,
) -> GlResult<Map> {
    let start = start_of(offset);
    let Some(size) = start.checked_add(len) else { return out_of_memory("a map") };
    let segment = match stream.link.create_segment(size) {
        Ok(segment) => segment,
        Err(fault) if stream.link.lost().is_some() => {
            log::debug!("a map of a lost session is memory of this process: {fault}");
            return Map::private(stream, offset, len, access);
        }
        Err(_) => return out_of_memory("a map"),
    };
    let invalidating = gl::MAP_INVALIDATE_RANGE_BIT | gl::MAP_INVALIDATE_BUFFER_BIT;
    if !fresh && access & invalidating == 0 {
        let current = zeroed(len).and_then(|mut current| {
            unless_lost(read_bytes(stream, buffer, offset, &mut current))?;
            Ok(current)
        });
        let current = match current {
            Ok(current) => current,
            Err(error) => {
                stream.link.drop_segment(segment);
                return Err(error);
            }
        };
        // SAFETY: the segment has `start + len` bytes of shared memory, and the server knows of none of them before the record below.
        unsafe {
            let to = segment.as_mut_ptr().add(start);
            std::ptr::copy_nonoverlapping(current.as_ptr(), to, len);
        }
    }
    MapPersistent {
        handle: buffer.handle.raw(),
        offset,
        size: len as u64,
        segment: segment.number(),
        access,
    }
    .send(stream);
    Ok(Map { offset, access, memory: Memory::Shared { segment, start } })
}

/// glFlushMappedBufferRange.
///
/// # Errors
/// As OpenGL ES 3.2, section 6.3 says.
pub fn flush(cx: &mut Context, target: u32, offset: i64, len: i64) -> GlResult {
    let buffer = bound(cx, target)?;
    let mut data = buffer.data.borrow_mut();
    let data = &mut *data;
    let Some(map) = &mut data.map else { return invalid_operation("the buffer is not mapped") };
    check_operation(
        map.access & gl::MAP_FLUSH_EXPLICIT_BIT != 0,
        "the map is not flushed explicitly",
    )?;
    check_value(offset >= 0 && len >= 0, "a flushed range is negative")?;
    check_value(
        offset.checked_add(len).is_some_and(|end| end as usize <= map.len()),
        "a flush ends behind the map",
    )?;
    map.send(
        &mut cx.stream(),
        &buffer,
        data.shadow.as_mut(),
        offset as usize..(offset + len) as usize,
    )
}

/// glUnmapBuffer. True: shared memory cannot be corrupted by display changes.
///
/// # Errors
/// GL_INVALID_OPERATION when the buffer is not mapped.
pub fn unmap(cx: &mut Context, target: u32) -> GlResult<bool> {
    let buffer = bound(cx, target)?;
    let mut data = buffer.data.borrow_mut();
    let Some(map) = data.map.take() else {
        return invalid_operation("the buffer is not mapped");
    };
    map.end(&mut cx.stream(), &buffer, data.shadow.as_mut())?;
    Ok(true)
}

/// The map of a buffer that is deleted ends as by glUnmapBuffer: others may still hold the buffer.
pub fn deleted(cx: &Context, buffer: &Buffer) {
    let mut data = buffer.data.borrow_mut();
    if let Some(map) = data.map.take()
        && let Err(error) = map.end(&mut cx.stream(), buffer, data.shadow.as_mut())
    {
        log::debug!("the map of deleted buffer {}: {error:?}", buffer.name);
    }
}

/// The map of a buffer whose store is replaced ends.
pub fn replaced(stream: &mut Stream, buffer: &Buffer, data: &mut BufferData) {
    if let Some(map) = data.map.take() {
        map.discard(stream, buffer);
    }
}
