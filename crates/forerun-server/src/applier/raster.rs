//! The fixed-function render state.

use super::{Applier, corrupt};
use crate::objects::RenderState;
use forerun_pipe::fault::Result;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind};

pub(super) fn create_render_state(a: &mut Applier, p: &CreateRenderState) -> Result<()> {
    let serial = a.tables.clock.tick();
    let object = RenderState { desc: p.desc, serial };
    a.tables.render_states.create(p.handle, object, "CreateRenderState.handle")?;
    Ok(())
}

pub(super) fn bind_render_state(a: &mut Applier, p: &BindRenderState) -> Result<()> {
    let alive = a.tables.render_states.check(p.handle, "BindRenderState.handle")?;
    let serial = a.tables.clock.tick();
    let state = a.state("BindRenderState.context")?;
    state.render_state.value = if alive { Handle::from_raw(p.handle) } else { Handle::NULL };
    state.render_state.serial = serial;
    Ok(())
}

pub(super) fn delete_render_state(a: &mut Applier, p: &DeleteRenderState) -> Result<()> {
    if a.tables.render_states.check(p.handle, "DeleteRenderState.handle")? {
        a.tables.render_states.destroy(Handle::from_raw(p.handle));
        a.backend.destroyed(Kind::RenderState, p.handle);
    }
    Ok(())
}

pub(super) fn set_dynamic_state(a: &mut Applier, p: &SetDynamicState) -> Result<()> {
    let serial = a.tables.clock.tick();
    let state = a.state("SetDynamicState.context")?;
    state.dynamic.value = *p;
    state.dynamic.serial = serial;
    Ok(())
}

pub(super) fn set_viewports(
    a: &mut Applier,
    p: &SetViewports,
    viewports: &[Viewport],
) -> Result<()> {
    let serial = a.tables.clock.tick();
    let state = a.state("SetViewports.context")?;
    let first = p.first as usize;
    let end = first.checked_add(viewports.len());
    let Some(slots) = end.and_then(|end| state.viewports.value.get_mut(first..end)) else {
        return corrupt("SetViewports.first");
    };
    slots.copy_from_slice(viewports);
    state.viewports.serial = serial;
    Ok(())
}
