//! Counters of both roles, told when the program ends.

use crate::{session, settings};
use forerun_gl::Group;
use forerun_link::{Counter, LinkStats};
use forerun_pipe::caps::feature;
use forerun_pipe::knobs::{Knobs, Transport};
use forerun_pipe::records::Finish;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Once};

/// Counters of one session.
#[derive(Clone, Copy, Debug, Default)]
struct Snapshot {
    frames: u64,
    draws: u64,
    link: LinkStats,
    server: [u64; SERVER.len()],
    /// Shared resident bytes of this process while the session's segments were mapped.
    rss_shared: u64,
}

/// Counters of the server, as they are named in the report.
const SERVER: [(Counter, &str); 9] = [
    (Counter::Frames, "frames"),
    (Counter::Draws, "draws"),
    (Counter::Records, "records"),
    (Counter::RecordBytes, "record_bytes"),
    (Counter::Parks, "parks"),
    (Counter::CpuMicros, "cpu_seconds"),
    (Counter::RssAnon, "rss_anon_bytes"),
    (Counter::RssShared, "rss_shared_bytes"),
    (Counter::DriverCalls, "driver_calls"),
];

/// Sessions by number; those that ended keep their last counters.
static SESSIONS: Mutex<Option<HashMap<u64, Snapshot>>> = Mutex::new(None);

/// Arranges for the report at the program's end, if the knobs ask for one.
pub fn begin(knobs: &Knobs) {
    static ONCE: Once = Once::new();
    if !knobs.stats && knobs.stats_json.is_none() {
        return;
    }
    ONCE.call_once(|| {
        *SESSIONS.lock() = Some(HashMap::new());
        if let Some(path) = &knobs.stats_json
            && let Err(why) = writable(path)
        {
            log::error!("{why}");
        }
        // SAFETY: a handler that is never unloaded (`-z nodelete`).
        unsafe { libc::atexit(at_exit) };
    });
}

/// Whether the counters can be written there, found out before a program has run for hours; what is there stays.
fn writable(path: &Path) -> Result<(), String> {
    let opened = std::fs::File::options().create(true).append(true).open(path);
    opened
        .map(drop)
        .map_err(|error| format!("the counters will not be written to {}: {error}", path.display()))
}

/// Takes down a session's counters. To be called before it ends.
pub fn note(number: u64, group: &Arc<Group>) {
    let mut sessions = SESSIONS.lock();
    let (Some(sessions), Some(mut stream)) = (&mut *sessions, group.try_lock()) else { return };
    let mut snapshot = Snapshot {
        frames: stream.frames,
        draws: stream.draws,
        link: *stream.link.stats(),
        server: [0; SERVER.len()],
        rss_shared: resident().1,
    };
    if !session::is_monolith() && stream.link.lost().is_none() {
        // The server brings its counters up to date when it finishes. A session that is lost meanwhile has what it told last.
        let seq = Finish { pad: 0 }.send(&mut *stream);
        let _ = stream.link.wait_reply(seq);
    }
    for (slot, (counter, _)) in snapshot.server.iter_mut().zip(SERVER) {
        *slot = stream.link.server_counter(counter);
    }
    sessions.insert(number, snapshot);
}

extern "C" fn at_exit() {
    // A program's end must not depend on its statistics.
    let _ = std::panic::catch_unwind(|| {
        if session::forks() > 0 {
            return;
        }
        for (number, group) in session::groups() {
            note(number, &group);
        }
        let Ok(knobs) = settings::knobs() else { return };
        let text = report(knobs);
        if let Some(path) = &knobs.stats_json
            && let Err(error) = std::fs::write(path, format!("{text:#}\n"))
        {
            log::error!("the counters cannot be written to {}: {error}", path.display());
        }
        if knobs.stats {
            let _ = writeln!(std::io::stderr(), "{text:#}");
        }
    });
}

fn report(knobs: &Knobs) -> Value {
    let sessions: Vec<Snapshot> =
        SESSIONS.lock().as_ref().map(|s| s.values().copied().collect()).unwrap_or_default();
    let sum = |pick: fn(&Snapshot) -> u64| sessions.iter().map(pick).sum::<u64>();
    let rss_anon = resident().0;
    let rss_shared = sessions.iter().map(|s| s.rss_shared).max().unwrap_or(0);
    let client = json!({
        "frames": sum(|s| s.frames),
        "draws": sum(|s| s.draws),
        "records": sum(|s| s.link.records),
        "record_bytes": sum(|s| s.link.record_bytes),
        "stage_bytes": sum(|s| s.link.stage_bytes),
        "reply_waits": sum(|s| s.link.reply_waits),
        "applied_waits": sum(|s| s.link.applied_waits),
        "credit_waits": sum(|s| s.link.credit_waits),
        "space_waits": sum(|s| s.link.space_waits),
        "parks": sum(|s| s.link.parks),
        "publishes": sum(|s| s.link.publishes),
        "unimplemented_calls": forerun_gl::proc_address::unimplemented_calls(),
        "cpu_seconds": cpu_seconds(libc::CLOCK_PROCESS_CPUTIME_ID),
        // Exit handlers run on the thread that ends the program, which is its main thread.
        "thread_cpu_seconds": cpu_seconds(libc::CLOCK_THREAD_CPUTIME_ID),
        "rss_anon_bytes": rss_anon,
        "rss_shared_bytes": rss_shared,
        "sessions": sessions.len(),
        "run_ahead": run_ahead(knobs),
    });
    let mut server = serde_json::Map::new();
    for (index, (counter, name)) in SERVER.iter().enumerate() {
        let values = sessions.iter().filter_map(|s| s.server.get(index));
        // What a process has at a time cannot be summed over sessions that came one after another.
        let of_process = match counter {
            Counter::RssAnon | Counter::RssShared => true,
            Counter::CpuMicros => knobs.transport == Transport::Monolith,
            _ => false,
        };
        let value: u64 = if of_process { values.max().copied().unwrap_or(0) } else { values.sum() };
        let value = match counter {
            Counter::CpuMicros => json!(value as f64 / 1e6),
            _ => json!(value),
        };
        server.insert((*name).to_owned(), value);
    }
    json!({ "client": client, "server": server })
}

/// Whether the client goes on without waiting, or why not.
fn run_ahead(knobs: &Knobs) -> String {
    if !knobs.run_ahead {
        return "FORERUN_RUN_AHEAD is 0".into();
    }
    if knobs.transport == Transport::Monolith {
        return "a monolith has nothing to run ahead of".into();
    }
    match session::known_caps() {
        Some(caps) if caps.has(feature::RUN_AHEAD) => "armed".into(),
        Some(_) => "the server does not offer it".into(),
        None => "no session".into(),
    }
}

fn cpu_seconds(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Anonymous and shared resident bytes of this process.
fn resident() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|rest| rest.split_whitespace().next());
        number.and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * 1024
    };
    (kib("RssAnon:"), kib("RssShmem:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_is_found_at_the_start() {
        let folder = std::env::temp_dir().join(format!("forerun-stats-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("counters");
        std::fs::write(&file, "old").unwrap();
        assert_eq!(writable(&file), Ok(()));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        let why = writable(&folder).unwrap_err();
        assert!(why.contains(folder.to_str().unwrap()), "{why}");
        assert!(writable(&folder.join("no/such/folder")).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
