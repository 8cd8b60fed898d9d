//! The items with the highest scores, for many users at once; and scores themselves, of all items or of named ones.
//!
//! Items lie in panels of as many as two registers hold, factor after factor, so that one number of a user meets a whole
//! panel. A few users go through a tile of panels while it is near the processor. A score is the sum over the factors in
//! their order, and then the item's bias, so that it has the same bits whichever way it is asked for.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use pulp::{Simd, WithSimd};

use super::schedule::wide;
use crate::error::{Error, Result};
use crate::threads;

/// Registers of a panel, users at once, items of a tile, users of a piece.
const WIDE: usize = 2;
const ROWS: usize = 6;
const TILE: usize = 512;
const PIECE: usize = 96;
/// As many items as a panel of the widest registers has.
const MOST: usize = 64;

/// Users and items, of `factors` numbers each; the score is their product plus the item's bias.
#[derive(Debug, Clone, Copy)]
pub struct Factors<'a> {
    pub users: &'a [f32],
    pub items: &'a [f32],
    pub bias: &'a [f32],
    pub factors: usize,
}

impl Factors<'_> {
    fn check(&self, users: usize) -> Result<()> {
        if self.users.len() != users * self.factors || self.items.len() != self.bias.len() * self.factors {
            return Err(Error::new("factors", "rows of users and items are not of one length"));
        }
        Ok(())
    }

    fn user(&self, at: usize) -> &[f32] {
        self.users.get(at * self.factors..(at + 1) * self.factors).unwrap_or_default()
    }

    fn item(&self, at: usize) -> &[f32] {
        self.items.get(at * self.factors..(at + 1) * self.factors).unwrap_or_default()
    }
}

/// Items that a user is not to get: `items[offsets[u]..offsets[u + 1]]`, ascending.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub offsets: &'a [i64],
    pub items: &'a [u32],
}

