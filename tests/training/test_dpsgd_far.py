"""δ of DP-SGD at an ε far above what is lost: short lattices or bounds, above one step's δ."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import pytest

import dpaudit
from dpaudit.numbers import lattice_power
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.real import real
from dpaudit.questions.account import lattices
from dpaudit.questions.account.moments import SampledGaussianMoments
from dpaudit.questions.account.planned import FAR_PLACES

FAR = [
    ("5", "1e-4", 1000, "0.2"),
    ("5", "1e-3", 100, "1"),
    ("5", "1e-4", 100_000, "0.2"),
    ("5", "1e-5", 100_000, "1"),
    ("5", "1e-2", 1000, "4"),
    ("20", "1e-5", 1_000_000, "0.05"),
    ("20", "1e-4", 10_000, "1"),
]


def one_step(sigma: str, rate: str, epsilon: str) -> mpmath.mpf:
    """Return δ(ε) of one step if a record is removed; more steps on the same data have more."""
    mu, q, factor = 1 / mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.exp(mpmath.mpf(epsilon))
    place = (mpmath.log((factor - 1 + q) / q) + mu * mu / 2) / mu
    absent, present = mpmath.ncdf(-place), mpmath.ncdf(mu - place)
    return (1 - q) * absent + q * present - factor * absent


@pytest.mark.parametrize(("sigma", "rate", "steps", "epsilon"), FAR)
def test_a_negligible_delta_takes_a_short_lattice_at_most(
    monkeypatch: pytest.MonkeyPatch, sigma: str, rate: str, steps: int, epsilon: str
) -> None:
    made = lattice_power.powered

    def powered(lattice: Any, runs: int, window: Any) -> Any:
        assert window.count <= FAR_PLACES
        return made(lattice, runs, window)

    monkeypatch.setattr(lattices, "powered", powered)
    account = dpaudit.account_dpsgd(
        noise_multiplier=sigma, sample_rate=rate, steps=steps, epsilon=epsilon
    )
    row: Any = account.rows[0]
    with mpmath.workdps(60):
        least = one_step(sigma, rate, epsilon)
        assert mpmath.mpf(str(row.delta.upper)) >= least
    if sigma == "5":  # one step may lose that much, and shows it
        assert row.delta.lower > 0
    assert row.delta.upper <= Decimal("1e-22")


@pytest.mark.parametrize("sigma", ["1", "5", "20"])
@pytest.mark.parametrize("rate", ["1e-5", "1e-2", "1/2"])
def test_moments_in_floats_are_those_in_balls(sigma: str, rate: str) -> None:
    # Powers chosen by floats that fall short of a moment make Chernoff's bound useless.
    q = Fraction(rate)
    moments = SampledGaussianMoments(real(1 / Fraction(sigma)), real(q), remove=True)
    powers = [one * float(sigma) for one in (0.3, 3.0, 20.0, 34.0, 45.0)]
    for power in powers:
        with precision(160):
            proved = float(moments.along(Ball(power), Ball(1), 1)[0].real.log())
        assert moments.cumulant(power) == pytest.approx(proved, rel=1e-2, abs=1e-9)
