//! A lock that costs its usual owner nothing: while one thread alone enters, entering and leaving are a plain store each, without
//! an atomic read-modify-write. The first other thread takes that privilege away, with a barrier that it runs in the owner's stead.

use crate::sync::{AtomicBool, AtomicPtr, Ordering, RawLock, heavy, light};
use std::cell::UnsafeCell;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// So many calls in a row must come from one thread before it gets the privilege…
const PATIENCE: u32 = if cfg!(loom) { 0 } else { 32 };
/// …twice as many after each time that it was taken away, up to this.
const LONGEST: u32 = 1 << 16;

/// A thread, as one lock knows it. On a cache line of its own; only the thread itself writes to it.
#[repr(align(64))]
#[derive(Debug, Default)]
pub struct Presence {
    /// Whether the thread is inside.
    inside: AtomicBool,
    /// Whether it came in turn, not by privilege.
    in_turn: AtomicBool,
}

/// The lock. Not reentrant: entering twice panics.
#[derive(Debug)]
pub struct Bias {
    /// The thread that enters without its turn; null for none. Written in turn.
    owner: AtomicPtr<Presence>,
    lock: RawLock,
    turns: UnsafeCell<Turns>,
    /// Whether a thread ever found another one inside: whoever blocks there keeps others out.
    contended: AtomicBool,
}

/// Who came in turn. Reached with `lock` held.
#[derive(Debug)]
struct Turns {
    owner: Option<Arc<Presence>>,
    last: *const Presence,
    in_a_row: u32,
    patience: u32,
}

// SAFETY: `turns` is reached by whoever holds `lock`; `last` in it is compared and never followed.
unsafe impl Send for Bias {}
// SAFETY: as above.
unsafe impl Sync for Bias {}

/// Being inside. Leaves when it is dropped, on the thread that entered.
#[derive(Debug)]
pub struct Inside<'a, P: Deref<Target = Presence>> {
    bias: &'a Bias,
    who: P,
}

impl Default for Bias {
    fn default() -> Self {
        let turns = Turns { owner: None, last: ptr::null(), in_a_row: 0, patience: PATIENCE };
        Bias {
            owner: AtomicPtr::new(ptr::null_mut()),
            lock: RawLock::default(),
            turns: UnsafeCell::new(turns),
            contended: AtomicBool::new(false),
        }
    }
}

impl Bias {
    /// The calling thread's presence for this lock. Found by a search; to be kept by whoever enters often.
    #[cfg(not(loom))]
    pub fn presence(&self) -> Arc<Presence> {
        use std::cell::RefCell;
        type Known = RefCell<Vec<(usize, Arc<Presence>)>>;
        thread_local! {
            static KNOWN: Known = const { RefCell::new(Vec::new()) };
        }
        let key = ptr::from_ref(self).addr();
        let find = |known: &Known| {
            let mut known = known.borrow_mut();
            if let Some((_, presence)) = known.iter().find(|(of, _)| *of == key) {
                return Arc::clone(presence);
            }
            // Of locks that are gone, or that gave their privilege to others.
            known.retain(|(_, presence)| Arc::strong_count(presence) > 1);
            let presence = Arc::<Presence>::default();
            known.push((key, Arc::clone(&presence)));
            presence
        };
        // A thread that is ending has a new one for each call, and so never a privilege.
        KNOWN.try_with(find).unwrap_or_default()
    }

