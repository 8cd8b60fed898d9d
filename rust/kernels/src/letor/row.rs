//! One line of LETOR text.

use crate::error::{Error, Result, quote};
use crate::ids::Span;
use crate::numbers::{float32, float64, index, is_word, short_float32};

use super::Options;

/// A line's parts; its features are in the slice that `Reader::row` was given.
#[derive(Debug)]
pub(super) struct Row {
    pub label: f64,
    pub query: Span,
    pub document: Span,
    /// The largest column + 1, also of columns that the slice has no room for.
    pub columns: usize,
    /// Where the next line begins.
    pub end: usize,
}

/// How the start of a feature looks if no feature before it is left out: a blank, the index and a colon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected {
    bytes: u64,
    mask: u64,
    len: usize,
}

impl Expected {
    /// One for each column whose index is short enough.
    pub(super) fn table(width: usize, options: &Options) -> Vec<Self> {
        (0..width).map_while(|column| Self::of(options.index(column))).collect()
    }

    fn of(index: usize) -> Option<Self> {
        let text = format!(" {index}:");
        let len = text.len();
        let mut bytes = [0; 8];
        bytes.get_mut(..len)?.copy_from_slice(text.as_bytes());
        Some(Self { bytes: u64::from_le_bytes(bytes), mask: u64::MAX >> (64 - 8 * len), len })
    }
}

/// What it takes to read lines of one text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'t> {
    text: &'t [u8],
    options: &'t Options,
    expected: &'t [Expected],
}

/// Finds duplicates among features in any order: for each column the last line, by its turn, that had it.
#[derive(Debug, Default)]
pub(super) struct Sorter {
    turn: usize,
    seen: Vec<usize>,
}

impl Sorter {
    /// Whether the line has not had `column` so far.
    fn is_new(&mut self, column: usize) -> bool {
        if column >= self.seen.len() {
            self.seen.resize(column + 1, 0);
        }
        self.seen.get_mut(column).is_some_and(|turn| std::mem::replace(turn, self.turn) != self.turn)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Where the data of the line at `start` begin; `None` for a line that is blank or only a comment.
pub(super) fn data_at(text: &[u8], start: usize) -> Option<usize> {
    let at = skip_blanks(text, start);
    text.get(at).filter(|&&byte| byte != b'\n' && byte != b'#').map(|_| at)
}

#[inline]
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_blank(byte)) {
        at += 1;
    }
    at
}

