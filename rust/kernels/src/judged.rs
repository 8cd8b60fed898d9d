//! A run joined with its judgments: what was retrieved with its label, and what was judged but not retrieved.

use std::collections::HashMap;
use std::ops::Range;

use crate::threads;
use crate::trec::{Columns, offsets};

/// Which list of the run answers which list of the qrels.
#[derive(Debug)]
pub struct Join<'a> {
    qrels: Columns<'a>,
    run: Columns<'a>,
    answers: Vec<Option<usize>>,
    unknown_queries: Vec<u64>,
    offsets: Vec<i64>,
}

/// The lists of the qrels, in their order, as a run answered them.
#[derive(Debug, Default)]
pub struct Judged {
    pub offsets: Vec<i64>,
    /// Scores and documents of the rows; `None` if they are the run's own columns as they stand.
    pub rows: Option<(Vec<f64>, Vec<u64>)>,
    pub unretrieved_offsets: Vec<i64>,
    pub unretrieved_labels: Vec<f64>,
    pub unretrieved_documents: Vec<u64>,
    /// Whether the run lacks the query of a list.
    pub missing: Vec<bool>,
    /// Queries of the run that were never judged.
    pub unknown_queries: Vec<u64>,
}

impl<'a> Join<'a> {
    pub fn of(qrels: Columns<'a>, run: Columns<'a>) -> Self {
        let (answers, unknown_queries) = answers(qrels, run);
        let sizes = answers.iter().map(|answer| answer.map_or(0, |list| run.rows(list).len() as i64));
        let offsets = offsets(sizes.collect());
        Self { qrels, run, answers, unknown_queries, offsets }
    }

    /// How many documents were retrieved for the queries of the qrels.
    pub fn rows(&self) -> usize {
        self.offsets.last().map_or(0, |&rows| rows as usize)
    }

    /// Fills in the label of each row, NaN where a document was not judged.
    pub fn label(self, labels: &mut [f64], threads: Option<usize>) -> Judged {
        let Self { qrels, run, answers, unknown_queries, offsets } = self;
        let mut retrieved = vec![false; qrels.documents.len()];
        let parts = parts(qrels, &offsets, &answers, labels, &mut retrieved);
        threads::each(threads, parts, Judgments::default, |judgments, part| part.label(qrels, run, judgments));
        let is_the_run_itself = answers.iter().flatten().copied().eq(0..run.lists());
        let rows = || (gather(run, &answers, run.values), gather(run, &answers, run.documents));
        Judged {
            rows: (!is_the_run_itself).then(rows),
            unretrieved_offsets: unretrieved_offsets(qrels, &retrieved),
            unretrieved_labels: without(qrels.values, &retrieved),
            unretrieved_documents: without(qrels.documents, &retrieved),
            missing: answers.iter().map(Option::is_none).collect(),
            unknown_queries,
            offsets,
        }
    }
}

/// For each list of the qrels, the list of the run that answers it; and the queries of the run left over.
fn answers(qrels: Columns<'_>, run: Columns<'_>) -> (Vec<Option<usize>>, Vec<u64>) {
    if qrels.lists() == run.lists() && (0..run.lists()).all(|list| qrels.query(list) == run.query(list)) {
        return ((0..run.lists()).map(Some).collect(), Vec::new());
    }
    let lists: HashMap<&[u8], usize> = (0..run.lists()).map(|list| (run.query(list), list)).collect();
    let answers: Vec<Option<usize>> = (0..qrels.lists()).map(|list| lists.get(qrels.query(list)).copied()).collect();
    let mut known = vec![false; run.lists()];
    for &list in answers.iter().flatten() {
        if let Some(known) = known.get_mut(list) {
            *known = true;
        }
    }
    (answers, without(run.queries, &known))
}

fn gather<T: Copy>(run: Columns<'_>, answers: &[Option<usize>], column: &[T]) -> Vec<T> {
    let rows = |&list: &usize| column.get(run.rows(list)).unwrap_or_default();
    answers.iter().flatten().flat_map(rows).copied().collect()
}

fn without<T: Copy>(column: &[T], left_out: &[bool]) -> Vec<T> {
    column.iter().zip(left_out).filter(|&(_, out)| !out).map(|(value, _)| *value).collect()
}

fn unretrieved_offsets(qrels: Columns<'_>, retrieved: &[bool]) -> Vec<i64> {
    let count = |list| retrieved.get(qrels.rows(list)).unwrap_or_default().iter().filter(|&&out| !out).count() as i64;
    offsets((0..qrels.lists()).map(count).collect())
}

/// A run of lists for one thread, with its part of what is to be filled.
struct Part<'a> {
    lists: Range<usize>,
    answers: &'a [Option<usize>],
    labels: &'a mut [f64],
    retrieved: &'a mut [bool],
}

