//! The one error of the kernels: what was wrong, where, and what to do.

use std::fmt;

/// A refusal. `place` says where ("train.txt, line 12"), `what` what was wrong and what was expected,
/// `hint` what to do about it (may be empty).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub place: String,
    pub what: String,
    pub hint: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into(), hint: String::new() }
    }

    /// An error at a line of a file; lines count from 1.
    pub fn at_line(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self::new(format!("{file}, line {line}"), what)
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.what)?;
        if !self.hint.is_empty() {
            write!(f, "\nHint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Bytes of a file as they appear in a message: at most 40 of them, invalid UTF-8 replaced, quoted.
pub fn quote(bytes: &[u8]) -> String {
    let shown: String = String::from_utf8_lossy(bytes.get(..40).unwrap_or(bytes)).into_owned();
    let dots = if bytes.len() > 40 { "…" } else { "" };
    format!("'{}{dots}'", shown.escape_debug())
}
