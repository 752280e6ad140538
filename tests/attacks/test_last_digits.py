"""No digit of a report is believed: claims moved by next to nothing are rejected."""

import copy
import json
import shlex
from collections.abc import Callable
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import pytest

from dpaudit.api.rechecks import own_mechanisms
from dpaudit.cli.main import invoke
from dpaudit.recheck.verify import verify
from dpaudit.results.documents import seal_of
from tests.attacks.report_changes import MOVES, at_place, intervals, moved_interval
from tests.attacks.report_truths import why_true
from tests.attacks.reports import judged, made

Document = dict[str, Any]

pytestmark = pytest.mark.wrong_on_purpose

ACCOUNTS = {
    "closed form": "Gaussian --sigma 10 --compose 10 --budget 1,1/1000",
    "one run": "Laplace --scale 2 --budget 1/4,1/1000",
    "brute force": "RR --n 1 --compose 3 --budget 2,1/1000",
    "ε, closed form": "Gaussian --sigma 10 --compose 10 --at-delta 1/1000",
    "ε, one run": "Laplace --scale 2 --at-delta 1/1000",
    "ε, brute force": "RR --n 1 --compose 3 --at-delta 1/1000",
    "ε where δ is 0": "RR --n 1 --compose 3 --at-delta 0",
    "Laplace runs": "Laplace --scale 10 --compose 20 --budget 1,1/1000",
    "ε, Laplace runs": "Laplace --scale 10 --compose 20 --at-delta 1/1000",
    "two mechanisms": "Laplace --scale 2 --compose 2 --then 'Laplace scale=5' --budget 1,1/1000",
    "sampled once": "Gaussian --sigma 2 --sample-rate 1/10 --budget 1/10,1/1000",
    "ε, sampled once": "Laplace --scale 2 --sample-rate 1/10 --at-delta 1/1000",
    "sampled": "Gaussian --sigma 4 --sample-rate 1/10 --compose 100 --budget 1,1/1000",
}
TINY = ("1e-18", "1e-19", "1e-20", "1e-21", "1e-30")
LONG = ("sampled",)
"""Kinds that take long to recheck: one size is tried of each."""


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Document]:
    """Run a command in this process, and return its report without its seal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dpaudit.cli.isolated.is_contained", lambda: True)

    def run(command: str) -> Document:
        assert invoke([*shlex.split(command), "--format", "json", "--output", "made.json"]) < 4
        document: Document = json.loads(Path("made.json").read_text())
        del document["sha256"]
        return document

    return run


def verdict(document: Document) -> str:
    sealed = {**document, "sha256": seal_of(document)}
    Path("report.json").write_text(json.dumps(sealed, ensure_ascii=False))
    return verify(Path("report.json")).verdict


def beyond(document: Document, by: Decimal) -> Document:
    """An account whose number lies ``by`` beside the true one, on the other side of its budget."""
    changed = copy.deepcopy(document)
    row = changed["rows"][0]
    row.pop("adaptive_upper", None)
    kind = "delta" if isinstance(row["delta"], dict) else "epsilon"
    with localcontext(prec=80):
        low, high = (Decimal(row[kind][end]) for end in ("lower", "upper"))
        ends = (high + by, high + 2 * by) if by > 0 else (low + 2 * by, low + by)
        row[kind] = {"lower": str(ends[0]), "upper": str(ends[1])}
        if "budget" in changed:
            changed["budget"]["delta"] = str((high if by > 0 else low) + by / 2)
            changed["verdict"] = "exceeds" if by > 0 else "within"
    return changed


@pytest.mark.parametrize("kind", ACCOUNTS)
def test_an_account_is_held_to_all_its_digits(kind: str, report: Callable[[str], Document]) -> None:
    document = report(f"account {ACCOUNTS[kind]}")
    assert verdict(document) == "accepted"
    for size in TINY[3:4] if kind in LONG else TINY:
        for by in (Decimal(size), -Decimal(size)):
            assert (by, verdict(beyond(document, by))) == (by, "rejected")


def test_a_closed_form_of_an_account_is_held_to_all_its_digits(
    report: Callable[[str], Document],
) -> None:
    document = report(f"account {ACCOUNTS['one run']}")
    delta = document["rows"][0]["delta"]
    for term in ("1e-25", "1e-38", "exp(-100)"):
        delta["exact"] = f"1 - exp(-1/8) + {term}"
        assert (term, verdict(document)) == (term, "rejected")


def test_a_tiny_delta_of_an_account_is_not_0(report: Callable[[str], Document]) -> None:
    for command in ("Gaussian --sigma 1/4 --at-eps 200", "Gaussian --sigma 1 --at-eps 50"):
        document = report(f"account {command}")
        (row,) = document["rows"]
        assert 0 < Decimal(row["delta"]["upper"]) < Decimal("1e-80")
        row["delta"] = {"lower": "0", "upper": "0"}
        row.pop("adaptive_upper", None)
        assert verdict(document) == "rejected"


def test_a_tiny_delta_of_an_audit_is_not_0(report: Callable[[str], Document]) -> None:
    Path("rare.py").write_text(RARE)
    document = report("check rare.py:Rare --budget 1,1/2")
    size = document["results"][0]
    assert Decimal(size["delta"]["upper"]) == Decimal("1e-100")
    for given in ({"exact": "0"}, {}):
        size["delta"] = {**size["delta"], "lower": "0", "upper": "0", **given}
        size["delta"] = {k: v for k, v in size["delta"].items() if k != "exact" or given}
        path = Path("report.json")
        path.write_text(json.dumps({**document, "sha256": seal_of(document)}))
        for all_pairs in (False, True):
            own = own_mechanisms(("rare.py:Rare",))
            assert verify(path, own, all_pairs=all_pairs).verdict == "rejected"


RARE = """
class Rare:
    budget, datasets, neighbours = "1", [0, 1], "all"

    def law(self, bit):
        rare = "1e-100"
        return {"a": "1/2", "b": f"1/2 - {rare}", "c": rare} if bit else {"a": "1/2", "b": "1/2"}
