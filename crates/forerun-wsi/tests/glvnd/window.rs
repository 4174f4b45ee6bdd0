//! Cases with an X11 window. Without a display they say so and pass.

use crate::cases::{config, context_on};
use crate::egl::{egl, gl, ok};
use std::ptr::{null, null_mut};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt, CreateWindowAux, ImageFormat, WindowClass,
};
use x11rb::rust_connection::RustConnection;

pub struct Window {
    x: RustConnection,
    id: u32,
}

impl Window {
    pub fn open(width: u16, height: u16) -> Option<Window> {
        // A server that resets when its last client goes refuses the next one for a moment.
        let mut tries = 0;
        let (x, screen) = loop {
            match x11rb::connect(None) {
                Ok(connected) => break connected,
                Err(_) if tries < 20 && std::env::var_os("DISPLAY").is_some() => tries += 1,
                Err(error) => {
                    println!("  (left out: {error})");
                    return None;
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        };
        let id = x.generate_id().expect("an id");
        let root = x.setup().roots[screen].root;
        let plain = CreateWindowAux::new().background_pixel(0);
        x.create_window(0, id, root, 0, 0, width, height, 0, WindowClass::INPUT_OUTPUT, 0, &plain)
            .expect("sent")
            .check()
            .expect("a window");
        x.map_window(id).expect("sent").check().expect("mapped");
        Some(Window { x, id })
    }

    fn resize(&self, width: u32, height: u32) {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.x.configure_window(self.id, &size).expect("sent").check().expect("resized");
    }

    pub fn id(&self) -> u32 {
        self.id
    }

    /// A pixmap of the window's depth.
    pub fn pixmap(&self, width: u16, height: u16) -> u32 {
        let id = self.x.generate_id().expect("an id");
        let depth = self.x.get_geometry(self.id).expect("sent").reply().expect("a window").depth;
        let made = self.x.create_pixmap(depth, id, self.id, width, height);
        made.expect("sent").check().expect("a pixmap");
        id
    }

    /// The colour of a pixel as it is now.
    pub fn pixel_now(&self, x: i16, y: i16) -> u32 {
        self.pixel_of(self.id, x, y)
    }

    /// The colour of a drawable's pixel as it is now.
    pub fn pixel_of(&self, drawable: u32, x: i16, y: i16) -> u32 {
        let image = self.x.get_image(ImageFormat::Z_PIXMAP, drawable, x, y, 1, 1, !0);
        let image = image.expect("sent").reply().expect("a picture");
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&image.data[..4]);
        u32::from_le_bytes(bytes) & 0xff_ffff
    }

    /// The same after a time in which nothing comes, if nothing is hoped for.
    pub fn settled(&self, x: i16, y: i16, hoped: u32, comes: bool) -> u32 {
        if !comes {
            std::thread::sleep(std::time::Duration::from_millis(100));
            return self.pixel_now(x, y);
        }
        self.pixel(x, y, hoped)
    }

    /// The colour of a pixel, as 0xRRGGBB, once it is what is hoped for or a second has gone by.
    fn pixel(&self, x: i16, y: i16, hoped: u32) -> u32 {
        let begun = std::time::Instant::now();
        loop {
            let color = self.pixel_now(x, y);
            if color == hoped || begun.elapsed().as_secs() >= 1 {
                return color;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

/// A display, a surface on the window that has no pace, and a current context.
pub fn draw_on(window: &Window) -> (usize, usize) {
    let display = egl().eglGetPlatformDisplay(0x31D5, null_mut(), null());
    let (mut major, mut minor) = (0, 0);
    ok(egl().eglInitialize(display, &mut major, &mut minor));
    let config = config(display, 4);
    let surface = egl().eglCreateWindowSurface(display, config, window.id as usize, null());
    assert_ne!(surface, 0, "EGL error {:#x}", egl().eglGetError());
    let context = context_on(display, config);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    ok(egl().eglSwapInterval(display, 0));
    (display, surface)
}

fn size(display: usize, surface: usize) -> (i32, i32) {
    let (mut width, mut height) = (0, 0);
    ok(egl().eglQuerySurface(display, surface, 0x3057, &mut width));
    ok(egl().eglQuerySurface(display, surface, 0x3056, &mut height));
    (width, height)
}

/// Green below, red in the upper left corner of 8×8 pixels.
pub fn paint(height: i32) {
    let gl = gl();
    gl.glDisable(0x0C11);
    gl.glClearColor(0.0, 1.0, 0.0, 1.0);
    gl.glClear(0x4000);
    gl.glEnable(0x0C11);
    gl.glScissor(0, height - 8, 8, 8);
    gl.glClearColor(1.0, 0.0, 0.0, 1.0);
    gl.glClear(0x4000);
    assert_eq!(gl.glGetError(), 0);
}

pub fn look(window: &Window, width: i32, height: i32) {
    assert_eq!(window.pixel(0, 0, 0xff_0000), 0xff_0000, "{width}×{height}");
    assert_eq!(window.pixel(8, 0, 0x00_ff00), 0x00_ff00, "{width}×{height}");
    let corner = window.pixel(width as i16 - 1, height as i16 - 1, 0x00_ff00);
    assert_eq!(corner, 0x00_ff00, "{width}×{height}");
}

/// A picture reaches the window the right way up.
pub fn shown() {
    let Some(window) = Window::open(64, 48) else { return };
    let (display, surface) = draw_on(&window);
    assert_eq!(size(display, surface), (64, 48));
    for _ in 0..3 {
        paint(48);
        ok(egl().eglSwapBuffers(display, surface));
    }
    look(&window, 64, 48);
}

/// The second frame after a resize has the new size at the latest.
pub fn resized() {
    let Some(window) = Window::open(64, 48) else { return };
    let (display, surface) = draw_on(&window);
    for round in 0..500 {
        let (width, height) = (40 + (round * 37) % 150, 40 + (round * 53) % 130);
        window.resize(width as u32, height as u32);
        for _ in 0..2 {
            assert_eq!(size(display, surface), (width, height));
            paint(height);
            ok(egl().eglSwapBuffers(display, surface));
        }
        paint(height);
        let mut pixel = [0u8; 4];
        gl().glReadPixels(width - 1, height - 1, 1, 1, 0x1908, 0x1401, pixel.as_mut_ptr());
        assert_eq!(pixel, [0, 255, 0, 255]);
        ok(egl().eglSwapBuffers(display, surface));
        if round % 50 == 0 {
            look(&window, width, height);
        }
    }
}

/// A window that goes away is an error of its surface and of nothing else.
pub fn destroyed() {
    let Some(window) = Window::open(64, 48) else { return };
    let (display, surface) = draw_on(&window);
    paint(48);
    ok(egl().eglSwapBuffers(display, surface));
    window.x.destroy_window(window.id).expect("sent").check().expect("destroyed");
    for _ in 0..5 {
        paint(48);
        // Whether it succeeds is left open by the specification; that it comes back is not.
        egl().eglSwapBuffers(display, surface);
    }
    ok(egl().eglMakeCurrent(display, 0, 0, 0));
    ok(egl().eglDestroySurface(display, surface));
    let other = Window::open(32, 32).expect("the display is still there");
    let config = config(display, 4);
    let surface = egl().eglCreateWindowSurface(display, config, other.id as usize, null());
    assert_ne!(surface, 0);
    let context = context_on(display, config);
    ok(egl().eglMakeCurrent(display, surface, surface, context));
    paint(32);
    ok(egl().eglSwapBuffers(display, surface));
    look(&other, 32, 32);
}
