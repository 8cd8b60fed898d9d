//! Grades and evaluation: NumPy arrays in, one array of values and one of flags a measure out.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rankwise_kernels::evaluate::{self as kernel, Code, Column, Ids, Lists, Ordering, TieRule};
use rankwise_kernels::grades::{self, Codes};
use rankwise_kernels::measures::{Denominator, Formula, IdealCut, Measure, Pool};
use rankwise_kernels::order::{Score, Ties};

use crate::errors::data_error;
use crate::text::Text;

/// Labels as grades: the distinct labels, ascending with NaN last, and the grade of each row.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct Grades(pub(crate) grades::Grades);

#[pymethods]
impl Grades {
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.labels)
    }

    /// The weight of each grade's documents, if they have weights.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        (!self.0.weights.is_empty()).then(|| PyArray1::from_slice(py, &self.0.weights))
    }

    /// Which of the labels occur.
    fn present<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, py.detach(|| self.0.present()))
    }

    /// The first row with a label, and whether it is in the lists or a judged document outside.
    fn first(&self, label: f64) -> PyResult<(bool, usize)> {
        self.0.first(label).ok_or_else(|| PyValueError::new_err(format!("no row has the label {label}")))
    }
}

/// Calls `$body` with `$labels` as a slice of whichever of the four label types it holds.
macro_rules! with_labels {
    ($any:expr, $labels:ident => $body:expr) => {
        if let Ok(a) = $any.extract::<PyReadonlyArray1<'_, i32>>() {
            let $labels = a.as_slice()?;
            $body
        } else if let Ok(a) = $any.extract::<PyReadonlyArray1<'_, f32>>() {
            let $labels = a.as_slice()?;
            $body
        } else if let Ok(a) = $any.extract::<PyReadonlyArray1<'_, f64>>() {
            let $labels = a.as_slice()?;
            $body
        } else if let Ok(a) = $any.extract::<PyReadonlyArray1<'_, i64>>() {
            let $labels = a.as_slice()?;
            $body
        } else {
            Err(PyTypeError::new_err("labels must be a one-dimensional array of int32, int64, float32 or float64"))
        }
    };
}

#[pyfunction]
#[pyo3(signature = (labels, outside, threads=None))]
pub fn grade(py: Python<'_>, labels: &Bound<'_, PyAny>, outside: PyReadonlyArray1<'_, f64>, threads: Option<usize>) -> PyResult<Grades> {
    let outside = outside.as_slice()?;
    with_labels!(labels, labels => Ok(Grades(py.detach(|| grades::grade(labels, outside, threads)))))
}

#[pyfunction]
pub fn grade_weighted(py: Python<'_>, labels: &Bound<'_, PyAny>, weights: PyReadonlyArray1<'_, f64>) -> PyResult<Grades> {
    let weights = weights.as_slice()?;
    with_labels!(labels, labels => Ok(Grades(py.detach(|| grades::grade_weighted(labels, weights)))))
}

/// A measure as `Measure.plan` describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Plan<'py> {
    formula: String,
    depth: Option<usize>,
    worth: PyReadonlyArray1<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    known: PyReadonlyArray1<'py, bool>,
    discounts: PyReadonlyArray1<'py, f64>,
    pool: String,
    ideal_cut: String,
    denominator: String,
    empty: f64,
    short_is_zero: bool,
    parameters: Vec<f64>,
    level_truncates: bool,
    single_reciprocal: bool,
    undefined_of_none: bool,
}

impl Plan<'_> {
    pub(crate) fn measure(&self) -> PyResult<Measure> {
        Ok(Measure {
            formula: named(&self.formula, FORMULAS)?,
            depth: self.depth.unwrap_or(usize::MAX),
            worth: self.worth.as_slice()?.to_vec(),
            weights: self.weights.as_ref().map_or(Ok(Vec::new()), |w| w.as_slice().map(<[f64]>::to_vec))?,
            known: self.known.as_slice()?.to_vec(),
            discounts: self.discounts.as_slice()?.to_vec(),
            pool: named(&self.pool, POOLS)?,
            ideal_cut: named(&self.ideal_cut, IDEAL_CUTS)?,
            denominator: named(&self.denominator, DENOMINATORS)?,
            empty: self.empty,
            short_is_zero: self.short_is_zero,
            parameters: self.parameters.clone(),
            level_truncates: self.level_truncates,
            single_reciprocal: self.single_reciprocal,
            undefined_of_none: self.undefined_of_none,
        })
    }
}

