"""What a model sees of the features: their values, transformed if one wishes, and how they stand within their list."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from rankwise import _kernels
from rankwise.data.dataset import Dataset
from rankwise.errors import DataError, message
from rankwise.rankers.transforms import FITTED, TRANSFORMED, log1p

__all__ = ["OVER", "RELATIVE", "TRANSFORMS", "Inputs", "array_of", "counted", "dataset_of", "matrix", "number_of"]

Table = npt.NDArray[np.float32]
# A file that claims more is hostile: its model would be of no use, and its names would fill the memory.
MOST_FEATURES = 1 << 20
Arrays = Mapping[str, npt.NDArray[Any]]

TRANSFORMS = ("none", "min-max", "z-score", "rank", "log1p")
OVER = ("train", "list")
RELATIVE = {
    "minus-mean": "{} minus the list's mean",
    "rank": "{}'s rank in the list",
    "share": "{} as a share of the list's maximum",
}


@dataclass(frozen=True, eq=False, repr=False)
class Inputs:
    """The columns of a model: each feature transformed, then for each list-relative feature another column a feature.

    Features without names are called 1, 2, …, as in LETOR files. List-relative columns are of the features as they are,
    whatever the transform.

    >>> data = Dataset.of([[80], [120]], [0, 1], group=[2], feature_names=["price"])
    >>> inputs = Inputs.fit(data, transform="min-max", relative=["minus-mean"])
    >>> inputs.names
    ('price', "price minus the list's mean")
    >>> inputs.table(data)
    array([[  0., -20.],
           [  1.,  20.]], dtype=float32)
    """

    features: int
    feature_names: tuple[str, ...] | None = None
    transform: str = "none"
    over: str = "train"
    relative: tuple[str, ...] = ()
    statistics: Arrays = field(default_factory=dict)
    """What a transform over the training set has to know of it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "relative", _relative(self.relative))
        _one_of(self.transform, TRANSFORMS, "transform")
        _one_of(self.over, OVER, "over")
        if not 0 < self.features <= MOST_FEATURES:
            raise DataError(message(f"inputs are of 1 to {MOST_FEATURES:,} features, not {self.features}"))
        if self.feature_names is not None and len(set(self.feature_names)) != self.features:
            raise DataError(message(f"{_features(self.features)} need as many different names"))

    @classmethod
    def fit(cls, data: Dataset, *, transform: str = "none", over: str = "train", relative: Iterable[str] = ()) -> Self:
        """Inputs for data like these; over="train" takes the statistics of a transform from them."""
        if data.features is None:
            hint = "read the data with their features."
            raise DataError(message("these lists have no features to learn from", hint=hint))
        _one_of(transform, TRANSFORMS, "transform")
        _one_of(over, OVER, "over")
        of_training = over == "train" and transform in FITTED
        return cls(
            data.features.shape[1],
            data.feature_names,
            transform,
            over,
            _relative(relative),
            FITTED[transform](data.features) if of_training else {},
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the table's columns."""
        own = self.feature_names or tuple(str(at + 1) for at in range(self.features))
        return (*own, *(RELATIVE[what].format(name) for what in self.relative for name in own))

    @property
    def columns(self) -> int:
        """How many columns the table has."""
        return self.features * (1 + len(self.relative))

    @property
    def needs_lists(self) -> bool:
        """Whether it matters which rows belong to one list."""
        return bool(self.relative) or self._within_lists

    @property
    def _within_lists(self) -> bool:
        return self.over == "list" and self.transform in FITTED

    def table(self, data: Any, offsets: npt.NDArray[np.int64] | None = None, threads: int | None = None) -> Table:
        """The table a model reads: float32, C-contiguous, no copy of the features where they stay as they are.

        `data` is a `Dataset`, or an array or frame with the `offsets` of its lists if they matter.
        """
        if isinstance(data, Dataset):
            offsets = data.offsets
        else:
            data = dataset_of(data)
        if data.features is None:
            raise DataError(message("these lists have no features", hint="read the data with their features."))
        values = self._ordered(data.features, data.feature_names)
        if offsets is None and self.needs_lists:
            raise DataError(message("these inputs look at whole lists, and nothing says which rows are one"))
        parts = [self._transformed(values, offsets, threads)]
        parts += [
            _kernels.within_lists(values, offsets, what, threads) for what in self.relative if offsets is not None
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _transformed(self, values: Table, offsets: npt.NDArray[np.int64] | None, threads: int | None) -> Table:
        if self.transform == "none":
            return values
        if self.transform == "log1p":
            return log1p(values)
        if self._within_lists and offsets is not None:
            return _kernels.within_lists(values, offsets, self.transform, threads)
        return TRANSFORMED[self.transform](values, self.statistics)

    def _ordered(self, values: Table, names: tuple[str, ...] | None) -> Table:
        """The features in the order of training: by name where both sides have names, else as they stand."""
        if values.shape[1] != self.features:
            what = f"there are {_features(values.shape[1])}, and the ranker was trained with {self.features}"
            raise DataError(message(what, hint="give it the features it was trained with."))
        if names is None or self.feature_names is None or names == self.feature_names:
            return values
        place = {name: at for at, name in enumerate(names)}
        lacking = [name for name in self.feature_names if name not in place]
        if lacking:
            unknown = [name for name in names if name not in self.feature_names]
            what = f"feature '{lacking[0]}' is not among these, and '{unknown[0]}' was not known in training"
            raise DataError(message(what, hint=f"the ranker knows {_some(self.feature_names)}."))
        return np.ascontiguousarray(values[:, [place[name] for name in self.feature_names]])

    def plain(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """As JSON values and arrays."""
        header = {
            "features": self.features,
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "transform": self.transform,
            "over": self.over,
            "relative": list(self.relative),
        }
        return header, dict(self.statistics)

    @classmethod
    def of_plain(cls, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """The inputs of what `plain` gave, every part of it checked."""
        count = header.get("features")
        if type(count) is not int:
            raise DataError(message(f"its inputs have {count!r} features"))
        names = header.get("feature_names")
        if names is not None:
            names = tuple(_texts(names, "feature names"))
        transform, over = header.get("transform"), header.get("over")
        relative = tuple(_texts(header.get("relative"), "list-relative features"))
        found = cls(count, names, transform, over, relative)  # type: ignore[arg-type]
        return cls(count, names, found.transform, found.over, relative, _statistics(found, arrays))

    def __repr__(self) -> str:
        how = [] if self.transform == "none" else [f"{self.transform} over {self.over}"]
        return f"Inputs({', '.join([_features(self.features), *how, *self.relative])})"


def matrix(X: Any) -> tuple[Any, tuple[str, ...] | None]:
    """Features as an array, and their names where a frame tells them."""
    if type(X).__name__ == "LazyFrame":
        # Of Polars: a plan, until its rows are asked for.
        X = X.collect()
    names = _column_names(X)
    if names is None:
        return X, None
    columns = [_column(X, name) for name in names]
    for name, column in zip(names, columns, strict=True):
        if len(column) != len(columns[0]):
            what = f"feature '{name}' has {counted(len(column), 'value')}, and '{names[0]}' {len(columns[0]):,}"
            raise DataError(message(what))
    return np.column_stack(columns), names


def dataset_of(X: Any, *, qid: Any = None, group: Any = None) -> Dataset:
    """Features as a dataset without labels; one list if nothing says which rows belong together."""
    if isinstance(X, Dataset):
        if qid is not None or group is not None:
            raise DataError(message("a dataset knows its lists", hint="leave out `qid` and `group`."))
        return X
    values, names = matrix(X)
    rows = len(values) if hasattr(values, "__len__") else 0
    if qid is None and group is None:
        group = [rows]
    return Dataset.of(values, np.zeros(rows), qid=qid, group=group, feature_names=names)


def _column_names(X: Any) -> tuple[str, ...] | None:
    if isinstance(X, Mapping):
        names = list(X)
    else:
        found = getattr(X, "column_names", None)
        names = list(getattr(X, "columns", ()) if found is None else found)
    if not names or not all(isinstance(name, str) for name in names):
        return None
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(message(f"{times} features are called '{name}'"))
    return tuple(names)


def _column(X: Any, name: str) -> npt.NDArray[np.float32]:
    values = X[name]
    try:
        # A number too large for the type becomes infinite, which is refused later.
        with np.errstate(over="ignore"):
            if type(values).__module__.startswith("pandas."):
                column: npt.NDArray[np.float32] = values.to_numpy(dtype=np.float32, na_value=np.nan)
            else:
                column = np.asarray(values).astype(np.float32)
    except (TypeError, ValueError) as error:
        raise DataError(message(f"feature '{name}' must be numbers ({error})")) from None
    if column.ndim != 1:
        raise DataError(message(f"feature '{name}' must be a column of numbers, not {column.ndim} dimensions of them"))
    return column


def array_of(arrays: Arrays, name: str, dtype: Any, length: int | None = None) -> npt.NDArray[Any]:
    """One column of a file, of the type it must have."""
    found = arrays.get(name)
    if found is None:
        raise DataError(message(f"it lacks the array '{name}'"))
    if found.dtype != dtype or found.ndim != 1:
        raise DataError(
            message(f"its array '{name}' is {found.dtype} of {found.ndim} dimensions, not {np.dtype(dtype)} of 1")
        )
    if length is not None and len(found) != length:
        raise DataError(message(f"its array '{name}' has {len(found):,} values, not {length:,}"))
    return found


def number_of(header: Mapping[str, Any], name: str) -> float:
    """One number of a file's header."""
    found = header.get(name)
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not math.isfinite(found):
        raise DataError(message(f"its header gives {found!r} as '{name}'"))
    return float(found)


def _statistics(inputs: Inputs, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    if inputs.over != "train" or inputs.transform not in FITTED:
        return {}
    if inputs.transform == "rank":
        return _checked_knots(inputs, arrays)
    names = ("low", "high") if inputs.transform == "min-max" else ("mean", "deviation")
    found = {name: array_of(arrays, name, np.float64, inputs.features) for name in names}
    # A feature that was always missing has NaN.
    if any(np.isinf(values).any() for values in found.values()):
        raise DataError(message("a statistic of its features is infinite"))
    return found


def _checked_knots(inputs: Inputs, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    starts = array_of(arrays, "starts", np.int64, inputs.features + 1)
    values = array_of(arrays, "values", np.float64)
    shares = array_of(arrays, "shares", np.float64, len(values))
    if starts[0] != 0 or starts[-1] != len(values) or not (starts[1:] >= starts[:-1]).all():
        raise DataError(message("the values of its features do not follow each other"))
    # Each feature's values rise, and their shares.
    inside = np.ones(max(len(values) - 1, 0), bool)
    inside[starts[(starts > 0) & (starts < len(values))] - 1] = False
    rises = (values[1:] > values[:-1]) & (shares[1:] > shares[:-1])
    if not (np.isfinite(values).all() and ((shares >= 0) & (shares <= 1)).all() and rises[inside].all()):
        raise DataError(message("the values of its features do not rise, or their shares"))
    return {"starts": starts, "values": values, "shares": shares}


def _texts(values: Any, what: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise DataError(message(f"its {what} are not texts"))
    return values


def _relative(names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise DataError(message(f"list-relative features are a list of names, not the text {names!r}"))
    found = tuple(names)
    for name in found:
        _one_of(name, RELATIVE, "a list-relative feature")
    if len(set(found)) < len(found):
        raise DataError(message("a list-relative feature is named twice"))
    return found


def _one_of(value: object, known: Collection[str], what: str) -> None:
    if not any(value == name for name in known):
        raise DataError(message(f"{what} is {value!r}", hint=f"choose one of {', '.join(known)}."))


def counted(number: int, noun: str, nouns: str = "") -> str:
    """A number of things, as one says it."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def _features(count: int) -> str:
    return counted(count, "feature")


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
