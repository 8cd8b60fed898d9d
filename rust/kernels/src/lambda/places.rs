//! The places of one list: which row stands at which rank, and which documents share their places.

use crate::evaluate::{Code, TieRule};
use crate::measures::Measure;
use crate::order::{Block, Order};

#[derive(Default)]
pub(super) struct Places {
    /// By rank; documents that are not looked at have none.
    pub rows: Vec<u32>,
    pub grades: Vec<u32>,
    /// By rank, filled up to whole lanes.
    pub worth: Vec<f64>,
    /// Every rank is in one; most hold a single document.
    pub blocks: Vec<Block>,
    /// Which block a rank is in.
    pub block_at: Vec<u32>,
    /// Ranks from here on count for nothing.
    pub depth: usize,
    ranked: Vec<(u32, u32)>,
}

impl Places {
    pub fn take_up<C: Code>(&mut self, order: &Order, ties: TieRule, codes: &[C], measure: &Measure) {
        self.ranked.clear();
        self.ranked.extend(order.rows.iter().filter_map(|&row| Some((codes.get(row as usize)?.grade(), row))));
        self.blocks.clear();
        match ties {
            TieRule::Settled(_) => self.single_until(self.ranked.len()),
            _ => {
                for &block in &order.blocks {
                    self.single_until(block.start);
                    self.share(block, ties, measure);
                }
                self.single_until(self.ranked.len());
            }
        }
        self.read(measure);
    }

    fn read(&mut self, measure: &Measure) {
        self.rows.clear();
        self.rows.extend(self.ranked.iter().map(|&(_, row)| row));
        self.grades.clear();
        self.grades.extend(self.ranked.iter().map(|&(grade, _)| grade));
        self.worth.clear();
        self.worth.extend(self.grades.iter().map(|&grade| measure.worth(grade)));
        self.worth.resize(self.rows.len().next_multiple_of(super::LANES), 0.0);
        self.block_at.clear();
        for (at, block) in (0..).zip(&self.blocks) {
            self.block_at.extend(std::iter::repeat_n(at, block.len));
        }
    }

    fn single_until(&mut self, rank: usize) {
        let next = self.blocks.last().map_or(0, |block| block.end());
        self.blocks.extend((next..rank).map(|start| Block { start, len: 1 }));
    }

    /// Documents of a block stand by grade, so that the order of rows cannot matter. Where the best or worst order is
    /// asked for, those that are worth the same still share their places.
    fn share(&mut self, block: Block, ties: TieRule, measure: &Measure) {
        let Some(inside) = self.ranked.get_mut(block.start..block.end()) else { return };
        let worth = |one: &(u32, u32)| measure.worth(one.0) + 0.0; // -0.0 and 0.0 are one worth
        match ties {
            TieRule::Best => inside.sort_unstable_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.cmp(b))),
            TieRule::Worst => inside.sort_unstable_by(|a, b| worth(a).total_cmp(&worth(b)).then(a.cmp(b))),
            _ => {
                inside.sort_unstable();
                self.blocks.push(block);
                return;
            }
        }
        let mut start = block.start;
        for alike in inside.chunk_by(|a, b| worth(a) == worth(b)) {
            self.blocks.push(Block { start, len: alike.len() });
            start += alike.len();
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn are_all_alike(&self) -> bool {
        let worth = self.worth.get(..self.len()).unwrap_or_default();
        worth.windows(2).all(|w| matches!(w, [a, b] if a == b))
    }

    /// The block of a rank, and its number.
    pub fn block_of(&self, rank: usize) -> (usize, Block) {
        let at = self.block_at.get(rank).map_or(0, |&at| at as usize);
        (at, self.blocks.get(at).copied().unwrap_or(Block { start: rank, len: 1 }))
    }

    /// The worths of a block's documents.
    pub fn worths(&self, block: Block) -> &[f64] {
        self.worth.get(block.start..block.end()).unwrap_or_default()
    }

    pub fn hits(&self, block: Block) -> usize {
        self.worths(block).iter().filter(|&&w| w > 0.0).count()
    }

    /// Where the last block ends that reaches into the top.
    pub fn reach(&self) -> usize {
        let within = self.blocks.partition_point(|block| block.start < self.depth);
        within.checked_sub(1).and_then(|last| self.blocks.get(last)).map_or(0, |block| block.end())
    }

    /// Ranks of a block that count, as places within it.
    pub fn within(&self, block: Block) -> usize {
        block.end().min(self.depth).saturating_sub(block.start)
    }

    /// Whether a document has the grade of the one a rank above and shares its places with it.
    #[inline(always)]
    pub fn is_twin_of_the_one_before(&self, rank: usize) -> bool {
        let Some(before) = rank.checked_sub(1) else { return false };
        self.block_at.get(before) == self.block_at.get(rank) && self.grades.get(before) == self.grades.get(rank)
    }
}
