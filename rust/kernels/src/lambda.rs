//! Lambdas: for each pair of documents of a list, how strongly a learner should push them apart, and the sum of those
//! pushes a document (LambdaMART's gradient and hessian). One formula a file.
//!
//! Of a pair with scores sᵢ, sⱼ, where the value of the list is higher by Δ with i in the higher of the two places:
//! λ = σ Δ ρ and h = σ² Δ ρ (1 − ρ), ρ = 1 / (1 + exp(σ (sᵢ − sⱼ))). The gradient of i falls by λ, that of j rises by λ,
//! both hessians rise by h: gradient and hessian of Σ Δ log(1 + exp(−σ (sᵢ − sⱼ))) with Δ held fast.
//!
//! Vocabulary: a *place* is a rank of the list as its tie rule leaves it. Documents of an open block share their places:
//! each order of them is as likely as any other. Every formula here is linear in what each of two documents is worth, so
//! a pair's change is (worth of the upper − worth of the lower) × a *factor* that hangs on their places.

mod additive;
mod average_precision;
mod err;
mod places;
mod reciprocal_rank;
mod separable;

use pulp::{Simd, WithSimd};

use crate::error::{Error, Result};
use crate::evaluate::{Code, Evaluator, Lists, Ordering, span};
use crate::measures::{Denominator, Formula, List, Measure};
use crate::order::Score;
use crate::threads;
use places::Places;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub sigma: f64,
    /// Discounts go on below the cut-off, for the pairs that touch the top.
    pub discounted_below: bool,
    /// As LightGBM: each change over 0.01 + |sᵢ − sⱼ|, and the sum S of a list's λ becomes log2(1 + S).
    pub normalized: bool,
}

/// Gradient and hessian of each row.
#[derive(Debug, Clone, Default)]
pub struct Lambdas {
    pub gradient: Vec<f64>,
    pub hessian: Vec<f64>,
}

/// What two documents that exchange places change, as factors of the difference of their worths.
trait Factors {
    /// Ranks that can be the upper one of a pair that matters.
    fn uppers(&self) -> usize;
    /// The factors of an upper one with each lower one, into `row` by rank; twins share a row.
    fn fill(&mut self, upper: usize, places: &Places, row: &mut [f64]);
}

/// Pairs grow with the square of a list: less work than this many rows is not worth waking a thread for.
const SMALL: usize = 1 << 12;
/// What two or four registers hold. Sums are kept a lane each, and a rank's lane does not hang on where a row begins: every
/// machine adds in the same order, and twins, which add nothing to each other, get the same bits.
const LANES: usize = 8;
/// As long as σ times the range of scores stays below this, exp(σ s) of one document may be multiplied by another's.
const NARROW: f64 = 600.0;

/// `weights` are those of lists; none: each weighs 1.
pub fn lambdas<S: Score, C: Code>(
    lists: &Lists<'_, S, C>,
    ordering: Ordering<'_>,
    measure: &Measure,
    options: Options,
    weights: &[f64],
    threads: Option<usize>,
) -> Result<Lambdas> {
    check(lists, ordering, measure, options, weights)?;
    let blocks = threads::blocks(lists.offsets, SMALL);
    let state = || Worker::new(lists, ordering, measure, options, weights);
    let mut parts = threads::each(threads, blocks, state, Worker::run);
    if parts.len() == 1 {
        return Ok(parts.pop().unwrap_or_default());
    }
    let mut all = Lambdas { gradient: Vec::with_capacity(lists.codes.len()), hessian: Vec::with_capacity(lists.codes.len()) };
    for part in parts {
        all.gradient.extend(part.gradient);
        all.hessian.extend(part.hessian);
    }
    Ok(all)
}

