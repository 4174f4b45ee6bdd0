//! Running ahead, shown: a server that is held while the client goes on.

use crate::cell::Mode;
use crate::world::World;
use forerun_pipe::Seq;
use forerun_pipe::records::Present;
use forerun_server::gate::Hand;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A client that runs ahead has done its calls by then.
const LONG: Duration = Duration::from_secs(20);
/// In lockstep the calls do not end before the server goes on.
const SHORT: Duration = Duration::from_millis(60);

impl World {
    /// The gate of a scenario that needs one.
    pub fn gate(&self) -> &Hand {
        self.gate.as_ref().expect("the scenario needs a gate")
    }

    /// Whether the client runs ahead of its server.
    pub fn runs_ahead(&self) -> bool {
        self.cell.mode != Mode::Lockstep
    }

    /// Waits until everything sent is applied, and gives the ordinal of its last record. Counted nowhere.
    pub fn settle(&self) -> Seq {
        let end = Instant::now() + LONG;
        loop {
            let mut stream = self.group.lock();
            stream.link.publish();
            if let Some(fault) = stream.link.lost() {
                panic!("the session is lost: {fault}");
            }
            if stream.link.applied() >= stream.link.seq() {
                return stream.link.seq();
            }
            drop(stream);
            assert!(Instant::now() < end, "what was sent is not applied");
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// Makes calls while the server applies nothing of them, and lets it go on only when they have returned. By ordinals of records
    /// the client went on, unless it is in lockstep: there the server has to be let go first.
    #[track_caller]
    pub fn held<T>(&self, calls: impl FnOnce() -> T) -> T {
        let gate = self.gate();
        let boundary = self.settle();
        gate.close_after(boundary).expect("the gate closes");
        let limit = if self.runs_ahead() { LONG } else { SHORT };
        let (done, waits) = mpsc::channel::<()>();
        let (value, sent, applied, let_go) = std::thread::scope(|scope| {
            let watch = scope.spawn(move || {
                let late = waits.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
                if late {
                    gate.open().expect("the gate opens");
                }
                late
            });
            let value = calls();
            let (sent, applied) = {
                let mut stream = self.group.lock();
                stream.link.publish();
                (stream.link.seq(), stream.link.applied())
            };
            drop(done);
            (value, sent, applied, watch.join().expect("it watches"))
        });
        gate.open().expect("the gate opens");
        assert!(sent > boundary, "nothing was sent");
        let went_on = !let_go && applied <= boundary;
        if self.runs_ahead() {
            assert!(
                went_on,
                "the client went on: {sent} records are sent, {applied} of {boundary} are applied"
            );
        } else {
            // The control: the same calls without running ahead fail at this, and at nothing else.
            assert!(!went_on, "in lockstep the client waits, yet {sent} > {applied}");
        }
        value
    }

    /// Presents the drawable, behind its credit.
    pub fn present(&self, credit: u32) {
        let surface = self.surface.as_ref().expect("the drawable is there").raw();
        let serial = self.presents.get() + 1;
        self.presents.set(serial);
        self.group.take_present_credit(surface, serial, credit).expect("the credit comes back");
        let mut stream = self.group.lock();
        Present { surface, serial }.send(&mut *stream);
        stream.link.publish();
    }

    /// Frames presented.
    pub fn frames(&self) -> u64 {
        self.presents.get()
    }

    /// Serial of the last frame that was shown.
    pub fn presented(&self) -> u64 {
        let surface = self.surface.as_ref().expect("the drawable is there").raw();
        self.group.lock().link.presented(surface)
    }
}
