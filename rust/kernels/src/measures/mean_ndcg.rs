//! MeanNDCG: the mean of nDCG@1 … nDCG@n (LETOR 4.0), each with its own ideal.

use super::{List, Measure, ndcg::each_ideal};

pub fn mean_ndcg(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let depth = measure.depth.min(list.len);
    let mut ideals = Vec::with_capacity(depth);
    let mut ideal = 0.0;
    each_ideal(measure, list, depth, |rank, worth| {
        ideal += worth * measure.discount(rank);
        ideals.push(ideal);
    });
    if ideal <= 0.0 {
        return None;
    }
    let (mut dcg, mut sum) = (0.0, 0.0);
    measure.each_rank(list, depth, |rank, worth| {
        dcg += worth * measure.discount(rank);
        // Past the last document that is worth anything the ideal stays what it was.
        sum += dcg / ideals.get(rank).copied().unwrap_or(ideal);
    });
    Some(sum / depth as f64)
}
