//! WARP: an item that the user has seen is to score 1 more than each that the user has not; what it costs if not grows with
//! the item's rank, which is guessed from how many negatives were drawn until one scored too high.
//!
//! Of user u and item i, negatives j are drawn until 1 − ŷᵤᵢ + ŷᵤⱼ > 0, at most `trials` of them. With n unseen items and N
//! draws the rank is about ⌊n / N⌋, and the step goes down the gradient of L(⌊n / N⌋) (1 − ŷᵤᵢ + ŷᵤⱼ) + λ (‖pᵤ‖² + ‖qᵢ‖² + ‖qⱼ‖²)
//! + λ' (bᵢ² + bⱼ²).

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::negatives::{Known, Negatives};
use super::schedule::{Block, Pair, Rule, draw, wide};
use super::{Stride, dot};

pub struct Warp<'a> {
    pub stride: Stride,
    /// At most so many draws for one interaction.
    pub trials: usize,
    /// What a rank costs, from rank 0 on.
    pub costs: &'a [f32],
    pub negatives: Negatives<'a>,
    pub weights: &'a [f32],
}

impl Rule for Warp<'_> {
    type Known = Known;

    fn know(&self, order: &[u32], blocks: &[Range<usize>]) -> Known {
        self.negatives.know(order, blocks)
    }

    fn learn(&self, block: Block<'_>, number: usize, known: &Known) {
        wide(Learning { rule: self, block, number, known });
    }
}

struct Learning<'a, 'b> {
    rule: &'a Warp<'a>,
    block: Block<'b>,
    number: usize,
    known: &'a Known,
}

impl WithSimd for Learning<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Block { pairs, mut users, mut items, order, stride, mut lots } = self.block;
        let rule = self.rule;
        for at in 0..pairs.len() {
            let Pair { user, item, at } = draw(pairs, at, &mut lots);
            let (user, item) = (user as usize, item as usize);
            let number = users.first + user;
            let a = users.row_mut(user, stride);
            let own = dot(a, items.row(item, stride)) + items.bias.get(item).copied().unwrap_or(0.0);
            for trial in 1..=rule.trials {
                let negative = rule.negatives.draw(self.known, self.number, order, number, &mut lots);
                let Some(other) = negative else { break };
                let theirs = dot(a, items.row(other, stride)) + items.bias.get(other).copied().unwrap_or(0.0);
                if 1.0 - own + theirs > 0.0 {
                    let weight = rule.weights.get(at as usize).copied().unwrap_or(1.0);
                    if let Some((rows, biases)) = items.two(item, other, stride) {
                        rule.stride.step(a, rows, biases, weight * rule.cost(number, trial));
                    }
                    break;
                }
            }
        }
    }
}

impl Warp<'_> {
    /// What the rank costs that so many draws for a user tell of.
    #[inline(always)]
    pub fn cost(&self, user: usize, trials: usize) -> f32 {
        let rank = self.negatives.pairs.unseen(user) / trials;
        self.costs.get(rank.min(self.costs.len().saturating_sub(1))).copied().unwrap_or(0.0)
    }
}
