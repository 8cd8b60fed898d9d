//! What each feature adds to a row's score: Shapley values of trees (Lundberg et al. 2020), exact.
//!
//! The game: features that are not in a coalition are drawn as the training rows were, so that a row splits at their
//! nodes by the shares of training rows that went left and right. At a leaf let M be the features of its path, oᵢ = 1 if
//! the row follows the path at all nodes of feature i, else 0, and zᵢ the product of the shares at these nodes. The leaf's
//! value v adds to feature i
//!
//! v (oᵢ − zᵢ) Σ_{S ⊆ M∖i} |S|! (|M| − |S| − 1)! / |M|! Π_{j ∈ S} oⱼ Π_{j ∈ M∖S∖i} zⱼ = v (oᵢ − zᵢ) ∫₀¹ Π_{j ∈ M∖i} (oⱼ t + zⱼ (1 − t)) dt,
//!
//! because the factorials are ∫ t^|S| (1 − t)^(|M|−|S|−1) dt. The integrand is a polynomial, for which Gauss and Legendre's
//! rule with |M| / 2 points is exact; all its terms are positive, so that nothing cancels. With P = Π_{j ∈ M} (…) carried
//! down the tree and Σ v P up again, a tree costs its nodes times its points.

use pulp::{Arch, Simd, WithSimd};

use super::blocks::LANES;
use super::{Forest, Tree};
use crate::error::{Error, Result};
use crate::threads;

/// Points that are taken at a time.
const WIDTH: usize = 8;
/// A path of more distinct features than this would take minutes.
const MOST_FEATURES: usize = 1024;

type Points = [f64; WIDTH];

/// A node as contributions see it: the nearest node above of the same feature and the side of it, and the product of
/// the shares of all such nodes.
#[derive(Debug, Clone, Copy)]
struct Step {
    before: Option<(usize, bool)>,
    share: f64,
    left_share: f64,
}

/// A tree with what does not hang on the row.
#[derive(Debug)]
struct Plan<'a> {
    tree: &'a Tree,
    steps: Vec<Step>,
    /// How many points of the rule its longest path needs.
    points: usize,
    mean: f64,
}

impl Forest {
    /// Rows × (features + 1); last stands the mean over the training rows, and a row sums to its score.
    pub fn contributions(&self, table: &[f32], threads: Option<usize>) -> Result<Vec<f64>> {
        if self.left_share.len() != self.nodes.len() {
            let hint = "how many training rows fell into each leaf has to be known.";
            return Err(Error::new("", "trees without counts have no contributions").hint(hint));
        }
        self.pieces(table)?;
        let plans = self.trees.iter().map(|tree| self.plan(tree)).collect::<Result<Vec<_>>>()?;
        let most = plans.iter().map(|plan| plan.points).max().unwrap_or(0);
        let rules: Vec<Vec<Rule>> = (0..=most).map(|points| if needed(&plans, points) { rule(points) } else { Vec::new() }).collect();
        let work = |scratch: &mut Scratch, rows: &[f32]| {
            let mut found = vec![0.0; rows.len() / self.features * (self.features + 1)];
            for (row, found) in rows.chunks(self.features).zip(found.chunks_mut(self.features + 1)) {
                for plan in &plans {
                    let rule = rules.get(plan.points).map_or(&[][..], Vec::as_slice);
                    Arch::new().dispatch(Adding { forest: self, plan, rule, row, scratch, found });
                }
            }
            found
        };
        let pieces = table.chunks(LANES * self.features).collect();
        Ok(threads::each(threads, pieces, Scratch::default, work).concat())
    }

