"""``dpaudit verify`` on certified accounts: nothing is confirmed by what says too little."""

import copy
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

from dpaudit.cli.main import invoke
from dpaudit.recheck import runs, spectrum
from dpaudit.recheck.continuous import Laplace
from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.losses import atoms_of, below_of, continuous
from dpaudit.recheck.reading import read_report
from dpaudit.recheck.spectrum import Spectrum
from tests.recheck.sealing import Document, verdict

pytestmark = pytest.mark.wrong_on_purpose

SAMPLED = "Laplace --scale 10000 --sample-rate 1/10 --compose 20 --budget 1e-5,1e-5"
TINY = "Gaussian --sigma 10 --compose 10 --budget 3,1e-22"
STEPS = "Gaussian --sigma 20 --solve steps --compose 100 --budget 1,1e-5"
NOISE = "Gaussian --sigma 3 --solve sigma --compose 100 --budget 1,1e-5"
RATE = "Gaussian --sigma 4 --compose 200 --solve q --sample-rate 1/10 --budget 1,1e-5"


def account(folder: Path, words: str) -> Document:
    file = folder / "made.json"
    invoke(["account", *words.split(), "--format", "json", "--output", str(file)])
    document: Document = json.loads(file.read_text())
    del document["sha256"]
    return document


def within(document: Document, lower: str, upper: str) -> Document:
    changed = copy.deepcopy(document)
    changed["rows"][0]["delta"] = {"lower": lower, "upper": upper}
    changed["rows"][0].pop("adaptive_upper", None)
    return {**changed, "verdict": "within"}


def test_ends_that_merely_overlap_a_row_confirm_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*arguments: Any, **options: Any) -> mpf:
        raise UnknownDefinitionError("it does not end")

    def ends(low: str, high: str) -> None:
        monkeypatch.setattr(Spectrum, "delta", lambda self, epsilon: (mpf(low), mpf(high)))

    monkeypatch.setattr(runs, "delta_of_runs", nothing)
    true = account(tmp_path, SAMPLED)
    assert true["verdict"] == "exceeds"
    claimed = true["rows"][0]["delta"]
    false = within(true, "1E-9", "2E-9")
    ends("0", "1")
    assert verdict(tmp_path, true) == "unconfirmed"
    assert verdict(tmp_path, false) == "unconfirmed"
    ends("0.0000135003", "0.0000135004")  # three digits beyond the budget, and none of the claim
    assert verdict(tmp_path, true) == "unconfirmed"
    assert verdict(tmp_path, false) == "rejected"
    ends(claimed["lower"] + "1", claimed["lower"] + "2")  # inside
    assert verdict(tmp_path, true) == "accepted"
    assert verdict(tmp_path, false) == "rejected"
    ends("0.0000099999999", "0.0000100000001")  # as narrow as can be, on both sides of the budget
    assert verdict(tmp_path, within(true, "0.0000099999999", "0.00001")) == "unconfirmed"
    words = SAMPLED.replace("--budget 1e-5,1e-5", "--at-delta 1/100000")
    ends("0", "1")
    assert verdict(tmp_path, account(tmp_path, words)) == "unconfirmed"


def test_small_losses_have_narrow_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectrum, "_POINTS", 1 << 12)
    with mp.workdps(40):
        pair = Laplace({"scale": "100000"}), 1, None
        found = Spectrum([continuous(below_of(*pair), 20, atoms=atoms_of(*pair))])
        low, high = found.delta(mpf(1) / 100000)
    assert low <= mpf("0.000013500713913830608636")
    assert high >= mpf("0.000013500713913325453263")
    assert high - low < low / 50


def test_values_below_any_digit_are_compared_in_proportion(tmp_path: Path) -> None:
    document = account(tmp_path, TINY)
    assert document["verdict"] == "exceeds"
    assert verdict(tmp_path, document) == "accepted"
    for lower, upper in (("1E-30", "2E-30"), ("0", "1E-23"), ("0", "0")):
        assert verdict(tmp_path, within(document, lower, upper)) == "rejected"


SOLVED: dict[str, Callable[[Document], object]] = {
    "value": lambda s: s.update(value="2800"),
    "less": lambda s: s.update(value=str(Decimal(s["value"]) / 2)),
    "failing": lambda s: s.update(failing=str(3 * Decimal(s["failing"]))),
    "other side": lambda s: s.update(failing=str(2 * Decimal(s["value"]) - Decimal(s["failing"]))),
    "verdict": lambda s: s.update(failing_verdict="within"),
    "undecided": lambda s: s.update(failing_verdict="undecided"),
    "reversed": lambda s: s.update(failing_delta={"lower": "5", "upper": "1"}),
    "larger": lambda s: s.update(failing_delta={"lower": "0.5", "upper": "0.6"}),
    "keeps it": lambda s: s.update(failing_delta={"lower": "0.000001", "upper": "0.000002"}),
}


@pytest.mark.parametrize("words", [STEPS, NOISE], ids=["steps", "sigma"])
def test_what_was_sought_is_held_to_the_account_and_to_the_value_beside_it(
    words: str, tmp_path: Path
) -> None:
    document = account(tmp_path, words)
    assert verdict(tmp_path, document) == "accepted"
    for name, change in SOLVED.items():
        changed = copy.deepcopy(document)
        change(changed["solved"])
        assert (name, verdict(tmp_path, changed)) == (name, "rejected")
    for name in ("budget", "solved"):
        changed = copy.deepcopy(document)
        if name == "budget":
            del changed["budget"], changed["verdict"]
        else:
            changed["solved"]["value"] = "inf"
        with pytest.raises(NotAReportError):
            verdict(tmp_path, changed)


def test_a_rate_that_was_sought_is_held_to_the_account_and_its_direction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spectrum, "_POINTS", 1 << 12)
    document = account(tmp_path, RATE)
    assert verdict(tmp_path, document) == "accepted"
    changed = copy.deepcopy(document)
    changed["solved"]["failing"] = "0.9"
    assert verdict(tmp_path, changed) == "rejected"
    assert document["rows"][0]["direction"] == "remove"
    changed = {name: one for name, one in changed.items() if name != "solved"}
    lesser = "Gaussian --sigma 4 --compose 200 --sample-rate 0.07257 --direction add --at-eps 1"
    changed["rows"] = account(tmp_path, lesser)["rows"]
    assert verdict(tmp_path, changed) == "rejected"
    changed["rows"], changed["direction"] = document["rows"], "add"
    assert verdict(tmp_path, changed) == "rejected"


@pytest.mark.parametrize("end", ["lower", "upper"])
def test_an_infinite_delta_is_refused_in_one_line(end: str, tmp_path: Path) -> None:
    document = account(tmp_path, TINY)
    document["rows"][0]["delta"][end] = "inf"
    with pytest.raises(NotAReportError, match="is not an interval"):
        verdict(tmp_path, document)


def test_an_open_file_that_is_not_handed_on_is_told() -> None:
    with pytest.raises(NotAReportError, match="by its name"):
        read_report(Path("/dev/fd/987"))
