//! Interpolated precision: the greatest precision at or below the rank where a level of recall is reached; over
//! several levels, their mean.
//!
//! No closed form over ties: the greatest of several precisions is not linear in them.

use super::{List, Measure};

pub fn interpolated_precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    if relevant == 0 {
        return None;
    }
    // From the greatest level down, as trec_eval adds them up.
    let sum: f64 = measure.parameters.iter().rev().map(|&level| greatest_from(measure, list, needed(measure, level, relevant))).sum();
    Some(sum / measure.parameters.len() as f64)
}

/// How many relevant documents reach a level of recall.
fn needed(measure: &Measure, level: f64, relevant: u64) -> u64 {
    let exact = level * relevant as f64;
    (if measure.level_truncates { (exact + 0.9).floor() } else { exact.round() }) as u64
}

/// The greatest precision from where so many relevant documents have been found.
fn greatest_from(measure: &Measure, list: &List<'_>, needed: u64) -> f64 {
    let (mut found, mut best) = (0u64, 0.0f64);
    for (rank, &grade) in list.ranked.iter().take(measure.depth).enumerate() {
        if measure.worth(grade) > 0.0 {
            found += 1;
            if found >= needed {
                best = best.max(found as f64 / (rank + 1) as f64);
            }
        }
    }
    best
}
