//! TREC qrels (`query iteration document relevance`) and runs (`query Q0 document rank score tag`) as lists.
//!
//! A file is cut into pieces at line ends. A first pass counts the lines of each piece, so that the columns are
//! allocated once and every piece is read into its own part of them.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result, quote};
use crate::ids::{self, Span};
use crate::source::Source;
use crate::threads;

mod decimal;
mod duplicates;
mod fingerprint;
mod layout;
mod line;
mod lists;
mod piece;
mod window;

use layout::{Layout, QRELS, RUN};
use line::Refusal;
pub(crate) use lists::offsets;
use lists::Lists;
use piece::{Piece, Read};

/// How much text one thread takes at a time.
const PIECE: usize = 1 << 20;

/// Judgments or a run, as columns. Lists stand in order of first appearance, rows in the order of the file.
#[derive(Debug)]
pub struct Table {
    pub source: Arc<Source>,
    pub queries: Vec<u64>,
    pub offsets: Vec<i64>,
    pub documents: Vec<u64>,
    /// Relevance in qrels, scores in a run.
    pub values: Vec<f64>,
    /// 32 bits of each document's id, so that comparing ids seldom touches the text.
    pub hashes: Vec<u32>,
    /// The tag of a run's last row, which is what trec_eval prints as `runid`; empty for qrels.
    pub tag: Span,
}

/// The columns of a table, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    pub text: &'a [u8],
    pub queries: &'a [u64],
    pub offsets: &'a [i64],
    pub documents: &'a [u64],
    pub values: &'a [f64],
    pub hashes: &'a [u32],
}

impl<'a> Columns<'a> {
    pub fn lists(&self) -> usize {
        self.queries.len()
    }

    /// The rows of a list; none if there is no such list.
    pub fn rows(&self, list: usize) -> Range<usize> {
        match self.offsets.get(list..list + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    pub fn query(&self, list: usize) -> &'a [u8] {
        self.queries.get(list).map_or(b"", |&span| Span(span).of(self.text))
    }

    pub fn document(&self, row: usize) -> &'a [u8] {
        self.documents.get(row).map_or(b"", |&span| Span(span).of(self.text))
    }
}

impl Table {
    pub fn columns(&self) -> Columns<'_> {
        Columns {
            text: self.source.text(),
            queries: &self.queries,
            offsets: &self.offsets,
            documents: &self.documents,
            values: &self.values,
            hashes: &self.hashes,
        }
    }

    /// Columns that were in memory already. `name` and `value` are what messages call them ("qrels", "relevance").
    pub fn from_columns(source: Arc<Source>, queries: Vec<u64>, offsets: Vec<i64>, documents: Vec<u64>, values: Vec<f64>, threads: Option<usize>) -> Result<Self> {
        let text = source.text();
        ids::check(&queries, text)?;
        ids::check(&documents, text)?;
        check_offsets(&offsets, queries.len(), documents.len())?;
        if values.len() != documents.len() {
            return Err(Error::new("", format!("{} documents but {} values", documents.len(), values.len())));
        }
        let hashes = documents.iter().map(|&span| fingerprint::hash(Span(span).of(text))).collect();
        let table = Self { source, queries, offsets, documents, values, hashes, tag: Span::default() };
        table.refuse_odd_values()?;
        table.refuse_query_twice()?;
        match duplicates::earliest(table.columns(), threads) {
            None => Ok(table),
            Some(twice) => {
                let columns = table.columns();
                let place = format!("query {}", quote(columns.query(twice.list)));
                Err(Error::new(place, format!("document {} appears twice", quote(columns.document(twice.again)))))
            }
        }
    }

    fn refuse_odd_values(&self) -> Result<()> {
        let Some(row) = self.values.iter().position(|value| !value.is_finite()) else { return Ok(()) };
        let columns = self.columns();
        let list = self.offsets.partition_point(|&start| start as usize <= row).saturating_sub(1);
        let place = format!("query {}, document {}", quote(columns.query(list)), quote(columns.document(row)));
        let value = self.values.get(row).copied().unwrap_or(f64::NAN);
        Err(Error::new(place, format!("{value} is not a finite number")))
    }

    fn refuse_query_twice(&self) -> Result<()> {
        let columns = self.columns();
        let mut known = std::collections::HashSet::new();
        match (0..columns.lists()).find(|&list| !known.insert(columns.query(list))) {
            None => Ok(()),
            Some(list) => Err(Error::new("", format!("query {} appears twice", quote(columns.query(list))))),
        }
    }
}

/// Judgments: four columns, nothing after them.
pub fn read_qrels(source: Arc<Source>, threads: Option<usize>) -> Result<Table> {
    read(source, &QRELS, threads)
}

/// A run: six columns, more are ignored. The rank is ignored too: scores decide, as in trec_eval.
pub fn read_run(source: Arc<Source>, threads: Option<usize>) -> Result<Table> {
    read(source, &RUN, threads)
}

fn read(source: Arc<Source>, layout: &'static Layout, threads: Option<usize>) -> Result<Table> {
    let text = source.text();
    refuse_utf16(&source)?;
    if Span::new(text.len(), 0).is_none() {
        return Err(Error::new(source.name(), "the text is too long: ids can start within the first 256 TB only"));
    }
    let lines = cut(text, PIECE);
    let counts = threads::each(threads, lines.clone(), || (), |(), lines| count_lines(text, lines));
    let room = counts.iter().sum();
    let mut columns = Rows { documents: vec![0; room], values: vec![0.0; room], hashes: vec![0; room] };
    let pieces = columns.pieces(text, layout, &lines, &counts);
    let mut reads = threads::each(threads, pieces, || (), |(), piece| window::dispatch(piece));
    let stop = stop_at_first_refusal(&mut reads);
    columns.close_gaps(&reads, &counts);
    let table = assemble(&source, layout, columns, &reads);
    // A document that stands twice before the line that was refused is the first thing wrong with the file.
    if let Some(twice) = duplicates::earliest(table.columns(), threads) {
        return Err(table.stands_twice(twice, layout));
    }
    match stop {
        Some((at, refusal)) => Err(Error::at_line(source.name(), line_number(text, at), refusal.what).hint(refusal.hint)),
        None if table.documents.is_empty() => Err(Error::new(source.name(), format!("no line of {} in this file", layout.name))
            .hint(format!("each line holds {}.", layout.columns.join(", ")))),
        None => Ok(table),
    }
}

