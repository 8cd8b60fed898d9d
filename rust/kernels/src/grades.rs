//! Labels as grades: every distinct label gets a small code, so that a convention is a table over grades.
//!
//! The codes rise with the labels; NaN (a document without a judgment) is the last grade.

use pulp::{Simd, WithSimd};

use crate::threads::each;

/// Something a label may be stored as.
pub trait Number: Copy + Send + Sync {
    fn to_f64(self) -> f64;
    /// The label as a byte, NaN as `UNJUDGED`, and whether that says all.
    fn to_byte(self) -> (u8, bool);
}
/// The byte of NaN while labels are coded, before it becomes the grade after the greatest.
const UNJUDGED: u8 = 255;

macro_rules! whole {
    ($($t:ty),*) => { $(impl Number for $t {
        #[inline(always)]
        fn to_f64(self) -> f64 { self as f64 }
        #[inline(always)]
        fn to_byte(self) -> (u8, bool) { (self as u8, Self::from(self as u8) == self && self as u8 != UNJUDGED) }
    })* };
}
whole!(i32, i64);
macro_rules! real {
    ($($t:ty, $shift:expr);*) => { $(impl Number for $t {
        #[inline(always)]
        fn to_f64(self) -> f64 { self.into() }
        #[inline(always)]
        fn to_byte(self) -> (u8, bool) {
            // Where a unit is the last bit, a small whole number stands in the low byte; no conversion is as fast.
            let byte = (self + $shift).to_bits() as u8;
            let nan = self != self;
            (if nan { UNJUDGED } else { byte }, (<$t>::from(byte) == self && byte != UNJUDGED) | nan)
        }
    })* };
}
real!(f32, 8_388_608.0; f64, 4_503_599_627_370_496.0);

/// The distinct labels of some data, ascending, and the grade of each of two columns of rows:
/// the documents of the lists, and judged documents that are in no list.
pub struct Grades {
    pub labels: Vec<f64>,
    /// The weight of each grade's documents; empty where documents have no weights.
    pub weights: Vec<f64>,
    pub codes: Codes,
    pub outside: Codes,
}

/// The grade of each row: bytes where 255 grades are enough, which is nearly always.
pub enum Codes {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
}

impl Grades {
    /// How many grades are of judged documents; the others, of label NaN, come after them.
    pub fn judged(&self) -> u32 {
        self.labels.partition_point(|label| !label.is_nan()) as u32
    }

    /// Which of the labels occur: in a range of whole numbers some may not.
    pub fn present(&self) -> Vec<bool> {
        let mut present = vec![false; self.labels.len()];
        for codes in [&self.codes, &self.outside] {
            let mut mark = |code: usize| {
                if let Some(seen) = present.get_mut(code) {
                    *seen = true;
                }
            };
            match codes {
                Codes::Bytes(bytes) => bytes.iter().for_each(|&c| mark(c.into())),
                Codes::Words(words) => words.iter().for_each(|&c| mark(c as usize)),
            }
        }
        present
    }

    /// The first row with a label: true and a row of the lists, or false and one outside.
    pub fn first(&self, label: f64) -> Option<(bool, usize)> {
        let first = self.labels.iter().position(|&l| l == label)?;
        // Where documents have weights a label may have several grades, one after the other.
        let codes = first..first + self.labels.iter().filter(|&&l| l == label).count();
        let inside = self.codes.first(&codes).map(|row| (true, row));
        inside.or_else(|| self.outside.first(&codes).map(|row| (false, row)))
    }
}

impl Codes {
    fn first(&self, wanted: &std::ops::Range<usize>) -> Option<usize> {
        match self {
            Self::Bytes(bytes) => bytes.iter().position(|&c| wanted.contains(&c.into())),
            Self::Words(words) => words.iter().position(|&c| wanted.contains(&(c as usize))),
        }
    }
}

const CHUNK: usize = 1 << 16;

pub fn grade<L: Number, O: Number>(labels: &[L], outside: &[O], threads: Option<usize>) -> Grades {
    if let (Some(mut codes), Some(mut rest)) = (bytes(labels, threads), bytes(outside, threads)) {
        let judged = codes.judged.max(rest.judged);
        let mut labels: Vec<f64> = (0..judged).map(f64::from).collect();
        if codes.unjudged || rest.unjudged {
            labels.push(f64::NAN);
            codes.close_up(judged, threads);
            rest.close_up(judged, threads);
        }
        return Grades { labels, weights: Vec::new(), codes: Codes::Bytes(codes.codes), outside: Codes::Bytes(rest.codes) };
    }
    let range = Range::over(labels, threads).and(Range::over(outside, threads));
    if range.whole && range.high - range.low < 254.0 { small(labels, outside, &range) } else { large(labels, outside) }
}

