//! Waits: publish, look, spin, sleep; read events and answers whenever awake.

use super::{ClientLink, Reply, Status};
use crate::bell::Want;
use crate::fork;
use crate::link::{Channel, Side};
use crate::message::{self, kind};
use crate::sync::Ordering;
use forerun_pipe::event::{Event, SessionFaultEvent};
use forerun_pipe::handle::RawHandle;
use forerun_pipe::{Fault, Seq, fault::Result};
use std::time::{Duration, Instant};

/// What is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    Applied(Seq),
    Retired(Seq),
    Reply(Seq),
    /// The ring's tail.
    Tail(u64),
}

impl Until {
    fn want(self) -> (Want, u64) {
        match self {
            Until::Applied(seq) => (Want::Applied, seq),
            Until::Retired(seq) => (Want::Retired, seq),
            Until::Reply(seq) => (Want::Reply, seq),
            Until::Tail(tail) => (Want::Tail, tail),
        }
    }

    fn expired(self, waited: Duration) -> Fault {
        let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        let what = match self {
            Until::Applied(_) => "a record to be applied",
            Until::Retired(_) => "room on the stage",
            Until::Reply(_) => "an answer",
            Until::Tail(_) => "room in the ring",
        };
        Fault::WaitExpired { what, waited_ms }
    }
}

impl ClientLink {
    fn is_met(&self, until: Until) -> bool {
        match until {
            Until::Applied(seq) => self.applied() >= seq,
            Until::Retired(seq) => self.retired() >= seq,
            // Either the answer has come, or it never will.
            Until::Reply(seq) => self.stash.contains_key(&seq) || self.applied() >= seq,
            Until::Tail(tail) => self.core.control.server.tail.load(Ordering::Acquire) >= tail,
        }
    }

    /// Whether a sleeper has anything to do.
    fn has_news(&self, until: Until) -> bool {
        self.is_met(until)
            || self.answers.is_waiting()
            || self.events.is_waiting()
            || self.core.is_closed(Side::Server)
    }

    pub(super) fn wait_for(&mut self, until: Until, extra: Duration) -> Result<()> {
        self.publish();
        let result = self.wait_inner(until, self.wait + extra);
        if let Err(fault) = &result {
            self.lose(fault.clone());
        }
        result
    }

    /// Waits for room in the ring: for as much as spares wakes, but once there is what is needed only for a moment, since a server may
    /// take long over each record.
    pub(super) fn wait_for_room(&mut self, needed: u64, better: u64) -> Result<()> {
        const MOMENT: Duration = Duration::from_millis(2);
        if better > needed {
            self.publish();
            match self.wait_inner(Until::Tail(better), MOMENT.min(self.wait)) {
                Err(Fault::WaitExpired { .. }) if self.lost.is_none() => {}
                Err(fault) => {
                    self.lose(fault.clone());
                    return Err(fault);
                }
                Ok(()) => return Ok(()),
            }
        }
        self.wait_for(Until::Tail(needed), Duration::ZERO)
    }

    fn wait_inner(&mut self, until: Until, bound: Duration) -> Result<()> {
        let start = Instant::now();
        loop {
            if let Some(fault) = &self.lost {
                return Err(fault.clone());
            }
            // Looked at first: what was posted before it came true is read by the drain.
            let met = self.is_met(until);
            self.drain();
            if let Some(fault) = &self.lost {
                return Err(fault.clone());
            }
            if met || matches!(until, Until::Reply(seq) if self.stash.contains_key(&seq)) {
                return Ok(());
            }
            if self.is_over {
                return Err(self.last_word.clone().unwrap_or(Fault::PeerLost));
            }
            let waited = start.elapsed();
            let Some(left) = bound.checked_sub(waited).filter(|left| !left.is_zero()) else {
                return Err(until.expired(waited));
            };
            self.pause(until, left);
        }
    }

    /// Spins, then sleeps until there are news or the time is over.
    fn pause(&mut self, until: Until, left: Duration) {
        let mut spinner = std::mem::replace(&mut self.spinner, crate::link::Spinner::idle());
        let found = !self.is_inline() && spinner.spin(|| self.has_news(until));
        self.spinner = spinner;
        if found && !self.core.is_closed(Side::Server) {
            return;
        }
        // On one thread only a helper of the server can make it come true; it may need the pump's timers for that.
        let left = if self.is_inline() { left.min(Duration::from_millis(1)) } else { left };
        let bell = self.core.bell(Side::Client);
        let (want, value) = until.want();
        let (fd, mut woken) = (self.channel.fd(), None);
        bell.want(want, value);
        bell.park(
            || self.has_news(until),
            || woken = Some(self.core.sleep(Side::Client, fd, Some(left))),
        );
        bell.unwant(want);
        // An end that is closed already keeps this one from sleeping, and must be found out all the same.
        let closed = self.core.is_closed(Side::Server);
        if closed || woken.as_ref().is_some_and(|woken| woken.socket) {
            self.read_channel();
        }
        self.is_over |= closed;
        if woken.is_none() {
            return;
        }
        self.stats.parks += 1;
        if self.is_inline() {
            self.run_pump();
        }
    }

