//! Models of what flows back, for loom: events and answers on rings of one word, with both ends blocked. They follow
//! `client/waiting.rs` and `server/posting.rs` step by step, on the bells that those use.
//!
//! Without any one of these the models end in a deadlock or an assertion: a client that reads before it sleeps, looks for events in
//! its last look, and rings when it has made room; a server that rings before it sleeps over a full ring, and tells `applied` last.
//!
//! Run as [`crate::models`] is.

use crate::bell::{Bell, Want};
use crate::sync::{AtomicU64, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::{Arc, Notify};
use loom::thread;

/// A ring of one word, whose accesses loom checks for races.
struct Line {
    head: AtomicU64,
    tail: AtomicU64,
    word: UnsafeCell<u64>,
}

impl Line {
    fn new() -> Line {
        Line { head: AtomicU64::new(0), tail: AtomicU64::new(0), word: UnsafeCell::new(0) }
    }

    /// Producer: the tail that is in the way, if one is.
    fn push(&self, value: u64) -> Result<(), u64> {
        let head = self.head.load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Acquire);
        if head != tail {
            return Err(tail);
        }
        // SAFETY: loom checks that nobody else has the word.
        self.word.with_mut(|word| unsafe { *word = value });
        self.head.store(head + 1, Ordering::Release);
        Ok(())
    }

    /// Consumer.
    fn pop(&self) -> Option<u64> {
        let tail = self.tail.load(Ordering::Relaxed);
        if self.head.load(Ordering::Acquire) == tail {
            return None;
        }
        // SAFETY: as above.
        let value = self.word.with(|word| unsafe { *word });
        self.tail.store(tail + 1, Ordering::Release);
        Some(value)
    }

    /// Consumer.
    fn is_waiting(&self) -> bool {
        self.head.load(Ordering::Acquire) != self.tail.load(Ordering::Relaxed)
    }
}

struct Ends {
    records: Line,
    events: Line,
    answers: Line,
    applied: AtomicU64,
    client: Bell,
    wake_client: Notify,
    server: Bell,
    wake_server: Notify,
}

impl Ends {
    fn new() -> Arc<Ends> {
        Arc::new(Ends {
            records: Line::new(),
            events: Line::new(),
            answers: Line::new(),
            applied: AtomicU64::new(0),
            client: Bell::default(),
            wake_client: Notify::new(),
            server: Bell::default(),
            wake_server: Notify::new(),
        })
    }

    fn ring_client(&self, is_wanted: impl FnOnce(&Bell) -> bool) {
        self.client.ring(is_wanted, || self.wake_client.notify());
    }

    fn ring_server(&self, is_wanted: impl FnOnce(&Bell) -> bool) {
        self.server.ring(is_wanted, || self.wake_server.notify());
    }

    /// Server: the next record.
    fn next(&self) -> u64 {
        loop {
            if let Some(record) = self.records.pop() {
                return record;
            }
            self.server.park(|| self.records.is_waiting(), || self.wake_server.wait());
        }
    }

    /// Server: posts on one of the reverse rings, and sleeps until there is room.
    fn post(&self, line: &Line, value: u64) {
        while let Err(known) = line.push(value) {
            self.ring_client(|_| true);
            self.server.want(Want::Other, 0);
            let has_room = || line.tail.load(Ordering::Acquire) != known;
            self.server.park(has_room, || self.wake_server.wait());
            self.server.unwant(Want::Other);
        }
    }

    /// Server: posts an answer.
    fn reply(&self, seq: u64) {
        self.post(&self.answers, seq);
        self.ring_client(|bell| seq >= bell.wanted(Want::Reply));
    }

    /// Server: a record's end.
    fn done(&self, seq: u64) {
        self.applied.store(seq, Ordering::Release);
        self.ring_client(|bell| {
            seq >= bell.wanted(Want::Applied) || seq >= bell.wanted(Want::Tail)
        });
    }
}

/// The client's end.
struct Client {
    ends: Arc<Ends>,
    events: Vec<u64>,
    stash: Vec<u64>,
}

impl Client {
    fn new(ends: &Arc<Ends>) -> Client {
        Client { ends: ends.clone(), events: Vec::new(), stash: Vec::new() }
    }

    fn drain(&mut self) {
        let mut took = false;
        while let Some(answer) = self.ends.answers.pop() {
            took = true;
            self.stash.push(answer);
        }
        while let Some(event) = self.ends.events.pop() {
            took = true;
            self.events.push(event);
        }
        if took {
            self.ends.ring_server(|bell| bell.wanted(Want::Other) != u64::MAX);
        }
    }

