//! Replays recorded sessions with wrong words, on the null backend or a real one. Any end by name is right; a panic never is, nor
//! a crash.
//!
//! `FUZZ_CORPUS` names a folder of recordings (`FORERUN_RECORD` writes them); without it a small session is recorded first.
//! `FUZZ_BACKEND` (null, gl, gles), `FUZZ_SECONDS` and `FUZZ_SEED` say the rest. The session that runs is kept in
//! `current.finding` of the corpus, so that a crash leaves what caused it.

use forerun_link::{ClientLink, LinkOptions, Status};
use forerun_pipe::fault::Fault;
use forerun_pipe::knobs::{Knobs, Transport};
use forerun_pipe::records::*;
use forerun_pipe::{Kind, RawHandle, gl};
use forerun_server::recording::{self, Entry, Player};
use forerun_server::stats::Scope;
use forerun_server::{Backend, NullBackend, Session};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const H: RawHandle = RawHandle { slot: 0, generation: 1 };

/// xorshift64*: enough for choosing words.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

fn wish(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// Rows whose numbers say how long a GPU works: uniforms that count loops, draws, dispatches.
const WORK: [u16; 3] = [40, 59, 60];

/// Records left out, doubled or swapped, and words replaced by others of the session or by odd ones. With `gentle`, no word makes
/// a real GPU work for ever.
fn mutate(entries: &[Entry], gentle: bool, dice: &mut Dice) -> Vec<Entry> {
    let mut out = entries.to_vec();
    for _ in 0..1 + dice.below(4) {
        if out.is_empty() {
            break;
        }
        let (at, other) = (dice.below(out.len()), dice.below(out.len()));
        let op = out[at].op;
        match dice.below(8) {
            0 => drop(out.remove(at)),
            1 => out.insert(at, out[other].clone()),
            2 => out.swap(at, other),
            3 => {
                // Bytes that the driver or a decoder walks.
                let blobs = &mut out[at].blobs;
                if let Some(blob) = blobs.first_mut().filter(|blob| !blob.3.is_empty()) {
                    let place = dice.below(blob.3.len());
                    blob.3[place] = dice.next() as u8;
                }
            }
            _ => {
                let body = &mut out[at].body;
                if body.len() < 4 {
                    continue;
                }
                let word = match dice.below(4) {
                    0 => dice.below(8) as u32,
                    1 => [u32::MAX, i32::MAX as u32, i32::MIN as u32, 1 << 16][dice.below(4)],
                    2 => {
                        let place = dice.below(body.len() / 4) * 4;
                        u32::from_le_bytes(body[place..place + 4].try_into().unwrap())
                    }
                    _ => dice.next() as u32,
                };
                let word = if gentle && WORK.contains(&op) { word & 0xFF } else { word };
                let place = dice.below(body.len() / 4) * 4;
                body[place..place + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    out
}

fn backend() -> Box<dyn Backend> {
    let name = std::env::var("FUZZ_BACKEND").unwrap_or_else(|_| "null".into());
    if name == "null" {
        return Box::new(NullBackend::new());
    }
    let mut knobs = Knobs::default();
    knobs.set("FORERUN_BACKEND", &name).unwrap();
    forerun_gles::open(&knobs).unwrap()
}

/// Records a session of a spawned server.
fn record(folder: &Path) {
    // SAFETY: this test is the only thread of its process that reads or writes the environment.
    unsafe { std::env::set_var("FORERUN_RECORD", folder) };
    let options = LinkOptions {
        transport: Transport::Spawn,
        wait: Duration::from_secs(20),
        server: Some(PathBuf::from(env!("CARGO_BIN_EXE_forerund"))),
        wants: vec![("FORERUN_BACKEND".into(), "null".into())],
        ..LinkOptions::default()
    };
    let (mut link, _) = ClientLink::connect(&options).unwrap();
    let r = &mut link;
    CreateContext { handle: H, api: api::ES, major: 3, ..Default::default() }.send(r);
    CreateSurface {
        handle: H,
        surface_kind: surface_kind::PBUFFER,
        width: 8,
        height: 8,
        color_format: gl::RGBA8,
        ..Default::default()
    }
    .send(r, &[]);
    BindContext { context: H, draw: H, read: H }.send(r);
    ResourceCreate { handle: H, kind: Kind::Buffer as u32, target: 0 }.send(r);
    ResourceRespecify { handle: H, kind: Kind::Buffer as u32, size: 8192, ..Default::default() }
        .send(r);
    let bytes = r.put(&[5; 8000]).unwrap();
    ResourceSubData { handle: H, kind: Kind::Buffer as u32, bytes, ..Default::default() }
        .send(r, &[]);
    ResourceCreate { handle: H, kind: Kind::Texture as u32, target: gl::TEXTURE_2D }.send(r);
    ResourceRespecify {
        handle: H,
        kind: Kind::Texture as u32,
        target: gl::TEXTURE_2D,
        internal_format: gl::RGBA8,
        width: 16,
        height: 16,
        depth: 1,
        levels: 5,
        immutable: 1,
        ..Default::default()
    }
    .send(r);
    Clear { mask: gl::COLOR_BUFFER_BIT, ..Default::default() }.send(r);
    let slice = r.stage(256).unwrap();
    let read = ReadPixels {
        width: 8,
        height: 8,
        format: gl::RGBA,
        ty: gl::UNSIGNED_BYTE,
        dst: slice.blob(),
        ..Default::default()
    };
    let seq = read.send(r);
    assert_eq!(r.wait_reply(seq).unwrap().status, Status::Ok);
    let pid = link.server_pid();
    drop(link);
    let end = Instant::now() + Duration::from_secs(10);
    while Path::new(&format!("/proc/{pid}/exe")).read_link().is_ok() {
        assert!(Instant::now() < end, "the server outlives its client");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn corpus(folder: &Path) -> Vec<Vec<Entry>> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "records"))
        .collect();
    files.sort();
    files.iter().map(|path| recording::read(&std::fs::read(path).unwrap())).collect()
}

fn play(entries: Vec<Entry>) -> forerun_server::Ended {
    Session::with_peer(Box::new(Player::new(entries)), backend(), Scope::Thread).run()
}

#[test]
fn recorded_sessions_with_wrong_words_end_by_name() {
    let own = std::env::var_os("FUZZ_CORPUS").map(PathBuf::from);
    let folder = own.clone().unwrap_or_else(|| {
        let folder = std::env::temp_dir().join(format!("forerun-corpus-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        record(&folder);
        folder
    });
    let sessions = corpus(&folder);
    assert!(!sessions.is_empty(), "no recording in {}", folder.display());
    for session in &sessions {
        let ended = play(session.clone());
        assert_eq!(ended.fault, None, "as it was recorded");
        assert_eq!(ended.counts.records, session.len() as u64);
    }
    let gentle = std::env::var("FUZZ_BACKEND").is_ok_and(|name| name != "null");
    let mut dice = Dice(wish("FUZZ_SEED", 0x5EED));
    let end = Instant::now() + Duration::from_secs(wish("FUZZ_SECONDS", 2));
    let (mut played, mut faults) = (0u64, 0u64);
    while Instant::now() < end {
        let session = mutate(&sessions[dice.below(sessions.len())], gentle, &mut dice);
        if own.is_some() {
            recording::write(&folder.join("current.finding"), &session).unwrap();
        }
        let ended = play(session);
        let panicked =
            matches!(&ended.fault, Some(Fault::System { what, .. }) if what.contains("panic"));
        assert!(!panicked, "{:?}: see current.finding", ended.fault);
        played += 1;
        faults += u64::from(ended.fault.is_some());
    }
    assert!(faults > 0 && faults < played, "{faults} faults in {played} sessions");
    if own.is_none() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
