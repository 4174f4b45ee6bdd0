//! `cargo xtask probe`: a small EGL and OpenGL ES 3 program that measures what it runs on and prints
//! the numbers as JSON. `bench` runs it on every contestant; it knows none of them.

mod gl;
mod memory;
mod stream;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::{Doing, Result};
use gl::Gl;

/// What `cargo xtask probe` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The process whose memory and children count as the server; without it, our own children.
    #[arg(long)]
    server: Option<u32>,
    /// Stop after the first pixel, as start-up is measured.
    #[arg(long)]
    first_pixel: bool,
    /// How many draws a case does.
    #[arg(long, default_value_t = 20_000)]
    draws: u32,
}

/// The numbers, by name. Names end in their unit.
pub type Numbers = BTreeMap<String, f64>;

/// The side of the textures and pictures that are moved, in pixels.
const SIDE: i32 = 1024;
/// How often a big thing is moved.
const MOVES: usize = 24;

/// Measures and prints.
///
/// # Errors
/// When there is no EGL or no OpenGL ES 3 context.
pub fn main(args: &Args) -> Result {
    let begun = Instant::now();
    let gl = Gl::start()?;
    let mut numbers = Numbers::new();
    let renderer = gl.renderer();
    gl.clear();
    gl.read_pixel();
    numbers.insert("first pixel ms".into(), ms(begun.elapsed()));
    if !args.first_pixel {
        draws(&gl, args.draws, &mut numbers);
        moves(&gl, &mut numbers);
        round_trips(&gl, &mut numbers);
        stream::measure(&gl, &mut numbers);
        numbers.extend(memory::numbers(args.server));
    }
    let error = gl.error();
    let said = serde_json::json!({ "renderer": renderer, "gl_error": error, "numbers": numbers });
    println!("{}", serde_json::to_string(&said).doing("the numbers")?);
    Ok(())
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

fn thread_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// What changes between two draws, given the number of the draw.
type Change = fn(&Gl, u32);

/// The cases of draws.
const CASES: [(&str, Change); 6] = [
    ("no change", |_, _| {}),
    ("uniform", |gl, n| gl.set_uniform(n as f32 * 1e-6)),
    ("texture", |gl, n| gl.bind_texture(n as usize & 1)),
    ("vertex array", |gl, n| gl.bind_array(n as usize & 1)),
    ("blend", |gl, n| gl.set_blend(n & 1 == 0)),
    ("64 byte buffer update", |gl, n| gl.update_buffer(n)),
];

fn draws(gl: &Gl, count: u32, numbers: &mut Numbers) {
    for (name, change) in CASES {
        // Twice: the first pass makes the driver compile what it compiles late.
        for pass in 0..2 {
            let (wall, cpu) = (Instant::now(), thread_seconds());
            for n in 0..count {
                change(gl, n);
                gl.draw();
            }
            let cpu = thread_seconds() - cpu;
            gl.finish();
            let wall = wall.elapsed();
            if pass == 1 {
                let each = f64::from(count) / 1e9;
                numbers.insert(format!("draw, {name}: wall ns"), wall.as_secs_f64() / each);
                numbers.insert(format!("draw, {name}: thread ns"), cpu / each);
            }
        }
        gl.set_blend(false);
    }
}

fn moves(gl: &Gl, numbers: &mut Numbers) {
    // A picture for each move: bytes that were just moved would still lie in a cache.
    let size = (SIDE * SIDE * 4) as usize;
    let mut pictures: Vec<Vec<u8>> = (0..MOVES).map(|n| vec![n as u8; size]).collect();
    let mut rate = |name: &str, once: fn(&Gl, &mut [u8])| {
        pictures.iter_mut().take(1).for_each(|picture| once(gl, picture));
        gl.finish();
        let start = Instant::now();
        pictures.iter_mut().for_each(|picture| once(gl, picture));
        gl.finish();
        let mib = (size * MOVES) as f64 / f64::from(1 << 20);
        numbers.insert(format!("{name} MiB/s"), mib / start.elapsed().as_secs_f64());
    };
    rate("texture upload", |gl, picture| gl.upload_texture(SIDE, picture));
    rate("buffer upload", |gl, picture| gl.upload_buffer(picture));
    rate("readback", |gl, picture| gl.read_back(SIDE, picture));
}

fn round_trips(gl: &Gl, numbers: &mut Numbers) {
    let mut each: Vec<f64> = (0..1000)
        .map(|_| {
            let start = Instant::now();
            gl.draw();
            gl.read_pixel();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    each.sort_by(f64::total_cmp);
    let at = |part: usize| each.get(each.len() * part / 100).copied().unwrap_or(0.0);
    numbers.insert("draw and read one pixel us".into(), at(50));
    numbers.insert("draw and read one pixel, 99 of 100 us".into(), at(99));
}
