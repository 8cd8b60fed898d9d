"""Perfect: whether a list is in perfect order."""

from __future__ import annotations

from rankwise.measures.base import Measure, Present
from rankwise.measures.convention import Labels

__all__ = ["Perfect"]


class Perfect(Measure):
    r"""1 if no document stands above one with a higher label, else 0; its mean is the share of lists in perfect order.

    .. math:: [\, l_1 \ge l_2 \ge \dots \ge l_n \,]

    Over ties it is the probability that random orders of the tied documents make a perfect one: of a block of m
    documents with c₁, c₂, … of each label, c₁! c₂! … / m!. A document without a judgment is as one of label 0, and
    one that was not retrieved does not exist for it. Never undefined: with fewer than two documents nothing can be
    wrong.

    >>> Perfect().of([2, 1, 1, 0]), Perfect().of([1, 2])
    (1.0, 0.0)
    """

    __slots__ = ()
    name = "Perfect"
    formula = "perfect"
    takes_k = False

    def worth(self, labels: Labels, present: Present) -> Labels:
        return self.convention.levels(labels)
