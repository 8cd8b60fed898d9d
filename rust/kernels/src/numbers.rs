//! Decimal numbers at the start of a slice, correctly rounded.
//!
//! A number is what C's `strtod` reads in decimal: a sign, digits with at most one point, an exponent; or `nan`,
//! `inf`, `infinity` in any case. The longest such prefix is taken; whether what follows may follow is the caller's
//! question. A number too large for its type becomes infinite, as it does in C: `is_word` tells it from `inf`.

/// Powers of ten that are exact in `f64`.
const POWERS: [f64; 23] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22];

/// Up to here every integer is exact in `f64`.
const EXACT: u64 = 1 << 53;

/// As many digits always fit in a `u64`.
const DIGITS: usize = 19;

/// The number at the start of `text` and how many bytes it takes; `None` if there is none.
///
/// ```
/// use rankwise_kernels::numbers::float64;
/// assert_eq!(float64(b"-2.5e1 x"), Some((-25.0, 6)));
/// assert_eq!(float64(b"x"), None);
/// ```
pub fn float64(text: &[u8]) -> Option<(f64, usize)> {
    let Some(decimal) = Decimal::scan(text) else { return word(text) };
    match decimal.exact64() {
        Some(value) => Some((if decimal.negative { -value } else { value }, decimal.len)),
        None => parse(text, decimal.len),
    }
}

/// As [`float64`], rounded once, to `f32`.
pub fn float32(text: &[u8]) -> Option<(f32, usize)> {
    let Some(decimal) = Decimal::scan(text) else { return word(text).map(|(value, len)| (value as f32, len)) };
    match decimal.near64().and_then(round_to_f32) {
        Some(value) => Some((if decimal.negative { -value } else { value }, decimal.len)),
        None => parse(text, decimal.len),
    }
}

/// The number at `at` if it is plain and short: a minus or none, up to eight digits, and after a point up to eight more;
/// then a blank or a line end, with a few bytes of text around it. Returns the place of that end too.
/// `None` says nothing: ask [`float32`].
///
/// It has no branch that depends on how long the number is, and the place of its end, which the next number waits for,
/// is known after a handful of operations; so numbers of mixed lengths are read in parallel by one core.
#[inline(always)]
pub fn short_float32(text: &[u8], at: usize) -> Option<(f32, usize)> {
    let low = eight_bytes(text, at)?;
    // A single digit is what every second feature is.
    let digit = low as u8 ^ b'0';
    if (low >> 8) as u8 == b' ' && digit < 10 {
        return Some((f32::from(digit), at + 1));
    }
    let high = eight_bytes(text, at + 8)?;
    let blanks = u128::from(up_to_blank(low)) | u128::from(up_to_blank(high)) << 64;
    let len = blanks.trailing_zeros() / 8;
    let point = (zero_byte(low ^ bytes(b'.')).trailing_zeros() / 8).min(len);
    let negative = u32::from(low as u8 == b'-');
    if point <= negative || point == 8 && len > 8 || len == 16 {
        return None;
    }
    let end = at + len as usize;
    let fraction = FRACTIONS.get((len - point).saturating_sub(1) as usize)?;

    // Both parts are pushed to the last bytes of eight, zeros before them; the minus becomes a zero too.
    let zeros = bytes(b'0');
    let low = low ^ u64::from(negative * u32::from(b'-' ^ b'0'));
    let whole = (low ^ zeros) << (64 - 8 * point);
    let parts = (eight_bytes(text, end.wrapping_sub(8))? ^ zeros) & fraction.mask;
    let over_nine = (whole.wrapping_add(bytes(0x76)) | whole) | (parts.wrapping_add(bytes(0x76)) | parts);
    if over_nine & bytes(0x80) != 0 {
        return None;
    }
    let digits = eight_digits(whole) * fraction.power + eight_digits(parts);
    // At most two units in the last place off, by the inverse and by the product.
    let value = round_to_f32(digits as i64 as f64 * fraction.inverse)?;
    Some((f32::from_bits(value.to_bits() | negative << 31), end))
}

