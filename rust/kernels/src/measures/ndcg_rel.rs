//! nDCGrel: nDCG averaged over the ranks of the documents that gain anything.
//!
//! No closed form over ties: whether a rank counts depends on the same document as the DCG there.

use super::{List, Measure, ndcg::each_ideal};

pub fn ndcg_rel(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let mut ideals = Vec::new();
    let mut ideal = 0.0;
    each_ideal(measure, list, usize::MAX, |rank, worth| {
        ideal += worth * measure.discount(rank);
        ideals.push(ideal);
    });
    if ideal <= 0.0 {
        return None;
    }
    let (mut dcg, mut sum, mut found) = (0.0, 0.0, 0usize);
    measure.each_rank(list, usize::MAX, |rank, worth| {
        dcg += worth * measure.discount(rank);
        if worth > 0.0 {
            sum += dcg / ideals.get(rank).copied().unwrap_or(ideal);
            found += 1;
        }
    });
    // A document that was not retrieved counts with the nDCG at the end.
    sum += (ideals.len() - found.min(ideals.len())) as f64 * dcg / ideal;
    Some(sum / ideals.len() as f64)
}