fn parts<'a>(
    qrels: Columns<'_>,
    offsets: &[i64],
    answers: &'a [Option<usize>],
    mut labels: &'a mut [f64],
    mut retrieved: &'a mut [bool],
) -> Vec<Part<'a>> {
    // Judged documents cost about as much as retrieved ones.
    let work: Vec<i64> = offsets.iter().zip(qrels.offsets).map(|(rows, judged)| rows + judged).collect();
    let size = |offsets: &[i64], lists: &Range<usize>| match (offsets.get(lists.start), offsets.get(lists.end)) {
        (Some(start), Some(end)) => (end - start) as usize,
        _ => 0,
    };
    let part = |lists: Range<usize>| Part {
        answers: answers.get(lists.clone()).unwrap_or_default(),
        labels: labels.split_off_mut(..size(offsets, &lists)).unwrap_or_default(),
        retrieved: retrieved.split_off_mut(..size(qrels.offsets, &lists)).unwrap_or_default(),
        lists,
    };
    threads::blocks(&work, 1 << 16).into_iter().map(part).collect()
}

impl Part<'_> {
    fn label(self, qrels: Columns<'_>, run: Columns<'_>, judgments: &mut Judgments) {
        let (mut labels, mut retrieved) = (self.labels, self.retrieved);
        for (list, answer) in self.lists.zip(self.answers) {
            let judged = qrels.rows(list);
            let own = retrieved.split_off_mut(..judged.len()).unwrap_or_default();
            let Some(answer) = *answer else { continue };
            let rows = run.rows(answer);
            let own_labels = labels.split_off_mut(..rows.len()).unwrap_or_default();
            judgments.index(qrels, judged.clone());
            let hashes = run.hashes.get(rows.clone()).unwrap_or_default();
            for ((row, &hash), label) in rows.zip(hashes).zip(own_labels) {
                *label = match judgments.find(qrels, judged.start, hash, || run.document(row)) {
                    None => f64::NAN,
                    Some(at) => {
                        if let Some(out) = own.get_mut(at) {
                            *out = true;
                        }
                        qrels.values.get(judged.start + at).copied().unwrap_or(f64::NAN)
                    }
                };
            }
        }
    }
}

/// An index of the judged documents of one list, reused from list to list.
#[derive(Default)]
struct Judgments {
    /// Open addressing by hash: 0 is free, otherwise 1 + the place in the list.
    slots: Vec<u32>,
    /// In its stead where so many hashes are alike that probing would take quadratic time.
    crowded: Option<HashMap<Vec<u8>, usize>>,
}

impl Judgments {
    fn index(&mut self, qrels: Columns<'_>, judged: Range<usize>) {
        let hashes = qrels.hashes.get(judged.clone()).unwrap_or_default();
        let size = (4 * hashes.len()).next_power_of_two().max(16);
        self.crowded = None;
        self.slots.clear();
        self.slots.resize(size, 0);
        let mut patience = 16 * hashes.len() + 64;
        for (at, &hash) in hashes.iter().enumerate() {
            let mut slot = hash as usize & (size - 1);
            while self.slots.get(slot).is_some_and(|&taken| taken != 0) {
                slot = (slot + 1) & (size - 1);
                patience -= 1;
                if patience == 0 {
                    self.crowded = Some(judged.clone().map(|row| (qrels.document(row).to_vec(), row - judged.start)).collect());
                    return;
                }
            }
            if let Some(free) = self.slots.get_mut(slot) {
                *free = at as u32 + 1;
            }
        }
    }

    /// The place in the list of the judged document with this hash and these bytes.
    #[inline(always)]
    fn find<'a>(&self, qrels: Columns<'_>, start: usize, hash: u32, document: impl Fn() -> &'a [u8]) -> Option<usize> {
        if let Some(crowded) = &self.crowded {
            return crowded.get(document()).copied();
        }
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        loop {
            let at = (*self.slots.get(slot)? as usize).checked_sub(1)?;
            if qrels.hashes.get(start + at) == Some(&hash) && qrels.document(start + at) == document() {
                return Some(at);
            }
            slot = (slot + 1) & last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Span;

    /// A query of one letter and numbered documents.
    fn documents(count: usize) -> (Vec<u8>, Vec<u64>) {
        let mut text = b"q".to_vec();
        let spans = (0..count).map(|i| {
            let start = text.len();
            text.extend_from_slice(format!("{i:04}").as_bytes());
            Span::new(start, 4).unwrap_or_default().0
        });
        let spans = spans.collect();
        (text, spans)
    }

    #[test]
    fn documents_whose_hashes_are_all_alike_are_told_apart_by_their_bytes() {
        let (text, documents) = documents(2_000);
        let values: Vec<f64> = (0..documents.len()).map(|i| i as f64).collect();
        let (hashes, query) = (vec![7; documents.len()], [Span::new(0, 1).unwrap_or_default().0]);
        let all = [0, documents.len() as i64];
        let run = Columns { text: &text, queries: &query, offsets: &all, documents: &documents, values: &values, hashes: &hashes };
        let half = [0, 1_000];
        let qrels = Columns { offsets: &half, documents: &documents[..1_000], values: &values[..1_000], hashes: &hashes[..1_000], ..run };
        let join = Join::of(qrels, run);
        let mut labels = vec![0.0; join.rows()];
        let judged = join.label(&mut labels, Some(1));
        assert!(labels[..1_000].iter().zip(&values).all(|(label, value)| label == value));
        assert!(labels[1_000..].iter().all(|label| label.is_nan()));
        assert!(judged.unretrieved_labels.is_empty() && judged.rows.is_none());
    }
}
