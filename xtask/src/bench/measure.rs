//! What is measured: piglit's `drawoverhead`, glmark2's scenes, our own probe, start-up.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::contestants::Contestant;
use crate::conformance::list::piglit;
use crate::shell::{Ran, Running, run_for, tail};
use crate::{Doing, Error, Result, demo};

/// The cases of `drawoverhead -core` in piglit's release of 2022.
const CASES: u32 = 39;

/// glmark2's default scenes.
const SCENES: [&str; 33] = [
    "build:use-vbo=false",
    "build:use-vbo=true",
    "texture:texture-filter=nearest",
    "texture:texture-filter=linear",
    "texture:texture-filter=mipmap",
    "shading:shading=gouraud",
    "shading:shading=blinn-phong-inf",
    "shading:shading=phong",
    "shading:shading=cel",
    "bump:bump-render=high-poly",
    "bump:bump-render=normals",
    "bump:bump-render=height",
    "effect2d:kernel=0,1,0;1,-4,1;0,1,0;",
    "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;",
    "pulsar:light=false:quads=5:texture=false",
    "desktop:blur-radius=5:effect=blur:passes=1:separable=true:windows=4",
    "desktop:effect=shadow:windows=4",
    "buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=map",
    "buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=subdata",
    "buffer:columns=200:interleave=true:update-dispersion=0.9:update-fraction=0.5:update-method=map",
    "ideas:speed=duration",
    "jellyfish",
    "terrain",
    "shadow",
    "refract",
    "conditionals:fragment-steps=0:vertex-steps=0",
    "conditionals:fragment-steps=5:vertex-steps=0",
    "conditionals:fragment-steps=0:vertex-steps=5",
    "function:fragment-complexity=low:fragment-steps=5",
    "function:fragment-complexity=medium:fragment-steps=5",
    "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5",
    "loop:fragment-steps=5:fragment-uniform=false:vertex-steps=5",
    "loop:fragment-steps=5:fragment-uniform=true:vertex-steps=5",
];

/// One program that gives numbers.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// A case of `drawoverhead`.
    DrawOverhead(u32),
    /// A scene of glmark2.
    Scene(&'static str),
    /// `cargo xtask probe`.
    Probe,
    /// The whole life of a process that draws one pixel.
    StartUp,
}

/// The numbers of one run: name, value, unit, whether more is better.
pub type Number = (String, f64, String, bool);

/// What one run of a measure gave.
#[derive(Debug, Default)]
pub struct Taken {
    /// What the contestant called itself, where the program says it.
    pub renderer: Option<String>,
    /// The numbers.
    pub numbers: Vec<Number>,
}

/// Everything that is measured, or a part of it that takes minutes.
pub fn all(quick: bool) -> Vec<Measure> {
    let step = if quick { 6 } else { 1 };
    let mut all = vec![Measure::Probe, Measure::StartUp];
    all.extend((1..=CASES).step_by(step).map(Measure::DrawOverhead));
    all.extend(SCENES.into_iter().step_by(step).map(Measure::Scene));
    all
}

impl Measure {
    /// Its name, as `--only` and the notes know it.
    pub fn name(&self) -> String {
        match self {
            Measure::DrawOverhead(case) => format!("drawoverhead {case:02}"),
            Measure::Scene(scene) => format!("glmark2 {scene}"),
            Measure::Probe => "probe".to_owned(),
            Measure::StartUp => "start-up".to_owned(),
        }
    }

    /// Runs it once.
    ///
    /// # Errors
    /// When the program fails or says nothing that can be read.
    pub fn take(&self, who: &Contestant) -> Result<Taken> {
        let text = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        match *self {
            Measure::DrawOverhead(case) => {
                let program = piglit().join("bin/drawoverhead");
                let case = case.to_string();
                let args = text(&["-core", "-auto", "-fbo", "-nocolor", "-test", &case]);
                let (ran, share) = run_watched(who, program, &args, 60)?;
                let (name, rate) = draw_rate(&ran.text()).ok_or_else(|| unread(&ran))?;
                let mut numbers = vec![(name.clone(), rate, "kdraws/s".to_owned(), true)];
                // Draws per second of the thread's own time.
                if let Some(share) = share.filter(|_| rate > 0.0) {
                    let name = name.replacen("drawoverhead", "thread: drawoverhead", 1);
                    numbers.push((name, share * 1e6 / rate, "ns".into(), false));
                }
                Ok(Taken { renderer: None, numbers })
            }
            Measure::Scene(scene) => {
                let args = text(&["-b", &format!("{scene}:duration=1.0")]);
                let ran = run(who, "glmark2-es2".into(), &args, 90)?;
                let fps = demo::frames_per_second(&ran.text()).ok_or_else(|| unread(&ran))?;
                Ok(Taken { renderer: None, numbers: vec![(self.name(), fps, "fps".into(), true)] })
            }
            Measure::Probe => {
                let mut args = text(&["probe"]);
                args.extend(who.server.map(|pid| format!("--server={pid}")));
                probe(&run(who, own()?, &args, 120)?)
            }
            Measure::StartUp => {
                let ran = run(who, own()?, &text(&["probe", "--first-pixel"]), 60)?;
                let whole = ran.took.as_secs_f64() * 1e3;
                let name = "start-up: a process that draws one pixel".to_owned();
                Ok(Taken { renderer: None, numbers: vec![(name, whole, "ms".into(), false)] })
            }
        }
    }
}

