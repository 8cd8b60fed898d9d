"""What learners return: a ranker turns features into scores."""

from __future__ import annotations

from rankwise.rankers.base import Contributions, Ranker, Scorer
from rankwise.rankers.inputs import Inputs
from rankwise.rankers.linear import Linear
from rankwise.rankers.network import Network
from rankwise.rankers.saved import load_ranker
from rankwise.rankers.stumps import Stumps
from rankwise.rankers.trees import Trees

__all__ = ["Contributions", "Inputs", "Linear", "Network", "Ranker", "Scorer", "Stumps", "Trees", "load_ranker"]