/// The whole number at the start of `text` and how many bytes it takes, 0 if there is none. One too large for `usize` is
/// read as the largest.
#[inline]
pub fn index(text: &[u8]) -> (usize, usize) {
    let digits = text.iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|&digit| digit < 10);
    digits.fold((0, 0), |(index, len): (usize, usize), digit| (index.saturating_mul(10).saturating_add(usize::from(digit)), len + 1))
}

/// What it takes to join so many digits after the point to those before it.
struct Fraction {
    /// Keeps the last bytes of eight.
    mask: u64,
    power: u64,
    inverse: f64,
}

const FRACTIONS: [Fraction; 9] = [
    Fraction { mask: 0, power: 1, inverse: 1.0 },
    Fraction { mask: 0xff << 56, power: 10, inverse: 1e-1 },
    Fraction { mask: 0xffff << 48, power: 100, inverse: 1e-2 },
    Fraction { mask: 0xff_ffff << 40, power: 1_000, inverse: 1e-3 },
    Fraction { mask: 0xffff_ffff << 32, power: 10_000, inverse: 1e-4 },
    Fraction { mask: 0xff_ffff_ffff << 24, power: 100_000, inverse: 1e-5 },
    Fraction { mask: 0xffff_ffff_ffff << 16, power: 1_000_000, inverse: 1e-6 },
    Fraction { mask: 0xff_ffff_ffff_ffff << 8, power: 10_000_000, inverse: 1e-7 },
    Fraction { mask: u64::MAX, power: 100_000_000, inverse: 1e-8 },
];

/// Whether the number that begins `text` is a word, `nan` or `inf`, rather than digits.
pub fn is_word(text: &[u8]) -> bool {
    Decimal::scan(text).is_none() && word(text).is_some()
}

/// Digits taken apart: `mantissa * 10^exponent`.
struct Decimal {
    negative: bool,
    mantissa: u64,
    exponent: i64,
    /// Whether `mantissa` holds all digits.
    complete: bool,
    len: usize,
}

impl Decimal {
    fn scan(text: &[u8]) -> Option<Self> {
        let (negative, sign) = sign(text);
        let (mantissa, whole) = digits(text.get(sign..)?, 0);
        let mut len = sign + whole;
        let mut fraction = 0;
        let mut mantissa = mantissa;
        if text.get(len) == Some(&b'.') {
            (mantissa, fraction) = digits(text.get(len + 1..)?, mantissa);
            len += 1 + fraction;
        }
        if whole + fraction == 0 {
            return None;
        }
        let (power, power_len) = exponent(text.get(len..)?);
        let complete = whole + fraction <= DIGITS;
        Some(Self { negative, mantissa, exponent: power - fraction as i64, complete, len: len + power_len })
    }

    /// The value without its sign if one operation on exact operands gives it: then it is correctly rounded.
    fn exact64(&self) -> Option<f64> {
        if self.mantissa > EXACT { None } else { self.near64() }
    }

    /// The value without its sign, two units in the last place of an `f64` off at most.
    fn near64(&self) -> Option<f64> {
        if !self.complete {
            return None;
        }
        let power = *POWERS.get(usize::try_from(self.exponent.unsigned_abs()).ok()?)?;
        let mantissa = self.mantissa as f64;
        Some(if self.exponent < 0 { mantissa / power } else { mantissa * power })
    }
}

/// `value`, off by a few units in its last place at most, rounded to `f32`; `None` where those units could decide,
/// which is in the middle between two neighbours. (`value` is 0 or so large that its `f32` is not subnormal.)
#[inline(always)]
fn round_to_f32(value: f64) -> Option<f32> {
    // An f64 has 29 bits more than an f32; half way they are a one and 28 zeros.
    let beyond = value.to_bits() & ((1 << 29) - 1);
    let off_middle = beyond.wrapping_sub((1 << 28) - 4);
    if off_middle <= 8 { None } else { Some(value as f32) }
}

