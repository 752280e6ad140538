"""Few sampled Gaussian runs in which a record is added: no loss is above −T·ln(1 − q).

The base over the mixture (1 − q)·N(0) + q·N(1) is at most 1/(1 − q), so T runs lose at most
−T·ln(1 − q), and δ is 0 from there on.  Below, δ is held against a quadrature and dp-accounting.
"""

import json
from decimal import Decimal
from functools import cache
from math import log
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli.main import invoke

SETTINGS = [("1", "1/10"), ("1/2", "1/100"), ("4", "1/2")]
"""Noise multipliers and sampling rates."""
SHARES = ["0.3", "0.9", "0.99", "0.9999"]
"""ε over the largest loss."""


def account(sigma: str, rate: str, steps: int, epsilon: str, direction: Any) -> Any:
    (row,) = dpaudit.account_dpsgd(
        noise_multiplier=sigma,
        sample_rate=rate,
        steps=steps,
        epsilon=[epsilon],
        direction=direction,
    ).rows
    return row


def largest(rate: str, steps: int) -> float:
    return -steps * log(1 - float(mpf(rate.split("/", maxsplit=1)[0]) / mpf(rate.split("/")[1])))


@pytest.mark.parametrize(("sigma", "rate"), SETTINGS)
@pytest.mark.parametrize("steps", [1, 2, 7, 30])
@pytest.mark.parametrize("share", ["1.000001", "2", "100"])
def test_no_loss_is_above_the_largest(sigma: str, rate: str, steps: int, share: str) -> None:
    epsilon = repr(float(share) * largest(rate, steps))
    row = account(sigma, rate, steps, epsilon, "add")
    assert (row.delta.lower, row.delta.upper, str(row.delta.exact)) == (0, 0, "0")
    assert row.method == "closed form"


def test_exactly_at_the_largest_loss_it_is_nothing() -> None:
    row = account("1", "1/10", 3, "-3*ln(9/10)", "add")
    assert str(row.delta.exact) == "0"


def by_quadrature(sigma: str, rate: str, epsilon: str, direction: str) -> Any:
    """Return ∫ (p − e^ε·q)₊ of one run, from its definition."""
    with mp.workdps(40):
        numerator, denominator = sigma.split("/") if "/" in sigma else (sigma, "1")
        shift = mpf(denominator) / mpf(numerator)
        q = mpf(rate.split("/", maxsplit=1)[0]) / mpf(rate.split("/")[1])
        e = mp.exp(mpf(epsilon))

        def base(x: Any) -> Any:
            return mp.npdf(x)

        def mixture(x: Any) -> Any:
            return (1 - q) * mp.npdf(x) + q * mp.npdf(x - shift)

        p, other = (base, mixture) if direction == "add" else (mixture, base)
        # mixture/base is 1 − q + q·e^(shift·x − shift²/2): where it crosses e^∓ε the sign changes
        ratio = (1 / e if direction == "add" else e) - (1 - q)
        if ratio <= 0:
            return mpf(0)
        place = (mp.log(ratio / q) + shift * shift / 2) / shift
        sign = -1 if direction == "add" else 1
        ends = [place + sign * step / mpf(8) for step in (0, 1, 2, 4, 8, 16, 32, 64, 128)]
        return abs(mp.quad(lambda x: p(x) - e * other(x), [*ends, sign * mp.inf]))


@pytest.mark.parametrize(("sigma", "rate"), SETTINGS)
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("direction", ["add", "remove"])
def test_one_run_against_a_quadrature(sigma: str, rate: str, share: str, direction: str) -> None:
    epsilon = repr(float(share) * largest(rate, 1))
    row = account(sigma, rate, 1, epsilon, direction)
    expected = by_quadrature(sigma, rate, epsilon, direction)
    assert row.method == "closed form"
    with mp.workdps(40):
        slack = expected * mpf("1e-7")  # of the quadrature, far out on a tail
        low, high = (mpf(str(end)) for end in (row.delta.lower, row.delta.upper))
        assert low - slack <= expected <= high + slack
    assert row.delta.width <= Decimal("1e-15")


@cache
def by_dp_accounting(sigma: str, rate: str, pessimistic: bool) -> Any:
    """Return dp-accounting's law of one run, which takes seconds."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    return pld.from_gaussian_mechanism(
        float(dpaudit.real(sigma).ball()),
        value_discretization_interval=1e-4,
        sampling_prob=float(dpaudit.real(rate).ball()),
        pessimistic_estimate=pessimistic,
    )


@pytest.mark.parametrize(("sigma", "rate"), SETTINGS)
@pytest.mark.parametrize("steps", [2, 5, 20])
@pytest.mark.parametrize("share", ["0.3", "0.7", "0.95"])
@pytest.mark.parametrize("direction", ["add", "both"])
def test_few_runs_against_dp_accounting(
    sigma: str, rate: str, steps: int, share: str, direction: str
) -> None:
    epsilon = float(share) * largest(rate, steps)
    row = account(sigma, rate, steps, repr(epsilon), direction)
    width = row.delta.width
    assert width <= max(Decimal("0.01") * row.delta.upper, Decimal("1e-22"))
    ends = []
    for pessimistic in (False, True):
        composed = by_dp_accounting(sigma, rate, pessimistic).self_compose(steps)
        part = composed._pmf_add if direction == "add" else composed
        ends.append(float(part.get_delta_for_epsilon(epsilon)))
    low, high = ends
    assert float(row.delta.lower) <= high + 1e-14
    assert float(row.delta.upper) >= low - 1e-14


@pytest.mark.parametrize(("steps", "share"), [(1, 0.5), (1, 0.97), (1, 1.5), (3, 0.5), (3, 1.5)])
def test_the_second_look_agrees(
    steps: int, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = (
        f"account dpsgd --noise-multiplier 1 --sample-rate 1/10 --steps {steps} --direction add "
        f"--epsilon {share * largest('1/10', steps)!r} --format json --output a.json"
    )
    assert invoke(words.split()) == 0
    assert invoke(["verify", "a.json"]) == 0
    changed = json.loads(Path("a.json").read_text())
    assert changed["rows"][0]["direction"] == "add"


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "epsilon"),
    [("10", "1/100", 1000, "1/2"), ("10", "1/100", 1000, "8"), ("20", "1/1000", 100_000, "4")],
)
def test_a_delta_that_is_next_to_nothing_is_bounded_without_a_composition(
    sigma: str, rate: str, steps: int, epsilon: str
) -> None:
    """Large noise and a large ε: lattices this far out took minutes."""
    start = process_time()
    row = account(sigma, rate, steps, epsilon, "both")
    assert process_time() - start < 20
    assert 0 <= row.delta.lower <= row.delta.upper <= Decimal("1e-22")


def test_a_bound_far_out_is_above_the_delta_of_one_run() -> None:
    """The bound at a smaller ε holds at ε: δ of a single run, by a quadrature, is below it."""
    row = account("10", "1/100", 50, "1/4", "remove")
    exact = by_quadrature("10", "1/100", "1/4", "remove")
    assert exact <= mpf(str(row.delta.upper)) <= mpf("1e-22")
