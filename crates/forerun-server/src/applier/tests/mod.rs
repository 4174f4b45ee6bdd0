//! Drives the applier with hand-made records on a recording backend.

mod fuzz;
mod refusals;
mod verbs;

use super::Applier;
use crate::null::{NullBackend, Script};
use crate::peer::{Blob, Peer};
use forerun_link::{Counter, FenceState, Next, RecordBuf, Status};
use forerun_pipe::archive::{Archive, Stage, StageCode, Uniform};
use forerun_pipe::codec::{BlobRef, Sink, align};
use forerun_pipe::event::Event;
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::records::*;
use forerun_pipe::{Kind, RawHandle, Seq, gl};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;
use zerocopy::IntoBytes;

/// What the client would have heard, and the memory that it shares.
#[derive(Default)]
struct Heard {
    replies: Vec<(Seq, Status, Vec<u8>)>,
    events: Vec<Event>,
    applied: Vec<Seq>,
    fences: Vec<(RawHandle, Seq, FenceState)>,
    queries: Vec<(RawHandle, Seq, u64)>,
    presented: Vec<(RawHandle, u64)>,
    sizes: Vec<(RawHandle, u32, u32)>,
    faults: Vec<Fault>,
    segments: HashMap<u32, Vec<u8>>,
    /// What [`Peer::next`] hands out.
    script: Vec<Next>,
}

struct TestPeer(Rc<RefCell<Heard>>);

impl Peer for TestPeer {
    fn next(&mut self, _: &mut RecordBuf, _: Option<Duration>) -> Result<Next> {
        let mut heard = self.0.borrow_mut();
        Ok(if heard.script.is_empty() { Next::HangUp } else { heard.script.remove(0) })
    }

    fn blob(&mut self, blob: &BlobRef) -> Result<Blob> {
        let heard = self.0.borrow();
        let mismatch = |what| Fault::SegmentMismatch { what };
        let bytes =
            heard.segments.get(&blob.segment).ok_or(mismatch("BlobRef.segment"))?.as_slice();
        let end = blob.offset.checked_add(blob.size).ok_or(mismatch("BlobRef.offset"))?;
        let range = usize::try_from(blob.offset).ok().zip(usize::try_from(end).ok());
        let part = range.and_then(|(start, end)| bytes.get(start..end));
        Ok(Blob::Private(part.ok_or(mismatch("BlobRef.offset"))?.into()))
    }

    fn blob_mut(&mut self, blob: &BlobRef) -> Result<Blob> {
        self.blob(blob)
    }

    fn segment(&mut self, number: u32) -> Result<Blob> {
        let heard = self.0.borrow();
        let bytes = heard.segments.get(&number);
        let bytes = bytes.ok_or(Fault::SegmentMismatch { what: "segment" })?;
        Ok(Blob::Private(bytes.as_slice().into()))
    }

    fn reply(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<()> {
        self.0.borrow_mut().replies.push((seq, status, bytes.to_vec()));
        Ok(())
    }

    fn post(&mut self, event: Event) {
        self.0.borrow_mut().events.push(event);
    }

    fn applied(&mut self, seq: Seq) -> Result<()> {
        self.0.borrow_mut().applied.push(seq);
        Ok(())
    }

    fn fault(&mut self, fault: &Fault) {
        self.0.borrow_mut().faults.push(fault.clone());
    }

    fn presented(&mut self, surface: RawHandle, serial: u64) {
        self.0.borrow_mut().presented.push((surface, serial));
    }

    fn surface_size(&mut self, surface: RawHandle, width: u32, height: u32) {
        self.0.borrow_mut().sizes.push((surface, width, height));
    }

    fn fence(&mut self, fence: RawHandle, seq: Seq, state: FenceState) {
        self.0.borrow_mut().fences.push((fence, seq, state));
    }

    fn query(&mut self, query: RawHandle, seq: Seq, result: u64) {
        self.0.borrow_mut().queries.push((query, seq, result));
    }

    fn count(&mut self, _: Counter, _: u64) {}
}

/// An applier whose records come from the payloads' own encoders.
struct Rig {
    applier: Applier,
    heard: Rc<RefCell<Heard>>,
    backend: Rc<RefCell<Script>>,
    seq: Seq,
    result: Result<()>,
    /// Every record sent: row, framing, body.
    tape: Vec<(u16, u16, Vec<u8>)>,
}

impl Sink for Rig {
    fn record(&mut self, op: u16, flags: u16, parts: [&[u8]; 4]) -> Seq {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(part);
            bytes.resize(align(bytes.len()), 0);
        }
        let mut words = vec![0u64; bytes.len() / 8];
        words.as_mut_bytes().copy_from_slice(&bytes);
        self.seq += 1;
        self.result = self.applier.apply(op, flags, self.seq, words.as_bytes());
        self.tape.push((op, flags, bytes));
        self.seq
    }
}

fn h(slot: u32) -> RawHandle {
    RawHandle { slot, generation: 1 }
}

