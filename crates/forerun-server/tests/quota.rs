//! Quotas: who asks for more ends its own session by name.

use forerun_link::{ClientLink, LinkOptions, ServerOptions};
use forerun_pipe::fault::Fault;
use forerun_pipe::records::*;
use forerun_pipe::{Kind, RawHandle, gl};
use forerun_server::Quotas;
use forerun_server::null::{NullBackend, Script};
use forerun_server::session::{Ended, Session};
use forerun_server::stats::Scope;
use std::cell::RefCell;
use std::rc::Rc;
use std::thread::JoinHandle;
use std::time::Duration;

fn h(slot: u32) -> RawHandle {
    RawHandle { slot, generation: 1 }
}

/// A session on a thread of its own, whose compiler has worked that long.
fn session(quotas: Quotas, compiled: Duration) -> (ClientLink, JoinHandle<Ended>) {
    let options = LinkOptions { wait: Duration::from_secs(20), ..LinkOptions::default() };
    let (client, server) = ClientLink::inproc(&options, &ServerOptions::default()).unwrap();
    let thread = std::thread::spawn(move || {
        let script = Rc::new(RefCell::new(Script { compiled, ..Default::default() }));
        let backend = Box::new(NullBackend::recording(script));
        Session::new(server, backend, Scope::Thread).limited(quotas).run()
    });
    (client, thread)
}

fn buffer(client: &mut ClientLink, slot: u32, size: u64) {
    let kind = Kind::Buffer as u32;
    ResourceCreate { handle: h(slot), kind, target: 0 }.send(client);
    ResourceRespecify { handle: h(slot), kind, size, ..Default::default() }.send(client);
}

fn destroy(client: &mut ClientLink, kind: Kind, slot: u32) {
    ResourceDestroy { handle: h(slot), kind: kind as u32, pad: 0 }.send(client);
}

fn texture(client: &mut ClientLink, slot: u32, side: u32) {
    let kind = Kind::Texture as u32;
    let target = gl::TEXTURE_2D;
    ResourceCreate { handle: h(slot), kind, target }.send(client);
    ResourceRespecify {
        handle: h(slot),
        kind,
        target,
        internal_format: gl::RGBA8,
        width: side,
        height: side,
        depth: 1,
        levels: 1,
        immutable: 1,
        ..Default::default()
    }
    .send(client);
}

/// The session goes on.
fn goes_on(client: &mut ClientLink) {
    let seq = Finish::default().send(client);
    client.wait_reply(seq).expect("the session goes on");
}

/// The session is over, by that name on both sides.
fn ends(mut client: ClientLink, thread: JoinHandle<Ended>, what: &'static str) {
    // The record that goes over the quota may be answered; no later one is.
    Flush::default().send(&mut client);
    let seq = Finish::default().send(&mut client);
    client.wait_reply(seq).expect_err("the session is over");
    let said = client.lost().expect("lost").to_string();
    assert!(said.contains(&format!("quota exceeded: {what}")), "{said}");
    let ended = thread.join().unwrap();
    assert_eq!(ended.fault, Some(Fault::QuotaExceeded { what }));
}

#[test]
fn memory_beyond_the_quota_ends_that_session_and_no_other() {
    let quotas = Quotas { memory: 1 << 20, ..Quotas::default() };
    let (mut good, good_thread) = session(quotas, Duration::ZERO);
    let (mut bad, bad_thread) = session(quotas, Duration::ZERO);
    for round in 0..50 {
        // Never more than the quota at once.
        buffer(&mut good, 2 * round, 300 << 10);
        texture(&mut good, round, 400);
        goes_on(&mut good);
        destroy(&mut good, Kind::Buffer, 2 * round);
        destroy(&mut good, Kind::Texture, round);
    }
    buffer(&mut bad, 0, 600 << 10);
    buffer(&mut bad, 1, 400 << 10);
    goes_on(&mut bad);
    texture(&mut bad, 0, 100);
    ends(bad, bad_thread, "memory");
    goes_on(&mut good);
    drop(good);
    assert_eq!(good_thread.join().unwrap().fault, None);
}

#[test]
fn a_store_that_no_machine_has_is_beyond_the_quota() {
    let quotas = Quotas { memory: 1 << 30, ..Quotas::default() };
    for slot in [0, 1] {
        let (mut bad, thread) = session(quotas, Duration::ZERO);
        if slot == 0 {
            buffer(&mut bad, slot, u64::MAX);
        } else {
            texture(&mut bad, slot, 1 << 16);
        }
        ends(bad, thread, "memory");
    }
}

#[test]
fn objects_beyond_the_quota_end_the_session() {
    let quotas = Quotas { objects: 100, ..Quotas::default() };
    let (mut client, thread) = session(quotas, Duration::ZERO);
    for slot in 0..100 {
        buffer(&mut client, slot, 1);
    }
    goes_on(&mut client);
    destroy(&mut client, Kind::Buffer, 7);
    FenceCreate { handle: h(0) }.send(&mut client);
    goes_on(&mut client);
    FenceCreate { handle: h(1) }.send(&mut client);
    ends(client, thread, "objects");
}

#[test]
fn compiling_beyond_the_quota_ends_the_session() {
    let quotas = Quotas { compile: Duration::from_secs(2), ..Quotas::default() };
    let (mut client, thread) = session(quotas, Duration::from_secs(2));
    goes_on(&mut client);
    drop(client);
    assert_eq!(thread.join().unwrap().fault, None);
    let (client, thread) = session(quotas, Duration::from_millis(2001));
    ends(client, thread, "compile time");
}
