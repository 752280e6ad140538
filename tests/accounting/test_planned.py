"""δ(ε) of DP-SGD on planned lattices: quick, within dp-accounting's ends, above single events."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import exp, log
from time import process_time
from typing import Any

import mpmath
import numpy as np
import pytest

import dpaudit
from dpaudit.laws.shifted import GaussianDivergence
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.chains import chained
from dpaudit.numbers.real import rational, real
from dpaudit.questions.account.lattices import Effort, band
from dpaudit.questions.account.moments import SampledGaussianMoments
from dpaudit.questions.account.planned import by_events, planned
from dpaudit.questions.account.planning import grid_of
from dpaudit.questions.account.sources import Spread
from dpaudit.questions.account.subsampling import subsampled

TRAININGS = [
    ("0.5", "1e-5", 1000),
    ("0.7", "1e-5", 100),
    ("0.7", "1e-5", 100_000),
    ("1", "1e-5", 1),
    ("1", "1e-5", 1_000_000),
    ("0.5", "1e-4", 100),
    ("0.7", "1e-4", 10_000),
    ("1", "1e-4", 1000),
    ("2", "1e-4", 1_000_000),
    ("0.5", "1e-3", 10),
    ("0.7", "1e-3", 100),
    ("1", "1e-3", 1000),
    ("1", "1e-3", 100_000),
    ("2", "1e-3", 10_000),
    ("5", "1e-3", 1_000_000),
    ("0.5", "1e-2", 100),
    ("0.7", "1e-2", 10),
    ("1", "1e-2", 1000),
    ("2", "1e-2", 10_000),
    ("10", "1e-2", 1_000_000),
    ("1", "1e-1", 100),
    ("2", "1e-1", 1000),
    ("5", "1e-1", 10_000),
    ("10", "1e-1", 100),
    ("0.5", "1e-1", 300),
]
"""σ, q and T."""

DEPTHS = [1.5, 11.0, 34.0]
"""How far down the tail ε is: −ln of Chernoff's bound of δ."""

SECONDS = 10


def moments_of(sigma: str, rate: str, *, remove: bool = True) -> SampledGaussianMoments:
    return SampledGaussianMoments(real(1 / Fraction(sigma)), real(rate), remove)


def source_of(sigma: str, rate: str, *, remove: bool = True) -> Spread:
    measure = GaussianDivergence(real(1 / Fraction(sigma))).loss_measure(forward=True)
    assert measure is not None
    return Spread(subsampled(measure, real(rate), remove=remove))


def epsilon_at(sigma: str, rate: str, steps: int, depth: float) -> float:
    """Return an ε of three digits at which Chernoff's bound of δ is about e^−depth."""
    one = moments_of(sigma, rate)
    powers = np.geomspace(0.05, 1000, 100)
    cumulants = [steps * one.cumulant(float(c)) for c in powers]
    least = min((k + depth) / float(c) for k, c in zip(cumulants, powers, strict=True))
    return float(f"{max(0.0, least):.3g}")


