//! A Wayland compositor on a thread of the test. It keeps what was committed, and sees to it that nobody writes to a buffer that it has
//! not released.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wayland_server::backend::{ClientData, ObjectId};
use wayland_server::protocol::{
    wl_buffer, wl_callback, wl_compositor, wl_region, wl_shm, wl_shm_pool, wl_surface,
};
use wayland_server::{
    Client, DataInit, Dispatch, Display, DisplayHandle, GlobalDispatch, New, Resource,
};

/// What was committed with a buffer.
#[derive(Clone, Default)]
pub struct Commit {
    pub size: (i32, i32),
    /// wl_shm's code of the format.
    pub format: u32,
    pub pixels: Vec<u8>,
    /// Rectangles in the buffer's coordinates.
    pub damage: Vec<[i32; 4]>,
    pub moved: (i32, i32),
    /// A frame callback came with it.
    pub paced: bool,
    /// The callback of an earlier commit was still to come.
    pub early: bool,
}

impl Commit {
    /// A pixel as 0xAARRGGBB, from the upper left corner.
    pub fn pixel(&self, x: i32, y: i32) -> u32 {
        let at = ((y * self.size.0 + x) * 4) as usize;
        u32::from_le_bytes(self.pixels[at..at + 4].try_into().expect("four bytes"))
    }
}

/// What the test sees and says.
pub struct Shared {
    pub commits: Vec<Commit>,
    /// Buffers that changed while they were the compositor's.
    pub torn: usize,
    /// How long the next frame is away from a commit.
    pub frame: Duration,
    /// How long a buffer is kept after its commit.
    pub hold: Duration,
    /// Buffers that exist.
    pub buffers: usize,
}

/// The compositor; it ends when this goes.
pub struct Compositor {
    pub shared: Arc<Mutex<Shared>>,
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Memory {
    base: *const u8,
    len: usize,
}

// SAFETY: the mapping is read by the compositor's thread only.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

#[derive(Clone)]
struct Picture {
    memory: Arc<Memory>,
    offset: i32,
    width: i32,
    height: i32,
    stride: i32,
    format: u32,
}

impl Picture {
    fn bytes(&self) -> Vec<u8> {
        let end = (self.offset + self.stride * self.height) as usize;
        assert!(end <= self.memory.len, "a buffer inside its pool");
        assert_eq!(self.stride, self.width * 4);
        // SAFETY: inside the mapping.
        unsafe {
            let all = std::slice::from_raw_parts(self.memory.base, self.memory.len);
            all[self.offset as usize..end].to_vec()
        }
    }
}

/// What a surface was told since its last commit.
#[derive(Default)]
struct Pending {
    buffer: Option<wl_buffer::WlBuffer>,
    moved: (i32, i32),
    damage: Vec<[i32; 4]>,
    callbacks: Vec<wl_callback::WlCallback>,
}

struct State {
    shared: Arc<Mutex<Shared>>,
    pending: HashMap<ObjectId, Pending>,
    held: Vec<(Instant, wl_buffer::WlBuffer, Picture, Vec<u8>)>,
    frames: Vec<(Instant, wl_callback::WlCallback)>,
}

struct Anyone;
impl ClientData for Anyone {}

impl Compositor {
    /// A compositor with one client at the other end of the socket.
    pub fn start() -> (Compositor, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        let shared = Arc::new(Mutex::new(Shared {
            commits: Vec::new(),
            torn: 0,
            frame: Duration::from_millis(2),
            hold: Duration::from_millis(2),
            buffers: 0,
        }));
        let over = Arc::new(AtomicBool::new(false));
        let (seen, ends) = (shared.clone(), over.clone());
        let thread = std::thread::spawn(move || {
            let mut display: Display<State> = Display::new().expect("a display");
            let mut handle = display.handle();
            handle.create_global::<State, wl_compositor::WlCompositor, ()>(5, ());
            handle.create_global::<State, wl_shm::WlShm, ()>(1, ());
            handle.insert_client(ours, Arc::new(Anyone)).expect("a client");
            let mut state = State {
                shared: seen,
                pending: HashMap::new(),
                held: Vec::new(),
                frames: Vec::new(),
            };
            while !ends.load(Ordering::Relaxed) {
                display.dispatch_clients(&mut state).expect("requests");
                state.tick();
                display.flush_clients().expect("events");
                std::thread::sleep(Duration::from_micros(300));
            }
        });
        (Compositor { shared, over, thread: Some(thread) }, theirs)
    }

    /// The commits so far, once there are that many.
    pub fn commits(&self, count: usize) -> Vec<Commit> {
        let begun = Instant::now();
        loop {
            let commits = self.shared.lock().expect("no panic").commits.clone();
            if commits.len() >= count {
                return commits;
            }
            assert!(begun.elapsed().as_secs() < 5, "{} commits of {count}", commits.len());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub fn set(&self, change: impl FnOnce(&mut Shared)) {
        change(&mut self.shared.lock().expect("no panic"));
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the compositor refused something");
        }
    }
}

impl State {
    fn tick(&mut self) {
        let now = Instant::now();
        let mut shared = self.shared.lock().expect("no panic");
        self.held.retain(|(until, buffer, picture, bytes)| {
            if *until > now {
                return true;
            }
            shared.torn += usize::from(&picture.bytes() != bytes);
            buffer.release();
            false
        });
        self.frames.retain(|(time, callback)| {
            if *time <= now {
                callback.done(0);
            }
            *time > now
        });
    }

