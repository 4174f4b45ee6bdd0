//! Mapped buffers (OpenGL ES 3.2, section 6.3).

use super::buffer::{self, Buffer, bound, read_bytes, send_bytes};
use crate::context::Context;
use crate::error::{GlResult, check_operation, check_value, invalid_operation, out_of_memory};
use crate::stream::Stream;
use forerun_link::OwnSegment;
use forerun_pipe::gl;
use forerun_pipe::records::{MapPersistent, UnmapPersistent};
use std::sync::atomic::Ordering;

/// Alignment of a map's address relative to its offset: GL_MIN_MAP_BUFFER_ALIGNMENT.
const ALIGNMENT: usize = 64;

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
    /// Memory that the server sees too.
    Shared(OwnSegment),
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
    fn private(offset: u64, len: usize, access: u32) -> GlResult<Map> {
        let bytes = zeroed(len.saturating_add(2 * ALIGNMENT))?.into_boxed_slice();
        let phase = offset as usize % ALIGNMENT;
        let start = bytes.as_ptr().align_offset(ALIGNMENT) + phase;
        Ok(Map { offset, access, memory: Memory::Private { bytes, start, len } })
    }

    /// Bytes mapped.
    pub fn len(&self) -> usize {
        match &self.memory {
            Memory::Private { len, .. } => *len,
            Memory::Shared(segment) => segment.len(),
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
            Memory::Shared(segment) => segment.as_mut_ptr(),
        }
    }

    fn bytes(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Private { bytes, start, len } => &mut bytes[*start..*start + *len],
            Memory::Shared(_) => &mut [],
        }
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
            access & gl::MAP_PERSISTENT_BIT == 0,
            "a persistent map of mutable storage",
        )?;
    }
    let (offset, len) = (offset as u64, len as usize);
    let mut stream = cx.stream();
    let mut map = if access & gl::MAP_PERSISTENT_BIT != 0 {
        let fresh = data.fresh && !buffer.gpu_writable.load(Ordering::Relaxed);
        persistent(&mut stream, &buffer, offset, len, access, fresh)?
    } else {
        Map::private(offset, len, access)?
    };
    let undefined =
        gl::MAP_INVALIDATE_RANGE_BIT | gl::MAP_INVALIDATE_BUFFER_BIT | gl::MAP_FLUSH_EXPLICIT_BIT;
    let keeps = access & gl::MAP_READ_BIT != 0 || access & undefined == 0;
    if keeps && access & gl::MAP_PERSISTENT_BIT == 0 {
        let bytes = map.bytes();
        if buffer.gpu_writable.load(Ordering::Relaxed) {
            unless_lost(read_bytes(&mut stream, &buffer, offset, bytes))?;
        } else {
            let shadow = shadow(&mut stream, &buffer, &mut data)?;
            bytes.copy_from_slice(&shadow[offset as usize..offset as usize + len]);
        }
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
    data: &'a mut buffer::BufferData,
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
    let segment = match stream.link.create_segment(len) {
        Ok(segment) => segment,
        Err(fault) if stream.link.lost().is_some() => {
            log::debug!("a map of a lost session is memory of this process: {fault}");
            return Map::private(offset, len, access);
        }
        Err(_) => return out_of_memory("a map"),
    };
    let invalidating = gl::MAP_INVALIDATE_RANGE_BIT | gl::MAP_INVALIDATE_BUFFER_BIT;
    if !fresh && access & invalidating == 0 {
        let mut current = zeroed(len)?;
        unless_lost(read_bytes(stream, buffer, offset, &mut current))?;
        // SAFETY: the segment is `len` bytes of shared memory that the server only reads until it knows the segment, which is below.
        unsafe { std::ptr::copy_nonoverlapping(current.as_ptr(), segment.as_mut_ptr(), len) };
    }
    MapPersistent {
        handle: buffer.handle.raw(),
        offset,
        size: len as u64,
        segment: segment.number(),
        access,
    }
    .send(stream);
    Ok(Map { offset, access, memory: Memory::Shared(segment) })
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
    if let Memory::Shared(_) = map.memory {
        return Ok(());
    }
    let (at, start, end) = (map.offset + offset as u64, offset as usize, (offset + len) as usize);
    let bytes = &map.bytes()[start..end];
    if let Some(shadow) = &mut data.shadow {
        shadow[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    }
    send_bytes(&mut cx.stream(), &buffer, at, bytes)
}

/// glUnmapBuffer. True: shared memory cannot be corrupted by display changes.
///
/// # Errors
/// GL_INVALID_OPERATION when the buffer is not mapped.
pub fn unmap(cx: &mut Context, target: u32) -> GlResult<bool> {
    let buffer = bound(cx, target)?;
    let mut data = buffer.data.borrow_mut();
    let Some(mut map) = data.map.take() else {
        return invalid_operation("the buffer is not mapped");
    };
    let mut stream = cx.stream();
    if let Memory::Shared(segment) = map.memory {
        UnmapPersistent { handle: buffer.handle.raw() }.send(&mut *stream);
        stream.link.drop_segment(segment);
        return Ok(true);
    }
    if map.access & gl::MAP_WRITE_BIT != 0 && map.access & gl::MAP_FLUSH_EXPLICIT_BIT == 0 {
        let at = map.offset;
        let bytes = map.bytes();
        if let Some(shadow) = &mut data.shadow {
            shadow[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        }
        send_bytes(&mut stream, &buffer, at, bytes)?;
    }
    Ok(true)
}
