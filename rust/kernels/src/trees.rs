//! Regression trees whose values are added: the leaf of each row in each tree, and sums of leaf values.
//!
//! Vocabulary: a *node* splits, a *leaf* has a value; within a tree both count from 0, node 0 is the root, and a child
//! c is node c, or leaf −1 − c if it is below 0. Children come after their parents, so that one pass forwards sees
//! every parent first, one pass backwards every child, and no path can run in a circle. A *block* is 64 rows, of which
//! the features lie column by column, a *lane* a row of it.
//!
//! Trees of at most 64 leaves are not descended (`bits.rs`); larger ones are, and so are all where rows are few.

mod bits;
mod blocks;
mod check;
mod contributions;
mod descent;

use std::ops::Range;

use crate::error::{Error, Result};
use crate::threads;
use bits::{MOST_LEAVES, Test, Tests};
use blocks::{Block, LANES};

/// What LightGBM takes for 0, where a node takes 0 for missing.
const TINY: f32 = 1e-35;
/// Rows that a thread takes at a time.
const PIECE: usize = 16 * LANES;

/// Trees as they are handed over; `rankwise.rankers.trees` describes the arrays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout<'a> {
    pub features: usize,
    pub starts: &'a [i64],
    pub feature: &'a [i32],
    pub threshold: &'a [f64],
    pub left: &'a [i32],
    pub right: &'a [i32],
    pub missing: &'a [u8],
    pub missing_left: &'a [bool],
    pub category_set: &'a [i32],
    pub leaf_value: &'a [f64],
    pub leaf_count: Option<&'a [f64]>,
    pub set_starts: &'a [i64],
    pub set_words: &'a [u32],
}

/// Where a row goes at a node.
#[derive(Debug, Clone, Copy)]
struct Node {
    feature: u32,
    /// The largest float32 that is not above the threshold: for a float32 x, x ≤ threshold is the same of both.
    threshold: f32,
    left: i32,
    right: i32,
    rule: Rule,
}

#[derive(Debug, Clone, Copy)]
enum Rule {
    /// x ≤ threshold goes left, and so does NaN.
    NanLeft,
    /// x ≤ threshold goes left, and NaN right.
    NanRight,
    /// As these, but 0 goes where NaN goes.
    Zero { left: bool },
    /// What is in a set of categories goes left: these words of all sets.
    Set { first: u32, end: u32 },
}

/// A tree among all: its nodes, its leaves, and what `bits.rs` looks at.
#[derive(Debug, Clone)]
struct Tree {
    nodes: Range<usize>,
    leaves: Range<usize>,
    tests: Option<Tests>,
}

/// Trees, checked and made ready. Here leaves count from left to right; `numbers` are those of the layout.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    features: usize,
    trees: Vec<Tree>,
    nodes: Vec<Node>,
    /// Of all leaves, and a few that no row reaches, so that 64 can be read from the first leaf of each tree.
    values: Vec<f64>,
    numbers: Vec<i32>,
    /// The share of a node's training rows that went to its left child; nothing if counts are not known.
    left_share: Vec<f64>,
    sets: Vec<u32>,
    tests: Vec<Test>,
}

