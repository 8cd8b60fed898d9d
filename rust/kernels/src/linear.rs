//! Weighted sums of features.

use pulp::{Arch, Simd, WithSimd};

use crate::error::{Error, Result};
use crate::threads;

/// Rows that a thread takes at a time.
const PIECE: usize = 1024;
/// A row's sum is kept in so many parts, column c in part c mod 8, which are added in pairs: every machine adds alike.
const LANES: usize = 8;

/// The bias and Σ weight × value of each row of a table; NaN counts as 0.
pub fn scores(table: &[f32], weights: &[f64], bias: f64, threads: Option<usize>) -> Result<Vec<f64>> {
    let columns = weights.len();
    if columns == 0 || !table.len().is_multiple_of(columns) {
        return Err(Error::new("", format!("a table of {} values has no rows of {columns} columns", table.len())));
    }
    let work = |_: &mut (), rows: &[f32]| Arch::new().dispatch(Adding { rows, weights, bias });
    Ok(threads::each(threads, table.chunks(PIECE * columns).collect(), || (), work).concat())
}

struct Adding<'a> {
    rows: &'a [f32],
    weights: &'a [f64],
    bias: f64,
}

impl WithSimd for Adding<'_> {
    type Output = Vec<f64>;
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) -> Vec<f64> {
        let (weights, rest) = self.weights.as_chunks::<LANES>();
        let of_row = |row: &[f32]| {
            let (values, last) = row.as_chunks::<LANES>();
            let mut sums = [0.0; LANES];
            for (values, weights) in values.iter().zip(weights) {
                for ((sum, &x), &w) in sums.iter_mut().zip(values).zip(weights) {
                    *sum += term(x, w);
                }
            }
            for ((sum, &x), &w) in sums.iter_mut().zip(last).zip(rest) {
                *sum += term(x, w);
            }
            let [a, b, c, d, e, f, g, h] = sums;
            self.bias + (((a + b) + (c + d)) + ((e + f) + (g + h)))
        };
        self.rows.chunks(self.weights.len()).map(of_row).collect()
    }
}

#[inline(always)]
fn term(x: f32, weight: f64) -> f64 {
    if x.is_nan() { 0.0 } else { f64::from(x) * weight }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_adds_nothing() {
        let weights: Vec<f64> = (0..11).map(f64::from).collect();
        let mut row = vec![1.0; 11];
        row.push(f32::NAN);
        row.extend([2.0; 10]);
        assert_eq!(scores(&row, &weights, 0.5, None), Ok(vec![55.5, 110.5]));
        assert!(scores(&row, &weights[1..], 0.5, None).is_err());
    }
}