/// Leaves the rare cases to the standard library, which is correct for all of them and slower.
fn parse<T: std::str::FromStr>(text: &[u8], len: usize) -> Option<(T, usize)> {
    let word = std::str::from_utf8(text.get(..len)?).ok()?;
    word.parse().ok().map(|value| (value, len))
}

/// Whether there is a minus, and how many bytes the sign takes.
fn sign(text: &[u8]) -> (bool, usize) {
    match text.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    }
}

/// `nan`, `inf` or `infinity`.
fn word(text: &[u8]) -> Option<(f64, usize)> {
    let (negative, sign) = sign(text);
    let word = text.get(sign..)?;
    let starts = |name: &str| word.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
    let (value, len) = [("infinity", f64::INFINITY), ("inf", f64::INFINITY), ("nan", f64::NAN)]
        .into_iter()
        .find_map(|(name, value)| starts(name).then_some((value, name.len())))?;
    Some((if negative { -value } else { value }, sign + len))
}

/// Appends the digits at the start of `text` to `mantissa`; returns it and their number. Past [`DIGITS`] digits in all
/// the mantissa is meaningless.
fn digits(text: &[u8], mut mantissa: u64) -> (u64, usize) {
    let mut len = 0;
    while let Some(eight) = eight_bytes(text, len).map(|word| word ^ bytes(b'0')) {
        // A digit stays below 0x80 when 0x76 is added; another byte does not, or is above already.
        if (eight.wrapping_add(bytes(0x76)) | eight) & bytes(0x80) != 0 {
            break;
        }
        mantissa = mantissa.wrapping_mul(100_000_000).wrapping_add(eight_digits(eight));
        len += 8;
    }
    while let Some(digit) = text.get(len).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        len += 1;
    }
    (mantissa, len)
}

/// The exponent at the start of `text` and its length in bytes; 0 and 0 if there is none.
fn exponent(text: &[u8]) -> (i64, usize) {
    if !matches!(text.first(), Some(b'e' | b'E')) {
        return (0, 0);
    }
    let text = text.get(1..).unwrap_or_default();
    let (negative, sign) = sign(text);
    let (mut power, mut len) = (0i64, 0);
    while let Some(digit) = text.get(sign + len).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        // Far beyond any float; the point is not to overflow.
        power = (power * 10 + i64::from(digit)).min(1 << 40);
        len += 1;
    }
    match len {
        0 => (0, 0),
        _ => (if negative { -power } else { power }, 1 + sign + len),
    }
}

