//! Spearman's ρ: the correlation of ranks with the ranks of the worths, of which equal ones share the mean.
//!
//! The documents of an open block stand at its mean rank, in the mean over its orders as where they stay tied; only the
//! spread of the ranks differs. All sums are whole numbers: twice a rank less twice the mean rank is one.

use super::{List, Measure, pairs::Levels};

pub fn spearman(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let levels = Levels::of(measure, list);
    let n = list.ranked.len() as u64;
    // Σ (2 (rank − mean))², 12 of which make n³ − n less t³ − t of each tie.
    let spread = |ties: i128| (cubed(n) - ties) / 3;
    let ranks = spread(list.kept_ties().map(|block| cubed(block.len as u64)).sum());
    let ideal = spread(levels.documents().iter().map(|&documents| cubed(documents)).sum());
    if ranks == 0 || ideal == 0 {
        return None;
    }
    Some(covariance(&levels, list) as f64 / (ranks as f64 * ideal as f64).sqrt())
}

fn cubed(n: u64) -> i128 {
    let n = i128::from(n);
    n * n * n - n
}

/// Σ (2 (rank − mean)) (2 (rank of worth − mean)).
fn covariance(levels: &Levels, list: &List<'_>) -> i128 {
    let n = list.ranked.len() as i64;
    let mut start = 0;
    let of_level: Vec<i64> = levels
        .documents()
        .iter()
        .map(|&documents| {
            let centre = centred(start, documents as i64, n);
            start += documents as i64;
            centre
        })
        .collect();
    let ideal = |level: &u32| of_level.get(*level as usize).copied().unwrap_or(0);
    let (mut sum, mut rank) = (0i128, 0);
    let mut add = |start: usize, end: usize| {
        let of_block: i64 = levels.of_rank().get(start..end).unwrap_or_default().iter().map(ideal).sum();
        sum += i128::from(of_block) * i128::from(centred(start as i64, (end - start) as i64, n));
    };
    for block in list.open {
        (rank..block.start).for_each(|rank| add(rank, rank + 1));
        add(block.start, block.end());
        rank = block.end();
    }
    (rank..list.ranked.len()).for_each(|rank| add(rank, rank + 1));
    sum
}

/// Twice the mean of `len` ranks from `start` on, less twice the mean of all n.
fn centred(start: i64, len: i64, n: i64) -> i64 {
    2 * start + len - n
}
