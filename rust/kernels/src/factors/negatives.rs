//! What a user has not seen, drawn by lot: by equal chances or by popularity, or from what the user turned down.

use std::ops::Range;

use super::pairs::Pairs;
use crate::error::{Error, Result};
use crate::lots::Lots;

/// A user who has seen nearly all items has no negative that is found soon; the interaction is then passed over.
const TRIES: usize = 64;

/// Where negatives come from.
#[derive(Debug)]
pub struct Negatives<'a> {
    pub pairs: &'a Pairs,
    /// How often each item is drawn beside others; empty: all alike.
    pub weights: &'a [f32],
    /// What users turned down, and the share of negatives that are drawn from it where there is any.
    pub disliked: Option<&'a Pairs>,
    pub share: f32,
}

impl Negatives<'_> {
    pub fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::new("negatives", what));
        if !self.weights.is_empty() && self.weights.len() != self.pairs.item_count {
            return wrong("there is not one weight an item");
        }
        if self.disliked.is_some_and(|d| d.users() != self.pairs.users() || d.item_count != self.pairs.item_count) {
            return wrong("what was turned down is of other users or items");
        }
        if self.weights.iter().any(|w| !(*w >= 0.0 && w.is_finite())) || !(0.0..=1.0).contains(&self.share) {
            return wrong("a weight or a share is out of range");
        }
        Ok(())
    }

    /// Of an order of items, cut into blocks: what drawing from a block needs.
    pub fn know(&self, order: &[u32], blocks: &[Range<usize>]) -> Known {
        let tables = match self.weights {
            [] => Vec::new(),
            weights => blocks.iter().map(|block| Aliases::of(order.get(block.clone()).unwrap_or_default(), weights)).collect(),
        };
        let disliked = self.disliked.map(|pairs| Disliked::of(pairs, order, blocks));
        Known { tables, disliked }
    }

    /// A place of the block that is no positive of the user, if one is found soon.
    #[inline(always)]
    pub fn draw(&self, known: &Known, block: usize, order: &[u32], user: usize, lots: &mut Lots) -> Option<usize> {
        if let Some(disliked) = &known.disliked {
            let own = disliked.here(user, block);
            if !own.is_empty() && lots.share() < self.share {
                return own.get(lots.below(own.len())).map(|&place| place as usize);
            }
        }
        let table = known.tables.get(block);
        if order.is_empty() {
            return None;
        }
        for _ in 0..TRIES {
            let place = if let Some(table) = table { table.draw(lots) } else { lots.below(order.len()) };
            if !self.pairs.has(user, order.get(place).copied().unwrap_or(0)) {
                return Some(place);
            }
        }
        None
    }
}

pub struct Known {
    tables: Vec<Aliases>,
    disliked: Option<Disliked>,
}

/// Weighted lots in constant time (Walker 1977, `walker1977`): a place stays as it is, or becomes its alias.
struct Aliases {
    stays: Vec<f32>,
    alias: Vec<u32>,
}

impl Aliases {
    fn of(items: &[u32], weights: &[f32]) -> Self {
        let own: Vec<f64> = items.iter().map(|&item| weights.get(item as usize).copied().unwrap_or(0.0).into()).collect();
        let sum: f64 = own.iter().sum();
        let count = own.len();
        // Where all weights are 0, all are alike.
        let mut left: Vec<f64> = own.iter().map(|w| if sum > 0.0 { w * count as f64 / sum } else { 1.0 }).collect();
        let mut alias: Vec<u32> = (0..count as u32).collect();
        let mut stays = vec![1.0; count];
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|&at| left[at] < 1.0);
        while let (Some(&little), Some(&much)) = (small.last(), large.last()) {
            small.pop();
            stays[little] = left[little] as f32;
            alias[little] = much as u32;
            left[much] -= 1.0 - left[little];
            if left[much] < 1.0 {
                large.pop();
                small.push(much);
            }
        }
        Self { stays, alias }
    }

    #[inline(always)]
    fn draw(&self, lots: &mut Lots) -> usize {
        let place = lots.below(self.stays.len());
        if lots.share() < self.stays.get(place).copied().unwrap_or(1.0) {
            return place;
        }
        self.alias.get(place).map_or(place, |&other| other as usize)
    }
}

/// What each user turned down, by block.
struct Disliked {
    places: Vec<u32>,
    starts: Vec<usize>,
    blocks: usize,
}

impl Disliked {
    fn of(pairs: &Pairs, order: &[u32], blocks: &[Range<usize>]) -> Self {
        let mut where_is = vec![(0u32, 0u32); order.len()];
        for (number, block) in (0..).zip(blocks) {
            for (place, &item) in (0..).zip(order.get(block.clone()).unwrap_or_default()) {
                if let Some(own) = where_is.get_mut(item as usize) {
                    *own = (number, place);
                }
            }
        }
        let mut places = Vec::with_capacity(pairs.len());
        let mut starts = vec![0];
        let mut own: Vec<(u32, u32)> = Vec::new();
        for user in 0..pairs.users() {
            own.clear();
            own.extend(pairs.of(user).iter().filter_map(|&item| where_is.get(item as usize).copied()));
            own.sort_unstable();
            for number in 0..blocks.len() as u32 {
                places.extend(own.iter().filter(|(block, _)| *block == number).map(|(_, place)| *place));
                starts.push(places.len());
            }
        }
        Self { places, starts, blocks: blocks.len() }
    }

    #[inline(always)]
    fn here(&self, user: usize, block: usize) -> &[u32] {
        let at = user * self.blocks + block;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => self.places.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighted_lots_follow_their_weights() {
        let weights = [0.0, 1.0, 2.0, 5.0];
        let table = Aliases::of(&[0, 1, 2, 3], &weights);
        let mut lots = Lots::of(1, 2);
        let mut found = [0usize; 4];
        (0..80_000).for_each(|_| found[table.draw(&mut lots)] += 1);
        assert_eq!(found[0], 0);
        for (count, weight) in found.iter().zip(weights) {
            assert!((*count as f32 - 10_000.0 * weight).abs() < 500.0, "{found:?}");
        }
    }

    #[test]
    fn no_negative_was_seen_and_each_unseen_item_is_drawn() {
        let pairs = Pairs::new(&[0, 2], &[1, 3], 5).unwrap();
        let negatives = Negatives { pairs: &pairs, weights: &[], disliked: None, share: 0.0 };
        let order = [4, 1, 0, 3, 2];
        let known = negatives.know(&order, std::slice::from_ref(&(0..5)));
        let mut lots = Lots::of(3, 4);
        let mut found: Vec<usize> = (0..100).filter_map(|_| negatives.draw(&known, 0, &order, 0, &mut lots)).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, [0, 2, 4]);
    }

    #[test]
    fn what_was_turned_down_is_drawn_by_its_share() {
        let (pairs, disliked) = (Pairs::new(&[0, 1], &[0], 100).unwrap(), Pairs::new(&[0, 1], &[7], 100).unwrap());
        let negatives = Negatives { pairs: &pairs, weights: &[], disliked: Some(&disliked), share: 0.5 };
        let order: Vec<u32> = (0..100).collect();
        let known = negatives.know(&order, std::slice::from_ref(&(0..100)));
        let mut lots = Lots::of(5, 6);
        let drawn = (0..10_000).filter(|_| negatives.draw(&known, 0, &order, 0, &mut lots) == Some(7)).count();
        assert!((4900..5300).contains(&drawn), "{drawn}");
    }
}
