//! What is asked of a layout before anything is computed with it.

use super::Layout;
use crate::error::{Error, Result};

const HINT: &str = "a child is a later node or a leaf of its tree, and of one node only.";

pub fn check(layout: &Layout<'_>) -> Result<()> {
    let nodes = check_starts(layout)?;
    check_lengths(layout, nodes)?;
    check_sets(layout)?;
    for (number, bounds) in layout.starts.windows(2).enumerate() {
        if let &[first, end] = bounds {
            check_tree(layout, number, first as usize, end as usize)?;
        }
    }
    check_numbers("the value of a leaf", layout.leaf_value, |v| v.is_finite())?;
    check_numbers("the count of a leaf", layout.leaf_count.unwrap_or_default(), |v| v.is_finite() && v >= 0.0)
}

/// Trees follow each other, each with a leaf; returns the number of nodes.
fn check_starts(layout: &Layout<'_>) -> Result<usize> {
    let rise = layout.starts.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
    // Children are numbers of 32 bits.
    let count = layout.starts.last().copied().filter(|&last| layout.starts.first() == Some(&0) && rise && last < i64::from(i32::MAX));
    match count {
        Some(leaves) => Ok(leaves as usize + 1 - layout.starts.len()),
        None => Err(Error::new("", "'starts' of trees must begin with 0 and rise: a tree has a leaf at least")),
    }
}

fn check_lengths(layout: &Layout<'_>, nodes: usize) -> Result<()> {
    let leaves = nodes + layout.starts.len() - 1;
    let lengths = [
        ("feature", layout.feature.len(), nodes),
        ("threshold", layout.threshold.len(), nodes),
        ("left", layout.left.len(), nodes),
        ("right", layout.right.len(), nodes),
        ("missing", layout.missing.len(), nodes),
        ("missing_left", layout.missing_left.len(), nodes),
        ("category_set", layout.category_set.len(), nodes),
        ("leaf_value", layout.leaf_value.len(), leaves),
        ("leaf_count", layout.leaf_count.map_or(leaves, <[f64]>::len), leaves),
    ];
    match lengths.iter().find(|(_, found, wanted)| found != wanted) {
        Some((name, found, wanted)) => Err(Error::new("", format!("'{name}' of trees has {found} values, not {wanted}"))),
        None => Ok(()),
    }
}

fn check_sets(layout: &Layout<'_>) -> Result<()> {
    let starts = layout.set_starts;
    let rise = starts.windows(2).all(|pair| matches!(pair, [a, b] if a <= b));
    let ends = starts.last() == Some(&(layout.set_words.len() as i64)) && layout.set_words.len() < u32::MAX as usize;
    if starts.first() == Some(&0) && rise && ends {
        Ok(())
    } else {
        Err(Error::new("", "the sets of categories of trees do not fit together"))
    }
}

fn check_tree(layout: &Layout<'_>, number: usize, first: usize, end: usize) -> Result<()> {
    let (start, nodes) = (first - number, end - first - 1);
    let place = |node: usize| format!("tree {}, node {node}", number + 1);
    let mut is_child = vec![false; nodes + end - first];
    for node in 0..nodes {
        let at = start + node;
        let found = |column: &[i32]| column.get(at).copied().unwrap_or(i32::MIN);
        for (name, child) in [("left", found(layout.left)), ("right", found(layout.right))] {
            let of_leaf = || usize::try_from(-1 - i64::from(child)).ok().map(|leaf| nodes + leaf);
            let slot = usize::try_from(child).map_or_else(|_| of_leaf(), |child| (node < child && child < nodes).then_some(child));
            match slot.and_then(|slot| is_child.get_mut(slot)) {
                Some(taken) if !*taken => *taken = true,
                Some(_) => return Err(Error::new(place(node), format!("its {name} child {child} is that of another node")).hint(HINT)),
                None => return Err(Error::new(place(node), format!("its {name} child {child} cannot be")).hint(HINT)),
            }
        }
        let feature = found(layout.feature);
        if !usize::try_from(feature).is_ok_and(|feature| feature < layout.features) {
            return Err(Error::new(place(node), format!("it looks at column {feature} of {}, counted from 0", layout.features)));
        }
        let set = found(layout.category_set);
        if set < -1 || i64::from(set) >= layout.set_starts.len() as i64 - 1 {
            return Err(Error::new(place(node), format!("there is no set {set} of categories")));
        }
        if layout.threshold.get(at).is_none_or(|t| t.is_nan()) {
            return Err(Error::new(place(node), "its threshold is no number"));
        }
        if layout.missing.get(at).is_none_or(|&missing| missing > 2) {
            return Err(Error::new(place(node), "what it takes for missing is not 0, 1 or 2"));
        }
    }
    Ok(())
}

fn check_numbers(what: &str, values: &[f64], fits: impl Fn(f64) -> bool) -> Result<()> {
    match values.iter().position(|&v| !fits(v)) {
        Some(at) => Err(Error::new("", format!("{what} is {}, leaf {at} of all", values.get(at).copied().unwrap_or(f64::NAN)))),
        None => Ok(()),
    }
}
