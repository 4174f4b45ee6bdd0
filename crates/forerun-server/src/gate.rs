//! A gate between a session and its client, for tests: it holds the server back at a boundary of the stream while the client goes on,
//! or slows it down. A session has one only where `FORERUN_TEST_GATES` says so; without it nothing of this runs.
//!
//! A gate is a file of five words that the test writes and the server reads before it takes a record in: the ordinal after which
//! nothing is applied, the row at whose record it stops (0: none), microseconds to sleep before each record, written by the
//! server, the ordinal of the record that stands at the closed gate, and whether present credits are kept. Removing the file opens it
//! for good.

use crate::peer::{Blob, Peer, pass_answers_on};
use forerun_link::{Counter, FenceState, Next, RecordBuf, Status};
use forerun_pipe::codec::BlobRef;
use forerun_pipe::event::Event;
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::{RawHandle, Seq};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a held server looks whether it may go on.
const LOOK: Duration = Duration::from_micros(200);
/// A gate that nobody opens, because its test was killed, opens by itself.
const LONGEST: Duration = Duration::from_secs(60);

const AFTER: u64 = 0;
const ROW: u64 = 8;
const SLOW: u64 = 16;
const HELD: u64 = 24;
const CREDITS: u64 = 32;

/// The test's hand on a gate. Dropping it opens the gate for good.
#[derive(Debug)]
pub struct Hand {
    file: File,
    path: PathBuf,
}

impl Hand {
    /// A new gate, open.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn new(path: &Path) -> io::Result<Hand> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let hand = Hand { file, path: path.to_owned() };
        hand.put(CREDITS, 0)?;
        hand.put(HELD, 0)?;
        hand.put(ROW, 0)?;
        hand.put(SLOW, 0)?;
        hand.open()?;
        Ok(hand)
    }

    fn put(&self, place: u64, value: u64) -> io::Result<()> {
        self.file.write_all_at(&value.to_ne_bytes(), place)
    }

    /// Holds everything after record `seq` back.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn close_after(&self, seq: Seq) -> io::Result<()> {
        self.put(AFTER, seq)
    }

    /// Holds back from the next record of that row on.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn close_at(&self, op: u16) -> io::Result<()> {
        self.put(ROW, op.into())
    }

    /// Lets everything through.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(&self) -> io::Result<()> {
        self.put(ROW, 0)?;
        self.put(AFTER, u64::MAX)
    }

    /// Makes each record take that much longer.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn slow(&self, each: Duration) -> io::Result<()> {
        self.put(SLOW, each.as_micros() as u64)
    }

    /// Presents, but gives no credit back from now on.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_credits(&self) -> io::Result<()> {
        self.put(CREDITS, 1)
    }

    /// Ordinal of the record that stands at the closed gate, if one does.
    pub fn held(&self) -> Option<Seq> {
        read(&self.file, HELD).filter(|seq| *seq > 0)
    }

    /// Where the gate is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn read(file: &File, place: u64) -> Option<u64> {
    let mut word = [0; 8];
    file.read_exact_at(&mut word, place).ok()?;
    Some(u64::from_ne_bytes(word))
}

/// The gate that the server's knob and the client's wish name: the knob's file itself, or that file of the knob's folder.
///
/// # Errors
/// [`Fault::Refused`] when the client names something else than a gate of that folder.
pub fn find(knob: &Path, wish: Option<&str>) -> Result<Option<PathBuf>> {
    if !knob.is_dir() {
        return Ok(knob.is_file().then(|| knob.to_owned()));
    }
    let Some(wish) = wish else { return Ok(None) };
    let name = Path::new(wish).file_name().filter(|name| *name == wish);
    let path = name.map(|name| knob.join(name)).filter(|path| path.is_file());
    path.map(Some).ok_or_else(|| Fault::Refused {
        what: "gate".into(),
        ours: knob.display().to_string(),
        theirs: wish.into(),
    })
}

/// A peer behind a gate.
pub struct Gated {
    peer: Box<dyn Peer>,
    file: File,
}

impl Gated {
    /// Puts the gate at that path before a peer.
    ///
    /// # Errors
    /// [`Fault::System`] when it cannot be opened.
    pub fn new(peer: Box<dyn Peer>, path: &Path) -> Result<Gated> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.map_err(|error| Fault::System { what: "gate", why: error.to_string() })?;
        Ok(Gated { peer, file })
    }

    fn word(&self, place: u64, default: u64) -> u64 {
        read(&self.file, place).unwrap_or(default)
    }

    fn is_closed(&self, op: u16, seq: Seq) -> bool {
        let is_there = self.file.metadata().is_ok_and(|file| file.nlink() > 0);
        let row = self.word(ROW, 0);
        is_there && (seq > self.word(AFTER, u64::MAX) || (row != 0 && row == u64::from(op)))
    }

    fn pass(&self, op: u16, seq: Seq) {
        let slow = self.word(SLOW, 0);
        if slow > 0 {
            std::thread::sleep(Duration::from_micros(slow.min(1_000_000)));
        }
        if !self.is_closed(op, seq) {
            return;
        }
        let end = Instant::now() + LONGEST;
        let _ = self.file.write_all_at(&seq.to_ne_bytes(), HELD);
        while self.is_closed(op, seq) && Instant::now() < end {
            std::thread::sleep(LOOK);
        }
        let _ = self.file.write_all_at(&0u64.to_ne_bytes(), HELD);
    }
}

impl Peer for Gated {
    fn next(&mut self, buf: &mut RecordBuf, timeout: Option<Duration>) -> Result<Next> {
        let next = self.peer.next(buf, timeout)?;
        if let Next::Record { op, seq, .. } = next {
            self.pass(op, seq);
        }
        Ok(next)
    }

    fn blob(&mut self, blob: &BlobRef) -> Result<Blob> {
        self.peer.blob(blob)
    }

    fn blob_mut(&mut self, blob: &BlobRef) -> Result<Blob> {
        self.peer.blob_mut(blob)
    }

    fn segment(&mut self, number: u32) -> Result<Blob> {
        self.peer.segment(number)
    }

    fn presented(&mut self, surface: RawHandle, serial: u64) {
        if self.word(CREDITS, 0) == 0 {
            self.peer.presented(surface, serial);
        }
    }

    pass_answers_on! { but credits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_names_a_gate_of_the_folder_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("forerun-gates-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let hand = Hand::new(&folder.join("one")).unwrap();
        assert_eq!(find(&folder, None).unwrap(), None);
        assert_eq!(find(&folder, Some("one")).unwrap().as_deref(), Some(hand.path()));
        assert_eq!(find(hand.path(), Some("other")).unwrap().as_deref(), Some(hand.path()));
        for wish in ["two", "../one", "/etc/passwd", ".", ""] {
            assert!(matches!(find(&folder, Some(wish)), Err(Fault::Refused { .. })), "{wish}");
        }
        assert_eq!(find(&folder.join("missing"), Some("one")).unwrap(), None);
        drop(hand);
        assert!(!folder.join("one").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
