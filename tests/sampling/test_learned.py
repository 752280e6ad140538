"""Learned scores: what they find, that they are told again, and that nothing untrue is read."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit import sampler
from dpaudit.errors import MissingExtraError, ParameterError
from dpaudit.results import SampleVerdict
from dpaudit.sampling.batches import batch_of
from dpaudit.sampling.events import HalfLine
from dpaudit.sampling.features import Feature, Part
from dpaudit.sampling.output_text import coded, event_of
from tests.sampling import subjects
from tests.sampling.test_resume import gone_on, stopped

FILE = Path(subjects.__file__)


@sampler(datasets=[0, 1], neighbours="all", budget="1/10")
def running_sums(x: Any, size: Any, rng: Any) -> Any:
    """Sums of noisy values: only all the steps between the entries tell the sides apart."""
    return np.cumsum(x + rng.laplace(0, 8, (size, 12)).round(), axis=1)


PART = Part(Feature("step", 1), (0.0, 1.5), (-0.25, 0.5, 1.0, 0.125))
SCORE = Feature("learned", parts=(Part(Feature("coordinate"), (), (0.5, 0.0)), PART))
EVENT = HalfLine(SCORE, 0.75, True, False)


@pytest.fixture
def learning() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: dpaudit[learn]")


@pytest.mark.usefixtures("learning")
def test_a_learned_score_shows_what_single_numbers_do_not() -> None:
    given: dict[str, Any] = {"draws": 30_000, "error": "1e-6"}
    plain = dpaudit.sample(running_sums, **given).report
    learned = dpaudit.sample(running_sums, events="learned", **given).report
    assert learned.event is not None
    assert "logistic regression" in learned.event.words
    assert learned.learned.startswith("scikit-learn ")
    assert plain.learned == ""
    assert float(learned.epsilon) > 1.2 * float(plain.epsilon or 0)
    assert float(learned.epsilon) < 12 / 8  # which is the truth


@pytest.mark.usefixtures("learning")
def test_a_run_with_a_learned_event_goes_on_to_the_same_answer() -> None:
    whole = dpaudit.sample(running_sums, events="learned", draws=20_000, error="1e-6").report
    report = stopped(running_sums, 3, events="learned")
    assert report.verdict is SampleVerdict.UNFINISHED
    assert "logistic" in report.kept or '"learned"' in report.kept
    found = gone_on(running_sums, report, events="learned")
    assert (found.event, found.epsilon, found.delta) == (whole.event, whole.epsilon, whole.delta)
    with pytest.raises(ParameterError, match=r"learned = scikit-learn.*asks for none"):
        gone_on(running_sums, report)


@pytest.mark.usefixtures("learning")
@pytest.mark.parametrize("name", ["constant", "response", "words", "leaking", "not_numbers"])
def test_outputs_with_nothing_to_learn_from_are_audited_as_before(name: str) -> None:
    subject = getattr(subjects, name)
    given: dict[str, Any] = {"draws": 4_000, "error": "1e-3"}
    plain, learned = (
        dpaudit.sample(subject, events=events, **given).report for events in ("features", "learned")
    )
    assert learned.verdict is plain.verdict


def test_without_the_library_one_line_says_what_brings_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "sklearn.py").write_text("raise ModuleNotFoundError('sklearn')")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"dpaudit\[learn\]"):
        dpaudit.sample(subjects.response, events="learned")
    line = ["sample", f"{FILE}:response", "--draws", "100", "--events", "learned", "--no-plot"]
    ended = subprocess.run(
        [sys.executable, "-c", "from dpaudit.cli.main import run; run()", *line],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "pip install 'dpaudit[learn]'" in ended.stderr
    assert dpaudit.sample(subjects.response, draws=4_000).report.learned == ""


def test_what_no_events_are_chosen_for_is_refused() -> None:
    with pytest.raises(ParameterError, match="uses no events"):
        dpaudit.sample(subjects.response, events="learned", against=subjects.law)
    with pytest.raises(ParameterError, match="features or learned"):
        dpaudit.sample(subjects.response, events="pickled")


def test_a_score_is_a_sum_that_is_exact() -> None:
    batch = batch_of(np.array([[0.0, 1.0, 4.0], [0.0, 1.0, 1.0], [1.0, np.nan, 2.0]]))
    assert SCORE(batch).tolist() == [1.5, 1.0, 0.625]
    assert EVENT.contains(batch).tolist() == [True, True, False]
    assert EVENT.words() == (
        "the score of a logistic regression on the entries and the steps between entries ≥ 0.75"
    )


EVENTS = [EVENT, HalfLine(Feature("twos", 3), 1.0, True, False)]


@pytest.mark.parametrize("event", EVENTS, ids=lambda one: str(one.feature.kind))
def test_events_are_told_again(event: HalfLine) -> None:
    assert event_of(json.loads(json.dumps(coded(event)))) == event


@pytest.mark.parametrize(
    "score",
    [
        Feature("learned"),
        replace(SCORE, index=1),
        Feature("sum", parts=(PART,)),
        Feature("learned", parts=(Part(SCORE, (), (0.5, 0.0)),)),
        Feature("learned", parts=(replace(PART, edges=(1.5, 0.0)),)),
        Feature("learned", parts=(replace(PART, edges=(0.0,)),)),
        Feature("learned", parts=(replace(PART, weights=(0.1, 0.5, 1.0, 0.125)),)),
        Feature("learned", parts=(replace(PART, weights=(float("inf"), 0.5, 1.0, 0.125)),)),
        Feature("learned", parts=(replace(PART, weights=(float("nan"), 0.5, 1.0, 0.125)),)),
        Feature("learned", parts=(replace(PART, weights=(True, 0.5, 1.0, 0.125)),)),
    ],
    ids=str,
)
def test_scores_that_no_run_has_learned_are_refused(score: Feature) -> None:
    with pytest.raises(ValueError, match="its event is invalid"):
        event_of(coded(HalfLine(score, 0.75, True, False)))
