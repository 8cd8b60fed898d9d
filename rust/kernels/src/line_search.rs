//! Exact line search: the step along a direction of a linear ranker's weights at which a measure is greatest.
//!
//! Along a direction each document's score is a line s + δ x, and the order of a list changes only where two lines cross.
//! Between crossings the measure stands still, so that its value for every δ is its value next to 0 and the changes at the
//! crossings, added up over lists in their order. The best interval's middle is the step.
//!
//! Vocabulary: a *side* is δ > 0, or δ < 0 with directions turned round. A *tracked* document is of another worth than most
//! documents of its list (the *fillers*), which need no names: the ranks of the tracked ones say the value. *Candidates* of
//! a side can come into the top k at all: of a document that k others exceed in both score and direction that is not so.
//!
//! Values are counted in whole units, so that sums are exact: no order of lists, crossings or threads changes a bit, and what
//! was added for a way there is taken off for the way back.

use pulp::{Simd, WithSimd};

use crate::error::{Error, Result};
use crate::evaluate::{self, Code, Evaluator, Ids, Lists, Ordering, TieRule};
use crate::measures::{Count, Formula, List, Measure};
use crate::order::{Block, Score, Ties};
use crate::sum::exact_sum;
use crate::threads;

/// Less work than this many rows is not worth a second thread.
const SMALL: usize = 1 << 12;
/// What stands for no tracked document.
const NONE: u32 = u32::MAX;
/// Intervals narrower than this share of their distance from 0 are left out: rounding could close them.
const NARROW: f64 = 1e-9;
/// An interval without end is taken to end at this multiple of its beginning.
const OPEN_END: f64 = 2.0;
/// How near an end of the interval (as a share of it) the point where a weight is 0 may lie and still be taken.
const EDGE: f64 = 1.0 / 64.0;
/// Where in an interval a second step leads.
const ASIDE: f64 = 0.381_966;

/// One measure on the lists whose value can change, and their features column by column.
pub struct Search {
    features: usize,
    searched: Vec<usize>,
    columns: Vec<f32>,
    /// By feature and list: whether all documents have the same value.
    flat: Vec<bool>,
    offsets: Vec<i64>,
    codes: Vec<u32>,
    grades: usize,
    unjudged: u32,
    ids: Option<OwnIds>,
    ties: TieRule,
    single: bool,
    dropped: Vec<bool>,
    measure: Measure,
    /// What each list's value counts; negative where less is better.
    weights: Vec<f64>,
    /// What the weighted sum is divided by: the weight of all lists that are in the mean.
    total: f64,
    /// Ranks from here on cannot matter.
    reach: usize,
    is_additive: bool,
    /// By grade: the first grade that is worth the same.
    alike: Vec<u32>,
    entries: Vec<Entry>,
    /// Units that a weighted value of 1 is worth.
    unit: f64,
    /// For an additive measure, by list, grade and rank: what such a document adds beyond a filler, in units.
    gains: Vec<i64>,
}

struct OwnIds {
    query_text: Vec<u8>,
    queries: Vec<u64>,
    document_text: Vec<u8>,
    documents: Vec<u64>,
}

/// What is known of a list whatever its order.
struct Entry {
    filler: u32,
    len: usize,
    retrieved: Vec<Count>,
    judged: Vec<Count>,
    /// Where its gains start, and of how many ranks each grade has one.
    gains: usize,
    ranks: usize,
    /// For an additive measure: what worth × discount is divided by.
    over: f64,
}

/// Weights, and where they put the documents.
#[derive(Clone)]
pub struct Point {
    pub weights: Vec<f64>,
    /// The mean over all lists of what can change.
    pub value: f64,
    /// List by list the rows by falling score, counted from the list's first, and their scores.
    order: Vec<u32>,
    scores: Vec<f64>,
    grades: Vec<u32>,
    starts: Vec<usize>,
    tied: Vec<bool>,
    /// By list: its value where it stands, in units.
    units: Vec<i64>,
}

/// Along what a line search goes.
pub enum Direction<'a> {
    Feature(usize),
    Vector(&'a [f64]),
}

/// What is taken off a mean for weights that lie away from `from`: slack × the distance of both, each over its sum of sizes.
#[derive(Clone, Copy)]
pub struct Pull<'a> {
    pub slack: f64,
    pub from: &'a [f64],
}

impl Pull<'_> {
    pub fn of(&self, weights: &[f64]) -> f64 {
        if self.slack == 0.0 {
            return 0.0;
        }
        let size = |w: &[f64]| w.iter().map(|w| w.abs()).sum::<f64>();
        let over = |size: f64| if size > 0.0 { 1.0 / size } else { 0.0 };
        let (mine, theirs) = (over(size(weights)), over(size(self.from)));
        let square: f64 = weights.iter().zip(self.from).map(|(w, u)| (w * mine - u * theirs).powi(2)).sum();
        self.slack * square.sqrt()
    }
}

/// The best interval of a line search: the mean less the pull in it, and the step into it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    pub step: f64,
    /// Another step into it, for a first one that falls on a point where documents meet whose crossing changes nothing:
    /// just there they are tied.
    pub aside: f64,
    pub value: f64,
    pub width: f64,
}