    /// Goes down every path once, knowing of each feature the last node on it.
    fn plan<'a>(&self, tree: &'a Tree) -> Result<Plan<'a>> {
        let own = self.nodes.get(tree.nodes.clone()).unwrap_or_default();
        let left_shares = self.left_share.get(tree.nodes.clone()).unwrap_or_default();
        let mut steps = vec![Step { before: None, share: 1.0, left_share: 0.5 }; own.len()];
        let mut last: std::collections::HashMap<u32, (usize, bool, f64)> = std::collections::HashMap::new();
        let (mut mean, mut most) = (0.0, 0);
        // What is to come: go down to a child with its share of the rows, or forget a node whose paths are done.
        enum Next {
            Down { child: i32, share: f64, by: Option<(usize, bool)> },
            Forget { feature: u32, known: Option<(usize, bool, f64)> },
        }
        let mut waiting = vec![Next::Down { child: tree.root(), share: 1.0, by: None }];
        while let Some(next) = waiting.pop() {
            let (child, share, by) = match next {
                Next::Down { child, share, by } => (child, share, by),
                Next::Forget { feature, known } => {
                    match known {
                        Some(known) => last.insert(feature, known),
                        None => last.remove(&feature),
                    };
                    continue;
                }
            };
            if let Some((above, left)) = by
                && let (Some(node), Some(step)) = (own.get(above), steps.get(above))
            {
                let side = if left { step.left_share } else { 1.0 - step.left_share };
                last.insert(node.feature, (above, left, step.share * side));
                most = most.max(last.len());
            }
            let Ok(at) = usize::try_from(child) else {
                mean += share * self.values.get(tree.leaf(child)).copied().unwrap_or(0.0);
                continue;
            };
            let (Some(node), Some(step), Some(&left_share)) = (own.get(at), steps.get_mut(at), left_shares.get(at)) else { continue };
            let known = last.get(&node.feature).copied();
            *step = Step { before: known.map(|(at, left, _)| (at, left)), share: known.map_or(1.0, |(_, _, share)| share), left_share };
            waiting.push(Next::Forget { feature: node.feature, known });
            waiting.push(Next::Down { child: node.right, share: share * (1.0 - left_share), by: Some((at, false)) });
            waiting.push(Next::Down { child: node.left, share: share * left_share, by: Some((at, true)) });
        }
        if most > MOST_FEATURES {
            let what = format!("a path of a tree looks at {most} features, too many for contributions (at most {MOST_FEATURES})");
            return Err(Error::new("", what));
        }
        Ok(Plan { tree, steps, points: most.div_ceil(2), mean })
    }

    /// Adds what the features give in one tree.
    #[inline(always)]
    fn add(&self, plan: &Plan<'_>, rule: &[Rule], row: &[f32], scratch: &mut Scratch, found: &mut [f64]) {
        let own = self.nodes.get(plan.tree.nodes.clone()).unwrap_or_default();
        if let Some(constant) = found.last_mut() {
            *constant += plan.mean;
        }
        scratch.begin(own.len());
        for (at, (node, step)) in own.iter().zip(&plan.steps).enumerate() {
            let x = row.get(node.feature as usize).copied().unwrap_or(f32::NAN);
            let before = step.before.is_none_or(|(above, left)| scratch.follows(above, left));
            if let Some(slot) = scratch.ways.get_mut(at) {
                *slot = Way { goes_left: node.goes_left(x, &self.sets), before };
            }
        }
        for points in rule {
            if let Some(root) = scratch.down.first_mut() {
                *root = points.weights;
            }
            for (at, (node, step)) in own.iter().zip(&plan.steps).enumerate() {
                let (product, way) = scratch.at(at);
                let [left, right] = step.split(&product, way, points);
                for (child, product, of_leaf) in [(node.left, left, &mut scratch.left), (node.right, right, &mut scratch.right)] {
                    if let Ok(child) = usize::try_from(child) {
                        if let Some(slot) = scratch.down.get_mut(child) {
                            *slot = product;
                        }
                    } else if let (Some(slot), Some(&value)) = (of_leaf.get_mut(at), self.values.get(plan.tree.leaf(child))) {
                        *slot = each(&product, |p| p * value);
                    }
                }
            }
            for (at, (node, step)) in own.iter().zip(&plan.steps).enumerate().rev() {
                let (_, way) = scratch.at(at);
                let (left, right) = (scratch.below(at, node.left, true), scratch.below(at, node.right, false));
                if let (true, Some(slot)) = (way.before, found.get_mut(node.feature as usize)) {
                    *slot += step.given(&left, &right, way.goes_left, points);
                }
                if let Some(slot) = scratch.down.get_mut(at) {
                    *slot = both(&left, &right, |a, b| a + b);
                }
            }
        }
    }
}

impl Step {
    /// What is carried to the left and to the right: the factor of the node's feature exchanged for that of the side.
    #[inline(always)]
    fn split(&self, product: &Points, way: Way, points: &Rule) -> [Points; 2] {
        let shares = [self.left_share, 1.0 - self.left_share];
        if !way.before {
            // Of z (1 − t) only z changes.
            return [each(product, |p| p * shares[0]), each(product, |p| p * shares[1])];
        }
        let without = self.without(product, points);
        let of_side = |share: f64, follows: f64| both(&without, &points.t, |p, t| p * (follows * t + self.share * share * (1.0 - t)));
        let left = f64::from(u8::from(way.goes_left));
        [of_side(shares[0], left), of_side(shares[1], 1.0 - left)]
    }

    /// What a row that followed all nodes above of the same feature gains by following one side here, from the sums
    /// Σ v P of both sides. One that did not gains nothing more: −z / (z (1 − t)) is the same above and below.
    #[inline(always)]
    fn given(&self, left: &Points, right: &Points, goes_left: bool, points: &Rule) -> f64 {
        let (side, other, share) = if goes_left { (left, right, self.left_share) } else { (right, left, 1.0 - self.left_share) };
        let share = self.share * share;
        let own = total(&both(side, &points.t, |sum, t| sum / followed(share, t)));
        let lost = total(&both(other, &points.t, |sum, t| sum / (1.0 - t)));
        let above = self.without(&both(left, right, |a, b| a + b), points);
        let above = if self.before.is_some() { (1.0 - self.share) * total(&above) } else { 0.0 };
        (1.0 - share) * own - lost - above
    }

