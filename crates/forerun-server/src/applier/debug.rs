//! Debug groups, markers and labels.

use super::{Applier, corrupt};
use crate::state::Env;
use forerun_pipe::fault::Result;
use forerun_pipe::records::{DebugMarker, marker};

pub(super) fn debug_marker(a: &mut Applier, p: &DebugMarker, text: &[u8]) -> Result<()> {
    if p.what > marker::LABEL {
        return corrupt("DebugMarker.what");
    }
    let text = String::from_utf8_lossy(text);
    // A NUL would end the text early in a driver that counts by itself.
    let text = text.split('\0').next().unwrap_or("");
    let env = Env::of(&a.tables, &a.contexts, a.current, "DebugMarker.context")?;
    a.backend.debug_marker(&env, p, text);
    Ok(())
}
