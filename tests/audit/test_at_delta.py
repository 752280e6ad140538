"""The smallest ε at a δ, against closed forms, brute force and the hull of the privacy curve."""

from __future__ import annotations

import csv
import io
import json
import math
import random
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


def the_only(found: dpaudit.Check, index: int = 0) -> Any:
    return found.results[0].at_delta[index]


@pytest.mark.parametrize("delta", ["1/5", "1/100", "1e-5", "1e-40"])
def test_the_closed_form_of_randomised_response(delta: str) -> None:
    """δ(ε) = 3/4 − e^ε/4, so ε = ln(3 − 4δ)."""
    subject = own(
        {
            "no": {"no": Fraction(3, 4), "yes": Fraction(1, 4)},
            "yes": {"no": Fraction(1, 4), "yes": Fraction(3, 4)},
        }
    )
    found = the_only(dpaudit.check(subject, at_delta=[delta], digits=20))
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


@pytest.mark.parametrize("seed", range(20))
def test_random_laws_against_the_sum(seed: int) -> None:
    drawn = random.Random(seed)
    laws = {}
    for name in ("x", "y", "z"):
        weights = [drawn.choice([0, 1, 1, 2, 5, 9, 1000]) for _ in range(4)]
        whole = sum(weights) or 1
        weights[0] += whole == 1 and not sum(weights)
        whole = sum(weights)
        laws[name] = {f"o{i}": Fraction(w, whole) for i, w in enumerate(weights)}
    delta = drawn.choice(["1/3", "1/50", "1e-4", "1e-7"])
    found = the_only(dpaudit.check(own(laws), at_delta=[delta]))

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


def test_what_has_no_upper_end_and_what_is_zero() -> None:
    laws = {
        "x": {"a": Fraction(99, 100), "b": Fraction(1, 100)},
        "y": {"a": Fraction(1), "b": Fraction(0)},
    }
    found = dpaudit.check(own(laws), at_delta=["1/1000", "1/100", "1/2"])
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


@pytest.mark.parametrize("digits", [27, 28, 40, 60])
def test_ends_of_any_length_are_exact(digits: int) -> None:
    """They were rounded to 28 digits, and the truth was outside."""
    found = the_only(dpaudit.check("EHDS", 4, at_delta=["1/100"], digits=digits))
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


@pytest.mark.parametrize("delta", ["0", "1", "-1/2", "3", "x"])
def test_what_is_no_delta_is_one_line(delta: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["check", "EHDS", "--n", "3", "--at-delta", delta, "--no-plot"]) == 2
    told = capfd.readouterr().err
    assert told.count("\n") == 1
    assert ("above 0 and below 1" in told) is (delta != "x")
    with pytest.raises((DomainError, dpaudit.errors.UsageError)):
        dpaudit.check("EHDS", 3, at_delta=[delta])


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
    assert "ε is ln(3) exactly, and 1.09859(8..9) at δ = 1/100000" in told
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


def written(tmp_path: Path, *words: str) -> dict[str, Any]:
    path = tmp_path / "report.json"
    given = ["check", "EHDS", "--n", "4..6", "--format", "json", "--output", str(path), *words]
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


@pytest.mark.wrong_on_purpose
@pytest.mark.parametrize("change", [_later_end, _no_point, _wrong_delta, _moved])
def test_verify_computes_both_ends_again(change: Any, tmp_path: Path) -> None:
    document = written(tmp_path, "--at-delta", "1/1000")
    path = tmp_path / "changed.json"
    assert verify(tmp_path / "report.json").verdict == "accepted"
    for result in document["results"]:
        change(result["at_delta"][0])
    path.write_text(json.dumps(document | {"sha256": seal_of(document)}))
    assert verify(path).verdict == "rejected"


def test_a_report_with_other_deltas_is_not_gone_on_with(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, "--at-delta", "1/1000")
    path = str(tmp_path / "report.json")
    given = ["check", "EHDS", "--n", "4..7", "--format", "json", "--output", path, "--resume"]
    assert invoke([*given, "--no-plot"]) == 2
    assert invoke([*given, "--at-eps", "1/1000", "--no-plot"]) == 2
    told = capfd.readouterr().err
    assert told.count("cannot resume") == 2
    assert "at-delta is 1/1000 there and" in told
    assert invoke([*given, "--at-delta", "1/1000", "--no-plot"]) == 0
