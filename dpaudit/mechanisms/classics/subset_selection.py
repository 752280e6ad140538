"""Subset selection: a set of values that is likelier to hold the user's than not.

Ye and Barg 2018, "Optimal schemes for discrete distribution estimation under locally differential
privacy"; Wang, Huang, Wang, Nie, Xu, Yang, Li and Qiao 2016, "Mutual information optimally local
private discrete distribution estimation".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb, exp
from typing import TYPE_CHECKING, ClassVar

from dpaudit.errors import ParameterError
from dpaudit.mechanisms.classics import base as classic
from dpaudit.mechanisms.classics.supporting import Kind, SupportMechanism
from dpaudit.mechanisms.parameters import WholeParameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["SubsetSelection"]

ROW = ("randomised by each user", "SubsetSelection")


@dataclass(frozen=True)
class SubsetSelection(SupportMechanism):
    """Subset selection: so many of k values, each set with the true one e^ε times as likely."""

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
            "subset", "the number d of values in a set", "2", "with 1 it is kRR", least=1, most=999
        ),
    )

    def __post_init__(self) -> None:
        """Refuse sets of all values."""
        d, k = self.subset, self.k
        if d >= k:
            raise ParameterError("subset", f"subset = {d}: must be below k = {k}")

    def supports(self, output: Hashable, value: int) -> bool:
        assert isinstance(output, tuple)
        return value in output

    def is_output(self, output: Hashable) -> bool:
        return (
            isinstance(output, tuple)
            and len(output) == self.subset
            and all(type(value) is int and 0 <= value < self.k for value in output)
            and all(low < high for low, high in pairwise(output))
        )

    def kinds(self, x: int, y: int) -> dict[Kind, tuple[int, Hashable]]:
        others = [value for value in range(self.k) if value not in (x, y)]
        every: list[Kind] = [(True, True), (True, False), (False, True), (False, False)]
        found: dict[Kind, tuple[int, Hashable]] = {}
        for kind in every if x != y else [(True, True), (False, False)]:
            ends = {value for value, is_in in zip((x, y), kind, strict=True) if is_in}
            rest = self.subset - len(ends)
            if 0 <= rest <= len(others):
                example = tuple(sorted((*ends, *others[:rest])))
                found[kind] = comb(len(others), rest), example
        return found

    def all_outputs(self) -> Iterator[Hashable]:
        return combinations(range(self.k), self.subset)

    def draw(self, dataset: int, size: int, rng: Generator) -> NDArray[np.int64]:
        import numpy as np

        weight = exp(float(self.epsilon))
        true = weight * self.subset / (weight * self.subset + self.k - self.subset)
        others = np.array([value for value in range(self.k) if value != dataset])
        order = np.argsort(rng.random((size, self.k - 1)), axis=1)
        found = others[order[:, : self.subset]]
        found[classic.toss(true, size, rng), 0] = dataset
        return np.sort(found, axis=1)
