//! R-precision: precision after as many documents as are relevant, or after a multiple of them.

use super::{List, Measure, precision::hits};

pub fn r_precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    if relevant == 0 {
        return None;
    }
    let cut = cut(measure, relevant);
    Some(if cut == 0 { 0.0 } else { hits(measure, list, cut) / cut as f64 })
}

/// How many documents are looked at: nearly rounded up, as trec_eval has it; 0.2 of 7 are 2, but 0.15 of 7 only 1.
pub fn cut(measure: &Measure, relevant: u64) -> usize {
    (measure.parameter(0) * relevant as f64 + 0.9) as usize
}
