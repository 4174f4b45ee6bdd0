//! Mapped memory: sealed memfds between processes, anonymous maps inside one.

use forerun_pipe::{Fault, fault::Result};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;

/// What a segment must carry, so that its size can never change under a map.
const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// A range of mapped memory, unmapped on drop. The bytes are shared with a peer that may write at any time, so they are reached
/// through raw copies and atomics only, never through references to plain data.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the map belongs to no thread; all access is through raw copies and atomics.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

fn system(what: &'static str) -> impl Fn(rustix::io::Errno) -> Fault {
    move |errno| Fault::System { what, why: errno.to_string() }
}

impl Mapping {
    /// Zeroed memory of this process only; a fork gets a copy of its own.
    ///
    /// # Errors
    /// [`Fault::System`].
    pub fn anonymous(len: usize) -> Result<Mapping> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let prot = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new map at an address of the kernel's choice touches nothing that exists.
        let start = unsafe { rustix::mm::mmap_anonymous(std::ptr::null_mut(), len, prot, flags) };
        Self::of(start.map_err(system("mmap"))?, len)
    }

    /// Maps a descriptor that [`create_sealed`] made or [`verify`] accepted.
    ///
    /// # Errors
    /// [`Fault::System`].
    pub fn of_fd(fd: BorrowedFd<'_>, len: usize) -> Result<Mapping> {
        let prot = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: as above; the seals keep every page of the range backed.
        let start = unsafe {
            rustix::mm::mmap(std::ptr::null_mut(), len, prot, MapFlags::SHARED, fd, 0)
        };
        Self::of(start.map_err(system("mmap"))?, len)
    }

    fn of(start: *mut core::ffi::c_void, len: usize) -> Result<Mapping> {
        let start = NonNull::new(start.cast());
        let start = start.ok_or(Fault::System { what: "mmap", why: "null".into() })?;
        Ok(Mapping { start, len })
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The first byte.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Where `offset` is, if `len` bytes from there lie inside.
    pub fn at(&self, offset: usize, len: usize) -> Option<NonNull<u8>> {
        let end = offset.checked_add(len)?;
        if end > self.len {
            return None;
        }
        // SAFETY: the offset lies inside the map, or one past its end when `len` is 0.
        Some(unsafe { self.start.add(offset) })
    }

    /// A value of atomics that lies in the map. `None` when it does not fit or is misaligned.
    pub fn shared<T: Shared>(&self, offset: usize) -> Option<&T> {
        let at = self.at(offset, size_of::<T>())?.cast::<T>();
        if !at.is_aligned() {
            return None;
        }
        // SAFETY: inside the map, aligned, and `T` is made of atomics for which every bit pattern is valid.
        Some(unsafe { at.as_ref() })
    }

    /// Copies in. False when the range is not inside.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        let Some(at) = self.at(offset, bytes.len()) else { return false };
        // SAFETY: the range lies in the map; private memory cannot overlap it.
        unsafe { at.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        true
    }

    /// Copies out. False when the range is not inside.
    pub fn read(&self, offset: usize, out: &mut [u8]) -> bool {
        let Some(at) = self.at(offset, out.len()) else { return false };
        // SAFETY: the range lies in the map; private memory cannot overlap it.
        unsafe { at.as_ptr().copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        true
    }

    /// Fills a range. False when it is not inside.
    pub fn fill(&self, offset: usize, len: usize, byte: u8) -> bool {
        let Some(at) = self.at(offset, len) else { return false };
        // SAFETY: the range lies in the map.
        unsafe { at.as_ptr().write_bytes(byte, len) };
        true
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the map is ours and nobody holds a pointer into it beyond our lifetime.
        let unmapped = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.len) };
        if let Err(errno) = unmapped {
            log::error!("munmap of {} bytes: {errno}", self.len);
        }
    }
}

/// Structures that may lie in shared memory: `repr(C)`, atomics only.
///
/// # Safety
/// Every bit pattern must be valid and every access atomic.
pub unsafe trait Shared {}

/// A zeroed memfd of `len` bytes that can neither shrink nor grow.
///
/// # Errors
/// [`Fault::System`].
pub fn create_sealed(name: &str, len: usize) -> Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let fd = rustix::fs::memfd_create(name, flags).map_err(system("memfd_create"))?;
    rustix::fs::ftruncate(&fd, len as u64).map_err(system("ftruncate"))?;
    rustix::fs::fcntl_add_seals(&fd, SEALS).map_err(system("F_ADD_SEALS"))?;
    Ok(fd)
}

/// Checks that a descriptor from the peer is a memfd of exactly this size that can neither shrink nor grow.
///
/// # Errors
/// [`Fault::SegmentMismatch`].
pub fn verify(fd: &OwnedFd, len: usize) -> Result<()> {
    let seals = rustix::fs::fcntl_get_seals(fd.as_fd());
    let sealed = seals.is_ok_and(|seals| seals.contains(SealFlags::SHRINK | SealFlags::GROW));
    if !sealed {
        return Err(Fault::SegmentMismatch { what: "Segment.seals" });
    }
    match rustix::fs::fstat(fd) {
        Ok(stat) if u64::try_from(stat.st_size) == Ok(len as u64) && len > 0 => Ok(()),
        _ => Err(Fault::SegmentMismatch { what: "Segment.size" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_memfd_is_accepted_at_its_size_only() {
        let fd = create_sealed("test", 8192).unwrap();
        assert_eq!(verify(&fd, 8192), Ok(()));
        assert_eq!(verify(&fd, 4096), Err(Fault::SegmentMismatch { what: "Segment.size" }));
        assert!(rustix::fs::ftruncate(&fd, 4096).is_err(), "the seal holds");
    }

    #[test]
    fn what_is_not_sealed_is_refused() {
        let loose = rustix::fs::memfd_create("loose", MemfdFlags::ALLOW_SEALING).unwrap();
        rustix::fs::ftruncate(&loose, 4096).unwrap();
        assert_eq!(verify(&loose, 4096), Err(Fault::SegmentMismatch { what: "Segment.seals" }));
        let (pipe, _) = rustix::pipe::pipe().unwrap();
        assert_eq!(verify(&pipe, 4096), Err(Fault::SegmentMismatch { what: "Segment.seals" }));
    }

    #[test]
    fn ranges_end_at_the_map() {
        let map = Mapping::anonymous(4096).unwrap();
        assert!(map.write(4092, &[1, 2, 3, 4]));
        assert!(!map.write(4093, &[1, 2, 3, 4]));
        assert!(!map.write(usize::MAX, &[1]));
        let mut out = [0; 4];
        assert!(map.read(4092, &mut out));
        assert_eq!(out, [1, 2, 3, 4]);
    }
}
