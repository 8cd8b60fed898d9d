//! RR: 1 over the rank of the first relevant document.
//!
//! In an open block of m documents, r of them relevant, the first relevant one stands at place j with chance
//! C(m−j, r−1) / C(m, r), which is computed from place to place without binomials.

use super::{List, Measure};

pub fn reciprocal_rank(measure: &Measure, list: &List<'_>) -> Option<f64> {
    if measure.relevant(list) == 0 {
        return None;
    }
    if measure.retrieved(list) == 0 {
        return Some(0.0);
    }
    let mut value = 0.0;
    measure.each_block(list, measure.depth, |block, hits| {
        if hits == 0 {
            return true;
        }
        let mut none_so_far = 1.0;
        for rank in block.start..block.end().min(measure.depth) {
            let left = (block.end() - rank) as f64;
            let here = (hits as f64 / left).min(1.0);
            value += none_so_far * here * reciprocal(measure, rank);
            none_so_far *= 1.0 - here;
        }
        false
    });
    Some(value)
}

pub fn reciprocal(measure: &Measure, rank: usize) -> f64 {
    if measure.single_reciprocal { f64::from(1.0 / (rank + 1) as f32) } else { 1.0 / (rank + 1) as f64 }
}
