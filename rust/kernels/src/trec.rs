//! TREC qrels (`query iteration document relevance`) and runs (`query Q0 document rank score tag`) as lists.
//!
//! A file is cut into pieces at line ends. A first pass counts the lines of each piece, so that the columns are
//! allocated once, by the caller, and every piece is read into its own part of them.

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
use lists::Lists;
pub(crate) use lists::offsets;
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
    /// Reads a counted file into columns of its own.
    pub fn read(counted: &Counted, threads: Option<usize>) -> Result<Self> {
        let lines = counted.lines();
        let (mut documents, mut values, mut hashes) = (vec![0; lines], vec![0.0; lines], vec![0; lines]);
        let room = Room { documents: &mut documents, values: &mut values, hashes: &mut hashes };
        let Filled { queries, offsets, rows, tag } = counted.read(room, threads)?;
        documents.truncate(rows);
        values.truncate(rows);
        hashes.truncate(rows);
        Ok(Self { source: Arc::clone(&counted.source), queries, offsets, documents, values, hashes, tag })
    }

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
    pub fn from_columns(
        source: Arc<Source>,
        queries: Vec<u64>,
        offsets: Vec<i64>,
        documents: Vec<u64>,
        values: Vec<f64>,
        threads: Option<usize>,
    ) -> Result<Self> {
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
pub fn count_qrels(source: Arc<Source>, threads: Option<usize>) -> Result<Counted> {
    Counted::new(source, &QRELS, threads)
}

/// A run: six columns, more are ignored. The rank is ignored too: scores decide, as in trec_eval.
pub fn count_run(source: Arc<Source>, threads: Option<usize>) -> Result<Counted> {
    Counted::new(source, &RUN, threads)
}

/// A file whose lines are counted, so that the caller can make room for its rows.
#[derive(Debug)]
pub struct Counted {
    source: Arc<Source>,
    layout: &'static Layout,
    pieces: Vec<Range<usize>>,
    counts: Vec<usize>,
}

/// Room for the columns of a file: one place a line.
#[derive(Debug)]
pub struct Room<'a> {
    pub documents: &'a mut [u64],
    pub values: &'a mut [f64],
    pub hashes: &'a mut [u32],
}

/// The lists of a file; its rows are the first `rows` places of the room.
#[derive(Debug)]
pub struct Filled {
    pub queries: Vec<u64>,
    pub offsets: Vec<i64>,
    pub rows: usize,
    /// The tag of a run's last row, which is what trec_eval prints as `runid`; empty for qrels.
    pub tag: Span,
}

impl Counted {
    fn new(source: Arc<Source>, layout: &'static Layout, threads: Option<usize>) -> Result<Self> {
        Self::in_pieces(source, layout, threads, PIECE)
    }

    fn in_pieces(source: Arc<Source>, layout: &'static Layout, threads: Option<usize>, size: usize) -> Result<Self> {
        let text = source.text();
        refuse_utf16(&source)?;
        if Span::new(text.len(), 0).is_none() {
            return Err(Error::new(source.name(), "the text is too long: ids can start within the first 256 TB only"));
        }
        let pieces = cut(text, size);
        let counts = threads::each(threads, pieces.clone(), || (), |(), lines| count_lines(text, lines));
        Ok(Self { source, layout, pieces, counts })
    }

    /// How many lines there are: at least as many as rows.
    pub fn lines(&self) -> usize {
        self.counts.iter().sum()
    }

    pub fn read(&self, mut room: Room<'_>, threads: Option<usize>) -> Result<Filled> {
        let (text, name) = (self.source.text(), self.source.name());
        let pieces = room.pieces(text, self.layout, &self.pieces, &self.counts);
        let mut reads = threads::each(threads, pieces, || (), |(), piece| window::dispatch(piece));
        let stop = stop_at_first_refusal(&mut reads);
        room.close_gaps(&reads, &self.counts);
        let filled = self.gather(&mut room, &reads);
        // A document that stands twice before the line that was refused is the first thing wrong with the file.
        let columns = room.columns(text, &filled);
        if let Some(twice) = duplicates::earliest(columns, threads) {
            return Err(stands_twice(columns, twice, name, self.layout));
        }
        match stop {
            Some((at, refusal)) => Err(Error::at_line(name, line_number(text, at), refusal.what).hint(refusal.hint)),
            None if filled.rows == 0 => Err(Error::new(name, format!("no line of {} in this file", self.layout.name))
                .hint(format!("each line holds {}.", self.layout.columns.join(", ")))),
            None => Ok(filled),
        }
    }

