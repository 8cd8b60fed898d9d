//! The bootstrap: means of lists drawn with replacement, as many as there are, again and again.
//!
//! Draws come from a generator that counts: the i-th number of a resample is a function of the seed, of the resample
//! and of i alone, so that threads do not matter. Lists are sorted first, so that their order does not either.

use crate::lots::{STEP, mix};
use crate::threads;

/// Resamples that a thread takes at a time.
const PIECE: usize = 64;

/// The mean of each resample; `weights` make it Σ w·v / Σ w, which is NaN where all weights drawn are 0.
/// Values that are NaN are left out, with their weights. There are fewer than 2^32 values.
pub fn means(values: &[f64], weights: Option<&[f64]>, resamples: usize, seed: u64, threads: Option<usize>) -> Vec<f64> {
    match weights {
        None => {
            let mut known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            known.sort_unstable_by(f64::total_cmp);
            let n = known.len() as f64;
            of_resamples(resamples, seed, threads, |key| total(&known, key) / n)
        }
        Some(weights) => {
            let pairs = values.iter().zip(weights).filter(|(v, _)| !v.is_nan());
            let mut known: Vec<Pair> = pairs.map(|(&v, &w)| Pair(w * v, w)).collect();
            known.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            of_resamples(resamples, seed, threads, |key| {
                let Pair(sum, weight) = total(&known, key);
                sum / weight
            })
        }
    }
}

fn of_resamples(resamples: usize, seed: u64, threads: Option<usize>, mean: impl Fn(u64) -> f64 + Sync) -> Vec<f64> {
    let start = mix(seed);
    let pieces = (0..resamples).step_by(PIECE).map(|first| first..(first + PIECE).min(resamples)).collect();
    let work = |_: &mut (), piece: std::ops::Range<usize>| -> Vec<f64> {
        piece.map(|resample| mean(mix(start.wrapping_add((resample as u64).wrapping_mul(STEP))))).collect()
    };
    threads::each(threads, pieces, || (), work).concat()
}

/// A weighted value and its weight.
#[derive(Clone, Copy, Default)]
struct Pair(f64, f64);

impl std::ops::Add for Pair {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

/// The sum of as many terms as there are, drawn with replacement: each number drawn gives two.
fn total<T: Copy + Default + std::ops::Add<Output = T>>(terms: &[T], key: u64) -> T {
    let n = terms.len() as u64;
    // Fixed point: the upper half of 32 random bits × n is a place below n, each as likely but for n / 2^32.
    let term = |bits: u64| terms.get(((bits * n) >> 32) as usize).copied().unwrap_or_default();
    let drawn = |i: u64| mix(key.wrapping_add(i.wrapping_mul(STEP)));
    let mut sums = [T::default(); 2];
    for i in 0..n / 2 {
        let bits = drawn(i);
        let [first, second] = &mut sums;
        *first = *first + term(bits >> 32);
        *second = *second + term(bits & 0xffff_ffff);
    }
    let [first, second] = sums;
    let both = first + second;
    if n % 2 == 1 { both + term(drawn(n / 2) >> 32) } else { both }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(n: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * 7919) % 1009) as f64 / 1009.0).collect()
    }

    #[test]
    fn threads_and_order_do_not_matter() {
        let (mut v, w) = (values(501), values(501));
        let one = means(&v, None, 300, 7, Some(1));
        assert_eq!(one, means(&v, None, 300, 7, Some(3)));
        assert_eq!(means(&v, Some(&w), 300, 7, Some(1)), means(&v, Some(&w), 300, 7, Some(2)));
        v.reverse();
        assert_eq!(one, means(&v, None, 300, 7, None));
        assert_ne!(one, means(&v, None, 300, 8, None));
    }

    #[test]
    fn equal_weights_are_no_weights() {
        let v = values(100);
        assert_eq!(means(&v, Some(&[1.0; 100]), 50, 0, None), means(&v, None, 50, 0, None));
    }

    #[test]
    fn each_list_is_drawn_as_often() {
        let n = 40;
        let mut of_each = Vec::new();
        for list in 0..n {
            let mut v = vec![0.0; n];
            if let Some(one) = v.get_mut(list) {
                *one = 1.0;
            }
            // Sorting moves the 1 to the end: what is counted is how often the last place is drawn.
            of_each.push(means(&v, None, 2000, list as u64, None).iter().sum::<f64>() * n as f64 / 2000.0);
        }
        // Each is 1 on average, with a standard deviation of 1/√2000.
        assert!(of_each.iter().all(|&share| (share - 1.0).abs() < 5.0 / 2000f64.sqrt()), "{of_each:?}");
    }

    #[test]
    fn what_is_undefined_is_left_out() {
        assert_eq!(means(&[f64::NAN, 2.0], Some(&[5.0, 1.0]), 3, 0, None), [2.0; 3]);
        assert!(means(&[], None, 2, 0, None).iter().all(|m| m.is_nan()));
        assert!(means(&[1.0], Some(&[0.0]), 2, 0, None).iter().all(|m| m.is_nan()));
    }
}
