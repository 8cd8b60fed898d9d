//! An Arrow stream, handed over in a capsule, to columns.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rankwise_kernels::source::Source;
use rankwise_kernels::table::{self, Column, FFI_ArrowArrayStream, Place, RecordBatchStreamReader, Role};

use crate::errors::data_error;
use crate::text::Text;

/// A table in memory; all spans are places in `text`.
#[pyclass(frozen, get_all, module = "rankwise._kernels")]
pub struct TableColumns {
    text: Text,
    rows: usize,
    offsets: Option<Py<PyArray1<i64>>>,
    queries: Option<Py<PyArray1<u64>>>,
    order: Option<Py<PyArray1<i64>>>,
    columns: Vec<Py<PyAny>>,
    features: Option<Py<PyArray2<f32>>>,
}

/// Reads an Arrow stream to its end, without the GIL; `roles` says what each column becomes.
#[pyfunction]
#[pyo3(signature = (stream, roles, *, rows=0, name="", first=0))]
pub fn read_arrow(
    py: Python<'_>,
    stream: &Bound<'_, PyCapsule>,
    roles: Vec<String>,
    rows: usize,
    name: &str,
    first: usize,
) -> PyResult<TableColumns> {
    let roles: Vec<Role> =
        roles.iter().map(|role| Role::of(role)).collect::<Option<_>>().ok_or_else(|| PyValueError::new_err("an unknown role"))?;
    let pointer = stream.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds a stream of Arrow's C interface; it is moved out, so that it is released once.
    #[allow(unsafe_code)]
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    let read = || {
        let batches = RecordBatchStreamReader::try_new(stream).map_err(|e| table::broken(name, &e))?;
        table::read(batches, &roles, rows, Place { name, first })
    };
    let found = py.detach(read).map_err(data_error)?;
    let (offsets, queries, order) = match found.lists {
        Some(lists) => (Some(lists.offsets), Some(lists.queries), lists.rows),
        None => (None, None, None),
    };
    let features = PyArray1::from_vec(py, found.features).reshape([found.rows, found.width])?;
    Ok(TableColumns {
        text: Text(Arc::new(Source::from_bytes("ids", found.text).map_err(data_error)?)),
        rows: found.rows,
        offsets: offsets.map(|values| PyArray1::from_vec(py, values).unbind()),
        queries: queries.map(|values| PyArray1::from_vec(py, values).unbind()),
        order: order.map(|values| PyArray1::from_vec(py, values).unbind()),
        columns: found.columns.into_iter().map(|column| array(py, column)).collect(),
        features: (found.width > 0).then(|| features.unbind()),
    })
}

fn array(py: Python<'_>, column: Column) -> Py<PyAny> {
    match column {
        Column::Spans(spans) => PyArray1::from_vec(py, spans).into_any().unbind(),
        Column::Whole(values) => PyArray1::from_vec(py, values).into_any().unbind(),
        Column::Number(values) => PyArray1::from_vec(py, values).into_any().unbind(),
    }
}
