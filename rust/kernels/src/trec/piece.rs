//! A piece of a file, cut at line ends, into its part of the columns.

use std::ops::Range;

use super::decimal;
use super::fingerprint::{hash, word};
use super::layout::Layout;
use super::line::{self, Refusal};
use super::window::{Job, Windows};
use crate::ids::Span;

/// The rows of one query that follow each other.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    pub query: Span,
    pub rows: usize,
}

/// What to read, and where its rows go: room for as many rows as the piece has lines.
pub struct Piece<'a> {
    pub text: &'a [u8],
    pub lines: Range<usize>,
    pub layout: &'static Layout,
    pub documents: &'a mut [u64],
    pub values: &'a mut [f64],
    pub hashes: &'a mut [u32],
}

/// What was read: groups in file order, where the last row's line starts, and what stopped the reading.
#[derive(Debug, Default)]
pub struct Read {
    pub groups: Vec<Group>,
    pub rows: usize,
    pub last: Option<Range<usize>>,
    pub stop: Option<(usize, Refusal)>,
}

/// A row as both ways of reading deliver it.
struct Found {
    query: Span,
    document: Span,
    value: f64,
    /// The first byte after the line.
    next: usize,
}

impl Job for Piece<'_> {
    type Output = Read;

    #[inline(always)]
    fn with(self, windows: impl Windows) -> Read {
        // The number of columns must be a constant for the loop over them to unroll.
        match self.layout.columns.len() {
            4 => read::<4>(self, windows),
            _ => read::<6>(self, windows),
        }
    }
}

#[inline(always)]
fn read<const COLUMNS: usize>(piece: Piece<'_>, windows: impl Windows) -> Read {
    let Piece { text, lines, layout, documents, values, hashes } = piece;
    let mut read = Read::default();
    let mut last = 0..0;
    let mut rows = documents.iter_mut().zip(values).zip(hashes);
    let mut group = Group { query: Span::default(), rows: 0 };
    let mut query_word = 0;
    let mut at = lines.start;
    while at < lines.end {
        let start = at;
        let found = match quickly::<COLUMNS>(text, at, windows) {
            Some(found) => found,
            None => match slowly(text, at, lines.end, layout) {
                Ok((Some(found), _)) => found,
                Ok((None, next)) => {
                    at = next;
                    continue;
                }
                Err(refusal) => {
                    read.stop = Some((start, refusal));
                    break;
                }
            },
        };
        // There is a place for every line, so this never ends the loop early.
        let Some(((document, value), fingerprint)) = rows.next() else { break };
        at = found.next;
        *document = found.document.0;
        *value = found.value;
        *fingerprint = hash(found.document.of(text));
        last = start..at;
        let query = found.query.of(text);
        if found.query.len() == group.query.len() && word(query) == query_word && (query.len() <= 8 || query == group.query.of(text)) {
            group.rows += 1;
            continue;
        }
        read.groups.extend(Some(group).filter(|group| group.rows > 0));
        group = Group { query: found.query, rows: 1 };
        query_word = word(query);
    }
    read.groups.extend(Some(group).filter(|group| group.rows > 0));
    read.rows = read.groups.iter().map(|group| group.rows).sum();
    read.last = Some(last).filter(|line| !line.is_empty());
    read
}

/// Where a row's columns stand, as start and length, counted from the start of the line; and how long the line is.
struct Places {
    query: (usize, usize),
    document: (usize, usize),
    number: (usize, usize),
    line: usize,
}

/// Finds the columns of a line from the bits of its white space and line ends; `None` unless there are exactly
/// as many columns as there should be.
macro_rules! locate {
    ($name:ident, $bits:ty) => {
        #[inline(always)]
        fn $name<const COLUMNS: usize>(white: $bits, newline: $bits) -> Option<Places> {
            let line = newline ^ newline.checked_sub(1)?;
            let mut starts = !white & (white << 1 | 1) & line;
            if starts.count_ones() as usize != COLUMNS {
                return None;
            }
            let mut after = |skipped: usize| {
                for _ in 0..skipped {
                    starts &= starts.wrapping_sub(1);
                }
                let start = starts.trailing_zeros();
                (start as usize, white.unbounded_shr(start).trailing_zeros() as usize)
            };
            // The iteration (Q0) stands between query and document, and in a run the rank before the score.
            let (query, document, number) = (after(0), after(2), after(if COLUMNS == 4 { 1 } else { 2 }));
            Some(Places { query, document, number, line: line.count_ones() as usize })
        }
    };
}

locate!(within_64, u64);
locate!(within_128, u128);

/// A row that lies within 128 bytes, has exactly the columns it should and is no comment; `None` for any other.
#[inline(always)]
fn quickly<const COLUMNS: usize>(text: &[u8], at: usize, windows: impl Windows) -> Option<Found> {
    let rest = text.get(at..)?;
    let (window, further) = rest.split_first_chunk::<64>()?;
    let masks = windows.masks(window);
    let places = if masks.newline != 0 {
        within_64::<COLUMNS>(masks.white, masks.newline)?
    } else {
        let second = windows.masks(further.first_chunk()?);
        let join = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
        within_128::<COLUMNS>(join(masks.white, second.white), join(masks.newline, second.newline))?
    };
    let Places { query, document, number, line } = places;
    if *rest.get(query.0)? == b'#' {
        return None;
    }
    let value = match decimal::plain(text, at + number.0, number.1) {
        Some(value) => value,
        None => line::number(rest.get(number.0..number.0 + number.1)?)?,
    };
    // Within 128 bytes every length fits; that every start fits was seen to before.
    let span = |(start, len): (usize, usize)| Span(((at + start) as u64) << 16 | len as u64);
    Some(Found { query: span(query), document: span(document), value, next: at + line })
}

/// Any line; with where the next one starts.
#[cold]
#[inline(never)]
fn slowly(text: &[u8], at: usize, end: usize, layout: &Layout) -> Result<(Option<Found>, usize), Refusal> {
    let rest = text.get(at..end).unwrap_or_default();
    let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let next = (at + len + 1).min(end);
    let found = line::read(text, at..at + len, layout)?.and_then(|row| {
        Some(Found {
            query: Span::new(row.query.start, row.query.len())?,
            document: Span::new(row.document.start, row.document.len())?,
            value: row.value,
            next,
        })
    });
    Ok((found, next))
}
