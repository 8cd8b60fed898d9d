//! RR: only pairs that move the first relevant document change it, or, in an open block, the chances of which is first.
//!
//! E(b, r) is the expected 1/rank of the first of r relevant documents in block b. The value is that of the first block
//! that holds one. Two documents that share that block change it if none of those above them is relevant.

use super::{places::Places, separable::Separable};
use crate::measures::Measure;
use crate::order::Block;

pub(super) fn factors(measure: &Measure, places: &Places) -> Separable {
    let reciprocal = |rank: usize| if rank < places.depth { measure.reciprocal(rank) } else { 0.0 };
    let mut holding = places.blocks.iter().map(|&block| (block, places.hits(block))).filter(|&(_, hits)| hits > 0);
    let Some((first, hits)) = holding.next() else { return Separable::default() };
    let second = holding.next();
    let value = expected(places, first, hits, reciprocal);
    let with_more = expected(places, first, hits + 1, reciprocal);
    let with_fewer = if hits > 1 { Some(expected(places, first, hits - 1, reciprocal)) } else { None };
    // Once the only relevant document of the first block is below, the second block holds the first one.
    let second_value = second.map(|(block, hits)| expected(places, block, hits, reciprocal));
    let second_with_more = second.map(|(block, hits)| expected(places, block, hits + 1, reciprocal));

    let mut found = Separable { uppers: places.reach().min(first.end()), ..Separable::default() };
    for &block in &places.blocks {
        let alone = if block.start < second.map_or(usize::MAX, |(b, _)| b.start) { expected(places, block, 1, reciprocal) } else { 0.0 };
        let (upper, lower) = if block.start < first.start {
            (alone, 0.0)
        } else if block == first {
            (with_more, value)
        } else {
            let after = match second {
                Some((second, _)) if block == second => second_with_more,
                Some((second, _)) if block.start > second.start => second_value,
                _ => Some(alone),
            };
            (0.0, with_fewer.or(after).unwrap_or(0.0))
        };
        for &worth in places.worths(block) {
            let is_relevant = worth > 0.0;
            found.upper.push(if is_relevant { value } else { upper });
            found.lower.push(if is_relevant { value } else { lower });
        }
        found.within.push(if block == first { within(block, hits, reciprocal) } else { 0.0 });
    }
    found
}

/// The expected 1/rank of the first of a block's relevant documents.
fn expected(places: &Places, block: Block, hits: usize, reciprocal: impl Fn(usize) -> f64) -> f64 {
    let (mut value, mut none_so_far) = (0.0, 1.0);
    for place in 0..places.within(block) {
        let here = (hits as f64 / (block.len - place) as f64).min(1.0);
        value += none_so_far * here * reciprocal(block.start + place);
        none_so_far *= 1.0 - here;
    }
    value
}

/// A relevant document directly above another one, over the places of a block.
fn within(block: Block, hits: usize, reciprocal: impl Fn(usize) -> f64) -> f64 {
    if block.len < 2 {
        return 0.0;
    }
    let (mut sum, mut none_above) = (0.0, 1.0);
    for place in 0..block.len - 1 {
        sum += none_above * (reciprocal(block.start + place) - reciprocal(block.start + place + 1));
        // Of the others, one more is above.
        let left = block.len.saturating_sub(2 + place);
        none_above *= if left > 0 { 1.0 - ((hits - 1) as f64 / left as f64).min(1.0) } else { 0.0 };
    }
    sum / (block.len - 1) as f64
}
