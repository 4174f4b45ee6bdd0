//! Contexts, drawables and presentation.

use super::{Applier, corrupt};
use crate::backend::{Failure, Presented};
use crate::objects::Surface;
use crate::state::{ContextState, Env, Surfaces};
use forerun_link::Status;
use forerun_pipe::codec::BlobRef;
use forerun_pipe::event::{Event, SurfaceChangedEvent};
use forerun_pipe::fault::{Fault, Result};
use forerun_pipe::handle::kind;
use forerun_pipe::records::*;
use forerun_pipe::{Handle, RawHandle};
use std::time::{Duration, Instant};
use zerocopy::IntoBytes;

/// Pixels of a drawable's side at most.
const MAX_SIZE: u32 = 1 << 15;
/// How long a screen shows a frame whose rate nobody tells: 60 a second.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// Presents of a surface whose credit is not back at most: what FORERUN_PRESENT_CREDIT can say.
const MAX_CREDIT: usize = 8;
/// Bytes of a display's name at most.
const MAX_DISPLAY: u32 = 256;

pub(super) fn create_context(a: &mut Applier, p: &CreateContext) -> Result<()> {
    if !(api::ES..=api::COMPATIBILITY).contains(&p.api) {
        return corrupt("CreateContext.api");
    }
    let handle = a.contexts.create(p.handle, ContextState::new(*p), "CreateContext.handle")?;
    let env = Env::of(&a.tables, &a.contexts, handle, "CreateContext.handle")?;
    let outcome = a.backend.context_created(&env);
    if outcome.is_err() {
        a.contexts.destroy(handle);
    }
    answer_creation(a, outcome.map(|()| Vec::new()))
}

/// Answers a creation. A refusal's text is the answer's, not an event: no program made an error.
fn answer_creation(a: &mut Applier, outcome: core::result::Result<Vec<u8>, Failure>) -> Result<()> {
    match outcome {
        Ok(bytes) => a.answer(Status::Ok, &bytes),
        Err(Failure::Fault(fault)) => Err(fault),
        Err(Failure::Declined { .. }) => a.answer(Status::Declined, &[]),
        Err(Failure::Gl { text, .. }) => {
            log::warn!("{text}");
            a.answer(Status::Error, text.as_bytes())
        }
    }
}

pub(super) fn create_surface(a: &mut Applier, p: &CreateSurface, display: &[u8]) -> Result<()> {
    if !(surface_kind::PBUFFER..=surface_kind::CLIENT_WINDOW).contains(&p.surface_kind) {
        return corrupt("CreateSurface.surface_kind");
    }
    if p.present_mode > present_mode::OFFSCREEN {
        return corrupt("CreateSurface.present_mode");
    }
    if p.width > MAX_SIZE || p.height > MAX_SIZE {
        return corrupt("CreateSurface.width");
    }
    if p.display_len > MAX_DISPLAY || display.contains(&0) {
        return corrupt("CreateSurface.display_len");
    }
    let Ok(display) = core::str::from_utf8(display) else {
        return corrupt("CreateSurface.display");
    };
    let surface = Surface {
        surface_kind: p.surface_kind,
        native: p.native,
        visual: p.visual,
        display: display.to_owned(),
        color_format: p.color_format,
        depth_stencil_format: p.depth_stencil_format,
        samples: p.samples,
        present_mode: p.present_mode,
        width: p.width,
        height: p.height,
        swap_interval: 1,
        presented: 0,
        taken: None,
        serial: a.tables.clock.tick(),
    };
    let handle = a.tables.surfaces.create(p.handle, surface, "CreateSurface.handle")?;
    let outcome = a.backend.surface_created(&a.tables, handle);
    match outcome {
        Ok(info) => {
            if let Some(surface) = a.tables.surfaces.get_mut(handle) {
                surface.width = info.width;
                surface.height = info.height;
                surface.present_mode = info.present_mode;
            }
            a.peer.surface_size(p.handle, info.width, info.height);
            let reply = SurfaceReply {
                width: info.width,
                height: info.height,
                present_mode: info.present_mode,
                pad: 0,
            };
            answer_creation(a, Ok(reply.as_bytes().to_vec()))
        }
        Err(failure) => {
            a.tables.surfaces.destroy(handle);
            answer_creation(a, Err(failure))
        }
    }
}

