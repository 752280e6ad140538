"""δ(ε) of many runs by inverting a Laplace transform, with a bound for all that is left out.

With T the loss of k runs, M(z) = E e^(zL) of one run under P, over finite losses, and c > 0,

    g(ε) = E (1 − e^(ε − T))₊   has   ∫ e^(zε)·g(ε) dε = M(z)ᵏ/(z(z + 1)),   Re z = c.

* *The trapezoidal rule* of step h on that line gives Σ over whole n of e^(cnR)·g(ε + nR), with
  R = 2π/h (Poisson): every term is ≥ 0, so the sum is at least g(ε), and what is too much of it is
  at most e^(−cR)/(1 − e^(−cR)) + M(c′)ᵏ·e^(−c′ε)·x/(1 − x), x = e^(−(c′ − c)R), for any c′ > c.
* *Smoothing* makes the sum end.  U is a sum of m uniform numbers, |U| ≤ η, with the transform
  K(z) = (sinh(zη/m)/(zη/m))^m.  (1 − x)₊ is convex, so that g(ε + ln K(1)) ≤ g_s(ε), where T + U is
  in the place of T.  The other way, g_s − g is at most D·P(|T − ε| ≤ η), D = E U₊ ≤ η/(2·√(3m)),
  and that is at most D·b(ε), b with the transform M(z)ᵏ·K(z)·2·sinh(2ηz)/z.  Both cost η² alone.
* *The rest* of the sum beyond the height Y: |M(z)| ≤ ρ·M(c) and |K(z)| ≤ min(K(c), (Y₁/|z|)^m),
  Y₁ = m·cosh(cη/m)/η.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isqrt

from flint import acb, acb_mat

from dpaudit.numbers.ball import Ball, integer_power, nonnegative, pi_ball
from dpaudit.numbers.quadrature import ComplexBall

__all__ = ["ORDER", "Contour", "complex_power", "exponential_sums"]

ORDER = 12
"""Number of uniform random variables in the sum that smooths the losses."""


def exponential_sums(
    weights: list[Ball], exponents: list[Ball], step: Ball, count: int, start: Ball | None = None
) -> list[ComplexBall]:
    """Return Σ w·e^(i·(s + j·h)·l) over weights w and exponents l, for j = 0 … count − 1.

    >>> one = exponential_sums([Ball(1)], [Ball(1)], Ball(2), 5)
    >>> [x.real.overlaps((Ball(2) * j).cos()) for j, x in enumerate(one)]
    [True, True, True, True, True]
    """
    width = isqrt(count - 1) + 1 if count > 1 else 1
    rows = (count - 1) // width + 1
    small = [_powers(acb(0, step * x).exp(), width) for x in exponents]
    large = []
    for weight, x in zip(weights, exponents, strict=True):
        first = acb(weight) if start is None else weight * acb(0, start * x).exp()
        leap = acb(0, step * width * x).exp()
        large.append([first * one for one in _powers(leap, rows)])
    found = acb_mat(large).transpose() * acb_mat(small)
    return list(found.entries())[:count]


def _powers(x: ComplexBall, count: int) -> list[ComplexBall]:
    """Return 1, x, … of ``count`` powers, none by more multiplications in a row than it has bits.

    Each turn of a box of complex numbers makes it wider.
    """
    found = [acb(1), x]
    for place in range(2, count):
        half = place >> 1
        found.append(found[half] * found[place - half])
    return found[:count]


class _Polynomial:
    """A polynomial, evaluated with few multiplications in a row."""

    def __init__(self, coefficients: list[ComplexBall]) -> None:
        self._width = isqrt(len(coefficients) - 1) + 1
        rest = -len(coefficients) % self._width
        padded = coefficients + [acb(0)] * rest
        self._rows = len(padded) // self._width
        self._matrix = acb_mat(self._rows, self._width, padded)

    def __call__(self, exponent: ComplexBall) -> ComplexBall:
        """Return Σ of the coefficients times e^(j·exponent)."""
        small = _powers(exponent.exp(), self._width)
        large = _powers((exponent * self._width).exp(), self._rows)
        sums = self._matrix * acb_mat([[one] for one in small])
        return (acb_mat([large]) * sums)[0, 0]


@dataclass(frozen=True)
class Contour:
    """The inversion on one line, for one pair and any ε."""

    runs: int
    power: Ball
    """c > 0, exactly."""
    step: Ball
    """h > 0, exactly."""
    moments: list[ComplexBall]
    """M(c + i·j·h), j = 0, 1, …"""
    spread: Ball
    """η > 0, exactly."""
    decay: Callable[[], Ball]
    """Gives ρᵏ: |M(z)|ᵏ ≤ ρᵏ·M(c)ᵏ wherever moments are not listed any more."""
    beyond: tuple[Ball, Ball]
    """A c′ > c, and M(c′)."""

    @cached_property
    def inflation(self) -> Ball:
        """Return ln K(1): by how much ε is moved above."""
        return self._kernel(acb(1)).real.log()

    def above(self, epsilon: Ball) -> Ball:
        """Return a ball whose upper end is not below g(ε)."""
        at = epsilon - self.inflation
        return self._sum(self._transforms[0], at) + self._rest(at)

    def below(self, epsilon: Ball) -> Ball:
        """Return a ball whose lower end is not above g(ε)."""
        found = self._sum(self._lower, epsilon)
        return nonnegative(found - self._aliases(epsilon) - self._rest(epsilon))

    def middle(self, epsilon: float) -> float:
        """Return about g_s(ε), which proves nothing."""
        return float(self._sum(self._transforms[0], Ball(epsilon)).mid())

    @cached_property
    def _decayed(self) -> Ball:
        return self.decay()

    @property
    def _scale(self) -> Ball:
        return self.spread / ORDER

    @cached_property
    def _most(self) -> Ball:
        """An upper bound of D."""
        return self.spread / (2 * Ball(3 * ORDER).sqrt())

    def _kernel(self, z: ComplexBall) -> ComplexBall:
        small = z * self._scale
        return (small.sinh() / small) ** ORDER

    @cached_property
    def _smoothed(self) -> list[ComplexBall]:
        """M(z)ᵏ·K(z) at each place, twice where its conjugate is another."""
        found = []
        for place, moment in enumerate(self.moments):
            z = acb(self.power, self.step * place)
            both = complex_power(moment, self.runs) * self._kernel(z)
            if place:
                both *= 2
            found.append(both)
        return found

    @cached_property
    def _transforms(self) -> tuple[_Polynomial, Callable[[], _Polynomial]]:
        """The transform of g_s times the weights of the rule, and that of g_s − D·b when asked."""
        places = [acb(self.power, self.step * place) for place in range(len(self.moments))]
        smooth = [x / (z * (z + 1)) for x, z in zip(self._smoothed, places, strict=True)]

        def lower() -> _Polynomial:
            return _Polynomial(
                [
                    one - x * 2 * (2 * self.spread * z).sinh() / z * self._most
                    for one, x, z in zip(smooth, self._smoothed, places, strict=True)
                ]
            )

        return _Polynomial(smooth), lower

    @cached_property
    def _lower(self) -> _Polynomial:
        return self._transforms[1]()

    def _sum(self, transform: _Polynomial, epsilon: Ball) -> Ball:
        found = transform(acb(0, -self.step * epsilon)).real * self.step / (2 * pi_ball())
        return found * (-self.power * epsilon).exp()

    def _rest(self, epsilon: Ball) -> Ball:
        """Return a bound of the sum beyond the moments that are listed."""
        m, c, eta = ORDER, self.power, self.spread
        height = self.step * (len(self.moments) - 1)
        last = (c * self._scale).cosh() * m / eta
        kernel = self._kernel(acb(c)).real.min(integer_power(last / height, m))
        logs = nonnegative((last / height).log())
        bump = 2 * self._most * (2 * c * eta).cosh() * (logs + Ball(1) / m)
        size = integer_power(self.moments[0].real, self.runs) * (-c * epsilon).exp()
        return size * self._decayed * kernel * (1 / height + bump) / pi_ball()

    def _aliases(self, epsilon: Ball) -> Ball:
        """Return a bound of what the rule adds to g_s."""
        period = 2 * pi_ball() / self.step
        left = (-self.power * period).exp()
        power, moment = self.beyond
        share = (-(power - self.power) * period).exp()
        size = integer_power(moment, self.runs) * self._kernel(acb(power)).real
        right = size * (-power * epsilon).exp() * share / (1 - share)
        return left / (1 - left) + right


def complex_power(x: ComplexBall, exponent: int) -> ComplexBall:
    """Return x to a whole power."""
    found = acb(1)
    for bit in bin(exponent)[2:]:
        found = found * found * x if bit == "1" else found * found
    return found
