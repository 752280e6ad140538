"""Screens by structure of three and more categories, against looks at every entry and mpmath."""

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import dpaudit
from dpaudit.notes import hellinger_binned, hellinger_screen
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.exponents import screen_losses

CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("EHDS", 30, {"prior": "1,1,1"}),
    ("EHDS", 22, {"prior": "1,2,3"}),
    ("EHDS", 24, {"prior": "1/2,3,1/2", "eps": "2", "gamma": "1/3"}),
    ("EHD", 26, {"prior": "1,1,1"}),
    ("EHDL", 24, {"prior": "1,1,1"}),
    ("MH", 24, {"prior": "1,1,1"}),
    ("EHDS", 13, {"prior": "1,1,1,1"}),
    ("EHDL", 10, {"prior": "2,1,1,1/3"}),
    ("EHDS", 8, {"prior": "1,1,1,1,1"}),
]


def subject_screen(name: str, n: int, more: dict[str, Any]) -> Any:
    return dpaudit.mechanism(name, **more).screen(n)


@pytest.fixture(autouse=True)
def every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at small sizes by structure, and at as many rows as are left there."""
    monkeypatch.setattr(hellinger_screen, "MANY_ENTRIES", 0)


@pytest.mark.parametrize(("name", "n", "more"), CASES)
def test_normalisers_lie_between_the_sums_over_counts(
    name: str, n: int, more: dict[str, Any]
) -> None:
    screen = subject_screen(name, n, more)
    low, high = hellinger_binned._rough(screen, screen.floats.metric, screen.factors)
    every = screen_losses(screen)
    error = every.normaliser_error * 1.01 + 1e-12
    assert (low <= every.log_normalisers + error).all()
    assert (every.log_normalisers - error <= high).all()
    assert (high - low).max() < 0.05
    exact_low, exact_high = hellinger_binned._exact(screen, screen.moves.ranks)
    assert (exact_low <= every.log_normalisers + error).all()
    assert (every.log_normalisers - error <= exact_high).all()
    assert (exact_high - exact_low).max() < 1e-9
    assert (low <= exact_high).all()
    assert (exact_low <= high).all()


@pytest.mark.parametrize(("name", "n", "more"), CASES)
def test_bounds_of_every_pair_contain_what_every_entry_tells(
    name: str, n: int, more: dict[str, Any]
) -> None:
    screen = subject_screen(name, n, more)
    found = hellinger_binned.binned_losses(screen, screen.floats.metric, screen.factors)
    every = screen_losses(screen)
    assert (found.lower <= every.upper).all()
    assert (every.lower <= found.upper).all()
    for one, other in ((found.forward, every.forward), (found.backward, every.backward)):
        assert (np.abs(one - other) <= found.error + every.error).all()
    assert (found.orbits == every.orbits).all()
    assert found.covered == every.covered == screen.moves.pair_count


@pytest.mark.parametrize("prior", ["1,1,1", "1/7,9/4,3"])
def test_counts_are_those_of_the_distances(prior: str) -> None:
    """Every output is in the bin of its t, recomputed in 50 digits, or within the spread."""
    n = 9
    metric = subject_screen("EHDS", n, {"prior": prior}).floats.metric
    alphas = [Fraction(one) for one in prior.split(",")]
    outputs = hellinger_binned._Outputs(metric)
    spread = 3 * (0.5 + hellinger_binned._ROUNDING)
    with mpmath.workdps(50):

        def phi(alpha: Fraction, half: int) -> Any:
            argument = alpha + Fraction(half, 2)
            return mpmath.loggamma(mpmath.mpf(argument.numerator) / argument.denominator)

        for rank, x in enumerate(metric.counts.tolist()):
            counts = outputs.counted(rank)
            assert counts.sum() == len(metric)
            for place, r in enumerate(metric.counts.tolist()):
                exponent = sum(
                    (phi(alpha, 2 * a) + phi(alpha, 2 * b)) / 2 - phi(alpha, a + b)
                    for alpha, a, b in zip(alphas, x, r, strict=True)
                )
                near = int(outputs.total[place])
                if near < hellinger_binned._CAP:
                    assert abs(exponent * hellinger_binned._SCALE - near) <= spread
                else:
                    assert exponent * hellinger_binned._SCALE >= near - spread


@pytest.mark.parametrize(("name", "n", "more"), CASES)
def test_an_audit_by_structure_finds_what_one_of_every_entry_does(
    name: str, n: int, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = dpaudit.check(name, n, **more)
    monkeypatch.setattr(hellinger_screen, "MANY_ENTRIES", 1 << 60)
    assert dpaudit.check(name, n, **more).results == found.results


def test_a_delta_that_is_not_0_is_left_to_a_look_at_every_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, Any] = {"prior": "1,1,1", "at_eps": ["1/10", "1/5"]}
    found = dpaudit.check("EHDS", 20, **asked)
    monkeypatch.setattr(hellinger_screen, "MANY_ENTRIES", 1 << 60)
    assert dpaudit.check("EHDS", 20, **asked).results == found.results


def test_losses_that_are_not_told_apart_are_left_to_a_look_at_every_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = subject_screen("EHDS", 30, {"prior": "1,1,1"})
    monkeypatch.setattr(hellinger_binned, "_MOST_ORBITS", 0)
    with pytest.raises(NotScreened, match="not told apart"):
        hellinger_binned.binned_losses(screen, screen.floats.metric, screen.factors)
    assert screen.losses() is None


@pytest.mark.parametrize("scale", [1.02, 0.98])
def test_distances_read_at_another_scale_are_caught(
    scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = subject_screen("EHDS", 40, {"prior": "1,1,1"})
    logs = screen_losses(screen).log_normalisers
    exactly = hellinger_binned._distances
    monkeypatch.setattr(hellinger_binned, "_distances", lambda t: exactly(t * scale))
    low, high = hellinger_binned._rough(screen, screen.floats.metric, screen.factors)
    assert not ((low <= logs + 1e-9) & (logs - 1e-9 <= high)).all()


def test_a_lower_cap_makes_bounds_wide_and_not_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = subject_screen("EHDS", 40, {"prior": "1,1,1"})
    logs = screen_losses(screen).log_normalisers
    monkeypatch.setattr(hellinger_binned, "_CAP", 64)
    low, high = hellinger_binned._rough(screen, screen.floats.metric, screen.factors)
    assert ((low <= logs + 1e-9) & (logs - 1e-9 <= high)).all()
    assert (high - low).max() > 0.1


def test_normalisers_that_are_too_low_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = subject_screen("EHDS", 30, {"prior": "1,1,1"})
    roughly = hellinger_binned._rough

    def lower(*arguments: Any) -> Any:
        low, high = roughly(*arguments)
        off = np.linspace(0, 3, len(low)) % 0.3
        return low - off, high - off

    monkeypatch.setattr(hellinger_binned, "_rough", lower)
    monkeypatch.setattr(hellinger_binned, "_MOST_ROWS", 1)
    found = hellinger_binned.binned_losses(screen, screen.floats.metric, screen.factors)
    assert not (screen_losses(screen).lower <= found.upper).all()
