//! Trees of at most 64 leaves, for 64 rows at once without a branch (QuickScorer: Lucchese et al. 2015).
//!
//! A row starts with all leaves of a tree, a bit each, from left to right. Each node that sends it right takes the
//! leaves of its left subtree away, in any order of nodes; the lowest bit that is left is the row's leaf.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::blocks::{Block, LANES};
use super::{Forest, Node, Rule, Tree};

/// What takes leaves away: x > threshold.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    feature: u32,
    threshold: f32,
    /// The leaves that stay.
    stay: u64,
}

/// The tests of a tree, by where NaN goes, among all tests; what has another rule is a node with the leaves that stay.
#[derive(Debug, Clone)]
pub struct Tests {
    nan_left: Range<usize>,
    nan_right: Range<usize>,
    others: Vec<(usize, u64)>,
}

pub const MOST_LEAVES: usize = 64;

impl Tests {
    /// Those of the nodes of a tree, which begin at `start` among all, if it has few enough leaves; `firsts` is the
    /// first leaf below each node.
    pub(super) fn of(nodes: &[Node], firsts: &[usize], start: usize, all: &mut Vec<Test>) -> Option<Self> {
        if nodes.len() >= MOST_LEAVES {
            return None;
        }
        let (mut nan_left, mut nan_right, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (node, &first)) in nodes.iter().zip(firsts).enumerate() {
            // The left subtree ends where the right one begins.
            let end = match usize::try_from(node.right) {
                Ok(right) => firsts.get(right).copied().unwrap_or(first),
                Err(_) => (-1 - node.right) as usize,
            };
            let stay = !(u64::MAX >> (MOST_LEAVES - (end - first)) << first);
            let test = Test { feature: node.feature, threshold: node.threshold, stay };
            match node.rule {
                Rule::NanLeft => nan_left.push(test),
                Rule::NanRight => nan_right.push(test),
                Rule::Zero { .. } | Rule::Set { .. } => others.push((start + at, stay)),
            }
        }
        let (begin, middle) = (all.len(), all.len() + nan_left.len());
        all.extend(nan_left.into_iter().chain(nan_right));
        Some(Self { nan_left: begin..middle, nan_right: middle..all.len(), others })
    }
}

/// A set of leaves.
trait Leaves: Copy {
    const ALL: Self;
    fn of(bits: u64) -> Self;
    fn both(self, other: Self) -> Self;
    fn lowest(self) -> u32;
}

macro_rules! leaves {
    ($bits:ty) => {
        impl Leaves for $bits {
            const ALL: Self = <$bits>::MAX;
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $bits
            }
            #[inline(always)]
            fn both(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
        }
    };
}
leaves!(u32);
leaves!(u64);

impl Forest {
    /// Adds the value of each row's leaf, tree after tree.
    pub(super) fn add_values(&self, trees: &[Tree], block: &Block, sums: &mut [f64]) {
        let mut lanes = [0.0; LANES];
        Arch::new().dispatch(Adding { forest: self, trees, block, sums: &mut lanes });
        for (sum, lane) in sums.iter_mut().zip(lanes) {
            *sum = lane;
        }
    }

    /// The number of each row's leaf in each tree, row by row.
    pub(super) fn find_leaves(&self, block: &Block, found: &mut [i32]) {
        for (number, tree) in self.trees.iter().enumerate() {
            let places = Arch::new().dispatch(Finding { forest: self, tree, block });
            let numbers = self.numbers.get(tree.leaves.clone()).unwrap_or_default();
            for (row, place) in found.chunks_mut(self.len()).zip(places) {
                if let (Some(slot), Some(&leaf)) = (row.get_mut(number), numbers.get(place as usize)) {
                    *slot = leaf;
                }
            }
        }
    }

    /// The leaf of each lane, from left to right.
    #[inline(always)]
    fn places(&self, tree: &Tree, block: &Block) -> [u32; LANES] {
        match &tree.tests {
            // A block costs the same whether it is full or not; few rows are descended.
            Some(tests) if block.rows >= FEW && tree.leaves.len() <= 32 => self.lowest::<u32>(tests, block),
            Some(tests) if block.rows >= FEW => self.lowest::<u64>(tests, block),
            _ => self.descended(tree, block),
        }
    }

    #[inline(always)]
    fn lowest<L: Leaves>(&self, tests: &Tests, block: &Block) -> [u32; LANES] {
        let mut left = [L::ALL; LANES];
        for test in self.tests.get(tests.nan_left.clone()).unwrap_or_default() {
            test.apply(&mut left, block, above);
        }
        for test in self.tests.get(tests.nan_right.clone()).unwrap_or_default() {
            test.apply(&mut left, block, above_or_nan);
        }
        for &(node, stay) in &tests.others {
            let Some(node) = self.nodes.get(node) else { continue };
            for (leaves, &x) in left.iter_mut().zip(block.column(node.feature)) {
                *leaves = leaves.both(if node.goes_left(x, &self.sets) { L::ALL } else { L::of(stay) });
            }
        }
        left.map(Leaves::lowest)
    }
}

/// Fewer rows than this are descended.
const FEW: usize = 8;

impl Test {
    #[inline(always)]
    fn apply<L: Leaves>(&self, left: &mut [L; LANES], block: &Block, goes_right: impl Fn(f32, f32) -> bool) {
        let stay = L::of(self.stay);
        for (leaves, &x) in left.iter_mut().zip(block.column(self.feature)) {
            *leaves = leaves.both(if goes_right(x, self.threshold) { stay } else { L::ALL });
        }
    }
}

#[inline(always)]
fn above(x: f32, threshold: f32) -> bool {
    x > threshold
}

#[inline(always)]
fn above_or_nan(x: f32, threshold: f32) -> bool {
    x.is_nan() | (x > threshold)
}

struct Adding<'a> {
    forest: &'a Forest,
    trees: &'a [Tree],
    block: &'a Block,
    sums: &'a mut [f64; LANES],
}

impl WithSimd for Adding<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) {
        for tree in self.trees {
            let places = self.forest.places(tree, self.block);
            let values = self.forest.values.get(tree.leaves.start..).unwrap_or_default();
            match (&tree.tests, values.first_chunk::<MOST_LEAVES>()) {
                (Some(_), Some(values)) => {
                    for (sum, place) in self.sums.iter_mut().zip(places) {
                        *sum += values[place as usize % MOST_LEAVES];
                    }
                }
                _ => {
                    for (sum, place) in self.sums.iter_mut().zip(places) {
                        *sum += values.get(place as usize).copied().unwrap_or(0.0);
                    }
                }
            }
        }
    }
}

struct Finding<'a> {
    forest: &'a Forest,
    tree: &'a Tree,
    block: &'a Block,
}

impl WithSimd for Finding<'_> {
    type Output = [u32; LANES];
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) -> [u32; LANES] {
        self.forest.places(self.tree, self.block)
    }
}
