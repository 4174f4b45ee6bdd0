//! Memory of both roles, from `/proc`: anonymous and shared apart.

use std::fs;

use super::Numbers;

/// Our own memory, and that of the server: `server` and its descendants, or else our own descendants.
pub fn numbers(server: Option<u32>) -> Numbers {
    let own = std::process::id();
    let mut numbers = Numbers::new();
    put(&mut numbers, "client", &[own]);
    let mut processes = descendants(server.unwrap_or(own));
    processes.extend(server);
    if !processes.is_empty() {
        put(&mut numbers, "server", &processes);
    }
    numbers
}

fn put(numbers: &mut Numbers, role: &str, processes: &[u32]) {
    for (word, field) in [("anonymous", "RssAnon:"), ("shared", "RssShmem:")] {
        let kib: f64 = processes.iter().filter_map(|pid| status(*pid, field)).sum();
        numbers.insert(format!("{role} {word} MiB"), kib / 1024.0);
    }
}

fn status(pid: u32, field: &str) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

fn descendants(root: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let parents: Vec<(u32, u32)> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, status(pid, "PPid:")? as u32)))
        .collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, p)| *p == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    found.remove(0);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_counted_as_the_server() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let numbers = numbers(None);
        assert!(descendants(std::process::id()).contains(&child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(numbers["client anonymous MiB"] > 0.0);
        assert!(numbers["server anonymous MiB"] > 0.0);
    }
}
