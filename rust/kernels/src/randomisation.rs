//! Fisher's randomisation test of many pairs of systems on the same lists.
//!
//! Vocabulary: a *system* is one column of values, one a list; a *pattern* gives each list a sign; under the null
//! hypothesis the two systems of a pair may be exchanged on each list, which flips the sign of that list's difference.
//! All pairs share the patterns: the signed sum of a difference is the difference of two signed sums, so that each
//! system is summed once a pattern, and a pair costs one subtraction and one comparison.

use pulp::{Simd, WithSimd};

use crate::error::{Error, Result};
use crate::lots::mix;
use crate::threads;

/// Patterns that are summed together: their sums of one system stay in the fastest cache.
const BLOCK: usize = 256;
/// Sums in another order differ by less, relative to the sum of the absolute values.
const ROUNDING: f64 = 1e-12;

/// Which sign patterns are looked at.
#[derive(Debug, Clone, Copy)]
pub enum Patterns {
    /// Each of the 2^lists once.
    All,
    /// So many, drawn with a seed.
    Drawn { count: usize, seed: u64 },
}

impl Patterns {
    pub fn count(self, lists: usize) -> usize {
        match self {
            Self::All => 1 << lists,
            Self::Drawn { count, .. } => count,
        }
    }

    /// 64 signs of a pattern as bits, for the lists from 64 · `word`.
    fn signs(self, pattern: usize, word: usize) -> u64 {
        match self {
            Self::All => pattern as u64,
            Self::Drawn { seed, .. } => mix(mix(seed ^ mix(pattern as u64)) ^ word as u64),
        }
    }
}

/// For each pair of systems: how many patterns make the sum of differences at least as large as it is.
/// `values` holds `lists` values for each system, one system after the other.
pub fn randomisation(values: &[f64], lists: usize, pairs: &[(u32, u32)], patterns: Patterns, threads: Option<usize>) -> Result<Vec<u64>> {
    if lists == 0 || !values.len().is_multiple_of(lists) {
        return Err(Error::new("", format!("{} values are no rows of {lists} lists", values.len())));
    }
    if matches!(patterns, Patterns::All) && lists > 24 {
        return Err(Error::new("", format!("{lists} lists have too many sign patterns to try each")));
    }
    let systems: Vec<&[f64]> = values.chunks(lists).collect();
    let observed = pairs.iter().map(|&pair| threshold(&systems, pair)).collect::<Result<Vec<f64>>>()?;
    let count = patterns.count(lists);
    let blocks: Vec<_> = (0..count).step_by(BLOCK).map(|first| first..count.min(first + BLOCK)).collect();
    // A few large pieces, since each brings counts of all pairs.
    let pieces: Vec<_> = blocks.chunks(blocks.len().div_ceil(64).max(1)).map(<[_]>::to_vec).collect();
    let arch = pulp::Arch::new();
    let parts = threads::each(
        threads,
        pieces,
        || vec![0.0; systems.len() * BLOCK],
        |sums, piece| {
            let mut counts = vec![0u64; pairs.len()];
            for block in piece {
                signed_sums(&systems, patterns, block.clone(), sums);
                arch.dispatch(CountExtreme { sums, pairs, observed: &observed, width: block.len(), counts: &mut counts });
            }
            counts
        },
    );
    let mut total = vec![0u64; pairs.len()];
    for part in parts {
        for (sum, more) in total.iter_mut().zip(part) {
            *sum += more;
        }
    }
    Ok(total)
}

/// |Σ differences| of a pair, less what rounding may do to it.
fn threshold(systems: &[&[f64]], (a, b): (u32, u32)) -> Result<f64> {
    let (Some(a), Some(b)) = (systems.get(a as usize), systems.get(b as usize)) else {
        return Err(Error::new("", format!("a pair names a system beyond the {} given", systems.len())));
    };
    let sum: f64 = a.iter().zip(*b).map(|(x, y)| x - y).sum();
    let scale: f64 = a.iter().zip(*b).map(|(x, y)| x.abs() + y.abs()).sum();
    Ok(sum.abs() - ROUNDING * scale)
}

/// The signed sums of each system under the patterns of a block, `BLOCK` places a system.
fn signed_sums(systems: &[&[f64]], patterns: Patterns, block: std::ops::Range<usize>, sums: &mut [f64]) {
    let lists = systems.first().map_or(0, |values| values.len());
    // Signs as ±1, a list after the other.
    let mut signs = vec![0.0f64; lists * BLOCK];
    for (place, pattern) in block.enumerate() {
        for word in 0..lists.div_ceil(64) {
            let bits = patterns.signs(pattern, word);
            for (bit, row) in signs.chunks_mut(BLOCK).skip(64 * word).take(64).enumerate() {
                if let Some(sign) = row.get_mut(place) {
                    *sign = if bits >> bit & 1 == 0 { 1.0 } else { -1.0 };
                }
            }
        }
    }
    for (values, sums) in systems.iter().zip(sums.chunks_mut(BLOCK)) {
        sums.fill(0.0);
        for (value, signs) in values.iter().zip(signs.chunks(BLOCK)) {
            for (sum, sign) in sums.iter_mut().zip(signs) {
                *sum += value * sign;
            }
        }
    }
}

struct CountExtreme<'a> {
    sums: &'a [f64],
    pairs: &'a [(u32, u32)],
    observed: &'a [f64],
    width: usize,
    counts: &'a mut [u64],
}

impl WithSimd for CountExtreme<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) {
        for ((&(a, b), &observed), count) in self.pairs.iter().zip(self.observed).zip(self.counts) {
            let of = |system: u32| {
                let start = system as usize * BLOCK;
                self.sums.get(start..start + self.width).unwrap_or_default()
            };
            let mut extreme = 0u32;
            for (x, y) in of(a).iter().zip(of(b)) {
                extreme += u32::from((x - y).abs() >= observed);
            }
            *count += u64::from(extreme);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_are_tried_once() {
        // Differences 1, 1, 1: of 8 patterns only the two of one sign reach 3.
        let found = randomisation(&[1.0, 2.0, 3.0, 0.0, 1.0, 2.0], 3, &[(0, 1)], Patterns::All, None).unwrap();
        assert_eq!(found, [2]);
    }

    #[test]
    fn drawn_patterns_depend_on_the_seed_and_not_on_threads() {
        let values: Vec<f64> = (0..4 * 70).map(|i| f64::from(i * i % 101) / 101.0).collect();
        let pairs = [(0, 1), (0, 2), (1, 3)];
        let run = |seed, threads| randomisation(&values, 70, &pairs, Patterns::Drawn { count: 5000, seed }, threads).unwrap();
        assert_eq!(run(1, Some(1)), run(1, Some(3)));
        assert_ne!(run(1, None), run(2, None));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(randomisation(&[1.0, 2.0], 3, &[], Patterns::All, None).is_err());
        assert!(randomisation(&[0.0; 60], 30, &[(0, 1)], Patterns::All, None).is_err());
        assert!(randomisation(&[0.0; 4], 2, &[(0, 2)], Patterns::All, None).is_err());
    }
}
