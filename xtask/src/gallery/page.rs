//! `docs/gallery.md` and its pictures.

use std::fmt::Write;

use image::{RgbImage, imageops};

use super::{Args, BAR, Row, traces};
use crate::{Doing, Result, picture, root};

/// Pixels of a kept pair of pictures, which keeps the tree small.
const WIDTH: u32 = 480;

/// Keeps a small picture of a pair, the host's on the left.
pub fn keep(name: &str, pair: &[RgbImage; 2]) -> Result {
    let sides = pair[0].dimensions();
    let both = picture::montage(pair, 2, sides);
    let height = (both.height() * WIDTH / both.width().max(1)).max(1);
    let small = imageops::resize(&both, WIDTH, height, imageops::FilterType::CatmullRom);
    let file = root().join(format!("docs/gallery/{name}.png"));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).doing(folder.display())?;
    }
    small.save(&file).doing(file.display())
}

/// What a program asked for, from what the client library logs: toolkits try many contexts, and draw with the last one.
pub fn asked(said: &str) -> String {
    let mut asked = said.lines().filter_map(|line| {
        let (_, told) = line.split_once("a context: ")?;
        Some(told.split_once(" is asked for")?.0)
    });
    asked.next_back().unwrap_or("no context").to_owned()
}

/// Frames that the server showed, from what it logs at the end of each session.
pub fn frames(said: &str) -> Option<u64> {
    let numbers = said.lines().filter_map(|line| {
        let (before, _) = line.split_once(" frames shown")?;
        before.rsplit(' ').next()?.parse::<u64>().ok()
    });
    numbers.fold(None, |sum, n| Some(sum.unwrap_or(0) + n))
}

/// Whether the picture stands still, in a word. One that moves by turns may look still for a moment, so the program must also be known for it.
fn moves(row: &Row) -> &'static str {
    if row.still && row.program.still { "still" } else { "moves" }
}

/// The row as the console has it.
pub fn line(row: &Row) -> String {
    let frames = row.frames.map_or("-".to_owned(), |frames| frames.to_string());
    let moves = moves(row);
    match &row.outcome {
        Ok(likeness) => format!(
            "{:<24}{:<8}{likeness:<8.4}{frames:>8} frames  {}",
            row.program.name, moves, row.asked
        ),
        Err(why) => format!("{:<24}{why}", row.program.name),
    }
}

/// The row of a trace as the console has it.
pub fn trace_line(row: &traces::Row) -> String {
    let [replay, record] = trace_cells(row);
    format!(
        "{:<24}{:<4}{:>6} frames  replayed {replay}, recorded {record}",
        row.name, row.api, row.frames
    )
}

fn trace_cells(row: &traces::Row) -> [String; 2] {
    let clean = |why: &String| why.replace(['\n', '|'], " ");
    let replay = row.replay.as_ref().map_or_else(clean, |likeness| format!("{likeness:.4}"));
    let record = |(frames, likeness): &(usize, f64)| format!("{frames} frames, {likeness:.4}");
    [replay, row.record.as_ref().map_or_else(clean, record)]
}

/// The page.
pub fn page(rows: &[Row], traced: &[traces::Row], args: &Args) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# Gallery\n\n<!-- Written by `cargo xtask gallery`; do not edit. -->\n\n\
         Programs as Debian has them, each run for {} s under Xvfb on the host's driver and through `forerun run --backend {} \
         --transport {}`. Of each pair of pictures the left one is the host's. The similarity (SSIM) is that of the pictures in \
         full size; where a picture stands still it is to be {BAR} or more. A picture that moves shows two moments.\n",
        args.seconds, args.backend, args.transport
    );
    out.push_str("| program | package, toolkit | asks for | result | SSIM | picture | frames |\n");
    out.push_str("|---|---|---|---|---|---|---|\n");
    for row in rows {
        let program = &row.program;
        let (result, likeness) = match &row.outcome {
            Ok(likeness) => {
                let well = if row.fault().is_none() { "runs" } else { "runs, and differs" };
                (well.to_owned(), format!("{likeness:.4}"))
            }
            Err(why) => (why.replace(['\n', '|'], " "), "–".to_owned()),
        };
        let frames = row.frames.map_or("–".to_owned(), |frames| frames.to_string());
        let _ = writeln!(
            out,
            "| {} | {}, {} | {}, {} | {result} | {likeness} | {} | {frames} |",
            program.name,
            program.package,
            program.toolkit,
            program.api.name(),
            row.asked,
            moves(row),
        );
    }
    if !traced.is_empty() {
        let _ = writeln!(
            out,
            "\n## Traces\n\nEach program was traced with apitrace on the host's driver, and the trace replayed there and on Forerun \
             (`glretrace`, `eglretrace`): the least SSIM of snapshots of the second frame, a middle one and the last one. It was also \
             traced on Forerun, and that trace replayed on the host: its frames, and the SSIM of its last one to the nearest snapshot of the \
             other trace, which means something where the picture stands still.\n\n\
             | program | API | frames | replayed on Forerun | recorded on Forerun |\n|---|---|---|---|---|"
        );
        for row in traced {
            let [replay, record] = trace_cells(row);
            let _ = writeln!(
                out,
                "| {} | {} | {} | {replay} | {record} |",
                row.name, row.api, row.frames
            );
        }
        out.push_str("\n## Pictures\n");
    }
    for row in rows.iter().filter(|row| row.outcome.is_ok()) {
        let name = row.program.name;
        let _ = writeln!(out, "\n`{name}`\n\n![{name}](gallery/{name}.png)");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_and_shown_is_read_from_the_log() {
        let said = "forerun: info a context: OpenGL 3.3 core is asked for, OpenGL 4.5 core given\n\
            Warning: nothing\n\
            forerun: info a context: OpenGL 3.3 core is asked for, OpenGL 4.5 core given\n\
            forerun: info a context: OpenGL ES 2.0 is asked for, OpenGL ES 3.2 given\n\
            forerund[7] info: session ended: the client hung up; 120 frames shown, 3 objects freed\n\
            forerund[9] info: session ended: the client hung up; 5 frames shown, 0 objects freed\n";
        assert_eq!(asked(said), "OpenGL ES 2.0");
        assert_eq!(frames(said), Some(125));
        assert_eq!(frames("nothing\n"), None);
    }

    #[test]
    fn a_kept_pair_is_small() {
        let pair = [RgbImage::new(1280, 1024), RgbImage::new(1280, 1024)];
        let both = picture::montage(&pair, 2, pair[0].dimensions());
        assert!(both.width() > WIDTH);
        assert!(both.height() * WIDTH / both.width() < 200);
    }
}
