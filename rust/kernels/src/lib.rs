//! The hot loops of Rankwise, in plain Rust that knows no Python.
//!
//! Vocabulary, the same everywhere: a *list* is one query with its documents; `offsets[q]..offsets[q + 1]`
//! are the *rows* of list `q`; a *rank* counts from 0 inside a list; a *grade* is the index of a label
//! among the distinct labels of the data.

pub mod bins;
pub mod bootstrap;
pub mod error;
pub mod evaluate;
pub mod factors;
pub mod grades;
pub mod ids;
pub mod judged;
pub mod lambda;
pub mod letor;
pub mod line_search;
pub mod linear;
pub mod lists;
pub mod lots;
pub mod measures;
pub mod numbers;
pub mod order;
pub mod preferences;
pub mod randomisation;
pub mod rank_svm;
pub mod scores;
pub mod source;
pub mod sum;
pub mod table;
pub mod threads;
pub mod trec;
pub mod trees;
pub mod within;
