"""Public collections, one a file: where each comes from, under what terms, what its folder holds, its official folds.

A collection is read from a folder that the user has; nothing is downloaded.

>>> for name, about in ABOUT.items():
...     print(f"{name}: {about.contents}")  # doctest: +ELLIPSIS
mq2008: 784 queries, 15,211 documents, 46 features, labels 0–2; five folds
...
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from rankwise.data.collections.base import About, Collection
from rankwise.data.collections.clueweb09_ltr import clueweb09_ltr
from rankwise.data.collections.expedia import expedia
from rankwise.data.collections.istella import istella
from rankwise.data.collections.lightgbm_example import lightgbm_example
from rankwise.data.collections.movielens import movielens
from rankwise.data.collections.mq2008 import mq2008
from rankwise.data.collections.mslr import mslr
from rankwise.data.collections.sample import sample
from rankwise.data.collections.yahoo import yahoo
from rankwise.data.formats.files import PathLike

__all__ = [
    "ABOUT", "COLLECTIONS", "About", "Collection", "clueweb09_ltr", "expedia", "istella", "lightgbm_example",
    "movielens", "mq2008", "mslr", "sample", "yahoo",
]  # fmt: skip

# Name → folder → collection. A new collection is its file, its import above and a line here.
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
# What each file says of its collection, without a folder; of the sample in the package too.
ABOUT: dict[str, About] = {
    name: sys.modules[reader.__module__].ABOUT for name, reader in {**COLLECTIONS, "sample": sample}.items()
}
