//! What was seen: the items of each user, in ascending order, and whether a user has seen an item.

use crate::error::{Error, Result};

/// Up to so many bits are kept as a table of users × items (64 MB): to look one up is faster than to search.
const MOST_BITS: usize = 1 << 29;

#[derive(Debug, Clone)]
pub struct Pairs {
    /// `items[offsets[u]..offsets[u + 1]]` are those of user u, ascending.
    pub offsets: Vec<usize>,
    pub items: Vec<u32>,
    pub item_count: usize,
    bits: Vec<u64>,
    words: usize,
}

impl Pairs {
    pub fn new(offsets: &[i64], items: &[u32], item_count: usize) -> Result<Self> {
        let offsets = checked(offsets, items, item_count)?;
        let mut pairs = Self { offsets, items: items.to_vec(), item_count, bits: Vec::new(), words: item_count.div_ceil(64) };
        pairs.mark();
        Ok(pairs)
    }

    pub fn users(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn of(&self, user: usize) -> &[u32] {
        match (self.offsets.get(user), self.offsets.get(user + 1)) {
            (Some(&start), Some(&end)) => self.items.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// How many items the user has not seen.
    #[inline(always)]
    pub fn unseen(&self, user: usize) -> usize {
        self.item_count - self.of(user).len()
    }

    #[inline(always)]
    pub fn has(&self, user: usize, item: u32) -> bool {
        if self.bits.is_empty() {
            return self.of(user).binary_search(&item).is_ok();
        }
        self.bits.get(user * self.words + (item / 64) as usize).is_some_and(|word| word >> (item % 64) & 1 == 1)
    }

    fn mark(&mut self) {
        if self.users().saturating_mul(self.words * 64) > MOST_BITS {
            return;
        }
        let mut bits = vec![0u64; self.users() * self.words];
        for user in 0..self.users() {
            for &item in self.of(user) {
                if let Some(word) = bits.get_mut(user * self.words + (item / 64) as usize) {
                    *word |= 1 << (item % 64);
                }
            }
        }
        self.bits = bits;
    }
}

fn checked(offsets: &[i64], items: &[u32], item_count: usize) -> Result<Vec<usize>> {
    let wrong = |what: &str| Error::new("interactions", what);
    if [item_count, offsets.len(), items.len()].into_iter().any(|count| count > u32::MAX as usize) {
        return Err(wrong("there are more users, items or interactions than 2³² − 1"));
    }
    let found: Vec<usize> = offsets.iter().filter_map(|&at| usize::try_from(at).ok()).collect();
    let ascend = found.windows(2).all(|pair| matches!(pair, [a, b] if a <= b));
    if found.len() != offsets.len() || found.first() != Some(&0) || found.last() != Some(&items.len()) || !ascend {
        return Err(wrong("the offsets of users do not fit the items"));
    }
    for (user, pair) in found.windows(2).enumerate() {
        let [start, end] = *pair else { continue };
        let own = items.get(start..end).unwrap_or_default();
        let distinct = own.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
        if !distinct || own.last().is_some_and(|&item| item as usize >= item_count) {
            return Err(wrong(&format!("the items of user {user} do not ascend, or there are no such items")));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_knows_what_was_seen_with_and_without_a_table() {
        let mut pairs = Pairs::new(&[0, 2, 2, 5], &[1, 70, 0, 64, 99], 100).unwrap();
        let seen = |pairs: &Pairs| (0..3).flat_map(|u| (0..100).map(move |i| (u, i))).filter(|&(u, i)| pairs.has(u, i)).collect::<Vec<_>>();
        let by_table = seen(&pairs);
        pairs.bits.clear();
        assert_eq!(by_table, [(0, 1), (0, 70), (2, 0), (2, 64), (2, 99)]);
        assert_eq!(seen(&pairs), by_table);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (offsets, items) in
            [(&[0, 2][..], &[1][..]), (&[0, 2], &[2, 1]), (&[0, 2], &[1, 1]), (&[0, 1], &[3]), (&[0, 2, 1], &[1]), (&[], &[])]
        {
            assert!(Pairs::new(offsets, items, 3).is_err(), "{offsets:?} {items:?}");
        }
    }
}
