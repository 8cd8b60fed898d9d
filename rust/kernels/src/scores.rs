//! One score a line.
