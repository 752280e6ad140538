"""Gaussian densities between ends, against integrals in other arithmetic."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.errors import LawError
from dpaudit.laws.bells import Bell
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.real import rational

VARIANCE = Fraction(9, 4)


def density(bell: Bell) -> Any:
    width = mp.sqrt(mpf(VARIANCE.numerator) / VARIANCE.denominator)
    mean = mpf(bell.mean.numerator) / bell.mean.denominator
    low = -mp.inf if bell.low is None else mpf(float(bell.low))  # an eighth is a float
    high = mp.inf if bell.high is None else mpf(float(bell.high))

    def value(x: Any) -> Any:
        if not low <= x <= high:
            return mpf(0)
        return mp.npdf(x, mean, width)

    return value


def integrated(p: Bell, q: Bell, factor: Any) -> Any:
    """Return ∫ (p − factor·q)₊ piece by piece between ends and where the two meet."""
    first, second = density(p), density(q)
    ends = {-40, 40, *(float(x) for x in (p.low, p.high, q.low, q.high) if x is not None)}
    if p.mean != q.mean and factor:
        mean = float(p.mean + q.mean) / 2
        ends.add(mean + float(VARIANCE) * math.log(factor) / float(p.mean - q.mean))
    bends = sorted({min(max(x, -40), 40) for x in ends} | {float(p.mean), float(q.mean)})
    return mp.quad(lambda x: max(mpf(0), first(x) - factor * second(x)), bends)


def ends_of(drawn: random.Random) -> tuple[Fraction | None, Fraction | None]:
    low, high = sorted(Fraction(drawn.randint(-24, 24), 8) for _ in range(2))
    return drawn.choice([None, low]), drawn.choice([None, high + 1])


@pytest.mark.parametrize("seed", range(30))
def test_masses_and_excesses(seed: int) -> None:
    drawn = random.Random(seed)
    means = [Fraction(drawn.randint(-16, 16), 8) for _ in range(2)]
    ends = [ends_of(drawn)] * 2 if seed % 2 else [ends_of(drawn), ends_of(drawn)]
    p, q = (Bell(mean, rational(VARIANCE), *own) for mean, own in zip(means, ends, strict=True))
    with mp.workdps(20), precision(96):
        mass = p.mass()
        assert float(mass.mid()) == pytest.approx(float(integrated(p, q, mpf(0))), abs=1e-9)
        for epsilon in (-1.0, 0.0, 0.5, 2.0):
            found = p.excess(q, Ball(epsilon).exp())
            assert found is not None
            wanted = float(integrated(p, q, mp.exp(epsilon)))
            assert float(found.mid()) == pytest.approx(wanted, abs=1e-9)
            assert float(found.rad()) < 1e-20


@pytest.mark.parametrize("seed", range(30))
def test_the_largest_loss_is_that_of_a_grid(seed: int) -> None:
    drawn = random.Random(seed)
    means = [Fraction(drawn.randint(-16, 16), 8) for _ in range(2)]
    own = ends_of(drawn)
    p, q = (Bell(mean, rational(VARIANCE), *own) for mean in means)
    with mp.workdps(20), precision(96):
        peak = p.peak(q)
        first, second = density(p), density(q)
        low = -30 if own[0] is None else float(own[0])
        high = 30 if own[1] is None else float(own[1])
        grid = [low + (high - low) * k / 400 for k in range(401)]
        losses = [mp.log(first(x) / second(x)) for x in grid]
    if p.mean == q.mean:
        return
    if peak.infinite:
        assert own[1 if p.mean > q.mean else 0] is None
        assert losses.index(max(losses)) == (400 if p.mean > q.mean else 0)
    else:
        assert float(peak.ball.mid()) == pytest.approx(float(max(losses)), abs=1e-9)


def test_what_one_side_cannot_give_is_an_infinite_loss() -> None:
    whole = Bell(Fraction(0), rational(VARIANCE), Fraction(0))
    less = Bell(Fraction(1), rational(VARIANCE), Fraction(1))
    assert whole.peak(less).infinite
    assert not less.peak(Bell(Fraction(1), rational(VARIANCE), Fraction(0))).infinite


def test_another_width_between_ends_is_refused() -> None:
    one = Bell(Fraction(0), rational(VARIANCE), Fraction(0))
    with pytest.raises(LawError, match="standard deviation differs"):
        one.peak(Bell(Fraction(0), rational(Fraction(1)), Fraction(0)))


def shown_above_five(n: int) -> float | None:
    noisy = n + random.gauss(0, 1)
    return noisy if noisy > 5 else None


def clipped(n: int) -> float:
    return min(max(n + random.gauss(0, 1), 0), 10)


@pytest.mark.parametrize("function", [shown_above_five, clipped])
def test_a_number_that_is_shown_where_it_is_large(function: Any) -> None:
    audit = dpaudit.check(
        function,
        inputs=[2, 3],
        neighbours="all",
        budget=(1, "1/2"),
        only="ideal",
        at_eps=["0", "1"],
    )
    with mp.workdps(20):
        for point, epsilon in zip(audit.results[0].curve, (0, 1), strict=True):
            factor = mp.exp(epsilon)
            ends = (5, 40) if function is shown_above_five else (0, 10)
            worst = mpf(0)
            for p, q in ((2, 3), (3, 2)):
                turn = min(max((p + q) / 2 + epsilon / (p - q), ends[0]), ends[1])
                inside = mp.quad(
                    lambda x, p=p, q=q, a=factor: max(
                        mpf(0), mp.npdf(x, p, 1) - a * mp.npdf(x, q, 1)
                    ),
                    [ends[0], turn, ends[1]],
                )
                sides = [mp.ncdf(ends[0] - p) - factor * mp.ncdf(ends[0] - q)]
                if function is clipped:
                    sides.append(mp.ncdf(p - 10) - factor * mp.ncdf(q - 10))
                worst = max(worst, inside + sum(max(mpf(0), one) for one in sides))
            value = point.value
            assert mpf(str(value.lower)) <= worst + mpf("1e-10")
            assert mpf(str(value.upper)) >= worst - mpf("1e-10")
            assert float(value.upper - value.lower) < 1e-9
