//! Factorisation: rows of users and items in, rows after an epoch out; the best items of users.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rankwise_kernels::factors::als::{self, Problem};
use rankwise_kernels::factors::bpr::Bpr;
use rankwise_kernels::factors::negatives::Negatives;
use rankwise_kernels::factors::racing::{self, Racer};
use rankwise_kernels::factors::schedule::{self, Rule};
use rankwise_kernels::factors::svd::{self, Svd};
use rankwise_kernels::factors::top::{self as best, Factors, Seen};
use rankwise_kernels::factors::warp::Warp;
use rankwise_kernels::factors::{Side, Stride, pairs};

use crate::errors::data_error;

type Floats<'py> = PyReadonlyArray1<'py, f32>;
type Table<'py> = PyReadonlyArray2<'py, f32>;

/// What was seen: users × items.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct SeenPairs(pairs::Pairs);

#[pymethods]
impl SeenPairs {
    #[new]
    fn new(offsets: PyReadonlyArray1<'_, i64>, items: PyReadonlyArray1<'_, u32>, item_count: usize) -> PyResult<Self> {
        Ok(Self(pairs::Pairs::new(offsets.as_slice()?, items.as_slice()?, item_count).map_err(data_error)?))
    }

    /// How many blocks an epoch cuts users and items into.
    fn blocks(&self) -> usize {
        schedule::blocks(&self.0)
    }
}

/// Rows and biases of users and of items, and what an epoch has to know.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Epoch<'py> {
    users: Table<'py>,
    user_bias: Floats<'py>,
    items: Table<'py>,
    item_bias: Floats<'py>,
    pairs: Bound<'py, SeenPairs>,
    weights: Option<Floats<'py>>,
    rate: f32,
    key: u64,
    deterministic: bool,
    threads: Option<usize>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct NegativePlan<'py> {
    weights: Option<Floats<'py>>,
    disliked: Option<Bound<'py, SeenPairs>>,
    share: f32,
    penalty: f32,
    bias_penalty: f32,
    frozen: bool,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SvdPlan<'py> {
    values: Floats<'py>,
    penalties: [f32; 4],
    mean: f32,
    biases: bool,
    user_shares: Option<Floats<'py>>,
    item_shares: Option<Floats<'py>>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct AlsPlan<'py> {
    values: Floats<'py>,
    weights: Option<Floats<'py>>,
    mean: f64,
    penalty: f64,
    bias_penalty: f64,
    each: bool,
    unseen: f64,
    biases: bool,
}

type SideOut<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f32>>);
type Sides<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f32>>);

#[pyfunction]
pub fn bpr_epoch<'py>(py: Python<'py>, epoch: Epoch<'py>, plan: NegativePlan<'py>) -> PyResult<Sides<'py>> {
    let rule = Bpr { stride: plan.stride(&epoch), negatives: plan.negatives(&epoch)?, weights: slice(epoch.weights.as_ref())? };
    run(py, &epoch, &rule)
}

#[pyfunction]
pub fn warp_epoch<'py>(
    py: Python<'py>,
    epoch: Epoch<'py>,
    plan: NegativePlan<'py>,
    trials: usize,
    costs: PyReadonlyArray1<'py, f32>,
) -> PyResult<Sides<'py>> {
    let rule = Warp {
        stride: plan.stride(&epoch),
        trials,
        costs: costs.as_slice()?,
        negatives: plan.negatives(&epoch)?,
        weights: slice(epoch.weights.as_ref())?,
    };
    run(py, &epoch, &rule)
}

#[pyfunction]
pub fn svd_epoch<'py>(py: Python<'py>, epoch: Epoch<'py>, plan: SvdPlan<'py>) -> PyResult<Sides<'py>> {
    let options = svd::Options { rate: epoch.rate, penalties: plan.penalties, mean: plan.mean, biases: plan.biases };
    let rule = Svd {
        options,
        values: plan.values.as_slice()?,
        weights: slice(epoch.weights.as_ref())?,
        user_shares: slice(plan.user_shares.as_ref())?,
        item_shares: slice(plan.item_shares.as_ref())?,
    };
    run(py, &epoch, &rule)
}

