//! Boosting over pairs: preferences and the stumps that follow them.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rankwise_kernels::bins::{self, Stump};
use rankwise_kernels::preferences;

use crate::errors::data_error;

/// The pairs of documents of which one has the higher label; see `rankwise_kernels::preferences`.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct Preferences(preferences::Preferences);

#[pymethods]
impl Preferences {
    #[staticmethod]
    #[pyo3(signature = (labels, offsets, list_weights=None, row_weights=None))]
    fn of(
        py: Python<'_>,
        labels: PyReadonlyArray1<'_, f64>,
        offsets: PyReadonlyArray1<'_, i64>,
        list_weights: Option<PyReadonlyArray1<'_, f64>>,
        row_weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let (labels, offsets) = (labels.as_slice()?, offsets.as_slice()?);
        let lists = list_weights.as_ref().map_or(Ok(&[][..]), |w| w.as_slice())?;
        let rows = row_weights.as_ref().map_or(Ok(&[][..]), |w| w.as_slice())?;
        py.detach(|| preferences::Preferences::of(labels, offsets, lists, rows)).map(Self).map_err(data_error)
    }

    /// How many pairs there are.
    #[getter]
    fn pairs(&self) -> f64 {
        self.0.pairs()
    }

    /// The potential of each row, all pairs together weighing 1, and the logarithm of what they weigh.
    #[pyo3(signature = (margins, threads=None))]
    fn potentials<'py>(
        &self,
        py: Python<'py>,
        margins: PyReadonlyArray1<'py, f64>,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
        let margins = margins.as_slice()?;
        let found = py.detach(|| self.0.potentials(margins, threads)).map_err(data_error)?;
        Ok((PyArray1::from_vec(py, found.rows), found.log_total))
    }

    /// The weight of the pairs that a stump gets right, and of those that it gets wrong; the rest it does not tell apart.
    #[pyo3(signature = (margins, above, threads=None))]
    fn split(
        &self,
        py: Python<'_>,
        margins: PyReadonlyArray1<'_, f64>,
        above: PyReadonlyArray1<'_, bool>,
        threads: Option<usize>,
    ) -> PyResult<(f64, f64)> {
        let (margins, above) = (margins.as_slice()?, above.as_slice()?);
        py.detach(|| self.0.split(margins, above, threads)).map_err(data_error)
    }
}

/// Features as codes of thresholds; see `rankwise_kernels::bins`.
#[pyclass(frozen, module = "rankwise._kernels")]
pub struct Bins(bins::Bins);

#[pymethods]
impl Bins {
    /// Thresholds half-way between neighbouring values, at most `most` a feature.
    #[staticmethod]
    #[pyo3(signature = (table, most=None, threads=None))]
    fn of(py: Python<'_>, table: PyReadonlyArray2<'_, f32>, most: Option<usize>, threads: Option<usize>) -> PyResult<Self> {
        let features = table.shape().get(1).copied().unwrap_or(0);
        let table = table.as_slice()?;
        py.detach(|| bins::Bins::of(table, features, most, threads)).map(Self).map_err(data_error)
    }

    /// Thresholds that are given, ascending, one array a feature.
    #[staticmethod]
    #[pyo3(signature = (table, thresholds, threads=None))]
    fn cut(
        py: Python<'_>,
        table: PyReadonlyArray2<'_, f32>,
        thresholds: Vec<PyReadonlyArray1<'_, f64>>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let thresholds = thresholds.iter().map(|t| Ok(t.as_slice()?.to_vec())).collect::<PyResult<Vec<Vec<f64>>>>()?;
        let table = table.as_slice()?;
        py.detach(|| bins::Bins::cut(table, thresholds, threads)).map(Self).map_err(data_error)
    }

    fn thresholds<'py>(&self, py: Python<'py>, feature: usize) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.thresholds(feature))
    }

    /// Feature, threshold, whether rows without a value are above it, and the sum of the potentials above.
    #[pyo3(signature = (potentials, both, threads=None))]
    fn search(
        &self,
        py: Python<'_>,
        potentials: PyReadonlyArray1<'_, f64>,
        both: bool,
        threads: Option<usize>,
    ) -> PyResult<Option<(usize, f64, bool, f64)>> {
        let potentials = potentials.as_slice()?;
        let found = py.detach(|| self.0.search(potentials, both, threads)).map_err(data_error)?;
        Ok(found.map(|Stump { feature, threshold, missing_above, sum }| (feature, threshold, missing_above, sum)))
    }
}
