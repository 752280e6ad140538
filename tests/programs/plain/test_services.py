"""Functions as companies write them, unchanged, against what is true of them."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from tests.programs.plain import functions, services
from tests.programs.plain.services import Person

HALF_TAIL = math.exp(-2) / 2
"""Probability that Laplace noise of scale 1 lifts a count of 1 to the threshold 3."""


def two_counts(people: list[int]) -> tuple[float, float]:
    return services.Accountant().two_counts(people)


CASES: dict[str, tuple[Any, list[Any], str, Any]] = {
    "a count": (functions.rounded_count, [0, 1, 2, 3], "adjacent", 1),
    "a count with a where clause": (
        services.count_where,
        [[{"age": 40}, {"age": 20}], [{"age": 20}], [{"age": 20}, {"age": 40, "opted_out": True}]],
        "multiset-add-remove",
        1,
    ),
    "a histogram": (
        services.histogram,
        [["a", "a", "b"], ["a", "a"], ["a"]],
        "sequence-add-remove",
        (1, HALF_TAIL),
    ),
    "a mean": (
        services.mean_of_records,
        [[{"spend": 150.0}, {"spend": 0.0}], [{"spend": 0.0}, {"spend": 0.0}]],
        "one-entry",
        1,
    ),
    # P(Ex - Ey > 1) = e^(-1/2)/2 of exponential draws of mean 2, against 1/2
    "a noisy maximum": (
        services.most_popular,
        [{"x": 0, "y": 1}, {"x": 1, "y": 1}, {"x": 1, "y": 0}],
        "one-key",
        "1/2",
    ),
    # The weights are computed below.
    "a quantile": (services.private_quantile, [[0, 2, 4], [2, 2, 4]], "one-entry", None),
    "a survey": (services.survey, ["never", "sometimes", "often"], "all", "ln(4)"),
    "a sum over a frame": (
        services.revenue,
        [pd.DataFrame({"amount": [10.0, 70.0]}), pd.DataFrame({"amount": [10.0]})],
        "sequence-add-remove",
        1,
    ),
    "counts of groups": (
        services.per_group,
        [pd.DataFrame({"city": ["paris", "rome"]}), pd.DataFrame({"city": ["paris"]})],
        "sequence-add-remove",
        1,
    ),
    "a budget that is spent": (two_counts, [[20, 30], [20]], "sequence-add-remove", 1),
    "records of a class": (
        services.smokers,
        [(Person(20, True),), (Person(20, False),)],
        "one-entry",
        (1, 0.00682959498311458),
    ),
    "a generator": (services.streamed, [[1, 2], [1, 9]], "one-entry", "3/5"),
    "sums of days": (
        services.by_day,
        [[("mon", 3), ("tue", 20)], [("mon", 3)]],
        "sequence-add-remove",
        1,
    ),
}


def _quantile(values: list[int]) -> list[float]:
    scores = [-abs(sum(v < c for v in values) - 1.5) for c in range(5)]
    weights = [math.exp(score / 2) for score in scores]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("name", CASES)
def test_what_companies_write_has_its_law_at_the_first_try(name: str) -> None:
    function, inputs, neighbours, truth = CASES[name]
    if truth is None:
        both = zip(*map(_quantile, inputs), strict=True)
        truth = max(abs(math.log(x / y)) for x, y in both)
    epsilon, delta = truth if isinstance(truth, tuple) else (truth, None)
    found = dpaudit.check(function, inputs=inputs, neighbours=neighbours, budget=epsilon)
    assert isinstance(found, dpaudit.Check)
    assert found.audit.semantics in ("as run", "ideal")
    if "by the rounding of floats alone" in str(found):  # the formula keeps its ε
        found = dpaudit.check(
            function, inputs=inputs, neighbours=neighbours, budget=epsilon, only="ideal"
        )
        assert isinstance(found, dpaudit.Check)
    if delta is not None:
        assert float(found.delta_held.lower) == pytest.approx(delta, rel=1e-12)
        assert found.verdict == "exceeds"  # as no δ is allowed
    elif isinstance(epsilon, float):
        assert float(found.epsilon.lower) == pytest.approx(epsilon, rel=1e-12)
    else:
        assert found.epsilon.exact == dpaudit.real(epsilon)
        assert found.verdict == "within"


PRICES = [Decimal("0.01"), Decimal("0.02")]


def test_decimals_have_their_law_as_run() -> None:
    found = dpaudit.check(services.price, inputs=PRICES, neighbours="all", budget="1/10")
    assert isinstance(found, dpaudit.Check)
    assert (found.audit.semantics, found.verdict) == ("as run", dpaudit.Verdict.EXCEEDS)


def test_what_has_no_law_is_drawn_from_and_says_why() -> None:
    found = dpaudit.check(services.above, inputs=PRICES, neighbours="all", budget="1/10")
    assert not isinstance(found, dpaudit.Check)
    assert found.verdict == "exceeds"
    assert "product of two random draws" in found.report.no_law
    assert "services.py" in found.report.no_law


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "html"])
def test_datasets_without_a_size_are_given_none(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.py").write_text(
        "import random\n\n\ndef flip(bit):\n    return bit ^ (random.random() < 0.25)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["check", "own.py:flip", "--inputs", "0,1", "--budget", "ln(3)"]
    how = ["--report", "html=page.html"] if form == "html" else ["--format", form, "--no-plot"]
    assert invoke([*words, *how]) == 0
    out = capfd.readouterr().out
    if form == "json":
        assert json.loads(out)["sized"] is False
        return
    text = (tmp_path / "page.html").read_text() if form == "html" else out
    assert "n = 1" not in text
    if form == "csv":
        header, row = text.splitlines()
        assert dict(zip(header.split(","), row.split(","), strict=False))["n"] == ""
    elif form != "html":
        assert "within" in text
        assert not any(line.split()[:1] == ["n"] for line in text.splitlines())
