//! Work on pieces, on as many threads as the caller allows; results in the order of the pieces.

use std::ops::Range;

use rayon::prelude::*;

/// More threads than this help no machine, and a wish for millions of them would hang it.
pub const MOST: usize = 256;

/// `work(state, piece)` for every piece. Each thread makes its own `state`, to reuse what it allocates.
/// A single piece, or `threads` of 1, starts no thread; `None` takes the pool that rayon shares.
pub fn each<T: Send, S, R: Send>(
    threads: Option<usize>,
    pieces: Vec<T>,
    state: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, T) -> R + Sync + Send,
) -> Vec<R> {
    let in_turn = |pieces: Vec<T>| {
        let mut own = state();
        pieces.into_iter().map(|piece| work(&mut own, piece)).collect()
    };
    let at_once = |pieces: Vec<T>| pieces.into_par_iter().with_max_len(1).map_init(&state, &work).collect();
    match threads {
        _ if pieces.len() < 2 => in_turn(pieces),
        Some(0 | 1) => in_turn(pieces),
        None => at_once(pieces),
        Some(n) => match rayon::ThreadPoolBuilder::new().num_threads(n.min(pieces.len()).min(MOST)).build() {
            Ok(pool) => pool.install(|| at_once(pieces)),
            // No thread to be had is no reason to fail.
            Err(_) => in_turn(pieces),
        },
    }
}

/// `work` with a pool of so many threads around it, and what it then passes on to `each`: many small calls share the pool.
pub fn within<R: Send>(threads: Option<usize>, work: impl FnOnce(Option<usize>) -> R + Send) -> R {
    match threads {
        None | Some(0 | 1) => work(threads),
        Some(n) => match rayon::ThreadPoolBuilder::new().num_threads(n.min(MOST)).build() {
            Ok(pool) => pool.install(|| work(None)),
            Err(_) => work(Some(1)),
        },
    }
}

/// Cuts lists into runs of whole lists of at least `rows` rows each (the last one may be smaller).
pub fn blocks(offsets: &[i64], rows: usize) -> Vec<Range<usize>> {
    let lists = offsets.len().saturating_sub(1);
    let mut cuts = Vec::new();
    let (mut first, mut first_row) = (0, 0);
    for (list, &end) in offsets.iter().skip(1).enumerate() {
        // A list without rows costs something too.
        if (end - first_row) as usize + (list - first) >= rows {
            cuts.push(first..list + 1);
            (first, first_row) = (list + 1, end);
        }
    }
    if first < lists {
        cuts.push(first..lists);
    }
    cuts
}
