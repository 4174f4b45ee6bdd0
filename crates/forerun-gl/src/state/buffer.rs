//! Buffer objects and their binding points (OpenGL ES 3.2, chapter 6; OpenGL 4.6, chapter 6).

use super::map::Map;
use crate::context::{Api, Context, State};
use crate::emit::Dirty;
use crate::error::{
    GlResult, check_enum, check_operation, check_value, invalid_enum, invalid_operation,
    invalid_value,
};
use crate::group::Group;
use crate::shared::Shared;
use crate::stream::{Owned, Stream, lost};
use forerun_pipe::caps::Caps;
use forerun_pipe::handle::kind;
use forerun_pipe::records::{
    BufferRange, CopyBuffer, InvalidateBuffer, MAX_POINTS, ResourceCreate, ResourceReadback,
    ResourceRespecify, ResourceSubData, WHOLE,
};
use forerun_pipe::{Kind, gl};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A buffer object.
#[derive(Debug)]
pub struct Buffer {
    /// Its name.
    pub name: u32,
    /// Its identity on the stream.
    pub handle: Owned<kind::Buffer>,
    /// Whether it was ever bound where the GPU writes: then the client never knows its contents.
    pub gpu_writable: AtomicBool,
    /// What can change.
    pub data: Shared<BufferData>,
}

/// What can change of a buffer object.
#[derive(Debug, Default)]
pub struct BufferData {
    /// Bytes.
    pub size: u64,
    /// GL usage.
    pub usage: u32,
    /// GL_BUFFER_STORAGE_FLAGS.
    pub storage_flags: u32,
    /// GL_BUFFER_IMMUTABLE_STORAGE.
    pub immutable: bool,
    /// The map, if it is mapped.
    pub map: Option<Map>,
    /// Contents as the client knows them: only of buffers that a map or a client array had to read.
    pub shadow: Option<Vec<u8>>,
    /// Nobody has given it any contents since it was defined: they are undefined, and need not be kept.
    pub fresh: bool,
}

impl BufferData {
    /// Something is written that the client does not know.
    pub fn written(&mut self) {
        self.shadow = None;
        self.fresh = false;
    }

    /// Whether a map forbids other access (persistent maps do not).
    pub fn blocked(&self) -> bool {
        self.map.as_ref().is_some_and(|map| map.access & gl::MAP_PERSISTENT_BIT == 0)
    }
}

/// A buffer at an indexed binding point.
#[derive(Clone, Debug, Default)]
pub struct IndexedPoint {
    /// The buffer.
    pub buffer: Option<Arc<Buffer>>,
    /// First byte.
    pub offset: u64,
    /// Bytes; 0 for the whole buffer (glBindBufferBase).
    pub size: u64,
}

impl IndexedPoint {
    /// As it crosses.
    pub fn range(&self) -> BufferRange {
        match &self.buffer {
            Some(buffer) => BufferRange {
                buffer: buffer.handle.raw(),
                offset: self.offset,
                size: if self.size == 0 { WHOLE } else { self.size },
            },
            None => BufferRange::default(),
        }
    }
}

macro_rules! slots {
    ($( $field:ident = $target:ident; )*) => {
        /// Buffers at the targets that are not kept by another object.
        #[derive(Debug, Default)]
        pub struct Slots { $(
            #[doc = concat!("GL_", stringify!($target))]
            pub $field: Option<Arc<Buffer>>,
        )* }

        impl State {
            /// The binding of a target; the element array buffer is the vertex array's.
            ///
            /// # Errors
            /// GL_INVALID_ENUM for a target that this context does not have.
            pub fn buffer_slot(&mut self, target: u32) -> GlResult<&mut Option<Arc<Buffer>>> {
                match target {
                    gl::ELEMENT_ARRAY_BUFFER => Ok(&mut self.vertex.current.element_buffer),
                    $( gl::$target if self.knows(target) => Ok(&mut self.buffer.slots.$field), )*
                    _ => invalid_enum("buffer target"),
                }
            }
        }

        impl Slots {
            fn all(&mut self) -> impl Iterator<Item = &mut Option<Arc<Buffer>>> {
                [ $( &mut self.$field ),* ].into_iter()
            }
        }
    };
}

