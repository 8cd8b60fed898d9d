//! The one place where documents are put in order.
//!
//! Vocabulary: a *row* is a document's place in its list as given, a *rank* its place in the order (both from 0).
//! A *block* is a run of ranks with equal scores. Rows of a block stand in input order until a tie rule moves them.

use crate::ids::Span;

/// A run of at least two ranks with equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub start: usize,
    pub len: usize,
}

impl Block {
    pub fn end(self) -> usize {
        self.start + self.len
    }
}

/// What decides between equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// As the rows were given; also for the measures that look at whole blocks (expected, best, worst).
    Input,
    Reversed,
    DocumentAscending,
    DocumentDescending,
    /// A shuffle that depends on the seed, the query and the document only.
    Random(u64),
    /// Repeatedly swap the first greatest remaining score to the front: not stable (RankLib 1).
    SelectionSort,
}

/// A score type: single or double precision.
pub trait Score: Copy + Into<f64> + PartialOrd + PartialEq + Send + Sync {
    const LOWEST: Self;
    /// An integer that falls as the score rises, equal for equal scores.
    fn descending_key(self) -> u64;
    fn to_f32(self) -> f32;
    fn is_nan(self) -> bool;
    fn is_positive(self) -> bool;
}

impl Score for f32 {
    const LOWEST: Self = f32::NEG_INFINITY;
    #[inline(always)]
    fn descending_key(self) -> u64 {
        let bits = (self + 0.0).to_bits(); // -0.0 and 0.0 are one score
        u64::from(if bits >> 31 == 0 { !bits ^ (1 << 31) } else { bits })
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }
    #[inline(always)]
    fn is_positive(self) -> bool {
        self > 0.0
    }
}

impl Score for f64 {
    const LOWEST: Self = f64::NEG_INFINITY;
    #[inline(always)]
    fn descending_key(self) -> u64 {
        let bits = (self + 0.0).to_bits();
        if bits >> 63 == 0 { !bits ^ (1 << 63) } else { bits }
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self as f32
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }
    #[inline(always)]
    fn is_positive(self) -> bool {
        self > 0.0
    }
}

/// The order of one list, with the memory that ordering the next one reuses.
#[derive(Default)]
pub struct Order {
    /// `rows[rank]` is the row at that rank. Shorter than the list if only its top was asked for.
    pub rows: Vec<u32>,
    /// Blocks in rank order.
    pub blocks: Vec<Block>,
    /// Whether each row already stood at its rank, as rows of run files do.
    pub as_given: bool,
    above: Vec<u32>,
    filled: Vec<u32>,
    keyed: Vec<(u64, u32)>,
    keys: Vec<u64>,
    candidates: Vec<u32>,
}

/// Up to this length ranks are counted (all pairs, vectorised), above it rows are sorted.
const COUNTED: usize = 448;
/// Documents whose ranks are counted together: enough to fill the vector registers.
const LANES: usize = 64;
/// Up to this reach the greatest scores of `LANES` lanes bound the top well.
const SHALLOW: usize = LANES / 4;

impl Order {
    /// Orders a list by falling score. The top `reach` ranks are right, and so is each block that touches them;
    /// what lies below may be left out.
    #[inline(always)]
    pub fn by_score<S: Score>(&mut self, scores: &[S], reach: usize) {
        self.blocks.clear();
        let n = scores.len();
        self.as_given = falls(scores);
        if self.as_given {
            self.rows.clear();
            self.rows.extend(0..n as u32);
        } else if reach <= SHALLOW && n > LANES {
            self.top(scores, reach);
        } else if n <= COUNTED {
            self.count(scores);
        } else if reach < n / 8 {
            self.select(scores, reach);
        } else {
            self.sort(scores, 0..n as u32);
        }
    }

