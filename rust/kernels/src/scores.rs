//! Score files: one number a line, or one column of numbers.

use crate::error::{Error, Result, quote};
use crate::numbers::float64;

/// Which of the columns of a line holds the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The line must have one column.
    Only,
    /// Counted from 0.
    At(usize),
    Last,
}

impl Column {
    /// From the number a user gives: counted from 1, -1 for the last, none for the only one.
    pub fn of(number: Option<i64>) -> Result<Self> {
        match number {
            None => Ok(Self::Only),
            Some(-1) => Ok(Self::Last),
            Some(n) => usize::try_from(n)
                .ok()
                .and_then(|n| n.checked_sub(1))
                .map(Self::At)
                .ok_or_else(|| Error::new("", format!("column {n} does not exist; columns count from 1, and -1 is the last"))),
        }
    }
}

/// The score of each line; lines that begin with `#` are comments, blank lines are allowed at the end only.
pub fn read(name: &str, text: &[u8], column: Column) -> Result<Vec<f64>> {
    let mut scores = Vec::with_capacity(memchr::memchr_iter(b'\n', text).count() + 1);
    let mut blank: Option<usize> = None;
    for (number, line) in Lines(text).enumerate().map(|(index, line)| (index + 1, line.trim_ascii())) {
        match line.first() {
            Some(b'#') => continue,
            None => {
                blank.get_or_insert(number);
                continue;
            }
            Some(_) => {}
        }
        if let Some(number) = blank {
            return Err(Error::at_line(name, number, "the line is blank, and scores follow it")
                .hint("each document needs one score, in the order of the data."));
        }
        scores.push(score(line, column).map_err(|error| Error { place: format!("{name}, line {number}"), ..error })?);
    }
    if scores.is_empty() {
        return Err(Error::new(name, "there is no score in it"));
    }
    Ok(scores)
}

/// The lines of a text without their ends.
struct Lines<'t>(&'t [u8]);

impl<'t> Iterator for Lines<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.0).unwrap_or(self.0.len());
        let (line, rest) = self.0.split_at_checked(end)?;
        self.0 = rest.get(1..).unwrap_or_default();
        Some(line)
    }
}

fn score(line: &[u8], column: Column) -> Result<f64> {
    let word = match column {
        Column::Only => line,
        Column::At(index) => words(line)
            .nth(index)
            .ok_or_else(|| Error::new("", format!("column {} was asked for, and the line has {}", index + 1, words(line).count())))?,
        Column::Last => words(line).last().unwrap_or_default(),
    };
    match float64(word) {
        Some((value, len)) if len == word.len() && value.is_finite() => Ok(value),
        Some((value, len)) if len == word.len() && value.is_nan() => {
            Err(Error::new("", "the score is NaN").hint("a document without a score has no rank; give it one below the others."))
        }
        Some((_, len)) if len == word.len() => Err(Error::new("", format!("the score {} is infinite; scores must be finite", quote(word)))),
        _ => Err(not_a_number(line, word)),
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

#[cold]
fn not_a_number(line: &[u8], word: &[u8]) -> Error {
    let columns = words(line).count();
    if word.len() == line.len() && columns > 1 {
        return Error::new("", format!("expected one number, found {columns} columns"))
            .hint("choose one with `column=` (`--score-column`): 1 is the first, -1 the last (RankLib's scores are in the last of 3).");
    }
    Error::new("", format!("expected a number, and found {}", quote(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, column: Option<i64>) -> std::result::Result<Vec<f64>, String> {
        Column::of(column).and_then(|column| read("scores.txt", text.as_bytes(), column)).map_err(|e| e.to_string())
    }

    #[test]
    fn one_number_a_line() {
        assert_eq!(read_text(" 1\r\n# made by hand\n-2.5e-1\t\n7\n\n \n", None), Ok(vec![1.0, -0.25, 7.0]));
    }

    #[test]
    fn one_column_of_several() {
        assert_eq!(read_text("q1\t0\t2.5\nq1\t1\t-3\n", Some(-1)), Ok(vec![2.5, -3.0]));
        assert_eq!(read_text("q1\t0\t2.5\nq1\t1\t-3\n", Some(2)), Ok(vec![0.0, 1.0]));
    }

    #[test]
    fn refusals_name_the_line() {
        let message = |text, column| read_text(text, column).map(drop).expect_err("refused");
        assert!(message("1\n1 2 3\n", None).starts_with("scores.txt, line 2: expected one number, found 3 columns"));
        assert!(message("1\n\n2\n", None).starts_with("scores.txt, line 2: the line is blank"));
        assert!(message("1\nnan\n", None).starts_with("scores.txt, line 2: the score is NaN"));
        assert!(message("1e999\n", None).starts_with("scores.txt, line 1: the score '1e999' is infinite"));
        assert!(message("1\n2 3\n4\n", Some(2)).starts_with("scores.txt, line 1: column 2 was asked for"));
    }
}