pub(super) fn resize_surface(a: &mut Applier, p: &ResizeSurface) -> Result<()> {
    if p.width > MAX_SIZE || p.height > MAX_SIZE {
        return corrupt("ResizeSurface.width");
    }
    if !a.tables.surfaces.check(p.handle, "ResizeSurface.handle")? {
        return Ok(());
    }
    let handle = Handle::from_raw(p.handle);
    let serial = a.tables.clock.tick();
    let Some(surface) = a.tables.surfaces.get_mut(handle) else { return Ok(()) };
    if (surface.width, surface.height) == (p.width, p.height) {
        return Ok(());
    }
    (surface.width, surface.height, surface.serial) = (p.width, p.height, serial);
    let outcome = a.backend.surface_resized(&a.tables, handle);
    a.peer.surface_size(p.handle, p.width, p.height);
    a.settle(outcome)
}

pub(super) fn bind_context(a: &mut Applier, p: &BindContext) -> Result<()> {
    if p.context.is_null() {
        a.current = Handle::NULL;
        let outcome = a.backend.context_bound(None);
        return a.settle(outcome);
    }
    if !a.contexts.check(p.context, "BindContext.context")? {
        return corrupt("BindContext.context");
    }
    let draw = a.tables.surfaces.check(p.draw, "BindContext.draw")?;
    let read = a.tables.surfaces.check(p.read, "BindContext.read")?;
    let surfaces = Surfaces {
        draw: if draw { Handle::from_raw(p.draw) } else { Handle::NULL },
        read: if read { Handle::from_raw(p.read) } else { Handle::NULL },
    };
    a.current = Handle::from_raw(p.context);
    let serial = a.tables.clock.tick();
    let state = a.state("BindContext.context")?;
    if state.surfaces.value != surfaces {
        state.surfaces.value = surfaces;
        state.surfaces.serial = serial;
    }
    let env = Env::of(&a.tables, &a.contexts, a.current, "BindContext.context")?;
    let outcome = a.backend.context_bound(Some(&env));
    a.settle(outcome)
}

pub(super) fn present(a: &mut Applier, p: &Present) -> Result<()> {
    if p.serial == 0 {
        return corrupt("Present.serial");
    }
    if !a.tables.surfaces.check(p.surface, "Present.surface")? {
        // A dead surface's credit goes back all the same.
        a.peer.presented(p.surface, p.serial);
        return Ok(());
    }
    let handle = Handle::from_raw(p.surface);
    let Some(surface) = a.tables.surfaces.get_mut(handle) else { return Ok(()) };
    if p.serial != surface.presented.wrapping_add(1) {
        return corrupt("Present.serial");
    }
    surface.presented = p.serial;
    a.counts.frames += 1;
    match a.backend.present(&a.tables, handle, p.serial) {
        Ok(Presented::Pending) => a.pending_presents += 1,
        Ok(Presented::Done) => shown(a, handle, p.serial),
        Ok(Presented::Early) => match due(a, handle) {
            Some(_) if a.paced.iter().filter(|(_, of, _)| *of == handle).count() >= MAX_CREDIT => {
                return corrupt("Present.serial");
            }
            Some(time) => a.paced.push((time, handle, p.serial)),
            None => shown(a, handle, p.serial),
        },
        Err(Failure::Fault(fault)) => return Err(fault),
        Err(failure) => {
            a.settle(Err(failure))?;
            shown(a, handle, p.serial);
        }
    }
    a.poll().map(|_| ())
}

/// When the screen takes the frame that was just presented, unless that is now: each of a surface's frames stays for as many of the
/// screen's as its swap interval says (EGL 1.5, section 3.10.3). Pacing is by credit alone: nothing waits here.
fn due(a: &mut Applier, handle: Handle<kind::Surface>) -> Option<Instant> {
    let surface = a.tables.surfaces.get_mut(handle)?;
    let is_window = surface.surface_kind == surface_kind::X11_WINDOW;
    let interval = u32::try_from(surface.swap_interval).unwrap_or(0);
    if !is_window || surface.present_mode == present_mode::OFFSCREEN || interval == 0 {
        surface.taken = None;
        return None;
    }
    let now = Instant::now();
    let next = surface.taken.map_or(now, |taken| now.max(taken + FRAME * interval.min(60)));
    surface.taken = Some(next);
    (next > now).then_some(next)
}