    /// Without the factor of the feature, which the row has followed so far.
    #[inline(always)]
    fn without(&self, product: &Points, points: &Rule) -> Points {
        if self.before.is_none() { *product } else { both(product, &points.t, |p, t| p / followed(self.share, t)) }
    }
}

/// The factor of a feature of which the row follows the path; above 0, as t is.
#[inline(always)]
fn followed(share: f64, t: f64) -> f64 {
    t + share * (1.0 - t)
}

struct Adding<'a> {
    forest: &'a Forest,
    plan: &'a Plan<'a>,
    rule: &'a [Rule],
    row: &'a [f32],
    scratch: &'a mut Scratch,
    found: &'a mut [f64],
}

impl WithSimd for Adding<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) {
        self.forest.add(self.plan, self.rule, self.row, self.scratch, self.found);
    }
}

/// Where a row goes at a node, and whether it followed the path at all nodes above of the same feature.
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    goes_left: bool,
    before: bool,
}

/// What a thread keeps from row to row: of each node, products on the way down, then sums on the way up; sums of leaves.
#[derive(Debug, Default)]
struct Scratch {
    ways: Vec<Way>,
    down: Vec<Points>,
    left: Vec<Points>,
    right: Vec<Points>,
}

impl Scratch {
    fn begin(&mut self, nodes: usize) {
        if self.ways.len() < nodes {
            self.ways.resize(nodes, Way::default());
            for points in [&mut self.down, &mut self.left, &mut self.right] {
                points.resize(nodes, [0.0; WIDTH]);
            }
        }
    }

    #[inline(always)]
    fn at(&self, node: usize) -> (Points, Way) {
        (self.down.get(node).copied().unwrap_or_default(), self.ways.get(node).copied().unwrap_or_default())
    }

    #[inline(always)]
    fn follows(&self, above: usize, left: bool) -> bool {
        self.ways.get(above).is_some_and(|way| way.before && way.goes_left == left)
    }

    #[inline(always)]
    fn below(&self, node: usize, child: i32, left: bool) -> Points {
        let of_leaf = || if left { self.left.get(node) } else { self.right.get(node) };
        usize::try_from(child).map_or_else(|_| of_leaf(), |child| self.down.get(child)).copied().unwrap_or_default()
    }
}

// Loops, not the closures of arrays' own methods, which are not compiled for the wide instructions.
#[inline(always)]
fn each(a: &Points, of: impl Fn(f64) -> f64) -> Points {
    let mut found = *a;
    for x in &mut found {
        *x = of(*x);
    }
    found
}

#[inline(always)]
fn both(a: &Points, b: &Points, of: impl Fn(f64, f64) -> f64) -> Points {
    let mut found = *a;
    for (x, &y) in found.iter_mut().zip(b) {
        *x = of(*x, y);
    }
    found
}

#[inline(always)]
fn total(&[a, b, c, d, e, f, g, h]: &Points) -> f64 {
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

fn needed(plans: &[Plan<'_>], points: usize) -> bool {
    plans.iter().any(|plan| plan.points == points)
}

/// A few points of Gauss and Legendre's rule for ∫₀¹, and their weights.
#[derive(Debug, Clone, Copy)]
struct Rule {
    t: Points,
    weights: Points,
}

/// The rule, `WIDTH` points at a time; points that fill up the last ones weigh nothing.
fn rule(points: usize) -> Vec<Rule> {
    let all: Vec<(f64, f64)> = (0..points).map(|i| root(i, points)).collect();
    let at = |chunk: &[(f64, f64)], i: usize| chunk.get(i).copied().unwrap_or((0.5, 0.0));
    let filled =
        |chunk: &[(f64, f64)]| Rule { t: std::array::from_fn(|i| at(chunk, i).0), weights: std::array::from_fn(|i| at(chunk, i).1) };
    all.chunks(WIDTH).map(filled).collect()
}

/// The i-th root of Legendre's polynomial of degree n and its weight, brought to 0 … 1; by Newton's method.
fn root(i: usize, n: usize) -> (f64, f64) {
    let degree = n as f64;
    let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (degree + 0.5)).cos();
    for _ in 0..100 {
        let (value, slope) = legendre(x, n);
        x -= value / slope;
        if (value / slope).abs() < 1e-16 {
            break;
        }
    }
    let slope = legendre(x, n).1;
    ((1.0 + x) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
}

/// Legendre's polynomial and its derivative.
fn legendre(x: f64, n: usize) -> (f64, f64) {
    let (mut before, mut own) = (0.0, 1.0);
    for k in 1..=n {
        let k = k as f64;
        (before, own) = (own, ((2.0 * k - 1.0) * x * own - (k - 1.0) * before) / k);
    }
    (own, n as f64 * (x * own - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_exact_for_polynomials() {
        for points in 1..40 {
            for power in 0..2 * points {
                let sum: f64 =
                    rule(points).iter().flat_map(|r| r.t.into_iter().zip(r.weights)).map(|(t, w)| w * t.powi(power as i32)).sum();
                assert!((sum - 1.0 / (power as f64 + 1.0)).abs() < 1e-14, "{points} points, power {power}");
            }
        }
    }
}
