//! Kendall's τ-b: right pairs less wrong ones, over the geometric mean of those that either ranking tells apart.
//!
//! The mean over all orders of an open block leaves its pairs as often right as wrong, and no pair is tied in scores.

use super::{
    List, Measure,
    pairs::{Levels, Weight, choose_2},
};

pub fn kendall(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let levels = Levels::of(measure, list);
    let all = choose_2(list.ranked.len() as u64);
    let by_labels = all - levels.tied();
    let by_scores = all - list.kept_ties().map(|block| choose_2(block.len as u64)).sum::<u64>();
    if by_labels == 0 || by_scores == 0 {
        return None;
    }
    let pairs = levels.pairs(list.open, Weight::One);
    Some((pairs.right - pairs.wrong) / (by_labels as f64 * by_scores as f64).sqrt())
}
