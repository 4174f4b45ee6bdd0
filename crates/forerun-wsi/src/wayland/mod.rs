//! Windows of a Wayland compositor. The picture is read back and lies in memory that the compositor shares (wl_shm); a frame callback
//! paces. All of it goes through the program's own connection, on event queues of our own, so that nobody's events are taken.

mod native;
mod window;

pub use window::{Rect, Window};

use crate::foreign::loaded;
use wayland_client::backend::Backend;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::{wl_registry, wl_shm};
use wayland_client::{Connection, Dispatch, QueueHandle};

/// A compositor as this process sees it.
pub struct Compositor {
    connection: Connection,
    shm: wl_shm::WlShm,
}

/// What is done with events of the registry and of wl_shm: nothing. The two formats that are used are ones that every compositor has.
struct Globals;

impl Dispatch<wl_registry::WlRegistry, GlobalListContents> for Globals {
    fn event(
        _: &mut Globals,
        _: &wl_registry::WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Globals>,
    ) {
    }
}

impl Dispatch<wl_shm::WlShm, ()> for Globals {
    fn event(
        _: &mut Globals,
        _: &wl_shm::WlShm,
        _: wl_shm::Event,
        _: &(),
        _: &Connection,
        _: &QueueHandle<Globals>,
    ) {
    }
}

impl Compositor {
    /// Takes the program's `wl_display`, or connects to that of `WAYLAND_DISPLAY`. Waits for the compositor once.
    ///
    /// # Errors
    /// A clause; there is no compositor, or none that shares memory.
    ///
    /// # Safety
    /// `display` is 0 or a `wl_display` that stays connected for as long as this and the windows on it are there.
    pub unsafe fn connect(display: usize) -> Result<Compositor, String> {
        let connection = if display == 0 {
            Connection::connect_to_env()
                .map_err(|error| format!("no Wayland compositor answers: {error}"))?
        } else {
            // The library is the one that made the display.
            if loaded(c"libwayland-client.so.0", c"wl_display_create_queue").is_none() {
                return Err("the program's Wayland library is not libwayland-client".into());
            }
            // SAFETY: the caller's promise.
            Connection::from_backend(unsafe { Backend::from_foreign_display(display as *mut _) })
        };
        let (globals, queue) = registry_queue_init::<Globals>(&connection)
            .map_err(|error| format!("the Wayland compositor names no globals: {error}"))?;
        let shm = globals
            .bind::<wl_shm::WlShm, _, _>(&queue.handle(), 1..=1, ())
            .map_err(|error| format!("the Wayland compositor shares no memory: {error}"));
        globals.destroy();
        Ok(Compositor { connection, shm: shm? })
    }
}
