//! Factorisation: each user and each item is a row of a few numbers, and the score of a user for an item is the product of
//! their rows, plus the item's bias. One way to learn them a file, and `top` to use them.
//!
//! Vocabulary: an *interaction* is a user with an item; a *pair* in `pairs` is an interaction that was seen; a *row* holds the
//! factors of one user or item, filled up with zeros to a whole number of lanes; a *place* is where an item stands in an
//! epoch's random order of the items; a *block* is some users with some places. An *epoch* looks at each interaction once.

pub mod als;
pub mod bpr;
pub mod negatives;
pub mod pairs;
pub mod racing;
pub mod schedule;
pub mod svd;
pub mod top;
pub mod warp;

/// Rows are a multiple of this long: one register of the widest machines, two or four of others. Sums are kept a lane each,
/// so that all machines add in the same order.
pub const LANES: usize = 16;

/// The rows and biases of all users, or of all items.
#[derive(Debug, Clone)]
pub struct Side {
    pub rows: Vec<f32>,
    pub bias: Vec<f32>,
    pub stride: usize,
}

impl Side {
    /// Of `factors` numbers a row; an empty bias is one of zeros.
    pub fn of(values: &[f32], factors: usize, bias: &[f32]) -> Self {
        let stride = factors.next_multiple_of(LANES).max(LANES);
        let count = values.len().checked_div(factors).unwrap_or(bias.len());
        let rows = if stride == factors { values.to_vec() } else { widened(values, factors, stride, count) };
        let mut bias = bias.to_vec();
        bias.resize(count, 0.0);
        Self { rows, bias, stride }
    }

    /// Rows without the zeros that fill them up, and the biases.
    pub fn into_parts(self, factors: usize) -> (Vec<f32>, Vec<f32>) {
        if factors == self.stride {
            return (self.rows, self.bias);
        }
        let rows = self.rows.chunks_exact(self.stride).flat_map(|row| row.get(..factors).unwrap_or_default()).copied().collect();
        (rows, self.bias)
    }

    pub fn count(&self) -> usize {
        self.bias.len()
    }

    pub fn row(&self, at: usize) -> &[f32] {
        self.rows.get(at * self.stride..(at + 1) * self.stride).unwrap_or_default()
    }

    /// Rows in another order.
    fn taken(&self, order: &[u32]) -> Self {
        let mut rows = Vec::with_capacity(self.rows.len());
        order.iter().for_each(|&at| rows.extend_from_slice(self.row(at as usize)));
        let bias = order.iter().filter_map(|&at| self.bias.get(at as usize)).copied().collect();
        Self { rows, bias, stride: self.stride }
    }

    /// Takes back the rows that `taken` put into that order.
    fn put(&mut self, order: &[u32], from: &Self) {
        for (&at, (row, &bias)) in order.iter().zip(from.rows.chunks_exact(self.stride).zip(&from.bias)) {
            let at = at as usize;
            if let (Some(own), Some(b)) = (self.rows.get_mut(at * self.stride..(at + 1) * self.stride), self.bias.get_mut(at)) {
                own.copy_from_slice(row);
                *b = bias;
            }
        }
    }

    /// Consecutive parts that end at those rows.
    fn parts(&mut self, ends: &[usize]) -> Vec<Part<'_>> {
        let (mut rows, mut bias) = (&mut self.rows[..], &mut self.bias[..]);
        let mut first = 0;
        let mut parts = Vec::with_capacity(ends.len());
        for &end in ends {
            let (part, rest) = rows.split_at_mut((end - first) * self.stride);
            let (own, others) = bias.split_at_mut(end - first);
            parts.push(Part { rows: part, bias: own, first });
            (rows, bias, first) = (rest, others, end);
        }
        parts
    }
}

fn widened(values: &[f32], factors: usize, stride: usize, count: usize) -> Vec<f32> {
    let mut rows = vec![0.0; count * stride];
    if factors > 0 {
        for (row, given) in rows.chunks_exact_mut(stride).zip(values.chunks_exact(factors)) {
            row.iter_mut().zip(given).for_each(|(own, &value)| *own = value);
        }
    }
    rows
}

