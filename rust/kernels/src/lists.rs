//! Which rows belong to one list: rows with the same query id, wherever they stand.
//!
//! A *run* is rows with one query id next to each other.

use std::hash::{BuildHasher, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

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
    known: HashTable<usize>,
    keys: Vec<Key>,
    /// First row and list of each run.
    runs: Vec<(usize, usize)>,
}

impl<Key> Default for Grouping<Key> {
    fn default() -> Self {
        Self { hasher: DefaultHashBuilder::default(), known: HashTable::new(), keys: Vec::new(), runs: Vec::new() }
    }
}

impl<Key> Grouping<Key> {
    /// A run starts at `row`. `same` says whether a known key is this one, `new` makes a key that is not known yet;
    /// `hashed` is what equal keys have in common, and what `of` finds in a key.
    pub(crate) fn start<H: Hash + ?Sized, E>(
        &mut self,
        row: usize,
        hashed: &H,
        same: impl Fn(&Key) -> bool,
        of: impl Fn(&DefaultHashBuilder, &Key) -> u64,
        new: impl FnOnce() -> Result<Key, E>,
    ) -> Result<(), E> {
        let hash = self.hasher.hash_one(hashed);
        let keys = &self.keys;
        let found = self.known.find(hash, |&list| keys.get(list).is_some_and(&same)).copied();
        let list = match found {
            Some(list) => list,
            None => {
                let key = new()?;
                let list = self.keys.len();
                self.keys.push(key);
                let (keys, hasher) = (&self.keys, &self.hasher);
                self.known.insert_unique(hash, list, |&list| keys.get(list).map_or(0, |key| of(hasher, key)));
                list
            }
        };
        self.runs.push((row, list));
        Ok(())
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
        for run in runs {
            let id = run.query.of(text);
            let same = |known: &Span| known.of(text) == id;
            let new = || Ok::<_, std::convert::Infallible>(run.query);
            let Ok(()) = grouping.start(run.row, id, same, |hasher, known| hasher.hash_one(known.of(text)), new);
        }
        grouping.lists(rows, |query| query)
    }
}
