//! LETOR / SVMlight text.