impl Search {
    /// `table` holds the features row after row; `weights` are those of lists (none: 1), `total` what their sum is divided by.
    pub fn new<S: Score, C: Code>(
        lists: &Lists<'_, S, C>,
        ordering: Ordering<'_>,
        measure: &Measure,
        table: &[f32],
        features: usize,
        weights: &[f64],
        total: f64,
    ) -> Result<Self> {
        check(lists, ordering, measure, table, features, weights, total)?;
        let whole = matches!(measure.formula, Formula::RPrecision);
        let is_additive = match measure.formula {
            Formula::Dcg | Formula::Ndcg => true,
            Formula::Precision => measure.weights.is_empty(),
            _ => false,
        };
        let mut search = Self {
            features,
            searched: Vec::new(),
            columns: Vec::new(),
            flat: Vec::new(),
            offsets: vec![0],
            codes: Vec::new(),
            grades: lists.grades,
            unjudged: lists.unjudged,
            ids: None,
            ties: ordering.ties,
            single: ordering.single,
            dropped: ordering.dropped.to_vec(),
            measure: measure.clone(),
            weights: Vec::new(),
            total,
            reach: if whole { usize::MAX } else { measure.reach() },
            is_additive,
            alike: alike(measure, lists.grades, is_additive),
            entries: Vec::new(),
            unit: 1.0,
            gains: Vec::new(),
        };
        let chosen = search.choose_lists(lists, weights);
        search.take_rows(lists, &chosen, table);
        search.take_ids(lists, &chosen);
        search.count_gains();
        search.searched = chosen;
        Ok(search)
    }

    pub fn features(&self) -> usize {
        self.features
    }

    /// Which lists have a value that can change.
    pub fn searched(&self) -> &[usize] {
        &self.searched
    }

    fn lists(&self) -> usize {
        self.entries.len()
    }

    /// Notes the lists whose value can change.
    fn choose_lists<S: Score, C: Code>(&mut self, lists: &Lists<'_, S, C>, weights: &[f64]) -> Vec<usize> {
        let dropped = std::mem::take(&mut self.dropped);
        let mut evaluator = Evaluator::whole(lists, self.settled(&dropped));
        let mut chosen = Vec::new();
        for list in 0..lists.offsets.len().saturating_sub(1) {
            let weight = weights.get(list).copied().unwrap_or(1.0);
            let Some((len, _)) = evaluator.take_up(list) else { continue };
            let seen =
                List { ranked: &evaluator.ranked, open: &[], kept: false, len, retrieved: &evaluator.retrieved, judged: &evaluator.judged };
            let is_short = self.measure.short_is_zero && self.measure.depth != usize::MAX && len < self.measure.depth;
            if weight == 0.0 || is_short || self.reach == 0 || self.measure.of(&seen).is_none() {
                continue;
            }
            let over = if self.is_additive { self.measure.divisor(&seen) } else { Some(1.0) };
            let (Some(over), Some(filler)) = (over, self.most_frequent(&evaluator.ranked)) else { continue };
            let (retrieved, judged) = (evaluator.retrieved.clone(), evaluator.judged.clone());
            self.entries.push(Entry { filler, len, retrieved, judged, gains: 0, ranks: 0, over });
            self.weights.push(weight);
            chosen.push(list);
        }
        drop(evaluator);
        self.dropped = dropped;
        chosen
    }

    /// The worth most documents have, as a grade; none if all are worth the same.
    fn most_frequent(&self, ranked: &[u32]) -> Option<u32> {
        let mut counts = vec![0u32; self.grades];
        for &grade in ranked {
            if let Some(count) = self.alike.get(grade as usize).and_then(|&a| counts.get_mut(a as usize)) {
                *count += 1;
            }
        }
        let most = counts.iter().enumerate().max_by_key(|&(grade, count)| (count, std::cmp::Reverse(grade)))?;
        (*most.1 < ranked.len() as u32).then_some(most.0 as u32)
    }

    fn take_rows<S: Score, C: Code>(&mut self, lists: &Lists<'_, S, C>, chosen: &[usize], table: &[f32]) {
        let mut rows = Vec::new();
        for &list in chosen {
            let span = evaluate::span(lists.offsets, list);
            self.codes.extend(lists.codes.get(span.clone()).unwrap_or_default().iter().map(|c| c.grade()));
            rows.extend(span);
            self.offsets.push(rows.len() as i64);
        }
        self.columns = vec![0.0; rows.len() * self.features];
        // A few rows at a time, so that what is read of the table is still near when the next column wants it.
        const FEW: usize = 64;
        for (block, rows_here) in rows.chunks(FEW).enumerate() {
            for (feature, column) in self.columns.chunks_exact_mut(rows.len().max(1)).enumerate() {
                for (place, &row) in column.iter_mut().skip(block * FEW).zip(rows_here) {
                    *place = table.get(row * self.features + feature).copied().unwrap_or(0.0);
                }
            }
        }
        for feature in 0..self.features {
            let spans = (0..chosen.len()).map(|list| evaluate::span(&self.offsets, list));
            let column = self.column(feature);
            let flat: Vec<bool> = spans.map(|span| all_equal(column.get(span).unwrap_or_default())).collect();
            self.flat.extend(flat);
        }
    }

