"""The table of measures: each has every option, every form, a figure, a function and a recheck."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit.api.finished import swept
from dpaudit.api.plans import make_plan
from dpaudit.audit.measure import Measure
from dpaudit.audit.plan import Pairs
from dpaudit.cli.main import invoke, main
from dpaudit.gate import config
from dpaudit.gate.config import Entry
from dpaudit.gate.entries import entry_question
from dpaudit.questions.notion.measure import NOTIONS
from dpaudit.recheck.gates import CHECKS
from dpaudit.recheck.verify import RECHECKED
from dpaudit.report.render import FORMATS, render
from dpaudit.report.resume import ResumedQuestion, resume
from dpaudit.report.view import View, sized_view
from dpaudit.report.views import VIEWS
from dpaudit.results import Report
from dpaudit.results.audits import UndecidedSize
from dpaudit.results.documents import documents, seal_of
from dpaudit.results.values import Result

Run = Callable[..., tuple[int, str, str]]


@dataclass(frozen=True)
class Row:
    """A measure: its command, its function and what a gate's entry says of it."""

    command: tuple[str, ...]
    function: Callable[..., Any]
    gate: str
    """The keys of a gate's entry."""
    at: tuple[str, ...] = ()
    """The data, of a measure that needs some; left out where ``--at`` or ``--data`` says them."""


def notion(name: str, budget: object, **more: object) -> Row:
    words = ["check", "--notion", name, "--budget", str(budget).strip("[]").replace('"', "")]
    for key, value in more.items():
        words += [f"--{key}", str(value)]
    keys = "".join(f"{key} = {value}\n" for key, value in more.items())

    def function(mechanism: str, n: int, **given: object) -> Any:
        asked: Any = tuple(json.loads(str(budget))) if "[" in str(budget) else budget
        return dpaudit.check_notion(mechanism, n, name, budget=asked, **more, **given)  # type: ignore[arg-type]

    return Row(tuple(words), function, f'notion = "{name}"\nbudget = {budget}\n{keys}')


MEASURES = {
    "epsilon-delta": Row(("check",), dpaudit.check, 'budget = "4/5"\n'),
    "pure": notion("pure", 1),
    "approximate": notion("approximate", '["1/2","1/2"]'),
    "renyi": notion("renyi", 1, order=2),
    "zcdp": notion("zcdp", 1),
    "gdp": notion("gdp", 1),
    "kl": notion("kl", 1),
    "tv": notion("tv", 1),
    "curve": Row(
        ("curve", "--at-eps", "1/4"),
        dpaudit.curve,
        'measure = "curve"\nbudget = [["1/4", "1/4"], ["4/5", "1/1000"]]\n',
    ),
    "tradeoff": Row(("tradeoff",), dpaudit.tradeoff, 'measure = "tradeoff"\nbudget = 1\n'),
    "accuracy": Row(
        ("accuracy", "--equal", "nominal"),
        lambda mechanism, n, **given: dpaudit.compare_accuracy(
            mechanism, "uniform", n, equal=["nominal"], **given
        ),
        'measure = "accuracy"\nat = "1,2"\nbudget = "1/2"\n',
        ("--at", "uniform"),
    ),
    "calibrate": Row(
        ("calibrate", "--tolerance", "1e-3"),
        dpaudit.calibrate,
        'measure = "calibrate"\nnominal = "1/2"\n',
    ),
}
OPTIONS = {
    *("--n", "--at", "--data", "--adjacency", "--digits", "--engine", "--resume", "--jobs"),
    *("--dask", "--time-cap", "--format", "--output", "--plot"),
}
"""The options that every command about what mechanisms realise has."""

SENSELESS = {
    ("sample", "--adjacency"): "a sampler lists its pairs itself",
    ("sample", "--engine"): "there is no law to look at",
    ("account", "--resume"): "one size of one mechanism: there is nothing finished to go on from",
    ("hunt", "--resume"): "where it goes next hangs on all before; its seed repeats it all",
}
"""The cells of the table that are empty because they mean nothing, and why."""