const FORMULAS: &[(&str, Formula)] = &[
    ("dcg", Formula::Dcg),
    ("ndcg", Formula::Ndcg),
    ("mean_ndcg", Formula::MeanNdcg),
    ("precision", Formula::Precision),
    ("recall", Formula::Recall),
    ("average_precision", Formula::AveragePrecision),
    ("graded_average_precision", Formula::GradedAveragePrecision),
    ("reciprocal_rank", Formula::ReciprocalRank),
    ("err", Formula::Err),
    ("r_precision", Formula::RPrecision),
    ("bpref", Formula::Bpref),
    ("interpolated_precision", Formula::InterpolatedPrecision),
    ("ndcg_rel", Formula::NdcgRel),
    ("rndcg", Formula::Rndcg),
    ("success", Formula::Success),
    ("f_measure", Formula::FMeasure),
    ("set_average_precision", Formula::SetAveragePrecision),
    ("inferred_average_precision", Formula::InferredAveragePrecision),
    ("binary_g", Formula::BinaryG),
    ("normalized_g", Formula::NormalizedG),
    ("utility", Formula::Utility),
    ("lists", Formula::Lists),
    ("retrieved", Formula::Retrieved),
    ("relevant", Formula::Relevant),
    ("relevant_retrieved", Formula::RelevantRetrieved),
    ("pair_accuracy", Formula::PairAccuracy),
    ("pair_agreement", Formula::PairAgreement),
    ("kendall", Formula::Kendall),
    ("spearman", Formula::Spearman),
    ("warp_loss", Formula::WarpLoss),
    ("first_relevant", Formula::FirstRelevant),
    ("perfect", Formula::Perfect),
];
const POOLS: &[(&str, Pool)] = &[("judged", Pool::Judged), ("list", Pool::Retrieved)];
const IDEAL_CUTS: &[(&str, IdealCut)] = &[("k", IdealCut::Depth), ("none", IdealCut::Nowhere), ("hits", IdealCut::Hits)];
const DENOMINATORS: &[(&str, Denominator)] = &[
    ("k", Denominator::Depth),
    ("min(k, n)", Denominator::Returned),
    ("R", Denominator::Relevant),
    ("min(R, k)", Denominator::RelevantToDepth),
    ("min(k, R)", Denominator::RelevantToDepth),
    ("hits", Denominator::Hits),
];

fn named<T: Copy>(name: &str, table: &[(&str, T)]) -> PyResult<T> {
    let found = table.iter().find(|(known, _)| *known == name);
    found.map(|&(_, value)| value).ok_or_else(|| PyValueError::new_err(format!("the kernels have no '{name}'")))
}

fn tie_rule(name: &str, seed: u64) -> PyResult<TieRule> {
    Ok(match name {
        "expected" => TieRule::Expected,
        "kept" => TieRule::Kept,
        "best" => TieRule::Best,
        "worst" => TieRule::Worst,
        "input" => TieRule::Settled(Ties::Input),
        "reversed" => TieRule::Settled(Ties::Reversed),
        "docid" => TieRule::Settled(Ties::DocumentAscending),
        "docid-desc" => TieRule::Settled(Ties::DocumentDescending),
        "selection-sort" => TieRule::Settled(Ties::SelectionSort),
        "random" => TieRule::Settled(Ties::Random(seed)),
        _ => return Err(PyValueError::new_err(format!("the kernels have no tie rule '{name}'"))),
    })
}

/// The order a group of measures shares.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct OrderPlan<'py> {
    ties: String,
    seed: u64,
    single: bool,
    dropped: PyReadonlyArray1<'py, bool>,
    positive: bool,
    keep: Option<usize>,
}

/// Ids of queries and documents, as places in their texts.
#[derive(FromPyObject)]
pub struct IdColumns<'py>(Bound<'py, Text>, PyReadonlyArray1<'py, u64>, Bound<'py, Text>, PyReadonlyArray1<'py, u64>);

type Columns<'py> = Vec<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u8>>)>;
type Ranks<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u8>>);

#[pyfunction]
#[pyo3(signature = (scores, grades, offsets, outside_offsets, ids, order, measures, threads=None))]
#[allow(clippy::too_many_arguments)]
pub fn evaluate<'py>(
    py: Python<'py>,
    scores: &Bound<'py, PyAny>,
    grades: &Bound<'py, Grades>,
    offsets: PyReadonlyArray1<'py, i64>,
    outside_offsets: PyReadonlyArray1<'py, i64>,
    ids: Option<IdColumns<'py>>,
    order: OrderPlan<'py>,
    measures: Vec<Plan<'py>>,
    threads: Option<usize>,
) -> PyResult<Columns<'py>> {
    let measures: Vec<Measure> = measures.iter().map(Plan::measure).collect::<PyResult<_>>()?;
    let rest = Rest::of(&offsets, &outside_offsets, ids.as_ref(), &order, threads)?;
    let columns = run(py, scores, &grades.get().0, &rest, &Measures(&measures))?;
    Ok(columns.into_iter().map(|c| (PyArray1::from_vec(py, c.values), PyArray1::from_vec(py, c.flags))).collect())
}

