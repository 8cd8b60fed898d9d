//! TREC qrels and runs.