/// The rows and biases of users that fit best while `fixed` are held fast.
#[pyfunction]
#[pyo3(signature = (pairs, fixed, fixed_bias, plan, threads=None))]
pub fn als_side<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, SeenPairs>,
    fixed: Table<'py>,
    fixed_bias: Floats<'py>,
    plan: AlsPlan<'py>,
    threads: Option<usize>,
) -> PyResult<SideOut<'py>> {
    let factors = fixed.shape().get(1).copied().unwrap_or(0);
    let AlsPlan { mean, penalty, bias_penalty, each, unseen, biases, .. } = plan;
    let problem = Problem {
        pairs: &pairs.get().0,
        values: plan.values.as_slice()?,
        weights: slice(plan.weights.as_ref())?,
        fixed: fixed.as_slice()?,
        fixed_bias: fixed_bias.as_slice()?,
        options: als::Options { factors, mean, penalty, bias_penalty, each, unseen, biases },
    };
    let (rows, bias) = py.detach(|| als::solve(&problem, threads)).map_err(data_error)?;
    let count = bias.len();
    Ok((PyArray1::from_vec(py, rows).reshape([count, factors])?, PyArray1::from_vec(py, bias)))
}

type BestOut<'py> = (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<f32>>);

/// The `k` best items of each user and their scores; −1 and NaN where there are fewer.
#[pyfunction]
#[pyo3(signature = (users, items, bias, seen_offsets, seen_items, k, threads=None))]
#[allow(clippy::too_many_arguments)]
pub fn top_items<'py>(
    py: Python<'py>,
    users: Table<'py>,
    items: Table<'py>,
    bias: Floats<'py>,
    seen_offsets: PyReadonlyArray1<'py, i64>,
    seen_items: PyReadonlyArray1<'py, u32>,
    k: usize,
    threads: Option<usize>,
) -> PyResult<BestOut<'py>> {
    let (count, factors) = factors(&users, &items, &bias)?;
    let seen = Seen { offsets: seen_offsets.as_slice()?, items: seen_items.as_slice()? };
    let found = py.detach(|| best::top(&factors, count, seen, k, threads)).map_err(data_error)?;
    shaped(py, found, count, k)
}

/// The same of scores that are there already: one row a user.
#[pyfunction]
#[pyo3(signature = (scores, seen_offsets, seen_items, k, threads=None))]
pub fn top_of_scores<'py>(
    py: Python<'py>,
    scores: Table<'py>,
    seen_offsets: PyReadonlyArray1<'py, i64>,
    seen_items: PyReadonlyArray1<'py, u32>,
    k: usize,
    threads: Option<usize>,
) -> PyResult<BestOut<'py>> {
    let (rows, columns) = (scores.shape().first().copied().unwrap_or(0), scores.shape().get(1).copied().unwrap_or(0));
    let seen = Seen { offsets: seen_offsets.as_slice()?, items: seen_items.as_slice()? };
    let scores = scores.as_slice()?;
    let found = py.detach(|| best::top_of(scores, columns, seen, k, threads));
    shaped(py, found, rows, k)
}

/// The score of each user for each item.
#[pyfunction]
#[pyo3(signature = (users, items, bias, threads=None))]
pub fn all_scores<'py>(
    py: Python<'py>,
    users: Table<'py>,
    items: Table<'py>,
    bias: Floats<'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let (count, factors) = factors(&users, &items, &bias)?;
    let columns = factors.bias.len();
    let found = py.detach(|| best::all(&factors, count, threads)).map_err(data_error)?;
    PyArray1::from_vec(py, found).reshape([count, columns])
}

