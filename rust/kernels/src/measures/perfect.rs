//! Perfect: whether no document stands above one of greater worth.
//!
//! Of the orders of an open block of m documents, c₁! c₂! … out of m! are perfect, where c counts those of each worth.

use super::{List, Measure, pairs::Levels};

pub fn perfect(measure: &Measure, list: &List<'_>) -> f64 {
    let levels = Levels::of(measure, list);
    // The levels of a block rise, so that the list rises if any of its orders does.
    if !levels.of_rank().is_sorted() {
        return 0.0;
    }
    list.open.iter().map(|block| chance(levels.of_rank().get(block.start..block.end()).unwrap_or_default())).product()
}

/// The chance that a random order of these levels, which rise, is this one.
fn chance(levels: &[u32]) -> f64 {
    let mut seen = 0.0;
    let mut chance = 1.0;
    for same in levels.chunk_by(|a, b| a == b) {
        for place in 1..=same.len() {
            seen += 1.0;
            chance *= place as f64 / seen;
        }
    }
    chance
}

/// Whether an order of the open blocks is perfect.
pub fn may_be(measure: &Measure, list: &List<'_>) -> bool {
    Levels::of(measure, list).of_rank().is_sorted()
}
