//! Both ends together: flow, waits, handshake.

mod flow;
mod handshake;
mod hostile;
mod waits;

use crate::*;
use forerun_pipe::event::{Event, GlErrorEvent};
use forerun_pipe::{Fault, Seq, Sink, codec::BlobRef};
use std::thread::JoinHandle;
use std::time::Duration;
use zerocopy::{FromBytes, IntoBytes};

/// Rows of the tests' own server. Flags and waits of the real rows with these numbers do not matter to the link, except that 48
/// has a blob and 67 is published at once.
const ECHO: u16 = 103;
const NOTHING: u16 = 66;
const BLOB: u16 = 48;
const EVENTS: u16 = 57;
const PRESENT: u16 = 67;
const READBACK: u16 = 58;

fn tiny() -> LinkOptions {
    LinkOptions { sizes: Sizes::TINY, ..options() }
}

fn options() -> LinkOptions {
    LinkOptions { wait: Duration::from_secs(20), ..LinkOptions::default() }
}

fn audit() -> ServerOptions {
    ServerOptions { audit: true, ..ServerOptions::default() }
}

/// A hash that depends on the order of bytes.
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(7, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Handles one record; `false` for the end.
fn step(link: &mut ServerLink, buf: &mut RecordBuf, next: Next) -> Result<bool, Fault> {
    let Next::Record { op, seq, .. } = next else { return Ok(next != Next::HangUp) };
    let body = buf.body();
    match op {
        ECHO => link.reply(seq, Status::Ok, body)?,
        BLOB => {
            let (blob, rest) = BlobRef::read_from_prefix(body).unwrap();
            let (expected, _) = u64::read_from_prefix(rest).unwrap();
            let bytes = link.blob(&blob)?.to_vec();
            let status = if sum(&bytes) == expected { Status::Ok } else { Status::Error };
            link.reply(seq, status, &[])?;
        }
        READBACK => {
            let (blob, _) = BlobRef::read_from_prefix(body).unwrap();
            let dst = link.blob_mut(&blob)?;
            let bytes: Vec<u8> = (0..dst.len()).map(|i| (i % 251) as u8).collect();
            assert!(dst.write(0, &bytes));
            link.reply(seq, Status::Ok, &[])?;
        }
        EVENTS => {
            let (count, _) = u64::read_from_prefix(body).unwrap();
            for index in 0..count {
                let head = GlErrorEvent { code: index as u32, ..Default::default() };
                link.post(Event::GlError(head, format!("number {index} of record {seq}")));
            }
        }
        PRESENT => {
            let (surface, rest) = forerun_pipe::RawHandle::read_from_prefix(body).unwrap();
            let (serial, _) = u64::read_from_prefix(rest).unwrap();
            link.progress().surface_size(surface, 1, 1);
            link.progress().presented(surface, serial);
        }
        _ => {}
    }
    link.done(seq)?;
    Ok(true)
}

/// Serves until the client hangs up; returns how many records came.
fn serve(mut link: ServerLink) -> JoinHandle<Result<Seq, Fault>> {
    std::thread::spawn(move || {
        let mut buf = RecordBuf::default();
        loop {
            let next = link.next(&mut buf, None)?;
            if !step(&mut link, &mut buf, next)? {
                return Ok(link.seq());
            }
        }
    })
}

fn send(link: &mut ClientLink, op: u16, bytes: &[u8]) -> Seq {
    link.record(op, 0, [bytes, &[], &[], &[]])
}

fn send_blob(link: &mut ClientLink, bytes: &[u8]) -> Seq {
    let blob = link.put(bytes).unwrap();
    let expected = sum(bytes);
    link.record(BLOB, 0, [blob.as_bytes(), expected.as_bytes(), &[], &[]])
}

/// Pseudo-random numbers, the same in every run.
struct Rng(u64);

impl Rng {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next(256) as u8).collect()
    }
}
