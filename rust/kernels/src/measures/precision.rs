//! P@k: relevant documents among the first k, over k, min(k, n), or as many of the k as can be relevant.

use super::{Denominator, List, Measure, ndcg::each_ideal};

pub fn precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    if measure.is_weighted() {
        return Some(weighted(measure, list));
    }
    let over = over(measure, list);
    if over == 0 {
        return Some(0.0);
    }
    Some(hits(measure, list, measure.depth) / over as f64)
}

/// How many documents the hits are divided by; 0 where there are none to look at.
pub fn over(measure: &Measure, list: &List<'_>) -> usize {
    let returned = list.len;
    match measure.denominator {
        Denominator::Returned => measure.depth.min(returned),
        Denominator::RelevantToDepth => {
            let relevant = usize::try_from(measure.relevant(list)).unwrap_or(usize::MAX);
            relevant.min(if measure.depth == usize::MAX { returned } else { measure.depth })
        }
        _ if measure.depth == usize::MAX => returned,
        _ => measure.depth,
    }
}

/// What counts within the first k over how many documents those are, or over the most that they can count.
fn weighted(measure: &Measure, list: &List<'_>) -> f64 {
    let over = weighted_over(measure, list);
    if over > 0.0 { hits(measure, list, measure.depth) / over } else { 0.0 }
}

/// What the hits are divided by where documents have weights.
pub fn weighted_over(measure: &Measure, list: &List<'_>) -> f64 {
    let looked_at = if measure.depth == usize::MAX { list.len } else { measure.depth };
    match measure.denominator {
        Denominator::Returned => measure.depth.min(list.len) as f64,
        Denominator::RelevantToDepth => ideal_worth(measure, list, looked_at),
        _ => looked_at as f64,
    }
}

/// What the first `depth` documents of the ideal list are worth together.
pub fn ideal_worth(measure: &Measure, list: &List<'_>, depth: usize) -> f64 {
    let mut sum = 0.0;
    each_ideal(measure, list, depth, |_, worth| sum += worth);
    sum
}

/// Relevant documents among the first `depth`; what they are worth together where documents have weights.
pub fn hits(measure: &Measure, list: &List<'_>, depth: usize) -> f64 {
    let mut hits = 0.0;
    if measure.is_weighted() {
        measure.each_rank(list, depth, |_, worth| hits += worth);
        return hits;
    }
    measure.each_block(list, depth, |block, relevant| {
        let within = block.end().min(depth) - block.start;
        // Of a block that the cut divides, each document is as likely within as any other.
        hits += if within == block.len { relevant as f64 } else { (relevant * within) as f64 / block.len as f64 };
        true
    });
    hits
}
