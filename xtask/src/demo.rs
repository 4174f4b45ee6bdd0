//! `cargo xtask demo`: unmodified programs on the host's driver and on Forerun, in turn; a picture of
//! what Forerun drew and the frames per second of both.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use image::RgbImage;

use crate::conformance::forerun;
use crate::display::Display;
use crate::shell::{self, Running, Steps, cargo};
use crate::{Doing, Error, Result, picture, root};

/// What `cargo xtask demo` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What the server executes on.
    #[arg(long, default_value = "auto")]
    backend: String,
    /// Where the server is.
    #[arg(long, default_value = "spawn")]
    transport: String,
    /// How long each program runs, in seconds.
    #[arg(long, default_value_t = 6, value_name = "S")]
    seconds: u64,
    /// Draw on a display of our own even if there is another.
    #[arg(long)]
    own_display: bool,
}

/// What is shown. The line buffering is for the gears, which print and do not flush.
fn programs(seconds: u64) -> [(&'static str, Vec<String>); 4] {
    let scene = |name: &str| {
        let scene = format!("{name}:duration={seconds}.0");
        ["glmark2-es2", "-s", "640x480", "-b", &scene].map(str::to_owned).to_vec()
    };
    [
        ("es2gears_x11", ["stdbuf", "-oL", "es2gears_x11"].map(str::to_owned).to_vec()),
        ("glmark2-es2 build", scene("build")),
        ("glmark2-es2 shading", scene("shading:shading=phong")),
        ("glmark2-es2 jellyfish", scene("jellyfish")),
    ]
}

/// Installs, builds, runs, shows.
///
/// # Errors
/// When something cannot be installed or built, or a program does not draw.
pub fn main(args: &Args) -> Result {
    shell::need(&shell::toolchain())?;
    shell::need(&shell::programs())?;
    let mut steps = Steps::new("demo", 1);
    let packages = ["build", "--release", "-p", "forerun", "-p", "forerun-wsi", "-p", "forerund"];
    steps.run("build", &mut cargo(&packages))?;

    let display = if args.own_display { Display::new()? } else { Display::current_or_new()? };
    let prefix = forerun(&args.backend, &args.transport);
    let mut pictures = Vec::new();
    println!("{:<24}{:>14}{:>14}{:>8}", "frames per second", "host driver", "Forerun", "ratio");
    for (name, command) in programs(args.seconds) {
        let limit = Duration::from_secs(args.seconds + 20);
        let (host, _) = show(&display, &[], &command, limit)?;
        let (ours, shown) = show(&display, &prefix, &command, limit)?;
        let shown = shown.ok_or_else(|| Error(format!("{name} showed no window on Forerun")))?;
        println!("{name:<24}{host:>14.1}{ours:>14.1}{:>8.2}", ours / host);
        pictures.push(shown);
    }
    println!(
        "es2gears_x11 asks for one frame of each refresh of the screen: Forerun keeps it at 60 a second where the driver has no pace of its own"
    );
    let file = root().join("demo.png");
    picture::montage(&pictures, 2, (480, 360)).save(&file).doing(file.display())?;
    println!("the picture is in demo.png");
    Ok(())
}

/// Runs a program until it ends or has said its frames per second; returns those and the last picture
/// taken of its window.
fn show(
    display: &Display,
    prefix: &[String],
    command: &[String],
    limit: Duration,
) -> Result<(f64, Option<RgbImage>)> {
    let words: Vec<&String> = prefix.iter().chain(command).collect();
    let (program, rest) = words.split_first().ok_or_else(|| Error::new("no program"))?;
    let look = display.look()?;
    let mut ready = Command::new(program);
    let mut running = Running::start(ready.args(rest).env("DISPLAY", display.name()))?;
    let begun = Instant::now();
    let mut shown = None;
    loop {
        sleep(Duration::from_millis(400));
        let ended = running.ended();
        // The first picture is of a window that may not have been drawn on.
        if begun.elapsed() > Duration::from_secs(1)
            && ended.is_none()
            && let Some(picture) = look.picture()?
        {
            shown = Some(picture);
        }
        let text = String::from_utf8_lossy(&running.output()?).into_owned();
        if let Some(fps) = frames_per_second(&text) {
            return Ok((fps, shown));
        }
        if ended.is_some() || begun.elapsed() > limit {
            let said = shell::tail(&text, 12);
            let words: Vec<_> = words.iter().map(|word| word.as_str()).collect();
            return Err(Error(format!("`{}` did not draw:\n{said}", words.join(" "))));
        }
    }
}

/// The number in `… FPS: 331 FrameTime …` or in `… = 61.2 FPS`.
pub fn frames_per_second(text: &str) -> Option<f64> {
    text.lines().find_map(|line| {
        let number = match line.split_once("FPS: ") {
            Some((_, rest)) => rest.split_whitespace().next(),
            None => line.strip_suffix(" FPS").and_then(|rest| rest.split_whitespace().last()),
        };
        number?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::frames_per_second;

    #[test]
    fn both_programs_say_their_frames_per_second() {
        let glmark = "GL_VERSION: x\n[build] duration=2: FPS: 331 FrameTime: 3.030 ms\n";
        assert_eq!(frames_per_second(glmark), Some(331.0));
        assert_eq!(frames_per_second("302 frames in 5.0 seconds = 60.3 FPS\n"), Some(60.3));
        assert_eq!(frames_per_second("[build] <default>: Unsupported\n"), None);
    }
}
