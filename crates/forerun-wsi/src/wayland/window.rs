//! A window: buffers, frame callbacks, commits.

use super::Compositor;
use super::native::Native;
use crate::egl::BAD_ALLOC;
use crate::error::{Error, Result};
use parking_lot::Mutex;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::ffi::c_void;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use wayland_client::backend::ObjectId;
use wayland_client::protocol::{wl_buffer, wl_callback, wl_shm, wl_shm_pool, wl_surface};
use wayland_client::{Connection, Dispatch, EventQueue, Proxy, QueueHandle};

/// Buffers of a window at most. Compositors hold one or two at a time; whoever held all of these would be waited for.
const BUFFERS: usize = 4;

/// A rectangle of a surface in EGL's way: pixels, x and y of the lower left corner, width, height.
pub type Rect = [i32; 4];

/// Memory that the compositor reads.
struct Buffer {
    id: u64,
    buffer: wl_buffer::WlBuffer,
    width: u32,
    height: u32,
    base: *mut u8,
    len: usize,
    /// Committed, and not released by the compositor yet.
    busy: bool,
}

// SAFETY: the memory is owned by the buffer and reached through it only.
unsafe impl Send for Buffer {}

impl Buffer {
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is ours, of this length, and lives as long as the buffer.
        unsafe { std::slice::from_raw_parts_mut(self.base, self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.buffer.destroy();
        // SAFETY: the mapping that `Window::make` made, unmapped once. The compositor has its own.
        let _ = unsafe { munmap(self.base.cast::<c_void>(), self.len) };
    }
}

/// What events change.
#[derive(Default)]
struct Events {
    buffers: Vec<Buffer>,
    /// The compositor has not yet said that it is time for a new frame.
    paced: bool,
}

impl Dispatch<wl_buffer::WlBuffer, u64> for Events {
    fn event(
        events: &mut Events,
        _: &wl_buffer::WlBuffer,
        event: wl_buffer::Event,
        id: &u64,
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
        if let wl_buffer::Event::Release = event
            && let Some(buffer) = events.buffers.iter_mut().find(|buffer| buffer.id == *id)
        {
            buffer.busy = false;
        }
    }
}

impl Dispatch<wl_callback::WlCallback, ()> for Events {
    fn event(
        events: &mut Events,
        _: &wl_callback::WlCallback,
        event: wl_callback::Event,
        _: &(),
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
        if let wl_callback::Event::Done { .. } = event {
            events.paced = false;
        }
    }
}

impl Dispatch<wl_shm_pool::WlShmPool, ()> for Events {
    fn event(
        _: &mut Events,
        _: &wl_shm_pool::WlShmPool,
        _: wl_shm_pool::Event,
        _: &(),
        _: &Connection,
        _: &QueueHandle<Events>,
    ) {
    }
}

struct Inner {
    queue: EventQueue<Events>,
    events: Events,
    next_id: u64,
}

/// A program's window.
pub struct Window {
    native: Arc<Native>,
    surface: wl_surface::WlSurface,
    connection: Connection,
    shm: wl_shm::WlShm,
    format: wl_shm::Format,
    inner: Mutex<Inner>,
}

impl Window {
    /// Takes a `struct wl_egl_window`, whose pictures have alpha or not.
    ///
    /// # Errors
    /// A clause; it is none, or has a surface already.
    ///
    /// # Safety
    /// `window` is null or a `struct wl_egl_window` of the compositor's display.
    pub unsafe fn claim(
        compositor: &Compositor,
        window: usize,
        alpha: bool,
    ) -> std::result::Result<Window, String> {
        let connection = compositor.connection.clone();
        // SAFETY: the caller's promise, for this and for the object in it.
        let claimed = unsafe { Native::claim(window) };
        let (native, object) = claimed.ok_or("the window is no wl_egl_window that is free")?;
        // SAFETY: as above.
        let id = unsafe { ObjectId::from_ptr(wl_surface::WlSurface::interface(), object.cast()) };
        let surface = id.and_then(|id| wl_surface::WlSurface::from_id(&connection, id));
        let Ok(surface) = surface else {
            native.give_back();
            return Err("the window's surface is no wl_surface".into());
        };
        let queue = connection.new_event_queue();
        let inner = Mutex::new(Inner { queue, events: Events::default(), next_id: 0 });
        let format = if alpha { wl_shm::Format::Argb8888 } else { wl_shm::Format::Xrgb8888 };
        Ok(Window { native, surface, connection, shm: compositor.shm.clone(), format, inner })
    }

    /// The size that the program wants, in pixels; `None` when it destroyed the window.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.native.size()
    }

