//! LETOR text to arrays.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use rankwise_kernels::letor::{Arrays, Filled, Layout, Options};

use crate::errors::data_error;
use crate::text::Text;

/// What a file holds. `offsets`, `queries` and `rows` are `None` without query ids, `rows` also if rows are grouped
/// already; `documents` is `None` if no line names one.
#[pyclass(frozen, get_all, module = "rankwise._kernels")]
pub struct Letor {
    features: Py<PyArray2<f32>>,
    labels: Py<PyArray1<f64>>,
    documents: Option<Py<PyArray1<u64>>>,
    offsets: Option<Py<PyArray1<i64>>>,
    queries: Option<Py<PyArray1<u64>>>,
    rows: Option<Py<PyArray1<i64>>>,
}

/// Reads LETOR text. Arrays are NumPy's own rather than Rust's because NumPy asks for huge pages:
/// first touches of 300 MB cost 0.02 s instead of 0.17 s.
#[pyfunction]
#[pyo3(signature = (text, *, missing=0.0, sort_features=false, zero_based=false, n_features=None, max_features=100_000, has_queries=true, threads=None))]
#[allow(clippy::too_many_arguments)]
pub fn read_letor(
    py: Python<'_>,
    text: &Text,
    missing: f32,
    sort_features: bool,
    zero_based: bool,
    n_features: Option<usize>,
    max_features: usize,
    has_queries: bool,
    threads: Option<usize>,
) -> PyResult<Letor> {
    let options = Options { missing, sort_features, zero_based, n_features, max_features, has_queries, threads };
    let (name, text) = (text.0.name(), text.0.text());
    let mut layout = py.detach(|| Layout::of(name, text, &options)).map_err(data_error)?;
    let labels = PyArray1::<f64>::zeros(py, layout.rows, false);
    let documents = PyArray1::<u64>::zeros(py, layout.rows, false);
    let (features, filled) = loop {
        let features = PyArray2::<f32>::zeros(py, [layout.rows, layout.width], false);
        let filled = fill(py, &layout, &features, &labels, &documents)?;
        if filled.width == layout.width {
            break (features, filled);
        }
        layout.width = filled.width;
    };
    let (offsets, queries, rows) = match filled.lists {
        Some(lists) => (Some(lists.offsets), Some(lists.queries), lists.rows),
        None => (None, None, None),
    };
    Ok(Letor {
        features: features.unbind(),
        labels: labels.unbind(),
        documents: filled.has_documents.then(|| documents.unbind()),
        offsets: offsets.map(|values| PyArray1::from_vec(py, values).unbind()),
        queries: queries.map(|values| PyArray1::from_vec(py, values).unbind()),
        rows: rows.map(|values| PyArray1::from_vec(py, values).unbind()),
    })
}

fn fill(
    py: Python<'_>,
    layout: &Layout<'_>,
    features: &Bound<'_, PyArray2<f32>>,
    labels: &Bound<'_, PyArray1<f64>>,
    documents: &Bound<'_, PyArray1<u64>>,
) -> PyResult<Filled> {
    let (mut features, mut labels, mut documents) = (features.try_readwrite()?, labels.try_readwrite()?, documents.try_readwrite()?);
    let arrays = Arrays { features: features.as_slice_mut()?, labels: labels.as_slice_mut()?, documents: documents.as_slice_mut()? };
    py.detach(|| layout.fill(arrays)).map_err(data_error)
}
