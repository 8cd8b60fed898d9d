//! LETOR / SVMlight text: `label qid:ID 1:0.5 2:0 … # comment`, one document a line.
//!
//! Reading takes two passes, because the arrays are allocated once and filled in place by several threads.
//! [`Layout::of`] cuts the text into pieces at line ends and counts lines and rows; the caller allocates;
//! [`Layout::fill`] parses every piece into its part of the arrays. The *width* (number of features) is taken from the
//! first lines; a later line that has more makes `fill` report the true width, and the caller fills once more.

mod row;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::ids::Span;
use crate::lists::{self, Lists, Run};
use row::{Expected, Reader, Sorter};

/// What a file may look like, and how its gaps are filled.
#[derive(Debug, Clone)]
pub struct Options {
    /// The value of a feature that a line leaves out.
    pub missing: f32,
    /// Accept feature indices in any order within a line.
    pub sort_features: bool,
    /// The first feature has index 0 instead of 1.
    pub zero_based: bool,
    /// The width, if the caller knows it: more features are refused, fewer are filled.
    pub n_features: Option<usize>,
    /// The largest width accepted where `n_features` is not given.
    pub max_features: usize,
    /// Whether each line has a `qid:`; otherwise none may have one.
    pub has_queries: bool,
    /// How many threads parse; `None` for one a core.
    pub threads: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            missing: 0.0,
            sort_features: false,
            zero_based: false,
            n_features: None,
            max_features: 100_000,
            has_queries: true,
            threads: None,
        }
    }
}

impl Options {
    /// Columns from here on are refused.
    fn columns(&self) -> usize {
        self.n_features.unwrap_or(self.max_features)
    }

    /// The index that the file uses for a column.
    fn index(&self, column: usize) -> usize {
        column + usize::from(!self.zero_based)
    }
}

/// Large enough that a piece costs nothing to start, small enough that threads end together.
const PIECE: usize = 1 << 20;

/// So many bytes at the start show the width of nearly every file.
const SAMPLE: usize = 1 << 16;

/// Dense features may take this much memory, or [`BLOW_UP`] times the text if that is more.
const ROOMY: usize = 1 << 30;
const BLOW_UP: usize = 64;

/// Where the rows of a text stand, and the shape of its arrays.
#[derive(Debug)]
pub struct Layout<'t> {
    name: &'t str,
    text: &'t [u8],
    options: &'t Options,
    pieces: Vec<Piece>,
    pub rows: usize,
    pub width: usize,
}

/// A part of the text that begins and ends at a line's border.
#[derive(Debug, Clone, Copy, Default)]
struct Piece {
    start: usize,
    end: usize,
    lines: usize,
    rows: usize,
}

/// The arrays to fill: `features` holds `rows` × `width` values, the others one a row.
#[derive(Debug)]
pub struct Arrays<'a> {
    pub features: &'a mut [f32],
    pub labels: &'a mut [f64],
    /// Spans of document ids, 0 where a line names none.
    pub documents: &'a mut [u64],
}

/// What `fill` found.
#[derive(Debug, PartialEq, Eq)]
pub struct Filled {
    /// The number of features; if it is more than the layout's width, the features must be filled again.
    pub width: usize,
    pub has_documents: bool,
    /// `None` if the file has no query ids.
    pub lists: Option<Lists>,
}

impl<'t> Layout<'t> {
    pub fn of(name: &'t str, text: &'t [u8], options: &'t Options) -> Result<Self> {
        Self::with_pieces(name, text, options, PIECE)
    }

    fn with_pieces(name: &'t str, text: &'t [u8], options: &'t Options, size: usize) -> Result<Self> {
        let pieces = in_threads(options.threads, || cut(text, size).into_par_iter().map(|piece| piece.counted(text)).collect::<Vec<_>>())?;
        let rows = pieces.iter().map(|piece| piece.rows).sum();
        if rows == 0 {
            return Err(Error::new(name, "there is no data line in it"));
        }
        let mut layout = Self { name, text, options, pieces, rows, width: 0 };
        layout.width = layout.sampled_width()?;
        Ok(layout)
    }

    /// Parses the text into the arrays. The error, if any, is the one of the first bad line.
    pub fn fill(&self, arrays: Arrays<'_>) -> Result<Filled> {
        let expected = Expected::table(self.width, self.options);
        let parts = self.share_out(arrays)?;
        let found = in_threads(self.options.threads, || parts.into_par_iter().map(|part| self.parse(part, &expected)).collect::<Vec<_>>())?;
        let found = found.into_iter().collect::<Result<Vec<Found>>>()?;

        let widest = found.iter().map(|part| part.widest).reduce(Widest::or).unwrap_or_default();
        let width = self.width.max(widest.columns);
        self.check_memory(width, widest.line)?;
        let has_documents = found.iter().any(|part| part.has_documents);
        let lists = self.options.has_queries.then(|| {
            let runs = lists::join(self.text, found.into_iter().map(|part| part.runs));
            Lists::of(self.text, &runs, self.rows)
        });
        Ok(Filled { width, has_documents, lists })
    }

    /// The width of the first lines, or the one that the caller demands. Errors are left to `fill`.
    fn sampled_width(&self) -> Result<usize> {
        if let Some(width) = self.options.n_features {
            self.check_memory(width, 0)?;
            return Ok(width);
        }
        let reader = Reader::new(self.text, self.options, &[]);
        let end = self.text.len().min(SAMPLE);
        let (mut start, mut line, mut widest) = (0, 1, Widest::default());
        let mut sorter = Sorter::default();
        while start < end {
            let Some(at) = reader.data_at(start) else {
                start = reader.line_end(start);
                line += 1;
                continue;
            };
            let Ok(row) = reader.row(at, &mut [], &mut sorter) else { break };
            widest = widest.or(Widest { columns: row.columns, line });
            start = row.end;
            line += 1;
        }
        self.check_memory(widest.columns, widest.line)?;
        Ok(widest.columns)
    }

