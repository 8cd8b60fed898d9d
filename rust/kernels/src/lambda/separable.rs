//! Factors that are a number of the upper place less a number of the lower one.

use super::{Factors, places::Places};

#[derive(Default)]
pub(super) struct Separable {
    pub uppers: usize,
    /// By rank.
    pub upper: Vec<f64>,
    pub lower: Vec<f64>,
    /// By block: the factor of two documents that share it.
    pub within: Vec<f64>,
}

impl Factors for Separable {
    fn uppers(&self) -> usize {
        self.uppers
    }

    #[inline(always)]
    fn fill(&mut self, upper: usize, places: &Places, row: &mut [f64]) {
        let (at, block) = places.block_of(upper);
        if let (Some(inside), Some(&factor)) = (row.get_mut(upper + 1..block.end()), self.within.get(at)) {
            inside.fill(factor);
        }
        let own = self.upper.get(upper).copied().unwrap_or(0.0);
        let below = row.iter_mut().zip(&self.lower).skip(block.end());
        for (factor, lower) in below {
            *factor = own - lower;
        }
    }
}
