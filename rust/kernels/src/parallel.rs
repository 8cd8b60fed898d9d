//! How work is spread: on the caller's thread if it is small, else over rayon's threads.

/// Runs `work` with `threads` threads, or as many as the machine has.
pub fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    match threads {
        None => work(),
        Some(n) if n == rayon::current_num_threads() => work(),
        Some(n) => match rayon::ThreadPoolBuilder::new().num_threads(n.max(1)).build() {
            Ok(pool) => pool.install(work),
            // Threads can be refused by the system; the result is the same without them.
            Err(_) => work(),
        },
    }
}
