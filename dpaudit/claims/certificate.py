"""Positivity certificates, checked in exact rational arithmetic by the few lines below.

The first two forms have the shape "this polynomial is a combination, with non-negative
coefficients, of products of things that are non-negative on the domain":

* :class:`OrthantCertificate`: after substituting ``b = 2 + s``, ``a = b + t`` with s, t ≥ 0, every
  coefficient is non-negative (and some monomial is positive throughout, for strictness);
* :class:`SumOfProducts`: the polynomial is written out as Σ cᵢ·Π hypotheses, cᵢ ≥ 0.

A :class:`BoxCertificate` goes by Bernstein coefficients.  On a box a polynomial is a combination of
Bernstein polynomials Π C(d, i)·u^i·(1 − u)^(d − i), u running from 0 to 1 in each direction.  These
are ≥ 0 and add up to 1, so the polynomial is at least its least coefficient.  Where that is
negative the box is halved; the coefficients of the halves are averages of those of the whole (de
Casteljau's algorithm).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Settings, Status
from dpaudit.claims.polynomial import (
    Polynomial,
    constant,
    names_in,
    polynomial_of,
    variable,
)
from dpaudit.claims.terms import parse, substitute
from dpaudit.results.claims import Statement, Variable

__all__ = ["BoxCertificate", "OrthantCertificate", "SumOfProducts"]


def _without_range(positive: str, ranges: Mapping[str, object]) -> EvidenceResult | None:
    """Return that a certificate fails for variables without a range, or None."""
    missing = polynomial_of(positive).variables() - ranges.keys()
    if not missing:
        return None
    return EvidenceResult(Status.FAILS, f"no range is given for {', '.join(sorted(missing))}")


@dataclass(frozen=True, kw_only=True)
class OrthantCertificate(Evidence):
    """``positive`` > 0 (or ≥ 0) wherever ``shift`` gives its variables from free ones ≥ 0.

    The domain {a ≥ b ≥ 2} is ``shift = {"b": "2 + s", "a": "2 + s + t"}``: every point of it has
    such s, t ≥ 0.  The shifted polynomial has only non-negative coefficients, so it is ≥ 0; it is
    > 0 if its constant term is, or if the free variables named in ``positive_variables`` are > 0
    on the domain and a monomial of those alone occurs.
    """

    kind: ClassVar[str] = "positivity certificate"

    positive: str
    """The polynomial."""
    shift: dict[str, str]
    """Polynomials for its variables, in free variables that are ≥ 0."""
    strict: bool = True
    """True if > 0 is claimed, False if only ≥ 0."""
    positive_variables: tuple[str, ...] = ()
    """Free variables that are > 0, not only ≥ 0, on the domain."""

    def shifted(self) -> Polynomial:
        """Return the polynomial in the free variables."""
        substitution = {name: polynomial_of(text) for name, text in self.shift.items()}
        return polynomial_of(self.positive).substitute(substitution)

    def states(self) -> Statement:
        """Return what is proved: the shifted polynomial's sign where the free variables are ≥ 0."""
        texts = {name: parse(text) for name, text in self.shift.items()}
        free = sorted({name for text in self.shift.values() for name in names_in(text)})
        shifted = substitute(parse(self.positive), texts)
        sign = ">" if self.strict else ">="
        return Statement(
            variables=tuple(Variable(name, "real") for name in free),
            domain=tuple(f"{x} {'>' if x in self.positive_variables else '>='} 0" for x in free),
            proposition=f"{shifted} {sign} 0",
        )

    def check(self, settings: Settings) -> EvidenceResult:
        polynomial = self.shifted()
        if missing := _without_range(self.positive, self.shift):
            return missing
        negative = [q for q in polynomial.coefficients() if q < 0]
        if negative:
            return EvidenceResult(
                Status.FAILS, f"{len(negative)} coefficients are negative: {polynomial}"
            )
        if self.strict and not self._has_positive_term(polynomial):
            return EvidenceResult(Status.FAILS, f"no term is positive throughout: {polynomial}")
        count = len(polynomial.coefficients())
        sign = ">" if self.strict else "≥"
        return EvidenceResult(
            Status.HOLDS, f"{count} coefficients, none negative: {polynomial} {sign} 0"
        )

    def _has_positive_term(self, polynomial: Polynomial) -> bool:
        free = set(self.positive_variables)
        return any({name for name, _ in monomial} <= free for monomial, _ in polynomial.terms)

    def explain(self) -> str:
        shift = ", ".join(f"{name} = {text}" for name, text in self.shift.items())
        sign = ">" if self.strict else "≥"
        return f"{self.positive} {sign} 0 with {shift}: it becomes {self.shifted()}"


