//! A block of rows, column by column.

/// Rows of a block. Column by column 136 features of them are 34 kB, about what the first cache holds.
pub const LANES: usize = 64;

pub type Column = [f32; LANES];

/// The features of a few rows; only the columns that were asked for are filled.
#[derive(Debug)]
pub struct Block {
    columns: Vec<Column>,
    pub rows: usize,
}

impl Block {
    pub fn new(features: usize) -> Self {
        Self { columns: vec![[0.0; LANES]; features], rows: 0 }
    }

    /// Takes up to `LANES` rows of `features` values each; lanes without a row keep what they had.
    pub fn fill(&mut self, table: &[f32], features: usize, used: &[usize]) {
        self.rows = (table.len() / features).min(LANES);
        for &feature in used {
            if let Some(column) = self.columns.get_mut(feature) {
                let values = table.get(feature..).unwrap_or_default().iter().step_by(features);
                for (lane, &x) in column.iter_mut().zip(values) {
                    *lane = x;
                }
            }
        }
    }

    #[inline(always)]
    pub fn column(&self, feature: u32) -> &Column {
        self.columns.get(feature as usize).unwrap_or(&[0.0; LANES])
    }
}
