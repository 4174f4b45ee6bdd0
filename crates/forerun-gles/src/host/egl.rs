//! The host's EGL: functions, displays and contexts.

use super::vendor::Vendor;
use super::xcb::Connection;
use std::ffi::{c_char, c_void};

/// EGL tokens.
#[allow(missing_docs)]
pub mod token {
    pub const NONE: i32 = 0x3038;
    pub const OPENGL_ES_API: u32 = 0x30A0;
    pub const OPENGL_API: u32 = 0x30A2;
    pub const EXTENSIONS: i32 = 0x3055;
    pub const VENDOR: i32 = 0x3053;
    pub const VERSION: i32 = 0x3054;
    pub const WIDTH: i32 = 0x3057;
    pub const HEIGHT: i32 = 0x3056;
    pub const SURFACE_TYPE: i32 = 0x3033;
    pub const WINDOW_BIT: i32 = 0x0004;
    pub const PBUFFER_BIT: i32 = 0x0001;
    pub const RENDERABLE_TYPE: i32 = 0x3040;
    pub const OPENGL_BIT: i32 = 0x0008;
    pub const OPENGL_ES3_BIT: i32 = 0x0040;
    pub const RED_SIZE: i32 = 0x3024;
    pub const NATIVE_VISUAL_ID: i32 = 0x302E;
    pub const SAMPLES: i32 = 0x3031;
    pub const DEPTH_SIZE: i32 = 0x3025;
    pub const CONTEXT_MAJOR_VERSION: i32 = 0x3098;
    pub const CONTEXT_MINOR_VERSION: i32 = 0x30FB;
    pub const CONTEXT_OPENGL_PROFILE_MASK: i32 = 0x30FD;
    pub const CONTEXT_OPENGL_CORE_PROFILE_BIT: i32 = 1;
    pub const CONTEXT_OPENGL_ROBUST_ACCESS: i32 = 0x31B2;
    pub const CONTEXT_OPENGL_ROBUST_ACCESS_EXT: i32 = 0x30BF;
    pub const CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY: i32 = 0x31BD;
    pub const CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT: i32 = 0x3138;
    pub const LOSE_CONTEXT_ON_RESET: i32 = 0x31BF;
    pub const PLATFORM_SURFACELESS_MESA: u32 = 0x31DD;
    pub const PLATFORM_DEVICE_EXT: u32 = 0x313F;
    pub const PLATFORM_XCB_EXT: u32 = 0x31DC;
    pub const GL_COLORSPACE: i32 = 0x309D;
    pub const GL_COLORSPACE_SRGB: i32 = 0x3089;
    pub const CONTEXT_LOST: i32 = 0x300E;
}

macro_rules! functions {
    ( $( $name:ident = $egl:literal ( $($arg:ident : $ty:ty),* ) -> $ret:ty; )* ) => {
        /// EGL functions of a vendor.
        #[allow(missing_docs)]
        pub struct Egl { $( pub $name: unsafe extern "C" fn($($ty),*) -> $ret, )* }

        impl Egl {
            /// Looks them up.
            ///
            /// # Errors
            /// The name that the vendor lacks.
            pub fn load(vendor: &Vendor) -> Result<Egl, String> {
                Ok(Egl { $( $name: {
                    let p = vendor.lookup($egl);
                    if p.is_null() {
                        return Err(format!("{} has no {}", vendor.path.display(), $egl));
                    }
                    // SAFETY: the vendor's address of a function of this name has this type by the EGL specification.
                    unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn($($ty),*) -> $ret>(p) }
                }, )* })
            }
        }
    };
}

/// EGLDisplay, EGLContext, EGLSurface, EGLConfig: addresses of the vendor.
pub type Object = *mut c_void;

