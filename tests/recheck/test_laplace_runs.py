"""δ of runs with Laplace noise in closed form: against quadrature, a contour and other digits."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpaudit.recheck.continuous import Gaussian, Laplace
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.inversion import delta_of_runs
from dpaudit.recheck.laplace_runs import LaplaceRuns
from dpaudit.recheck.runs import _Part, _sampled, _sampled_once


@pytest.fixture(autouse=True)
def digits() -> object:
    with mp.workdps(30):
        yield


def loss(x: mpf, s: mpf) -> mpf:
    return abs(x) - abs(x - s)


def by_quadrature(shifts: tuple[mpf, ...], epsilon: mpf) -> mpf:
    """E (1 − e^(ε − L))₊ of one or two runs, by integrals between the kinks of the integrand."""
    s, *others = shifts

    def inner(x: mpf) -> mpf:
        left = epsilon - loss(x, s)
        rest = by_quadrature(tuple(others), left) if others else max(mpf(0), -mp.expm1(left))
        return mp.exp(-abs(x - s)) / 2 * rest

    reach = sum(others, mpf(0))
    kinks = [mpf(0), s, *((epsilon + way * reach + s) / 2 for way in (-1, 1))]
    inside = sorted({min(max(one, mpf(0)), s) for one in kinks})
    return mp.quad(inner, [mpf(-60), *inside, s + 60])


@pytest.mark.parametrize("epsilon", ["0.3", "-0.2", "1.2", "-2", "0"])
@pytest.mark.parametrize("shifts", [("0.5",), ("1", "0.7"), ("1", "1"), ("0.2", "2")])
def test_it_is_the_integral(shifts: tuple[str, ...], epsilon: str) -> None:
    with mp.workdps(15):
        each, at = tuple(map(mpf, shifts)), mpf(epsilon)
        runs = LaplaceRuns([1] * len(each)).delta(each, at)
        assert abs(runs - by_quadrature(each, at)) < mpf(10) ** -11
        if len(set(each)) < len(each):  # the same runs of one mechanism
            assert abs(LaplaceRuns([len(each)]).delta(each[:1], at) - runs) < mpf(10) ** -14


@settings(max_examples=4)
@given(st.integers(60, 90), st.integers(60, 160), st.integers(0, 40))
def test_it_is_the_contour_integral(count: int, shift: int, epsilon: int) -> None:
    """Where losses are large the integral does not come back, and ends."""
    s, at = mpf(shift) / 40, mpf(epsilon)
    noise = Laplace({"scale": f"40/{shift}"})
    integral, error = delta_of_runs(noise.moment, count, at, 15)
    assert abs(LaplaceRuns([count]).delta([s], at) - integral) <= error + mpf(10) ** -25


@settings(max_examples=30)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=2), st.integers(-30, 60), st.data())
def test_more_digits_give_the_same(runs: list[int], epsilon: int, data: st.DataObject) -> None:
    shifts = [data.draw(st.integers(1, 30)) for _ in runs]
    found = []
    for places in (40, 90):
        with mp.workdps(places):
            each = [mpf(one) / 10 for one in shifts]
            found.append(LaplaceRuns(runs).delta(each, mpf(epsilon) / 10))
    assert abs(found[0] - found[1]) < mpf(10) ** -20
    assert found[1] + mpf(10) ** -60 >= 0
    if epsilon >= sum(s * k for s, k in zip(shifts, runs, strict=True)):
        assert found[1] == 0


def test_delta_falls_and_is_convex_in_the_order() -> None:
    orders = [mpf(k) / 4 for k in range(1, 30)]
    found = [LaplaceRuns([7]).delta([mpf("0.3")], mp.log(order)) for order in orders]
    slopes = [b - a for a, b in pairwise(found)]
    assert all(slope <= mpf(10) ** -25 for slope in slopes)
    assert all(b >= a - mpf(10) ** -25 for a, b in pairwise(slopes))


def test_too_many_runs_are_refused() -> None:
    with pytest.raises(UnknownDefinitionError, match="too many runs"):
        LaplaceRuns([100_000])
    with pytest.raises(UnknownDefinitionError, match="too many runs"):
        LaplaceRuns([1000, 1000])


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("name", ["Gaussian", "Laplace"])
def test_one_sampled_run_has_what_its_laws_have(name: str, remove: bool) -> None:
    """(P − a·Q)₊ of a sampled pair is a multiple of that of the pair at another order."""
    noise = (
        Gaussian({"sigma": "2", "delta": "1/100"})
        if name == "Gaussian"
        else Laplace({"scale": "1"})
    )
    rate = mpf(1) / 10
    part = _Part(noise, 1, "1/10")  # type: ignore[arg-type]
    for epsilon in ("-0.08", "0", "0.05", "0.1"):
        at = mpf(epsilon)
        factor = mp.exp(at)
        share = rate if remove else 1 - factor * (1 - rate)
        order = 1 + (factor - 1) / rate if remove else factor * rate / share
        whole = 1 - factor
        truth = share * noise.delta((1, 0), (0, 1), mp.log(order)) if order > 0 else whole
        if share <= 0:
            truth = mpf(0)
        assert abs(_sampled_once(part, remove=remove)(at) - truth) < mpf(10) ** -25


@pytest.mark.parametrize("remove", [True, False])
def test_moments_of_a_sampled_run_are_its_integral(remove: bool) -> None:
    noise, rate = Gaussian({"sigma": "1", "delta": "1/100"}), mpf(1) / 5
    moment = _sampled(noise, rate, remove=remove)

    def ratio(x: mpf) -> mpf:
        return 1 - rate + rate * mp.exp(x - mpf(1) / 2)

    for z in (mpf("0.5"), mp.mpc("0.5", "3"), mp.mpc(2, -7)):
        if remove:
            truth = mp.quad(lambda x: mp.npdf(x) * ratio(x) ** (z + 1), [-14, 0, 5, 20])  # noqa: B023
        else:
            truth = mp.quad(lambda x: mp.npdf(x) * ratio(x) ** -z, [-14, 0, 5, 20])  # noqa: B023
        assert abs(moment(z) - truth) < mpf(10) ** -20