/// Labels as bytes: how many grades of judged documents they need, and whether some are unjudged.
#[derive(Default)]
struct Bytes {
    codes: Vec<u8>,
    judged: u8,
    unjudged: bool,
}

impl Bytes {
    /// Gives unjudged documents the grade after the judged ones.
    fn close_up(&mut self, judged: u8, threads: Option<usize>) {
        if self.unjudged {
            each(
                threads,
                self.codes.chunks_mut(CHUNK).collect(),
                || (),
                |(), chunk| {
                    for code in chunk {
                        *code = if *code == UNJUDGED { judged } else { *code };
                    }
                },
            );
        }
    }
}

/// The labels as bytes, if each is a whole number from 0 to 254 or NaN.
fn bytes<L: Number>(labels: &[L], threads: Option<usize>) -> Option<Bytes> {
    let first = labels.get(..labels.len().min(CHUNK))?;
    if !code_chunk(first, &mut vec![0; first.len()]).fits {
        return None; // most often, one look is enough
    }
    let mut codes = vec![0; labels.len()];
    let chunks = labels.chunks(CHUNK).zip(codes.chunks_mut(CHUNK)).collect();
    let seen = each(threads, chunks, || (), |(), (labels, codes)| code_chunk(labels, codes));
    let seen = seen.into_iter().fold(Seen::NOTHING, Seen::and);
    seen.fits.then_some(Bytes { codes, judged: seen.judged, unjudged: seen.unjudged })
}

/// What coding a chunk of labels found.
struct Seen {
    judged: u8,
    unjudged: bool,
    fits: bool,
}

impl Seen {
    const NOTHING: Self = Self { judged: 0, unjudged: false, fits: true };

    fn and(self, other: Self) -> Self {
        Self { judged: self.judged.max(other.judged), unjudged: self.unjudged || other.unjudged, fits: self.fits && other.fits }
    }
}

fn code_chunk<L: Number>(labels: &[L], codes: &mut [u8]) -> Seen {
    pulp::Arch::new().dispatch(CodeBytes { labels, codes })
}

struct CodeBytes<'a, L> {
    labels: &'a [L],
    codes: &'a mut [u8],
}

impl<L: Number> WithSimd for CodeBytes<'_, L> {
    type Output = Seen;
    #[inline(always)]
    fn with_simd<Set: Simd>(self, _: Set) -> Seen {
        // One more than the byte, so that 0 is "none judged"; UNJUDGED itself wraps to that.
        let (mut judged, mut most, mut fits) = (0, 0, true);
        for (label, code) in self.labels.iter().zip(self.codes) {
            let (byte, whole) = label.to_byte();
            *code = byte;
            judged = byte.wrapping_add(1).max(judged);
            most = byte.max(most);
            fits &= whole;
        }
        Seen { judged, unjudged: most == UNJUDGED, fits }
    }
}

/// What must be known before coding: the extremes, whether all labels are whole numbers, whether some are NaN.
struct Range {
    low: f64,
    high: f64,
    whole: bool,
    unjudged: bool,
}

impl Range {
    const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY, whole: true, unjudged: false };

    fn over<L: Number>(labels: &[L], threads: Option<usize>) -> Self {
        let ranges = each(threads, labels.chunks(CHUNK).collect(), || (), |(), chunk| Self::of_chunk(chunk));
        ranges.into_iter().fold(Self::EMPTY, Self::and)
    }

    fn of_chunk<L: Number>(labels: &[L]) -> Self {
        let mut range = Self::EMPTY;
        for label in labels {
            let x = label.to_f64();
            // min and max pass over NaN; a NaN differs from its own truncation, hence the second test.
            range.low = range.low.min(x);
            range.high = range.high.max(x);
            range.whole &= x.trunc() == x || x.is_nan();
            range.unjudged |= x.is_nan();
        }
        range
    }

    fn and(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            whole: self.whole && other.whole,
            unjudged: self.unjudged || other.unjudged,
        }
    }
}

/// Whole labels in a narrow range: the grade is the distance from the lowest.
fn small<L: Number, O: Number>(labels: &[L], outside: &[O], range: &Range) -> Grades {
    let low = if range.low.is_finite() { range.low } else { 0.0 };
    let judged = if range.low.is_finite() { (range.high - low) as usize + 1 } else { 0 };
    let unjudged = judged as u8;
    let code = |x: f64| if x.is_nan() { unjudged } else { (x - low) as u8 };
    let mut grades: Vec<f64> = (0..judged).map(|g| low + g as f64).collect();
    if range.unjudged {
        grades.push(f64::NAN);
    }
    Grades {
        labels: grades,
        weights: Vec::new(),
        codes: Codes::Bytes(labels.iter().map(|l| code(l.to_f64())).collect()),
        outside: Codes::Bytes(outside.iter().map(|l| code(l.to_f64())).collect()),
    }
}

