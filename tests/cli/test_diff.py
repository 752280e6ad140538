"""``dpaudit diff``: reports that the commands have written are compared."""

import json
import random
import shlex
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.numbers.real import real
from dpaudit.report.changes import apart
from dpaudit.results import Enclosure
from dpaudit.results.documents import decode, documents, seal_of
from tests.cli.test_terminal import DRAWN

MECHANISM = """
from fractions import Fraction

from dpaudit import finite_mechanism


@finite_mechanism(budget="ln(3)", datasets=["yes", "no"], neighbours="all")
def answer(truth):
    lie = "no" if truth == "yes" else "yes"
    return {truth: Fraction(LAW), lie: 1 - Fraction(LAW)}
"""

Diff = Callable[[str, str], dict[str, Any]]


@pytest.fixture
def diff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Diff:
    """Write the reports of two command lines, and return what is told of both."""
    monkeypatch.chdir(tmp_path)

    def told(old: str, new: str) -> dict[str, Any]:
        for name, command in (("old.json", old), ("new.json", new)):
            law, _, words = command.rpartition("|")
            if law:
                Path("own.py").write_text(MECHANISM.replace("LAW", repr(law)))
                monkeypatch.delitem(__import__("sys").modules, "own", raising=False)
            assert invoke([*shlex.split(words), "--format", "json", "--output", name]) in (0, 1, 3)
        capfd.readouterr()
        code = invoke(["diff", "old.json", "new.json", "--format", "json"])
        shown = capfd.readouterr()
        assert shown.err == ""
        document: dict[str, Any] = json.loads(shown.out)
        assert code == (1 if document["verdict"] == "worse" else 0)
        assert document["sha256"] == seal_of(document)
        kind = documents()["dpaudit.diff/1"]
        assert decode(shown.out.encode(), kind, real).changes is not None
        assert dpaudit.diff("old.json", "new.json").to_json() == shown.out
        return document

    return told


def changes(document: dict[str, Any], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(one.get(name, "") for name in names) for one in document["changes"]]


SAME = [
    "check EHDS LSHist --n 3,4 --no-plot --at-eps 1/2",
    "check EHDS --n 3 --no-plot --notion zcdp --budget 1",
    "curve EHDS --n 3 --no-plot",
    "tradeoff EHDS --n 3 --no-plot",
    "calibrate LSHist --n 5 --no-plot",
    "accuracy EHDS EHD --at 3,4 --no-plot",
    "check EHDS --eps 1/2..1 --n 3 --no-plot",
    "account RR --n 1 --at-delta 1e-6 --compose 4",
    "account gaussian --sigma 2 --compose 4 --at-delta 1e-6 --at-eps 1",
    "gate",
    "sample drawn.py:drawn --draws 2000 --no-plot",
]


@pytest.mark.parametrize("command", SAME)
def test_a_report_is_no_worse_than_itself(command: str, diff: Diff) -> None:
    Path("drawn.py").write_text(DRAWN)
    Path("dpaudit.toml").write_text('[[mechanism]]\nmechanism = "RR"\nn = 1\n')
    document = diff(command, command)
    assert document["verdict"] == "no worse"
    assert document["changes"] == []
    assert document["agreeing"] + document["kept"] > 0


@pytest.mark.parametrize(
    ("old", "new", "standing", "code"),
    [
        ("0.74", "0.76", "worse", 1),
        ("0.76", "0.74", "better", 0),
        ("0.75", "0.7500001", "worse", 1),
    ],
)
def test_a_verdict_that_flips_and_its_numbers(
    old: str, new: str, standing: str, code: int, diff: Diff
) -> None:
    command = "check own.py:answer --no-plot"
    document = diff(f"{old}|{command}", f"{new}|{command}")
    found = changes(document, "change", "where", "what", "standing")
    assert ("flipped", "all pairs", "verdict", standing) in found
    assert ("moved", "all pairs", "ε", "") in found
    assert document["sources"] == ["own.py:answer"]
    assert invoke(["diff", "old.json", "new.json"]) == code
    flipped = [one for one in found if one[0] == "flipped"]
    assert len(flipped) == 1  # the verdict on the only size is not told twice


def test_a_size_that_is_missing_is_worse_and_one_that_is_new_is_not(diff: Diff) -> None:
    command = "check EHDS --no-plot --n"
    lost = diff(f"{command} 3,4", f"{command} 4,5")
    assert changes(lost, "change", "where", "standing") == [
        ("only in old", "n = 3", "worse"),
        ("only in new", "n = 5", ""),
    ]
    assert diff(f"{command} 4", f"{command} 4,5")["verdict"] == "no worse"


