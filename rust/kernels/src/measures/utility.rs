//! Utility: what relevant and other documents retrieved, and relevant ones missed, are worth, added up.

use super::{
    List, Measure,
    counts::{relevant, relevant_retrieved},
};

pub fn utility(measure: &Measure, list: &List<'_>) -> f64 {
    let hits = relevant_retrieved(measure, list);
    let (noise, misses) = (list.len as f64 - hits, relevant(measure, list) as f64 - hits);
    measure.parameter(0) * hits + measure.parameter(1) * noise + measure.parameter(2) * misses
}
