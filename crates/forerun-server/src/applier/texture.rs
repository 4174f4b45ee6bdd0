//! Texture storage, parameters, copies, mipmaps.

use super::resource::{MAX_SIDE, define_texture};
use super::{Applier, corrupt, maps};
use crate::backend::{Defined, Region};
use crate::objects::*;
use forerun_pipe::fault::Result;
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, RawHandle, gl, pixel};

/// Whether a texture can have that target.
pub(super) fn is_target(target: u32) -> bool {
    matches!(
        target,
        gl::TEXTURE_1D
            | gl::TEXTURE_2D
            | gl::TEXTURE_3D
            | gl::TEXTURE_RECTANGLE
            | gl::TEXTURE_CUBE_MAP
            | gl::TEXTURE_1D_ARRAY
            | gl::TEXTURE_2D_ARRAY
            | gl::TEXTURE_BUFFER
            | gl::TEXTURE_CUBE_MAP_ARRAY
            | gl::TEXTURE_2D_MULTISAMPLE
            | gl::TEXTURE_2D_MULTISAMPLE_ARRAY
    )
}

/// Whether boxes of that target have a third dimension that pixel store parameters count.
pub(super) fn has_images(target: u32) -> bool {
    matches!(
        target,
        gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY | gl::TEXTURE_CUBE_MAP_ARRAY | gl::TEXTURE_CUBE_MAP
    )
}

