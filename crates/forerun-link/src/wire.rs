//! Control messages as frames on a unix socket, with descriptors beside them.

use forerun_pipe::{Fault, fault::Result};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use std::collections::VecDeque;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

const MAGIC: u32 = u32::from_le_bytes(*b"FRUN");
const HEAD: usize = 16;
/// The longest message.
const MAX_LEN: usize = 16 << 20;
/// The most descriptors of one message.
const MAX_FDS: usize = 8;
/// The most descriptors that are taken at once.
const SPACE_FDS: usize = 4 * MAX_FDS;

/// One message.
#[derive(Debug)]
pub struct Frame {
    /// Which message.
    pub kind: u16,
    /// Its bytes.
    pub body: Vec<u8>,
    /// Its descriptors.
    pub fds: Vec<OwnedFd>,
}

/// One end of a control connection.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    bytes: Vec<u8>,
    fds: VecDeque<OwnedFd>,
    /// The peer hung up.
    pub is_over: bool,
}

fn corrupt(what: &'static str) -> Fault {
    Fault::ProtocolCorruption { what }
}

/// A poll timeout; `None` waits for ever.
pub fn timespec(timeout: Option<Duration>) -> Option<Timespec> {
    timeout.and_then(|timeout| Timespec::try_from(timeout).ok())
}

impl Socket {
    /// Takes over a connected stream socket.
    ///
    /// # Errors
    /// [`Fault::System`].
    pub fn new(fd: OwnedFd) -> Result<Socket> {
        rustix::io::ioctl_fionbio(&fd, true)
            .map_err(|errno| Fault::System { what: "FIONBIO", why: errno.to_string() })?;
        Ok(Socket { fd, bytes: Vec::new(), fds: VecDeque::new(), is_over: false })
    }

    /// The descriptor, for polling.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Sends a message, waiting for room until `deadline`.
    ///
    /// # Errors
    /// [`Fault::PeerLost`], [`Fault::WaitExpired`].
    pub fn send(
        &mut self,
        kind: u16,
        body: &[u8],
        fds: &[BorrowedFd<'_>],
        deadline: Instant,
    ) -> Result<()> {
        let mut head = [0; HEAD];
        let (magic, rest) = head.split_at_mut(4);
        magic.copy_from_slice(&MAGIC.to_le_bytes());
        let (k, rest) = rest.split_at_mut(2);
        k.copy_from_slice(&kind.to_le_bytes());
        let (n, rest) = rest.split_at_mut(2);
        n.copy_from_slice(&(fds.len() as u16).to_le_bytes());
        let (len, _) = rest.split_at_mut(4);
        len.copy_from_slice(&(body.len() as u32).to_le_bytes());
        let bytes = [&head, body].concat();
        let mut sent = 0;
        let begun = Instant::now();
        while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            if sent == 0 && !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
                return Err(corrupt("Frame.fds"));
            }
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match rustix::net::sendmsg(&self.fd, &[IoSlice::new(rest)], &mut control, flags) {
                Ok(n) => sent += n,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.poll(PollFlags::OUT, begun, deadline, "room in the socket")?,
                Err(_) => {
                    self.is_over = true;
                    return Err(Fault::PeerLost);
                }
            }
        }
        Ok(())
    }

    /// Waits until `deadline`; what expires is told with the time since `begun`.
    fn poll(
        &self,
        flags: PollFlags,
        begun: Instant,
        deadline: Instant,
        what: &'static str,
    ) -> Result<()> {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::new(&self.fd, flags)];
        match rustix::event::poll(&mut fds, timespec(Some(left)).as_ref()) {
            Ok(0) => Err(Fault::WaitExpired { what, waited_ms: begun.elapsed().as_millis() as u64 }),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(Fault::System { what: "poll", why: errno.to_string() }),
        }
    }

    /// Reads what has come, without waiting. Sets [`Socket::is_over`] at the end of the stream.
    ///
    /// # Errors
    /// [`Fault::ProtocolCorruption`]; [`Fault::System`] when this process can have no more descriptors.
    pub fn fill(&mut self) -> Result<()> {
        let mut chunk = [0; 16384];
        while !self.is_over {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(SPACE_FDS))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
            let mut parts = [IoSliceMut::new(&mut chunk)];
            let got = match rustix::net::recvmsg(&self.fd, &mut parts, &mut control, flags) {
                Ok(got) => got,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Ok(()),
                Err(_) => {
                    self.is_over = true;
                    return Ok(());
                }
            };
            let before = self.fds.len();
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(fds) = message {
                    self.fds.extend(fds);
                }
            }
            if got.flags.contains(ReturnFlags::CTRUNC) {
                // There was room in the message's space, so there was none in the process's table.
                return Err(match self.fds.len() - before < SPACE_FDS {
                    true => Fault::System {
                        what: "descriptors from the peer",
                        why: "this process has as many files open as it may (see ulimit -n)".into(),
                    },
                    false => corrupt("Frame.fds"),
                });
            }
            self.is_over = got.bytes == 0;
            self.bytes.extend_from_slice(chunk.get(..got.bytes).unwrap_or(&[]));
            if self.bytes.len() >= HEAD + MAX_LEN || self.fds.len() >= 64 {
                // The caller takes frames out before more is read; a frame cannot be longer than this.
                return Ok(());
            }
        }
        Ok(())
    }

    /// A message that has come whole.
    ///
    /// # Errors
    /// [`Fault::ProtocolCorruption`].
    pub fn take(&mut self) -> Result<Option<Frame>> {
        let Some((head, rest)) = self.bytes.split_first_chunk::<HEAD>() else { return Ok(None) };
        let [m0, m1, m2, m3, k0, k1, n0, n1, l0, l1, l2, l3, ..] = *head;
        if u32::from_le_bytes([m0, m1, m2, m3]) != MAGIC {
            return Err(corrupt("Frame.magic"));
        }
        let count = usize::from(u16::from_le_bytes([n0, n1]));
        let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if len > MAX_LEN || count > MAX_FDS {
            return Err(corrupt("Frame.len"));
        }
        let Some(body) = rest.get(..len) else { return Ok(None) };
        if self.fds.len() < count {
            return Err(corrupt("Frame.fds"));
        }
        let frame = Frame {
            kind: u16::from_le_bytes([k0, k1]),
            body: body.to_vec(),
            fds: self.fds.drain(..count).collect(),
        };
        self.bytes.drain(..HEAD + len);
        Ok(Some(frame))
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// [`Fault::PeerLost`], [`Fault::WaitExpired`], [`Fault::ProtocolCorruption`].
    pub fn receive(&mut self, deadline: Instant, what: &'static str) -> Result<Frame> {
        let begun = Instant::now();
        loop {
            if let Some(frame) = self.take()? {
                return Ok(frame);
            }
            if self.is_over {
                return Err(Fault::PeerLost);
            }
            self.poll(PollFlags::IN, begun, deadline, what)?;
            self.fill()?;
        }
    }
}

