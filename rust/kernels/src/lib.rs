//! The hot loops of Rankwise, in plain Rust that knows no Python.
//!
//! Vocabulary, the same everywhere: a *list* is one query with its documents; `offsets[q]..offsets[q + 1]`
//! are the *rows* of list `q`; a *rank* counts from 0 inside a list; a *grade* is the index of a label
//! among the distinct labels of the data.

pub mod error;
pub mod ids;
pub mod judged;
pub mod letor;
pub mod numbers;
pub mod scores;
pub mod source;
pub mod threads;
pub mod trec;
