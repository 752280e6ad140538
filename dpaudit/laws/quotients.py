"""Tables of rational weights as quotients of whole numbers; closed forms are made when asked for.

A law of many outputs is read, added up and rounded from its whole numbers alone.  Only the laws of
the few pairs that a screen leaves are ever looked at as closed forms.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, ItemsView, Iterator, Mapping, ValuesView
from fractions import Fraction
from typing import Any

from dpaudit.numbers.real import Real, rational

__all__ = ["Quotients"]

Pair = tuple[int, int]


class Quotients(Mapping[Hashable, Real]):
    """A table output → rational weight.

    ``pairs`` has the numerator and the positive denominator of every weight, in lowest terms: two
    tables are the same where these are equal.
    """

    __slots__ = ("_made", "pairs")

    def __init__(self, pairs: dict[Hashable, Pair]) -> None:
        """Keep the numerators and denominators."""
        self.pairs = pairs
        self._made: dict[Hashable, Real] | None = None

    def _table(self) -> dict[Hashable, Real]:
        """Return the closed forms, made at the first use; many outputs may share one."""
        if self._made is None:
            kinds = {pair: rational(Fraction(*pair)) for pair in set(self.pairs.values())}
            self._made = {output: kinds[pair] for output, pair in self.pairs.items()}
        return self._made

    def __getitem__(self, output: Hashable) -> Real:
        """Return a weight."""
        return self._table()[output]

    def __iter__(self) -> Iterator[Hashable]:
        """Iterate over the outputs."""
        return iter(self.pairs)

    def __len__(self) -> int:
        """Return the number of outputs."""
        return len(self.pairs)

    def __contains__(self, output: object) -> bool:
        """Tell whether there is such an output."""
        return output in self.pairs

    def items(self) -> ItemsView[Hashable, Real]:
        """Return the outputs with their weights."""
        return self._table().items()

    def values(self) -> ValuesView[Real]:
        """Return the weights."""
        return self._table().values()

    def ordered(self, key: Callable[[Hashable], Any]) -> Quotients:
        """Return the same table with its outputs in the order of a key."""
        return Quotients({output: self.pairs[output] for output in sorted(self.pairs, key=key)})

    def positive(self) -> Quotients | None:
        """Return the table without weights of 0; None if one is below 0 or none above it."""
        least = min((above for above, _ in self.pairs.values()), default=0)
        if least > 0:
            return self
        kept = {output: pair for output, pair in self.pairs.items() if pair[0]}
        return None if least < 0 or not kept else Quotients(kept)

    def total(self) -> Fraction:
        """Return the sum of the weights; those of one denominator are added up first."""
        sums: dict[int, int] = {}
        for above, below in self.pairs.values():
            sums[below] = sums.get(below, 0) + above
        return sum((Fraction(above, below) for below, above in sums.items()), Fraction(0))
