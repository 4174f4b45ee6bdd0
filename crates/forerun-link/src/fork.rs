//! A forked child inherits the maps and sockets of its parent's links. It must not touch them: its links are lost.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

static GENERATION: AtomicU32 = AtomicU32::new(0);
static HOOK: Once = Once::new();

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// How many forks lie between the first process and this one. A link whose creator saw another number belongs to a parent.
#[inline]
pub fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// From now on forks are counted.
pub fn watch() {
    HOOK.call_once(|| {
        // SAFETY: the handler only adds to an atomic.
        let failed = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        if failed != 0 {
            log::warn!("pthread_atfork failed: a forked child could disturb its parent");
        }
    });
}
