//! Nothing piles up.

use crate::cases::{ES, NONE, clear_and_look, config, context, display, pbuffer};
use crate::egl::{egl, gl, ok};
use crate::loss::servers;

/// Rounds until caches are full.
const WARM: usize = 50;
/// Rounds that are looked at.
const ROUNDS: usize = 200;
/// Parts of them, between which memory is looked at.
const BLOCKS: usize = 5;

/// Descriptors of a process.
fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, |dir| dir.count())
}

/// Anonymous resident memory of a process, in KiB.
fn memory(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn round(share: usize, display: usize) {
    let context = context(display, ES, share);
    let surface = pbuffer(display, 4, 16, 8);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    clear_and_look();
    let mut names = [0; 4];
    gl().glGenTextures(4, names.as_mut_ptr());
    for name in names {
        gl().glBindTexture(0x0DE1, name);
    }
    gl().glDeleteTextures(4, names.as_ptr());
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    ok(egl().eglDestroySurface(display, surface));
    ok(egl().eglDestroyContext(display, context));
}

/// Each context is a session of its own: the program keeps nothing of those that ended. 100 rounds where each starts a server.
pub fn sessions() {
    let display = display();
    let own = std::process::id();
    let far = std::env::var("FORERUN_TRANSPORT").is_ok_and(|topology| topology == "spawn");
    (0..WARM).for_each(|_| round(0, display));
    let before = descriptors(own);
    let rounds = if far { ROUNDS / 2 } else { ROUNDS };
    let mut sizes = vec![memory(own)];
    for _ in 0..BLOCKS {
        (0..rounds / BLOCKS).for_each(|_| round(0, display));
        sizes.push(memory(own));
    }
    let after = descriptors(own);
    assert!(after <= before + 2, "{before} descriptors became {after}");
    // A leak grows in every block. What the allocator keeps for threads that came and went grows in some.
    let least = sizes.windows(2).map(|pair| pair[1] as i64 - pair[0] as i64).min();
    let page_for_each_two = rounds as i64 / BLOCKS as i64 * 2;
    assert!(least.is_some_and(|kib| kib <= page_for_each_two), "KiB by block: {sizes:?}");
}

/// All contexts share with one that stays, so that one server sees them come and go.
pub fn contexts() {
    let display = display();
    let first = context(display, ES, 0);
    let attribs = [0x3057, 4, 0x3056, 4, NONE];
    let surface = egl().eglCreatePbufferSurface(display, config(display, 4), attribs.as_ptr());
    ok(egl().eglMakeCurrent(display, surface, surface, first));
    gl().glFinish();
    let both = || {
        gl().glFinish();
        let mut pids = servers();
        pids.push(std::process::id() as i32);
        pids.sort();
        let of = |pid: i32| (pid, descriptors(pid as u32), memory(pid as u32));
        pids.into_iter().map(of).collect::<Vec<_>>()
    };
    let some = |count: usize| {
        for _ in 0..count {
            round(first, display);
        }
        ok(egl().eglMakeCurrent(display, surface, surface, first));
    };
    some(WARM);
    let before = both();
    some(ROUNDS);
    let after = both();
    assert!(before.len() >= 2, "there is a server: {before:?}");
    assert_eq!(before.len(), after.len(), "{before:?} became {after:?}");
    for ((pid, fds, kib), (same, fds_after, kib_after)) in before.iter().zip(&after) {
        assert_eq!((pid, fds), (same, fds_after), "descriptors: {before:?} became {after:?}");
        assert!(*kib_after <= kib + 600, "memory: {before:?} became {after:?}");
    }
}
