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
    def at(self, span: int) -> bytes: ...

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
