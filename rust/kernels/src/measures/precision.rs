//! P@k: relevant documents among the first k, over k, min(k, n), or as many of the k as can be relevant.

use super::{Denominator, List, Measure};

pub fn precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let returned = list.len;
    let over = match measure.denominator {
        Denominator::Returned => measure.depth.min(returned),
        Denominator::RelevantToDepth => {
            let relevant = usize::try_from(measure.relevant(list)).unwrap_or(usize::MAX);
            relevant.min(if measure.depth == usize::MAX { returned } else { measure.depth })
        }
        _ if measure.depth == usize::MAX => returned,
        _ => measure.depth,
    };
    if over == 0 {
        return Some(0.0);
    }
    Some(hits(measure, list, measure.depth) / over as f64)
}

/// Relevant documents among the first `depth`.
pub fn hits(measure: &Measure, list: &List<'_>, depth: usize) -> f64 {
    let mut hits = 0.0;
    measure.each_block(list, depth, |block, relevant| {
        let within = block.end().min(depth) - block.start;
        // Of a block that the cut divides, each document is as likely within as any other.
        hits += if within == block.len { relevant as f64 } else { (relevant * within) as f64 / block.len as f64 };
        true
    });
    hits
}
