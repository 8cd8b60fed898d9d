//! Numbers drawn by lot, each a function of what it is drawn for alone, so that threads do not matter.

/// The step of splitmix64, 2^64 / φ (Steele, Lea & Flood 2014, `steele2014`): `mix(key + i · STEP)` for i = 0, 1, …
/// is that generator with the seed `key`.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijection of 64 bits in which each bit of the input moves half of the output (the finisher of splitmix64).
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(STEP);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Numbers drawn one after the other: splitmix64 with a seed of its own.
#[derive(Debug, Clone, Copy)]
pub struct Lots(u64);

impl Lots {
    /// Those of one thing among others (a block, an epoch), which `key` and `number` name.
    pub fn of(key: u64, number: u64) -> Self {
        Self(mix(key ^ mix(number)))
    }

    #[inline(always)]
    pub fn draw(&mut self) -> u64 {
        let drawn = mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        drawn
    }

    /// One of 0, …, `count` − 1; a count below 2³² favours none by more than count / 2³².
    #[inline(always)]
    pub fn below(&mut self, count: usize) -> usize {
        (((self.draw() >> 32) * count as u64) >> 32) as usize
    }

    /// From 0, and below 1.
    #[inline(always)]
    pub fn share(&mut self) -> f32 {
        (self.draw() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// An order of 0, …, `count` − 1, each as likely as any other.
    pub fn order(&mut self, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        for at in (1..count).rev() {
            let other = self.below(at + 1);
            order.swap(at, other);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_splitmix64() {
        let drawn: Vec<u64> = (0..3u64).map(|i| mix(i.wrapping_mul(STEP))).collect();
        assert_eq!(drawn, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
