//! Preferences: all pairs of documents of a list of which one has the higher label, without ever writing them down.
//!
//! A pair (i, j) with yᵢ > yⱼ weighs wᵢ wⱼ exp(mⱼ − mᵢ) × the weight of its list, where m are *margins*, the scores so far:
//! Freund et al. 2003, whose weights are a product of what the upper and what the lower document bring. The *potential* of
//! a document is the weight of the pairs that it leads minus the weight of those in which it is the lower one. With the
//! rows of a list sorted by label, running sums give all potentials in one pass up and one down.

use crate::error::{Error, Result};
use crate::evaluate::span;
use crate::threads;

/// Less work than this many rows is not worth waking a thread for.
const SMALL: usize = 1 << 15;

/// The pairs of some lists.
pub struct Preferences {
    rows: usize,
    /// Rows list by list, those of a list by rising label; rows without a label are left out, as are lists without a pair.
    order: Vec<u32>,
    /// Where the runs of equal labels of a list start in `order`, and the end of the last one.
    runs: Vec<usize>,
    /// Where the runs of each list start in `runs`: `runs[lists[q]..lists[q + 1]]`, a list's end being the next one's start.
    lists: Vec<i64>,
    list_weights: Vec<f64>,
    row_weights: Vec<f64>,
    pairs: f64,
}

/// Potentials of rows, all pairs together weighing 1, and the logarithm of what they weighed before that.
#[derive(Debug, Clone)]
pub struct Potentials {
    pub rows: Vec<f64>,
    pub log_total: f64,
}

/// One list's part: potentials by place in `order`, what its pairs weigh, both divided by exp(`scale`).
#[derive(Default)]
struct Part {
    potentials: Vec<f64>,
    total: f64,
    scale: f64,
    /// Of the pairs that a stump tells apart: what those weigh that it gets right, and those that it gets wrong.
    right: f64,
    wrong: f64,
}

impl Preferences {
    /// `list_weights` and `row_weights` may be empty: each then weighs 1.
    pub fn of(labels: &[f64], offsets: &[i64], list_weights: &[f64], row_weights: &[f64]) -> Result<Self> {
        let rises = offsets.windows(2).all(|w| matches!(w, [a, b] if a <= b));
        if offsets.first() != Some(&0) || offsets.last() != Some(&(labels.len() as i64)) || !rises || u32::try_from(labels.len()).is_err() {
            return Err(Error::new("offsets", format!("must start at 0, never fall, and end at the number of rows, {}", labels.len())));
        }
        for (name, given, wanted) in [("lists", list_weights, offsets.len() - 1), ("rows", row_weights, labels.len())] {
            if !given.is_empty() && (given.len() != wanted || given.iter().any(|w| !(w.is_finite() && *w >= 0.0))) {
                return Err(Error::new(format!("weights of {name}"), format!("must be {wanted} numbers from 0")));
            }
        }
        let mut all = Self {
            rows: labels.len(),
            order: Vec::with_capacity(labels.len()),
            runs: Vec::new(),
            lists: vec![0],
            list_weights: Vec::new(),
            row_weights: row_weights.to_vec(),
            pairs: 0.0,
        };
        let mut sorted: Vec<u32> = Vec::new();
        for list in 0..offsets.len() - 1 {
            let weight = list_weights.get(list).copied().unwrap_or(1.0);
            sorted.clear();
            sorted.extend(span(offsets, list).map(|row| row as u32).filter(|&row| !labels[row as usize].is_nan()));
            sorted.sort_by(|&a, &b| labels[a as usize].total_cmp(&labels[b as usize]));
            all.push(&sorted, labels, weight);
        }
        Ok(all)
    }

