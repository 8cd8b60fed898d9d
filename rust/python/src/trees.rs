//! Trees: their layout in, scores, leaves and contributions out.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rankwise_kernels::error::Result;
use rankwise_kernels::trees::{self as kernel, Layout};

use crate::errors::data_error;

/// The arrays of `rankwise.rankers.Trees`, by their names there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Arrays<'py> {
    features: usize,
    starts: PyReadonlyArray1<'py, i64>,
    feature: PyReadonlyArray1<'py, i32>,
    threshold: PyReadonlyArray1<'py, f64>,
    left: PyReadonlyArray1<'py, i32>,
    right: PyReadonlyArray1<'py, i32>,
    missing: PyReadonlyArray1<'py, u8>,
    missing_left: PyReadonlyArray1<'py, bool>,
    category_set: PyReadonlyArray1<'py, i32>,
    leaf_value: PyReadonlyArray1<'py, f64>,
    leaf_count: Option<PyReadonlyArray1<'py, f64>>,
    set_starts: PyReadonlyArray1<'py, i64>,
    set_words: PyReadonlyArray1<'py, u32>,
}

/// Trees, checked and made ready; see `rankwise_kernels::trees`.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct Forest(kernel::Forest);

#[pymethods]
impl Forest {
    #[new]
    fn new(arrays: Arrays<'_>) -> PyResult<Self> {
        let layout = Layout {
            features: arrays.features,
            starts: arrays.starts.as_slice()?,
            feature: arrays.feature.as_slice()?,
            threshold: arrays.threshold.as_slice()?,
            left: arrays.left.as_slice()?,
            right: arrays.right.as_slice()?,
            missing: arrays.missing.as_slice()?,
            missing_left: arrays.missing_left.as_slice()?,
            category_set: arrays.category_set.as_slice()?,
            leaf_value: arrays.leaf_value.as_slice()?,
            leaf_count: arrays.leaf_count.as_ref().map(|counts| counts.as_slice()).transpose()?,
            set_starts: arrays.set_starts.as_slice()?,
            set_words: arrays.set_words.as_slice()?,
        };
        kernel::Forest::new(&layout).map(Self).map_err(data_error)
    }

    #[pyo3(signature = (table, first, last, threads=None))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        table: PyReadonlyArray2<'py, f32>,
        first: usize,
        last: usize,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.on(py, &table, |forest, values| forest.scores(values, first..last, threads))?;
        Ok(PyArray1::from_vec(py, found))
    }

    #[pyo3(signature = (table, threads=None))]
    fn leaves<'py>(
        &self,
        py: Python<'py>,
        table: PyReadonlyArray2<'py, f32>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let found = self.on(py, &table, |forest, values| forest.leaves(values, threads))?;
        PyArray1::from_vec(py, found).reshape([table.shape()[0], self.0.len()])
    }

    #[pyo3(signature = (table, threads=None))]
    fn contributions<'py>(
        &self,
        py: Python<'py>,
        table: PyReadonlyArray2<'py, f32>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let found = self.on(py, &table, |forest, values| forest.contributions(values, threads))?;
        PyArray1::from_vec(py, found).reshape([table.shape()[0], self.0.features() + 1])
    }
}

impl Forest {
    /// Work on a table that has the columns of the trees.
    fn on<R: Send>(
        &self,
        py: Python<'_>,
        table: &PyReadonlyArray2<'_, f32>,
        work: impl FnOnce(&kernel::Forest, &[f32]) -> Result<R> + Send,
    ) -> PyResult<R> {
        let (values, columns) = (table.as_slice()?, table.shape()[1]);
        if columns != self.0.features() {
            return Err(PyTypeError::new_err(format!("a table of {columns} columns for trees of {}", self.0.features())));
        }
        py.detach(|| work(&self.0, values)).map_err(data_error)
    }
}
