//! Tests of the LETOR reader.

use super::*;

/// What a text holds, or the message that refuses it.
#[derive(Debug, PartialEq)]
struct Read {
    features: Vec<f32>,
    labels: Vec<f64>,
    documents: Vec<String>,
    width: usize,
    lists: Option<Lists>,
}

fn read_in_pieces(text: &str, options: &Options, size: usize) -> std::result::Result<Read, String> {
    let run = || {
        let mut layout = Layout::with_pieces("f.txt", text.as_bytes(), options, size)?;
        loop {
            let mut features = vec![f32::NEG_INFINITY; layout.rows * layout.width];
            let (mut labels, mut documents) = (vec![0.0; layout.rows], vec![0; layout.rows]);
            let arrays = Arrays { features: &mut features, labels: &mut labels, documents: &mut documents };
            let filled = layout.fill(arrays)?;
            if filled.width == layout.width {
                let id = |span| String::from_utf8_lossy(Span(span).of(text.as_bytes())).into_owned();
                let documents = documents.into_iter().map(id).collect();
                return Ok(Read { features, labels, documents, width: layout.width, lists: filled.lists });
            }
            layout.width = filled.width;
        }
    };
    run().map_err(|error: Error| error.to_string())
}

fn read(text: &str) -> std::result::Result<Read, String> {
    read_in_pieces(text, &Options::default(), PIECE)
}

fn queries(read: &Read, text: &str) -> Vec<String> {
    let spans = read.lists.as_ref().map(|lists| lists.queries.clone()).unwrap_or_default();
    spans.into_iter().map(|span| String::from_utf8_lossy(Span(span).of(text.as_bytes())).into_owned()).collect()
}

#[test]
fn a_line_is_a_label_a_query_and_features() {
    let text = "2 qid:x 1:0.5 3:-7 # docid = d1 inc = 1\n0 qid:x\n";
    let data = read(text).expect("a good file");
    assert_eq!(data.features, [0.5, 0.0, -7.0, 0.0, 0.0, 0.0]);
    assert_eq!((data.labels.as_slice(), data.width), ([2.0, 0.0].as_slice(), 3));
    assert_eq!(data.documents, ["d1", ""]);
    assert_eq!(queries(&data, text), ["x"]);
}

#[test]
fn rows_of_a_query_are_grouped_wherever_they_stand() {
    let text = "0 qid:b 1:1\n0 qid:a 1:2\n0 qid:b 1:3\n0 qid:c 1:4\n0 qid:a 1:5\n";
    let lists = read(text).expect("a good file").lists.expect("queries");
    assert_eq!(lists.offsets, [0, 2, 4, 5]);
    assert_eq!(lists.rows, Some(vec![0, 2, 1, 4, 3]));
}

#[test]
fn pieces_change_nothing() {
    let text: String = (0..200)
        .map(|i| {
            format!(
                "{} qid:{} {}1:{} 2:{}.25{}\n",
                i % 3,
                i / 7 % 20,
                if i % 9 == 0 { "\t" } else { "" },
                i,
                i % 13,
                if i == 150 { " 40:1" } else { "" }
            )
        })
        .enumerate()
        .map(|(i, line)| if i % 17 == 0 { format!("# note\n\n{line}") } else { line })
        .collect();
    let whole = read(&text).expect("a good file");
    assert_eq!(whole.width, 40);
    for size in [1, 2, 30, 64, 1000] {
        for threads in [1, 2, 7] {
            let options = Options { threads: Some(threads), ..Options::default() };
            assert_eq!(read_in_pieces(&text, &options, size).as_ref(), Ok(&whole));
        }
    }
}

#[test]
fn a_list_that_a_piece_cuts_is_whole() {
    let text = "1 qid:1 1:1\n2 qid:1\n0 qid:1\n0 qid:2\n0 qid:2\n";
    for size in [1, 20, PIECE] {
        let lists = read_in_pieces(text, &Options::default(), size).expect("a good file").lists.expect("queries");
        assert_eq!((lists.offsets, lists.rows), (vec![0, 3, 5], None));
    }
}

#[test]
fn features_in_any_order_are_sorted_line_by_line() {
    let options = Options { sort_features: true, ..Options::default() };
    let data = read_in_pieces("1 qid:1 3:3 1:1\n0 qid:1 1:5 3:7 2:6\n", &options, PIECE).expect("a good file");
    assert_eq!(data.features, [1.0, 0.0, 3.0, 5.0, 6.0, 7.0]);
    let message = read_in_pieces("1 qid:1 3:3 1:1\n0 qid:1 1:5 3:7 1:6\n", &options, PIECE).expect_err("a bad line");
    assert_eq!(message, "f.txt, line 2: feature index 1 stands twice in the line");
}

#[test]
fn the_first_bad_line_is_named_whatever_the_pieces() {
    let mut lines: Vec<String> = (0..100).map(|i| format!("1 qid:{i} 1:1")).collect();
    lines[7] = "# a comment".into();
    lines[30].clear();
    for bad in [40, 41, 90] {
        lines[bad].push_str(" 1:2");
    }
    for size in [1, 50, PIECE] {
        let message = read_in_pieces(&lines.join("\n"), &Options::default(), size).expect_err("a bad line");
        assert_eq!(message, "f.txt, line 41: feature index 1 stands twice in the line");
    }
}

#[test]
fn a_late_wide_line_is_read_in_full() {
    let text = format!("{}1 qid:2 2000:3\n", "1 qid:1 1:1\n".repeat(SAMPLE / 10));
    let data = read(&text).expect("a good file");
    assert_eq!((data.width, data.features.last()), (2000, Some(&3.0)));
}

#[test]
fn an_array_out_of_proportion_is_refused() {
    let text = format!("{}1 qid:2 99999:3\n1 qid:2 99999:4\n", "1 qid:1 1:1\n".repeat(SAMPLE / 10));
    let message = read(&text).expect_err("too large");
    assert!(message.starts_with("f.txt, line 6554: 6555 rows × 99999 features would take 2.4 GiB of memory"), "{message}");
}
