"""``dpaudit canaries --plan``: the bounds that right guesses give, against exact binomials."""

import csv
import io
import json
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.numbers.real import real
from dpaudit.questions.canaries.one_run import Guesses, largest_refuted
from dpaudit.recheck.verify import verify
from tests.recheck.sealing import verdict


def said(capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> tuple[int, str, str]:
    code = invoke(["canaries", "--plan", *words])
    captured = capfdbinary.readouterr()
    return int(code), captured.out.decode(), captured.err.decode()


def probability(m: int, r: int, v: int, epsilon: mpf, delta: Fraction) -> mpf:
    """The largest probability of v right guesses of r, with binomial masses one by one."""
    if not v:
        return mpf(1)
    q = mp.exp(epsilon) / (1 + mp.exp(epsilon))
    mass = [mp.binomial(r, k) * q**k * (1 - q) ** (r - k) for k in range(r + 1)]
    beta = mp.fsum(mass[v:])
    return beta + m * mpf(delta.numerator) / delta.denominator * beta * (1 - beta) / (v * mass[v])


@pytest.mark.parametrize("delta", ["0", "1e-4", "1e-2"])
def test_bounds_are_those_of_exact_binomials(delta: str) -> None:
    plan = dpaudit.plan_canaries(60, delta=delta, level=["0.05", "0.01"], digits=9)
    assert len(plan.bounds) == 8
    with mp.workdps(50):
        for bounds in plan.bounds:
            level = Fraction(str(bounds.level))
            limit = mpf(level.numerator) / level.denominator
            for size in bounds.sizes:
                assert size.right == floor(Fraction(str(bounds.share)) * size.guesses)
                lower, upper = (mpf(str(end)) for end in (size.epsilon.lower, size.epsilon.upper))
                counts = (60, size.guesses, size.right)
                assert probability(*counts, upper, Fraction(delta)) >= limit
                if lower:
                    assert probability(*counts, lower, Fraction(delta)) <= limit


@pytest.mark.parametrize(
    ("canaries", "delta"), [(23, "0"), (47, "1e-3"), (58, "1e-2"), (80, "1e-4")]
)
def test_no_other_number_of_guesses_is_better(canaries: int, delta: str) -> None:
    """The best of a plan is the best of all numbers, though few of them are tried."""
    for bounds in dpaudit.plan_canaries(
        canaries, delta=delta, shares=("1", "9/10", "3/4", "2/3", "3/5")
    ).bounds:
        share = Fraction(str(bounds.share))
        every = [
            largest_refuted(
                Guesses(canaries, r, floor(share * r)), real(delta), real("1/20"), 4
            ).lower
            for r in range(1, canaries + 1)
        ]
        assert max(size.epsilon.lower for size in bounds.sizes) == max(every)
        if bounds.best is None:
            assert not max(every)
        else:
            assert every[bounds.best - 1] == max(every)


def test_a_plan_says_what_an_audit_says() -> None:
    plan = dpaudit.plan_canaries(1000, delta="1e-4", shares="3/4", guesses=100, digits=12)
    (size,) = plan.bounds[0].sizes
    audit = dpaudit.canaries(canaries=1000, guesses=100, right=75, delta="1e-4")
    assert size.epsilon == audit.bounds[0].epsilon


def test_text_json_and_csv_agree(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    words = ["--m", "1000", "--delta", "1e-5"]
    code, text, _ = said(capfdbinary, *words)
    assert code == 0
    assert "100 % right: at best ε ≥ 5.8090, with 1000 of 1000 guesses" in text
    _, document, _ = said(capfdbinary, *words, "--format", "json")
    bounds = json.loads(document)["bounds"]
    _, lines, _ = said(capfdbinary, *words, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(lines)))
    assert len(rows) == sum(len(one["sizes"]) for one in bounds)
    ends = [size["epsilon"]["lower"] for one in bounds for size in one["sizes"]]
    assert [row["epsilon_lower"] for row in rows] == ends
    same, _, _ = said(capfdbinary, "--canaries", "1000", "--delta", "1e-5")
    assert same == code


def test_canaries_that_are_too_few_are_said_to_be(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    _, text, _ = said(capfdbinary, "--canaries", "4", "--delta", "1e-5")
    assert text.count("nothing is refuted") == 4


def test_a_figure_is_drawn(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "plan.svg"
    code, _, _ = said(capfdbinary, "--canaries", "50", "--plot", str(path))
    assert code == 0
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "needs --canaries"),
        (["--canaries", "0"], "from 1 to"),
        (["--canaries", "10", "--m", "10"], "give one of them"),
        (["--canaries", "10", "--shares", "2"], "at most 1"),
        (["--canaries", "10", "--shares", "0"], "above 0"),
        (["--canaries", "10", "--shares", "sqrt(1/2)"], "fraction or decimal"),
        (["--canaries", "10", "--guesses", "11"], "from 1 to the 10"),
        (["--canaries", "10", "--right", "3"], "leave --right out"),
        (["--canaries", "10", "--budget", "1"], "leave --budget out"),
        (["--canaries", "10", "--counts", "tp=1,fp=1,of=2"], "leave --counts out"),
        (["scores.csv", "--canaries", "10"], "leave a file of scores out"),
        (["--canaries", "10", "--digits", "31"], "from 1 to 30"),
        (["--canaries", "10", "--delta", "1"], "less than 1"),
        (["--canaries", "10", "--level", "0"], "between 0 and 1"),
    ],
)
def test_what_a_plan_does_not_take_is_refused(
    words: list[str], message: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    code, out, err = said(capfdbinary, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_shares_belong_to_plans(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    words = ["--canaries", "9", "--guesses", "8", "--right", "8", "--shares", "1"]
    assert invoke(["canaries", *words]) == 2
    assert b"applies only to --plan" in capfdbinary.readouterr().err
    with pytest.raises(UsageError, match="whole number"):
        dpaudit.plan_canaries(True)
    with pytest.raises(UsageError, match="the number of guesses is missing"):
        dpaudit.plan_canaries(10, guesses=())


@pytest.mark.wrong_on_purpose
def test_a_plan_that_promises_too_much_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    true = dpaudit.plan_canaries(100, delta="1e-4", shares=("1", "3/4")).to_json()
    path.write_text(true)
    assert verify(path).verdict == "accepted"

    def changed(**fields: Any) -> Any:
        document = json.loads(true)
        document["bounds"][1] |= fields
        return document

    sizes = json.loads(true)["bounds"][1]["sizes"]
    more = [*sizes[:-1], sizes[-1] | {"epsilon": {"lower": "0.8000", "upper": "0.8001"}}]
    right = [*sizes[:-1], sizes[-1] | {"right": 76}]
    for document in (
        json.loads(true) | {"canaries": 200},
        json.loads(true) | {"digits": 5},
        json.loads(true) | {"bounds": []},
        changed(share="4/5"),
        changed(share="5/4"),
        changed(level="1/10"),
        changed(delta="1/1000"),
        changed(best=50),
        changed(best=None),
        changed(sizes=more),
        changed(sizes=right),
        changed(sizes=sizes[::-1]),
        changed(sizes=[]),
    ):
        assert verdict(tmp_path, document) == "rejected", document