    fn gather(&self, room: &mut Room<'_>, reads: &[Read]) -> Filled {
        let text = self.source.text();
        let lists = Lists::of(reads.iter().flat_map(|read| &read.groups).copied(), text);
        if !lists.are_contiguous() {
            // One column after the other, so that only one is there twice at a time.
            lists.gather(room.documents);
            lists.gather(room.values);
            lists.gather(room.hashes);
        }
        let tag = reads.iter().rev().find_map(|read| read.last.clone()).and_then(|last| tag(text, last, self.layout));
        let rows = reads.iter().map(|read| read.rows).sum();
        Filled { queries: lists.queries, offsets: lists.offsets, rows, tag: tag.unwrap_or_default() }
    }
}

fn stands_twice(columns: Columns<'_>, twice: duplicates::Twice, name: &str, layout: &Layout) -> Error {
    let line = |row: usize| line_number(columns.text, columns.documents.get(row).map_or(0, |&span| Span(span).start()));
    let (document, query) = (quote(columns.document(twice.again)), quote(columns.query(twice.list)));
    let what = format!("document {document} of query {query} was {} in line {} already", layout.done, line(twice.first));
    Error::at_line(name, line(twice.again), what).hint("keep one of the two lines.")
}

impl Room<'_> {
    /// Each piece of the text with its own part of the room.
    fn pieces<'a>(&'a mut self, text: &'a [u8], layout: &'static Layout, pieces: &[Range<usize>], counts: &[usize]) -> Vec<Piece<'a>> {
        let (mut documents, mut values, mut hashes) = (&mut *self.documents, &mut *self.values, &mut *self.hashes);
        let take = |(lines, &count): (&Range<usize>, &usize)| Piece {
            text,
            lines: lines.clone(),
            layout,
            documents: documents.split_off_mut(..count).unwrap_or_default(),
            values: values.split_off_mut(..count).unwrap_or_default(),
            hashes: hashes.split_off_mut(..count).unwrap_or_default(),
        };
        pieces.iter().zip(counts).map(take).collect()
    }

    /// Blank lines and comments leave places over at the end of a piece.
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
    }

    fn columns<'a>(&'a self, text: &'a [u8], filled: &'a Filled) -> Columns<'a> {
        Columns {
            text,
            queries: &filled.queries,
            offsets: &filled.offsets,
            documents: self.documents.get(..filled.rows).unwrap_or_default(),
            values: self.values.get(..filled.rows).unwrap_or_default(),
            hashes: self.hashes.get(..filled.rows).unwrap_or_default(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &[u8] = b"1 Q0 a 1 0.5 t\n# comment\n1 Q0 b 2 0.25 t more\n\n2 Q0 a 1 9 t\r\n1 Q0 c 3 0.125 t\n22 Q0 d 1 1e3 last\n";

    fn read(content: &[u8], size: usize, threads: usize) -> Result<String> {
        let source = Arc::new(Source::from_bytes("run.txt", content.to_vec())?);
        Table::read(&Counted::in_pieces(source, &RUN, Some(threads), size)?, Some(threads)).map(|table| format!("{table:?}"))
    }

    #[test]
    fn pieces_of_any_size_give_the_same_columns_or_the_same_refusal() {
        let mut seed = 1u64;
        let mut below = |end: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % end
        };
        for _ in 0..5_000 {
            let mut content = GOOD.repeat(1 + below(2));
            for _ in 0..below(4) {
                let at = below(content.len());
                match below(3) {
                    0 => content[at] = b"\n \t#a1"[below(6)],
                    1 => drop(content.remove(at)),
                    _ => content.truncate(at + 1),
                }
            }
            let whole = read(&content, PIECE, 1);
            for size in [1, 7, 40] {
                assert_eq!(read(&content, size, 1 + below(2)), whole, "{:?}", content.escape_ascii().to_string());
            }
        }
    }
}
