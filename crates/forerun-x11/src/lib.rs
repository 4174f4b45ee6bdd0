//! A connection of our own to the program's X server: visuals, geometry of drawables, and pictures put there. The client has one
//! for every display, and a server has one where it puts pictures on windows by itself.

mod put;

pub use put::Frame;

use parking_lot::Mutex;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::errors::{ConnectError, ConnectionError, ReplyError};
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt, EventMask, VisualClass};
use x11rb::rust_connection::RustConnection;

/// An X visual with 8 bits per colour channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visual {
    /// XID of the visual.
    pub id: u32,
    /// Bits of the window: 24, or 32 with alpha.
    pub depth: u8,
    /// X visual class (4 is TrueColor).
    pub class: u8,
}

/// What is known of a drawable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Bits per pixel that are used.
    pub depth: u8,
}

/// An X server as this process sees it. Its errors are values; none ends the program.
pub struct XServer {
    connection: RustConnection,
    /// The display's name, for the other half.
    pub name: String,
    /// TrueColor visuals with 8 bits per channel: one for each depth, the root window's first.
    pub visuals: Vec<Visual>,
    /// All of them, the root window's first, then in the X server's order.
    pub all_visuals: Vec<Visual>,
    sizes: Mutex<HashMap<u32, (u32, u32)>>,
    put: put::Means,
}

/// Connects. An X server that begins anew because its last client went away refuses the next one for a moment.
fn dial(name: &str) -> Result<(RustConnection, usize), ConnectError> {
    const TRIES: u32 = 10;
    let mut tried = 0;
    loop {
        match x11rb::connect(Some(name)) {
            Err(ConnectError::IoError(error))
                if error.kind() == ErrorKind::ConnectionReset && tried < TRIES =>
            {
                tried += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            done => return done,
        }
    }
}

impl XServer {
    /// Connects. Without a name the environment's `DISPLAY` is meant; without a screen the name's.
    ///
    /// # Errors
    /// A clause that names the display and what went wrong.
    pub fn connect(name: Option<&str>, screen: Option<usize>) -> Result<XServer, String> {
        let named = match name {
            Some(name) => name.to_owned(),
            None => std::env::var("DISPLAY").map_err(|_| "DISPLAY is not set".to_owned())?,
        };
        let (connection, preferred) = dial(&named)
            .map_err(|error| format!("the X display {named} does not answer: {error}"))?;
        let number = screen.unwrap_or(preferred);
        let Some(root) = connection.setup().roots.get(number) else {
            return Err(format!("the X display {named} has no screen {number}"));
        };
        let mut all_visuals = Vec::new();
        for depth in &root.allowed_depths {
            for visual in &depth.visuals {
                let fits = visual.class == VisualClass::TRUE_COLOR
                    && matches!(depth.depth, 24 | 32)
                    && (visual.red_mask, visual.green_mask, visual.blue_mask)
                        == (0xff_0000, 0xff00, 0xff);
                if fits {
                    let class = u8::from(visual.class);
                    all_visuals.push(Visual { id: visual.visual_id, depth: depth.depth, class });
                }
            }
        }
        // The root's comes first, since its windows need no colormap.
        all_visuals.sort_by_key(|v| (v.id != root.root_visual, v.depth));
        let mut visuals: Vec<Visual> = Vec::new();
        for visual in &all_visuals {
            if visuals.iter().all(|v| v.depth != visual.depth) {
                visuals.push(*visual);
            }
        }
        let put = put::Means::find(&connection);
        let sizes = Mutex::default();
        Ok(XServer { connection, name: named, visuals, all_visuals, sizes, put })
    }

    /// An XID that nothing else has.
    ///
    /// # Errors
    /// A clause; the connection broke, or has no ids left.
    pub fn new_id(&self) -> Result<u32, String> {
        self.connection.generate_id().map_err(|error| format!("no id of {}: {error}", self.name))
    }

    /// Size and depth of a window or pixmap.
    ///
    /// # Errors
    /// A clause; the drawable does not exist, or the connection broke.
    pub fn geometry(&self, drawable: u32) -> Result<Geometry, String> {
        let reply = self.connection.get_geometry(drawable).map_err(ReplyError::from);
        match reply.and_then(|cookie| cookie.reply()) {
            Ok(g) => {
                Ok(Geometry { width: g.width.into(), height: g.height.into(), depth: g.depth })
            }
            Err(error) => Err(format!("{drawable:#x} is no drawable of {}: {error}", self.name)),
        }
    }

    /// Begins to follow the size of a window, and answers what it is now.
    ///
    /// # Errors
    /// As [`XServer::geometry`], and when it is not a window.
    pub fn watch(&self, window: u32) -> Result<Geometry, String> {
        let mask = ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        let asked = self.connection.change_window_attributes(window, &mask);
        if let Err(error) = asked.map_err(ReplyError::from).and_then(|cookie| cookie.check()) {
            return Err(format!("{window:#x} is no window of {}: {error}", self.name));
        }
        let geometry = self.geometry(window)?;
        self.sizes.lock().insert(window, (geometry.width, geometry.height));
        Ok(geometry)
    }

    /// Stops following a window.
    pub fn forget(&self, window: u32) {
        self.sizes.lock().remove(&window);
        let mask = ChangeWindowAttributesAux::new().event_mask(EventMask::NO_EVENT);
        // The window may be gone already; the error is nobody's business.
        if let Ok(cookie) = self.connection.change_window_attributes(window, &mask) {
            cookie.ignore_error();
        }
        let _ = self.connection.flush();
    }

    /// The size of a followed window as far as events have told it; asks nothing. `None` when the window is gone.
    pub fn size(&self, window: u32) -> Option<(u32, u32)> {
        let mut sizes = self.sizes.lock();
        while let Ok(Some(event)) = self.poll() {
            match event {
                Event::ConfigureNotify(event) => {
                    if let Some(size) = sizes.get_mut(&event.window) {
                        *size = (event.width.into(), event.height.into());
                    }
                }
                Event::DestroyNotify(event) => {
                    sizes.remove(&event.window);
                }
                _ => {}
            }
        }
        sizes.get(&window).copied()
    }

    /// Asks for the size of a followed window, so that events on their way do not matter.
    pub fn measure(&self, window: u32) -> Option<(u32, u32)> {
        let geometry = self.geometry(window).ok()?;
        let size = (geometry.width, geometry.height);
        self.size(window)?;
        self.sizes.lock().insert(window, size);
        Some(size)
    }

    fn poll(&self) -> Result<Option<Event>, ConnectionError> {
        self.connection.poll_for_event()
    }

    /// Puts a picture on a drawable of that depth. The frame's memory is free again when this returns.
    ///
    /// # Errors
    /// A clause; the drawable is gone, or has another depth.
    pub fn put_frame(&self, drawable: u32, frame: &mut Frame, depth: u8) -> Result<(), String> {
        self.put.put(&self.connection, drawable, frame, depth)
    }

    /// Memory for a picture of that size, shared with the X server where it can be.
    ///
    /// # Errors
    /// A clause; there is no memory.
    pub fn frame(&self, width: u32, height: u32) -> Result<Frame, String> {
        self.put.frame(&self.connection, width, height)
    }

    /// Gives a frame's memory back to both sides.
    pub fn drop_frame(&self, frame: Frame) {
        self.put.forget(&self.connection, frame);
    }
}
