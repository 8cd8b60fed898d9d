//! Short ids as one number, and a hash of any id.

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// An id of up to eight bytes as one number: two ids of one such length are equal exactly if these are.
#[inline(always)]
pub fn word(id: &[u8]) -> u64 {
    // Two reads that overlap cost less than a copy of unknown length.
    if let (Some(head), Some(tail)) = (id.first_chunk::<4>(), id.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*head)) | u64::from(u32::from_le_bytes(*tail)) << 32
    } else if let (Some(&first), Some(&last)) = (id.first(), id.last()) {
        let middle = id.get(id.len() / 2).copied().unwrap_or_default();
        u64::from(first) | u64::from(middle) << 8 | u64::from(last) << 16
    } else {
        0
    }
}

/// 32 well-mixed bits of an id. Ids that share them are told apart by their bytes.
#[inline(always)]
pub fn hash(id: &[u8]) -> u32 {
    let mut state = ODD.wrapping_mul(id.len() as u64);
    if id.len() <= 8 {
        state = mix(state ^ word(id));
    } else {
        for eight in id.chunks_exact(8) {
            state = mix(state ^ u64::from_le_bytes(eight.try_into().unwrap_or_default()));
        }
        // The last eight bytes again: simpler than the rest alone, and as good.
        state = mix(state ^ id.last_chunk().map_or(0, |tail| u64::from_le_bytes(*tail)));
    }
    state as u32
}

/// Both halves of a product of 128 bits: every bit of `x` reaches every bit of the result.
#[inline(always)]
fn mix(x: u64) -> u64 {
    let product = u128::from(x ^ 0x2d35_8dcc_aa6c_78a5) * u128::from(0xd6e8_feb8_6659_fd93u64);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::{hash, word};
    use std::collections::HashSet;

    #[test]
    fn words_of_one_length_differ_as_the_ids_do() {
        assert_ne!(word(b"abc"), word(b"abd"));
        assert_ne!(word(b"aac"), word(b"abc"));
        assert_ne!(word(b"12345678"), word(b"12345670"));
        assert_eq!(word(b""), 0);
    }

    #[test]
    fn hashes_of_ordinary_ids_hardly_collide() {
        for shape in [|i: u32| format!("{i}"), |i| format!("d{i:07}"), |i| format!("msmarco_v2.1_doc_{i}#1_30"), |i| format!("{i:012}x")] {
            let all: HashSet<u32> = (0..100_000).map(|i| hash(shape(i).as_bytes())).collect();
            // 100,000 values of 32 bits: about 1.2 collisions by chance.
            assert!(all.len() > 99_980, "{} of {}", all.len(), shape(1));
        }
    }
}