slots! {
    array = ARRAY_BUFFER;
    pixel_pack = PIXEL_PACK_BUFFER;
    pixel_unpack = PIXEL_UNPACK_BUFFER;
    copy_read = COPY_READ_BUFFER;
    copy_write = COPY_WRITE_BUFFER;
    uniform = UNIFORM_BUFFER;
    feedback = TRANSFORM_FEEDBACK_BUFFER;
    storage = SHADER_STORAGE_BUFFER;
    atomic = ATOMIC_COUNTER_BUFFER;
    draw_indirect = DRAW_INDIRECT_BUFFER;
    dispatch_indirect = DISPATCH_INDIRECT_BUFFER;
    texture = TEXTURE_BUFFER;
    query = QUERY_BUFFER;
    parameter = PARAMETER_BUFFER;
}

/// Buffer bindings of a context.
#[derive(Debug)]
pub struct BufferBindings {
    /// Targets.
    pub slots: Slots,
    /// Indexed points: uniform, storage, atomic (in the order of [`forerun_pipe::records::class`]).
    pub points: [Vec<IndexedPoint>; 3],
}

impl BufferBindings {
    /// Empty bindings.
    pub fn new(caps: &Caps) -> BufferBindings {
        let l = &caps.limits;
        let points = |limit: i32| {
            vec![IndexedPoint::default(); (limit.max(0) as usize).min(MAX_POINTS as usize)]
        };
        BufferBindings {
            slots: Slots::default(),
            points: [
                points(l.max_uniform_buffer_bindings),
                points(l.max_shader_storage_buffer_bindings),
                points(l.max_atomic_counter_buffer_bindings),
            ],
        }
    }
}

/// The class and dirty bit of an indexed target kept here.
fn class_of(target: u32) -> Option<(usize, Dirty)> {
    match target {
        gl::UNIFORM_BUFFER => Some((0, Dirty::UNIFORM_BUFFERS)),
        gl::SHADER_STORAGE_BUFFER => Some((1, Dirty::STORAGE_BUFFERS)),
        gl::ATOMIC_COUNTER_BUFFER => Some((2, Dirty::ATOMIC_BUFFERS)),
        _ => None,
    }
}

impl Group {
    /// The buffer of a name, created if the name was only generated (or, outside core profiles, never seen).
    ///
    /// # Errors
    /// GL_INVALID_OPERATION for a name that glGenBuffers did not give, in a core profile.
    pub fn buffer(&self, api: Api, name: u32) -> GlResult<Option<Arc<Buffer>>> {
        if name == 0 {
            return Ok(None);
        }
        let mut names = self.buffers.borrow_mut();
        if let Some(buffer) = names.get(name) {
            return Ok(Some(Arc::clone(buffer)));
        }
        check_operation(
            api != Api::Core || names.is_reserved(name),
            "the buffer name was not generated",
        )?;
        let mut stream = self.stream();
        let handle = stream.mint::<kind::Buffer>()?;
        ResourceCreate { handle: handle.raw(), kind: Kind::Buffer as u32, target: 0 }
            .send(&mut *stream);
        let data = BufferData { usage: gl::STATIC_DRAW, ..Default::default() };
        let buffer = Arc::new(Buffer {
            name,
            handle,
            gpu_writable: AtomicBool::new(false),
            data: Shared::new(data),
        });
        names.insert(name, Arc::clone(&buffer));
        Ok(Some(buffer))
    }
}

/// glBindBuffer.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target; see [`Group::buffer`].
pub fn bind(cx: &mut Context, target: u32, name: u32) -> GlResult {
    let slot = cx.state.buffer_slot(target)?;
    if slot.as_ref().map_or(0, |b| b.name) == name && name == 0 {
        return Ok(());
    }
    let buffer = cx.group.buffer(cx.state.config.api, name)?;
    if let (
        Some(buffer),
        gl::PIXEL_PACK_BUFFER | gl::TRANSFORM_FEEDBACK_BUFFER | gl::TEXTURE_BUFFER,
    ) = (&buffer, target)
    {
        buffer.gpu_writable.store(true, Ordering::Relaxed);
        buffer.data.borrow_mut().written();
    }
    *cx.state.buffer_slot(target)? = buffer;
    if target == gl::ELEMENT_ARRAY_BUFFER {
        cx.dirty |= Dirty::INDEX_BUFFER;
    }
    Ok(())
}