    fn take_ids<S: Score, C: Code>(&mut self, lists: &Lists<'_, S, C>, chosen: &[usize]) {
        let Some(ids) = lists.ids else { return };
        let of_list = |&list: &usize| ids.documents.get(evaluate::span(lists.offsets, list)).unwrap_or_default();
        self.ids = Some(OwnIds {
            query_text: ids.query_text.to_vec(),
            queries: chosen.iter().filter_map(|&list| ids.queries.get(list).copied()).collect(),
            document_text: ids.document_text.to_vec(),
            documents: chosen.iter().flat_map(of_list).copied().collect(),
        });
    }

    /// The unit, so that no sum overflows, and the gains of an additive measure in it.
    fn count_gains(&mut self) {
        let mut bound = 0.0;
        for (entry, weight) in self.entries.iter().zip(&self.weights) {
            bound += weight.abs() * self.most(entry).max(1.0);
        }
        // Of 62 bits, one is left for the sum of two sides.
        self.unit = if bound > 0.0 { 2f64.powi(61 - bound.log2().ceil() as i32) } else { 1.0 };
        if !self.is_additive {
            return;
        }
        let worth = |grade: u32| self.measure.worth(grade);
        let mut gains = Vec::new();
        for (at, entry) in self.entries.iter_mut().enumerate() {
            entry.gains = gains.len();
            entry.ranks = self.reach.min(entry.len);
            let factor = self.unit * self.weights.get(at).copied().unwrap_or(0.0) / entry.over;
            for grade in 0..self.grades as u32 {
                let beyond = factor * (worth(grade) - worth(entry.filler));
                gains.extend((0..entry.ranks).map(|rank| (beyond * discount(&self.measure, rank)).round() as i64));
            }
        }
        self.gains = gains;
    }

    /// A bound of the size of a list's value.
    fn most(&self, entry: &Entry) -> f64 {
        if !self.is_additive {
            // Means of parts of the list are at most 1; ranks and counts at most its length.
            return entry.len as f64 + 1.0;
        }
        let worth = (0..self.grades as u32).map(|g| (self.measure.worth(g) - self.measure.worth(entry.filler)).abs());
        let discounts = (0..self.reach.min(entry.len)).map(|rank| discount(&self.measure, rank).abs());
        worth.fold(0.0, f64::max) * discounts.sum::<f64>() / entry.over
    }

