//! F: the weighted harmonic mean of precision and recall.

use super::{List, Measure, precision::precision, recall::recall};

pub fn f_measure(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let recall = recall(measure, list)?;
    if recall == 0.0 {
        return Some(0.0);
    }
    let precision = precision(measure, list)?;
    let weight = measure.parameter(0);
    Some((weight + 1.0) * precision * recall / (weight * precision + recall))
}
