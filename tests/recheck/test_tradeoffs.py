"""``dpaudit verify`` on trade-off functions and, over all pairs, on privacy curves."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpaudit import curve
from dpaudit.cli.main import invoke
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Document]:
    """Run ``dpaudit tradeoff`` and return its report."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Document:
        assert invoke(["tradeoff", *arguments, "--format", "json", "--output", "made.json"]) == 0
        document: Document = json.loads(Path("made.json").read_text())
        return document

    return run


def verdict(document: Document, *, all_pairs: bool = False) -> str:
    path = Path("report.json")
    sealed = {**document, "sha256": seal_of(document)}
    path.write_text(json.dumps(sealed, ensure_ascii=False))
    return verify(path, all_pairs=all_pairs).verdict


@pytest.mark.parametrize(
    "arguments",
    [
        "EHDS --n 3..5 --at-type-one 0,1/3,1/2,1",
        "MH --n 5",
        "LSZhang --n 4",
        "NotesLaplace --n 3",
        "EHDS --n 4 --adjacency histogram-add-remove",
        "EHDS --n 6 --at 2,4",
        "kRR --n 1",
        "PermuteAndFlip --n 2",
        "EHDS LSDim --n 4",
    ],
)
def test_true_reports_are_accepted_in_full(made: Callable[..., Document], arguments: str) -> None:
    document = made(*arguments.split())
    assert verdict(document) == "accepted"
    assert verdict(document, all_pairs=True) == "accepted"


def first(document: Document) -> Document:
    found: Document = document["results"][0]
    return found


def other_fit(document: Document) -> None:
    for end in ("lower", "upper"):
        first(document)["mu"][end] = f"{float(first(document)['mu'][end]) / 2:.12f}"


def wide_fit(document: Document) -> None:
    first(document)["mu"]["lower"] = "0"


def other_value(document: Document) -> None:
    first(document)["values"][1] |= {"lower": "0.9", "upper": "0.9"}


def wide_value(document: Document) -> None:
    first(document)["values"][1]["lower"] = "0"


def other_type_one(document: Document) -> None:
    first(document)["values"][1]["type_one"] = "1/19"


def moved_event(document: Document) -> None:
    vertex = first(document)["lower"][2]
    vertex["p"] = str(int(vertex["p"]) * 999 // 1000)


def event_elsewhere(document: Document) -> None:
    vertex = first(document)["lower"][1]
    vertex["x"], vertex["y"] = vertex["y"], vertex["x"]


def not_whole(document: Document) -> None:
    first(document)["upper"] = first(document)["upper"][:2]


def no_pair(document: Document) -> None:
    first(document)["x"] = first(document)["y"]


def missing_pair(document: Document) -> None:
    first(document)["pairs"] -= 1


def other_epsilon(document: Document) -> None:
    document["mechanism"]["epsilon"] = "17/19"


def other_stated(document: Document) -> None:
    document["stated"]["epsilon"] = "17/19"


CHANGES: list[Callable[[Document], None]] = [
    other_fit,
    wide_fit,
    other_value,
    wide_value,
    other_type_one,
    moved_event,
    event_elsewhere,
    not_whole,
    no_pair,
    missing_pair,
    other_epsilon,
    other_stated,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_is_changed_is_noticed(
    made: Callable[..., Document], change: Callable[[Document], None]
) -> None:
    document = made("EHDS", "--n", "4")
    changed = copy.deepcopy(document)
    change(changed)
    assert changed != document
    assert verdict(changed) == "rejected"


def test_what_other_pairs_need_is_noticed_over_all_pairs(made: Callable[..., Document]) -> None:
    """The functions of some pairs alone, said to be those of all."""
    document = made("EHDS", "--n", "8", "--at", "0,8")
    document["at"] = None
    first(document)["pairs"] = 8
    assert verdict(document) == "accepted"
    assert verdict(document, all_pairs=True) == "rejected"


def test_what_other_pairs_need_of_a_curve_is_noticed_over_all_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    document = json.loads(curve("EHDS", n=8, at="0,8").to_json())
    assert verdict(document, all_pairs=True) == "accepted"
    document["at"] = None
    document["curves"][0]["pairs"] = 8
    assert verdict(document) == "accepted"
    assert verdict(document, all_pairs=True) == "rejected"
