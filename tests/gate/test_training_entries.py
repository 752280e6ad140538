"""Entries about trainings: kept, exceeded, and told by processes that nobody believes."""

import json
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dpaudit.cli.main import invoke
from dpaudit.errors import ConfigError, UsageError
from dpaudit.gate.config import Entry, GateConfig
from dpaudit.gate.entries import entry_question
from dpaudit.gate.requests import EntryRequest, plan_of
from dpaudit.gate.run import run_gate
from dpaudit.mechanisms.spec import Spec
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.questions.account_run.function import account_run
from dpaudit.results import Kind, Verdict
from dpaudit.results.accounts import CertifiedAccount

HISTORY = {"history": [[1.1, 0.01, 3]], "mechanism": "rdp"}
PHASES = {"history": [[1.1, 0.01, 2], [1.3, 0.01, 1]], "mechanism": "rdp"}
FULL = {"noise_multiplier": "20", "sample_rate": 1, "steps": 100, "delta": "1e-5"}
SETTINGS = {"noise_multiplier": 3, "sample_rate": "1/2", "steps": 2}


def configured(tmp_path: Path, run: Any, lines: str = 'budget = ["2", "1e-5"]') -> Path:
    (tmp_path / "run.json").write_text(json.dumps(run))
    config = tmp_path / "dpaudit.toml"
    head = '[[mechanism]]\nmechanism = "run.json"\nmeasure = "account-run"\n'
    config.write_text(f"{head}{lines}\n")
    return config


@pytest.mark.parametrize(
    ("run", "budget", "kind"),
    [
        (HISTORY, '["2", "1e-5"]', Kind.WITHIN),
        (FULL, '["3", "1e-5"]', Kind.WITHIN),
        (FULL, '["19/10", "1e-5"]', Kind.EXCEEDS),
        # The budget is kept, and what the training's own accountant says is not.
        ({**FULL, "epsilon": "1"}, '["3", "1e-5"]', Kind.EXCEEDS),
        ({**FULL, "epsilon": "2.9"}, '["3", "1e-5"]', Kind.WITHIN),
    ],
)
def test_a_training_keeps_a_budget_and_its_claim(
    run: Any, budget: str, kind: Kind, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = configured(tmp_path, run, f"budget = {budget}")
    document = tmp_path / "gate.json"
    asked = ["gate", "--config", str(config), "--jobs", "1", "--format", "json"]
    for form in ("sarif", "junit", "markdown"):
        asked += ["--report", f"{form}={tmp_path / form}"]
    assert invoke([*asked, "--output", str(document)]) == (0 if kind is Kind.WITHIN else 1)
    written = json.loads(document.read_text())
    (found,) = written["mechanisms"]
    assert found["kind"] == kind.value, found
    assert found["location"]["file"] == "run.json"
    assert found["report"]["training"]["sha256"]
    for form in ("junit", "markdown"):
        assert "run.json" in (tmp_path / form).read_text()
    sarif = json.loads((tmp_path / "sarif").read_text())["runs"][0]["results"]
    assert len(sarif) == (0 if kind is Kind.WITHIN else 1)
    assert all("run.json" in json.dumps(result["locations"]) for result in sarif)
    checked = ["verify", str(document), "--config", str(config)]
    assert invoke(checked) == 0
    if run is HISTORY:  # checked in seconds, of which the first time had its share
        return
    (tmp_path / "run.json").write_text(json.dumps({**run, "comment": "another file"}))
    assert invoke(checked) == 1
    capfd.readouterr()


@pytest.mark.parametrize(
    ("budget", "kind"), [("2", Kind.WITHIN), ("1/20", Kind.EXCEEDS)], ids=["kept", "exceeded"]
)
def test_phases_are_composed(budget: str, kind: Kind, tmp_path: Path) -> None:
    (finding,) = run_gate(
        configured(tmp_path, PHASES, f'budget = ["{budget}", "1e-5"]\nwidth = "5%"'), 1
    ).mechanisms
    assert finding.kind is kind, finding.message
    assert isinstance(finding.report, CertifiedAccount)
    assert [part.compose for part in finding.report.then] == [1]


@pytest.mark.parametrize("sampling", ["fixed", "shuffle", "allocation"])
def test_other_batches_have_their_own_account(sampling: Any, tmp_path: Path) -> None:
    config = configured(
        tmp_path, SETTINGS, f'budget = ["4", "1e-5"]\nsampling = "{sampling}"\nwidth = "5%"'
    )
    (found,) = run_gate(config, 1).mechanisms
    assert found.kind is Kind.WITHIN, found.message
    assert isinstance(found.report, CertifiedAccount)
    assert found.report.batches is not None
    alone = account_run(SETTINGS, delta="1e-5", budget=["4", "1e-5"], sampling=sampling, width="5%")
    assert isinstance(alone.report, CertifiedAccount)
    assert found.report.rows == alone.report.rows


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "needs budget = "),
        ("budget = 1", "needs budget = "),
        ('budget = ["1", "2"]', "delta"),
        ('budget = ["1", "1e-5"]\nn = 3', "applies only to mechanisms"),
        ('budget = ["1", "1e-5"]\nn = 0', "applies only to mechanisms"),
        ('budget = ["1", "1e-5"]\nat = "1,2"', "applies only to mechanisms"),
        ('budget = ["1", "1e-5"]\nadjacency = "substitution"', "applies only to mechanisms"),
        ('budget = ["1", "1e-5"]\nparameters = { sigma = 9 }', "applies only to mechanisms"),
        ('budget = ["1", "1e-5"]\ncompose = 3', "apply only to measure"),
        ('budget = ["1", "1e-5"]\ninputs = [0, 1]\naccepts = ["ideal"]', "reads a file"),
        ('budget = ["1", "1e-5"]\nwidth = "900%"', "from 1e-12 to 1"),
        ('budget = ["1", "1e-5"]\nsampling = "sorted"', "sampling"),
        ('budget = ["1", "1e-5"]\nsampling = "shuffle"', "2 phases"),
    ],
)
def test_entries_that_make_no_sense_end_the_gate(lines: str, said: str, tmp_path: Path) -> None:
    with pytest.raises((ConfigError, UsageError), match=said):
        run_gate(configured(tmp_path, PHASES, lines), 1)


