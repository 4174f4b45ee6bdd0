//! Control messages: the handshake, segments of single transfers, and the last word of a session.

use crate::options::{Hello, Sizes};
use crate::wire::{Parser, Writer};
use forerun_pipe::catalogue::{ROWS, RowInfo, row};
use forerun_pipe::{Fault, fault::Result};

/// The version of the handshake itself. Moves only when an older peer could not even read the refusal.
pub const VERSION: u32 = 1;

/// Kinds of messages.
pub mod kind {
    /// Client: the first word.
    pub const HELLO: u16 = 1;
    /// Server: yes, with seven descriptors.
    pub const WELCOME: u16 = 2;
    /// Server: no.
    pub const REFUSE: u16 = 3;
    /// Client: a segment of its own, with its descriptor.
    pub const SEGMENT: u16 = 4;
    /// Client: lets go of a segment after a record.
    pub const DROP_SEGMENT: u16 = 5;
    /// Either: the session ends by name.
    pub const FAULT: u16 = 6;
}

/// A row as the other end knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TheirRow {
    /// Opcode.
    pub op: u16,
    /// [`RowInfo::fingerprint`].
    pub fingerprint: u64,
}

/// The rows of this end that can cross.
pub fn own_rows() -> Vec<TheirRow> {
    let live = ROWS.iter().filter(|row| !row.reserved);
    live.map(|row| TheirRow { op: row.op, fingerprint: row.fingerprint() }).collect()
}

/// The set of rows that both ends have.
#[derive(Clone, Debug, Default)]
pub struct Rows(Vec<u64>);

impl Rows {
    /// Compares the rows of both ends. Rows that one side lacks are unavailable.
    ///
    /// # Errors
    /// [`Fault::AbiMismatch`] for the first row that both have and that differs.
    pub fn agree(theirs: &[TheirRow]) -> Result<Rows> {
        Self::agree_with(theirs, row)
    }

    fn agree_with(
        theirs: &[TheirRow],
        ours: impl Fn(u16) -> Option<&'static RowInfo>,
    ) -> Result<Rows> {
        let mut rows = Rows::default();
        for their in theirs {
            let Some(our) = ours(their.op).filter(|row| !row.reserved) else { continue };
            if our.fingerprint() != their.fingerprint {
                return Err(Fault::AbiMismatch {
                    row: our.name.into(),
                    ours: our.fingerprint(),
                    theirs: their.fingerprint,
                });
            }
            let word = usize::from(their.op / 64);
            if rows.0.len() <= word {
                rows.0.resize(word + 1, 0);
            }
            if let Some(bits) = rows.0.get_mut(word) {
                *bits |= 1 << (their.op % 64);
            }
        }
        Ok(rows)
    }

    /// Whether both ends have the row.
    pub fn has(&self, op: u16) -> bool {
        self.0.get(usize::from(op / 64)).is_some_and(|bits| bits & (1 << (op % 64)) != 0)
    }
}

fn write_rows(mut out: Writer, rows: &[TheirRow]) -> Writer {
    out = out.u32(rows.len() as u32);
    for row in rows {
        out = out.u32(row.op.into()).u64(row.fingerprint);
    }
    out
}

fn read_rows(parser: &mut Parser<'_>) -> Result<Vec<TheirRow>> {
    let count = parser.u32()?;
    (0..count)
        .map(|_| {
            let op = u16::try_from(parser.u32()?)
                .map_err(|_| Fault::ProtocolCorruption { what: "Hello.rows" })?;
            Ok(TheirRow { op, fingerprint: parser.u64()? })
        })
        .collect()
}

fn write_sizes(out: Writer, sizes: &Sizes) -> Writer {
    out.u32(sizes.ring).u32(sizes.stage).u32(sizes.reply).u32(sizes.event)
}

fn read_sizes(parser: &mut Parser<'_>) -> Result<Sizes> {
    Ok(Sizes {
        ring: parser.u32()?,
        stage: parser.u32()?,
        reply: parser.u32()?,
        event: parser.u32()?,
    })
}

/// The version stands first in both directions, so that every later version can be refused with words.
fn read_version(parser: &mut Parser<'_>) -> Result<()> {
    let theirs = parser.u32()?;
    if theirs == VERSION {
        return Ok(());
    }
    Err(Fault::Refused {
        what: "handshake version".into(),
        ours: VERSION.to_string(),
        theirs: theirs.to_string(),
    })
}

/// Writes a Hello.
pub fn write_hello(hello: &Hello, rows: &[TheirRow]) -> Vec<u8> {
    let mut out = Writer::default().u32(VERSION).u32(hello.pid).bytes(hello.build.as_bytes());
    out = write_sizes(out, &hello.sizes).u32(hello.wants.len() as u32);
    for (name, value) in &hello.wants {
        out = out.bytes(name.as_bytes()).bytes(value.as_bytes());
    }
    write_rows(out, rows).0
}

/// Reads a Hello.
///
/// # Errors
/// [`Fault::Refused`] for another version, [`Fault::ProtocolCorruption`].
pub fn read_hello(body: &[u8]) -> Result<(Hello, Vec<TheirRow>)> {
    let mut parser = Parser(body);
    read_version(&mut parser)?;
    let (pid, build, sizes) = (parser.u32()?, parser.string()?, read_sizes(&mut parser)?);
    let count = parser.u32()?;
    let wants =
        (0..count).map(|_| Ok((parser.string()?, parser.string()?))).collect::<Result<_>>()?;
    let rows = read_rows(&mut parser)?;
    parser.finish()?;
    Ok((Hello { pid, build, sizes, wants }, rows))
}