    /// Enters as the calling thread, whose presence for this lock is `who`.
    #[inline]
    pub fn enter<'a>(&'a self, who: &'a Arc<Presence>) -> Inside<'a, &'a Presence> {
        self.come_in(who);
        Inside { bias: self, who }
    }

    /// Enters as the calling thread.
    #[cfg(not(loom))]
    pub fn enter_here(&self) -> Inside<'_, Arc<Presence>> {
        let who = self.presence();
        self.come_in(&who);
        Inside { bias: self, who }
    }

    /// Enters as the calling thread, unless somebody is inside.
    #[cfg(not(loom))]
    pub fn try_enter_here(&self) -> Option<Inside<'_, Arc<Presence>>> {
        let who = self.presence();
        if who.inside.load(Ordering::Relaxed) || !self.lock.try_lock() {
            return None;
        }
        // SAFETY: the lock is held.
        let turns = unsafe { &mut *self.turns.get() };
        if let Some(owner) = &turns.owner {
            self.owner.store(ptr::null_mut(), Ordering::Relaxed);
            heavy();
            if owner.inside.load(Ordering::Acquire) {
                self.lock.unlock();
                return None;
            }
            turns.owner = None;
        }
        who.inside.store(true, Ordering::Relaxed);
        who.in_turn.store(true, Ordering::Relaxed);
        Some(Inside { bias: self, who })
    }

    /// Is outside while `work` runs, for who is inside and has something long to do. `who` is the calling thread's presence; one that
    /// is not inside stays so.
    pub fn outside<R>(&self, who: &Arc<Presence>, work: impl FnOnce() -> R) -> R {
        if !who.inside.load(Ordering::Relaxed) {
            return work();
        }
        self.leave(who);
        let result = work();
        self.come_in(who);
        result
    }

    #[inline]
    fn come_in(&self, who: &Arc<Presence>) {
        assert!(!who.inside.load(Ordering::Relaxed), "a lock is entered twice by one thread");
        who.inside.store(true, Ordering::Relaxed);
        // Partner: `heavy` in `take_privilege`. Either this thread sees that it is the owner no more, or the other sees it inside.
        light();
        if !ptr::eq(self.owner.load(Ordering::Acquire), Arc::as_ptr(who)) {
            self.come_in_turn(who);
        }
    }

    #[cold]
    fn come_in_turn(&self, who: &Arc<Presence>) {
        who.inside.store(false, Ordering::Release);
        if !self.lock.try_lock() {
            self.contended.store(true, Ordering::Relaxed);
            self.lock.lock();
        }
        // SAFETY: the lock is held.
        let turns = unsafe { &mut *self.turns.get() };
        if let Some(owner) = turns.owner.take() {
            self.take_privilege(&owner);
            turns.patience = (turns.patience * 2).min(LONGEST);
        }
        if ptr::eq(turns.last, Arc::as_ptr(who)) {
            turns.in_a_row += 1;
        } else {
            turns.last = Arc::as_ptr(who);
            turns.in_a_row = 0;
        }
        if turns.in_a_row >= turns.patience && heavy() {
            // Nobody is inside by privilege, and whoever comes next in turn takes it away first.
            turns.owner = Some(Arc::clone(who));
            turns.in_a_row = 0;
            self.owner.store(Arc::as_ptr(who).cast_mut(), Ordering::Release);
        }
        who.in_turn.store(true, Ordering::Relaxed);
        who.inside.store(true, Ordering::Relaxed);
    }

    fn take_privilege(&self, owner: &Presence) {
        self.contended.store(true, Ordering::Relaxed);
        self.owner.store(ptr::null_mut(), Ordering::Relaxed);
        // Partner: `light` in `come_in`. It worked when the privilege was given.
        heavy();
        let mut pause = Duration::from_micros(1);
        // Acquire: what the owner did inside is seen from here on.
        while owner.inside.load(Ordering::Acquire) {
            crate::sync::pause(pause);
            pause = (pause * 2).min(Duration::from_micros(200));
        }
    }

    #[inline]
    fn leave(&self, who: &Presence) {
        let in_turn = who.in_turn.load(Ordering::Relaxed);
        // Release: partner is the load in `take_privilege`.
        who.inside.store(false, Ordering::Release);
        if in_turn {
            who.in_turn.store(false, Ordering::Relaxed);
            self.lock.unlock();
        }
    }

    /// Whether several threads enter this lock: whoever blocks inside then keeps others out.
    pub fn is_contended(&self) -> bool {
        self.contended.load(Ordering::Relaxed)
    }
}

impl<P: Deref<Target = Presence>> Drop for Inside<'_, P> {
    #[inline]
    fn drop(&mut self) {
        self.bias.leave(&self.who);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::thread;

    /// A sum that no lock but this one guards.
    struct Sum(Bias, UnsafeCell<u64>);

    // SAFETY: the value is reached inside the lock.
    unsafe impl Sync for Sum {}

    impl Sum {
        fn add(&self, who: &Arc<Presence>) {
            let _inside = self.0.enter(who);
            // SAFETY: inside the lock.
            unsafe { *self.1.get() += 1 };
        }
    }

    #[test]
    fn threads_that_come_in_bursts_lose_nothing() {
        const BURSTS: u64 = 200;
        let sum = Sum(Bias::default(), UnsafeCell::new(0));
        thread::scope(|scope| {
            for thread in 0..3u64 {
                let sum = &sum;
                scope.spawn(move || {
                    let who = sum.0.presence();
                    for burst in 0..BURSTS {
                        // Long ones get the privilege, short ones take it away.
                        let length = if (burst + thread).is_multiple_of(3) { 500 } else { 5 };
                        (0..length).for_each(|_| sum.add(&who));
                        thread::yield_now();
                    }
                });
            }
        });
        let each = |thread: u64| -> u64 {
            (0..BURSTS).map(|burst| if (burst + thread).is_multiple_of(3) { 500 } else { 5 }).sum()
        };
        assert_eq!(sum.1.into_inner(), (0..3).map(each).sum::<u64>());
    }

    #[test]
    fn a_lone_thread_gets_the_privilege_and_another_takes_it() {
        let lock = Bias::default();
        let who = lock.presence();
        for _ in 0..=PATIENCE {
            drop(lock.enter(&who));
        }
        assert!(ptr::eq(lock.owner.load(Ordering::Relaxed), Arc::as_ptr(&who)));
        assert!(!lock.is_contended());
        thread::scope(|scope| {
            scope.spawn(|| drop(lock.enter_here()));
        });
        assert!(lock.owner.load(Ordering::Relaxed).is_null() && lock.is_contended());
    }

    #[test]
    fn who_waits_outside_lets_others_in() {
        let lock = Bias::default();
        let who = lock.presence();
        for _ in 0..2 * PATIENCE {
            let _inside = lock.enter(&who);
            assert!(lock.try_enter_here().is_none());
            lock.outside(&who, || {
                thread::scope(|scope| scope.spawn(|| drop(lock.enter_here())).join().unwrap());
            });
            thread::scope(|scope| {
                scope.spawn(|| assert!(lock.try_enter_here().is_none())).join().unwrap();
            });
        }
    }
}
