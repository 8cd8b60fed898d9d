//! `Table`: the columns of qrels or a run; and the join of the two.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice};
use rankwise_kernels::error::Result;
use rankwise_kernels::ids::Span;
use rankwise_kernels::judged::Join;
use rankwise_kernels::source::Source;
use rankwise_kernels::trec::{self, Columns, Counted, Room};

use crate::errors::data_error;
use crate::text::Text;

/// NumPy owns the columns, so that looking at them copies nothing.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct Table {
    source: Arc<Source>,
    #[pyo3(get)]
    text: Py<Text>,
    #[pyo3(get)]
    queries: Py<PyArray1<u64>>,
    #[pyo3(get)]
    offsets: Py<PyArray1<i64>>,
    #[pyo3(get)]
    documents: Py<PyArray1<u64>>,
    #[pyo3(get)]
    values: Py<PyArray1<f64>>,
    hashes: Py<PyArray1<u32>>,
    tag: Span,
}

#[pymethods]
impl Table {
    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.tag.of(self.source.text()))
    }
}

impl Table {
    fn new(text: Bound<'_, Text>, table: trec::Table) -> Self {
        let py = text.py();
        Self {
            source: table.source,
            queries: frozen(py, table.queries),
            offsets: frozen(py, table.offsets),
            documents: frozen(py, table.documents),
            values: frozen(py, table.values),
            hashes: frozen(py, table.hashes),
            tag: table.tag,
            text: text.unbind(),
        }
    }

    fn borrow<'py>(&self, py: Python<'py>) -> Borrowed<'py> {
        Borrowed {
            queries: self.queries.bind(py).readonly(),
            offsets: self.offsets.bind(py).readonly(),
            documents: self.documents.bind(py).readonly(),
            values: self.values.bind(py).readonly(),
            hashes: self.hashes.bind(py).readonly(),
        }
    }
}

/// Holds the arrays while a kernel looks at them.
struct Borrowed<'py> {
    queries: PyReadonlyArray1<'py, u64>,
    offsets: PyReadonlyArray1<'py, i64>,
    documents: PyReadonlyArray1<'py, u64>,
    values: PyReadonlyArray1<'py, f64>,
    hashes: PyReadonlyArray1<'py, u32>,
}

impl Borrowed<'_> {
    fn columns<'a>(&'a self, table: &'a Table) -> PyResult<Columns<'a>> {
        Ok(Columns {
            text: table.source.text(),
            queries: self.queries.as_slice()?,
            offsets: self.offsets.as_slice()?,
            documents: self.documents.as_slice()?,
            values: self.values.as_slice()?,
            hashes: self.hashes.as_slice()?,
        })
    }
}

/// An array that Python cannot write to: several objects share it.
fn frozen<T: Element>(py: Python<'_>, column: Vec<T>) -> Py<PyArray1<T>> {
    freeze(PyArray1::from_vec(py, column))
}

fn freeze<T: Element>(array: Bound<'_, PyArray1<T>>) -> Py<PyArray1<T>> {
    array.readwrite().make_nonwriteable();
    array.unbind()
}

/// Room that NumPy allocates: it asks for huge pages, which cost a fifth of what small ones do to fill first.
fn room<T: Element>(py: Python<'_>, rows: usize) -> Bound<'_, PyArray1<T>> {
    PyArray1::zeros(py, rows, false)
}

/// The first rows of a column, which are all of them unless the file has comments or blank lines.
fn first<T: Element>(column: Bound<'_, PyArray1<T>>, rows: usize) -> PyResult<Py<PyArray1<T>>> {
    if column.len()? == rows {
        return Ok(freeze(column));
    }
    let part = column.get_item(PySlice::new(column.py(), 0, rows as isize, 1))?;
    Ok(freeze(part.cast_into::<PyArray1<T>>()?))
}

#[pyfunction]
#[pyo3(signature = (text, threads=None))]
pub fn read_qrels(text: Bound<'_, Text>, threads: Option<usize>) -> PyResult<Table> {
    read(text, trec::count_qrels, threads)
}

#[pyfunction]
#[pyo3(signature = (text, threads=None))]
pub fn read_run(text: Bound<'_, Text>, threads: Option<usize>) -> PyResult<Table> {
    read(text, trec::count_run, threads)
}

/// A file being read on other threads, so that Python can go on meanwhile.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct Reading(Mutex<Option<JoinHandle<Result<trec::Table>>>>);

#[pymethods]
impl Reading {
    /// The columns, as soon as they are read; once only.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let handle = self.0.lock().ok().and_then(|mut handle| handle.take());
        let handle = handle.ok_or_else(|| PyRuntimeError::new_err("this reading has been taken already"))?;
        let table = py.detach(|| handle.join()).map_err(|_| PyRuntimeError::new_err("a reading thread broke off"))?;
        let table = table.map_err(data_error)?;
        let text = Bound::new(py, Text(Arc::clone(&table.source)))?;
        Ok(Table::new(text, table))
    }
}

