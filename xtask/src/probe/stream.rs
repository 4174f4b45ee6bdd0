//! Streaming: 64 KiB that are new for every draw, by the methods that programs use; and pictures of 1920 × 1080 on their way back,
//! straight into memory and through a ring of pack buffers.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::time::Instant;

use super::Numbers;
use super::gl::{
    ARRAY_BUFFER, Enum, FLOAT, FRAMEBUFFER, Gl, RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE, gl,
};

const STREAM_DRAW: Enum = 0x88E0;
const STREAM_READ: Enum = 0x88E1;
const PIXEL_PACK_BUFFER: Enum = 0x88EB;
const COPY_WRITE_BUFFER: Enum = 0x8F37;
const MAP_READ: u32 = 1;
const MAP_WRITE: u32 = 2;
const MAP_INVALIDATE_RANGE: u32 = 4;
const MAP_UNSYNCHRONIZED: u32 = 0x20;
const MAP_PERSISTENT: u32 = 0x40;
const MAP_COHERENT: u32 = 0x80;

/// Bytes that are new for each draw.
const EACH: usize = 64 << 10;
/// Draws of a method.
const DRAWS: usize = 768;
/// Draws before a ring begins anew.
const RING: usize = 64;
/// Frames that touch a map.
const TOUCHES: usize = 64;
const PICTURE: (i32, i32) = (1920, 1080);
const PICTURES: usize = 24;

/// Measures both.
pub fn measure(gl: &Gl, numbers: &mut Numbers) {
    streams(gl, numbers);
    readbacks(gl, numbers);
}

fn mib(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn streams(gl: &Gl, numbers: &mut Numbers) {
    let mut bytes = vec![0_u8; EACH];
    let mut run = |name: &str, setup: fn(&Gl) -> Ring, put: fn(&Gl, &mut Ring, usize, &[u8])| {
        let mut ring = setup(gl);
        let mut rate = 0.0;
        // Twice: the first pass makes the driver allocate what it keeps.
        for _ in 0..2 {
            gl.finish();
            let start = Instant::now();
            for n in 0..DRAWS {
                bytes.fill(n as u8 & 1);
                put(gl, &mut ring, n, &bytes);
                gl.draw();
            }
            gl.finish();
            rate = mib(EACH * DRAWS) / start.elapsed().as_secs_f64();
        }
        numbers.insert(format!("stream 64 KiB per draw, {name} MiB/s"), rate);
        gl!(gl: delete_buffers(1, &raw const ring.buffer););
    };
    run("sub data", |gl| Ring::new(gl, EACH), |gl, _, _, bytes| gl.upload_buffer(bytes));
    run(
        "respecified",
        |gl| Ring::new(gl, EACH),
        |gl, _, _, bytes| {
            gl!(gl: buffer_data(ARRAY_BUFFER, EACH as isize, bytes.as_ptr().cast(), STREAM_DRAW););
        },
    );
    run(
        "mapped ring",
        |gl| Ring::new(gl, EACH * RING),
        |gl, ring, n, bytes| {
            let at = n % RING;
            if at == 0 {
                ring.turn(gl);
            }
            ring.put_mapped(gl, at, bytes);
        },
    );
    run(
        "orphaned ring",
        |gl| Ring::new(gl, EACH * RING),
        |gl, ring, n, bytes| {
            let at = n % RING;
            if at == 0 {
                gl!(gl: buffer_data(ARRAY_BUFFER, (EACH * RING) as isize, null(), STREAM_DRAW););
            }
            ring.put_mapped(gl, at, bytes);
        },
    );
    if !gl.has(c"GL_EXT_buffer_storage") {
        return;
    }
    run("persistent map", Ring::persistent, |gl, ring, n, bytes| {
        let at = n % RING;
        if at == 0 {
            ring.turn(gl);
        }
        if !ring.map.is_null() {
            // SAFETY: the map has RING parts of EACH bytes, and the GPU is done with this one.
            unsafe {
                ring.map.cast::<u8>().add(at * EACH).copy_from_nonoverlapping(bytes.as_ptr(), EACH);
            }
        }
        ring.read_from(gl, at);
    });
    touches(gl, numbers);
}

/// What a frame costs that changes a part of a persistent map, all of which the GPU then reads.
fn touches(gl: &Gl, numbers: &mut Numbers) {
    let ring = Ring::persistent(gl);
    let mut copy = 0;
    gl!(gl:
        gen_buffers(1, &raw mut copy);
        bind_buffer(COPY_WRITE_BUFFER, copy);
        buffer_data(COPY_WRITE_BUFFER, (EACH * RING) as isize, null(), STREAM_DRAW);
    );
    let frame = |touched: usize| {
        let start = Instant::now();
        for n in 0..TOUCHES {
            if !ring.map.is_null() {
                // SAFETY: the map has RING parts of EACH bytes, and the GPU is done with them.
                unsafe { ring.map.cast::<u8>().write_bytes(n as u8, touched) };
            }
            let all = (EACH * RING) as isize;
            gl!(gl: copy_buffer(ARRAY_BUFFER, COPY_WRITE_BUFFER, 0, 0, all););
            ring.turn(gl);
        }
        start.elapsed().as_secs_f64() * 1e6 / TOUCHES as f64
    };
    frame(EACH);
    for (name, touched) in [("nothing", 0), ("1 MiB", 1 << 20), ("4 MiB", 4 << 20)] {
        numbers.insert(
            format!("persistent map of 4 MiB, {name} touched per frame us"),
            frame(touched),
        );
    }
    gl!(gl: delete_buffers(1, &raw const copy); delete_buffers(1, &raw const ring.buffer););
}

/// A buffer that draws read from.
struct Ring {
    buffer: u32,
    map: *mut c_void,
}

impl Ring {
    fn empty(gl: &Gl) -> Ring {
        let mut buffer = 0;
        gl!(gl: gen_buffers(1, &raw mut buffer); bind_buffer(ARRAY_BUFFER, buffer););
        Ring { buffer, map: null_mut() }
    }

    fn new(gl: &Gl, size: usize) -> Ring {
        let ring = Ring::empty(gl);
        gl!(gl: buffer_data(ARRAY_BUFFER, size as isize, null(), STREAM_DRAW););
        ring.read_from(gl, 0);
        ring
    }

    fn persistent(gl: &Gl) -> Ring {
        let mut ring = Ring::empty(gl);
        let (size, access) = ((EACH * RING) as isize, MAP_WRITE | MAP_PERSISTENT | MAP_COHERENT);
        gl!(gl: buffer_storage(ARRAY_BUFFER, size, null(), access););
        // SAFETY: as in `gl!`.
        ring.map = unsafe { (gl.f.map_range)(ARRAY_BUFFER, 0, size, access) };
        ring
    }

    fn read_from(&self, gl: &Gl, part: usize) {
        let at = (part * EACH) as *const c_void;
        gl!(gl: attrib_pointer(0, 2, FLOAT, 0, 8, at););
    }

    /// Writes a part by a map of its own.
    fn put_mapped(&self, gl: &Gl, part: usize, bytes: &[u8]) {
        let access = MAP_WRITE | MAP_INVALIDATE_RANGE | MAP_UNSYNCHRONIZED;
        // SAFETY: the range lies in the buffer; what is mapped has as many bytes as were asked for.
        unsafe {
            let to = (gl.f.map_range)(ARRAY_BUFFER, (part * EACH) as isize, EACH as isize, access);
            if !to.is_null() {
                to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), EACH);
            }
            (gl.f.unmap)(ARRAY_BUFFER);
        }
        self.read_from(gl, part);
    }

    /// Waits until the GPU has read the whole ring.
    fn turn(&self, gl: &Gl) {
        // SAFETY: as in `gl!`.
        let fence = unsafe { (gl.f.fence)(0x9117, 0) };
        gl!(gl: wait_fence(fence, 1, u64::MAX / 2); delete_fence(fence););
    }
}

