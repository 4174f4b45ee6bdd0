//! The host's driver: vendor library, display, context and functions.

pub mod egl;
pub mod gl;
pub mod vendor;
pub mod xcb;

use egl::{Display, Object, token};
use forerun_pipe::Fault;
use gl::Gl;
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which of the host's APIs is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Desktop OpenGL, core profile 4.3 or later.
    Gl,
    /// OpenGL ES 3.2.
    Gles,
}

impl Dialect {
    /// The backend's name in knobs and caps.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Gl => "gl",
            Dialect::Gles => "gles",
        }
    }

    fn api(self) -> u32 {
        match self {
            Dialect::Gl => token::OPENGL_API,
            Dialect::Gles => token::OPENGL_ES_API,
        }
    }

    /// Versions worth asking for, best first.
    fn versions(self) -> &'static [(i32, i32)] {
        match self {
            Dialect::Gl => &[(4, 6), (4, 5), (4, 4), (4, 3)],
            Dialect::Gles => &[(3, 2)],
        }
    }
}

/// One context of the host's driver, current on the thread that opened it.
pub struct Host {
    /// The API spoken.
    pub dialect: Dialect,
    /// The display.
    pub display: Display,
    context: Object,
    /// The surface that the context is current with; null for none.
    current: Object,
    /// A stand-in surface on hosts without EGL_KHR_surfaceless_context.
    idle: Object,
    /// Whether the context has robust access and tells resets.
    pub robust: bool,
    /// The functions.
    pub gl: Gl,
    /// Tells hosts apart.
    number: u64,
}

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The number of the host whose context is current on this thread, or 0.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

impl Host {
    /// Opens the host's driver without a window system: the vendor library `vendor`, or the first that works of those that
    /// glvnd's folders name. Of several dialects the first that a vendor has is taken.
    ///
    /// # Errors
    /// [`Fault::NoHostDriver`] with what each attempt said.
    pub fn open(vendor: Option<&Path>, dialects: &[Dialect]) -> Result<Host, Fault> {
        let paths = match vendor {
            Some(path) => vec![path.to_owned()],
            None => vendor::candidates(),
        };
        let mut reasons = Vec::new();
        for path in &paths {
            let opened = vendor::load(path)
                .and_then(|vendor| Host::on_display(Display::open_offscreen(vendor)?, dialects));
            match opened {
                Ok(host) => return Ok(host),
                Err(reason) => reasons.push(reason),
            }
        }
        if paths.is_empty() {
            reasons.push("no EGL vendor library is described in glvnd's folders".into());
        }
        Err(Fault::NoHostDriver { why: reasons.join("; ") })
    }

    /// Makes a context on a display and makes it current on this thread.
    ///
    /// # Errors
    /// A sentence with what each attempt said.
    pub fn on_display(display: Display, dialects: &[Dialect]) -> Result<Host, String> {
        let mut reasons = Vec::new();
        for dialect in dialects {
            for (major, minor) in dialect.versions() {
                match display.create_context(dialect.api(), *major, *minor) {
                    Ok((context, robust)) => {
                        return Host::with_context(display, *dialect, context, robust);
                    }
                    Err(reason) => {
                        reasons.push(format!("{} {major}.{minor}: {reason}", dialect.name()))
                    }
                }
            }
        }
        Err(format!(
            "{} on {}: {}",
            display.vendor.path.display(),
            display.what,
            reasons.join("; ")
        ))
    }

    fn with_context(
        display: Display,
        dialect: Dialect,
        context: Object,
        robust: bool,
    ) -> Result<Host, String> {
        let mut idle = std::ptr::null_mut();
        if !display.has("EGL_KHR_surfaceless_context") {
            idle = idle_surface(&display, dialect);
        }
        // SAFETY: context, surface and display belong together.
        if unsafe { (display.egl.make_current)(display.raw, idle, idle, context) } == 0 {
            // SAFETY: takes no argument.
            let error = unsafe { (display.egl.get_error)() };
            return Err(format!("{}: eglMakeCurrent says 0x{error:04X}", display.what));
        }
        let gl = Gl::load(&|name| display.vendor.lookup(name), dialect)
            .map_err(|name| format!("{} has no {name}", display.vendor.path.display()))?;
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        CURRENT.set(number);
        Ok(Host { dialect, display, context, current: idle, idle, robust, gl, number })
    }

    /// Makes the context current on this thread, if another host's is or none: in a monolith, hosts share the program's thread.
    pub fn enter(&mut self) {
        if CURRENT.get() != self.number {
            self.rebind();
            CURRENT.set(self.number);
        }
    }