    fn commit(&mut self, surface: &ObjectId) {
        let Some(pending) = self.pending.get_mut(surface).map(std::mem::take) else { return };
        let mut shared = self.shared.lock().expect("no panic");
        let now = Instant::now();
        let early = !self.frames.is_empty();
        let paced = !pending.callbacks.is_empty();
        let next = now + shared.frame;
        self.frames.extend(pending.callbacks.into_iter().map(|callback| (next, callback)));
        let Some(buffer) = pending.buffer else { return };
        let picture = buffer.data::<Picture>().expect("a buffer of ours").clone();
        let pixels = picture.bytes();
        let held = self.held.iter().any(|(_, other, ..)| *other == buffer);
        shared.torn += usize::from(held);
        self.held.push((now + shared.hold, buffer, picture.clone(), pixels.clone()));
        shared.commits.push(Commit {
            size: (picture.width, picture.height),
            format: picture.format,
            pixels,
            damage: pending.damage,
            moved: pending.moved,
            paced,
            early,
        });
    }
}

macro_rules! globals {
    ($($interface:ty),*) => { $(
        impl GlobalDispatch<$interface, ()> for State {
            fn bind(
                _: &mut State, _: &DisplayHandle, _: &Client, resource: New<$interface>, _: &(), init: &mut DataInit<'_, State>,
            ) {
                init.init(resource, ());
            }
        }
    )* };
}

globals!(wl_compositor::WlCompositor, wl_shm::WlShm);

macro_rules! requests {
    ($interface:ty, $data:ty, $state:ident, $object:ident, $request:ident, $given:ident, $init:ident, $body:block) => {
        impl Dispatch<$interface, $data> for State {
            fn request(
                $state: &mut State, _: &Client, $object: &$interface, $request: <$interface as Resource>::Request, $given: &$data,
                _: &DisplayHandle, $init: &mut DataInit<'_, State>,
            ) $body
        }
    };
}

requests!(wl_compositor::WlCompositor, (), _state, _object, request, _data, init, {
    match request {
        wl_compositor::Request::CreateSurface { id } => drop(init.init(id, ())),
        wl_compositor::Request::CreateRegion { id } => drop(init.init(id, ())),
        _ => {}
    }
});

requests!(wl_region::WlRegion, (), _state, _object, _request, _data, _init, {});
requests!(wl_callback::WlCallback, (), _state, _object, _request, _data, _init, {});

requests!(wl_buffer::WlBuffer, Picture, state, object, request, _data, _init, {
    if let wl_buffer::Request::Destroy = request {
        state.held.retain(|(_, buffer, ..)| buffer != object);
        state.shared.lock().expect("no panic").buffers -= 1;
    }
});

requests!(wl_surface::WlSurface, (), state, object, request, _data, init, {
    use wl_surface::Request;
    let pending = state.pending.entry(object.id()).or_default();
    match request {
        Request::Attach { buffer, x, y } => {
            assert!(object.version() < 5 || (x, y) == (0, 0), "a moving attach");
            pending.buffer = buffer;
        }
        Request::Offset { x, y } => pending.moved = (x, y),
        Request::Damage { x, y, width, height } | Request::DamageBuffer { x, y, width, height } => {
            pending.damage.push([x, y, width, height]);
        }
        Request::Frame { callback } => pending.callbacks.push(init.init(callback, ())),
        Request::Commit => state.commit(&object.id()),
        _ => {}
    }
});

requests!(wl_shm::WlShm, (), _state, _object, request, _data, init, {
    let wl_shm::Request::CreatePool { id, fd, size } = request else { return };
    init.init(id, Arc::new(map(&fd, size)));
});

requests!(wl_shm_pool::WlShmPool, Arc<Memory>, state, _object, request, memory, init, {
    let wl_shm_pool::Request::CreateBuffer { id, offset, width, height, stride, format } = request
    else {
        return;
    };
    let memory = memory.clone();
    let format = u32::from(format.into_result().expect("a known format"));
    state.shared.lock().expect("no panic").buffers += 1;
    init.init(id, Picture { memory, offset, width, height, stride, format });
});

/// Maps a pool's memory for reading, for the life of the process.
fn map(fd: &OwnedFd, size: i32) -> Memory {
    use std::os::fd::AsRawFd;
    let len = usize::try_from(size).expect("a size");
    // SAFETY: a new mapping at an address of the kernel's choice.
    let base = unsafe {
        libc::mmap(std::ptr::null_mut(), len, libc::PROT_READ, libc::MAP_SHARED, fd.as_raw_fd(), 0)
    };
    assert_ne!(base, libc::MAP_FAILED, "a pool can be mapped");
    Memory { base: base.cast(), len }
}
