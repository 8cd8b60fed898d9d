//! FirstRelevant: the rank of the first relevant document.
//!
//! In an open block of m documents, r of them relevant, the first relevant one stands at place (m + 1) / (r + 1) in the
//! mean: the r relevant ones cut the others into r + 1 parts of the same mean length.

use super::{List, Measure};

pub fn first_relevant(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let mut found = None;
    measure.each_block(list, measure.depth, |block, hits| {
        if hits > 0 {
            found = Some(block.start as f64 + (block.len + 1) as f64 / (hits + 1) as f64);
        }
        found.is_none()
    });
    found
}
