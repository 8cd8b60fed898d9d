//! The binding: borrow, release the GIL, call the kernel, map the error. No logic lives here.

use pyo3::prelude::*;

mod boosting;
mod bootstrap;
mod errors;
mod evaluate;
mod factors;
mod lambda;
mod letor;
mod line_search;
mod randomisation;
mod rank_svm;
mod rankers;
mod scores;
mod table;
mod text;
mod trec;
mod trees;

#[pymodule]
fn _kernels(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<text::Text>()?;
    module.add_function(wrap_pyfunction!(text::pack_zstd, module)?)?;
    module.add_class::<evaluate::Grades>()?;
    module.add_function(wrap_pyfunction!(evaluate::grade, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::grade_weighted, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::ranked, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::summary, module)?)?;
    module.add_function(wrap_pyfunction!(lambda::lambdas, module)?)?;
    module.add_class::<boosting::Bins>()?;
    module.add_class::<boosting::Preferences>()?;
    module.add_function(wrap_pyfunction!(bootstrap::bootstrap, module)?)?;
    module.add_class::<trec::Table>()?;
    module.add_class::<trec::Judged>()?;
    module.add_function(wrap_pyfunction!(trec::read_qrels, module)?)?;
    module.add_class::<trec::Reading>()?;
    module.add_function(wrap_pyfunction!(trec::read_ahead, module)?)?;
    module.add_function(wrap_pyfunction!(trec::read_run, module)?)?;
    module.add_function(wrap_pyfunction!(trec::table, module)?)?;
    module.add_function(wrap_pyfunction!(trec::judge, module)?)?;
    module.add_class::<letor::Letor>()?;
    module.add_function(wrap_pyfunction!(letor::read_letor, module)?)?;
    module.add_class::<table::TableColumns>()?;
    module.add_function(wrap_pyfunction!(table::read_arrow, module)?)?;
    module.add_function(wrap_pyfunction!(scores::read_scores, module)?)?;
    module.add_class::<trees::Forest>()?;
    module.add_function(wrap_pyfunction!(rankers::weighted_sums, module)?)?;
    module.add_function(wrap_pyfunction!(rankers::within_lists, module)?)?;
    module.add_function(wrap_pyfunction!(randomisation::randomisation, module)?)?;
    module.add_class::<rank_svm::Pairs>()?;
    module.add_class::<rank_svm::PairCurvature>()?;
    module.add_class::<line_search::LineSearch>()?;
    module.add_class::<factors::SeenPairs>()?;
    for function in [
        wrap_pyfunction!(factors::bpr_epoch, module)?,
        wrap_pyfunction!(factors::warp_epoch, module)?,
        wrap_pyfunction!(factors::svd_epoch, module)?,
        wrap_pyfunction!(factors::als_side, module)?,
        wrap_pyfunction!(factors::top_items, module)?,
        wrap_pyfunction!(factors::top_of_scores, module)?,
        wrap_pyfunction!(factors::all_scores, module)?,
        wrap_pyfunction!(factors::some_scores, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