fn readbacks(gl: &Gl, numbers: &mut Numbers) {
    let (width, height) = PICTURE;
    let size = width as usize * height as usize * 4;
    let (mut texture, mut target) = (0, 0);
    gl!(gl:
        gen_textures(1, &raw mut texture);
        bind_texture(TEXTURE_2D, texture);
        tex_image(TEXTURE_2D, 0, RGBA8, width, height, 0, RGBA, UNSIGNED_BYTE, null());
        gen_framebuffers(1, &raw mut target);
        bind_framebuffer(FRAMEBUFFER, target);
        framebuffer_texture(FRAMEBUFFER, 0x8CE0, TEXTURE_2D, texture, 0);
    );
    let mut memory = vec![0_u8; size];
    let mut rate = |name: &str, once: &mut dyn FnMut(&Gl, usize, &mut [u8])| {
        once(gl, 0, &mut memory);
        gl.finish();
        let start = Instant::now();
        for n in 1..=PICTURES {
            gl.clear();
            once(gl, n, &mut memory);
        }
        gl.finish();
        let rate = mib(size * PICTURES) / start.elapsed().as_secs_f64();
        numbers.insert(format!("readback of 1920 x 1080, {name} MiB/s"), rate);
    };
    let read = |gl: &Gl, to: *mut c_void| {
        gl!(gl: read_pixels(0, 0, width, height, RGBA, UNSIGNED_BYTE, to););
    };
    rate("to memory", &mut |gl, _, memory| read(gl, memory.as_mut_ptr().cast()));

    let mut ring = [0_u32; 3];
    gl!(gl: gen_buffers(3, ring.as_mut_ptr()););
    for buffer in ring {
        gl!(gl:
            bind_buffer(PIXEL_PACK_BUFFER, buffer);
            buffer_data(PIXEL_PACK_BUFFER, size as isize, null(), STREAM_READ);
        );
    }
    rate("by a ring of pack buffers", &mut |gl, n, memory| {
        let at = |n: usize| ring.get(n % ring.len()).copied().unwrap_or(0);
        gl!(gl: bind_buffer(PIXEL_PACK_BUFFER, at(n)););
        read(gl, null_mut());
        // The picture of two frames ago.
        gl!(gl: bind_buffer(PIXEL_PACK_BUFFER, at(n + 1)););
        // SAFETY: the buffer has `size` bytes; what is mapped has as many as were asked for.
        unsafe {
            let from = (gl.f.map_range)(PIXEL_PACK_BUFFER, 0, size as isize, MAP_READ);
            if !from.is_null() {
                from.cast::<u8>().copy_to_nonoverlapping(memory.as_mut_ptr(), size);
            }
            (gl.f.unmap)(PIXEL_PACK_BUFFER);
        }
    });
    gl!(gl: bind_buffer(PIXEL_PACK_BUFFER, 0););
}

impl Gl {
    /// Whether the context has an extension.
    fn has(&self, name: &CStr) -> bool {
        let mut count = 0;
        gl!(self: integer(0x821D, &raw mut count););
        (0..count as u32).any(|index| {
            // SAFETY: as in `gl!`; the string lives as long as the context.
            let found = unsafe { (self.f.extension)(0x1F03, index) };
            // SAFETY: GL's strings end in a zero byte.
            !found.is_null() && unsafe { CStr::from_ptr(found) } == name
        })
    }
}
