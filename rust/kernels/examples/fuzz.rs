//! Feeds a parser inputs made from good ones by chance, and looks for panics, hangs and outputs out of proportion.
//!
//! ```text
//! cargo run --release -p rankwise-kernels --example fuzz -- letor 3000000 [seed]
//! ```
//!
//! The same seed gives the same inputs. A parser is one entry of `PARSERS`.

#![allow(clippy::panic)]

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rankwise_kernels::letor::{Arrays, Layout, Options};
use rankwise_kernels::numbers::{float32, float64, short_float32};
use rankwise_kernels::scores::{self, Column};

struct Parser {
    name: &'static str,
    /// Good inputs to begin with.
    samples: &'static [&'static [u8]],
    /// Pieces that are put in here and there.
    words: &'static [&'static [u8]],
    run: fn(&[u8], &mut Random) -> Outcome,
}

/// How much a parser made of an input, and how much it may.
#[derive(Debug)]
struct Outcome {
    /// 0 for a refusal.
    bytes: usize,
    bound: usize,
}

const PARSERS: &[Parser] = &[
    Parser {
        name: "letor",
        samples: &[
            b"2 qid:10 1:0.5 2:0 3:-1.25e3 # docid = a\n0 qid:10 1:1 3:2\n\n1 qid:11 2:0.000001 #docid = b inc = 1\n",
            b"1 qid:a 1:3 2:12345678.12345678\r\n# comment\r\n0 qid:b\r\n0 qid:a 12:1.5",
            b"0.5 qid:x 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 12:12\n",
            b"1 1:0.25 2:16777217\n0 2:4\n",
        ],
        words: &[b"qid:", b" qid:7 ", b"#docid = ", b"1:", b" 2:", b"0:1", b"70000:1", b"99999999999999999999:1", b"nan", b"1e999"],
        run: letor,
    },
    Parser {
        name: "scores",
        samples: &[b"1.5\n-2\n# c\n3e-5\n", b"q1\t0\t0.25\r\nq1\t1\t1\r\n", b" 7.25 \n\n\n"],
        words: &[b"nan", b"inf", b"1e999", b"\t", b"# ", b"\n\n", b"0.1 0.2"],
        run: scores,
    },
    Parser {
        name: "numbers",
        samples: &[b"-123.456e-7", b"0.30000001192092896", b"9007199254740993", b"1e-45", b"infinity", b"12345678.12345678 "],
        words: &[b"e", b".", b"-", b"+", b"00000000", b"99999999", b"e-4", b"nan"],
        run: numbers,
    },
];

fn letor(text: &[u8], random: &mut Random) -> Outcome {
    let options = Options {
        has_queries: random.below(4) > 0,
        sort_features: random.below(4) == 0,
        zero_based: random.below(4) == 0,
        n_features: (random.below(8) == 0).then_some(12),
        max_features: if random.below(64) == 0 { 100_000 } else { 100 },
        ..Options::default()
    };
    let bound = (1 << 30).max(64 * text.len());
    let refused = Outcome { bytes: 0, bound };
    let Ok(mut layout) = Layout::of("input", text, &options) else { return refused };
    for _ in 0..2 {
        let mut features = vec![f32::NAN; layout.rows * layout.width];
        let (mut labels, mut documents) = (vec![0.0; layout.rows], vec![0; layout.rows]);
        let arrays = Arrays { features: &mut features, labels: &mut labels, documents: &mut documents };
        let Ok(filled) = layout.fill(arrays) else { return refused };
        if filled.width > layout.width {
            layout.width = filled.width;
            continue;
        }
        assert!(features.iter().all(|value| value.is_finite()), "a feature was not filled");
        assert!(labels.iter().all(|value| value.is_finite()), "a label is not finite");
        if let Some(lists) = filled.lists {
            assert_eq!(lists.offsets.last(), Some(&(layout.rows as i64)));
            assert_eq!(lists.offsets.len(), lists.queries.len() + 1);
            assert!(lists.rows.is_none_or(|rows| rows.len() == layout.rows));
        }
        return Outcome { bytes: size_of_val(&*features) + size_of_val(&*labels), bound };
    }
    panic!("the width grew twice");
}

fn scores(text: &[u8], random: &mut Random) -> Outcome {
    let column = [Column::Only, Column::Last, Column::At(1)][random.below(3)];
    let scores = scores::read("input", text, column).unwrap_or_default();
    assert!(scores.iter().all(|score| score.is_finite()), "a score is not finite");
    Outcome { bytes: size_of_val(&*scores), bound: 8 * text.len() }
}

