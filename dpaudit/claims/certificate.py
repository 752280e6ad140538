"""Positivity certificates, checked in exact rational arithmetic by the few lines below.

Two forms, both of the shape "this polynomial is a combination, with non-negative coefficients, of
products of things that are non-negative on the domain":

* :class:`OrthantCertificate`: after substituting ``b = 2 + s``, ``a = b + t`` with s, t ≥ 0, every
  coefficient is non-negative (and some monomial is positive throughout, for strictness);
* :class:`SumOfProducts`: the polynomial is written out as Σ cᵢ·Π hypotheses, cᵢ ≥ 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Settings, Status
from dpaudit.claims.formula import polynomial_of
from dpaudit.claims.polynomial import Polynomial, constant

__all__ = ["OrthantCertificate", "SumOfProducts"]


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
    """What each of its variables is, in free variables that are ≥ 0."""
    strict: bool = True
    """Whether > 0 is claimed, or only ≥ 0."""
    positive_variables: tuple[str, ...] = ()
    """Free variables that are > 0, not only ≥ 0, on the domain."""

    def shifted(self) -> Polynomial:
        """Return the polynomial in the free variables."""
        substitution = {name: polynomial_of(text) for name, text in self.shift.items()}
        return polynomial_of(self.positive).substitute(substitution)

    def check(self, settings: Settings) -> EvidenceResult:
        polynomial = self.shifted()
        unshifted = polynomial_of(self.positive).variables() - self.shift.keys()
        if unshifted:
            return EvidenceResult(
                Status.FAILS, f"no range is given for {', '.join(sorted(unshifted))}"
            )
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
    """Whether > 0 is claimed."""
    positive: tuple[str, ...] = ()
    """The hypotheses that are > 0 on the domain."""

    def check(self, settings: Settings) -> EvidenceResult:
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