    /// The order of rows where equal scores are settled in some way: a search looks at those that stay equal by itself.
    fn settled<'a>(&self, dropped: &'a [bool]) -> Ordering<'a> {
        let ties = match self.ties {
            TieRule::Settled(ties) => TieRule::Settled(ties),
            _ => TieRule::Settled(Ties::Input),
        };
        Ordering { ties, single: false, keep: usize::MAX, dropped, positive: false }
    }

    fn lists_of<'a>(&'a self, scores: &'a [f64], none: &'a [i64]) -> Lists<'a, f64, u32> {
        Lists {
            offsets: &self.offsets,
            scores,
            codes: &self.codes,
            outside: &[],
            outside_offsets: none,
            ids: self.ids.as_ref().map(|ids| Ids {
                query_text: &ids.query_text,
                queries: &ids.queries,
                document_text: &ids.document_text,
                documents: &ids.documents,
            }),
            grades: self.grades,
            unjudged: self.unjudged,
        }
    }

    fn rows(&self) -> usize {
        self.codes.len()
    }

    fn column(&self, feature: usize) -> &[f32] {
        self.columns.get(feature * self.rows()..(feature + 1) * self.rows()).unwrap_or_default()
    }

    /// The scores of all rows.
    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; self.rows()];
        pulp::Arch::new().dispatch(Adding { search: self, weights, scores: &mut scores });
        scores
    }

    /// Puts the documents in order under these weights, and measures them as the convention does.
    pub fn place(&self, weights: Vec<f64>, threads: Option<usize>) -> Point {
        let scores = self.scores(&weights);
        let none = vec![0; self.offsets.len()];
        let lists = self.lists_of(&scores, &none);
        let value = self.mean(&lists, threads);
        let (mut order, mut sorted) = (Vec::with_capacity(scores.len()), Vec::with_capacity(scores.len()));
        let (mut starts, mut tied, mut grades) = (vec![0], Vec::with_capacity(self.lists()), Vec::with_capacity(scores.len()));
        let mut evaluator = Evaluator::whole(&lists, self.settled(&self.dropped));
        for list in 0..self.lists() {
            let span = evaluate::span(&self.offsets, list);
            evaluator.take_up(list);
            let own = scores.get(span).unwrap_or_default();
            order.extend(&evaluator.order.rows);
            sorted.extend(evaluator.order.rows.iter().filter_map(|&row| own.get(row as usize)));
            grades.extend(evaluator.ranked.iter().map(|&grade| self.alike.get(grade as usize).copied().unwrap_or(0)));
            starts.push(order.len());
            tied.push(!evaluator.order.blocks.is_empty());
        }
        drop(evaluator);
        let mut point = Point { weights, value, order, scores: sorted, grades, starts, tied, units: Vec::new() };
        let mut worker = Worker::default();
        point.units = (0..self.lists()).map(|list| worker.stands(self, &point, list)).collect();
        point
    }

    fn mean(&self, lists: &Lists<'_, f64, u32>, threads: Option<usize>) -> f64 {
        let ordering = Ordering { ties: self.ties, single: self.single, keep: usize::MAX, dropped: &self.dropped, positive: false };
        let columns = evaluate::evaluate(lists, ordering, std::slice::from_ref(&self.measure), threads);
        let values = columns.first().map(|column| column.values.as_slice()).unwrap_or_default();
        exact_sum(values.iter().zip(&self.weights).map(|(value, weight)| value * weight)) / self.total
    }

    /// Searches along each direction in turn, from where the last one led to; steps are taken where the mean less the pull
    /// rises. Returns where they end, and how many were taken.
    pub fn sweep(&self, mut point: Point, directions: &[Direction<'_>], pull: Pull<'_>, threads: Option<usize>) -> (Point, usize) {
        let mut taken = 0;
        for direction in directions {
            let here = point.value - pull.of(&point.weights);
            let Some(found) = self.along(&point, direction, pull, threads) else { continue };
            if found.value <= here + 1e-12 * (1.0 + here.abs()) {
                continue;
            }
            for step in [found.step, found.aside] {
                let there = self.place(moved(&point.weights, direction, step), threads);
                if there.value - pull.of(&there.weights) > here {
                    point = there;
                    taken += 1;
                    break;
                }
            }
        }
        (point, taken)
    }

    /// The best interval along a direction.
    pub fn along(&self, point: &Point, direction: &Direction<'_>, pull: Pull<'_>, threads: Option<usize>) -> Option<Found> {
        let projected;
        let column = match direction {
            Direction::Feature(feature) => {
                let flat = self.flat.get(feature * self.lists()..(feature + 1) * self.lists()).unwrap_or_default();
                Column::Single(self.column(*feature), flat)
            }
            Direction::Vector(vector) => {
                projected = self.scores(vector);
                Column::Double(&projected)
            }
        };
        let blocks = threads::blocks(&self.offsets, SMALL);
        let threads = if blocks.len() < 2 { Some(1) } else { threads };
        let arch = pulp::Arch::new();
        let work = |worker: &mut Worker, lists| arch.dispatch(Lines { search: self, point, column, worker, lists });
        let parts = threads::each(threads, blocks, Worker::default, work);
        let mut sides = [Side::default(), Side::default()];
        for part in parts {
            for (side, more) in sides.iter_mut().zip(part) {
                side.units += more.units;
                side.changes.extend(more.changes);
            }
        }
        let objective = |side: f64, units: i64, step: f64| {
            let pulled = if pull.slack == 0.0 { 0.0 } else { pull.of(&moved(&point.weights, direction, side * step)) };
            units as f64 / self.unit / self.total - pulled
        };
        let off = match direction {
            Direction::Feature(feature) => point.weights.get(*feature).map(|w| -w),
            Direction::Vector(_) => None,
        };
        let largest = point.weights.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        let free = OPEN_END * if largest > 0.0 { largest } else { 1.0 };
        let mut best: Option<Found> = None;
        for (sign, side) in [1.0, -1.0].into_iter().zip(&mut sides) {
            let bound = |units: i64| units as f64 / self.unit / self.total;
            side.each_interval(free, |from, to, units| {
                if best.is_some_and(|best| bound(units) < best.value) {
                    return;
                }
                let width = to - from;
                let middle = from + width / 2.0;
                let off = off.map(|off| sign * off).filter(|off| (from + EDGE * width..=to - EDGE * width).contains(off));
                let step = off.unwrap_or(middle);
                let value = objective(sign, units, step);
                if best.is_none_or(|best| value > best.value || (value == best.value && width > best.width)) {
                    let aside = sign * (from + ASIDE * width);
                    best = Some(Found { step: sign * step, aside, value, width });
                }
            });
        }
        best.map(|best| Found { value: best.value + self.constant(), ..best })
    }

    /// What the fillers and the lists' first values add that units do not count: 0 for values counted whole.
    fn constant(&self) -> f64 {
        if !self.is_additive {
            return 0.0;
        }
        let of_fillers = |(entry, weight): (&Entry, &f64)| {
            let worth = self.measure.worth(entry.filler);
            let discounts: f64 = (0..entry.ranks).map(|rank| discount(&self.measure, rank)).sum();
            if worth == 0.0 { 0.0 } else { weight * worth * discounts / entry.over }
        };
        exact_sum(self.entries.iter().zip(&self.weights).map(of_fillers)) / self.total
    }
}

fn all_equal(values: &[f32]) -> bool {
    values.windows(2).all(|w| matches!(w, [a, b] if a == b))
}

fn moved(weights: &[f64], direction: &Direction<'_>, step: f64) -> Vec<f64> {
    let mut weights = weights.to_vec();
    match direction {
        Direction::Feature(feature) => {
            if let Some(weight) = weights.get_mut(*feature) {
                // Exactly 0 where the feature is switched off.
                *weight += step;
            }
        }
        Direction::Vector(vector) => {
            for (weight, along) in weights.iter_mut().zip(*vector) {
                *weight += step * along;
            }
        }
    }
    weights
}

fn discount(measure: &Measure, rank: usize) -> f64 {
    match measure.formula {
        _ if rank >= measure.depth => 0.0,
        Formula::Precision => 1.0,
        _ => measure.discount(rank),
    }
}

