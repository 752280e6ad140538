"""Hostile and extreme numbers in reports: ties with a budget, values near 0, refused parameters."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from mpmath import mp

from dpaudit import check, check_notion
from dpaudit.errors import UsageError
from dpaudit.mechanisms.parameters import (
    ChoiceParameter,
    Parameter,
    PriorParameter,
    WholeParameter,
    parameter_text,
)
from dpaudit.mechanisms.registry import mechanism_classes
from dpaudit.recheck.findings import NotAReportError, VerificationDocument
from dpaudit.recheck.numbers import value
from dpaudit.recheck.selection import DENSITY
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose

MECHANISMS = mechanism_classes()


def size_for(name: str) -> int:
    return MECHANISMS[name].build({}).default_size or 2


def report(name: str, **options: Any) -> Document:
    options = {"n": size_for(name), **options}
    ask: Any = check_notion if "notion" in options else check
    document: Document = json.loads(ask(name, **options).to_json())
    return document


def held(folder: Path, document: Document, *, all_pairs: bool = True) -> VerificationDocument:
    path = folder / "report.json"
    path.write_text(json.dumps({**document, "sha256": seal_of(document)}))
    return verify(path, all_pairs=all_pairs)


# -- line 3: ties


def around(number: str, below: int, above: int) -> dict[str, str]:
    """An interval of the ulps ``below`` and ``above`` a number, in the fifteenth place."""
    with mp.workdps(60):
        unit = int(mp.floor(value(number) * 10**15))
    ends = [Decimal(unit - below).scaleb(-15), Decimal(unit + above).scaleb(-15)]
    return dict(zip(("lower", "upper"), map("{:f}".format, ends), strict=True))


@pytest.mark.parametrize("epsilon", ["4/5", "1/3", "7/10", "2/7", "ln(3)", "sqrt(2)"])
@pytest.mark.parametrize("swapped", [False, True])
def test_3_a_tie_does_not_exceed(epsilon: str, swapped: bool, tmp_path: Path) -> None:
    document = report("LSHist", n=3, epsilon=epsilon)
    size = document["results"][0]
    size["epsilon"] = size["witness"]["loss"] = around(epsilon, 1, 2)
    size["delta"] |= {"lower": "0", "upper": "0.000000000000001"}
    size["delta"].pop("exact", None)
    size["verdict"] = document["verdict"] = "exceeds"
    if swapped:
        for key in ("x", "y", "output"):
            size["witness"][key].reverse()
    assert held(tmp_path, document).verdict == "rejected"


@pytest.mark.parametrize("places", [45, 60, 200])
@pytest.mark.parametrize(("side", "verdict"), [(1, "exceeds"), (-1, "within")])
def test_3_a_tie_is_not_moved_beyond_the_digits_compared(
    places: int, side: int, verdict: str, tmp_path: Path
) -> None:
    near = Fraction(4, 5) + side * Fraction(1, 10**places)
    exact = {"lower": "0.799999999999", "upper": "0.800000000001", "exact": str(near)}
    with mp.workdps(places + 20):
        shown = mp.nstr(mp.mpf(near.numerator) / near.denominator, places + 5, min_fixed=-1000)
    ends = {"lower": shown, "upper": shown}
    for interval in (exact, ends):
        document = report("LSHist", n=3)
        size = document["results"][0]
        size["epsilon"] = size["witness"]["loss"] = interval
        size["verdict"] = document["verdict"] = verdict
        assert held(tmp_path, document).verdict == "rejected"


def test_3_a_budget_next_to_the_truth_is_told_from_it(tmp_path: Path) -> None:
    for budget, verdict in (("ln(2)-1e-70", "exceeds"), ("ln(2)+1e-70", "within")):
        document = report("LSHist", n=3, epsilon="ln(2)", budget=budget)
        assert document["verdict"] == verdict
        assert held(tmp_path, document).verdict == "accepted"
        wrong = {"exceeds": "within", "within": "exceeds"}[verdict]
        document["verdict"] = document["results"][0]["verdict"] = wrong
        assert held(tmp_path, document).verdict == "rejected"


# -- line 4: parameters that the mechanism itself refuses

NUMBERS = [
    *("0", "1", "-1", "1/2", "49/100", "51/100", "3/2", "-1/10", "11/10", "7", "4/5", "1/1000"),
    *("ln(1)", "ln(2)", "-exp(-9)", "1-exp(-200)", "sqrt(2)-sqrt(2)", "1000001", "-1000001", "301"),
    *("nan", "inf", "", "x", "1/0", "calibrated", "two", "13", "65", "1001", "5000", "2", "3"),
]


def values_of(parameter: Parameter) -> st.SearchStrategy[Any]:
    numbers = st.sampled_from(NUMBERS)
    if isinstance(parameter, PriorParameter):
        return st.lists(numbers, max_size=3)
    if isinstance(parameter, ChoiceParameter):
        return st.sampled_from([*(name for name, _ in parameter.choices), "other", "", "1"])
    if isinstance(parameter, WholeParameter):
        ends = [parameter.least - 1, parameter.least, parameter.most, parameter.most + 1]
        return numbers | st.sampled_from(list(map(str, ends)))
    return numbers


@st.composite
def given_parameters(draw: st.DrawFn, name: str) -> dict[str, Any]:
    known = MECHANISMS[name].parameters
    chosen = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique_by=id))
    return {parameter.name: draw(values_of(parameter)) for parameter in chosen}


@pytest.mark.parametrize("name", MECHANISMS)
def test_4_what_a_mechanism_refuses_no_report_may_have(name: str, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("reports")
    document = report(name)

    @settings(max_examples=60)
    @given(given_parameters(name))
    def holds(parameters: dict[str, Any]) -> None:
        try:
            MECHANISMS[name].build(
                {key: tuple(v) if isinstance(v, list) else v for key, v in parameters.items()}
            )
        except UsageError:
            changed = {**document, "mechanism": {**document["mechanism"], **parameters}}
            with pytest.raises(NotAReportError):
                held(folder, changed)
        else:
            assume(False)

    holds()


@pytest.mark.parametrize("name", MECHANISMS)
def test_4_what_a_mechanism_takes_a_report_may_have(name: str) -> None:
    from dpaudit.recheck.registry import definition_of

    @settings(max_examples=40)
    @given(given_parameters(name))
    def holds(parameters: dict[str, Any]) -> None:
        try:
            made = MECHANISMS[name].build(
                {key: tuple(v) if isinstance(v, list) else v for key, v in parameters.items()}
            )
        except UsageError:
            assume(False)
        shown = {key: parameter_text(part) for key, part in made.values().items()}
        definition_of({"name": name, **shown})

    holds()


def test_4_two_coins_have_no_negative_probabilities(tmp_path: Path) -> None:
    document = report("RR", n=1, coin="left", truth="51/100")
    document["mechanism"]["truth"] = "49/100"
    with pytest.raises(NotAReportError, match="truth is not above 1/2"):
        held(tmp_path, document)


# -- line 5: values near 0


SMALL = [
    name
    for name, cls in MECHANISMS.items()
    if "epsilon" in [parameter.name for parameter in cls.parameters]
]
"""Those whose loss is small where a parameter is."""


@pytest.mark.parametrize("name", SMALL)
def test_5_small_losses_are_accepted(name: str, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("reports")

    @settings(max_examples=2, derandomize=True)
    @given(st.integers(1, 120), st.integers(1, 99))
    @example(14, 10)
    @example(100, 10)
    def holds(places: int, first: int) -> None:
        epsilon = f"{first}/1{'0' * (places + 1)}"
        budget = {"budget": epsilon} if MECHANISMS[name].build({}).stated is None else {}
        found = held(folder, report(name, epsilon=epsilon, **budget))
        assert not found.disagreements, (epsilon, found.disagreements)
        assert all(DENSITY in one.message for one in found.unconfirmed), found.unconfirmed

    holds()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("TruncatedGeometric", {"n": 5, "epsilon": "ln(2)", "at_eps": ["ln(2)-1e-30"]}),
        ("DiscreteLaplace", {"scale": "1" + 40 * "0"}),
        ("SUE", {"p": f"1/2+1/1{40 * '0'}"}),
        ("PermanentRAPPOR", {"f": f"1-1/1{40 * '0'}"}),
        ("kRR", {"truth": f"1-1/1{40 * '0'}", "budget": "200"}),
        ("kRR", {"epsilon": "1e-20", "notion": "kl", "budget": "1e-3"}),
        ("kRR", {"epsilon": "1e-20", "notion": "renyi", "order": 2, "budget": "1e-3"}),
    ],
)
def test_5_small_differences_are_accepted(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    found = held(tmp_path, report(name, **options))
    assert found.verdict == "accepted", (found.disagreements, found.unconfirmed)


def test_5_a_small_loss_that_is_another_is_rejected(tmp_path: Path) -> None:
    document = report("Geometric", epsilon="1e-60")
    for size in document["results"]:
        wrong = {"lower": "2E-60", "upper": "2.1E-60"}
        size["epsilon"] = size["witness"]["loss"] = wrong
        size["verdict"] = document["verdict"] = "exceeds"
    assert held(tmp_path, document).verdict == "rejected"


# -- line 6: sizes


def test_6_a_report_of_a_large_size_is_read(tmp_path: Path) -> None:
    document = report("Geometric", n=2_000_000, at="0,2000000")
    found = held(tmp_path, document, all_pairs=False)
    assert found.verdict == "accepted", (found.disagreements, found.unconfirmed)
