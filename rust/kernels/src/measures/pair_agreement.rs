//! PairAgreement: the share of the weight of all pairs on which two rankings agree; a pair tied in either counts half.

use super::{
    List, Measure,
    pairs::{Levels, Weight},
};

pub fn pair_agreement(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let levels = Levels::of(measure, list);
    let weight = if measure.parameter(0) == 0.0 { Weight::One } else { Weight::Difference };
    let pairs = levels.pairs(list.open, weight);
    let tied = if weight == Weight::One { levels.tied() as f64 } else { 0.0 };
    let all = pairs.all() + tied;
    (all > 0.0).then(|| (pairs.right + (pairs.open + tied) / 2.0) / all)
}
