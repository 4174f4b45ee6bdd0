//! `cargo xtask screens`: the same frame of programs that nobody here wrote, on the host's driver and on
//! Forerun, compared. A small library stops the clock that the programs animate by.

use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use image::RgbImage;

use crate::conformance::forerun;
use crate::display::Display;
use crate::shell::{self, Running, cargo, run_for, tail};
use crate::{Doing, Error, Result, out, picture};

/// The least similarity that is well.
const BAR: f64 = 0.99;
/// How long a program draws before its window is looked at.
const SETTLE: Duration = Duration::from_millis(2500);
/// How long a window may take to come.
const LIMIT: Duration = Duration::from_secs(40);

/// What is compared: programs and their arguments.
const SCREENS: [(&str, &[&str]); 7] = [
    ("es2gears_x11", &[]),
    ("glmark2-es2", &["-b", "build:use-vbo=true:duration=100"]),
    ("glmark2-es2", &["-b", "shading:shading=phong:duration=100"]),
    ("glmark2-es2", &["-b", "bump:bump-render=height:duration=100"]),
    ("glmark2-es2", &["-b", "effect2d:duration=100"]),
    ("glmark2-es2", &["-b", "desktop:duration=100"]),
    ("glmark2-es2", &["-b", "shadow:duration=100"]),
];

/// What `cargo xtask screens` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The backend: gl or gles; without it, both.
    #[arg(long)]
    backend: Option<String>,
    /// Where the server is.
    #[arg(long, default_value = "spawn")]
    transport: String,
    /// Compare the host's driver with itself, which shows whether the frames are really fixed.
    #[arg(long)]
    host: bool,
}

impl Args {
    /// Everything, through `spawn`.
    pub fn all() -> Args {
        Args { backend: None, transport: "spawn".to_owned(), host: false }
    }
}

/// Compares.
///
/// # Errors
/// When a program shows no window, or a picture is not like the host's.
pub fn main(args: &Args) -> Result {
    shell::need(&shell::toolchain())?;
    shell::need(&shell::programs())?;
    let packages = ["build", "--release", "-p", "forerun", "-p", "forerun-wsi", "-p", "forerund"];
    if !args.host && !cargo(&packages).status().doing("cargo build")?.success() {
        return Err(Error::new("the build failed"));
    }
    let clock = frozen_clock()?;
    let backends = match &args.backend {
        Some(one) => vec![one.as_str()],
        None => crate::conformance::BACKENDS.to_vec(),
    };
    let backends = if args.host { vec!["host"] } else { backends };
    let display = Display::new()?;
    let mut low = Vec::new();
    for (program, rest) in SCREENS {
        let name = [&[program], rest].concat().join(" ");
        let host = shot(&display, &clock, &[], program, rest)?;
        for backend in &backends {
            let prefix = if args.host { Vec::new() } else { forerun(backend, &args.transport) };
            let file = out(&format!("screens/{}-{backend}.png", file_name(&name)))?;
            let line = match shot(&display, &clock, &prefix, program, rest) {
                Ok(ours) => {
                    let likeness = picture::ssim(&host, &ours);
                    let both = picture::montage(&[host.clone(), ours], 2, host.dimensions());
                    both.save(&file).doing(file.display())?;
                    (likeness, format!("{likeness:.4}"))
                }
                Err(error) => (0.0, error.to_string()),
            };
            println!("{backend:<6}{name:<54}{}", line.1);
            if line.0 < BAR {
                low.push(format!("{name} on {backend}"));
            }
        }
    }
    if low.is_empty() {
        return Ok(());
    }
    Err(Error(format!("below {BAR}: {}; the pictures are in out/screens", low.join(", "))))
}

fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Compiles the library that stops the clock, and returns its file.
fn frozen_clock() -> Result<String> {
    let (source, library) = (out("screens/clock.c")?, out("screens/clock.so")?);
    fs::write(&source, include_str!("clock.c")).doing(source.display())?;
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl");
    let ran = run_for(&mut cc, Duration::from_secs(60))?;
    if ran.ok() { Ok(library.display().to_string()) } else { Err(Error(tail(&ran.text(), 8))) }
}

/// The window of a program some time after it came.
fn shot(
    display: &Display,
    clock: &str,
    prefix: &[String],
    program: &str,
    rest: &[&str],
) -> Result<RgbImage> {
    let look = display.look()?;
    let mut command = match prefix.split_first() {
        Some((first, more)) => {
            let mut command = Command::new(first);
            command.args(more).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(rest).env("DISPLAY", display.name());
    command.env("LD_PRELOAD", clock).env("FROZEN_CLOCK_OF", program);
    let begun = Instant::now();
    let mut running = Running::start(&mut command)?;
    let mut came: Option<Instant> = None;
    loop {
        sleep(Duration::from_millis(100));
        let picture = look.picture()?;
        if picture.is_some() {
            came.get_or_insert_with(Instant::now);
        }
        if let (Some(picture), Some(came)) = (picture, came)
            && came.elapsed() > SETTLE
            && !picture::is_blank(&picture)
        {
            return Ok(picture);
        }
        if running.ended().is_some() || begun.elapsed() > LIMIT {
            let said = tail(&String::from_utf8_lossy(&running.output()?), 6);
            return Err(Error(format!("{program} drew nothing: {said}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints how far the clock moves between two questions that lie 50 ms apart.
    const ASK: &str = "#include <stdio.h>\n#include <time.h>\nint main(void) {\n\
        struct timespec a, b, s = {0, 50000000};\n\
        clock_gettime(CLOCK_MONOTONIC, &a); nanosleep(&s, 0);\n\
        clock_gettime(CLOCK_MONOTONIC, &b); clock_gettime(CLOCK_MONOTONIC, &a);\n\
        printf(\"%ld\\n\", (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec); return 0; }\n";

    #[test]
    fn the_clock_stands_still_for_the_named_program_only() {
        let clock = frozen_clock().unwrap();
        let (source, program) = (out("screens/ask.c").unwrap(), out("screens/ask").unwrap());
        fs::write(&source, ASK).unwrap();
        let mut cc = Command::new("cc");
        cc.arg("-o").arg(&program).arg(&source);
        assert!(run_for(&mut cc, Duration::from_secs(60)).unwrap().ok());
        let moved = |of: &str| -> i64 {
            let mut command = Command::new(&program);
            command.env("LD_PRELOAD", &clock).env("FROZEN_CLOCK_OF", of);
            let ran = run_for(&mut command, Duration::from_secs(5)).unwrap();
            ran.text().trim().parse().unwrap()
        };
        assert_eq!(moved("ask"), 0);
        assert_ne!(moved("other"), 0);
    }
}
