"""Large sizes by structure: the same findings as entry by entry, and bounds that hold."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.notes import float_metric, hellinger_large, hellinger_screen
from dpaudit.notes.float_metric import _LogGammaTable
from dpaudit.numbers.ball import fixed_point, log_gamma, precision
from dpaudit.screens.exponents import screen_losses

CASES: list[tuple[str, dict[str, Any]]] = [
    ("EHDS", {}),
    ("EHDS", {"prior": "1/10,3", "gamma": "1/4"}),
    ("EHDS", {"eps": "3"}),
    ("EHD", {}),
    ("EHD", {"gs": "computed", "prior": "2,1/2"}),
    ("EHDL", {"prior": "1/10,1/10"}),
    ("EHDL", {"eps": "1/10"}),
    ("MH", {"delta": "1/3"}),
]


def by_structure(screen: Any) -> Any:
    return hellinger_large.losses_by_structure(screen, screen.floats.metric, screen.factors)


@pytest.mark.parametrize(("name", "more"), CASES)
@pytest.mark.parametrize("n", [1, 2, 35, 260])
def test_bounds_by_structure_hold_the_losses_of_all_entries(
    name: str, more: dict[str, Any], n: int
) -> None:
    screen: Any = dpaudit.mechanism(name, **more).screen(n)
    found = by_structure(screen)
    every = screen_losses(screen)
    assert found.covered == every.covered == n
    assert (every.lower <= found.upper).all()
    assert (found.lower <= every.upper).all()
    for one, other in ((found.forward, every.forward), (found.backward, every.backward)):
        assert (np.abs(one - other) <= found.error + every.error).all()
    assert (found.orbits == every.orbits).all()


@pytest.mark.parametrize(("name", "more"), CASES[:-1])
def test_an_audit_by_structure_finds_what_one_of_every_entry_does(
    name: str, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = dpaudit.check(name, 150, **more)
    monkeypatch.setattr(hellinger_screen, "LARGE", 100)
    assert dpaudit.check(name, 150, **more).results == plain.results


def test_a_delta_that_is_not_0_is_left_to_a_look_at_every_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, Any] = {"at_eps": ["1/10", "1/5"]}
    plain = dpaudit.check("EHDS", 150, **asked)
    monkeypatch.setattr(hellinger_screen, "LARGE", 100)
    assert dpaudit.check("EHDS", 150, **asked).results == plain.results
    exceeding = dpaudit.check("EHDL", 150, prior="1/10,1/10")
    assert exceeding.verdict == "exceeds"


@pytest.mark.parametrize("step", [0.5, 0.1, 0.01, 0.0])
def test_normalisers_lie_between_the_sums_in_steps(step: float) -> None:
    screen: Any = dpaudit.mechanism("EHDS", prior="1/3,2", eps="1/2").screen(700)
    rows = np.arange(701)
    given = hellinger_large._Screen(700, screen.floats.metric, screen.factors, screen.error)
    low, high = hellinger_large._sums(given, rows, hellinger_large._distances(700, step))
    every = screen_losses(screen)
    error = every.normaliser_error * 1.01 + 1e-12
    assert (low <= every.log_normalisers + error).all()
    assert (every.log_normalisers - error <= high).all()
    if step == 0.0:
        assert (high - low).max() < 1e-8
    else:
        assert (high - low).max() < 2 * step


@pytest.mark.parametrize("prior", ["1,1", "1/7,9/4"])
def test_distances_grow_on_either_side(prior: str) -> None:
    screen: Any = dpaudit.mechanism("EHDS", prior=prior).screen(300)
    exponents = np.empty((301, 301))
    screen.floats.metric.exponents(np.arange(301), slice(0, 301), exponents, exponents.copy())
    for x in range(301):
        assert (np.diff(exponents[x, x:]) > 0).all()
        assert (np.diff(exponents[x, : x + 1]) < 0).all()


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(1, 10), Fraction(7, 3)])
def test_logarithms_added_up_from_those_of_primes_are_the_same(
    alpha: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    singly, added = _LogGammaTable(alpha), _LogGammaTable(alpha)
    singly.grow(900)
    monkeypatch.setattr(float_metric, "_WORTH_A_SIEVE", 10)
    # Odd and even steps: each parity of entries is added up by itself.
    for length in (1, 2, 400, 411, 412, 415, 900):
        added.grow(length)
    with precision(320):
        for j in range(900):
            low, high = fixed_point(log_gamma(alpha + Fraction(j, 2)), 160)
            assert all(low - 2 < one.integers[j] < high + 2 for one in (singly, added))
