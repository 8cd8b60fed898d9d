//! Pairs of documents of one list: what those weigh that are in the order of their worth, in the reverse, or tied.
//!
//! Vocabulary: the *level* of a document is the place of its worth among the distinct worths of the list, the greatest
//! first. A pair is *right* if the document of the lower level (the greater worth) stands above, *wrong* if it stands
//! below, *open* if both stand in one block of equal scores. Pairs of equal worth are none of them.
//! From the top down, a tree over levels knows how many documents above are of a lower level and what they are worth,
//! in O(log levels) each. A weight is either 1 or the difference of two worths, or the product of the weights of the
//! two documents where documents have weights.

use super::{List, Measure};
use crate::order::Block;

/// What the pairs weigh, of those with different worth.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pairs {
    pub right: f64,
    pub wrong: f64,
    pub open: f64,
}

impl Pairs {
    pub fn all(&self) -> f64 {
        self.right + self.wrong + self.open
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    One,
    Difference,
}

/// The levels of a list, by rank, with the levels within each open block rising: the same bits for any order of rows.
pub struct Levels {
    of_rank: Vec<u32>,
    /// Per level: its worth, less the least one, and how many documents are of it.
    worths: Vec<f64>,
    documents: Vec<u64>,
}

impl Levels {
    pub fn of(measure: &Measure, list: &List<'_>) -> Self {
        let distinct = distinct_worths(measure, list);
        let mut documents = vec![0; distinct.len()];
        let mut of_rank = Vec::with_capacity(list.ranked.len());
        for &grade in list.ranked {
            let level = distinct.partition_point(|&w| w > measure.worth(grade));
            if let Some(count) = documents.get_mut(level) {
                *count += 1;
            }
            of_rank.push(level as u32);
        }
        for block in list.open {
            of_rank.get_mut(block.start..block.end()).unwrap_or_default().sort_unstable();
        }
        Self { of_rank, worths: above_least(distinct), documents }
    }

    /// Pairs of equal worth.
    pub fn tied(&self) -> u64 {
        self.documents.iter().map(|&n| choose_2(n)).sum()
    }

    pub fn documents(&self) -> &[u64] {
        &self.documents
    }

    pub fn of_rank(&self) -> &[u32] {
        &self.of_rank
    }

    pub fn pairs(&self, open: &[Block], weight: Weight) -> Pairs {
        let weights = match weight {
            Weight::One => None,
            Weight::Difference => Some(self.worths.as_slice()),
        };
        let levels = self.worths.len();
        let runs = || runs(self.of_rank.len(), open);
        let of = |run: Block| self.of_rank.get(run.start..run.end()).unwrap_or_default();
        Pairs {
            right: greater_before(runs().map(of), levels, weights),
            wrong: greater_before(runs().rev().map(of), levels, weights),
            open: open.iter().map(|&block| within(of(block), weights)).sum(),
        }
    }
}

/// The worths of the list's documents, each once, the greatest first.
fn distinct_worths(measure: &Measure, list: &List<'_>) -> Vec<f64> {
    let mut distinct: Vec<f64> = list.retrieved.iter().map(|c| measure.worth(c.grade)).collect();
    distinct.sort_unstable_by(|a, b| b.total_cmp(a));
    distinct.dedup();
    distinct
}

/// Pairs that weigh the product of their documents' weights.
pub fn products(measure: &Measure, list: &List<'_>) -> Pairs {
    let distinct = distinct_worths(measure, list);
    let weight = |&grade: &u32| measure.weights.get(grade as usize).copied().unwrap_or(0.0);
    let level = |&grade: &u32| distinct.partition_point(|&w| w > measure.worth(grade)) as u32;
    let mut documents: Vec<(u32, f64)> = list.ranked.iter().map(|grade| (level(grade), weight(grade))).collect();
    for block in list.open {
        let tied = documents.get_mut(block.start..block.end()).unwrap_or_default();
        tied.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))); // the same bits for any order of rows
    }
    let runs = || runs(documents.len(), list.open);
    let of = |run: Block| documents.get(run.start..run.end()).unwrap_or_default();
    Pairs {
        right: products_before(runs().map(of), distinct.len()),
        wrong: products_before(runs().rev().map(of), distinct.len()),
        open: list.open.iter().map(|&block| products_within(of(block))).sum(),
    }
}