/// The value of eight digits given as bytes 0 to 9, the first (lowest) byte the most significant.
#[inline(always)]
fn eight_digits(digits: u64) -> u64 {
    // Neighbours are joined: eight digits to four pairs, two fours, one eight.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

/// The same byte eight times.
const fn bytes(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

#[inline(always)]
fn eight_bytes(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// Marks the high bit of the first byte that is a blank or a control character; later bytes are marked at random.
#[inline(always)]
fn up_to_blank(word: u64) -> u64 {
    word.wrapping_sub(bytes(b' ' + 1)) & !word & bytes(0x80)
}

/// Marks the high bit of the first byte that is zero; later bytes are marked at random.
#[inline(always)]
fn zero_byte(word: u64) -> u64 {
    word.wrapping_sub(bytes(1)) & !word & bytes(0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that are hard to round, or at the end of a range.
    const HARD: &[&str] = &[
        "0",
        "-0",
        "1",
        "0.1",
        ".5",
        "5.",
        "1e-45",
        "7e-46",
        "1e-46",
        "3.4028235e38",
        "3.4028235677973366e38",
        "1e39",
        "3.4028235677973367e38",
        "16777217",
        "16777219",
        "0.000000059604644775390625",
        "9007199254740993",
        "5e-324",
        "2e-324",
        "1.7976931348623157e308",
        "1e999",
        "-1e999",
        "1e-999",
        "0e999",
        "123456789012345678901234567890",
        "8388609.5",
        "8388610.5",
        "1.00000005960464477539062500000001",
        "1.000000059604644775390625",
        "12345678.12345678",
        "00000000000000000000001",
        "0.00000000000000000000000000000000000000000000140129846432481707",
        "+2.5E+3",
    ];

    #[test]
    fn hard_words_are_rounded_as_the_standard_library_rounds_them() {
        for word in HARD {
            let right: f64 = word.parse().expect("a number");
            assert_eq!(float64(word.as_bytes()).map(|(v, len)| (v.to_bits(), len)), Some((right.to_bits(), word.len())));
            let right: f32 = word.parse().expect("a number");
            assert_eq!(float32(word.as_bytes()).map(|(v, len)| (v.to_bits(), len)), Some((right.to_bits(), word.len())));
        }
    }

    #[test]
    fn a_short_number_is_read_as_the_long_way_reads_it() {
        for word in HARD {
            let text = format!(" 17:{word} 18:0.25 19:0        ");
            if let Some((value, end)) = short_float32(text.as_bytes(), 4) {
                let right: f32 = word.parse().expect("a number");
                assert_eq!((value.to_bits(), end), (right.to_bits(), 4 + word.len()), "{word}");
            }
        }
    }

    #[test]
    fn random_words_are_rounded_as_the_standard_library_rounds_them() {
        let mut state = 1u64;
        let mut below = |n: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % n
        };
        for _ in 0..200_000 {
            let mut word: String = if below(4) == 0 { "-".into() } else { String::new() };
            word.extend((0..=below(11)).map(|_| char::from(b'0' + below(10) as u8)));
            if below(3) > 0 {
                word.push('.');
                word.extend((0..below(12)).map(|_| char::from(b'0' + below(10) as u8)));
            }
            if below(4) == 0 {
                word.push_str(&format!("e{}", below(60) as i64 - 30));
            }
            let text = format!("2 qid:1 1:{word} 2:0.25 3:0.5 4:0");
            let (right32, right64): (f32, f64) = (word.parse().expect("a number"), word.parse().expect("a number"));
            assert_eq!(float64(word.as_bytes()), Some((right64, word.len())), "{word}");
            assert_eq!(float32(word.as_bytes()), Some((right32, word.len())), "{word}");
            let short = short_float32(text.as_bytes(), 10);
            assert!(short.is_none_or(|found| found == (right32, 10 + word.len())), "{word}");
        }
    }

    #[test]
    fn most_numbers_are_short() {
        for word in ["0", "7", "156", "11089534", "0.019231", "-13.581932", "12345678.12345678", "109.888702", "5."] {
            let text = format!("2 qid:1 1:{word} 2:0.25 3:0.5 4:0");
            assert!(short_float32(text.as_bytes(), 10).is_some() == (word.len() < 16), "{word}");
        }
        for word in ["-", ".", "-.", "", "1e5", "+1", "1.2.3", "1:2"] {
            let text = format!("2 qid:1 1:{word} 2:0.25 3:0.5 4:0");
            assert!(short_float32(text.as_bytes(), 10).is_none(), "{word}");
        }
    }

    #[test]
    fn the_longest_prefix_is_taken() {
        let taken = |text: &str| float64(text.as_bytes());
        assert_eq!(taken("1.5.2"), Some((1.5, 3)));
        assert_eq!(taken("2e"), Some((2.0, 1)));
        assert_eq!(taken("2e+"), Some((2.0, 1)));
        assert_eq!(taken("0x10"), Some((0.0, 1)));
        assert_eq!(taken("-Infinity!"), Some((f64::NEG_INFINITY, 9)));
        assert_eq!(taken("."), None);
        assert_eq!(taken("-"), None);
        assert_eq!(taken(""), None);
        assert_eq!(taken("e5"), None);
        assert!(taken("NaN").is_some_and(|(value, len)| value.is_nan() && len == 3));
    }

    #[test]
    fn an_overflow_is_not_the_word_inf() {
        assert!(is_word(b"-inf") && is_word(b"nan"));
        assert!(!is_word(b"1e999") && !is_word(b"x"));
    }
}