/// By grade: the first grade that no formula can tell from it.
fn alike(measure: &Measure, grades: usize, is_additive: bool) -> Vec<u32> {
    let by_worth = is_additive || matches!(measure.formula, Formula::AveragePrecision | Formula::ReciprocalRank | Formula::Err);
    let known = |g: usize| measure.known.get(g).copied().unwrap_or(false);
    let weight = |g: usize| measure.weights.get(g).copied().unwrap_or(1.0).to_bits();
    let same = |a: usize, b: usize| {
        measure.worth(a as u32) == measure.worth(b as u32) && (by_worth || (known(a) == known(b) && weight(a) == weight(b)))
    };
    (0..grades).map(|g| (0..=g).find(|&first| same(first, g)).unwrap_or(g) as u32).collect()
}

fn check<S: Score, C: Code>(
    lists: &Lists<'_, S, C>,
    ordering: Ordering<'_>,
    measure: &Measure,
    table: &[f32],
    features: usize,
    weights: &[f64],
    total: f64,
) -> Result<()> {
    let count = lists.offsets.len().saturating_sub(1);
    if table.len() != lists.codes.len() * features {
        let rows = lists.codes.len();
        return Err(Error::new("features", format!("{} values for {rows} rows and {features} features", table.len())));
    }
    if table.iter().any(|value| !value.is_finite()) {
        return Err(Error::new("features", "a value is missing or infinite, which has no place on a line"));
    }
    if !lists.outside.is_empty() {
        return Err(Error::new("", "lists with judged documents outside cannot be searched"));
    }
    if !weights.is_empty() && weights.len() != count {
        return Err(Error::new("weights", format!("{} weights for {count} lists", weights.len())));
    }
    if total.is_nan() || total <= 0.0 {
        return Err(Error::new("weights", "no list has a weight"));
    }
    let is_settled = !matches!(ordering.ties, TieRule::Kept | TieRule::Settled(Ties::SelectionSort));
    if !is_settled || ordering.positive || ordering.keep != usize::MAX {
        return Err(Error::new("", format!("the order of {:?} cannot be followed along a line", measure.formula)));
    }
    Ok(())
}

/// Adds weighted columns up in the order of `linear::scores`, so that a ranker's scores are these to the bit.
struct Adding<'a, 's> {
    search: &'a Search,
    weights: &'a [f64],
    scores: &'s mut [f64],
}

impl WithSimd for Adding<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) {
        // So many sums of so many parts each stay in near memory while column after column is added.
        const NEAR: usize = 512;
        const PARTS: usize = 8;
        let mut parts = [[0.0; NEAR]; PARTS];
        for (block, scores) in self.scores.chunks_mut(NEAR).enumerate() {
            parts.iter_mut().for_each(|part| part.fill(0.0));
            for (feature, &weight) in self.weights.iter().enumerate().filter(|&(_, &w)| w != 0.0) {
                let column = self.search.column(feature).get(block * NEAR..).unwrap_or_default();
                if let Some(part) = parts.get_mut(feature % PARTS) {
                    for (sum, &value) in part.iter_mut().zip(column) {
                        *sum += f64::from(value) * weight;
                    }
                }
            }
            let [a, b, c, d, e, f, g, h] = &parts;
            for (at, score) in scores.iter_mut().enumerate() {
                *score = ((a[at] + b[at]) + (c[at] + d[at])) + ((e[at] + f[at]) + (g[at] + h[at]));
            }
        }
    }
}

/// What is known of one side: the value next to 0, and by how much it changes where.
#[derive(Default)]
struct Side {
    units: i64,
    /// The bits of a positive float rise with it.
    changes: Vec<(u64, i64)>,
}

impl Side {
    /// Calls `at(from, to, units)` for each interval between changes, away from 0; `free` is the end of one without any.
    fn each_interval(&mut self, free: f64, mut at: impl FnMut(f64, f64, i64)) {
        self.changes.sort_unstable_by_key(|&(key, _)| key);
        let (mut from, mut units) = (0.0, self.units);
        for run in self.changes.chunk_by(|a, b| a.0 == b.0) {
            let change: i64 = run.iter().map(|&(_, change)| change).sum();
            let Some(&(key, _)) = run.first() else { continue };
            if change != 0 {
                let to = f64::from_bits(key);
                if to - from > NARROW * to {
                    at(from, to, units);
                }
                from = to;
                units += change;
            }
        }
        at(from, if from > 0.0 { OPEN_END * from } else { free }, units);
    }
}

#[derive(Clone, Copy)]
enum Column<'a> {
    /// With the lists in which it has one value.
    Single(&'a [f32], &'a [bool]),
    Double(&'a [f64]),
}

impl Column<'_> {
    fn is_flat(self, list: usize) -> bool {
        matches!(self, Column::Single(_, flat) if flat.get(list).copied().unwrap_or(false))
    }

    #[inline(always)]
    fn at(self, row: usize) -> f64 {
        match self {
            Column::Single(values, _) => values.get(row).copied().map_or(0.0, f64::from),
            Column::Double(values) => values.get(row).copied().unwrap_or(0.0),
        }
    }
}

/// Two documents cross: the one that rises and the one that falls, as tracked ones.
#[derive(Clone, Copy)]
struct Crossing {
    key: u64,
    up: u32,
    down: u32,
}

/// A document where it stands next to 0.
#[derive(Clone, Copy, Default)]
struct Line {
    score: f64,
    slope: f64,
    grade: u32,
}

