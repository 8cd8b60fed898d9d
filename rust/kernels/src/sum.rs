//! Sums that do not depend on the order of their terms: exact, then rounded once.

/// Σ of finite values, correctly rounded (Shewchuk 1997: non-overlapping partial sums).
/// Infinite or NaN terms give what ordinary addition gives. Terms so large that a partial sum overflows are added on a
/// smaller scale, where only what cannot matter to such a sum is lost.
pub fn exact_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    const SCALE: f64 = (1u64 << 63) as f64;
    let sum = sum_in_parts(values.clone());
    if sum.is_nan() && values.clone().all(f64::is_finite) { sum_in_parts(values.map(|v| v / SCALE)) * SCALE } else { sum }
}

fn sum_in_parts(values: impl Iterator<Item = f64>) -> f64 {
    let mut partials: Vec<f64> = Vec::with_capacity(8);
    let mut special = 0.0;
    for value in values {
        if !value.is_finite() {
            special += value;
            continue;
        }
        let mut x = value;
        let mut kept = 0;
        for i in 0..partials.len() {
            let Some(&y) = partials.get(i) else { break };
            let (high, low) = two_sum(x, y);
            if low != 0.0 {
                if let Some(slot) = partials.get_mut(kept) {
                    *slot = low;
                }
                kept += 1;
            }
            x = high;
        }
        partials.truncate(kept);
        partials.push(x);
    }
    if special != 0.0 || special.is_nan() {
        return special;
    }
    round_once(&partials)
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

/// Adds non-overlapping parts of rising magnitude, and mends the half-way case that one rounding hides.
fn round_once(partials: &[f64]) -> f64 {
    let mut rest = partials.iter().rev().copied();
    let Some(mut sum) = rest.next() else { return 0.0 };
    let mut low = 0.0;
    for part in rest.by_ref() {
        (sum, low) = two_sum(sum, part);
        if low != 0.0 {
            break;
        }
    }
    let goes_on = rest.next().is_some_and(|next| (low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0));
    let twice = low * 2.0;
    let candidate = sum + twice;
    if goes_on && candidate - sum == twice { candidate } else { sum }
}

/// How many values are not NaN, their sum, their mean, and the sample standard deviation (NaN below two values).
pub fn summary(values: &[f64]) -> (usize, f64, f64, f64) {
    let known = || values.iter().copied().filter(|v| !v.is_nan());
    let n = known().count();
    if n == 0 {
        return (0, 0.0, f64::NAN, f64::NAN);
    }
    let sum = exact_sum(known());
    // A sum beyond the range of floats may still have a mean within it.
    let mean = if sum.is_finite() { sum / n as f64 } else { exact_sum(known().map(|v| v / n as f64)) };
    let squares = exact_sum(known().map(|v| (v - mean) * (v - mean)));
    let deviation = if n > 1 { (squares / (n - 1) as f64).sqrt() } else { f64::NAN };
    (n, sum, mean, deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        assert_eq!(exact_sum([1e100, 1.0, -1e100, 1e-30].into_iter()), 1.0);
        assert_eq!(exact_sum([0.1; 10].into_iter()), 1.0);
        assert_eq!(exact_sum(std::iter::empty()), 0.0);
    }

    #[test]
    fn sums_and_means_of_huge_values_do_not_overflow_on_the_way() {
        assert_eq!(exact_sum([1.5e308, 1.5e308, -1.5e308].into_iter()), 1.5e308);
        assert_eq!(exact_sum([1.5e308, 1.5e308].into_iter()), f64::INFINITY);
        let (_, sum, mean, _) = summary(&[1.5e308, 1.5e308]);
        assert_eq!((sum, mean), (f64::INFINITY, 1.5e308));
        assert_eq!(summary(&[f64::INFINITY, 1.0]).2, f64::INFINITY);
    }

    #[test]
    fn half_way_cases_are_rounded_once() {
        let half = f64::EPSILON / 2.0;
        assert_eq!(exact_sum([1.0, half, 1e-40].into_iter()), 1.0 + f64::EPSILON);
        assert_eq!(exact_sum([1.0, half, -1e-40].into_iter()), 1.0);
    }
}
