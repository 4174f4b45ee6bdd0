//! `cargo xtask gallery --traces`: apitrace's traces of the programs. One recorded on the host's driver is replayed there and on Forerun,
//! and what both show at the same calls is compared; another is recorded on Forerun and replayed on the host. Traces stay in `out/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use image::RgbImage;

use super::programs::Program;
use super::{BAR, GRACE};
use crate::display::Display;
use crate::shell::{self, Counter, Running, run_for, tail};
use crate::{Doing, Error, Result, out, picture};

/// How long a program is traced.
const LENGTH: Duration = Duration::from_secs(15);
/// How long a replay may take: a trace of seconds may be of minutes where the CPU draws and snapshots are read back.
const LIMIT: Duration = Duration::from_secs(400);
/// Snapshots of a trace: of the second frame, of the last, and between. A replay's window may still be changing its size in the first
/// one, and what it then holds is undefined on any driver.
const SNAPSHOTS: usize = 3;

/// What became of a program's traces.
pub struct Row {
    /// The program.
    pub name: &'static str,
    /// How it was traced.
    pub api: &'static str,
    /// Frames of the host's trace.
    pub frames: usize,
    /// The least similarity of a snapshot to the host's.
    pub replay: std::result::Result<f64, String>,
    /// Frames of a trace recorded on Forerun, and how like a snapshot of the host's its last one is, where pictures stand still.
    pub record: std::result::Result<(usize, f64), String>,
    still: bool,
}

impl Row {
    /// What is wrong, if anything is.
    pub fn fault(&self) -> Option<String> {
        let name = self.name;
        match (&self.replay, &self.record) {
            (Err(why), _) => Some(format!("{name}'s replay: {why}")),
            (_, Err(why)) => Some(format!("{name}'s recording: {why}")),
            (Ok(likeness), _) if *likeness < BAR => {
                Some(format!("{name}'s replay: similarity {likeness:.4}"))
            }
            (_, Ok((_, likeness))) if self.still && *likeness < BAR => {
                Some(format!("{name}'s recording: similarity {likeness:.4}"))
            }
            _ => None,
        }
    }
}

/// Records and replays every program that can be traced.
///
/// # Errors
/// When apitrace cannot be installed or a program cannot be traced on the host.
pub fn all<'a>(
    display: &Display,
    prefix: &[String],
    programs: impl Iterator<Item = &'a Program>,
) -> Result<Vec<Row>> {
    shell::need(&[("apitrace".into(), "apitrace"), ("glretrace".into(), "apitrace")])?;
    let traced: Vec<&Program> = programs.filter(|p| p.trace.is_some()).collect();
    let mut counter = Counter::new("traces", traced.len());
    let mut rows = Vec::new();
    for program in traced {
        let row = one(display, prefix, program)?;
        counter.step(&row.fault().unwrap_or_else(|| format!("{}'s traces are well", row.name)));
        rows.push(row);
    }
    Ok(rows)
}

fn one(display: &Display, prefix: &[String], program: &Program) -> Result<Row> {
    let on_host = |what: String| Error(format!("{} traced on the host: {what}", program.name));
    let trace = record(display, &[], program, "host")?;
    let calls = frame_calls(&trace)?;
    if calls.is_empty() {
        return Err(on_host("no frame was recorded".into()));
    }
    let chosen = choose(&calls);
    let host = replay(display, &[], program, &trace, &chosen, "host")?.map_err(on_host)?;
    let ours = replay(display, prefix, program, &trace, &chosen, "forerun")?;
    let replayed = ours.and_then(|ours| least(&host, &ours));
    let record = recorded_on_us(display, prefix, program, &host)?;
    Ok(Row {
        name: program.name,
        api: program.trace.map_or("", |trace| trace.api),
        frames: calls.len(),
        replay: replayed,
        record,
        still: program.still,
    })
}

/// Traces a program on Forerun and replays that on the host.
fn recorded_on_us(
    display: &Display,
    prefix: &[String],
    program: &Program,
    host: &[(u64, RgbImage)],
) -> Result<std::result::Result<(usize, f64), String>> {
    let trace = record(display, prefix, program, "forerun")?;
    let calls = frame_calls(&trace)?;
    let Some(last) = calls.last() else { return Ok(Err("no frame was recorded".into())) };
    let shown = replay(display, &[], program, &trace, &[*last], "recorded")?;
    Ok(shown.and_then(|shown| match shown.last() {
        Some((_, ours)) => {
            // How many frames a program draws before it ends is chance: the last one here may be an earlier one there.
            let all = host.iter().map(|(_, host)| picture::ssim(host, ours));
            Ok((calls.len(), all.fold(0.0, f64::max)))
        }
        None => Err("no snapshot was taken".into()),
    }))
}

fn folder(program: &Program) -> Result<PathBuf> {
    let file = out(&format!("gallery/traces/{}/host.trace", program.name))?;
    file.parent().map(Path::to_owned).ok_or_else(|| Error::new("out/gallery has no folder"))
}

