"""k runs of a mechanism on the same data: the exact joint law, merged by privacy loss.

The loss of k independent runs is the sum of their losses, and δ depends only on how much mass each
sum has.  So the joint law is a table loss → (mass under Pᵏ, mass under Qᵏ); sums that are equal in
closed form are one entry.  Where there are few multisets of k outcomes, each is one multinomial
term; where losses lie on a lattice with fewer points, the table is a power of a polynomial.
Nothing is rounded onto a grid and no tail is cut: masses are integers over a common denominator,
closed forms, or balls.

Outputs of only one side, and tails that a law does not list, are not in the table.  Pᵏ puts mass
1 − Fᵏ outside it, F the mass of P in it.  Of that, what certainly meets an output that Q lacks
counts in full; the rest counts in full from above and not at all from below.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, repeat
from math import comb, prod
from operator import mul
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ParameterError
from dpaudit.laws.law import Mass
from dpaudit.numbers.ball import Ball, Sign, ball, decide_sign, nonnegative, sign
from dpaudit.numbers.laurent import convolved_power
from dpaudit.numbers.real import ONE, ZERO, Real, rational

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.questions.account.outcomes import LossClass, Outcomes

__all__ = ["CLOSED_LIMIT", "TABLE_LIMIT", "Composed", "compose", "joint_bound"]

TABLE_LIMIT = 1_000_000
"""Joint losses, summed over pairs, beyond which a composition is refused."""

CLOSED_LIMIT = 24
"""Joint losses beyond which closed forms are given up for balls."""

_MOST_BITS = 1 << 27
"""Bits of a table beyond which whole numbers are given up for balls."""


@dataclass(frozen=True)
class Composed:
    """The joint law of k runs under P and under Q."""

    one: Outcomes
    """The outcomes of one run, whose kind is that of the table's masses."""
    runs: int
    """k."""
    table: tuple[tuple[Any, Any], ...]
    """(mass under Pᵏ, mass under Qᵏ) for each finite joint loss."""

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        """Return δ(ε) = Σ (Pᵏ − e^ε·Qᵏ)₊ (sides exchanged if not ``forward``)."""
        sides = self.table if forward else tuple((q, p) for p, q in self.table)
        if self.one.kind == "rational":
            inside = self._rational(sides, epsilon)
        elif self.one.kind == "closed":
            inside = self._closed(sides, epsilon)
        else:
            factor = epsilon.exp().ball()
            total = sum((nonnegative(p - factor * q) for p, q in sides), Ball(0))
            inside = Mass(total, None)
        return self._with_outside(inside, forward=forward)

    def outside(self, *, forward: bool) -> Ball:
        """Return the mass of infinite loss, with all that may be."""
        return self._with_outside(Mass(Ball(0), ZERO), forward=forward).ball

    def _with_outside(self, inside: Mass, *, forward: bool) -> Mass:
        """Add what lies outside the table: the mass of outputs that the other side lacks."""
        finite = [one.p if forward else one.q for one in self.one.finite]
        lacking = self.one.only_p if forward else self.one.only_q
        if self.one.kind == "rational":
            exact = 1 - Fraction(sum(finite), self.one.unit) ** self.runs
            value = None if inside.exact is None else inside.exact + rational(exact)
            return Mass(inside.ball + ball(exact), value)
        if self.one.kind == "closed":
            total = sum(finite, ZERO)
            if total == ONE:
                return inside
            outside = ONE - total**self.runs
            value = None if inside.exact is None else inside.exact + outside
            return Mass(inside.ball + outside.ball(), value)
        held: Ball = sum(finite, Ball(0))
        certain: Ball = (held + lacking) ** self.runs - held**self.runs
        return Mass(inside.ball + certain.union(1 - held**self.runs), None)

    def _rational(self, sides: tuple[tuple[Any, Any], ...], epsilon: Real) -> Mass:
        factor, unit = epsilon.exp(), self.one.unit**self.runs
        ratio = factor.as_fraction()
        if ratio is not None:
            a, b = ratio.denominator, ratio.numerator
            total = sum(max(0, a * p - b * q) for p, q in sides)
            exact = Fraction(total, a * unit)
            return Mass(ball(exact), rational(exact))
        p_total = q_total = 0
        doubtful = Ball(0)
        for p, q in sides:
            found = sign(Ball(p) - factor.ball() * q)
            if found is Sign.UNDECIDED:
                found = _decided(factor, p, q)
            if found is Sign.POSITIVE:
                p_total, q_total = p_total + p, q_total + q
            elif found is Sign.UNDECIDED:
                doubtful += nonnegative(Ball(p) - factor.ball() * q)
        value = rational(Fraction(p_total, unit)) - factor * rational(Fraction(q_total, unit))
        if sign(doubtful) is Sign.ZERO:
            return Mass(value.ball(), value)
        return Mass(value.ball() + doubtful / unit, None)

    def _closed(self, sides: tuple[tuple[Any, Any], ...], epsilon: Real) -> Mass:
        factor = epsilon.exp()
        value, doubtful = ZERO, Ball(0)
        for p, q in sides:
            difference = p - factor * q
            found = difference.sign()
            if found is Sign.POSITIVE:
                value += difference
            elif found is Sign.UNDECIDED:
                doubtful += nonnegative(difference.ball())
        if sign(doubtful) is Sign.ZERO:
            return Mass(value.ball(), value)
        return Mass(value.ball() + doubtful, None)