fn assemble(source: &Arc<Source>, layout: &Layout, mut rows: Rows, reads: &[Read]) -> Table {
    let text = source.text();
    let lists = Lists::of(reads.iter().flat_map(|read| &read.groups).copied(), text);
    if !lists.are_contiguous() {
        // One column at a time, so that only one is there twice.
        rows.documents = lists.gather(&rows.documents);
        rows.values = lists.gather(&rows.values);
        rows.hashes = lists.gather(&rows.hashes);
    }
    let tag = reads.iter().rev().find_map(|read| read.last.clone()).and_then(|last| tag(text, last, layout)).unwrap_or_default();
    let Lists { queries, offsets, .. } = lists;
    Table { source: Arc::clone(source), queries, offsets, documents: rows.documents, values: rows.values, hashes: rows.hashes, tag }
}

impl Table {
    fn stands_twice(&self, twice: duplicates::Twice, layout: &Layout) -> Error {
        let columns = self.columns();
        let line = |row: usize| line_number(columns.text, self.documents.get(row).map_or(0, |&span| Span(span).start()));
        let (document, query) = (quote(columns.document(twice.again)), quote(columns.query(twice.list)));
        let what = format!("document {document} of query {query} was {} in line {} already", layout.done, line(twice.first));
        Error::at_line(self.source.name(), line(twice.again), what).hint("keep one of the two lines.")
    }
}

/// The columns while they are read: room for one row a line.
struct Rows {
    documents: Vec<u64>,
    values: Vec<f64>,
    hashes: Vec<u32>,
}

impl Rows {
    /// Each piece of the text with its own part of the columns.
    fn pieces<'a>(&'a mut self, text: &'a [u8], layout: &'static Layout, lines: &[Range<usize>], counts: &[usize]) -> Vec<Piece<'a>> {
        let (mut documents, mut values, mut hashes) = (self.documents.as_mut_slice(), self.values.as_mut_slice(), self.hashes.as_mut_slice());
        let take = |(lines, &count): (&Range<usize>, &usize)| Piece {
            text,
            lines: lines.clone(),
            layout,
            documents: documents.split_off_mut(..count).unwrap_or_default(),
            values: values.split_off_mut(..count).unwrap_or_default(),
            hashes: hashes.split_off_mut(..count).unwrap_or_default(),
        };
        lines.iter().zip(counts).map(take).collect()
    }

    /// Blank lines and comments leave room at the end of a piece.
    fn close_gaps(&mut self, reads: &[Read], counts: &[usize]) {
        let (mut from, mut to) = (0, 0);
        for (read, count) in reads.iter().zip(counts) {
            if from != to {
                self.documents.copy_within(from..from + read.rows, to);
                self.values.copy_within(from..from + read.rows, to);
                self.hashes.copy_within(from..from + read.rows, to);
            }
            from += count;
            to += read.rows;
        }
        self.documents.truncate(to);
        self.values.truncate(to);
        self.hashes.truncate(to);
    }
}

/// Forgets what was read after the first line that was refused.
fn stop_at_first_refusal(reads: &mut Vec<Read>) -> Option<(usize, Refusal)> {
    let at = reads.iter().position(|read| read.stop.is_some())?;
    reads.truncate(at + 1);
    reads.last_mut()?.stop.take()
}

/// The text in pieces of about `size` bytes, each of whole lines.
fn cut(text: &[u8], size: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::with_capacity(text.len() / size + 1);
    let mut start = 0;
    while start < text.len() {
        let rest = text.get(start + size - 1..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(text.len(), |at| start + size + at);
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// How many lines there are, the last one with or without its line end.
fn count_lines(text: &[u8], lines: Range<usize>) -> usize {
    let bytes = text.get(lines).unwrap_or_default();
    memchr::memchr_iter(b'\n', bytes).count() + usize::from(bytes.last().is_some_and(|&b| b != b'\n'))
}

/// The number, from 1, of the line in which byte `at` stands.
fn line_number(text: &[u8], at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', text.get(..at).unwrap_or_default()).count()
}

fn tag(text: &[u8], last: Range<usize>, layout: &Layout) -> Option<Span> {
    let end = last.end - usize::from(text.get(last.end - 1) == Some(&b'\n'));
    let tag = line::read(text, last.start..end, layout).ok()??.tag;
    // A tag too long for a span is cut: it is only a name.
    Span::new(tag.start, tag.len().min(ids::LONGEST_ID))
}

fn check_offsets(offsets: &[i64], lists: usize, rows: usize) -> Result<()> {
    let fits = offsets.len() == lists + 1 && offsets.first() == Some(&0) && offsets.last() == Some(&(rows as i64)) && offsets.is_sorted();
    if fits { Ok(()) } else { Err(Error::new("", format!("the offsets must rise from 0 to {rows} in {} steps", lists + 1))) }
}

fn refuse_utf16(source: &Source) -> Result<()> {
    if source.starts_with(b"\xff\xfe") || source.starts_with(b"\xfe\xff") {
        return Err(Error::new(source.name(), "the text is UTF-16").hint("save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`."));
    }
    Ok(())
}
