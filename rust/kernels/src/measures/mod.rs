//! Measures: the grades of one list in ranked order → one number. One formula a file; nothing here sorts a list.
//!
//! Vocabulary: `worth[grade]` is what a document of that grade counts: its gain, or 1 and 0 for relevant and not,
//! or the chance that it ends a search. A convention has become such tables before it comes here.
//! A formula returns `None` where it is undefined (its denominator is 0): the list is *empty* for this measure.

mod average_precision;
mod binary_g;
mod bpref;
mod counts;
mod dcg;
mod err;
mod f_measure;
mod first_relevant;
mod graded_average_precision;
mod inferred_average_precision;
mod interpolated_precision;
mod kendall;
mod mean_ndcg;
mod ndcg;
mod ndcg_rel;
mod normalized_g;
mod pair_accuracy;
mod pair_agreement;
mod pairs;
mod perfect;
mod precision;
mod r_precision;
mod recall;
mod reciprocal_rank;
mod rndcg;
mod set_average_precision;
mod spearman;
mod success;
mod utility;
mod warp_loss;

use crate::order::Block;

pub(crate) use err::symmetric_means;

/// How many documents of the list, or judged for its query, have a grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub grade: u32,
    pub documents: u32,
}

/// One list as its measures see it.
pub struct List<'a> {
    /// Grades by rank; may end below the greatest depth that is asked for.
    pub ranked: &'a [u32],
    /// Blocks of equal scores whose order is left open: a formula takes the mean over their orders.
    pub open: &'a [Block],
    /// Whether those blocks stay ties instead, for the formulas that have a rule for them.
    pub kept: bool,
    /// Documents retrieved.
    pub len: usize,
    /// Grades of the documents retrieved.
    pub retrieved: &'a [Count],
    /// Grades of all documents judged for the query, retrieved or not.
    pub judged: &'a [Count],
}

impl<'a> List<'a> {
    /// The blocks that stay ties.
    fn kept_ties(&self) -> impl Iterator<Item = &'a Block> {
        if self.kept { self.open } else { &[] }.iter()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    Dcg,
    Ndcg,
    MeanNdcg,
    Precision,
    Recall,
    AveragePrecision,
    GradedAveragePrecision,
    ReciprocalRank,
    Err,
    RPrecision,
    Bpref,
    InterpolatedPrecision,
    NdcgRel,
    Rndcg,
    Success,
    FMeasure,
    SetAveragePrecision,
    InferredAveragePrecision,
    BinaryG,
    NormalizedG,
    Utility,
    Lists,
    Retrieved,
    Relevant,
    RelevantRetrieved,
    PairAccuracy,
    PairAgreement,
    Kendall,
    Spearman,
    WarpLoss,
    FirstRelevant,
    Perfect,
}

/// Which documents make the ideal list and count as the relevant ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    Judged,
    Retrieved,
}

/// Where the ideal list ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdealCut {
    Depth,
    Nowhere,
    Hits,
}

/// What a count of hits is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denominator {
    /// k
    Depth,
    /// min(k, n)
    Returned,
    /// R
    Relevant,
    /// min(R, k)
    RelevantToDepth,
    /// The relevant documents among the first k.
    Hits,
}

/// A measure under a convention, as tables.
#[derive(Debug, Clone)]
pub struct Measure {
    pub formula: Formula,
    /// The cut-off k; `usize::MAX` for the whole list.
    pub depth: usize,
    /// Per grade; where documents have weights, what a document counts times its weight.
    pub worth: Vec<f64>,
    /// Per grade: the weight of its documents; empty where they have none.
    pub weights: Vec<f64>,
    /// Per grade: whether a document of this grade was judged (matters to bpref and infAP alone).
    pub known: Vec<bool>,
    /// Per rank; reaches as far as the longest list or the depth.
    pub discounts: Vec<f64>,
    pub pool: Pool,
    pub ideal_cut: IdealCut,
    pub denominator: Denominator,
    /// What an empty list scores.
    pub empty: f64,
    /// Whether a list of fewer than k documents scores 0.
    pub short_is_zero: bool,
    /// The numbers of the formula itself: levels of recall, weights, a multiple of R.
    pub parameters: Vec<f64>,
    /// Whether recall levels become ranks by truncation (trec_eval 9) instead of rounding.
    pub level_truncates: bool,
    /// Whether 1/r is rounded to single precision (RankLib).
    pub single_reciprocal: bool,
    /// Whether ERR is undefined where no document is worth anything (gdeval).
    pub undefined_of_none: bool,
}