/// Checks a box of a texture's image. `None`: the texture is dead or declined, or the box is empty. `names` are the row's target,
/// level and box members.
#[allow(clippy::too_many_arguments)]
pub(super) fn region(
    a: &Applier,
    raw: RawHandle,
    what: &'static str,
    target: u32,
    level: u32,
    origin: [i32; 3],
    size: [u32; 3],
    names: [&'static str; 3],
) -> Result<Option<Region>> {
    if !a.tables.textures.check(raw, what)? {
        return Ok(None);
    }
    let Some(texture) = a.tables.textures.get(Handle::from_raw(raw)) else { return Ok(None) };
    let Some(face) = texture.face(target) else { return corrupt(names[0]) };
    let Some(extent) = texture.extent(target, level) else {
        // The storage of a declined texture is not described whole; any level of it is skipped.
        return if texture.declined { Ok(None) } else { corrupt(names[1]) };
    };
    let mut start = [0; 3];
    for i in 0..3 {
        let Ok(o) = u32::try_from(origin[i]) else { return corrupt(names[2]) };
        if o.checked_add(size[i]).is_none_or(|end| end > extent[i]) {
            return corrupt(names[2]);
        }
        start[i] = o;
    }
    if texture.declined || size.contains(&0) {
        return Ok(None);
    }
    Ok(Some(Region { target, face, level, origin: start, size }))
}

pub(super) fn respecify(a: &mut Applier, p: &ResourceRespecify) -> Result<()> {
    let handle = Handle::from_raw(p.handle);
    let serial = a.tables.clock.tick();
    let Some(target) = a.tables.textures.get(handle).map(|t| t.target) else { return Ok(()) };
    if p.width.max(p.height).max(p.depth) > MAX_SIDE {
        return corrupt("ResourceRespecify.width");
    }
    if p.level >= MAX_LEVELS || p.levels > MAX_LEVELS {
        return corrupt("ResourceRespecify.level");
    }
    if !p.view_of.is_null() {
        return view(a, p, handle, serial);
    }
    if target == gl::TEXTURE_BUFFER {
        let alive = a.tables.buffers.check(p.buffer, "ResourceRespecify.buffer")?;
        let buffer = if alive { Handle::from_raw(p.buffer) } else { Handle::NULL };
        let Some(texture) = a.tables.textures.get_mut(handle) else { return Ok(()) };
        texture.texel_buffer = Some(TexelBuffer {
            buffer,
            internal_format: p.internal_format,
            offset: p.buffer_offset,
            size: p.buffer_size,
        });
        texture.serial = serial;
        texture.declined = false;
        return define_texture(a, handle, Defined::TexelBuffer);
    }
    let Some(texture) = a.tables.textures.get_mut(handle) else { return Ok(()) };
    if texture.immutable_levels > 0 {
        return corrupt("ResourceRespecify.immutable");
    }
    let size = shape(target, p);
    let image = |size: [u32; 3]| Level {
        internal_format: p.internal_format,
        format: p.format,
        ty: p.ty,
        width: size[0],
        height: size[1],
        depth: size[2],
    };
    texture.samples = p.samples;
    texture.fixed_sample_locations = p.fixed_sample_locations != 0;
    texture.serial = serial;
    // Multisample textures have one level, which glTexImage*Multisample may define again.
    let is_multisample =
        matches!(target, gl::TEXTURE_2D_MULTISAMPLE | gl::TEXTURE_2D_MULTISAMPLE_ARRAY);
    let is_immutable = p.immutable != 0;
    let count = if is_immutable || is_multisample { p.levels.max(1) } else { p.levels };
    if count > 0 {
        if p.target != target {
            return corrupt("ResourceRespecify.target");
        }
        let longest = match target {
            gl::TEXTURE_3D => size[0].max(size[1]).max(size[2]),
            gl::TEXTURE_1D_ARRAY => size[0],
            _ => size[0].max(size[1]),
        };
        if size.contains(&0) || count > longest.ilog2() + 1 {
            return corrupt("ResourceRespecify.levels");
        }
        let chain: Vec<_> =
            (0..count).map(|n| Some(image(Texture::minified(target, size, n)))).collect();
        texture.faces.iter_mut().for_each(|face| *face = chain.clone());
        // glTexImage2DMultisample defines all there is at once, and may do so again.
        texture.immutable_levels = if p.immutable != 0 { count } else { 0 };
        texture.declined = false;
        return define_texture(a, handle, Defined::Immutable);
    }
    // A level of a cube map is a level of one face.
    let face = texture.face(p.target).filter(|_| p.target != gl::TEXTURE_CUBE_MAP);
    let Some(face) = face else { return corrupt("ResourceRespecify.target") };
    let Some(levels) = texture.faces.get_mut(face) else { return Ok(()) };
    let level = p.level as usize;
    if levels.len() <= level {
        levels.resize(level + 1, None);
    }
    if let Some(slot) = levels.get_mut(level) {
        *slot = Some(image(size));
    }
    texture.declined = false;
    define_texture(a, handle, Defined::Level { face, level: p.level })
}

/// The record's size with the dimensions that the target does not have set to 1.
fn shape(target: u32, p: &ResourceRespecify) -> [u32; 3] {
    match target {
        gl::TEXTURE_1D => [p.width, 1, 1],
        gl::TEXTURE_3D
        | gl::TEXTURE_2D_ARRAY
        | gl::TEXTURE_CUBE_MAP_ARRAY
        | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => [p.width, p.height, p.depth],
        _ => [p.width, p.height, 1],
    }
}

fn view(
    a: &mut Applier,
    p: &ResourceRespecify,
    handle: Handle<kind::Texture>,
    serial: u64,
) -> Result<()> {
    if !a.tables.textures.check(p.view_of, "ResourceRespecify.view_of")? {
        return Ok(());
    }
    let origin: Handle<kind::Texture> = Handle::from_raw(p.view_of);
    let (Some(source), Some(texture)) =
        (a.tables.textures.get(origin), a.tables.textures.get(handle))
    else {
        return Ok(());
    };
    let levels = if p.levels > 0 { p.levels } else { 1 };
    let within = |first: u32, count: u32, all: u32| {
        count > 0 && first.checked_add(count).is_some_and(|end| end <= all)
    };
    if texture.immutable_levels > 0
        || texture.target == gl::TEXTURE_BUFFER
        || !within(p.min_level, levels, source.immutable_levels)
    {
        return corrupt("ResourceRespecify.min_level");
    }
    let top = source.level(0, 0).copied().unwrap_or_default();
    let layers = match source.target {
        gl::TEXTURE_1D_ARRAY => top.height,
        gl::TEXTURE_2D_ARRAY | gl::TEXTURE_CUBE_MAP_ARRAY | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => {
            top.depth
        }
        gl::TEXTURE_CUBE_MAP => 6,
        _ => 1,
    };
    if !within(p.min_layer, p.num_layers, layers) {
        return corrupt("ResourceRespecify.min_layer");
    }
    let target = texture.target;
    let chain: Vec<_> = (0..levels)
        .map(|n| {
            let image = source.level(0, p.min_level + n)?;
            let (height, depth) = match target {
                gl::TEXTURE_1D => (1, 1),
                gl::TEXTURE_1D_ARRAY => (p.num_layers, 1),
                gl::TEXTURE_3D => (image.height, image.depth),
                gl::TEXTURE_2D_ARRAY
                | gl::TEXTURE_CUBE_MAP_ARRAY
                | gl::TEXTURE_2D_MULTISAMPLE_ARRAY => (image.height, p.num_layers),
                _ => (image.height, 1),
            };
            Some(Level { internal_format: p.internal_format, height, depth, ..*image })
        })
        .collect();
    let (samples, fixed) = (source.samples, source.fixed_sample_locations);
    let Some(texture) = a.tables.textures.get_mut(handle) else { return Ok(()) };
    texture.faces.iter_mut().for_each(|face| *face = chain.clone());
    texture.immutable_levels = levels;
    texture.samples = samples;
    texture.fixed_sample_locations = fixed;
    texture.view = Some(ViewOf {
        origin,
        min_level: p.min_level,
        num_levels: levels,
        min_layer: p.min_layer,
        num_layers: p.num_layers,
    });
    texture.serial = serial;
    define_texture(a, handle, Defined::View)
}

pub(super) fn set_texture_params(a: &mut Applier, p: &SetTextureParams) -> Result<()> {
    if !a.tables.textures.check(p.handle, "SetTextureParams.handle")? {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    let serial = a.tables.clock.tick();
    let Some(texture) = a.tables.textures.get_mut(handle) else { return Ok(()) };
    texture.params = TextureParams {
        sampler: p.sampler,
        base_level: p.base_level,
        max_level: p.max_level,
        swizzle: p.swizzle,
        depth_stencil_mode: p.depth_stencil_mode,
    };
    texture.params_serial = serial;
    let outcome = a.backend.texture_params(&a.tables, handle);
    a.settle(outcome)
}

pub(super) fn generate_mipmap(a: &mut Applier, p: &GenerateMipmap) -> Result<()> {
    if !a.tables.textures.check(p.handle, "GenerateMipmap.handle")? {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    let serial = a.tables.clock.tick();
    let Some(texture) = a.tables.textures.get_mut(handle) else { return Ok(()) };
    if texture.declined {
        return Ok(());
    }
    let target = texture.target;
    let (base, max) = (texture.params.base_level, texture.params.max_level);
    if texture.immutable_levels == 0 {
        let mut defined = false;
        for levels in &mut texture.faces {
            let Some(image) = levels.get(base as usize).copied().flatten() else { continue };
            let size = [image.width, image.height, image.depth];
            let longest = match target {
                gl::TEXTURE_3D => size[0].max(size[1]).max(size[2]),
                gl::TEXTURE_1D_ARRAY => size[0],
                _ => size[0].max(size[1]),
            };
            let last = base.saturating_add(longest.max(1).ilog2()).min(max).min(MAX_LEVELS - 1);
            for level in base + 1..=last {
                if levels.len() <= level as usize {
                    levels.resize(level as usize + 1, None);
                }
                let [width, height, depth] = Texture::minified(target, size, level - base);
                if let Some(slot) = levels.get_mut(level as usize) {
                    *slot = Some(Level { width, height, depth, ..image });
                }
            }
            defined = true;
        }
        if !defined {
            return Ok(());
        }
        texture.serial = serial;
    }
    let outcome = a.backend.texture_generate_mipmap(&a.tables, handle);
    a.settle(outcome)
}

/// One side of a copy between images: its extent and its compressed block. `None`: dead or declined.
fn side(
    a: &Applier,
    raw: RawHandle,
    target: u32,
    level: u32,
    names: [&'static str; 3],
) -> Result<Option<([u32; 3], Option<pixel::Block>)>> {
    if target == gl::RENDERBUFFER {
        if !a.tables.renderbuffers.check(raw, names[0])? {
            return Ok(None);
        }
        let object = a.tables.renderbuffers.get(Handle::from_raw(raw)).filter(|o| !o.declined);
        return Ok(object.map(|o| ([o.width, o.height, 1], None)));
    }
    if !a.tables.textures.check(raw, names[0])? {
        return Ok(None);
    }
    let Some(texture) = a.tables.textures.get(Handle::from_raw(raw)) else { return Ok(None) };
    if texture.declined {
        return Ok(None);
    }
    let Some(face) = texture.face(target) else { return corrupt(names[1]) };
    let Some(extent) = texture.extent(target, level) else { return corrupt(names[2]) };
    let format = texture.level(face, level).map_or(0, |image| image.internal_format);
    Ok(Some((extent, pixel::block(format))))
}

fn inside(origin: [i32; 3], size: [u32; 3], extent: [u32; 3], block: Option<pixel::Block>) -> bool {
    let block = block.map_or([1; 3], |b| [b.width, b.height, b.depth]);
    (0..3).all(|i| {
        u32::try_from(origin[i])
            .ok()
            .and_then(|o| o.checked_add(size[i]))
            .is_some_and(|end| end <= extent[i].next_multiple_of(block[i]))
    })
}

pub(super) fn resource_copy_region(a: &mut Applier, p: &ResourceCopyRegion) -> Result<()> {
    let src = side(
        a,
        p.src,
        p.src_target,
        p.src_level,
        ["ResourceCopyRegion.src", "ResourceCopyRegion.src_target", "ResourceCopyRegion.src_level"],
    )?;
    let dst = side(
        a,
        p.dst,
        p.dst_target,
        p.dst_level,
        ["ResourceCopyRegion.dst", "ResourceCopyRegion.dst_target", "ResourceCopyRegion.dst_level"],
    )?;
    let (Some((src_extent, src_block)), Some((dst_extent, dst_block))) = (src, dst) else {
        return Ok(());
    };
    if p.size.contains(&0) {
        return Ok(());
    }
    if !inside(p.src_origin, p.size, src_extent, src_block) {
        return corrupt("ResourceCopyRegion.src_origin");
    }
    // The size counts source texels; a block of a compressed image is one texel of an uncompressed one.
    let dst_size = match (src_block, dst_block) {
        (Some(b), None) => [p.size[0].div_ceil(b.width), p.size[1].div_ceil(b.height), p.size[2]],
        (None, Some(b)) => {
            [p.size[0].saturating_mul(b.width), p.size[1].saturating_mul(b.height), p.size[2]]
        }
        _ => p.size,
    };
    if !inside(p.dst_origin, dst_size, dst_extent, dst_block) {
        return corrupt("ResourceCopyRegion.dst_origin");
    }
    let outcome = a.backend.copy_image(&a.tables, p);
    a.settle(outcome)
}

pub(super) fn copy_framebuffer_to_texture(
    a: &mut Applier,
    p: &CopyFramebufferToTexture,
) -> Result<()> {
    let names = [
        "CopyFramebufferToTexture.target",
        "CopyFramebufferToTexture.level",
        "CopyFramebufferToTexture.dst_origin",
    ];
    let size = [p.width, p.height, 1];
    let Some(region) = region(
        a,
        p.handle,
        "CopyFramebufferToTexture.handle",
        p.target,
        p.level,
        p.dst_origin,
        size,
        names,
    )?
    else {
        return Ok(());
    };
    if p.x.checked_add_unsigned(p.width).is_none() || p.y.checked_add_unsigned(p.height).is_none() {
        return corrupt("CopyFramebufferToTexture.x");
    }
    let handle = Handle::from_raw(p.handle);
    super::verb!(
        a,
        "CopyFramebufferToTexture.context",
        copy_framebuffer_to_texture(handle, &region, p)
    )
}

pub(super) fn texture_sub_data_from_buffer(
    a: &mut Applier,
    p: &TextureSubDataFromBuffer,
) -> Result<()> {
    let names = [
        "TextureSubDataFromBuffer.target",
        "TextureSubDataFromBuffer.level",
        "TextureSubDataFromBuffer.size",
    ];
    let region = region(
        a,
        p.handle,
        "TextureSubDataFromBuffer.handle",
        p.target,
        p.level,
        p.origin,
        p.size,
        names,
    )?;
    let alive = a.tables.buffers.check(p.buffer, "TextureSubDataFromBuffer.buffer")?;
    let (Some(region), true) = (region, alive) else { return Ok(()) };
    let bytes = if p.ty == 0 {
        pixel::compressed_bytes(p.format, p.size).filter(|bytes| *bytes == u64::from(p.image_size))
    } else {
        pixel::stored_bytes(p.format, p.ty, p.size, &p.store, has_images(p.target))
    };
    let Some(bytes) = bytes else { return corrupt("TextureSubDataFromBuffer.format") };
    let buffer = Handle::from_raw(p.buffer);
    let Some(object) = a.tables.buffers.get(buffer) else { return Ok(()) };
    if p.offset.checked_add(bytes).is_none_or(|end| end > object.size) {
        return corrupt("TextureSubDataFromBuffer.offset");
    }
    if object.declined {
        return Ok(());
    }
    maps::sync(a, buffer)?;
    let handle = Handle::from_raw(p.handle);
    let outcome = a.backend.texture_sub_data_from_buffer(&a.tables, handle, &region, p);
    a.settle(outcome)
}

pub(super) fn clear_texture(a: &mut Applier, p: &ClearTexture) -> Result<()> {
    let names = ["ClearTexture.handle", "ClearTexture.level", "ClearTexture.size"];
    let handle = Handle::from_raw(p.handle);
    if !a.tables.textures.check(p.handle, "ClearTexture.handle")? {
        return Ok(());
    }
    let target = a.tables.textures.get(handle).map_or(0, |t| t.target);
    let Some(region) =
        region(a, p.handle, "ClearTexture.handle", target, p.level, p.origin, p.size, names)?
    else {
        return Ok(());
    };
    if p.value_len != 0 && pixel::pixel_bytes(p.format, p.ty) != Some(p.value_len) {
        return corrupt("ClearTexture.value_len");
    }
    let outcome = a.backend.texture_clear(&a.tables, handle, &region, p);
    a.settle(outcome)
}

pub(super) fn invalidate_texture(a: &mut Applier, p: &InvalidateTexture) -> Result<()> {
    let handle = Handle::from_raw(p.handle);
    if !a.tables.textures.check(p.handle, "InvalidateTexture.handle")? {
        return Ok(());
    }
    let target = a.tables.textures.get(handle).map_or(0, |t| t.target);
    if p.size[0] == u32::MAX {
        if p.level >= MAX_LEVELS {
            return corrupt("InvalidateTexture.level");
        }
    } else {
        let names =
            ["InvalidateTexture.handle", "InvalidateTexture.level", "InvalidateTexture.size"];
        let what = "InvalidateTexture.handle";
        if region(a, p.handle, what, target, p.level, p.origin, p.size, names)?.is_none() {
            return Ok(());
        }
    }
    let outcome = a.backend.texture_invalidate(&a.tables, handle, p);
    a.settle(outcome)
}
