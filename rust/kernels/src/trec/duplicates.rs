//! Documents that stand twice in one list.

use super::Columns;
use crate::threads;

/// Two rows of one list with the same document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Twice {
    pub list: usize,
    pub first: usize,
    pub again: usize,
}

/// Of all documents that stand twice in a list, the one whose second row starts earliest in the text.
pub fn earliest(columns: Columns<'_>, threads: Option<usize>) -> Option<Twice> {
    let blocks = threads::blocks(columns.offsets, 1 << 16);
    let found = threads::each(threads, blocks, Vec::new, |seen, lists| {
        lists.filter_map(|list| in_list(columns, list, seen)).min_by_key(|twice| start(columns, twice.again))
    });
    found.into_iter().flatten().min_by_key(|twice| start(columns, twice.again))
}

fn start(columns: Columns<'_>, row: usize) -> u64 {
    columns.documents.get(row).copied().unwrap_or(u64::MAX)
}

/// `seen` is one bit per hash value modulo 64 bits a row: nearly every document finds its bit unset, and the few
/// suspects are looked at one by one.
fn in_list(columns: Columns<'_>, list: usize, seen: &mut Vec<u64>) -> Option<Twice> {
    let rows = columns.rows(list);
    let hashes = columns.hashes.get(rows.clone())?;
    let words = hashes.len().next_power_of_two();
    seen.clear();
    seen.resize(words, 0);
    let mut suspects = Vec::new();
    for (row, &hash) in hashes.iter().enumerate() {
        let Some(word) = seen.get_mut(hash as usize & (words - 1)) else { continue };
        let bit = 1 << (hash >> 26);
        if *word & bit != 0 {
            suspects.push(row);
        }
        *word |= bit;
    }
    let same = |a: usize, b: usize| columns.document(rows.start + a) == columns.document(rows.start + b);
    let pair =
        if suspects.len() * hashes.len() < 1 << 20 { by_looking(hashes, &suspects, same) } else { by_sorting(columns, rows.start, hashes) };
    pair.map(|(first, again)| Twice { list, first: rows.start + first, again: rows.start + again })
}

fn by_looking(hashes: &[u32], suspects: &[usize], same: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
    suspects.iter().find_map(|&again| {
        let (before, rest) = hashes.split_at_checked(again)?;
        let hash = rest.first()?;
        let mut alike = before.iter().enumerate().filter(|&(_, other)| other == hash);
        alike.find(|&(first, _)| same(first, again)).map(|(first, _)| (first, again))
    })
}

/// For lists so long, or with hashes so alike, that looking at each suspect would take quadratic time.
fn by_sorting(columns: Columns<'_>, start: usize, hashes: &[u32]) -> Option<(usize, usize)> {
    let mut order: Vec<(u32, usize)> = hashes.iter().enumerate().map(|(row, &hash)| (hash, row)).collect();
    order.sort_unstable();
    let mut best = None;
    for alike in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        alike.sort_unstable_by_key(|&(_, row)| (columns.document(start + row), row));
        for pair in alike.windows(2) {
            if let [(_, first), (_, again)] = *pair
                && columns.document(start + first) == columns.document(start + again)
                && best.is_none_or(|(_, earliest)| again < earliest)
            {
                best = Some((first, again));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Span;

    /// One list of the words of `text`, each with the hash that `hash` makes of its place.
    fn twice(text: &str, hash: fn(usize) -> u32) -> Option<(usize, usize)> {
        let mut documents = Vec::new();
        for word in text.split(' ') {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            documents.push(Span::new(start, word.len()).unwrap_or_default().0);
        }
        let hashes: Vec<u32> = (0..documents.len()).map(hash).collect();
        let values = vec![0.0; documents.len()];
        let offsets = [0, documents.len() as i64];
        let columns =
            Columns { text: text.as_bytes(), queries: &[0], offsets: &offsets, documents: &documents, values: &values, hashes: &hashes };
        earliest(columns, Some(1)).map(|twice| (twice.first, twice.again))
    }

    #[test]
    fn equal_hashes_alone_make_no_duplicate() {
        assert_eq!(twice("a b c d", |_| 7), None);
        let many: Vec<String> = (0..2_000).map(|i| i.to_string()).collect();
        assert_eq!(twice(&many.join(" "), |_| 7), None);
    }

    #[test]
    fn the_earliest_second_row_is_found_with_its_first() {
        assert_eq!(twice("a b c b a a", |_| 7), Some((1, 3)));
        let many: Vec<String> = (0..2_000).map(|i| (i % 1_900).to_string()).collect();
        assert_eq!(twice(&many.join(" "), |_| 7), Some((0, 1_900)));
        assert_eq!(twice(&many.join(" "), |row| row as u32 % 1_900), Some((0, 1_900)));
    }
}
