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
    #[inline(always)]
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
    grades: Vec<u32>,
    /// By place: how many partners are within.
    partners: Vec<f64>,
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
        curvature: Curvature {
            pairs: Arc::clone(pairs),
            knee,
            rows: Vec::new(),
            scores: Vec::new(),
            grades: Vec::new(),
            partners: Vec::new(),
        },
    };
    for part in parts {
        all.sums.add(part.sums, 1.0);
        add_to(&mut all.gradient, &part.gradient);
        all.curvature.rows.extend(part.rows);
        all.curvature.scores.extend(part.scores);
        all.curvature.grades.extend(part.grades);
        all.curvature.partners.extend(part.partners);
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
    grades: Vec<u32>,
    partners: Vec<f64>,
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
    partners: Vec<f64>,
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
        let mut part = Part {
            sums: Sums::default(),
            gradient: vec![0.0; table.features],
            rows: Vec::new(),
            scores: Vec::new(),
            grades: Vec::new(),
            partners: Vec::new(),
        };
        for list in lists {
            let (span, levels) = (pairs.span(list), pairs.levels.get(list).copied().unwrap_or(0));
            let cost = costs.get(list).copied().unwrap_or(0.0);
            if levels < 2 || cost == 0.0 {
                part.rows.extend(0..span.len() as u32);
                part.scores.resize(part.rows.len(), 0.0);
                part.grades.resize(part.rows.len(), NONE);
                part.partners.resize(part.rows.len(), 0.0);
                continue;
            }
            sweep.score(table, weights, span.clone());
            sweep.take_grades(pairs, span.start);
            let lack = if knee < f64::INFINITY { sweep.lack::<true>(levels, knee) } else { sweep.lack::<false>(levels, knee) };
            part.sums.add(lack, cost);
            part.rows.extend(&sweep.rows);
            part.scores.extend(&sweep.scores);
            part.grades.extend(&sweep.grades);
            part.partners.extend(&sweep.partners);
            push(table, span.start, &sweep.rows, &sweep.pushes, cost, &mut part.gradient);
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
    fn lack<const BENT: bool>(&mut self, levels: usize, knee: f64) -> Sums {
        let mut sums = Sums::default();
        for column in [&mut self.pushes, &mut self.partners] {
            column.clear();
            column.resize(self.rows.len(), 0.0);
        }
        let Self { scores, grades, pushes, partners, .. } = self;
        let score_at = |place: usize| scores.get(place).copied().unwrap_or(0.0);
        let column = |place: usize| [1.0, score_at(place), score_at(place) * score_at(place)];
        each_partner::<3, BENT>(scores, grades, levels, knee, column, |place, lower, upper| {
            // t of a lower partner is 1 − s + its score, of an upper one 1 + s − its score.
            let (down, up) = (1.0 - score_at(place), 1.0 + score_at(place));
            let within = lower.within[0] * down + lower.within[1];
            sums.within += within;
            sums.squares += down * (lower.within[0] * down + 2.0 * lower.within[1]) + lower.within[2];
            let mut push = upper.within[0] * up - upper.within[1] - within;
            if BENT {
                sums.beyond += lower.beyond[0] * down + lower.beyond[1];
                sums.count_beyond += lower.beyond[0];
                push += knee * (upper.beyond[0] - lower.beyond[0]);
            }
            if let (Some(sum), Some(count)) = (pushes.get_mut(place), partners.get_mut(place)) {
                (*sum, *count) = (push, lower.within[0] + upper.within[0]);
            }
        });
        sums
    }
}

/// Adds cost × Σ push × row to a gradient; rows and pushes by place.
#[inline(always)]
fn push(table: Table<'_>, start: usize, rows: &[u32], pushes: &[f64], cost: f64, gradient: &mut [f64]) {
    for (&row, push) in rows.iter().zip(pushes) {
        if *push != 0.0 {
            let factor = cost * push;
            for (sum, value) in gradient.iter_mut().zip(table.row(start + row as usize)) {
                *sum += factor * f64::from(*value);
            }
        }
    }
}

/// Sums over the partners of a row: those within and those beyond.
struct Partners<const SUMS: usize> {
    within: [f64; SUMS],
    beyond: [f64; SUMS],
}

/// Calls `found(place, lower partners, upper partners)` by rising score; without `BENT` the knee is infinite.
#[inline(always)]
fn each_partner<const SUMS: usize, const BENT: bool>(
    scores: &[f64],
    grades: &[u32],
    levels: usize,
    knee: f64,
    column: impl Fn(usize) -> [f64; SUMS],
    mut found: impl FnMut(usize, Partners<SUMS>, Partners<SUMS>),
) {
    let bend = 1.0 - knee;
    let new = || Beginnings::<SUMS>::new(levels);
    let mut all = new();
    for (place, &grade) in grades.iter().enumerate() {
        all.add(grade, column(place));
    }
    // Lower partners lie at or after the first place whose t is above 0; beyond the knee, after the first above that.
    // Upper partners lie before the first place whose t is 0 or less.
    let (mut far_below, mut near_above) = (new(), new());
    let (mut near_below, mut far_above) = if BENT { (Some(new()), Some(new())) } else { (None, None) };
    let (mut a, mut b, mut c, mut e) = (0, 0, 0, 0);
    for (place, (&score, &grade)) in scores.iter().zip(grades).enumerate() {
        if grade == NONE {
            continue;
        }
        far_below.go_on(&mut a, scores, grades, &column, |other| score - other >= 1.0);
        near_above.go_on(&mut c, scores, grades, &column, |other| other - score < 1.0);
        let own = grade as usize;
        let (reached, above) = (far_below.below(own), near_above.above(own));
        let none = [0.0; SUMS];
        let (lower, upper) = match (&mut near_below, &mut far_above) {
            (Some(near_below), Some(far_above)) => {
                near_below.go_on(&mut b, scores, grades, &column, |other| score - other >= bend);
                far_above.go_on(&mut e, scores, grades, &column, |other| other - score < bend);
                let (bent, steep) = (near_below.below(own), far_above.above(own));
                let lower = Partners { within: minus(bent, reached), beyond: minus(all.below(own), bent) };
                (lower, Partners { within: minus(above, steep), beyond: steep })
            }
            _ => {
                let lower = Partners { within: minus(all.below(own), reached), beyond: none };
                (lower, Partners { within: above, beyond: none })
            }
        };
        found(place, lower, upper);
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

impl Curvature {
    /// By place of a list: Σ over partners within of own value − theirs.
    #[inline(always)]
    fn bend<const BENT: bool>(&self, levels: usize, span: std::ops::Range<usize>, sweep: &mut Sweep) {
        let Sweep { values, pushes, .. } = sweep;
        let [scores, partners] = [&self.scores, &self.partners].map(|column| column.get(span.clone()).unwrap_or_default());
        let grades = self.grades.get(span).unwrap_or_default();
        pushes.clear();
        pushes.resize(values.len(), 0.0);
        let column = |place: usize| [values.get(place).copied().unwrap_or(0.0)];
        each_partner::<1, BENT>(scores, grades, levels, self.knee, column, |place, lower, upper| {
            if let (Some(sum), Some(value), Some(count)) = (pushes.get_mut(place), values.get(place), partners.get(place)) {
                *sum = count * value - (lower.within[0] + upper.within[0]);
            }
        });
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
            let rows = curvature.rows.get(span.clone()).unwrap_or_default();
            sweep.values.clear();
            // A loop, since what an iterator's `extend` calls is not compiled for wide vectors.
            for &row in rows {
                sweep.values.push(dot(table.row(span.start + row as usize), vector));
            }
            if curvature.knee < f64::INFINITY {
                curvature.bend::<true>(levels, span.clone(), sweep);
            } else {
                curvature.bend::<false>(levels, span.clone(), sweep);
            }
            push(table, span.start, rows, &sweep.pushes, cost, &mut product);
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
    for (lane, (&value, factor)) in lanes.iter_mut().zip(last_values.iter().zip(last_factors)) {
        *lane += f64::from(value) * factor;
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// An integer that rises with the score, equal for equal scores.
#[inline(always)]
fn rising_key(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 { bits ^ (1 << 63) } else { !bits }
}