type Two<'a> = ([&'a mut [f32]; 2], [&'a mut f32; 2]);

/// Consecutive rows that one thread may change; the first of them is row `first` of the side.
pub struct Part<'a> {
    pub rows: &'a mut [f32],
    pub bias: &'a mut [f32],
    pub first: usize,
}

impl Part<'_> {
    #[inline(always)]
    fn row(&self, at: usize, stride: usize) -> &[f32] {
        self.rows.get(at * stride..(at + 1) * stride).unwrap_or_default()
    }

    #[inline(always)]
    fn row_mut(&mut self, at: usize, stride: usize) -> &mut [f32] {
        self.rows.get_mut(at * stride..(at + 1) * stride).unwrap_or_default()
    }

    /// Rows and biases of two that are not the same.
    #[inline(always)]
    fn two(&mut self, one: usize, other: usize, stride: usize) -> Option<Two<'_>> {
        let both = [one * stride..(one + 1) * stride, other * stride..(other + 1) * stride];
        Some((self.rows.get_disjoint_mut(both).ok()?, self.bias.get_disjoint_mut([one, other]).ok()?))
    }
}

/// The product of two rows.
#[inline(always)]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sum[lane] += a[lane] * b[lane];
        }
    }
    total(sum)
}

/// The product of a row with the difference of two others.
#[inline(always)]
pub fn dot_apart(a: &[f32], b: &[f32], c: &[f32]) -> f32 {
    let mut sum = [0.0; LANES];
    let others = b.as_chunks::<LANES>().0.iter().zip(c.as_chunks::<LANES>().0);
    for (a, (b, c)) in a.as_chunks::<LANES>().0.iter().zip(others) {
        for lane in 0..LANES {
            sum[lane] += a[lane] * (b[lane] - c[lane]);
        }
    }
    total(sum)
}

/// Halves are added to halves, which machines do faster than one lane after the other.
#[inline(always)]
fn total(mut sum: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sum[lane] += sum[lane + half];
        }
        half /= 2;
    }
    sum[0]
}

/// How far a step goes.
#[derive(Debug, Clone, Copy)]
pub struct Stride {
    pub rate: f32,
    /// λ, of rows.
    pub penalty: f32,
    /// λ', of the items' biases.
    pub bias_penalty: f32,
    /// Items stay as they are.
    pub frozen: bool,
}

impl Stride {
    /// A step by which the score of user `a` for item `b` grows beside that for item `c`, by so much of the rate.
    #[inline(always)]
    pub fn step(&self, a: &mut [f32], [b, c]: [&mut [f32]; 2], [bias, other_bias]: [&mut f32; 2], strength: f32) {
        let (pull, shrink) = (self.rate * strength, 2.0 * self.rate * self.penalty);
        if self.frozen {
            return pull_user(a, b, c, pull, shrink);
        }
        push(a, b, c, pull, shrink);
        let shrink = 2.0 * self.rate * self.bias_penalty;
        *bias += pull - shrink * *bias;
        *other_bias -= pull + shrink * *other_bias;
    }
}

/// A step away from what the user `a`, the item `b` and the item `c` were: `pull` moves `a` and `b` to each other and `a`
/// and `c` apart, `shrink` takes a share of each row away.
#[inline(always)]
fn push(a: &mut [f32], b: &mut [f32], c: &mut [f32], pull: f32, shrink: f32) {
    let rows = a.as_chunks_mut::<LANES>().0.iter_mut().zip(b.as_chunks_mut::<LANES>().0).zip(c.as_chunks_mut::<LANES>().0);
    for ((a, b), c) in rows {
        for lane in 0..LANES {
            let (x, y, z) = (a[lane], b[lane], c[lane]);
            a[lane] = x + (pull * (y - z) - shrink * x);
            b[lane] = y + (pull * x - shrink * y);
            c[lane] = z - (pull * x + shrink * z);
        }
    }
}

/// The same for the user alone: the items stay as they are.
#[inline(always)]
fn pull_user(a: &mut [f32], b: &[f32], c: &[f32], pull: f32, shrink: f32) {
    let items = b.as_chunks::<LANES>().0.iter().zip(c.as_chunks::<LANES>().0);
    for (a, (b, c)) in a.as_chunks_mut::<LANES>().0.iter_mut().zip(items) {
        for lane in 0..LANES {
            a[lane] += pull * (b[lane] - c[lane]) - shrink * a[lane];
        }
    }
}
