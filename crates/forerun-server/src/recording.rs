//! Recordings of sessions: every record with the bytes that it named, for fuzzers to replay with other words.
//!
//! A file is entries one after another, all numbers little-endian: row and framing (u16 each), length of the body (u32), the body,
//! how many blobs (u32), and of each its reference (segment u32, offset u64, size u64) and that many bytes. Blobs beyond
//! [`MAX_BLOB`] are cut: what is missing reads as zeros.

use crate::peer::{Blob, Peer, pass_answers_on};
use forerun_link::{Counter, FenceState, Next, RecordBuf, Status};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::event::Event;
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::{RawHandle, Seq};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Bytes of one blob that are kept.
pub const MAX_BLOB: u64 = 64 << 10;
/// Bytes of one file at most; a session that goes on is recorded no further.
const MAX_FILE: u64 = 64 << 20;

/// A record and the bytes that it named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Row.
    pub op: u16,
    /// Framing bits.
    pub flags: u16,
    /// Bytes after the header.
    pub body: Vec<u8>,
    /// What it named: segment, offset, size, and the first bytes.
    pub blobs: Vec<(u32, u64, u64, Vec<u8>)>,
}

impl Entry {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        out.write_all(&self.op.to_le_bytes())?;
        out.write_all(&self.flags.to_le_bytes())?;
        out.write_all(&(self.body.len() as u32).to_le_bytes())?;
        out.write_all(&self.body)?;
        out.write_all(&(self.blobs.len() as u32).to_le_bytes())?;
        for (segment, offset, size, bytes) in &self.blobs {
            out.write_all(&segment.to_le_bytes())?;
            out.write_all(&offset.to_le_bytes())?;
            out.write_all(&size.to_le_bytes())?;
            out.write_all(bytes)?;
        }
        Ok(())
    }

    fn len(&self) -> u64 {
        let blobs: usize = self.blobs.iter().map(|blob| blob.3.len() + 20).sum();
        (self.body.len() + blobs + 12) as u64
    }
}

/// Writes a recording.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, entries: &[Entry]) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    entries.iter().try_for_each(|entry| entry.write(&mut out))?;
    out.flush()
}

/// Reads a recording. What is cut off at its end, as in a session that was killed, is left out.
pub fn read(mut bytes: &[u8]) -> Vec<Entry> {
    fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
        let (head, rest) = bytes.split_at_checked(len)?;
        *bytes = rest;
        Some(head)
    }
    fn number<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
        take(bytes, N)?.try_into().ok()
    }
    fn entry(bytes: &mut &[u8]) -> Option<Entry> {
        let op = u16::from_le_bytes(number(bytes)?);
        let flags = u16::from_le_bytes(number(bytes)?);
        let len = u32::from_le_bytes(number(bytes)?) as usize;
        let body = take(bytes, len)?.to_vec();
        let mut blobs = Vec::new();
        for _ in 0..u32::from_le_bytes(number(bytes)?) {
            let segment = u32::from_le_bytes(number(bytes)?);
            let offset = u64::from_le_bytes(number(bytes)?);
            let size = u64::from_le_bytes(number(bytes)?);
            blobs.push((segment, offset, size, take(bytes, size.min(MAX_BLOB) as usize)?.to_vec()));
        }
        Some(Entry { op, flags, body, blobs })
    }
    let mut entries = Vec::new();
    while let Some(entry) = entry(&mut bytes) {
        entries.push(entry);
    }
    entries
}

/// A peer whose records are written down.
pub struct Recorder {
    peer: Box<dyn Peer>,
    out: Option<BufWriter<File>>,
    written: u64,
    entry: Entry,
}

impl Recorder {
    /// A new file in that folder.
    ///
    /// # Errors
    /// [`Fault::System`] when there can be none.
    pub fn create(folder: &Path) -> Result<File> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}-{number}.records", std::process::id()));
        File::create_new(&path).map_err(|error| Fault::System {
            what: "FORERUN_RECORD",
            why: format!("{}: {error}", path.display()),
        })
    }

    /// Writes to a file.
    pub fn new(peer: Box<dyn Peer>, file: File) -> Recorder {
        let out = Some(BufWriter::new(file));
        Recorder { peer, out, written: 0, entry: Entry::default() }
    }

    fn note(&mut self, blob: &BlobRef, bytes: &Blob, is_read: bool) {
        if self.out.is_some() {
            let view = bytes.source();
            let kept = view.slice(0, view.len().min(MAX_BLOB as usize));
            let mut kept = kept.map_or_else(Vec::new, |view| view.to_vec());
            if !is_read {
                // What stands in a readback's destination before it is nobody's business.
                kept.fill(0);
            }
            self.entry.blobs.push((blob.segment, blob.offset, view.len() as u64, kept));
        }
    }

    /// Writes the last record down.
    fn flush(&mut self) {
        let entry = std::mem::take(&mut self.entry);
        if entry.op == 0 {
            return;
        }
        let Some(out) = &mut self.out else { return };
        self.written += entry.len();
        if self.written > MAX_FILE || entry.write(out).is_err() {
            log::warn!("the recording ends here");
            self.out = None;
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.flush();
    }
}

