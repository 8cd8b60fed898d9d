//! G: gains, each discounted by how much more an ideal list would have gained by then.

use super::{List, Measure, ndcg::each_ideal};

/// What a rank costs at least, also where the ideal list has nothing more to gain.
const LEAST_COST: f64 = 1.0;

pub fn normalized_g(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let mut ideal = Vec::new();
    each_ideal(measure, list, usize::MAX, |_, worth| ideal.push(worth));
    let all: f64 = ideal.iter().sum();
    let (mut cost, mut gained, mut sum) = (0.0, 0.0, 0.0);
    measure.each_rank(list, usize::MAX, |rank, worth| {
        gained += worth;
        cost += ideal.get(rank).copied().unwrap_or(0.0).max(LEAST_COST);
        if worth != 0.0 {
            sum += worth / (2.0 + cost - gained).log2();
        }
    });
    (all > 0.0).then(|| sum / all)
}
