"""Algebra of derivations: equations between quotients of polynomials in variables and atoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.claims.atoms import Atoms
from dpaudit.claims.polynomial import Polynomial, constant, variable
from dpaudit.claims.terms import Term

__all__ = ["identical"]


@dataclass(frozen=True)
class _Ratio:
    """A quotient of polynomials."""

    top: Polynomial
    bottom: Polynomial

    def __add__(self, other: _Ratio) -> _Ratio:
        if self.bottom == other.bottom:
            return _Ratio(self.top + other.top, self.bottom)
        return _Ratio(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __mul__(self, other: _Ratio) -> _Ratio:
        return _Ratio(self.top * other.top, self.bottom * other.bottom)


def _ratio(term: Term, atoms: Atoms) -> _Ratio:
    match term.head:
        case "neg":
            return _ratio(term.args[0], atoms) * _Ratio(constant(-1), constant(1))
        case "+" | "*" as head:
            left, right = (_ratio(arg, atoms) for arg in term.args)
            return left + right if head == "+" else left * right
        case "-":
            return _ratio(Term("+", (term.args[0], Term("neg", (term.args[1],)))), atoms)
        case "/":
            divisor = _ratio(term.args[1], atoms)
            return _ratio(term.args[0], atoms) * _Ratio(divisor.bottom, divisor.top)
        case "^" if term.args[1].head == "number" and Fraction(term.args[1].value).denominator == 1:
            power = int(Fraction(term.args[1].value))
            if 0 <= power <= 20:
                base = _ratio(term.args[0], atoms)
                return _Ratio(base.top**power, base.bottom**power)
    return _Ratio(atoms.polynomial(term), constant(1))


_Rules = dict[str, tuple[int, _Ratio]]
"""For an atom: the power from which on it is rewritten, and as what."""


def _rule(equation: Term, atoms: Atoms) -> tuple[str, tuple[int, _Ratio]] | None:
    """Return ``atom^k = …`` for an equation with c·atom^k leading its left side, or None."""
    left, right = _ratio(equation.args[0], atoms), _ratio(equation.args[1], atoms)
    if left.bottom.variables():
        return None
    named = set(atoms.names.values())
    for monomial, q in sorted(left.top.terms, key=lambda term: -sum(p for _, p in term[0])):
        if len(monomial) != 1 or monomial[0][0] not in named:
            continue
        name, power = monomial[0]
        if name in right.top.variables() | right.bottom.variables():
            continue
        rest = left.top - Polynomial.collect({monomial: q})
        if any(dict(m).get(name, 0) >= power for m, _ in rest.terms):
            continue
        scale = constant(left.bottom.constant_term() / q)
        minus = _Ratio(-rest * constant(1 / left.bottom.constant_term()), constant(1))
        return name, (power, (right + minus) * _Ratio(scale, constant(1)))
    return None


def _rewritten(polynomial: Polynomial, rules: _Rules) -> _Ratio:
    total = _Ratio(constant(0), constant(1))
    for monomial, q in polynomial.terms:
        term = _Ratio(constant(q), constant(1))
        for name, power in monomial:
            least, value = rules.get(name, (power + 1, _Ratio(constant(1), constant(1))))
            for _ in range(power // least):
                term = term * value
            term = term * _Ratio(variable(name) ** (power % least), constant(1))
        total = total + term
    return total


def _gamma_rules(atoms: Atoms) -> _Rules:
    """Return Γ(s + k) = s(s + 1)…(s + k − 1)·Γ(s), s the smallest argument a whole number apart."""
    rules: _Rules = {}
    for name, argument in atoms.gammas.items():
        base, apart = name, 0
        for other, smaller in atoms.gammas.items():
            difference = argument - smaller
            steps = difference.constant_term()
            if not difference.variables() and steps.denominator == 1 and apart < steps <= 40:
                base, apart = other, int(steps)
        if apart:
            value = variable(base)
            for step in range(apart):
                value *= atoms.gammas[base] + constant(step)
            rules[name] = (1, _Ratio(value, constant(1)))
    return rules


def identical(equation: Term, equations: Sequence[Term]) -> bool:
    """Return whether an equation follows by algebra, where everything in it is defined."""
    atoms = Atoms()
    sides = [_ratio(side, atoms) for side in equation.args]
    rules: _Rules = {}
    for known in equations:
        if (rule := _rule(known, atoms)) is not None and rule[0] not in rules:
            rules[rule[0]] = rule[1]
    left = (sides[0] + sides[1] * _Ratio(constant(-1), constant(1))).top
    for step in (rules, _gamma_rules(atoms)):
        left = _rewritten(left, step).top
    return not left.terms
