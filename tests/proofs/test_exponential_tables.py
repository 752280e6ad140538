"""The tables' left columns against the enumerated law of the mechanism with local sensitivity."""

from fractions import Fraction
from itertools import permutations
from math import lgamma

import numpy as np
import pytest
from dpaudit_proofs.exponential_tables import CLAIMS, PRINTED, entry
from dpaudit_proofs.laplace_tables import LAST, SURE
from mpmath import mp, mpf

from dpaudit.claims.claim import Claim, ClaimVerdict
from tests.oracles.definitions import law
from tests.oracles.setting import DIGITS, Setting
from tests.proofs.recorded import recorded_verdict

VERDICTS = {
    "tables-exponential": ClaimVerdict.REFUTED,
    "tables-exponential-local": ClaimVerdict.PROVED,
    "tables-last-row": ClaimVerdict.AMBIGUOUS,
    "tables-beta": ClaimVerdict.REFUTED,
    "tables-few-steps": ClaimVerdict.REFUTED,
    "tables-centre-mixed": ClaimVerdict.PROVED,
    "tables-edge-few-steps": ClaimVerdict.PROVED,
    "tables-edge-close": ClaimVerdict.PROVED,
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_verdict(claim: Claim) -> None:
    assert recorded_verdict(claim.id) is VERDICTS[claim.id]


def test_every_printed_row_but_one_is_covered() -> None:
    assert set(SURE) | {LAST} == set(PRINTED)


def test_the_column_of_beta_5_5_is_that_of_the_local_sensitivity() -> None:
    readings = (("divisor", "1"),)
    setting = Setting("EHDL", 8, (Fraction(1), Fraction(1)), Fraction(4, 5), readings=readings)
    with mp.workdps(DIGITS):
        output = law(setting, (4, 4))
        for step in range(5):
            found = sum(output[4 + j, 4 - j] for j in {step, -step})
            assert abs(found - mpf(PRINTED[f"beta(5,5), step {step}"])) < mpf("1e-12")
            assert abs(float(found) - float(entry(f"beta(5,5), step {step}"))) < 1e-12


def test_what_the_last_row_can_be() -> None:
    n, posterior = 53, np.array([2.0, 2, 2, 51])
    counts = np.array(
        [
            (a, b, c, n - a - b - c)
            for a in range(n + 1)
            for b in range(n + 1 - a)
            for c in range(n + 1 - a - b)
        ]
    )

    gammaln = np.vectorize(lgamma)

    def distance(c: np.ndarray) -> np.ndarray:
        middle = gammaln((posterior + c + 1) / 2).sum(axis=1)
        ends = (gammaln(posterior).sum() + gammaln(c + 1).sum(axis=1)) / 2
        found: np.ndarray = np.sqrt(-np.expm1(middle - ends))
        return found

    far = distance(counts)
    near = distance(np.array([(0, 2, 1, 50), (0, 1, 1, 51), (2, 1, 1, 49)])).max()
    weights = np.exp(-0.8 * far / near)
    probability = dict(zip(map(tuple, counts), weights / weights.sum(), strict=True))
    assert (abs(far - 0.999999999998) < 5e-13).sum() >= 200
    t = np.exp(-0.4)
    fits = []
    for c, each in probability.items():
        noise = [abs(j - 1) for j in c[:3]]
        if tuple(sorted(c[:3])) != c[:3]:
            continue
        size = len(set(permutations(c[:3])))
        plain = size * (1 - t) ** 3 * t ** sum(noise) / 2 ** sum(j > 0 for j in noise)
        factors = {1} | {
            float(np.prod(range(1, len(set(noise) - without) + 1))) for without in ({0}, set())
        }
        left = abs(size * each / 0.000213865923868 - 1) < 1e-9
        if left and any(abs(plain / f / 6.16388940464e-11 - 1) < 1e-9 for f in factors):
            fits.append(tuple(map(int, c)))
    assert fits == [(0, 2, 47, 4)]