/// Runs a program under apitrace for some time and gives the trace.
fn record(display: &Display, prefix: &[String], program: &Program, side: &str) -> Result<PathBuf> {
    let trace = program.trace.ok_or_else(|| Error::new("the program is not traced"))?;
    let file = folder(program)?.join(format!("{side}.trace"));
    let _ = fs::remove_file(&file);
    let mut words: Vec<String> = prefix.to_vec();
    words.extend(["apitrace", "trace", "--api", trace.api, "-o"].map(str::to_owned));
    words.push(file.display().to_string());
    words.extend(program.command.iter().cloned());
    let mut command = super::ready(&words, display, program)?;
    command.envs(trace.environment.iter().copied());
    // What ends by itself has its trace whole in any case.
    command.env("GALLERY_SECONDS", (LENGTH.as_secs() / 2).to_string());
    let begun = Instant::now();
    let mut running = Running::start(&mut command)?;
    while begun.elapsed() < LENGTH && running.ended().is_none() {
        std::thread::sleep(Duration::from_millis(100));
    }
    running.ask_all_to_end(GRACE);
    let said = String::from_utf8_lossy(&running.output()?).into_owned();
    let log = file.with_extension(format!("{side}.log"));
    fs::write(&log, &said).doing(log.display())?;
    if file.is_file() {
        return Ok(file);
    }
    Err(Error(format!("{} left no trace: {}", program.name, tail(&said, 4))))
}

/// The calls that end frames.
fn frame_calls(trace: &Path) -> Result<Vec<u64>> {
    let mut dump = Command::new("apitrace");
    dump.args(["dump", "--color=never", "--calls=frame"]).arg(trace);
    let ran = run_for(&mut dump, LIMIT)?;
    Ok(ran.text().lines().filter_map(call_number).collect())
}

/// The number that a line of a dump begins with.
fn call_number(line: &str) -> Option<u64> {
    line.split(' ').next()?.parse().ok()
}

/// Some of the calls, the second and the last among them.
fn choose(calls: &[u64]) -> Vec<u64> {
    let calls = calls.get(1..).filter(|rest| !rest.is_empty()).unwrap_or(calls);
    let last = calls.len().saturating_sub(1);
    let at = |step: usize| calls.get(last * step / (SNAPSHOTS - 1)).copied();
    (0..SNAPSHOTS).filter_map(at).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Replays a trace and gives the snapshots at those calls; or why there are none.
fn replay(
    display: &Display,
    prefix: &[String],
    program: &Program,
    trace: &Path,
    calls: &[u64],
    side: &str,
) -> Result<std::result::Result<Vec<(u64, RgbImage)>, String>> {
    let api = program.trace.map_or("gl", |trace| trace.api);
    let shots = folder(program)?.join(format!("{side}-"));
    let wanted: Vec<String> = calls.iter().map(u64::to_string).collect();
    let mut words = prefix.to_vec();
    words.push(if api == "egl" { "eglretrace" } else { "glretrace" }.to_owned());
    words.extend(["-S".to_owned(), wanted.join(","), "-s".to_owned()]);
    words.extend([shots.display().to_string(), trace.display().to_string()]);
    let ran = run_for(&mut super::ready(&words, display, program)?, LIMIT)?;
    let log = folder(program)?.join(format!("replay-{side}.log"));
    fs::write(&log, &ran.output).doing(log.display())?;
    let mut pictures = Vec::new();
    for call in calls {
        let file = PathBuf::from(format!("{}{call:010}.png", shots.display()));
        match image::open(&file) {
            Ok(picture) => pictures.push((*call, picture.to_rgb8())),
            Err(_) => {
                return Ok(Err(format!("no snapshot at call {call}: {}", tail(&ran.text(), 3))));
            }
        }
        // A later run must not find what this one left.
        let kept = folder(program)?.join(format!("kept-{side}-{call}.png"));
        fs::rename(&file, &kept).doing(kept.display())?;
    }
    Ok(Ok(pictures))
}

/// The least similarity of two rows of snapshots.
fn least(host: &[(u64, RgbImage)], ours: &[(u64, RgbImage)]) -> std::result::Result<f64, String> {
    if host.len() != ours.len() {
        return Err(format!("{} snapshots, and {} on the host", ours.len(), host.len()));
    }
    let all = host.iter().zip(ours).map(|((_, a), (_, b))| picture::ssim(a, b));
    Ok(all.fold(1.0, f64::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_and_chosen() {
        assert_eq!(call_number("4817 glXSwapBuffers(dpy = 0x55, drawable = 2)"), Some(4817));
        assert_eq!(call_number("// process.name = \"kitty\""), None);
        assert_eq!(choose(&[5]), [5]);
        assert_eq!(choose(&[5, 9]), [9]);
        assert_eq!(choose(&[1, 2, 3, 4, 5, 6]), [2, 4, 6]);
    }
}