#[pyfunction]
#[pyo3(signature = (scores, grades, offsets, outside_offsets, ids, order, threads=None))]
#[allow(clippy::too_many_arguments)]
pub fn ranked<'py>(
    py: Python<'py>,
    scores: &Bound<'py, PyAny>,
    grades: &Bound<'py, Grades>,
    offsets: PyReadonlyArray1<'py, i64>,
    outside_offsets: PyReadonlyArray1<'py, i64>,
    ids: Option<IdColumns<'py>>,
    order: OrderPlan<'py>,
    threads: Option<usize>,
) -> PyResult<Ranks<'py>> {
    let rest = Rest::of(&offsets, &outside_offsets, ids.as_ref(), &order, threads)?;
    let ranked = run(py, scores, &grades.get().0, &rest, &Ranking)?;
    Ok((PyArray1::from_vec(py, ranked.grades), PyArray1::from_vec(py, ranked.offsets), PyArray1::from_vec(py, ranked.flags)))
}

pub(crate) struct Rest<'a> {
    offsets: &'a [i64],
    outside_offsets: &'a [i64],
    ids: Option<Ids<'a>>,
    pub(crate) ordering: Ordering<'a>,
    pub(crate) threads: Option<usize>,
}

impl<'a> Rest<'a> {
    pub(crate) fn of(
        offsets: &'a PyReadonlyArray1<'_, i64>,
        outside_offsets: &'a PyReadonlyArray1<'_, i64>,
        ids: Option<&'a IdColumns<'_>>,
        order: &'a OrderPlan<'_>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        Ok(Self {
            offsets: offsets.as_slice()?,
            outside_offsets: outside_offsets.as_slice()?,
            ids: match ids {
                None => None,
                Some(IdColumns(query_text, queries, document_text, documents)) => Some(Ids {
                    query_text: query_text.get().0.text(),
                    queries: queries.as_slice()?,
                    document_text: document_text.get().0.text(),
                    documents: documents.as_slice()?,
                }),
            },
            ordering: Ordering {
                ties: tie_rule(&order.ties, order.seed)?,
                single: order.single,
                dropped: order.dropped.as_slice()?,
                positive: order.positive,
                keep: order.keep.unwrap_or(usize::MAX),
            },
            threads,
        })
    }
}

/// What is done with lists, whatever their scores and grades are stored as.
pub(crate) trait Work: Sync {
    type Found: Send;
    fn on<S: Score, C: Code>(&self, lists: &Lists<'_, S, C>, rest: &Rest<'_>) -> Self::Found;
}

struct Measures<'a>(&'a [Measure]);

impl Work for Measures<'_> {
    type Found = Vec<Column>;
    fn on<S: Score, C: Code>(&self, lists: &Lists<'_, S, C>, rest: &Rest<'_>) -> Vec<Column> {
        kernel::evaluate(lists, rest.ordering, self.0, rest.threads)
    }
}

struct Ranking;

impl Work for Ranking {
    type Found = kernel::Ranked;
    fn on<S: Score, C: Code>(&self, lists: &Lists<'_, S, C>, rest: &Rest<'_>) -> kernel::Ranked {
        kernel::ranked(lists, rest.ordering, rest.threads)
    }
}

pub(crate) fn run<W: Work>(
    py: Python<'_>,
    scores: &Bound<'_, PyAny>,
    grades: &grades::Grades,
    rest: &Rest<'_>,
    work: &W,
) -> PyResult<W::Found> {
    if let Ok(scores) = scores.extract::<PyReadonlyArray1<'_, f32>>() {
        scored(py, scores.as_slice()?, grades, rest, work)
    } else if let Ok(scores) = scores.extract::<PyReadonlyArray1<'_, f64>>() {
        scored(py, scores.as_slice()?, grades, rest, work)
    } else {
        Err(PyTypeError::new_err("scores must be a one-dimensional array of float32 or float64"))
    }
}

fn scored<S: Score, W: Work>(py: Python<'_>, scores: &[S], grades: &grades::Grades, rest: &Rest<'_>, work: &W) -> PyResult<W::Found> {
    py.detach(|| match (&grades.codes, &grades.outside) {
        (Codes::Bytes(codes), Codes::Bytes(outside)) => coded(scores, codes, outside, grades, rest, work),
        (Codes::Words(codes), Codes::Words(outside)) => coded(scores, codes, outside, grades, rest, work),
        _ => coded::<S, u8, W>(scores, &[], &[], grades, rest, work),
    })
    .map_err(data_error)
}

fn coded<S: Score, C: Code, W: Work>(
    scores: &[S],
    codes: &[C],
    outside: &[C],
    grades: &grades::Grades,
    rest: &Rest<'_>,
    work: &W,
) -> rankwise_kernels::error::Result<W::Found> {
    let lists = Lists {
        offsets: rest.offsets,
        scores,
        codes,
        outside,
        outside_offsets: rest.outside_offsets,
        ids: rest.ids,
        grades: grades.labels.len(),
        unjudged: grades.judged(),
    };
    lists.check()?;
    Ok(work.on(&lists, rest))
}

/// How many values are not NaN, their sum, mean and standard deviation, the same bits for any order.
#[pyfunction]
pub fn summary(values: PyReadonlyArray1<'_, f64>) -> PyResult<(usize, f64, f64, f64)> {
    Ok(rankwise_kernels::sum::summary(values.as_slice()?))
}
