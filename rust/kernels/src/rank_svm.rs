//! The pairs of lists without counting them one by one: loss, gradient and curvature of a linear ranker, O(n log n) a list.
//!
//! Of a pair with labels yᵢ > yⱼ and scores s, t = 1 − (sᵢ − sⱼ) says how much its margin lacks. A pair loses
//! φ(t) = t²/2 for 0 < t ≤ knee and knee · t − knee²/2 above: half the squared hinge for an infinite knee, and knee times
//! the hinge, rounded off at its corner, for a small one.
//!
//! Vocabulary: rows of a list stand by rising score. Of a row, the partners *within* are those with t ≤ knee, which curve the
//! loss, and those *beyond* have t > knee. Both are runs of places in that order, so that sums over them are differences
//! of sums over beginnings, by grade: kept as running totals for few grades, in a Fenwick tree for many.

use pulp::{Simd, WithSimd};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::threads;

/// Less work than this many rows is not worth waking a thread for; also the unit in which sums are added up.
const SMALL: usize = 1 << 11;
/// Sums are kept a lane each, so that every machine adds in the same order.
const LANES: usize = 8;
/// Up to so many grades running totals are cheaper than a tree.
const FEW: usize = 12;
/// The grade of a row without a label: it is in no pair.
const NONE: u32 = u32::MAX;

/// Which rows of which lists are in pairs.
#[derive(Debug, Clone)]
pub struct Pairs {
    offsets: Vec<usize>,
    /// By row: which of its list's distinct labels it has, from the least.
    grades: Vec<u32>,
    levels: Vec<usize>,
    counts: Vec<f64>,
}

/// Rows × features, row after row.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    pub values: &'a [f32],
    pub features: usize,
}

impl<'a> Table<'a> {
    fn row(&self, row: usize) -> &'a [f32] {
        self.values.get(row * self.features..(row + 1) * self.features).unwrap_or_default()
    }
}

/// Sums over pairs, each pair times what its list costs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sums {
    /// Σ t within, Σ t² within, Σ t beyond, and how many are beyond.
    pub within: f64,
    pub squares: f64,
    pub beyond: f64,
    pub count_beyond: f64,
}

impl Sums {
    fn add(&mut self, other: Self, cost: f64) {
        self.within += cost * other.within;
        self.squares += cost * other.squares;
        self.beyond += cost * other.beyond;
        self.count_beyond += cost * other.count_beyond;
    }
}

pub struct Loss {
    pub sums: Sums,
    pub gradient: Vec<f64>,
    pub curvature: Curvature,
}

/// Where the loss is curved: the order of each list's rows at some weights.
pub struct Curvature {
    pairs: Arc<Pairs>,
    knee: f64,
    /// By place: the row, counted from the list's first, and its score.
    rows: Vec<u32>,
    scores: Vec<f64>,
}

impl Pairs {
    pub fn new(labels: &[f64], offsets: &[i64]) -> Result<Self> {
        let rises = offsets.windows(2).all(|w| matches!(w, [a, b] if a <= b));
        if offsets.first() != Some(&0) || offsets.last() != Some(&(labels.len() as i64)) || !rises {
            return Err(Error::new("offsets", format!("must start at 0, never fall, and end at the number of rows, {}", labels.len())));
        }
        let offsets: Vec<usize> = offsets.iter().map(|&o| o as usize).collect();
        let mut pairs = Self { grades: vec![NONE; labels.len()], levels: Vec::new(), counts: Vec::new(), offsets: Vec::new() };
        let mut distinct: Vec<f64> = Vec::new();
        for ends in offsets.windows(2) {
            let &[from, to] = ends else { continue };
            let (Some(labels), Some(grades)) = (labels.get(from..to), pairs.grades.get_mut(from..to)) else { continue };
            distinct.clear();
            distinct.extend(labels.iter().filter(|l| !l.is_nan()).map(|l| l + 0.0));
            let judged = distinct.len();
            distinct.sort_unstable_by(f64::total_cmp);
            let alike: f64 = distinct.chunk_by(|a, b| a == b).map(|run| choose_two(run.len())).sum();
            distinct.dedup();
            for (grade, label) in grades.iter_mut().zip(labels).filter(|(_, l)| !l.is_nan()) {
                *grade = distinct.partition_point(|d| d < label) as u32;
            }
            pairs.levels.push(distinct.len());
            pairs.counts.push(choose_two(judged) - alike);
        }
        pairs.offsets = offsets;
        Ok(pairs)
    }

