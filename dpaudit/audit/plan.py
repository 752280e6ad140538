"""What an audit is asked to do, apart from the mechanism and the sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.errors import SizeError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from dpaudit.data.adjacency import Adjacency
    from dpaudit.exact.real import Real
    from dpaudit.mechanisms.base import Budget, Mechanism

__all__ = ["DEFAULT_DIGITS", "ENGINES", "MAX_DIGITS", "WORTH_A_SCREEN", "Pairs", "Plan"]

DEFAULT_DIGITS = 12
MAX_DIGITS = 1000
ENGINES = ("screen", "ball")
"""How pairs are looked at; see :attr:`Plan.engine`.  The findings are the same."""
WORTH_A_SCREEN = 24
"""Fewer pairs are looked at in balls sooner than a screen is set up."""


@dataclass(frozen=True)
class Plan:
    """The questions of one audit."""

    budget: Budget
    """What the verdict is about."""
    at_eps: tuple[Real, ...] = ()
    """Other ε at which δ(ε) is wanted."""
    adjacency: str | None = None
    """The neighbouring relation; None for the mechanism's own."""
    at: tuple[int, ...] | str | None = None
    """Only pairs that contain this dataset, ``uniform`` data or data of that text; None for all."""
    digits: int = DEFAULT_DIGITS
    """Intervals are to be at most 10^−digits wide."""
    engine: str = "screen"
    """``screen`` for floats first and balls for what they leave; ``ball`` for balls throughout."""
    precision_cap: int = 1024
    """Bits at which an undecided verdict is reported as undecided."""


class Pairs:
    """The pairs that one audit has to cover at one size."""

    def __init__(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> None:
        """Resolve the relation and the restriction; ``SizeError`` for a dataset that is not one.

        Raises ``AmbiguousRelationError`` where the relation may be either of two.
        """
        mechanism.check_size(n)
        self.n = n
        self.relation: Adjacency[Any] = mechanism.adjacency(plan.adjacency)
        self.relation.check_reading(n)
        self.only: frozenset[Hashable] | None = None
        if plan.at is not None:
            self.only = frozenset(_chosen(mechanism, n, plan.at))
            for dataset in self.only:
                if dataset not in self.relation.datasets(n):
                    raise SizeError(
                        f"at = {dataset}: not a dataset of {mechanism.name} at n = {n} "
                        f"({_shape(mechanism)})"
                    )

            if not self.expected:
                raise SizeError(f"at = {plan.at}: it has no neighbours at n = {n}")

    @property
    def datasets(self) -> int:
        """How many datasets the pairs are drawn from."""
        return self.relation.dataset_count(self.n)

    @property
    def expected(self) -> int:
        """How many pairs there are, without enumerating them as :meth:`__iter__` does."""
        if self.only is None:
            return self.relation.pair_count(self.n)
        adjacent = self.relation.adjacent
        inside = sum(adjacent(x, y) for x in self.only for y in self.only) // 2
        return sum(self.relation.degree(self.n, x) for x in self.only) - inside

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Iterate over the pairs, each once."""
        if self.only is None:
            return iter(self.relation.pairs(self.n))
        return iter(self.relation.pairs_around(self.n, self.only))


def _chosen(mechanism: Mechanism[Any], n: int, at: tuple[int, ...] | str) -> list[Any]:
    """Return the datasets that ``at`` stands for."""
    if at == "uniform":
        return mechanism.uniform(n)
    return mechanism.dataset_named(at, n) if isinstance(at, str) else [at]


def _shape(mechanism: Mechanism[Any]) -> str:
    if mechanism.dataset_shape:
        return mechanism.dataset_shape
    k = getattr(mechanism, "k", None)
    numbers = f"{k} numbers ≥ 0" if k is not None else "numbers ≥ 0"
    return f"its counts must be {numbers} and sum to n"