    /// Refuses a dense array out of all proportion to the text; `line` has the largest index, 0 if none has.
    fn check_memory(&self, width: usize, line: usize) -> Result<()> {
        let bytes = self.rows.saturating_mul(width).saturating_mul(size_of::<f32>());
        if bytes <= ROOMY.max(self.text.len().saturating_mul(BLOW_UP)) {
            return Ok(());
        }
        let what = format!(
            "{} rows × {width} features would take {:.1} GiB of memory, for {} bytes of text",
            self.rows,
            bytes as f64 / f64::from(1 << 30),
            self.text.len()
        );
        let hint = "is the largest index a mistake? `max_features=` sets the largest that is accepted.";
        Err(match line {
            0 => Error::new(self.name, what),
            _ => {
                let index = self.options.index(width.saturating_sub(1));
                Error::at_line(self.name, line, format!("{what}; the largest feature index, {index}, is here")).hint(hint)
            }
        })
    }

    /// Gives each piece its part of the arrays.
    fn share_out<'a>(&self, arrays: Arrays<'a>) -> Result<Vec<Part<'a>>> {
        let wrong = || Error::new(self.name, "the arrays do not have the shape of the data");
        let Arrays { mut features, mut labels, mut documents } = arrays;
        let (mut row, mut line) = (0, 1);
        let mut parts = Vec::with_capacity(self.pieces.len());
        for &piece in &self.pieces {
            let part = Part {
                piece,
                row,
                line,
                features: features.split_off_mut(..piece.rows * self.width).ok_or_else(wrong)?,
                labels: labels.split_off_mut(..piece.rows).ok_or_else(wrong)?,
                documents: documents.split_off_mut(..piece.rows).ok_or_else(wrong)?,
            };
            parts.push(part);
            row += piece.rows;
            line += piece.lines;
        }
        Ok(parts)
    }

    fn parse(&self, part: Part<'_>, expected: &[Expected]) -> Result<Found> {
        let reader = Reader::new(self.text, self.options, expected);
        let mut found = Found::default();
        let mut sorter = Sorter::default();
        let (mut start, mut line, mut row) = (part.piece.start, part.line, part.row);
        // A width of 0 makes no chunks.
        let mut features = part.features.chunks_exact_mut(self.width.max(1));
        let mut query: &[u8] = &[];
        for (label, document) in part.labels.iter_mut().zip(part.documents) {
            let at = loop {
                if let Some(at) = reader.data_at(start) {
                    break at;
                }
                start = reader.line_end(start);
                line += 1;
            };
            let values = features.next().unwrap_or_default();
            let read = reader.row(at, values, &mut sorter).map_err(|error| self.located(error, line))?;
            *label = read.label;
            *document = read.document.0;
            found.has_documents |= read.document != Span(0);
            found.widest = found.widest.or(Widest { columns: read.columns, line });
            let id = read.query.of(self.text);
            if found.runs.is_empty() || id != query {
                query = id;
                found.runs.push(Run { row, query: read.query });
            }
            start = read.end;
            line += 1;
            row += 1;
        }
        Ok(found)
    }

    fn located(&self, error: Error, line: usize) -> Error {
        Error { place: format!("{}, line {line}", self.name), ..error }
    }
}

impl Piece {
    fn counted(mut self, text: &[u8]) -> Self {
        let reader = |start| row::data_at(text, start).is_some();
        let within = text.get(self.start..self.end).unwrap_or_default();
        let starts = memchr::memchr_iter(b'\n', within).map(|newline| self.start + newline + 1);
        let (mut lines, mut rows) = (1, usize::from(reader(self.start)));
        for start in starts.take_while(|&start| start < self.end) {
            lines += 1;
            rows += usize::from(reader(start));
        }
        self.lines = lines;
        self.rows = rows;
        self
    }
}

/// Cuts at the first line end after every `size` bytes.
fn cut(text: &[u8], size: usize) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(text.len() / size + 1);
    let mut start = 0;
    while start < text.len() {
        let from = (start + size - 1).min(text.len());
        let end = text.get(from..).and_then(|rest| memchr::memchr(b'\n', rest)).map_or(text.len(), |at| from + at + 1);
        pieces.push(Piece { start, end, ..Piece::default() });
        start = end;
    }
    pieces
}

/// A piece, the number of its first row and line, and its part of the arrays.
struct Part<'a> {
    piece: Piece,
    row: usize,
    line: usize,
    features: &'a mut [f32],
    labels: &'a mut [f64],
    documents: &'a mut [u64],
}

/// What one piece holds besides values.
#[derive(Default)]
struct Found {
    runs: Vec<Run>,
    widest: Widest,
    has_documents: bool,
}

/// The most columns of a line, and the first line that has so many.
#[derive(Debug, Clone, Copy, Default)]
struct Widest {
    columns: usize,
    line: usize,
}

impl Widest {
    fn or(self, later: Self) -> Self {
        if later.columns > self.columns { later } else { self }
    }
}

/// Runs `work` with so many threads.
fn in_threads<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Result<R> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.clamp(1, crate::threads::MOST)).build();
    let pool = pool.map_err(|e| Error::new("", format!("cannot start {threads} threads ({e})")))?;
    Ok(pool.install(work))
}

#[cfg(test)]
mod tests;