NOT_BUILT = {
    ("account", "--data"): "--at takes the counts by hand; the report has no place for the file",
    ("account", "--dask"): "one size is composed in one process",
    ("account", "--engine"): "the default engine looks at one run, and balls at several",
    ("account", "--jobs"): "one size is composed in one process",
    ("sample", "--at"): "every pair that is listed is drawn from",
    ("sample", "--dask"): "draws are shared by processes here alone",
    ("sample", "--data"): "every pair that is listed is drawn from",
    ("hunt", "--dask"): "points are looked at one after another",
    ("hunt", "--data"): "--at takes the counts by hand; the report has no place for the file",
    ("hunt", "--jobs"): "points are looked at one after another",
}
"""The cells that would mean something; each is a gap that is known."""

OF_DEFINITIONS = {"show"}
"""Commands that name mechanisms and measure nothing."""

COMMANDS = {
    name: command
    for name in main.list_commands(click.Context(main))
    if (command := main.get_command(click.Context(main), name)) is not None
    and any(one.name in ("mechanism", "mechanisms") for one in command.params)
    and name not in OF_DEFINITIONS
}
EVERY = pytest.mark.parametrize("row", MEASURES.values(), ids=MEASURES)


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Run a measure of LSHist in an empty folder; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_measure(row: Row, *arguments: str) -> tuple[int, str, str]:
        data = () if {"--at", "--data"} & {*arguments} else row.at
        code = invoke([row.command[0], "LSHist", *row.command[1:], *data, *arguments])
        sys.stdout.flush()
        captured = capfdbinary.readouterr()
        return int(code), captured.out.decode(), captured.err.decode()

    return run_measure


def test_the_table_names_every_measure_there_is() -> None:
    """A command, a notion or a measure of a gate's entry that is new needs a row here."""
    commands = {row.command[0] for row in MEASURES.values()}
    assert commands == COMMANDS.keys() - {"hunt", "account", "sample"}
    in_gate = {re.search('measure = "(.*)"', row.gate) for row in MEASURES.values()}
    named = {found[1] for found in in_gate if found is not None}
    # Accounts, trainings and samplers have tests of their own in tests/gate.
    of_files = {"account-run", "account-matrix"}
    assert {"check", "account", *of_files, "sample", *named} == set(config.MEASURES)
    notions = {name for name, row in MEASURES.items() if "--notion" in row.command}
    assert notions == set(NOTIONS)
    asked = [Entry(mechanism="LSHist", measure=one) for one in config.MEASURES]
    asked += [Entry(mechanism="LSHist", notion="kl"), Entry(mechanism="LSHist", interval="1..2")]
    assert {entry_question(entry).schema for entry in asked} == {*CHECKS}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_about_mechanisms_has_every_option(name: str) -> None:
    """An option that only some commands have is a gap, or a cell that says why it is empty."""
    has = {flag for one in COMMANDS[name].params for flag in one.opts}
    empty = {option for command, option in SENSELESS | NOT_BUILT if command == name}
    assert OPTIONS - has == empty


def test_every_document_of_a_measure_is_rechecked() -> None:
    for kind, view in VIEWS.items():
        schemas = [schema for schema, wanted in documents().items() if wanted is kind]
        if issubclass(kind, Report):
            assert schemas[0] in RECHECKED
            assert view.figure
            assert view.columns is not View.columns


@EVERY
def test_every_measure_has_every_form(row: Row, run: Run) -> None:
    for form in FORMATS:
        code, out, err = run(row, "--n", "3", "--no-plot", "--format", form)
        assert (code, err) == (0, ""), form
        assert "LSHist" in out, form


@EVERY
def test_every_measure_has_a_figure(row: Row, run: Run, tmp_path: Path) -> None:
    assert run(row, "--n", "3,4", "--plot", "figure.svg")[0] == 0
    assert "<svg" in (tmp_path / "figure.svg").read_text()