/// glBindBufferBase (`range` is `None`) and glBindBufferRange.
///
/// # Errors
/// As OpenGL ES 3.2, section 6.1.1 says.
pub fn bind_indexed(
    cx: &mut Context,
    target: u32,
    index: u32,
    name: u32,
    range: Option<(i64, i64)>,
) -> GlResult {
    cx.state.buffer_slot(target)?;
    let limits = cx.caps.limits;
    let (count, alignment) = match target {
        gl::UNIFORM_BUFFER => (cx.buffer.points[0].len(), limits.uniform_buffer_offset_alignment),
        gl::SHADER_STORAGE_BUFFER => {
            (cx.buffer.points[1].len(), limits.shader_storage_buffer_offset_alignment)
        }
        gl::ATOMIC_COUNTER_BUFFER => (cx.buffer.points[2].len(), 4),
        gl::TRANSFORM_FEEDBACK_BUFFER => {
            (limits.max_transform_feedback_separate_attribs.max(0) as usize, 4)
        }
        _ => return invalid_enum("target without indexed binding points"),
    };
    check_value((index as usize) < count, "index of a binding point")?;
    let (mut offset, mut size) = (0, 0);
    if let Some((o, s)) = range
        && name != 0
    {
        check_value(s > 0, "size of a buffer range")?;
        check_value(o >= 0, "offset of a buffer range")?;
        check_value(o % i64::from(alignment.max(1)) == 0, "alignment of a buffer range")?;
        check_value(
            target != gl::TRANSFORM_FEEDBACK_BUFFER || s % 4 == 0,
            "size of a feedback range",
        )?;
        (offset, size) = (o as u64, s as u64);
    }
    check_operation(
        target != gl::TRANSFORM_FEEDBACK_BUFFER || !super::feedback::is_active(&cx.state),
        "transform feedback is active",
    )?;
    let buffer = cx.group.buffer(cx.state.config.api, name)?;
    if let (Some(buffer), true) = (&buffer, target != gl::UNIFORM_BUFFER) {
        buffer.gpu_writable.store(true, Ordering::Relaxed);
        buffer.data.borrow_mut().written();
    }
    *cx.state.buffer_slot(target)? = buffer.clone();
    let point = IndexedPoint { buffer, offset, size };
    match class_of(target) {
        Some((class, dirty)) => {
            cx.buffer.points[class][index as usize] = point;
            cx.dirty |= dirty;
        }
        None => super::feedback::bind_target(&mut cx.state, index, point),
    }
    Ok(())
}

/// glBindBufferOffsetEXT (EXT_transform_feedback): what the buffer has from `offset` in bytes on, as it is now.
///
/// # Errors
/// As [`bind_indexed`]; GL_INVALID_ENUM for other targets, GL_INVALID_VALUE for an offset beyond the end.
pub fn bind_from(cx: &mut Context, target: u32, index: u32, name: u32, offset: i64) -> GlResult {
    check_enum(target == gl::TRANSFORM_FEEDBACK_BUFFER, "target of a binding with an offset")?;
    let buffer = cx.group.buffer(cx.state.config.api, name)?;
    let size = buffer.map_or(0, |buffer| buffer.data.borrow_mut().size as i64);
    bind_indexed(cx, target, index, name, Some((offset, size.saturating_sub(offset) & !3)))
}

/// glDeleteBuffers: unbinds from this context, frees the names. A map ends.
pub fn delete(cx: &mut Context, names: &[u32]) -> GlResult {
    for &name in names.iter().filter(|n| **n != 0) {
        let Some(buffer) = cx.group.buffers.borrow_mut().remove(name) else { continue };
        super::map::deleted(cx, &buffer);
        let gone =
            |slot: &Option<Arc<Buffer>>| slot.as_ref().is_some_and(|b| Arc::ptr_eq(b, &buffer));
        for slot in cx.state.buffer.slots.all().filter(|slot| gone(slot)) {
            *slot = None;
        }
        for (class, dirty) in
            [(0, Dirty::UNIFORM_BUFFERS), (1, Dirty::STORAGE_BUFFERS), (2, Dirty::ATOMIC_BUFFERS)]
        {
            for point in cx.state.buffer.points[class].iter_mut().filter(|p| gone(&p.buffer)) {
                *point = IndexedPoint::default();
                cx.state.dirty |= dirty;
            }
        }
        super::vertex::buffer_deleted(&mut cx.state, &buffer);
        super::feedback::buffer_deleted(&mut cx.state, &buffer);
    }
    Ok(())
}

/// The buffer bound to a target.
///
/// # Errors
/// GL_INVALID_ENUM for an unknown target, GL_INVALID_OPERATION when nothing is bound.
pub fn bound(cx: &mut Context, target: u32) -> GlResult<Arc<Buffer>> {
    match cx.state.buffer_slot(target)? {
        Some(buffer) => Ok(Arc::clone(buffer)),
        None => invalid_operation("no buffer is bound to the target"),
    }
}