"""


def test_an_account_without_pairs_is_not_one_of_nothing(report: Callable[[str], Document]) -> None:
    document = report("account EHDS --n 4 --compose 2 --epsilon-grid 0..4/5..2/5")
    nothing = {"lower": "0", "upper": "0", "exact": "0"}
    document |= {"epsilon": nothing, "below": 0}
    for row in document["rows"]:
        row |= {"ratio": None, "below": False}
        row["delta"] = {**nothing, "epsilon": row["delta"]["epsilon"]}
        for name in ("pessimistic", "optimistic", "dominating"):
            if row.get(name):
                off = Decimal(row[name]["estimate"])
                row[name] |= {"standing": "above", "difference": f"{off:+.3e}" if off else "0"}
    assert verdict(document) == "rejected"


# -- over intervals


def lines(**ends: list[str]) -> Document:
    return {"lower": ["0", "0"], **ends}


def test_a_small_delta_over_an_interval_is_not_smaller(report: Callable[[str], Document]) -> None:
    document = report("check Gaussian --sigma 1..1.1 --budget 25/2,1e-30")
    assert verdict(document) == "accepted"
    for most in ("1e-34", "1e-38", "1e-60", "0"):
        document["results"][0]["pieces"][0]["delta"] = lines(upper=[most, most])
        document["budget"]["delta"] = "1e-33" if most == "1e-34" else "1e-37"
        assert (most, verdict(document)) == (most, "rejected")


def test_a_small_delta_of_a_curve_over_an_interval_is_not_smaller(
    report: Callable[[str], Document],
) -> None:
    document = report("curve Gaussian --sigma 1..1.1 --at-eps 25/2")
    assert verdict(document) == "accepted"
    (piece,) = document["results"][0]["bands"][0]["pieces"]
    for most in ("1e-34", "1e-60"):
        piece |= lines(upper=[most, most])
        assert (most, verdict(document)) == (most, "rejected")
    piece |= lines(upper=["0", "0"], zero=True)  # type: ignore[arg-type]
    for key in ("x", "y"):
        piece.pop(key)
    assert verdict(document) == "rejected"


def test_a_small_loss_over_an_interval_is_not_smaller(report: Callable[[str], Document]) -> None:
    document = report("check EHDS --n 3 --eps 1e-33..2e-33")
    size, ends = document["results"][0], {"first": "1E-33", "last": "2E-33"}
    size.pop("reason", None)
    size |= {"stretches": [{**ends, "verdict": "within"}], "verdict": "within"}
    document |= {"kept": [document["epsilon"]], "verdict": "within"}
    for most in ("1e-34", "1e-36", "1e-60"):
        size["pieces"] = [{**ends, **lines(upper=[most, most]), "verdict": "within"}]
        assert (most, verdict(document)) == (most, "rejected")


# -- every interval of every kind of report, every number of an event

MOVED = (
    *("within", "exceeds", "with a delta", "own", "renyi", "gdp", "account", "calibration"),
    *("certified", "certified by brute force"),
)


@pytest.mark.parametrize("kind", MOVED)
def test_an_interval_that_is_moved_is_rejected_or_still_true(kind: str) -> None:
    document = made(kind)
    checked = 0
    for place in intervals(document):
        for by in (MOVES[0], MOVES[3], MOVES[4]):
            changed = copy.deepcopy(document)
            at_place(changed, place[:-1])[place[-1]] = moved_interval(at_place(changed, place), by)
            changed["sha256"] = seal_of({k: v for k, v in changed.items() if k != "sha256"})
            became, taken = judged(json.dumps(changed, ensure_ascii=False).encode())
            checked += 1
            if became == "accepted":
                assert why_true(document, made(kind, 30), changed, place, taken), (place, by)
    assert checked


@pytest.mark.parametrize("kind", ["tradeoff", "curve", "tradeoffs"])
def test_a_number_of_outputs_is_rechecked_or_not_counted_as_rechecked(
    kind: str, tmp_path: Path
) -> None:
    document = copy.deepcopy(made(kind))
    del document["sha256"]
    events = [
        vertex
        for one in document.get("reports", [document])
        for size in one.get("results") or one["curves"]
        for side in ("upper", "lower")
        for vertex in size[side]
        if vertex.get("outputs")
    ]
    assert events
    for vertex in events:
        before, vertex["outputs"] = vertex["outputs"], 1_000_000
        path = tmp_path / "report.json"
        path.write_text(json.dumps({**document, "sha256": seal_of(document)}))
        assert verify(path).verdict == "rejected"
        vertex["outputs"] = before


def test_outputs_without_end_are_taken_on_trust_and_not_counted(
    report: Callable[[str], Document],
) -> None:
    document = report("tradeoff Geometric --n 3")
    Path("report.json").write_text(json.dumps({**document, "sha256": seal_of(document)}))
    found = verify(Path("report.json"))
    assert found.verdict == "accepted"
    assert "outputs of events" not in found.rechecked
    assert any("how many outputs" in one for one in found.taken)
