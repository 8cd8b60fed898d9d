"""scikit-learn itself."""

from __future__ import annotations

import numpy as np
import pytest

from live.making import judged_run
from rankwise import evaluate, measure

metrics = pytest.importorskip("sklearn.metrics")
pytestmark = pytest.mark.live


def arrays(seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Labels and scores of lists of at least two documents, which is what it takes."""
    qrels, run = judged_run(seed)
    lists = []
    for query in qrels.keys() & run.keys():
        labels = np.array([qrels[query].get(document, 0) for document in run[query]])
        if len(labels) > 1:
            lists.append((labels, np.array(list(run[query].values()))))
    return lists


@pytest.mark.parametrize("k", [None, 1, 2, 5, 20])
@pytest.mark.parametrize("seed", range(4))
def test_every_measure_of_every_list(seed: int, k: int | None) -> None:
    at = "" if k is None else f"@{k}"
    for labels, scores in arrays(seed):
        exponential = 2.0**labels - 1
        wanted = {
            f"ndcg_linear{at}": metrics.ndcg_score([labels], [scores], k=k),
            f"ndcg_score{at}": metrics.ndcg_score([labels], [scores], k=k),
            f"ndcg_exp{at}": metrics.ndcg_score([exponential], [scores], k=k),
            f"dcg_linear{at}": metrics.dcg_score([labels], [scores], k=k),
            f"dcg_exp{at}": metrics.dcg_score([exponential], [scores], k=k),
        }
        found = evaluate(labels, scores, [measure(f"sklearn:{name}") for name in wanted])
        assert found.values[:, 0] == pytest.approx(list(wanted.values()), abs=1e-10)


def test_a_list_of_one_document_is_refused_there_and_defined_here() -> None:
    with pytest.raises(ValueError, match="more than 1 document"):
        metrics.ndcg_score([[1]], [[0.5]])
    assert evaluate([1], [0.5], measure("sklearn:ndcg_score"))[0].mean == 1.0
