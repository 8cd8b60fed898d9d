//! DCG: Σ over the first k ranks of worth × discount.

use super::{List, Measure};

pub fn dcg(measure: &Measure, list: &List<'_>) -> f64 {
    let mut sum = 0.0;
    measure.each_rank(list, measure.depth, |rank, worth| sum += worth * measure.discount(rank));
    sum
}
