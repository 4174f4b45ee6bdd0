//! Models of the ring's cursors, of the doorbell and of the biased lock, for loom: every interleaving of small cases.
//!
//! Without the fence in [`Bell::park`] or in [`Bell::ring`] the doorbell's models end in a deadlock; without either half of the
//! asymmetric fence the lock's model finds two threads inside.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test --release -p forerun-link --lib --target-dir target/loom`.

use crate::bell::{Bell, Want};
use crate::bias::{Bias, Presence};
use crate::space::{Fit, Space, View};
use crate::sync::{AtomicU64, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::{Arc, Notify};
use loom::thread;

/// Two words of ring, whose accesses loom checks for races.
struct Ring {
    head: AtomicU64,
    tail: AtomicU64,
    words: [UnsafeCell<u64>; 2],
}

#[test]
fn what_is_read_is_what_was_published_and_nothing_is_overwritten_before() {
    loom::model(|| {
        let ring = Arc::new(Ring {
            head: AtomicU64::new(0),
            tail: AtomicU64::new(0),
            words: [UnsafeCell::new(0), UnsafeCell::new(0)],
        });
        let producer = {
            let ring = ring.clone();
            thread::spawn(move || {
                let mut space = Space::new(16);
                for value in 1..=3 {
                    let offset = loop {
                        match space.fit(8) {
                            Fit::At { pad: 0, offset } => break offset,
                            Fit::At { .. } => panic!("words need no pad"),
                            Fit::Full { .. } => {
                                assert!(space.observe(&ring.tail));
                                thread::yield_now();
                            }
                        }
                    };
                    // SAFETY: loom checks that nobody else has the word.
                    ring.words[offset as usize / 8].with_mut(|word| unsafe { *word = value });
                    space.write += 8;
                    space.publish(&ring.head);
                }
            })
        };
        let mut view = View::new(16);
        for value in 1..=3 {
            while view.read == view.seen {
                assert!(view.observe(&ring.head));
                if view.read == view.seen {
                    thread::yield_now();
                }
            }
            let place = (view.read & 15) as usize / 8;
            // SAFETY: as above.
            assert_eq!(ring.words[place].with(|word| unsafe { *word }), value);
            view.release(8, &ring.tail);
        }
        producer.join().unwrap();
    });
}

struct Door {
    bell: Bell,
    value: AtomicU64,
    wake: Notify,
}

fn door() -> Arc<Door> {
    Arc::new(Door { bell: Bell::default(), value: AtomicU64::new(0), wake: Notify::new() })
}

/// A lost wake-up shows as a deadlock.
#[test]
fn a_sleeper_is_woken_by_what_it_did_not_see() {
    loom::model(|| {
        let door = door();
        let publisher = {
            let door = door.clone();
            thread::spawn(move || {
                door.value.store(1, Ordering::Release);
                door.bell.ring(|_| true, || door.wake.notify());
            })
        };
        while door.value.load(Ordering::Acquire) == 0 {
            door.bell.park(|| door.value.load(Ordering::Acquire) == 1, || door.wake.wait());
        }
        publisher.join().unwrap();
    });
}

/// A sleeper that waits for the second value is not woken by the first alone, and never misses the second.
#[test]
fn a_sleeper_gets_what_it_wants() {
    loom::model(|| {
        let door = door();
        let publisher = {
            let door = door.clone();
            thread::spawn(move || {
                for value in 1..=2 {
                    door.value.store(value, Ordering::Release);
                    let is_wanted = |bell: &Bell| value >= bell.wanted(Want::Applied);
                    door.bell.ring(is_wanted, || door.wake.notify());
                }
            })
        };
        while door.value.load(Ordering::Acquire) < 2 {
            door.bell.want(Want::Applied, 2);
            door.bell.park(|| door.value.load(Ordering::Acquire) == 2, || door.wake.wait());
            door.bell.unwant(Want::Applied);
        }
        publisher.join().unwrap();
    });
}

/// Two threads inside at once would be a race on the value, which loom reports.
#[test]
fn one_thread_at_a_time_is_inside_a_biased_lock() {
    loom::model(|| {
        let lock = Arc::new((Bias::default(), UnsafeCell::new(0)));
        let enter = |lock: &(Bias, UnsafeCell<u32>), who: &std::sync::Arc<Presence>| {
            let _inside = lock.0.enter(who);
            // SAFETY: loom checks that nobody else has it.
            lock.1.with_mut(|value| unsafe { *value += 1 });
        };
        let owner = std::sync::Arc::<Presence>::default();
        // Once in turn, which gives the privilege, before the other thread is there.
        enter(&lock, &owner);
        let other = {
            let lock = lock.clone();
            thread::spawn(move || enter(&lock, &std::sync::Arc::default()))
        };
        enter(&lock, &owner);
        other.join().unwrap();
        // SAFETY: as above.
        assert_eq!(lock.1.with(|value| unsafe { *value }), 3);
    });
}
