//! binG: the mean over relevant documents of 1/log2(2 + the documents above that are not relevant).

use super::{List, Measure};

pub fn binary_g(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    let (mut sum, mut found) = (0.0, 0);
    for (rank, &grade) in list.ranked.iter().enumerate() {
        if measure.worth(grade) > 0.0 {
            sum += 1.0 / ((2 + rank - found) as f64).log2();
            found += 1;
        }
    }
    (relevant > 0).then(|| sum / relevant as f64)
}