    /// Publishes, reads what came, and looks with open eyes for a moment whether the surface's frame `serial` is presented.
    ///
    /// # Errors
    /// The fault that ended the session.
    pub(super) fn look_for_credit(&mut self, surface: RawHandle, serial: u64) -> Result<()> {
        self.publish();
        if self.is_inline() {
            self.run_pump();
        } else {
            let mut spinner = std::mem::replace(&mut self.spinner, crate::link::Spinner::idle());
            spinner.spin(|| self.presented(surface) >= serial);
            self.spinner = spinner;
        }
        self.drain();
        self.look_for_hangup(Duration::from_millis(1));
        self.lost.clone().map_or(Ok(()), Err)
    }

    /// Takes in what the server has sent. Answers first: the events of an answered record came before the answer.
    pub(super) fn drain(&mut self) {
        if fork::generation() != self.fork {
            return;
        }
        if let Err(fault) = self.drain_rings() {
            self.lose(fault);
        }
    }

    fn drain_rings(&mut self) -> Result<()> {
        let mut took = false;
        while let Some(header) = self.answers.pop(&mut self.buf)? {
            took = true;
            const WRONG: Fault = Fault::ProtocolCorruption { what: "Answer" };
            let (seq, rest) = self.buf.body().split_first_chunk().ok_or(WRONG)?;
            let (len, rest) = rest.split_first_chunk().ok_or(WRONG)?;
            let len = usize::try_from(u64::from_ne_bytes(*len)).map_err(|_| WRONG)?;
            let bytes = rest.get(..len).ok_or(WRONG)?.to_vec();
            let status = Status::from_u16(header.op).ok_or(WRONG)?;
            self.stash.insert(u64::from_ne_bytes(*seq), Reply { status, bytes });
        }
        while let Some(header) = self.events.pop(&mut self.buf)? {
            took = true;
            let event = Event::decode(header.op, self.buf.body());
            self.queue.push_back(event.ok_or(Fault::ProtocolCorruption { what: "Event" })?);
        }
        if took {
            // A server that sleeps because there was no room goes on.
            self.core.ring_server(|bell| bell.wanted(Want::Other) != u64::MAX);
        }
        Ok(())
    }

    /// Takes in control messages and the end of the connection.
    pub(super) fn read_channel(&mut self) {
        match &mut self.channel {
            Channel::Notes => {
                if let Some(fault) = self.core.notes.to_client.lock().take() {
                    self.last_word = Some(fault);
                }
            }
            Channel::Socket(socket) => {
                let mut result = socket.fill();
                while let Ok(Some(frame)) = socket.take().map_err(|fault| result = Err(fault)) {
                    if frame.kind == kind::FAULT {
                        self.last_word = Some(message::read_fault(&frame.body));
                    }
                }
                if let Err(fault) = result {
                    self.last_word.get_or_insert(fault);
                    socket.is_over = true;
                }
                self.is_over |= socket.is_over;
            }
        }
    }

    /// Looks whether the peer is still there, if that was not done lately.
    pub(super) fn look_for_hangup(&mut self, every: Duration) {
        if self.is_dead || self.last_look.elapsed() < every {
            return;
        }
        self.last_look = Instant::now();
        self.is_over |= self.core.is_closed(Side::Server);
        self.read_channel();
        if self.is_over {
            self.drain();
            let fault = self.last_word.clone().unwrap_or(Fault::PeerLost);
            self.lose(fault);
        }
    }

    /// Publishes and waits until record `seq` was applied.
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn wait_applied(&mut self, seq: Seq) -> Result<()> {
        self.stats.applied_waits += 1;
        self.count_wait(self.row_of(seq), |waits| waits.applied += 1);
        self.wait_for(Until::Applied(seq), Duration::ZERO)
    }

    /// Publishes and waits for the answer of record `seq`.
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn wait_reply(&mut self, seq: Seq) -> Result<Reply> {
        self.wait_reply_for(seq, Duration::ZERO)
    }

    /// The same with `extra` on top of the bound, for rows that block on purpose (FenceWait).
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn wait_reply_for(&mut self, seq: Seq, extra: Duration) -> Result<Reply> {
        self.wait_reply_of(self.row_of(seq), seq, extra)
    }

    /// The same for a record that others may follow; `row` is its row, see [`ClientLink::row_of`].
    ///
    /// # Errors
    /// The fault that ended the session.
    pub fn wait_reply_of(&mut self, row: u16, seq: Seq, extra: Duration) -> Result<Reply> {
        self.stats.reply_waits += 1;
        self.count_wait(row, |waits| waits.reply += 1);
        self.wait_for(Until::Reply(seq), extra)?;
        if let Some(reply) = self.stash.remove(&seq) {
            return Ok(reply);
        }
        let fault = Fault::ReplyMissing { row: "a record that waits for its answer" };
        self.lose(fault.clone());
        Err(fault)
    }

    /// The events that have come, in order. Also looks, now and then, whether the peer is still there. The end of a session by name
    /// is the last of them.
    pub fn drain_events(&mut self) -> Vec<Event> {
        let was_lost = self.is_dead;
        self.drain();
        self.look_for_hangup(Duration::from_millis(1));
        if !was_lost && let Some(fault) = &self.lost {
            let head = SessionFaultEvent { code: fault.code(), text_len: 0 };
            self.queue.push_back(Event::SessionFault(head, fault.to_string()));
        }
        self.queue.drain(..).collect()
    }
}
