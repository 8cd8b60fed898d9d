//! The same steps without an order of threads: each thread takes the next of the shuffled interactions, and what two of them
//! write at once is left to chance (Niu et al. 2011, `niu2011`). Rows are read and written number by number, so that no
//! number is torn, but a row may be half of one step and half of another.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use pulp::{Simd, WithSimd};

use super::bpr::Bpr;
use super::pairs::Pairs;
use super::schedule::wide;
use super::svd::Svd;
use super::warp::Warp;
use super::{Side, dot};
use crate::lots::Lots;
use crate::threads;

/// So many interactions are taken at once.
const PIECE: usize = 4096;

/// Rows that all threads may change; two numbers at a time.
struct Shared {
    rows: Vec<AtomicU64>,
    bias: Vec<AtomicU32>,
    words: usize,
}

impl Shared {
    fn of(side: &Side) -> Self {
        let both = |pair: &[f32; 2]| AtomicU64::new(u64::from(pair[0].to_bits()) | u64::from(pair[1].to_bits()) << 32);
        Self {
            rows: side.rows.as_chunks::<2>().0.iter().map(both).collect(),
            bias: side.bias.iter().map(|b| AtomicU32::new(b.to_bits())).collect(),
            words: side.stride / 2,
        }
    }

    fn into(self, side: &mut Side) {
        for (own, word) in side.rows.as_chunks_mut::<2>().0.iter_mut().zip(self.rows) {
            *own = apart(word.into_inner());
        }
        side.bias.iter_mut().zip(self.bias).for_each(|(own, b)| *own = f32::from_bits(b.into_inner()));
    }

    #[inline(always)]
    fn load(&self, at: usize, row: &mut [f32]) {
        let words = self.rows.get(at * self.words..(at + 1) * self.words).unwrap_or_default();
        row.as_chunks_mut::<2>().0.iter_mut().zip(words).for_each(|(own, word)| *own = apart(word.load(Relaxed)));
    }

    #[inline(always)]
    fn store(&self, at: usize, row: &[f32]) {
        let words = self.rows.get(at * self.words..(at + 1) * self.words).unwrap_or_default();
        for (pair, word) in row.as_chunks::<2>().0.iter().zip(words) {
            word.store(u64::from(pair[0].to_bits()) | u64::from(pair[1].to_bits()) << 32, Relaxed);
        }
    }

    #[inline(always)]
    fn bias(&self, at: usize) -> f32 {
        self.bias.get(at).map_or(0.0, |b| f32::from_bits(b.load(Relaxed)))
    }

    #[inline(always)]
    fn set_bias(&self, at: usize, value: f32) {
        if let Some(b) = self.bias.get(at) {
            b.store(value.to_bits(), Relaxed);
        }
    }
}

#[inline(always)]
fn apart(word: u64) -> [f32; 2] {
    [f32::from_bits(word as u32), f32::from_bits((word >> 32) as u32)]
}

/// A learner's step at one interaction.
pub trait Racer: Sync {
    type Known: Sync;
    fn know(&self, items: usize) -> Self::Known;
    /// `rows` are three rows to work in.
    fn step(&self, seen: Seen<'_>, known: &Self::Known, rows: &mut [Vec<f32>; 3], lots: &mut Lots);
}

pub struct Seen<'a> {
    users: &'a Shared,
    items: &'a Shared,
    user: usize,
    item: usize,
    at: usize,
    everything: &'a [u32],
}

/// One pass over all interactions.
pub fn epoch<R: Racer>(rule: &R, pairs: &Pairs, users: &mut Side, items: &mut Side, key: u64, threads: Option<usize>) {
    let order = Lots::of(key, u64::MAX).order(pairs.len());
    let everything: Vec<u32> = (0..pairs.item_count as u32).collect();
    let known = rule.know(pairs.item_count);
    let stride = users.stride;
    let (shared, shared_items) = (Shared::of(users), Shared::of(items));
    let of_pair = users_of(pairs);
    let pieces: Vec<(u64, &[u32])> = (0..).zip(order.chunks(PIECE)).collect();
    let rows = || [vec![0.0; stride], vec![0.0; stride], vec![0.0; stride]];
    threads::each(threads, pieces, rows, |rows, (number, piece)| {
        let lots = Lots::of(key, number);
        wide(Run {
            rule,
            pairs,
            users: &shared,
            items: &shared_items,
            of_pair: &of_pair,
            everything: &everything,
            known: &known,
            piece,
            rows,
            lots,
        });
    });
    shared.into(users);
    shared_items.into(items);
}

