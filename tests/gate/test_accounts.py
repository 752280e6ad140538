"""Entries about many runs: kept, exceeded, and told by processes that nobody believes."""

import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dpaudit.api.plans import mechanism
from dpaudit.cli.main import invoke
from dpaudit.errors import ConfigError, UsageError
from dpaudit.gate.config import Entry, GateConfig, read_config
from dpaudit.gate.requests import EntryRequest
from dpaudit.gate.run import run_gate
from dpaudit.mechanisms.spec import Spec
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.questions.account.certified import certified_account
from dpaudit.questions.account.gate import accounted
from dpaudit.results import Kind, Verdict
from dpaudit.results.accounts import CertifiedAccount

CONFIG = """
[[mechanism]]
label = "after 10,000 steps"
mechanism = "Gaussian"
measure = "account"
compose = 10000
budget = ["{epsilon}", "1e-10"]
parameters = {{ sigma = "700" }}
"""


@pytest.mark.parametrize(
    ("epsilon", "kind"), [("1", Kind.WITHIN), ("9/10", Kind.WITHIN), ("1/2", Kind.EXCEEDS)]
)
def test_after_ten_thousand_steps_at_most_a_budget(
    epsilon: str, kind: Kind, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "dpaudit.toml"
    config.write_text(CONFIG.format(epsilon=epsilon))
    (found,) = run_gate(config, 1).mechanisms
    assert found.kind is kind, found.message
    assert "of 10000 runs" in found.message
    assert isinstance(found.report, CertifiedAccount)
    assert found.report.compose == 10_000
    document = tmp_path / "gate.json"
    code = 0 if kind is Kind.WITHIN else 1
    asked = ["gate", "--config", str(config), "--jobs", "1", "--format", "json"]
    asked += ["--report", f"html={tmp_path / 'page.html'}"]
    assert invoke([*asked, "--output", str(document)]) == code
    assert "after 10,000 steps" in (tmp_path / "page.html").read_text()
    assert invoke(["verify", str(document)]) == 0
    changed = json.loads(document.read_text())
    changed["mechanisms"][0]["report"]["compose"] = 9_999
    del changed["sha256"]
    document.write_text(json.dumps(changed))
    assert invoke(["verify", str(document)]) == 1
    sys.stdout.flush()
    capfd.readouterr()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compose = 0\nbudget = 1", "from 1 to"),
        ("compose = 10\nbudget = 1\nnotion = 'zcdp'", "does not apply to measure"),
        ("budget = 1", "from 1 to"),
        ("compose = 10", "needs the budget of all runs, budget ="),
        ("compose = 10\nbudget = 1\ndirection = 'add'", "add sample-rate"),
        ("compose = 10\nbudget = 1\nsample-rate = 2", "at most 1"),
        ("compose = 10\nbudget = 1\nn = '1..2'", "needs a single size"),
        ("compose = 10\nbudget = 1\nwidth = 7", "from 1e-12 to 1"),
    ],
)
def test_entries_that_make_no_sense_end_the_gate(line: str, said: str, tmp_path: Path) -> None:
    config = tmp_path / "dpaudit.toml"
    config.write_text(
        f'[[mechanism]]\nmechanism = "Gaussian"\nmeasure = "account"\n{line}\n'
        "[mechanism.parameters]\nsigma = 5\n"
    )
    with pytest.raises((ConfigError, UsageError), match=said):
        run_gate(config, 1)


def test_runs_go_with_accounts_alone(tmp_path: Path) -> None:
    config = tmp_path / "dpaudit.toml"
    config.write_text('[[mechanism]]\nmechanism = "RR"\ncompose = 5\n')
    with pytest.raises((ConfigError, UsageError), match="apply only to measure"):
        run_gate(config, 1)
    assert read_config(config).mechanisms[0].compose == 5


ENTRY = Entry(
    mechanism="Gaussian",
    measure="account",
    compose=100,
    budget=["1", "1e-5"],
    parameters={"sigma": "50"},
)


def told() -> CertifiedAccount:
    subject = mechanism("Gaussian", sigma=50)
    from dpaudit.gate.requests import plan_of

    return accounted(subject, ENTRY, plan_of(subject, ENTRY, GateConfig()))


def with_delta(account: CertifiedAccount, **changes: Any) -> CertifiedAccount:
    (row,) = account.rows
    return replace(account, rows=(replace(row, **changes),))


def test_what_a_process_tells_is_held_to_the_entry() -> None:
    asked = EntryRequest(ENTRY, GateConfig(), Spec("Gaussian", (("sigma", "50"),)))
    account = told()
    found = asked.answer(account)
    assert isinstance(found, CertifiedAccount)
    assert found.verdict is Verdict.WITHIN
    lying = replace(with_delta(account, delta=Enclosure(Decimal("0.1"), Decimal("0.2"))))
    judged = asked.answer(lying)
    assert isinstance(judged, CertifiedAccount)
    assert judged.verdict is Verdict.EXCEEDS
    other = certified_account(
        mechanism("Gaussian", sigma=60), 1, 100, budget=account.budget, adaptive=False
    )
    for wrong in (
        replace(account, compose=99),
        replace(account, pairs=2),
        replace(account, width=account.width * account.width),
        replace(account, rows=()),
        replace(account, rows=account.rows * 2),
        with_delta(account, delta=Enclosure(Decimal("0.2"), Decimal("0.1"))),
        with_delta(account, delta=Enclosure(Decimal("NaN"), Decimal("0.1"))),
        with_delta(account, delta=Enclosure(Decimal(-1), Decimal("0.1"))),
        with_delta(account, direction="add"),
        other,
    ):
        with pytest.raises((ValueError, ArithmeticError)):
            asked.answer(wrong)
