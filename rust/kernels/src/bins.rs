//! Stumps: the columns of a table as codes of thresholds, and the stump whose rows have the greatest sum of potentials.
//!
//! Vocabulary: a *threshold* divides the values of a feature in those above it and the others; the *code* of a row is how
//! many thresholds of the feature are below its value. Rows without a value (NaN) have a code of their own, the last one.
//! A *potential* is what a row adds to a stump that lifts it.

use crate::error::{Error, Result};
use crate::threads;

/// Features whose codes lie side by side: their sums change independently of each other, and still fit the fastest cache.
const LANES: usize = 8;
/// How many codes a byte holds.
const NARROW: usize = 256;
/// Less work than this (values of features) is not worth waking a thread for.
const SMALL: usize = 1 << 18;

/// A table as codes, ready to be searched many times.
pub struct Bins {
    columns: Vec<Column>,
    blocks: Vec<Block>,
    rows: usize,
}

struct Column {
    /// Ascending.
    thresholds: Vec<f64>,
    has_missing: bool,
}

impl Column {
    fn codes(&self) -> usize {
        self.thresholds.len() + 1 + usize::from(self.has_missing)
    }
}

/// An integer that rises with the value; -0.0 and 0.0 are one value.
fn key(value: f32) -> u32 {
    let bits = (value + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

fn value_of(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

/// The code of any value of one feature.
struct Coder {
    /// Of each threshold, the least key above it.
    firsts: Vec<u32>,
    /// How many thresholds end before the keys that begin with each pair of bytes. Empty where few values are looked up.
    by_head: Vec<u32>,
}

impl Coder {
    fn of(column: &Column, values: usize) -> Self {
        let least_above = |&t: &f64| {
            let near = t as f32;
            key(if f64::from(near) > t { near } else { near.next_up() })
        };
        let firsts: Vec<u32> = column.thresholds.iter().map(least_above).collect();
        let mut by_head = Vec::new();
        if values >= 1 << 12 {
            by_head.reserve((1 << 16) + 1);
            for (at, first) in firsts.iter().enumerate() {
                by_head.resize((first >> 16) as usize + 1, at as u32);
            }
            by_head.resize((1 << 16) + 1, firsts.len() as u32);
        }
        Self { firsts, by_head }
    }

    fn code(&self, value: f32) -> usize {
        if value.is_nan() {
            return self.firsts.len() + 1;
        }
        let key = key(value);
        let head = (key >> 16) as usize;
        match self.by_head.get(head..head + 2) {
            Some(&[from, to]) => from as usize + self.firsts[from as usize..to as usize].partition_point(|&first| first <= key),
            _ => self.firsts.partition_point(|&first| first <= key),
        }
    }
}

/// The codes of some features, for all rows.
struct Block {
    features: Vec<usize>,
    codes: Codes,
}

enum Codes {
    Narrow(Vec<[u8; LANES]>),
    Wide(Vec<u32>),
}

/// A stump: rows whose value is above a threshold, with or without those that have no value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stump {
    pub feature: usize,
    pub threshold: f64,
    pub missing_above: bool,
    /// The sum of the potentials of its rows.
    pub sum: f64,
}

impl Bins {
    /// Thresholds half-way between neighbouring values: between all of them, or at most `most` a feature that divide the
    /// rows as evenly as they can. `table` is row after row.
    pub fn of(table: &[f32], features: usize, most: Option<usize>, threads: Option<usize>) -> Result<Self> {
        let rows = rows_of(table, features)?;
        let single = (rows * features < SMALL).then_some(1);
        let pieces = (0..features).collect();
        let columns = threads::each(single.or(threads), pieces, Default::default, |scratch, feature| {
            halfway(table, features, feature, most, scratch)
        });
        Self::coded(table, columns, threads)
    }

    /// Thresholds that are given, one ascending list a feature.
    pub fn cut(table: &[f32], thresholds: Vec<Vec<f64>>, threads: Option<usize>) -> Result<Self> {
        let features = thresholds.len();
        rows_of(table, features)?;
        let mut columns = Vec::with_capacity(features);
        for (feature, thresholds) in thresholds.into_iter().enumerate() {
            if !thresholds.is_sorted_by(|a, b| a < b) || thresholds.iter().any(|t| !t.is_finite()) {
                return Err(Error::new(format!("thresholds of column {feature}"), "must be finite and rise"));
            }
            let has_missing = column(table, features, feature).any(f32::is_nan);
            columns.push(Column { thresholds, has_missing });
        }
        Self::coded(table, columns, threads)
    }

    fn coded(table: &[f32], columns: Vec<Column>, threads: Option<usize>) -> Result<Self> {
        let features = columns.len();
        let rows = rows_of(table, features)?;
        if u32::try_from(rows).is_err() {
            return Err(Error::new("table", format!("{rows} rows are too many for stumps")));
        }
        // A feature of one code divides nothing.
        let (narrow, wide): (Vec<usize>, Vec<usize>) =
            (0..features).filter(|&f| columns[f].codes() > 1).partition(|&f| columns[f].codes() <= NARROW);
        let mut groups: Vec<Vec<usize>> = narrow.chunks(LANES).map(<[_]>::to_vec).collect();
        let first_wide = groups.len();
        groups.extend(wide.into_iter().map(|f| vec![f]));
        let jobs: Vec<_> = groups.into_iter().enumerate().collect();
        let (columns_read, single) = (&columns, (rows * features < SMALL).then_some(1));
        let blocks = threads::each(
            single.or(threads),
            jobs,
            || (),
            |(), (at, features_here)| {
                let codes = if at < first_wide {
                    Codes::Narrow(narrow_codes(table, columns_read, &features_here, rows))
                } else {
                    let of = features_here.first().copied().unwrap_or(0);
                    let coder = Coder::of(&columns_read[of], rows);
                    Codes::Wide(column(table, features, of).map(|v| coder.code(v) as u32).collect())
                };
                Block { features: features_here, codes }
            },
        );
        Ok(Self { columns, blocks, rows })
    }

    pub fn thresholds(&self, feature: usize) -> &[f64] {
        self.columns.get(feature).map_or(&[], |c| &c.thresholds)
    }

    /// The stump with the greatest sum of potentials, or with `both` the one whose sum is farthest from 0.
    /// Of equals the first feature's, and of one feature the highest threshold's. None where no feature divides the rows.
    pub fn search(&self, potentials: &[f64], both: bool, threads: Option<usize>) -> Result<Option<Stump>> {
        if potentials.len() != self.rows {
            return Err(Error::new("potentials", format!("{} for {} rows", potentials.len(), self.rows)));
        }
        let single = (self.rows * self.columns.len() < SMALL).then_some(1);
        let found = threads::each(single.or(threads), self.blocks.iter().collect(), Sums::default, |sums, block| {
            sums.add(block, potentials, &self.columns);
            self.best_of(block, sums, both)
        });
        Ok(found.into_iter().flatten().reduce(|best, other| if beats(&other, &best, both) { other } else { best }))
    }

    fn best_of(&self, block: &Block, sums: &Sums, both: bool) -> Option<Stump> {
        let mut best: Option<Stump> = None;
        for (lane, &feature) in block.features.iter().enumerate() {
            let column = &self.columns[feature];
            let sums = match &block.codes {
                Codes::Narrow(_) => &sums.narrow[lane][..column.codes()],
                Codes::Wide(_) => &sums.wide[..],
            };
            let missing = if column.has_missing { sums[column.thresholds.len() + 1] } else { 0.0 };
            let mut above = 0.0;
            for (&threshold, &sum) in column.thresholds.iter().zip(&sums[1..]).rev() {
                above += sum;
                for (missing_above, sum) in [(false, above), (true, above + missing)] {
                    let stump = Stump { feature, threshold, missing_above, sum };
                    if (!missing_above || column.has_missing) && best.is_none_or(|best| beats(&stump, &best, both)) {
                        best = Some(stump);
                    }
                }
            }
        }
        best
    }
}

/// Of equal sums the stump of the earlier feature stays; within a feature, the one that was found first.
fn beats(one: &Stump, other: &Stump, both: bool) -> bool {
    let worth = |stump: &Stump| if both { stump.sum.abs() } else { stump.sum };
    worth(one) > worth(other) || (worth(one) == worth(other) && one.feature < other.feature)
}

/// The sums of potentials by code.
struct Sums {
    narrow: Box<[[f64; NARROW]; LANES]>,
    wide: Vec<f64>,
}

impl Default for Sums {
    fn default() -> Self {
        Self { narrow: Box::new([[0.0; NARROW]; LANES]), wide: Vec::new() }
    }
}

impl Sums {
    fn add(&mut self, block: &Block, potentials: &[f64], columns: &[Column]) {
        match &block.codes {
            Codes::Narrow(codes) => {
                self.narrow.fill([0.0; NARROW]);
                for (row, &potential) in codes.iter().zip(potentials) {
                    for (sums, &code) in self.narrow.iter_mut().zip(row) {
                        sums[code as usize] += potential;
                    }
                }
            }
            Codes::Wide(codes) => {
                self.wide.clear();
                self.wide.resize(block.features.first().map_or(0, |&f| columns[f].codes()), 0.0);
                for (&code, &potential) in codes.iter().zip(potentials) {
                    self.wide[code as usize] += potential;
                }
            }
        }
    }
}

fn rows_of(table: &[f32], features: usize) -> Result<usize> {
    if features == 0 || !table.len().is_multiple_of(features) {
        return Err(Error::new("table", format!("{} values are no rows of {features} features", table.len())));
    }
    Ok(table.len() / features)
}

fn column(table: &[f32], features: usize, feature: usize) -> impl Iterator<Item = f32> {
    table.iter().skip(feature).step_by(features).copied()
}

fn narrow_codes(table: &[f32], columns: &[Column], features: &[usize], rows: usize) -> Vec<[u8; LANES]> {
    let mut codes = vec![[0u8; LANES]; rows];
    for (lane, &feature) in features.iter().enumerate() {
        let coder = Coder::of(&columns[feature], rows);
        for (row, value) in codes.iter_mut().zip(column(table, columns.len(), feature)) {
            row[lane] = coder.code(value) as u8;
        }
    }
    codes
}

/// Keys in rising order: three passes of eleven bits.
fn sort(keys: &mut Vec<u32>, spare: &mut Vec<u32>) {
    const BITS: u32 = 11;
    if keys.len() < 1 << BITS {
        keys.sort_unstable();
        return;
    }
    spare.resize(keys.len(), 0);
    for shift in [0, BITS, 2 * BITS] {
        let digit = |key: u32| (key >> shift) as usize & ((1 << BITS) - 1);
        let mut places = [0usize; 1 << BITS];
        for &key in keys.iter() {
            places[digit(key)] += 1;
        }
        let mut next = 0;
        for place in &mut places {
            next += std::mem::replace(place, next);
        }
        for &key in keys.iter() {
            let place = &mut places[digit(key)];
            spare[*place] = key;
            *place += 1;
        }
        std::mem::swap(keys, spare);
    }
}

/// The thresholds of one feature. Where some have no value, one lies below all values: having one or not may divide the rows.
fn halfway(table: &[f32], features: usize, feature: usize, most: Option<usize>, scratch: &mut [Vec<u32>; 2]) -> Column {
    let [keys, spare] = scratch;
    keys.clear();
    keys.extend(column(table, features, feature).filter(|v| !v.is_nan()).map(key));
    let has_missing = keys.len() * features < table.len();
    sort(keys, spare);
    let distinct: Vec<(f32, usize)> = keys.chunk_by(|a, b| a == b).map(|run| (value_of(run[0]), run.len())).collect();
    let below = distinct.first().filter(|_| has_missing).map(|&(least, _)| f64::from(least) - 1.0 - f64::from(least).abs());
    let room = most.unwrap_or(usize::MAX).saturating_sub(below.iter().len());
    let ends =
        if distinct.len() <= room.saturating_add(1) { (1..distinct.len()).collect() } else { even_cuts(&distinct, keys.len(), room) };
    let middle = |&end: &usize| (f64::from(distinct[end - 1].0) + f64::from(distinct[end].0)) / 2.0;
    Column { thresholds: below.into_iter().chain(ends.iter().map(middle)).collect(), has_missing }
}

/// Where to cut a run of values (with their counts) in at most `room` places, so that each piece has its share of the rows
/// that are left. A value with more rows than a share stands alone.
fn even_cuts(distinct: &[(f32, usize)], rows: usize, room: usize) -> Vec<usize> {
    let mut cuts = Vec::with_capacity(room);
    let (mut left, mut held) = (rows, 0);
    for (at, &(_, count)) in distinct.iter().enumerate() {
        let share = |cuts: &Vec<usize>| left as f64 / (room - cuts.len() + 1) as f64;
        let full = held > 0 && (held as f64 >= share(&cuts) || count as f64 >= share(&cuts));
        if full && cuts.len() < room {
            cuts.push(at);
            left -= held;
            held = 0;
        }
        held += count;
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_lie_between_values_and_even_cuts_share_the_rows() {
        let table = [3.0, 1.0, 2.0, 1.0, f32::NAN];
        let all = Bins::of(&table, 1, None, None).unwrap();
        assert_eq!(all.thresholds(0), [-1.0, 1.5, 2.5]);
        let many: Vec<f32> = (0..1000).map(|i| (i % 100) as f32).collect();
        assert_eq!(Bins::of(&many, 1, Some(3), None).unwrap().thresholds(0), [24.5, 49.5, 74.5]);
        let heavy: Vec<f32> = (0..1000).map(|i| if i < 600 { 0.0 } else { i as f32 }).collect();
        let cuts = Bins::of(&heavy, 1, Some(4), None).unwrap();
        assert_eq!(cuts.thresholds(0).first(), Some(&300.0));
        assert_eq!(cuts.thresholds(0).len(), 4);
    }

    #[test]
    fn codes_count_the_thresholds_below_a_value() {
        let column = Column { thresholds: vec![-1e300, -3.5, -0.0, 1e-40, 0.1, f64::from(0.1f32), 7.0, 1e300], has_missing: true };
        let values = [f32::MIN, -3.5, -3.4, -0.0, 0.0, 1e-45, 1e-38, 0.1, 0.2, 7.0, f32::MAX, f32::NAN];
        for count in [0, 1 << 20] {
            let coder = Coder::of(&column, count);
            for value in values {
                let below = column.thresholds.iter().filter(|&&t| t < f64::from(value)).count();
                assert_eq!(coder.code(value), if value.is_nan() { 9 } else { below }, "{value}");
            }
        }
        let mut keys: Vec<u32> = (0..5000u64).map(|i| crate::lots::mix(i) as u32).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sort(&mut keys, &mut Vec::new());
        assert_eq!(keys, sorted);
        assert!([-2.0f32, -0.5, 0.0, 3.0].iter().all(|&v| value_of(key(v)) == v));
    }

    #[test]
    fn the_stump_found_is_the_best_of_all_stumps() {
        let (rows, features) = (500, 11);
        let mut seed = 7u64;
        let mut draw = || {
            seed = crate::lots::mix(seed);
            (seed >> 40) as f64 / (1u64 << 24) as f64
        };
        let value = |x: f64, f: usize| {
            if f == 3 && x < 0.2 {
                f32::NAN
            } else if f % 2 == 0 {
                x as f32
            } else {
                (x * 5.0).floor() as f32
            }
        };
        let table: Vec<f32> = (0..rows * features).map(|at| value(draw(), at % features)).collect();
        let potentials: Vec<f64> = (0..rows).map(|_| draw() - 0.5).collect();
        for most in [None, Some(9)] {
            let bins = Bins::of(&table, features, most, None).unwrap();
            for both in [false, true] {
                let found = bins.search(&potentials, both, None).unwrap().unwrap();
                let mut best = f64::NEG_INFINITY;
                for f in 0..features {
                    for &t in bins.thresholds(f) {
                        for missing in [false, true] {
                            let lifted = |v: f32| if v.is_nan() { missing } else { f64::from(v) > t };
                            let sum: f64 = column(&table, features, f).zip(&potentials).filter(|&(v, _)| lifted(v)).map(|(_, p)| p).sum();
                            best = best.max(if both { sum.abs() } else { sum });
                        }
                    }
                }
                let worth = if both { found.sum.abs() } else { found.sum };
                assert!((worth - best).abs() < 1e-12, "{worth} {best}");
            }
        }
    }
}