/// Starts to read a file, as qrels or as a run.
#[pyfunction]
#[pyo3(signature = (path, qrels, threads=None))]
pub fn read_ahead(path: String, qrels: bool, threads: Option<usize>) -> Reading {
    let count = if qrels { trec::count_qrels } else { trec::count_run };
    let read = move || {
        let counted = count(Arc::new(Source::open(&path)?), threads)?;
        trec::Table::read(&counted, threads)
    };
    Reading(Mutex::new(Some(std::thread::spawn(read))))
}

fn read(text: Bound<'_, Text>, count: fn(Arc<Source>, Option<usize>) -> Result<Counted>, threads: Option<usize>) -> PyResult<Table> {
    let (py, source) = (text.py(), Arc::clone(&text.get().0));
    let counted = py.detach(|| count(Arc::clone(&source), threads)).map_err(data_error)?;
    let lines = counted.lines();
    let (documents, values, hashes) = (room::<u64>(py, lines), room::<f64>(py, lines), room::<u32>(py, lines));
    let filled = {
        let (mut documents, mut values, mut hashes) = (documents.readwrite(), values.readwrite(), hashes.readwrite());
        let room = Room { documents: documents.as_slice_mut()?, values: values.as_slice_mut()?, hashes: hashes.as_slice_mut()? };
        py.detach(|| counted.read(room, threads)).map_err(data_error)?
    };
    Ok(Table {
        source,
        text: text.unbind(),
        queries: frozen(py, filled.queries),
        offsets: frozen(py, filled.offsets),
        documents: first(documents, filled.rows)?,
        values: first(values, filled.rows)?,
        hashes: first(hashes, filled.rows)?,
        tag: filled.tag,
    })
}

/// A table of columns that Python holds already.
#[pyfunction]
#[pyo3(signature = (text, queries, offsets, documents, values, threads=None))]
pub fn table(
    text: Bound<'_, Text>,
    queries: PyReadonlyArray1<'_, u64>,
    offsets: PyReadonlyArray1<'_, i64>,
    documents: PyReadonlyArray1<'_, u64>,
    values: PyReadonlyArray1<'_, f64>,
    threads: Option<usize>,
) -> PyResult<Table> {
    let source = Arc::clone(&text.get().0);
    let (queries, offsets) = (queries.as_array().to_vec(), offsets.as_array().to_vec());
    let (documents, values) = (documents.as_array().to_vec(), values.as_array().to_vec());
    let table = text.py().detach(|| trec::Table::from_columns(source, queries, offsets, documents, values, threads)).map_err(data_error)?;
    Ok(Table::new(text, table))
}

/// A run joined with its judgments; `scores` and `documents` are the run's own arrays where they can be.
#[pyclass(frozen, get_all, module = "rankwise._kernels")]
pub struct Judged {
    offsets: Py<PyArray1<i64>>,
    scores: Py<PyArray1<f64>>,
    documents: Py<PyArray1<u64>>,
    labels: Py<PyArray1<f64>>,
    unretrieved_offsets: Py<PyArray1<i64>>,
    unretrieved_labels: Py<PyArray1<f64>>,
    unretrieved_documents: Py<PyArray1<u64>>,
    missing: Py<PyArray1<bool>>,
    unknown_queries: Py<PyArray1<u64>>,
}

#[pyfunction]
#[pyo3(signature = (qrels, run, threads=None))]
pub fn judge(py: Python<'_>, qrels: &Table, run: &Table, threads: Option<usize>) -> PyResult<Judged> {
    let (of_qrels, of_run) = (qrels.borrow(py), run.borrow(py));
    let (judgments, results) = (of_qrels.columns(qrels)?, of_run.columns(run)?);
    let join = py.detach(|| Join::of(judgments, results));
    let labels = room::<f64>(py, join.rows());
    let judged = {
        let mut labels = labels.readwrite();
        let labels = labels.as_slice_mut()?;
        py.detach(|| join.label(labels, threads))
    };
    let (scores, documents) = match judged.rows {
        Some((scores, documents)) => (frozen(py, scores), frozen(py, documents)),
        None => (run.values.clone_ref(py), run.documents.clone_ref(py)),
    };
    Ok(Judged {
        offsets: frozen(py, judged.offsets),
        scores,
        documents,
        labels: freeze(labels),
        unretrieved_offsets: frozen(py, judged.unretrieved_offsets),
        unretrieved_labels: frozen(py, judged.unretrieved_labels),
        unretrieved_documents: frozen(py, judged.unretrieved_documents),
        missing: frozen(py, judged.missing),
        unknown_queries: frozen(py, judged.unknown_queries),
    })
}
