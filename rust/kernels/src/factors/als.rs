//! SVD by alternating least squares: with the items held fast, the best row and bias of a user solve a ridge regression of
//! their own, in closed form; then the same for the items with the users held fast.
//!
//! With z = (q, 1) of each item and t = x − μ − b: (Σ w z zᵀ + P) (p, bᵤ) = Σ w t z, P = diag(α, …, α, γ). Unseen items count
//! with a weight w₀ and the value 0 (Hu, Koren & Volinsky 2008, `hu2008`): their sums over *all* items are taken once, and of
//! each row only what was seen is changed.

use pulp::{Simd, WithSimd};

use super::pairs::Pairs;
use super::schedule::wide;
use crate::error::{Error, Result};
use crate::threads;

/// Rows that one thread takes at once.
const PIECE: usize = 64;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub factors: usize,
    pub mean: f64,
    pub penalty: f64,
    pub bias_penalty: f64,
    /// The penalties are paid for each interaction, not once a row.
    pub each: bool,
    /// How much what was not seen counts.
    pub unseen: f64,
    pub biases: bool,
}

/// What is solved for, and what is held fast.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    pub pairs: &'a Pairs,
    pub values: &'a [f32],
    pub weights: &'a [f32],
    pub fixed: &'a [f32],
    pub fixed_bias: &'a [f32],
    pub options: Options,
}

/// Rows and biases.
pub fn solve(problem: &Problem<'_>, threads: Option<usize>) -> Result<(Vec<f32>, Vec<f32>)> {
    problem.check()?;
    let whole = wide(Whole(problem));
    let rows = problem.pairs.users();
    let pieces: Vec<_> = (0..rows).step_by(PIECE).map(|first| first..(first + PIECE).min(rows)).collect();
    let parts = threads::each(
        threads,
        pieces,
        || (),
        |(), rows| {
            let mut solver = Solver::new(problem, &whole);
            rows.map(|row| wide(One { solver: &mut solver, row })).collect::<Result<Vec<_>>>()
        },
    );
    let mut found = (Vec::with_capacity(rows * problem.options.factors), Vec::with_capacity(rows));
    for part in parts {
        for (row, bias) in part? {
            found.0.extend(row);
            found.1.push(bias);
        }
    }
    Ok(found)
}

impl Problem<'_> {
    fn check(&self) -> Result<()> {
        let count = self.pairs.item_count;
        if self.fixed.len() != count * self.options.factors || self.fixed_bias.len() != count {
            return Err(Error::new("factors", "there is not one row and one bias for each of those held fast"));
        }
        if self.values.len() != self.pairs.len() || !(self.weights.is_empty() || self.weights.len() == self.pairs.len()) {
            return Err(Error::new("interactions", "there is not one value and one weight for each"));
        }
        Ok(())
    }

    fn width(&self) -> usize {
        self.options.factors + usize::from(self.options.biases)
    }

    #[inline(always)]
    fn take(&self, item: usize, z: &mut [f64]) {
        let factors = self.options.factors;
        let row = self.fixed.get(item * factors..(item + 1) * factors).unwrap_or_default();
        z.iter_mut().zip(row).for_each(|(own, &value)| *own = value.into());
        if let (true, Some(last)) = (self.options.biases, z.get_mut(factors)) {
            *last = 1.0;
        }
    }

    fn target(&self, value: f32, item: usize) -> f64 {
        f64::from(value) - self.options.mean - f64::from(self.fixed_bias.get(item).copied().unwrap_or(0.0))
    }
}

/// A symmetric system, of which the lower half is kept.
#[derive(Debug, Clone)]
struct System {
    square: Vec<f64>,
    right: Vec<f64>,
}

impl System {
    fn zeros(width: usize) -> Self {
        Self { square: vec![0.0; width * width], right: vec![0.0; width] }
    }

    #[inline(always)]
    fn add(&mut self, z: &[f64], weight: f64, pull: f64) {
        let width = z.len();
        for (at, row) in self.square.chunks_exact_mut(width).enumerate() {
            let scale = weight * z[at];
            row.iter_mut().zip(z).take(at + 1).for_each(|(own, z)| *own += scale * z);
        }
        self.right.iter_mut().zip(z).for_each(|(own, z)| *own += pull * z);
    }

