"""The terms that closed-form reals are sums of, their balls, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeVar

from dpaudit.errors import PrecisionError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, ball, precision

__all__ = [
    "MAX_EXPONENT",
    "MOST_BITS",
    "UNIT",
    "Atom",
    "ClosedForm",
    "Monomial",
    "finite_ball",
    "integer_logarithm",
    "integer_text",
    "leading_term",
    "prime_powers",
    "product",
    "proportion",
    "radical",
    "write_sum",
]

MAX_EXPONENT = 4096
"""Largest numerator and denominator of an exponent that is read after ``^``."""

MOST_BITS = 1 << 21
"""No ball of a closed form has more bits: enough to see e^(−10⁶) beside 1."""

_MANY_BITS = 14_000  # about 4200 digits


class ClosedForm(Protocol):
    """Interface of the arguments of atoms and exponentials: sums of terms, arithmetic and balls.

    :class:`~dpaudit.numbers.closed_form.Real` is the one such class; this is what terms and signs
    need of it.
    """

    def of(self, terms: Mapping[Monomial[Self], Fraction]) -> Self: ...
    def as_fraction(self) -> Fraction | None: ...
    def coordinates(self) -> dict[Monomial[Self], Fraction]: ...
    def ball(self) -> Ball: ...
    def term_balls(self) -> list[Ball]: ...
    def exp(self) -> Self: ...
    def ln(self) -> Self: ...
    def __neg__(self) -> Self: ...  # noqa: D105
    def __add__(self, other: Self) -> Self: ...  # noqa: D105
    def __sub__(self, other: Self) -> Self: ...  # noqa: D105
    def __mul__(self, other: Self) -> Self: ...  # noqa: D105
    def __pow__(self, power: int) -> Self: ...  # noqa: D105


NumberT = TypeVar("NumberT", bound=ClosedForm)


@dataclass(frozen=True, slots=True)
class Atom(Generic[NumberT]):
    """An indivisible factor: π, ln(argument), √argument, or a sum (only to negative powers)."""

    kind: str
    argument: NumberT | None = None

    def ball(self) -> Ball:
        """Return the enclosure of the atom at the working precision."""
        if self.argument is None:
            return balls.pi_ball()
        if self.kind == "ln":
            return _logarithm_ball(self.argument)
        value = self.argument.ball()
        return value.sqrt() if self.kind == "sqrt" else value

    def text(self) -> str:
        """Return the atom as it is written."""
        if self.argument is None:
            return "pi"
        text = str(self.argument)
        if self.kind != "sum":
            return f"{self.kind}({text})"
        return f"({text})" if set(text) & set(" */^") else text


@dataclass(frozen=True, slots=True)
class Monomial(Generic[NumberT]):
    """A product of radicals, one exponential and powers of atoms; the empty one is 1."""

    radicals: tuple[tuple[int, Fraction], ...] = ()
    exponent: NumberT | None = None
    factors: tuple[tuple[Atom[NumberT], int], ...] = ()

    def ball(self) -> Ball:
        """Return the enclosure of the product at the working precision."""
        value = ball(1)
        for base, root in self.radicals:
            value *= balls.integer_power(ball(base).root(root.denominator), root.numerator)
        if self.exponent is not None:
            value *= self.exponent.ball().exp()
        for atom, exponent in self.factors:
            value *= balls.integer_power(atom.ball(), exponent)
        return value

    def without_radicals_inverted(self) -> Monomial[NumberT]:
        """Return 1 over the exponential and the atoms."""
        return Monomial(
            exponent=None if self.exponent is None else -self.exponent,
            factors=tuple((atom, -power) for atom, power in self.factors),
        )

    def texts(self) -> tuple[list[str], list[str]]:
        """Return what is written above and below the fraction bar."""
        above: list[str] = []
        below: list[str] = []
        for base, power in self.radicals:
            above.append(_radical_text(base, power))
        if self.exponent is not None:
            above.append(f"exp({self.exponent})")
        for atom, exponent in self.factors:
            if atom.kind == "sum":  # a power of a sum is read as the power multiplied out
                below.extend([atom.text()] * -exponent)
                continue
            power_text = "" if abs(exponent) == 1 else f"^{abs(exponent)}"
            (above if exponent > 0 else below).append(f"{atom.text()}{power_text}")
        return above, below


def proportion(
    left: Mapping[Monomial[Any], Fraction], right: Mapping[Monomial[Any], Fraction]
) -> Fraction | None:
    """Return the rational q with left = q · right, if the normal forms of two sums show one."""
    if not right or left.keys() != right.keys():
        return None
    ratios = {q / right[monomial] for monomial, q in left.items()}
    return ratios.pop() if len(ratios) == 1 else None


def leading_term(terms: Mapping[Monomial[NumberT], Fraction]) -> Monomial[NumberT]:
    """Return the term that leads a normal form: the rational one, else the first as text."""
    return min(terms, key=lambda monomial: (monomial != UNIT, monomial.texts()))


def prime_powers(q: Fraction) -> list[tuple[int, Fraction]]:
    """Return the primes of ``q`` > 0 with their powers."""
    above = [(prime, Fraction(power)) for prime, power in balls.factorise(q.numerator)]
    return above + [(prime, Fraction(-power)) for prime, power in balls.factorise(q.denominator)]


def radical(base: int, power: Fraction) -> tuple[Monomial[Any], Fraction]:
    """Return base^power as a term, the whole part of the power taken into the coefficient."""
    whole = math.floor(power)
    rest = power - whole
    return Monomial(radicals=((base, rest),)) if rest else UNIT, Fraction(base) ** whole


def product(
    left: Monomial[NumberT], right: Monomial[NumberT]
) -> tuple[Monomial[NumberT], Fraction, list[tuple[NumberT, int]]]:
    """Return left · right as a term, its coefficient, and the powers it is to be multiplied by.

    Those are of what roots and reciprocals of sums give when they are raised to powers.
    """
    whole = Fraction(1)
    radicals = dict(left.radicals)
    for base, fraction in right.radicals:
        power = radicals.pop(base, Fraction(0)) + fraction
        if power >= 1:
            whole, power = whole * base, power - 1
        if power:
            radicals[base] = power
    exponent = left.exponent if right.exponent is None else right.exponent
    if left.exponent is not None and right.exponent is not None:
        exponent = left.exponent + right.exponent
        exponent = exponent if exponent.coordinates() else None
    powers = dict(left.factors)
    for atom, power_of_atom in right.factors:
        powers[atom] = powers.get(atom, 0) + power_of_atom
    expanded = []
    for atom, power_of_atom in list(powers.items()):
        # √x to an even power is a power of x.
        if atom.kind == "sqrt" and atom.argument is not None and power_of_atom not in (0, 1):
            expanded.append((atom.argument, power_of_atom // 2))
            powers[atom] = power_of_atom % 2
        # A sum is an atom below the bar alone; above it is multiplied out.
        if atom.kind == "sum" and atom.argument is not None and power_of_atom > 0:
            expanded.append((atom.argument, power_of_atom))
            powers[atom] = 0
    factors = tuple(
        sorted(((a, p) for a, p in powers.items() if p), key=lambda item: (item[0].text(), item[1]))
    )
    return Monomial(tuple(sorted(radicals.items())), exponent, factors), whole, expanded


def _logarithm_ball(argument: ClosedForm) -> Ball:
    """Return the ball of ln(argument): of its largest term, and of what the others add to that.

    So ln(1 + e^(−3000)) is enclosed as closely as e^(−3000) is.
    """
    terms = argument.term_balls()
    largest = 0
    for index, term in enumerate(terms):
        if balls.certainly_less(abs(terms[largest]), abs(term)):
            largest = index
    others = sum((term for index, term in enumerate(terms) if index != largest), ball(0))
    added = others / terms[largest]
    if not balls.certainly_less(abs(added), ball(Fraction(1, 2))):
        return argument.ball().log()
    return terms[largest].log() + added.log1p()


def finite_ball(evaluate: Callable[[], Ball], number: ClosedForm) -> Ball:
    """Return what ``evaluate`` gives of ``number``, at the first doubling that is finite.

    Raises ``PrecisionError`` where :data:`MOST_BITS` are not enough.
    """
    bits = balls.working_precision()
    found = evaluate()
    while not found.is_finite():
        bits *= 2
        if bits > MOST_BITS:
            raise PrecisionError(f"{number} is too large, or too near 0, to be enclosed")
        with precision(bits):
            found = evaluate()
    return found + ball(0)  # at the precision in force


def _radical_text(base: int, power: Fraction) -> str:
    """Return base^power; a root too deep for the parser is written with exp and ln."""
    if power == Fraction(1, 2):
        return f"sqrt({integer_text(base)})"
    if power.denominator > MAX_EXPONENT:
        return f"exp({power}*ln({integer_text(base)}))"
    return f"{integer_text(base)}^({power})"


def integer_text(number: int) -> str:
    """Return the digits of ``number``, however many they are (``str`` refuses above 4300).

    >>> len(integer_text(10**5000))
    5001
    """
    return str(number) if number.bit_length() < _MANY_BITS else str(Decimal(number))


def _rational_text(q: Fraction) -> str:
    """Return p/q, or a number with a power of ten where that is much shorter.

    >>> _rational_text(Fraction("1e-30")), _rational_text(Fraction(1, 2000))
    ('1e-30', '1/2000')
    """
    if max(abs(q.numerator), q.denominator) >= 10**16:
        context = Context(prec=12, Emin=-MAX_EXPONENT, Emax=MAX_EXPONENT, traps=[])
        decimal = context.divide(Decimal(q.numerator), Decimal(q.denominator))
        if not context.flags[Inexact]:
            return f"{decimal.normalize(context):e}".replace("e+", "e")
    below = "" if q.denominator == 1 else f"/{integer_text(q.denominator)}"
    return f"{integer_text(q.numerator)}{below}"


UNIT: Monomial[Any] = Monomial()
"""The empty product, 1."""


def integer_logarithm(monomial: Monomial[Any]) -> int | None:
    """Return p if ``monomial`` is ln p for an integer p."""
    if monomial.radicals or monomial.exponent is not None or len(monomial.factors) != 1:
        return None
    ((atom, power),) = monomial.factors
    if atom.kind != "ln" or power != 1 or atom.argument is None:
        return None
    base = atom.argument.as_fraction()
    return base.numerator if base is not None and base.denominator == 1 else None


def write_sum(terms: Mapping[Monomial[Any], Fraction]) -> str:
    """Return Σ q·monomial as text that the parser reads back to the same number."""
    logarithms = {base: q for m, q in terms.items() if (base := integer_logarithm(m)) is not None}
    pieces = [
        _term_text(m, q)
        for m, q in sorted(terms.items(), key=lambda item: (item[0] != UNIT, item[0].texts()))
        if integer_logarithm(m) is None
    ]
    if logarithms:
        pieces.extend(_logarithm_texts(logarithms))
    if not pieces:
        return "0"
    return pieces[0] + "".join(
        f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}" for piece in pieces[1:]
    )


def _logarithm_texts(logarithms: Mapping[int, Fraction]) -> list[str]:
    """Return Σ q·ln p as one logarithm: 2/3·ln 2 − 1/3·ln 3 is ln(4/3)/3.

    A sum that makes an argument too large to be factored again is written term by term.
    """
    numerator = math.gcd(*(q.numerator for q in logarithms.values()))
    denominator = math.lcm(*(q.denominator for q in logarithms.values()))
    common = Fraction(numerator, denominator)
    bits = sum(abs(int(q / common)) * base.bit_length() for base, q in logarithms.items())
    if bits > balls.FACTORED_BITS and len(logarithms) > 1:
        return [_logarithm_text(Fraction(base), q) for base, q in sorted(logarithms.items())]
    argument = Fraction(1)
    for base, q in logarithms.items():
        argument *= Fraction(base) ** int(q / common)
    return [_logarithm_text(argument, common)]


def _logarithm_text(argument: Fraction, common: Fraction) -> str:
    if argument < 1:
        argument, common = 1 / argument, -common
    minus = "-" if common < 0 else ""
    times = "" if abs(common.numerator) == 1 else f"{abs(common.numerator)}*"
    over = "" if common.denominator == 1 else f"/{common.denominator}"
    return f"{minus}{times}ln({_rational_text(argument)}){over}"


def _term_text(monomial: Monomial[Any], q: Fraction) -> str:
    above, below = monomial.texts()
    if not above and not below:
        return _rational_text(q)
    minus = "-" if q < 0 else ""
    if abs(q.numerator) != 1 or not above:
        above.insert(0, integer_text(abs(q.numerator)))
    if q.denominator != 1:
        below.insert(0, integer_text(q.denominator))
    return minus + "*".join(above) + "".join(f"/{piece}" for piece in below)
