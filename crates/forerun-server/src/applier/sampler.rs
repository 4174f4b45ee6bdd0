//! Sampler objects, texture units, image units.

use super::{Applier, corrupt, texture};
use crate::objects::{MAX_LEVELS, Sampler};
use crate::state::View;
use forerun_pipe::fault::Result;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, Kind, RawHandle, gl};

pub(super) fn create_sampler_state(a: &mut Applier, p: &CreateSamplerState) -> Result<()> {
    let serial = a.tables.clock.tick();
    let sampler = Sampler { params: p.params, serial };
    a.tables.samplers.create(p.handle, sampler, "CreateSamplerState.handle")?;
    Ok(())
}

pub(super) fn delete_sampler_state(a: &mut Applier, p: &DeleteSamplerState) -> Result<()> {
    if a.tables.samplers.check(p.handle, "DeleteSamplerState.handle")? {
        a.tables.samplers.destroy(Handle::from_raw(p.handle));
        a.backend.destroyed(Kind::Sampler, p.handle);
    }
    Ok(())
}

pub(super) fn set_sampler_views(
    a: &mut Applier,
    _: &SetSamplerViews,
    views: &[BoundView],
) -> Result<()> {
    let serial = a.tables.clock.tick();
    for view in views {
        let alive = a.tables.textures.check(view.texture, "SetSamplerViews.texture")?;
        if alive && !texture::is_target(view.target) {
            return corrupt("SetSamplerViews.target");
        }
        let state = a.state("SetSamplerViews.context")?;
        let Some(unit) = state.views.value.get_mut(view.unit as usize) else {
            return corrupt("SetSamplerViews.unit");
        };
        *unit = if alive {
            View { texture: Handle::from_raw(view.texture), target: view.target }
        } else {
            View::default()
        };
        state.views.serial = serial;
    }
    Ok(())
}

pub(super) fn bind_sampler_states(
    a: &mut Applier,
    _: &BindSamplerStates,
    samplers: &[BoundSampler],
) -> Result<()> {
    let serial = a.tables.clock.tick();
    for bound in samplers {
        let alive = a.tables.samplers.check(bound.sampler, "BindSamplerStates.sampler")?;
        let state = a.state("BindSamplerStates.context")?;
        let Some(unit) = state.samplers.value.get_mut(bound.unit as usize) else {
            return corrupt("BindSamplerStates.unit");
        };
        *unit = if alive { Handle::from_raw(bound.sampler) } else { Handle::NULL };
        state.samplers.serial = serial;
    }
    Ok(())
}

pub(super) fn set_shader_images(
    a: &mut Applier,
    _: &SetShaderImages,
    images: &[ImageView],
) -> Result<()> {
    let serial = a.tables.clock.tick();
    for image in images {
        let alive = a.tables.textures.check(image.texture, "SetShaderImages.texture")?;
        if alive {
            if !matches!(image.access, gl::READ_ONLY | gl::WRITE_ONLY | gl::READ_WRITE) {
                return corrupt("SetShaderImages.access");
            }
            if image.level >= MAX_LEVELS {
                return corrupt("SetShaderImages.level");
            }
        }
        let state = a.state("SetShaderImages.context")?;
        let Some(unit) = state.images.value.get_mut(image.unit as usize) else {
            return corrupt("SetShaderImages.unit");
        };
        *unit = ImageView { texture: RawHandle::NULL, ..*image };
        if alive {
            unit.texture = image.texture;
        }
        state.images.serial = serial;
    }
    Ok(())
}
