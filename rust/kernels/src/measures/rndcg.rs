//! RnDCG: nDCG averaged over the ranks where the ideal list changes its gain.

use super::{List, Measure, ndcg::each_ideal};

pub fn rndcg(measure: &Measure, list: &List<'_>) -> Option<f64> {
    // The ranks after which the ideal's gain changes, and its DCG there.
    let (mut ends, mut ideals) = (Vec::new(), Vec::new());
    let (mut ideal, mut documents, mut last) = (0.0, 0, 0.0);
    each_ideal(measure, list, usize::MAX, |rank, worth| {
        if rank > 0 && worth != last {
            ends.push(rank);
            ideals.push(ideal);
        }
        last = worth;
        ideal += worth * measure.discount(rank);
        documents = rank + 1;
    });
    if ideal <= 0.0 {
        return None;
    }
    ends.push(documents);
    ideals.push(ideal);
    // trec_eval looks at the end of the list too, if it lies at least two ranks below.
    if list.len > documents + 1 {
        ends.push(list.len);
        ideals.push(ideal);
    }
    let mut points = ends.iter().zip(&ideals).peekable();
    let (mut dcg, mut sum) = (0.0, 0.0);
    measure.each_rank(list, usize::MAX, |rank, worth| {
        while let Some((_, ideal)) = points.next_if(|(end, _)| **end == rank) {
            sum += dcg / ideal;
        }
        dcg += worth * measure.discount(rank);
    });
    sum += points.map(|(_, ideal)| dcg / ideal).sum::<f64>();
    Some(sum / ends.len() as f64)
}
