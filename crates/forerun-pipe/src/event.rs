//! Events: what the server tells the client in order, on the reverse ring.
//!
//! All events of a record precede that record's `applied`. Each is framed like a record ([`crate::Header`]): the header's `op`
//! is the event's number, the payload follows, then `text_len` bytes of UTF-8 where the payload has that member.

use crate::flat;
use crate::handle::RawHandle;
use crate::layout::Layout;
use zerocopy::{FromBytes, IntoBytes};

flat! {
    /// A GL error that only the server could find (out of memory, a driver's late compile failure).
    pub struct GlErrorEvent {
        /// The context that was bound when it happened.
        pub context: RawHandle,
        /// The GL error.
        pub code: u32,
        /// Length of the text that follows.
        pub text_len: u32,
    }
    /// The server holds no storage for an object: its uses are skipped by name.
    pub struct ObjectDeclinedEvent {
        /// The context that was bound when it happened.
        pub context: RawHandle,
        /// The object.
        pub handle: RawHandle,
        /// Its [`crate::Kind`].
        pub kind: u32,
        /// The GL error that a program sees for it.
        pub code: u32,
    }
    /// A surface has another size or is gone.
    pub struct SurfaceChangedEvent {
        /// The surface.
        pub surface: RawHandle,
        /// Width in pixels.
        pub width: u32,
        /// Height in pixels.
        pub height: u32,
    }
    /// A message of the host's driver, or of the server about a context's work (KHR_debug).
    pub struct DebugMessageEvent {
        /// The context.
        pub context: RawHandle,
        /// GL_DEBUG_SOURCE_*.
        pub source: u32,
        /// GL_DEBUG_TYPE_*.
        pub ty: u32,
        /// Message id.
        pub id: u32,
        /// GL_DEBUG_SEVERITY_*.
        pub severity: u32,
        /// Length of the text that follows.
        pub text_len: u32,
        /// Zero.
        pub pad: u32,
    }
    /// The session ended.
    pub struct SessionFaultEvent {
        /// [`crate::Fault::code`].
        pub code: u32,
        /// Length of the text that follows.
        pub text_len: u32,
    }
}

/// An event, decoded.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// See [`GlErrorEvent`].
    GlError(GlErrorEvent, String),
    /// See [`ObjectDeclinedEvent`].
    ObjectDeclined(ObjectDeclinedEvent),
    /// See [`SurfaceChangedEvent`].
    SurfaceChanged(SurfaceChangedEvent),
    /// See [`DebugMessageEvent`].
    DebugMessage(DebugMessageEvent, String),
    /// See [`SessionFaultEvent`].
    SessionFault(SessionFaultEvent, String),
}

/// The longest text of an event; longer ones are cut at a character boundary.
pub const MAX_TEXT: usize = 1024;

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}

impl Event {
    /// The context that it is about, where it is about one.
    pub fn context(&self) -> Option<RawHandle> {
        let context = match self {
            Event::GlError(head, _) => head.context,
            Event::ObjectDeclined(head) => head.context,
            Event::DebugMessage(head, _) => head.context,
            Event::SurfaceChanged(_) | Event::SessionFault(..) => return None,
        };
        (!context.is_null()).then_some(context)
    }

    /// The event's number and its bytes after the header (not padded).
    pub fn encode(&self) -> (u16, Vec<u8>) {
        fn with_text(head: &[u8], text: &str) -> Vec<u8> {
            [head, text.as_bytes()].concat()
        }
        match self {
            Event::GlError(head, text) => {
                let text = cut(text);
                let head = GlErrorEvent { text_len: text.len() as u32, ..*head };
                (1, with_text(head.as_bytes(), text))
            }
            Event::ObjectDeclined(head) => (2, head.as_bytes().to_vec()),
            Event::SurfaceChanged(head) => (3, head.as_bytes().to_vec()),
            Event::DebugMessage(head, text) => {
                let text = cut(text);
                let head = DebugMessageEvent { text_len: text.len() as u32, ..*head };
                (4, with_text(head.as_bytes(), text))
            }
            Event::SessionFault(head, text) => {
                let text = cut(text);
                let head = SessionFaultEvent { text_len: text.len() as u32, ..*head };
                (5, with_text(head.as_bytes(), text))
            }
        }
    }

    /// Reads an event. `None` when the number is unknown or the size does not agree with the declared text.
    pub fn decode(op: u16, bytes: &[u8]) -> Option<Event> {
        fn text(rest: &[u8], len: u32) -> Option<String> {
            let len = len as usize;
            if len > MAX_TEXT || rest.len() < len || rest.len() >= len + 8 {
                return None;
            }
            Some(String::from_utf8_lossy(&rest[..len]).into_owned())
        }
        fn plain<T: Layout>(bytes: &[u8]) -> Option<T> {
            let (head, rest) = T::read_from_prefix(bytes).ok()?;
            (rest.len() < 8).then_some(head)
        }
        Some(match op {
            1 => {
                let (head, rest) = GlErrorEvent::read_from_prefix(bytes).ok()?;
                Event::GlError(head, text(rest, head.text_len)?)
            }
            2 => Event::ObjectDeclined(plain(bytes)?),
            3 => Event::SurfaceChanged(plain(bytes)?),
            4 => {
                let (head, rest) = DebugMessageEvent::read_from_prefix(bytes).ok()?;
                Event::DebugMessage(head, text(rest, head.text_len)?)
            }
            5 => {
                let (head, rest) = SessionFaultEvent::read_from_prefix(bytes).ok()?;
                Event::SessionFault(head, text(rest, head.text_len)?)
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_survives_its_encoding_and_no_truncation() {
        let event =
            Event::GlError(GlErrorEvent { code: 0x505, ..Default::default() }, "no memory".into());
        let (op, bytes) = event.encode();
        let decoded = Event::decode(op, &bytes).unwrap();
        assert!(matches!(&decoded, Event::GlError(h, t) if h.code == 0x505 && t == "no memory"));
        // Miri would take minutes for all of them.
        for len in (0..bytes.len()).step_by(if cfg!(miri) { 101 } else { 1 }) {
            assert_eq!(Event::decode(op, &bytes[..len]), None, "{len} bytes");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let event = Event::SessionFault(SessionFaultEvent::default(), "é".repeat(2000));
        let (op, bytes) = event.encode();
        assert!(
            matches!(Event::decode(op, &bytes), Some(Event::SessionFault(_, t)) if t.len() == MAX_TEXT)
        );
    }
}
