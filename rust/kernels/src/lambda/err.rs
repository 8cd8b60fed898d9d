//! ERR: a reader who stops at a document with its chance; two documents that exchange places change where that is.
//!
//! A reader reaches block U with chance Q. With others of U who let him pass with chance Π, and x in U, what he finds in U is
//! linear in x, with slope β. Between U and the block L of the lower one he finds T and passes with chance Z; in L he finds
//! f(1) if the one who came there stops him for certain. The pair's factor is Q (β − Π (T + Z f(1))).
//!
//! With i directly above j after t others of their block the factor is Q ē_t (1/rank − 1/(rank + 1)), where ē_t is the mean
//! product of t of the others' chances to pass (an elementary symmetric mean), averaged over t.
//! A block of m documents of g different grades takes O(g² m min(m, k)) operations, once a list.

use super::{Factors, places::Places};
use crate::measures::symmetric_means;
use crate::order::Block;

pub(super) struct Readers {
    uppers: usize,
    /// By rank.
    slope: Vec<f64>,
    others_pass: Vec<f64>,
    certain: Vec<f64>,
    /// By block: the chance to reach it, what is found there, the chance to pass it.
    blocks: Vec<(f64, f64, f64)>,
}

impl Readers {
    pub fn new(places: &Places) -> Self {
        let mut found =
            Self { uppers: places.reach(), slope: Vec::new(), others_pass: Vec::new(), certain: Vec::new(), blocks: Vec::new() };
        let mut reached = 1.0;
        for &block in &places.blocks {
            let worths = places.worths(block);
            let passed = worths.iter().map(|stop| 1.0 - stop).product::<f64>();
            found.blocks.push((reached, found_in(places, block), passed));
            reached *= passed;
            let mut last = None;
            for (place, &worth) in worths.iter().enumerate() {
                let here = match last {
                    Some((before, here)) if before == worth => here,
                    _ => without(places, block, place),
                };
                last = Some((worth, here));
                found.slope.push(here.slope);
                found.others_pass.push(here.others_pass);
                found.certain.push(here.certain);
            }
        }
        found
    }
}

impl Factors for Readers {
    fn uppers(&self) -> usize {
        self.uppers
    }

    #[inline(always)]
    fn fill(&mut self, upper: usize, places: &Places, row: &mut [f64]) {
        let (at, block) = places.block_of(upper);
        let Some(&(reached, _, _)) = self.blocks.get(at) else { return };
        let mut lower = upper + 1;
        while lower < block.end() {
            let alike = (lower..block.end()).take_while(|&l| l == lower || places.is_twin_of_the_one_before(l)).count();
            if let Some(factors) = row.get_mut(lower..lower + alike) {
                factors.fill(reached * within(places, block, upper, lower));
            }
            lower += alike;
        }
        let own = |column: &[f64]| column.get(upper).copied().unwrap_or(0.0);
        let (slope, others_pass) = (own(&self.slope), own(&self.others_pass));
        let (mut between, mut passed) = (0.0, 1.0);
        for (block, &(_, found, pass)) in places.blocks.iter().zip(&self.blocks).skip(at + 1) {
            let (Some(factors), Some(certain)) = (row.get_mut(block.start..block.end()), self.certain.get(block.start..block.end())) else {
                return;
            };
            for (factor, certain) in factors.iter_mut().zip(certain) {
                *factor = reached * (slope - others_pass * (between + passed * certain));
            }
            between += passed * found;
            passed *= pass;
        }
    }
}

fn reciprocal(places: &Places, rank: usize) -> f64 {
    if rank < places.depth { 1.0 / (rank + 1) as f64 } else { 0.0 }
}

/// What a reader finds in a block.
fn found_in(places: &Places, block: Block) -> f64 {
    let worths = places.worths(block);
    if let &[stop] = worths {
        return stop * reciprocal(places, block.start);
    }
    let means = symmetric_means(worths, places.within(block));
    let stops = means.windows(2).map(|w| if let [before, after] = w { before - after } else { 0.0 });
    stops.enumerate().map(|(place, stop)| stop * reciprocal(places, block.start + place)).sum()
}

#[derive(Clone, Copy)]
struct Without {
    slope: f64,
    others_pass: f64,
    certain: f64,
}

/// What a block holds beside one of its documents.
fn without(places: &Places, block: Block, place: usize) -> Without {
    if block.len == 1 {
        let here = reciprocal(places, block.start);
        return Without { slope: here, others_pass: 1.0, certain: here };
    }
    let others: Vec<f64> = places.worths(block).iter().enumerate().filter(|&(p, _)| p != place).map(|(_, &w)| w).collect();
    let means = symmetric_means(&others, places.within(block));
    let mean = |t: usize| means.get(t).copied().unwrap_or(0.0);
    let rank = |t: usize| reciprocal(places, block.start + t);
    // By the place t of the document itself: what is found there, before it, and after it if it does not stop the reader.
    let after: f64 = (1..block.len).map(|t| t as f64 * (mean(t - 1) - mean(t)) * rank(t)).sum();
    let before: f64 = (0..block.len - 1).map(|t| (block.len - 1 - t) as f64 * (mean(t) - mean(t + 1)) * rank(t)).sum();
    let here: f64 = (0..block.len).map(|t| mean(t) * rank(t)).sum();
    let m = block.len as f64;
    let others_pass = others.iter().map(|stop| 1.0 - stop).product();
    Without { slope: (here - after) / m, others_pass, certain: (before + here) / m }
}

/// One document of a block directly above another one, over its places.
fn within(places: &Places, block: Block, upper: usize, lower: usize) -> f64 {
    let both = [upper - block.start, lower - block.start];
    let others: Vec<f64> = places.worths(block).iter().enumerate().filter(|(p, _)| !both.contains(p)).map(|(_, &w)| w).collect();
    let means = symmetric_means(&others, places.within(block).min(others.len()));
    let falls = (block.start..).map(|rank| reciprocal(places, rank) - reciprocal(places, rank + 1));
    means.iter().zip(falls).map(|(mean, fall)| mean * fall).sum::<f64>() / (block.len - 1) as f64
}
