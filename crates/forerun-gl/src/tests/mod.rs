//! Tests of rules and of what crosses, on a link whose server answers and notes every record.

mod framebuffer;
mod program;
mod texture;

use crate::context::Drawable;
use crate::{Api, Config, Context, Group};
use forerun_link::{ClientLink, LinkOptions, Next, RecordBuf, ServerOptions, Status};
use forerun_pipe::caps::Caps;
use forerun_pipe::catalogue::{self, Op, Wait};
use forerun_pipe::{RawHandle, gl};
use parking_lot::Mutex;
use std::sync::Arc;
use zerocopy::{FromBytes, Immutable, KnownLayout};

/// A record that crossed.
pub struct Crossed {
    /// Row.
    pub op: u16,
    /// Payload and tails.
    pub body: Vec<u8>,
}

impl Crossed {
    /// The payload.
    pub fn payload<T: FromBytes + KnownLayout + Immutable>(&self) -> T {
        T::read_from_bytes(&self.body[..size_of::<T>()]).unwrap()
    }
}

/// A context on such a link.
pub struct Rig {
    /// The context.
    pub cx: Box<Context>,
    crossed: Arc<Mutex<Vec<Crossed>>>,
}

impl Rig {
    /// A context of an API and version, with a drawable of 64 × 32 RGBA8 pixels.
    pub fn new(api: Api, version: u32) -> Rig {
        let (mut link, mut server) =
            ClientLink::monolith(&LinkOptions::default(), &ServerOptions::default()).unwrap();
        let crossed = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&crossed);
        link.set_pump(Box::new(move || {
            let mut buf = RecordBuf::default();
            while let Next::Record { op, seq, .. } = server.next(&mut buf, None)? {
                let row = catalogue::row(op).unwrap();
                if row.wait == Wait::Reply {
                    server.reply(seq, Status::Ok, &[])?;
                }
                notes.lock().push(Crossed { op, body: buf.body().to_vec() });
                server.applied(seq)?;
                server.retired(seq);
            }
            Ok(())
        }));
        let mut caps = Caps::default();
        caps.limits.max_color_attachments = 8;
        caps.limits.max_draw_buffers = 8;
        let config = Config::new(api, version);
        let mut cx = Context::new(Group::new(link, caps, true), config).unwrap();
        let drawable = Drawable {
            surface: RawHandle { slot: 0, generation: 1 },
            width: 64,
            height: 32,
            color_format: gl::RGBA8,
            depth_stencil_format: gl::DEPTH24_STENCIL8,
            samples: 0,
            double_buffered: true,
        };
        cx.state.attach(drawable, drawable);
        Rig { cx, crossed }
    }

    /// The records of a row that crossed since the last look; all others are forgotten.
    pub fn crossed(&mut self, op: Op) -> Vec<Crossed> {
        self.cx.group.stream().link.publish();
        let all = std::mem::take(&mut *self.crossed.lock());
        all.into_iter().filter(|c| c.op == op as u16).collect()
    }
}

/// The code of a call that must fail.
pub fn code<T: std::fmt::Debug>(result: crate::GlResult<T>) -> u32 {
    result.unwrap_err().code
}
