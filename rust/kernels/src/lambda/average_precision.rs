//! AP: exchanging a relevant document with another one changes the precision at their two ranks and at each relevant
//! document between them.
//!
//! Of a block of m with r relevant documents, after a relevant ones, the expected sum is
//! E(r, a) = (r / m) ((a + 1) A + (r − 1) / (m − 1) B), where A is the sum of 1/rank over its ranks and B that of
//! place/rank (place from 0). With u other relevant documents in the upper block, v in the lower one and c before that,
//! the pair's change is (E(u + 1, a) − E(u, a)) + Σ over blocks between of (r / m) A + (E(v, c + 1) − E(v + 1, c)).

use super::{Factors, places::Places, separable::Separable};
use crate::order::Block;

pub(super) fn factors(places: &Places, over: f64) -> Separable {
    let mut found = Separable { uppers: places.reach(), ..Separable::default() };
    let (mut before, mut passed) = (0.0, 0.0);
    for &block in &places.blocks {
        let hits = places.hits(block) as f64;
        let (m, others) = (block.len as f64, (block.len as f64 - 1.0).max(1.0));
        let (mut ranks, mut later) = (0.0, 0.0);
        for place in 0..places.within(block) {
            let reciprocal = reciprocal(places, block.start + place);
            ranks += reciprocal;
            later += place as f64 * reciprocal;
        }
        let through = passed + hits / m * ranks;
        for &worth in places.worths(block) {
            let own = if worth > 0.0 { 1.0 } else { 0.0 };
            let others_relevant = hits - own;
            let pairs = 2.0 * others_relevant * later / others;
            let raise = ((before + 1.0) * ranks + pairs) / m;
            // A lower one that is not relevant is exchanged with a relevant one, which stands before it.
            let earlier = before - (1.0 - own);
            let fall = ((others_relevant - earlier - 1.0) * ranks - pairs) / m;
            found.upper.push((raise - through) / over);
            found.lower.push(-(fall + passed) / over);
        }
        found.within.push(within(places, block, hits, before) / over);
        passed = through;
        before += hits;
    }
    found
}

/// A relevant document directly above another one, over the places of a block.
fn within(places: &Places, block: Block, hits: f64, before: f64) -> f64 {
    if block.len < 2 {
        return 0.0;
    }
    let density = if block.len > 2 { (hits - 1.0) / (block.len - 2) as f64 } else { 0.0 };
    let places_of_both = 0..(block.len - 1).min(places.within(block));
    let sum: f64 = places_of_both
        .map(|place| {
            let rank = block.start + place;
            (before + 1.0 + place as f64 * density) * (reciprocal(places, rank) - reciprocal(places, rank + 1))
        })
        .sum();
    sum / (block.len - 1) as f64
}

fn reciprocal(places: &Places, rank: usize) -> f64 {
    if rank < places.depth { 1.0 / (rank + 1) as f64 } else { 0.0 }
}

/// AP over the hits in the top: a pair across the cut-off changes what the sum is divided by as well. Orders are settled.
pub(super) struct OverHits {
    sums: Separable,
    sum: f64,
    hits: f64,
}

impl OverHits {
    pub fn new(places: &Places) -> Self {
        let (mut sum, mut hits) = (0.0, 0.0);
        let ranked = places.worth.iter().take(places.len().min(places.depth));
        for (rank, _) in ranked.enumerate().filter(|&(_, &worth)| worth > 0.0) {
            hits += 1.0;
            sum += hits / (rank + 1) as f64;
        }
        Self { sums: factors(places, 1.0), sum, hits }
    }
}

impl Factors for OverHits {
    fn uppers(&self) -> usize {
        self.sums.uppers
    }

    #[inline(always)]
    fn fill(&mut self, upper: usize, places: &Places, row: &mut [f64]) {
        self.sums.fill(upper, places, row);
        let is_relevant = places.worth.get(upper).is_some_and(|&w| w > 0.0);
        for (lower, factor) in row.iter_mut().enumerate().take(places.len()).skip(upper + 1) {
            let crosses = if lower >= places.depth { 1.0 } else { 0.0 };
            // The sum and the hits with the relevant one in the higher place, and in the lower.
            let (up, down) = if is_relevant {
                ((self.sum, self.hits), (self.sum - *factor, self.hits - crosses))
            } else {
                ((self.sum + *factor, self.hits + crosses), (self.sum, self.hits))
            };
            *factor = up.0 / up.1.max(1.0) - down.0 / down.1.max(1.0);
        }
    }
}
