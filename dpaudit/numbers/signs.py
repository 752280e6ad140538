"""The sign of a closed form: by its terms, by balls, and by algebra where balls do not tell.

A law that is given by weights is a quotient of sums of exponentials, and its losses are logarithms
of such quotients.  Two of them may be equal without having one normal form, or differ by e^(−10⁶),
which no precision worth having shows.  So what balls of a moderate precision leave open is
rewritten as a number of the same sign, one that normal forms and balls do decide:

* with powers of one base in one place;
* multiplied by the sums that terms are divided by;
* Σ pᵢ·ln Aᵢ + z, a sum of logarithms, as Π_{p > 0} Aᵢ^p·e^z − Π_{p < 0} Aᵢ^−p;
* A + B·√C with A and B of opposite signs as A² − B²·C, with the sign of A;
* a − b with a, b > 0 as ln a − ln b.

Each is exact, so a sign found this way is a proof.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpaudit.errors import DomainError, PrecisionError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Sign, ball, precision
from dpaudit.numbers.terms import (
    MOST_BITS,
    UNIT,
    Atom,
    ClosedForm,
    Monomial,
    NumberT,
    integer_logarithm,
)

__all__ = ["sign_of"]

_FIRST_BITS = 256
_MOST_TERMS = 20_000
_MOST_POWER = 64
_MOST_REWRITTEN = 8


def sign_of(number: ClosedForm, cap: int) -> Sign:
    """Return the sign of ``number``, undecided where nothing here tells it.

    Args:
        number: the closed form.
        cap: how many bits balls may have at least; a form of long numbers, or of widely different
            exponents, gets as many more as they take, up to
            :data:`~dpaudit.numbers.terms.MOST_BITS`.

    >>> from dpaudit.numbers.real import real
    >>> sign_of(real("1/(1 + exp(-1)) + exp(-1)/(1 + exp(-1)) - 1"), 256)
    <Sign.ZERO: 'exactly zero'>
    >>> sign_of(real("ln(1 - exp(-1e6))"), 256)
    <Sign.NEGATIVE: 'certainly below zero'>
    """
    found = _sign(number, min(cap, _FIRST_BITS), 0)
    if found is Sign.UNDECIDED and cap > _FIRST_BITS:
        most = min(max(cap, 2 * _bits(number)), max(cap, MOST_BITS))
        return _by_balls(number, 2 * _FIRST_BITS, most)
    return found


def _sign(number: NumberT, cap: int, rewritten: int) -> Sign:
    fraction = number.as_fraction()
    if fraction is not None:
        return _times(Sign.POSITIVE, fraction)
    terms = number.coordinates()
    if len(terms) == 1:
        ((monomial, q),) = terms.items()
        return _of_term(monomial, q, cap, rewritten)
    found = _by_balls(number, min(64, cap), cap + _span(number))
    if found is Sign.UNDECIDED and rewritten < _MOST_REWRITTEN:
        try:
            return _rewritten(number, cap, rewritten + 1)
        except (DomainError, PrecisionError):  # too large to be rewritten
            return Sign.UNDECIDED
    return found


def _by_balls(number: ClosedForm, start: int, cap: int) -> Sign:
    try:
        return balls.decide_sign(number.ball, start=start, cap=cap)
    except PrecisionError:
        return Sign.UNDECIDED


def _of_term(monomial: Monomial[Any], q: Fraction, cap: int, rewritten: int) -> Sign:
    """Return the sign of q·monomial: radicals, exponentials, π and roots are positive."""
    found = _times(Sign.POSITIVE, q)
    for atom, power in monomial.factors:
        if atom.argument is None or atom.kind == "sqrt" or power % 2 == 0:
            continue  # an atom is never 0
        argument = atom.argument - _like(atom.argument, 1) if atom.kind == "ln" else atom.argument
        found = _product(found, _sign(argument, cap, rewritten))
    return found


def _times(found: Sign, q: Fraction) -> Sign:
    return _product(found, Sign.ZERO if not q else Sign.POSITIVE if q > 0 else Sign.NEGATIVE)


def _product(left: Sign, right: Sign) -> Sign:
    if Sign.ZERO in (left, right):
        return Sign.ZERO
    if Sign.UNDECIDED in (left, right):
        return Sign.UNDECIDED
    return Sign.POSITIVE if left is right else Sign.NEGATIVE


def _rewritten(number: NumberT, cap: int, rewritten: int) -> Sign:
    """Return the sign of ``number`` as that of another number, which has it."""
    gathered = _gathered(number)
    if gathered != number:
        return _sign(gathered, cap, rewritten)
    below = _denominators(number)
    if below:
        found = Sign.POSITIVE
        for atom, power in below.items():
            assert atom.argument is not None
            if _terms(number) * len(atom.argument.coordinates()) ** power > _MOST_TERMS:
                return Sign.UNDECIDED
            if power % 2:
                found = _product(found, _sign(atom.argument, cap, rewritten))
            # not zero: a reciprocal is only taken of what is certainly not
            number *= number.of({Monomial(factors=((atom, power),)): Fraction(1)})
        return _product(found, _sign(number, cap, rewritten))
    logarithms, rest = _logarithms(number)
    if logarithms:
        return _of_logarithms(logarithms, rest, cap, rewritten)
    for monomial in number.coordinates():
        for atom, _ in monomial.factors:
            if atom.kind == "sqrt":
                return _of_a_root(number, atom, cap, rewritten)
    if all(integer_logarithm(monomial) is not None for monomial in number.coordinates()):
        common = math.lcm(*(q.denominator for q in number.coordinates().values()))
        return _sign((number * _like(number, common)).exp() - _like(number, 1), cap, rewritten)
    return _of_two_terms(number, cap, rewritten)


def _of_logarithms(
    logarithms: Mapping[NumberT, Fraction], rest: NumberT, cap: int, rewritten: int
) -> Sign:
    """Return the sign of Σ qᵢ·ln Aᵢ + rest."""
    common = Fraction(
        math.lcm(*(q.denominator for q in logarithms.values())),
        math.gcd(*(q.numerator for q in logarithms.values())),
    )
    powers = {argument: int(q * common) for argument, q in logarithms.items()}
    if sum(map(abs, powers.values())) > _MOST_POWER:
        return Sign.UNDECIDED
    above, below = (rest * _like(rest, common)).exp(), _like(rest, 1)
    for argument, power in powers.items():
        if _terms(above, below) * len(argument.coordinates()) ** abs(power) > _MOST_TERMS:
            return Sign.UNDECIDED
        if power > 0:
            above *= argument**power
        else:
            below *= argument**-power
    return _sign(above - below, cap, rewritten)


def _of_a_root(number: NumberT, root: Atom[NumberT], cap: int, rewritten: int) -> Sign:
    """Return the sign of A + B·√C, B what is multiplied by the ``root`` in ``number``."""
    assert root.argument is not None
    outside: dict[Monomial[NumberT], Fraction] = {}
    inside: dict[Monomial[NumberT], Fraction] = {}
    for monomial, q in number.coordinates().items():
        factors = tuple(item for item in monomial.factors if item[0] != root)
        if factors == monomial.factors:
            outside[monomial] = q
        else:
            inside[Monomial(monomial.radicals, monomial.exponent, factors)] = q
    a, b = number.of(outside), number.of(inside)
    signs = _sign(a, cap, rewritten), _sign(b, cap, rewritten)
    # √C is positive, so B·√C has the sign of B.
    if signs[0] is Sign.ZERO or signs[0] is signs[1]:
        return signs[1]
    if signs[1] is Sign.ZERO or Sign.UNDECIDED in signs:
        return signs[0] if signs[1] is Sign.ZERO else Sign.UNDECIDED
    if _terms(a) ** 2 + _terms(b) ** 2 * _terms(root.argument) > _MOST_TERMS:
        return Sign.UNDECIDED
    return _product(signs[0], _sign(a * a - b * b * root.argument, cap, rewritten))


def _of_two_terms(number: NumberT, cap: int, rewritten: int) -> Sign:
    """Return the sign of a sum of two terms with exponentials: the larger one's."""
    terms = number.coordinates()
    if len(terms) != 2 or all(monomial.exponent is None for monomial in terms):
        return Sign.UNDECIDED
    first, second = (number.of({monomial: q}) for monomial, q in terms.items())
    signs = [_sign(term, cap, rewritten) for term in (first, second)]
    if Sign.UNDECIDED in signs or signs[0] is signs[1]:
        return signs[0] if signs[0] is signs[1] else Sign.UNDECIDED
    larger = (
        first.ln() - (-second).ln() if signs[0] is Sign.POSITIVE else (-first).ln() - second.ln()
    )
    return _product(signs[0], _sign(larger, cap, rewritten))


