//! Score files to an array.

use numpy::PyArray1;
use pyo3::prelude::*;
use rankwise_kernels::scores::{self, Column};

use crate::errors::data_error;
use crate::text::Text;

/// The score of each line; `column` counts from 1, -1 is the last, none stands for the only one.
#[pyfunction]
#[pyo3(signature = (text, column=None))]
pub fn read_scores<'py>(py: Python<'py>, text: &Text, column: Option<i64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (name, text) = (text.0.name(), text.0.text());
    let scores = py.detach(|| scores::read(name, text, Column::of(column)?)).map_err(data_error)?;
    Ok(PyArray1::from_vec(py, scores))
}
