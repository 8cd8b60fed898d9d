//! Plain decimals such as `12.345678`, read eight bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;
const ZEROS: u64 = b'0' as u64 * ONES;
const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The number in the `len` bytes at `start` if it is a plain decimal (a minus at most as its sign) with up to eight
/// digits on either side of the point, so short that whole number and power of ten are exact: one division then
/// rounds correctly. `None` leaves it to `numbers::float64`, which reads everything else.
#[inline(always)]
pub fn plain(text: &[u8], start: usize, len: usize) -> Option<f64> {
    let negative = usize::from(*text.get(start)? == b'-');
    let (start, len) = (start + negative, len - negative);
    let head = eight_bytes(text, start)?;
    let before = first_point(head).min(len);
    let after = len.saturating_sub(before + 1);
    // Without a point in the first eight bytes, a longer number may have it later.
    if after > 8 || (before == 8 && len > 8) || before + after == 0 {
        return None;
    }
    let tail = eight_bytes(text, start + before + 1)?;
    let (above, below) = (last_digits(head, before), last_digits(tail, after));
    if (above.wrapping_add(ONES * (0x80 - 10)) | above | below.wrapping_add(ONES * (0x80 - 10)) | below) & HIGH != 0 {
        return None;
    }
    let unit = *TENS.get(after)?;
    let whole = value(above) * unit + value(below);
    // Above 2^53 the conversion to float64 would round, and the division again.
    if whole > 1 << 53 {
        return None;
    }
    let value = whole as f64 / unit as f64;
    Some(if negative == 1 { -value } else { value })
}

#[inline(always)]
fn eight_bytes(text: &[u8], start: usize) -> Option<u64> {
    text.get(start..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Which byte is the first point; 8 if none is.
#[inline(always)]
fn first_point(word: u64) -> usize {
    let x = word ^ (ONES * b'.' as u64);
    // Exact up to the first zero byte, which is all that is asked.
    (x.wrapping_sub(ONES) & !x & HIGH).trailing_zeros() as usize / 8
}

/// The values of the first `count` digits, moved so that the last one is in the last byte; zeros before them.
/// A byte that is no digit becomes 10 or more.
#[inline(always)]
fn last_digits(word: u64, count: usize) -> u64 {
    (word ^ ZEROS).checked_shl(64 - 8 * count as u32).unwrap_or(0)
}

/// Eight digits, the first in the lowest byte: pairs, then fours, then all.
#[inline(always)]
fn value(digits: u64) -> u64 {
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::plain;

    fn read(number: &str) -> Option<f64> {
        let text = format!("{number} next column, long enough");
        plain(text.as_bytes(), 0, number.len())
    }

    #[test]
    fn plain_decimals_are_correctly_rounded() {
        for number in ["0", "7", "-7", "12.345678", "-0.5", ".5", "5.", "00000001", "12345678", "1234567.12345678", "0.00000001", "0.1"] {
            assert_eq!(read(number), number.parse().ok(), "{number}");
        }
        assert!(read("-0").is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
    }

    #[test]
    fn everything_else_is_left_to_others() {
        for number in [
            "",
            "-",
            ".",
            "-.",
            "+1",
            "--1",
            "1e5",
            "1.2.3",
            "nan",
            "123456789",
            "123456789.5",
            "12345678.5",
            "1.123456789",
            "90071993.54740993",
            "1/",
            "1:",
            "1\u{b0}",
        ] {
            assert_eq!(read(number), None, "{number}");
        }
    }

    #[test]
    fn random_decimals_agree_with_the_standard_library() {
        let mut seed = 7u64;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let digits = 10u64.pow((seed >> 60) as u32);
            let mut number = ((seed >> 8) % digits).to_string();
            number.insert((seed >> 4) as usize % (number.len() + 1), '.');
            if let Some(value) = read(&number) {
                assert_eq!(Ok(value), number.parse(), "{number}");
            }
        }
    }
}
