//! Framing: the record header, sizes recomputed from declared counts, blob references.

use crate::fault::{Fault, Result};
use crate::flat;
use crate::layout::Layout;
use zerocopy::FromBytes;

/// A record's ordinal on its stream, from 1. It is not on the wire; pads do not advance it.
pub type Seq = u64;

/// Every record, payload and tail starts at a multiple of this many bytes.
pub const ALIGN: usize = 8;

/// Content of at most this many bytes rides in the record itself.
pub const INLINE_MAX: usize = 4096;

flat! {
    /// What stands before each record in the ring.
    pub struct Header {
        /// Row of the catalogue; 0 only in a pad.
        pub op: u16,
        /// [`framing`] bits, never the catalogue's flags.
        pub flags: u16,
        /// Bytes of header, payload, tails and their padding: a multiple of [`ALIGN`].
        pub size: u32,
    }

    /// Where bulk bytes lie. The size must equal what the record's other members describe.
    pub struct BlobRef {
        /// Bytes from the start of the segment.
        pub offset: u64,
        /// Bytes.
        pub size: u64,
        /// Segment, or [`BlobRef::INLINE`] for the record's own last tail, or 0 for no content.
        pub segment: u32,
        /// Zero.
        pub pad: u32,
    }
}

impl BlobRef {
    /// The content is the record's last tail.
    pub const INLINE: u32 = u32::MAX;
    /// The stage segment.
    pub const STAGE: u32 = 2;
    /// Segments from this number on are memfds of single transfers or persistent maps.
    pub const FIRST_OWN: u32 = 16;
    /// No content.
    pub const NONE: BlobRef = BlobRef { offset: 0, size: 0, segment: 0, pad: 0 };

    /// Content that rides in the record.
    #[inline]
    pub fn inline(size: usize) -> BlobRef {
        BlobRef { offset: 0, size: size as u64, segment: Self::INLINE, pad: 0 }
    }

    /// Length of the inline tail that belongs to this reference.
    #[inline]
    pub fn inline_len(&self) -> u32 {
        if self.segment == Self::INLINE { u32::try_from(self.size).unwrap_or(u32::MAX) } else { 0 }
    }
}

/// Bits of [`Header::flags`].
pub mod framing {
    /// Filler up to the ring's end: no record.
    pub const PAD: u16 = 1;
    /// The client will not read this record's answer: the server posts none.
    pub const NO_ANSWER: u16 = 2;
    /// All bits that are defined.
    pub const ALL: u16 = PAD | NO_ANSWER;
}

/// Where encoders write records: the client's end of a link.
pub trait Sink {
    /// Appends one record made of a payload and up to three tails (empty slices for none), each padded to [`ALIGN`].
    /// After the session was lost the record is dropped; the ordinal still moves.
    fn record(&mut self, op: u16, flags: u16, parts: [&[u8]; 4]) -> Seq;
}

/// Rounds up to [`ALIGN`].
#[inline]
pub const fn align(size: usize) -> usize {
    (size + ALIGN - 1) & !(ALIGN - 1)
}

/// Reads a record's parts in order and insists that nothing is left over.
pub struct Reader<'a> {
    rest: &'a [u8],
    row: &'static str,
}

impl<'a> Reader<'a> {
    /// Reads the bytes after the header of a record of that row. They must be 8-aligned.
    #[inline]
    pub fn new(row: &'static str, body: &'a [u8]) -> Self {
        Reader { rest: body, row }
    }

    #[inline]
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let padded = align(len);
        if self.rest.len() < padded {
            return Err(Fault::ProtocolCorruption { what: self.row });
        }
        let (head, rest) = self.rest.split_at(padded);
        self.rest = rest;
        Ok(&head[..len])
    }

    /// The fixed payload.
    #[inline]
    pub fn payload<T: Layout>(&mut self) -> Result<&'a T> {
        let bytes = self.take(size_of::<T>())?;
        T::ref_from_bytes(bytes).map_err(|_| Fault::ProtocolCorruption { what: self.row })
    }

    /// A tail of `count` elements.
    #[inline]
    pub fn tail<T: Layout>(&mut self, count: u32) -> Result<&'a [T]> {
        let len = (count as usize)
            .checked_mul(size_of::<T>())
            .filter(|len| *len <= self.rest.len())
            .ok_or(Fault::ProtocolCorruption { what: self.row })?;
        let bytes = self.take(len)?;
        <[T]>::ref_from_bytes(bytes).map_err(|_| Fault::ProtocolCorruption { what: self.row })
    }

    /// The size recomputed from the declared counts must equal the header's.
    #[inline]
    pub fn finish(self) -> Result<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Fault::ProtocolCorruption { what: self.row })
        }
    }
}
