"""Lists, measures and conventions to test with."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from rankwise.data.ids import Ids
from rankwise.evaluation.lists import Lists
from rankwise.measures import (
    IAP,
    MEASURES,
    RBP,
    Convention,
    F,
    GradedAP,
    IPrec,
    Measure,
    PairAgreement,
    Rprec,
    Utility,
    WARPLoss,
)

NAN = float("nan")


@dataclass
class List:
    """One query: labels and scores by row, labels of documents not retrieved, and document ids."""

    labels: list[float]
    scores: list[float]
    outside: list[float] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.documents = self.documents or [f"d{row}" for row in range(len(self.labels))]

    def reordered(self, rows: list[int]) -> List:
        return List(*([column[row] for row in rows] for column in (self.labels, self.scores)), self.outside,
                    [self.documents[row] for row in rows])  # fmt: skip


def lists_of(lists: list[List], *, labels=np.float64, scores=np.float64, threads: int | None = None) -> Lists:
    """The lists as the room of evaluation holds them; also empty ones, which no door lets in alone."""

    def joined(name: str, dtype=np.float64) -> np.ndarray:
        return np.array([x for one in lists for x in getattr(one, name)], dtype)

    return Lists(
        joined("labels", labels),
        joined("scores", scores),
        np.cumsum([0, *(len(one.labels) for one in lists)]),
        queries=Ids.of(range(len(lists))),
        documents=Ids.of([d for one in lists for d in one.documents]),
        outside=joined("outside"),
        outside_offsets=np.cumsum([0, *(len(one.outside) for one in lists)]),
        judged_run=True,
        threads=threads,
    )


def values_of(measures: list[Measure], lists: list[List], **how) -> np.ndarray:
    """The values, measures × lists; what the convention makes of missing lists is left out."""
    found = lists_of(lists, **how).compute(measures)
    return np.array([values for values, _ in found]).reshape(len(measures), len(lists))


# Every measure, at cut-offs within and beyond short lists.
CUTS = (1, 2, 3, 5, 10, None)


def every_measure(convention: Convention, cuts=CUTS) -> list[Measure]:
    """Every measure that exists under a convention; some have no mean over orders."""
    found: list[Measure] = []
    for kind in MEASURES.values():
        if kind is IPrec:
            found += [IPrec(recall=level, convention=convention) for level in (0.0, 0.25, 0.5, 1.0)]
        else:
            found += [kind(k, convention=convention) for k in (cuts if kind.takes_k else (None,))]
    found += [Rprec(times=times, convention=convention) for times in (0.0, 0.2, 0.5, 2.0)]
    found += [IAP(levels=(0.25, 0.75), convention=convention), F(3, weight=0.5, convention=convention)]
    found += [Utility(hit=2, noise=-0.5, miss=-1, convention=convention)]
    found += [PairAgreement(weights=weights, convention=convention) for weights in ("label", "gain")]
    found += [WARPLoss(alpha=alpha, convention=convention) for alpha in ("first", "top-2", (1.0, 0.5, 0.5, 0.1))]
    found += [RBP(k, p=0.5, graded=True, convention=convention) for k in (3, None)]
    found += [GradedAP(k, g={1: 0.5, 2: 0.2, 4: 0.3}, convention=convention) for k in (2, None)]
    if convention.ties == "kept":
        found = [m for m in found if m.keeps_ties]
    if convention.ties == "expected":
        found = [m for m in found if m.closed_form]
    if convention.ties in ("best", "worst"):
        found = [m for m in found if m.best_first]
    return found


def single_choices() -> list[dict[str, object]]:
    """Each choice on each axis that changes values, one at a time; every choice in words is here at least once."""
    return [
        {},
        {"gain": "linear"},
        {"gain": "exp2-int32"},
        {"gain": {0: 0, 1: 1, 2: 3, 3: 7, 4: 7.5}},
        {"gain": {0: 0, 2: 3}, "outside": "zero"},
        {"gain": np.sqrt},
        {"labels": "truncated"},
        {"labels": {2: 3}},
        {"discount": "ln"},
        {"discount": "jarvelin"},
        {"discount": "reciprocal"},
        {"discount": (1.0, 0.5, 0.25, 0.2)},
        {"discount": np.reciprocal},
        {"ideal": "list"},
        {"ideal_cut": "none"},
        {"ideal_cut": "hits"},
        {"precision": "float32"},
        {"empty": 1.0},
        {"empty": 0.5},
        {"empty": "nan"},
        {"empty": "skip"},
        {"short": "zero"},
        {"rel": 2},
        {"rel": 0.5},
        {"rel": {1, 2}},
        {"rel": {2, 3, 4}},
        {"rel": ">0"},
        {"rel": ">0.5"},
        {"cut": "ignored"},
        {"p_over": "min(k, n)"},
        {"p_over": "min(k, R)"},
        {"ap_over": "min(R, k)"},
        {"ap_over": "hits"},
        {"gmax": 5},
        {"gmax": "none", "labels": {2: 1, 3: 1, 4: 0.5}},
        {"unjudged": "removed"},
        {"quirks": {"float32-reciprocal"}},
        {"quirks": {"recall-level-truncated"}},
        {"quirks": {"err-of-none"}},
        {"quirks": {"negative-judged"}, "negative": "zero"},
        {"labels": "truncated", "rel": ">0", "gain": "linear", "unjudged": "removed"},
    ]


def name_of(choices: dict[str, object]) -> str:
    return ", ".join(f"{axis}={choice}" for axis, choice in choices.items()) or "standard"


def fits(convention: Convention, one: List) -> List:
    """The list with labels that the convention does not refuse."""
    if convention.gain == "exp2-int32" or isinstance(convention.gain, tuple):
        whole = [label if label != label else float(int(label)) for label in one.labels]
        return List(whole, one.scores, [float(int(label)) for label in one.outside], one.documents)
    return one


# Strategies.

labels = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0]) | st.sampled_from([0.0, 0.5, 1.0, 1.7, 2.0, 4.0, NAN])
few_scores = st.sampled_from([-1.5, -0.0, 0.0, 0.25, 1.0, 1.0 + 2**-40])
any_scores = st.floats(-1e6, 1e6)


@st.composite
def small_lists(draw, most: int = 12, scores=few_scores | any_scores, labels=labels) -> List:
    rows = draw(st.integers(0, most))
    many = draw(st.booleans())
    return List(
        draw(st.lists(labels, min_size=rows, max_size=rows)),
        draw(st.lists(scores if many else few_scores, min_size=rows, max_size=rows)),
        draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 4.0]), max_size=3)),
        draw(st.permutations([f"{letter}{i}" for i, letter in enumerate("aAbBäzZ9ß_é0"[:rows])])),
    )


def random_list(rng: np.random.Generator, rows: int, kinds: int, *, unjudged: float = 0.1, grades: int = 5) -> List:
    """A long list; `kinds` different scores at most, or none alike if it is 0."""
    labels = rng.integers(0, grades, rows).astype(np.float64)
    labels[rng.random(rows) < unjudged] = NAN
    scores = rng.permutation(rows) / 8 if kinds == 0 else rng.integers(0, kinds, rows) / 4
    outside = rng.integers(0, grades, rng.integers(0, 4)).astype(np.float64)
    return List(labels.tolist(), scores.tolist(), outside.tolist(), [f"d{i}" for i in rng.permutation(rows)])
