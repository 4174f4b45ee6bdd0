//! A stack of known size for the compiler, which recurses over whatever the program wrote.

/// Bytes of stack; only what is touched takes memory.
const SIZE: usize = 256 << 20;

/// Runs `work` on a thread of its own, with [`SIZE`] bytes of stack whatever the caller's thread has.
///
/// # Errors
/// A line for the log when there is no thread to be had, or when `work` panicked.
pub fn run<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("forerun-glsl".into())
            .stack_size(SIZE)
            .spawn_scoped(scope, work)
            .map_err(|_| "error: no thread for the compiler\n".to_owned())?
            .join()
            .unwrap_or_else(|_| Err("error: the compiler failed\n".to_owned()))
    })
}
