"""Linear regression as RankLib 2.10 has it: `LinearRegression(compat="ranklib")`.

Its normal equations have as many unknowns as there are features, and the last of them is the constant: the last feature
takes no part in the fit. The constant that is found is then used twice, as itself and as the weight of that feature.
λ = 10⁻¹⁰ is added to the diagonal, the constant's place too, and the equations are solved without pivoting. Weights of
lists and documents play no part. A model that it has saved and read again has the first weight as its constant, which
changes scores, and no order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["solved"]

Floats = npt.NDArray[np.float64]
LAMBDA = 1e-10


def solved(X: Floats, y: Floats) -> tuple[Floats, float]:
    """The weights of the features, and the constant."""
    known = np.column_stack([X[:, :-1], np.ones(len(X))])
    # Feature × label is rounded to single precision, feature × feature is not.
    products = (known.astype(np.float32) * y.astype(np.float32)[:, None]).sum(axis=0, dtype=np.float64)
    found = _eliminated(known.T @ known + LAMBDA * np.eye(known.shape[1]), products)
    return found, float(found[-1])


def _eliminated(A: Floats, b: Floats) -> Floats:
    """x of A x = b by Gaussian elimination without pivoting; the diagonal is at least λ here."""
    A, b = A.copy(), b.copy()
    for row in range(len(b)):
        factors = A[row + 1 :, row] / A[row, row]
        A[row + 1 :] -= factors[:, None] * A[row]
        b[row + 1 :] -= factors * b[row]
    x = np.zeros(len(b))
    for row in reversed(range(len(b))):
        x[row] = (b[row] - A[row, row + 1 :] @ x[row + 1 :]) / A[row, row]
    return x