fn check<S: Score, C: Code>(
    lists: &Lists<'_, S, C>,
    ordering: Ordering<'_>,
    measure: &Measure,
    options: Options,
    weights: &[f64],
) -> Result<()> {
    let has_lambdas = matches!(
        measure.formula,
        Formula::Dcg | Formula::Ndcg | Formula::Precision | Formula::AveragePrecision | Formula::ReciprocalRank | Formula::Err
    );
    if !has_lambdas {
        return Err(Error::new("", "the measure has no lambdas"));
    }
    if !(options.sigma > 0.0 && options.sigma.is_finite()) {
        return Err(Error::new("sigma", format!("must be a number above 0, not {}", options.sigma)));
    }
    let count = lists.offsets.len().saturating_sub(1);
    if !weights.is_empty() && weights.len() != count {
        return Err(Error::new("weights", format!("{} weights for {count} lists", weights.len())));
    }
    if let Some(row) = lists.scores.iter().position(|&s| !read(s, ordering).is_finite()) {
        return Err(Error::new(format!("scores, row {row}"), "the score is not finite, which has no difference from others"));
    }
    Ok(())
}

/// A score as the convention reads it: those that it takes for equal have no margin.
fn read<S: Score>(score: S, ordering: Ordering<'_>) -> f64 {
    if ordering.single { score.to_f32().into() } else { score.into() }
}

struct Worker<'a, S, C> {
    lists: &'a Lists<'a, S, C>,
    evaluator: Evaluator<'a, S, C>,
    ordering: Ordering<'a>,
    measure: &'a Measure,
    options: Options,
    weights: &'a [f64],
    arch: pulp::Arch,
    places: Places,
    sums: Sums,
}

impl<'a, S: Score, C: Code> Worker<'a, S, C> {
    fn new(lists: &'a Lists<'a, S, C>, ordering: Ordering<'a>, measure: &'a Measure, options: Options, weights: &'a [f64]) -> Self {
        Self {
            lists,
            evaluator: Evaluator::whole(lists, ordering),
            ordering,
            measure,
            options,
            weights,
            arch: pulp::Arch::new(),
            places: Places::default(),
            sums: Sums::default(),
        }
    }

    fn run(&mut self, lists: std::ops::Range<usize>) -> Lambdas {
        let first = span(self.lists.offsets, lists.start).start;
        let rows = span(self.lists.offsets, lists.end.saturating_sub(1)).end - first;
        let mut all = Lambdas { gradient: vec![0.0; rows], hessian: vec![0.0; rows] };
        for list in lists {
            let rows = span(self.lists.offsets, list);
            let here = rows.start - first..rows.end - first;
            if let (Some(gradient), Some(hessian)) = (all.gradient.get_mut(here.clone()), all.hessian.get_mut(here)) {
                self.one(list, gradient, hessian);
            }
        }
        all
    }

    /// The lambdas of one list, whose rows hold zeros.
    fn one(&mut self, list: usize, gradient: &mut [f64], hessian: &mut [f64]) {
        let weight = self.weights.get(list).copied().unwrap_or(1.0);
        if weight == 0.0 {
            return;
        }
        let Some((len, _)) = self.evaluator.take_up(list) else { return };
        let measure = self.measure;
        if measure.short_is_zero && measure.depth != usize::MAX && len < measure.depth {
            return;
        }
        let evaluator = &self.evaluator;
        let seen =
            List { ranked: &evaluator.ranked, open: &[], kept: false, len, retrieved: &evaluator.retrieved, judged: &evaluator.judged };
        let Some(over) = measure.divisor(&seen) else { return };
        let rows = span(self.lists.offsets, list);
        let (Some(scores), Some(codes)) = (self.lists.scores.get(rows.clone()), self.lists.codes.get(rows)) else { return };
        self.places.take_up(&evaluator.order, self.ordering.ties, codes, measure);
        self.places.depth = if self.ordering.positive { measure.depth.min(evaluator.ranked.len()) } else { measure.depth };
        if self.places.are_all_alike() {
            return;
        }
        let scores = self.places.rows.iter().filter_map(|&row| scores.get(row as usize)).map(|&s| read(s, self.ordering));
        self.sums.start(&self.places, scores, self.options);
        self.add_pairs(over);
        let factor = self.sums.norm() * weight;
        self.sums.write(&self.places, self.options.sigma, factor, gradient, hessian);
    }