@pytest.mark.parametrize("content", [b"", b"{}", b"[[1]]", b'{"steps": 1}', b"\xff\x00", b"PK\x03"])
def test_files_that_are_no_training_never_pass(content: bytes, tmp_path: Path) -> None:
    config = configured(tmp_path, HISTORY)
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(ConfigError, match=r"run\.json"):
        run_gate(config, 1)
    (tmp_path / "run.json").unlink()
    with pytest.raises(ConfigError, match=r"run\.json"):
        run_gate(config, 1)


@pytest.mark.parametrize("name", ["", "nowhere.json", ".", "a\\u0000.json", "/dev/full/a.json"])
def test_files_that_cannot_be_opened_end_the_gate_in_a_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = configured(tmp_path, HISTORY)
    config.write_text(config.read_text().replace("run.json", name))
    document = tmp_path / "gate.json"
    words = ["gate", "--config", str(config), "--jobs", "1", "--output", str(document)]
    assert invoke(words) == 2
    assert not document.exists()
    message = capfd.readouterr().err
    assert "Traceback" not in message
    assert len(message.strip().splitlines()) == 1, message


def test_a_direction_of_whole_batches_changes_nothing(tmp_path: Path) -> None:
    config = configured(tmp_path, FULL, 'budget = ["3", "1e-5"]\ndirection = "add"')
    (finding,) = run_gate(config, 1).mechanisms
    assert finding.kind is Kind.WITHIN, finding.message


def test_sampling_goes_with_trainings_alone(tmp_path: Path) -> None:
    config = tmp_path / "dpaudit.toml"
    config.write_text('[[mechanism]]\nmechanism = "RR"\nsampling = "shuffle"\n')
    with pytest.raises(ConfigError, match="account-run"):
        run_gate(config, 1)


ENTRY = Entry(mechanism="run.json", measure="account-run", budget=["3", "1e-5"])


@pytest.fixture
def spec(tmp_path: Path) -> Iterator[Spec]:
    (tmp_path / "run.json").write_text(json.dumps({**FULL, "epsilon": "2.9"}))
    yield entry_question(ENTRY).spec(ENTRY, tmp_path)
    shutil.rmtree(tmp_path)


def told(spec: Spec) -> CertifiedAccount:
    question = entry_question(ENTRY)
    subject = question.known_mechanism(spec, ENTRY)
    assert subject is not None
    account = question.reported(subject, ENTRY, plan_of(subject, ENTRY, GateConfig()), spec)
    assert isinstance(account, CertifiedAccount)
    return account


def with_row(account: CertifiedAccount, place: int, **changes: Any) -> CertifiedAccount:
    rows = list(account.rows)
    rows[place] = replace(rows[place], **changes)
    return replace(account, rows=tuple(rows))


def test_what_a_process_tells_is_held_to_the_file(spec: Spec) -> None:
    asked, account = EntryRequest(ENTRY, GateConfig(), spec), told(spec)
    answer = asked.answer(account)
    assert isinstance(answer, CertifiedAccount)
    assert answer.verdict is Verdict.WITHIN
    assert answer.training is not None
    assert answer.training.claim_verdict is Verdict.WITHIN
    # Verdicts follow from numbers: of the budget, and of what is claimed.
    for place, verdicts in (
        (2, [Verdict.EXCEEDS, Verdict.WITHIN]),
        (1, [Verdict.WITHIN, Verdict.EXCEEDS]),
    ):
        large = with_row(account, place, delta=Enclosure(Decimal("0.1"), Decimal("0.2")))
        judged: Any = asked.answer(large)
        assert [judged.verdict, judged.training.claim_verdict] == verdicts
        rows = entry_question(ENTRY).rows(judged, ())
        assert [row.verdict for row in rows] == verdicts
    forgotten: Any = asked.answer(replace(account, training=None))
    assert forgotten.training == account.training
    for wrong in (
        replace(account, compose=99),
        replace(account, sample_rate=account.width),
        replace(account, width=account.width * account.width),
        replace(account, relative=False),
        replace(account, described={**account.described, "sigma": "40"}),
        replace(account, rows=account.rows[1:]),
        replace(account, rows=account.rows[:1] + account.rows[2:]),
        replace(account, rows=account.rows[:2]),
        replace(account, rows=account.rows[::-1]),
        with_row(account, 0, epsilon=Enclosure(Decimal(2), Decimal(1))),
        with_row(account, 0, epsilon=Enclosure(Decimal("NaN"), Decimal(1))),
        with_row(account, 0, epsilon=Enclosure(Decimal(0), Decimal("NaN"))),
        with_row(account, 2, delta=Enclosure(Decimal("NaN"), Decimal("0.1"))),
    ):
        with pytest.raises(ValueError, match=r"its .* (is|are|row|must)|the interval of . "):
            asked.answer(wrong)


def test_a_file_that_changes_while_the_gate_runs_never_passes(spec: Spec) -> None:
    Path(spec.folder, spec.reference).write_text(json.dumps(FULL))
    with pytest.raises(UsageError, match="changed while"):
        EntryRequest(ENTRY, GateConfig(), spec)