def _decided(factor: Real, p: int, q: int) -> Sign:
    return decide_sign(lambda: Ball(p) - factor.ball() * q)


def joint_bound(one: Outcomes, runs: int) -> int:
    """Return a bound on how many joint losses ``runs`` runs have.

    It is the least of how many multisets of outcomes there are and how many points the box of
    their vectors has.
    """
    if not one.finite:
        return 1
    multisets = comb(runs + len(one.finite) - 1, runs)
    return min(multisets, prod(runs * side + 1 for side in _sides(one.finite)))


def _sides(finite: tuple[LossClass, ...]) -> list[int]:
    return [max(column) for column in zip(*(one.vector for one in finite), strict=True)]


def compose(one: Outcomes, runs: int, *, limit: int = TABLE_LIMIT) -> Composed:
    """Return the joint law of ``runs`` ≥ 1 independent runs at the working precision.

    Raises ``ParameterError`` where the table may have more than ``limit`` entries.
    """
    bound = joint_bound(one, runs)
    if bound > limit:
        raise ParameterError(
            "compose",
            f"compose = {runs}: a pair with {len(one.finite)} different privacy losses has up to "
            f"{_count(bound)} combinations of them; {TABLE_LIMIT} are allowed over all pairs, and "
            f"{limit} are left for this one; compose fewer runs",
        )
    if one.kind == "closed" and bound > CLOSED_LIMIT:
        one = one.as_balls()
    if one.kind == "rational" and bound * runs * one.unit.bit_length() > _MOST_BITS:
        one = one.as_balls()
    keyed = _merged(zip(_keys(one.finite, runs), ((x.p, x.q) for x in one.finite), strict=True))
    if one.kind == "closed" or comb(runs + len(keyed) - 1, runs) <= bound:
        table = _merged(_multisets(list(keyed.items()), runs)) if keyed else {}
    else:
        p, q = (
            convolved_power({key: masses[side] for key, masses in keyed.items()}, runs)
            for side in (0, 1)
        )
        table = {key: (p.get(key, 0), q.get(key, 0)) for key in p.keys() | q.keys()}
    return Composed(one, runs, tuple(table[key] for key in sorted(table)))


def _multisets(classes: list[tuple[int, tuple[Any, Any]]], runs: int) -> Iterator[Any]:
    """Give (key, (mass under Pᵏ, mass under Qᵏ)) of every multiset of ``runs`` outcomes."""
    powers = [
        [list(accumulate(repeat(mass, runs), mul, initial=mass**0)) for mass in masses]
        for _, masses in classes
    ]
    whole = rational if isinstance(powers[0][0][0], Real) else int
    begun = [(runs, 0, powers[0][0][0], powers[0][0][0])]  # (runs left, key, both masses)
    for (shift, _), (of_p, of_q) in zip(classes[:-1], powers, strict=False):
        going = []
        for left, key, p, q in begun:
            going.append((left, key, p, q))
            for count in range(1, left + 1):
                ways = whole(comb(left, count))
                masses = p * of_p[count] * ways, q * of_q[count] * ways
                if count == left:
                    yield key + count * shift, masses
                else:
                    going.append((left - count, key + count * shift, *masses))
        begun = going
    for left, key, p, q in begun:
        yield key + left * classes[-1][0], (p * powers[-1][0][left], q * powers[-1][1][left])


def _count(number: int) -> str:
    return str(number) if number < 10**9 else f"10^{len(str(number))}"


def _keys(finite: tuple[LossClass, ...], runs: int) -> Iterator[int]:
    """Give every vector as one integer whose sums over ``runs`` runs never carry."""
    sides = _sides(finite) if finite else []
    for one in finite:
        key = 0
        for coordinate, side in zip(one.vector, sides, strict=True):
            key = key * (runs * side + 1) + coordinate
        yield key


def _merged(entries: Any) -> dict[int, tuple[Any, Any]]:
    table: dict[int, tuple[Any, Any]] = {}
    for key, (p, q) in entries:
        if key in table:
            a, b = table[key]
            table[key] = a + p, b + q
        else:
            table[key] = p, q
    return table
