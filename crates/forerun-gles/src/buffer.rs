//! Buffer objects.

use crate::backend::GlBackend;
use crate::binds::Slot;
use crate::host::Dialect;
use crate::twin::Native;
use forerun_pipe::handle::kind;
use forerun_pipe::records::ClearBufferData;
use forerun_pipe::{Handle, RawHandle, gl as c};
use forerun_server::backend::{Failure, Outcome};
use forerun_server::objects::Range;
use forerun_server::{Dest, Source, Tables};

/// Stores up to this size are defined together with the bytes that fill them.
const DEFER: u64 = 1 << 20;

/// A buffer of the host.
#[derive(Clone, Copy, Debug)]
pub struct BufferTwin {
    /// The object.
    pub native: Native,
    /// A store that the table describes and the driver does not have yet: size and usage.
    pending: Option<(u64, u32)>,
}

impl GlBackend {
    /// The buffer of a handle, with its store; [`Native::NONE`] when it has none.
    #[inline]
    pub(crate) fn buffer(&mut self, handle: Handle<kind::Buffer>) -> Native {
        match self.buffers.get(handle) {
            Some(BufferTwin { native, pending: None }) => *native,
            Some(BufferTwin { native, pending: Some((size, usage)) }) => {
                let (native, size, usage) = (*native, *size, *usage);
                self.store(native, size, usage, Source::EMPTY);
                if let Some(twin) = self.buffers.get_mut(handle) {
                    twin.pending = None;
                }
                native
            }
            None => Native::NONE,
        }
    }

    /// The buffer of a handle, made if need be.
    pub(crate) fn ensure_buffer(&mut self, handle: Handle<kind::Buffer>) -> Native {
        if handle.is_null() {
            return Native::NONE;
        }
        if self.buffers.get(handle).is_none() {
            let native = self.new_buffer();
            // A name becomes an object when it is first bound.
            self.binds.buffer(&self.host.gl, Slot::CopyWrite, native);
            self.buffers.insert(handle, BufferTwin { native, pending: None });
        }
        self.buffer(handle)
    }

    fn store(&mut self, native: Native, size: u64, usage: u32, bytes: Source) {
        self.binds.buffer(&self.host.gl, Slot::CopyWrite, native);
        let data = if bytes.is_empty() { std::ptr::null() } else { bytes.as_ptr() };
        // SAFETY: no bytes are given, or exactly `size`.
        unsafe {
            self.host.gl.buffer_data(c::COPY_WRITE_BUFFER, size as isize, data.cast(), usage);
        }
    }

