"""The compiled kernels, as Python sees them; `tests/test_kernels_stub.py` holds this file against the module."""

from typing import Any

import numpy as np
import numpy.typing as npt

class Text:
    @staticmethod
    def open(path: str) -> Text: ...
    @staticmethod
    def from_bytes(name: str, content: bytes) -> Text: ...
    @property
    def name(self) -> str: ...
    def __len__(self) -> int: ...
    def content(self) -> bytes: ...
    def at(self, span: int) -> bytes: ...
    def first_difference(self, ids: npt.NDArray[np.uint64], others: npt.NDArray[np.uint64]) -> int | None: ...

def pack_zstd(content: bytes) -> bytes: ...

class Letor:
    features: npt.NDArray[np.float32]
    labels: npt.NDArray[np.float64]
    documents: npt.NDArray[np.uint64] | None
    offsets: npt.NDArray[np.int64] | None
    queries: npt.NDArray[np.uint64] | None
    rows: npt.NDArray[np.int64] | None

def read_letor(
    text: Text,
    *,
    missing: float = 0.0,
    sort_features: bool = False,
    zero_based: bool = False,
    n_features: int | None = None,
    max_features: int = 100_000,
    has_queries: bool = True,
    threads: int | None = None,
) -> Letor: ...
def read_scores(text: Text, column: int | None = None) -> npt.NDArray[np.float64]: ...

class TableColumns:
    text: Text
    rows: int
    offsets: npt.NDArray[np.int64] | None
    queries: npt.NDArray[np.uint64] | None
    order: npt.NDArray[np.int64] | None
    columns: list[npt.NDArray[Any]]
    features: npt.NDArray[np.float32] | None

def read_arrow(stream: object, roles: list[str], *, rows: int = 0, name: str = "", first: int = 0) -> TableColumns: ...

class Table:
    @property
    def text(self) -> Text: ...
    @property
    def queries(self) -> npt.NDArray[np.uint64]: ...
    @property
    def offsets(self) -> npt.NDArray[np.int64]: ...
    @property
    def documents(self) -> npt.NDArray[np.uint64]: ...
    @property
    def values(self) -> npt.NDArray[np.float64]: ...
    @property
    def tag(self) -> bytes: ...

class Judged:
    @property
    def offsets(self) -> npt.NDArray[np.int64]: ...
    @property
    def scores(self) -> npt.NDArray[np.float64]: ...
    @property
    def documents(self) -> npt.NDArray[np.uint64]: ...
    @property
    def labels(self) -> npt.NDArray[np.float64]: ...
    @property
    def unretrieved_offsets(self) -> npt.NDArray[np.int64]: ...
    @property
    def unretrieved_labels(self) -> npt.NDArray[np.float64]: ...
    @property
    def unretrieved_documents(self) -> npt.NDArray[np.uint64]: ...
    @property
    def missing(self) -> npt.NDArray[np.bool_]: ...
    @property
    def unknown_queries(self) -> npt.NDArray[np.uint64]: ...

class Reading:
    def table(self) -> Table: ...

def read_ahead(path: str, qrels: bool, threads: int | None = None) -> Reading: ...
def read_qrels(text: Text, threads: int | None = None) -> Table: ...
def read_run(text: Text, threads: int | None = None) -> Table: ...
def table(
    text: Text,
    queries: npt.NDArray[np.uint64],
    offsets: npt.NDArray[np.int64],
    documents: npt.NDArray[np.uint64],
    values: npt.NDArray[np.float64],
    threads: int | None = None,
) -> Table: ...
def judge(qrels: Table, run: Table, threads: int | None = None) -> Judged: ...

class Grades:
    @property
    def labels(self) -> npt.NDArray[np.float64]: ...
    @property
    def weights(self) -> npt.NDArray[np.float64] | None: ...
    def present(self) -> npt.NDArray[np.bool_]: ...
    def first(self, label: float) -> tuple[bool, int]: ...