impl Peer for Recorder {
    fn next(&mut self, buf: &mut RecordBuf, timeout: Option<Duration>) -> Result<Next> {
        self.flush();
        let next = self.peer.next(buf, timeout)?;
        match next {
            Next::Record { op, flags, .. } if self.out.is_some() => {
                self.entry = Entry { op, flags, body: buf.body().to_vec(), blobs: Vec::new() };
            }
            // A killed server leaves what was written by then.
            Next::Idle => {
                if let Some(out) = &mut self.out {
                    let _ = out.flush();
                }
            }
            _ => {}
        }
        Ok(next)
    }

    fn blob(&mut self, blob: &BlobRef) -> Result<Blob> {
        let bytes = self.peer.blob(blob)?;
        self.note(blob, &bytes, true);
        Ok(bytes)
    }

    fn blob_mut(&mut self, blob: &BlobRef) -> Result<Blob> {
        let bytes = self.peer.blob_mut(blob)?;
        self.note(blob, &bytes, false);
        Ok(bytes)
    }

    fn segment(&mut self, number: u32) -> Result<Blob> {
        let bytes = self.peer.segment(number)?;
        self.note(&BlobRef { segment: number, ..BlobRef::NONE }, &bytes, true);
        Ok(bytes)
    }

    pass_answers_on!();
}

/// A peer that plays a recording: its records with the bytes that they named, then a hang-up. What a record names and the recording
/// does not have reads as zeros; what is larger than [`MAX_BLOB`] and not recorded is refused.
#[derive(Default)]
pub struct Player {
    entries: Vec<Entry>,
    at: usize,
}

impl Player {
    /// Plays these records.
    pub fn new(entries: Vec<Entry>) -> Player {
        Player { entries, at: 0 }
    }

    fn find(&self, segment: u32, offset: u64, size: Option<u64>) -> Result<Blob> {
        let entry = self.at.checked_sub(1).and_then(|at| self.entries.get(at));
        let recorded = entry.and_then(|entry| {
            entry
                .blobs
                .iter()
                .find(|b| b.0 == segment && b.1 == offset && size.is_none_or(|size| size == b.2))
        });
        let (len, bytes) = match (recorded, size) {
            (Some(blob), _) => (blob.2, blob.3.as_slice()),
            (None, Some(size)) if size <= MAX_BLOB => (size, &[][..]),
            _ => return Err(Fault::SegmentMismatch { what: "BlobRef.offset" }),
        };
        let len = usize::try_from(len).map_err(|_| Fault::SegmentMismatch { what: "size" })?;
        let mut out = vec![0; len];
        if let Some(head) = out.get_mut(..bytes.len()) {
            head.copy_from_slice(bytes);
        }
        Ok(Blob::Private(out.into_boxed_slice()))
    }
}

impl Peer for Player {
    fn next(&mut self, buf: &mut RecordBuf, _: Option<Duration>) -> Result<Next> {
        let Some(entry) = self.entries.get(self.at) else { return Ok(Next::HangUp) };
        buf.set(&entry.body);
        self.at += 1;
        Ok(Next::Record { op: entry.op, flags: entry.flags, seq: self.at as Seq })
    }

    fn blob(&mut self, blob: &BlobRef) -> Result<Blob> {
        self.find(blob.segment, blob.offset, Some(blob.size))
    }

    fn blob_mut(&mut self, blob: &BlobRef) -> Result<Blob> {
        self.find(blob.segment, blob.offset, Some(blob.size))
    }

    fn segment(&mut self, number: u32) -> Result<Blob> {
        self.find(number, 0, None)
    }

    fn reply(&mut self, _: Seq, _: Status, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn post(&mut self, _: Event) {}

    fn applied(&mut self, _: Seq) -> Result<()> {
        Ok(())
    }

    fn fault(&mut self, _: &Fault) {}

    fn presented(&mut self, _: RawHandle, _: u64) {}

    fn surface_size(&mut self, _: RawHandle, _: u32, _: u32) {}

    fn fence(&mut self, _: RawHandle, _: Seq, _: FenceState) {}

    fn query(&mut self, _: RawHandle, _: Seq, _: u64) {}

    fn count(&mut self, _: Counter, _: u64) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_their_encoding_and_a_cut_leaves_the_whole_ones() {
        let entry = Entry {
            op: 48,
            flags: 2,
            body: vec![1; 16],
            blobs: vec![
                (2, 64, 3, vec![7, 8, 9]),
                (2, 0, MAX_BLOB + 1, vec![1; MAX_BLOB as usize]),
            ],
        };
        let mut bytes = Vec::new();
        entry.write(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, entry.len());
        let one = bytes.len();
        entry.write(&mut bytes).unwrap();
        assert_eq!(read(&bytes), [entry.clone(), entry.clone()]);
        assert_eq!(read(&bytes[..one * 2 - 1]), [entry]);
        assert!(read(&bytes[..one - 1]).is_empty());
    }
}
