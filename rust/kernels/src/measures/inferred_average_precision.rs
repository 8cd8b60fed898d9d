//! infAP: AP estimated where only a sample of the pool was judged.
//!
//! A document of the pool that was not judged has a worth below 0; one outside the pool is worth 0 and not known.

use super::{List, Measure};

/// Keeps the estimated precision defined where nothing judged stands above.
const EPSILON: f64 = 0.00001;

pub fn inferred_average_precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    if relevant == 0 {
        return None;
    }
    let known = |grade: u32| measure.known.get(grade as usize).copied().unwrap_or(false);
    let (mut hits, mut wrong, mut pooled, mut sum) = (0.0, 0.0, 0.0, 0.0);
    for (rank, &grade) in list.ranked.iter().enumerate() {
        let above = rank as f64;
        if measure.worth(grade) > 0.0 {
            sum += if rank == 0 {
                1.0
            } else {
                let share = (hits + wrong + pooled) / above;
                1.0 / (above + 1.0) + above / (above + 1.0) * share * ((hits + EPSILON) / (hits + wrong + 2.0 * EPSILON))
            };
            hits += 1.0;
        } else if known(grade) {
            wrong += 1.0;
        } else if measure.worth(grade) < 0.0 {
            pooled += 1.0;
        }
    }
    Some(sum / relevant as f64)
}
