//! The binding: borrow, release the GIL, call the kernel, map the error. No logic lives here.

use pyo3::prelude::*;

mod errors;
mod letor;
mod scores;
mod text;

#[pymodule]
fn _kernels(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<text::Text>()?;
    module.add_class::<letor::Letor>()?;
    module.add_function(wrap_pyfunction!(letor::read_letor, module)?)?;
    module.add_function(wrap_pyfunction!(scores::read_scores, module)?)?;
    Ok(())
}
