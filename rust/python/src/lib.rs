//! The binding: borrow, release the GIL, call the kernel, map the error. No logic lives here.

use pyo3::prelude::*;

mod errors;
mod text;

#[pymodule]
fn _kernels(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<text::Text>()?;
    Ok(())
}
