//! Evaluation: for each list, order once, then every measure; the lists spread over threads.

use pulp::{Simd, WithSimd};

use crate::error::{Error, Result};
use crate::ids::Span;
use crate::measures::{Count, Formula, List, Measure};
use crate::order::{Block, ListIds, Order, Score, Ties};
use crate::threads;

/// The lists of one evaluation. `outside` holds judged documents that are in no list's rows.
pub struct Lists<'a, S, C> {
    pub offsets: &'a [i64],
    pub scores: &'a [S],
    pub codes: &'a [C],
    pub outside: &'a [C],
    pub outside_offsets: &'a [i64],
    pub ids: Option<Ids<'a>>,
    /// How many grades there are, and from which on they mean "not judged".
    pub grades: usize,
    pub unjudged: u32,
}

#[derive(Clone, Copy)]
pub struct Ids<'a> {
    pub query_text: &'a [u8],
    pub queries: &'a [u64],
    pub document_text: &'a [u8],
    pub documents: &'a [u64],
}

/// How the lists are put in order before any measure looks at them.
#[derive(Debug, Clone, Copy)]
pub struct Ordering<'a> {
    pub ties: TieRule,
    /// Scores are rounded to single precision first.
    pub single: bool,
    /// Only so many documents of each list are looked at.
    pub keep: usize,
    /// Per grade: whether its documents are taken out of what is looked at. Empty: none are.
    pub dropped: &'a [bool],
    /// A document that scores 0 or less keeps its rank but counts for nothing.
    pub positive: bool,
}

impl Ordering<'_> {
    fn drops(&self, grade: u32) -> bool {
        self.dropped.get(grade as usize).copied().unwrap_or(false)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieRule {
    /// The mean over all orders of each block.
    Expected,
    /// Ties stay ties.
    Kept,
    Best,
    Worst,
    Settled(Ties),
}

impl<S: Score, C: Code> Lists<'_, S, C> {
    /// Refuses offsets that do not cut the rows into lists, once, at the door.
    pub fn check(&self) -> Result<()> {
        check_offsets("offsets", self.offsets, self.codes.len())?;
        check_offsets("offsets of the documents not retrieved", self.outside_offsets, self.outside.len())?;
        if self.outside_offsets.len() != self.offsets.len() {
            let (mine, theirs) = (self.offsets.len() - 1, self.outside_offsets.len() - 1);
            return Err(Error::new("", format!("{mine} lists have {theirs} lists of documents not retrieved")));
        }
        if self.scores.len() != self.codes.len() {
            let (scores, labels) = (self.scores.len(), self.codes.len());
            return Err(Error::new("", format!("{scores} scores for {labels} documents; each document needs one score")));
        }
        if let Some(row) = first_nan(self.scores) {
            let list = self.offsets.partition_point(|&o| o as usize <= row).saturating_sub(1);
            return Err(Error::new(format!("scores, row {row} (list {list})"), "the score is NaN, which has no place in an order")
                .hint("mend or remove the row; a ranker that returns NaN has usually been fed NaN."));
        }
        Ok(())
    }
}

fn check_offsets(name: &str, offsets: &[i64], rows: usize) -> Result<()> {
    let rises = offsets.windows(2).all(|w| matches!(w, [a, b] if a <= b));
    if offsets.first() == Some(&0) && offsets.last() == Some(&(rows as i64)) && rises {
        return Ok(());
    }
    Err(Error::new(name, format!("must start at 0, never fall, and end at the number of rows, {rows}")))
}

fn first_nan<S: Score>(scores: &[S]) -> Option<usize> {
    const CHUNK: usize = 1 << 12;
    let bad = scores.chunks(CHUNK).position(|c| c.iter().fold(false, |bad, s| bad | s.is_nan()))?;
    let start = bad * CHUNK;
    scores.get(start..)?.iter().position(|s| s.is_nan()).map(|at| start + at)
}

/// What happened to a list under a measure, as bits.
pub mod flags {
    pub const EMPTY: u8 = 1;
    pub const SHORT: u8 = 2;
    pub const TIED: u8 = 4;
    pub const UNJUDGED: u8 = 8;
    pub const MISSING: u8 = 16;
    pub const TIE_DECIDED: u8 = 32;
    pub const SHORT_DECIDED: u8 = 64;
}