/// Writes the members of a message.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// A number.
    pub fn u32(mut self, value: u32) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// A number.
    pub fn u64(mut self, value: u64) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Bytes with their length before them.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        let mut out = self.u32(bytes.len() as u32);
        out.0.extend_from_slice(bytes);
        out
    }
}

/// Reads the members of a message.
pub struct Parser<'a>(pub &'a [u8]);

impl<'a> Parser<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk().ok_or(corrupt("Frame.body"))?;
        self.0 = rest;
        Ok(*head)
    }

    /// A number.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    /// A number.
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    /// Bytes with their length before them.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.u32()? as usize;
        let (head, rest) = self.0.split_at_checked(len).ok_or(corrupt("Frame.body"))?;
        self.0 = rest;
        Ok(head)
    }

    /// A string; what is not UTF-8 is replaced.
    pub fn string(&mut self) -> Result<String> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// Nothing may be left.
    pub fn finish(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(corrupt("Frame.body")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    fn pair() -> (Socket, Socket) {
        let (a, b) = UnixStream::pair().unwrap();
        (Socket::new(a.into()).unwrap(), Socket::new(b.into()).unwrap())
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn messages_keep_their_order_and_their_descriptors() {
        let (mut a, mut b) = pair();
        let fd = crate::memory::create_sealed("x", 4096).unwrap();
        a.send(1, &vec![7; 100_000], &[], soon()).unwrap();
        a.send(2, b"with", &[fd.as_fd(), fd.as_fd()], soon()).unwrap();
        a.send(3, b"", &[fd.as_fd()], soon()).unwrap();
        let first = b.receive(soon(), "a message").unwrap();
        assert_eq!((first.kind, first.body.len(), first.fds.len()), (1, 100_000, 0));
        let second = b.receive(soon(), "a message").unwrap();
        assert_eq!((second.kind, second.body.as_slice(), second.fds.len()), (2, &b"with"[..], 2));
        assert_eq!(b.receive(soon(), "a message").unwrap().fds.len(), 1);
        drop(a);
        assert_eq!(b.receive(soon(), "a message").unwrap_err(), Fault::PeerLost);
    }

    #[test]
    fn what_is_no_frame_is_corruption() {
        let (a, b) = UnixStream::pair().unwrap();
        let mut b = Socket::new(b.into()).unwrap();
        std::io::Write::write_all(&mut &a, b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let fault = b.receive(soon(), "a message").unwrap_err();
        assert_eq!(fault, Fault::ProtocolCorruption { what: "Frame.magic" });
    }

    #[test]
    fn silence_expires_by_name() {
        let (_a, mut b) = pair();
        let deadline = Instant::now() + Duration::from_millis(20);
        let fault = b.receive(deadline, "Hello").unwrap_err();
        assert!(matches!(fault, Fault::WaitExpired { what: "Hello", .. }));
    }
}