def by_dp_accounting(sigma: str, rate: str, steps: int, epsilon: float) -> tuple[float, float]:
    """Return dp-accounting's optimistic and pessimistic δ; the second may be 1e-12 too large."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    step = max(epsilon / 4000, 1e-5)
    lower, upper = (
        pld.from_gaussian_mechanism(
            float(sigma),
            sampling_prob=float(rate),
            pessimistic_estimate=pessimistic,
            value_discretization_interval=step,
            use_connect_dots=pessimistic,
        )
        .self_compose(steps)
        .get_delta_for_epsilon(epsilon)
        for pessimistic in (False, True)
    )
    return float(lower), float(upper)


def of_one_step(sigma: str, rate: str, epsilon: str) -> mpmath.mpf:
    """Return δ(ε) of one step if a record is removed; T steps have no less."""
    mu, q, factor = 1 / mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.exp(mpmath.mpf(epsilon))
    place = (mpmath.log((factor - 1 + q) / q) + mu * mu / 2) / mu
    absent, present = mpmath.ncdf(-place), mpmath.ncdf(mu - place)
    return (1 - q) * absent + q * present - factor * absent


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(("sigma", "rate", "steps"), TRAININGS)
def test_every_delta_is_answered_in_time_and_right(
    sigma: str, rate: str, steps: int, depth: float
) -> None:
    epsilon = epsilon_at(sigma, rate, steps, depth)
    start = process_time()
    found = dpaudit.account_dpsgd(
        noise_multiplier=sigma, sample_rate=rate, steps=steps, epsilon=[repr(epsilon)]
    )
    # twice the seconds: other work on the same core makes any of it slower
    assert process_time() - start < 2 * SECONDS
    row: Any = found.rows[0]
    assert 0 < row.delta.lower <= row.delta.upper
    assert found.complete == (row.delta.width <= max(row.delta.upper / 100, Decimal("1e-22")))
    with mpmath.workdps(60):
        assert of_one_step(sigma, rate, repr(epsilon)) <= mpmath.mpf(str(row.delta.upper))
    lower, upper = by_dp_accounting(sigma, rate, steps, epsilon)
    slack = 1e-11  # of tails that dp-accounting cuts, and of its floats
    assert float(row.delta.lower) <= upper * (1 + 1e-6) + slack
    assert float(row.delta.upper) >= lower * (1 - 1e-6) - slack


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "epsilon"),
    [("0.7", "1e-5", 100, "4"), ("0.5", "1e-5", 1000, "0.145"), ("1", "1e-4", 16, "0.3")],
)
def test_few_large_losses_take_few_points(sigma: str, rate: str, steps: int, epsilon: str) -> None:
    """These never ended: lattices were as fine as the losses of steps without the example."""
    start = process_time()
    (row,) = dpaudit.account_dpsgd(
        noise_multiplier=sigma, sample_rate=rate, steps=steps, epsilon=[epsilon]
    ).rows
    assert process_time() - start < 5
    assert isinstance(row, dpaudit.results.DeltaRow)
    assert 0 < row.delta.width <= max(row.delta.upper / 50, Decimal(0))
    with mpmath.workdps(60):
        one = of_one_step(sigma, rate, epsilon)
        assert one <= mpmath.mpf(str(row.delta.upper))


@pytest.mark.parametrize("together", [1, 2, 3])
@pytest.mark.parametrize("step", ["1/100", "1/10", "1/2"])
def test_a_chain_that_begins_with_more_atoms_is_below(together: int, step: str) -> None:
    law = [
        (Fraction(90, 200), Fraction(91, 200)),
        (Fraction(60, 200), Fraction(60, 200)),
        (Fraction(40, 200), Fraction(39, 200)),
        (Fraction(8, 200), Fraction(6, 200)),
        (Fraction(2, 200), Fraction(1, 200)),
        (Fraction(0, 200), Fraction(3, 200)),
    ]
    law = [one for one in law if one[0]]
    with precision(200):
        atoms = [
            (Ball(p.numerator) / p.denominator, Ball(q.numerator) / q.denominator) for p, q in law
        ]
        found = chained(atoms, rational(Fraction(step)), 64, together=together)
    assert found is not None
    losses = {place: float(found.offset) + float(Fraction(step)) * place for place in found.masses}
    some = False
    for order in (0.5, 0.9, 1.0, 1.1, 1.3, 1.9):
        truth = sum(max(0.0, float(p) - order * float(q)) for p, q in law)
        mine = sum(
            max(0.0, mass / 2**64 * (1 - order * exp(-losses[place])))
            for place, mass in found.masses.items()
        )
        assert mine <= truth * (1 + 1e-12)
        some = some or mine > truth / 2
    assert some


def test_a_chain_of_too_few_atoms_is_none() -> None:
    with precision(200):
        assert chained([(Ball(1), Ball(1))], rational(Fraction(1)), 64, together=2) is None


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4", "40"])
@pytest.mark.parametrize("remove", [False, True])
def test_events_are_below_one_step(epsilon: str, remove: bool) -> None:
    """Of one step the best event has δ itself, and no event has more."""
    least = by_events(source_of("1", "1/100", remove=remove), 1, real(epsilon), 17)
    with mpmath.workdps(800):
        truth = of_one_step("1", "0.01", epsilon) if remove else mpmath.mpf(0)
        if remove:
            assert truth / 10 < mpmath.mpf(str(least)) <= truth
        else:  # no loss is above −ln 0.99
            assert (least > 0) == (float(epsilon) < -log(0.99))


def test_events_of_many_runs_are_below_a_lattice() -> None:
    source, runs, epsilon = source_of("1", "1/100"), 50, real("2")
    least = by_events(source, runs, epsilon, 17)
    _, above = band(source, runs, Effort(1e-4, Fraction(1, 10**14))).delta(epsilon)
    assert 0 < float(least) <= float(above.upper())
    assert by_events(source, 500, epsilon, 17) > least


@pytest.mark.parametrize(
    ("sigma", "rate", "runs", "epsilon", "remove"),
    [
        ("0.7", "1e-4", 200, "0.5", True),
        ("1", "1e-3", 300, "0.1", True),
        ("1", "1e-2", 60, "0.3", False),
        ("2", "1e-1", 40, "1", True),
        ("0.5", "1e-3", 3, "2", True),
    ],
)
def test_a_planned_lattice_holds_the_finer_one(
    sigma: str, rate: str, runs: int, epsilon: str, remove: bool
) -> None:
    """Both are certified, so that they overlap; the planned one keeps to its share."""
    source, moments = source_of(sigma, rate, remove=remove), moments_of(sigma, rate, remove=remove)
    effort = Effort(1e-3, Fraction(1, 10**12))
    ends = list[tuple[float, float]]()
    for share in (0.02, 0.004):
        found = planned(source, moments, runs, [real(epsilon)], share=share, effort=effort)
        assert found is not None
        low, high = band(found[0], runs, found[1]).delta(real(epsilon))
        ends.append((float(low.lower()), float(high.upper())))
        assert 0 < ends[-1][1] - ends[-1][0] < 1.5 * share * ends[-1][1]
    (first, last), (lower, upper) = ends
    assert lower <= last
    assert first <= upper


def test_nothing_is_planned_for_what_is_known_better() -> None:
    source, moments, effort = (
        source_of("1", "1/10"),
        moments_of("1", "1/10"),
        Effort(0.1, Fraction(1, 99)),
    )
    assert planned(source, moments, 1, [real(1)], share=0.1, effort=effort) is None
    assert planned(source, None, 9, [real(1)], share=0.1, effort=effort) is None
    assert planned(None, moments, 9, [real(1)], share=0.1, effort=effort) is None


def test_a_plan_is_finer_for_a_smaller_share() -> None:
    drawn = moments_of("1", "1/1000").drawn_every(1 / 256)
    wide, narrow = (grid_of(drawn, 1000, [0.5], share) for share in (0.1, 0.001))
    assert wide is not None
    assert narrow is not None
    assert narrow.step < wide.step / 4
    assert narrow.width <= 0.001
    assert wide.deltas[0] == pytest.approx(narrow.deltas[0], rel=0.1)
