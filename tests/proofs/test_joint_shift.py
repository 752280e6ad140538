"""The bounds behind what holds at every n, against what single sizes show."""

from fractions import Fraction

import pytest
from dpaudit_proofs import joint_shift
from dpaudit_proofs.every_size import CLAIMS

import dpaudit
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import Ball, ball, precision

FLAT = (Fraction(1), Fraction(1))


def distances(n: int) -> list[list[float]]:
    with precision(64):
        metric = HellingerMetric(FLAT)
        return [[float(h) for h in metric.row((c, n - c))] for c in range(n + 1)]


@pytest.mark.parametrize("n", [51, 63, 120, 260])
def test_shifts_and_limits_bound_those_of_a_size(n: int) -> None:
    rows = distances(n)
    local = [max(rows[c][m] for m in (c - 1, c + 1) if 0 <= m <= n) for c in range(n + 1)]
    with precision(joint_shift.BITS):
        for c in range(0, (n - 1) // 2, 3):
            moved = max(abs(rows[c + 1][r + 1] - rows[c][r]) for r in range(n))
            assert moved <= float(joint_shift.shift(c).upper())
            assert rows[c][c + 1] >= float(joint_shift.limit_distance(c).lower())
            rise = 1 / local[c + 1] - 1 / local[c]
            assert rise <= float(joint_shift.own_rise(c).upper()) + 1e-12
        for z in range(1, n // 2, 7):
            root = max((local[x] / local[z]) ** (1 / (z - x)) for x in range(z)) - 1
            assert root <= float(joint_shift.root(z).upper()) + 1e-12


def test_bounds_of_shifts_are_not_far_from_what_large_sizes_show() -> None:
    rows = distances(600)
    for c, wide in ((0, 1.02), (5, 1.05), (30, 1.1), (57, 1.15), (100, 2.2)):
        moved = max(abs(rows[c + 1][r + 1] - rows[c][r]) for r in range(600))
        with precision(joint_shift.BITS):
            assert float(joint_shift.shift(c)) < wide * moved


@pytest.mark.parametrize(("name", "multiple"), [("MH", 2), ("EHDS", 4), ("EHDL", 2)])
def test_the_loss_of_a_pair_is_within_its_excess(name: str, multiple: int) -> None:
    n, epsilon = 80, Fraction(1)
    mechanism = dpaudit.mechanism(name, eps=epsilon)
    with precision(joint_shift.BITS):
        kappa = epsilon / multiple
        factors = mechanism.factors(n)  # type: ignore[attr-defined]
        for c in (0, 2, 9, 25, 38):
            f = [factors[m] / ball(kappa) for m in (c, c + 1)]
            bound = joint_shift.excess(c, abs(f[0] - f[1]), f[0], kappa)
            assert _pair(mechanism, n, c) <= float((ball(kappa) * (1 + bound)).upper())


def _pair(mechanism: object, n: int, c: int) -> float:
    laws = mechanism.laws()  # type: ignore[attr-defined]
    x, y = (laws.law((m, n - m)).probabilities for m in (c, c + 1))
    return max(abs(float((p / q).log())) for p, q in zip(x, y, strict=True))


def test_claims_over_every_size_have_evidence_that_can_fail() -> None:
    for claim in CLAIMS:
        assert len(claim.evidence) >= 3
    with precision(joint_shift.BITS):
        far = joint_shift.excess(40, Ball(1), ball(18), Fraction(1))
    assert float(far) > 1  # a step of ε alone is too much there