    fn add_pairs(&mut self, over: f64) {
        let (measure, places) = (self.measure, &self.places);
        match measure.formula {
            Formula::AveragePrecision if measure.denominator == Denominator::Hits => {
                self.pairs(average_precision::OverHits::new(places));
            }
            Formula::AveragePrecision => self.pairs(average_precision::factors(places, over)),
            Formula::ReciprocalRank => self.pairs(reciprocal_rank::factors(measure, places)),
            Formula::Err => self.pairs(err::Readers::new(places)),
            _ => self.pairs(additive::factors(measure, places, over, self.options.discounted_below)),
        }
    }

    fn pairs<F: Factors>(&mut self, factors: F) {
        self.arch.dispatch(Pairs { factors, places: &self.places, sums: &mut self.sums });
    }
}

/// What the pairs of one list add up to, by rank. Columns are filled up to whole lanes with documents that change nothing.
#[derive(Default)]
struct Sums {
    scores: Vec<f64>,
    /// exp(σ (s − the middle of the range)), unless the range is too wide for it.
    powers: Vec<f64>,
    sigma: f64,
    normalized: bool,
    /// A change is divided by `apart.0 + apart.1 |sᵢ − sⱼ|`.
    apart: (f64, f64),
    row: Vec<f64>,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    /// Σ λ / σ over all pairs.
    total: f64,
}

impl Sums {
    fn start(&mut self, places: &Places, scores: impl Iterator<Item = f64>, options: Options) {
        let whole = places.len().next_multiple_of(LANES);
        self.scores.clear();
        self.scores.extend(scores);
        let (most, least) = self.scores.iter().fold((f64::MIN, f64::MAX), |(most, least), &s| (most.max(s), least.min(s)));
        self.powers.clear();
        if options.sigma * (most - least) < NARROW {
            let middle = least + (most - least) / 2.0;
            self.powers.extend(self.scores.iter().map(|s| (options.sigma * (s - middle)).exp()));
            self.powers.resize(whole, 1.0);
        }
        self.scores.resize(whole, least);
        self.sigma = options.sigma;
        self.normalized = options.normalized;
        self.apart = if options.normalized && most > least { (0.01, 1.0) } else { (1.0, 0.0) };
        for column in [&mut self.row, &mut self.gradient, &mut self.hessian] {
            column.clear();
            column.resize(whole, 0.0);
        }
        self.total = 0.0;
    }

    /// What LightGBM multiplies a list's lambdas by: of a pair it counts both documents.
    fn norm(&self) -> f64 {
        let total = 2.0 * self.sigma * self.total;
        if self.normalized && total > 0.0 { (1.0 + total).log2() / total } else { 1.0 }
    }

    fn write(&self, places: &Places, sigma: f64, factor: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        for ((&row, g), h) in places.rows.iter().zip(&self.gradient).zip(&self.hessian) {
            if let (Some(gradient), Some(hessian)) = (gradient.get_mut(row as usize), hessian.get_mut(row as usize)) {
                *gradient = g * sigma * factor;
                *hessian = h * sigma * sigma * factor;
            }
        }
    }
}

struct Pairs<'a, F> {
    factors: F,
    places: &'a Places,
    sums: &'a mut Sums,
}

impl<F: Factors> WithSimd for Pairs<'_, F> {
    type Output = ();
    #[inline(always)]
    fn with_simd<Set: Simd>(mut self, _: Set) {
        let last = self.factors.uppers().min(self.places.len());
        for upper in 0..last {
            if !self.places.is_twin_of_the_one_before(upper) {
                self.factors.fill(upper, self.places, &mut self.sums.row);
            }
            // The lanes that hold the upper one itself, or ranks above it, add nothing.
            let lanes = (upper + 1) / LANES * LANES;
            if let Some(above) = self.sums.row.get_mut(lanes..=upper) {
                above.fill(0.0);
            }
            let own = Own {
                worth: self.places.worth.get(upper).copied().unwrap_or(0.0),
                score: self.sums.scores.get(upper).copied().unwrap_or(0.0),
                power: self.sums.powers.get(upper).copied().unwrap_or(1.0),
            };
            let added = if self.sums.powers.is_empty() {
                own.far(lanes, self.places, self.sums)
            } else if self.sums.normalized {
                own.near::<true>(lanes, self.places, self.sums)
            } else {
                own.near::<false>(lanes, self.places, self.sums)
            };
            if let (Some(g), Some(h)) = (self.sums.gradient.get_mut(upper), self.sums.hessian.get_mut(upper)) {
                *g -= added.gradient;
                *h += added.hessian;
            }
            self.sums.total += added.total;
        }
    }
}

