"""Laws of independent coordinates with a few exact values each: answers to yes/no questions.

A randomiser that treats the bits of its input one by one has a product law.  Two such laws differ
in a few coordinates only, and coordinates that differ alike are interchangeable: what counts is how
many of them fall into each cell of equal loss.  With m coordinates that differ alike, of c cells
each, there are C(m + c − 1, c − 1) cases instead of cᵐ, and a coordinate with the same law on both
sides contributes nothing, so that nothing of the size of the output space is ever built.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import factorial, prod

from dpaudit.data.histograms import Counts, Histograms
from dpaudit.laws.law import (
    EXACT_FROM,
    Atom,
    Divergence,
    Law,
    Loss,
    Mass,
    exact_excess,
    infinite_loss,
    largest,
)
from dpaudit.numbers.ball import Ball, maximum, minimum, working_precision
from dpaudit.numbers.real import ONE, ZERO, Real, rational

__all__ = ["IndependentDivergence", "IndependentLaw", "Table", "log_ratio"]


def log_ratio(p: Real, q: Real) -> Real:
    """Return ln(p/q) for p, q > 0, in the form in which equal losses are seen to be equal.

    >>> from dpaudit.numbers.real import real
    >>> print(log_ratio(real("3/4"), real("1/4")))
    ln(3)
    """
    if len(p.coordinates()) == len(q.coordinates()) == 1:
        return p.ln() - q.ln()
    quotient = p.monomial_quotient(q)
    return quotient.ln() if quotient is not None else p.ln() - q.ln()


class Table:
    """The law of one coordinate: its values with exact weights, none of them 0, and their total.

    Sums of weights stay sums of the simple terms that weights are made of, and are divided by the
    total last: so equal masses are seen to be equal.  Tables are compared by identity; whoever
    makes the same one twice keeps it.
    """

    def __init__(self, weights: Mapping[Hashable, Real], total: Real | None = None) -> None:
        """Take the weights, without those that are exactly 0, and their sum if it is known."""
        self.weights = {value: weight for value, weight in weights.items() if weight != ZERO}
        self.total = sum(self.weights.values(), ZERO) if total is None else total

    def weight(self, value: Hashable) -> Real:
        """Return the weight of ``value``, 0 for one outside the support."""
        return self.weights.get(value, ZERO)

    def probability(self, value: Hashable) -> Real:
        """Return the probability of ``value``, 0 for one outside the support."""
        return self.weight(value) / self.total


@dataclass(frozen=True, slots=True)
class _Cell:
    """The values of one coordinate that have one probability under P and one under Q."""

    p: Real
    """The weight of all of them under P."""
    q: Real
    """The weight of all of them under Q."""
    loss: Real | None
    """ln(P/Q) of each, None where one side is 0."""
    value: Hashable
    """One of them."""


@lru_cache(maxsize=1 << 12)
def _cells(p: Table, q: Table) -> tuple[_Cell, ...]:
    grouped: dict[tuple[Real, Real], list[Hashable]] = defaultdict(list)
    for value in {**p.weights, **q.weights}:
        grouped[p.weight(value), q.weight(value)].append(value)
    # ln(P/Q) of weights misses the quotient of the totals.
    shift = ZERO if p.total == q.total else log_ratio(q.total, p.total)
    return tuple(
        _Cell(
            rational(len(values)) * a,
            rational(len(values)) * b,
            None if ZERO in (a, b) else log_ratio(a, b) + shift,
            values[0],
        )
        for (a, b), values in grouped.items()
    )


@lru_cache(maxsize=1 << 12)
def _largest(p: Table, q: Table, forward: bool) -> tuple[_Cell, ...]:
    """Return a cell with the largest loss in one direction, an infinite one if there is one.

    Several where no precision tells which of them it is.
    """
    possible = [cell for cell in _cells(p, q) if (cell.p if forward else cell.q) != ZERO]
    for cell in possible:
        if cell.loss is None:
            return (cell,)
    losses = ((cell, cell.loss) for cell in possible if cell.loss is not None)
    return tuple(largest((cell, loss if forward else -loss) for cell, loss in losses))


def _loss_of(p: Table, q: Table, value: Hashable) -> Real:
    """Return the loss at a ``value`` that both sides can give."""
    weights = p.weight(value), q.weight(value)
    for cell in _cells(p, q):
        if cell.loss is not None and (p.weight(cell.value), q.weight(cell.value)) == weights:
            return cell.loss
    raise ValueError(f"{value} is an output of only one of the two datasets")


class IndependentLaw(Law):
    """Independent coordinates; the output is the tuple of their values.

    With ``bare`` there is one coordinate, and the output is its value.
    """

    def __init__(self, factors: tuple[Table, ...], *, bare: bool = False) -> None:
        """Take one table for each coordinate."""
        self.factors = factors
        self.bare = bare

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another law of as many coordinates."""
        if not isinstance(other, IndependentLaw) or len(other.factors) != len(self.factors):
            raise TypeError(
                "two neighbouring datasets give outputs with different numbers of entries; "
                "dpaudit cannot compare these"
            )
        return IndependentDivergence(self, other)

    def vector(self, output: Hashable) -> tuple[Hashable, ...]:
        """Return the values of the coordinates behind an ``output``."""
        if self.bare:
            return (output,)
        assert isinstance(output, tuple)
        return output

    def output(self, vector: tuple[Hashable, ...]) -> Hashable:
        """Return the output that shows ``vector``."""
        return vector[0] if self.bare else vector

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of ``output``."""
        vector = self.vector(output)
        value = ZERO if len(vector) != len(self.factors) else ONE
        for factor, part in zip(self.factors, vector, strict=value == ONE):
            value *= factor.probability(part)
        return Mass(value.ball(), value)

    def outputs(self) -> list[Hashable]:
        return [self.output(vector) for vector in product(*(f.weights for f in self.factors))]

    def output_count(self) -> int:
        """Return the product of the sizes of the supports."""
        return prod(len(factor.weights) for factor in self.factors)


@dataclass(frozen=True, slots=True)
class _Group:
    """Coordinates that differ alike: their indices and the two tables."""

    p: Table
    q: Table
    indices: tuple[int, ...]

    def splits(self) -> Iterator[Counts]:
        """Iterate over how many of the coordinates fall into each cell."""
        return iter(Histograms(len(self.indices), len(_cells(self.p, self.q))))


class IndependentDivergence(Divergence):
    """Two product laws; only the coordinates whose tables differ take part."""

    def __init__(self, p: IndependentLaw, q: IndependentLaw) -> None:
        """Take the law of the numerator, and that of the denominator."""
        self.p = p
        self.q = q
        alike: dict[tuple[Table, Table], list[int]] = defaultdict(list)
        for index, pair in enumerate(zip(p.factors, q.factors, strict=True)):
            # By identity: a table that is made twice is kept, so equal ones are the same.
            if pair[0] is not pair[1]:
                alike[pair].append(index)
        self.groups = [_Group(*pair, tuple(indices)) for pair, indices in alike.items()]

    def _output(self, splits: tuple[Counts, ...]) -> Hashable:
        """Return an output with so many coordinates of each group in each cell."""
        vector = [next(iter(factor.weights)) for factor in self.p.factors]
        for group, split in zip(self.groups, splits, strict=True):
            cells = _cells(group.p, group.q)
            chosen = [cell for cell, count in zip(cells, split, strict=True) for _ in range(count)]
            for index, cell in zip(group.indices, chosen, strict=True):
                vector[index] = cell.value
        return self.p.output(tuple(vector))

    def max_loss(self, *, forward: bool) -> Loss:
        splits = []
        total, ball = ZERO, Ball(0)
        told = finite = True
        for group in self.groups:
            cells = _cells(group.p, group.q)
            best, *others = _largest(group.p, group.q, forward)
            count = rational(len(group.indices))
            splits.append(tuple(len(group.indices) * (cell is best) for cell in cells))
            if best.loss is None:
                finite = False
                continue
            # No precision tells which is the largest, so there is no closed form.
            told = told and not others
            total += count * best.loss
            losses = [cell.loss.ball() for cell in (best, *others) if cell.loss is not None]
            ball += count.ball() * (maximum if forward else minimum)(losses)
        output = self._output(tuple(splits))
        if not finite:
            return infinite_loss(output)
        if told:
            return _loss(total, output, forward=forward)
        return Loss(ball if forward else -ball, None, output)

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = (self.p, self.q) if forward else (self.q, self.p)
        vector = self.p.vector(output)
        if p.probability(output).exact == ZERO:
            raise ValueError(f"{output} is not an output on this side")
        if q.probability(output).exact == ZERO:
            return infinite_loss(output)
        total = ZERO
        for group in self.groups:
            for index in group.indices:
                total += _loss_of(group.p, group.q, vector[index])
        return _loss(total, output, forward=forward)

    def _joint(self, *, forward: bool) -> Iterator[tuple[Real, Real, Real | None, Hashable]]:
        """Iterate over (P, Q, loss, an output) of the joint cells that the numerator can reach.

        P and Q are weights, to be divided by the products of the totals.
        """
        for splits in product(*(group.splits() for group in self.groups)):
            p, q, loss = ONE, ONE, ZERO
            impossible = False
            for group, split in zip(self.groups, splits, strict=True):
                p, q = _times_multinomial(p, split), _times_multinomial(q, split)
                for cell, count in zip(_cells(group.p, group.q), split, strict=True):
                    if count:
                        p, q = p * _power(cell.p, count), q * _power(cell.q, count)
                        impossible = impossible or cell.loss is None
                        loss += ZERO if cell.loss is None else rational(count) * cell.loss
            a, b, signed = (p, q, loss) if forward else (q, p, -loss)
            # What the numerator cannot reach adds nothing to a divergence.
            if a != ZERO:
                yield a, b, None if impossible else signed, self._output(splits)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        above, below = self._totals(forward=forward)

        def difference(p: Real, q: Real) -> Real:
            return (p * below - epsilon.exp() * q * above) / (above * below)

        parts = ((p, q, loss) for p, q, loss, _ in self._joint(forward=forward))
        return exact_excess(parts, epsilon, difference, ZERO)

    def _totals(self, *, forward: bool) -> tuple[Real, Real]:
        """Return the products of the totals of the coordinates that differ."""
        p = q = ONE
        for group in self.groups:
            p *= group.p.total ** len(group.indices)
            q *= group.q.total ** len(group.indices)
        return (p, q) if forward else (q, p)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        above, below = self._totals(forward=forward)
        written_out = working_precision() >= EXACT_FROM
        for p, q, _, output in self._joint(forward=forward):
            exact = (p / above, q / below) if written_out else None
            yield Atom(p.ball() / above.ball(), q.ball() / below.ball(), output, exact)


@lru_cache(maxsize=1 << 12)
def _power(value: Real, count: int) -> Real:
    return value**count


def _loss(total: Real, output: Hashable, *, forward: bool) -> Loss:
    exact = total if forward else -total
    return Loss(exact.ball(), exact, output)


def _times_multinomial(value: Real, split: Counts) -> Real:
    ways = factorial(sum(split)) // prod(map(factorial, split))
    return value if ways == 1 else rational(ways) * value
