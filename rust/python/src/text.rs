//! `Text`: bytes that Python and the kernels share, mapped from a file or handed in.

use std::sync::Arc;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rankwise_kernels::ids::{self, Span};
use rankwise_kernels::source::{self, Source};

use crate::errors::data_error;

#[pyclass(frozen, module = "rankwise._kernels")]
#[derive(Clone)]
pub struct Text(pub Arc<Source>);

#[pymethods]
impl Text {
    #[staticmethod]
    fn open(py: Python<'_>, path: &str) -> PyResult<Self> {
        py.detach(|| Source::open(path)).map(|s| Self(Arc::new(s))).map_err(data_error)
    }

    #[staticmethod]
    #[pyo3(signature = (name, content))]
    fn from_bytes(name: &str, content: Vec<u8>) -> PyResult<Self> {
        Source::from_bytes(name, content).map(|s| Self(Arc::new(s))).map_err(data_error)
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    fn __len__(&self) -> usize {
        self.0.text().len()
    }

    /// All bytes, unpacked.
    fn content<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.text())
    }

    /// The bytes under a span.
    fn at<'py>(&self, py: Python<'py>, span: u64) -> Bound<'py, PyBytes> {
        PyBytes::new(py, Span(span).of(self.0.text()))
    }

    /// The first place at which two columns of ids differ.
    fn first_difference(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u64>,
        others: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<Option<usize>> {
        let (text, ids, others) = (self.0.text(), ids.as_slice()?, others.as_slice()?);
        Ok(py.detach(|| ids::first_difference(text, ids, others)))
    }
}

/// A zstd frame that holds `content`.
#[pyfunction]
pub fn pack_zstd<'py>(py: Python<'py>, content: &[u8]) -> Bound<'py, PyBytes> {
    let packed = py.detach(|| source::pack_zstd(content));
    PyBytes::new(py, &packed)
}
