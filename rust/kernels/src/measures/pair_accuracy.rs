//! PairAccuracy: the share of pairs of different worth that are in the right order; a tie counts ½. AUC where worth is 1 or 0.

use super::{
    List, Measure,
    pairs::{Levels, Weight, products},
};

pub fn pair_accuracy(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let pairs = if measure.is_weighted() { products(measure, list) } else { Levels::of(measure, list).pairs(list.open, Weight::One) };
    (pairs.all() > 0.0).then(|| (pairs.right + pairs.open / 2.0) / pairs.all())
}
