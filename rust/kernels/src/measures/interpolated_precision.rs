//! Interpolated precision: the greatest precision at or below the rank where a level of recall is reached.
//!
//! No closed form over ties: the greatest of several precisions is not linear in them.

use super::{List, Measure};

pub fn interpolated_precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    if relevant == 0 {
        return None;
    }
    let exact = measure.level * relevant as f64;
    let needed = if measure.level_truncates { (exact + 0.9).floor() } else { exact.round() } as u64;
    let (mut found, mut best) = (0u64, 0.0f64);
    for (rank, &grade) in list.ranked.iter().take(measure.depth).enumerate() {
        if measure.worth(grade) > 0.0 {
            found += 1;
            if found >= needed {
                best = best.max(found as f64 / (rank + 1) as f64);
            }
        }
    }
    Some(best)
}
