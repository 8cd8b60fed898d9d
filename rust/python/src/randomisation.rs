//! The randomisation test: values of systems in, counts of extreme sign patterns out.

use numpy::{PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rankwise_kernels::randomisation::{self as kernel, Patterns};

use crate::errors::data_error;

/// `permutations` of None tries all sign patterns.
#[pyfunction]
#[pyo3(signature = (values, pairs, permutations, seed, threads=None))]
pub fn randomisation<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    pairs: PyReadonlyArray2<'py, u32>,
    permutations: Option<usize>,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let lists = values.shape().get(1).copied().unwrap_or(0);
    let values = values.as_slice()?;
    let pairs: Vec<(u32, u32)> = pairs.as_slice()?.chunks_exact(2).filter_map(|p| Some((*p.first()?, *p.get(1)?))).collect();
    let patterns = permutations.map_or(Patterns::All, |count| Patterns::Drawn { count, seed });
    let counts = py.detach(|| kernel::randomisation(values, lists, &pairs, patterns, threads)).map_err(data_error)?;
    Ok(PyArray1::from_vec(py, counts))
}
