//! Which rows belong to one list: rows with the same query id, wherever they stand.
//!
//! A *run* is rows with one query id next to each other.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;

use crate::ids::Span;

/// The lists of a file, in the order in which their queries first appear.
#[derive(Debug, PartialEq, Eq)]
pub struct Lists {
    pub offsets: Vec<i64>,
    /// The query id of each list, as a span.
    pub queries: Vec<u64>,
    /// Which row of the file stands at each place once rows are grouped; `None` if they are grouped already.
    pub rows: Option<Vec<i64>>,
}

/// Lists that grow while rows come in, run after run. `Key` is what tells the queries apart.
#[derive(Debug)]
pub(crate) struct Grouping<Key> {
    hasher: DefaultHashBuilder,
    /// Open addressing by hash, a power of two of places of which at most three quarters are taken.
    slots: Vec<Slot>,
    keys: Vec<Key>,
    /// First row and list of each run.
    runs: Vec<(usize, usize)>,
}

/// Small, because each look-up of a row waits for one of them; no memory holds more lists than 32 bits count.
#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u32,
    list: u32,
}

const FREE: Slot = Slot { hash: 0, list: u32::MAX };

/// Runs that are looked up together, so that the waits for memory overlap.
const TOGETHER: usize = 64;

impl<Key> Default for Grouping<Key> {
    fn default() -> Self {
        Self { hasher: DefaultHashBuilder::default(), slots: vec![FREE; TOGETHER], keys: Vec::new(), runs: Vec::new() }
    }
}

impl<Key> Grouping<Key> {
    /// Runs start at these rows, each with its query. `same` says whether a known key is that of a query, `new` makes
    /// a key that is not known yet; equal queries have one `hash`. `context` is what keys are made of.
    pub(crate) fn start<Query: Copy, Context: ?Sized, E>(
        &mut self,
        context: &mut Context,
        starts: &[(usize, Query)],
        hash: impl Fn(&DefaultHashBuilder, &Context, Query) -> u64,
        same: impl Fn(&Context, &Key, Query) -> bool,
        new: impl Fn(&mut Context, usize, Query) -> Result<Key, E>,
    ) -> Result<(), E> {
        for starts in starts.chunks(TOGETHER) {
            let mut likely = [FREE; TOGETHER];
            for (slot, &(_, query)) in likely.iter_mut().zip(starts) {
                // The upper half, which mixes best.
                slot.hash = (hash(&self.hasher, context, query) >> 32) as u32;
            }
            for slot in &mut likely {
                slot.list = self.slot(slot.hash as usize).filter(|found| found.hash == slot.hash).map_or(FREE.list, |found| found.list);
            }
            for (&(row, query), slot) in starts.iter().zip(likely) {
                let is_it = |list: u32| self.keys.get(list as usize).is_some_and(|key| same(context, key, query));
                let list = match slot.list {
                    list if is_it(list) => list,
                    _ => match self.find(slot.hash, is_it) {
                        Ok(list) => list,
                        Err(place) => self.add(slot.hash, place, new(context, row, query)?),
                    },
                };
                self.runs.push((row, list as usize));
            }
        }
        Ok(())
    }

    fn slot(&self, place: usize) -> Option<Slot> {
        self.slots.get(place & (self.slots.len() - 1)).copied()
    }

    /// The list of a key, or the free place where it belongs.
    fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut place = hash as usize;
        while let Some(slot) = self.slot(place).filter(|slot| slot.list != FREE.list) {
            if slot.hash == hash && is_it(slot.list) {
                return Ok(slot.list);
            }
            place = place.wrapping_add(1);
        }
        Err(place)
    }

    fn add(&mut self, hash: u32, place: usize, key: Key) -> u32 {
        let list = self.keys.len() as u32;
        self.keys.push(key);
        self.put(place, Slot { hash, list });
        if 4 * self.keys.len() > 3 * self.slots.len() {
            let taken = std::mem::replace(&mut self.slots, vec![FREE; 0]);
            self.slots = vec![FREE; 2 * taken.len()];
            for slot in taken.into_iter().filter(|slot| slot.list != FREE.list) {
                if let Err(place) = self.find(slot.hash, |_| false) {
                    self.put(place, slot);
                }
            }
        }
        list
    }

    fn put(&mut self, place: usize, slot: Slot) {
        let last = self.slots.len() - 1;
        if let Some(free) = self.slots.get_mut(place & last) {
            *free = slot;
        }
    }

    /// The key of the run that goes on.
    pub(crate) fn last(&self) -> Option<&Key> {
        self.keys.get(self.runs.last()?.1)
    }

    /// The lists, once all `rows` have come in.
    pub(crate) fn lists(self, rows: usize, span: impl FnMut(Key) -> Span) -> Lists {
        let ends = self.runs.iter().skip(1).map(|run| run.0).chain([rows]);
        let runs = || self.runs.iter().zip(ends.clone()).map(|(&(start, list), end)| (list, start..end));
        let mut offsets = vec![0; self.keys.len() + 1];
        for (list, run) in runs() {
            if let Some(size) = offsets.get_mut(list + 1) {
                *size += run.len() as i64;
            }
        }
        let mut total = 0;
        for size in &mut offsets {
            total += *size;
            *size = total;
        }
        let scattered = self.keys.len() < self.runs.len();
        let order = scattered.then(|| {
            let mut next = offsets.clone();
            let mut order = vec![0; rows];
            for (list, run) in runs() {
                let Some(place) = next.get_mut(list) else { continue };
                let start = *place as usize;
                *place += run.len() as i64;
                let places = order.get_mut(start..start + run.len()).unwrap_or_default();
                places.iter_mut().zip(run).for_each(|(place, row)| *place = row as i64);
            }
            order
        });
        Lists { offsets, queries: self.keys.into_iter().map(span).map(|span| span.0).collect(), rows: order }
    }
}

/// Rows from `row` on that have the same query id, up to the next run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub row: usize,
    pub query: Span,
}

/// The runs of all pieces in turn; a run that a border cuts in two is made whole.
pub(crate) fn join(text: &[u8], pieces: impl Iterator<Item = Vec<Run>>) -> Vec<Run> {
    let mut all: Vec<Run> = Vec::new();
    for runs in pieces {
        let goes_on = match (all.last(), runs.first()) {
            (Some(last), Some(first)) => last.query.of(text) == first.query.of(text),
            _ => false,
        };
        all.extend(runs.into_iter().skip(usize::from(goes_on)));
    }
    all
}

impl Lists {
    pub(crate) fn of(text: &[u8], runs: &[Run], rows: usize) -> Self {
        let mut grouping = Grouping::<Span>::default();
        let mut text = text;
        let starts: Vec<(usize, Span)> = runs.iter().map(|run| (run.row, run.query)).collect();
        let Ok(()) = grouping.start(
            &mut text,
            &starts,
            |hasher, text, query| hasher.hash_one(query.of(text)),
            |text, known, query| known.of(text) == query.of(text),
            |_, _, query| Ok::<_, std::convert::Infallible>(query),
        );
        grouping.lists(rows, |query| query)
    }
}
