//! AP: the mean over relevant documents of the precision at their ranks.
//!
//! In an open block of m documents, r of them relevant, after n₀ documents with r₀ relevant, the document at place j
//! (from 1) is relevant with chance r/m, and then (j−1)(r−1)/(m−1) relevant ones are expected before it in the block
//! (McSherry & Najork 2008).
//!
//! Where documents have weights each counts its weight: at its own rank and in the sum above. Of a block with the sum S
//! of worths and the sum Q of their squares, the mean product of two different ones is (S² − Q) / m(m−1).

use super::{Denominator, List, Measure, precision::ideal_worth};

pub fn average_precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    if measure.is_weighted() {
        return weighted(measure, list);
    }
    let relevant = measure.relevant(list);
    let (mut sum, mut before) = (0.0, 0.0);
    if list.open.is_empty() {
        let mut left = measure.retrieved(list);
        for (rank, &grade) in list.ranked.iter().take(measure.depth).enumerate() {
            if measure.worth(grade) > 0.0 {
                before += 1.0;
                sum += before / (rank + 1) as f64;
                left = left.saturating_sub(1);
            }
            if left == 0 {
                break; // nothing below counts
            }
        }
    } else {
        measure.each_block(list, measure.depth, |block, hits| {
            if hits > 0 {
                let m = block.len as f64;
                let chance = hits as f64 / m;
                let more = if block.len > 1 { (hits as f64 - 1.0) / (m - 1.0) } else { 0.0 };
                for rank in block.start..block.end().min(measure.depth) {
                    let earlier = (rank - block.start) as f64 * more;
                    sum += chance * (before + 1.0 + earlier) / (rank + 1) as f64;
                }
                before += hits as f64;
            }
            true
        });
    }
    let over = match measure.denominator {
        Denominator::RelevantToDepth => relevant.min(measure.depth as u64) as f64,
        // Without a hit the sum is 0, whatever it is divided by.
        Denominator::Hits => before.max(1.0),
        _ => relevant as f64,
    };
    (relevant > 0).then(|| sum / over)
}

fn weighted(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let (mut sum, mut before) = (0.0, 0.0);
    let mut worths: Vec<f64> = Vec::new();
    measure.each_block(list, measure.depth, |block, hits| {
        if hits > 0 {
            measure.rising_worths(list, block, &mut worths);
            let m = block.len as f64;
            let total: f64 = worths.iter().sum();
            let squares: f64 = worths.iter().map(|w| w * w).sum();
            let pair = if block.len > 1 { (total * total - squares) / (m * (m - 1.0)) } else { 0.0 };
            let own = (before * total + squares) / m;
            for rank in block.start..block.end().min(measure.depth) {
                sum += (own + (rank - block.start) as f64 * pair) / (rank + 1) as f64;
            }
            before += total;
        }
        true
    });
    let over = match measure.denominator {
        Denominator::RelevantToDepth => ideal_worth(measure, list, measure.depth),
        Denominator::Hits => before,
        _ => measure.relevant_worth(list),
    };
    (over > 0.0).then(|| sum / over)
}
