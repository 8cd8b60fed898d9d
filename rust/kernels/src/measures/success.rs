//! Success@k: whether a relevant document stands among the first k.
//!
//! In an open block that the cut divides, m documents of which r are relevant and w lie within: none of the relevant
//! ones lies within with chance C(m−r, w) / C(m, w).

use super::{List, Measure};
use crate::order::Block;

pub fn success(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let mut none = 1.0;
    measure.each_block(list, measure.depth, |block, hits| {
        let within = block.end().min(measure.depth) - block.start;
        let others = block.len - hits;
        for place in 0..within {
            none *= others.saturating_sub(place) as f64 / (block.len - place) as f64;
        }
        none > 0.0
    });
    Some(1.0 - none)
}

/// Whether the cut divides the block, nothing relevant stands above, and what lies within may hold nothing relevant.
pub fn is_decided_by(measure: &Measure, block: Block, list: &List<'_>) -> bool {
    let within = measure.depth.saturating_sub(block.start);
    let none_above = list.ranked.iter().take(block.start).all(|&g| measure.worth(g) <= 0.0);
    none_above && within > 0 && within <= block.len - measure.hits_in(block, list)
}
