"""Public collections, one a file: where each comes from, under what terms, what its folder holds, its official folds.

A collection is read from a folder that the user has; nothing is downloaded.

>>> for name, about in ABOUT.items():
...     print(f"{name}: {about.contents}")  # doctest: +ELLIPSIS
mq2008: 784 queries, 15,211 documents, 46 features, labels 0–2; five folds
...
"""

from __future__ import annotations

from collections.abc import Callable

from rankwise.data.collections.base import About, Collection
from rankwise.data.collections.clueweb09_ltr import ABOUT as _CLUEWEB09_LTR
from rankwise.data.collections.clueweb09_ltr import clueweb09_ltr
from rankwise.data.collections.expedia import ABOUT as _EXPEDIA
from rankwise.data.collections.expedia import expedia
from rankwise.data.collections.istella import ABOUT as _ISTELLA
from rankwise.data.collections.istella import istella
from rankwise.data.collections.lightgbm_example import ABOUT as _LIGHTGBM_EXAMPLE
from rankwise.data.collections.lightgbm_example import lightgbm_example
from rankwise.data.collections.movielens import ABOUT as _MOVIELENS
from rankwise.data.collections.movielens import movielens
from rankwise.data.collections.mq2008 import ABOUT as _MQ2008
from rankwise.data.collections.mq2008 import mq2008
from rankwise.data.collections.mslr import ABOUT as _MSLR
from rankwise.data.collections.mslr import mslr
from rankwise.data.collections.sample import ABOUT as _SAMPLE
from rankwise.data.collections.sample import sample
from rankwise.data.collections.yahoo import ABOUT as _YAHOO
from rankwise.data.collections.yahoo import yahoo
from rankwise.data.formats.files import PathLike

__all__ = [
    "ABOUT", "COLLECTIONS", "About", "Collection", "clueweb09_ltr", "expedia", "istella", "lightgbm_example",
    "movielens", "mq2008", "mslr", "sample", "yahoo",
]  # fmt: skip

# Name → folder → collection. A new collection is its file and a line here and below.
COLLECTIONS: dict[str, Callable[[PathLike], Collection]] = {
    "mq2008": mq2008,
    "mslr": mslr,
    "yahoo": yahoo,
    "istella": istella,
    "clueweb09_ltr": clueweb09_ltr,
    "lightgbm_example": lightgbm_example,
    "expedia": expedia,
    "movielens": movielens,
}
ABOUT: dict[str, About] = {
    about.name: about
    for about in (_MQ2008, _MSLR, _YAHOO, _ISTELLA, _CLUEWEB09_LTR, _LIGHTGBM_EXAMPLE, _EXPEDIA, _MOVIELENS, _SAMPLE)
}