    /// Only documents that may be among the top `reach`: dealt out to lanes, the `reach`-th greatest of the lanes'
    /// best scores cannot be above the `reach`-th greatest score.
    #[inline(always)]
    fn top<S: Score>(&mut self, scores: &[S], reach: usize) {
        let mut best = [S::LOWEST; LANES];
        let deals = scores.chunks_exact(LANES);
        for (b, s) in best.iter_mut().zip(deals.remainder()) {
            *b = *s;
        }
        for deal in deals {
            for (b, s) in best.iter_mut().zip(deal) {
                *b = if *s > *b { *s } else { *b };
            }
        }
        let above = counts_above(&best, &best);
        let within = best.iter().zip(&above).filter(|&(_, &rank)| (rank as usize) < reach).map(|(b, _)| *b);
        let bound = within.fold(None, |least, b| if least.is_none_or(|l| b < l) { Some(b) } else { least }).unwrap_or(S::LOWEST);

        self.candidates.clear();
        self.candidates.resize(scores.len(), 0);
        let mut found = 0;
        for (row, s) in scores.iter().enumerate() {
            if let Some(place) = self.candidates.get_mut(found) {
                *place = row as u32;
            }
            found += usize::from(*s >= bound);
        }
        self.candidates.truncate(found);
        let mut few = [S::LOWEST; LANES];
        if found <= LANES {
            for (f, &row) in few.iter_mut().zip(&self.candidates) {
                *f = scores.get(row as usize).copied().unwrap_or(S::LOWEST);
            }
            self.count(few.get(..found).unwrap_or_default());
            let candidates = &self.candidates;
            for row in &mut self.rows {
                *row = candidates.get(*row as usize).copied().unwrap_or(0);
            }
        } else {
            let candidates = std::mem::take(&mut self.candidates);
            self.sort(scores, candidates.iter().copied());
            self.candidates = candidates;
        }
    }

    /// Each document's rank is the number of scores above its own; documents of a block share that number.
    #[inline(always)]
    fn count<S: Score>(&mut self, scores: &[S]) {
        let n = scores.len();
        self.above.clear();
        self.above.resize(n.next_multiple_of(LANES), 0);
        for (mine, above) in scores.chunks(LANES).zip(self.above.chunks_exact_mut(LANES)) {
            let mut own = [S::LOWEST; LANES];
            for (o, m) in own.iter_mut().zip(mine) {
                *o = *m;
            }
            above.copy_from_slice(&counts_above(&own, scores));
        }
        self.filled.clear();
        self.filled.resize(n, 0);
        self.rows.clear();
        self.rows.resize(n, 0);
        for (row, &start) in self.above.iter().take(n).enumerate() {
            if let Some(filled) = self.filled.get_mut(start as usize) {
                if let Some(place) = self.rows.get_mut((start + *filled) as usize) {
                    *place = row as u32;
                }
                *filled += 1;
            }
        }
        if self.filled.iter().fold(0, |most, &f| most.max(f)) > 1 {
            let blocks = self.filled.iter().enumerate().filter(|&(_, &len)| len > 1);
            self.blocks.extend(blocks.map(|(start, &len)| Block { start, len: len as usize }));
        }
    }

    /// Only the documents that score at least the `reach`-th greatest score.
    fn select<S: Score>(&mut self, scores: &[S], reach: usize) {
        self.keys.clear();
        self.keys.extend(scores.iter().map(|s| s.descending_key()));
        let (_, &mut last, _) = self.keys.select_nth_unstable(reach.saturating_sub(1));
        let rows = (0u32..).zip(scores).filter(|(_, s)| s.descending_key() <= last).map(|(row, _)| row);
        self.sort(scores, rows);
    }

    fn sort<S: Score>(&mut self, scores: &[S], rows: impl Iterator<Item = u32>) {
        self.keyed.clear();
        self.keyed.extend(rows.filter_map(|row| Some((scores.get(row as usize)?.descending_key(), row))));
        self.keyed.sort_unstable();
        self.rows.clear();
        self.rows.extend(self.keyed.iter().map(|&(_, row)| row));
        let mut start = 0;
        for run in self.keyed.chunk_by(|a, b| a.0 == b.0) {
            if run.len() > 1 {
                self.blocks.push(Block { start, len: run.len() });
            }
            start += run.len();
        }
    }