def _gathered(number: NumberT) -> NumberT:
    """Return the number with p^v·e^(w·ln p) as e^((v + w)·ln p), for powers not written out."""
    bases = {
        base
        for monomial in number.coordinates()
        if monomial.exponent is not None
        for part in monomial.exponent.coordinates()
        if (base := integer_logarithm(part)) is not None
    }
    if not bases:
        return number
    total: dict[Monomial[NumberT], Fraction] = {}
    for monomial, coefficient in number.coordinates().items():
        q = coefficient
        exponent = _like(number, 0) if monomial.exponent is None else monomial.exponent
        radicals = dict(monomial.radicals)
        for base in bases:
            power = radicals.pop(base, Fraction(0))
            while q.numerator % base == 0:
                q, power = q / base, power + 1
            while q.denominator % base == 0:
                q, power = q * base, power - 1
            exponent += _like(number, power) * _like(number, base).ln()
        term = Monomial(
            tuple(radicals.items()), exponent if exponent.coordinates() else None, monomial.factors
        )
        total[term] = total.get(term, Fraction(0)) + q
    return number.of(total)


def _denominators(number: NumberT) -> dict[Atom[NumberT], int]:
    """Return the sums that terms are divided by, each with its largest power."""
    found: dict[Atom[NumberT], int] = {}
    for monomial in number.coordinates():
        for atom, power in monomial.factors:
            if atom.kind == "sum":
                found[atom] = max(found.get(atom, 0), -power)
    return found


