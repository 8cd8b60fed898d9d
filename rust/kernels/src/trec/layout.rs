//! The columns of the two kinds of TREC file.

#[derive(Debug)]
pub struct Layout {
    /// What the file is called in messages.
    pub name: &'static str,
    pub columns: &'static [&'static str],
    /// Which column holds the number.
    pub value: usize,
    /// Whether further columns are allowed and ignored, as trec_eval does for runs.
    pub more: bool,
    /// What happened to a document, in messages.
    pub done: &'static str,
}

pub static QRELS: Layout =
    Layout { name: "qrels", columns: &["query", "iteration", "document", "relevance"], value: 3, more: false, done: "judged" };

pub static RUN: Layout =
    Layout { name: "a run", columns: &["query", "Q0", "document", "rank", "score", "tag"], value: 4, more: true, done: "retrieved" };
