//! nDCG: DCG over the DCG of the ideal list.

use super::{Count, IdealCut, List, Measure, dcg::dcg};

pub fn ndcg(measure: &Measure, list: &List<'_>) -> Option<f64> {
    ideal(measure, list).map(|ideal| dcg(measure, list) / ideal)
}

/// The DCG of the ideal list, unless it is 0.
pub fn ideal(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let mut ideal = 0.0;
    let cut = match measure.ideal_cut {
        IdealCut::Depth => measure.depth,
        IdealCut::Nowhere => usize::MAX,
        IdealCut::Hits => measure.depth.min(list.len),
    };
    each_ideal(measure, list, cut, |rank, worth| ideal += worth * measure.discount(rank));
    (ideal > 0.0).then_some(ideal)
}

/// Calls `at(rank, worth)` for the first `cut` ranks of the ideal list, down to where nothing is worth anything.
pub fn each_ideal(measure: &Measure, list: &List<'_>, cut: usize, at: impl FnMut(usize, f64)) {
    let pool = measure.pool(list);
    let worth = |count: &Count| measure.worth(count.grade);
    // Grades rise with labels, and gains nearly always rise with grades.
    if pool.windows(2).all(|w| matches!(w, [a, b] if worth(a) <= worth(b))) {
        descend(measure, pool.iter().rev(), cut, at);
    } else {
        let mut sorted = pool.to_vec();
        sorted.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        descend(measure, sorted.iter(), cut, at);
    }
}

fn descend<'a>(measure: &Measure, counts: impl Iterator<Item = &'a Count>, cut: usize, mut at: impl FnMut(usize, f64)) {
    let mut rank = 0;
    for count in counts {
        let worth = measure.worth(count.grade);
        if worth <= 0.0 || rank >= cut {
            return;
        }
        let end = cut.min(rank + count.documents as usize);
        while rank < end {
            at(rank, worth);
            rank += 1;
        }
    }
}
