//! DCG, nDCG and P: a sum of worth × discount. Two documents that exchange places change it by the difference of their
//! worths × that of the discounts.
//!
//! In an open block each document has the block's mean discount. With i directly above j at any place of a block of m,
//! the mean fall of the discount is that from its first to its last rank, over m − 1.

use super::{places::Places, separable::Separable};
use crate::measures::{Formula, Measure};
use crate::order::Block;

pub(super) fn factors(measure: &Measure, places: &Places, over: f64, discounted_below: bool) -> Separable {
    let discount = |rank: usize| match measure.formula {
        _ if rank >= places.depth && !discounted_below => 0.0,
        Formula::Precision => 1.0 / over,
        _ => measure.discount(rank) / over,
    };
    let mut found = Separable { uppers: places.reach(), ..Separable::default() };
    for &Block { start, len } in &places.blocks {
        let mean = if len == 1 { discount(start) } else { (start..start + len).map(discount).sum::<f64>() / len as f64 };
        found.upper.extend(std::iter::repeat_n(mean, len));
        found.within.push(if len == 1 { 0.0 } else { (discount(start) - discount(start + len - 1)) / (len - 1) as f64 });
    }
    found.lower.clone_from(&found.upper);
    found
}