    pub(crate) fn define_buffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Buffer>,
    ) -> Outcome {
        let Some(buffer) = tables.buffers.get(handle) else { return Ok(()) };
        let usage = if buffer.usage == 0 { c::DYNAMIC_DRAW } else { buffer.usage };
        let native = match self.buffers.get(handle) {
            Some(twin) => twin.native,
            None => {
                let native = self.new_buffer();
                self.buffers.insert(handle, BufferTwin { native, pending: None });
                native
            }
        };
        self.buffer_epoch += 1;
        let pending = (buffer.size <= DEFER).then_some((buffer.size, usage));
        if let Some(twin) = self.buffers.get_mut(handle) {
            twin.pending = pending;
        }
        if pending.is_none() {
            self.store(native, buffer.size, usage, Source::EMPTY);
            return self.check_memory("a buffer's store");
        }
        Ok(())
    }

    pub(crate) fn write_buffer(
        &mut self,
        _tables: &Tables,
        handle: Handle<kind::Buffer>,
        offset: u64,
        bytes: Source,
    ) -> Outcome {
        let Some(twin) = self.buffers.get_mut(handle) else { return Ok(()) };
        if let Some((size, usage)) = twin.pending
            && offset == 0
            && size == bytes.len() as u64
            && size > 0
        {
            twin.pending = None;
            let native = twin.native;
            self.store(native, size, usage, bytes);
            return self.check_memory("a buffer's store");
        }
        let native = self.buffer(handle);
        self.write_bytes(native, offset, bytes);
        Ok(())
    }

    /// Writes bytes to a buffer that has a store.
    fn write_bytes(&mut self, native: Native, offset: u64, bytes: Source<'_>) {
        self.binds.buffer(&self.host.gl, Slot::CopyWrite, native);
        // SAFETY: the view holds these bytes; the driver copies them.
        unsafe {
            self.host.gl.buffer_sub_data(
                c::COPY_WRITE_BUFFER,
                offset as isize,
                bytes.len() as isize,
                bytes.as_ptr().cast(),
            );
        }
    }

    pub(crate) fn copy_buffer(
        &mut self,
        _tables: &Tables,
        src: Range,
        dst: Handle<kind::Buffer>,
        dst_offset: u64,
    ) -> Outcome {
        let (from, to) = (self.buffer(src.buffer), self.buffer(dst));
        if from == Native::NONE || to == Native::NONE {
            return Ok(());
        }
        self.binds.buffer(&self.host.gl, Slot::CopyRead, from);
        self.binds.buffer(&self.host.gl, Slot::CopyWrite, to);
        self.host.gl.copy_buffer_sub_data(
            c::COPY_READ_BUFFER,
            c::COPY_WRITE_BUFFER,
            src.offset as isize,
            dst_offset as isize,
            src.size as isize,
        );
        Ok(())
    }

    pub(crate) fn clear_buffer(
        &mut self,
        tables: &Tables,
        handle: Handle<kind::Buffer>,
        p: &ClearBufferData,
    ) -> Outcome {
        let native = self.buffer(handle);
        let pattern = p.pattern.get(..p.pattern_len as usize).unwrap_or(&p.pattern);
        if native == Native::NONE || pattern.is_empty() {
            return Ok(());
        }
        let format = match pattern.len() {
            1 => Some((c::R8UI, c::RED_INTEGER, c::UNSIGNED_BYTE)),
            2 => Some((c::R16UI, c::RED_INTEGER, c::UNSIGNED_SHORT)),
            4 => Some((c::R32UI, c::RED_INTEGER, c::UNSIGNED_INT)),
            8 => Some((c::RG32UI, c::RG_INTEGER, c::UNSIGNED_INT)),
            12 => Some((c::RGB32UI, c::RGB_INTEGER, c::UNSIGNED_INT)),
            16 => Some((c::RGBA32UI, c::RGBA_INTEGER, c::UNSIGNED_INT)),
            _ => None,
        };
        if let Some((internal, format, ty)) = format
            && self.host.gl.has.clear_buffer_sub_data
        {
            self.binds.buffer(&self.host.gl, Slot::CopyWrite, native);
            // SAFETY: one element of this format is read.
            unsafe {
                self.host.gl.clear_buffer_sub_data(
                    c::COPY_WRITE_BUFFER,
                    internal,
                    p.offset as isize,
                    p.size as isize,
                    format,
                    ty,
                    pattern.as_ptr().cast(),
                );
            }
            return Ok(());
        }
        // Pieces of whole patterns.
        let piece = pattern.repeat((65536 / pattern.len()).max(1));
        let (mut offset, end) = (p.offset, p.offset.saturating_add(p.size));
        while offset < end {
            let len = (piece.len() as u64).min(end - offset) as usize;
            self.write_buffer(tables, handle, offset, Source::new(&piece[..len]))?;
            offset += len as u64;
        }
        Ok(())
    }

    pub(crate) fn invalidate_buffer(&mut self, tables: &Tables, range: Range) -> Outcome {
        let Some(buffer) = tables.buffers.get(range.buffer) else { return Ok(()) };
        let whole = range.offset == 0 && range.size >= buffer.size;
        if whole && !buffer.immutable {
            // A fresh store: the GPU may still read the old one.
            let usage = if buffer.usage == 0 { c::DYNAMIC_DRAW } else { buffer.usage };
            if let Some(twin) = self.buffers.get_mut(range.buffer)
                && buffer.size <= DEFER
            {
                twin.pending = Some((buffer.size, usage));
                self.buffer_epoch += 1;
            }
            return Ok(());
        }
        if self.host.dialect == Dialect::Gl {
            let native = self.buffer(range.buffer);
            if native != Native::NONE {
                self.host.gl.invalidate_buffer_sub_data(
                    native.name,
                    range.offset as isize,
                    range.size as isize,
                );
            }
        }
        Ok(())
    }

    pub(crate) fn read_buffer(
        &mut self,
        _tables: &Tables,
        handle: Handle<kind::Buffer>,
        offset: u64,
        dst: &mut Dest,
    ) -> Outcome {
        let native = self.buffer(handle);
        if native == Native::NONE || dst.is_empty() {
            return Ok(());
        }
        let len = dst.len();
        self.with_mapped(native, offset, len, |bytes| {
            dst.write(0, bytes);
        })
    }

    /// Hands out bytes of a buffer, after everything that writes them.
    pub(crate) fn with_mapped(
        &mut self,
        native: Native,
        offset: u64,
        len: usize,
        mut then: impl FnMut(&[u8]),
    ) -> Outcome {
        let gl = &self.host.gl;
        if std::mem::take(&mut self.shaders_write) {
            // Some drivers do not notice by themselves that a map has to wait for shaders.
            gl.memory_barrier(c::BUFFER_UPDATE_BARRIER_BIT | c::SHADER_STORAGE_BARRIER_BIT);
        }
        let (native, offset) = if self.facts.software {
            (native, offset)
        } else {
            // A driver may move a store that is mapped for reading to the host's memory for good, or mislay later writes to it.
            (self.copied_out(native, offset, len), 0)
        };
        let gl = &self.host.gl;
        self.binds.buffer(gl, Slot::CopyRead, native);
        let map = gl.map_buffer_range(
            c::COPY_READ_BUFFER,
            offset as isize,
            len as isize,
            c::MAP_READ_BIT,
        );
        if map.is_null() {
            self.check_memory("reading a buffer")?;
            return Err(Failure::gl(c::OUT_OF_MEMORY, "a buffer cannot be mapped"));
        }
        // SAFETY: the driver mapped `len` bytes for reading.
        then(unsafe { std::slice::from_raw_parts(map.cast::<u8>(), len) });
        gl.unmap_buffer(c::COPY_READ_BUFFER);
        if native == self.read_store && len as u64 > DEFER {
            self.store(native, 0, c::STREAM_READ, Source::EMPTY);
        }
        Ok(())
    }

    /// A store of our own with bytes of a buffer.
    fn copied_out(&mut self, native: Native, offset: u64, len: usize) -> Native {
        if self.read_store == Native::NONE {
            self.read_store = self.new_buffer();
        }
        self.store(self.read_store, len as u64, c::STREAM_READ, Source::EMPTY);
        self.binds.buffer(&self.host.gl, Slot::CopyRead, native);
        self.host.gl.copy_buffer_sub_data(
            c::COPY_READ_BUFFER,
            c::COPY_WRITE_BUFFER,
            offset as isize,
            0,
            len as isize,
        );
        self.read_store
    }

    /// Changes bytes of a buffer, after everything that uses them.
    pub(crate) fn change_bytes(
        &mut self,
        native: Native,
        offset: u64,
        len: usize,
        then: impl FnOnce(&mut [u8]),
    ) -> Outcome {
        let mut copy = Vec::new();
        self.with_mapped(native, offset, len, |bytes| copy.extend_from_slice(bytes))?;
        then(&mut copy);
        self.write_bytes(native, offset, Source::new(&copy));
        Ok(())
    }

    pub(crate) fn buffer_gone(&mut self, raw: RawHandle) {
        if let Some(twin) = self.buffers.remove(raw) {
            // SAFETY: one name.
            unsafe { self.host.gl.delete_buffers(1, &twin.native.name) };
            self.binds.buffer_gone(twin.native.uid);
            self.buffer_epoch += 1;
        }
    }
}
