//! Presentation on the windows of an X server.

use super::*;
use crate::surface::window::Way;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::*;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// An X server of its own for one test.
struct Server {
    child: Child,
    display: String,
}

impl Server {
    /// `None`, with a line that says so, on a machine without Xvfb.
    fn start() -> Option<Server> {
        let child = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else {
            eprintln!("skipped: there is no Xvfb");
            return None;
        };
        let mut number = String::new();
        let mut out = child.stdout.take().unwrap();
        let mut byte = [0u8];
        while out.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
            number.push(byte[0] as char);
        }
        Some(Server { child, display: format!(":{number}") })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn new_window(x: &RustConnection, screen: usize, width: u16, height: u16) -> (u32, u32) {
    let screen = &x.setup().roots[screen];
    let window = x.generate_id().unwrap();
    let aux = CreateWindowAux::new().background_pixel(screen.white_pixel);
    let class = WindowClass::INPUT_OUTPUT;
    x.create_window(0, window, screen.root, 0, 0, width, height, 0, class, 0, &aux).unwrap();
    x.map_window(window).unwrap();
    x.sync().unwrap();
    (window, screen.root_visual)
}

/// A pixel of a window, from the top left, as blue, green, red.
fn shown(x: &RustConnection, window: u32, at: (i16, i16)) -> [u8; 3] {
    let image = x.get_image(ImageFormat::Z_PIXMAP, window, at.0, at.1, 1, 1, u32::MAX).unwrap();
    let data = image.reply().unwrap().data;
    [data[0], data[1], data[2]]
}

fn window_surface(world: &mut World, display: &str, window: u32, visual: u32) -> SurfaceInfoOf {
    window_surface_of(world, display, window, visual, (c::RGBA8, 0))
}

fn window_surface_of(
    world: &mut World,
    display: &str,
    window: u32,
    visual: u32,
    (color_format, samples): (u32, u32),
) -> SurfaceInfoOf {
    let handle = world.handle::<kind::Surface>();
    let surface = Surface {
        surface_kind: surface_kind::X11_WINDOW,
        native: u64::from(window),
        visual: u64::from(visual),
        display: display.into(),
        color_format,
        samples,
        depth_stencil_format: c::DEPTH24_STENCIL8,
        swap_interval: 1,
        serial: world.tick(),
        ..Default::default()
    };
    world.tables.surfaces.create(handle.raw(), surface, "test").unwrap();
    let info = world.backend.surface_created(&world.tables, handle).unwrap();
    let object = world.tables.surfaces.get_mut(handle).unwrap();
    (object.width, object.height) = (info.width, info.height);
    (handle, info)
}

type SurfaceInfoOf = (Handle<kind::Surface>, forerun_server::backend::SurfaceInfo);

/// Each dialect with each way to show a picture on a window.
fn ways() -> impl Iterator<Item = (Dialect, bool)> {
    [Dialect::Gles, Dialect::Gl].into_iter().flat_map(|dialect| [(dialect, false), (dialect, true)])
}

fn bare(dialect: Dialect, swaps: bool) -> World {
    let mut world = World::bare(dialect, api::ES);
    world.backend.presenter.swaps = Some(swaps);
    world
}

fn way_is_swap(world: &World, surface: Handle<kind::Surface>) -> bool {
    let window = world.backend.surfaces.get(surface).unwrap().window.unwrap();
    matches!(window.way, Way::Swap(_))
}

#[test]
fn a_window_shows_each_picture_the_right_way_up_and_follows_its_size() {
    let Some(server) = Server::start() else { return };
    let (x, screen) = RustConnection::connect(Some(&server.display)).unwrap();
    for (dialect, swaps) in ways() {
        let (window, visual) = new_window(&x, screen, 64, 48);
        let mut world = bare(dialect, swaps);
        let (surface, info) = window_surface(&mut world, &server.display, window, visual);
        assert_eq!((info.width, info.height), (64, 48));
        assert_eq!(info.present_mode, present_mode::NATIVE);
        assert_eq!(way_is_swap(&world, surface), swaps);
        world.context.surfaces.value = Surfaces { draw: surface, read: surface };
        let mut state = raster();
        world.set_state(&mut state);
        world.run(|backend, env| backend.context_bound(Some(env)).unwrap());
        // Only the lower half is green, with the scissor left on.
        let viewport = &mut world.context.viewports.value[0];
        viewport.rect = [0.0, 0.0, 64.0, 48.0];
        viewport.scissor = [0, 0, 64, 24];
        viewport.scissor_enable = 1;
        world.context.viewports.serial = world.tick();
        world.clear([0.0, 1.0, 0.0, 1.0]);
        world.backend.present(&world.tables, surface, 1).unwrap();
        assert_eq!(world.backend.surface_size(surface), Some((64, 48)));
        assert_eq!(shown(&x, window, (5, 40)), [0, 255, 0], "{}", dialect.name());
        assert_eq!(shown(&x, window, (5, 5)), [0, 0, 0]);

        x.configure_window(window, &ConfigureWindowAux::new().width(100).height(80)).unwrap();
        x.sync().unwrap();
        world.backend.present(&world.tables, surface, 2).unwrap();
        assert_eq!(world.backend.surface_size(surface), Some((100, 80)));
        let object = world.tables.surfaces.get_mut(surface).unwrap();
        (object.width, object.height) = (100, 80);
        world.context.viewports.value[0].scissor_enable = 0;
        world.context.viewports.serial = world.tick();
        world.clear([0.0, 0.0, 1.0, 1.0]);
        assert_eq!(world.pixel(99, 79), [0, 0, 255, 255]);
        world.backend.present(&world.tables, surface, 3).unwrap();
        assert_eq!(shown(&x, window, (99, 0)), [255, 0, 0]);

        // A window that is gone is no reason to end.
        x.destroy_window(window).unwrap();
        x.sync().unwrap();
        for serial in 4..8 {
            world.backend.present(&world.tables, surface, serial).unwrap();
        }
        world.clear([1.0; 4]);
        assert_eq!(world.pixel(1, 1), [255; 4]);
        world.backend.surface_destroyed(surface);
        assert_eq!(world.backend.host.gl.get_error(), 0);
    }
}

#[test]
fn a_display_that_cannot_be_reached_falls_back_to_shared_frames() {
    let mut world = World::bare(Dialect::Gles, api::ES);
    let (_, info) = window_surface(&mut world, ":9999", 1, 0);
    assert_eq!(info.present_mode, present_mode::SHM);
}

#[test]
fn a_window_shows_the_encoded_and_resolved_picture() {
    let Some(server) = Server::start() else { return };
    let (x, screen) = RustConnection::connect(Some(&server.display)).unwrap();
    for (dialect, swaps) in ways() {
        for (format, samples, wanted) in
            [(c::RGBA8, 4, 128), (c::SRGB8_ALPHA8, 0, 188), (c::SRGB8_ALPHA8, 4, 188)]
        {
            let (window, visual) = new_window(&x, screen, 16, 16);
            let mut world = bare(dialect, swaps);
            let kind = (format, samples);
            let (surface, _) = window_surface_of(&mut world, &server.display, window, visual, kind);
            world.context.surfaces.value = Surfaces { draw: surface, read: surface };
            let mut state = raster();
            state.framebuffer_srgb = 1;
            world.set_state(&mut state);
            world.run(|backend, env| backend.context_bound(Some(env)).unwrap());
            world.clear([0.5, 0.5, 0.5, 1.0]);
            world.backend.present(&world.tables, surface, 1).unwrap();
            let [b, g, r] = shown(&x, window, (3, 3));
            let what = format!("{} swaps {swaps} {format:#x} ×{samples}: {r}", dialect.name());
            assert!(b == g && g == r && r.abs_diff(wanted) <= 1, "{what}");
            world.backend.surface_destroyed(surface);
            x.destroy_window(window).unwrap();
        }
    }
}

#[test]
fn a_window_that_comes_late_and_one_more_are_put_upon() {
    let Some(server) = Server::start() else { return };
    let (x, screen) = RustConnection::connect(Some(&server.display)).unwrap();
    // The world's own drawable is there already: the driver cannot move to the X display any more.
    let mut world = World::new(Dialect::Gl, api::ES);
    world.backend.presenter.swaps = Some(true);
    let mut surfaces = Vec::new();
    for side in [16, 24] {
        let (window, visual) = new_window(&x, screen, side, side);
        // Beside each other: what is covered cannot be looked at.
        let place = ConfigureWindowAux::new().x(i32::from(side) * 10);
        x.configure_window(window, &place).unwrap();
        let (surface, info) = window_surface(&mut world, &server.display, window, visual);
        assert_eq!(info.present_mode, present_mode::NATIVE);
        assert!(!way_is_swap(&world, surface));
        surfaces.push((window, surface, side));
    }
    for (window, surface, side) in surfaces {
        world.context.surfaces.value = Surfaces { draw: surface, read: surface };
        world.context.surfaces.serial = world.tick();
        let blue = f32::from(side == 24);
        world.clear([1.0, 0.0, blue, 1.0]);
        world.backend.present(&world.tables, surface, 1).unwrap();
        let corner = side as i16 - 1;
        assert_eq!(shown(&x, window, (corner, corner)), [255 * u8::from(side == 24), 0, 255]);
        // What was shown is still there to be read.
        assert_eq!(world.pixel(0, 0), [255, 0, 255 * u8::from(side == 24), 255]);
        world.backend.surface_destroyed(surface);
    }
}