    /// Adds a list, its rows by rising label.
    fn push(&mut self, sorted: &[u32], labels: &[f64], weight: f64) {
        // As numbers, so that -0.0 and 0.0 are one label.
        let sizes: Vec<usize> = sorted.chunk_by(|&a, &b| labels[a as usize] == labels[b as usize]).map(<[_]>::len).collect();
        if sizes.len() < 2 || weight == 0.0 {
            return;
        }
        let mut below = 0;
        for size in sizes {
            self.runs.push(self.order.len() + below);
            self.pairs += (size * below) as f64;
            below += size;
        }
        self.order.extend(sorted);
        self.runs.push(self.order.len());
        self.lists.push(self.runs.len() as i64);
        self.list_weights.push(weight);
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> f64 {
        self.pairs
    }

    /// The potentials of all rows at these margins.
    pub fn potentials(&self, margins: &[f64], threads: Option<usize>) -> Result<Potentials> {
        let parts = self.parts(margins, None, threads)?;
        let (factors, log_total) = self.factors(&parts);
        let mut rows = vec![0.0; self.rows];
        let mut order = self.order.iter();
        for (part, factor) in parts.iter().zip(factors) {
            for (potential, &row) in part.potentials.iter().zip(order.by_ref()) {
                rows[row as usize] = potential * factor;
            }
        }
        Ok(Potentials { rows, log_total })
    }

    /// Of all pairs, weighing 1 together: what those weigh whose upper document alone is in `above`, and those whose lower
    /// document alone is.
    pub fn split(&self, margins: &[f64], above: &[bool], threads: Option<usize>) -> Result<(f64, f64)> {
        if above.len() != self.rows {
            return Err(Error::new("above", format!("{} for {} rows", above.len(), self.rows)));
        }
        let parts = self.parts(margins, Some(above), threads)?;
        let (factors, _) = self.factors(&parts);
        Ok(parts.iter().zip(factors).fold((0.0, 0.0), |(right, wrong), (p, factor)| (right + p.right * factor, wrong + p.wrong * factor)))
    }

    fn parts(&self, margins: &[f64], above: Option<&[bool]>, threads: Option<usize>) -> Result<Vec<Part>> {
        if margins.len() != self.rows {
            return Err(Error::new("margins", format!("{} for {} rows", margins.len(), self.rows)));
        }
        if let Some(row) = margins.iter().position(|m| !m.is_finite()) {
            return Err(Error::new(format!("margins, row {row}"), "the margin is not finite"));
        }
        let ends: Vec<i64> = self.lists.iter().map(|&at| self.runs.get(at as usize).map_or(self.order.len(), |&r| r) as i64).collect();
        let blocks = threads::blocks(&ends, SMALL);
        let work = |scratch: &mut Scratch, lists: std::ops::Range<usize>| -> Vec<Part> {
            lists.map(|list| self.part(list, margins, above, scratch)).collect()
        };
        Ok(threads::each(threads, blocks, Scratch::default, work).into_iter().flatten().collect())
    }

    /// What each list's part is to be multiplied by, so that all pairs weigh 1 together.
    fn factors(&self, parts: &[Part]) -> (Vec<f64>, f64) {
        let greatest = parts.iter().filter(|p| p.total > 0.0).map(|p| p.scale).fold(f64::NEG_INFINITY, f64::max);
        let scales: Vec<f64> = parts.iter().zip(&self.list_weights).map(|(p, w)| w * (p.scale - greatest).min(0.0).exp()).collect();
        let total: f64 = parts.iter().zip(&scales).map(|(p, s)| p.total * s).sum();
        if total > 0.0 {
            (scales.iter().map(|s| s / total).collect(), greatest + total.ln())
        } else {
            (vec![0.0; parts.len()], f64::NEG_INFINITY)
        }
    }

    fn part(&self, list: usize, margins: &[f64], above: Option<&[bool]>, scratch: &mut Scratch) -> Part {
        let runs = self.runs.get(span(&self.lists, list)).unwrap_or_default();
        let (Some(&first), Some(&last)) = (runs.first(), runs.last()) else { return Part::default() };
        let (lowest, highest) = (runs.get(1).map_or(first, |&r| r), runs.iter().rev().nth(1).map_or(last, |&r| r));
        let margin = |at: usize| margins[self.order[at] as usize];
        let weight = |at: usize| self.row_weights.get(self.order[at] as usize).copied().unwrap_or(1.0);
        // exp never overflows: uppers are measured from the lowest of them, lowers from the highest.
        let least = (lowest..last).map(margin).fold(f64::INFINITY, f64::min);
        let most = (first..highest).map(margin).fold(f64::NEG_INFINITY, f64::max);
        let rows = last - first;
        scratch.upper.clear();
        scratch.upper.resize(rows, 0.0);
        scratch.lower.clear();
        scratch.lower.resize(rows, 0.0);
        for at in lowest..last {
            scratch.upper[at - first] = weight(at) * (least - margin(at)).exp();
        }
        for at in first..highest {
            scratch.lower[at - first] = weight(at) * (margin(at) - most).exp();
        }
        let mut part = Part { scale: most - least, ..Part::default() };
        match above {
            None => scratch.potentials(runs, &mut part),
            Some(above) => scratch.split(runs, |at| above[self.order[at] as usize], &mut part),
        }
        part
    }
}

/// What a row brings to pairs as the upper and as the lower document.
#[derive(Default)]
struct Scratch {
    upper: Vec<f64>,
    lower: Vec<f64>,
}

impl Scratch {
    fn potentials(&self, runs: &[usize], part: &mut Part) {
        let first = runs[0];
        let runs = || runs.windows(2).map(|w| w[0] - first..w[1] - first);
        part.potentials.resize(self.upper.len(), 0.0);
        let mut below = 0.0;
        for run in runs() {
            for (potential, upper) in part.potentials[run.clone()].iter_mut().zip(&self.upper[run.clone()]) {
                *potential = upper * below;
                part.total += *potential;
            }
            below += self.lower[run].iter().sum::<f64>();
        }
        let mut above = 0.0;
        for run in runs().rev() {
            for (potential, lower) in part.potentials[run.clone()].iter_mut().zip(&self.lower[run.clone()]) {
                *potential -= lower * above;
            }
            above += self.upper[run].iter().sum::<f64>();
        }
    }

