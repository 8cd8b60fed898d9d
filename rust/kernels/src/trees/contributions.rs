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
        let rules: Vec<Vec<(Points, Points)>> =
            (0..=most).map(|points| if needed(&plans, points) { rule(points) } else { Vec::new() }).collect();
        let work = |scratch: &mut Scratch, rows: &[f32]| {
            let mut found = vec![0.0; rows.len() / self.features * (self.features + 1)];
            for (row, found) in rows.chunks(self.features).zip(found.chunks_mut(self.features + 1)) {
                for plan in &plans {
                    self.add(plan, rules.get(plan.points).map_or(&[][..], Vec::as_slice), row, scratch, found);
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
    fn add(&self, plan: &Plan<'_>, rule: &[(Points, Points)], row: &[f32], scratch: &mut Scratch, found: &mut [f64]) {
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
        for (points, weights) in rule {
            scratch.down.first_mut().into_iter().for_each(|root| *root = *weights);
            for (at, (node, step)) in own.iter().zip(&plan.steps).enumerate() {
                let (product, way) = scratch.at(at);
                let without = over(&product, &factors(step.share, way.before, step.before.is_some(), points));
                for (child, left) in [(node.left, true), (node.right, false)] {
                    let product = times(&without, &factors(step.share_of(left), way.before && way.goes_left == left, true, points));
                    match usize::try_from(child) {
                        Ok(child) => scratch.down.get_mut(child).into_iter().for_each(|slot| *slot = product),
                        Err(_) => {
                            let value = self.values.get(plan.tree.leaf(child)).copied().unwrap_or(0.0);
                            let slot = if left { scratch.left.get_mut(at) } else { scratch.right.get_mut(at) };
                            slot.into_iter().for_each(|slot| *slot = product.map(|p| p * value));
                        }
                    }
                }
            }
            for (at, (node, step)) in own.iter().zip(&plan.steps).enumerate().rev() {
                let (_, way) = scratch.at(at);
                let (left, right) = (scratch.below(at, node.left, true), scratch.below(at, node.right, false));
                let mut given = 0.0;
                for (sums, is_left) in [(&left, true), (&right, false)] {
                    let (share, follows) = (step.share_of(is_left), way.before && way.goes_left == is_left);
                    given += (f64::from(u8::from(follows)) - share) * total(&over(sums, &factors(share, follows, true, points)));
                }
                let both = plus(&left, &right);
                if step.before.is_some() {
                    let share = f64::from(u8::from(way.before)) - step.share;
                    given -= share * total(&over(&both, &factors(step.share, way.before, true, points)));
                }
                if let Some(slot) = found.get_mut(node.feature as usize) {
                    *slot += given;
                }
                scratch.down.get_mut(at).into_iter().for_each(|slot| *slot = both);
            }
        }
    }
}

impl Step {
    /// The share of training rows that its feature leaves below one of its sides.
    fn share_of(&self, left: bool) -> f64 {
        self.share * if left { self.left_share } else { 1.0 - self.left_share }
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

    fn at(&self, node: usize) -> (Points, Way) {
        (self.down.get(node).copied().unwrap_or_default(), self.ways.get(node).copied().unwrap_or_default())
    }

    fn follows(&self, above: usize, left: bool) -> bool {
        self.ways.get(above).is_some_and(|way| way.before && way.goes_left == left)
    }

    fn below(&self, node: usize, child: i32, left: bool) -> Points {
        let of_leaf = || if left { self.left.get(node) } else { self.right.get(node) };
        usize::try_from(child).map_or_else(|_| of_leaf(), |child| self.down.get(child)).copied().unwrap_or_default()
    }
}

/// o t + z (1 − t) at each point; 1 where the feature is not on the path.
#[inline(always)]
fn factors(share: f64, follows: bool, on_path: bool, points: &Points) -> Points {
    if !on_path {
        return [1.0; WIDTH];
    }
    let own = f64::from(u8::from(follows));
    points.map(|t| own * t + share * (1.0 - t))
}

#[inline(always)]
fn times(a: &Points, b: &Points) -> Points {
    std::array::from_fn(|i| a[i] * b[i])
}

#[inline(always)]
fn plus(a: &Points, b: &Points) -> Points {
    std::array::from_fn(|i| a[i] + b[i])
}

/// Where a factor is 0, so is the product it is taken out of, and the feature adds nothing.
#[inline(always)]
fn over(a: &Points, b: &Points) -> Points {
    std::array::from_fn(|i| if b[i] > 0.0 { a[i] / b[i] } else { 0.0 })
}

fn total(values: &Points) -> f64 {
    values.iter().sum()
}

fn needed(plans: &[Plan<'_>], points: usize) -> bool {
    plans.iter().any(|plan| plan.points == points)
}

/// Gauss and Legendre's rule for ∫₀¹, `WIDTH` points at a time; points that fill up the last ones weigh nothing.
fn rule(points: usize) -> Vec<(Points, Points)> {
    let all: Vec<(f64, f64)> = (0..points).map(|i| root(i, points)).collect();
    let filled = |chunk: &[(f64, f64)], pick: fn(&(f64, f64)) -> f64, rest: f64| -> Points {
        std::array::from_fn(|i| chunk.get(i).map_or(rest, pick))
    };
    all.chunks(WIDTH).map(|chunk| (filled(chunk, |p| p.0, 0.5), filled(chunk, |p| p.1, 0.0))).collect()
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
                let sum: f64 = rule(points).iter().flat_map(|(t, w)| t.iter().zip(w)).map(|(t, w)| w * t.powi(power as i32)).sum();
                assert!((sum - 1.0 / (power as f64 + 1.0)).abs() < 1e-14, "{points} points, power {power}");
            }
        }
    }
}