fn respecify(stream: &mut Stream, buffer: &Buffer, data: &BufferData) {
    ResourceRespecify {
        handle: buffer.handle.raw(),
        kind: Kind::Buffer as u32,
        size: data.size,
        usage: data.usage,
        storage_flags: data.storage_flags,
        immutable: u32::from(data.immutable),
        ..Default::default()
    }
    .send(stream);
}

/// Sends bytes to a range of a buffer, in pieces that the stage can hold.
///
/// # Errors
/// GL_OUT_OF_MEMORY when the session is lost.
pub fn send_bytes(stream: &mut Stream, buffer: &Buffer, offset: u64, bytes: &[u8]) -> GlResult {
    let piece = stream.link.max_chunk().max(1);
    let mut at = offset;
    for chunk in bytes.chunks(piece) {
        let (blob, inline) = stream.link.content(chunk).map_err(|fault| lost(&fault))?;
        ResourceSubData {
            handle: buffer.handle.raw(),
            kind: Kind::Buffer as u32,
            offset: at,
            bytes: blob,
            ..Default::default()
        }
        .send(stream, inline);
        at += chunk.len() as u64;
    }
    Ok(())
}

/// Reads a range of a buffer back. Waits for the server.
///
/// # Errors
/// GL_OUT_OF_MEMORY when the session is lost.
pub fn read_bytes(stream: &mut Stream, buffer: &Buffer, offset: u64, out: &mut [u8]) -> GlResult {
    let piece = stream.band(out.len());
    let bands = (offset..).step_by(piece).zip(out.chunks_mut(piece));
    let bands = bands.map(|(at, chunk)| (chunk.len(), (at, chunk))).collect();
    let handle = buffer.handle.raw();
    stream.read_bands(
        bands,
        |stream, (offset, _), dst| ResourceReadback { handle, offset: *offset, dst }.send(stream),
        |(_, chunk), slice| slice.read(0, chunk),
    )
}

/// Largest store in bytes that is asked of the server at all; no address space has more.
pub const MAX_SIZE: u64 = 1 << 48;

/// glBufferData.
///
/// # Errors
/// As OpenGL ES 3.2, section 6.2 says.
pub fn data(
    cx: &mut Context,
    target: u32,
    size: i64,
    bytes: Option<&[u8]>,
    usage: u32,
) -> GlResult {
    let buffer = bound(cx, target)?;
    check_enum(is_usage(cx, usage), "buffer usage")?;
    let mut data = buffer.data.borrow_mut();
    check_operation(!data.immutable, "the buffer's storage is immutable")?;
    let fresh = bytes.is_none();
    let mut stream = cx.stream();
    super::map::replaced(&mut stream, &buffer, &mut data);
    *data = BufferData { size: size as u64, usage, fresh, ..Default::default() };
    respecify(&mut stream, &buffer, &data);
    match bytes {
        Some(bytes) => send_bytes(&mut stream, &buffer, 0, bytes),
        None => Ok(()),
    }
}

fn is_usage(cx: &Context, usage: u32) -> bool {
    match usage {
        gl::STREAM_DRAW | gl::STATIC_DRAW | gl::DYNAMIC_DRAW => true,
        gl::STREAM_READ
        | gl::STREAM_COPY
        | gl::STATIC_READ
        | gl::STATIC_COPY
        | gl::DYNAMIC_READ
        | gl::DYNAMIC_COPY => cx.knows(usage),
        _ => false,
    }
}

/// glBufferStorage (OpenGL 4.4, EXT_buffer_storage).
///
/// # Errors
/// As OpenGL 4.6, section 6.2 says.
pub fn storage(
    cx: &mut Context,
    target: u32,
    size: i64,
    bytes: Option<&[u8]>,
    flags: u32,
) -> GlResult {
    let buffer = bound(cx, target)?;
    check_value(size > 0, "size of a buffer")?;
    let known = gl::MAP_READ_BIT
        | gl::MAP_WRITE_BIT
        | gl::MAP_PERSISTENT_BIT
        | gl::MAP_COHERENT_BIT
        | gl::DYNAMIC_STORAGE_BIT
        | gl::CLIENT_STORAGE_BIT;
    check_value(flags & !known == 0, "storage flags")?;
    let mappable = flags & (gl::MAP_READ_BIT | gl::MAP_WRITE_BIT) != 0;
    check_value(
        flags & gl::MAP_PERSISTENT_BIT == 0 || mappable,
        "a persistent map needs read or write",
    )?;
    check_value(
        flags & gl::MAP_COHERENT_BIT == 0 || flags & gl::MAP_PERSISTENT_BIT != 0,
        "coherent without persistent",
    )?;
    let mut data = buffer.data.borrow_mut();
    check_operation(!data.immutable, "the buffer's storage is immutable")?;
    let mut stream = cx.stream();
    super::map::replaced(&mut stream, &buffer, &mut data);
    *data = BufferData {
        size: size as u64,
        usage: gl::DYNAMIC_DRAW,
        storage_flags: flags,
        immutable: true,
        fresh: bytes.is_none(),
        ..Default::default()
    };
    respecify(&mut stream, &buffer, &data);
    match bytes {
        Some(bytes) => send_bytes(&mut stream, &buffer, 0, bytes),
        None => Ok(()),
    }
}

