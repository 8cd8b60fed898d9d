//! bpref: for each relevant document retrieved, the share of the top R judged non-relevant ones that stand below it.
//!
//! In an open block with b judged non-relevant documents, how many of them precede a given relevant one is
//! equally likely 0 … b.

use super::{List, Measure};

pub fn bpref(measure: &Measure, list: &List<'_>) -> Option<f64> {
    let relevant = measure.relevant(list);
    if relevant == 0 {
        return None;
    }
    let known = |grade: u32| measure.known.get(grade as usize).copied().unwrap_or(false);
    let pool = measure.pool(list);
    let wrong: u64 = pool.iter().filter(|c| measure.worth(c.grade) <= 0.0 && known(c.grade)).map(|c| u64::from(c.documents)).sum();
    let share = |above: u64| if above == 0 { 1.0 } else { 1.0 - above.min(relevant) as f64 / wrong.min(relevant) as f64 };
    let (mut sum, mut above) = (0.0, 0u64);
    measure.each_block(list, measure.depth, |block, hits| {
        let grades = list.ranked.get(block.start..block.end()).unwrap_or_default();
        let among = grades.iter().filter(|&&g| measure.worth(g) <= 0.0 && known(g)).count() as u64;
        if hits > 0 {
            let mean = (above..=above + among).map(share).sum::<f64>() / (among + 1) as f64;
            sum += hits as f64 * mean;
        }
        above += among;
        true
    });
    Some(sum / relevant as f64)
}