/// The values of one measure, a list each.
#[derive(Debug, Clone, Default)]
pub struct Column {
    pub values: Vec<f64>,
    pub flags: Vec<u8>,
}

/// A grade as it is stored.
pub trait Code: Copy + Send + Sync + PartialEq {
    fn grade(self) -> u32;
    fn of(grade: u32) -> Self;
}
impl Code for u8 {
    #[inline(always)]
    fn grade(self) -> u32 {
        self.into()
    }
    fn of(grade: u32) -> Self {
        grade as Self
    }
}
impl Code for u32 {
    #[inline(always)]
    fn grade(self) -> u32 {
        self
    }
    fn of(grade: u32) -> Self {
        grade
    }
}

/// Less work than this is not worth waking a thread for.
const SMALL: usize = 1 << 15;

pub fn evaluate<S: Score, C: Code>(
    lists: &Lists<'_, S, C>,
    ordering: Ordering<'_>,
    measures: &[Measure],
    threads: Option<usize>,
) -> Vec<Column> {
    let blocks = threads::blocks(lists.offsets, SMALL);
    let parts = threads::each(threads, blocks, || Evaluator::new(lists, ordering, measures), Evaluator::run);
    let mut columns = vec![Column::default(); measures.len()];
    for part in parts {
        for (column, more) in columns.iter_mut().zip(part) {
            column.values.extend(more.values);
            column.flags.extend(more.flags);
        }
    }
    columns
}

/// Lists in ranked order: the grade of each document by rank, where each list starts, and what happened to it.
#[derive(Debug, Clone, Default)]
pub struct Ranked {
    pub grades: Vec<u32>,
    pub offsets: Vec<i64>,
    pub flags: Vec<u8>,
}

/// The lists as a measure sees them that looks at labels by rank and is no kernel.
pub fn ranked<S: Score, C: Code>(lists: &Lists<'_, S, C>, ordering: Ordering<'_>, threads: Option<usize>) -> Ranked {
    let blocks = threads::blocks(lists.offsets, SMALL);
    let whole = || Evaluator::whole(lists, ordering);
    let mut all = Ranked { offsets: vec![0], ..Ranked::default() };
    for part in threads::each(threads, blocks, whole, Evaluator::rank) {
        let start = all.grades.len() as i64;
        all.grades.extend(part.grades);
        all.offsets.extend(part.offsets.iter().map(|end| start + end));
        all.flags.extend(part.flags);
    }
    all
}

pub(crate) struct Evaluator<'a, S, C> {
    lists: &'a Lists<'a, S, C>,
    ordering: Ordering<'a>,
    measures: &'a [Measure],
    arch: pulp::Arch,
    reach: usize,
    pub(crate) order: Order,
    single: Vec<f32>,
    kept_scores: Vec<S>,
    kept_rows: Vec<u32>,
    pub(crate) ranked: Vec<u32>,
    arranged: Vec<u32>,
    pub(crate) retrieved: Vec<Count>,
    pub(crate) judged: Vec<Count>,
    sorted: Vec<u32>,
}