def grade(labels: npt.NDArray[Any], outside: npt.NDArray[np.float64], threads: int | None = None) -> Grades: ...
def grade_weighted(labels: npt.NDArray[Any], weights: npt.NDArray[np.float64]) -> Grades: ...
def ranked(
    scores: npt.NDArray[Any],
    grades: Grades,
    offsets: npt.NDArray[np.int64],
    outside_offsets: npt.NDArray[np.int64],
    ids: tuple[Text, npt.NDArray[np.uint64], Text, npt.NDArray[np.uint64]] | None,
    order: dict[str, Any],
    threads: int | None = None,
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64], npt.NDArray[np.uint8]]: ...
def evaluate(
    scores: npt.NDArray[Any],
    grades: Grades,
    offsets: npt.NDArray[np.int64],
    outside_offsets: npt.NDArray[np.int64],
    ids: tuple[Text, npt.NDArray[np.uint64], Text, npt.NDArray[np.uint64]] | None,
    order: dict[str, Any],
    measures: list[dict[str, Any]],
    threads: int | None = None,
) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]]: ...
def lambdas(
    scores: npt.NDArray[Any],
    grades: Grades,
    offsets: npt.NDArray[np.int64],
    outside_offsets: npt.NDArray[np.int64],
    ids: tuple[Text, npt.NDArray[np.uint64], Text, npt.NDArray[np.uint64]] | None,
    order: dict[str, Any],
    measure: dict[str, Any],
    options: dict[str, Any],
    weights: npt.NDArray[np.float64] | None,
    threads: int | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def summary(values: npt.NDArray[np.float64]) -> tuple[int, float, float, float]: ...
def randomisation(
    values: npt.NDArray[np.float64],
    pairs: npt.NDArray[np.uint32],
    permutations: int | None,
    seed: int,
    threads: int | None = None,
) -> npt.NDArray[np.uint64]: ...
def bootstrap(
    values: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64] | None,
    resamples: int,
    seed: int,
    threads: int | None = None,
) -> npt.NDArray[np.float64]: ...

class Pairs:
    def __init__(self, labels: npt.NDArray[np.float64], offsets: npt.NDArray[np.int64]) -> None: ...
    @property
    def counts(self) -> npt.NDArray[np.float64]: ...
    def loss(
        self,
        table: npt.NDArray[np.float32],
        weights: npt.NDArray[np.float64],
        costs: npt.NDArray[np.float64],
        knee: float,
        threads: int | None = None,
    ) -> tuple[tuple[float, float, float, float], npt.NDArray[np.float64], PairCurvature]: ...

class PairCurvature:
    def times(
        self,
        table: npt.NDArray[np.float32],
        costs: npt.NDArray[np.float64],
        vector: npt.NDArray[np.float64],
        threads: int | None = None,
    ) -> npt.NDArray[np.float64]: ...

class LineSearch:
    def __init__(
        self,
        scores: npt.NDArray[Any],
        grades: Grades,
        offsets: npt.NDArray[np.int64],
        outside_offsets: npt.NDArray[np.int64],
        ids: tuple[Text, npt.NDArray[np.uint64], Text, npt.NDArray[np.uint64]] | None,
        order: dict[str, Any],
        measure: dict[str, Any],
        table: npt.NDArray[np.float32],
        weights: npt.NDArray[np.float64],
        total: float,
    ) -> None: ...
    @property
    def searched(self) -> npt.NDArray[np.int64]: ...
    def value(self, weights: npt.NDArray[np.float64]) -> float: ...
    def along(
        self, weights: npt.NDArray[np.float64], direction: npt.NDArray[np.float64], threads: int | None
    ) -> tuple[float, float, float] | None: ...
    def sweeps(
        self,
        weights: npt.NDArray[np.float64],
        order: npt.NDArray[np.int64],
        directions: npt.NDArray[np.float64],
        starts: npt.NDArray[np.float64],
        slack: float,
        threads: int | None = None,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]: ...

