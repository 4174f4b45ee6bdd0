//! `cargo xtask answers`: gives every name to every function that takes one, in contexts of each version, here and on the host's
//! driver, and shows where the two disagree.

mod probe;

use std::collections::BTreeMap;

use crate::{Doing, Error, Result, conformance};
use probe::Said;

/// What `cargo xtask answers` takes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The API and version to ask, as es20, es30, es31, es32 or core33; without it, all.
    #[arg(long)]
    context: Option<String>,
    /// The backend.
    #[arg(long, default_value = "gl")]
    backend: String,
    /// Ask this very process and print what it said, as JSON.
    #[arg(long, hide = true)]
    ask: bool,
}

const CONTEXTS: [&str; 5] = ["es20", "es30", "es31", "es32", "core33"];

/// Compares.
///
/// # Errors
/// When a context is not to be had.
pub fn main(args: &Args) -> Result {
    let contexts: Vec<&str> = match &args.context {
        Some(one) => vec![one.as_str()],
        None => CONTEXTS.to_vec(),
    };
    for context in contexts {
        let split = context.find(|c: char| c.is_ascii_digit()).unwrap_or(context.len());
        let (api, version) = context.split_at(split);
        let version: u32 = version.parse().doing("the version of --context")?;
        if args.ask {
            let said = probe::ask(api, version)?;
            println!("{}", serde_json::to_string(&said).doing("the answers")?);
            continue;
        }
        // Both ends give a context the newest version that is compatible with what was asked for, unless they are told.
        let wanted = format!("{}.{}", version / 10, version % 10);
        let ours = said(
            context,
            &conformance::forerun(&args.backend, "spawn"),
            &[("FORERUN_GL_VERSION", &wanted)],
        )?;
        // For desktop contexts Mesa's override does more than to change the number.
        let knob = [("MESA_GLES_VERSION_OVERRIDE", wanted.as_str())];
        let theirs = said(context, &[], if api == "es" { &knob } else { &[] })?;
        println!("== {context}: {} | {}", ours.version, theirs.version);
        let only: Vec<_> =
            theirs.extensions.iter().filter(|e| !ours.extensions.contains(e)).collect();
        println!("extensions of the host alone: {only:?}");
        for (what, host) in &theirs.answers {
            let Some(own) = ours.answers.get(what) else { continue };
            // What is refused with another error than GL_INVALID_ENUM is refused all the same.
            let taken = |answers: &BTreeMap<u32, i32>| -> BTreeMap<u32, i32> {
                answers.iter().filter(|(_, v)| **v >= 0).map(|(n, v)| (*n, *v)).collect()
            };
            let (own, host) = (&taken(own), &taken(host));
            let show = |title: &str, names: Vec<String>| {
                if !names.is_empty() {
                    println!("{what}: {title}: {}", names.join(" "));
                }
            };
            let named = |n: &u32, v: &i32| format!("{n:04X}={v}");
            show(
                "ours alone",
                own.iter()
                    .filter(|(n, _)| !host.contains_key(n))
                    .map(|(n, v)| named(n, v))
                    .collect(),
            );
            show(
                "theirs alone",
                host.iter()
                    .filter(|(n, _)| !own.contains_key(n))
                    .map(|(n, v)| named(n, v))
                    .collect(),
            );
            show(
                "differ",
                own.iter()
                    .filter_map(|(n, v)| {
                        let other = host.get(n)?;
                        (other != v).then(|| format!("{n:04X}={v}/{other}"))
                    })
                    .collect(),
            );
        }
    }
    Ok(())
}

fn said(context: &str, prefix: &[String], env: &[(&str, &str)]) -> Result<Said> {
    let own = std::env::current_exe().doing("this program's path")?;
    let mut words = prefix.to_vec();
    words.push(own.display().to_string());
    words.extend(["answers", "--ask", "--context", context].map(str::to_owned));
    let (program, rest) = words.split_first().ok_or_else(|| Error::new("no program"))?;
    let mut command = std::process::Command::new(program);
    command.args(rest).envs(env.iter().copied());
    let out = command.stderr(std::process::Stdio::inherit()).output().doing(program)?;
    if !out.status.success() {
        return Err(Error(format!("{context} did not answer: {}", out.status)));
    }
    serde_json::from_slice(&out.stdout).doing("the answers")
}