impl Measure {
    pub fn of(&self, list: &List<'_>) -> Option<f64> {
        match self.formula {
            Formula::Dcg => Some(dcg::dcg(self, list)),
            Formula::Ndcg => ndcg::ndcg(self, list),
            Formula::MeanNdcg => mean_ndcg::mean_ndcg(self, list),
            Formula::Precision => precision::precision(self, list),
            Formula::Recall => recall::recall(self, list),
            Formula::AveragePrecision => average_precision::average_precision(self, list),
            Formula::GradedAveragePrecision => graded_average_precision::graded_average_precision(self, list),
            Formula::ReciprocalRank => reciprocal_rank::reciprocal_rank(self, list),
            Formula::Err => (!self.undefined_of_none || self.relevant(list) > 0).then(|| err::err(self, list)),
            Formula::RPrecision => r_precision::r_precision(self, list),
            Formula::Bpref => bpref::bpref(self, list),
            Formula::InterpolatedPrecision => interpolated_precision::interpolated_precision(self, list),
            Formula::NdcgRel => ndcg_rel::ndcg_rel(self, list),
            Formula::Rndcg => rndcg::rndcg(self, list),
            Formula::Success => success::success(self, list),
            Formula::FMeasure => f_measure::f_measure(self, list),
            Formula::SetAveragePrecision => set_average_precision::set_average_precision(self, list),
            Formula::InferredAveragePrecision => inferred_average_precision::inferred_average_precision(self, list),
            Formula::BinaryG => binary_g::binary_g(self, list),
            Formula::NormalizedG => normalized_g::normalized_g(self, list),
            Formula::Utility => Some(utility::utility(self, list)),
            Formula::Lists => Some(1.0),
            Formula::Retrieved => Some(list.len as f64),
            Formula::Relevant => Some(counts::relevant(self, list) as f64),
            Formula::RelevantRetrieved => Some(counts::relevant_retrieved(self, list)),
            Formula::PairAccuracy => pair_accuracy::pair_accuracy(self, list),
            Formula::PairAgreement => pair_agreement::pair_agreement(self, list),
            Formula::Kendall => kendall::kendall(self, list),
            Formula::Spearman => spearman::spearman(self, list),
            Formula::WarpLoss => warp_loss::warp_loss(self, list),
            Formula::FirstRelevant => first_relevant::first_relevant(self, list),
            Formula::Perfect => Some(perfect::perfect(self, list)),
        }
    }

    /// What the changes of a list's value are divided by, for the formulas that have lambdas; `None` if the value does
    /// not change. Average precision over its hits divides by what changes itself, and says 1.
    pub(crate) fn divisor(&self, list: &List<'_>) -> Option<f64> {
        let relevant = self.relevant(list);
        let over = match self.formula {
            Formula::Ndcg => return ndcg::ideal(self, list),
            Formula::Precision if self.is_weighted() => precision::weighted_over(self, list),
            Formula::Precision => precision::over(self, list) as f64,
            Formula::AveragePrecision => match self.denominator {
                Denominator::RelevantToDepth => relevant.min(self.depth as u64) as f64,
                Denominator::Hits => 1.0,
                _ => relevant as f64,
            },
            _ => 1.0,
        };
        let is_defined = match self.formula {
            Formula::AveragePrecision | Formula::ReciprocalRank => relevant > 0,
            Formula::Err => !self.undefined_of_none || relevant > 0,
            _ => true,
        };
        (is_defined && over > 0.0).then_some(over)
    }

    /// 1 over a rank (from 0) as the reciprocal rank reads it.
    pub(crate) fn reciprocal(&self, rank: usize) -> f64 {
        reciprocal_rank::reciprocal(self, rank)
    }

    /// Ranks beyond this cannot matter.
    pub fn reach(&self) -> usize {
        match self.formula {
            Formula::Lists | Formula::Retrieved | Formula::Relevant | Formula::Utility => 0,
            Formula::RelevantRetrieved if self.depth == usize::MAX => 0,
            _ => self.depth,
        }
    }

    /// Whether any open block's order can change the value.
    pub fn is_open(&self, list: &List<'_>) -> bool {
        self.formula != Formula::Perfect || perfect::may_be(self, list)
    }

    /// Whether the order of this block's documents can change the value of a list that is open.
    pub fn is_decided_by(&self, block: Block, list: &List<'_>) -> bool {
        if list.kept && matches!(self.formula, Formula::Kendall | Formula::Spearman) {
            return true; // they count what is tied, whatever it is worth
        }
        let Some(grades) = list.ranked.get(block.start..block.end()) else { return false };
        let mixed = grades.windows(2).any(|w| matches!(w, [a, b] if self.worth(*a) != self.worth(*b)));
        mixed
            && match self.formula {
                Formula::Precision | Formula::Recall | Formula::FMeasure | Formula::RelevantRetrieved => block.end() > self.depth,
                Formula::RPrecision => (block.start + 1..block.end()).contains(&r_precision::cut(self, self.relevant(list))),
                Formula::Dcg | Formula::Ndcg => {
                    let counted = |rank| if rank < self.depth { self.discount(rank) } else { 0.0 };
                    (block.start..block.end()).any(|rank| counted(rank) != counted(block.start))
                }
                Formula::Bpref => {
                    let known = |g: u32| self.known.get(g as usize).copied().unwrap_or(false);
                    grades.iter().any(|&g| self.worth(g) > 0.0) && grades.iter().any(|&g| self.worth(g) <= 0.0 && known(g))
                }
                Formula::Success => success::is_decided_by(self, block, list),
                Formula::SetAveragePrecision => false,
                Formula::WarpLoss => warp_loss::is_decided_by(self, block, list),
                Formula::ReciprocalRank | Formula::FirstRelevant => list.ranked.iter().take(block.start).all(|&g| self.worth(g) == 0.0),
                _ => true,
            }
    }

