//! Present credit: the steady back-pressure of a program that shows frames.
//!
//! Whoever waits for credit does not need the link meanwhile, and other threads of its share group may: so the wait is a value of its
//! own, which looks through the link now and then and sleeps without it.

use super::ClientLink;
use crate::progress::Page;
use forerun_pipe::handle::RawHandle;
use forerun_pipe::{Fault, Op, fault::Result};
use std::time::{Duration, Instant};

/// A sleeper looks through the link this often at least: a server whose events have no room presents nothing before they are read,
/// and one that died wakes nobody.
const LOOK: Duration = Duration::from_millis(10);
/// A server on the program's own thread looks at its clock only when it is let.
const LOOK_INLINE: Duration = Duration::from_millis(1);

/// A wait until a frame may be encoded.
#[derive(Debug)]
pub struct CreditWait {
    page: Page,
    surface: RawHandle,
    /// Serial of the frame that must have been presented.
    needed: u64,
    begun: Instant,
    limit: Duration,
    look: Duration,
}

impl CreditWait {
    /// Whether the credit is there.
    ///
    /// # Errors
    /// The fault that ended the session; [`Fault::PresentCreditTimeout`] when nothing came within the link's bound.
    pub fn look(&self, link: &mut ClientLink) -> Result<bool> {
        link.look_for_credit(self.surface, self.needed)?;
        if link.presented(self.surface) >= self.needed {
            return Ok(true);
        }
        let waited = self.begun.elapsed();
        if waited < self.limit {
            return Ok(false);
        }
        let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        let fault = Fault::PresentCreditTimeout { waited_ms };
        link.lose(fault.clone());
        Err(fault)
    }

    /// Sleeps until the next look. Nobody needs to have the link.
    pub fn sleep(&self) {
        let left = self.limit.saturating_sub(self.begun.elapsed());
        self.page.wait_presented(self.surface, self.needed, left.min(self.look));
    }
}

impl ClientLink {
    /// The wait until frame `serial` (from 1) may be encoded: until `serial - credit` was presented. `None` when it was.
    pub fn present_credit(
        &mut self,
        surface: RawHandle,
        serial: u64,
        credit: u32,
    ) -> Option<CreditWait> {
        let needed = serial.saturating_sub(credit.into());
        if needed == 0 || self.presented(surface) >= needed {
            return None;
        }
        self.stats.credit_waits += 1;
        self.waits.entry(Op::Present as u16).or_default().credit += 1;
        Some(CreditWait {
            page: self.page.clone(),
            surface,
            needed,
            begun: Instant::now(),
            limit: self.wait,
            look: if self.is_inline() { LOOK_INLINE } else { LOOK },
        })
    }

    /// [`ClientLink::present_credit`] for whoever has the link alone.
    ///
    /// # Errors
    /// As [`CreditWait::look`].
    pub fn take_present_credit(
        &mut self,
        surface: RawHandle,
        serial: u64,
        credit: u32,
    ) -> Result<()> {
        if let Some(wait) = self.present_credit(surface, serial, credit) {
            while !wait.look(self)? {
                wait.sleep();
            }
        }
        Ok(())
    }
}
