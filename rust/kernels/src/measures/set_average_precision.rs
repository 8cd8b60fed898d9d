//! Set AP: the precision of the whole list, once for each relevant document retrieved, over R.

use super::{List, Measure, counts::relevant_retrieved};

pub fn set_average_precision(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    if relevant == 0 {
        return None;
    }
    let found = relevant_retrieved(measure, list);
    Some(if list.len == 0 { 0.0 } else { found * found / (list.len as f64 * relevant as f64) })
}
