//! Tests of the LETOR reader.
