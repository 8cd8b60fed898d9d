//! One line, byte by byte: what the fast way leaves over, and every refusal.

use std::ops::Range;

use super::layout::Layout;
use super::window::is_white;
use crate::error::quote;
use crate::ids::{LONGEST_ID, Span};
use crate::numbers;

/// Where the columns of one row stand in the text, and its value.
#[derive(Debug, Clone)]
pub struct Row {
    pub query: Range<usize>,
    pub document: Range<usize>,
    pub tag: Range<usize>,
    pub value: f64,
}

/// Why a line was refused; the caller knows where it stands.
#[derive(Debug, Clone)]
pub struct Refusal {
    pub what: String,
    pub hint: String,
}

impl Refusal {
    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: String::new() }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }
}

/// The row in `text[line]`, `None` for a blank line or a comment.
pub fn read(text: &[u8], line: Range<usize>, layout: &Layout) -> Result<Option<Row>, Refusal> {
    let mut columns: [Range<usize>; 7] = Default::default();
    let mut count = 0;
    let mut at = line.start;
    while let Some(column) = next_column(text, at..line.end) {
        at = column.end;
        if let Some(place) = columns.get_mut(count) {
            *place = column;
        }
        count += 1;
    }
    let bytes = text.get(line.clone()).unwrap_or_default();
    let first = text.get(columns[0].clone()).unwrap_or_default();
    if first.is_empty() || first.starts_with(b"#") {
        return Ok(None);
    }
    if count < layout.columns.len() {
        return Err(too_few(count, layout, line.end == text.len()));
    }
    if count > layout.columns.len() {
        refuse_more(bytes, count, layout)?;
    }
    let [query, _, document, ..] = columns.clone();
    for (name, id) in [("query", &query), ("document", &document)] {
        if Span::new(id.start, id.len()).is_none() {
            return Err(Refusal::new(format!("the id of the {name} has {} bytes; the longest allowed is {LONGEST_ID}", id.len())));
        }
    }
    let word = columns.get(layout.value).and_then(|c| text.get(c.clone())).unwrap_or_default();
    let value = number(word).ok_or_else(|| not_a_number(word, layout))?;
    let tag = if layout.columns.len() == 6 { columns[5].clone() } else { 0..0 };
    Ok(Some(Row { query, document, tag, value }))
}

/// A finite number that takes all of `word`.
#[inline]
pub fn number(word: &[u8]) -> Option<f64> {
    numbers::float64(word).filter(|&(value, taken)| taken == word.len() && value.is_finite()).map(|(value, _)| value)
}

fn next_column(text: &[u8], within: Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(within.clone())?;
    let start = rest.iter().position(|&b| !is_white(b))?;
    let len = rest.get(start..)?.iter().position(|&b| is_white(b)).unwrap_or(rest.len() - start);
    Some(within.start + start..within.start + start + len)
}

fn too_few(count: usize, layout: &Layout, last: bool) -> Refusal {
    let missing = layout.columns.get(count).unwrap_or(&"");
    let what = format!(
        "{count} column{}, but a line of {} has {}: {} (the {missing} is missing)",
        if count == 1 { "" } else { "s" },
        layout.name,
        layout.columns.len(),
        layout.columns.join(", "),
    );
    let refusal = Refusal::new(what);
    if last {
        return refusal.hint("this is the last line and has no line end: the file seems cut off; copy or download it again.");
    }
    match (layout.columns.len(), count) {
        (6, 4) => refusal.hint("four columns are what qrels have; were qrels and run exchanged?"),
        (6, 5) => refusal.hint("write any word as the tag, such as the system's name."),
        _ => refusal,
    }
}

fn refuse_more(line: &[u8], count: usize, layout: &Layout) -> Result<(), Refusal> {
    let body = line.strip_suffix(b"\r").unwrap_or(line);
    if body.contains(&b'\r') {
        return Err(Refusal::new("a carriage return inside the line")
            .hint("lines must end in a line feed; convert the file, for example with `tr '\\r' '\\n'`."));
    }
    if layout.more {
        return Ok(());
    }
    let refusal =
        Refusal::new(
            format!("{count} columns, but a line of {} has {}: {}", layout.name, layout.columns.len(), layout.columns.join(", "),),
        );
    if body.split(|&b| is_white(b)).filter(|word| !word.is_empty()).nth(1).is_some_and(|word| word.starts_with(b"qid:")) {
        return Err(refusal.hint("this is a LETOR line: read it with `read_letor`, or as `--letor FILE --scores FILE`."));
    }
    Err(if count == 6 { refusal.hint("six columns are what a run has; were qrels and run exchanged?") } else { refusal })
}

fn not_a_number(word: &[u8], layout: &Layout) -> Refusal {
    let name = layout.columns.get(layout.value).unwrap_or(&"");
    match numbers::float64(word).filter(|&(_, taken)| taken == word.len()) {
        Some((value, _)) if value.is_nan() => Refusal::new(format!("the {name} is {}, which has no place in an order", quote(word))),
        Some(_) => Refusal::new(format!("the {name} {} is infinite or too large for a float64", quote(word))),
        None => Refusal::new(format!("the {name} {} is not a number", quote(word))),
    }
}
