//! Where white space and line ends stand in the next 64 bytes, as bits (bit 0 is the first byte).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masks {
    pub white: u64,
    pub newline: u64,
}

/// A way to look at 64 bytes at once.
pub trait Windows: Copy + Send + Sync {
    fn masks(self, window: &[u8; 64]) -> Masks;

    /// Runs `job` where the processor's wide instructions may be used.
    fn run<J: Job>(self, job: J) -> J::Output;
}

/// What to do with the chosen way of looking; a trait, because a closure cannot be generic.
pub trait Job {
    type Output;
    fn with(self, windows: impl Windows) -> Self::Output;
}

/// Runs `job` with the best that this processor has.
pub fn dispatch<J: Job>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(wide) = pulp::x86::V4::try_new() {
            return wide.run(job);
        }
        if let Some(wide) = pulp::x86::V3::try_new() {
            return wide.run(job);
        }
    }
    Plain.run(job)
}

/// C's `isspace`: space, tab, line feed, vertical tab, form feed, carriage return.
#[inline]
pub fn is_white(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(9) < 5
}

/// Eight bytes at a time in an ordinary register, on any processor.
#[derive(Clone, Copy)]
pub struct Plain;

impl Windows for Plain {
    #[inline(always)]
    fn masks(self, window: &[u8; 64]) -> Masks {
        let (mut white, mut newline) = (0, 0);
        for (i, eight) in window.chunks_exact(8).enumerate() {
            let word = u64::from_le_bytes(eight.try_into().unwrap_or_default());
            let line_feeds = equal(word, b'\n');
            white |= gather(equal(word, b' ') | between_9_and_13(word)) << (8 * i);
            newline |= gather(line_feeds) << (8 * i);
        }
        Masks { white, newline }
    }

    #[inline(always)]
    fn run<J: Job>(self, job: J) -> J::Output {
        job.with(self)
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// 0x80 in each byte of `word` that is `byte`.
#[inline(always)]
fn equal(word: u64, byte: u8) -> u64 {
    let x = word ^ (ONES * byte as u64);
    // No carry leaves a byte here, so neighbours do not disturb each other.
    !(((x & !HIGH) + !HIGH) | x) & HIGH
}

/// 0x80 in each byte of `word` from 9 to 13.
#[inline(always)]
fn between_9_and_13(word: u64) -> u64 {
    let low = word & !HIGH;
    (low + ONES * (0x80 - 9)) & !(low + ONES * (0x80 - 14)) & !word & HIGH
}

/// The eight high bits as one byte.
#[inline(always)]
fn gather(high: u64) -> u64 {
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Job, Masks, Windows};
    use pulp::x86::{V3, V4};
    use std::arch::x86_64::{__m256i, __m512i};

    struct Run<W, J>(W, J);

    impl<W: Windows, J: Job> pulp::NullaryFnOnce for Run<W, J> {
        type Output = J::Output;
        #[inline(always)]
        fn call(self) -> J::Output {
            self.1.with(self.0)
        }
    }

    impl Windows for V3 {
        #[inline(always)]
        fn masks(self, window: &[u8; 64]) -> Masks {
            let halves: [__m256i; 2] = pulp::cast(*window);
            let avx2 = self.avx2;
            let splat = |byte: u8| self.avx._mm256_set1_epi8(byte as i8);
            let bits = |mask: __m256i| avx2._mm256_movemask_epi8(mask) as u32 as u64;
            let look = |half: __m256i| {
                let shifted = avx2._mm256_sub_epi8(half, splat(9));
                let control = avx2._mm256_cmpeq_epi8(avx2._mm256_min_epu8(shifted, splat(4)), shifted);
                let white = avx2._mm256_or_si256(control, avx2._mm256_cmpeq_epi8(half, splat(b' ')));
                (bits(white), bits(avx2._mm256_cmpeq_epi8(half, splat(b'\n'))))
            };
            let [(white, newline), (white_high, newline_high)] = halves.map(look);
            Masks { white: white | white_high << 32, newline: newline | newline_high << 32 }
        }

        #[inline(always)]
        fn run<J: Job>(self, job: J) -> J::Output {
            self.vectorize(Run(self, job))
        }
    }

    impl Windows for V4 {
        #[inline(always)]
        fn masks(self, window: &[u8; 64]) -> Masks {
            let bytes: __m512i = pulp::cast(*window);
            let splat = |byte: u8| self.avx512f._mm512_set1_epi8(byte as i8);
            let shifted = self.avx512bw._mm512_sub_epi8(bytes, splat(9));
            let control = self.avx512bw._mm512_cmple_epu8_mask(shifted, splat(4));
            let white = control | self.avx512bw._mm512_cmpeq_epi8_mask(bytes, splat(b' '));
            Masks { white, newline: self.avx512bw._mm512_cmpeq_epi8_mask(bytes, splat(b'\n')) }
        }

        #[inline(always)]
        fn run<J: Job>(self, job: J) -> J::Output {
            self.vectorize(Run(self, job))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slowly(window: &[u8; 64]) -> Masks {
        let bits = |claim: fn(u8) -> bool| window.iter().rev().fold(0, |mask, &b| mask << 1 | u64::from(claim(b)));
        Masks { white: bits(is_white), newline: bits(|b| b == b'\n') }
    }

    #[test]
    fn every_way_of_looking_sees_the_same() {
        let mut seed = 1u64;
        for round in 0..4096 {
            let window: [u8; 64] = std::array::from_fn(|i| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Every byte value once, then values near the interesting ones.
                if round < 4 {
                    (64 * round + i) as u8
                } else {
                    b" \t\n\r\x0b\x0c\x08\x0e\x00\x1f!\x89\xa0\x8a7f"[(seed >> 33) as usize % 16]
                }
            });
            assert_eq!(Plain.masks(&window), slowly(&window));
            #[cfg(target_arch = "x86_64")]
            {
                struct Look([u8; 64]);
                impl Job for Look {
                    type Output = Masks;
                    fn with(self, windows: impl Windows) -> Masks {
                        windows.masks(&self.0)
                    }
                }
                if let Some(wide) = pulp::x86::V3::try_new() {
                    assert_eq!(wide.run(Look(window)), slowly(&window));
                }
                if let Some(wide) = pulp::x86::V4::try_new() {
                    assert_eq!(wide.run(Look(window)), slowly(&window));
                }
            }
        }
    }
}