/// Any labels: sort the distinct ones, look each up.
fn large<L: Number, O: Number>(labels: &[L], outside: &[O]) -> Grades {
    let mut distinct: Vec<f64> = labels.iter().map(|l| l.to_f64()).chain(outside.iter().map(|l| l.to_f64())).map(positive_zero).collect();
    distinct.sort_unstable_by(f64_then_nan);
    distinct.dedup_by(|a, b| a == b || (a.is_nan() && b.is_nan()));
    let code = |x: f64| distinct.binary_search_by(|d| f64_then_nan(d, &positive_zero(x))).unwrap_or(0) as u32;
    let codes: Vec<u32> = labels.iter().map(|l| code(l.to_f64())).collect();
    let outside: Vec<u32> = outside.iter().map(|l| code(l.to_f64())).collect();
    let wide = distinct.len() > 255;
    Grades { labels: distinct, weights: Vec::new(), codes: stored(codes, wide), outside: stored(outside, wide) }
}

/// Labels of documents that have weights: a grade for each distinct pair of a label and a weight.
pub fn grade_weighted<L: Number>(labels: &[L], weights: &[f64]) -> Grades {
    let pairs = || labels.iter().zip(weights).map(|(label, &weight)| (positive_zero(label.to_f64()), positive_zero(weight)));
    let mut distinct: Vec<(f64, f64)> = pairs().collect();
    distinct.sort_unstable_by(by_label);
    distinct.dedup_by(|a, b| by_label(a, b).is_eq());
    let codes = pairs().map(|pair| distinct.binary_search_by(|d| by_label(d, &pair)).unwrap_or(0) as u32).collect();
    let wide = distinct.len() > 255;
    let (labels, weights) = distinct.into_iter().unzip();
    Grades { labels, weights, codes: stored(codes, wide), outside: stored(Vec::new(), wide) }
}

fn by_label(a: &(f64, f64), b: &(f64, f64)) -> std::cmp::Ordering {
    f64_then_nan(&a.0, &b.0).then(a.1.total_cmp(&b.1))
}

fn stored(codes: Vec<u32>, wide: bool) -> Codes {
    if wide { Codes::Words(codes) } else { Codes::Bytes(codes.into_iter().map(|c| c as u8).collect()) }
}

fn positive_zero(x: f64) -> f64 {
    x + 0.0
}

fn f64_then_nan(a: &f64, b: &f64) -> std::cmp::Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(c: &Codes) -> Vec<u32> {
        match c {
            Codes::Bytes(b) => b.iter().map(|&x| x.into()).collect(),
            Codes::Words(w) => w.clone(),
        }
    }

    #[test]
    fn whole_labels_are_counted_from_the_lowest() {
        let g = grade(&[2, -1, 0], &[3.0], None);
        assert_eq!(g.labels, [-1.0, 0.0, 1.0, 2.0, 3.0]);
        assert_eq!(codes(&g.codes), [3, 0, 1]);
        assert_eq!(codes(&g.outside), [4]);
    }

    #[test]
    fn a_document_without_judgment_has_the_last_grade() {
        let g = grade(&[1.0, f64::NAN], &[0.5f64], None);
        assert_eq!(g.labels[..2], [0.5, 1.0]);
        assert!(g.labels[2].is_nan());
        assert_eq!(codes(&g.codes), [1, 2]);
        let g = grade(&[1.0, f64::NAN], &[0i32; 0], None);
        assert_eq!(g.labels[..2], [0.0, 1.0]); // small whole labels count from 0
        assert_eq!(codes(&g.codes), [1, 2]);
    }

    #[test]
    fn a_label_of_another_weight_is_another_grade() {
        let g = grade_weighted(&[1.0, f64::NAN, 0.0, 1.0, f64::NAN, 1.0], &[2.0, 3.0, 1.0, 0.5, 1.0, 2.0]);
        assert_eq!(g.labels[..3], [0.0, 1.0, 1.0]);
        assert!(g.labels[3..].iter().all(|l| l.is_nan()));
        assert_eq!(g.weights, [1.0, 0.5, 2.0, 1.0, 3.0]);
        assert_eq!(codes(&g.codes), [2, 4, 0, 1, 3, 2]);
    }

    #[test]
    fn many_labels_need_words() {
        let labels: Vec<f64> = (0..1000).map(|i| f64::from(i) / 7.0).collect();
        let g = grade(&labels, &[0i32; 0], None);
        assert_eq!(codes(&g.codes), (0..1000).collect::<Vec<u32>>());
    }
}
