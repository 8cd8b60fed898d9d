//! Pairs of lists: labels in, loss, gradient and curvature of a linear ranker out.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rankwise_kernels::rank_svm::{self as kernel, Table};

use crate::errors::data_error;

/// The pairs of documents with different labels, list by list.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct Pairs(Arc<kernel::Pairs>);

/// Where the loss of pairs is curved, at the weights at which it was computed.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct PairCurvature(kernel::Curvature);

type Found<'py> = ((f64, f64, f64, f64), Bound<'py, PyArray1<f64>>, PairCurvature);

#[pymethods]
impl Pairs {
    #[new]
    fn new(labels: PyReadonlyArray1<'_, f64>, offsets: PyReadonlyArray1<'_, i64>) -> PyResult<Self> {
        let pairs = kernel::Pairs::new(labels.as_slice()?, offsets.as_slice()?).map_err(data_error)?;
        Ok(Self(Arc::new(pairs)))
    }

    /// How many pairs each list has.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.counts())
    }

    /// Sums over pairs, the gradient of the loss by the weights, and its curvature; see `rankwise_kernels::rank_svm`.
    #[pyo3(signature = (table, weights, costs, knee, threads=None))]
    fn loss<'py>(
        &self,
        py: Python<'py>,
        table: PyReadonlyArray2<'py, f32>,
        weights: PyReadonlyArray1<'py, f64>,
        costs: PyReadonlyArray1<'py, f64>,
        knee: f64,
        threads: Option<usize>,
    ) -> PyResult<Found<'py>> {
        let (features, pairs) = (table.shape()[1], &self.0);
        let (table, weights, costs) = (table.as_slice()?, weights.as_slice()?, costs.as_slice()?);
        let table = Table { values: table, features };
        let found = py.detach(|| kernel::loss(pairs, table, weights, costs, knee, threads)).map_err(data_error)?;
        let sums = (found.sums.within, found.sums.squares, found.sums.beyond, found.sums.count_beyond);
        Ok((sums, PyArray1::from_vec(py, found.gradient), PairCurvature(found.curvature)))
    }
}

#[pymethods]
impl PairCurvature {
    /// The second derivative of the loss × a vector.
    #[pyo3(signature = (table, costs, vector, threads=None))]
    fn times<'py>(
        &self,
        py: Python<'py>,
        table: PyReadonlyArray2<'py, f32>,
        costs: PyReadonlyArray1<'py, f64>,
        vector: PyReadonlyArray1<'py, f64>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let features = table.shape()[1];
        let (table, costs, vector) = (table.as_slice()?, costs.as_slice()?, vector.as_slice()?);
        let table = Table { values: table, features };
        let found = py.detach(|| self.0.times(table, costs, vector, threads)).map_err(data_error)?;
        Ok(PyArray1::from_vec(py, found))
    }
}
