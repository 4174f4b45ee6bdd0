//! `forerun serve`: becomes the server.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use forerun_pipe::knobs::{Knobs, Transport};

use crate::run::{cannot_start, knob_flags, knobs_with};
use crate::{Fault, ServeArgs, install};

/// Becomes `forerund` on the address given; returns only if that fails.
///
/// # Errors
/// A sentence for a bad address or knob, and for a missing server.
pub fn serve(args: &ServeArgs) -> Result<ExitCode, Fault> {
    let set = knob_flags(&[
        ("FORERUN_BACKEND", args.backend.as_deref()),
        ("FORERUN_ISOLATE", args.isolate.as_deref()),
    ]);
    let knobs = knobs_with(&set)?;
    let mut address = Knobs::default();
    let form = address.set("FORERUN_TRANSPORT", &args.address);
    if form.is_err() || !matches!(address.transport, Transport::Unix(_)) {
        return Err(Fault {
            sentence: format!("cannot listen on `{}`; the form is unix:PATH", args.address),
            status: 2,
        });
    }
    let server = install::server(knobs.server_path.as_deref())?;
    let error = Command::new(&server).arg(&args.address).envs(set).exec();
    Err(cannot_start(&server, &error))
}
