//! The one door to atomics and to the lock beside them, so that loom can put its own in place.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

/// A lock without a guard.
pub struct RawLock(#[cfg(not(loom))] parking_lot::RawMutex, #[cfg(loom)] AtomicBool);

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
    use super::{AtomicBool, Ordering};

    impl Default for super::RawLock {
        fn default() -> Self {
            super::RawLock(AtomicBool::new(false))
        }
    }

    impl super::RawLock {
        /// Waits for the lock and takes it.
        pub fn lock(&self) {
            while self.0.swap(true, Ordering::Acquire) {
                loom::thread::yield_now();
            }
        }

        /// Gives back the lock, which the calling thread must have.
        pub fn unlock(&self) {
            self.0.store(false, Ordering::Release);
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
