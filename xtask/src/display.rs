//! An X display to draw on, and pictures of what is on it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use image::RgbImage;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat, MapState, Window};
use x11rb::rust_connection::RustConnection;

use crate::{Doing, Error, Result};

/// A display: the one that is there, or an Xvfb of our own that goes when this is dropped.
pub struct Display {
    name: String,
    server: Option<Child>,
    /// An X server begins anew when its last client leaves, and hangs up on those that come meanwhile.
    _held: Option<RustConnection>,
}

impl Display {
    /// The display of `DISPLAY` if it answers, else a new Xvfb.
    ///
    /// # Errors
    /// When Xvfb cannot be started.
    pub fn current_or_new() -> Result<Display> {
        if let Ok(name) = std::env::var("DISPLAY")
            && name.starts_with(':')
            && let Ok((held, _)) = RustConnection::connect(Some(&name))
        {
            return Ok(Display { name, server: None, _held: Some(held) });
        }
        Display::new()
    }

    /// A new Xvfb.
    ///
    /// # Errors
    /// When it cannot be started or names no display.
    pub fn new() -> Result<Display> {
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x1024x24",
                "-nolisten",
                "tcp",
                "-noreset",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .doing("cannot start Xvfb (package xvfb)")?;
        let mut line = String::new();
        if let Some(out) = server.stdout.take() {
            BufReader::new(out).read_line(&mut line).doing("Xvfb")?;
        }
        let number: u32 = match line.trim().parse() {
            Ok(number) => number,
            Err(_) => {
                let _ = server.kill();
                let _ = server.wait();
                return Err(Error::new("Xvfb did not start"));
            }
        };
        Ok(Display { name: format!(":{number}"), server: Some(server), _held: None })
    }

    /// Its name, for `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Opens a connection that looks at what is shown.
    ///
    /// # Errors
    /// When the display does not answer.
    pub fn look(&self) -> Result<Look> {
        let (connection, screen) = x11rb::connect(Some(&self.name)).doing(&self.name)?;
        let root = connection
            .setup()
            .roots
            .get(screen)
            .map(|screen| screen.root)
            .ok_or_else(|| Error::new("the display has no screen"))?;
        let mut look = Look { connection, root, before: Vec::new() };
        look.before = look.windows()?;
        Ok(look)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// A view of a display that remembers which windows were there before.
pub struct Look {
    connection: RustConnection,
    root: Window,
    before: Vec<Window>,
}

impl Look {
    /// The picture of the largest window that came since, if one is shown.
    ///
    /// # Errors
    /// When the display does not answer.
    pub fn picture(&self) -> Result<Option<RgbImage>> {
        let mut best: Option<(u32, Window, u16, u16)> = None;
        for window in self.windows()?.into_iter().filter(|window| !self.before.contains(window)) {
            // A window may go at any moment: one that does is passed over.
            let ask = || -> std::result::Result<_, x11rb::errors::ReplyError> {
                let shown = self.connection.get_window_attributes(window)?.reply()?.map_state;
                Ok((shown, self.connection.get_geometry(window)?.reply()?))
            };
            let Ok((MapState::VIEWABLE, size)) = ask() else { continue };
            let area = u32::from(size.width) * u32::from(size.height);
            if best.is_none_or(|(most, ..)| area > most) {
                best = Some((area, window, size.width, size.height));
            }
        }
        best.map_or(Ok(None), |(_, window, width, height)| {
            self.grab(window, width, height).map(Some)
        })
    }

    fn windows(&self) -> Result<Vec<Window>> {
        let tree = self.connection.query_tree(self.root).doing("the windows")?;
        Ok(tree.reply().doing("the windows")?.children)
    }

    fn grab(&self, window: Window, width: u16, height: u16) -> Result<RgbImage> {
        let all = !0;
        let asked =
            self.connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, width, height, all);
        let reply = asked.doing("the picture")?.reply().doing("the picture")?;
        if reply.depth != 24 && reply.depth != 32 {
            return Err(Error(format!("a window of depth {} cannot be shown", reply.depth)));
        }
        // Every X server in use stores these depths as B, G, R, unused.
        let rgb = reply.data.chunks_exact(4).flat_map(|p| match *p {
            [b, g, r, _] => [r, g, b],
            _ => [0; 3],
        });
        RgbImage::from_raw(width.into(), height.into(), rgb.collect())
            .ok_or_else(|| Error::new("the picture is incomplete"))
    }
}