/// Lines by falling score, column by column.
#[derive(Default)]
struct Columns {
    scores: Vec<f64>,
    slopes: Vec<f64>,
    grades: Vec<u32>,
}

impl Columns {
    fn clear(&mut self) {
        self.scores.clear();
        self.slopes.clear();
        self.grades.clear();
    }

    #[inline(always)]
    fn push(&mut self, score: f64, slope: f64, grade: u32) {
        self.scores.push(score);
        self.slopes.push(slope);
        self.grades.push(grade);
    }
}

/// The memory that searching the next list reuses.
#[derive(Default)]
struct Worker {
    slopes: Vec<f64>,
    settled: Vec<Line>,
    lines: Columns,
    candidates: Columns,
    /// The greatest slopes so far, rising.
    steepest: Vec<f64>,
    /// By candidate: its number among the tracked ones.
    number: Vec<u32>,
    /// By tracked document: its candidate, its rank, how many share it, its grade.
    tracked: Vec<usize>,
    ranks: Vec<u32>,
    shared: Vec<u32>,
    grades: Vec<u32>,
    meeting: Vec<f64>,
    crossings: Vec<Crossing>,
    ranked: Vec<u32>,
    filled: Vec<u32>,
    open: Vec<Block>,
}

/// The lines of some lists along a direction.
struct Lines<'a, 'w> {
    search: &'a Search,
    point: &'a Point,
    column: Column<'a>,
    worker: &'w mut Worker,
    lists: std::ops::Range<usize>,
}

impl WithSimd for Lines<'_, '_> {
    type Output = [Side; 2];
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) -> [Side; 2] {
        let Self { search, point, column, worker, lists } = self;
        let mut sides = [Side::default(), Side::default()];
        for list in lists {
            let Some(entry) = search.entries.get(list) else { continue };
            if column.is_flat(list) {
                let units = point.units.get(list).copied().unwrap_or(0);
                sides.iter_mut().for_each(|side| side.units += units);
                continue;
            }
            worker.take_slopes(search, point, column, list);
            for (sign, side) in [1.0, -1.0].into_iter().zip(&mut sides) {
                worker.take_lines(search, point, list, sign);
                worker.one(search, entry, list, side);
            }
        }
        sides
    }
}

impl Point {
    fn places(&self, list: usize) -> std::ops::Range<usize> {
        match self.starts.get(list..list + 2) {
            Some(&[from, to]) => from..to,
            _ => 0..0,
        }
    }
}

impl Worker {
    /// The value of a list where it stands, in units.
    fn stands(&mut self, search: &Search, point: &Point, list: usize) -> i64 {
        let Some(entry) = search.entries.get(list) else { return 0 };
        self.slopes.clear();
        self.slopes.resize(point.places(list).len(), 0.0);
        self.take_lines(search, point, list, 1.0);
        self.choose_candidates(search.reach);
        self.track(entry.filler, search.ties == TieRule::Expected);
        self.value(search, entry, list)
    }

    #[inline(always)]
    fn take_slopes(&mut self, search: &Search, point: &Point, column: Column<'_>, list: usize) {
        let first = evaluate::span(&search.offsets, list).start;
        let order = point.order.get(point.places(list)).unwrap_or_default();
        self.slopes.clear();
        self.slopes.extend(order.iter().map(|&row| column.at(first + row as usize)));
    }

    /// The list's lines, by falling score next to 0.
    #[inline(always)]
    fn take_lines(&mut self, search: &Search, point: &Point, list: usize, sign: f64) {
        let places = point.places(list);
        let scores = point.scores.get(places.clone()).unwrap_or_default();
        let grades = point.grades.get(places).unwrap_or_default();
        self.lines.clear();
        if point.tied.get(list).copied().unwrap_or(false) {
            self.settle(search, scores, grades, sign);
        } else {
            self.lines.scores.extend(scores);
            self.lines.grades.extend(grades);
            self.lines.slopes.extend(self.slopes.iter().map(|slope| sign * slope));
        }
    }

    /// Of equal scores the steepest comes first; what stays equal is arranged as the convention does, if it does.
    fn settle(&mut self, search: &Search, scores: &[f64], grades: &[u32], sign: f64) {
        let worth = |line: &Line| search.measure.worth(line.grade);
        let lines = scores.iter().zip(&self.slopes).zip(grades);
        self.settled.clear();
        self.settled.extend(lines.map(|((&score, slope), &grade)| Line { score, slope: sign * slope, grade }));
        for run in self.settled.chunk_by_mut(|a, b| a.score == b.score) {
            match search.ties {
                TieRule::Best => run.sort_by(|a, b| b.slope.total_cmp(&a.slope).then(worth(b).total_cmp(&worth(a)))),
                TieRule::Worst => run.sort_by(|a, b| b.slope.total_cmp(&a.slope).then(worth(a).total_cmp(&worth(b)))),
                _ => run.sort_by(|a, b| b.slope.total_cmp(&a.slope)),
            }
        }
        for line in &self.settled {
            self.lines.push(line.score, line.slope, line.grade);
        }
    }

    #[inline(always)]
    fn value(&mut self, search: &Search, entry: &Entry, list: usize) -> i64 {
        if search.is_additive { self.sum_of_gains(search, entry, list) } else { self.whole(search, entry, list) }
    }

