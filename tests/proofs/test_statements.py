"""Statements I–III and the lines of their printed proof, against brute force from the oracles."""

from dataclasses import replace
from fractions import Fraction

import pytest
from dpaudit_proofs import (
    statement_one,
    statement_one_induction,
    statement_one_proof,
    statement_three,
    statement_two,
)
from mpmath import mp, mpf

from dpaudit.claims.claim import Claim, ClaimVerdict, Settings, Status
from tests.oracles.definitions import hellinger, local_sensitivity
from tests.oracles.setting import DIGITS
from tests.proofs.recorded import recorded_verdict

VERDICTS = {
    "I-right": "proved",
    "I-left": "holds_on",
    "I-general": "proved",
    "I-base-reduction": "proved",
    "I-base-polynomial": "proved",
    "I-base-odd": "holds_on",
    "I-induction-factors": "refuted",
    "I-induction-known": "refuted",
    "I-induction-dropped": "refuted",
    "I-induction-distance": "refuted",
    "I-induction-step": "gap",
    "I-symmetry": "refuted",
    "II-right": "holds_on",
    "II-left": "holds_on",
    "II-centre": "holds_on",
    "II-order": "proved",
    "III": "holds_on",
    "III-step": "holds_on",
}
CLAIMS = (
    *statement_one.CLAIMS,
    *statement_one_proof.CLAIMS,
    *statement_one_induction.CLAIMS,
    *statement_two.CLAIMS,
    *statement_three.CLAIMS,
)
FLAT = (Fraction(1), Fraction(1))
TIE = mpf("1e-45")


def sign(value: mpf) -> int:
    """−1, 0, 1; differences below the digits of the oracle are ties."""
    return 0 if abs(value) < TIE else 1 if value > 0 else -1


def distance(prior: tuple[Fraction, Fraction], n: int, first: int) -> mpf:
    """H between the posteriors of (first, n − first) and its right neighbour."""
    a, b = prior[0] + first, prior[1] + n - first
    return hellinger((a, b), (a + 1, b - 1))


def test_every_claim_has_its_verdict_here() -> None:
    assert {claim.id for claim in CLAIMS} == VERDICTS.keys()


def test_steps_belong_to_claims() -> None:
    assert {claim.step_of for claim in CLAIMS} - {""} <= VERDICTS.keys()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_verdict(claim: Claim) -> None:
    assert recorded_verdict(claim.id) is ClaimVerdict(VERDICTS[claim.id])


@pytest.mark.parametrize(
    "prior", [("1", "1"), ("1/20", "1/3"), ("7", "4"), ("5/2", "9/2"), ("1/2", "8")], ids=str
)
def test_the_turning_point(prior: tuple[str, str]) -> None:
    alpha, beta = map(Fraction, prior)
    with mp.workdps(DIGITS):
        for n in range(2, 14):
            for first in range(n - 1):
                grows = distance((alpha, beta), n, first + 1) - distance((alpha, beta), n, first)
                criterion = 2 * first - (n - 2 + beta - alpha)
                assert sign(grows) == (criterion > 0) - (criterion < 0)


def test_where_the_two_halves_of_statement_one_hold() -> None:
    with mp.workdps(DIGITS):
        for n in range(2, 14):
            for first in range(n - 1):
                grows = sign(distance(FLAT, n, first + 1) - distance(FLAT, n, first))
                if first >= n // 2:
                    assert grows == 1
                assert (grows == -1) == (2 * first < n - 2)


def test_where_statement_two_holds() -> None:
    with mp.workdps(DIGITS):
        for n in range(1, 12):
            for first in range(n + 1):
                local = local_sensitivity(FLAT, (first, n - first))
                right = first < n and sign(local - distance(FLAT, n, first)) == 0
                left = first > 0 and sign(local - distance(FLAT, n, first - 1)) == 0
                assert right == (first < n and (2 * first >= n or first == 0))
                assert left == (first > 0 and (2 * first <= n or first == n))