@dataclass(frozen=True, kw_only=True)
class SumOfProducts(Evidence):
    """``goal`` ≥ 0 because goal = Σ coefficient·Π factors identically, every factor being ≥ 0.

    ``products`` are pairs (coefficient > 0, factors), each factor one of ``hypotheses`` (≥ 0 on
    the domain) or the square of any polynomial, written ``square(…)``.  With ``strict``, the first
    product must consist of hypotheses listed in ``positive`` alone (> 0 on the domain).
    """

    kind: ClassVar[str] = "positivity certificate"

    goal: str
    """The polynomial."""
    hypotheses: tuple[str, ...]
    """Polynomials that are ≥ 0 on the domain."""
    products: tuple[tuple[str, tuple[str, ...]], ...]
    """(coefficient, factors) for each product."""
    strict: bool = False
    """True if > 0 is claimed, False if only ≥ 0."""
    positive: tuple[str, ...] = ()
    """The hypotheses that are > 0 on the domain."""

    def states(self) -> Statement:
        """Return that the goal has its sign where the hypotheses have theirs."""
        names = names_in(self.goal, *self.hypotheses)
        signs = {h: ">" if h in self.positive else ">=" for h in self.hypotheses}
        return Statement(
            variables=tuple(Variable(name, "real") for name in names),
            domain=tuple(f"{h} {sign} 0" for h, sign in signs.items()),
            proposition=f"{self.goal} {'>' if self.strict else '>='} 0",
        )

    def check(self, settings: Settings) -> EvidenceResult:
        if unknown := set(self.positive) - set(self.hypotheses):
            detail = f"{', '.join(sorted(unknown))} is positive, but not among the hypotheses"
            return EvidenceResult(Status.FAILS, detail)
        if not self.products:
            return EvidenceResult(Status.FAILS, "there are no products")
        total = constant(0)
        for coefficient, factors in self.products:
            if Fraction(coefficient) <= 0:
                return EvidenceResult(
                    Status.FAILS, f"the coefficient {coefficient} is not positive"
                )
            product = constant(Fraction(coefficient))
            for factor in factors:
                squared = factor.startswith("square(") and factor.endswith(")")
                if not squared and factor not in self.hypotheses:
                    return EvidenceResult(Status.FAILS, f"{factor} is not among the hypotheses")
                base = polynomial_of(factor[7:-1] if squared else factor)
                product *= base * base if squared else base
            total += product
        difference = polynomial_of(self.goal) - total
        if difference.terms:
            return EvidenceResult(Status.FAILS, f"the products do not add up: {difference} is left")
        if self.strict and not set(self.products[0][1]) <= set(self.positive):
            return EvidenceResult(Status.FAILS, "the first product is not positive throughout")
        return EvidenceResult(Status.HOLDS, f"{len(self.products)} products add up to {self.goal}")

    def explain(self) -> str:
        def text(coefficient: str, factors: tuple[str, ...]) -> str:
            shown = "·".join(f if f.startswith("square(") else f"({f})" for f in factors)
            return (
                shown
                if coefficient == "1" and shown
                else "·".join(filter(None, (coefficient, shown)))
            )

        sign = ">" if self.strict else "≥"
        given = ", ".join(f"{h} {'>' if h in self.positive else '≥'} 0" for h in self.hypotheses)
        return (
            f"{self.goal} = {' + '.join(text(*p) for p in self.products)} {sign} 0, given {given}"
        )


Grid = dict[tuple[int, ...], Fraction]
"""Bernstein coefficients by their index in each direction."""


