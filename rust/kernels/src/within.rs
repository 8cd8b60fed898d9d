//! Features as they stand within their list: one list and one feature at a time, NaN staying NaN and counting for nothing.
//!
//! Sums are exact, so that the order of a list's rows does not matter.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::sum;
use crate::threads;

/// Rows that a thread takes at a time, at least.
const PIECE: usize = 1 << 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// (x − minimum) / (maximum − minimum); 0 where all are equal.
    MinMax,
    /// (x − mean) / deviation, the deviation that of a population; 0 where all are equal.
    ZScore,
    /// The share of the other values that are smaller, equal ones counting half; of one value alone 0.5.
    Rank,
    /// x − mean.
    MinusMean,
    /// x / maximum; 0 where the maximum is not above 0.
    Share,
}

impl What {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "min-max" => Self::MinMax,
            "z-score" => Self::ZScore,
            "rank" => Self::Rank,
            "minus-mean" => Self::MinusMean,
            "share" => Self::Share,
            _ => return None,
        })
    }
}

/// A table like the given one, of `columns` columns and of lists that fill it.
pub fn within(table: &[f32], columns: usize, offsets: &[i64], what: What, threads: Option<usize>) -> Result<Vec<f32>> {
    let rise = offsets.windows(2).all(|pair| matches!(pair, [a, b] if a <= b));
    let rows = table.len() / columns.max(1);
    if columns == 0
        || !table.len().is_multiple_of(columns)
        || !rise
        || offsets.first() != Some(&0)
        || offsets.last() != Some(&(rows as i64))
    {
        return Err(Error::new("", format!("these offsets are not those of a table of {} values in {columns} columns", table.len())));
    }
    let work = |column: &mut Column, lists: Range<usize>| {
        let bounds = offsets.get(lists.start..=lists.end).unwrap_or_default();
        let span =
            |pair: &[i64]| pair.first().copied().unwrap_or(0) as usize * columns..pair.last().copied().unwrap_or(0) as usize * columns;
        let mut found = table.get(span(bounds)).unwrap_or_default().to_vec();
        let mut rest = &mut found[..];
        for pair in bounds.windows(2) {
            let (list, after) = std::mem::take(&mut rest).split_at_mut(span(pair).len());
            rest = after;
            for feature in 0..columns {
                column.change(list, feature, columns, what);
            }
        }
        found
    };
    Ok(threads::each(threads, threads::blocks(offsets, PIECE), Column::default, work).concat())
}

/// The known values of a feature in a list, and their rows.
#[derive(Debug, Default)]
struct Column {
    values: Vec<f64>,
    sorted: Vec<(f32, u32)>,
}

impl Column {
    fn change(&mut self, list: &mut [f32], feature: usize, columns: usize, what: What) {
        let cells = || list.iter().skip(feature).step_by(columns);
        self.values.clear();
        self.values.extend(cells().filter(|x| !x.is_nan()).map(|&x| f64::from(x)));
        if self.values.is_empty() {
            return;
        }
        if what == What::Rank {
            self.sorted.clear();
            self.sorted.extend(cells().zip(0..).filter(|(x, _)| !x.is_nan()).map(|(&x, row)| (x, row)));
            return self.rank(list, feature, columns);
        }
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (shift, width) = match what {
            What::MinMax => (low, high - low),
            What::Share => (0.0, high),
            What::MinusMean => (self.mean(), 1.0),
            What::ZScore | What::Rank => self.moments(),
        };
        for x in list.iter_mut().skip(feature).step_by(columns).filter(|x| !x.is_nan()) {
            // A width may be so small, or values so far apart, that the quotient lies out of the reach of a float32.
            let value = ((f64::from(*x) - shift) / width).clamp(f64::from(f32::MIN), f64::from(f32::MAX));
            *x = if width > 0.0 { value as f32 } else { 0.0 };
        }
    }

    fn mean(&self) -> f64 {
        sum::exact_sum(self.values.iter().copied()) / self.values.len() as f64
    }

    fn moments(&self) -> (f64, f64) {
        let (n, _, mean, deviation) = sum::summary(&self.values);
        // Of one value there is no sample deviation.
        let of_population = if n > 1 { deviation * ((n - 1) as f64 / n as f64).sqrt() } else { 0.0 };
        (mean, of_population)
    }

    fn rank(&mut self, list: &mut [f32], feature: usize, columns: usize) {
        self.sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let others = (self.sorted.len() - 1) as f64;
        let mut smaller = 0;
        for equal in self.sorted.chunk_by(|a, b| a.0 == b.0) {
            let below = smaller as f64 + (equal.len() - 1) as f64 / 2.0;
            let place = if others > 0.0 { below / others } else { 0.5 };
            for &(_, row) in equal {
                if let Some(cell) = list.get_mut(row as usize * columns + feature) {
                    *cell = place as f32;
                }
            }
            smaller += equal.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stand_by_themselves() {
        let table = [1.0, f32::NAN, 3.0, 4.0, 3.0, -2.0];
        let of = |what| within(&table, 1, &[0, 3, 5, 6], what, Some(1)).expect("fits");
        assert_eq!(of(What::MinMax)[3..], [1.0, 0.0, 0.0]);
        assert_eq!(of(What::Rank)[2..], [1.0, 1.0, 0.0, 0.5]);
        assert_eq!(of(What::MinusMean)[2..], [1.0, 0.5, -0.5, 0.0]);
        assert_eq!(of(What::Share)[2..], [1.0, 1.0, 0.75, 0.0]);
        assert_eq!(of(What::ZScore)[2..], [1.0, 1.0, -1.0, 0.0]);
        assert!(of(What::ZScore)[1].is_nan());
        assert!(within(&table, 1, &[0, 7], What::Share, None).is_err());
        assert!(within(&table, 0, &[0], What::Share, None).is_err());
    }
}
