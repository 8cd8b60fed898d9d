//! ERR: the expected reciprocal rank at which a reader stops, who stops at a document with its grade's chance.
//!
//! In an open block the mean over orders of "read on past j documents" is the mean of all products of j factors
//! (1 − chance), an elementary symmetric mean; the chance to stop at place j is the fall of that mean from j−1 to j.
//! The means follow document by document: ē_j ← ((t−j) ē_j + j q ē_{j−1}) / t, all between 0 and 1.

use super::{List, Measure};

pub fn err(measure: &Measure, list: &List<'_>) -> f64 {
    let (mut value, mut reads_on) = (0.0, 1.0);
    if list.open.is_empty() {
        for (rank, &grade) in list.ranked.iter().take(measure.depth).enumerate() {
            let stop = measure.worth(grade);
            value += reads_on * stop / (rank + 1) as f64;
            reads_on *= 1.0 - stop;
        }
        return value;
    }
    measure.each_block(list, measure.depth, |block, _| {
        let grades = list.ranked.get(block.start..block.end()).unwrap_or_default();
        let mut chances: Vec<f64> = grades.iter().map(|&g| measure.worth(g)).collect();
        chances.sort_unstable_by(f64::total_cmp); // the same bits for any order of rows
        let within = block.end().min(measure.depth) - block.start;
        let means = symmetric_means(&chances, within);
        for (place, pair) in means.windows(2).enumerate() {
            if let [before, after] = pair {
                value += reads_on * (before - after) / (block.start + place + 1) as f64;
            }
        }
        reads_on *= chances.iter().map(|stop| 1.0 - stop).product::<f64>();
        true
    });
    value
}

/// ē_0 … ē_most of the factors 1 − chance.
pub fn symmetric_means(chances: &[f64], most: usize) -> Vec<f64> {
    let mut means = vec![0.0; most + 1];
    if let Some(first) = means.first_mut() {
        *first = 1.0;
    }
    for (seen, stop) in chances.iter().enumerate() {
        let t = (seen + 1) as f64;
        let mut below = 1.0; // ē_{j−1} as it was before this document
        for (j, mean) in means.iter_mut().enumerate().skip(1) {
            if j > seen + 1 {
                break;
            }
            let old = *mean;
            *mean = ((t - j as f64) * old + j as f64 * (1.0 - stop) * below) / t;
            below = old;
        }
    }
    means
}
