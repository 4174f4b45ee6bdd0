//! Answers and events: posted in order, kept until there is room, never lost.

use super::ServerLink;
use crate::bell::Want;
use crate::client::Status;
use crate::link::{Door, Side};
use crate::ring::NoRoom;
use crate::sync::Ordering;
use forerun_pipe::codec::framing;
use forerun_pipe::event::Event;
use forerun_pipe::{Fault, Seq, fault::Result};

/// What waits for room.
pub(super) enum Out {
    Event(Event),
    Answer(Seq, Status, Vec<u8>),
}

impl ServerLink {
    /// Answers record `seq`; nothing is posted for a record that wants no answer.
    ///
    /// # Errors
    /// [`Fault::QuotaExceeded`] for an answer over [`ServerLink::max_reply`].
    pub fn reply(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<()> {
        if seq == self.seq && self.flags & framing::NO_ANSWER != 0 {
            return Ok(());
        }
        if bytes.len() > self.max_reply() {
            return Err(Fault::QuotaExceeded { what: "answer" });
        }
        if !self.outbox.is_empty() || !self.push_answer(seq, status, bytes)? {
            self.outbox.push_back(Out::Answer(seq, status, bytes.to_vec()));
        }
        Ok(())
    }

    fn push_answer(&mut self, seq: Seq, status: Status, bytes: &[u8]) -> Result<bool> {
        let head = [seq, bytes.len() as u64];
        let head = zerocopy::IntoBytes::as_bytes(&head);
        match self.answers.push(status as u16, 0, [head, bytes, &[], &[]]) {
            Ok(_) => {
                self.answers.publish();
                self.core.ring_client(|bell| seq >= bell.wanted(Want::Reply));
                Ok(true)
            }
            Err(NoRoom::Lies) => Err(Fault::RingOverrun { what: "reply_tail" }),
            Err(_) => Ok(false),
        }
    }

    /// The longest answer in bytes.
    pub fn max_reply(&self) -> usize {
        self.answers.space.max_record() as usize - 24
    }

    /// Posts an event: ordered, lossless. Parks only at the record's boundary ([`ServerLink::applied`]).
    pub fn post(&mut self, event: Event) {
        if !self.outbox.is_empty() || !matches!(self.push_event(&event), Ok(true)) {
            self.outbox.push_back(Out::Event(event));
        }
    }

    fn push_event(&mut self, event: &Event) -> Result<bool> {
        let (op, bytes) = event.encode();
        match self.events.push(op, 0, [&bytes, &[], &[], &[]]) {
            Ok(_) => {
                // No bell: events are read when a wait ends, and the record's `applied` follows them.
                self.events.publish();
                Ok(true)
            }
            Err(NoRoom::Lies) => Err(Fault::RingOverrun { what: "event_tail" }),
            Err(_) => Ok(false),
        }
    }

    /// Sends what found no room, in order, as far as there is room now.
    pub(super) fn flush_outbox(&mut self) -> Result<()> {
        while let Some(out) = self.outbox.pop_front() {
            let sent = match &out {
                Out::Event(event) => self.push_event(event)?,
                Out::Answer(seq, status, bytes) => self.push_answer(*seq, *status, bytes)?,
            };
            if !sent {
                self.outbox.push_front(out);
                break;
            }
        }
        if matches!(self.core.door, Door::Inline) {
            let more = u32::from(!self.outbox.is_empty());
            self.core.control.server.overflow.store(more, Ordering::Release);
        }
        Ok(())
    }

    /// Parks until everything posted has room. Not in monolith: there the client asks again.
    pub(super) fn settle(&mut self) -> Result<()> {
        loop {
            self.flush_outbox()?;
            if self.outbox.is_empty() || matches!(self.core.door, Door::Inline) {
                return Ok(());
            }
            if self.is_over || self.core.is_closed(Side::Client) {
                // Nobody will read it. What was published before the end is applied all the same.
                self.outbox.clear();
                return Ok(());
            }
            // At most one side is parked: whatever the client waits for, it reads first.
            self.core.ring_client(|_| true);
            // Only the ring that what stands first needs: the other one's cursor may have moved long ago.
            let client = &self.core.control.client;
            let (tail, known) = match self.outbox.front() {
                Some(Out::Answer(..)) => (&client.reply_tail, self.answers.space.tail()),
                _ => (&client.event_tail, self.events.space.tail()),
            };
            let has_room = || {
                tail.load(Ordering::Acquire) != known || self.core.is_closed(Side::Client)
            };
            self.write_counters();
            let bell = self.core.bell(Side::Server);
            let (core, fd, mut woken) = (&self.core, self.channel.fd(), None);
            bell.want(Want::Other, 0);
            bell.park(has_room, || woken = Some(core.sleep(Side::Server, fd, None)));
            bell.unwant(Want::Other);
            self.parks += 1;
            if woken.is_some_and(|woken| woken.socket) {
                self.read_channel()?;
            }
        }
    }
}
