"""Trainings are read from what libraries leave, and composed as what they are.

Files of Opacus are written by the format of its source, ``opacus/accountants/accountant.py`` and
``privacy_engine.py``; events are those of dp-accounting itself.
"""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import dp_accounting
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import PLDAccountant

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import UsageError
from dpaudit.questions.account_run.events import event_of, phases_of
from dpaudit.questions.account_run.logs import read_log
from dpaudit.questions.account_run.phases import MOST_PHASES, Phase
from dpaudit.results import Verdict

OPACUS = {"history": [[1.1, 0.02, 300], [0.9, 0.02, 100]], "mechanism": "rdp"}
SETTINGS = {"noise_multiplier": 2, "batch_size": 100, "dataset_size": 5000, "epochs": 3}
WHOLE = {"noise_multiplier": 20, "sample_rate": 1, "steps": 10}
"""A training that is verified at once: it has a closed form."""
STEP = dp_event.PoissonSampledDpEvent(0.02, dp_event.GaussianDpEvent(1.1))
EVENT = dp_event.ComposedDpEvent(
    [
        dp_event.SelfComposedDpEvent(STEP, 300),
        dp_event.SelfComposedDpEvent(
            dp_event.PoissonSampledDpEvent(0.02, dp_event.GaussianDpEvent(0.9)), 100
        ),
        dp_event.NoOpDpEvent(),
    ]
)
PHASES = (Phase("1.1", Fraction(1, 50), 300), Phase("0.9", Fraction(1, 50), 100))


def as_json(event: Any) -> Any:
    """Return an event as tables with the names of its classes."""
    if isinstance(event, list):
        return [as_json(one) for one in event]
    if not isinstance(event, dp_event.DpEvent):
        return event
    named = event.to_named_tuple()
    fields = {name: as_json(getattr(event, name)) for name in named._fields[2:]}
    return {"class_name": named.class_name, **fields}


def written(folder: Path, content: Any) -> str:
    path = folder / "run.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def account(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any, str]:
    code = invoke(["account-run", *words, "--format", "json"])
    captured = capfd.readouterr()
    return int(code), captured.out and json.loads(captured.out), captured.err


class Accountant:
    """An accountant as those of Opacus, which need torch."""

    history = [(1.1, 0.02, 300), (0.9, 0.02, 100)]  # noqa: RUF012  # as there

    @classmethod
    def mechanism(cls) -> str:
        return "prv"


@pytest.mark.parametrize(
    "run",
    [
        OPACUS,
        {"privacy_accountant_state_dict": OPACUS, "epoch": 3},
        Accountant(),
        EVENT,
        EVENT.to_named_tuple(),
        as_json(EVENT),
        {"event": as_json(EVENT), "delta": 1e-5},
        {"phases": [
            {"noise_multiplier": 1.1, "sample_rate": 0.02, "steps": 300},
            {"noise_multiplier": 0.9, "sample_rate": 0.02, "steps": 100},
        ]},
        [
            {"noise_multiplier": 1.1, "batch_size": 20, "n": 1000, "steps": 300},
            {"noise_multiplier": 0.9, "batch_size": 20, "n": 1000, "epochs": 2},
        ],
        {
            "noise_multipliers": [[0, 1.1], [300, 0.9]],
            "batch_size": 20,
            "num_samples": 1000,
            "num_updates": 400,
            "sampling_method": "SamplingMethod.POISSON",
        },
    ],
)  # fmt: skip
def test_every_form_is_the_same_training(run: Any, tmp_path: Path) -> None:
    assert read_log(run).phases == PHASES
    if isinstance(run, (dict, list)):
        assert read_log(written(tmp_path, run)).phases == PHASES


def test_a_ledger_is_read_from_its_accountant() -> None:
    accountant = PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
    accountant.compose(EVENT)
    assert read_log(accountant).phases == PHASES


@pytest.mark.parametrize("text", [repr(EVENT), repr(EVENT.to_named_tuple()), f" {EVENT!r}\n"])
def test_an_event_is_read_as_it_prints(text: str, tmp_path: Path) -> None:
    assert read_log(written(tmp_path, text)).phases == PHASES


def test_nothing_in_a_text_is_run(tmp_path: Path) -> None:
    """A call is its name and its arguments, never a call."""
    mark = tmp_path / "mark"
    text = f"SelfComposedDpEvent(event=GaussianDpEvent(1), count=open({str(mark)!r}, 'w'))"
    with pytest.raises(UsageError):
        read_log(written(tmp_path, text))
    with pytest.raises(UsageError):
        read_log(written(tmp_path, f"open({str(mark)!r}, 'w')"))
    assert not mark.exists()


def test_a_file_of_torch_is_not_unpickled(tmp_path: Path) -> None:
    """A line says how to write JSON, whether torch is there and refuses it or is not."""
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(b"\x80\x02cposix\nsystem\nq\x00X\x04\x00\x00\x00trueq\x01\x85q\x02R.")
    with pytest.raises(UsageError, match=r"accountant\.history"):
        read_log(path)