/// A range of a buffer, checked.
///
/// # Errors
/// GL_INVALID_VALUE for one that is negative or leaves the buffer.
pub fn checked_range(data: &BufferData, offset: i64, size: i64) -> GlResult<(u64, u64)> {
    let (Ok(offset), Ok(size)) = (u64::try_from(offset), u64::try_from(size)) else {
        return invalid_value("a buffer range is negative");
    };
    check_value(
        offset.checked_add(size).is_some_and(|end| end <= data.size),
        "a buffer range ends behind the buffer",
    )?;
    Ok((offset, size))
}

/// glBufferSubData.
///
/// # Errors
/// As OpenGL ES 3.2, section 6.2 says.
pub fn sub_data(cx: &mut Context, target: u32, offset: i64, bytes: &[u8]) -> GlResult {
    let buffer = bound(cx, target)?;
    let mut data = buffer.data.borrow_mut();
    let (offset, size) = checked_range(&data, offset, bytes.len() as i64)?;
    check_operation(!data.blocked(), "the buffer is mapped")?;
    check_operation(
        !data.immutable || data.storage_flags & gl::DYNAMIC_STORAGE_BIT != 0,
        "immutable storage",
    )?;
    data.fresh = false;
    if let Some(shadow) = &mut data.shadow {
        shadow[offset as usize..(offset + size) as usize].copy_from_slice(bytes);
    }
    send_bytes(&mut cx.stream(), &buffer, offset, bytes)
}

/// glGetBufferSubData.
///
/// # Errors
/// As OpenGL 4.6, section 6.2 says.
pub fn get_sub_data(cx: &mut Context, target: u32, offset: i64, out: &mut [u8]) -> GlResult {
    let buffer = bound(cx, target)?;
    let data = buffer.data.borrow_mut();
    let (offset, _) = checked_range(&data, offset, out.len() as i64)?;
    check_operation(!data.blocked(), "the buffer is mapped")?;
    read_bytes(&mut cx.stream(), &buffer, offset, out)
}

/// glCopyBufferSubData.
///
/// # Errors
/// As OpenGL ES 3.2, section 6.6 says.
pub fn copy(cx: &mut Context, read: u32, write: u32, from: i64, to: i64, size: i64) -> GlResult {
    let (src, dst) = (bound(cx, read)?, bound(cx, write)?);
    let same = Arc::ptr_eq(&src, &dst);
    let (src_offset, bytes) = {
        let data = src.data.borrow_mut();
        check_operation(!data.blocked(), "the source is mapped")?;
        checked_range(&data, from, size)?
    };
    let dst_offset = {
        let mut data = dst.data.borrow_mut();
        check_operation(!data.blocked(), "the destination is mapped")?;
        let (offset, _) = checked_range(&data, to, size)?;
        data.written();
        offset
    };
    check_value(
        !same || src_offset.abs_diff(dst_offset) >= bytes,
        "source and destination overlap",
    )?;
    let (src, dst) = (src.handle.raw(), dst.handle.raw());
    CopyBuffer { src, dst, src_offset, dst_offset, size: bytes }.send(&mut *cx.stream());
    Ok(())
}

/// glInvalidateBufferSubData; `range` is `None` for glInvalidateBufferData.
///
/// # Errors
/// GL_INVALID_VALUE for an unknown buffer or a range outside it, GL_INVALID_OPERATION for a mapped one.
pub fn invalidate(cx: &mut Context, name: u32, range: Option<(i64, i64)>) -> GlResult {
    let Some(buffer) = cx.group.buffers.borrow_mut().get(name).cloned() else {
        return invalid_value("no such buffer");
    };
    let data = buffer.data.borrow_mut();
    let (offset, size) = match range {
        Some((offset, size)) => checked_range(&data, offset, size)?,
        None => (0, data.size),
    };
    check_operation(!data.blocked(), "the buffer is mapped")?;
    InvalidateBuffer { handle: buffer.handle.raw(), offset, size }.send(&mut *cx.stream());
    Ok(())
}
