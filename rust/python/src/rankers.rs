//! What rankers compute beside trees: weighted sums, and features within their list.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rankwise_kernels::linear;
use rankwise_kernels::within::{self, What};

use crate::errors::data_error;

/// The bias and Σ weight × value of each row.
#[pyfunction]
#[pyo3(signature = (table, weights, bias, threads=None))]
pub fn weighted_sums<'py>(
    py: Python<'py>,
    table: PyReadonlyArray2<'py, f32>,
    weights: PyReadonlyArray1<'py, f64>,
    bias: f64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (values, weights, columns) = (table.as_slice()?, weights.as_slice()?, table.shape()[1]);
    if columns != weights.len() {
        return Err(PyValueError::new_err(format!("a table of {columns} columns for {} weights", weights.len())));
    }
    Ok(PyArray1::from_vec(py, py.detach(|| linear::scores(values, weights, bias, threads)).map_err(data_error)?))
}

/// Features as they stand within their list; see `rankwise_kernels::within`.
#[pyfunction]
#[pyo3(signature = (table, offsets, what, threads=None))]
pub fn within_lists<'py>(
    py: Python<'py>,
    table: PyReadonlyArray2<'py, f32>,
    offsets: PyReadonlyArray1<'py, i64>,
    what: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let what = What::of(what).ok_or_else(|| PyValueError::new_err(format!("unknown: {what}")))?;
    let (values, offsets, columns) = (table.as_slice()?, offsets.as_slice()?, table.shape()[1]);
    let found = py.detach(|| within::within(values, columns, offsets, what, threads)).map_err(data_error)?;
    PyArray1::from_vec(py, found).reshape([table.shape()[0], columns])
}
