//! The items with the highest scores, for many users at once; and scores themselves, of all items or of named ones.
//!
//! Items lie in panels of as many as a register or two hold, factor after factor, so that one number of a user meets a whole
//! panel. A few users go through a tile of panels while it is near the processor. A score is the sum over the factors in
//! their order, and then the item's bias, so that it has the same bits whichever way it is asked for.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use pulp::{Simd, WithSimd};

use super::schedule::wide;
use crate::error::{Error, Result};
use crate::threads;

/// Items of a panel, users at once, panels of a tile, users of a piece.
const PANEL: usize = 16;
const ROWS: usize = 6;
const TILE: usize = 32;
const PIECE: usize = 96;

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
    let panels = Panels::of(factors);
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
    let panels = Panels::of(factors);
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

/// Items in panels; the last is filled up with zeros.
struct Panels {
    values: Vec<f32>,
    bias: Vec<f32>,
    items: usize,
    factors: usize,
}

impl Panels {
    fn of(factors: &Factors<'_>) -> Self {
        let items = factors.bias.len();
        let count = items.div_ceil(PANEL);
        let mut values = vec![0.0; count * PANEL * factors.factors];
        for item in 0..items {
            let (panel, lane) = (item / PANEL, item % PANEL);
            for (at, &value) in factors.item(item).iter().enumerate() {
                if let Some(own) = values.get_mut((panel * factors.factors + at) * PANEL + lane) {
                    *own = value;
                }
            }
        }
        let mut bias = factors.bias.to_vec();
        bias.resize(count * PANEL, 0.0);
        Self { values, bias, items, factors: factors.factors }
    }

    fn panel(&self, at: usize) -> (&[[f32; PANEL]], &[f32; PANEL]) {
        let values = self.values.get(at * self.factors * PANEL..(at + 1) * self.factors * PANEL).unwrap_or_default();
        let bias = self.bias.as_chunks::<PANEL>().0.get(at).unwrap_or(&[0.0; PANEL]);
        (values.as_chunks::<PANEL>().0, bias)
    }
}

/// What becomes of scores.
trait Sink {
    /// The scores of `row` with the items from `first` on.
    fn take(&mut self, row: usize, first: usize, scores: &[f32]);
}

struct Whole {
    scores: Vec<f32>,
    items: usize,
}

impl Sink for Whole {
    #[inline(always)]
    fn take(&mut self, row: usize, first: usize, scores: &[f32]) {
        if let Some(own) = self.scores.get_mut(row * self.items + first..row * self.items + first + scores.len()) {
            own.copy_from_slice(scores);
        }
    }
}

impl Sink for Vec<Heap<'_>> {
    #[inline(always)]
    fn take(&mut self, row: usize, first: usize, scores: &[f32]) {
        let Some(heap) = self.get_mut(row) else { return };
        let best = scores.iter().fold(f32::NEG_INFINITY, |best, &score| if score > best { score } else { best });
        if best > heap.least || !heap.is_full() {
            (first as u32..).zip(scores).for_each(|(item, &score)| heap.offer(item, score));
        }
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
    fn with_simd<S: Simd>(self, _: S) {
        // Where there is no instruction for it, a fused step would be a call.
        if S::F32_LANES >= 8 { self.run::<true>() } else { self.run::<false>() }
    }
}

impl<Into: Sink> Scoring<'_, '_, Into> {
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self { factors, panels, users, sink } = self;
        let count = panels.items.div_ceil(PANEL);
        for tile in (0..count).step_by(TILE) {
            for first in (users.start..users.end).step_by(ROWS) {
                let rows: [&[f32]; ROWS] = std::array::from_fn(|at| factors.user((first + at).min(users.end - 1)));
                for panel in tile..(tile + TILE).min(count) {
                    let (values, bias) = panels.panel(panel);
                    let scores = products::<FUSED>(&rows, values, bias);
                    let item = panel * PANEL;
                    let there = PANEL.min(panels.items - item);
                    for (at, scores) in scores.iter().enumerate().take(users.end - first) {
                        sink.take(first + at - users.start, item, &scores[..there]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn products<const FUSED: bool>(rows: &[&[f32]; ROWS], panel: &[[f32; PANEL]], bias: &[f32; PANEL]) -> [[f32; PANEL]; ROWS] {
    let mut sums = [[0.0f32; PANEL]; ROWS];
    let count = panel.len();
    let rows: [&[f32]; ROWS] = std::array::from_fn(|at| rows[at].get(..count).unwrap_or_default());
    if rows.iter().any(|row| row.len() != count) {
        return sums;
    }
    for (at, items) in panel.iter().enumerate() {
        for row in 0..ROWS {
            let user = rows[row][at];
            for lane in 0..PANEL {
                sums[row][lane] = step::<FUSED>(user, items[lane], sums[row][lane]);
            }
        }
    }
    for sums in &mut sums {
        sums.iter_mut().zip(bias).for_each(|(sum, b)| *sum += b);
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
        if S::F32_LANES >= 8 { self.run::<true>() } else { self.run::<false>() }
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