    fn wait(&mut self, want: Want, value: u64, is_met: impl Fn(&Ends) -> bool) {
        loop {
            // Looked at first: what was posted before it came true is read by the drain.
            let met = is_met(&self.ends);
            self.drain();
            if met || (want == Want::Reply && self.stash.contains(&value)) {
                return;
            }
            let ends = &self.ends;
            ends.client.want(want, value);
            ends.client.park(
                || is_met(ends) || ends.answers.is_waiting() || ends.events.is_waiting(),
                || ends.wake_client.wait(),
            );
            ends.client.unwant(want);
        }
    }

    fn wait_applied(&mut self, seq: u64) {
        self.wait(Want::Applied, seq, |ends| ends.applied.load(Ordering::Acquire) >= seq);
    }

    fn wait_reply(&mut self, seq: u64) {
        self.wait(Want::Reply, seq, |ends| ends.applied.load(Ordering::Acquire) >= seq);
        assert!(self.stash.contains(&seq), "no answer to a record that was applied");
    }

    /// Publishes a record; waits for room in the ring.
    fn record(&mut self, seq: u64) {
        while let Err(tail) = self.ends.records.push(seq) {
            self.wait(Want::Tail, tail + 1, |ends| {
                ends.records.tail.load(Ordering::Acquire) != tail
            });
        }
        self.ends.ring_server(|bell| bell.wanted(Want::Other) == u64::MAX);
    }
}

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    // Seconds; three take minutes, and found nothing more when they were last tried.
    builder.preemption_bound = Some(2);
    builder.check(check);
}

/// The server is blocked by a full event ring while the client waits for it: what it posts is read, in order, before `applied` is seen.
#[test]
fn events_of_a_record_are_read_before_it_is_applied_however_little_room_there_is() {
    model(|| {
        let ends = Ends::new();
        let server = {
            let ends = ends.clone();
            thread::spawn(move || {
                for event in 1..=2 {
                    ends.post(&ends.events, event);
                }
                ends.done(1);
            })
        };
        let mut client = Client::new(&ends);
        client.wait_applied(1);
        assert_eq!(client.events, [1, 2]);
        server.join().unwrap();
    });
}

/// The client is blocked by a full ring of records, and the server by a full ring of events.
#[test]
fn a_full_ring_of_records_and_one_of_events_do_not_block_each_other() {
    model(|| {
        let ends = Ends::new();
        let server = {
            let ends = ends.clone();
            thread::spawn(move || {
                for seq in 1..=2 {
                    assert_eq!(ends.next(), seq);
                    ends.post(&ends.events, 10 * seq);
                    ends.done(seq);
                }
            })
        };
        let mut client = Client::new(&ends);
        client.record(1);
        client.record(2);
        client.wait_applied(2);
        assert_eq!(client.events, [10, 20]);
        server.join().unwrap();
    });
}

/// The server is blocked by a full ring of answers while the client waits for the last of them: the first is kept.
#[test]
fn an_answer_is_kept_while_a_later_one_is_waited_for() {
    model(|| {
        let ends = Ends::new();
        let server = {
            let ends = ends.clone();
            thread::spawn(move || {
                for seq in 1..=2 {
                    ends.reply(seq);
                    ends.done(seq);
                }
            })
        };
        let mut client = Client::new(&ends);
        client.wait_reply(2);
        assert_eq!(client.stash, [1, 2]);
        client.wait_reply(1);
        server.join().unwrap();
    });
}

/// The client is blocked by a full ring of records, and the server by a full ring of answers that nobody waits for yet.
#[test]
fn a_full_ring_of_records_and_one_of_answers_do_not_block_each_other() {
    model(|| {
        let ends = Ends::new();
        let server = {
            let ends = ends.clone();
            thread::spawn(move || {
                for seq in 1..=2 {
                    assert_eq!(ends.next(), seq);
                    ends.reply(seq);
                    ends.done(seq);
                }
            })
        };
        let mut client = Client::new(&ends);
        client.record(1);
        client.record(2);
        client.wait_reply(1);
        client.wait_reply(2);
        server.join().unwrap();
    });
}

/// An event and an answer of one record, each on a ring that is full of the record before.
#[test]
fn events_and_answers_do_not_block_each_other() {
    model(|| {
        let ends = Ends::new();
        let server = {
            let ends = ends.clone();
            thread::spawn(move || {
                for seq in 1..=2 {
                    ends.post(&ends.events, 10 * seq);
                    ends.reply(seq);
                    ends.done(seq);
                }
            })
        };
        let mut client = Client::new(&ends);
        client.wait_reply(2);
        assert_eq!(
            (client.events.as_slice(), client.stash.as_slice()),
            (&[10, 20][..], &[1, 2][..])
        );
        server.join().unwrap();
    });
}
