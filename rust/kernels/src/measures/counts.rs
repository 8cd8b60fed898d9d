//! Counts: documents that are relevant, and those of them that were retrieved.

use super::{List, Measure};

pub fn relevant(measure: &Measure, list: &List<'_>) -> u64 {
    measure.relevant(list)
}

pub fn relevant_retrieved(measure: &Measure, list: &List<'_>) -> u64 {
    measure.retrieved(list)
}