    #[inline(always)]
    fn one(&mut self, search: &Search, entry: &Entry, list: usize, side: &mut Side) {
        self.choose_candidates(search.reach);
        self.track(entry.filler, search.ties == TieRule::Expected);
        let shares = self.shared.iter().any(|&s| s > 1);
        side.units += self.value(search, entry, list);
        self.cross();
        match (search.is_additive, shares) {
            (true, false) => self.follow_gains(search, entry, side),
            (true, true) => self.follow(search, entry, list, side, Self::sum_of_gains),
            (false, _) => self.follow(search, entry, list, side, Self::whole),
        }
    }

    /// Leaves out documents that always stand below `reach` others.
    #[inline(always)]
    fn choose_candidates(&mut self, reach: usize) {
        self.candidates.clear();
        if self.lines.scores.len() <= reach {
            std::mem::swap(&mut self.candidates, &mut self.lines);
            return;
        }
        self.steepest.clear();
        let (mut last, mut stays) = ((f64::NAN, f64::NAN), true);
        let lines = self.lines.scores.iter().zip(&self.lines.slopes).zip(&self.lines.grades);
        for ((&score, &slope), &grade) in lines {
            // Equal ones stay or go together.
            if last != (score, slope) {
                stays = self.steepest.len() < reach || self.steepest.first().is_some_and(|&least| slope > least);
                last = (score, slope);
            }
            if stays {
                self.candidates.push(score, slope, grade);
                keep_steepest(&mut self.steepest, slope, reach);
            }
        }
    }

    /// Numbers the documents that are no fillers, and notes their ranks.
    #[inline(always)]
    fn track(&mut self, filler: u32, ties_stay: bool) {
        self.number.clear();
        self.number.resize(self.candidates.grades.len(), NONE);
        for column in [&mut self.ranks, &mut self.shared, &mut self.grades] {
            column.clear();
        }
        self.tracked.clear();
        for (place, (number, &grade)) in self.number.iter_mut().zip(&self.candidates.grades).enumerate() {
            if grade != filler {
                *number = self.tracked.len() as u32;
                self.tracked.push(place);
                self.ranks.push(place as u32);
                self.grades.push(grade);
            }
        }
        self.shared.resize(self.tracked.len(), 1);
        if ties_stay {
            self.share();
        }
    }

    /// Documents of different worth that stay tied share the ranks that they have together.
    #[inline(always)]
    fn share(&mut self) {
        let Columns { scores, slopes, grades } = &self.candidates;
        let same = |a: usize, b: usize| scores.get(a) == scores.get(b) && slopes.get(a) == slopes.get(b);
        let mut start = 0;
        for end in 1..=scores.len() {
            if end < scores.len() && same(end - 1, end) {
                continue;
            }
            let mixed = end - start > 1 && grades.get(start..end).is_some_and(|run| run.windows(2).any(|w| matches!(w, [a, b] if a != b)));
            for number in self.number.get(start..end).unwrap_or_default().iter().filter(|_| mixed) {
                if let (Some(rank), Some(shared)) = (self.ranks.get_mut(*number as usize), self.shared.get_mut(*number as usize)) {
                    (*rank, *shared) = (start as u32, (end - start) as u32);
                }
            }
            start = end;
        }
    }

    /// Where a tracked document crosses another one, nearest to 0 first.
    #[inline(always)]
    fn cross(&mut self) {
        let Columns { scores, slopes, .. } = &self.candidates;
        self.crossings.clear();
        self.meeting.resize(scores.len(), 0.0);
        for (own, &place) in (0u32..).zip(&self.tracked) {
            let (Some(&score), Some(&slope)) = (scores.get(place), slopes.get(place)) else { continue };
            // Above 0 and finite exactly where the lower line is the steeper one.
            for ((meeting, theirs), steepness) in self.meeting.iter_mut().zip(scores).zip(slopes) {
                *meeting = (theirs - score) / (slope - steepness);
            }
            let first = self.crossings.len();
            self.crossings.resize(first + scores.len(), Crossing { key: 0, up: NONE, down: NONE });
            let mut found = first;
            for (at, (&meeting, &number)) in self.meeting.iter().zip(&self.number).enumerate() {
                let is_above = at < place;
                if let Some(crossing) = self.crossings.get_mut(found) {
                    let (up, down) = if is_above { (own, number) } else { (NONE, own) };
                    *crossing = Crossing { key: meeting.to_bits(), up, down };
                }
                // Two tracked ones are noted by the lower one.
                found += usize::from((meeting > 0.0) & (meeting < f64::INFINITY) & (is_above | (number == NONE)));
            }
            self.crossings.truncate(found);
        }
        self.crossings.sort_unstable_by_key(|crossing| crossing.key);
    }

    /// What the tracked documents add where they stand.
    #[inline(always)]
    fn sum_of_gains(&mut self, search: &Search, entry: &Entry, list: usize) -> i64 {
        let mut sum = 0;
        for ((&rank, &shared), &grade) in self.ranks.iter().zip(&self.shared).zip(&self.grades) {
            if shared == 1 {
                sum += gain(search, entry, grade, rank);
            } else {
                let (from, to) = (rank as usize, (rank as usize + shared as usize).min(entry.ranks));
                let discounts: f64 = (from..to).map(|rank| discount(&search.measure, rank)).sum();
                let worth = search.measure.worth(grade) - search.measure.worth(entry.filler);
                let weight = search.weights.get(list).copied().unwrap_or(0.0);
                sum += (search.unit * weight * worth / entry.over * discounts / f64::from(shared)).round() as i64;
            }
        }
        sum
    }

