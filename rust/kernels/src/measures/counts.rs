//! Counts: documents that are relevant, and those of them that were retrieved.

use super::{List, Measure, precision::hits};

pub fn relevant(measure: &Measure, list: &List<'_>) -> u64 {
    measure.relevant(list)
}

/// Among the first k; all of them without a cut-off, for which no order is needed.
pub fn relevant_retrieved(measure: &Measure, list: &List<'_>) -> f64 {
    if measure.depth == usize::MAX { measure.retrieved(list) as f64 } else { hits(measure, list, measure.depth) }
}