fn own() -> Result<PathBuf> {
    std::env::current_exe().doing("the probe")
}

/// The last part of a run, in which `drawoverhead` draws and does nothing else.
const WATCHED: Duration = Duration::from_millis(400);

/// Runs a program, and tells which share of a core its first thread took in the end.
fn run_watched(
    who: &Contestant,
    program: PathBuf,
    args: &[String],
    seconds: u64,
) -> Result<(Ran, Option<f64>)> {
    let running = Running::start(&mut prepared(who, &program, args))?;
    let statistics = format!("/proc/{0}/task/{0}/schedstat", running.id());
    let mut samples: Vec<(Instant, f64)> = Vec::new();
    let ran = running.wait_with(Duration::from_secs(seconds), || {
        let text = std::fs::read_to_string(&statistics).unwrap_or_default();
        let nanoseconds = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
        samples.extend(nanoseconds.map(|ns| (Instant::now(), ns / 1e9)));
    })?;
    if !ran.ok() {
        return Err(unread(&ran));
    }
    Ok((ran, share(&samples)))
}

/// The share of a core between the samples that bound the last [`WATCHED`].
fn share(samples: &[(Instant, f64)]) -> Option<f64> {
    let (end, last) = samples.last()?;
    let (start, first) = samples.iter().rfind(|(at, _)| *end - *at >= WATCHED)?;
    Some((last - first) / (*end - *start).as_secs_f64())
}

fn run(who: &Contestant, program: PathBuf, args: &[String], seconds: u64) -> Result<Ran> {
    let ran = run_for(&mut prepared(who, &program, args), Duration::from_secs(seconds))?;
    if ran.ok() { Ok(ran) } else { Err(unread(&ran)) }
}

fn prepared(who: &Contestant, program: &Path, args: &[String]) -> Command {
    let mut command = who.command(program, args);
    command.env("PIGLIT_PLATFORM", "surfaceless_egl").env("PIGLIT_NO_WINDOW", "1");
    // Otherwise the host's driver would wait for a refresh that Xvfb does not have.
    command.env("vblank_mode", "0");
    command
}

fn unread(ran: &Ran) -> Error {
    let said = tail(&ran.text(), 4).replace('\n', "; ");
    Error(format!("no number, but after {:.1} s `{said}`", ran.took.as_secs_f64()))
}

/// The name and the rate in `   7, DrawElements ( 1 VBO| …) w/ shader program change,   389, 100.0%`.
fn draw_rate(text: &str) -> Option<(String, f64)> {
    text.lines().find_map(|line| {
        let (number, rest) = line.split_once(", ")?;
        let number: u32 = number.trim().parse().ok()?;
        let mut parts = rest.rsplitn(3, ',');
        let (_, rate, name) = (parts.next()?, parts.next()?, parts.next()?);
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((format!("drawoverhead {number:02} {name}"), rate.trim().parse().ok()?))
    })
}

fn probe(ran: &Ran) -> Result<Taken> {
    let text = ran.text();
    let said = text.lines().find(|line| line.starts_with('{')).ok_or_else(|| unread(ran))?;
    let said: serde_json::Value = serde_json::from_str(said).doing("the probe")?;
    let renderer = said.get("renderer").and_then(|r| r.as_str()).map(str::to_owned);
    let mut taken = Taken { renderer, numbers: Vec::new() };
    let numbers = said.get("numbers").and_then(|n| n.as_object()).ok_or_else(|| unread(ran))?;
    for (name, value) in numbers {
        let (name, unit) = name.rsplit_once(' ').unwrap_or((name, ""));
        let value = value.as_f64().ok_or_else(|| unread(ran))?;
        taken.numbers.push((format!("probe: {name}"), value, unit.to_owned(), unit == "MiB/s"));
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawoverheads_line_is_read() {
        let text = "Running only test 7\n   #, Test name   ,    Thousands draws/s, Difference vs the 1st\n   \
                    7, DrawElements ( 1 VBO| 0 UBO|  0    ) w/ shader program change,     389, 100.0%\n";
        let (name, rate) = draw_rate(text).unwrap();
        assert_eq!(
            name,
            "drawoverhead 07 DrawElements ( 1 VBO| 0 UBO| 0 ) w/ shader program change"
        );
        assert!((rate - 389.0).abs() < 1e-9);
        assert!(draw_rate("   #, Test name, x, y\n").is_none());
    }

    #[test]
    fn the_share_is_of_the_end() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        // A whole core at first, a quarter of one in the end.
        let samples = [(at(0), 0.0), (at(1000), 1.0), (at(1200), 1.05), (at(1400), 1.1)];
        assert!((share(&samples).unwrap() - 0.25).abs() < 1e-9);
        assert_eq!(share(&samples[..1]), None);
    }

    #[test]
    fn a_quick_run_has_some_of_everything() {
        let names: Vec<_> = all(true).iter().map(Measure::name).collect();
        for part in ["drawoverhead 01", "glmark2 build", "probe", "start-up"] {
            assert!(names.iter().any(|name| name.starts_with(part)), "{part}");
        }
        assert!(names.len() * 3 < all(false).len());
    }
}