    /// The value of the list, whatever its formula.
    fn whole(&mut self, search: &Search, entry: &Entry, list: usize) -> i64 {
        self.ranked.clear();
        self.ranked.resize(entry.len, entry.filler);
        self.filled.clear();
        self.filled.resize(entry.len, 0);
        self.open.clear();
        for ((&rank, &shared), &grade) in self.ranks.iter().zip(&self.shared).zip(&self.grades) {
            let Some(filled) = self.filled.get_mut(rank as usize) else { continue };
            if shared > 1 && *filled == 0 {
                let len = (shared as usize).min(entry.len - rank as usize);
                self.open.push(Block { start: rank as usize, len });
            }
            if let Some(place) = self.ranked.get_mut(rank as usize + *filled as usize) {
                *place = grade;
            }
            *filled += u32::from(shared > 1);
        }
        self.open.sort_unstable_by_key(|block| block.start);
        // Rounding may let two blocks overlap where many lines meet in a point; such an interval has no width.
        self.open.dedup_by(|next, kept| next.start < kept.end());
        let Entry { retrieved, judged, len, .. } = entry;
        let seen = List { ranked: &self.ranked, open: &self.open, kept: false, len: *len, retrieved, judged };
        let value = search.measure.of(&seen).unwrap_or(0.0);
        (search.unit * search.weights.get(list).copied().unwrap_or(0.0) * value).round() as i64
    }

    /// Goes along the crossings of a list without shared ranks under a measure that adds up.
    #[inline(always)]
    fn follow_gains(&mut self, search: &Search, entry: &Entry, side: &mut Side) {
        for crossing in &self.crossings {
            let mut change = 0;
            if let (Some(rank), Some(&grade)) = (self.ranks.get_mut(crossing.up as usize), self.grades.get(crossing.up as usize)) {
                let risen = rank.wrapping_sub(1);
                change += gain(search, entry, grade, risen) - gain(search, entry, grade, *rank);
                *rank = risen;
            }
            if let (Some(rank), Some(&grade)) = (self.ranks.get_mut(crossing.down as usize), self.grades.get(crossing.down as usize)) {
                let fallen = rank.wrapping_add(1);
                change += gain(search, entry, grade, fallen) - gain(search, entry, grade, *rank);
                *rank = fallen;
            }
            if change != 0 {
                side.changes.push((crossing.key, change));
            }
        }
    }

    /// Goes along the crossings and computes the value anew after each that touches the top.
    fn follow(
        &mut self,
        search: &Search,
        entry: &Entry,
        list: usize,
        side: &mut Side,
        value: fn(&mut Self, &Search, &Entry, usize) -> i64,
    ) {
        let mut before = value(self, search, entry, list);
        let crossings = std::mem::take(&mut self.crossings);
        for run in crossings.chunk_by(|a, b| a.key == b.key) {
            let mut touches = false;
            for crossing in run {
                for (number, by) in [(crossing.up, 1u32.wrapping_neg()), (crossing.down, 1)] {
                    if let Some(rank) = self.ranks.get_mut(number as usize) {
                        let moved = rank.wrapping_add(by);
                        touches |= (moved.min(*rank) as usize) < search.reach;
                        *rank = moved;
                    }
                }
            }
            if touches {
                let after = value(self, search, entry, list);
                if let (Some(first), true) = (run.first(), after != before) {
                    side.changes.push((first.key, after - before));
                }
                before = after;
            }
        }
        self.crossings = crossings;
    }
}

/// Keeps the `reach` greatest slopes, rising.
#[inline(always)]
fn keep_steepest(steepest: &mut Vec<f64>, slope: f64, reach: usize) {
    // Few enough that counting beats searching.
    let at = steepest.iter().map(|&other| usize::from(other < slope)).sum();
    if steepest.len() < reach {
        steepest.insert(at, slope);
    } else if at > 0 {
        steepest.copy_within(1..at, 0);
        if let Some(place) = steepest.get_mut(at - 1) {
            *place = slope;
        }
    }
}

#[inline(always)]
fn gain(search: &Search, entry: &Entry, grade: u32, rank: u32) -> i64 {
    if (rank as usize) < entry.ranks {
        search.gains.get(entry.gains + grade as usize * entry.ranks + rank as usize).copied().unwrap_or(0)
    } else {
        0
    }
}

/// Sweeps from several points, each on its own, spread over threads.
pub fn sweeps(search: &Search, starts: Vec<(Vec<f64>, Vec<Direction<'_>>, Pull<'_>)>, threads: Option<usize>) -> Vec<(Point, usize)> {
    threads::within(threads, |threads| {
        // One after the other if there are too few to keep all threads at work.
        let inside = if starts.len() < 2 { threads } else { Some(1) };
        let work = |(): &mut (), (weights, directions, pull): (Vec<f64>, Vec<Direction<'_>>, Pull<'_>)| {
            search.sweep(search.place(weights, inside), &directions, pull, inside)
        };
        threads::each(threads, starts, || (), work)
    })
}
