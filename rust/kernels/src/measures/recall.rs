//! R@k: relevant documents among the first k, over all relevant ones.

use super::{List, Measure, precision::hits};

pub fn recall(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    (relevant > 0).then(|| hits(measure, list, measure.depth) / relevant as f64)
}
