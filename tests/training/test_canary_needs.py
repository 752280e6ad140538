"""``dpaudit canaries --plan --refute``: the fewest canaries, against all smaller numbers."""

import json
from fractions import Fraction
from math import floor
from pathlib import Path

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.numbers.real import real
from dpaudit.questions.canaries.needs import fewest_canaries
from tests.recheck.sealing import verdict
from tests.training.test_canary_plans import probability

MOST = 26


def fewest(share: Fraction, epsilon: mpf, delta: Fraction, level: Fraction) -> int | None:
    """The fewest canaries below MOST of which some number of guesses refutes ε, each tried."""
    limit = mpf(level.numerator) / level.denominator
    for m in range(1, MOST):
        for r in range(1, m + 1):
            if probability(m, r, floor(share * r), epsilon, delta) <= limit:
                return m
    return None


@pytest.mark.parametrize("share", ["1", "9/10", "3/4"])
@pytest.mark.parametrize("epsilon", ["1/2", "1", "2"])
def test_no_number_of_guesses_of_fewer_canaries_is_enough(share: str, epsilon: str) -> None:
    numbers = set()
    for delta in ("0", "1/1000", "1/50"):
        for level in ("1/20", "1/3", "3/5"):
            found, above = fewest_canaries(Fraction(share), real(epsilon), real(delta), real(level))
            with mp.workdps(40):
                exact = mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator
                smallest = fewest(Fraction(share), exact, Fraction(delta), Fraction(level))
            if smallest is None:
                assert (found or above or MOST) >= MOST - 1
            else:
                assert found == smallest
            numbers.add(found)
    assert len(numbers) > 1 or (epsilon, share) == ("2", "3/4")  # less than 2 allows: none


@pytest.mark.parametrize(("share", "epsilon"), [("3/4", "1/2"), ("9/10", "2"), ("1", "4")])
def test_of_large_numbers_the_ones_before_are_not_enough(share: str, epsilon: str) -> None:
    """The skipped numbers are skipped by a proof; here each number below is tried."""
    part = Fraction(share)
    number, _ = fewest_canaries(part, real(epsilon), real("1/100000"), real("1/20"))
    assert number is not None
    with mp.workdps(40):
        exact = mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator
        delta = Fraction(1, 100_000)
        for m in range(1, number + 1):
            bound = probability(m, m, floor(part * m), exact, delta)
            assert (bound <= mpf(1) / 20) is (m == number), m


def test_ties_of_the_share_are_decided_exactly() -> None:
    """At s = E/(1 + E) no number is enough, and no precision tells the two apart."""
    question = (real(0), real("1/20"))
    assert fewest_canaries(Fraction(3, 4), real("ln(3)"), *question) == (None, None)
    assert fewest_canaries(Fraction(3, 4), real("ln(3) + 1/1000"), *question) == (None, None)
    number, above = fewest_canaries(Fraction(3, 4), real("ln(3) - 1/2"), *question)
    assert number is not None
    assert above is None


@pytest.mark.parametrize("delta", ["1/20", "1/10"])
def test_a_large_delta_is_never_refuted(delta: str) -> None:
    assert fewest_canaries(Fraction(1), real(1), real(delta), real("1/20")) == (None, None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--refute 0", "greater than 0"),
        ("--refute x", "epsilon"),
        ("--refute 1 --canaries 5", "leave --canaries (or --m) out"),
        ("--refute 1 --guesses 5", "leave --guesses out"),
        ("--refute 1 --digits 5", "leave --digits out"),
        ("--refute 1 --right 5", "before the training"),
        ("--refute 1 --shares 2", "at most 1"),
        ("--refute 1 --delta 1", "delta"),
        ("--refute 1 --level 1", "level"),
        ("", "or --refute EPS"),
    ],
)
def test_mistakes_are_one_line(words: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["canaries", "--plan", *words.split()]) == 2
    lines = capfd.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert message in lines[0]


def test_an_epsilon_belongs_to_a_plan(capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        invoke(["canaries", "--canaries", "9", "--guesses", "9", "--right", "9", "--refute", "1"])
        == 2
    )
    assert "--budget" in capfd.readouterr().err
    with pytest.raises(UsageError):
        dpaudit.canaries_needed(-1)


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize(
    ("field", "value"),
    [("canaries", 23), ("canaries", 25), ("right", 23), ("above", 7), ("share", "3/4")],
)
def test_a_changed_number_is_noticed(
    field: str, value: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "needs.json"
    words = "canaries --plan --refute 2 --delta 1e-5 --shares 1 --format json --output"
    assert invoke([*words.split(), str(path)]) == 0
    assert invoke(["verify", str(path)]) == 0
    document = json.loads(path.read_text())
    assert document["needs"][0]["canaries"] == 24
    document["needs"][0][field] = value
    if field == "canaries":
        document["needs"][0]["right"] = value
    assert verdict(tmp_path, document) == "rejected"
    capfd.readouterr()