impl Forest {
    /// Every index is checked here, and nowhere else.
    pub fn new(layout: &Layout<'_>) -> Result<Self> {
        check::check(layout)?;
        let mut forest = Self { features: layout.features, sets: layout.set_words.to_vec(), ..Self::default() };
        forest.nodes = (0..layout.feature.len()).filter_map(|at| Node::of(layout, at)).collect();
        let mut counts = Vec::new();
        for (number, bounds) in layout.starts.windows(2).enumerate() {
            if let &[first, end] = bounds {
                let leaves = first as usize..end as usize;
                let nodes = leaves.start - number..leaves.end - number - 1;
                let own = forest.nodes.get_mut(nodes.clone()).unwrap_or_default();
                let (firsts, numbers) = from_left_to_right(own);
                for &leaf in &numbers {
                    let at = leaves.start + leaf as usize;
                    forest.values.extend(layout.leaf_value.get(at));
                    counts.extend(layout.leaf_count.and_then(|counts| counts.get(at)));
                }
                forest.numbers.extend(numbers);
                let tests = Tests::of(own, &firsts, nodes.start, &mut forest.tests);
                forest.trees.push(Tree { nodes, leaves, tests });
            }
        }
        forest.values.extend([0.0; MOST_LEAVES]);
        if layout.leaf_count.is_some() {
            forest.left_share = forest.left_shares(&counts);
        }
        Ok(forest)
    }

    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// Σ of the values of each row's leaves, over the trees of a range, in their order.
    /// `table` holds rows of as many values as there are features.
    pub fn scores(&self, table: &[f32], range: Range<usize>, threads: Option<usize>) -> Result<Vec<f64>> {
        let trees = self.range(range)?;
        let used = self.used(trees);
        let pieces = self.pieces(table)?;
        let work = |block: &mut Block, rows: &[f32]| {
            let mut sums = vec![0.0; rows.len() / self.features.max(1)];
            for (rows, sums) in rows.chunks(LANES * self.features.max(1)).zip(sums.chunks_mut(LANES)) {
                block.fill(rows, self.features, &used);
                self.add_values(trees, block, sums);
            }
            sums
        };
        Ok(threads::each(threads, pieces, || Block::new(self.features), work).concat())
    }

    /// The leaf of each row in each tree, row by row.
    pub fn leaves(&self, table: &[f32], threads: Option<usize>) -> Result<Vec<i32>> {
        let used = self.used(&self.trees);
        let pieces = self.pieces(table)?;
        let work = |block: &mut Block, rows: &[f32]| {
            let count = rows.len() / self.features.max(1);
            let mut found = vec![0; count * self.len()];
            let blocks = found.chunks_mut((LANES * self.len()).max(1));
            for (rows, found) in rows.chunks(LANES * self.features.max(1)).zip(blocks) {
                block.fill(rows, self.features, &used);
                self.find_leaves(block, found);
            }
            found
        };
        Ok(threads::each(threads, pieces, || Block::new(self.features), work).concat())
    }

    fn range(&self, range: Range<usize>) -> Result<&[Tree]> {
        let what = || Error::new("", format!("there are no trees {} to {}; there are {}", range.start, range.end, self.len()));
        self.trees.get(range.clone()).ok_or_else(what)
    }

    fn pieces<'a>(&self, table: &'a [f32]) -> Result<Vec<&'a [f32]>> {
        if self.features == 0 || !table.len().is_multiple_of(self.features) {
            return Err(Error::new("", format!("a table of {} values has no rows of {} columns", table.len(), self.features)));
        }
        Ok(table.chunks(PIECE * self.features).collect())
    }

    /// The features that some trees look at.
    fn used(&self, trees: &[Tree]) -> Vec<usize> {
        let mut seen = vec![false; self.features];
        for node in trees.iter().filter_map(|tree| self.nodes.get(tree.nodes.clone())).flatten() {
            if let Some(flag) = seen.get_mut(node.feature as usize) {
                *flag = true;
            }
        }
        seen.iter().enumerate().filter_map(|(feature, &flag)| flag.then_some(feature)).collect()
    }

    /// The share of a node's rows that went left; where no row went, half.
    fn left_shares(&self, counts: &[f64]) -> Vec<f64> {
        let mut shares = vec![0.5; self.nodes.len()];
        let mut reached = vec![0.0; self.nodes.len()];
        for tree in &self.trees {
            for at in tree.nodes.clone().rev() {
                let Some(node) = self.nodes.get(at) else { continue };
                let rows = |child: i32| match usize::try_from(child) {
                    Ok(node) => reached.get(tree.nodes.start + node).copied(),
                    Err(_) => counts.get(tree.leaf(child)).copied(),
                };
                let (left, right) = (rows(node.left).unwrap_or(0.0), rows(node.right).unwrap_or(0.0));
                if let Some(own) = reached.get_mut(at) {
                    *own = left + right;
                }
                if let (true, Some(share)) = (left + right > 0.0, shares.get_mut(at)) {
                    *share = left / (left + right);
                }
            }
        }
        shares
    }
}