impl<'a, S: Score, C: Code> Evaluator<'a, S, C> {
    fn new(lists: &'a Lists<'a, S, C>, ordering: Ordering<'a>, measures: &'a [Measure]) -> Self {
        // A measure that walks to R needs the whole list, and so does a list of which only the top is kept.
        let whole = measures.iter().any(|m| matches!(m.formula, Formula::RPrecision));
        let reach = if whole || ordering.keep < usize::MAX { usize::MAX } else { measures.iter().map(Measure::reach).max().unwrap_or(0) };
        Self {
            lists,
            ordering,
            measures,
            arch: pulp::Arch::new(),
            reach: reach.max(1),
            order: Order::default(),
            single: Vec::new(),
            kept_scores: Vec::new(),
            kept_rows: Vec::new(),
            ranked: Vec::new(),
            arranged: Vec::new(),
            retrieved: Vec::new(),
            judged: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// For what looks at every rank of a list.
    pub(crate) fn whole(lists: &'a Lists<'a, S, C>, ordering: Ordering<'a>) -> Self {
        Self { reach: usize::MAX, ..Self::new(lists, ordering, &[]) }
    }

    fn run(&mut self, lists: std::ops::Range<usize>) -> Vec<Column> {
        let mut columns =
            vec![Column { values: Vec::with_capacity(lists.len()), flags: Vec::with_capacity(lists.len()) }; self.measures.len()];
        for list in lists {
            self.one(list, &mut columns);
        }
        columns
    }

    /// The lists' grades by rank, where each of them ends, and its flags.
    fn rank(&mut self, lists: std::ops::Range<usize>) -> Ranked {
        let mut all = Ranked::default();
        for list in lists {
            let Some((_, missing)) = self.take_up(list) else { continue };
            let mixed = |block: &Block| {
                let grades = self.ranked.get(block.start..block.end()).unwrap_or_default();
                grades.windows(2).any(|w| matches!(w, [a, b] if a != b))
            };
            let mut bits = if missing { flags::MISSING } else { 0 };
            bits |= if self.order.blocks.is_empty() { 0 } else { flags::TIED };
            bits |= if self.order.blocks.iter().any(mixed) { flags::TIE_DECIDED } else { 0 };
            bits |= if self.first_unjudged() == usize::MAX { 0 } else { flags::UNJUDGED };
            all.flags.push(bits);
            all.grades.extend(&self.ranked);
            all.offsets.push(all.grades.len() as i64);
        }
        all
    }

    fn one(&mut self, list: usize, columns: &mut [Column]) {
        if let Some((len, missing)) = self.take_up(list) {
            self.measure(len, missing, columns);
        }
    }

    /// Counts a list and puts it in order; returns how many documents it has, and whether the run lacks it.
    pub(crate) fn take_up(&mut self, list: usize) -> Option<(usize, bool)> {
        let rows = span(self.lists.offsets, list);
        let (scores, codes) = (self.lists.scores.get(rows.clone())?, self.lists.codes.get(rows.clone())?);
        let outside = self.lists.outside.get(span(self.lists.outside_offsets, list)).unwrap_or_default();
        self.count(codes, outside);
        let len = self.put_in_order(list, rows, scores, codes);
        Some((len, codes.is_empty() && !outside.is_empty()))
    }

    /// Ranks → grades of the list's documents in `ranked`; returns how many documents count as retrieved.
    fn put_in_order(&mut self, list: usize, rows: std::ops::Range<usize>, scores: &[S], codes: &[C]) -> usize {
        let ids = self.lists.ids.map(|ids| ListIds {
            query: ids.queries.get(list).map_or(&[], |&s| Span(s).of(ids.query_text)),
            text: ids.document_text,
            documents: ids.documents.get(rows).unwrap_or_default(),
        });
        let mut len = scores.len();
        if !self.ordering.dropped.is_empty() && codes.iter().any(|c| self.ordering.drops(c.grade())) {
            self.choose_rows(scores, codes, ids.as_ref());
            self.sort_kept(scores, ids.as_ref());
            len = self.kept_rows.len();
        } else {
            self.sort(scores, self.reach, ids.as_ref());
        }
        self.ranked.clear();
        if self.order.as_given && len == codes.len() {
            self.ranked.extend(codes.iter().map(|c| c.grade()));
        } else {
            self.ranked.extend(self.order.rows.iter().filter_map(|&row| codes.get(row as usize)).map(|c| c.grade()));
        }
        if self.ordering.keep < scores.len() {
            len = len.min(self.ordering.keep);
            self.keep_top(len);
        }
        if self.ordering.positive {
            self.keep_positive(scores);
        }
        len
    }

    /// Ranks from the first score that is not above 0 on hold nothing; they are the end of the list.
    fn keep_positive(&mut self, scores: &[S]) {
        let single = self.ordering.single;
        let positive = |row: u32| scores.get(row as usize).is_some_and(|s| if single { s.to_f32() > 0.0 } else { s.is_positive() });
        let end = self.order.rows.partition_point(|&row| positive(row));
        self.ranked.truncate(end);
        // Scores of a block are equal: it is kept or goes as a whole.
        self.order.blocks.retain(|block| block.start < end);
    }

    /// The rows that are looked at, ascending: the top of the list as it was returned, without dropped documents.
    fn choose_rows(&mut self, scores: &[S], codes: &[C], ids: Option<&ListIds<'_>>) {
        let ordering = self.ordering;
        let stays = |row: &u32| codes.get(*row as usize).is_some_and(|c| !ordering.drops(c.grade()));
        self.kept_rows.clear();
        if ordering.keep < scores.len() {
            self.sort(scores, ordering.keep, ids);
            self.kept_rows.extend(self.order.rows.iter().take(ordering.keep).copied().filter(stays));
            self.kept_rows.sort_unstable();
        } else {
            self.kept_rows.extend((0..scores.len() as u32).filter(stays));
        }
    }

    /// Orders the rows that were chosen, as rows of the whole list.
    fn sort_kept(&mut self, scores: &[S], ids: Option<&ListIds<'_>>) {
        let mut kept = std::mem::take(&mut self.kept_scores);
        kept.clear();
        kept.extend(self.kept_rows.iter().filter_map(|&row| scores.get(row as usize)));
        let documents: Vec<u64> = match ids {
            Some(ids) => self.kept_rows.iter().filter_map(|&row| ids.documents.get(row as usize).copied()).collect(),
            None => Vec::new(),
        };
        let ids = ids.map(|ids| ListIds { documents: &documents, query: ids.query, text: ids.text });
        self.sort(&kept, self.reach, ids.as_ref());
        self.kept_scores = kept;
        for row in &mut self.order.rows {
            *row = self.kept_rows.get(*row as usize).copied().unwrap_or(0);
        }
    }

    /// Documents below rank `keep` are as if they had not been retrieved.
    fn keep_top(&mut self, keep: usize) {
        self.ranked.truncate(keep);
        self.order.blocks.retain_mut(|block| {
            block.len = block.len.min(keep.saturating_sub(block.start));
            block.len > 1
        });
        self.retrieved.clear();
        count_sorted(&self.ranked, &mut self.sorted, &mut self.retrieved);
    }

    fn sort(&mut self, scores: &[S], reach: usize, ids: Option<&ListIds<'_>>) {
        let ties = match self.ordering.ties {
            TieRule::Settled(ties) => ties,
            _ => Ties::Input,
        };
        let order = &mut self.order;
        if self.ordering.single {
            self.single.clear();
            self.single.extend(scores.iter().map(|s| s.to_f32()));
            let single = &self.single;
            self.arch.dispatch(ByScore { order, scores: single.as_slice(), reach });
            order.settle(ties, single, ids);
        } else {
            self.arch.dispatch(ByScore { order, scores, reach });
            order.settle(ties, scores, ids);
        }
    }

    /// How many documents have which grade: of those retrieved, and of all judged ones.
    fn count(&mut self, codes: &[C], outside: &[C]) {
        self.retrieved.clear();
        if self.lists.grades <= 12 {
            let (grades, counts) = (self.lists.grades as u32, &mut self.retrieved);
            self.arch.dispatch(CountFew { codes, grades, counts });
        } else {
            self.ranked.clear();
            self.ranked.extend(codes.iter().map(|c| c.grade()));
            count_sorted(&self.ranked, &mut self.sorted, &mut self.retrieved);
        }
        self.judged.clear();
        self.judged.extend(self.retrieved.iter().filter(|c| c.grade < self.lists.unjudged));
        for code in outside {
            let grade = code.grade();
            match self.judged.binary_search_by_key(&grade, |c| c.grade) {
                Ok(at) => {
                    if let Some(count) = self.judged.get_mut(at) {
                        count.documents += 1;
                    }
                }
                Err(at) => self.judged.insert(at, Count { grade, documents: 1 }),
            }
        }
    }

    /// The first rank at which a document without a judgment stands, or may stand where ties are open.
    fn first_unjudged(&self) -> usize {
        let unjudged = self.lists.unjudged;
        if unjudged as usize >= self.lists.grades {
            return usize::MAX;
        }
        let Some(rank) = self.ranked.iter().position(|&g| g >= unjudged) else { return usize::MAX };
        match self.order.blocks.iter().find(|block| block.start <= rank && rank < block.end()) {
            Some(block) if !matches!(self.ordering.ties, TieRule::Settled(_)) => block.start,
            _ => rank,
        }
    }

    fn measure(&mut self, len: usize, missing: bool, columns: &mut [Column]) {
        let unjudged_at = self.first_unjudged();
        for (measure, column) in self.measures.iter().zip(columns) {
            let mut list = List {
                ranked: &self.ranked,
                open: &self.order.blocks,
                kept: self.ordering.ties == TieRule::Kept,
                len,
                retrieved: &self.retrieved,
                judged: &self.judged,
            };
            let mut bits = if missing { flags::MISSING } else { 0 };
            bits |= tie_bits(measure, &list);
            match self.ordering.ties {
                TieRule::Expected | TieRule::Kept => {}
                TieRule::Settled(_) => list.open = &[],
                TieRule::Best | TieRule::Worst => {
                    if !list.open.is_empty() {
                        arrange(&mut self.arranged, &list, measure, self.ordering.ties == TieRule::Best);
                        list.ranked = &self.arranged;
                        list.open = &[];
                    }
                }
            }
            let mut value = measure.of(&list).unwrap_or_else(|| {
                bits = (bits | flags::EMPTY) & !flags::TIE_DECIDED;
                measure.empty
            });
            if measure.depth != usize::MAX && len < measure.depth {
                bits |= flags::SHORT;
                if measure.short_is_zero && bits & flags::EMPTY == 0 {
                    bits |= if value == 0.0 { 0 } else { flags::SHORT_DECIDED };
                    bits &= !flags::TIE_DECIDED;
                    value = 0.0;
                }
            }
            if unjudged_at < measure.reach() {
                bits |= flags::UNJUDGED;
            }
            column.values.push(value);
            column.flags.push(bits);
        }
    }
}

fn tie_bits(measure: &Measure, list: &List<'_>) -> u8 {
    let within = |block: &&Block| block.start < measure.reach();
    if !list.open.iter().take_while(within).any(|_| true) {
        return 0;
    }
    let decided = measure.is_open(list) && list.open.iter().take_while(within).any(|&block| measure.is_decided_by(block, list));
    if decided { flags::TIED | flags::TIE_DECIDED } else { flags::TIED }
}

/// The order of each block that is best, or worst, for this measure.
fn arrange(arranged: &mut Vec<u32>, list: &List<'_>, measure: &Measure, best: bool) {
    arranged.clear();
    arranged.extend_from_slice(list.ranked);
    let worth = |grade: &u32| measure.worth.get(*grade as usize).copied().unwrap_or(0.0);
    for &Block { start, len } in list.open {
        if let Some(grades) = arranged.get_mut(start..start + len) {
            // An unjudged document among those worth nothing matters to bpref alone, which does not see it.
            grades.sort_by(|a, b| if best { worth(b).total_cmp(&worth(a)) } else { worth(a).total_cmp(&worth(b)) });
        }
    }
}

pub(crate) fn span(offsets: &[i64], list: usize) -> std::ops::Range<usize> {
    match offsets.get(list..list + 2) {
        Some(&[from, to]) => from as usize..to as usize,
        _ => 0..0,
    }
}

/// The two loops that gain from wide vectors, as operations that pulp compiles for each instruction set.
struct ByScore<'a, S> {
    order: &'a mut Order,
    scores: &'a [S],
    reach: usize,
}

impl<S: Score> WithSimd for ByScore<'_, S> {
    type Output = ();
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) {
        self.order.by_score(self.scores, self.reach);
    }
}

struct CountFew<'a, C> {
    codes: &'a [C],
    grades: u32,
    counts: &'a mut Vec<Count>,
}

impl<C: Code> WithSimd for CountFew<'_, C> {
    type Output = ();
    /// One pass a grade: nothing beats that for a handful of grades.
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) {
        for grade in 0..self.grades {
            let wanted = C::of(grade);
            // Chunks of fewer than 256 let a vector of bytes hold the counts.
            let of_chunk = |chunk: &[C]| u32::from(chunk.iter().fold(0u8, |n, &c| n + u8::from(c == wanted)));
            let documents = self.codes.chunks(192).map(of_chunk).sum();
            if documents > 0 {
                self.counts.push(Count { grade, documents });
            }
        }
    }
}

fn count_sorted(grades: &[u32], sorted: &mut Vec<u32>, counts: &mut Vec<Count>) {
    sorted.clear();
    sorted.extend_from_slice(grades);
    sorted.sort_unstable();
    for run in sorted.chunk_by(|a, b| a == b) {
        if let Some(&grade) = run.first() {
            counts.push(Count { grade, documents: run.len() as u32 });
        }
    }
}