/// Compares every reading with the standard library's.
fn numbers(text: &[u8], _: &mut Random) -> Outcome {
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    let word = |len: usize| std::str::from_utf8(&text[..len]).expect("numbers are ASCII");
    if let Some((value, len)) = float64(text) {
        assert!(same(value, word(len).parse().expect("a number")), "f64 is wrong");
    }
    let Some((value, len)) = float32(text) else {
        assert!(short_float32(text, 0).is_none(), "short f32 reads what is not a number");
        return Outcome { bytes: 0, bound: 0 };
    };
    let right: f32 = word(len).parse().expect("a number");
    assert!(same(value.into(), right.into()), "f32 is wrong: {value:e} for {right:e}");
    if let Some((value, end)) = short_float32(text, 0) {
        assert!(end == len && value.to_bits() == right.to_bits(), "short f32 is wrong: {value:e} for {right:e}");
    }
    Outcome { bytes: size_of::<f32>(), bound: size_of::<f32>() }
}

/// Marsaglia's xorshift: enough chance for a fuzzer, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

const LONGEST: usize = 2048;

fn input(parser: &Parser, random: &mut Random) -> Vec<u8> {
    let mut text = random.of(parser.samples).to_vec();
    for _ in 0..random.below(5) {
        mutate(&mut text, parser, random);
    }
    // The short path of numbers wants text behind them.
    if random.below(2) == 0 {
        text.extend_from_slice(b" 1:2             \n");
    }
    text.truncate(LONGEST);
    text
}

fn mutate(text: &mut Vec<u8>, parser: &Parser, random: &mut Random) {
    let at = random.below(text.len() + 1);
    let end = (at + random.below(12)).min(text.len());
    match random.below(7) {
        0 => text.truncate(at),
        1 => drop(text.drain(at..end)),
        2 => drop(text.splice(at..at, random.of(parser.words).iter().copied())),
        3 => drop(text.splice(at..at, random.of(parser.samples).iter().copied())),
        4 => text.extend_from_within(at..),
        5 => text.insert(at, *random.of(b" \t\r\n#:.-+e0123456789q\x00\x80\xff")),
        _ => {
            if let Some(byte) = text.get_mut(at) {
                *byte = random.below(256) as u8;
            }
        }
    }
}

/// Ends the process if one input takes longer than ten seconds.
fn watch(turn: Arc<AtomicU64>, now: Arc<Mutex<Vec<u8>>>) {
    std::thread::spawn(move || {
        loop {
            let before = turn.load(Ordering::Relaxed);
            std::thread::sleep(Duration::from_secs(10));
            if turn.load(Ordering::Relaxed) == before {
                eprintln!("hangs, input {before}: {}", shown(&now));
                std::process::exit(1);
            }
        }
    });
}

fn shown(text: &Mutex<Vec<u8>>) -> String {
    text.lock().map(|text| text.escape_ascii().to_string()).unwrap_or_default()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("", String::as_str);
    let Some(parser) = PARSERS.iter().find(|parser| parser.name == name) else {
        let names: Vec<_> = PARSERS.iter().map(|parser| parser.name).collect();
        eprintln!("usage: fuzz {} [iterations] [seed]", names.join("|"));
        return ExitCode::from(2);
    };
    let number = |at: usize, default| arguments.get(at).and_then(|word| word.parse().ok()).unwrap_or(default);
    fuzz(parser, number(1, 1_000_000), number(2, 1))
}

fn fuzz(parser: &'static Parser, iterations: u64, seed: u64) -> ExitCode {
    let (turn, now) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(Vec::new())));
    watch(Arc::clone(&turn), Arc::clone(&now));
    let (mut accepted, mut largest) = (0u64, 0);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for i in 0..iterations {
        turn.store(i, Ordering::Relaxed);
        let text = input(parser, &mut random);
        if let Ok(mut now) = now.lock() {
            now.clone_from(&text);
        }
        let mut choices = Random(random.0);
        match catch_unwind(move || (parser.run)(&text, &mut choices)) {
            Ok(outcome) if outcome.bytes <= outcome.bound => {
                accepted += u64::from(outcome.bytes > 0);
                largest = largest.max(outcome.bytes);
            }
            Ok(outcome) => {
                eprintln!("{outcome:?} for input {i}: {}", shown(&now));
                return ExitCode::FAILURE;
            }
            Err(_) => {
                eprintln!("panics, input {i}: {}", shown(&now));
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{}: {iterations} inputs of seed {seed}, {accepted} accepted, largest output {largest} bytes", parser.name);
    ExitCode::SUCCESS
}
