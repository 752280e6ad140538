"""Entries about matrix mechanisms: kept, exceeded, and answers that do not follow from the file."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
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
from dpaudit.questions.account_matrix.function import account_matrix
from dpaudit.results import CertifiedAccount, Kind, Verdict

BANDED = "1,0,0,0\n0.5,1,0,0\n0,0.5,1,0\n0,0,0.5,1\n"
KEYS = {"noise-multiplier": "4", "max-participations": "2", "min-sep": "2"}


def configured(tmp_path: Path, name: str = "strategy.csv", **keys: str) -> Path:
    """Write a strategy and an entry about it; a key that is empty is left out."""
    (tmp_path / "strategy.csv").write_text(BANDED)
    given = {**KEYS, "budget": '["2", "1e-5"]', **{k.replace("_", "-"): v for k, v in keys.items()}}
    lines = [f"{key} = {value}" for key, value in given.items() if value]
    head = [f'[[mechanism]]\nmechanism = "{name}"\nmeasure = "account-matrix"']
    config = tmp_path / "dpaudit.toml"
    config.write_text("\n".join([*head, *lines, ""]))
    return config


@pytest.mark.parametrize(
    ("budget", "kind"),
    [
        ('["2", "1e-5"]', Kind.WITHIN),
        ('["3/2", "1e-5"]', Kind.EXCEEDS),
        ('["2", "1e-12"]', Kind.EXCEEDS),
    ],
)
def test_a_matrix_mechanism_keeps_a_budget(
    budget: str, kind: Kind, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config, document = configured(tmp_path, budget=budget), tmp_path / "gate.json"
    words = ["gate", "--config", str(config), "--jobs", "1", "--format", "json"]
    for form in ("sarif", "junit", "markdown"):
        words += ["--report", f"{form}={tmp_path / form}"]
    assert invoke([*words, "--output", str(document)]) == (0 if kind is Kind.WITHIN else 1)
    (found,) = json.loads(document.read_text())["mechanisms"]
    assert found["kind"] == kind.value, found
    assert found["location"]["file"] == "strategy.csv"
    assert found["report"]["matrix"]["path"] == "strategy.csv"
    assert "all 4 steps" in (tmp_path / "markdown").read_text()
    alone = account_matrix(
        tmp_path / "strategy.csv",
        noise_multiplier=4,
        max_participations=2,
        min_sep=2,
        budget=json.loads(budget),
    ).report
    assert isinstance(alone, CertifiedAccount)
    assert found["report"]["matrix"]["sensitivity"]["exact"] == str(alone.matrix.sensitivity.exact)  # type: ignore[union-attr]
    checked = ["verify", str(document), "--config", str(config)]
    assert invoke(checked) == 0, capfd.readouterr().out
    # Another noise, participation or file was not what the report is about.
    for change in (
        {"noise_multiplier": "5"},
        {"max_participations": "1"},
        {"min_sep": "3"},
        {"participation": '"fixed-epoch"'},
        {"width": '"5%"'},
    ):
        changed = configured(tmp_path, budget=budget, **change)
        written = json.loads(document.read_text())
        assert invoke(["verify", str(document), "--config", str(changed)]) == 1, written
    configured(tmp_path, budget=budget)
    (tmp_path / "strategy.csv").write_text(BANDED.replace("0.5", "0.6"))
    assert invoke(checked) == 1
    capfd.readouterr()


def test_a_wide_sensitivity_is_undecided_between_its_ends(tmp_path: Path) -> None:
    signed = np.tril(np.random.default_rng(3).normal(size=(12, 12)))
    np.save(tmp_path / "signed.npy", signed)
    kinds = []
    for epsilon in ("3", "4.6", "6"):
        config = configured(
            tmp_path,
            "signed.npy",
            noise_multiplier="8",
            max_participations="3",
            min_sep="4",
            budget=f'["{epsilon}", "1e-5"]',
        )
        (finding,) = run_gate(config, 1).mechanisms
        kinds.append(finding.kind)
    assert kinds == [Kind.EXCEEDS, Kind.UNDECIDED, Kind.WITHIN]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"budget": ""}, "needs budget = "),
        ({"budget": "1"}, "needs budget = "),
        ({"budget": '["1", "2"]'}, "delta"),
        ({"noise_multiplier": ""}, "needs noise-multiplier"),
        ({"max_participations": ""}, "needs max-participations"),
        ({"min_sep": ""}, "needs min-sep"),
        ({"noise_multiplier": "0"}, "at least 0.01"),
        ({"noise_multiplier": '"much"'}, "much"),
        ({"noise_multiplier": "[1, 2]"}, "noise-multiplier"),
        ({"max_participations": "0"}, "max-participations"),
        ({"max_participations": "5"}, "max-participations"),
        ({"min_sep": "0"}, "min-sep"),
        ({"participation": '"twice"'}, "participation"),
        ({"width": '"900%"'}, "from 1e-12 to 1"),
        ({"n": "3"}, "applies only to mechanisms"),
        ({"at": '"1,2"'}, "applies only to mechanisms"),
        ({"adjacency": '"substitution"'}, "applies only to mechanisms"),
        ({"parameters": "{ sigma = 9 }"}, "applies only to mechanisms"),
        ({"sampling": '"poisson"'}, "account-run"),
        ({"compose": "3"}, "apply only to measure"),
        ({"direction": '"add"'}, "apply only to measure"),
    ],
)
def test_entries_that_make_no_sense_end_the_gate(
    keys: dict[str, str], said: str, tmp_path: Path
) -> None:
    with pytest.raises((ConfigError, UsageError), match=said):
        run_gate(configured(tmp_path, **keys), 1)


@pytest.mark.parametrize("content", [b"", b"1,2\n3", b"a,b\nc,d", b"0,0\n0,0", b"\xff\x00", b"nan"])
def test_files_that_are_no_strategy_never_pass(content: bytes, tmp_path: Path) -> None:
    config = configured(tmp_path)
    (tmp_path / "strategy.csv").write_bytes(content)
    with pytest.raises(ConfigError, match=r"strategy\.csv"):
        run_gate(config, 1)
    (tmp_path / "strategy.csv").unlink()
    with pytest.raises(ConfigError, match=r"strategy\.csv"):
        run_gate(config, 1)


def test_keys_of_matrices_go_with_matrices_alone(tmp_path: Path) -> None:
    config = tmp_path / "dpaudit.toml"
    config.write_text('[[mechanism]]\nmechanism = "RR"\nmin-sep = 2\n')
    with pytest.raises(ConfigError, match="account-matrix"):
        run_gate(config, 1)


ENTRY = Entry(
    mechanism="strategy.csv",
    measure="account-matrix",
    budget=["2", "1e-5"],
    noise_multiplier=4,
    max_participations=2,
    min_sep=2,
)


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    (tmp_path / "strategy.csv").write_text(BANDED)
    return entry_question(ENTRY).spec(ENTRY, tmp_path)


def _sent(spec: Spec) -> CertifiedAccount:
    """Return the account that the process of the entry would send."""
    question = entry_question(ENTRY)
    subject = question.known_mechanism(spec, ENTRY)
    assert subject is not None
    account = question.reported(subject, ENTRY, plan_of(subject, ENTRY, GateConfig()), spec)
    assert isinstance(account, CertifiedAccount)
    return account


def _with_row(account: CertifiedAccount, place: int, **changes: Any) -> CertifiedAccount:
    rows = list(account.rows)
    rows[place] = replace(rows[place], **changes)
    return replace(account, rows=tuple(rows))


def test_only_numbers_are_taken_from_a_process(spec: Spec) -> None:
    request, account = EntryRequest(ENTRY, GateConfig(), spec), _sent(spec)
    answer: Any = request.answer(account)
    assert answer.verdict is Verdict.WITHIN
    # The verdict follows from δ, whatever the process says.
    large = _with_row(account, 1, delta=Enclosure(Decimal("0.1"), Decimal("0.2")))
    judged: Any = request.answer(replace(large, verdict=Verdict.WITHIN))
    assert judged.verdict is Verdict.EXCEEDS
    release = account.matrix
    assert release is not None
    half = Enclosure(release.sensitivity.lower / 2, release.sensitivity.upper / 2)
    for wrong in (
        replace(account, matrix=None),
        replace(account, matrix=replace(release, sensitivity=half)),
        replace(account, matrix=replace(release, noise_multiplier=account.width)),
        replace(account, matrix=replace(release, max_participations=1)),
        replace(account, matrix=replace(release, min_sep=4)),
        replace(account, matrix=replace(release, participation="fixed-epoch")),
        replace(account, matrix=replace(release, sha256="0" * 64)),
        replace(account, matrix=replace(release, triangular=False)),
        replace(account, compose=2),
        replace(account, sample_rate=account.width),
        replace(account, width=account.width * account.width),
        replace(account, relative=False),
        replace(account, described={**account.described, "sigma": "40"}),
        replace(account, rows=account.rows[:1]),
        replace(account, rows=account.rows[1:]),
        replace(account, rows=account.rows[::-1]),
        _with_row(account, 0, epsilon=Enclosure(Decimal(2), Decimal(1))),
        _with_row(account, 1, delta=Enclosure(Decimal("NaN"), Decimal("0.1"))),
    ):
        with pytest.raises(
            ValueError, match=r"its .* (is|are|row|must)|the interval of . |end of "
        ):
            request.answer(wrong)


def test_a_file_that_changes_while_the_gate_runs_never_passes(spec: Spec) -> None:
    Path(spec.folder, spec.reference).write_text(BANDED.replace("0.5", "0.25"))
    with pytest.raises(UsageError, match="changed while"):
        EntryRequest(ENTRY, GateConfig(), spec)
