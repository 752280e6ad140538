"""Exact closed-form real numbers: rationals, π, ln, exp, √ and what + − × ÷ make of them.

A :class:`Real` is kept in a normal form, a sum of terms

    rational · Π p^f · exp(z) · Π atom^power        (p prime, 0 < f < 1, z a Real)

whose atoms are π, ln p, and square roots, logarithms and reciprocals that do not simplify.  Two
numbers whose difference has the empty normal form are *equal*, and no precision is needed to see
it: that is how ties are decided.  On the numbers that laws of integer-valued Laplace noise are
made of (no atoms, every z rational) the normal form is complete as well: different normal forms
are different numbers, by the Lindemann-Weierstrass theorem and the linear independence of radicals
(Besicovitch 1940).  Beyond that set a non-empty normal form may still be zero.  Its sign is then
found by :mod:`dpaudit.numbers.signs`, by balls and by algebra, or reported undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from operator import add, mul, sub, truediv
from typing import TypeAlias

from dpaudit.closed import ClosedForm
from dpaudit.errors import DomainError, PrecisionError
from dpaudit.numbers import terms as normal_form
from dpaudit.numbers.ball import PRECISION_CAP, Ball, Sign, ball, precision, working_precision
from dpaudit.numbers.mixed import Exact, Mixed
from dpaudit.numbers.signs import sign_of
from dpaudit.numbers.terms import UNIT, Atom, Monomial

__all__ = ["ONE", "PI", "ZERO", "Real", "add_up", "rational"]

Term: TypeAlias = "Monomial[Real]"


class Real(ClosedForm, Mixed):
    """An exact real number in closed form; immutable and hashable.

    Build one with :func:`dpaudit.numbers.real.real`, or from :func:`rational` numbers and π by
    arithmetic.  Equality is equality of normal forms: it never errs towards "equal".  Order is
    asked for with :meth:`sign`, which may answer undecided.

    >>> three, nine = rational(3), rational(9)
    >>> (rational(2) * three.ln() - nine.ln()).exp() == ONE
    True
    >>> print(rational(8).sqrt(), (ONE - PI / rational(4)).sqrt())
    2*sqrt(2) sqrt(1 - pi/4)
    """

    __slots__ = ("_balls", "_hash", "_inverse", "_terms", "_text")

    def __init__(self, terms: Mapping[Term, Fraction]) -> None:
        """Keep the non-zero ``terms`` (internal: use :func:`rational` and arithmetic)."""
        self._terms = {monomial: q for monomial, q in terms.items() if q}
        rational = self.as_fraction()
        self._hash = hash(frozenset(self._terms.items()) if rational is None else rational)
        self._balls: dict[int, Ball] = {}
        self._text: str | None = None
        self._inverse: Real | None = None

    def of(self, terms: Mapping[Term, Fraction]) -> Real:
        """Return the number with these terms (internal, like the constructor)."""
        return Real(terms)

    @property
    def is_zero(self) -> bool:
        return not self._terms

    def as_fraction(self) -> Fraction | None:
        """Return the number as a rational, or None where its normal form is not one."""
        if not self._terms:
            return Fraction(0)
        return self._terms.get(UNIT) if len(self._terms) == 1 else None

    def coordinates(self) -> dict[Term, Fraction]:
        """Return the rational coefficient of every term: equal numbers where these are equal."""
        return dict(self._terms)

    def term_count(self) -> int:
        """Return how many terms there are."""
        return len(self._terms)

    def ball(self) -> Ball:
        """Return a finite ball that contains the number, at the working precision.

        Where that does not tell an argument of a logarithm, a root or a divisor from 0, a higher
        one is used; ``PrecisionError`` where none that is allowed does.
        """
        bits = working_precision()
        if bits not in self._balls:
            self._balls[bits] = normal_form.finite_ball(
                lambda: sum(self.term_balls(), ball(0)), self
            )
        return self._balls[bits]

    def term_balls(self) -> list[Ball]:
        """Return the ball of every term, at the working precision."""
        return [
            ball(q) if monomial == UNIT else ball(q) * monomial.ball()
            for monomial, q in self._terms.items()
        ]

    def sign(self, cap: int = PRECISION_CAP) -> Sign:
        """Return the sign: of the normal form, by algebra, or by balls of ``cap`` bits or more."""
        return sign_of(self, cap)

    def standing(self, other: ClosedForm | Fraction) -> int:
        there = other if isinstance(other, Real) else rational(Fraction(str(other)))
        found = (self - there).sign()
        if found is Sign.UNDECIDED:
            raise PrecisionError(f"{self} and {other} cannot be distinguished")
        return (found is Sign.POSITIVE) - (found is Sign.NEGATIVE)

    def __float__(self) -> float:
        """Return the number as a float, for display and plots only."""
        with precision(64):
            return float(self.ball())

    def __eq__(self, other: object) -> bool:
        """Compare normal forms: ``True`` is a proof of equality.

        Whole numbers and fractions compare by their value.  A text or a float is refused, since it
        would silently be unequal.

        Raises:
            TypeError: for a text or a float; write ``real("4/5")``.
        """
        if self is other:
            return True
        if isinstance(other, Real):
            return self._terms == other._terms
        if isinstance(other, (int, Fraction)):
            return self.as_fraction() == other
        if isinstance(other, (str, float)):
            raise TypeError(f"a Real compares with numbers, not with {other!r}: use real(...)")
        return NotImplemented

    def __hash__(self) -> int:
        """Hash the normal form, a rational one as the fraction."""
        return self._hash

    def __reduce__(self) -> tuple[type[Real], tuple[dict[Term, Fraction]]]:
        """Pickle the normal form, without cached balls."""
        return Real, (self._terms,)

    def __repr__(self) -> str:
        """Return the call that makes this number."""
        return f"real({str(self)!r})"

    def __str__(self) -> str:
        """Return the number as text that :func:`real` reads back to the same number."""
        if self._text is None:
            self._text = normal_form.write_sum(self._terms)
        return self._text

    def __neg__(self) -> Real:
        """Return −self."""
        return Real({monomial: -q for monomial, q in self._terms.items()})

    def __add__(self, other: Real | Exact) -> Real:
        """Return self + other."""
        return add_up((self, other)) if isinstance(other, Real) else self.mixed(other, add)

    def __sub__(self, other: Real | Exact) -> Real:
        """Return self − other."""
        return self + -other if isinstance(other, Real) else self.mixed(other, sub)

    def __mul__(self, other: Real | Exact) -> Real:
        """Return self · other."""
        if not isinstance(other, Real):
            return self.mixed(other, mul)
        p, q = self.as_fraction(), other.as_fraction()
        if p is not None and q is not None:
            return rational(p * q)
        return add_up(self._products(other))

    def _products(self, other: Real) -> Iterator[Real]:
        """Iterate over the products of the terms of both."""
        for left, p in self._terms.items():
            yield from (_multiply(left, right, p * q) for right, q in other._terms.items())

    def __truediv__(self, other: Real | Exact) -> Real:
        """Return self / other; ``DomainError`` if ``other`` is zero or may be."""
        if not isinstance(other, Real):
            return self.mixed(other, truediv)
        ratio = normal_form.proportion(self._terms, other._terms)
        # The divisor has to be told from 0 before it cancels.
        if ratio is not None and other.sign() in (Sign.POSITIVE, Sign.NEGATIVE):
            return rational(ratio)
        if len(other._terms) == 1 and other.sign() in (Sign.POSITIVE, Sign.NEGATIVE):
            ((monomial, q),) = other._terms.items()
            return self._over(monomial, q)
        return self * other.reciprocal()

    def monomial_quotient(self, other: Real) -> Real | None:
        """Return the single term m with self = m · ``other``, if the normal forms show one.

        >>> from dpaudit.numbers.real import real
        >>> print(real("exp(-1) - exp(-2)").monomial_quotient(real("1 - exp(-1)")))
        exp(-1)
        """
        if not other._terms or len(self._terms) != len(other._terms):
            return None
        monomial, q = next(iter(other._terms.items()))
        for mine, p in self._terms.items():
            factor = Real({mine: p})._over(monomial, q)
            terms = (term for one in factor._products(other) for term in one._terms.items())
            if all(self._terms.get(term) == c for term, c in terms) and factor * other == self:
                return factor
        return None

    def reciprocal(self) -> Real:
        """Return 1 / self; ``DomainError`` if self is zero or cannot be told from zero."""
        if self._inverse is None:
            self._inverse = self._inverted()
        return self._inverse

    def _inverted(self) -> Real:
        if self.sign() in (Sign.ZERO, Sign.UNDECIDED):
            raise DomainError("divisor", self, "must not be zero")
        if len(self._terms) > 1:
            content, monic = self._content()
            # 1/(a − b) and 1/(b − a) are to be seen to be opposite.
            if monic._terms[normal_form.leading_term(self._terms)] < 0:
                content, monic = -content, -monic
            return rational(1 / content) * _atom("sum", monic, -1)
        ((monomial, q),) = self._terms.items()
        return ONE._over(monomial, q)

    def _over(self, monomial: Term, q: Fraction) -> Real:
        """Return self / (q · monomial): what they have in common cancels, also sums below."""
        inverse = monomial.without_radicals_inverted()
        result = add_up(_multiply(mine, inverse, p / q) for mine, p in self._terms.items())
        # Their powers lie between 0 and 1, so an inverse has another whole part.
        for base, power in monomial.radicals:
            result *= _radical(base, -power)
        return result

    def _content(self) -> tuple[Fraction, Real]:
        """Return c > 0 and self/c, whose leading coefficient is ±1: the same for all multiples."""
        content = abs(self._terms[normal_form.leading_term(self._terms)])
        return content, Real({monomial: q / content for monomial, q in self._terms.items()})

    def __pow__(self, power: int | Fraction) -> Real:
        """Return self to a rational power; a fractional one needs a positive number."""
        exponent = Fraction(power)
        if exponent.denominator == 1:
            base = self if exponent >= 0 else self.reciprocal()
            result = ONE
            for bit in bin(abs(exponent.numerator))[2:]:
                result = result * result * base if bit == "1" else result * result
            return result
        if exponent.denominator == 2:
            return self.sqrt() ** exponent.numerator
        return (self.ln() * rational(exponent)).exp()

    def exp(self) -> Real:
        """Return e^self, with multiples of logarithms of integers turned into powers.

        A power too long to be written out stays an exponential.
        """
        rest: dict[Term, Fraction] = {}
        result = ONE
        for monomial, q in self._terms.items():
            base = normal_form.integer_logarithm(monomial)
            if base is None or abs(q) * base.bit_length() > _MAX_POWER_BITS:
                rest[monomial] = q
            else:
                result *= _radical(base, q)
        exponent = Real(rest)
        return result if exponent == ZERO else result * Real({Monomial(exponent=exponent): _Q1})

    def ln(self) -> Real:
        """Return the natural logarithm; ``DomainError`` unless certainly positive."""
        if self.sign() is not Sign.POSITIVE:
            raise DomainError("argument of ln", self, "must be positive")
        if len(self._terms) > 1:
            content, monic = self._content()
            return rational(content).ln() + _atom("ln", monic)
        exponent, powers, rest = self._factors()
        result = exponent or ZERO
        for base, power in powers:
            result += rational(power) * _atom("ln", rational(base))
        return result if rest == ONE else result + _atom("ln", rest)

    def sqrt(self) -> Real:
        """Return the square root; ``DomainError`` if certainly or possibly negative."""
        found = self.sign()
        if found is Sign.ZERO:
            return ZERO
        if found is not Sign.POSITIVE:
            raise DomainError("argument of sqrt", self, "must not be negative")
        if len(self._terms) > 1:
            content, monic = self._content()
            return rational(content).sqrt() * _atom("sqrt", monic)
        exponent, powers, rest = self._factors()
        result = ONE
        for base, power in powers:
            result *= _radical(base, Fraction(power) / 2)
        if exponent is not None:
            result *= (exponent * rational(Fraction(1, 2))).exp()
        return result if rest == ONE else result * _atom("sqrt", rest)

    def _factors(self) -> tuple[Real | None, list[tuple[int, Fraction]], Real]:
        """Return z, the powers of primes, and ± the atoms that a single term e^z·Π p^f·… has."""
        ((monomial, q),) = self._terms.items()
        rest = Real({Monomial(factors=monomial.factors): _Q1 if q > 0 else -_Q1})
        return monomial.exponent, [*normal_form.prime_powers(abs(q)), *monomial.radicals], rest


_Q1 = Fraction(1)
_MAX_POWER_BITS = 1 << 17


def _atom(kind: str, argument: Real, power: int = 1) -> Real:
    return Real({Monomial(factors=((Atom(kind, argument), power),)): _Q1})


def _radical(base: int, power: Fraction) -> Real:
    """Return base^power in normal form."""
    return Real(dict([normal_form.radical(base, power)]))


def _multiply(left: Term, right: Term, q: Fraction) -> Real:
    """Return q · left · right in normal form."""
    monomial, whole, expanded = normal_form.product(left, right)
    result = Real({monomial: q * whole})
    for argument, power in expanded:
        result *= argument**power
    return result


ZERO = Real({})
"""The number 0."""
ONE = Real({UNIT: _Q1})
"""The number 1."""
PI = Real({Monomial(factors=((Atom("pi"), 1),)): _Q1})
"""The number π."""


def add_up(numbers: Iterable[Real]) -> Real:
    """Return the sum of ``numbers``, whose terms are gathered once, however many there are.

    >>> print(add_up([rational(1), rational(2).ln(), rational(3)]))
    4 + ln(2)
    """
    terms: dict[Term, Fraction] = {}
    for number in numbers:
        for monomial, q in number._terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + q
    return Real(terms)


@lru_cache(maxsize=1 << 14)
def rational(q: Fraction | int) -> Real:
    """Return the exact rational ``q`` as a real."""
    return Real({UNIT: Fraction(q)})