impl Seen<'_> {
    fn of(&self, user: usize) -> &[u32] {
        match (self.offsets.get(user), self.offsets.get(user + 1)) {
            (Some(&start), Some(&end)) if start >= 0 && end >= start => self.items.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// The best items of each user and their scores, `k` a user; where there are fewer, −1 and NaN.
#[derive(Debug, Default)]
pub struct Best {
    pub items: Vec<i32>,
    pub scores: Vec<f32>,
}

/// The `k` best of all items for each user, those of a user's `seen` left out. Of equal scores the item of the lower number.
pub fn top(factors: &Factors<'_>, users: usize, seen: Seen<'_>, k: usize, threads: Option<usize>) -> Result<Best> {
    factors.check(users)?;
    let panels = wide(Packing(factors));
    let pieces: Vec<_> = (0..users).step_by(PIECE).map(|first| first..(first + PIECE).min(users)).collect();
    let parts = threads::each(
        threads,
        pieces,
        || (),
        |(), users| {
            let mut heaps: Vec<Heap<'_>> = users.clone().map(|user| Heap::new(k, seen.of(user))).collect();
            wide(Scoring { factors, panels: &panels, users, sink: &mut heaps });
            heaps
        },
    );
    Ok(joined(parts, k))
}

/// The `k` best of given scores: one row a user, one column an item.
pub fn top_of(scores: &[f32], columns: usize, seen: Seen<'_>, k: usize, threads: Option<usize>) -> Best {
    if columns == 0 {
        return Best::default();
    }
    let rows: Vec<(usize, &[f32])> = scores.chunks_exact(columns).enumerate().collect();
    let parts = threads::each(
        threads,
        rows,
        || (),
        |(), (user, row)| {
            let mut heap = Heap::new(k, seen.of(user));
            (0..).zip(row).for_each(|(item, &score)| heap.offer(item, score));
            vec![heap]
        },
    );
    joined(parts, k)
}

/// All scores: one row a user.
pub fn all(factors: &Factors<'_>, users: usize, threads: Option<usize>) -> Result<Vec<f32>> {
    factors.check(users)?;
    let panels = wide(Packing(factors));
    let pieces: Vec<_> = (0..users).step_by(PIECE).map(|first| first..(first + PIECE).min(users)).collect();
    let parts = threads::each(
        threads,
        pieces,
        || (),
        |(), users| {
            let mut rows = Whole { scores: vec![0.0; users.len() * panels.items], items: panels.items };
            wide(Scoring { factors, panels: &panels, users, sink: &mut rows });
            rows.scores
        },
    );
    Ok(parts.concat())
}

/// The scores of named pairs of a user and an item.
pub fn some(factors: &Factors<'_>, users: usize, of: &[u32], with: &[u32], threads: Option<usize>) -> Result<Vec<f32>> {
    factors.check(users)?;
    if of.len() != with.len() || of.iter().any(|&u| u as usize >= users) || with.iter().any(|&i| i as usize >= factors.bias.len()) {
        return Err(Error::new("pairs", "there is no such user or item"));
    }
    let pieces: Vec<_> = of.chunks(4096).zip(with.chunks(4096)).collect();
    Ok(threads::each(threads, pieces, || (), |(), (of, with)| wide(Named { factors, of, with })).concat())
}

fn joined(parts: Vec<Vec<Heap<'_>>>, k: usize) -> Best {
    let mut best = Best::default();
    for heap in parts.into_iter().flatten() {
        let found = heap.heap.into_sorted_vec();
        for at in 0..k {
            best.items.push(found.get(at).map_or(-1, |one| one.item as i32));
            best.scores.push(found.get(at).map_or(f32::NAN, |one| one.score));
        }
    }
    best
}

/// Items in panels; the last is filled up with items of the score −∞.
struct Panels {
    values: Vec<f32>,
    bias: Vec<f32>,
    items: usize,
    factors: usize,
    width: usize,
}

struct Packing<'a, 'b>(&'a Factors<'b>);

impl WithSimd for Packing<'_, '_> {
    type Output = Panels;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Panels {
        let (factors, width) = (self.0.factors, WIDE * S::F32_LANES);
        let items = self.0.bias.len();
        let count = items.div_ceil(width);
        let mut values = vec![0.0; count * width * factors];
        for item in 0..items {
            let (panel, lane) = (item / width, item % width);
            for (at, &value) in self.0.item(item).iter().enumerate() {
                if let Some(own) = values.get_mut((panel * factors + at) * width + lane) {
                    *own = value;
                }
            }
        }
        let mut bias = self.0.bias.to_vec();
        bias.resize(count * width, f32::NEG_INFINITY);
        Panels { values, bias, items, factors, width }
    }
}

impl Panels {
    fn panel(&self, at: usize) -> (&[f32], &[f32]) {
        let size = self.factors * self.width;
        let bias = self.bias.get(at * self.width..(at + 1) * self.width).unwrap_or_default();
        (self.values.get(at * size..(at + 1) * size).unwrap_or_default(), bias)
    }
}

/// What becomes of scores.
trait Sink {
    /// Whether anything of a panel's scores matters to that row.
    fn wants<S: Simd>(&self, simd: S, row: usize, scores: [S::f32s; WIDE]) -> bool;
    /// The scores of `row` with the items from `first` on.
    fn take(&mut self, row: usize, first: usize, scores: &[f32]);
}

struct Whole {
    scores: Vec<f32>,
    items: usize,
}

impl Sink for Whole {
    #[inline(always)]
    fn wants<S: Simd>(&self, _: S, _: usize, _: [S::f32s; WIDE]) -> bool {
        true
    }

    #[inline(always)]
    fn take(&mut self, row: usize, first: usize, scores: &[f32]) {
        if let Some(own) = self.scores.get_mut(row * self.items + first..row * self.items + first + scores.len()) {
            own.copy_from_slice(scores);
        }
    }
}

impl Sink for Vec<Heap<'_>> {
    #[inline(always)]
    fn wants<S: Simd>(&self, simd: S, row: usize, scores: [S::f32s; WIDE]) -> bool {
        let least = simd.splat_f32s(self.get(row).map_or(f32::INFINITY, |heap| heap.least));
        let above = |scores| simd.first_true_m32s(simd.greater_than_f32s(scores, least)) < S::F32_LANES;
        above(scores[0]) || above(scores[1])
    }

    fn take(&mut self, row: usize, first: usize, scores: &[f32]) {
        let Some(heap) = self.get_mut(row) else { return };
        (first as u32..).zip(scores).for_each(|(item, &score)| heap.offer(item, score));
    }
}

struct Scoring<'a, 'b, Into> {
    factors: &'a Factors<'b>,
    panels: &'a Panels,
    users: std::ops::Range<usize>,
    sink: &'a mut Into,
}

impl<Into: Sink> WithSimd for Scoring<'_, '_, Into> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { factors, panels, users, sink } = self;
        let (width, count) = (panels.width, panels.items.div_ceil(panels.width));
        let tile = TILE / width;
        let groups: Vec<Vec<[f32; ROWS]>> = users.clone().step_by(ROWS).map(|first| group(factors, first, users.end)).collect();
        for start in (0..count).step_by(tile) {
            for (first, rows) in (0..).step_by(ROWS).zip(&groups) {
                for panel in start..(start + tile).min(count) {
                    let (values, bias) = panels.panel(panel);
                    let item = panel * width;
                    let there = width.min(panels.items - item);
                    let scores = products(simd, rows, values, bias);
                    for (at, scores) in scores.into_iter().enumerate().take(users.len() - first) {
                        if sink.wants(simd, first + at, scores) {
                            let mut plain = [0.0; MOST];
                            let (registers, _) = S::as_mut_simd_f32s(&mut plain);
                            registers.iter_mut().zip(scores).for_each(|(own, score)| *own = score);
                            sink.take(first + at, item, plain.get(..there).unwrap_or_default());
                        }
                    }
                }
            }
        }
    }
}