    /// How many pairs each list has.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }

    pub fn rows(&self) -> usize {
        self.grades.len()
    }

    fn span(&self, list: usize) -> std::ops::Range<usize> {
        match self.offsets.get(list..list + 2) {
            Some(&[from, to]) => from..to,
            _ => 0..0,
        }
    }

    fn blocks(&self) -> Vec<std::ops::Range<usize>> {
        let offsets: Vec<i64> = self.offsets.iter().map(|&o| o as i64).collect();
        threads::blocks(&offsets, SMALL)
    }

    fn check(&self, table: Table<'_>, costs: &[f64], vector: &[f64]) -> Result<()> {
        let (rows, lists) = (self.rows(), self.counts.len());
        if table.values.len() != rows * table.features || costs.len() != lists || vector.len() != table.features {
            let found = format!("{} values, {} costs and {} weights", table.values.len(), costs.len(), vector.len());
            return Err(Error::new("", format!("{found} for {rows} rows, {lists} lists and {} features", table.features)));
        }
        Ok(())
    }
}

fn choose_two(n: usize) -> f64 {
    n as f64 * (n as f64 - 1.0) / 2.0
}

/// Σ over lists of cost × Σ over pairs of φ(t), as its parts, with the gradient by the weights.
pub fn loss(pairs: &Arc<Pairs>, table: Table<'_>, weights: &[f64], costs: &[f64], knee: f64, threads: Option<usize>) -> Result<Loss> {
    pairs.check(table, costs, weights)?;
    let arch = pulp::Arch::new();
    let work = |sweep: &mut Sweep, lists| arch.dispatch(Lists { pairs, table, costs, knee, weights, sweep, lists });
    let parts = threads::each(threads, pairs.blocks(), Sweep::default, work);
    let mut all = Loss {
        sums: Sums::default(),
        gradient: vec![0.0; table.features],
        curvature: Curvature { pairs: Arc::clone(pairs), knee, rows: Vec::new(), scores: Vec::new() },
    };
    for part in parts {
        all.sums.add(part.sums, 1.0);
        add_to(&mut all.gradient, &part.gradient);
        all.curvature.rows.extend(part.rows);
        all.curvature.scores.extend(part.scores);
    }
    Ok(all)
}

fn add_to(all: &mut [f64], part: &[f64]) {
    for (sum, more) in all.iter_mut().zip(part) {
        *sum += more;
    }
}

struct Part {
    sums: Sums,
    gradient: Vec<f64>,
    rows: Vec<u32>,
    scores: Vec<f64>,
}

/// What one thread reuses from list to list.
#[derive(Default)]
struct Sweep {
    keyed: Vec<(u64, u32)>,
    rows: Vec<u32>,
    scores: Vec<f64>,
    grades: Vec<u32>,
    values: Vec<f64>,
    pushes: Vec<f64>,
}

struct Lists<'a, 's> {
    pairs: &'a Pairs,
    table: Table<'a>,
    costs: &'a [f64],
    knee: f64,
    weights: &'a [f64],
    sweep: &'s mut Sweep,
    lists: std::ops::Range<usize>,
}

