//! R@k: relevant documents among the first k, over all relevant ones.

use super::{List, Measure, precision::hits};

pub fn recall(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = if measure.is_weighted() { measure.relevant_worth(list) } else { measure.relevant(list) as f64 };
    (relevant > 0.0).then(|| hits(measure, list, measure.depth) / relevant)
}
