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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_splitmix64() {
        let drawn: Vec<u64> = (0..3u64).map(|i| mix(i.wrapping_mul(STEP))).collect();
        assert_eq!(drawn, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
