//! The progress page: what can be a value is a value here, not an event, so that polls are local loads and completions come in
//! any order.

use forerun_pipe::Seq;
use forerun_pipe::handle::RawHandle;

/// Counters of the server that the client reads for its statistics, even after the server died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Counter {
    /// Records applied.
    Records = 0,
    /// Draws executed.
    Draws = 1,
    /// Presents executed.
    Frames = 2,
    /// Calls of the host's driver.
    DriverCalls = 3,
    /// CPU time of the server in microseconds.
    CpuMicros = 4,
    /// Anonymous resident bytes.
    RssAnon = 5,
    /// Shared resident bytes.
    RssShared = 6,
    /// Times that the server slept.
    Parks = 7,
    /// Bytes of records.
    RecordBytes = 8,
}

/// How a fence ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceState {
    /// Everything before it is done.
    Signaled,
    /// The server could not make it.
    Declined,
}

/// The server's pen for the progress page. Clones write to the same page, from any thread.
#[derive(Clone)]
pub struct Progress {}

impl Progress {
    /// The surface's frame `serial` was presented: returns a credit.
    pub fn presented(&self, surface: RawHandle, serial: u64) {
        let _ = (surface, serial);
    }

    /// The surface's size as the server knows it. Also to be called when the surface is created.
    pub fn surface_size(&self, surface: RawHandle, width: u32, height: u32) {
        let _ = (surface, width, height);
    }

    /// The fence that record `seq` created is done.
    pub fn fence(&self, fence: RawHandle, seq: Seq, state: FenceState) {
        let _ = (fence, seq, state);
    }

    /// The result of the use of a query that record `seq` ended (QueryEnd or QueryCounter).
    pub fn query(&self, query: RawHandle, seq: Seq, result: u64) {
        let _ = (query, seq, result);
    }

    /// Sets a counter.
    pub fn count(&self, counter: Counter, value: u64) {
        let _ = (counter, value);
    }
}