/// The numbers of a few users, factor after factor; the last user stands in where there are fewer.
fn group(factors: &Factors<'_>, first: usize, end: usize) -> Vec<[f32; ROWS]> {
    let rows: [&[f32]; ROWS] = std::array::from_fn(|at| factors.user((first + at).min(end - 1)));
    (0..factors.factors).map(|at| std::array::from_fn(|row| rows[row].get(at).copied().unwrap_or(0.0))).collect()
}

#[inline(always)]
fn products<S: Simd>(simd: S, rows: &[[f32; ROWS]], panel: &[f32], bias: &[f32]) -> [[S::f32s; WIDE]; ROWS] {
    let (panel, _) = S::as_simd_f32s(panel);
    let (panel, _) = panel.as_chunks::<WIDE>();
    let mut sums = [[simd.splat_f32s(0.0); WIDE]; ROWS];
    for (users, items) in rows.iter().zip(panel) {
        for row in 0..ROWS {
            let user = simd.splat_f32s(users[row]);
            for part in 0..WIDE {
                sums[row][part] = simd.mul_add_e_f32s(user, items[part], sums[row][part]);
            }
        }
    }
    if let Some(bias) = S::as_simd_f32s(bias).0.as_chunks::<WIDE>().0.first() {
        for sums in &mut sums {
            for part in 0..WIDE {
                sums[part] = simd.add_f32s(sums[part], bias[part]);
            }
        }
    }
    sums
}

#[inline(always)]
fn step<const FUSED: bool>(a: f32, b: f32, sum: f32) -> f32 {
    if FUSED { a.mul_add(b, sum) } else { a * b + sum }
}

struct Named<'a, 'b> {
    factors: &'a Factors<'b>,
    of: &'a [u32],
    with: &'a [u32],
}

impl WithSimd for Named<'_, '_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f32> {
        // Where there is no instruction for it, a fused step would be a call; registers are then not fused either.
        if S::IS_SCALAR { self.run::<false>() } else { self.run::<true>() }
    }
}

impl Named<'_, '_> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Vec<f32> {
        let score = |(&user, &item): (&u32, &u32)| {
            let (user, row) = (self.factors.user(user as usize), self.factors.item(item as usize));
            let sum = user.iter().zip(row).fold(0.0, |sum, (&a, &b)| step::<FUSED>(a, b, sum));
            sum + self.factors.bias.get(item as usize).copied().unwrap_or(0.0)
        };
        self.of.iter().zip(self.with).map(score).collect()
    }
}

/// The best so far of one user; the least of them on top.
struct Heap<'a> {
    heap: BinaryHeap<Scored>,
    k: usize,
    /// The lowest score that is in, once there are k.
    least: f32,
    seen: &'a [u32],
}

impl<'a> Heap<'a> {
    fn new(k: usize, seen: &'a [u32]) -> Self {
        Self { heap: BinaryHeap::new(), k, least: f32::NEG_INFINITY, seen }
    }

    fn is_full(&self) -> bool {
        self.heap.len() >= self.k
    }

    /// Items come in ascending order, so that of equal scores the one that is in stays.
    #[inline(always)]
    fn offer(&mut self, item: u32, score: f32) {
        if score > self.least || (!self.is_full() && !score.is_nan()) {
            self.insert(item, score);
        }
    }

    #[inline(never)]
    fn insert(&mut self, item: u32, score: f32) {
        if self.k == 0 || self.seen.binary_search(&item).is_ok() {
            return;
        }
        if self.is_full() {
            self.heap.pop();
        }
        self.heap.push(Scored { score, item });
        if self.is_full() {
            self.least = self.heap.peek().map_or(f32::NEG_INFINITY, |one| one.score);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Scored {
    score: f32,
    item: u32,
}

impl Eq for Scored {}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scored {
    /// The greatest is the worst.
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.item.cmp(&other.item))
    }
}
