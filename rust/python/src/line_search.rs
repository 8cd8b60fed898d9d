//! Line search: lists, a measure and features in, better weights out.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rankwise_kernels::error::Result as Checked;
use rankwise_kernels::evaluate::{Code, Lists};
use rankwise_kernels::line_search::{self as kernel, Direction, Pull, Search};
use rankwise_kernels::measures::Measure;
use rankwise_kernels::order::Score;

use crate::errors::data_error;
use crate::evaluate::{Grades, IdColumns, OrderPlan, Plan, Rest, Work, run};

/// A measure on lists whose value can change, ready to be searched along lines.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct LineSearch(Search);

struct Building<'a> {
    measure: &'a Measure,
    table: &'a [f32],
    features: usize,
    weights: &'a [f64],
    total: f64,
}

impl Work for Building<'_> {
    type Found = Checked<Search>;
    fn on<S: Score, C: Code>(&self, lists: &Lists<'_, S, C>, rest: &Rest<'_>) -> Self::Found {
        Search::new(lists, rest.ordering, self.measure, self.table, self.features, self.weights, self.total)
    }
}

type Swept<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>);

#[pymethods]
impl LineSearch {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new<'py>(
        py: Python<'py>,
        scores: &Bound<'py, PyAny>,
        grades: &Bound<'py, Grades>,
        offsets: PyReadonlyArray1<'py, i64>,
        outside_offsets: PyReadonlyArray1<'py, i64>,
        ids: Option<IdColumns<'py>>,
        order: OrderPlan<'py>,
        measure: Plan<'py>,
        table: PyReadonlyArray2<'py, f32>,
        weights: PyReadonlyArray1<'py, f64>,
        total: f64,
    ) -> PyResult<Self> {
        let rest = Rest::of(&offsets, &outside_offsets, ids.as_ref(), &order, None)?;
        let (measure, features) = (measure.measure()?, table.shape()[1]);
        let work = Building { measure: &measure, table: table.as_slice()?, features, weights: weights.as_slice()?, total };
        Ok(Self(run(py, scores, &grades.get().0, &rest, &work)?.map_err(data_error)?))
    }

    /// Which lists have a value that can change.
    #[getter]
    fn searched<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.0.searched().iter().map(|&list| list as i64))
    }

    /// What the lists that can change add to the mean under some weights.
    fn value(&self, py: Python<'_>, weights: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let weights = self.weights(&weights)?.to_vec();
        Ok(py.detach(|| self.0.place(weights, Some(1)).value))
    }

    /// The step along a direction into the best interval, the value there, and the interval's width; None without crossings.
    fn along(
        &self,
        py: Python<'_>,
        weights: PyReadonlyArray1<'_, f64>,
        direction: PyReadonlyArray1<'_, f64>,
        threads: Option<usize>,
    ) -> PyResult<Option<(f64, f64, f64)>> {
        let (weights, vector) = (self.weights(&weights)?.to_vec(), self.weights(&direction)?);
        let mut changed = vector.iter().enumerate().filter(|&(_, &v)| v != 0.0);
        let direction = match (changed.next(), changed.next()) {
            (Some((feature, &1.0)), None) => Direction::Feature(feature),
            _ => Direction::Vector(vector),
        };
        let pull = Pull { slack: 0.0, from: &[] };
        let found = py.detach(|| self.0.along(&self.0.place(weights, Some(1)), &direction, pull, threads));
        Ok(found.map(|found| (found.step, found.value, found.width)))
    }

    /// From each row of `weights` a sweep along `order`'s directions: features, or rows of `directions` counted from the
    /// number of features. Steps count the pull towards `starts`. Returns weights, their values, and how many steps.
    #[pyo3(signature = (weights, order, directions, starts, slack, threads=None))]
    #[allow(clippy::too_many_arguments)]
    fn sweeps<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray2<'py, f64>,
        order: PyReadonlyArray2<'py, i64>,
        directions: PyReadonlyArray2<'py, f64>,
        starts: PyReadonlyArray2<'py, f64>,
        slack: f64,
        threads: Option<usize>,
    ) -> PyResult<Swept<'py>> {
        let features = self.0.features();
        let steps = order.shape()[1].max(1);
        if [&weights, &directions, &starts].iter().any(|table| table.shape()[1] != features) || weights.shape() != starts.shape() {
            return Err(PyValueError::new_err(format!("weights are rows of {features}")));
        }
        if order.shape()[0] != weights.shape()[0] {
            return Err(PyValueError::new_err("each row of weights needs an order"));
        }
        let vectors: Vec<&[f64]> = directions.as_slice()?.chunks_exact(features).collect();
        let direction = |&at: &i64| match usize::try_from(at) {
            Ok(at) if at < features => Ok(Direction::Feature(at)),
            Ok(at) => vectors.get(at - features).map(|v| Direction::Vector(v)).ok_or(at as i64),
            Err(_) => Err(at),
        };
        let mut work = Vec::new();
        let rows = weights.as_slice()?.chunks_exact(features).zip(starts.as_slice()?.chunks_exact(features));
        for ((own, from), order) in rows.zip(order.as_slice()?.chunks_exact(steps)) {
            let directions: Result<Vec<_>, i64> = order.iter().map(direction).collect();
            let directions = directions.map_err(|at| PyValueError::new_err(format!("there is no direction {at}")))?;
            work.push((own.to_vec(), directions, Pull { slack, from }));
        }
        let found = py.detach(|| kernel::sweeps(&self.0, work, threads));
        let (values, taken) = found.iter().map(|(point, taken)| (point.value, *taken as i64)).unzip();
        let flat: Vec<f64> = found.into_iter().flat_map(|(point, _)| point.weights).collect();
        let swept = PyArray1::from_vec(py, flat).reshape([weights.shape()[0], features])?;
        Ok((swept, PyArray1::from_vec(py, values), PyArray1::from_vec(py, taken)))
    }
}

impl LineSearch {
    fn weights<'a>(&self, weights: &'a PyReadonlyArray1<'_, f64>) -> PyResult<&'a [f64]> {
        let weights = weights.as_slice()?;
        if weights.len() != self.0.features() {
            return Err(PyValueError::new_err(format!("there are {} features, and {} weights", self.0.features(), weights.len())));
        }
        Ok(weights)
    }
}
