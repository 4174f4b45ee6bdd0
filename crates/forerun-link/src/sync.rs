//! The one door to atomics and to the lock beside them, so that loom can put its own in place.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

/// A lock without a guard.
pub struct RawLock(#[cfg(not(loom))] parking_lot::RawMutex, #[cfg(loom)] raw::Guarded);

#[cfg(not(loom))]
mod raw {
    use parking_lot::lock_api::RawMutex as _;

    impl Default for super::RawLock {
        fn default() -> Self {
            super::RawLock(parking_lot::RawMutex::INIT)
        }
    }

    impl super::RawLock {
        /// Waits for the lock and takes it.
        pub fn lock(&self) {
            self.0.lock();
        }

        /// Takes the lock, if it is free.
        pub fn try_lock(&self) -> bool {
            self.0.try_lock()
        }

        /// Gives back the lock, which the calling thread must have.
        pub fn unlock(&self) {
            // SAFETY: the caller has it.
            unsafe { self.0.unlock() }
        }
    }
}

#[cfg(loom)]
mod raw {
    use loom::sync::{Mutex, MutexGuard};
    use std::cell::UnsafeCell;

    /// loom's lock, with the guard kept beside it while it is held.
    #[derive(Default)]
    pub struct Guarded {
        // Dropped first.
        guard: UnsafeCell<Option<MutexGuard<'static, ()>>>,
        mutex: Box<Mutex<()>>,
    }

    // SAFETY: `guard` is reached by whoever holds the lock; loom's threads take turns on one.
    unsafe impl Send for Guarded {}
    // SAFETY: as above.
    unsafe impl Sync for Guarded {}

    impl Default for super::RawLock {
        fn default() -> Self {
            super::RawLock(Guarded::default())
        }
    }

    impl super::RawLock {
        /// Waits for the lock and takes it.
        pub fn lock(&self) {
            let guard = self.0.mutex.lock().unwrap();
            // SAFETY: the mutex is boxed and outlives its guard; the lock is held.
            unsafe { *self.0.guard.get() = Some(std::mem::transmute(guard)) };
        }

        /// Takes the lock, if it is free.
        pub fn try_lock(&self) -> bool {
            let Ok(guard) = self.0.mutex.try_lock() else { return false };
            // SAFETY: as above.
            unsafe { *self.0.guard.get() = Some(std::mem::transmute(guard)) };
            true
        }

        /// Gives back the lock, which the calling thread must have.
        pub fn unlock(&self) {
            // SAFETY: the lock is held.
            drop(unsafe { (*self.0.guard.get()).take() });
        }
    }
}

impl std::fmt::Debug for RawLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RawLock")
    }
}

/// The cheap half of an asymmetric fence: keeps the compiler from moving accesses across. Its partner is [`heavy`].
#[inline(always)]
pub fn light() {
    #[cfg(loom)]
    fence(Ordering::SeqCst);
    #[cfg(not(loom))]
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
}

/// The dear half: a full fence here and, in their stead, in all threads of this process. False where the system has none; nobody
/// may rely on [`light`] then.
pub fn heavy() -> bool {
    #[cfg(loom)]
    {
        fence(Ordering::SeqCst);
        true
    }
    #[cfg(not(loom))]
    {
        use rustix::thread::{MembarrierCommand, membarrier};
        fence(Ordering::SeqCst);
        // Registering again is cheap, and right also in a child of a fork.
        membarrier(MembarrierCommand::PrivateExpedited).is_ok()
            || (membarrier(MembarrierCommand::RegisterPrivateExpedited).is_ok()
                && membarrier(MembarrierCommand::PrivateExpedited).is_ok())
    }
}

/// Lets others run for a while.
pub fn pause(time: std::time::Duration) {
    #[cfg(loom)]
    {
        let _ = time;
        loom::thread::yield_now();
    }
    #[cfg(not(loom))]
    std::thread::sleep(time);
}
