"""Coins that decide for several examples: group privacy over all small mechanisms, and reports."""

import json
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.numbers.ball import ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.closed_form import rational
from dpaudit.numbers.real import real
from dpaudit.questions.canaries.design import Coins, Design
from dpaudit.questions.canaries.one_run import Guesses, is_refuted, largest_refuted, p_value
from tests.recheck.sealing import verdict
from tests.training.small_mechanisms import IN, OUT, at_least, guess_vectors, largest_probability
from tests.training.test_one_run import exact


def bound(seen: Guesses, odds: Fraction, delta: Fraction) -> float:
    with precision(128):
        return min(1.0, float(upper_fraction(p_value(seen, ball(odds).log(), rational(delta)))))


@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize(
    ("m", "g", "r", "v"), [(1, 2, 1, 1), (1, 4, 1, 1), (2, 2, 2, 1), (2, 2, 2, 2)]
)
def test_no_mechanism_of_few_groups_is_above_the_bound(
    m: int, g: int, r: int, v: int, one_sided: bool
) -> None:
    """Laws for datasets with some of the examples of a group as well, DP for one example."""
    design = Design(one_sided, group=g)
    for odds in (Fraction(1), Fraction(3, 2), Fraction(3)):
        for delta in (Fraction(0), Fraction(1, 100), Fraction(1, 10)):
            largest = largest_probability(
                guess_vectors(m, r, (IN,) if one_sided else (OUT, IN)),
                at_least(v),
                float(odds),
                float(delta),
                out_only=one_sided,
                group=g,
            )
            stated = bound(Guesses(m, r, v, design), odds, delta)
            assert largest <= stated + 1e-8
            if odds == v == m == 1 and not one_sided:  # each step adds δ, whatever comes before
                assert largest == pytest.approx(stated, abs=1e-8)


def test_it_is_the_bound_at_what_a_group_has() -> None:
    for m, r, v, g in ((1000, 100, 75, 3), (40, 40, 33, 2), (9, 3, 3, 7)):
        odds, delta = Fraction(9, 8), Fraction(1, 10_000)
        of_group = delta * sum(odds**i for i in range(g))
        with precision(192):
            seen = Guesses(m, r, v, Design(group=g))
            found = p_value(seen, ball(odds).log(), rational(delta))
            wanted = exact(m, r, v, odds**g, of_group)
            assert lower_fraction(found) <= wanted <= upper_fraction(found)
            at_nothing = p_value(seen, ball(0), rational(delta))
            wanted = exact(m, r, v, Fraction(1), g * delta)
            assert lower_fraction(at_nothing) <= wanted <= upper_fraction(at_nothing)


def test_a_ball_around_zero_contains_both_of_its_ends() -> None:
    with precision(128):
        around = ball(0).union(ball(Fraction(1, 8)))
        epsilon, delta = Design(group=3).of_group(around, ball(Fraction(1, 100)))
        ends = (Fraction(3, 100), Fraction(1, 100) * sum(Fraction(2) ** i for i in range(3)))
        assert lower_fraction(delta) <= ends[0] < upper_fraction(delta) < ends[1]
        assert lower_fraction(epsilon) <= 0 < upper_fraction(epsilon)


def test_without_delta_it_is_the_gth_part() -> None:
    nothing, level = real(0), real("1/20")
    for g in (2, 5, 100):
        whole = largest_refuted(Guesses(500, 100, 90), nothing, level, 12)
        part = largest_refuted(Guesses(500, 100, 90, Design(group=g)), nothing, level, 12)
        step = Fraction(1, 10**12)
        assert Fraction(part.lower) - step <= Fraction(whole.lower) / g <= Fraction(part.upper)


def test_the_bound_is_the_largest_that_is_refuted() -> None:
    seen, delta, level = Guesses(1000, 100, 90, Design(group=4)), real("1e-5"), real("1/20")
    found = largest_refuted(seen, delta, level, 9)
    assert found.lower > 0
    assert is_refuted(seen, rational(Fraction(found.lower)), delta, level) is True
    assert is_refuted(seen, rational(Fraction(found.upper)), delta, level) is False
    coins = Design(True, (Coins(Fraction(1, 4), 1000, 100, 0),), 4)
    other = largest_refuted(Guesses(1000, 100, 90, coins), delta, level, 9)
    assert other.lower > found.lower


def test_large_groups_and_large_budgets_are_bounded() -> None:
    """Odds of e^1000 and more are no floats, and no precision tells their tails from 1."""
    scores, member = copies(3, 100, 6)
    for guesses in (None, 40):
        for group in (1000, 100_000):
            asked: dict[str, Any] = {"guesses": guesses, "delta": "1e-12", "group": group}
            found = dpaudit.canaries(scores, member, budget="1000,1e-12", **asked)
            of_one, of_group = found.bounds[0].epsilon, found.bounds[0].group_epsilon
            assert of_group is not None
            assert 0 < group * of_one.lower <= of_group.upper
            assert found.verdict == "not refuted"
    seen = Guesses(1000, 100, 99, Design(group=1000))
    found_alone = largest_refuted(seen, real("1e-12"), real("1/20"), 30)
    assert is_refuted(seen, rational(Fraction(found_alone.lower)), real("1e-12"), real("1/20"))
    assert dpaudit.canaries(scores, member, budget=2000).verdict == "not refuted"


