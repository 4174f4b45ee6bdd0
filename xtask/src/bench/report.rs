//! The page: what ran, the ratios in short, every number.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use super::contestants::HOST;
use super::{Results, Series, median};
use crate::root;

/// What the run was made on.
pub fn machine(rounds: usize) -> Vec<(String, String)> {
    let said = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).current_dir(root()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(": ")?.1.to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut all = vec![
        ("processor".to_owned(), cpu.unwrap_or_else(|| "unknown".into())),
        ("cores".to_owned(), cores.to_string()),
        ("rounds".to_owned(), rounds.to_string()),
    ];
    let commit = said("git", &["rev-parse", "--short", "HEAD"]);
    all.extend(commit.map(|commit| ("commit".to_owned(), commit)));
    all.extend(said("date", &["-u", "+%Y-%m-%d"]).map(|date| ("date".to_owned(), date)));
    all.extend(said("uname", &["-sr"]).map(|kernel| ("kernel".to_owned(), kernel)));
    all
}

/// The groups of the short table: the title, the start of the names, and the end of the names.
const GROUPS: [(&str, &str, &str); 10] = [
    ("drawoverhead, draws per second", "drawoverhead", ""),
    ("drawoverhead, CPU time of the program's thread per draw", "thread: drawoverhead", ""),
    ("glmark2, frames per second", "glmark2", ""),
    ("probe, CPU time of the program's thread per draw", "probe: draw,", "thread"),
    ("time per draw", "probe: draw,", "wall"),
    ("texture upload", "probe: texture upload", ""),
    ("streaming 64 KiB per draw", "probe: stream", ""),
    ("readback", "probe: readback", ""),
    ("draw and read one pixel", "probe: draw and read one pixel", ""),
    ("start-up", "start-up", ""),
];

/// The median ratio to the host driver in each group, as a table.
pub fn summary(results: &Results) -> String {
    let mut page = header(results, "median ratio to the host driver");
    for (title, start, end) in GROUPS {
        let of_group: Vec<&Series> = results
            .series
            .iter()
            .filter(|(name, _)| name.starts_with(start) && name.ends_with(end))
            .map(|(_, series)| series)
            .collect();
        if of_group.is_empty() {
            continue;
        }
        let better = if of_group.iter().all(|s| s.more_is_better) { "more" } else { "less" };
        let _ = write!(page, "| {title} ({better} is better) |");
        for who in &results.contestants {
            let ratios: Vec<f64> = of_group.iter().filter_map(|s| s.ratio(who)).collect();
            match median(&ratios) {
                Some(ratio) => page.push_str(&format!(" {ratio:.2} |")),
                None => page.push_str(" – |"),
            }
        }
        page.push('\n');
    }
    page
}

fn header(results: &Results, first: &str) -> String {
    let names = results.contestants.join(" | ");
    format!("| {first} | {names} |\n|---|{}\n", "---:|".repeat(results.contestants.len()))
}

/// The whole page.
pub fn page(results: &Results) -> String {
    let mut page = String::from(
        "# Measurements\n\n<!-- Written by `cargo xtask bench`; do not edit. -->\n\n\
         One run, every number taken from each contestant in turn. *host* is the host's own driver, *virgl* is Mesa's \
         (`virgl_test_server`),\nthe others are Forerun by transport; *null* executes nothing, which leaves \
         our own cost; *lockstep* waits for the server after every verb. The numbers are in [bench.json](bench.json).\n\n",
    );
    for (name, value) in &results.machine {
        let _ = writeln!(page, "- {name}: {value}");
    }
    for (who, renderer) in &results.renderers {
        let _ = writeln!(page, "- {who}: {renderer}");
    }
    page.push_str("\n## In short\n\n");
    page.push_str(&summary(results));
    page.push_str("\n![Draws per second in relation to the host driver](bench.svg)\n");
    const PARTS: [(&str, &str); 4] = [
        ("drawoverhead", "drawoverhead"),
        ("CPU time of the program's thread per draw", "thread: drawoverhead"),
        ("glmark2", "glmark2"),
        ("Probe and start-up", ""),
    ];
    for (title, start) in PARTS {
        let rest = |name: &str| {
            PARTS.iter().all(|(_, start)| start.is_empty() || !name.starts_with(start))
        };
        let rows: Vec<_> = results
            .series
            .iter()
            .filter(|(name, _)| if start.is_empty() { rest(name) } else { name.starts_with(start) })
            .collect();
        if rows.is_empty() {
            continue;
        }
        let _ = write!(
            page,
            "\n## {title}\n\n{}",
            header(results, "median (ratio to the host driver)")
        );
        for (name, series) in rows {
            let name = name.strip_prefix(start).unwrap_or(name).trim().replace('|', "/");
            let _ = write!(page, "| {name}, {} |", series.unit);
            for who in &results.contestants {
                match (series.median(who), series.ratio(who)) {
                    (Some(value), _) if who == HOST => {
                        page.push_str(&format!(" {} |", short(value)))
                    }
                    (Some(value), Some(ratio)) => {
                        page.push_str(&format!(" {} ({ratio:.2}) |", short(value)));
                    }
                    (Some(value), None) => page.push_str(&format!(" {} |", short(value))),
                    (None, _) => page.push_str(" – |"),
                }
            }
            page.push('\n');
        }
    }
    if !results.missing.is_empty() {
        page.push_str("\n## Not measured\n\n");
        for line in &results.missing {
            let _ = writeln!(page, "- {}", line.replace('|', "/"));
        }
    }
    page
}

fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contestant_without_a_number_is_a_dash_and_a_ratio_is_of_medians() {
        let mut results = Results {
            contestants: ["host", "spawn", "virgl"].map(str::to_owned).into(),
            ..Results::default()
        };
        let values =
            [("host".to_owned(), vec![200.0]), ("spawn".to_owned(), vec![100.0, 300.0, 180.0])];
        results.series.insert(
            "drawoverhead 01 x".into(),
            Series { more_is_better: true, unit: "k".into(), values: values.into() },
        );
        let page = page(&results);
        assert!(page.contains("| 01 x, k | 200 | 180 (0.90) | – |"), "{page}");
        assert!(page.contains("draws per second (more is better) | 1.00 | 0.90 | – |"), "{page}");
    }
}
