//! WARP loss: the mean, over relevant documents, of L of how many others score as much or more.
//!
//! In an open block with b others, how many of them stand above a given relevant document is equally likely 0 … b;
//! where its scores stay tied, all b count.

use super::{List, Measure};
use crate::order::Block;

pub fn warp_loss(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let (mut sum, mut relevant) = (0.0, 0);
    // The others above, and L of them: the sum of so many α.
    let (mut above, mut cost) = (0, 0.0);
    measure.each_block(list, measure.depth, |block, hits| {
        let (mut costs, others) = (cost, block.len - hits);
        for _ in 0..others {
            cost += measure.discount(above);
            above += 1;
            costs += cost;
        }
        relevant += hits;
        sum += hits as f64 * if list.kept { cost } else { costs / (others + 1) as f64 };
        true
    });
    (relevant > 0).then(|| sum / relevant as f64)
}

/// Whether one more document above a relevant one of the block costs anything.
pub fn is_decided_by(measure: &Measure, block: Block, list: &List<'_>) -> bool {
    let costing = measure.discounts.partition_point(|&alpha| alpha > 0.0);
    let mut others = list.ranked.iter().take(block.start).filter(|&&g| measure.worth(g) <= 0.0);
    costing > 0 && others.nth(costing - 1).is_none()
}