impl WithSimd for Lists<'_, '_> {
    type Output = Part;
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) -> Part {
        let Self { pairs, table, costs, knee, weights, sweep, lists } = self;
        let mut part = Part { sums: Sums::default(), gradient: vec![0.0; table.features], rows: Vec::new(), scores: Vec::new() };
        for list in lists {
            let (span, levels) = (pairs.span(list), pairs.levels.get(list).copied().unwrap_or(0));
            let cost = costs.get(list).copied().unwrap_or(0.0);
            if levels < 2 || cost == 0.0 {
                part.rows.extend(0..span.len() as u32);
                part.scores.resize(part.rows.len(), 0.0);
                continue;
            }
            sweep.score(table, weights, span.clone());
            sweep.take_grades(pairs, span.start);
            part.sums.add(sweep.lack(levels, knee), cost);
            part.rows.extend(&sweep.rows);
            part.scores.extend(&sweep.scores);
            sweep.push(table, span.start, cost, &mut part.gradient);
        }
        part
    }
}

impl Sweep {
    /// Rows of a list by rising score; equal scores in the order of rows.
    #[inline(always)]
    fn score(&mut self, table: Table<'_>, weights: &[f64], span: std::ops::Range<usize>) {
        self.keyed.clear();
        self.values.clear();
        for (at, row) in span.enumerate() {
            let score = dot(table.row(row), weights);
            self.values.push(score);
            self.keyed.push((rising_key(score), at as u32));
        }
        self.keyed.sort_unstable();
        self.rows.clear();
        self.rows.extend(self.keyed.iter().map(|&(_, row)| row));
        self.scores.clear();
        let values = &self.values;
        self.scores.extend(self.rows.iter().filter_map(|&row| values.get(row as usize)));
    }

    fn take_grades(&mut self, pairs: &Pairs, start: usize) {
        self.grades.clear();
        self.grades.extend(self.rows.iter().filter_map(|&row| pairs.grades.get(start + row as usize)));
    }

    /// The sums over pairs, and in `pushes` the derivative by each place's score.
    #[inline(always)]
    fn lack(&mut self, levels: usize, knee: f64) -> Sums {
        let mut sums = Sums::default();
        self.pushes.clear();
        self.pushes.resize(self.rows.len(), 0.0);
        let column = |score: f64| [1.0, score, score * score];
        each_partner::<3, _>(&self.scores, &self.grades, levels, knee, column, |place, score, lower, upper| {
            // t of a lower partner is 1 − s + its score, of an upper one 1 + s − its score.
            let (down, up) = (1.0 - score, 1.0 + score);
            let within = lower.within[0] * down + lower.within[1];
            sums.within += within;
            sums.squares += down * (lower.within[0] * down + 2.0 * lower.within[1]) + lower.within[2];
            sums.beyond += lower.beyond[0] * down + lower.beyond[1];
            sums.count_beyond += lower.beyond[0];
            let mut push = upper.within[0] * up - upper.within[1] - within;
            if knee < f64::INFINITY {
                push += knee * (upper.beyond[0] - lower.beyond[0]);
            }
            if let Some(sum) = self.pushes.get_mut(place) {
                *sum = push;
            }
        });
        sums
    }

    /// What the curvature makes of a value by place: Σ over partners within of own value − theirs.
    #[inline(always)]
    fn curve(&mut self, levels: usize, knee: f64) {
        self.pushes.clear();
        self.pushes.resize(self.rows.len(), 0.0);
        let (values, pushes) = (&self.values, &mut self.pushes);
        let value = |place: usize| values.get(place).copied().unwrap_or(0.0);
        each_partner_of::<2, _>(
            &self.scores,
            &self.grades,
            levels,
            knee,
            |place| [1.0, value(place)],
            |place, _, lower, upper| {
                if let Some(sum) = pushes.get_mut(place) {
                    *sum = (lower.within[0] + upper.within[0]) * value(place) - (lower.within[1] + upper.within[1]);
                }
            },
        );
    }

    /// Adds cost × Σ push × row to the gradient.
    #[inline(always)]
    fn push(&self, table: Table<'_>, start: usize, cost: f64, gradient: &mut [f64]) {
        for (&row, push) in self.rows.iter().zip(&self.pushes) {
            if *push != 0.0 {
                let factor = cost * push;
                for (sum, value) in gradient.iter_mut().zip(table.row(start + row as usize)) {
                    *sum += factor * f64::from(*value);
                }
            }
        }
    }
}

