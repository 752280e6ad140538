"""The exponentials in floats against mpmath: no argument may exceed the proved error."""

from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpaudit.numbers import floats
from dpaudit.numbers.ball import PRECISION_CAP, Ball, ball, precision
from dpaudit.numbers.floats import (
    EXPONENTIAL_CUT,
    EXPONENTIAL_ERROR,
    EXPONENTIAL_REACH,
    ONE_MINUS_EXPONENTIAL_ERROR,
    ROUNDED_BALL_ERROR,
    Exponential,
    NotRounded,
    rounded,
)
from dpaudit.numbers.real import real


def exponentials(t: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    kernel = Exponential(t.shape)
    power, complement = np.empty_like(t), np.empty_like(t)
    kernel.minus(t, power)
    kernel.one_minus(t.copy(), complement)
    return power, complement


def relative_error(found: float, truth: mpmath.mpf) -> mpmath.mpf:
    return abs(mpmath.mpf(found) / truth - 1)


def worst_errors(t: NDArray[np.float64]) -> tuple[mpmath.mpf, mpmath.mpf]:
    power, complement = exponentials(t)
    with mpmath.workdps(50):
        exact = [mpmath.mpf(float(x)) for x in t]
        return (
            max(
                relative_error(float(p), mpmath.exp(-x)) for p, x in zip(power, exact, strict=True)
            ),
            max(
                relative_error(float(c), -mpmath.expm1(-x))
                for c, x in zip(complement, exact, strict=True)
            ),
        )


def test_the_bounds_hold_where_the_argument_reduction_is_worst() -> None:
    """Just beside the breakpoints (j + 1/2)/256, at tiny arguments, and everywhere else."""
    breaks = (np.arange(40 * 256) + 0.5) / 256
    beside = np.concatenate([np.nextafter(breaks, 0), breaks, np.nextafter(breaks, np.inf)])
    rng = np.random.default_rng(3)
    t = np.concatenate([beside[::3], 10.0 ** rng.uniform(-15, 1.6, 4000)])
    power, complement = worst_errors(t[t <= EXPONENTIAL_REACH])
    assert power <= EXPONENTIAL_ERROR
    assert complement <= ONE_MINUS_EXPONENTIAL_ERROR
    assert complement > ONE_MINUS_EXPONENTIAL_ERROR / 3, "the bound is far from what happens"


@given(st.just(0.0) | st.floats(1e-15, 1000))
def test_the_bounds_hold_at_any_argument(t: float) -> None:
    power, complement = exponentials(np.array([t]))
    with mpmath.workdps(50):
        truth = mpmath.exp(-mpmath.mpf(t))
        if t <= EXPONENTIAL_REACH:
            assert relative_error(float(power[0]), truth) <= EXPONENTIAL_ERROR
        else:
            assert 0 <= power[0] <= EXPONENTIAL_CUT
            assert truth <= EXPONENTIAL_CUT
        if t:
            assert relative_error(float(complement[0]), 1 - truth) <= ONE_MINUS_EXPONENTIAL_ERROR
        else:
            assert complement[0] == 0
            assert power[0] == 1


def test_the_tables_are_rounded_once() -> None:
    powers, complements = floats._tables()
    with precision(200):
        for j in range(0, len(powers), 7):
            truth = (ball(-1) * j / 256).exp()
            assert abs(ball(Fraction(float(powers[j]))) / truth - 1) < ROUNDED_BALL_ERROR
            if j:
                error = abs(ball(Fraction(float(complements[j]))) / (1 - truth) - 1)
                assert error < ROUNDED_BALL_ERROR
    assert (powers[0], complements[0]) == (1.0, 0.0)


@pytest.mark.parametrize("entry", [1, 17, 4096])
@pytest.mark.parametrize("table", ["powers", "complements"])
def test_a_table_three_units_off_is_noticed(table: str, entry: int) -> None:
    """The tests above would not pass over an entry that is not rounded from its ball."""
    powers, complements = (part.copy() for part in floats._tables())
    wrong = powers if table == "powers" else complements
    for _ in range(3):
        wrong[entry] = np.nextafter(wrong[entry], 2)
    with precision(200):
        power = (ball(-1) * entry / 256).exp()
        truth = power if table == "powers" else 1 - power
        assert not abs(ball(Fraction(float(wrong[entry]))) / truth - 1) < ROUNDED_BALL_ERROR


def test_a_polynomial_of_one_term_less_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def shorter(
        self: Exponential, t: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        t[:] = np.minimum(t, EXPONENTIAL_REACH) * 256
        whole = np.rint(t)
        g = t - whole
        t[:] = g
        return g * (2.0**-8 - g * (2.0**-17 - g * (2.0**-24 / 6))), whole.astype(np.intp)

    monkeypatch.setattr(Exponential, "_reduced", shorter)
    _, complement = worst_errors(np.linspace(0.001, 1, 500))
    assert complement > ONE_MINUS_EXPONENTIAL_ERROR


@given(st.fractions(Fraction(1, 10**9), 10**9))
def test_rounded_is_within_its_error(q: Fraction) -> None:
    assert abs(Fraction(rounded(real(q))) / q - 1) <= Fraction(ROUNDED_BALL_ERROR)


def test_a_wide_ball_is_not_rounded() -> None:
    with pytest.raises(ValueError, match="too wide"):
        rounded(Ball(1, 1e-9))


@pytest.mark.parametrize("number", ["1e400", "1e-400", "1e-308", "2^1023"])
def test_what_is_no_normal_float_is_not_rounded(number: str) -> None:
    with pytest.raises(NotRounded, match="beyond the range"):
        rounded(real(number))


@pytest.mark.parametrize("enough", [128, PRECISION_CAP // 2, None])
def test_a_closed_form_gets_the_bits_that_it_needs_and_at_most_the_cap(enough: int | None) -> None:
    asked = []

    class Number:
        def ball(self) -> Ball:
            asked.append(flint.ctx.prec)
            wide = enough is None or flint.ctx.prec < enough
            return Ball(1, 1) if wide else Ball(1)

    found = floats._narrow(Number())  # type: ignore[arg-type]
    assert asked[-1] == (enough or PRECISION_CAP)
    assert found.is_exact() == (enough is not None)
