"""Reports of hunts and of accuracy: true ones are accepted, changed ones are not."""

import copy
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import dpaudit
from dpaudit.api.rechecks import own_mechanisms
from dpaudit.recheck.binding import Requirements
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of
from tests.made_once import made_once

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose


def rechecked(
    folder: Path, document: Document, budget: str | None = None, own: tuple[str, ...] = ()
) -> Any:
    """Recheck a document that is sealed anew."""
    path = folder / "report.json"
    document["sha256"] = seal_of(document)
    path.write_text(json.dumps(document))
    return verify(path, own_mechanisms(own), requirements=Requirements(budget))


def write(made: dict[str, Callable[[], Any]], folder: Path) -> None:
    for name, make in made.items():
        (folder / name).write_text(make().to_json())


def reports_of(names: Iterable[str], folder: Path) -> dict[str, Document]:
    return {name: json.loads((folder / name).read_text()) for name in names}


HUNTS: dict[str, Callable[[], Any]] = {
    "exceeds": lambda: dpaudit.hunt(
        "EHD", {"prior": "1/20..1", "n": "2..8"}, eps="0.8", evaluations=40
    ),
    "keeps": lambda: dpaudit.hunt("EHDS", {"k": "2..3", "gamma": "1..3..1/2", "n": "2,3"}),
    "delta": lambda: dpaudit.hunt("MH", {"n": "2..6", "divisor": "1,2"}, evaluations=40),
    "part of a prior": lambda: dpaudit.hunt(
        "EHDS", {"prior.1": "1/10..1", "n": "2,3"}, prior="1,2", evaluations=10
    ),
}


@pytest.fixture(scope="module")
def hunts(kept: Path) -> dict[str, Document]:
    return reports_of(HUNTS, made_once(kept, "hunts", lambda folder: write(HUNTS, folder)))


@pytest.mark.parametrize("name", HUNTS)
def test_a_true_hunt_is_accepted(name: str, hunts: dict[str, Document], tmp_path: Path) -> None:
    answer = rechecked(tmp_path, copy.deepcopy(hunts[name]))
    assert (answer.verdict, answer.disagreements) == ("accepted", [])
    assert "points in the space" in answer.rechecked
    assert any("no other point of the search is worse" in one for one in answer.taken)


def _set(*place: Any, to: Any) -> Callable[[Document], None]:
    def change(document: Any) -> None:
        for key in place[:-1]:
            document = document[key]
        document[place[-1]] = to

    return change


