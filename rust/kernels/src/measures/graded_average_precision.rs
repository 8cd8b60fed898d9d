//! Graded AP: AP expected over thresholds of relevance; two documents share those that the lesser one passes.
//!
//! In an open block of m documents the one at place j (from 1) shares with those above the block what a document of
//! the block shares on average, and with each of the j−1 before it in the block what two of them share on average.
//! Of m worths in rising order the i-th (from 1) is the lesser one in m−i pairs.

use super::{Denominator, List, Measure, precision::ideal_worth};

pub fn graded_average_precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let mut above = Above::default();
    let mut worths: Vec<f64> = Vec::new();
    let mut sum = 0.0;
    measure.each_block(list, measure.depth, |block, hits| {
        if hits > 0 {
            measure.rising_worths(list, block, &mut worths);
            let m = block.len as f64;
            let own = worths.iter().map(|&worth| above.shared(worth) + worth).sum::<f64>() / m;
            let pairs: f64 = worths.iter().rev().enumerate().map(|(below, worth)| worth * below as f64).sum();
            let pair = if block.len > 1 { 2.0 * pairs / (m * (m - 1.0)) } else { 0.0 };
            for rank in block.start..block.end().min(measure.depth) {
                sum += (own + (rank - block.start) as f64 * pair) / (rank + 1) as f64;
            }
            worths.iter().for_each(|&worth| above.add(worth));
        }
        true
    });
    let over = match measure.denominator {
        Denominator::RelevantToDepth => ideal_worth(measure, list, measure.depth),
        Denominator::Hits => above.total(),
        _ => measure.relevant_worth(list),
    };
    (over > 0.0).then(|| sum / over)
}

/// The documents above, by what they are worth: (worth, documents), rising.
#[derive(Default)]
struct Above(Vec<(f64, f64)>);

impl Above {
    fn add(&mut self, worth: f64) {
        match self.0.binary_search_by(|(known, _)| known.total_cmp(&worth)) {
            Ok(at) => {
                if let Some((_, documents)) = self.0.get_mut(at) {
                    *documents += 1.0;
                }
            }
            Err(at) => self.0.insert(at, (worth, 1.0)),
        }
    }

    /// What a document shares with all of them.
    fn shared(&self, worth: f64) -> f64 {
        self.0.iter().map(|&(other, documents)| documents * other.min(worth)).sum()
    }

    fn total(&self) -> f64 {
        self.0.iter().map(|&(worth, documents)| documents * worth).sum()
    }
}
