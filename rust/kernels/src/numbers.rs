//! Decimal numbers at the start of a slice, correctly rounded.

/// The number at the start of `text` and how many bytes it takes; `None` if there is none.
/// Accepts what C's `strtod` accepts in decimal, plus `nan`, `inf`; never hexadecimal.
pub fn float64(text: &[u8]) -> Option<(f64, usize)> {
    let end = text.iter().position(|b| !matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'a'..=b'z' | b'A'..=b'Z')).unwrap_or(text.len());
    let word = std::str::from_utf8(text.get(..end)?).ok()?;
    word.parse().ok().map(|value| (value, end))
}