LIES: dict[str, Callable[[Document], None]] = {
    "a verdict": _set("verdict", to="none-found"),
    "a point outside": _set("searched", 0, "values", to="1/2..1"),
    "a point off the grid": _set("searched", 1, "values", to="2..100..49"),
    "another point": _set("worst", "parameters", "prior", to="1/19"),
    "another size": _set("worst", "parameters", "n", to="6"),
    "another parameter": _set("fixed", to={"epsilon": "1"}),
    "a ratio": _set("worst", "ratio", to={"lower": "1", "upper": "1.1"}),
    "another mechanism": _set("mechanism", to="EHDS"),
    "another budget": _set("budget", to={"epsilon": "1/10", "delta": "0"}),
    "a measure": _set("measure", to="delta"),
    "counts": _set("certified", to=10**6),
    "a loss": _set("worst", "audit", "results", 0, "epsilon", to={"lower": "9", "upper": "9"}),
    "a point left out that was not searched": _set(
        "unevaluated", to=[{"parameters": {"n": "3"}, "reason": ""}]
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_changed_hunt_is_contradicted(
    lie: str, hunts: dict[str, Document], tmp_path: Path
) -> None:
    document = copy.deepcopy(hunts["exceeds"])
    assert document["verdict"] == "exceeds"
    LIES[lie](document)
    assert rechecked(tmp_path, document).verdict == "rejected"


def test_points_that_are_left_open_leave_a_hunt_undecided(
    hunts: dict[str, Document], tmp_path: Path
) -> None:
    document = copy.deepcopy(hunts["keeps"])
    assert document["verdict"] == "none-found"
    document["uncertified"] = document["unsettled"] = 1
    assert rechecked(tmp_path, document).verdict == "rejected"
    document["verdict"] = "undecided"
    assert rechecked(tmp_path, document).verdict == "accepted"


MAKER = """
from fractions import Fraction

from dpaudit import finite_mechanism


def make(i: int, budget: str = "1"):
    @finite_mechanism(budget=budget, datasets=[0, 1])
    def flip(bit):
        p = Fraction(1, 2) + Fraction(i, 200)
        return {bit: p, 1 - bit: 1 - p}

    return flip
"""


def test_a_function_that_makes_mechanisms_says_with_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports named the mechanism that was made, and not what it was made with."""
    monkeypatch.chdir(tmp_path)
    Path("maker.py").write_text(MAKER)
    own = ("maker.py:make",)
    audit = json.loads(dpaudit.check("maker.py:make", i=37).to_json())
    assert audit["mechanism"] == {"name": "flip", "i": "37"}
    assert rechecked(tmp_path, audit, own=own).verdict == "accepted"
    audit["mechanism"]["i"] = "36"
    assert rechecked(tmp_path, audit, own=own).verdict == "rejected"
    hunt = json.loads(dpaudit.hunt("maker.py:make", {"i": "1..40..1"}, n=1).to_json())
    answer = rechecked(tmp_path, hunt, own=own)
    assert (answer.verdict, answer.unconfirmed) == ("accepted", [])
    hunt["worst"]["parameters"]["i"] = "12"
    assert rechecked(tmp_path, hunt, own=own).verdict == "rejected"


ERRORS: dict[str, Callable[[], Any]] = {
    "by distance": lambda: dpaudit.compare_accuracy(
        ["EHDS", "LSDim", "LSZhang"], (3, 2), tail=["1/5"], law="distance"
    ),
    "by steps": lambda: dpaudit.compare_accuracy(
        ["EHDS", "NotesLaplace", "LSDim"], (3, 2), law="steps", equal=["nominal"]
    ),
    "l1": lambda: dpaudit.compare_accuracy(
        ["EHDL", "LSDim"], (2, 1, 1), k=3, tail=["1"], metric="l1", law="distance"
    ),
}


@pytest.fixture(scope="module")
def errors(kept: Path) -> dict[str, Document]:
    return reports_of(ERRORS, made_once(kept, "errors", lambda folder: write(ERRORS, folder)))


@pytest.mark.parametrize("name", ERRORS)
def test_true_errors_are_accepted(name: str, errors: dict[str, Document], tmp_path: Path) -> None:
    answer = rechecked(tmp_path, copy.deepcopy(errors[name]))
    assert (answer.verdict, answer.disagreements, answer.unconfirmed) == ("accepted", [], [])


WRONG = {"lower": "0.123456789123", "upper": "0.123456789124"}
ONE = "reports", 0
"""The report of the first mechanism."""
FALSE: dict[str, Callable[[Document], None]] = {
    "a mean": _set(*ONE, "results", 0, "mean", to=WRONG),
    "a variance": _set(*ONE, "results", 0, "variance", to=WRONG),
    "a quantile": _set(*ONE, "results", 0, "quantiles", 2, "lower", to="0"),
    "a tail": _set(*ONE, "results", 0, "tails", 0, "upper", to="0"),
    "a probability": _set(*ONE, "results", 0, "law", 1, "probability", to=WRONG),
    "an error": _set(*ONE, "results", 0, "law", 1, "error", to=WRONG),
    "steps": _set(*ONE, "results", 0, "law", 1, "steps", to=[7]),
    "a count of outputs": _set(*ONE, "results", 0, "law", 1, "outputs", to=7),
    "an error left out": lambda document: document["reports"][0]["results"][0]["law"].pop(),
    "a realised ε": _set(*ONE, "results", 0, "realised", to=WRONG),
    "a nominal ε": _set(*ONE, "results", 0, "nominal", to="1"),
    "a nominal ε that is tuned": _set("reports", 3, "results", 0, "nominal", to="1"),
    "a target": _set("reports", 3, "target", to="3/4"),
    "a target that is not reached": _set("reports", 3, "target", to="5/6"),
    "whether it is decided": _set(*ONE, "decided", to=False),
    "the data": _set(*ONE, "at", to="2,3"),
    "the dataset": _set(*ONE, "results", 0, "dataset", to=[2, 3]),
    "the size": _set(*ONE, "results", 0, "n", to=6),
    "the sizes": _set(*ONE, "sizes", to=[5, 6]),
    "the relation": _set(*ONE, "adjacency", to="histogram-add-remove"),
    "what is stated": _set(*ONE, "stated", to={"epsilon": "1/1000000", "delta": "0"}),
}
MEANINGLESS: dict[str, Callable[[Document], None]] = {
    "a level above 1": _set(*ONE, "results", 0, "quantiles", 2, "level", to="39/20"),
    "a level below 0": _set(*ONE, "results", 0, "quantiles", 2, "level", to="-1"),
    "another comparison": _set(*ONE, "equal", to="certified realised"),
    "no relation": _set(*ONE, "adjacency", to="zzz"),
}


@pytest.mark.parametrize("lie", MEANINGLESS)
def test_errors_that_mean_nothing_are_refused(
    lie: str, errors: dict[str, Document], tmp_path: Path
) -> None:
    document = copy.deepcopy(errors["by distance"])
    MEANINGLESS[lie](document)
    with pytest.raises(NotAReportError):
        rechecked(tmp_path, document)


@pytest.mark.parametrize("lie", FALSE)
def test_changed_errors_are_contradicted(
    lie: str, errors: dict[str, Document], tmp_path: Path
) -> None:
    document = copy.deepcopy(errors["by distance"])
    FALSE[lie](document)
    assert rechecked(tmp_path, document).verdict == "rejected"


def test_what_has_no_second_definition_is_unconfirmed(tmp_path: Path) -> None:
    found = dpaudit.compare_accuracy("NotesLaplace", (2, 4), metric="l1", equal=["nominal"])
    answer = rechecked(tmp_path, json.loads(found.to_json()))
    assert answer.verdict == "unconfirmed"
    assert "reading printed of counts outside [0, n]" in answer.unconfirmed[0].message


def test_sizes_and_budgets_that_are_meant_are_refused_where_there_are_none(
    errors: dict[str, Document], tmp_path: Path
) -> None:
    with pytest.raises(NotAReportError, match="this one has none"):
        rechecked(tmp_path, copy.deepcopy(errors["l1"]), budget="1")


def test_outputs_of_equal_l1_error_are_counted_by_their_own_steps() -> None:
    (found,) = dpaudit.compare_accuracy(
        "LSDim", (2, 1, 1), k=3, metric="l1", law="distance", equal=["nominal"]
    ).results
    by_error = {int(group.error.lower): group.steps for group in found.law}
    assert by_error[4] == (2, 3)