def test_where_statement_three_holds() -> None:
    with mp.workdps(DIGITS):
        for n in range(1, 12):
            balanced = {n // 2, n - n // 2}
            lowest = [local_sensitivity(FLAT, (c, n - c)) for c in balanced]
            others = [
                local_sensitivity(FLAT, (c, n - c)) for c in range(n + 1) if c not in balanced
            ]
            strictly = all(sign(ls - low) == 1 for ls in others for low in lowest)
            assert strictly == (n not in (2, 3))
            assert all(sign(ls - low) >= 0 for ls in others for low in lowest)


@pytest.mark.parametrize(("n", "m"), [(6, 0), (8, 0), (8, 1), (12, 2), (40, 0), (40, 17)])
def test_the_printed_lines_fail_everywhere(n: int, m: int) -> None:
    """Every line of the induction step, with beta functions straight from mpmath."""
    with mp.workdps(DIGITS):
        h = mpf(n) / 2
        below = mp.beta(h + 2 + m, h - m) * mp.beta(h + 3 + m, h - m - 1)
        left = mp.beta(mpf(n + 2 * m + 5) / 2, mpf(n - 2 * m - 1) / 2)
        right = mp.beta(mpf(n + 2 * m + 7) / 2, mpf(n - 2 * m - 3) / 2)
        known_left = left * mpf(n - 2 * m - 1) / (n + 2 * m + 3)
        known_left /= mp.sqrt(below * (n - 2 * m) / (n + 2 * m + 2))
        known_right = right * mpf(n - 2 * m - 3) / (n + 2 * m + 5)
        known_right /= mp.sqrt(below * (n - 2 * m - 2) / (n + 2 * m + 6))
        here, there = (1 - distance(FLAT, n, n // 2 + m + i) ** 2 for i in (0, 1))
        repaired = mp.sqrt(mpf(n - 2 * m - 2) / (n + 2 * m + 4))
        assert abs(known_left / repaired - here) < TIE
        assert abs(known_right * mp.sqrt(mpf(n - 2 * m - 2) / (n + 2 * m + 6)) - there) < TIE
        assert known_left < known_right
        assert left < right
        assert right / mp.sqrt(below) > 1
        assert here > there


def test_the_base_case_reduces_to_the_polynomial() -> None:
    with mp.workdps(DIGITS):
        for n in range(4, 20, 2):
            quotient = (1 - distance(FLAT, n, n // 2) ** 2) / (
                1 - distance(FLAT, n, n // 2 + 1) ** 2
            )
            printed = mpf((n - 1) ** 2 * (n + 2) * (n + 4)) / ((n + 3) ** 2 * n * (n - 2))
            assert abs(quotient**2 - printed) < TIE


def test_closed_forms_are_the_affinities() -> None:
    with mp.workdps(DIGITS):
        for n in range(1, 8):
            for first in range(n):
                exact = statement_one.exact_step_affinity(first + 1, n - first + 1)
                assert abs(float(exact) - float(1 - distance(FLAT, n, first) ** 2)) < 1e-14
            for first in range(n + 1):
                smallest = statement_three.exact_smallest_affinity((first, n - first))
                local = local_sensitivity(FLAT, (first, n - first))
                assert abs(float(smallest) - float(1 - local**2)) < 1e-14


def test_evidence_beyond_its_domain_fails() -> None:
    settings = Settings()
    at_the_tie = replace(statement_one.GROWS, shift={"a": "s + t", "b": "2 + s + 2*t"})
    assert at_the_tie.check(settings).status is Status.FAILS
    three = next(e for e in statement_three.THREE.evidence if e.domain)
    from dpaudit.claims.evidence import SMTProof

    assert isinstance(three, SMTProof)
    hypotheses = tuple(h.replace("n >= 5", "n >= 3") for h in three.hypotheses)
    assert replace(three, hypotheses=hypotheses).check(settings).status is Status.FAILS


def test_where_the_second_half_of_statement_one_fails() -> None:
    """Its evidence names the two domains between which every dataset lies, but for the ties."""
    left = next(claim for claim in CLAIMS if claim.id == "I-left")
    domains = {e.domain: e.role for e in left.evidence if e.domain}
    assert sorted(role.value for role in domains.values()) == ["proves", "refutes"]
    with mp.workdps(DIGITS):
        for n in range(2, 14):
            asserted = range(min(n - 2, (n + 1) // 2) + 1)
            holds = {
                c for c in asserted if sign(distance(FLAT, n, c) - distance(FLAT, n, c + 1)) == 1
            }
            assert holds == {c for c in asserted if 2 * c < n - 2} != set(asserted)


def test_where_the_induction_can_start() -> None:
    for n in range(1, 10):
        starts = any(2 * c == n and c + 2 <= n for c in range(n + 1))
        assert starts == (n % 2 == 0 and n >= 4)
