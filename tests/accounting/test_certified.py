"""Certified accounts: the command, its document, budgets, refusals, and their recheck."""

import json
import shlex
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec import structs

from dpaudit import account
from dpaudit.api.plans import mechanism
from dpaudit.cli.main import invoke
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.questions.account import solving
from dpaudit.questions.account.candidates import Candidate
from dpaudit.questions.account.certified import certified_account
from dpaudit.questions.account.refining import verdict_of
from dpaudit.results import Enclosure, Verdict
from dpaudit.results.accounts import DeltaRow, EpsilonRow


def run(capfd: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert invoke([*arguments]) == code
    sys.stdout.flush()
    return capfd.readouterr().out


def test_rows_have_intervals_at_delta_and_at_epsilon(capfd: pytest.CaptureFixture[str]) -> None:
    asked = "account Gaussian --sigma 100 --compose 10000 --at-delta 1e-10 --at-eps 8 --format json"
    found = json.loads(run(capfd, *asked.split()))
    assert found["schema"] == "dpaudit.account/2"
    first, second = found["rows"]
    assert first["delta"] == "1/10000000000"
    assert float(first["epsilon"]["lower"]) == pytest.approx(6.547924066864951)
    assert second["epsilon"] == "8"
    assert float(second["delta"]["lower"]) == pytest.approx(3.650821687421791e-15)


@pytest.mark.parametrize(
    ("budget", "verdict"), [("7,1e-10", Verdict.WITHIN), ("6,1e-10", Verdict.EXCEEDS)]
)
def test_a_budget_gives_a_verdict(budget: str, verdict: Verdict) -> None:
    subject = mechanism("Gaussian", sigma="100")
    assert certified_account(subject, 1, 10_000, budget=read_budget(budget)).verdict is verdict


def test_a_tie_is_decided() -> None:
    found = certified_account(mechanism("RR"), 1, 3, budget=read_budget("12/5"))
    assert found.verdict is Verdict.WITHIN


def test_a_million_runs_of_randomised_response_are_narrow() -> None:
    (row,) = certified_account(mechanism("RR"), 1, 10**6, at_delta=["1e-10"]).rows
    assert isinstance(row, EpsilonRow)
    assert 0 < row.epsilon.width < 1e-12


def test_a_delta_that_is_as_good_as_0_is_not_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A width relative to such a δ took steps a thousand times finer each round, for minutes."""
    looks: list[Candidate] = []
    look = Candidate.look

    def counted(one: Candidate, *given: Any) -> None:
        looks.append(one)
        assert len(looks) <= 8
        look(one, *given)

    monkeypatch.setattr(Candidate, "look", counted)
    found = certified_account(
        mechanism("Laplace", scale="10"), 1, 1000, sample_rate="1/100", at_eps=["1/2"]
    )
    (row,) = found.rows
    assert isinstance(row, DeltaRow)
    assert row.delta.upper < Decimal("1e-22")


def test_a_bound_smaller_than_numbers_that_are_read_has_a_verdict() -> None:
    """An upper bound may be 10^−12000: it was parsed as if a user had written it, and refused."""
    tiny = Decimal("1e-12000")
    assert verdict_of(read_budget("2,1e-6"), Enclosure(Decimal(0), tiny)) is Verdict.WITHIN
    budget = read_budget("2,0")
    assert verdict_of(budget, Enclosure(tiny, tiny)) is Verdict.EXCEEDS
    assert verdict_of(budget, Enclosure(Decimal(0), tiny)) is Verdict.UNDECIDED


def test_what_is_not_proved_for_samples_is_refused_by_name() -> None:
    with pytest.raises(
        ParameterError, match="EHDS: subsampling is certified only for Gaussian and Laplace"
    ):
        certified_account(mechanism("EHDS"), 4, 2, at_eps=["1"], sample_rate="1/10")


@pytest.mark.parametrize(
    ("sought", "sigma", "value", "failing"),
    [("sigma", "3", "37.31", "37.3"), ("steps", "20", "28", "29")],
)
def test_a_plan_keeps_its_budget_and_the_value_beside_it_does_not(
    capfd: pytest.CaptureFixture[str], sought: str, sigma: str, value: str, failing: str
) -> None:
    asked = f"account Gaussian --sigma {sigma} --solve {sought} --compose 100 --budget 1,1e-5"
    found = json.loads(run(capfd, *asked.split(), "--format", "json"))
    solved = found["solved"]
    assert (solved["value"], solved["failing"]) == (value, failing)
    assert (found["verdict"], solved["failing_verdict"]) == ("within", "exceeds")
    assert float(found["rows"][0]["delta"]["upper"]) <= 1e-5
    assert float(solved["failing_delta"]["lower"]) > 1e-5


def test_what_cannot_be_sought_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    for options in ("--solve sigma", "--solve sigma --budget 1", "--solve q --budget 1,1e-5"):
        assert invoke(["account", "Gaussian", "--compose", "9", *options.split()]) == 2
    assert invoke(["account", "RR", "--solve", "sigma", "--budget", "1,1e-5"]) == 2
    assert "RR has no parameter sigma" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("direction", "epsilon"), [("remove", float("inf")), ("add", 0.010000050000333336)]
)
def test_at_no_delta_samples_keep_their_largest_loss(
    direction: Literal["add", "remove"], epsilon: float
) -> None:
    """A removed record of Gaussian noise is unbounded, an added one at most −k·ln(1 − q)."""
    subject = mechanism("Gaussian", sigma="1")
    (row,) = certified_account(
        subject, 1, 1000, at_delta=["0"], sample_rate="1e-5", direction=direction
    ).rows
    assert isinstance(row, EpsilonRow)
    assert float(row.epsilon.lower) == pytest.approx(epsilon, rel=1e-15)


def test_an_account_is_rechecked_and_a_changed_one_contradicted(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "account.json"
    asked = "account RR --compose 300 --at-delta 1e-6 --format json"
    output = run(capfd, *asked.split())
    file.write_text(output)
    assert "accepted" in run(capfd, "verify", str(file))
    content = json.loads(output)
    content["rows"][0]["epsilon"] = {"lower": "120", "upper": "121"}
    content["rows"][0]["adaptive_upper"] = "121"
    file.write_text(json.dumps(content))
    assert "rejected" in run(capfd, "verify", str(file), code=1)


def test_several_numbers_of_runs_are_one_document_and_one_figure(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plot, file = tmp_path / "steps.svg", tmp_path / "accounts.json"
    asked = "account Gaussian --sigma 9 --compose 5,10..30..10 --at-delta 1e-5 --format json"
    run(capfd, *asked.split(), "--plot", str(plot), "--output", str(file))
    found = json.loads(file.read_text())
    assert found["schema"] == "dpaudit.reports/1"
    assert [one["compose"] for one in found["reports"]] == [5, 10, 20, 30]
    assert "verdict" not in found
    assert plot.exists()
    assert "accepted" in run(capfd, "verify", str(file))
    within = run(capfd, *asked.split()[:-2], "--budget", "3,1e-5")
    assert "overall within: all 4" in within
    assert "overall exceeds" in run(capfd, *asked.split()[:-2], "--budget", "1,1e-5", code=1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--compose 5,10 --epsilon-grid 1", "several values of --compose"),
        (
            "--compose 5 --epsilon-grid 1 --plot a.png",
            "dpaudit plots, and accepts several values of --compose",
        ),
        ("--compose 5..10 --at-eps 1", "FIRST..LAST..STEP"),
        ("--compose 5,x --at-eps 1", "must be a whole number"),
        ("--compose 1..9999..1 --at-eps 1", "at most 1000 numbers"),
        (
            "--compose 5,6 --solve steps --budget 1,1e-5",
            "--solve starts from one number of runs; give --compose",
        ),
        ("--compose 5 --solve steps", "needs a budget to keep"),
        ('--at-eps 1 --then "Laplace \'scale=5"', "No closing quotation"),
    ],
)
def test_nonsense_about_runs_and_plots_is_one_line(
    options: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["account", "Gaussian", *shlex.split(options)]) == 2
    error = capfd.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_an_interruption_ends_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """It went on with the next value, each of which was interrupted for itself."""
    asked = []

    def interrupted(*given: Any, **how: Any) -> Any:
        asked.append(given)
        return structs.replace(certified_account(*given, **how), interrupted=True)

    monkeypatch.setattr(solving, "certified_account", interrupted)
    with pytest.raises(KeyboardInterrupt):
        account("Gaussian", sigma=1, compose=10, solve="sigma", budget="1,1e-5")
    assert len(asked) == 1


def test_values_far_from_the_budget_are_decided_by_chernoffs_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """δ is 10^−54 where this search begins; enclosing that took minutes."""
    looked, real = [], Candidate.look

    def look(self: Candidate, *given: Any) -> None:
        looked.append(self)
        real(self, *given)

    monkeypatch.setattr(Candidate, "look", look)
    sampled: dict[str, Any] = {"compose": 1000, "sample_rate": "1/100"}
    found = certified_account(
        mechanism("Gaussian", sigma=3),
        1,
        sampled["compose"],
        sample_rate=sampled["sample_rate"],
        budget=read_budget(("2", "1e-6")),
        adaptive=False,
        decide=True,
    )
    assert found.verdict == "within"
    assert not looked
    (row,) = found.rows
    assert isinstance(row, DeltaRow)
    assert 0 < row.delta.upper < Decimal("1e-50")
    (found,) = account("Gaussian", sigma=3, solve="sigma", budget="2,1e-6", **sampled).reports
    solved = found.solved
    assert (solved.value, solved.failing) == (Decimal("1.03"), Decimal("1.029"))
