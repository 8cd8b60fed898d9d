//! Which rows belong to one list: rows with the same query id, wherever they stand in the file.

use std::collections::HashMap;

use crate::ids::Span;

/// Rows from `row` on that have the same query id, up to the next run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub row: usize,
    pub query: Span,
}

/// The lists of a file, in the order in which their queries first appear.
#[derive(Debug, PartialEq, Eq)]
pub struct Lists {
    pub offsets: Vec<i64>,
    /// The query id of each list, as a span.
    pub queries: Vec<u64>,
    /// Which row of the file stands at each place once rows are grouped; `None` if they are grouped already.
    pub rows: Option<Vec<i64>>,
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
        let ends = runs.iter().skip(1).map(|run| run.row).chain([rows]);
        let mut list_of: HashMap<&[u8], usize> = HashMap::with_capacity(runs.len());
        let mut queries = Vec::with_capacity(runs.len());
        let mut parts: Vec<Vec<(usize, usize)>> = Vec::with_capacity(runs.len());
        for (run, end) in runs.iter().zip(ends) {
            let list = *list_of.entry(run.query.of(text)).or_insert(parts.len());
            if let Some(known) = parts.get_mut(list) {
                known.push((run.row, end));
            } else {
                queries.push(run.query.0);
                parts.push(vec![(run.row, end)]);
            }
        }
        let sizes = parts.iter().map(|list| list.iter().map(|(start, end)| end - start).sum::<usize>());
        let ends = sizes.scan(0, |total, size| {
            *total += size as i64;
            Some(*total)
        });
        let offsets = std::iter::once(0).chain(ends).collect();
        let scattered = parts.len() < runs.len();
        let rows = scattered.then(|| parts.iter().flatten().flat_map(|&(start, end)| start as i64..end as i64).collect());
        Self { offsets, queries, rows }
    }
}
