//! An Arrow stream as columns: lists by query, ids as places in one text, numbers, a matrix of features.
//!
//! The batches are taken one after the other. A query id is compared with that of the row before and kept once a run,
//! so that a column of ids costs nothing for each row; an id of a document is copied into the text, never made an object.

use std::hash::BuildHasher;
use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType};

pub use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};

use crate::error::{Error, Result};
use crate::ids::{LONGEST_ID, Span};
use crate::lists::{Grouping, Lists};

/// What a column of the stream becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The rows of one list have one value.
    Query,
    /// One id a row, which must be there.
    Document,
    /// One id a row; empty where it is absent.
    Ids,
    /// Whole numbers; all of them become floats if one is absent.
    Whole,
    /// Numbers; NaN where one is absent.
    Number,
    /// A column of the matrix of features.
    Feature,
}

impl Role {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "query" => Self::Query,
            "document" => Self::Document,
            "ids" => Self::Ids,
            "whole" => Self::Whole,
            "number" => Self::Number,
            "feature" => Self::Feature,
            _ => return None,
        })
    }
}

/// One column that is no feature.
#[derive(Debug)]
pub enum Column {
    Spans(Vec<u64>),
    Whole(Vec<i64>),
    Number(Vec<f64>),
}

/// A table in memory. All spans are places in `text`.
#[derive(Debug)]
pub struct Table {
    pub text: Vec<u8>,
    pub rows: usize,
    pub lists: Option<Lists>,
    /// In the order of the stream, without the query and the features.
    pub columns: Vec<Column>,
    /// Row after row.
    pub features: Vec<f32>,
    pub width: usize,
}

/// How rows are called in messages: the name of the file or nothing, and the number of the first row.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub name: &'a str,
    pub first: usize,
}

impl Place<'_> {
    fn row(&self, row: usize) -> String {
        let comma = if self.name.is_empty() { "" } else { ", " };
        format!("{}{comma}row {}", self.name, row + self.first)
    }
}

/// Reads a whole stream. `rows` is how many are expected, or 0.
pub fn read(
    batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    roles: &[Role],
    rows: usize,
    place: Place<'_>,
) -> Result<Table> {
    let mut reading = Reading::new(roles, rows, place);
    for batch in batches {
        reading.take(&batch.map_err(|e| broken(place.name, &e))?)?;
    }
    Ok(reading.table())
}

struct Reading<'a> {
    roles: &'a [Role],
    place: Place<'a>,
    text: Vec<u8>,
    rows: usize,
    by_text: Grouping<Span>,
    by_number: Grouping<i64>,
    columns: Vec<Column>,
    features: Vec<f32>,
    width: usize,
}

impl<'a> Reading<'a> {
    fn new(roles: &'a [Role], rows: usize, place: Place<'a>) -> Self {
        let column = |role: &Role| match role {
            Role::Document | Role::Ids => Some(Column::Spans(Vec::with_capacity(rows))),
            Role::Whole => Some(Column::Whole(Vec::with_capacity(rows))),
            Role::Number => Some(Column::Number(Vec::with_capacity(rows))),
            Role::Query | Role::Feature => None,
        };
        let width = roles.iter().filter(|&&role| role == Role::Feature).count();
        Self {
            roles,
            place,
            // The leading line end keeps a first id from being taken for a byte order mark.
            text: b"\n".to_vec(),
            rows: 0,
            by_text: Grouping::default(),
            by_number: Grouping::default(),
            columns: roles.iter().filter_map(column).collect(),
            features: Vec::with_capacity(rows.saturating_mul(width)),
            width,
        }
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        self.features.resize((self.rows + batch.num_rows()) * self.width, f32::NAN);
        let (mut at, mut feature) = (0, 0);
        for (array, &role) in batch.columns().iter().zip(self.roles) {
            match role {
                Role::Query => self.queries(array)?,
                Role::Feature => {
                    self.feature(array, feature)?;
                    feature += 1;
                }
                _ => {
                    self.column(array, role, at)?;
                    at += 1;
                }
            }
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    fn queries(&mut self, array: &dyn Array) -> Result<()> {
        if let Some(row) = first_null(array) {
            return Err(Error::new(self.place.row(self.rows + row), "there is no query id"));
        }
        let rows = self.rows;
        if array.data_type() == &DataType::Int64 {
            let values = array.as_primitive::<Int64Type>().values();
            let mut last = self.by_number.last().copied();
            let starts: Vec<(usize, i64)> = values
                .iter()
                .enumerate()
                .filter_map(|(row, &value)| (last.replace(value) != Some(value)).then_some((rows + row, value)))
                .collect();
            return self.by_number.start(
                &mut (),
                &starts,
                |hasher, _, value| hasher.hash_one(value),
                |_, &known, value| known == value,
                |_, _, value| Ok(value),
            );
        }
        let mut starts: Vec<(usize, &[u8])> = Vec::new();
        let mut row = rows;
        each_text(array, |value| {
            let value = value.unwrap_or_default().as_bytes();
            let goes_on = match starts.last() {
                Some(&(_, before)) => before == value,
                None => self.by_text.last().is_some_and(|query| query.of(&self.text) == value),
            };
            if !goes_on {
                starts.push((row, value));
            }
            row += 1;
            Ok(())
        })?;
        let place = self.place;
        self.by_text.start(
            &mut self.text,
            &starts,
            |hasher, _, value| hasher.hash_one(value),
            |text, known, value| known.of(text) == value,
            |text, row, value| append(text, value).ok_or_else(|| too_long(place.row(row), value)),
        )
    }

    fn column(&mut self, array: &dyn Array, role: Role, at: usize) -> Result<()> {
        let (rows, place) = (self.rows, self.place);
        if let (Role::Document, Some(row)) = (role, first_null(array)) {
            return Err(Error::new(place.row(rows + row), "there is no document id"));
        }
        if array.data_type() == &DataType::Int64 && matches!(role, Role::Document | Role::Ids) {
            let spans: Vec<u64> = array.as_primitive::<Int64Type>().values().iter().map(|&value| number(&mut self.text, value).0).collect();
            if let Some(Column::Spans(all)) = self.columns.get_mut(at) {
                all.extend(spans);
            }
            return Ok(());
        }
        let Some(column) = self.columns.get_mut(at) else { return Ok(()) };
        match column {
            Column::Spans(all) => each_text(array, |value| {
                let value = value.unwrap_or_default().as_bytes();
                let span = append(&mut self.text, value).ok_or_else(|| too_long(place.row(all.len()), value))?;
                all.push(span.0);
                Ok(())
            }),
            Column::Number(all) => numbers(array, |values| all.extend(values)),
            Column::Whole(all) => {
                let whole = array.as_primitive_opt::<Int64Type>().ok_or_else(|| unexpected(array))?;
                if array.null_count() == 0 {
                    all.extend_from_slice(whole.values());
                } else {
                    let mut some: Vec<f64> = all.iter().map(|&value| value as f64).collect();
                    some.extend(whole.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)));
                    *column = Column::Number(some);
                }
                Ok(())
            }
        }
    }

