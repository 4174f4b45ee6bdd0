//! Clears.

use super::{Applier, corrupt, verb};
use forerun_pipe::fault::Result;
use forerun_pipe::gl;
use forerun_pipe::records::{Clear, MAX_COLOR_ATTACHMENTS, clear_kind};

pub(super) fn clear(a: &mut Applier, p: &Clear) -> Result<()> {
    const MASK: u32 = gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT;
    if p.kind > clear_kind::DEPTH_STENCIL {
        return corrupt("Clear.kind");
    }
    if p.mask & !MASK != 0 {
        return corrupt("Clear.mask");
    }
    if p.draw_buffer as usize >= MAX_COLOR_ATTACHMENTS {
        return corrupt("Clear.draw_buffer");
    }
    if p.class > 2 {
        return corrupt("Clear.class");
    }
    if p.kind == clear_kind::WHOLE && p.mask == 0 {
        return Ok(());
    }
    verb!(a, "Clear.context", clear(p))
}
