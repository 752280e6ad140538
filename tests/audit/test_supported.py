"""Hulls from δ at finitely many ε: on the right side of closed forms and of listed outputs."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpaudit
from dpaudit.audit.supported import supported_points
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.shifted import GaussianDivergence, LaplaceDivergence
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import rational
from tests.campaigns import part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dpaudit.audit.supported import Point
    from dpaudit.laws.law import Divergence

BITS = 96
WANTED = [Fraction(0), Fraction(1, 3), Fraction(5, 4)]


def gaussian(mu: mpf, epsilon: mpf) -> mpf:
    """Return δ(ε) of two normal laws, from erfc."""
    if epsilon < 0:
        return 1 - mp.exp(epsilon) + mp.exp(epsilon) * gaussian(mu, -epsilon)
    near, far = (epsilon / mu - mu / 2) / mp.sqrt(2), (epsilon / mu + mu / 2) / mp.sqrt(2)
    return (mp.erfc(near) - mp.exp(epsilon) * mp.erfc(far)) / 2


def laplace(shift: mpf, epsilon: mpf) -> mpf:
    """Return δ(ε) of two Laplace laws."""
    if epsilon >= shift:
        return mpf(0)
    return 1 - mp.exp(epsilon) if epsilon < -shift else 1 - mp.exp((epsilon - shift) / 2)


def read(points: Sequence[Point], epsilon: mpf) -> mpf:
    """Return the largest P − e^ε·Q of vertices."""
    scale = mpf(2) ** BITS
    return max(mpf(point.p) / scale - mp.exp(epsilon) * mpf(point.q) / scale for point in points)


def check_sides(
    divergence: Divergence, truth: Callable[[mpf], mpf], places: Sequence[Fraction]
) -> None:
    """Check both hulls, as they are and of the other direction where that is alike."""
    with precision(BITS):
        above, below = supported_points(divergence, [rational(one) for one in WANTED], [], 100)
    with mp.workdps(50):
        for place in [*places, *WANTED]:
            epsilon = mpf(place.numerator) / place.denominator
            low, exact, high = read(below, epsilon), truth(epsilon), read(above, epsilon)
            slack = mp.exp(epsilon) * mpf(10) ** -40
            assert low - slack <= exact <= high + slack
            assert high - low < mpf(10) ** (-17 if place in WANTED else -3)


places = st.lists(st.fractions(-4, 4, max_denominator=1000), min_size=8, max_size=8)


@settings(max_examples=part(12, 2), deadline=None)
@given(shift=st.fractions(Fraction(1, 50), 3, max_denominator=50), places=places)
@pytest.mark.parametrize(
    ("divergence", "truth"), [(GaussianDivergence, gaussian), (LaplaceDivergence, laplace)]
)
def test_closed_forms_lie_between(
    divergence: Any, truth: Any, shift: Fraction, places: list[Fraction]
) -> None:
    check_sides(
        divergence(rational(shift)),
        lambda e: truth(mpf(shift.numerator) / shift.denominator, e),
        places,
    )


masses = st.lists(st.integers(0, 9), min_size=3, max_size=6).filter(any)


@settings(max_examples=part(24, 3), deadline=None)
@given(p=masses, q=masses, places=places)
def test_listed_laws_lie_between(p: list[int], q: list[int], places: list[Fraction]) -> None:
    """Kinks, straight lines, and outputs that one side cannot give."""
    left, right = ([Fraction(one, sum(law) or 1) for one in law] for law in (p, q))
    laws = [
        ExplicitLaw({i: rational(one) for i, one in enumerate(law) if one}) for law in (left, right)
    ]
    left, right = (law + [Fraction(0)] * (max(len(p), len(q)) - len(law)) for law in (left, right))

    def truth(epsilon: mpf) -> mpf:
        factor = mp.exp(epsilon)
        return mp.fsum(
            max(mpf(a.numerator) / a.denominator - factor * mpf(b.numerator) / b.denominator, 0)
            for a, b in zip(left, right, strict=True)
        )

    check_sides(laws[0].divergence_from(laws[1]), truth, places)


@pytest.mark.parametrize(("name", "setting"), [("Gaussian", {"sigma": "3/2"}), ("Laplace", {})])
def test_curves_and_trade_offs_of_densities_are_rechecked(
    name: str, setting: dict[str, Any], tmp_path: Path
) -> None:
    """Each hull with one vertex moved to its wrong side is rejected."""
    path = tmp_path / "report.json"
    for asked, key in ((dpaudit.curve, "curves"), (dpaudit.tradeoff, "results")):
        content = asked(name, **setting).to_json()
        path.write_text(content)
        assert dpaudit.verify(path).verdict == "accepted"
        for side, sign in (("upper", -1), ("lower", 1)):
            document = json.loads(content)
            (size,) = document[key]
            vertex = size[side][len(size[side]) // 2]
            vertex["p"] = str(int(vertex["p"]) + sign * (1 << size["scale_bits"] - 30))
            del document["sha256"]
            path.write_text(json.dumps(document))
            assert dpaudit.verify(path).verdict == "rejected"


def test_errors_and_mu_of_closed_forms() -> None:
    """f = G_μ for normal noise; for Laplace noise 1 − e^s·a, e^(−s)/(4a) and e^(−s)·(1 − a)."""
    found = dpaudit.tradeoff("Gaussian", sigma=2, at_type_one=["1/20", "1/2"]).results[0]
    assert str(found.mu.exact) == "1/2"
    with mp.workdps(30):
        for at, error in zip(found.values, (mpf(1) / 20, mpf(1) / 2), strict=True):
            power = mp.erfinv(1 - 2 * error) * mp.sqrt(2) - mpf(1) / 2
            assert mpf(str(at.lower)) <= mp.ncdf(power) <= mpf(str(at.upper))
            assert at.upper - at.lower < 1e-12
        found = dpaudit.tradeoff("Laplace", scale=1, at_type_one=["1/10", "1/3", "3/4"]).results[0]
        truth = [1 - mp.e / 10, 3 / (4 * mp.e), 1 / (4 * mp.e)]
        for at, exact in zip(found.values, truth, strict=True):
            assert mpf(str(at.lower)) <= exact <= mpf(str(at.upper))
        mu = -2 * mp.sqrt(2) * mp.erfinv(mp.exp(mpf(-1) / 2) - 1)
        assert mpf(str(found.mu.lower)) <= mu <= mpf(str(found.mu.upper))


def test_many_bits_are_no_trouble() -> None:
    """Vertices are whole numbers that no float holds then."""
    with precision(1500):
        above, below = supported_points(GaussianDivergence(rational(Fraction(1, 2))), [], [], 30)
    assert len(above) == len(below) == 31


def clamped(x: int) -> float:
    return max(0.0, x + random.gauss(0, 1))


def laplace_noise(x: int) -> float:
    return x + float(np.random.laplace(0, 1))


def sometimes_nothing(x: int) -> float:
    return 0 if random.random() < 0.3 else x + random.gauss(0, 1)


def one_sided(x: int) -> float:
    return x + np.random.exponential(1)


def uniform(x: int) -> float:
    return x + random.uniform(0, 2)


def two_laplace(x: int) -> float:
    return x + np.random.laplace(0, 1) + np.random.laplace(0, 1)


def vector(x: int) -> Any:
    return np.array([x, 1 - x]) + np.random.normal(0, 2, 2)


@pytest.mark.parametrize(
    "function",
    [clamped, laplace_noise, sometimes_nothing, one_sided, uniform, two_laplace, vector],
)
def test_curves_of_functions_contain_what_check_finds(function: Any) -> None:
    asked: dict[str, Any] = {"inputs": [0, 1], "neighbours": "all"}
    (size,) = dpaudit.curve(function, at_eps=["1/2"], **asked).results
    epsilons = ["1/7", "0.61", "1", "1.7", "2.9"]
    (found,) = dpaudit.check(function, at_eps=epsilons, **asked).results
    assert len(found.curve) == len(epsilons)
    with mp.workdps(40):
        for at in found.curve:
            factor, scale = mp.exp(mpf(str(at.epsilon.ball().mid().str(30, radius=False)))), mpf(2)
            scale **= size.scale_bits
            high, low = (
                max((v.p - factor * v.q) / scale for v in hull) for hull in (size.upper, size.lower)
            )
            assert low <= mpf(str(at.upper)) + mpf(10) ** -20
            assert mpf(str(at.lower)) <= high + mpf(10) ** -20
            assert high - low < 0.002


def test_a_largest_loss_that_is_an_epsilon_is_no_infinite_mu() -> None:
    """A δ that is 0 by a tie is exactly 0: next to 0 it would ask for tests of no type I error."""
    (found,) = dpaudit.tradeoff(laplace_noise, inputs=[0, 1], neighbours="all").results
    exact = -2 * mp.sqrt(2) * mp.erfinv(mp.exp(-mpf(1) / 2) - 1)
    lower, upper = mpf(str(found.mu.lower)), mpf(str(found.mu.upper))
    assert lower <= exact <= upper < lower + mpf(10) ** -4


def test_the_trade_off_of_a_function_with_noise() -> None:
    """Its μ is that of the noise, from both sides as near as the hulls are."""

    def noisy(x: int) -> float:
        return min(max(x + random.gauss(0, 1), 0), 3)

    found = dpaudit.tradeoff(noisy, inputs=[1, 2], neighbours="all").results[0]
    assert 0.95 < found.mu.lower <= found.mu.upper < 1.05