/// The upper document of pairs.
struct Own {
    worth: f64,
    score: f64,
    power: f64,
}

struct Added {
    gradient: f64,
    hessian: f64,
    total: f64,
}

impl Own {
    /// With ρ = exp(σ sⱼ) / (exp(σ sᵢ) + exp(σ sⱼ)) from each document's own power: one division a pair.
    #[inline(always)]
    fn near<const NORMALIZED: bool>(&self, from: usize, places: &Places, sums: &mut Sums) -> Added {
        let (base, slope) = sums.apart;
        let (worth, _) = places.worth.get(from..).unwrap_or_default().as_chunks::<LANES>();
        let (row, _) = sums.row.get(from..).unwrap_or_default().as_chunks::<LANES>();
        let (powers, _) = sums.powers.get(from..).unwrap_or_default().as_chunks::<LANES>();
        let (scores, _) = sums.scores.get(from..).unwrap_or_default().as_chunks::<LANES>();
        let (gradient, _) = sums.gradient.get_mut(from..).unwrap_or_default().as_chunks_mut::<LANES>();
        let (hessian, _) = sums.hessian.get_mut(from..).unwrap_or_default().as_chunks_mut::<LANES>();
        let (mut own_gradient, mut own_hessian, mut total) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let lower = worth.iter().zip(row).zip(powers).zip(scores);
        for ((((worth, factor), power), score), (gradient, hessian)) in lower.zip(gradient.iter_mut().zip(hessian.iter_mut())) {
            for lane in 0..LANES {
                let change = (self.worth - worth[lane]) * factor[lane];
                let apart = if NORMALIZED { base + slope * (self.score - score[lane]).abs() } else { 1.0 };
                let over = 1.0 / ((self.power + power[lane]) * apart);
                let (upper, lower) = (self.power * over, power[lane] * over);
                let lambda = change * if change > 0.0 { lower } else { upper };
                let curve = change.abs() * upper * lower * apart;
                gradient[lane] += lambda;
                hessian[lane] += curve;
                own_gradient[lane] += lambda;
                own_hessian[lane] += curve;
                if NORMALIZED {
                    total[lane] += lambda.abs();
                }
            }
        }
        Added { gradient: own_gradient.iter().sum(), hessian: own_hessian.iter().sum(), total: total.iter().sum() }
    }

    /// For scores so far apart that powers would overflow.
    #[inline(always)]
    fn far(&self, from: usize, places: &Places, sums: &mut Sums) -> Added {
        let (base, slope) = sums.apart;
        let mut added = Added { gradient: 0.0, hessian: 0.0, total: 0.0 };
        let lower = places.worth.iter().zip(&sums.row).zip(&sums.scores).zip(sums.gradient.iter_mut().zip(sums.hessian.iter_mut()));
        for (((worth, factor), score), (gradient, hessian)) in lower.skip(from) {
            let change = (self.worth - worth) * factor;
            if change == 0.0 {
                continue;
            }
            let margin = sums.sigma * (self.score - score);
            // exp(−|margin|) never overflows; ρ is its share on the side that is ahead.
            let small = (-margin.abs()).exp();
            let behind = small / (1.0 + small);
            let rho = if (change > 0.0) == (margin > 0.0) { behind } else { 1.0 / (1.0 + small) };
            let apart = base + slope * (self.score - score).abs();
            let lambda = change * rho / apart;
            let curve = change.abs() * behind / (1.0 + small) / apart;
            *gradient += lambda;
            *hessian += curve;
            added.gradient += lambda;
            added.hessian += curve;
            added.total += lambda.abs();
        }
        added
    }
}