def copies(seed: int, m: int, g: int) -> tuple[Any, Any]:
    """Scores of groups of g, each of which is told with probability 3/4: ε = ln 3 for one."""
    rng = np.random.default_rng(seed)
    member = rng.integers(2, size=m)
    told = rng.binomial(g, np.where(member == 1, 0.75, 0.25))
    return told + rng.random(m) / 2, member


@pytest.mark.filterwarnings("ignore::dpaudit.notices.HalfInWarning")
@pytest.mark.parametrize("guesses", [None, 60])
def test_copies_are_bounded_by_the_epsilon_of_one(guesses: int | None) -> None:
    audits, above, audit = 20 if guesses is None else 60, 0, None
    for seed in range(audits):
        scores, member = copies(seed, 60 if guesses is None else 120, 3)
        audit = dpaudit.canaries(scores, member, guesses=guesses, group=3, digits=6)
        above += float(audit.bounds[0].epsilon.lower) > log(3)
    assert above <= audits * 0.05 + 3 * (audits * 0.05 * 0.95) ** 0.5
    assert audit is not None
    of_one, of_group = audit.bounds[0].epsilon, audit.bounds[0].group_epsilon
    assert of_group is not None
    assert of_group.lower > 0
    assert float(3 * of_one.lower) == pytest.approx(float(of_group.lower), abs=1e-4)


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize(
    "further",
    [{}, {"guesses": 40}, {"one_sided": True}, {"guesses": 40, "probability": "2/5"}],
    ids=["all", "fixed", "one-sided", "probability"],
)
def test_the_report_is_confirmed_and_a_changed_one_rejected(
    further: dict[str, Any], tmp_path: Path
) -> None:
    scores, member = copies(3, 100, 6)
    found = dpaudit.canaries(
        scores, member, delta=(0, "1e-5"), budget="1/10,1e-5", group=6, **further
    )
    assert found.bounds[1].epsilon.lower > 0
    assert found.verdict == "exceeds"
    document = json.loads(found.to_json())
    assert verdict(tmp_path, document, sealed=False) == "accepted"
    said = " ".join(str(found).split())
    assert "one example: ε ≥" in said
    assert "a group of 6: ε ≥" in said
    assert "each group of 6 examples was in as a whole with probability" in said
    assert "(6ε, δ·(e^(6ε) − 1)/(e^ε − 1))-DP for 6 examples" in said
    own = dpaudit.canaries(scores, member, delta=0, **further).bounds[0].epsilon
    assert document["bounds"][0]["group_epsilon"] == {
        "lower": str(own.lower),
        "upper": str(own.upper),
    }
    first, second = document["bounds"]
    changes: list[dict[str, Any]] = [
        {"group": 5},
        {"group": 1},
        {"group": 0},
        {"bounds": [first, {k: v for k, v in second.items() if k != "group_epsilon"}]},
        {"bounds": [first, second | {"group_epsilon": first["group_epsilon"]}]},
        {"bounds": [first, second | {"epsilon": second["group_epsilon"]}]},
        {"verdict": "not refuted"},
    ]
    for change in changes:
        assert verdict(tmp_path, document | change) == "rejected", change


def test_pairs_of_groups_are_matched(tmp_path: Path) -> None:
    scores, member = copies(4, 100, 4)
    found = dpaudit.canaries(scores, member, matching=7, group=4, delta="1e-6")
    assert verdict(tmp_path, json.loads(found.to_json()), sealed=False) == "accepted"
    said = " ".join(str(found).split())
    assert "each canary was a group of 4 examples" in said
    assert "one replaced example" in said


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"group": 0}, "from 1 to"),
        ({"group": True}, "from 1 to"),
        ({"group": 10**6}, "from 1 to"),
        ({"profile": "mu=1"}, "only for single examples"),
    ],
)
def test_what_is_not_proved_is_refused(given: dict[str, Any], told: str) -> None:
    asked: dict[str, Any] = {"canaries": 9, "guesses": 3, "right": 3, "group": 2}
    with pytest.raises(UsageError, match=told):
        dpaudit.canaries(**(asked | given))


def test_the_command_and_its_refusals(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["canaries", "--canaries", "400", "--guesses", "80", "--right", "75", "--group", "5"]
    figure = tmp_path / "figure.svg"
    asked = [*words, "--delta", "1e-6", "--format", "csv", "--plot", str(figure)]
    assert invoke(asked) == 0
    out = capfd.readouterr().out
    assert "group,group_epsilon_lower,group_epsilon_upper" in out
    assert "group of 5 examples" in figure.read_text()
    for wrong, told in (
        (["--counts", "tp=4,fp=1,of=5", "--group", "2"], "leave --group out"),
        (["--plan", "--m", "9", "--group", "2"], "leave --group out"),
        ([*words[1:-1], "0"], "must be a whole number from 1"),
    ):
        assert invoke(["canaries", *wrong]) == 2
        said = capfd.readouterr()
        assert told in said.err
        assert (said.out, said.err.count("\n")) == ("", 1)
