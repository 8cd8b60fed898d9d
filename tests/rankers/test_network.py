"""A network in NumPy: what its formula says, whatever the norm, and on disk."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise import DataError, load_ranker
from rankwise.rankers import Inputs, Network, Ranker
from rankwise.rankers.network import ACTIVATIONS, Layer


def network(norm: bool = False, activation: str = "tanh", columns: int = 5) -> Network:
    rng = np.random.default_rng(0)
    more = (rng.normal(size=4), rng.normal(size=4)) if norm else ()
    layers = (
        Layer(rng.normal(size=(columns, 4)), rng.normal(size=4), *more),
        Layer(rng.normal(size=(4, 4)), rng.normal(size=4), *more),
    )
    return Network(layers, rng.normal(size=4), activation)


def slow(model: Network, row: np.ndarray) -> float:
    for layer in model.layers:
        units = [row @ layer.weights[:, at] + layer.bias[at] for at in range(len(layer.bias))]
        if layer.scale is not None and layer.shift is not None:
            spread = np.sqrt(np.var(units) + 1e-5)
            units = (np.array(units) - np.mean(units)) / spread * layer.scale + layer.shift
        row = np.array([ACTIVATIONS[model.activation](np.array([unit]))[0] for unit in units])
    return float(row @ model.weights)


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_scores_are_the_formula(norm: bool, activation: str) -> None:
    model = network(norm, activation)
    table = np.random.default_rng(1).normal(size=(600, 5)).astype(np.float32)
    wanted = [slow(model, row.astype(np.float64)) for row in table]
    np.testing.assert_allclose(model.scores(table), wanted, rtol=1e-9, atol=1e-12)


def test_a_rows_bits_hang_on_no_other_row() -> None:
    model = network(columns=40)
    table = np.random.default_rng(2).normal(size=(700, 40)).astype(np.float32)
    whole = model.scores(table)
    order = np.random.default_rng(3).permutation(700)
    assert model.scores(table[order]).tobytes() == whole[order].tobytes()
    assert model.scores(table[:3]).tobytes() == whole[:3].tobytes()


@pytest.mark.parametrize("norm", [False, True])
def test_contributions_add_up_to_the_score(norm: bool) -> None:
    model = network(norm)
    table = np.random.default_rng(4).normal(size=(20, 5)).astype(np.float32)
    np.testing.assert_allclose(model.contributions(table).sum(axis=1), model.scores(table), atol=1e-12)
    assert (model.importances() > 0).all()


@pytest.mark.parametrize("norm", [False, True])
def test_it_comes_back_from_a_file(norm: bool, tmp_path) -> None:
    ranker = Ranker(Inputs(5), network(norm, "relu"))
    ranker.save(tmp_path / "model.rankwise")
    table = np.random.default_rng(5).normal(size=(30, 5)).astype(np.float32)
    assert load_ranker(tmp_path / "model.rankwise").predict(table).tobytes() == ranker.predict(table).tobytes()
    assert "layers 5 → 4, 4 → 4, 4 → 1; relu" in str(ranker)


def test_what_a_file_claims_is_checked() -> None:
    header, arrays = network(True).plain()
    with pytest.raises(DataError, match="numbers of units are 'many'"):
        Network.of_plain({**header, "units": "many"}, arrays, 5)
    with pytest.raises(DataError, match="its activation is 3"):
        Network.of_plain({**header, "activation": 3}, arrays, 5)
    with pytest.raises(DataError, match="the weights of layer 0 are not 6 × 4 numbers"):
        Network.of_plain(header, arrays, 6)
    with pytest.raises(DataError, match=r"lacks the array '1.shift'"):
        Network.of_plain(header, {name: array for name, array in arrays.items() if name != "1.shift"}, 5)
    with pytest.raises(DataError, match="not finite"):
        Network.of_plain(header, {**arrays, "0.bias": np.full(4, np.nan)}, 5)
    with pytest.raises(DataError, match="there is no activation 'step'"):
        Network.of_plain({**header, "activation": "step"}, arrays, 5)


def test_layers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DataError, match="do not feed"):
        Network((Layer(np.ones((2, 3)), np.zeros(3)),), np.ones(2))
    with pytest.raises(DataError, match="1 to 64 layers, not 0"):
        Network((), np.ones(2))
    with pytest.raises(DataError, match="the bias of a layer of 3 units"):
        Layer(np.ones((2, 3)), np.zeros(2))
    with pytest.raises(DataError, match="both a scale and a shift"):
        Layer(np.ones((2, 3)), np.zeros(3), np.ones(3))
    with pytest.raises(DataError, match="must have 2 dimensions"):
        Layer(np.ones(3), np.zeros(3))
