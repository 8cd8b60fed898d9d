//! The kernels' one error as the Python exception of `rankwise.errors`.

use pyo3::PyErr;
use rankwise_kernels::error::Error;

pyo3::import_exception!(rankwise.errors, DataError);

pub fn data_error(error: Error) -> PyErr {
    DataError::new_err(error.to_string())
}
