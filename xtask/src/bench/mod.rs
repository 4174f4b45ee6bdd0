//! `cargo xtask bench`: one table from one run. Every number is taken from every contestant in turn
//! before the next number is taken, so that whatever else the machine does meets all of them alike.

mod contestants;
mod measure;
mod plot;
mod report;

use std::collections::BTreeMap;
use std::fs;

use serde::Serialize;

use crate::shell::{self, Counter, Steps, cargo};
use crate::{Doing, Error, Result, root};
use contestants::Contestant;
use measure::Measure;

/// What `cargo xtask bench` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// How often everything is measured; the median counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// One round, and a part of the cases and scenes.
    #[arg(long)]
    quick: bool,
    /// Take the measures whose name contains this, such as glmark2, drawoverhead or probe.
    #[arg(long, default_value = "", value_name = "TEXT")]
    only: String,
    /// Take these contestants, by name, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    contestants: Vec<String>,
    /// Where the page, the plot and the numbers go, in the tree.
    #[arg(long, default_value = "docs", value_name = "FOLDER")]
    folder: String,
}

/// Every value of one number.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    /// Whether more is better.
    pub more_is_better: bool,
    /// What is counted.
    pub unit: String,
    /// The values by contestant, one a round; a contestant that could not run has none.
    pub values: BTreeMap<String, Vec<f64>>,
}

impl Series {
    /// The median of a contestant's values.
    pub fn median(&self, contestant: &str) -> Option<f64> {
        median(self.values.get(contestant)?)
    }

    /// A contestant's median in relation to the host driver's.
    pub fn ratio(&self, contestant: &str) -> Option<f64> {
        let host = self.median(contestants::HOST)?;
        (host > 0.0).then_some(self.median(contestant)? / host)
    }
}

/// Everything that a run gave.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Results {
    /// What it ran on and when, in the order of the page.
    pub machine: Vec<(String, String)>,
    /// What each contestant called itself.
    pub renderers: BTreeMap<String, String>,
    /// The contestants in the order of the page.
    pub contestants: Vec<String>,
    /// The numbers by name.
    pub series: BTreeMap<String, Series>,
    /// What could not be measured, and why.
    pub missing: Vec<String>,
}

/// The middle of some values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*sorted.get(sorted.len() / 2 - 1)?, upper))
}

/// Measures and writes.
///
/// # Errors
/// When something cannot be installed, built or written; a contestant that fails is noted instead.
pub fn main(args: &Args) -> Result {
    shell::need(&shell::toolchain())?;
    shell::need(&shell::programs())?;
    let mut steps = Steps::new("bench", 1);
    let packages = ["build", "--release", "-p", "forerun", "-p", "forerun-wsi", "-p", "forerund"];
    steps.run("build", &mut cargo(&packages))?;

    let bench = contestants::Bench::start()?;
    let mut contestants = bench.contestants();
    if !args.contestants.is_empty() {
        let known = |name: &String| contestants.iter().any(|c| c.name == name);
        if let Some(name) = args.contestants.iter().find(|name| !known(name)) {
            let all: Vec<_> = contestants.iter().map(|c| c.name).collect();
            return Err(Error(format!("no contestant `{name}`; there are {}", all.join(", "))));
        }
        contestants.retain(|c| args.contestants.iter().any(|name| name == c.name));
    }
    let measures: Vec<Measure> =
        measure::all(args.quick).into_iter().filter(|m| m.name().contains(&args.only)).collect();
    let results = measure(&contestants, &measures, if args.quick { 1 } else { args.rounds.max(1) });

    let folder = root().join(&args.folder);
    fs::create_dir_all(&folder).doing(folder.display())?;
    let json = serde_json::to_string_pretty(&results).doing("the results")?;
    let files = [
        ("bench.json", json + "\n"),
        ("bench.svg", plot::svg(&results)),
        ("bench.md", report::page(&results)),
    ];
    for (name, text) in files {
        let file = folder.join(name);
        fs::write(&file, text).doing(file.display())?;
    }
    println!("{}", report::summary(&results));
    println!("{}/bench.md has all of it, with a plot and the numbers beside it", args.folder);
    Ok(())
}

fn measure(contestants: &[Contestant], measures: &[Measure], rounds: usize) -> Results {
    let mut results = Results {
        machine: report::machine(rounds),
        contestants: contestants.iter().map(|c| c.name.to_owned()).collect(),
        ..Results::default()
    };
    let mut counter = Counter::new("bench", rounds * measures.len() * contestants.len());
    for round in 0..rounds {
        for measure in measures {
            for turn in 0..contestants.len() {
                // Nobody is always the one who runs on a machine that the one before has warmed.
                let Some(who) = contestants.get((turn + round) % contestants.len()) else {
                    continue;
                };
                match measure.take(who) {
                    Ok(taken) => {
                        results.renderers.extend(taken.renderer.map(|r| (who.name.to_owned(), r)));
                        for (name, value, unit, more) in taken.numbers {
                            let series = results.series.entry(name).or_default();
                            series.more_is_better = more;
                            series.unit = unit;
                            series.values.entry(who.name.to_owned()).or_default().push(value);
                        }
                    }
                    Err(error) => {
                        results.missing.push(format!("{} on {}: {error}", measure.name(), who.name))
                    }
                }
                counter.step(&format!("{} on {}", measure.name(), who.name));
            }
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ratios() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        let mut series = Series::default();
        series.values.insert("host".into(), vec![2.0, 4.0, 6.0]);
        series.values.insert("spawn".into(), vec![3.0]);
        assert_eq!(series.ratio("spawn"), Some(0.75));
        assert_eq!(series.ratio("virgl"), None);
    }
}
