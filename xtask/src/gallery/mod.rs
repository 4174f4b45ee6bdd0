//! `cargo xtask gallery`: real programs on the host's driver and on Forerun, a picture of each, compared. Not a part of the tests: it takes
//! minutes, and what a desktop program shows depends on more than GL.

mod page;
mod programs;
mod traces;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use image::RgbImage;

use crate::conformance::forerun;
use crate::display::Display;
use crate::shell::{self, Counter, Running, cargo, tail};
use crate::{Doing, Error, Result, out, picture, root};
use programs::Program;

/// The least similarity that is well.
const BAR: f64 = 0.99;
/// Two pictures of one program that are at least so much alike show that it stands still; a lamp may glimmer.
const STILL: f64 = 0.998;
/// How long a program may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);
/// Two pictures of a program this far apart show whether it stands still.
const PAUSE: Duration = Duration::from_secs(2);

/// What `cargo xtask gallery` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What the server executes on: gl or gles.
    #[arg(long, default_value = "gl")]
    backend: String,
    /// Where the server is.
    #[arg(long, default_value = "spawn")]
    transport: String,
    /// The programs whose name contains this.
    #[arg(long, default_value = "", value_name = "NAME")]
    only: String,
    /// Record and replay traces too.
    #[arg(long)]
    traces: bool,
    /// How long each program runs, in seconds.
    #[arg(long, default_value_t = 30, value_name = "S")]
    seconds: u64,
}

/// What a program showed.
struct Shown {
    picture: RgbImage,
    /// Its picture some time earlier was the same.
    still: bool,
    said: String,
}

/// One line of the table.
struct Row {
    program: Program,
    asked: String,
    frames: Option<u64>,
    still: bool,
    outcome: std::result::Result<f64, String>,
}

impl Row {
    /// What is wrong, if anything is.
    fn fault(&self) -> Option<String> {
        let name = self.program.name;
        match &self.outcome {
            Err(why) => Some(format!("{name}: {why}")),
            Ok(_) if self.program.still && !self.still => {
                Some(format!("{name} is said to stand still and does not"))
            }
            Ok(likeness) if self.program.still && *likeness < BAR => {
                Some(format!("{name}: similarity {likeness:.4}"))
            }
            Ok(_) => None,
        }
    }
}

/// Runs the programs, keeps their pictures, writes the page.
///
/// # Errors
/// When something cannot be installed or built, a program shows nothing, or a still picture is not the host's.
pub fn main(args: &Args) -> Result {
    let chosen: Vec<Program> =
        programs::all().into_iter().filter(|p| p.name.contains(&args.only)).collect();
    if chosen.is_empty() {
        return Err(Error(format!("no program is named like `{}`", args.only)));
    }
    shell::need(&shell::toolchain())?;
    shell::need(&shell::programs())?;
    let need = |p: &Program| Some((p.command.first()?.clone(), p.package));
    let needs: Vec<_> = chosen.iter().filter_map(need).collect();
    shell::need(&needs)?;
    let packages = ["build", "--release", "-p", "forerun", "-p", "forerun-wsi", "-p", "forerund"];
    if !cargo(&packages).status().doing("cargo build")?.success() {
        return Err(Error::new("the build failed"));
    }
    let display = Display::new()?;
    let prefix = forerun(&args.backend, &args.transport);
    let length = Duration::from_secs(args.seconds);
    let mut counter = Counter::new("gallery", chosen.len());
    let mut rows = Vec::new();
    for program in chosen {
        let row = compare(&display, &prefix, program, length)?;
        counter.step(&row.fault().unwrap_or_else(|| format!("{} is well", row.program.name)));
        rows.push(row);
    }
    drop(counter);
    let traced = match args.traces {
        true => traces::all(&display, &prefix, rows.iter().map(|row| &row.program))?,
        false => Vec::new(),
    };
    for row in &rows {
        println!("{}", page::line(row));
    }
    for row in &traced {
        println!("{}", page::trace_line(row));
    }
    // A part of the programs would write a part of the page.
    if args.only.is_empty() {
        let file = root().join("docs/gallery.md");
        fs::write(&file, page::page(&rows, &traced, args)).doing(file.display())?;
        println!("wrote docs/gallery.md");
    }
    let faults = rows.iter().filter_map(Row::fault);
    let faults: Vec<_> = faults.chain(traced.iter().filter_map(traces::Row::fault)).collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(Error(format!("{}; pictures and logs are in out/gallery", faults.join("; "))))
}

