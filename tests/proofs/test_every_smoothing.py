"""Bounds of what M_H loses at every smoothing, against the losses of single sizes in floats."""

import math

import numpy as np
import pytest
from dpaudit_proofs import every_smoothing, joint_shift
from numpy.typing import NDArray

from dpaudit.claims.claim import Settings, Status
from dpaudit.claims.evidence import Sweep
from dpaudit.numbers.ball import precision

Floats = NDArray[np.float64]


def distances(n: int) -> Floats:
    """Return H(Beta(1 + c, 1 + n − c), Beta(1 + r, 1 + n − r)), from the definition."""
    half = np.array([math.lgamma(1 + j / 2) for j in range(2 * n + 1)])
    whole, c = half[::2], np.arange(n + 1)
    x, r = np.meshgrid(c, c, indexing="ij")
    exponent = half[x + r] + half[2 * n - x - r]
    exponent = exponent - (whole[x] + whole[n - x] + whole[r] + whole[n - r]) / 2
    result: Floats = np.sqrt(np.maximum(-np.expm1(exponent), 0))
    return result


def inverse_sensitivities(rows: Floats, beta: float) -> Floats:
    """Return 1/S_β at every dataset."""
    n = len(rows) - 1
    local = np.array([max(rows[c, m] for m in (c - 1, c + 1) if 0 <= m <= n) for c in range(n + 1)])
    apart = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    sensitivities: Floats = (local * np.exp(-beta * apart)).max(axis=1)
    return 1 / sensitivities


def loss(rows: Floats, factors: Floats, c: int, kappa: float) -> tuple[float, float]:
    """Return max over r of ln(P_x/P_y) and of ln(P_y/P_x) over κ, y = c + 1."""
    logs = [-kappa * factors[z] * rows[z] for z in (c, c + 1)]
    normalised = [log - math.log(np.exp(log).sum()) for log in logs]
    difference = (normalised[0] - normalised[1]) / kappa
    return float(difference.max()), float(-difference.min())


@pytest.mark.parametrize("n", [51, 52, 90, 211])
def test_no_pair_loses_more_than_its_bound(n: int) -> None:
    rows = distances(n)
    with precision(joint_shift.BITS):
        chosen = [c for c in (0, 1, 2, 3, 5, 9, 18, 24, 60, 90) if 2 * c + 1 <= n]
        bounds = {c: tuple(float(b) for b in every_smoothing.losses(c)) for c in chosen}
        rises = {c: float(every_smoothing.rise(c)) for c in chosen}
    for beta in (1e-4, 0.02, 0.05, 0.08, 0.12, 0.2, 0.5, 3.0):
        factors = inverse_sensitivities(rows, beta)
        for c in chosen:
            assert -1e-9 <= factors[c + 1] - factors[c] <= rises[c] + 1e-9
            for kappa in (0.01, 0.4, 1.0, 2.0, 2.1, 8.0, 40.0):
                for reached, bound in zip(loss(rows, factors, c, kappa), bounds[c], strict=True):
                    assert reached <= bound + 1e-9
                    assert bound < 2


def test_the_bounds_are_not_far_from_what_is_lost() -> None:
    """With S = LS a pair at the edge loses 1.84·κ (limit-EHDL-below)."""
    rows = distances(2000)
    reached = max(loss(rows, inverse_sensitivities(rows, 50.0), 1, 1.0))
    assert reached > 1.79
    with precision(joint_shift.BITS):
        assert max(float(b) for b in every_smoothing.losses(1)) < 1.12 * reached


def test_blocks_hold_the_shifts_of_single_sizes() -> None:
    for n in (51, 70, 400):
        rows = distances(n)
        for c in (0, 7, 25):
            shifts = rows[c + 1, 1:] - rows[c, :-1]
            with precision(joint_shift.BITS):
                cells = list(joint_shift.shifted(c))
                far = float(joint_shift.far_shift(c))
                moved = max(float(cell.moved()) for cell in cells)
                grown = max(float(cell.grown()) for cell in cells)
                edge = float(joint_shift.edge_distance(c))
            assert float(np.abs(shifts).max()) <= max(moved, far)
            assert float(shifts.max()) <= max(grown, far)
            assert rows[c + 1, 0] >= edge
            assert float(np.abs(shifts[251:]).max(initial=0)) <= far


def test_a_pair_that_loses_too_much_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    steeper = every_smoothing.rise
    monkeypatch.setattr(every_smoothing, "rise", lambda c: steeper(c) * 11 / 10)
    (sweep, *_) = [one for one in every_smoothing.EVIDENCE if isinstance(one, Sweep)]
    result = sweep.check(Settings())
    assert result.status is Status.FAILS
    assert "c = 1" in result.detail
