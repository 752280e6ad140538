"""The fixture that rechecks reports reaches every kind of them, and leaves nothing behind."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.gate.run import run_gate
from dpaudit.recheck.verify import RECHECKED, verify
from dpaudit.results import AnyDocument
from dpaudit.results.documents import documents, encode, seal_of
from tests.rechecking import collected_reports, rechecked_reports
from tests.sampling import subjects

pytestmark = pytest.mark.wrong_on_purpose

FILE = subjects.__file__
COMMANDS = {
    "dpaudit.audit/1": "check EHDS --n 3",
    "dpaudit.interval/1": "check EHDS --n 3 --eps 1/2..1",
    "dpaudit.interval-curve/1": "curve EHDS --n 3 --eps 1/2..1",
    "dpaudit.curve/1": "curve EHDS --n 3",
    "dpaudit.notion/1": "check EHDS --n 3 --notion kl",
    "dpaudit.tradeoff/1": "tradeoff EHDS --n 3",
    "dpaudit.calibration/1": "calibrate LSHist --n 3",
    "dpaudit.canaries/1": "canaries --canaries 1000 --guesses 100 --right 75 --delta 1e-4",
    "dpaudit.canary-plan/1": "canaries --plan --canaries 50 --delta 1e-4",
    "dpaudit.canary-needs/1": "canaries --plan --refute 2",
    "dpaudit.inclusion/1": "canaries --plan-inclusion --canaries 50",
    "dpaudit.estimates/1": "account EHDS --n 3 --epsilon-grid 0..4/5..2/5",
    "dpaudit.account/2": "account RR --n 1 --compose 3 --at-delta 1/1000",
    "dpaudit.reports/1": "check EHDS LSHist --n 3",
    "dpaudit.gate/1": "",
    "dpaudit.hunt/1": "hunt EHDS --over n=2..4",
    "dpaudit.sample/1": f"sample {FILE}:response --draws 2000",
    "dpaudit.accuracy/2": "accuracy EHDS --at 1,2 --equal nominal",
}
LISTS = {
    "dpaudit.audit/1": "check EHDS LSHist --n 3",
    "dpaudit.interval/1": "check EHDS LSHist --n 3 --eps 1/2..1",
    "dpaudit.interval-curve/1": "curve EHDS LSHist --n 3 --eps 1/2..1",
    "dpaudit.curve/1": "curve EHDS LSHist --n 3",
    "dpaudit.notion/1": "check EHDS LSHist --n 3 --notion kl",
    "dpaudit.tradeoff/1": "tradeoff EHDS LSHist --n 3",
    "dpaudit.calibration/1": "calibrate LSHist LSDim --n 3",
    "dpaudit.account/2": "account RR --n 1 --compose 2,3 --at-delta 1/1000",
    "dpaudit.accuracy/2": "accuracy EHDS LSHist --at 1,2",
}
"""The commands that make a list of reports of each schema."""


def schemas_of(found: list[bytes]) -> set[str]:
    return {json.loads(content)["schema"] for content in found}


@pytest.mark.parametrize("schema", RECHECKED)
def test_every_kind_of_report_is_collected_where_it_is_made(
    schema: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "dpaudit.toml"
    config.write_text('[[mechanism]]\nmechanism = "EHDS"\nn = 3\n')
    with (
        patch("dpaudit.cli.isolated.is_contained", lambda: True),
        rechecked_reports(None),
        collected_reports() as found,
    ):
        if COMMANDS[schema]:
            assert invoke([*COMMANDS[schema].split(), "--format", "json"]) == 0
        else:
            encode(run_gate(config))
    assert schema in schemas_of(found)


def test_every_report_of_a_mechanism_is_listed() -> None:
    """All but that of a sampler, of which a command audits one."""
    kinds = [name for name, kind in documents().items() if issubclass(kind, AnyDocument)]
    assert {*LISTS, "dpaudit.sample/1"} == {*kinds}


@pytest.mark.parametrize("schema", LISTS)
def test_every_report_in_a_list_is_rechecked(schema: str, tmp_path: Path) -> None:
    path = tmp_path / "reports.json"
    command = [*LISTS[schema].split(), "--format", "json", "--output", str(path)]
    assert invoke([*command, *["--no-plot"] * (command[0] != "account")]) in (0, 3)
    document = json.loads(path.read_text())
    assert document["schema"] == "dpaudit.reports/1"
    assert [one["schema"] for one in document["reports"]] == [schema] * len(document["reports"])
    assert len(document["reports"]) > 1
    whole = verify(path)
    assert whole.verdict == "accepted"
    alone: Counter[str] = Counter()
    for one in document["reports"]:
        path.write_text(json.dumps({**one, "sha256": seal_of(one)}))
        found = verify(path)
        assert found.verdict == "accepted"
        alone += Counter(found.rechecked)
    alone["seals"] = 1  # inner reports have none
    alone["verdicts"] += "verdict" in document
    assert Counter(whole.rechecked) == +alone


def test_reports_of_functions_and_of_processes_are_collected() -> None:
    with collected_reports() as found:
        dpaudit.check("EHDS", n=3).to_json()
    assert schemas_of(found) == {"dpaudit.audit/1"}
    with collected_reports() as found:
        command = [sys.executable, "-m", "dpaudit", "curve", "EHDS", "--n", "3", "--format", "json"]
        subprocess.check_output(command)
    assert schemas_of(found) == {"dpaudit.curve/1"}


def test_a_false_report_fails_the_test_that_makes_it() -> None:
    true = dpaudit.check("EHDS", n=3).audit
    false = msgspec.structs.replace(true, results=(), missing=(3,))
    for _ in range(2):  # found once, it is not taken for true the next time
        with pytest.raises(AssertionError), rechecked_reports(None):
            encode(false)


def test_nothing_of_the_collector_is_left_behind() -> None:
    def state() -> tuple[object, ...]:
        return (msgspec.json.format, subprocess.Popen.communicate)

    def bound() -> list[object]:
        """What a module that is first imported now would keep of the one that writes documents."""
        return [part for part in vars(sys.modules[encode.__module__]).values() if callable(part)]

    def failing() -> None:
        with rechecked_reports(None):
            assert state() != before
            assert bound() == names
            raise ZeroDivisionError

    before, names = state(), bound()
    with pytest.raises(ZeroDivisionError):
        failing()
    assert state() == before