/// Where the word at `start` ends.
fn word_end(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().position(|&byte| is_blank(byte) || byte == b'\n').unwrap_or(rest.len())
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t [u8], options: &'t Options, expected: &'t [Expected]) -> Self {
        Self { text, options, expected }
    }

    pub(super) fn data_at(&self, start: usize) -> Option<usize> {
        data_at(self.text, start)
    }

    /// Where the line after the one at `at` begins.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// Reads the line whose data begin at `at`, its features into `values`.
    pub(super) fn row(&self, at: usize, values: &mut [f32], sorter: &mut Sorter) -> Result<Row> {
        let (label, at) = self.label(at)?;
        let (query, at) = self.query(at)?;
        let (columns, at) =
            if self.options.sort_features { self.features_in_any_order(at, values, sorter)? } else { self.features(at, values)? };
        let (document, end) = self.comment(at)?;
        Ok(Row { label, query, document, columns, end })
    }

    fn label(&self, at: usize) -> Result<(f64, usize)> {
        match float64(self.from(at)) {
            Some((value, len)) if self.ends_word(at + len) && value.is_finite() => Ok((value, at + len)),
            Some((_, len)) if self.ends_word(at + len) => {
                Err(self.refuse(at, |word| format!("the label {word} is not finite; labels must be finite numbers")))
            }
            _ => Err(self.refuse(at, |word| format!("expected a label, a number, and found {word}"))),
        }
    }

    fn query(&self, label_end: usize) -> Result<(Span, usize)> {
        let at = skip_blanks(self.text, label_end);
        let has_query = self.from(at).starts_with(b"qid:");
        if !self.options.has_queries {
            return match has_query {
                false => Ok((Span(0), label_end)),
                true => Err(self
                    .refuse(at, |word| format!("{word} gives a query id, and group sizes are given too"))
                    .hint("leave out the group sizes: the file says itself which rows belong together.")),
            };
        }
        if !has_query {
            return Err(self
                .refuse(at, |word| format!("expected `qid:` and a query id after the label, and found {word}"))
                .hint("for LETOR text without query ids, give the size of each list with `group=` (`--group FILE`)."));
        }
        let start = at + b"qid:".len();
        let end = word_end(self.text, start);
        if start == end {
            return Err(self.refuse(at, |_| "the query id after `qid:` is empty".into()));
        }
        let span = Span::new(start, end - start);
        span.map(|span| (span, end)).ok_or_else(|| self.too_long("query", start))
    }

    /// Features whose indices rise. Returns the number of columns and where the features end.
    #[inline]
    fn features(&self, mut at: usize, values: &mut [f32]) -> Result<(usize, usize)> {
        values.fill(self.options.missing);
        let mut next = 0;
        loop {
            // The quick way through most files, which leave no feature out.
            while let Some(value_at) = self.expected_value(at, next) {
                let (value, end) = self.value(at + 1, value_at)?;
                if let Some(place) = values.get_mut(next) {
                    *place = value;
                }
                next += 1;
                at = end;
            }
            at = skip_blanks(self.text, at);
            if self.ends_features(at) {
                return Ok((next, at));
            }
            let (column, value_at) = self.column(at)?;
            if column < next {
                return Err(self.out_of_order(at, column, next - 1));
            }
            let (value, end) = self.value(at, value_at)?;
            if let Some(place) = values.get_mut(column) {
                *place = value;
            }
            next = column + 1;
            at = end;
        }
    }

    fn features_in_any_order(&self, mut at: usize, values: &mut [f32], sorter: &mut Sorter) -> Result<(usize, usize)> {
        values.fill(self.options.missing);
        sorter.turn += 1;
        let mut columns = 0;
        loop {
            at = skip_blanks(self.text, at);
            if self.ends_features(at) {
                return Ok((columns, at));
            }
            let (column, value_at) = self.column(at)?;
            if !sorter.is_new(column) {
                return Err(self.twice(at, column));
            }
            let (value, end) = self.value(at, value_at)?;
            if let Some(place) = values.get_mut(column) {
                *place = value;
            }
            columns = columns.max(column + 1);
            at = end;
        }
    }

    /// Where the value begins of the feature at `at`, a blank before it, if it is the one of column `next`.
    #[inline(always)]
    fn expected_value(&self, at: usize, next: usize) -> Option<usize> {
        let expected = self.expected.get(next)?;
        let bytes = u64::from_le_bytes(*self.text.get(at..)?.first_chunk()?);
        ((bytes ^ expected.bytes) & expected.mask == 0).then_some(at + expected.len)
    }

    /// The column of the feature at `at`, and where its value begins.
    fn column(&self, at: usize) -> Result<(usize, usize)> {
        let (index, len) = index(self.from(at));
        if len == 0 || self.text.get(at + len) != Some(&b':') {
            return Err(self.refuse(at, |word| format!("expected a feature, `index:value`, and found {word}")));
        }
        let Some(column) = index.checked_sub(self.options.index(0)) else {
            return Err(self
                .refuse(at, |_| "feature index 0; indices start at 1".into())
                .hint("if the file counts from 0, read it with `zero_based=True`."));
        };
        if column >= self.options.columns() {
            return Err(self.too_large(at, index));
        }
        Ok((column, at + len + 1))
    }

    /// The value at `value_at` of the feature at `at`, and where it ends.
    #[inline(always)]
    fn value(&self, at: usize, value_at: usize) -> Result<(f32, usize)> {
        match short_float32(self.text, value_at) {
            // What ends the number is looked at next, as the start of what follows.
            Some(found) => Ok(found),
            None => self.any_value(at, value_at),
        }
    }

    #[inline(never)]
    fn any_value(&self, at: usize, value_at: usize) -> Result<(f32, usize)> {
        let text = self.from(value_at);
        let Some((value, len)) = float32(text).filter(|(_, len)| self.ends_word(value_at + len)) else {
            return Err(self.refuse(at, |word| format!("the value of {word} is not a number")));
        };
        if value.is_finite() {
            return Ok((value, value_at + len));
        }
        if value.is_nan() {
            return Err(self.refuse(at, |word| format!("{word} is not a number")).hint(
                "leave a missing feature out of the line, and choose what stands for it with `missing=`, \
                 for instance `missing=float(\"nan\")`.",
            ));
        }
        let infinite = is_word(text);
        Err(self.refuse(at, |word| match infinite {
            true => format!("the value of {word} is infinite; features must be finite"),
            false => format!("the value of {word} is too large for a 32-bit float (3.4e38 at most)"),
        }))
    }

    /// The document id in the comment at `at`, if there is a comment and it names one, and where the next line begins.
    fn comment(&self, at: usize) -> Result<(Span, usize)> {
        match self.text.get(at) {
            None => return Ok((Span(0), at)),
            Some(b'\n') => return Ok((Span(0), at + 1)),
            Some(_) => {}
        }
        let end = self.line_end(at);
        let Some(start) = self.document_at(at + 1) else { return Ok((Span(0), end)) };
        let len = word_end(self.text, start) - start;
        match Span::new(start, len) {
            _ if len == 0 => Ok((Span(0), end)),
            Some(span) => Ok((span, end)),
            None => Err(self.too_long("document", start)),
        }
    }

    /// Where the document id begins in a comment `docid = X …`.
    fn document_at(&self, at: usize) -> Option<usize> {
        let at = skip_blanks(self.text, at);
        let at = skip_blanks(self.text, self.from(at).starts_with(b"docid").then_some(at + b"docid".len())?);
        let at = (self.text.get(at) == Some(&b'=')).then_some(at + 1)?;
        Some(skip_blanks(self.text, at))
    }

    fn from(&self, at: usize) -> &'t [u8] {
        self.text.get(at..).unwrap_or_default()
    }

    fn ends_word(&self, at: usize) -> bool {
        self.text.get(at).is_none_or(|&byte| is_blank(byte) || byte == b'\n' || byte == b'#')
    }

    fn ends_features(&self, at: usize) -> bool {
        self.text.get(at).is_none_or(|&byte| byte == b'\n' || byte == b'#')
    }

    /// A refusal of the word at `at`. A word that the end of the text may have cut in two is said to be cut.
    #[cold]
    fn refuse(&self, at: usize, what: impl FnOnce(String) -> String) -> Error {
        let end = word_end(self.text, at);
        let word = self.text.get(at..end).unwrap_or_default();
        let found = if word.is_empty() { "the end of the line".into() } else { quote(word) };
        if end < self.text.len() {
            return Error::new("", what(found));
        }
        Error::new("", format!("{}; the file seems to be cut off here", what(found)))
            .hint("copy or download the file again, and compare its size with the original's.")
    }

    #[cold]
    fn out_of_order(&self, at: usize, column: usize, last: usize) -> Error {
        if column == last {
            return self.twice(at, column);
        }
        let (index, last) = (self.options.index(column), self.options.index(last));
        self.refuse(at, |_| format!("feature index {index} comes after {last}; indices must rise within a line"))
            .hint("if the file was written by a tool that does not sort them, read it with `sort_features=True` (`--sort-features`).")
    }

    #[cold]
    fn twice(&self, at: usize, column: usize) -> Error {
        let index = self.options.index(column);
        self.refuse(at, |_| format!("feature index {index} stands twice in the line"))
    }

    #[cold]
    fn too_large(&self, at: usize, index: usize) -> Error {
        match self.options.n_features {
            Some(width) => self.refuse(at, |_| format!("feature index {index} lies outside the {width} features expected (`n_features`)")),
            None => self
                .refuse(at, |_| format!("feature index {index} lies above the limit of {} features", self.options.max_features))
                .hint("if the file really has so many, read it with a larger `max_features=`."),
        }
    }

    #[cold]
    fn too_long(&self, kind: &str, at: usize) -> Error {
        let len = word_end(self.text, at) - at;
        Error::new("", format!("the {kind} id has {len} bytes; the longest allowed is {}", crate::ids::LONGEST_ID))
    }
}