def test_phases_are_composed_as_the_engine_composes_them() -> None:
    found = dpaudit.account_run(OPACUS, delta="1e-5")
    then = [dpaudit.Run(dpaudit.mechanism("Gaussian", sigma="0.9"), 100, dpaudit.real("1/50"))]
    (wanted,) = dpaudit.account(
        "Gaussian", 1, sigma="1.1", compose=300, sample_rate="1/50", then=then,
        at_delta="1e-5", width="1%",
    ).rows  # fmt: skip
    assert found.rows[0].epsilon == wanted.epsilon


def test_it_is_what_dp_accounting_says_of_its_event() -> None:
    """Of phases on samples, and of one on all the data among them."""
    whole = dp_event.ComposedDpEvent([EVENT, dp_event.GaussianDpEvent(5.0)])
    for event in (EVENT, whole):
        accountant = PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
        theirs = accountant.compose(event).get_epsilon(1e-5)
        ours = dpaudit.account_run(event, delta="1e-5").rows[0].epsilon
        assert float(ours.lower) * 0.999 <= theirs <= float(ours.upper) * 1.001


def test_runs_on_all_the_data_have_a_closed_form() -> None:
    event = dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(20.0), 10)
    (row,) = dpaudit.account_run(event, delta="1e-5").rows
    (wanted,) = dpaudit.account("Gaussian", sigma=20, compose=10, at_delta="1e-5").rows
    assert row.method == "closed form"
    assert row.epsilon == wanted.epsilon


@pytest.mark.parametrize(
    ("theirs", "verdict", "said"),
    [
        ("1/10", Verdict.EXCEEDS, "interval: the training does not keep this ε"),
        ("2", Verdict.WITHIN, "above the certified interval: the training keeps this ε"),
    ],
)
def test_what_their_accountant_said_is_held_to_the_interval(
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    theirs: str,
    verdict: Verdict,
    said: str,
) -> None:
    code = 1 if verdict is Verdict.EXCEEDS else 0
    path = written(tmp_path, WHOLE | {"epsilon": theirs, "delta": 1e-5})
    ended, found, _ = account(capfd, path)
    assert (ended, found["training"]["claim_verdict"]) == (code, verdict.value)
    assert found["training"]["claimed"] == {"epsilon": theirs, "delta": "1/100000"}
    other = dpaudit.account_run(WHOLE, delta="1e-5", their_epsilon=theirs)
    training = other.report.training  # type: ignore[union-attr]
    assert training is not None
    assert training.claim_verdict is verdict
    assert invoke(["account-run", path]) == code
    assert said in " ".join(capfd.readouterr().out.split())


