"""Claims about every n against audits at some n."""

import math
import random
from fractions import Fraction
from itertools import pairwise

import pytest
from dpaudit_proofs import far_outputs, global_hole

import dpaudit
from dpaudit.numbers.ball import precision
from tests.proofs.recorded import LEDGER


@pytest.mark.parametrize("seed", range(6))
def test_ehds_keeps_its_slack_at_random_settings(seed: int) -> None:
    rng = random.Random(seed)
    gamma = Fraction(rng.choice((1, 2, 10)), rng.choice((1, 7)))
    prior = ",".join(str(Fraction(rng.randint(1, 30), 10)) for _ in range(rng.choice((2, 3))))
    epsilon = Fraction(rng.randint(1, 40), 10)
    found = dpaudit.check("EHDS", rng.randint(1, 12), eps=epsilon, prior=prior, gamma=gamma)
    bound = epsilon * (2 + gamma) / (2 + 2 * gamma)
    assert Fraction(found.epsilon.upper) < bound


@pytest.mark.parametrize("prior", ["49/100,49/100", "1/2,1/2,1/2", "3/5,3/5,3/5,3/5"])
@pytest.mark.parametrize("epsilon", ["1/100", "3"])
def test_ehd_is_private_at_symmetric_priors_from_049_on(prior: str, epsilon: str) -> None:
    found = dpaudit.check("EHD", range(1, 7), eps=epsilon, prior=prior)
    assert found.verdict == "within"


def test_ehd_is_not_private_at_0069_with_five_records() -> None:
    found = dpaudit.check("EHD", 5, eps="1/100", prior="69/1000,69/1000")
    assert found.verdict == "exceeds"
    assert dpaudit.check("EHD", 5, eps="1/100", prior="3/40,3/40").verdict == "within"


@pytest.mark.parametrize("epsilon", [0.1, 0.8, 2.0])
@pytest.mark.parametrize("n", [1, 3, 40, 400])
def test_ehd_is_as_near_its_limit_as_is_claimed(n: int, epsilon: float) -> None:
    u = epsilon / (2 * math.sqrt(1 - math.pi / 4))
    g = math.exp(math.lgamma(n + 0.5) - (math.lgamma(n) + math.lgamma(n + 1)) / 2)
    reached = u * math.sqrt(1 - math.sqrt(math.pi) / 2 * g)
    share = (1 + 2 * math.sqrt(math.pi * (n + 1))) / (n + 1)
    found = float(dpaudit.check("EHD", n, eps=epsilon).epsilon.upper)
    assert abs(found - reached) <= math.log(1 + math.expm1(u) * share) + 1e-12
    if 0.1 <= epsilon <= 2:
        assert found <= 0.58 * epsilon


def test_what_is_not_so_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(global_hole, "_NARROWEST", Fraction(1, 64))
    _, failure = global_hole._symmetric(Fraction(48, 100), Fraction(481, 1000))
    assert failure  # D + M is above 2q there
    monkeypatch.setattr(global_hole, "_HOLE", Fraction(69, 1000))
    monkeypatch.setattr(global_hole, "_LARGEST", 5)
    with pytest.raises(Exception, match="n = "):
        global_hole._hole()


def test_the_claims_about_large_sizes_are_recorded() -> None:
    for name in ("large-worst-output", "large-monotone"):
        assert LEDGER[name].grade == "checked"
    assert LEDGER["limit-EHDS"].verdict == "proved"
    assert LEDGER["limit-EHDS"].grade == "argued"


def test_blocks_of_sizes_leave_none_out_and_cells_hold_what_single_priors_show() -> None:
    ends = far_outputs._BLOCKS
    assert ends[0][0] == 9
    assert ends[-1][1] is None
    assert all(last is not None and last + 1 == first for (_, last), (first, _) in pairwise(ends))
    span, share = (Fraction(1, 10), Fraction(11, 100)), (Fraction(0), Fraction(1))
    assert not far_outputs._is_decided(span, (Fraction(0), Fraction(64)), share, (9, 9))  # too wide
    low = (Fraction(1, 25), Fraction(41, 1000))  # where it is refuted
    with precision(53):
        narrow = (Fraction(1, 8), Fraction(9, 64))
        cells = [(narrow, (Fraction(m, 64), Fraction(m + 1, 64))) for m in range(64)]
        assert not all(far_outputs._is_decided(low, v, lam, (5, 5)) for v, lam in cells)
    for n, prior, epsilon in ((9, "3/40", "1/100"), (40, "3/40", "8"), (150, "1/5", "3")):
        found = dpaudit.check("EHD", n, eps=epsilon, prior=f"{prior},{prior}")
        assert found.verdict == "within"
