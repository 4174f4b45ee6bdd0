//! A connection to the program's X server, through libxcb, so that EGL can present on the program's windows.
//!
//! libxcb reports errors as events and ends nobody's process, unlike Xlib. The library is loaded when the first window comes, so that
//! a host without X needs none.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CString, c_char, c_int, c_void};

type Connect = unsafe extern "C" fn(*const c_char, *mut c_int) -> *mut c_void;
type HasError = unsafe extern "C" fn(*mut c_void) -> c_int;
type Disconnect = unsafe extern "C" fn(*mut c_void);
type PollForEvent = unsafe extern "C" fn(*mut c_void) -> *mut [u8; 32];
type ChangeAttributes = unsafe extern "C" fn(*mut c_void, u32, u32, *const c_void) -> u32;
type GetGeometry = unsafe extern "C" fn(*mut c_void, u32) -> u32;
type GetGeometryReply = unsafe extern "C" fn(*mut c_void, u32, *mut *mut c_void) -> *mut [u8; 24];
type Flush = unsafe extern "C" fn(*mut c_void) -> c_int;

/// What happened to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has that width and height.
    Size(u32, u32, u32),
    /// It is gone.
    Gone(u32),
}

/// A connection to an X server.
pub struct Connection {
    /// The display's name.
    pub name: String,
    raw: *mut c_void,
    has_error: HasError,
    disconnect: Disconnect,
    poll: PollForEvent,
    change_attributes: ChangeAttributes,
    geometry: GetGeometry,
    geometry_reply: GetGeometryReply,
    flush: Flush,
}

const CW_EVENT_MASK: u32 = 1 << 11;
const STRUCTURE_NOTIFY: u32 = 1 << 17;
const DESTROY_NOTIFY: u8 = 17;
const CONFIGURE_NOTIFY: u8 = 22;

impl Connection {
    /// Connects to the display of that name.
    ///
    /// # Errors
    /// A sentence for people.
    pub fn open(name: &str) -> Result<Connection, String> {
        let text =
            CString::new(name).map_err(|_| "the display's name has a zero in it".to_string())?;
        // SAFETY: libxcb has no constructor of consequence.
        let library = unsafe { Library::open(Some("libxcb.so.1"), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|e| format!("libxcb cannot be loaded: {e}"))?;
        let library: &'static Library = Box::leak(Box::new(library));
        macro_rules! symbol {
            ($ty:ty, $name:literal) => {
                // SAFETY: libxcb's functions have these types.
                *unsafe { library.get::<$ty>(concat!($name, "\0").as_bytes()) }
                    .map_err(|_| concat!("libxcb has no ", $name).to_string())?
            };
        }
        let connect = symbol!(Connect, "xcb_connect");
        let mut connection = Connection {
            name: name.to_owned(),
            raw: std::ptr::null_mut(),
            has_error: symbol!(HasError, "xcb_connection_has_error"),
            disconnect: symbol!(Disconnect, "xcb_disconnect"),
            poll: symbol!(PollForEvent, "xcb_poll_for_event"),
            change_attributes: symbol!(ChangeAttributes, "xcb_change_window_attributes"),
            geometry: symbol!(GetGeometry, "xcb_get_geometry"),
            geometry_reply: symbol!(GetGeometryReply, "xcb_get_geometry_reply"),
            flush: symbol!(Flush, "xcb_flush"),
        };
        // SAFETY: a zero-terminated name; no screen number is wanted. The result is never null.
        connection.raw = unsafe { connect(text.as_ptr(), std::ptr::null_mut()) };
        if connection.broken() {
            return Err(format!("the X display {name} cannot be opened"));
        }
        Ok(connection)
    }

    /// xcb_connection_t.
    pub fn raw(&self) -> *mut c_void {
        self.raw
    }

    /// Whether the connection has ended.
    pub fn broken(&self) -> bool {
        // SAFETY: our connection.
        unsafe { (self.has_error)(self.raw) != 0 }
    }

    /// The size of a window or pixmap, asked of the X server; `None` when there is no such drawable.
    pub fn size(&self, drawable: u32) -> Option<(u32, u32)> {
        // SAFETY: our connection.
        let asked = unsafe { (self.geometry)(self.raw, drawable) };
        let mut error = std::ptr::null_mut();
        // SAFETY: our connection; the reply and the error are ours to free.
        let reply = unsafe { (self.geometry_reply)(self.raw, asked, &mut error) };
        // SAFETY: allocated by libxcb with malloc, or null.
        unsafe { libc::free(error) };
        if reply.is_null() {
            return None;
        }
        // SAFETY: a reply has 32 bytes, of which xcb_get_geometry_reply_t uses 24.
        let bytes = unsafe { *reply };
        // SAFETY: as above.
        unsafe { libc::free(reply.cast()) };
        let at = |i: usize| u32::from(u16::from_ne_bytes([bytes[i], bytes[i + 1]]));
        Some((at(16), at(18)))
    }

    /// Asks to be told of a window's size and end.
    pub fn watch(&self, window: u32) {
        let mask = [STRUCTURE_NOTIFY];
        // SAFETY: one value for one bit of the mask.
        unsafe {
            (self.change_attributes)(self.raw, window, CW_EVENT_MASK, mask.as_ptr().cast());
            (self.flush)(self.raw);
        }
    }

    /// What has been told since the last time. X errors are logged and forgotten.
    pub fn changes(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        loop {
            // SAFETY: our connection.
            let event = unsafe { (self.poll)(self.raw) };
            if event.is_null() {
                return changes;
            }
            // SAFETY: every event and error has at least 32 bytes.
            let bytes = unsafe { *event };
            // SAFETY: allocated by libxcb with malloc.
            unsafe { libc::free(event.cast()) };
            let u32_at =
                |i: usize| u32::from_ne_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
            let u16_at = |i: usize| u32::from(u16::from_ne_bytes([bytes[i], bytes[i + 1]]));
            match bytes[0] & 0x7F {
                0 => log::debug!("X error {} on {}", bytes[1], self.name),
                CONFIGURE_NOTIFY => changes.push(Change::Size(u32_at(8), u16_at(20), u16_at(22))),
                DESTROY_NOTIFY => changes.push(Change::Gone(u32_at(8))),
                _ => {}
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: our connection, used by nobody after this.
        unsafe { (self.disconnect)(self.raw) };
    }
}
