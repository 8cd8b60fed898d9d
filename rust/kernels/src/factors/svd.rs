//! SVD by stochastic steps: the score of a user for an item is to be the value that was seen.
//!
//! Of user u, item i, value x and weight w with e = x − μ − bᵤ − bᵢ − ⟨pᵤ, qᵢ⟩, a step goes down half the gradient of
//! w e² + α' ‖pᵤ‖² + β' ‖qᵢ‖² + γ' bᵤ² + θ' bᵢ², whose penalties are shares of those of the user and the item, so that the steps
//! of an epoch add up to the whole penalty.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::schedule::{Block, Pair, Rule, draw, wide};
use super::{LANES, dot};

#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub rate: f32,
    /// Of users' factors, items' factors, users' biases, items' biases.
    pub penalties: [f32; 4],
    pub mean: f32,
    pub biases: bool,
}

pub struct Svd<'a> {
    pub options: Options,
    pub values: &'a [f32],
    pub weights: &'a [f32],
    /// What of its penalties each user and each item pays at an interaction; empty: all of it.
    pub user_shares: &'a [f32],
    pub item_shares: &'a [f32],
}

impl Rule for Svd<'_> {
    type Known = ();

    fn know(&self, _: &[u32], _: &[Range<usize>]) {}

    fn learn(&self, block: Block<'_>, _: usize, (): &()) {
        wide(Learning { rule: self, block });
    }
}

struct Learning<'a, 'b> {
    rule: &'a Svd<'a>,
    block: Block<'b>,
}

impl WithSimd for Learning<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Block { pairs, users, items, order, stride, mut lots } = self.block;
        for at in 0..pairs.len() {
            let Pair { user, item, at } = draw(pairs, at, &mut lots);
            let (user, item) = (user as usize, item as usize);
            let seen = self.rule.seen(at as usize, users.first + user, order.get(item).copied().unwrap_or(0) as usize);
            let (Some(bias), Some(item_bias)) = (users.bias.get_mut(user), items.bias.get_mut(item)) else { continue };
            let a = users.rows.get_mut(user * stride..(user + 1) * stride).unwrap_or_default();
            let b = items.rows.get_mut(item * stride..(item + 1) * stride).unwrap_or_default();
            self.rule.options.step(a, b, bias, item_bias, seen);
        }
    }
}

/// What one interaction says.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub value: f32,
    pub weight: f32,
    pub user_share: f32,
    pub item_share: f32,
}

impl Svd<'_> {
    #[inline(always)]
    pub fn seen(&self, at: usize, user: usize, item: usize) -> Seen {
        let of = |column: &[f32], at: usize| column.get(at).copied().unwrap_or(1.0);
        Seen {
            value: of(self.values, at),
            weight: of(self.weights, at),
            user_share: of(self.user_shares, user),
            item_share: of(self.item_shares, item),
        }
    }
}

impl Options {
    #[inline(always)]
    pub fn step(&self, a: &mut [f32], b: &mut [f32], user_bias: &mut f32, item_bias: &mut f32, seen: Seen) {
        let error = seen.value - self.mean - *user_bias - *item_bias - dot(a, b);
        let pull = self.rate * seen.weight * error;
        let [users, items, user_biases, item_biases] = self.penalties;
        let (shrink, item_shrink) = (self.rate * users * seen.user_share, self.rate * items * seen.item_share);
        for (a, b) in a.as_chunks_mut::<LANES>().0.iter_mut().zip(b.as_chunks_mut::<LANES>().0) {
            for lane in 0..LANES {
                let (x, y) = (a[lane], b[lane]);
                a[lane] = x + (pull * y - shrink * x);
                b[lane] = y + (pull * x - item_shrink * y);
            }
        }
        if self.biases {
            *user_bias += pull - self.rate * user_biases * seen.user_share * *user_bias;
            *item_bias += pull - self.rate * item_biases * seen.item_share * *item_bias;
        }
    }
}
