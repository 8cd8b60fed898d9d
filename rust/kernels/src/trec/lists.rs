//! From groups of neighbouring rows to lists: one list a query, in order of first appearance.

use std::collections::HashMap;

use super::piece::Group;

/// Lists, and for each group of rows the list it belongs to.
#[derive(Debug, Default)]
pub struct Lists {
    pub queries: Vec<u64>,
    pub offsets: Vec<i64>,
    groups: Vec<(usize, usize)>,
}

impl Lists {
    /// Gathers the groups of a file, given in file order.
    pub fn of(groups: impl Iterator<Item = Group>, text: &[u8]) -> Self {
        let mut lists = Self::default();
        let mut sizes: Vec<i64> = Vec::new();
        let mut known: HashMap<&[u8], usize> = HashMap::new();
        for group in groups {
            let list = *known.entry(group.query.of(text)).or_insert(sizes.len());
            if list == sizes.len() {
                lists.queries.push(group.query.0);
                sizes.push(0);
            }
            if let Some(size) = sizes.get_mut(list) {
                *size += group.rows as i64;
            }
            match lists.groups.last_mut() {
                // A piece of the file ended within this list.
                Some((last, rows)) if *last == list => *rows += group.rows,
                _ => lists.groups.push((list, group.rows)),
            }
        }
        lists.offsets = offsets(sizes);
        lists
    }

    /// Whether the rows of each list already stand together.
    pub fn are_contiguous(&self) -> bool {
        self.groups.len() == self.queries.len()
    }

    /// Puts a column into list order; rows of one list keep their order.
    pub fn gather<T: Copy>(&self, column: &mut [T]) {
        let before = column.to_vec();
        let mut places: Vec<usize> = self.offsets.iter().map(|&o| o as usize).collect();
        let mut from = 0;
        for &(list, rows) in &self.groups {
            let Some(to) = places.get_mut(list) else { continue };
            if let (Some(target), Some(source)) = (column.get_mut(*to..*to + rows), before.get(from..from + rows)) {
                target.copy_from_slice(source);
            }
            *to += rows;
            from += rows;
        }
    }
}

/// Where each list starts, and where the last one ends.
pub fn offsets(sizes: Vec<i64>) -> Vec<i64> {
    let mut total = 0;
    let ends = sizes.into_iter().map(|size| {
        total += size;
        total
    });
    std::iter::once(0).chain(ends).collect()
}