/// The products of the pairs in which the document of greater worth is in an earlier run than the other.
fn products_before<'a>(runs: impl Iterator<Item = &'a [(u32, f64)]>, levels: usize) -> f64 {
    let mut tree = Tree::new(levels);
    let mut sum = 0.0;
    for run in runs {
        sum += run.iter().map(|&(level, weight)| weight * tree.below(level).documents).sum::<f64>();
        for &(level, weight) in run {
            tree.add(level, Sum { documents: weight, worth: 0.0 });
        }
    }
    sum
}

/// The products of the pairs of different levels within one block, its levels rising.
fn products_within(documents: &[(u32, f64)]) -> f64 {
    let (mut sum, mut before) = (0.0, 0.0);
    for level in documents.chunk_by(|a, b| a.0 == b.0) {
        let here: f64 = level.iter().map(|(_, weight)| weight).sum();
        sum += before * here;
        before += here;
    }
    sum
}

pub fn choose_2(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Worths less the least of them, small enough that no sum over pairs of them is infinite.
fn above_least(mut worths: Vec<f64>) -> Vec<f64> {
    let (most, least) = (worths.first().copied().unwrap_or(0.0), worths.last().copied().unwrap_or(0.0));
    // A power of two changes no digit.
    let scale = if most.abs().max(least.abs()) < 1e150 { 1.0 } else { 2f64.powi(-600) };
    for worth in &mut worths {
        *worth = *worth * scale - least * scale;
    }
    worths
}

/// The ranks as runs of equal scores, single ones among them.
fn runs(len: usize, open: &[Block]) -> std::vec::IntoIter<Block> {
    let mut found = Vec::with_capacity(len);
    let mut rank = 0;
    for &block in open {
        found.extend((rank..block.start).map(|start| Block { start, len: 1 }));
        found.push(block);
        rank = block.end();
    }
    found.extend((rank..len).map(|start| Block { start, len: 1 }));
    found.into_iter()
}

/// What the pairs weigh in which the document of greater worth is in an earlier run than the other.
fn greater_before<'a>(runs: impl Iterator<Item = &'a [u32]>, levels: usize, worths: Option<&[f64]>) -> f64 {
    let worth = |level: u32| worths.and_then(|w| w.get(level as usize)).copied().unwrap_or(0.0);
    let mut tree = Tree::new(levels);
    let mut sum = 0.0;
    for run in runs {
        for &level in run {
            let above = tree.below(level);
            sum += if worths.is_some() { above.worth - above.documents * worth(level) } else { above.documents };
        }
        for &level in run {
            tree.add(level, Sum { documents: 1.0, worth: worth(level) });
        }
    }
    sum
}

/// What the pairs within one block weigh, its levels rising.
fn within(levels: &[u32], worths: Option<&[f64]>) -> f64 {
    let mut sum = 0.0;
    let mut greater = 0;
    // Between one level and the next lie all pairs of a document before and one after.
    let mut chunks = levels.chunk_by(|a, b| a == b).peekable();
    while let Some(here) = chunks.next() {
        match (worths, here.first(), chunks.peek().and_then(|next| next.first())) {
            (None, ..) => sum += (greater * here.len()) as f64,
            (Some(worths), Some(&a), Some(&b)) => {
                let gap = worths.get(a as usize).unwrap_or(&0.0) - worths.get(b as usize).unwrap_or(&0.0);
                let before = greater + here.len();
                sum += gap * (before * (levels.len() - before)) as f64;
            }
            _ => {}
        }
        greater += here.len();
    }
    sum
}

/// A sum of documents.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    documents: f64,
    worth: f64,
}

/// Sums over the levels below a given one, each by a walk over log levels of nodes (Fenwick's binary indexed tree).
struct Tree(Vec<Sum>);

impl Tree {
    fn new(levels: usize) -> Self {
        Self(vec![Sum::default(); levels + 1])
    }

    fn add(&mut self, level: u32, more: Sum) {
        let mut node = level as usize + 1;
        while let Some(sum) = self.0.get_mut(node) {
            sum.documents += more.documents;
            sum.worth += more.worth;
            node += node & node.wrapping_neg();
        }
    }

    fn below(&self, level: u32) -> Sum {
        let mut sum = Sum::default();
        let mut node = level as usize;
        while node > 0 {
            if let Some(part) = self.0.get(node) {
                sum.documents += part.documents;
                sum.worth += part.worth;
            }
            node &= node - 1;
        }
        sum
    }
}