fn users_of(pairs: &Pairs) -> Vec<u32> {
    let mut found = Vec::with_capacity(pairs.len());
    for user in 0..pairs.users() {
        found.resize(found.len() + pairs.of(user).len(), user as u32);
    }
    found
}

struct Run<'a, R: Racer> {
    rule: &'a R,
    pairs: &'a Pairs,
    users: &'a Shared,
    items: &'a Shared,
    of_pair: &'a [u32],
    everything: &'a [u32],
    known: &'a R::Known,
    piece: &'a [u32],
    rows: &'a mut [Vec<f32>; 3],
    lots: Lots,
}

impl<R: Racer> WithSimd for Run<'_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        for &at in self.piece {
            let at = at as usize;
            let (Some(&user), Some(&item)) = (self.of_pair.get(at), self.pairs.items.get(at)) else { continue };
            let (users, items, everything) = (self.users, self.items, self.everything);
            let seen = Seen { users, items, user: user as usize, item: item as usize, at, everything };
            self.rule.step(seen, self.known, self.rows, &mut self.lots);
        }
    }
}

impl Racer for Bpr<'_> {
    type Known = super::negatives::Known;

    fn know(&self, items: usize) -> Self::Known {
        let order: Vec<u32> = (0..items as u32).collect();
        self.negatives.know(&order, std::slice::from_ref(&(0..items)))
    }

    #[inline(always)]
    fn step(&self, seen: Seen<'_>, known: &Self::Known, [a, b, c]: &mut [Vec<f32>; 3], lots: &mut Lots) {
        let Some(other) = self.negatives.draw(known, 0, seen.everything, seen.user, lots) else { return };
        seen.users.load(seen.user, a);
        seen.items.load(seen.item, b);
        seen.items.load(other, c);
        let (mut bias, mut other_bias) = (seen.items.bias(seen.item), seen.items.bias(other));
        let weight = self.weights.get(seen.at).copied().unwrap_or(1.0);
        Bpr::step(self, a, [b, c], [&mut bias, &mut other_bias], weight);
        seen.put(a, b, c, other, bias, other_bias);
    }
}

impl Racer for Warp<'_> {
    type Known = super::negatives::Known;

    fn know(&self, items: usize) -> Self::Known {
        let order: Vec<u32> = (0..items as u32).collect();
        self.negatives.know(&order, std::slice::from_ref(&(0..items)))
    }

    #[inline(always)]
    fn step(&self, seen: Seen<'_>, known: &Self::Known, [a, b, c]: &mut [Vec<f32>; 3], lots: &mut Lots) {
        seen.users.load(seen.user, a);
        seen.items.load(seen.item, b);
        let mut bias = seen.items.bias(seen.item);
        let own = dot(a, b) + bias;
        for trial in 1..=self.trials {
            let Some(other) = self.negatives.draw(known, 0, seen.everything, seen.user, lots) else { return };
            seen.items.load(other, c);
            let mut other_bias = seen.items.bias(other);
            if 1.0 - own + dot(a, c) + other_bias > 0.0 {
                let weight = self.weights.get(seen.at).copied().unwrap_or(1.0);
                self.stride.step(a, [b, c], [&mut bias, &mut other_bias], weight * self.cost(seen.user, trial));
                return seen.put(a, b, c, other, bias, other_bias);
            }
        }
    }
}

impl Racer for Svd<'_> {
    type Known = ();

    fn know(&self, _: usize) {}

    #[inline(always)]
    fn step(&self, seen: Seen<'_>, (): &(), [a, b, _]: &mut [Vec<f32>; 3], _: &mut Lots) {
        seen.users.load(seen.user, a);
        seen.items.load(seen.item, b);
        let (mut bias, mut item_bias) = (seen.users.bias(seen.user), seen.items.bias(seen.item));
        self.options.step(a, b, &mut bias, &mut item_bias, self.seen(seen.at, seen.user, seen.item));
        seen.users.store(seen.user, a);
        seen.items.store(seen.item, b);
        seen.users.set_bias(seen.user, bias);
        seen.items.set_bias(seen.item, item_bias);
    }
}

impl Seen<'_> {
    #[inline(always)]
    fn put(&self, a: &[f32], b: &[f32], c: &[f32], other: usize, bias: f32, other_bias: f32) {
        self.users.store(self.user, a);
        self.items.store(self.item, b);
        self.items.store(other, c);
        self.items.set_bias(self.item, bias);
        self.items.set_bias(other, other_bias);
    }
}