/// Returns a credit, and tells the size that the drawable has by now.
fn shown(a: &mut Applier, handle: Handle<kind::Surface>, serial: u64) {
    if let Some((width, height)) = a.backend.surface_size(handle) {
        let clock = a.tables.clock.tick();
        if let Some(surface) = a.tables.surfaces.get_mut(handle)
            && (surface.width, surface.height) != (width, height)
        {
            (surface.width, surface.height, surface.serial) = (width, height, clock);
            a.peer.surface_size(handle.raw(), width, height);
            let head = SurfaceChangedEvent { surface: handle.raw(), width, height };
            a.peer.post(Event::SurfaceChanged(head));
        }
    }
    a.peer.presented(handle.raw(), serial);
}

/// Tells the client which presents are done. Returns whether any was.
pub(super) fn poll(a: &mut Applier) -> bool {
    let paced = return_paced(a);
    if a.pending_presents == 0 {
        return paced;
    }
    let mut done = Vec::new();
    a.backend.presented(&mut done);
    for (handle, serial) in &done {
        a.pending_presents = a.pending_presents.saturating_sub(1);
        shown(a, *handle, *serial);
    }
    paced || !done.is_empty()
}

/// Returns the credits whose time has come. Returns whether any was.
pub(super) fn return_paced(a: &mut Applier) -> bool {
    if a.paced.is_empty() {
        return false;
    }
    let now = Instant::now();
    let mut due = Vec::new();
    a.paced.retain(|(time, handle, serial)| {
        let is_due = *time <= now;
        if is_due {
            due.push((*handle, *serial));
        }
        !is_due
    });
    for (handle, serial) in &due {
        shown(a, *handle, *serial);
    }
    !due.is_empty()
}

pub(super) fn set_swap_interval(a: &mut Applier, p: &SetSwapInterval) -> Result<()> {
    if a.tables.surfaces.check(p.surface, "SetSwapInterval.surface")?
        && let Some(surface) = a.tables.surfaces.get_mut(Handle::from_raw(p.surface))
    {
        surface.swap_interval = p.interval;
    }
    Ok(())
}

pub(super) fn read_surface(a: &mut Applier, p: &ReadSurface) -> Result<()> {
    read(a, p.surface, &p.dst, false, ["ReadSurface.surface", "ReadSurface.dst"])
}

pub(super) fn read_front(a: &mut Applier, p: &ReadFront) -> Result<()> {
    read(a, p.surface, &p.dst, true, ["ReadFront.surface", "ReadFront.dst"])
}

/// Answers with a drawable's picture. `names` are those of the record's members, for what is corrupt.
fn read(
    a: &mut Applier,
    raw: RawHandle,
    dst: &BlobRef,
    front: bool,
    names: [&'static str; 2],
) -> Result<()> {
    if !a.tables.surfaces.check(raw, names[0])? {
        return a.answer(Status::Declined, &[]);
    }
    let handle = Handle::from_raw(raw);
    let Some(surface) = a.tables.surfaces.get(handle) else {
        return Err(Fault::ProtocolCorruption { what: names[0] });
    };
    let size = u64::from(surface.width) * u64::from(surface.height) * 4;
    if dst.size != size {
        // The drawable changed its size while the record was on its way.
        return a.answer(Status::Declined, &[]);
    }
    let mut bytes = a.destination(dst, Some(size), names[1])?;
    let outcome = a.backend.surface_read(&a.tables, handle, front, &mut bytes.dest());
    a.answer_outcome(outcome)
}

pub(super) fn present_front(a: &mut Applier, p: &PresentFront) -> Result<()> {
    if !a.tables.surfaces.check(p.surface, "PresentFront.surface")? {
        return Ok(());
    }
    let outcome = a.backend.present_front(&a.tables, Handle::from_raw(p.surface), p.both != 0);
    a.settle(outcome)
}

pub(super) fn context_death(a: &mut Applier, raw: RawHandle) -> Result<()> {
    let handle = Handle::from_raw(raw);
    if a.contexts.get(handle).is_none() {
        return Ok(());
    }
    if a.current == handle {
        a.current = Handle::NULL;
        let outcome = a.backend.context_bound(None);
        a.settle(outcome)?;
    }
    a.contexts.destroy(handle);
    a.backend.context_destroyed(handle);
    Ok(())
}

pub(super) fn surface_death(a: &mut Applier, raw: RawHandle) -> Result<()> {
    let handle = Handle::from_raw(raw);
    if a.tables.surfaces.destroy(handle).is_some() {
        a.backend.surface_destroyed(handle);
    }
    Ok(())
}
