"""Audits that stop early: the e-process never lies more often than it may, and is not weak."""

from itertools import pairwise
from math import exp, log

import mpmath
import numpy as np
import pytest

import dpaudit
from dpaudit.errors import ParameterError
from dpaudit.sampling.joint import distance
from dpaudit.sampling.sequential import Together, bound_at_any_time, evidence, together
from tests.sampling import subjects


def test_evidence_is_at_most_the_mean_of_products() -> None:
    counts = Together(30, 400, 20, 550)
    for epsilon, delta in ((0.5, 0.0), (1.0, 0.1), (3.0, 0.01)):
        mpmath.mp.dps = 40
        factor = mpmath.exp(epsilon)
        total = mpmath.mpf(0)
        for stake in map(mpmath.mpf, np.geomspace(1e-9, 0.98, 100)):
            if stake * (factor + delta) <= mpmath.mpf("0.98"):
                gains = (1 - factor - delta, 1 - delta, -factor - delta, -mpmath.mpf(delta))
                powers = zip(counts, gains, strict=True)
                total += mpmath.fprod((1 + stake * gain) ** count for count, gain in powers)
        truth = mpmath.log(total / 100)
        assert truth - 1e-6 <= evidence(counts, epsilon, delta) <= truth


def test_evidence_falls_as_the_budget_grows() -> None:
    counts = Together(30, 400, 20, 550)
    for delta in (0.0, 0.05, 0.2):
        found = [evidence(counts, epsilon, delta) for epsilon in np.linspace(0, 8, 200)]
        assert all(a >= b - 1e-9 for a, b in pairwise(found))


def test_at_the_budget_it_is_contradicted_no_more_often_than_said_at_any_time() -> None:
    """2,000 runs at α = 5 %, looked at 40 times each: above 130 has a probability below 10⁻³."""
    draw = np.random.default_rng(3)
    epsilon, delta, alpha, wrong = log(2), 0.05, 0.05, 0
    second = 0.25
    first = exp(epsilon) * second + delta
    for _ in range(2_000):
        x, y = draw.random((40, 25)) < first, draw.random((40, 25)) < second
        counts = Together()
        for one, other in zip(x, y, strict=True):
            counts = counts.plus(together(one, other))
            if evidence(counts, epsilon, delta) >= log(1 / alpha):
                wrong += 1
                break
    assert wrong <= 130, wrong
    assert wrong >= 1


def test_a_clock_that_runs_by_what_is_drawn_makes_no_more_of_it() -> None:
    """2,000 runs at α = 5 %, as above, of which draws of the first side alone take no time."""
    draw = np.random.default_rng(5)
    epsilon, second, alpha, time = log(2), 0.25, 0.05, 100
    wrong, counted = 0, set()
    for _ in range(2_000):
        x, y = draw.random(600) < exp(epsilon) * second, draw.random(600) < second
        stop = int(np.searchsorted(np.cumsum(~(x & ~y)), time, "right"))
        counted.add(stop)
        counts = together(x[:stop], y[:stop])
        wrong += bound_at_any_time(counts, alpha, "epsilon", 0.0) > epsilon
    assert len(counted) > 20
    assert wrong <= 130, wrong


def test_it_takes_about_as_many_draws_as_any_test_needs() -> None:
    p = exp(1.05 * log(3)) / (1 + exp(1.05 * log(3)))
    least = log(1e9) / float(distance(np.array(p), np.array(1 - p), 3.0, 0.0))
    n = int(1.35 * least)
    draws = [round(n * one) for one in (p * (1 - p), p * p, (1 - p) ** 2, p * (1 - p))]
    assert bound_at_any_time(Together(*draws), 1e-9, "epsilon", 0.0) > log(3)


def test_an_audit_stops_as_soon_as_it_may() -> None:
    over = dpaudit.sample(subjects.response, p="9/10", draws=300_000, sequential=True).report
    assert over.verdict == "exceeds"
    assert over.sequential
    assert over.event is not None
    assert over.event.draws < 100_000
    assert log(3) < float(over.epsilon) < log(9)
    kept = dpaudit.sample(subjects.response, draws=50_000, sequential=True).report
    assert kept.verdict == "not refuted"
    assert float(kept.epsilon) < log(3)
    few = dpaudit.sample(subjects.response, draws=20, sequential=True)
    assert few.verdict == "too few draws"
    with pytest.raises(ParameterError, match="sequential"):
        dpaudit.sample(subjects.response, against=subjects.law, draws=2_000, sequential=True)