const CONTEXT: RawHandle = RawHandle { slot: 0, generation: 1 };
const SURFACE: RawHandle = RawHandle { slot: 0, generation: 1 };
/// The buffer that [`Rig::ready`] makes, of 1024 bytes.
const BUFFER: RawHandle = RawHandle { slot: 1, generation: 1 };
/// The texture that [`Rig::ready`] makes: 2D, level 0 of 16 × 8 RGBA8.
const TEXTURE: RawHandle = RawHandle { slot: 1, generation: 1 };
/// The executable that [`Rig::ready`] makes, with a default block of 64 bytes, and selects.
const EXECUTABLE: RawHandle = RawHandle { slot: 1, generation: 1 };

impl Rig {
    fn new() -> Rig {
        let heard = Rc::new(RefCell::new(Heard::default()));
        heard.borrow_mut().segments.insert(BlobRef::STAGE, (0..=255).cycle().take(8192).collect());
        let backend = Rc::new(RefCell::new(Script::default()));
        let applier = Applier::new(
            Box::new(NullBackend::recording(backend.clone())),
            Box::new(TestPeer(heard.clone())),
        );
        Rig { applier, heard, backend, seq: 0, result: Ok(()), tape: Vec::new() }
    }

    /// With a bound context and drawable, a buffer, a texture and an executable.
    fn ready() -> Rig {
        let mut rig = Rig::new();
        let context =
            CreateContext { handle: CONTEXT, api: api::ES, major: 3, ..Default::default() };
        context.send(&mut rig);
        let surface = CreateSurface {
            handle: SURFACE,
            surface_kind: surface_kind::PBUFFER,
            width: 64,
            height: 32,
            ..Default::default()
        };
        surface.send(&mut rig, &[]);
        BindContext { context: CONTEXT, draw: SURFACE, read: SURFACE }.send(&mut rig);
        rig.create(Kind::Buffer, BUFFER, 0);
        rig.buffer(1024).send(&mut rig);
        rig.create(Kind::Texture, TEXTURE, gl::TEXTURE_2D);
        rig.level(0, 16, 8).send(&mut rig);
        let archive = archive().encode();
        let create =
            CreateShaderState { handle: EXECUTABLE, archive: BlobRef::inline(archive.len()) };
        create.send(&mut rig, &archive);
        SetDrawProgram { executable: EXECUTABLE }.send(&mut rig);
        SetDispatchProgram { executable: EXECUTABLE }.send(&mut rig);
        SetIndexBuffer { buffer: BUFFER }.send(&mut rig);
        rig.ok();
        rig.backend.borrow_mut().calls.clear();
        rig
    }

    fn create(&mut self, kind: Kind, handle: RawHandle, target: u32) {
        ResourceCreate { handle, kind: kind as u32, target }.send(self);
        self.ok();
    }

    fn buffer(&self, size: u64) -> ResourceRespecify {
        ResourceRespecify { handle: BUFFER, kind: Kind::Buffer as u32, size, ..Default::default() }
    }

    fn level(&self, level: u32, width: u32, height: u32) -> ResourceRespecify {
        ResourceRespecify {
            handle: TEXTURE,
            kind: Kind::Texture as u32,
            target: gl::TEXTURE_2D,
            internal_format: gl::RGBA8,
            width,
            height,
            depth: 1,
            level,
            ..Default::default()
        }
    }

    /// The last record was applied.
    #[track_caller]
    fn ok(&self) {
        assert_eq!(self.result, Ok(()));
    }

    /// The last record ended the session by that name, and the backend heard nothing.
    #[track_caller]
    fn refused(&mut self, what: &'static str) {
        assert_eq!(self.result, Err(Fault::ProtocolCorruption { what }));
        assert_eq!(self.calls(), [""; 0], "{what}");
    }

    /// The last record was skipped: no fault, and the backend heard nothing.
    #[track_caller]
    fn skipped(&mut self) {
        self.ok();
        assert_eq!(self.calls(), [""; 0]);
    }

    /// What the backend was asked since the last time.
    fn calls(&mut self) -> Vec<String> {
        std::mem::take(&mut self.backend.borrow_mut().calls)
    }

    /// The only thing that the backend was asked since the last time.
    #[track_caller]
    fn call(&mut self) -> String {
        self.ok();
        let calls = self.calls();
        assert_eq!(calls.len(), 1, "{calls:?}");
        calls.into_iter().next().unwrap()
    }

    #[track_caller]
    fn reply(&self) -> (Status, Vec<u8>) {
        self.ok();
        let heard = self.heard.borrow();
        let (seq, status, bytes) = heard.replies.last().expect("an answer");
        assert_eq!(*seq, self.seq, "of the last record");
        (*status, bytes.clone())
    }
}

fn archive() -> Archive {
    Archive {
        stages: vec![StageCode {
            stage: Stage::Vertex,
            spirv: vec![0x0723_0203],
            ..Default::default()
        }],
        default_block_size: 64,
        uniforms: vec![Uniform {
            name: "a".into(),
            block: -1,
            offset: 16,
            atomic_buffer: -1,
            sampler_slot: -1,
            image_slot: -1,
            location: 0,
            initial: vec![7; 4],
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// Bytes in the stage.
fn staged(offset: u64, size: u64) -> BlobRef {
    BlobRef { offset, size, segment: BlobRef::STAGE, pad: 0 }
}
