//! Ids as places in a text: no string is copied before somebody looks at it.

use crate::error::{Error, Result};

/// Where an id stands in its text: the start in the upper 48 bits, the length in the lower 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Span(pub u64);

pub const LONGEST_ID: usize = 0xffff;

impl Span {
    /// `None` if the id is longer than 65,535 bytes or starts beyond 256 TB.
    pub fn new(start: usize, len: usize) -> Option<Self> {
        (len <= LONGEST_ID && start < 1 << 48).then_some(Self((start as u64) << 16 | len as u64))
    }

    pub fn start(self) -> usize {
        (self.0 >> 16) as usize
    }

    pub fn len(self) -> usize {
        (self.0 & 0xffff) as usize
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The bytes of the id; empty if the span does not lie within `text`.
    #[inline]
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start()..self.start() + self.len()).unwrap_or_default()
    }
}

/// Refuses spans that do not lie within the text, once, at the door.
pub fn check(spans: &[u64], text: &[u8]) -> Result<()> {
    match spans.iter().map(|&s| Span(s)).find(|s| s.start() + s.len() > text.len()) {
        None => Ok(()),
        Some(s) => Err(Error::new("", format!("an id at byte {} lies outside its text of {} bytes", s.start(), text.len()))),
    }
}

/// The first place at which two columns of ids of one text differ, in their bytes.
pub fn first_difference(text: &[u8], ids: &[u64], others: &[u64]) -> Option<usize> {
    ids.iter().zip(others).position(|(&a, &b)| a != b && Span(a).of(text) != Span(b).of(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_by_their_bytes_not_by_their_places() {
        let span = |start, len| Span::new(start, len).unwrap_or_default().0;
        let ids = [span(0, 2), span(0, 2), span(4, 1), span(9, 9)];
        let others = [span(0, 2), span(2, 2), span(4, 0), span(9, 9)];
        assert_eq!(first_difference(b"ababc", &ids[..2], &others), None);
        assert_eq!(first_difference(b"ababc", &ids, &others), Some(2));
    }
}
