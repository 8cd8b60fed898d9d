//! The bootstrap: an array of means out.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use rankwise_kernels::bootstrap as kernel;

/// The mean of each resample of the lists; see `rankwise_kernels::bootstrap`.
#[pyfunction]
#[pyo3(signature = (values, weights, resamples, seed, threads=None))]
pub fn bootstrap<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    resamples: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let values = values.as_slice()?;
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    Ok(PyArray1::from_vec(py, py.detach(|| kernel::means(values, weights, resamples, seed, threads))))
}