    #[inline(always)]
    pub(crate) fn worth(&self, grade: u32) -> f64 {
        self.worth.get(grade as usize).copied().unwrap_or(0.0)
    }

    /// Whether documents weigh differently, so that sums of worth stand where numbers of documents stood.
    fn is_weighted(&self) -> bool {
        !self.weights.is_empty()
    }

    /// A number of the formula itself.
    fn parameter(&self, at: usize) -> f64 {
        self.parameters.get(at).copied().unwrap_or(0.0)
    }

    #[inline(always)]
    pub(crate) fn discount(&self, rank: usize) -> f64 {
        self.discounts.get(rank).copied().unwrap_or(0.0)
    }

    fn pool<'a>(&self, list: &List<'a>) -> &'a [Count] {
        match self.pool {
            Pool::Judged => list.judged,
            Pool::Retrieved => list.retrieved,
        }
    }

    /// The documents retrieved that are worth anything.
    fn retrieved(&self, list: &List<'_>) -> u64 {
        list.retrieved.iter().filter(|c| self.worth(c.grade) > 0.0).map(|c| u64::from(c.documents)).sum()
    }

    /// R: the relevant documents of the pool.
    fn relevant(&self, list: &List<'_>) -> u64 {
        self.pool(list).iter().filter(|c| self.worth(c.grade) > 0.0).map(|c| u64::from(c.documents)).sum()
    }

    /// What the relevant documents of the pool are worth together.
    fn relevant_worth(&self, list: &List<'_>) -> f64 {
        self.pool(list).iter().map(|c| self.worth(c.grade).max(0.0) * f64::from(c.documents)).sum()
    }

    /// Calls `at(rank, worth)` for the first `depth` ranks; within an open block each document counts the block's mean.
    #[inline(always)]
    fn each_rank(&self, list: &List<'_>, depth: usize, mut at: impl FnMut(usize, f64)) {
        let mut rank = 0;
        let last = depth.min(list.ranked.len());
        for &block in list.open {
            for &grade in list.ranked.get(rank..block.start.min(last)).unwrap_or_default() {
                at(rank, self.worth(grade));
                rank += 1;
            }
            if block.start >= last {
                return;
            }
            let mean = self.mean_worth(block, list);
            for _ in block.start..block.end().min(last) {
                at(rank, mean);
                rank += 1;
            }
        }
        for &grade in list.ranked.get(rank..last).unwrap_or_default() {
            at(rank, self.worth(grade));
            rank += 1;
        }
    }

    /// The mean worth of a block, the same bits for any order of its rows.
    fn mean_worth(&self, block: Block, list: &List<'_>) -> f64 {
        let grades = list.ranked.get(block.start..block.end()).unwrap_or_default();
        let Some(&first) = grades.first() else { return 0.0 };
        if grades.iter().all(|&g| g == first) {
            return self.worth(first);
        }
        let mut worths: Vec<f64> = grades.iter().map(|&g| self.worth(g)).collect();
        worths.sort_unstable_by(f64::total_cmp);
        worths.iter().sum::<f64>() / grades.len() as f64
    }

    /// How many documents of a block are worth anything.
    fn hits_in(&self, block: Block, list: &List<'_>) -> usize {
        let grades = list.ranked.get(block.start..block.end()).unwrap_or_default();
        grades.iter().filter(|&&g| self.worth(g) > 0.0).count()
    }

    /// What the documents of a block are worth, rising, so that any order of rows gives the same bits.
    fn rising_worths(&self, list: &List<'_>, block: Block, into: &mut Vec<f64>) {
        into.clear();
        into.extend(list.ranked.get(block.start..block.end()).unwrap_or_default().iter().map(|&grade| self.worth(grade)));
        into.sort_unstable_by(f64::total_cmp);
    }

    /// Walks the list as blocks of which single documents are the smallest, to `depth`: `at(block, hits)`;
    /// stops when `at` returns false.
    fn each_block(&self, list: &List<'_>, depth: usize, mut at: impl FnMut(Block, usize) -> bool) {
        let mut open = list.open.iter().peekable();
        let mut rank = 0;
        let last = depth.min(list.ranked.len());
        while rank < last {
            let block = match open.peek() {
                Some(&&block) if block.start == rank => {
                    open.next();
                    block
                }
                _ => Block { start: rank, len: 1 },
            };
            if !at(block, self.hits_in(block, list)) {
                return;
            }
            rank = block.end();
        }
    }
}