def _logarithms(number: NumberT) -> tuple[dict[NumberT, Fraction], NumberT]:
    """Return the arguments Aᵢ and rationals qᵢ with number = Σ qᵢ·ln Aᵢ + rest, and the rest."""
    logarithms: dict[NumberT, Fraction] = {}
    rest: dict[Monomial[NumberT], Fraction] = {}
    for monomial, q in number.coordinates().items():
        match monomial:
            case Monomial((), None, ((Atom("ln", argument), 1),)) if (
                argument is not None and argument.as_fraction() is None
            ):
                logarithms[argument] = q
            case _:
                rest[monomial] = q
    return logarithms, number.of(rest)


def _like(number: NumberT, q: Fraction | int) -> NumberT:
    """Return the rational ``q`` as a number of the same class."""
    return number.of({UNIT: Fraction(q)})


def _terms(*numbers: ClosedForm) -> int:
    return sum(len(number.coordinates()) for number in numbers)


def _bits(number: ClosedForm) -> int:
    """Return about how many bits the numbers in a closed form have, and its exponents span."""
    total = 0
    for monomial, q in number.coordinates().items():
        total += q.numerator.bit_length() + q.denominator.bit_length()
        if monomial.exponent is not None:
            total += _bits(monomial.exponent) + _magnitude(monomial.exponent)
        for atom, power in monomial.factors:
            total += abs(power) * (0 if atom.argument is None else _bits(atom.argument))
        if total > MOST_BITS:
            return MOST_BITS
    return total


def _magnitude(exponent: ClosedForm) -> int:
    """Return about |exponent|/ln 2; 0 where no precision worth having spans that many bits."""
    with precision(64):
        size = abs(exponent.ball()) * 3 / 2
        return int(balls.upper_fraction(size)) if balls.certainly_less(size, ball(MOST_BITS)) else 0


def _span(number: ClosedForm) -> int:
    """Return how many bits the whole parts of the exponents have: fewer enclose nothing."""
    with precision(64):
        exponents = (monomial.exponent for monomial in number.coordinates())
        sizes = [abs(z.ball()).upper().man_exp() for z in exponents if z is not None]
        return max(0, *(int(m).bit_length() + int(e) for m, e in sizes), 0)
