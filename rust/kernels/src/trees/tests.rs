use super::*;

/// Two trees: one split, then a leaf alone.
fn layout() -> Layout<'static> {
    Layout {
        features: 2,
        starts: &[0, 2, 3],
        feature: &[1],
        threshold: &[0.1],
        left: &[-1],
        right: &[-2],
        missing: &[2],
        missing_left: &[true],
        category_set: &[-1],
        leaf_value: &[1.0, 2.0, 0.5],
        leaf_count: Some(&[3.0, 1.0, 4.0]),
        set_starts: &[0],
        set_words: &[],
    }
}

#[test]
fn a_value_is_compared_in_double_precision() {
    let forest = Forest::new(&layout()).expect("fits");
    // As a float32 0.1 is above the float64 0.1.
    let found = forest.scores(&[0.0, 0.1, 0.0, 0.1f32.next_down(), 0.0, f32::NAN], 0..2, Some(1)).expect("fits");
    assert_eq!(found, [2.5, 1.5, 1.5]);
    assert_eq!(forest.leaves(&[0.0, 0.1], None).expect("fits"), [1, 0]);
    assert_eq!(forest.contributions(&[0.0, 0.0], None).expect("fits"), [0.0, -0.25, 1.75]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let wrong: [(Layout<'_>, &str); 8] = [
        (Layout { starts: &[0, 2, 2], ..layout() }, "rise"),
        (Layout { starts: &[], ..layout() }, "begin with 0"),
        (Layout { left: &[0], ..layout() }, "left child 0 cannot be"),
        (Layout { left: &[-2], ..layout() }, "right child -2 is that of another"),
        (Layout { right: &[i32::MIN], ..layout() }, "right child -2147483648 cannot be"),
        (Layout { feature: &[2], ..layout() }, "column 2 of 2"),
        (Layout { set_starts: &[0, 1], ..layout() }, "sets of categories"),
        (Layout { leaf_value: &[1.0, f64::NAN, 0.0], ..layout() }, "the value of a leaf is NaN, leaf 1"),
    ];
    for (layout, says) in wrong {
        let error = Forest::new(&layout).map(|_| ()).expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    }
    let forest = Forest::new(&layout()).expect("fits");
    assert!(forest.scores(&[0.0; 3], 0..2, None).is_err());
    assert!(forest.scores(&[0.0; 2], 1..3, None).is_err());
}
