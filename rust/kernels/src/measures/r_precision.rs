//! R-precision: precision after as many documents as are relevant.

use super::{List, Measure, precision::hits};

pub fn r_precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    (relevant > 0).then(|| hits(measure, list, usize::try_from(relevant).unwrap_or(usize::MAX)) / relevant as f64)
}
