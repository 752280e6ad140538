"""Zeros that a normal form does not show: quotients of sums, and logarithms of them.

A law that is given by weights is a quotient of sums of exponentials, and its losses are logarithms
of such quotients.  Multiplied out, and with the logarithms taken away, these are sums of
exponentials again, whose normal form shows that they are zero.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dpaudit.exact.closed_form import ONE, ZERO, Real, rational
from dpaudit.exact.terms import Atom, Monomial

__all__ = ["vanishes"]

_MOST_TERMS = 20_000
_MOST_ROUNDS = 8
_MOST_POWER = 64


def vanishes(number: Real) -> bool:
    """Tell whether ``number`` is zero; ``True`` is a proof, ``False`` says nothing.

    >>> from dpaudit.exact.real import real
    >>> vanishes(real("1/(1 + exp(-1)) + exp(-1)/(1 + exp(-1)) - 1"))
    True
    >>> vanishes(real("ln((1 + exp(-1))/(exp(-1) + exp(-2))) - 1"))
    True
    """
    if _is_zero_multiplied_out(number):
        return True
    logarithms, rest = _logarithms(number)
    if not logarithms:
        return False
    common = math.lcm(*(q.denominator for q in logarithms.values()))
    powers = {argument: int(q * common) for argument, q in logarithms.items()}
    if sum(map(abs, powers.values())) > _MOST_POWER:
        return False
    # Σ pᵢ·ln Aᵢ + rest = 0 exactly if Π_{p > 0} Aᵢ^p · e^rest = Π_{p < 0} Aᵢ^−p
    above, below = (rest * rational(common)).exp(), ONE
    for argument, power in powers.items():
        if _terms(above, below) * len(argument.coordinates()) ** abs(power) > _MOST_TERMS:
            return False
        if power > 0:
            above *= argument**power
        else:
            below *= argument**-power
    return _is_zero_multiplied_out(above - below)


def _is_zero_multiplied_out(number: Real) -> bool:
    """Tell whether the normal form is empty once no term is over a sum any more."""
    for _ in range(_MOST_ROUNDS):
        over = _denominators(number)
        if number == ZERO or not over:
            return number == ZERO
        for atom, power in over.items():
            assert atom.argument is not None
            if _terms(number) * len(atom.argument.coordinates()) ** power > _MOST_TERMS:
                return False
            # not zero: a reciprocal is only taken of what is certainly not
            number *= Real({Monomial(factors=((atom, power),)): Fraction(1)})
    return False


def _denominators(number: Real) -> dict[Atom, int]:
    """Return the sums that terms are divided by, each with its largest power."""
    found: dict[Atom, int] = {}
    for monomial in number.coordinates():
        for atom, power in monomial.factors:
            if atom.kind == "sum":
                found[atom] = max(found.get(atom, 0), -power)
    return found


def _logarithms(number: Real) -> tuple[dict[Real, Fraction], Real]:
    """Return the arguments Aᵢ and rationals qᵢ with number = Σ qᵢ·ln Aᵢ + rest, and the rest."""
    logarithms: dict[Real, Fraction] = {}
    rest: dict[Monomial, Fraction] = {}
    for monomial, q in number.coordinates().items():
        match monomial:
            case Monomial((), None, ((Atom("ln", Real() as argument), 1),)) if (
                argument.as_fraction() is None
            ):
                logarithms[argument] = q
            case _:
                rest[monomial] = q
    return logarithms, Real(rest)


def _terms(*numbers: Real) -> int:
    return sum(len(number.coordinates()) for number in numbers)