/// What a server says when it agrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welcome {
    /// The server's process.
    pub pid: u32,
    /// The server's build, for logs.
    pub build: String,
    /// Sizes in force.
    pub sizes: Sizes,
    /// The server's rows.
    pub rows: Vec<TheirRow>,
    /// Encoded caps.
    pub caps: Vec<u8>,
}

impl Welcome {
    /// Its bytes.
    pub fn write(&self) -> Vec<u8> {
        let out = Writer::default().u32(VERSION).u32(self.pid).bytes(self.build.as_bytes());
        write_rows(write_sizes(out, &self.sizes), &self.rows).bytes(&self.caps).0
    }

    /// Reads it.
    ///
    /// # Errors
    /// As [`read_hello`].
    pub fn read(body: &[u8]) -> Result<Welcome> {
        let mut parser = Parser(body);
        read_version(&mut parser)?;
        let welcome = Welcome {
            pid: parser.u32()?,
            build: parser.string()?,
            sizes: read_sizes(&mut parser)?,
            rows: read_rows(&mut parser)?,
            caps: parser.bytes()?.to_vec(),
        };
        parser.finish()?;
        Ok(welcome)
    }
}

/// Writes a fault for the peer.
pub fn write_fault(fault: &Fault) -> Vec<u8> {
    let out = Writer::default().u32(fault.code());
    let text = |s: &str| s.as_bytes().to_vec();
    let (a, b, c) = match fault {
        Fault::Refused { what, ours, theirs } => (text(what), text(ours), text(theirs)),
        Fault::AbiMismatch { row, ours, theirs } => {
            (text(row), ours.to_le_bytes().to_vec(), theirs.to_le_bytes().to_vec())
        }
        Fault::NoHostDriver { why } | Fault::ServerUnavailable { why } => {
            (text(why), Vec::new(), Vec::new())
        }
        Fault::PresentCreditTimeout { waited_ms } => {
            (text(&fault.to_string()), waited_ms.to_le_bytes().to_vec(), Vec::new())
        }
        other => (text(&other.to_string()), Vec::new(), Vec::new()),
    };
    out.bytes(&a).bytes(&b).bytes(&c).0
}

/// Reads a fault of the peer, with "ours" and "theirs" as this end sees them.
pub fn read_fault(body: &[u8]) -> Fault {
    let read = || -> Result<Fault> {
        let mut parser = Parser(body);
        let (code, a) = (parser.u32()?, parser.string()?);
        let (b, c) = (parser.bytes()?, parser.bytes()?);
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or(0);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(match code {
            7 => Fault::PresentCreditTimeout { waited_ms: number(b) },
            9 => Fault::AbiMismatch { row: a, ours: number(c), theirs: number(b) },
            10 => Fault::Refused { what: a, ours: text(c), theirs: text(b) },
            12 => Fault::BackendDeviceLost,
            14 => Fault::ServerUnavailable { why: a },
            15 => Fault::NoHostDriver { why: a },
            _ => Fault::Peer { code, text: a },
        })
    };
    read().unwrap_or(Fault::ProtocolCorruption { what: "Fault" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        Hello {
            pid: 7,
            build: "b".into(),
            sizes: Sizes::TINY,
            wants: vec![("FORERUN_BACKEND".into(), "gles".into())],
        }
    }

    #[test]
    fn a_hello_survives_and_no_truncation_of_it_does() {
        let bytes = write_hello(&hello(), &own_rows());
        let (read, rows) = read_hello(&bytes).unwrap();
        assert_eq!((read, rows), (hello(), own_rows()));
        for len in 0..bytes.len() {
            assert!(read_hello(&bytes[..len]).is_err(), "{len} bytes");
        }
    }

    #[test]
    fn another_version_is_refused_with_both() {
        let mut bytes = write_hello(&hello(), &[]);
        bytes[0] = 99;
        let fault = read_hello(&bytes).unwrap_err();
        let Fault::Refused { what, ours, theirs } = fault else { panic!("{fault}") };
        assert_eq!((what.as_str(), ours.as_str(), theirs.as_str()), ("handshake version", "1", "99"));
    }

    #[test]
    fn a_row_that_differs_is_refused_and_a_row_that_is_missing_is_unavailable() {
        let mut theirs = own_rows();
        let dropped = theirs.remove(0);
        theirs.push(TheirRow { op: 4000, fingerprint: 5 });
        let rows = Rows::agree(&theirs).unwrap();
        assert!(!rows.has(dropped.op) && !rows.has(4000) && rows.has(theirs[0].op));
        theirs[3].fingerprint ^= 1;
        let fault = Rows::agree(&theirs).unwrap_err();
        let ours = row(theirs[3].op).unwrap();
        assert_eq!(
            fault,
            Fault::AbiMismatch {
                row: ours.name.into(),
                ours: ours.fingerprint(),
                theirs: theirs[3].fingerprint
            }
        );
    }

    #[test]
    fn a_reserved_row_is_as_good_as_none() {
        let reserved = ROWS.iter().find(|row| row.reserved).unwrap();
        let rows = Rows::agree(&[TheirRow { op: reserved.op, fingerprint: 1 }]).unwrap();
        assert!(!rows.has(reserved.op));
    }

    #[test]
    fn a_refusal_is_seen_from_the_other_side() {
        let fault = Fault::AbiMismatch { row: "Blit".into(), ours: 1, theirs: 2 };
        assert_eq!(
            read_fault(&write_fault(&fault)),
            Fault::AbiMismatch { row: "Blit".into(), ours: 2, theirs: 1 }
        );
        let fault = Fault::RingOverrun { what: "head" };
        assert_eq!(
            read_fault(&write_fault(&fault)),
            Fault::Peer { code: 2, text: "ring overrun: head".into() }
        );
    }
}
