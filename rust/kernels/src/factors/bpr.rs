//! BPR: of an item that the user has seen and one that the user has not, the first is to have the higher score.
//!
//! Of user u, item i and negative j with x = ŷᵤᵢ − ŷᵤⱼ, a step goes down the gradient of −ln σ(x) + λ (‖pᵤ‖² + ‖qᵢ‖² + ‖qⱼ‖²)
//! + λ' (bᵢ² + bⱼ²): with z = 1 / (1 + exp(x)) the rows move by z times each other, less 2λ of themselves.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::negatives::{Known, Negatives};
use super::schedule::{Block, Pair, Rule, draw, wide};
use super::{Stride, dot_apart};

pub struct Bpr<'a> {
    pub stride: Stride,
    pub negatives: Negatives<'a>,
    /// How much each interaction counts; empty: all alike.
    pub weights: &'a [f32],
}

impl Rule for Bpr<'_> {
    type Known = Known;

    fn know(&self, order: &[u32], blocks: &[Range<usize>]) -> Known {
        self.negatives.know(order, blocks)
    }

    fn learn(&self, block: Block<'_>, number: usize, known: &Known) {
        wide(Learning { rule: self, block, number, known });
    }
}

struct Learning<'a, 'b> {
    rule: &'a Bpr<'a>,
    block: Block<'b>,
    number: usize,
    known: &'a Known,
}

impl WithSimd for Learning<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Block { pairs, mut users, mut items, order, stride, mut lots } = self.block;
        for at in 0..pairs.len() {
            let Pair { user, item, at } = draw(pairs, at, &mut lots);
            let (user, item) = (user as usize, item as usize);
            let negative = self.rule.negatives.draw(self.known, self.number, order, users.first + user, &mut lots);
            let Some(other) = negative else { continue };
            let weight = self.rule.weights.get(at as usize).copied().unwrap_or(1.0);
            if let Some((rows, biases)) = items.two(item, other, stride) {
                self.rule.step(users.row_mut(user, stride), rows, biases, weight);
            }
        }
    }
}

impl Bpr<'_> {
    /// One user, one item and its negative.
    #[inline(always)]
    pub fn step(&self, a: &mut [f32], rows: [&mut [f32]; 2], biases: [&mut f32; 2], weight: f32) {
        let apart = dot_apart(a, rows[0], rows[1]) + (*biases[0] - *biases[1]);
        self.stride.step(a, rows, biases, weight / (1.0 + apart.exp()));
    }
}