functions! {
    initialize = "eglInitialize" (display: Object, major: *mut i32, minor: *mut i32) -> u32;
    query_string = "eglQueryString" (display: Object, name: i32) -> *const c_char;
    bind_api = "eglBindAPI" (api: u32) -> u32;
    choose_config = "eglChooseConfig" (display: Object, attribs: *const i32, configs: *mut Object, size: i32, count: *mut i32) -> u32;
    get_config_attrib = "eglGetConfigAttrib" (display: Object, config: Object, attribute: i32, value: *mut i32) -> u32;
    create_context = "eglCreateContext" (display: Object, config: Object, share: Object, attribs: *const i32) -> Object;
    destroy_context = "eglDestroyContext" (display: Object, context: Object) -> u32;
    create_window_surface = "eglCreateWindowSurface" (display: Object, config: Object, window: usize, attribs: *const i32) -> Object;
    create_pbuffer_surface = "eglCreatePbufferSurface" (display: Object, config: Object, attribs: *const i32) -> Object;
    destroy_surface = "eglDestroySurface" (display: Object, surface: Object) -> u32;
    make_current = "eglMakeCurrent" (display: Object, draw: Object, read: Object, context: Object) -> u32;
    swap_buffers = "eglSwapBuffers" (display: Object, surface: Object) -> u32;
    swap_interval = "eglSwapInterval" (display: Object, interval: i32) -> u32;
    query_surface = "eglQuerySurface" (display: Object, surface: Object, attribute: i32, value: *mut i32) -> u32;
    get_error = "eglGetError" () -> i32;
    release_thread = "eglReleaseThread" () -> u32;
}

/// An initialized display of a vendor. It is never terminated: other sessions of the process may use the same one.
pub struct Display {
    /// The vendor.
    pub vendor: &'static Vendor,
    /// Its functions.
    pub egl: Egl,
    /// EGLDisplay.
    pub raw: Object,
    /// What kind of display it is, for people.
    pub what: String,
    /// EGL_EXTENSIONS.
    pub extensions: String,
}