impl Tree {
    /// Where the child below 0 stands among all leaves.
    fn leaf(&self, child: i32) -> usize {
        self.leaves.start + (-1 - child) as usize
    }

    fn root(&self) -> i32 {
        if self.nodes.is_empty() { -1 } else { 0 }
    }
}

impl Node {
    fn of(layout: &Layout<'_>, at: usize) -> Option<Self> {
        let threshold = *layout.threshold.get(at)?;
        let missing_left = *layout.missing_left.get(at)?;
        let rule = match (usize::try_from(*layout.category_set.get(at)?), layout.missing.get(at)?) {
            (Ok(set), _) => Rule::Set { first: *layout.set_starts.get(set)? as u32, end: *layout.set_starts.get(set + 1)? as u32 },
            (_, 1) => Rule::Zero { left: missing_left },
            // Who misses nothing reads NaN as 0, which goes the same way each time.
            (_, 0) if 0.0 <= threshold => Rule::NanLeft,
            (_, 2) if missing_left => Rule::NanLeft,
            _ => Rule::NanRight,
        };
        Some(Self {
            feature: *layout.feature.get(at)? as u32,
            threshold: floor(threshold),
            left: *layout.left.get(at)?,
            right: *layout.right.get(at)?,
            rule,
        })
    }

    #[inline(always)]
    fn goes_left(&self, x: f32, sets: &[u32]) -> bool {
        match self.rule {
            Rule::NanLeft => x.is_nan() || x <= self.threshold,
            Rule::NanRight => x <= self.threshold,
            Rule::Zero { left } => {
                if x.is_nan() || x.abs() <= TINY {
                    left
                } else {
                    x <= self.threshold
                }
            }
            Rule::Set { first, end } => sets.get(first as usize..end as usize).is_some_and(|words| holds(words, x)),
        }
    }
}

/// Gives the leaves of a tree numbers from left to right; returns the first leaf below each node, and the old numbers.
fn from_left_to_right(nodes: &mut [Node]) -> (Vec<usize>, Vec<i32>) {
    let (mut below, mut firsts, mut numbers) = (vec![1; nodes.len()], vec![0; nodes.len()], vec![0; nodes.len() + 1]);
    for (at, node) in nodes.iter().enumerate().rev() {
        let size = size(node.left, &below) + size(node.right, &below);
        if let Some(own) = below.get_mut(at) {
            *own = size;
        }
    }
    for (at, node) in nodes.iter_mut().enumerate() {
        let first: usize = firsts.get(at).copied().unwrap_or(0);
        let middle = first + size(node.left, &below);
        for (child, place) in [(&mut node.left, first), (&mut node.right, middle)] {
            match usize::try_from(*child) {
                Ok(node) => firsts.get_mut(node).into_iter().for_each(|slot| *slot = place),
                Err(_) => {
                    numbers.get_mut(place).into_iter().for_each(|slot| *slot = -1 - *child);
                    *child = -1 - place as i32;
                }
            }
        }
    }
    (firsts, numbers)
}

/// How many leaves are below a child.
fn size(child: i32, below: &[usize]) -> usize {
    usize::try_from(child).map_or(1, |node| below.get(node).copied().unwrap_or(0))
}

/// Whether a set holds the category of a value: the value cut to a whole number.
fn holds(words: &[u32], x: f32) -> bool {
    // NaN would become 0; from −1 on downwards numbers are no categories.
    if x.is_nan() || x <= -1.0 {
        return false;
    }
    let category = x as usize;
    words.get(category / 32).is_some_and(|word| word >> (category % 32) & 1 == 1)
}

/// The largest float32 that is not above a float64.
fn floor(threshold: f64) -> f32 {
    let near = threshold as f32;
    if f64::from(near) > threshold { near.next_down() } else { near }
}

#[cfg(test)]
mod tests;