/// Sums over the partners of a row: those within and those beyond.
struct Partners<const SUMS: usize> {
    within: [f64; SUMS],
    beyond: [f64; SUMS],
}

#[inline(always)]
fn each_partner<const SUMS: usize, F: FnMut(usize, f64, Partners<SUMS>, Partners<SUMS>)>(
    scores: &[f64],
    grades: &[u32],
    levels: usize,
    knee: f64,
    column: impl Fn(f64) -> [f64; SUMS],
    found: F,
) {
    each_partner_of(scores, grades, levels, knee, |place| column(scores.get(place).copied().unwrap_or(0.0)), found);
}

/// Calls `found(place, score, lower partners, upper partners)` by rising score.
#[inline(always)]
fn each_partner_of<const SUMS: usize, F: FnMut(usize, f64, Partners<SUMS>, Partners<SUMS>)>(
    scores: &[f64],
    grades: &[u32],
    levels: usize,
    knee: f64,
    column: impl Fn(usize) -> [f64; SUMS],
    mut found: F,
) {
    let bend = 1.0 - knee;
    let new = || Beginnings::<SUMS>::new(levels);
    // Lower partners lie at or after the first place whose t is above 0; beyond the knee, after the first above that.
    // Upper partners lie before the first place whose t is 0 or less.
    let (mut far_below, mut near_below, mut far_above, mut near_above) = (new(), new(), new(), new());
    let mut all = new();
    for (place, &grade) in grades.iter().enumerate() {
        all.add(grade, column(place));
    }
    let (mut a, mut b, mut c, mut e) = (0, 0, 0, 0);
    for (place, (&score, &grade)) in scores.iter().zip(grades).enumerate() {
        if grade == NONE {
            continue;
        }
        far_below.go_on(&mut a, scores, grades, &column, |other| score - other >= 1.0);
        near_above.go_on(&mut c, scores, grades, &column, |other| other - score < 1.0);
        let own = grade as usize;
        let (reached, above) = (far_below.below(own), near_above.above(own));
        let (lower, upper) = if knee < f64::INFINITY {
            near_below.go_on(&mut b, scores, grades, &column, |other| score - other >= bend);
            far_above.go_on(&mut e, scores, grades, &column, |other| other - score < bend);
            let (bent, steep) = (near_below.below(own), far_above.above(own));
            let lower = Partners { within: minus(bent, reached), beyond: minus(all.below(own), bent) };
            (lower, Partners { within: minus(above, steep), beyond: steep })
        } else {
            let lower = Partners { within: minus(all.below(own), reached), beyond: [0.0; SUMS] };
            (lower, Partners { within: above, beyond: [0.0; SUMS] })
        };
        found(place, score, lower, upper);
    }
}

#[inline(always)]
fn minus<const SUMS: usize>(a: [f64; SUMS], b: [f64; SUMS]) -> [f64; SUMS] {
    std::array::from_fn(|at| a[at] - b[at])
}

/// Sums over a beginning of the places, by grade.
struct Beginnings<const SUMS: usize> {
    levels: usize,
    /// `few[g]`: over grades below g; `tree`: a Fenwick tree over grades.
    few: [[f64; SUMS]; FEW + 1],
    tree: Vec<[f64; SUMS]>,
}

impl<const SUMS: usize> Beginnings<SUMS> {
    fn new(levels: usize) -> Self {
        let tree = if levels > FEW { vec![[0.0; SUMS]; levels + 1] } else { Vec::new() };
        Self { levels, few: [[0.0; SUMS]; FEW + 1], tree }
    }