def test_a_mechanism_that_is_missing_is_worse(diff: Diff) -> None:
    both, one = "check EHDS LSHist --n 3 --no-plot", "check EHDS --n 3 --no-plot"
    document = diff(both, one)
    assert changes(document, "change", "standing") == [("only in old", "worse")]
    assert changes(document, "mechanism")[0][0].startswith("LSHist (")
    assert diff(one, both)["verdict"] == "no worse"


def test_another_budget_is_another_question(diff: Diff) -> None:
    """A relaxed budget keeps its verdict, and what was checked no longer is."""
    document = diff(
        "check EHDS --n 3 --no-plot --budget 4/5", "check EHDS --n 3 --no-plot --budget 9"
    )
    assert ("asked otherwise", "budget", "ε = 4/5", "ε = 9", "worse") in changes(
        document, "change", "what", "old", "new", "standing"
    )
    assert document["verdict"] == "worse"


COUNTED = """
from dpaudit import finite_mechanism


@finite_mechanism(budget="BUDGET", datasets=range(PEOPLE), neighbours="all")
def answer(person):
    return {"yes": "1/2", "no": "1/2"}
"""


@pytest.mark.parametrize("command", ["check", "curve", "tradeoff", "check --notion kl --budget 1"])
def test_fewer_pairs_are_worse_though_no_number_moves(
    command: str, diff: Diff, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Datasets are left out of a mechanism: it is certainly private on those that are left."""
    for name, people in (("many", 4), ("few", 3)):
        Path(f"{name}.py").write_text(
            COUNTED.replace("PEOPLE", str(people)).replace("BUDGET", "1/2")
        )

    def counted(old: str, new: str) -> list[tuple[Any, ...]]:
        line = "{} {}.py:answer --no-plot"
        word, _, rest = command.partition(" ")
        document = diff(*(f"{line.format(word, one)} {rest}" for one in (old, new)))
        assert document["verdict"] == ("worse" if old == "many" else "no worse")
        return changes(document, "change", "what", "old", "new", "standing")

    assert counted("many", "few") == [("moved", "pairs covered", "6", "3", "worse")]
    assert counted("few", "many") == [("moved", "pairs covered", "3", "6", "")]
    assert counted("few", "few") == []


def test_a_larger_stated_budget_is_another_question(diff: Diff) -> None:
    """Both are held to the same budget: what the mechanism states of itself was relaxed."""
    for name, budget in (("strict", "1/2"), ("lax", "5")):
        Path(f"{name}.py").write_text(COUNTED.replace("PEOPLE", "2").replace("BUDGET", budget))
    line = "check {}.py:answer --no-plot"

    def asked(extra: str) -> list[tuple[Any, ...]]:
        document = diff(*(f"{line.format(one)}{extra}" for one in ("strict", "lax")))
        assert document["verdict"] == "worse"
        told = changes(document, "change", "what", "old", "new", "standing")
        return [one for one in told if one[0] == "asked otherwise"]

    stated = ("ε = 1/2", "ε = 5", "worse")
    assert asked(" --budget 1/2") == [("asked otherwise", "stated budget", *stated)]
    assert asked("") == [("asked otherwise", "budget", *stated)]


def test_the_text_says_that_intervals_overlap(
    diff: Diff, capfd: pytest.CaptureFixture[str]
) -> None:
    diff("check EHDS --n 3 --no-plot", "check EHDS --n 3 --no-plot")
    assert invoke(["diff", "old.json", "new.json"]) == 0
    assert "intervals overlap" in " ".join(capfd.readouterr().out.split())


def test_other_digits_are_no_change(diff: Diff) -> None:
    document = diff("check EHDS --n 3 --no-plot --digits 4", "check EHDS --n 3 --no-plot")
    assert document["changes"] == []


GATE = """
[[mechanism]]
mechanism = "own.py:answer"
n = 1
"""


def test_entries_of_a_gate_are_matched_by_title(diff: Diff) -> None:
    Path("dpaudit.toml").write_text(GATE + 'label = "a"\n' + GATE + 'label = "b"\nbudget = 2\n')
    document = diff("0.75|gate", "0.8|gate")
    flipped = [one for one in document["changes"] if one["change"] == "flipped"]
    assert [(one["mechanism"], one.get("where", "")) for one in flipped] == [
        ("a", "all pairs"),
        ("the gate", ""),
    ]
    moved = {one["mechanism"] for one in document["changes"] if one["change"] == "moved"}
    assert moved == {"a", "b"}


def test_an_entry_that_is_gone_or_relaxed_is_worse(
    diff: Diff, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("own.py").write_text(MECHANISM.replace("LAW", '"0.75"'))
    texts = {
        "kept.json": GATE + GATE + 'label = "b"\n',
        "gone.json": GATE,
        "relaxed.json": GATE + GATE + 'label = "b"\nbudget = 5\n',
    }
    for name, text in texts.items():
        Path("dpaudit.toml").write_text(text)
        assert invoke(["gate", "--format", "json", "--output", name]) == 0
    assert invoke(["diff", "kept.json", "gone.json"]) == 1
    assert "only in old, worse" in capfd.readouterr().out
    assert invoke(["diff", "gone.json", "kept.json"]) == 0
    assert invoke(["diff", "kept.json", "relaxed.json"]) == 1
    assert "asked otherwise, worse" in capfd.readouterr().out


def reseal(path: str, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(Path(path).read_text())
    change(document)
    document["sha256"] = seal_of(document)
    Path(path).write_text(json.dumps(document))


def said(capfd: pytest.CaptureFixture[str], *files: str) -> str:
    assert invoke(["diff", *files]) == 2
    shown = capfd.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


@pytest.mark.wrong_on_purpose  # reports are changed, to be refused
def test_bad_files_get_one_line(diff: Diff, capfd: pytest.CaptureFixture[str]) -> None:
    for name, command in (("a.json", "check"), ("c.json", "curve"), ("h.json", "check")):
        words = f"{command} EHDS --n 3 --no-plot --format json --output {name}"
        assert invoke(words.split()) == 0
    assert "dpaudit.audit/1 and c.json dpaudit.curve/1" in said(capfd, "a.json", "c.json")
    assert "cannot be read" in said(capfd, "a.json", "missing.json")
    Path("text.json").write_text("hello")
    assert "is not JSON" in said(capfd, "text.json", "a.json")
    Path("other.json").write_text('{"schema": "other"}')
    assert "does not belong to a report of dpaudit" in said(capfd, "a.json", "other.json")
    changed = Path("h.json").read_text()
    Path("h.json").write_text(changed.replace('"within"', '"exceeds"', 1))
    assert "changed after it was written" in said(capfd, "a.json", "h.json")
    Path("h.json").write_text(changed)
    reseal("h.json", lambda document: document["results"][0].update(verdict="exceeds"))
    assert "contradicts its numbers" in said(capfd, "a.json", "h.json")
    reseal("a.json", lambda document: document.update(surprise=1))
    assert "surprise" in said(capfd, "a.json", "c.json")


@pytest.mark.wrong_on_purpose  # reports are changed, to be refused
def test_other_code_is_said_once(diff: Diff, capfd: pytest.CaptureFixture[str]) -> None:
    diff("check EHDS LSHist --n 3 --no-plot", "check EHDS LSHist --n 3 --no-plot")
    reseal("old.json", lambda document: document.update(version="0.0.9"))
    assert invoke(["diff", "old.json", "new.json"]) == 0
    assert capfd.readouterr().out.count("0.0.9") == 1
    reseal("old.json", lambda document: document.update(version=dpaudit.__version__))
    reseal("old.json", lambda document: document.update(fingerprint="other"))
    assert invoke(["diff", "old.json", "new.json"]) == 0
    assert capfd.readouterr().out.count("fingerprints differ") == 1


def test_a_number_has_moved_only_if_no_number_is_in_both() -> None:
    """Against fractions, for intervals that touch, overlap, or are a hair apart."""
    draw = random.Random(1128)
    for _ in range(2000):
        ends = sorted(Fraction(draw.randrange(30), 10 ** draw.randrange(1, 4)) for _ in range(4))
        draw.shuffle(ends)
        one, other = (sorted(pair) for pair in (ends[:2], ends[2:]))
        old, new = (
            Enclosure(
                Decimal(low.numerator) / low.denominator, Decimal(high.numerator) / high.denominator
            )
            for low, high in (one, other)
        )
        expected = max(one[0], other[0]) > min(one[1], other[1])
        assert apart(old, new) is apart(new, old) is expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1", "1 + exp(-200)", True),
        ("ln(3)", "ln(9)/2", False),
        ("exp(-100)", "0", True),
        ("2/4", "1/2", False),
    ],
)
def test_closed_forms_are_compared_exactly(old: str, new: str, expected: bool) -> None:
    """Where the intervals share numbers, as their ends are rounded."""
    wide = Decimal(0), Decimal(2)
    one, other = (Enclosure(*wide, real(text)) for text in (old, new))
    assert apart(one, other) is apart(other, one) is expected


def test_an_interval_without_a_closed_form_is_compared_with_one() -> None:
    third = Enclosure(Decimal("0.3333"), Decimal("0.3334"), real("1/3"))
    above = Enclosure(Decimal("0.33334"), Decimal("0.3334"))
    assert apart(third, above)
    assert not apart(third, Enclosure(Decimal("0.33333"), Decimal("0.33334")))
    infinite = Enclosure(Decimal("Infinity"), Decimal("Infinity"))
    assert apart(third, infinite)
    assert not apart(infinite, infinite)
