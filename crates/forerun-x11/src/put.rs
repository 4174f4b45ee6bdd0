//! Putting a picture on a drawable: MIT-SHM where the X server shares memory with us, PutImage otherwise.

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::ffi::c_void;
use std::os::fd::OwnedFd;
use x11rb::connection::{Connection, RequestConnection};
use x11rb::errors::ReplyError;
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, ImageFormat};
use x11rb::rust_connection::RustConnection;

/// A picture: tight BGRA8 rows, top row first.
pub struct Frame {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    base: *mut u8,
    len: usize,
    segment: Option<u32>,
    gc: Option<(u32, u32)>,
}

// SAFETY: the memory is owned by the frame and reached through it only.
unsafe impl Send for Frame {}

impl Frame {
    /// The picture's bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is ours, of this length, and lives as long as the frame.
        unsafe { std::slice::from_raw_parts_mut(self.base, self.len) }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // SAFETY: the mapping that `Means::frame` made, unmapped once.
        let _ = unsafe { munmap(self.base.cast::<c_void>(), self.len) };
    }
}

/// How pictures reach this X server.
pub struct Means {
    shared: bool,
    /// Bytes of picture that fit in one request.
    request_bytes: usize,
}

impl Means {
    /// Asks the X server what it can do.
    pub fn find(connection: &RustConnection) -> Means {
        let present = connection.extension_information(shm::X11_EXTENSION_NAME);
        let version = match present {
            Ok(Some(_)) => {
                connection.shm_query_version().ok().and_then(|cookie| cookie.reply().ok())
            }
            _ => None,
        };
        // Descriptors cross since 1.2.
        let shared = version.is_some_and(|v| (v.major_version, v.minor_version) >= (1, 2));
        Means { shared, request_bytes: connection.maximum_request_bytes().saturating_sub(64) }
    }

    /// See [`super::XServer::frame`].
    pub fn frame(
        &self,
        connection: &RustConnection,
        width: u32,
        height: u32,
    ) -> Result<Frame, String> {
        let clause = |error: rustix::io::Errno| format!("no memory for a picture: {error}");
        let len = (width as usize * height as usize * 4).max(4);
        let fd = memfd_create("forerun-frame", MemfdFlags::CLOEXEC).map_err(clause)?;
        ftruncate(&fd, len as u64).map_err(clause)?;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let base = unsafe {
            mmap(
                std::ptr::null_mut(),
                len,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                &fd,
                0,
            )
        };
        let base = base.map_err(clause)?.cast::<u8>();
        let segment = if self.shared { attach(connection, fd) } else { None };
        Ok(Frame { width, height, base, len, segment, gc: None })
    }

    /// See [`super::XServer::put_frame`].
    pub fn put(
        &self,
        connection: &RustConnection,
        drawable: u32,
        frame: &mut Frame,
        depth: u8,
    ) -> Result<(), String> {
        self.try_put(connection, drawable, frame, depth)
            .map_err(|error| format!("the X server refused a picture: {error}"))
    }

    fn try_put(
        &self,
        connection: &RustConnection,
        drawable: u32,
        frame: &mut Frame,
        depth: u8,
    ) -> Result<(), ReplyError> {
        let gc = match frame.gc {
            Some((gc, of)) if of == drawable => gc,
            _ => {
                let gc = connection
                    .generate_id()
                    .map_err(|_| x11rb::errors::ConnectionError::UnknownError)?;
                let plain = CreateGCAux::new().graphics_exposures(0);
                connection.create_gc(gc, drawable, &plain)?.check()?;
                frame.gc = Some((gc, drawable));
                gc
            }
        };
        let (width, height) = (frame.width as u16, frame.height as u16);
        let z = u8::from(ImageFormat::Z_PIXMAP);
        if let Some(segment) = frame.segment {
            // The check is a round trip: afterwards the memory is ours again.
            return connection
                .shm_put_image(
                    drawable, gc, width, height, 0, 0, width, height, 0, 0, depth, z, false,
                    segment, 0,
                )?
                .check();
        }
        let stride = frame.width as usize * 4;
        let rows = (self.request_bytes / stride.max(1)).max(1);
        let mut last = None;
        for (band, bytes) in frame.bytes().chunks(rows * stride.max(1)).enumerate() {
            let (y, count) = ((band * rows) as i16, (bytes.len() / stride.max(1)) as u16);
            last = Some(connection.put_image(
                ImageFormat::Z_PIXMAP,
                drawable,
                gc,
                width,
                count,
                0,
                y,
                0,
                depth,
                bytes,
            )?);
        }
        last.map_or(Ok(()), |cookie| cookie.check())
    }

    /// See [`super::XServer::drop_frame`].
    pub fn forget(&self, connection: &RustConnection, frame: Frame) {
        if let Some(segment) = frame.segment
            && let Ok(cookie) = connection.shm_detach(segment)
        {
            cookie.ignore_error();
        }
        if let Some((gc, _)) = frame.gc
            && let Ok(cookie) = connection.free_gc(gc)
        {
            cookie.ignore_error();
        }
        let _ = connection.flush();
    }
}

/// Shares memory with the X server; `None` when it does not want to (it may be on another machine).
fn attach(connection: &RustConnection, fd: OwnedFd) -> Option<u32> {
    let segment = connection.generate_id().ok()?;
    connection.shm_attach_fd(segment, fd, true).ok()?.check().ok()?;
    Some(segment)
}