    /// Lets the context go, so that another thread can have it.
    pub fn leave(&mut self) {
        if CURRENT.get() == self.number {
            self.unbind();
        }
    }

    fn unbind(&mut self) {
        let null = std::ptr::null_mut();
        CURRENT.set(0);
        // SAFETY: releasing is always allowed.
        unsafe {
            (self.display.egl.bind_api)(self.dialect.api());
            (self.display.egl.make_current)(self.display.raw, null, null, null);
        }
    }

    /// Makes the context current with a window's surface; null for none.
    pub fn make_current(&mut self, surface: Object) -> bool {
        let surface = if surface.is_null() { self.idle } else { surface };
        if self.current == surface {
            return true;
        }
        // SAFETY: objects of this display.
        let ok = unsafe {
            (self.display.egl.bind_api)(self.dialect.api());
            (self.display.egl.make_current)(self.display.raw, surface, surface, self.context)
        } != 0;
        if ok {
            self.current = surface;
        }
        ok
    }

    /// Makes the context current again after another one of this thread was let go.
    pub fn rebind(&mut self) {
        // SAFETY: objects of this display.
        unsafe {
            (self.display.egl.bind_api)(self.dialect.api());
            (self.display.egl.make_current)(
                self.display.raw,
                self.current,
                self.current,
                self.context,
            );
        }
    }

    /// Whether the driver has reported a reset since the last time.
    pub fn lost(&self) -> bool {
        self.robust && self.gl.get_graphics_reset_status() != 0
    }

    /// One line for people: what was opened.
    pub fn describe(&self) -> String {
        format!(
            "{} on {} ({}), {}",
            self.gl.string(forerun_pipe::gl::VERSION),
            self.gl.string(forerun_pipe::gl::RENDERER),
            self.display.what,
            self.display.vendor.path.display()
        )
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if CURRENT.get() == self.number {
            // A client may have died inside a frame. Drivers that draw on threads of their own free a context's memory under them.
            self.gl.finish();
        }
        self.leave();
        let egl = &self.display.egl;
        // SAFETY: the objects are ours, and nothing uses them after this.
        unsafe {
            (egl.destroy_context)(self.display.raw, self.context);
            if !self.idle.is_null() {
                (egl.destroy_surface)(self.display.raw, self.idle);
            }
        }
    }
}

fn idle_surface(display: &Display, dialect: Dialect) -> Object {
    let bit = if dialect == Dialect::Gl { token::OPENGL_BIT } else { token::OPENGL_ES3_BIT };
    let attribs = [
        token::SURFACE_TYPE,
        token::PBUFFER_BIT,
        token::RENDERABLE_TYPE,
        bit,
        token::RED_SIZE,
        8,
        token::NONE,
    ];
    let (mut config, mut count) = (std::ptr::null_mut(), 0);
    let size = [token::WIDTH, 1, token::HEIGHT, 1, token::NONE];
    // SAFETY: attributes end with EGL_NONE; one config is asked for.
    unsafe {
        (display.egl.choose_config)(display.raw, attribs.as_ptr(), &mut config, 1, &mut count);
        if count < 1 {
            return std::ptr::null_mut();
        }
        (display.egl.create_pbuffer_surface)(display.raw, config, size.as_ptr())
    }
}

/// What the host has of each dialect: a line that says what was opened, or why nothing was. For people who look what a server would
/// run on; the contexts are gone again when this returns.
pub fn survey(vendor: Option<&Path>) -> [(Dialect, Result<Found, Fault>); 2] {
    [Dialect::Gl, Dialect::Gles].map(|dialect| {
        let found = Host::open(vendor, &[dialect]).map(|host| {
            let software = crate::caps::facts(&host).software;
            Found { what: host.describe(), software }
        });
        (dialect, found)
    })
}

/// A host that could be opened.
pub struct Found {
    /// One line for people.
    pub what: String,
    /// Whether it rasterises on the CPU.
    pub software: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dialects_open_and_clear() {
        for dialect in [Dialect::Gles, Dialect::Gl] {
            let host = Host::open(None, &[dialect]).unwrap();
            let gl = &host.gl;
            let version = gl.string(forerun_pipe::gl::VERSION);
            assert_eq!(version.starts_with("OpenGL ES"), dialect == Dialect::Gles, "{version}");
            assert!(!host.lost());
        }
    }

    #[test]
    fn a_missing_driver_is_one_clear_sentence() {
        let error = Host::open(Some(Path::new("/nowhere/libEGL_x.so.0")), &[Dialect::Gl]).err();
        assert!(matches!(error, Some(Fault::NoHostDriver { why }) if why.contains("/nowhere/")));
    }
}
