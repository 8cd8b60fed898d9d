//! Feeds spoilt qrels and runs to the parsers and their join: none may panic, hang or use memory out of proportion.
//!
//!     cargo run --release --example fuzz_trec -- 3000000 1
//!
//! (how many inputs, which seed). The same seed makes the same inputs. A finding prints its input and ends with 1.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rankwise_kernels::error::Result;
use rankwise_kernels::judged::{Join, Judged};
use rankwise_kernels::source::Source;
use rankwise_kernels::trec::{Counted, Table, count_qrels, count_run};

/// Words that parsers stumble over, besides those of the files.
const WORDS: [&[u8]; 26] = [
    b" ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\r",
    b"\x0b",
    b"\x0c",
    b"\0",
    b"#",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1f\x8b",
    b"nan",
    b"-inf",
    b"1e999",
    b"-",
    b".",
    b"0.30000000000000004",
    b"12345678.12345678",
    b"+7",
    b"1 0 a 1\n",
    b"1 Q0 a 1 0.5 t\n",
    b"9 Q0 z 1 -3.25 t extra\n",
    b"\xc3\xa9",
    b"a-document-with-a-long-name-of-more-than-sixty-four-bytes-to-leave-the-window",
    b"forty-bytes-to-lengthen-a-line-with-them-",
];

/// Much longer than any of these inputs can take, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let inputs = arguments.next().and_then(|n| n.ok()).unwrap_or(100_000);
    let mut random = Random(arguments.next().and_then(|n| n.ok()).unwrap_or(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut counts = Counts::default();
    for _ in 0..inputs {
        let qrels = random.file(4);
        let run = random.file(6);
        let threads = Some(1 + (random.below(64) == 0) as usize);
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&qrels, &run, threads, &mut counts)));
        let complaint = match outcome {
            Err(_) => Some("a panic".to_string()),
            Ok(Err(complaint)) => Some(complaint),
            Ok(Ok(())) if start.elapsed() > PATIENCE => Some(format!("{:?}", start.elapsed())),
            Ok(Ok(())) => None,
        };
        if let Some(complaint) = complaint {
            println!("{complaint}\nqrels {:?}\nrun {:?}", qrels.escape_ascii().to_string(), run.escape_ascii().to_string());
            return ExitCode::FAILURE;
        }
    }
    println!("{inputs} pairs of inputs: {counts:?}");
    ExitCode::SUCCESS
}

#[derive(Debug, Default)]
struct Counts {
    qrels_read: u64,
    runs_read: u64,
    joined: u64,
    rows: u64,
    labelled: u64,
}

fn check(qrels: &[u8], run: &[u8], threads: Option<usize>, counts: &mut Counts) -> std::result::Result<(), String> {
    let judgments = read(qrels, threads, count_qrels)?;
    let results = read(run, threads, count_run)?;
    counts.qrels_read += u64::from(judgments.is_some());
    counts.runs_read += u64::from(results.is_some());
    let (Some(judgments), Some(results)) = (judgments, results) else { return Ok(()) };
    let join = Join::of(judgments.columns(), results.columns());
    let mut labels = vec![0.0; join.rows()];
    let joined = join.label(&mut labels, threads);
    let labelled = labels.iter().filter(|label| !label.is_nan()).count();
    counts.joined += 1;
    counts.rows += labels.len() as u64;
    counts.labelled += labelled as u64;
    joined_holds(&judgments, &results, &joined, labels.len(), labelled)
}

