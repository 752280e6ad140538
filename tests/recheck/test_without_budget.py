"""``dpaudit verify`` on audits and curves that are held to no budget, and on changed ones."""

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.results.documents import seal_of
from tests.recheck.sealing import Document

pytestmark = pytest.mark.wrong_on_purpose

SOURCE = """
from dpaudit import finite_mechanism

DATA = {"datasets": ["no", "yes"], "neighbours": "all"}

def answered(answer):
    return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}

silent = finite_mechanism(name="silent", **DATA)(answered)
stated = finite_mechanism(name="stated", budget=1, **DATA)(answered)
"""
OWN = ("own.py:silent", "own.py:stated")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(SOURCE)


def report(name: str, ask: Callable[..., dpaudit.Check | dpaudit.Curves] | None = None) -> Document:
    found: Document = json.loads((ask or dpaudit.check)(name).rendered("json"))
    return found


def rechecked(document: Document, budget: str | None = None) -> tuple[str, set[str]]:
    """Return the verdict on a document that is sealed anew, and what is contradicted."""
    Path("report.json").write_text(json.dumps({**document, "sha256": seal_of(document)}))
    found = dpaudit.verify("report.json", OWN, all_pairs=True, budget=budget).report
    return found.verdict, {one.message for one in found.disagreements}


def changed(document: Document, path: str, value: object) -> Document:
    """Return a document with another value at a dotted path; ``None`` is null."""
    document = copy.deepcopy(document)
    at: object = document
    *way, last = (int(part) if part.isdecimal() else part for part in path.split("."))
    for part in way:
        at = at[part]  # type: ignore[index]
    at[last] = value  # type: ignore[index]
    return document


@pytest.mark.parametrize("ask", [dpaudit.check, dpaudit.curve])
def test_what_is_held_to_nothing_is_computed_again(
    ask: Callable[..., dpaudit.Check | dpaudit.Curves],
) -> None:
    document = report("own.py:silent", ask)
    assert document["budget"] is None
    assert rechecked(document) == ("accepted", set())


NUMBERS = {
    "epsilon.lower": "1.2",
    "epsilon.upper": "1.098612288668109",
    "epsilon.exact": "ln(2)",
    "curve.0.lower": "0.34",
    "curve.0.upper": "0.33",
    "curve.1.exact": "1/2",
    "curve.2.lower": "0.1",
    "witness.output": "yes",
    "witness.loss.exact": "ln(4)",
    "pairs_covered": 0,
    "datasets": 3,
    "outputs": 5,
}


@pytest.mark.parametrize("path", NUMBERS)
def test_a_changed_number_is_rejected(path: str) -> None:
    document = changed(report("own.py:silent"), f"results.0.{path}", NUMBERS[path])
    assert rechecked(document)[0] == "rejected"


def test_a_changed_delta_of_a_curve_is_rejected() -> None:
    document = report("own.py:silent", dpaudit.curve)
    assert rechecked(changed(document, "curves.0.values.0.upper", "0.33"))[0] == "rejected"


def without_budget(document: Document) -> Document:
    """Return a document without its budget, its verdicts and the δ at the budget's ε."""
    for path in ("budget", "verdict", "results.0.verdict", "results.0.delta"):
        document = changed(document, path, None)
    return document


def test_a_budget_is_not_removed_from_what_states_one() -> None:
    document = without_budget(report("own.py:stated"))
    verdict, messages = rechecked(document)
    assert verdict == "rejected"
    assert messages == {"the mechanism states a budget, but the report compares it with none"}
    curve = changed(report("own.py:stated", dpaudit.curve), "budget", None)
    assert rechecked(curve)[0] == "rejected"


def test_nothing_stated_is_what_the_source_states() -> None:
    document = changed(without_budget(report("own.py:stated")), "stated", None)
    verdict, messages = rechecked(document)
    assert verdict == "rejected"
    assert messages == {"the source states another"}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("budget", "it has a verdict, but no budget"),
        ("verdict", "the sizes make it exceeds, not none"),
        ("results.0.verdict", "the interval and the budget make it exceeds, not none"),
        ("results.0.delta", "no δ is given at the ε of the budget"),
    ],
)
def test_budget_verdict_and_delta_go_together(path: str, message: str) -> None:
    verdict, messages = rechecked(changed(report("own.py:stated"), path, None))
    assert verdict == "rejected"
    assert message in messages


MADE_UP = {
    "verdict": ("within", "it has a verdict, but no budget"),
    "results.0.verdict": ("within", "it has a verdict, but no budget"),
    "results.0.excess": ("granularity", "it has a verdict, but no budget"),
    "results.0.reason": ("why", "it must give a reason if ε has no interval, and only then"),
    "results.0.delta": (
        {"lower": "0", "upper": "0", "exact": "0", "epsilon": "2"},
        "it has δ at the ε of a budget, but no budget",
    ),
    "budget": ({"epsilon": "2", "delta": "0"}, "no δ is given at the ε of the budget"),
}


@pytest.mark.parametrize("path", MADE_UP)
def test_no_verdict_is_made_up_without_a_budget(path: str) -> None:
    value, message = MADE_UP[path]
    verdict, messages = rechecked(changed(report("own.py:silent"), path, value))
    assert verdict == "rejected"
    assert message in messages


def test_pairs_that_were_not_covered_leave_everything_open() -> None:
    some = changed(report("own.py:silent"), "results.0.pairs_covered", 0)
    some = changed(some, "results.0.reason", "it was stopped")
    some = changed(some, "results.0.at_delta", [])
    assert rechecked(some)[0] == "rejected"
    some = changed(some, "results.0.epsilon", {"lower": "1.0", "upper": "inf"})
    for place in range(3):
        point = some["results"][0]["curve"][place]
        left = {"lower": point["lower"], "upper": "1", "epsilon": point["epsilon"]}
        some = changed(some, f"results.0.curve.{place}", left | {"x": "yes", "y": "no"})
    assert rechecked(some) == ("accepted", set())


def test_the_budget_that_is_meant_is_not_there() -> None:
    with pytest.raises(UsageError, match="this one has none"):
        rechecked(report("own.py:silent"), budget="1")


def test_several_have_a_verdict_only_where_each_has_one() -> None:
    command = ["check", *OWN, "--no-plot", "--format", "json", "--output", "both.json"]
    assert invoke(command) == 1
    document: Document = json.loads(Path("both.json").read_text())
    assert document.get("verdict") is None
    assert [part["verdict"] for part in document["reports"]] == [None, "exceeds"]
    assert rechecked(document) == ("accepted", set())
    with pytest.raises(UsageError, match="must have a verdict if its reports have one"):
        rechecked({**document, "verdict": "exceeds"})
