//! Which backend a session gets.

use forerun_link::Hello;
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::knobs::{Backend as Choice, Knobs};
use forerun_server::session::Make;
use forerun_server::{Backend, NullBackend};

/// Makes the backend that this server's knobs say; where they leave it open, the client's wish.
pub fn maker(knobs: &Knobs) -> Box<Make<'static>> {
    let knobs = knobs.clone();
    Box::new(move |hello: &Hello| {
        let mut knobs = knobs.clone();
        if knobs.backend == Choice::Auto
            && let Some(wish) = hello.want("FORERUN_BACKEND")
        {
            knobs.set("FORERUN_BACKEND", wish).map_err(|error| Fault::Refused {
                what: "backend".into(),
                ours: error.to_string(),
                theirs: wish.into(),
            })?;
        }
        make(&knobs)
    })
}

fn make(knobs: &Knobs) -> Result<Box<dyn Backend>> {
    match knobs.backend {
        Choice::Null => Ok(Box::new(NullBackend::new())),
        _ => forerun_gles::open(knobs),
    }
}
