"""Designs in which the number of canaries in the training is fixed: random pairs, and brute force.

The theorem for independent coins is false there.  Given a random matching of those in with those
out, which of a pair is in is a fair coin, and the theorem holds for the pairs.
"""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.questions.canaries.guessing import matched
from tests.recheck.sealing import verdict


def design(m: int, inside: int, shift: float, seed: int) -> tuple[list[float], list[bool]]:
    """Return scores and members, with exactly so many in; scores in are larger by ``shift``."""
    rng = random.Random(seed)
    chosen = set(rng.sample(range(m), inside))
    scores = [rng.gauss(0, 1) + shift * (place in chosen) for place in range(m)]
    return scores, [place in chosen for place in range(m)]


def test_independent_coins_are_not_what_a_fixed_number_is() -> None:
    """By brute force: with one of two in and no leak, two opposite guesses are both right half."""
    sets = [{0}, {1}]
    both = sum(Fraction(1, len(sets)) for inside in sets if 0 in inside and 1 not in inside)
    assert both == Fraction(1, 2) > Fraction(1, 4)


@pytest.mark.parametrize(("m", "inside"), [(2, 1), (4, 2), (5, 2), (6, 3)])
def test_given_the_matching_members_are_independent_fair_coins(m: int, inside: int) -> None:
    """Over all sets and all matchings: each vector of coins is as likely as any other."""
    likely: dict[tuple[tuple[int, int], ...], Counter[tuple[bool, ...]]] = {}
    for seed in range(4000 if m < 6 else 8000):
        chosen = random.Random(-seed - 1).choice(list(combinations(range(m), inside)))
        members = [place in chosen for place in range(m)]
        gaps, coins = matched([float(1 << place) for place in range(m)], members, seed)
        # A difference of two powers of 2 tells the pair, whichever of the two was in.
        pairs = tuple(
            (first, second)
            for gap in gaps
            for first, second in combinations(range(m), 2)
            if gap == float((1 << first) - (1 << second))
        )
        assert len(pairs) == min(inside, m - inside)
        assert all(members[first] is coin for (first, _), coin in zip(pairs, coins, strict=True))
        likely.setdefault(pairs, Counter())[tuple(coins)] += 1
    for pairs, seen in likely.items():
        total, each = seen.total(), Fraction(1, 2 ** len(pairs))
        for vector in product((True, False), repeat=len(pairs)):
            expected = float(total * each)
            assert abs(seen[vector] - expected) < 6 * expected**0.5 + 6, (pairs, seen)


@pytest.mark.parametrize("delta", ["0", "1/1000"])
def test_no_design_without_a_leak_is_refuted_more_often_than_its_level(delta: str) -> None:
    audits, level = 400, 0.05
    alarms = 0
    for seed in range(audits):
        scores, member = design(60, 30, 0.0, seed)
        found = dpaudit.canaries(scores, member, delta=delta, matching=seed)
        alarms += found.bounds[0].epsilon.lower > 0
    assert alarms <= audits * level + 3 * (audits * level * (1 - level)) ** 0.5


@pytest.mark.parametrize("guesses", [None, 20])
def test_a_leak_is_refuted_and_the_report_is_confirmed(guesses: int | None, tmp_path: Path) -> None:
    scores, member = design(100, 50, 3.0, 1)
    found = dpaudit.canaries(scores, member, delta="1e-5", matching=7, guesses=guesses)
    assert found.report.canaries == 50
    assert found.report.matching == "7"
    assert found.bounds[0].epsilon.lower > 1
    document = json.loads(found.to_json())
    assert verdict(tmp_path, document, sealed=False) == "accepted"
    assert "one replaced example" in str(found)


def test_pairs_are_the_counts_that_their_bound_is_of() -> None:
    scores, member = design(40, 20, 2.0, 3)
    found = dpaudit.canaries(scores, member, delta="1e-4", matching=1, guesses=12).report
    alone = dpaudit.canaries(canaries=20, guesses=12, right=found.right, delta="1e-4").report
    assert found.bounds == alone.bounds


def test_the_command_and_its_refusals(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    scores, member = design(40, 20, 3.0, 3)
    rows = [f"{score},{int(one)}" for score, one in zip(scores, member, strict=True)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["score,member", *rows, ""]))
    assert invoke(["canaries", str(path), "--matching", "5"]) == 0
    shown = capfd.readouterr()
    assert "20 pairs" in shown.out
    assert "exactly half" not in shown.err
    assert invoke(["canaries", "--canaries", "9", "--guesses", "3", "--right", "3"]) == 0
    words = ["canaries", "--canaries", "9", "--guesses", "3", "--right", "3", "--matching", "5"]
    assert invoke(words) == 2
    plan = dpaudit.plan_inclusion(40, seed=1)
    for wrong in (
        {"inclusion": plan},
        {"member": [True] * 40},
        {"matching": ""},
        {"matching": True},
    ):
        with pytest.raises(UsageError, match="matching"):
            dpaudit.canaries(**{"scores": scores, "member": member, "matching": 5, **wrong})  # type: ignore[arg-type]
    capfd.readouterr()