@EVERY
def test_every_measure_is_taken_at_data(row: Row, run: Run, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("smokes\nyes\nno\nyes\n")
    code, out, _ = run(row, "--data", "answers.csv", "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert document["data"]["counts"] == [1, 2]
    assert document["at"] == "1,2"
    by_hand = json.loads(run(row, "--at", "1,2", "--n", "3", "--format", "json")[1])
    found = "curves" if "curves" in document else "results"
    if row.command[0] != "calibrate":  # its mean error is at the data then
        assert document[found] == by_hand[found]


@EVERY
def test_every_measure_is_shared_by_processes(row: Row, run: Run) -> None:
    alone = run(row, "--n", "3,4", "--format", "json", "--jobs", "1")
    assert run(row, "--n", "3,4", "--format", "json", "--jobs", "2") == alone


@EVERY
def test_every_measure_goes_to_a_cluster(
    row: Row, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpaudit.audit.cluster._SECONDS_TO_CONNECT", 1)  # nothing answers there
    code, out, err = run(row, "--n", "3", "--dask", "tcp://127.0.0.1:1")
    assert (code, out) == (2, "")
    assert "127.0.0.1:1" in err


@pytest.mark.wrong_on_purpose
@EVERY
def test_every_measure_goes_on_where_it_stopped(row: Row, run: Run, tmp_path: Path) -> None:
    part, whole = tmp_path / "part.json", tmp_path / "whole.json"
    assert run(row, "--n", "3,4", "--format", "json", "--output", str(whole))[0] == 0
    document = json.loads(whole.read_text())
    found = "curves" if "curves" in document else "results"
    document[found] = document[found][:1]
    document["missing"] = [4]
    document["sha256"] = seal_of(document)
    part.write_text(json.dumps(document))
    code, out, err = run(row, "--n", "3,4", "--format", "json", "--resume", str(part))
    assert (code, err) == (0, "")
    assert json.loads(out)[found] == json.loads(whole.read_text())[found]


@pytest.mark.wrong_on_purpose
@EVERY
def test_every_measure_goes_on_beside_a_mechanism_that_is_finished(
    row: Row, run: Run, tmp_path: Path
) -> None:
    both = ("--eps", "1/2,4/5", "--n", "3", "--format", "json")
    whole = tmp_path / "whole.json"
    assert run(row, *both, "--output", str(whole))[0] == 0
    document = json.loads(whole.read_text())
    second = document["reports"][1]
    second["curves" if "curves" in second else "results"] = []
    second["missing"] = [3]
    for key in ("verdict", "decided"):
        if key in second:
            second[key] = "undecided" if key == "verdict" else False
    if "verdict" in document:
        document["verdict"] = "undecided"
    document["sha256"] = seal_of(document)
    (tmp_path / "part.json").write_text(json.dumps(document))
    code, out, err = run(row, *both, "--resume", "part.json", "--jobs", "2")
    assert (code, err, out) == (0, "", whole.read_text())


@EVERY
def test_every_measure_has_a_function_and_a_recheck(row: Row, run: Run, tmp_path: Path) -> None:
    given: dict[str, Any] = {"at_eps": ["1/4"]} if row.command[0] == "curve" else {}
    if row.command[0] == "calibrate":
        given = {"tolerance": "1e-3"}
    document = json.loads(row.function("LSHist", 3, **given).to_json())
    shown = json.loads(run(row, "--n", "3", "--format", "json")[1])
    found = "curves" if "curves" in document else "results"
    assert document[found] == shown[found]
    (tmp_path / "report.json").write_text(json.dumps(document, ensure_ascii=False))
    assert invoke(["verify", "report.json"]) == 0


@EVERY
def test_every_measure_has_a_gate_entry_that_is_rechecked(
    row: Row, run: Run, tmp_path: Path
) -> None:
    entry = f'[[mechanism]]\nmechanism = "LSHist"\nn = 3\n{row.gate}'
    (tmp_path / "dpaudit.toml").write_text(entry)
    assert invoke(["gate", "--jobs", "1", "--report", "json=report.json"]) == 0
    assert invoke(["verify", "report.json", "--config", "dpaudit.toml"]) == 0


@EVERY
def test_every_measure_has_a_gate_entry_at_data(row: Row, run: Run, tmp_path: Path) -> None:
    gate = row.gate.replace('at = "1,2"\n', "")
    for at in ('"1, 2"', "[1, 2]"):
        entry = f'[[mechanism]]\nmechanism = "LSHist"\nat = {at}\n{gate}'
        (tmp_path / "dpaudit.toml").write_text(entry)
        assert invoke(["gate", "--jobs", "1", "--report", "json=report.json"]) == 0
        assert invoke(["verify", "report.json", "--config", "dpaudit.toml"]) == 0
        (finding,) = json.loads((tmp_path / "report.json").read_text())["mechanisms"]
        assert finding["report"]["at"] == "1,2"
    (tmp_path / "dpaudit.toml").write_text(entry.replace("[1, 2]", '"uniform"\nn = 4'))
    assert invoke(["gate", "--jobs", "1", "--report", "json=report.json"]) == 0
    assert invoke(["verify", "report.json", "--config", "dpaudit.toml"]) == 0


# A measure of one's own: a row of the table of views, and a class.


class Spread(Result, frozen=True):
    """How many pairs there are for each dataset, at one size."""

    n: int
    """The size."""
    pairs: int
    """The pairs."""
    datasets: int
    """The datasets."""


class SpreadReport(Report[Spread], frozen=True, kw_only=True):
    """How many pairs there are for each dataset."""

    undecided: tuple[UndecidedSize, ...]
    """Sizes without a result."""


class Spreads(Measure[Spread, SpreadReport]):
    """Counts pairs and datasets."""

    schema = "test.spread/1"
    document = SpreadReport
    sized = Spread
    entry_seconds = 0.0

    def at_size(self, mechanism: Any, n: int, plan: Any, progress: Any) -> Spread:
        relation = mechanism.adjacency(plan.adjacency)
        return Spread(n, Pairs(mechanism, n, plan).expected or 0, relation.dataset_count(n))


@pytest.mark.wrong_on_purpose  # a list of reports that no recheck knows
def test_a_measure_is_added_by_a_class_a_result_and_a_row(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    view = sized_view(
        table=lambda report: (["n", "pairs"], [[str(r.n), str(r.pairs)] for r in report.results]),
        columns=("n", "pairs"),
        lines=lambda report: ({"n": str(r.n), "pairs": str(r.pairs)} for r in report.results),
    )
    views: dict[Any, Any] = VIEWS
    monkeypatch.setitem(views, SpreadReport, view)
    mechanism = dpaudit.mechanism("EHDS")
    plan = make_plan(mechanism)
    report = swept(Spreads(), mechanism, (3, 4), plan, 1)
    forms = {form: render([report], form).decode() for form in FORMATS}
    assert all("EHDS" in text and "4" in text for text in forms.values())
    assert json.loads(forms["json"])["results"] == [
        {"n": 3, "pairs": 3, "datasets": 4},
        {"n": 4, "pairs": 4, "datasets": 5},
    ]
    assert json.loads(render([report, report], "json"))["schema"] == "dpaudit.reports/1"
    part = replace(report, results=report.results[:1], missing=(4,))
    (tmp_path / "part.json").write_bytes(render([part], "json"))
    question = ResumedQuestion(Spreads(), mechanism, (3, 4), plan)
    assert resume(tmp_path / "part.json", [question]) == [[report.results[0]]]


def test_a_form_is_added_by_a_row_and_every_command_has_it(tmp_path: Path) -> None:
    script = """
from dpaudit.report.render import FORMATS
FORMATS["schema-name"] = lambda document: document.schema.encode()
import sys
from dpaudit.cli.main import invoke
for words in (
    "check EHDS --n 3",
    "curve EHDS --n 3",
    "tradeoff EHDS --n 3",
    "calibrate LSDim --n 3",
    "check EHDS --n 3 --notion kl --budget 1",
    "accuracy LSHist --at 1,2 --equal nominal",
):
    assert invoke([*words.split(), "--format", "schema-name"]) == 0
    sys.stdout.flush()
    sys.stdout.buffer.write(b" ")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, cwd=tmp_path, check=False
    )
    assert done.stderr == b""
    assert done.stdout.decode().split() == [
        f"dpaudit.{name}"
        for name in ("audit/1", "curve/1", "tradeoff/1", "calibration/1", "notion/1", "accuracy/2")
    ]