    /// Cholesky's factorisation in place, then both triangles; the answer is in `right`.
    #[inline(always)]
    fn solve(&mut self) -> bool {
        let width = self.right.len();
        for at in 0..width {
            let (above, below) = self.square.split_at_mut(at * width);
            for (other, upper) in above.chunks_exact(width).enumerate() {
                let sum = below[other] - product(&below[..other], &upper[..other]);
                below[other] = sum / upper[other];
            }
            let pivot = below[at] - product(&below[..at], &below[..at]);
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            below[at] = pivot.sqrt();
        }
        for at in 0..width {
            let row = &self.square[at * width..at * width + at + 1];
            self.right[at] = (self.right[at] - product(&row[..at], &self.right[..at])) / row[at];
        }
        for at in (0..width).rev() {
            let row = &self.square[at * width..at * width + at + 1];
            let value = self.right[at] / row[at];
            self.right[at] = value;
            self.right[..at].iter_mut().zip(row).for_each(|(own, l)| *own -= l * value);
        }
        true
    }
}

#[inline(always)]
fn product(a: &[f64], b: &[f64]) -> f64 {
    const WIDE: usize = 8;
    let mut sum = [0.0; WIDE];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<WIDE>(), b.as_chunks::<WIDE>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..WIDE {
            sum[lane] += a[lane] * b[lane];
        }
    }
    sum.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// The sums over all items, if what was not seen counts.
struct Whole<'a, 'b>(&'a Problem<'b>);

impl WithSimd for Whole<'_, '_> {
    type Output = System;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> System {
        let (problem, width) = (self.0, self.0.width());
        let mut system = System::zeros(width);
        let unseen = problem.options.unseen;
        if unseen > 0.0 {
            let mut z = vec![0.0; width];
            for item in 0..problem.pairs.item_count {
                problem.take(item, &mut z);
                system.add(&z, unseen, unseen * problem.target(0.0, item));
            }
        }
        system
    }
}

struct Solver<'a, 'b> {
    problem: &'a Problem<'b>,
    whole: &'a System,
    system: System,
    z: Vec<f64>,
}

impl<'a, 'b> Solver<'a, 'b> {
    fn new(problem: &'a Problem<'b>, whole: &'a System) -> Self {
        Self { problem, whole, system: whole.clone(), z: vec![0.0; problem.width()] }
    }
}

struct One<'s, 'a, 'b> {
    solver: &'s mut Solver<'a, 'b>,
    row: usize,
}

impl WithSimd for One<'_, '_, '_> {
    type Output = Result<(Vec<f32>, f32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Solver { problem, whole, system, z } = self.solver;
        let Options { factors, penalty, bias_penalty, each, unseen, .. } = problem.options;
        system.square.copy_from_slice(&whole.square);
        system.right.copy_from_slice(&whole.right);
        let first = problem.pairs.offsets.get(self.row).copied().unwrap_or(0);
        let items = problem.pairs.of(self.row);
        if items.is_empty() && unseen == 0.0 {
            return Ok((vec![0.0; factors], 0.0));
        }
        for (at, &item) in (first..).zip(items) {
            let (item, weight) = (item as usize, problem.weights.get(at).map_or(1.0, |&w| w.into()));
            problem.take(item, z);
            let seen = weight * problem.target(problem.values.get(at).copied().unwrap_or(0.0), item);
            system.add(z, weight - unseen, seen - unseen * problem.target(0.0, item));
        }
        let times = if each { items.len() as f64 } else { 1.0 };
        let width = z.len();
        for at in 0..width {
            system.square[at * width + at] += times * if at < factors { penalty } else { bias_penalty };
        }
        if !system.solve() {
            let hint = "give penalties above 0, or fewer factors.";
            return Err(Error::new(format!("row {}", self.row), "the least squares have no single solution").hint(hint));
        }
        let bias = if problem.options.biases { system.right.get(factors).copied().unwrap_or(0.0) } else { 0.0 };
        Ok((system.right.iter().take(factors).map(|&x| x as f32).collect(), bias as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        let mut system = System::zeros(3);
        for z in [[1.0, 2.0, 0.5], [0.0, 1.0, -1.0], [3.0, 0.0, 1.0]] {
            system.add(&z, 1.0, z[0] - 2.0 * z[1] + 4.0 * z[2]);
        }
        assert!(system.solve());
        for (found, wanted) in system.right.iter().zip([1.0, -2.0, 4.0]) {
            assert!((found - wanted).abs() < 1e-12);
        }
        assert!(!System::zeros(2).solve());
    }
}