    #[inline(always)]
    fn add(&mut self, grade: u32, more: [f64; SUMS]) {
        if grade == NONE {
            return;
        }
        let grade = grade as usize;
        if self.tree.is_empty() {
            for sums in self.few.iter_mut().take(self.levels + 1).skip(grade + 1) {
                for (sum, more) in sums.iter_mut().zip(more) {
                    *sum += more;
                }
            }
            return;
        }
        let mut at = grade + 1;
        while let Some(sums) = self.tree.get_mut(at) {
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum += more;
            }
            at += at & at.wrapping_neg();
        }
    }

    /// Takes in the places from `at` on whose scores `hold`.
    #[inline(always)]
    fn go_on(
        &mut self,
        at: &mut usize,
        scores: &[f64],
        grades: &[u32],
        column: &impl Fn(usize) -> [f64; SUMS],
        hold: impl Fn(f64) -> bool,
    ) {
        while let (Some(&score), Some(&grade)) = (scores.get(*at), grades.get(*at))
            && hold(score)
        {
            self.add(grade, column(*at));
            *at += 1;
        }
    }

    #[inline(always)]
    fn below(&self, grade: usize) -> [f64; SUMS] {
        if self.tree.is_empty() {
            return self.few.get(grade).copied().unwrap_or([0.0; SUMS]);
        }
        let (mut at, mut sum) = (grade, [0.0; SUMS]);
        while at > 0 {
            if let Some(more) = self.tree.get(at) {
                sum = std::array::from_fn(|one| sum[one] + more[one]);
            }
            at &= at - 1;
        }
        sum
    }

    #[inline(always)]
    fn above(&self, grade: usize) -> [f64; SUMS] {
        minus(self.below(self.levels), self.below(grade + 1))
    }
}

impl Curvature {
    /// The second derivative of the loss × `vector`.
    pub fn times(&self, table: Table<'_>, costs: &[f64], vector: &[f64], threads: Option<usize>) -> Result<Vec<f64>> {
        self.pairs.check(table, costs, vector)?;
        let arch = pulp::Arch::new();
        let work = |sweep: &mut Sweep, lists| arch.dispatch(Times { curvature: self, table, costs, vector, sweep, lists });
        let mut product = vec![0.0; table.features];
        for part in threads::each(threads, self.pairs.blocks(), Sweep::default, work) {
            add_to(&mut product, &part);
        }
        Ok(product)
    }
}

struct Times<'a, 's> {
    curvature: &'a Curvature,
    table: Table<'a>,
    costs: &'a [f64],
    vector: &'a [f64],
    sweep: &'s mut Sweep,
    lists: std::ops::Range<usize>,
}

impl WithSimd for Times<'_, '_> {
    type Output = Vec<f64>;
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) -> Vec<f64> {
        let Self { curvature, table, costs, vector, sweep, lists } = self;
        let pairs = &curvature.pairs;
        let mut product = vec![0.0; table.features];
        for list in lists {
            let (span, levels) = (pairs.span(list), pairs.levels.get(list).copied().unwrap_or(0));
            let cost = costs.get(list).copied().unwrap_or(0.0);
            if levels < 2 || cost == 0.0 {
                continue;
            }
            sweep.rows.clear();
            sweep.rows.extend(curvature.rows.get(span.clone()).unwrap_or_default());
            sweep.scores.clear();
            sweep.scores.extend(curvature.scores.get(span.clone()).unwrap_or_default());
            sweep.take_grades(pairs, span.start);
            sweep.values.clear();
            for &row in &sweep.rows {
                sweep.values.push(dot(table.row(span.start + row as usize), vector));
            }
            sweep.curve(levels, curvature.knee);
            sweep.push(table, span.start, cost, &mut product);
        }
        product
    }
}

#[inline(always)]
fn dot(row: &[f32], weights: &[f64]) -> f64 {
    let (values, last_values) = row.as_chunks::<LANES>();
    let (factors, last_factors) = weights.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (values, factors) in values.iter().zip(factors) {
        for lane in 0..LANES {
            lanes[lane] += f64::from(values[lane]) * factors[lane];
        }
    }
    let rest: f64 = last_values.iter().zip(last_factors).map(|(&value, factor)| f64::from(value) * factor).sum();
    lanes.iter().sum::<f64>() + rest
}

/// An integer that rises with the score, equal for equal scores.
#[inline(always)]
fn rising_key(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 { bits ^ (1 << 63) } else { !bits }
}
