//! Blits.

use super::{Applier, corrupt, verb};
use forerun_pipe::fault::Result;
use forerun_pipe::gl;
use forerun_pipe::records::Blit;

pub(super) fn blit(a: &mut Applier, p: &Blit) -> Result<()> {
    const MASK: u32 = gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT;
    if p.mask & !MASK != 0 {
        return corrupt("Blit.mask");
    }
    if !matches!(p.filter, gl::NEAREST | gl::LINEAR) {
        return corrupt("Blit.filter");
    }
    // Drivers subtract these; a difference that overflows is undefined in them.
    let measurable = |r: &[i32; 4]| {
        r[2].checked_sub(r[0]).is_some_and(|d| d != i32::MIN)
            && r[3].checked_sub(r[1]).is_some_and(|d| d != i32::MIN)
    };
    if p.mask == 0 || !measurable(&p.src) || !measurable(&p.dst) {
        return Ok(());
    }
    verb!(a, "Blit.context", blit(p))
}
