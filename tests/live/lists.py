"""Random lists as arrays, and the comparison with what a trainer computes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise import evaluate, measure


@dataclass
class Lists:
    labels: np.ndarray
    scores: np.ndarray
    sizes: np.ndarray

    def each(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Labels and scores of one list after the other."""
        ends = np.cumsum(self.sizes)[:-1]
        return list(zip(np.split(self.labels, ends), np.split(self.scores, ends), strict=True))

    def values(self, prefix: str, names: list[str]) -> np.ndarray:
        """Ours: names × lists."""
        return evaluate(
            self.labels, self.scores, [measure(f"{prefix}:{name}") for name in names], group=self.sizes
        ).values


def random_lists(seed: int, *, greatest: int = 4, near: bool = False, lists: int = 40, longest: int = 45) -> Lists:
    """Among the lists are some of one document, some without a relevant one, and some with many ties.

    The scores are whole in single precision, unless `near`: then some differ by less than it can tell.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest, lists)
    labels, scores = [], []
    for size in sizes:
        most = rng.choice([0, 1, greatest], p=[0.2, 0.2, 0.6])
        levels = int(rng.choice([1, 3, 1000]))
        labels.append(rng.integers(0, most + 1, size))
        scores.append(
            rng.integers(-levels, levels + 1, size) / 8 + (rng.integers(0, 2, size) * 2.0**-45 if near else 0)
        )
    return Lists(np.concatenate(labels).astype(np.float64), np.concatenate(scores), sizes)
