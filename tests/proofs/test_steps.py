"""Steps and distances, back from the distance: against brute force from the oracles."""

from fractions import Fraction
from itertools import product

import pytest
from dpaudit_proofs import steps_tables
from mpmath import mp, mpf

from dpaudit.claims.claim import Claim, ClaimVerdict
from tests.oracles.sensitivity import hamming, hellinger, histograms, posterior
from tests.oracles.setting import DIGITS
from tests.proofs.recorded import recorded_verdict

VERDICTS = {
    "steps-of-distance": "refuted",
    "steps-table": "proved",
    "steps-labels": "refuted",
}


def test_every_claim_has_its_verdict_here() -> None:
    assert {claim.id for claim in steps_tables.CLAIMS} == VERDICTS.keys()


@pytest.mark.parametrize("claim", steps_tables.CLAIMS, ids=lambda claim: claim.id)
def test_verdict(claim: Claim) -> None:
    assert recorded_verdict(claim.id) is ClaimVerdict(VERDICTS[claim.id])


@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 7), (3, 4), (4, 2)])
def test_the_exact_affinity_is_the_affinity(k: int, n: int) -> None:
    flat = (Fraction(1),) * k
    with mp.workdps(DIGITS):
        for x, r in product(histograms(n, k), repeat=2):
            square, power = steps_tables.squared_affinity(x, r)
            distance = hellinger(posterior(flat, x), posterior(flat, r))
            exact = mpf(square.numerator) / square.denominator * mp.pi**power
            assert abs((1 - distance**2) ** 2 - exact) < mpf("1e-45")


def test_rows_of_the_tables_by_rank() -> None:
    """The rank of the printed distance is the printed number; the steps are not."""
    for prior, x, rows in (
        ((1, 1, 1), (20, 20, 20), {1: "0.110122822057", 2: "0.187421762881"}),
        ((1, 1, 1, 1), (1, 1, 1, 50), {1: "0.249722620018", 2: "0.340503311163"}),
    ):
        flat = tuple(map(Fraction, prior))
        near = [r for r in histograms(sum(x), len(x)) if hamming(x, r) <= 2]
        far = {r: hellinger(posterior(flat, x), posterior(flat, r)) for r in near}
        ranked = sorted({mp.nstr(h, 12) for r, h in far.items() if r != x})
        assert ranked[:2] == list(rows.values())
