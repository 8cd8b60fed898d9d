from __future__ import annotations

import numpy as np
import pytest

from rankwise import DataError, RankwiseError, evaluate
from rankwise.errors import RankwiseWarning
from rankwise.recommenders.popularity import Popularity
from rankwise.recommenders.recommender import Recommender
from rankwise.recommenders.sampled import corrected, correction, ranks
from rankwise.recommenders.splits import leave_one_out
from recommenders.making import tastes

ITEMS, CANDIDATES = 400, 60


def drawn(seed: int = 0, times: int = 40_000) -> tuple[np.ndarray, np.ndarray]:
    """Ranks of which many are high, and the ranks among sampled candidates."""
    rng = np.random.default_rng(seed)
    full = 1 + np.floor((ITEMS - 1) * rng.beta(0.5, 3, times)).astype(int)
    return full, 1 + rng.binomial(CANDIDATES, (full - 1) / (ITEMS - 1))


@pytest.mark.parametrize("measure", ["hit", "nDCG", "RR"])
def test_the_correction_comes_nearer_to_the_measure_over_all_items(measure: str) -> None:
    rank = np.arange(1, ITEMS + 1)
    of_rank = {"hit": (rank <= 10) * 1.0, "nDCG": (rank <= 10) / np.log2(rank + 1), "RR": 1 / rank}[measure]
    full, sampled = drawn()
    truth, naive = of_rank[full - 1].mean(), of_rank[sampled - 1].mean()
    found = corrected(sampled, of_rank, CANDIDATES)
    assert abs(found - truth) < 0.25 * abs(naive - truth)


def test_the_correction_minimises_what_the_docstring_says() -> None:
    from scipy.optimize import minimize
    from scipy.stats import binom

    n, m, gamma = 12, 4, 0.1
    values = 1 / np.arange(1, n + 1)
    chances = np.array([[binom.pmf(x, m, r / (n - 1)) for x in range(m + 1)] for r in range(n)])

    def cost(guess: np.ndarray) -> float:
        mean = chances @ guess
        return float(np.mean((mean - values) ** 2 + gamma * (chances @ guess**2 - mean**2)))

    least = minimize(cost, np.zeros(m + 1), tol=1e-14)
    np.testing.assert_allclose(correction(values, m, gamma=gamma), least.x, atol=1e-5)


def fitted() -> tuple[Recommender, object]:
    train, test, _ = leave_one_out(tastes(0))
    return Popularity().fit(train).recommender_, test


def test_sampled_lists_hold_what_was_judged_and_others_that_were_not_seen() -> None:
    recommender, test = fitted()
    with pytest.warns(RankwiseWarning, match="15 sampled candidates of 40 items: values are no estimates"):
        data, scores = recommender.lists(test, sampled=15)
    assert len(data) == 60 and set(np.diff(data.offsets)) == {16} and data.labels.astype(bool).sum() == 60
    whole, of_all = recommender.lists(test)
    known = {(q, d): s for q, d, s in zip(_queries(whole), list(whole.documents or ()), of_all, strict=True)}
    pairs = list(zip(_queries(data), list(data.documents or ()), strict=True))
    assert len(set(pairs)) == len(pairs)
    np.testing.assert_array_equal(scores, [known[pair] for pair in pairs])
    value = evaluate(data, scores, "AUC")["AUC"].mean
    assert value == pytest.approx(evaluate(whole, of_all, "AUC")["AUC"].mean, abs=0.1)


def _queries(data: object) -> list[str]:
    return [str(q) for q in np.repeat(list(data.queries), np.diff(data.offsets))]  # type: ignore[attr-defined]


def test_ranks_are_among_what_is_not_relevant() -> None:
    from rankwise import Dataset

    data = Dataset.of(labels=[1, 0, 0, 1, 0, 1], group=[4, 2])
    assert ranks(data, [2.0, 3.0, 2.0, 9.0, 1.0, 5.0]).tolist() == [3, 1, 1]


def test_samples_that_mean_nothing_are_refused() -> None:
    recommender, test = fitted()
    with pytest.warns(RankwiseWarning), pytest.raises(DataError, match="sampled candidates must be a whole number"):
        recommender.lists(test, sampled=0)
    with pytest.raises(DataError, match="a finite value at each rank"):
        correction([1.0], 5)
    with pytest.raises(RankwiseError, match="gamma must be a number from 0 to 1"):
        correction([1.0, 0.0], 5, gamma=2)
    for wrong in ([0], [7], [1.5], []):
        with pytest.raises(DataError, match="sampled ranks are whole numbers from 1 to 6"):
            corrected(wrong, [1.0, 0.0], 5)
    with pytest.raises(DataError, match="scores for"):
        ranks(recommender.lists(test)[0], [1.0])
