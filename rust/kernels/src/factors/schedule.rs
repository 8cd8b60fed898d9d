//! Which interactions are looked at when: an order that hangs on the key alone, so that any number of threads gives the same
//! bits, and that leaves no two threads a row in common.
//!
//! An epoch puts the items into a random order and cuts it into as many blocks as the users are cut into. In turn t the users
//! of block b meet the items of block (b + t) mod B, all B at once: no user and no item is in two of them. Within a block
//! interactions come in random order, each once. A negative for an interaction is drawn from the items of its block; because
//! the cut is drawn anew for each epoch, each item that the user has not seen is as likely as any other.
//! How many blocks there are hangs on the data alone. Gemulla et al. 2011 (`gemulla2011`) cut users and items so for
//! factors without negatives.

use std::ops::Range;

use pulp::{Arch, WithSimd};

use super::pairs::Pairs;
use super::{Part, Side};
use crate::lots::Lots;
use crate::threads;

/// A block has about so many interactions at least: fewer are not worth waking a thread for.
const SMALL: usize = 1000;
/// And so many items, which negatives are drawn from.
const ITEMS: usize = 64;
const MOST: usize = 32;

/// An interaction inside a block: rows of the block's parts, and where it stands among the pairs.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub user: u32,
    pub item: u32,
    pub at: u32,
}

/// What one thread works on.
pub struct Block<'a> {
    pub pairs: &'a mut [Pair],
    pub users: Part<'a>,
    pub items: Part<'a>,
    /// The item at each place of the block.
    pub order: &'a [u32],
    pub stride: usize,
    pub lots: Lots,
}

/// What is learnt of a block.
pub trait Rule: Sync {
    /// What it has to know of an epoch's order and blocks of items beforehand.
    type Known: Sync;
    fn know(&self, order: &[u32], blocks: &[Range<usize>]) -> Self::Known;
    fn learn(&self, block: Block<'_>, number: usize, known: &Self::Known);
}

/// One pass over all interactions.
pub fn epoch<R: Rule>(rule: &R, pairs: &Pairs, users: &mut Side, items: &mut Side, key: u64, threads: Option<usize>) {
    let count = blocks(pairs);
    let order = Lots::of(key, u64::MAX).order(pairs.item_count);
    let plan = Plan::new(pairs, &order, count);
    let (stride, user_ends, item_ends) = (users.stride, plan.user_ends(), plan.item_ends());
    let known = rule.know(&order, &plan.items);
    let mut shuffled = items.taken(&order);
    threads::within(threads, |threads| {
        let mut buckets = threads::each(threads, plan.users.clone(), || (), |(), users| plan.bucket(users));
        for turn in 0..count {
            let mut parts: Vec<Option<Part<'_>>> = shuffled.parts(&item_ends).into_iter().map(Some).collect();
            let mut work = Vec::with_capacity(count);
            for (number, (users, bucket)) in users.parts(&user_ends).into_iter().zip(&mut buckets).enumerate() {
                let at = (number + turn) % count;
                if let Some(items) = parts.get_mut(at).and_then(Option::take) {
                    work.push((number, at, users, items, bucket));
                }
            }
            threads::each(
                threads,
                work,
                || (),
                |(), (number, at, users, items, bucket)| {
                    let order = plan.items.get(at).and_then(|places| order.get(places.clone())).unwrap_or_default();
                    let lots = Lots::of(key, (number * count + at) as u64);
                    let pairs = bucket.of(at);
                    rule.learn(Block { pairs, users, items, order, stride, lots }, at, &known);
                },
            );
        }
    });
    items.put(&order, &shuffled);
}

/// How many blocks users and items are cut into.
pub fn blocks(pairs: &Pairs) -> usize {
    let by_pairs = (pairs.len() / SMALL).isqrt();
    by_pairs.min(pairs.item_count / ITEMS).min(pairs.users()).clamp(1, MOST)
}

struct Plan<'a> {
    pairs: &'a Pairs,
    users: Vec<Range<usize>>,
    items: Vec<Range<usize>>,
    /// The block of each item, and its place within it.
    places: Vec<(u8, u32)>,
}

impl<'a> Plan<'a> {
    fn new(pairs: &'a Pairs, order: &[u32], count: usize) -> Self {
        let ends = (1..=count).map(|part| pairs.offsets.partition_point(|&at| at < pairs.len() * part / count).min(pairs.users()));
        let mut ends: Vec<usize> = ends.collect();
        if let Some(last) = ends.last_mut() {
            *last = pairs.users();
        }
        let items: Vec<_> = (0..count).map(|part| order.len() * part / count..order.len() * (part + 1) / count).collect();
        let mut places = vec![(0, 0); order.len()];
        for (number, block) in (0..).zip(&items) {
            for (place, &item) in (0..).zip(order.get(block.clone()).unwrap_or_default()) {
                if let Some(own) = places.get_mut(item as usize) {
                    *own = (number, place);
                }
            }
        }
        Self { pairs, users: ranges(&ends), items, places }
    }

    fn user_ends(&self) -> Vec<usize> {
        self.users.iter().map(|range| range.end).collect()
    }

    fn item_ends(&self) -> Vec<usize> {
        self.items.iter().map(|range| range.end).collect()
    }

    /// The interactions of some users, those with items of one block next to each other.
    fn bucket(&self, users: Range<usize>) -> Bucket {
        let start = self.pairs.offsets.get(users.start).copied().unwrap_or(0);
        let end = self.pairs.offsets.get(users.end).copied().unwrap_or(start);
        let count = self.items.len();
        let mut starts = vec![0usize; count + 1];
        let items = self.pairs.items.get(start..end).unwrap_or_default();
        let place = |item: u32| self.places.get(item as usize).copied().unwrap_or_default();
        for &item in items {
            if let Some(number) = starts.get_mut(usize::from(place(item).0) + 1) {
                *number += 1;
            }
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut pairs = vec![Pair { user: 0, item: 0, at: 0 }; items.len()];
        let mut at = start as u32;
        for user in users.clone() {
            for &item in self.pairs.of(user) {
                let (block, place) = place(item);
                if let Some(next) = next.get_mut(usize::from(block)) {
                    if let Some(pair) = pairs.get_mut(*next) {
                        *pair = Pair { user: (user - users.start) as u32, item: place, at };
                    }
                    *next += 1;
                }
                at += 1;
            }
        }
        Bucket { pairs, starts }
    }
}

fn ranges(ends: &[usize]) -> Vec<Range<usize>> {
    let starts = std::iter::once(&0).chain(ends);
    starts.zip(ends).map(|(&start, &end)| start..end).collect()
}

struct Bucket {
    pairs: Vec<Pair>,
    starts: Vec<usize>,
}

impl Bucket {
    fn of(&mut self, block: usize) -> &mut [Pair] {
        match (self.starts.get(block), self.starts.get(block + 1)) {
            (Some(&start), Some(&end)) => self.pairs.get_mut(start..end).unwrap_or_default(),
            _ => &mut [],
        }
    }
}

/// Runs a closure-like struct with the machine's widest instructions; a plain closure would not be inlined into them.
pub fn wide<W: WithSimd>(work: W) -> W::Output {
    Arch::new().dispatch(work)
}

/// One of the interactions from `at` on, put at `at`: a random order without a pass of its own.
#[inline(always)]
pub fn draw(pairs: &mut [Pair], at: usize, lots: &mut Lots) -> Pair {
    let other = at + lots.below(pairs.len() - at);
    pairs.swap(at, other);
    pairs[at]
}