impl Display {
    /// Whether the display has that extension.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.split(' ').any(|name| name == extension)
    }

    /// A string of the display.
    pub fn string(&self, name: i32) -> String {
        // SAFETY: an initialized display.
        let text = unsafe { (self.egl.query_string)(self.raw, name) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: EGL's strings end with a zero and live as long as the display.
        unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// Initializes a display that a platform gave.
    fn initialize(vendor: &'static Vendor, raw: Object, what: String) -> Result<Display, String> {
        if raw.is_null() {
            return Err(format!("{what}: no display"));
        }
        let egl = Egl::load(vendor)?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: a display of this vendor.
        if unsafe { (egl.initialize)(raw, &mut major, &mut minor) } == 0 {
            // SAFETY: takes no argument.
            let error = unsafe { (egl.get_error)() };
            return Err(format!("{what}: eglInitialize says 0x{error:04X}"));
        }
        let mut display = Display { vendor, egl, raw, what, extensions: String::new() };
        display.extensions = display.string(token::EXTENSIONS);
        if !display.has("EGL_KHR_no_config_context") && !display.has("EGL_MESA_configless_context")
        {
            log::debug!("{}: contexts need a config", display.what);
        }
        Ok(display)
    }

    /// The first display without a window system: surfaceless where the vendor knows it, else its devices in order.
    ///
    /// # Errors
    /// What each attempt said.
    pub fn open_offscreen(vendor: &'static Vendor) -> Result<Display, String> {
        let mut reasons = Vec::new();
        if vendor.has_platform("EGL_MESA_platform_surfaceless") {
            // SAFETY: the surfaceless platform takes no native display.
            let raw = unsafe {
                vendor.platform_display(token::PLATFORM_SURFACELESS_MESA, std::ptr::null_mut())
            };
            match Display::initialize(vendor, raw, "surfaceless".into()) {
                Ok(display) => return Ok(display),
                Err(reason) => reasons.push(reason),
            }
        }
        for (index, device) in devices(vendor).into_iter().enumerate() {
            // SAFETY: a device that the vendor listed.
            let raw = unsafe { vendor.platform_display(token::PLATFORM_DEVICE_EXT, device) };
            match Display::initialize(vendor, raw, format!("device {index}")) {
                Ok(display) => return Ok(display),
                Err(reason) => reasons.push(reason),
            }
        }
        if reasons.is_empty() {
            reasons.push("it knows neither the surfaceless nor the device platform".into());
        }
        Err(format!("{}: {}", vendor.path.display(), reasons.join("; ")))
    }

    /// The display of an X connection, which must stay open from here on.
    ///
    /// # Errors
    /// What the vendor said.
    pub fn open_xcb(vendor: &'static Vendor, connection: &Connection) -> Result<Display, String> {
        if !vendor.has_platform("EGL_EXT_platform_xcb") {
            return Err(format!("{} has no EGL_EXT_platform_xcb", vendor.path.display()));
        }
        // SAFETY: the platform takes an xcb_connection_t.
        let raw = unsafe { vendor.platform_display(token::PLATFORM_XCB_EXT, connection.raw()) };
        Display::initialize(vendor, raw, format!("X11 display {}", connection.name))
    }

    /// A config whose windows have that X visual, or any config of windows when the visual is 0.
    pub fn window_config(&self, visual: u64) -> Option<Object> {
        let attribs = [token::SURFACE_TYPE, token::WINDOW_BIT, token::RED_SIZE, 1, token::NONE];
        let configs = self.configs(&attribs);
        let of = |config: Object, attribute: i32| {
            let mut value = 0;
            // SAFETY: a config of this display.
            unsafe { (self.egl.get_config_attrib)(self.raw, config, attribute, &mut value) };
            value
        };
        configs
            .into_iter()
            .filter(|c| visual == 0 || of(*c, token::NATIVE_VISUAL_ID) as u32 as u64 == visual)
            .min_by_key(|c| (of(*c, token::SAMPLES), of(*c, token::DEPTH_SIZE)))
    }

    fn configs(&self, attribs: &[i32]) -> Vec<Object> {
        debug_assert_eq!(attribs.last(), Some(&token::NONE));
        let mut configs = vec![std::ptr::null_mut(); 512];
        let mut count = 0;
        // SAFETY: attributes end with EGL_NONE; the vector has the size stated.
        let ok = unsafe {
            (self.egl.choose_config)(
                self.raw,
                attribs.as_ptr(),
                configs.as_mut_ptr(),
                configs.len() as i32,
                &mut count,
            )
        };
        configs.truncate(if ok == 0 { 0 } else { count.max(0) as usize });
        configs
    }

    /// A context of one API at that version, with robust access and reset notification where the host has them, as
    /// `(context, robust)`.
    ///
    /// # Errors
    /// The EGL error.
    pub fn create_context(
        &self,
        api: u32,
        major: i32,
        minor: i32,
    ) -> Result<(Object, bool), String> {
        use token::*;
        // SAFETY: takes a token.
        if unsafe { (self.egl.bind_api)(api) } == 0 {
            return Err("the vendor does not know this API".into());
        }
        let mut config = std::ptr::null_mut();
        if !self.has("EGL_KHR_no_config_context") && !self.has("EGL_MESA_configless_context") {
            let bit = if api == OPENGL_API { OPENGL_BIT } else { OPENGL_ES3_BIT };
            let attribs = [SURFACE_TYPE, 0, RENDERABLE_TYPE, bit, RED_SIZE, 8, NONE];
            config = self.configs(&attribs).first().copied().ok_or("no config")?;
        }
        let mut base = vec![CONTEXT_MAJOR_VERSION, major, CONTEXT_MINOR_VERSION, minor];
        if api == OPENGL_API {
            base.extend([CONTEXT_OPENGL_PROFILE_MASK, CONTEXT_OPENGL_CORE_PROFILE_BIT]);
        }
        let robust: &[i32] = if api == OPENGL_API || !self.has("EGL_EXT_create_context_robustness")
        {
            &[
                CONTEXT_OPENGL_ROBUST_ACCESS,
                1,
                CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                LOSE_CONTEXT_ON_RESET,
            ]
        } else {
            &[
                CONTEXT_OPENGL_ROBUST_ACCESS_EXT,
                1,
                CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                LOSE_CONTEXT_ON_RESET,
            ]
        };
        for extra in [robust, &[]] {
            let attribs = [base.as_slice(), extra, &[NONE]].concat();
            // SAFETY: attributes end with EGL_NONE; config and display belong together.
            let context = unsafe {
                (self.egl.create_context)(self.raw, config, std::ptr::null_mut(), attribs.as_ptr())
            };
            if !context.is_null() {
                return Ok((context, !extra.is_empty()));
            }
        }
        // SAFETY: takes no argument.
        let error = unsafe { (self.egl.get_error)() };
        Err(format!("eglCreateContext says 0x{error:04X}"))
    }
}

fn devices(vendor: &Vendor) -> Vec<Object> {
    let query = vendor.lookup("eglQueryDevicesEXT");
    if query.is_null() {
        return Vec::new();
    }
    // SAFETY: the vendor's address of this function has this type by EGL_EXT_device_enumeration.
    let query: unsafe extern "C" fn(i32, *mut Object, *mut i32) -> u32 =
        unsafe { std::mem::transmute(query) };
    let mut devices = vec![std::ptr::null_mut(); 32];
    let mut count = 0;
    // SAFETY: the vector has the size stated.
    let ok = unsafe { query(devices.len() as i32, devices.as_mut_ptr(), &mut count) };
    devices.truncate(if ok == 0 { 0 } else { count.max(0) as usize });
    devices
}