    /// Waits until a frame may be shown: with `pace` until the compositor wants one, and always until there is memory for it. To be called
    /// with no lock: a compositor that shows nothing of the window may take any time.
    ///
    /// # Errors
    /// A clause; the connection broke, or there is no memory.
    pub fn ready(&self, width: u32, height: u32, pace: bool) -> std::result::Result<(), String> {
        let mut inner = self.inner.lock();
        let Inner { queue, events, next_id } = &mut *inner;
        let broke =
            |error: wayland_client::DispatchError| format!("the Wayland connection broke: {error}");
        queue.dispatch_pending(events).map_err(broke)?;
        loop {
            // What has another size is of no use, except that the compositor still shows it.
            events.buffers.retain(|b| b.busy || (b.width, b.height) == (width, height));
            let free = events.buffers.iter().any(|buffer| !buffer.busy);
            if !(pace && events.paced) && (free || events.buffers.len() < BUFFERS) {
                if !free {
                    *next_id += 1;
                    let made = self.make(*next_id, width, height, &queue.handle())?;
                    events.buffers.push(made);
                }
                return Ok(());
            }
            queue.blocking_dispatch(events).map_err(broke)?;
        }
    }

    fn make(
        &self,
        id: u64,
        width: u32,
        height: u32,
        handle: &QueueHandle<Events>,
    ) -> std::result::Result<Buffer, String> {
        let clause = |error: rustix::io::Errno| format!("no memory for a picture: {error}");
        let Some((w, h, stride, size)) = extent(width, height) else {
            return Err(format!("a window of {width}×{height} is too large"));
        };
        let len = size as usize;
        let fd: OwnedFd = memfd_create("forerun-frame", MemfdFlags::CLOEXEC).map_err(clause)?;
        ftruncate(&fd, len as u64).map_err(clause)?;
        let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base = unsafe { mmap(std::ptr::null_mut(), len, access, flags, &fd, 0) };
        let base = base.map_err(clause)?.cast::<u8>();
        let pool = self.shm.create_pool(fd.as_fd(), size, handle, ());
        let buffer = pool.create_buffer(0, w, h, stride, self.format, handle, id);
        pool.destroy();
        Ok(Buffer { id, buffer, width, height, base, len, busy: false })
    }

    /// Fills a free buffer of that size by `fill` and commits it; `fill` says whether there is a picture. Rectangles say what changed,
    /// none that all did. With `pace` the compositor is asked to say when the next frame is wanted.
    ///
    /// # Errors
    /// What `fill` says, EGL_BAD_ALLOC.
    pub fn show(
        &self,
        (width, height): (u32, u32),
        pace: bool,
        damage: &[Rect],
        fill: impl FnOnce(&mut [u8]) -> Result<bool>,
    ) -> Result<()> {
        let mut inner = self.inner.lock();
        let Inner { queue, events, next_id } = &mut *inner;
        let fits = |b: &Buffer| !b.busy && (b.width, b.height) == (width, height);
        if !events.buffers.iter().any(fits) {
            // The size changed since there was one.
            *next_id += 1;
            let made = self.make(*next_id, width, height, &queue.handle());
            events.buffers.push(made.map_err(|why| Error::new(BAD_ALLOC, why))?);
        }
        let Some(buffer) = events.buffers.iter_mut().find(|b| fits(b)) else { return Ok(()) };
        if !fill(buffer.bytes())? || self.native.size().is_none() {
            return Ok(());
        }
        let (dx, dy) = self.native.attach(width, height);
        let version = self.surface.version();
        if version >= 5 && (dx, dy) != (0, 0) {
            self.surface.offset(dx, dy);
            self.surface.attach(Some(&buffer.buffer), 0, 0);
        } else {
            self.surface.attach(Some(&buffer.buffer), dx, dy);
        }
        buffer.busy = true;
        if pace {
            // The object lives until its event came, and then goes by itself.
            self.surface.frame(&queue.handle(), ());
            events.paced = true;
        }
        if damage.is_empty() || version < 4 {
            // In the surface's coordinates or the buffer's: all of it.
            self.surface.damage(0, 0, i32::MAX, i32::MAX);
        } else {
            for &[x, y, w, h] in damage {
                // Wayland counts from the upper edge.
                let top = (height as i32).saturating_sub(y.saturating_add(h));
                self.surface.damage_buffer(x, top, w, h);
            }
        }
        self.surface.commit();
        // A connection that broke is found by the next wait.
        let _ = self.connection.flush();
        Ok(())
    }
}

/// Width, height, bytes of a row and of a whole picture, as wl_shm takes them; `None` when these are no numbers of it.
fn extent(width: u32, height: u32) -> Option<(i32, i32, i32, i32)> {
    let (width, height) = (i32::try_from(width).ok()?, i32::try_from(height).ok()?);
    let stride = width.checked_mul(4)?;
    Some((width, height, stride, stride.checked_mul(height)?))
}

impl Drop for Window {
    fn drop(&mut self) {
        self.native.give_back();
        // Buffers are destroyed with the events' state; the compositor is to hear of it.
        self.inner.get_mut().events.buffers.clear();
        let _ = self.connection.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_beyond_all_bounds_are_refused() {
        assert_eq!(extent(30, 20), Some((30, 20, 120, 2400)));
        // Four times each is 0 in 32 bits.
        assert_eq!((extent(1 << 30, 1), extent(1 << 30, 1 << 30)), (None, None));
        assert_eq!((extent(1 << 31, 1), extent(1 << 15, 1 << 15)), (None, None));
    }
}
