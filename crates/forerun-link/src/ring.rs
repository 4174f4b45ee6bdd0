//! A ring of framed records between two ends that need not trust each other. The record ring, the answer ring and the event
//! ring are all made of it.

use crate::memory::Mapping;
use crate::page::{Control, ControlRef};
use crate::space::{Fit, Space, View};
use crate::sync::{AtomicU64, Ordering};
use forerun_pipe::codec::{ALIGN, Header, align, framing};
use forerun_pipe::{Fault, fault::Result};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;
use zerocopy::{FromBytes, IntoBytes};

/// Bytes of a header.
pub const HEADER: usize = size_of::<Header>();
const _: () = assert!(HEADER == ALIGN);

/// Which ring, and so which cursors of the control page.
pub trait Which {
    /// The producer's cursor.
    fn head(control: &Control) -> &AtomicU64;
    /// The consumer's cursor.
    fn tail(control: &Control) -> &AtomicU64;
}

macro_rules! rings {
    ($( $(#[$meta:meta])* $name:ident: $hl:ident.$head:ident, $tl:ident.$tail:ident; )*) => { $(
        $(#[$meta])*
        pub enum $name {}
        impl Which for $name {
            fn head(control: &Control) -> &AtomicU64 { &control.$hl.$head }
            fn tail(control: &Control) -> &AtomicU64 { &control.$tl.$tail }
        }
    )* };
}

rings! {
    /// Client to server.
    Records: client.head, server.tail;
    /// Server to client.
    Answers: server.reply_head, client.reply_tail;
    /// Server to client.
    Events: server.event_head, client.event_tail;
}

/// Why a record was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// Not until the consumer's cursor has reached this.
    Until(u64),
    /// Never: it is over half the ring.
    Never,
    /// The consumer's cursor is impossible.
    Lies,
}

/// The writing end.
pub struct Producer<W> {
    control: ControlRef,
    /// Keeps `data` mapped.
    _memory: Arc<Mapping>,
    data: NonNull<u8>,
    /// Cursors.
    pub space: Space,
    /// Where the last record starts, while it may still be unpublished.
    last: u64,
    which: PhantomData<fn() -> W>,
}

// SAFETY: the pointer goes into `_memory`, which is `Send`, and only one producer exists.
unsafe impl<W> Send for Producer<W> {}

impl<W: Which> Producer<W> {
    /// The writing end of a fresh ring that fills `memory` from `start`, whose length from there must be a power of two.
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`] when it is not.
    pub fn new(control: ControlRef, memory: Arc<Mapping>, start: usize) -> Result<Self> {
        let (data, capacity) = area(&memory, start)?;
        Ok(Producer {
            control,
            _memory: memory,
            data,
            space: Space::new(capacity),
            last: u64::MAX,
            which: PhantomData,
        })
    }

    /// Bytes written and not published.
    #[inline]
    pub fn pending(&self) -> u64 {
        self.space.write - self.space.published
    }

    /// Writes one record, without publishing it. Returns its size.
    ///
    /// # Errors
    /// [`NoRoom`]; nothing was written then.
    #[inline]
    pub fn push(
        &mut self,
        op: u16,
        flags: u16,
        parts: [&[u8]; 4],
    ) -> std::result::Result<usize, NoRoom> {
        let body: usize = parts.iter().map(|part| align(part.len())).sum();
        let size = HEADER + body;
        let (pad, offset) = match self.space.fit(size as u64) {
            Fit::At { pad, offset } if size as u64 <= self.space.max_record() => (pad, offset),
            _ => self.look_again(size as u64)?,
        };
        if pad > 0 {
            let place = self.space.write & (self.space.capacity - 1);
            self.put_header(place, Header { op: 0, flags: framing::PAD, size: pad as u32 });
        }
        self.put_header(offset, Header { op, flags, size: size as u32 });
        let mut at = offset as usize + HEADER;
        for part in parts {
            // SAFETY: `fit` gave `size` bytes from `offset` inside the ring, which the consumer does not read before they are
            // published; the parts, padded, add up to `size` less the header.
            unsafe { put(self.data.add(at), part) };
            at += align(part.len());
        }
        self.last = self.space.write + pad;
        self.space.write += pad + size as u64;
        Ok(size)
    }

    #[cold]
    fn look_again(&mut self, size: u64) -> std::result::Result<(u64, u64), NoRoom> {
        if size > self.space.max_record() {
            return Err(NoRoom::Never);
        }
        if !self.space.observe(W::tail(&self.control)) {
            return Err(NoRoom::Lies);
        }
        match self.space.fit(size) {
            Fit::At { pad, offset } => Ok((pad, offset)),
            Fit::Full { tail } => Err(NoRoom::Until(tail)),
        }
    }

    /// Row of the record written last. It stays readable until the next one is written.
    pub fn last_op(&self) -> Option<u16> {
        if self.last == u64::MAX {
            return None;
        }
        self.header(self.last & (self.space.capacity - 1)).map(|header| header.op)
    }

    /// Grows the last record, if it is unpublished, and replaces its payload. False when it cannot: nothing changed then.
    pub fn extend_last(&mut self, payload: &[u8], append: &[u8], max: u64) -> bool {
        let (last, space) = (self.last, self.space);
        if last < space.published || last >= space.write || !append.len().is_multiple_of(ALIGN) {
            return false;
        }
        let place = last & (space.capacity - 1);
        let old = space.write - last;
        let size = old + append.len() as u64;
        let fits = size <= max.min(space.max_record())
            && place + size <= space.capacity
            && HEADER as u64 + payload.len() as u64 <= old;
        let end = last + size;
        let has_room = fits
            && (end <= space.limit
                || (self.space.observe(W::tail(&self.control)) && end <= self.space.limit));
        if !has_room {
            return false;
        }
        let Some(mut header) = self.header(place) else { return false };
        header.size = size as u32;
        self.put_header(place, header);
        // SAFETY: the record is unpublished and lies whole before the ring's end, its new end is within the free space.
        unsafe {
            put(self.data.add(place as usize + HEADER), payload);
            put(self.data.add((place + old) as usize), append);
        }
        self.space.write = end;
        true
    }

    /// Publishes everything written. True when something was.
    #[inline]
    pub fn publish(&mut self) -> bool {
        let moved = self.pending() > 0;
        if moved {
            self.space.publish(W::head(&self.control));
        }
        moved
    }

    #[inline]
    fn word(&self, place: u64) -> Option<&AtomicU64> {
        // The capacity is a multiple of 8, and so are all places: the word is inside.
        if place >= self.space.capacity || !place.is_multiple_of(ALIGN as u64) {
            return None;
        }
        // SAFETY: inside the ring and aligned; `_memory` lives as long as `self`.
        Some(unsafe { self.data.add(place as usize).cast::<AtomicU64>().as_ref() })
    }

    #[inline]
    fn put_header(&self, place: u64, header: Header) {
        if let (Some(word), Ok(value)) = (self.word(place), u64::read_from_bytes(header.as_bytes()))
        {
            word.store(value, Ordering::Relaxed);
        }
    }

    fn header(&self, place: u64) -> Option<Header> {
        let value = self.word(place)?.load(Ordering::Relaxed);
        Header::read_from_bytes(value.as_bytes()).ok()
    }
}

/// Copies `bytes` to an 8-aligned place and zeroes the rest of the last word.
///
/// # Safety
/// `align(bytes.len())` bytes at `to` are writable, 8-aligned and not read or written by anybody else meanwhile.
#[inline(always)]
unsafe fn put(to: NonNull<u8>, bytes: &[u8]) {
    let rest = bytes.len() % ALIGN;
    // SAFETY: as the caller promises; private memory does not overlap shared memory.
    unsafe {
        if rest != 0 {
            to.add(bytes.len() - rest).cast::<u64>().write(0);
        }
        copy(to.as_ptr(), bytes);
    }
}

/// A copy that is no call for the few bytes of a usual payload: pairs of blocks from both ends, which may overlap.
///
/// # Safety
/// `bytes.len()` bytes at `to` are writable and overlap nothing of `bytes`.
#[inline(always)]
unsafe fn copy(to: *mut u8, bytes: &[u8]) {
    type Block = [u64; 2];
    const BLOCK: usize = size_of::<Block>();
    let (from, len) = (bytes.as_ptr(), bytes.len());
    // SAFETY: as the caller promises; every access below is within `len` bytes of both ends, which `len` bounds from below.
    unsafe {
        let block = |at: usize| to.add(at).cast::<Block>().write_unaligned(from.add(at).cast::<Block>().read_unaligned());
        match len {
            0 => {}
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            16..=128 => {
                block(0);
                block(len - BLOCK);
                if len > 2 * BLOCK {
                    block(BLOCK);
                    block(len - 2 * BLOCK);
                }
                if len > 4 * BLOCK {
                    block(2 * BLOCK);
                    block(3 * BLOCK);
                    block(len - 3 * BLOCK);
                    block(len - 4 * BLOCK);
                }
            }
            _ => to.copy_from_nonoverlapping(from, len),
        }
    }
}

fn area(memory: &Arc<Mapping>, start: usize) -> Result<(NonNull<u8>, u64)> {
    const WRONG: Fault = Fault::SegmentMismatch { what: "Segment.ring" };
    let capacity = memory.len().checked_sub(start).ok_or(WRONG)?;
    if !capacity.is_power_of_two() || !(4096..=1 << 31).contains(&capacity) {
        return Err(WRONG);
    }
    Ok((memory.at(start, capacity).ok_or(WRONG)?, capacity as u64))
}

/// Private, 8-aligned memory that a record is copied into before anything in it is checked.
#[derive(Default)]
pub struct RecordBuf {
    words: Vec<u64>,
    len: usize,
}

impl RecordBuf {
    /// The bytes after the header, 8-aligned.
    #[inline]
    pub fn body(&self) -> &[u8] {
        self.words.as_bytes().get(..self.len).unwrap_or(&[])
    }

    /// Puts a body in, for peers that are no link (tests, fuzzers, recordings).
    #[inline]
    pub fn set(&mut self, body: &[u8]) {
        self.room(body.len()).copy_from_slice(body);
    }

    #[inline]
    fn room(&mut self, len: usize) -> &mut [u8] {
        let words = len.div_ceil(8);
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
        self.len = len;
        self.words.as_mut_bytes().get_mut(..len).unwrap_or(&mut [])
    }
}

/// The reading end.
pub struct Consumer<W> {
    control: ControlRef,
    memory: Arc<Mapping>,
    start: usize,
    /// Cursors.
    pub view: View,
    which: PhantomData<fn() -> W>,
}

impl<W: Which> Consumer<W> {
    /// The reading end of a fresh ring that fills `memory` from `start`.
    ///
    /// # Errors
    /// [`Fault::SegmentMismatch`] when its length is not a power of two.
    pub fn new(control: ControlRef, memory: Arc<Mapping>, start: usize) -> Result<Self> {
        let (_, capacity) = area(&memory, start)?;
        Ok(Consumer { control, memory, start, view: View::new(capacity), which: PhantomData })
    }

    /// Whether something is published that was not read.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.view.read != self.view.seen
            || W::head(&self.control).load(Ordering::Relaxed) != self.view.read
    }

    /// Copies the next record out and gives its place back. Returns the header; `None` when the ring is empty.
    ///
    /// # Errors
    /// [`Fault::RingOverrun`] and [`Fault::ProtocolCorruption`] when cursors or framing contradict themselves.
    #[inline]
    pub fn pop(&mut self, buf: &mut RecordBuf) -> Result<Option<Header>> {
        loop {
            if self.view.read == self.view.seen {
                if !self.view.observe(W::head(&self.control)) {
                    return Err(Fault::RingOverrun { what: "head" });
                }
                if self.view.read == self.view.seen {
                    return Ok(None);
                }
            }
            let place = self.view.read & (self.view.capacity - 1);
            let room = self.view.capacity - place;
            let left = self.view.seen - self.view.read;
            let header = self.header(place)?;
            let size = u64::from(header.size);
            if size < HEADER as u64 || size % ALIGN as u64 != 0 || size > room || size > left {
                return Err(Fault::RingOverrun { what: "Header.size" });
            }
            if header.flags & framing::PAD != 0 {
                if header.op != 0 || header.flags != framing::PAD || size != room {
                    return Err(Fault::ProtocolCorruption { what: "Header.pad" });
                }
                self.view.release(size, W::tail(&self.control));
                continue;
            }
            if size > self.view.capacity / 2 {
                return Err(Fault::RingOverrun { what: "Header.size" });
            }
            let body = buf.room(size as usize - HEADER);
            if !self.memory.read(self.start + place as usize + HEADER, body) {
                return Err(Fault::RingOverrun { what: "Header.size" });
            }
            self.view.release(size, W::tail(&self.control));
            return Ok(Some(header));
        }
    }

    #[inline]
    fn header(&self, place: u64) -> Result<Header> {
        const WRONG: Fault = Fault::RingOverrun { what: "tail" };
        let at = self.memory.at(self.start + place as usize, HEADER).ok_or(WRONG)?;
        // SAFETY: inside the map; cursors are multiples of 8 and so is the ring's start.
        let value = unsafe { at.cast::<AtomicU64>().as_ref() }.load(Ordering::Relaxed);
        Header::read_from_bytes(value.as_bytes()).map_err(|_| WRONG)
    }
}