/// Reads, and checks what must hold of any table; `None` if the input was refused.
fn read(
    content: &[u8],
    threads: Option<usize>,
    count: fn(Arc<Source>, Option<usize>) -> Result<Counted>,
) -> std::result::Result<Option<Table>, String> {
    let Ok(source) = Source::from_bytes("input", content.to_vec()) else { return Ok(None) };
    let source = Arc::new(source);
    let table = match count(Arc::clone(&source), threads).and_then(|counted| Table::read(&counted, threads)) {
        Ok(table) => table,
        Err(error) if error.what.is_empty() || error.to_string().len() > 1000 => return Err(format!("an odd message: {error}")),
        Err(_) => return Ok(None),
    };
    let rows = table.documents.len();
    let words =
        |spans: &[u64]| spans.iter().all(|&span| (span & 0xffff) > 0 && ((span >> 16) + (span & 0xffff)) as usize <= source.text().len());
    let claims = [
        (rows * 8 <= source.len() + 8, "more rows than the text has room for"),
        (table.documents.capacity() <= source.len() + 1, "room out of proportion"),
        (table.values.len() == rows && table.hashes.len() == rows, "columns of different lengths"),
        (table.offsets.len() == table.queries.len() + 1 && table.offsets.last() == Some(&(rows as i64)), "offsets that do not fit"),
        (table.offsets.windows(2).all(|pair| pair[0] < pair[1]), "a list without rows"),
        (words(&table.documents) && words(&table.queries), "an id outside the text"),
        (table.values.iter().all(|value| value.is_finite()), "a value that is not finite"),
    ];
    match claims.iter().find(|(holds, _)| !holds) {
        Some((_, complaint)) => Err((*complaint).to_string()),
        None => Ok(Some(table)),
    }
}

/// What must hold of any join: every judged document is retrieved or not, once.
fn joined_holds(judgments: &Table, results: &Table, joined: &Judged, rows: usize, labelled: usize) -> std::result::Result<(), String> {
    let lists = judgments.queries.len();
    let gathered =
        joined.rows.as_ref().map_or((results.values.len(), results.documents.len()), |(scores, documents)| (scores.len(), documents.len()));
    let claims = [
        joined.offsets.len() == lists + 1 && joined.unretrieved_offsets.len() == lists + 1 && joined.missing.len() == lists,
        joined.offsets.last() == Some(&(rows as i64)) && gathered == (rows, rows),
        labelled + joined.unretrieved_labels.len() == judgments.values.len(),
        joined.unretrieved_documents.len() == joined.unretrieved_labels.len(),
        joined.unknown_queries.len() + lists - joined.missing.iter().filter(|&&missing| missing).count() == results.queries.len(),
    ];
    match claims.iter().position(|holds| !holds) {
        Some(claim) => Err(format!("claim {claim} about the join does not hold")),
        None => Ok(()),
    }
}

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 16) as usize % end.max(1)
    }

    /// A file of so many columns, often spoilt in a few places.
    fn file(&mut self, columns: usize) -> Vec<u8> {
        let mut content = Vec::new();
        let queries = 1 + self.below(4);
        for row in 0..self.below(24) {
            let query = if self.below(8) == 0 { self.below(queries) } else { row * queries / 24 };
            let document = if self.below(40) == 0 { self.below(20) } else { row };
            let line = match columns {
                4 => format!("{query} 0 d{document} {}\n", self.below(4)),
                _ => format!("{query} Q0 d{document} {row} {:.6} tag\n", self.below(1 << 24) as f64 / 1024.0),
            };
            content.extend_from_slice(line.as_bytes());
        }
        for _ in 0..self.below(4) {
            self.spoil(&mut content);
        }
        content
    }

    fn spoil(&mut self, content: &mut Vec<u8>) {
        let at = self.below(content.len() + 1);
        let end = (at + self.below(12)).min(content.len());
        match self.below(6) {
            0 => content.truncate(at),
            1 => drop(content.drain(at..end)),
            2 => {
                let again = content[at..end].to_vec();
                let to = self.below(content.len() + 1);
                content.splice(to..to, again);
            }
            3 if at < content.len() => content[at] = self.next() as u8,
            _ => {
                let word = WORDS[self.below(WORDS.len())];
                content.splice(at..at, word.iter().copied());
            }
        }
    }
}