class Preferences:
    @staticmethod
    def of(
        labels: npt.NDArray[np.float64],
        offsets: npt.NDArray[np.int64],
        list_weights: npt.NDArray[np.float64] | None = None,
        row_weights: npt.NDArray[np.float64] | None = None,
    ) -> Preferences: ...
    @property
    def pairs(self) -> float: ...
    def potentials(
        self, margins: npt.NDArray[np.float64], threads: int | None = None
    ) -> tuple[npt.NDArray[np.float64], float]: ...
    def split(
        self, margins: npt.NDArray[np.float64], above: npt.NDArray[np.bool_], threads: int | None = None
    ) -> tuple[float, float]: ...

class Bins:
    @staticmethod
    def of(table: npt.NDArray[np.float32], most: int | None = None, threads: int | None = None) -> Bins: ...
    @staticmethod
    def cut(
        table: npt.NDArray[np.float32], thresholds: list[npt.NDArray[np.float64]], threads: int | None = None
    ) -> Bins: ...
    def thresholds(self, feature: int) -> npt.NDArray[np.float64]: ...
    def search(
        self, potentials: npt.NDArray[np.float64], both: bool, threads: int | None = None
    ) -> tuple[int, float, bool, float] | None: ...

class Forest:
    def __init__(self, arrays: dict[str, Any]) -> None: ...
    def scores(
        self, table: npt.NDArray[np.float32], first: int, last: int, threads: int | None = None
    ) -> npt.NDArray[np.float64]: ...
    def leaves(self, table: npt.NDArray[np.float32], threads: int | None = None) -> npt.NDArray[np.int32]: ...
    def contributions(self, table: npt.NDArray[np.float32], threads: int | None = None) -> npt.NDArray[np.float64]: ...

def weighted_sums(
    table: npt.NDArray[np.float32], weights: npt.NDArray[np.float64], bias: float, threads: int | None = None
) -> npt.NDArray[np.float64]: ...
def within_lists(
    table: npt.NDArray[np.float32], offsets: npt.NDArray[np.int64], what: str, threads: int | None = None
) -> npt.NDArray[np.float32]: ...

class SeenPairs:
    def __new__(cls, offsets: npt.NDArray[np.int64], items: npt.NDArray[np.uint32], item_count: int) -> SeenPairs: ...
    def blocks(self) -> int: ...

def bpr_epoch(
    epoch: dict[str, Any], plan: dict[str, Any]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]: ...
def warp_epoch(
    epoch: dict[str, Any], plan: dict[str, Any], trials: int, costs: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]: ...
def svd_epoch(
    epoch: dict[str, Any], plan: dict[str, Any]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]: ...
def als_side(
    pairs: SeenPairs,
    fixed: npt.NDArray[np.float32],
    fixed_bias: npt.NDArray[np.float32],
    plan: dict[str, Any],
    threads: int | None = None,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]: ...
def top_items(
    users: npt.NDArray[np.float32],
    items: npt.NDArray[np.float32],
    bias: npt.NDArray[np.float32],
    seen_offsets: npt.NDArray[np.int64],
    seen_items: npt.NDArray[np.uint32],
    k: int,
    threads: int | None = None,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...
def top_of_scores(
    scores: npt.NDArray[np.float32],
    seen_offsets: npt.NDArray[np.int64],
    seen_items: npt.NDArray[np.uint32],
    k: int,
    threads: int | None = None,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]: ...
def all_scores(
    users: npt.NDArray[np.float32],
    items: npt.NDArray[np.float32],
    bias: npt.NDArray[np.float32],
    threads: int | None = None,
) -> npt.NDArray[np.float32]: ...
def some_scores(
    users: npt.NDArray[np.float32],
    items: npt.NDArray[np.float32],
    bias: npt.NDArray[np.float32],
    of: npt.NDArray[np.uint32],
    with_items: npt.NDArray[np.uint32],
    threads: int | None = None,
) -> npt.NDArray[np.float32]: ...
