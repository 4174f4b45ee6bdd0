//! The server half inside the program: a thread of its own (inproc), or the program's own thread (monolith).

use forerun_link::{ClientLink, LinkOptions};
use forerun_pipe::Fault;
use forerun_pipe::caps::Caps;
use forerun_pipe::knobs::Knobs;

/// Opens a session with a server in this process.
pub fn open(knobs: &Knobs, options: &LinkOptions) -> Result<(ClientLink, Caps), Fault> {
    let _ = (knobs, options);
    Err(Fault::ServerUnavailable { why: "none inside".into() })
}