@dataclass(frozen=True, kw_only=True)
class BoxCertificate(Evidence):
    """``positive`` ≥ 0 (> 0 with ``strict``) on the whole box, its boundary included."""

    kind: ClassVar[str] = "positivity certificate"

    positive: str
    """The polynomial."""
    box: Mapping[str, tuple[str, str]]
    """The least and the largest value of each of its variables."""
    strict: bool = False
    """True if > 0 is claimed, False if only ≥ 0."""
    depth: int = 24
    """Largest number of successive halvings of a box before it counts as undecided."""

    def states(self) -> Statement:
        """Return that the polynomial has its sign on the box."""
        return Statement(
            variables=tuple(Variable(name, "real") for name in sorted(self.box)),
            domain=tuple(f"{low} <= {x} and {x} <= {high}" for x, (low, high) in self.box.items()),
            proposition=f"{self.positive} {'>' if self.strict else '>='} 0",
        )

    def check(self, settings: Settings) -> EvidenceResult:
        if missing := _without_range(self.positive, self.box):
            return missing
        if empty := [x for x, (low, high) in self.box.items() if Fraction(low) > Fraction(high)]:
            return EvidenceResult(Status.FAILS, f"the box is empty in {', '.join(empty)}")
        boxes = 0
        waiting = [(self.coefficients(), 0)]
        while waiting:
            grid, halved = waiting.pop()
            corner = min(value for index, value in grid.items() if _is_corner(index, grid))
            if corner < 0 or (self.strict and corner == 0):
                return EvidenceResult(Status.FAILS, f"the value {float(corner):.3g} occurs")
            least = min(grid.values())
            if least > 0 or (least == 0 and not self.strict):
                boxes += 1
            elif halved == self.depth:
                return EvidenceResult(Status.UNDECIDED, f"not decided after {halved} halvings")
            else:
                waiting.extend((half, halved + 1) for half in _halves(grid, halved))
        sign = ">" if self.strict else "≥"
        return EvidenceResult(Status.HOLDS, f"{boxes} boxes, every Bernstein coefficient {sign} 0")

    def coefficients(self) -> Grid:
        """Return the Bernstein coefficients on the whole box."""
        names = sorted(self.box)
        ends = {name: (Fraction(low), Fraction(high)) for name, (low, high) in self.box.items()}
        unit: Mapping[str, Polynomial] = {
            name: constant(low) + constant(high - low) * variable(name)
            for name, (low, high) in ends.items()
        }
        terms = {
            tuple(dict(monomial).get(name, 0) for name in names): q
            for monomial, q in polynomial_of(self.positive).substitute(unit).terms
        }
        degrees = [max((powers[axis] for powers in terms), default=0) for axis in range(len(names))]
        grid: Grid = {}
        for index in product(*(range(degree + 1) for degree in degrees)):
            grid[index] = sum(
                (
                    q * _share(powers, index, degrees)
                    for powers, q in terms.items()
                    if all(p <= i for p, i in zip(powers, index, strict=True))
                ),
                Fraction(0),
            )
        return grid

    def explain(self) -> str:
        ranges = ", ".join(f"{low} ≤ {name} ≤ {high}" for name, (low, high) in self.box.items())
        return f"{self.positive} {'>' if self.strict else '≥'} 0 for {ranges}"


def _share(powers: tuple[int, ...], index: tuple[int, ...], degrees: list[int]) -> Fraction:
    """Return the coefficient at ``index`` of the monomial u^powers."""
    share = Fraction(1)
    for power, i, degree in zip(powers, index, degrees, strict=True):
        share *= Fraction(comb(i, power), comb(degree, power))
    return share


def _is_corner(index: tuple[int, ...], grid: Grid) -> bool:
    last = max(grid)
    return all(i in (0, end) for i, end in zip(index, last, strict=True))


def _halves(grid: Grid, halved: int) -> tuple[Grid, Grid]:
    """Return the coefficients on the lower and the upper half, along the axes in turn."""
    last = max(grid)
    axes = [axis for axis, end in enumerate(last) if end]
    if not axes:
        return grid, grid
    axis = axes[halved % len(axes)]
    end = last[axis]
    lower, upper, current = {}, {}, dict(grid)
    for step in range(end + 1):
        for index, value in current.items():
            if index[axis] == step:
                lower[index] = value
            if index[axis] == end:
                upper[*index[:axis], end - step, *index[axis + 1 :]] = value
        current = {
            index: (current[*index[:axis], index[axis] - 1, *index[axis + 1 :]] + value) / 2
            for index, value in current.items()
            if index[axis] > step
        }
    return lower, upper
