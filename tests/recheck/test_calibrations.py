"""``dpaudit verify`` on calibrations: true ones are accepted, no others."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpaudit.cli.main import invoke
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Document]:
    """Run ``dpaudit calibrate`` and return its report."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Document:
        assert invoke(["calibrate", *arguments, "--format", "json", "--output", "made.json"]) == 0
        document: Document = json.loads(Path("made.json").read_text())
        return document

    return run


def recheck(document: Document, *, all_pairs: bool = False) -> Any:
    path = Path("report.json")
    sealed = {**document, "sha256": seal_of(document)}
    path.write_text(json.dumps(sealed, ensure_ascii=False))
    return verify(path, all_pairs=all_pairs)


@pytest.mark.parametrize(
    "arguments",
    [
        "EHDS --n 5,7",
        "MH --n 5 --tolerance 1e-3",
        "LSZhang LSDim --n 3",
        "LSDim --n 4 --k 3",
        "LSZhang --n 3 --coordinates all",
        "EHDL --n 5 --budget 1/2",
        "EHDS --n 6 --at 2,4",
        "NotesLaplace --n 3",
        "RR --n 1",
        "Geometric --n 3",
        "PermuteAndFlip --n 2",
        "AboveThreshold --n 2",
    ],
)
def test_true_reports_are_accepted_in_full(made: Callable[..., Document], arguments: str) -> None:
    document = made(*arguments.split())
    found = recheck(document, all_pairs=True)
    assert not found.disagreements
    assert found.verdict == "accepted"
    parts = document.get("reports", [document])
    errors = sum(size["error"] is not None for part in parts for size in part["results"])
    assert found.rechecked.get("mean errors", 0) == 3 * errors
    assert found.rechecked["gains"] == sum(len(part["results"]) for part in parts)


def first(document: Document) -> Document:
    found: Document = document["results"][0]
    return found


def interval(lower: str, upper: str | None = None) -> Document:
    return {"lower": lower, "upper": upper or lower}


def larger_nominal(document: Document) -> None:
    first(document)["nominal"] = first(document)["failing"]


def far_failing(document: Document) -> None:
    first(document)["failing"] = "9"


def no_failing(document: Document) -> None:
    first(document)["failing"] = None


def larger_gain(document: Document) -> None:
    first(document)["gain"] = interval("3.5")


def wide_gain(document: Document) -> None:
    first(document)["gain"] = interval("1", "9")


def smaller_error(document: Document) -> None:
    first(document)["error"]["after"] = interval("0.01")


def better_ratio(document: Document) -> None:
    first(document)["error"]["ratio"] = interval("0.5")


def wide_ratio(document: Document) -> None:
    first(document)["error"]["ratio"] = interval("0", "1")


def error_elsewhere(document: Document) -> None:
    first(document)["error"]["dataset"] = [0, 5]


def no_error(document: Document) -> None:
    first(document)["error"] = None


def other_before(document: Document) -> None:
    first(document)["before"] = first(document)["realised"]


def other_audit(document: Document) -> None:
    first(document)["realised"] = first(document)["before"]


def failing_within(document: Document) -> None:
    first(document)["exceeded"]["verdict"] = "within"


def no_audit(document: Document) -> None:
    first(document)["exceeded"] = None


def uncovered(document: Document) -> None:
    first(document)["realised"]["pairs_covered"] -= 1


def other_verdict(document: Document) -> None:
    document["verdict"] = "exceeds"


def other_tolerance(document: Document) -> None:
    document["tolerance"] = "1e-25"


def other_budget(document: Document) -> None:
    document["budget"]["epsilon"] = "5/6"


def other_nominal(document: Document) -> None:
    document["mechanism"]["epsilon"] = "5/6"


def size_twice(document: Document) -> None:
    document["missing"] = [first(document)["n"]]


CHANGES: list[Callable[[Document], None]] = [
    larger_nominal,
    far_failing,
    no_failing,
    larger_gain,
    wide_gain,
    smaller_error,
    better_ratio,
    wide_ratio,
    error_elsewhere,
    no_error,
    other_before,
    other_audit,
    failing_within,
    no_audit,
    uncovered,
    other_verdict,
    other_tolerance,
    other_budget,
    other_nominal,
    size_twice,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", ["EHDS", "MH", "LSDim"])
def test_what_is_changed_is_noticed(
    made: Callable[..., Document], change: Callable[[Document], None], name: str
) -> None:
    document = made(name, "--n", "5", "--tolerance", "1e-3")
    changed = copy.deepcopy(document)
    change(changed)
    assert changed != document
    assert recheck(changed).verdict == "rejected"


def test_sizes_without_a_safe_nominal_are_not_confirmed(made: Callable[..., Document]) -> None:
    document = made("EHDS", "--n", "5")
    reason = "every nominal ε tried from 1 down to 1e-6 exceeds the budget"
    document["uncalibrated"] = [{"n": 6, "verdict": "exceeds", "reason": reason}]
    document["verdict"] = "exceeds"
    document["sizes"] = [5, 6]
    assert recheck(document).verdict == "unconfirmed"