    /// Fills one column of the matrix for the rows of this batch, which are NaN before.
    fn feature(&mut self, array: &dyn Array, column: usize) -> Result<()> {
        let (start, width) = (self.rows * self.width + column, self.width);
        let places = self.features.get_mut(start..).unwrap_or_default().iter_mut().step_by(width);
        if let Some(values) = array.as_primitive_opt::<Float32Type>() {
            if values.null_count() == 0 {
                places.zip(values.values()).for_each(|(place, &value)| *place = value);
            } else {
                places.zip(values).for_each(|(place, value)| *place = value.unwrap_or(f32::NAN));
            }
            return Ok(());
        }
        numbers(array, |values| places.zip(values).for_each(|(place, value)| *place = value as f32))
    }

    fn table(mut self) -> Table {
        let has_queries = self.roles.contains(&Role::Query);
        let lists = has_queries.then(|| match self.by_number.last() {
            Some(_) => std::mem::take(&mut self.by_number).lists(self.rows, |value| number(&mut self.text, value)),
            None => std::mem::take(&mut self.by_text).lists(self.rows, |query| query),
        });
        Table { text: self.text, rows: self.rows, lists, columns: self.columns, features: self.features, width: self.width }
    }
}

/// A stream that ends in an error: the engine's own words.
pub fn broken(name: &str, error: &ArrowError) -> Error {
    Error::new(name, error.to_string())
}

/// The id that is a whole number, written into the text.
fn number(text: &mut Vec<u8>, value: i64) -> Span {
    let start = text.len();
    // Writing to memory does not fail, and no number is too long.
    let _ = write!(text, "{value}");
    Span::new(start, text.len() - start).unwrap_or_default()
}

fn append(text: &mut Vec<u8>, value: &[u8]) -> Option<Span> {
    let span = Span::new(text.len(), value.len())?;
    text.extend_from_slice(value);
    Some(span)
}

fn too_long(place: String, value: &[u8]) -> Error {
    Error::new(place, format!("the id has {} bytes; the longest allowed is {LONGEST_ID}", value.len()))
}

fn first_null(array: &dyn Array) -> Option<usize> {
    if array.null_count() == 0 { None } else { (0..array.len()).find(|&row| array.is_null(row)) }
}

/// The texts of an array of any of Arrow's three layouts.
fn each_text<'a>(array: &'a dyn Array, mut take: impl FnMut(Option<&'a str>) -> Result<()>) -> Result<()> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().try_for_each(&mut take),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().try_for_each(&mut take),
        DataType::Utf8View => array.as_string_view().iter().try_for_each(&mut take),
        _ => Err(unexpected(array)),
    }
}

/// The numbers of an array, NaN where one is absent.
fn numbers(array: &dyn Array, take: impl FnOnce(&mut dyn Iterator<Item = f64>)) -> Result<()> {
    let whole = |value: Option<i64>| value.map_or(f64::NAN, |value| value as f64);
    match array.data_type() {
        DataType::Float64 if array.null_count() == 0 => take(&mut array.as_primitive::<Float64Type>().values().iter().copied()),
        DataType::Float64 => take(&mut array.as_primitive::<Float64Type>().iter().map(|value| value.unwrap_or(f64::NAN))),
        DataType::Float32 => take(&mut array.as_primitive::<Float32Type>().iter().map(|value| value.map_or(f64::NAN, f64::from))),
        DataType::Int64 => take(&mut array.as_primitive::<Int64Type>().iter().map(whole)),
        _ => return Err(unexpected(array)),
    }
    Ok(())
}

fn unexpected(array: &dyn Array) -> Error {
    Error::new("", format!("a column arrived as {:?}", array.data_type()))
}
