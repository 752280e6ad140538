"""Subset selection: a set of values that is likelier to hold the user's than not.

Ye and Barg 2018, "Optimal schemes for discrete distribution estimation under locally differential
privacy"; Wang, Huang, Wang, Nie, Xu, Yang, Li and Qiao 2016, "Mutual information optimally local
private discrete distribution estimation".
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb, exp
from typing import TYPE_CHECKING, ClassVar

from dpaudit.errors import ParameterError
from dpaudit.laws.independent import IndependentDivergence, IndependentLaw, Table
from dpaudit.laws.law import Divergence, Law, Loss, Mass
from dpaudit.mechanisms.classics import base as classic
from dpaudit.mechanisms.parameters import WholeParameter
from dpaudit.numbers.real import ONE, ZERO, Real, rational

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["SubsetSelection"]

ROW = ("randomised by each user", "SubsetSelection")

Subset = tuple[int, ...]
"""Some of the values, in increasing order."""


@lru_cache(maxsize=1 << 4)
def _kinds(
    epsilon: Real, k: int, d: int, x: int, y: int
) -> tuple[dict[Kind, Subset], Table, Table]:
    """Return a subset of each kind, and the laws of the kind at the values ``x`` and ``y``.

    There are four kinds: with x and y, with one of them, with neither.  All subsets of a kind have
    one probability at x, and one at y, so that nothing is lost about the two.
    """
    odds = epsilon.exp()
    total = rational(comb(k - 1, d - 1)) * odds + rational(comb(k - 1, d))
    others = [value for value in range(k) if value not in (x, y)]
    examples: dict[Kind, Subset] = {}
    at_x: dict[Hashable, Real] = {}
    at_y: dict[Hashable, Real] = {}
    kinds: list[Kind] = [(True, True), (True, False), (False, True), (False, False)]
    for kind in kinds if x != y else [(True, True), (False, False)]:
        size = sum(kind) if x != y else kind[0]
        rest = d - size
        if not 0 <= rest <= len(others):
            continue
        ends = {value for value, is_in in zip((x, y), kind, strict=True) if is_in}
        examples[kind] = subset = tuple(sorted((*ends, *others[:rest])))
        count = rational(comb(len(others), rest))
        at_x[subset], at_y[subset] = (count * odds if is_in else count for is_in in kind)
    return examples, Table(at_x, total), Table(at_y, total)


Kind = tuple[bool, bool]
"""True for each of two values that a subset has."""


class SubsetLaw(Law):
    """The law of the subset that is shown for one value: subsets are not listed to compare two."""

    def __init__(self, mechanism: SubsetSelection, value: int) -> None:
        """Take the mechanism, and the value of the user."""
        self.mechanism, self.value = mechanism, value

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with the law at another value."""
        if not isinstance(other, SubsetLaw) or other.mechanism != self.mechanism:
            raise TypeError("laws of one subset selection are compared")
        return SubsetDivergence(self.mechanism, self.value, other.value)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of a subset, 0 for what is none."""
        m = self.mechanism
        if not _is_subset(output, m.k, m.subset):
            return Mass(ZERO.ball(), ZERO)
        assert isinstance(output, tuple)
        odds = m.epsilon.exp()
        total = rational(comb(m.k - 1, m.subset - 1)) * odds + rational(comb(m.k - 1, m.subset))
        exact = (odds if self.value in output else ONE) / total
        return Mass(exact.ball(), exact)

    def outputs(self) -> list[Hashable] | None:
        """Return all subsets; None where they are too many to be listed."""
        if self.output_count() > _MOST_LISTED:
            return None
        return list(combinations(range(self.mechanism.k), self.mechanism.subset))

    def output_count(self) -> int:
        return comb(self.mechanism.k, self.mechanism.subset)


_MOST_LISTED = 100_000


def _is_subset(output: Hashable, k: int, d: int) -> bool:
    return (
        isinstance(output, tuple)
        and len(output) == d
        and all(type(value) is int and 0 <= value < k for value in output)
        and all(low < high for low, high in pairwise(output))
    )


class SubsetDivergence(IndependentDivergence):
    """Two laws of a subset, compared by the kinds of subsets."""

    def __init__(self, mechanism: SubsetSelection, x: int, y: int) -> None:
        """Take the mechanism, and the values of the numerator and the denominator."""
        m = mechanism
        self.examples, at_x, at_y = _kinds(m.epsilon, m.k, m.subset, x, y)
        self.ends = x, y
        super().__init__(IndependentLaw((at_x,), bare=True), IndependentLaw((at_y,), bare=True))

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        assert isinstance(output, tuple)
        kind = (self.ends[0] in output, self.ends[1] in output)
        return replace(super().loss_at(self.examples[kind], forward=forward), output=output)


@dataclass(frozen=True)
class SubsetSelection(classic.LocalMechanism):
    """Subset selection: so many of k values, each set with the true one e^ε times as likely."""

    pairs_alike: ClassVar = True

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
            "subset", "the number d of values in a set", "2", "with 1 it is kRR", least=1, most=999
        ),
    )

    def __post_init__(self) -> None:
        """Refuse sets of all values."""
        d, k = self.subset, self.k
        if d >= k:
            raise ParameterError("subset", f"subset = {d}: must be below k = {k}")

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

    def law(self, dataset: int) -> SubsetLaw:
        return SubsetLaw(self, dataset)
