//! Lambdas: arrays of lists in, gradient and hessian of each row out.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use rankwise_kernels::evaluate::{Code, Lists};
use rankwise_kernels::lambda::{self as kernel, Lambdas, Options};
use rankwise_kernels::measures::Measure;
use rankwise_kernels::order::Score;

use crate::errors::data_error;
use crate::evaluate::{Grades, IdColumns, OrderPlan, Plan, Rest, Work, run};

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct LambdaPlan {
    sigma: f64,
    discounted_below: bool,
    normalized: bool,
}

type Columns<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pyfunction]
#[pyo3(signature = (scores, grades, offsets, outside_offsets, ids, order, measure, options, weights, threads=None))]
#[allow(clippy::too_many_arguments)]
pub fn lambdas<'py>(
    py: Python<'py>,
    scores: &Bound<'py, PyAny>,
    grades: &Bound<'py, Grades>,
    offsets: PyReadonlyArray1<'py, i64>,
    outside_offsets: PyReadonlyArray1<'py, i64>,
    ids: Option<IdColumns<'py>>,
    order: OrderPlan<'py>,
    measure: Plan<'py>,
    options: LambdaPlan,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    threads: Option<usize>,
) -> PyResult<Columns<'py>> {
    let rest = Rest::of(&offsets, &outside_offsets, ids.as_ref(), &order, threads)?;
    let LambdaPlan { sigma, discounted_below, normalized } = options;
    let work = Pushing {
        measure: &measure.measure()?,
        options: Options { sigma, discounted_below, normalized },
        weights: weights.as_ref().map_or(Ok(&[][..]), |w| w.as_slice())?,
    };
    let found = run(py, scores, &grades.get().0, &rest, &work)?.map_err(data_error)?;
    Ok((PyArray1::from_vec(py, found.gradient), PyArray1::from_vec(py, found.hessian)))
}

struct Pushing<'a> {
    measure: &'a Measure,
    options: Options,
    weights: &'a [f64],
}

impl Work for Pushing<'_> {
    type Found = rankwise_kernels::error::Result<Lambdas>;
    fn on<S: Score, C: Code>(&self, lists: &Lists<'_, S, C>, rest: &Rest<'_>) -> Self::Found {
        kernel::lambdas(lists, rest.ordering, self.measure, self.options, self.weights, rest.threads)
    }
}