def test_a_report_is_verified_and_a_changed_claim_is_not(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = written(tmp_path, WHOLE | {"epsilon": "2/5", "delta": 1e-5})
    report = tmp_path / "report.json"
    invoke(["account-run", run, "--format", "json", "--output", str(report)])
    assert invoke(["verify", str(report)]) == 0
    assert "claims" in capfd.readouterr().out
    changed = json.loads(report.read_text())
    changed["training"]["claim_verdict"] = "within"
    changed.pop("sha256")
    report.write_text(json.dumps(changed))
    assert invoke(["verify", str(report)]) == 1


def test_a_budget_has_a_verdict(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    assert account(capfd, path, "--budget", "1/10,1e-5")[0] == 1
    assert account(capfd, path, "--budget", "2,1e-5")[0] == 0


REFUSED: list[tuple[Any, str]] = [
    ({}, "sample_rate, or batch_size and dataset_size, is missing"),
    (SETTINGS | {"noise_multiplier": None}, "noise_multiplier is missing"),
    (SETTINGS | {"epochs": None}, "steps, or epochs, is missing"),
    (SETTINGS | {"steps": 1500}, "1500 steps are not 3 epochs"),
    (SETTINGS | {"sample_rate": 0.1}, "not that of batches of 100 of 5000"),
    (SETTINGS | {"num_examples": 10}, "is given twice"),
    (SETTINGS | {"noise_multiplier": 0.02}, "write noise_multiplier = 2"),
    (SETTINGS | {"max_grad_norm": 10, "noise_std": 2}, "not to be multiplied by the clipping norm"),
    (
        SETTINGS | {"max_grad_norm": 10, "noise_std": 0.02},
        "not to be multiplied by the clipping norm",
    ),
    (
        SETTINGS | {"max_grad_norm": 10, "noise_std": 7},
        "20 on the sum of the gradients, or 0.2 on their mean",
    ),
    (SETTINGS | {"noise_multiplier": None, "noise_std": 2}, "without a clipping norm"),
    (OPACUS | {"poisson_sampling": False}, "batches are shuffle"),
    (OPACUS | {"shuffle": True}, "batches are shuffle"),
    (SETTINGS | {"sampling": "sorted"}, "must be one of poisson"),
    (SETTINGS | {"examples_per_user": 3}, "examples for each user: dpaudit computes bounds only"),
    (SETTINGS | {"truncated_batch_size": 128}, "truncated"),
    (SETTINGS | {"cycle_length": 4}, "cyclic"),
    (SETTINGS | {"batch_size": 0}, "from 1 to 5000"),
    (SETTINGS | {"batch_size": 2.5}, "whole number"),
    (SETTINGS | {"noise_multiplier": True}, "must be a number"),
    (SETTINGS | {"epsilon": 1}, "s accountant depends on δ; give one, such as --delta"),
    ({"history": [], "mechanism": "rdp"}, "no steps"),
    ({"history": [[1.1, 0.01]]}, r"not \[noise, rate, steps\]"),
    ({"history": [[1.1, 2, 5]]}, "sample_rate"),
    ({"history": "abc"}, "must be a list"),
    ({"history": [[1 + i / 10**4, 0.01, 1] for i in range(MOST_PHASES + 1)]}, "the limit is 1000"),
    (OPACUS | {"batch_size": 64, "dataset_size": 6400}, "not that of batches"),
    (OPACUS | {"noise_std": 1.1, "max_grad_norm": 4}, "not to be multiplied"),
    ({"class_name": "LaplaceDpEvent", "noise_multiplier": 1}, "LaplaceDpEvent"),
    ({"class_name": "SelfComposedDpEvent", "count": 2}, "has no event"),
    ({"class_name": "SelfComposedDpEvent", "event": STEP, "count": -1}, "whole number"),
    (dp_event.NonPrivateDpEvent(), "ε is infinite"),
    (dp_event.SampledWithoutReplacementDpEvent(10, 2, STEP.event), "fixed-size batches"),
    (
        dp_event.PoissonSampledDpEvent(0.5, EVENT),
        "holds other events than one Gaussian mechanism, and dpaudit composes",
    ),
    ("run.txt", "No such file"),
    (object(), "must be a file"),
    ([3], "must be a table"),
]


@pytest.mark.parametrize(("run", "said"), REFUSED)
def test_what_is_no_training_or_contradicts_itself_is_refused(run: Any, said: str) -> None:
    """Neither reading of a contradiction is accounted for: the ε would be another training's."""
    with pytest.raises(UsageError, match=said):
        dpaudit.account_run(run, delta=() if "epsilon" in str(run) else "1e-5")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1,", "nonsense", '{"history": [[NaN, 1, 1]]}', "[" * 100_000, "f(" * 500, "\x00"],
)
def test_a_bad_file_is_one_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    code, out, said = account(capfd, written(tmp_path, text), "--delta", "1e-5")
    assert (code, out, said.count("\n")) == (2, "", 1)
    assert "run.json: " in said


def test_a_deep_event_is_refused() -> None:
    event: Any = {"class_name": "GaussianDpEvent", "noise_multiplier": 1}
    for _ in range(60):
        event = {"class_name": "SelfComposedDpEvent", "event": event, "count": 1}
    with pytest.raises(UsageError, match="nested"):
        list(phases_of(event))
    text = "SelfComposedDpEvent(event=" * 150 + "GaussianDpEvent(1)" + ", count=1)" * 150
    with pytest.raises(UsageError, match="nested"):
        event_of(text)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"max_grad_norm": 10}, "units of the clipping norm, 10"),
        ({"used_microbatching": True}, "clipped separately"),
        ({"learning_rate": 0.1, "seed": 3}, "not read: learning_rate, seed"),
    ],
)
def test_a_reading_that_was_chosen_is_said(more: dict[str, Any], said: str) -> None:
    assert any(said in remark for remark in read_log(SETTINGS | more).remarks)
    assert not read_log(SETTINGS).remarks


def test_settings_that_fit_are_no_contradiction() -> None:
    for more in (
        {"max_grad_norm": 10, "noise_std": 20},
        {"max_grad_norm": 10, "noise_std": 0.2},
        {"max_grad_norm": 10, "noise_std": 20, "noise_multiplier": None},
        {"sample_rate": 0.02},
        {"steps": 150},
        {"poisson_sampling": True},
        {"shuffle": False},
    ):
        (phase,) = read_log(SETTINGS | more).phases
        found = Fraction(phase.noise_multiplier), phase.rate, phase.steps
        assert found == (Fraction(2), Fraction(1, 50), 150)
    # A loader of 235 batches is sampled from at a rate of 1/235.
    opacus = {"history": [[1, 1 / 235, 235]], "batch_size": 256, "dataset_size": 60000}
    assert read_log(opacus).steps == 235


def test_phases_are_accounted_where_planning_settles_some_of_what_is_asked() -> None:
    # δ(2) is 0 in one direction: it is known before anything is composed, and ε at δ is not.
    run = {"history": [[1.1, 0.01, 100], [1.3, 0.01, 50]], "mechanism": "rdp"}
    together: Any = dpaudit.account_run(run, delta="1e-5", epsilon="2").report
    apart: Any = dpaudit.account_run(run, delta="1e-5").report
    (of_epsilon, of_delta), (alone,) = together.rows, apart.rows
    epsilon, delta = of_epsilon.epsilon, of_delta.delta
    assert epsilon.lower <= alone.epsilon.upper
    assert alone.epsilon.lower <= epsilon.upper
    assert 0 < delta.lower <= delta.upper < Decimal("1e-11")
