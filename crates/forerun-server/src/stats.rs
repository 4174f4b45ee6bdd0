//! What the server uses: CPU time and resident memory.

use rustix::time::{ClockId, clock_gettime};

/// Whose CPU time is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole process: the server is alone in it.
    Process,
    /// The calling thread: others share the process.
    Thread,
}

/// CPU time so far, in microseconds.
pub fn cpu_micros(scope: Scope) -> u64 {
    let id = match scope {
        Scope::Process => ClockId::ProcessCPUTime,
        Scope::Thread => ClockId::ThreadCPUTime,
    };
    let time = clock_gettime(id);
    time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
}

/// Resident bytes of the process: anonymous, and shared memory. Zeros where the system does not say.
pub fn resident() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    };
    (bytes("RssAnon:").unwrap_or(0), bytes("RssShmem:").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_memory_is_resident() {
        let before = cpu_micros(Scope::Thread);
        let mut sum = 0u64;
        while cpu_micros(Scope::Thread) < before + 1000 {
            sum = sum.wrapping_mul(3).wrapping_add(1);
        }
        std::hint::black_box(sum);
        assert!(cpu_micros(Scope::Process) >= 1000);
        assert!(resident().0 > 100_000, "{:?}", resident());
    }
}