    fn split(&self, runs: &[usize], is_above: impl Fn(usize) -> bool, part: &mut Part) {
        let first = runs[0];
        let (mut lifted, mut left) = (0.0, 0.0);
        for run in runs.windows(2).map(|w| w[0]..w[1]) {
            for at in run.clone() {
                let upper = self.upper[at - first];
                part.total += upper * (lifted + left);
                if is_above(at) {
                    part.right += upper * left;
                } else {
                    part.wrong += upper * lifted;
                }
            }
            for at in run {
                *(if is_above(at) { &mut lifted } else { &mut left }) += self.lower[at - first];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn potentials_are_those_of_the_pair_matrix_and_survive_absurd_margins() {
        let labels = [2.0, 0.0, 1.0, 1.0, f64::NAN, 0.0, 1.0, 1.0];
        let offsets = [0, 5, 6, 8];
        let preferences = Preferences::of(&labels, &offsets, &[], &[]).unwrap();
        assert_eq!(preferences.pairs(), 5.0);
        for stretch in [0.0, 1.0, 300.0, 1e5] {
            let margins: Vec<f64> = (0..8).map(|i| stretch * ((i * 5 % 8) as f64 / 8.0 - 0.4)).collect();
            let pairs = [(0, 1), (0, 2), (0, 3), (2, 1), (3, 1)];
            let worst = pairs.iter().map(|&(i, j)| margins[j] - margins[i]).fold(f64::NEG_INFINITY, f64::max);
            let weights = pairs.map(|(i, j): (usize, usize)| (margins[j] - margins[i] - worst).exp());
            let total: f64 = weights.iter().sum();
            let mut wanted = [0.0; 8];
            for (&(i, j), w) in pairs.iter().zip(weights) {
                wanted[i] += w / total;
                wanted[j] -= w / total;
            }
            let found = preferences.potentials(&margins, None).unwrap();
            for (a, b) in found.rows.iter().zip(wanted) {
                assert!((a - b).abs() < 1e-12, "{stretch}: {:?} {wanted:?}", found.rows);
            }
            assert!((found.log_total - worst - total.ln()).abs() < 1e-9 * stretch.max(1.0));
            let above = [true, false, false, true, false, true, true, false];
            let (right, wrong) = preferences.split(&margins, &above, None).unwrap();
            let r: f64 = found.rows.iter().zip(above).filter(|&(_, a)| a).map(|(p, _)| p).sum();
            assert!((right - wrong - r).abs() < 1e-12);
        }
    }
}