/// The scores of named pairs.
#[pyfunction]
#[pyo3(signature = (users, items, bias, of, with_items, threads=None))]
pub fn some_scores<'py>(
    py: Python<'py>,
    users: Table<'py>,
    items: Table<'py>,
    bias: Floats<'py>,
    of: PyReadonlyArray1<'py, u32>,
    with_items: PyReadonlyArray1<'py, u32>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let (count, factors) = factors(&users, &items, &bias)?;
    let (of, with) = (of.as_slice()?, with_items.as_slice()?);
    let found = py.detach(|| best::some(&factors, count, of, with, threads)).map_err(data_error)?;
    Ok(PyArray1::from_vec(py, found))
}

impl NegativePlan<'_> {
    fn stride(&self, epoch: &Epoch<'_>) -> Stride {
        Stride { rate: epoch.rate, penalty: self.penalty, bias_penalty: self.bias_penalty, frozen: self.frozen }
    }

    fn negatives<'a>(&'a self, epoch: &'a Epoch<'_>) -> PyResult<Negatives<'a>> {
        let negatives = Negatives {
            pairs: &epoch.pairs.get().0,
            weights: slice(self.weights.as_ref())?,
            disliked: self.disliked.as_ref().map(|pairs| &pairs.get().0),
            share: self.share,
        };
        negatives.check().map_err(data_error)?;
        Ok(negatives)
    }
}

fn run<'py, R: Rule + Racer>(py: Python<'py>, epoch: &Epoch<'py>, rule: &R) -> PyResult<Sides<'py>> {
    let factors = epoch.users.shape().get(1).copied().unwrap_or(0);
    let mut users = Side::of(epoch.users.as_slice()?, factors, epoch.user_bias.as_slice()?);
    let mut items = Side::of(epoch.items.as_slice()?, factors, epoch.item_bias.as_slice()?);
    let pairs = &epoch.pairs.get().0;
    if epoch.items.shape().get(1) != Some(&factors) || users.count() != pairs.users() || items.count() != pairs.item_count {
        let what = "there is not one row for each user and each item";
        return Err(data_error(rankwise_kernels::error::Error::new("factors", what)));
    }
    let (key, threads, deterministic) = (epoch.key, epoch.threads, epoch.deterministic);
    py.detach(|| {
        if deterministic {
            schedule::epoch(rule, pairs, &mut users, &mut items, key, threads);
        } else {
            racing::epoch(rule, pairs, &mut users, &mut items, key, threads);
        }
    });
    let (user_count, item_count) = (users.count(), items.count());
    let ((user_rows, user_bias), (item_rows, item_bias)) = (users.into_parts(factors), items.into_parts(factors));
    Ok((
        PyArray1::from_vec(py, user_rows).reshape([user_count, factors])?,
        PyArray1::from_vec(py, user_bias),
        PyArray1::from_vec(py, item_rows).reshape([item_count, factors])?,
        PyArray1::from_vec(py, item_bias),
    ))
}

fn slice<'a>(column: Option<&'a Floats<'_>>) -> PyResult<&'a [f32]> {
    Ok(column.map_or(Ok(&[][..]), |values| values.as_slice())?)
}

fn factors<'a>(users: &'a Table<'_>, items: &'a Table<'_>, bias: &'a Floats<'_>) -> PyResult<(usize, Factors<'a>)> {
    let (count, width) = (users.shape().first().copied().unwrap_or(0), users.shape().get(1).copied().unwrap_or(0));
    Ok((count, Factors { users: users.as_slice()?, items: items.as_slice()?, bias: bias.as_slice()?, factors: width }))
}

fn shaped(py: Python<'_>, found: best::Best, rows: usize, k: usize) -> PyResult<BestOut<'_>> {
    Ok((PyArray1::from_vec(py, found.items).reshape([rows, k])?, PyArray1::from_vec(py, found.scores).reshape([rows, k])?))
}
