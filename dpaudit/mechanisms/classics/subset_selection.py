"""Subset selection: a set of values that is likelier to hold the user's than not.

Ye and Barg 2018, "Optimal schemes for discrete distribution estimation under locally differential
privacy"; Wang, Huang, Wang, Nie, Xu, Yang, Li and Qiao 2016, "Mutual information optimally local
private discrete distribution estimation".
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, exp
from typing import TYPE_CHECKING, ClassVar

from dpaudit.errors import ParameterError
from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.mechanisms.classics import base as classic
from dpaudit.mechanisms.parameters import WholeParameter
from dpaudit.numbers.real import ONE, Real, rational

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["SubsetSelection"]

ROW = ("randomised by each user", "SubsetSelection")

MOST_SUBSETS = 5000
"""Largest number of outputs, which are written out."""


@lru_cache(maxsize=1 << 10)
def _table(epsilon: Real, k: int, d: int, value: int) -> Table:
    weight = epsilon.exp()
    shown: dict[Hashable, Real] = {
        subset: weight if value in subset else ONE for subset in combinations(range(k), d)
    }
    return Table(shown, rational(comb(k - 1, d - 1)) * weight + rational(comb(k - 1, d)))


@dataclass(frozen=True)
class SubsetSelection(classic.LocalMechanism):
    """Subset selection: so many of k values, each set with the true one e^ε times as likely."""

    epsilon: Real
    k: int
    subset: int

    name: ClassVar = "SubsetSelection"
    source: ClassVar = (
        'Ye and Barg 2018, "Optimal schemes for discrete distribution estimation under locally '
        'differential privacy"'
    )
    definition: ClassVar = (
        "P(S) = e^ε/w if x ∈ S, 1/w if not, |S| = d (subset) of k values, "
        "w = C(k − 1, d − 1)·e^ε + C(k − 1, d); one user, n = 1"
    )
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (
        classic.EPSILON,
        classic.VALUES,
        WholeParameter(
            "subset", "the number d of values in a set", "2", "with 1 it is kRR", least=1, most=299
        ),
    )

    def __post_init__(self) -> None:
        """Refuse sets of all values, and more sets than are written out."""
        d, k = self.subset, self.k
        if d >= k:
            raise ParameterError("subset", f"subset = {d}: must be below k = {k}")
        if comb(k, d) > MOST_SUBSETS:
            raise ParameterError(
                "subset", f"subset = {d} of k = {k}: {comb(k, d)} sets; at most {MOST_SUBSETS}"
            )

    @property
    def values_of_a_user(self) -> Sequence[int]:
        return range(self.k)

    def draw(self, dataset: int, size: int, rng: Generator) -> NDArray[np.int64]:
        import numpy as np

        weight = exp(float(self.epsilon))
        true = weight * self.subset / (weight * self.subset + self.k - self.subset)
        others = np.array([value for value in range(self.k) if value != dataset])
        order = np.argsort(rng.random((size, self.k - 1)), axis=1)
        found = others[order[:, : self.subset]]
        found[classic.toss(true, size, rng), 0] = dataset
        return np.sort(found, axis=1)

    def law(self, dataset: int) -> IndependentLaw:
        return IndependentLaw((_table(self.epsilon, self.k, self.subset, dataset),), bare=True)
