//! A ring of bytes for the GPU: uniforms of draws, client-memory vertices and indices.
//!
//! The ring has four segments. Bytes stay valid while the segment that holds them is the current one or the one before; a fence is set
//! when a segment is left, and a segment is written again only when the fence that was set two segments ago has passed. Where the host
//! has persistent maps the ring is mapped once; elsewhere each write maps its range without synchronization.

use crate::host::gl::Gl;
use crate::twin::Native;
use forerun_pipe::gl as c;
use std::ffi::c_void;

const SEGMENTS: u64 = 4;

/// Where bytes stand in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Byte offset in the ring's buffer.
    pub offset: u64,
    /// Which segment, counted from the ring's start and never reset.
    segment: u64,
}

/// The ring.
pub struct Ring {
    /// Its buffer.
    pub buffer: Native,
    segment_size: u64,
    segment: u64,
    used: u64,
    fences: [*const c_void; SEGMENTS as usize],
    map: *mut u8,
}

impl Ring {
    /// Makes a ring of four segments of that size. The copy-write binding is left changed: the caller forgets it.
    pub fn new(gl: &Gl, uid: u64, segment_size: u64) -> Ring {
        let mut name = 0;
        // SAFETY: one name.
        unsafe { gl.gen_buffers(1, &mut name) };
        gl.bind_buffer(c::COPY_WRITE_BUFFER, name);
        let size = (segment_size * SEGMENTS) as isize;
        let mut map: *mut u8 = std::ptr::null_mut();
        if gl.has.buffer_storage {
            let access = c::MAP_WRITE_BIT | c::MAP_PERSISTENT_BIT | c::MAP_COHERENT_BIT;
            // SAFETY: no data are given.
            unsafe { gl.buffer_storage(c::COPY_WRITE_BUFFER, size, std::ptr::null(), access) };
            map = gl.map_buffer_range(c::COPY_WRITE_BUFFER, 0, size, access).cast();
        }
        if map.is_null() {
            let mut fresh = 0;
            // SAFETY: one name; no data are given.
            unsafe {
                gl.delete_buffers(1, &name);
                gl.gen_buffers(1, &mut fresh);
                gl.bind_buffer(c::COPY_WRITE_BUFFER, fresh);
                gl.buffer_data(c::COPY_WRITE_BUFFER, size, std::ptr::null(), c::STREAM_DRAW);
            }
            name = fresh;
        }
        Ring {
            buffer: Native { name, uid },
            segment_size,
            segment: 0,
            used: 0,
            fences: [std::ptr::null(); SEGMENTS as usize],
            map,
        }
    }

    /// The largest piece.
    pub fn largest(&self) -> u64 {
        self.segment_size
    }

    /// Whether bytes at that place are still valid.
    #[inline]
    pub fn holds(&self, place: Place) -> bool {
        self.segment <= place.segment + 1
    }

    /// Room for `len` bytes (at most [`Ring::largest`]) at a multiple of `align`, filled by `fill` with exactly these bytes.
    /// On a host without persistent maps the copy-write binding is left changed, which the second result says.
    pub fn write(
        &mut self,
        gl: &Gl,
        len: u64,
        align: u64,
        fill: impl FnOnce(*mut u8),
    ) -> (Place, bool) {
        debug_assert!(len <= self.segment_size);
        let mut at = self.used.next_multiple_of(align.max(1));
        if at + len > self.segment_size {
            self.next_segment(gl);
            at = 0;
        }
        self.used = at + len;
        let offset = (self.segment % SEGMENTS) * self.segment_size + at;
        let place = Place { offset, segment: self.segment };
        if !self.map.is_null() {
            // SAFETY: offset + len lies inside the map of the whole ring, and the GPU has done with this segment.
            fill(unsafe { self.map.add(offset as usize) });
            return (place, false);
        }
        gl.bind_buffer(c::COPY_WRITE_BUFFER, self.buffer.name);
        let access = c::MAP_WRITE_BIT | c::MAP_INVALIDATE_RANGE_BIT | c::MAP_UNSYNCHRONIZED_BIT;
        let map = gl.map_buffer_range(c::COPY_WRITE_BUFFER, offset as isize, len as isize, access);
        if !map.is_null() {
            fill(map.cast());
            gl.unmap_buffer(c::COPY_WRITE_BUFFER);
        }
        (place, true)
    }

    fn next_segment(&mut self, gl: &Gl) {
        let index = |segment: u64| (segment % SEGMENTS) as usize;
        let left = &mut self.fences[index(self.segment)];
        if !left.is_null() {
            // SAFETY: our fence.
            unsafe { gl.delete_sync(*left) };
        }
        *left = gl.fence_sync(c::SYNC_GPU_COMMANDS_COMPLETE, 0);
        self.segment += 1;
        self.used = 0;
        // Bytes of this segment's last round were in use until the segment after it was left.
        if self.segment >= SEGMENTS {
            let fence = self.fences[index(self.segment + 1)];
            if !fence.is_null() {
                // SAFETY: our fence.
                unsafe { gl.client_wait_sync(fence, c::SYNC_FLUSH_COMMANDS_BIT, u64::MAX) };
            }
        }
    }
}
