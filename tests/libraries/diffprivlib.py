"""diffprivlib: its mechanisms.

Inputs are neighbours at the sensitivity that is given: numbers at a distance of 1 unless the row
says otherwise.
"""

from __future__ import annotations

from tests.libraries.cases import Case, Environment

__all__ = ["ENVIRONMENTS"]

_SETUP = "from math import log\nfrom diffprivlib.mechanisms import *\n"
_NEAR = "abs(a - b) == 1"
_WHOLE = (0, 1, 2)


def _float(call: str, stated: str = "1", note: str = "") -> Case:
    return Case(call, stated, (0.0, 1.0), _SETUP, how="sampled", note=note, draws=10_000)


_UTILITIES = ((0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0))
_CHOICES = "all(abs(c - d) <= 1 for c, d in zip(a, b))"


def _choice(call: str, note: str = "utilities that differ by at most 1") -> Case:
    return Case(call, "1", _UTILITIES, _SETUP, neighbours=_CHOICES, note=note)


_CASES = (
    Case('Binary(epsilon=1, value0="0", value1="1").randomise(x)', "1", ("0", "1"), _SETUP),
    Case('Binary(epsilon=log(3), value0="0", value1="1").randomise(x)', "ln(3)", ("0", "1"),
         _SETUP),
    _choice("Exponential(epsilon=1, sensitivity=1, utility=list(x)).randomise()"),
    Case("Exponential(epsilon=1, sensitivity=1, utility=list(x), monotonic=True).randomise()", "1",
         ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)), _SETUP,
         neighbours="all(0 <= d - c <= 1 for c, d in zip(a, b)) or "
         "all(0 <= c - d <= 1 for c, d in zip(a, b))",
         note="utilities that move one way, by at most 1"),
    _choice(
        "Exponential(epsilon=1, sensitivity=1, utility=list(x), measure=[1, 2, 3]).randomise()"
    ),
    _choice("PermuteAndFlip(epsilon=1, sensitivity=1, utility=list(x)).randomise()"),
    Case("ExponentialCategorical(epsilon=1, utility_list=u).randomise(x)", "1", ("a", "b", "c"),
         f'{_SETUP}u = [["a", "b", 1], ["a", "c", 2], ["b", "c", 2]]'),
    Case("ExponentialHierarchical(epsilon=1, hierarchy=h).randomise(x)", "1",
         ("a", "b", "c", "d"), f'{_SETUP}h = [["a", "b"], ["c", "d"]]'),
    Case("GeometricTruncated(epsilon=1, lower=0, upper=2).randomise(x)", "1", _WHOLE, _SETUP,
         neighbours=_NEAR),
    Case("GeometricFolded(epsilon=1, lower=0, upper=2).randomise(x)", "1", _WHOLE, _SETUP,
         neighbours=_NEAR),
    Case("GeometricTruncated(epsilon=1, sensitivity=2, lower=0, upper=2).randomise(x)", "1",
         _WHOLE, _SETUP, note="any two of the inputs are neighbours"),
    Case("Geometric(epsilon=1).randomise(x)", "1", _WHOLE, _SETUP, neighbours=_NEAR),
    Case("GaussianDiscrete(epsilon=1, delta=0.1).randomise(x)", "1, 1/10", (0, 1), _SETUP,
         how="sampled", draws=2_000),
    _float("Laplace(epsilon=1, sensitivity=1).randomise(x)"),
    _float("Laplace(epsilon=1, delta=0.1, sensitivity=1).randomise(x)", "1, 1/10"),
    _float("LaplaceTruncated(epsilon=1, sensitivity=1, lower=0, upper=1).randomise(x)"),
    _float("LaplaceFolded(epsilon=1, sensitivity=1, lower=0, upper=1).randomise(x)"),
    _float("LaplaceBoundedDomain(epsilon=1, sensitivity=1, lower=0, upper=1).randomise(x)"),
    _float("LaplaceBoundedNoise(epsilon=1, delta=0.1, sensitivity=1).randomise(x)", "1, 1/10"),
    _float("Gaussian(epsilon=1, delta=0.1, sensitivity=1).randomise(x)", "1, 1/10"),
    _float("GaussianAnalytic(epsilon=1, delta=0.1, sensitivity=1).randomise(x)", "1, 1/10"),
    _float("Uniform(delta=0.25, sensitivity=1).randomise(x)", "0, 1/4"),
    _float("Staircase(epsilon=1, sensitivity=1).randomise(x)"),
    _float("Snapping(epsilon=1, sensitivity=1, lower=0, upper=1).randomise(x)",
           note="without crlibm, as it installs"),
    Case("Bingham(epsilon=1, sensitivity=1).randomise(np.diag(x))", "1", ((0.0, 0.0), (1.0, 0.0)),
         f"{_SETUP}import numpy as np", how="sampled", draws=4_000,
         note="covariances whose difference has the spectral norm 1"),
    Case("Vector(epsilon=1, function_sensitivity=1, dimension=2).randomise(x)", "1", (), how="read",
         note="what it gives is an objective with a random linear term; the stated ε is that of "
         "the point that minimises it, so that it has no law of its own to be held to"),
)  # fmt: skip

ENVIRONMENTS = (
    Environment(
        "diffprivlib",
        "0.6.6",
        _CASES,
        ("scikit-learn==1.6.1", "joblib==1.6.0"),
        note="it does not import with scikit-learn 1.9.1, which its requirements allow; 1.6.1 is "
        "installed.",
    ),
)