    /// Lets a tie rule arrange the rows within each block.
    pub fn settle<S: Score>(&mut self, ties: Ties, scores: &[S], ids: Option<&ListIds<'_>>) {
        match ties {
            Ties::Input => {}
            Ties::SelectionSort => self.selection_sort(scores),
            Ties::Reversed => self.each_block(<[u32]>::reverse),
            Ties::DocumentAscending => {
                if let Some(ids) = ids {
                    self.each_block(|rows| rows.sort_by(|&a, &b| ids.document(a).cmp(ids.document(b))));
                }
            }
            Ties::DocumentDescending => {
                if let Some(ids) = ids {
                    self.each_block(|rows| rows.sort_by(|&a, &b| ids.document(b).cmp(ids.document(a))));
                }
            }
            Ties::Random(seed) => {
                let query = hash(seed, ids.map_or(&[], |ids| ids.query));
                self.each_block(|rows| rows.sort_by_key(|&row| (lot(query, row, ids), row)));
            }
        }
    }

    fn each_block(&mut self, mut arrange: impl FnMut(&mut [u32])) {
        for block in &self.blocks {
            if let Some(rows) = self.rows.get_mut(block.start..block.end()) {
                arrange(rows);
            }
        }
    }

    fn selection_sort<S: Score>(&mut self, scores: &[S]) {
        if self.blocks.is_empty() {
            return;
        }
        let mut rows: Vec<u32> = (0..scores.len() as u32).collect();
        let score = |row: u32| scores.get(row as usize);
        // What is swapped to the front stays there, so the ranks that are asked for need no more.
        for place in 0..self.rows.len() {
            let mut first = place;
            for (rank, &row) in rows.iter().enumerate().skip(place + 1) {
                if rows.get(first).is_some_and(|&best| score(row) > score(best)) {
                    first = rank;
                }
            }
            rows.swap(place, first);
        }
        rows.truncate(self.rows.len());
        self.rows = rows;
    }
}

/// Whether each score is below the one before it. A chunk at a time: within one the comparisons are vectorised,
/// and a list in no order is left after the first.
#[inline(always)]
fn falls<S: Score>(scores: &[S]) -> bool {
    let later = scores.get(1..).unwrap_or_default();
    scores.chunks(LANES).zip(later.chunks(LANES)).all(|(here, next)| {
        let rises = here.iter().zip(next).fold(false, |rises, (a, b)| rises | (b >= a));
        !rises
    })
}

/// For each of `own`, how many of `others` are greater.
#[inline(always)]
fn counts_above<S: Score>(own: &[S; LANES], others: &[S]) -> [u32; LANES] {
    let mut counts = [0u32; LANES];
    for other in others {
        for (count, o) in counts.iter_mut().zip(own) {
            *count += u32::from(other > o);
        }
    }
    counts
}

/// The ids of one list, for the tie rules that look at them.
pub struct ListIds<'a> {
    pub query: &'a [u8],
    pub text: &'a [u8],
    pub documents: &'a [u64],
}

impl<'a> ListIds<'a> {
    fn document(&self, row: u32) -> &'a [u8] {
        self.documents.get(row as usize).map_or(&[], |&span| Span(span).of(self.text))
    }
}

/// The lot a document draws: by its id where it has one, else by its row.
fn lot(query: u64, row: u32, ids: Option<&ListIds<'_>>) -> u64 {
    match ids.map(|ids| ids.document(row)) {
        Some(id) if !id.is_empty() => hash(query, id),
        _ => hash(query, &row.to_le_bytes()),
    }
}

/// FNV-1a, finished by splitmix64 so that near ids draw far lots. Part of what `random(seed)` means: do not change it.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut h = bytes.iter().fold(seed ^ 0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ (h >> 31)
}
