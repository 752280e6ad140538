"""The smallest ε at a δ, against closed forms, brute force and the hull of the privacy curve."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import DomainError
from dpaudit.mechanisms.user import finite_mechanism
from dpaudit.numbers.real import real
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

OWN = """
from dpaudit import finite_mechanism

@finite_mechanism(datasets=["no", "yes"], neighbours="all")
def response(answer):
    return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}
"""


def own(laws: dict[str, dict[str, Fraction]]) -> Any:
    @finite_mechanism(datasets=list(laws), neighbours="all")
    def law(dataset: str) -> dict[str, Fraction]:
        return laws[dataset]

    return law


def the_only(found: dpaudit.Check | dpaudit.Curves, index: int = 0) -> Any:
    return found.results[0].at_delta[index]


Question = Callable[..., dpaudit.Check | dpaudit.Curves]
both_questions = pytest.mark.parametrize("ask", [dpaudit.check, dpaudit.curve])


@both_questions
@pytest.mark.parametrize("delta", ["1/5", "1/100", "1e-5", "1e-40"])
def test_the_closed_form_of_randomised_response(delta: str, ask: Question) -> None:
    """δ(ε) = 3/4 − e^ε/4, so ε = ln(3 − 4δ)."""
    subject = own(
        {
            "no": {"no": Fraction(3, 4), "yes": Fraction(1, 4)},
            "yes": {"no": Fraction(1, 4), "yes": Fraction(3, 4)},
        }
    )
    found = the_only(ask(subject, at_delta=[delta], digits=20))
    with mp.workdps(80):
        wanted = mp.log(3 - 4 * mpf(str(Fraction(delta).numerator)) / Fraction(delta).denominator)
        assert mpf(str(found.lower)) < wanted <= mpf(str(found.upper))
    assert found.upper - found.lower <= Decimal("1e-20")


@pytest.mark.parametrize(("sigma", "delta"), [(2, "1e-5"), (1, "1e-9"), (10, "1e-3")])
def test_the_closed_form_of_normal_noise(sigma: int, delta: str) -> None:
    found = the_only(dpaudit.check("Gaussian", 2, sigma=sigma, at_delta=[delta]))
    with mp.workdps(60):
        bound, s = mpf(delta), mpf(sigma)
        mu = 1 / s

        def excess(epsilon: Any) -> Any:
            upper = mp.ncdf(mu / 2 - epsilon / mu)
            return upper - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu) - bound

        assert excess(mpf(str(found.lower))) > 0 >= excess(mpf(str(found.upper)))
    assert found.upper - found.lower <= Decimal("1e-12")


@both_questions
@pytest.mark.parametrize("seed", range(20))
def test_random_laws_against_the_sum(seed: int, ask: Question) -> None:
    drawn = random.Random(seed)
    laws = {}
    for name in ("x", "y", "z"):
        weights = [drawn.choice([0, 1, 1, 2, 5, 9, 1000]) for _ in range(4)]
        whole = sum(weights) or 1
        weights[0] += whole == 1 and not sum(weights)
        whole = sum(weights)
        laws[name] = {f"o{i}": Fraction(w, whole) for i, w in enumerate(weights)}
    delta = drawn.choice(["1/3", "1/50", "1e-4", "1e-7"])
    found = the_only(ask(own(laws), at_delta=[delta]))

    def excess(epsilon: Decimal) -> Any:
        with mp.workdps(60):
            grown = mp.exp(mpf(str(epsilon)))
            return max(
                mp.fsum(max(mpf(0), _mpf(p[o]) - grown * _mpf(q[o])) for o in p)
                for p in laws.values()
                for q in laws.values()
            )

    bound = mpf(Fraction(delta).numerator) / Fraction(delta).denominator
    if found.above is not None:
        assert excess(found.lower) > bound
    if found.upper.is_infinite():
        assert excess(Decimal(200)) > bound
    else:
        assert excess(found.upper) <= bound
        assert found.upper - found.lower <= Decimal("1e-12")


def _mpf(x: Fraction) -> Any:
    return mpf(x.numerator) / x.denominator


def test_it_is_between_the_hulls_of_the_curve() -> None:
    (curve,) = dpaudit.curve("EHDS", 12).curves
    found = the_only(dpaudit.check("EHDS", 12, at_delta=["1/1000"]))
    assert float(curve.delta(real(str(found.lower)), 20).upper) >= 1e-3
    assert float(curve.delta(real(str(found.upper)), 20).lower) <= 1e-3


@pytest.mark.parametrize("noise", ["DiscreteLaplace", "RoundedLaplace", "DiscreteGaussian"])
def test_noise_without_an_end_has_one_epsilon_under_both_questions(noise: str) -> None:
    """An audit sums closed forms, the curve reads hulls: both ends of one have to suit the other.

    For the geometric noise, δ(ε) is (e^(1/s) − e^ε)/(e^(1/s) + 1), which is inverted by hand.
    """
    name = {"DiscreteLaplace": "scale", "RoundedLaplace": "eps", "DiscreteGaussian": "sigma"}[noise]
    parameters: Any = {name: 2}
    ends = [
        the_only(ask(noise, 2, at_delta=["1/50"], **parameters))
        for ask in (dpaudit.check, dpaudit.curve)
    ]
    assert max(one.lower for one in ends) < min(one.upper for one in ends)
    assert all(one.upper - one.lower <= Decimal("1e-12") for one in ends)
    if noise == "DiscreteLaplace":
        with mp.workdps(40):
            loss = mp.exp(mpf(1) / 2)
            wanted = mp.log(loss - (loss + 1) / 50)
            assert all(mpf(str(one.lower)) < wanted <= mpf(str(one.upper)) for one in ends)


def test_an_epsilon_above_all_that_are_tried_first() -> None:
    """The hull of the curve has no last loss that is far out: an audit says where δ is 0."""
    found = the_only(dpaudit.curve("Geometric", 2, eps=300, at_delta=["1/1000"]))
    with mp.workdps(200):
        wanted = mp.log(mp.exp(300) - (mp.exp(300) + 1) / 1000)
        assert mpf(str(found.lower)) < wanted <= mpf(str(found.upper))


@both_questions
def test_what_has_no_upper_end_and_what_is_zero(ask: Question) -> None:
    laws = {
        "x": {"a": Fraction(99, 100), "b": Fraction(1, 100)},
        "y": {"a": Fraction(1), "b": Fraction(0)},
    }
    found = ask(own(laws), at_delta=["1/1000", "1/100", "1/2"])
    never, edge, always = found.results[0].at_delta
    assert never.upper.is_infinite()
    assert never.below is None
    assert never.above is not None
    assert never.above.epsilon.as_fraction() == never.lower == 256
    assert always.lower == always.upper == 0
    assert always.above is None
    # δ(ε) is 1/100 from some ε on, exactly, which is at most 1/100.
    assert edge.below is not None
    assert edge.below.upper <= Decimal("0.01")


@both_questions
@pytest.mark.parametrize("digits", [27, 28, 40, 60])
def test_ends_of_any_length_are_exact(digits: int, ask: Question) -> None:
    """They were rounded to 28 digits, and the truth was outside."""
    found = the_only(ask("EHDS", 4, at_delta=["1/100"], digits=digits))
    assert found.above is not None
    assert found.below is not None
    assert Fraction(found.lower) == found.above.epsilon.as_fraction()
    assert Fraction(found.upper) == found.below.epsilon.as_fraction()
    assert 0 < found.upper - found.lower <= Decimal(f"1e-{digits}")


def test_a_known_epsilon_is_an_upper_end() -> None:
    """Laplace noise of scale 1 on centres 10⁵ apart: δ(ε) = 1 − e^((ε − 10⁵)/2)."""
    found = the_only(dpaudit.check("Laplace", 2, scale="1/100000", at_delta=["3/10"], digits=20))
    with mp.workdps(60):
        for centres in (1, 2):  # as one entry or two of the histogram change
            wanted = centres * mpf(10) ** 5 + 2 * mp.log(mpf(7) / 10)
            if mpf(str(found.lower)) < wanted <= mpf(str(found.upper)):
                return
    assert found.upper.is_finite()
    assert found.lower > 256


@both_questions
@pytest.mark.parametrize("delta", ["0", "1", "-1/2", "3", "x"])
def test_what_is_no_delta_is_one_line(
    delta: str, ask: Question, capfd: pytest.CaptureFixture[str]
) -> None:
    command = [ask.__name__, "EHDS", "--n", "3", "--at-delta", delta, "--no-plot"]
    assert invoke(command) == 2
    told = capfd.readouterr().err
    assert told.count("\n") == 1
    assert ("above 0 and below 1" in told) is (delta != "x")
    with pytest.raises((DomainError, dpaudit.errors.UsageError)):
        ask("EHDS", 3, at_delta=[delta])


@pytest.mark.parametrize("command", ["check", "curve"])
def test_an_interval_has_no_epsilon_at_a_delta(
    command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--eps", "1/10..2", "--at-delta", "1/9", "--no-plot"]
    assert invoke([command, "EHDS", "--n", "3", *words]) == 2
    told = capfd.readouterr().err
    assert told.count("\n") == 1
    assert "an interval cannot be combined with --at-delta" in told


def test_the_lines_of_a_curve_have_it(capfd: pytest.CaptureFixture[str]) -> None:
    found = the_only(dpaudit.curve("EHDS", 4, at_delta=["1/9"]))
    words = ["curve", "EHDS", "--n", "4", "--no-plot", "--at-delta", "1/9"]
    assert invoke([*words, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
    ends = ("epsilon_at_1_lower", "epsilon_at_1_upper")
    assert {tuple(row[one] for one in ends) for row in rows} == {found.texts()}
    assert {row["at_delta_1"] for row in rows} == {"1/9"}
    assert invoke(words) == 0
    assert "ε at δ = 1/9" in capfd.readouterr().out


def test_other_questions_have_none(capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["--notion", "zcdp"], ["--conformance"]):
        assert invoke(["check", "EHDS", "--n", "3", "--at-delta", "1/9", *words, "--no-plot"]) == 2
        told = capfd.readouterr().err
        assert told.count("\n") == 1
        assert "--at-delta" in told


def test_without_a_budget_it_is_told_of_what_is_fast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    assert invoke(["check", "own.py:response", "--no-plot"]) == 0
    told = capfd.readouterr().out
    wanted = math.log(3 - 4e-5)
    assert "ε is ln(3) exactly (1.09861…), and 1.09859(8..9) at δ = 1/100000" in told
    assert "ε at δ = 1/100000" in told
    assert invoke(["check", "own.py:response", "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capfd.readouterr().out))
    assert row["at_delta_1"] == "1/100000"
    assert float(row["epsilon_at_1_lower"]) <= wanted <= float(row["epsilon_at_1_upper"])
    for words in (["--at-eps", "1"], ["--budget", "2"]):
        assert invoke(["check", "own.py:response", "--no-plot", *words]) == 0
        assert "ε at δ" not in capfd.readouterr().out
    assert (
        invoke(["check", "own.py:response", "--no-plot", "--budget", "2", "--at-delta=1e-3"]) == 0
    )
    assert "ε at δ = 1/1000" in capfd.readouterr().out


def written(tmp_path: Path, command: str, *words: str) -> dict[str, Any]:
    path = tmp_path / "report.json"
    given = [command, "EHDS", "--n", "4..6", "--format", "json", "--output", str(path), *words]
    assert invoke([*given, "--no-plot"]) == 0
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def _later_end(found: dict[str, Any]) -> None:
    found["upper"] = "9"


def _no_point(found: dict[str, Any]) -> None:
    del found["above"]


def _wrong_delta(found: dict[str, Any]) -> None:
    found["delta"] = "1/2"


def _moved(found: dict[str, Any]) -> None:
    """Say that a larger ε is the smallest: its δ is at most δ as well."""
    for name in ("lower", "upper"):
        found[name] = str(Decimal(found[name]) + 1)
    found["above"]["epsilon"] = str(Fraction(found["above"]["epsilon"]) + 1)
    found["below"]["epsilon"] = str(Fraction(found["below"]["epsilon"]) + 1)


def _other_delta_at_an_end(found: dict[str, Any]) -> None:
    """Say a δ(ε) at the upper end that is smaller than it is."""
    found["below"] |= {"lower": "0.0005", "upper": "0.0005"}


def _unlike_the_hull(found: dict[str, Any]) -> None:
    """Say no pair for the δ(ε) at the upper end, where it is not 0."""
    for name in ("x", "y"):
        found["below"].pop(name, None)


CHANGES = [_later_end, _no_point, _wrong_delta, _moved, _other_delta_at_an_end, _unlike_the_hull]
RESULTS = {"check": "results", "curve": "curves"}


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("command", RESULTS)
@pytest.mark.parametrize("change", CHANGES)
def test_verify_computes_both_ends_again(change: Any, command: str, tmp_path: Path) -> None:
    document = written(tmp_path, command, "--at-delta", "1/1000")
    path = tmp_path / "changed.json"
    assert verify(tmp_path / "report.json").verdict == "accepted"
    assert verify(tmp_path / "report.json", all_pairs=True).verdict == "accepted"
    for result in document[RESULTS[command]]:
        change(result["at_delta"][0])
    path.write_text(json.dumps(document | {"sha256": seal_of(document)}))
    assert verify(path).verdict == "rejected"


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("command", RESULTS)
def test_the_epsilon_of_some_pairs_is_not_that_of_all(command: str, tmp_path: Path) -> None:
    """Its own numbers agree; all pairs do not, and the hulls of a curve do not."""
    words = [command, "EHDS", "--n", "4", "--at-delta", "1/1000", "--format", "json", "--no-plot"]
    found = []
    for name, more in (("some", ["--at", "2,2"]), ("all", [])):
        path = tmp_path / name
        assert invoke([*words, "--output", str(path), *more]) == 0
        found.append(json.loads(path.read_text()))
        assert verify(path, all_pairs=True).verdict == "accepted"
    some, every = (document[RESULTS[command]][0] for document in found)
    assert some["at_delta"] != every["at_delta"]
    every["at_delta"] = some["at_delta"]
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(found[1] | {"sha256": seal_of(found[1])}))
    assert verify(path, all_pairs=True).verdict == "rejected"
    assert (verify(path).verdict == "rejected") is (command == "curve")


@pytest.mark.parametrize("command", RESULTS)
def test_a_report_with_other_deltas_is_not_gone_on_with(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, command, "--at-delta", "1/1000")
    path = str(tmp_path / "report.json")
    given = [command, "EHDS", "--n", "4..7", "--format", "json", "--output", path, "--resume"]
    assert invoke([*given, "--no-plot"]) == 2
    assert invoke([*given, "--at-delta", "1/9", "--no-plot"]) == 2
    told = capfd.readouterr().err
    assert told.count("cannot resume") == 2
    assert "at-delta = 1/1000, the command asks for 1/9" in told
    assert invoke([*given, "--at-delta", "1/1000", "--no-plot"]) == 0


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("change", [_later_end, _no_point, _moved, _other_delta_at_an_end])
def test_a_changed_epsilon_of_a_curve_is_not_gone_on_with(
    change: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    document = written(tmp_path, "curve", "--at-delta", "1/1000")
    for result in document["curves"]:
        change(result["at_delta"][0])
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document | {"sha256": seal_of(document)}))
    given = ["curve", "EHDS", "--n", "4..7", "--format", "json", "--output", str(path), "--resume"]
    assert invoke([*given, "--at-delta", "1/1000", "--no-plot"]) == 2
    assert "cannot resume" in capfd.readouterr().err