/// Runs a program twice and keeps the pictures, large ones in `out/gallery` and small ones in `docs/gallery`.
fn compare(
    display: &Display,
    prefix: &[String],
    program: Program,
    length: Duration,
) -> Result<Row> {
    // What shows nothing is run once more: a toolkit on a machine under load may miss its window's first frame, on any driver.
    let twice = |prefix: &[String], side: &str| match show(display, prefix, &program, length, side)?
    {
        Ok(shown) => Ok(Ok(shown)),
        Err(_) => show(display, prefix, &program, length, side),
    };
    let host =
        twice(&[], "host")?.map_err(|why| Error(format!("{} on the host: {why}", program.name)))?;
    let ours = twice(prefix, "forerun")?;
    let (outcome, still, said) = match ours {
        Ok(ours) => {
            let pair = [host.picture.clone(), ours.picture.clone()];
            let both = picture::montage(&pair, 2, host.picture.dimensions());
            let file = out(&format!("gallery/{}.png", program.name))?;
            both.save(&file).doing(file.display())?;
            page::keep(program.name, &pair)?;
            (Ok(picture::ssim(&host.picture, &ours.picture)), host.still && ours.still, ours.said)
        }
        Err(why) => (Err(why.clone()), false, why),
    };
    Ok(Row { asked: page::asked(&said), frames: page::frames(&said), program, still, outcome })
}

/// A home of nobody: a program's own settings are the same in every run.
fn home() -> Result<PathBuf> {
    let home = out("gallery/nobody/config")?.parent().map(PathBuf::from);
    let home = home.ok_or_else(|| Error::new("out/gallery has no folder"))?;
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).doing(home.display())?;
    Ok(home)
}

/// A command in a program's environment, with a new home.
fn ready(words: &[String], display: &Display, program: &Program) -> Result<Command> {
    let home = home()?;
    let (first, rest) = words.split_first().ok_or_else(|| Error::new("no program"))?;
    let mut command = Command::new(first);
    command.args(rest).current_dir(&home).env("DISPLAY", display.name());
    command.env("HOME", &home).env("XDG_RUNTIME_DIR", &home).env("FORERUN_LOG", "info");
    for folder in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env(folder, home.join(folder));
    }
    command.env("LC_ALL", "C.UTF-8").env_remove("WAYLAND_DISPLAY");
    command.envs(program.environment.iter().copied());
    Ok(command)
}

/// What a program printed, and its servers at the ends of their sessions, which they reach when the program is gone.
fn last_words(running: &mut Running) -> Result<String> {
    let begun = Instant::now();
    loop {
        let said = String::from_utf8_lossy(&running.output()?).into_owned();
        let count = |what: &str| said.matches(what).count();
        if count("session ended") >= count("info session with") || begun.elapsed() > GRACE {
            return Ok(said);
        }
        sleep(Duration::from_millis(50));
    }
}

/// The window of a program at the end of its time; or why there is none, with what it printed.
fn show(
    display: &Display,
    prefix: &[String],
    program: &Program,
    length: Duration,
    side: &str,
) -> Result<std::result::Result<Shown, String>> {
    let look = display.look()?;
    let words: Vec<String> = prefix.iter().chain(&program.command).cloned().collect();
    let mut command = ready(&words, display, program)?;
    let begun = Instant::now();
    let mut running = Running::start(&mut command)?;
    let mut earlier = None;
    let mut ended = None;
    while begun.elapsed() < length && ended.is_none() {
        sleep(Duration::from_millis(100));
        ended = running.ended();
        if earlier.is_none() && begun.elapsed() + PAUSE > length {
            earlier = look.picture()?;
        }
    }
    let picture = if ended.is_none() { look.picture()? } else { None };
    running.ask_to_end(GRACE);
    let said = last_words(&mut running)?;
    let log = out(&format!("gallery/{}-{side}.log", program.name))?;
    fs::write(&log, &said).doing(log.display())?;
    Ok(match (picture, ended) {
        (Some(picture), _) if !picture::is_blank(&picture) => {
            let still = earlier.is_some_and(|earlier| picture::ssim(&earlier, &picture) > STILL);
            Ok(Shown { picture, still, said })
        }
        (_, Some(status)) => Err(format!("it ended early, {status}: {}", tail(&said, 4))),
        (Some(_), None) => Err("its window is blank".to_owned()),
        (None, None) => Err("it shows no window".to_owned()),
    })
}
