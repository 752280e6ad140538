"""Comparisons with a law that were stopped go on to the same answer, and believe no report."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit import sampler
from dpaudit.cli.main import invoke
from dpaudit.errors import ParameterError, UsageError
from dpaudit.report.render import render
from dpaudit.report.resume import resume_sample
from dpaudit.results import SampleReport, SampleVerdict
from tests.sampling import subjects
from tests.sampling.test_kept import edited, sealed
from tests.sampling.test_resume import gone_on, stopped

pytestmark = pytest.mark.wrong_on_purpose

TWO: dict[str, Any] = {"datasets": [(1, 1), (0, 2)], "neighbours": "all"}


@sampler(**TWO)
def noisy(counts: Any, size: Any, rng: Any) -> Any:
    """Without an end: the outputs that are seen are compared, and all others as one."""
    return counts[0] + (rng.geometric(0.5, (size, 1)) - rng.geometric(0.5, (size, 1)))


@sampler(**TWO)
def dense(counts: Any, size: Any, rng: Any) -> Any:
    """With a density: bins are compared."""
    return rng.laplace(counts[0], 10.0, (size, 1))


@sampler(**subjects.BITS)
def strange(x: Any, size: Any, rng: Any) -> Any:
    """Outputs that the law has not."""
    return np.where(rng.random(size) < 0.75, x, 1 - x) + 2 * (rng.random(size) < 1e-3)


LAWS: dict[str, tuple[Any, Any]] = {
    "listed": (subjects.response, subjects.law),
    "without an end": (noisy, dpaudit.mechanism("Geometric", epsilon="ln(2)")),
    "with a density": (dense, dpaudit.mechanism("Laplace", scale="10")),
    "strange": (strange, subjects.law),
}


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("after", [3, 400])
def test_a_comparison_goes_on_to_the_same_answer(kind: str, after: int) -> None:
    subject, law = LAWS[kind]
    whole = dpaudit.sample(subject, against=law, draws=20_000, error="1e-6").report
    report = stopped(subject, after, against=law)
    assert report.verdict is SampleVerdict.UNFINISHED
    assert (report.comparisons, report.tolerance) == ((), "")
    assert gone_on(subject, report, against=law) == replace(whole, repeated=1)
    assert gone_on(subject, whole, against=law) is whole


def test_what_is_kept_is_not_drawn_again() -> None:
    calls: list[int] = []

    @sampler(**subjects.BITS)
    def counted(x: Any, size: Any, rng: Any) -> Any:
        calls.append(size)
        return np.where(rng.random(size) < 0.75, x, 1 - x)

    tried = 2 * (1 + 48) * 256
    report = stopped(counted, 300, against=subjects.law)
    first = sum(calls) - tried
    gone_on(counted, report, against=subjects.law)
    assert first > 20_000
    assert sum(calls) == 2 * tried + 2 * 20_000


def test_other_laws_and_budgets_are_refused() -> None:
    report = stopped(subjects.response, 3, against=subjects.law)
    with pytest.raises(ParameterError, match="against = law, the command asks for uneven"):
        gone_on(subjects.response, report, against=subjects.uneven)
    with pytest.raises(ParameterError):
        gone_on(subjects.response, report)


TRUSTED = {"comparisons.dataset", "comparisons.binned", "comparisons.worst", "selected", "event",
           "comparisons.cells.output", "comparisons.cells.low", "comparisons.cells.high",
           "comparisons.drift", "comparisons.strange", "comparisons.places.words",
           "repeated", "fingerprint"}  # fmt: skip
"""Of a comparison that is finished: the law is not looked into again, and nothing drawn again."""
KEPT = {"kept.datasets.places", "kept.datasets.chunks", "kept.evidence", "kept.seen",
        "kept.seen.part 1", "kept.seen.part 2", "repeated"}  # fmt: skip
"""Of one that was stopped: where all counts fit together, they may be another run's."""


@pytest.mark.parametrize("unfinished", [False, True])
def test_what_does_not_follow_is_refused_in_one_line(unfinished: bool, tmp_path: Path) -> None:
    given: dict[str, Any] = {"draws": 2_000, "error": "1e-6", "against": subjects.law}
    whole = dpaudit.sample(subjects.response, **given).report
    report: SampleReport = stopped(subjects.response, 40, **given) if unfinished else whole
    file = tmp_path / "report.json"
    file.write_bytes(render([report], "json"))
    wrong, refused = set(), []
    for name, changed in edited(json.loads(file.read_text())):
        try:
            found = gone_on(subjects.response, resume_sample(sealed(file, changed)), **given)
        except UsageError as error:
            refused.append(str(error))
        else:
            if replace(found, repeated=0, fingerprint="") != replace(whole, fingerprint=""):
                wrong.add(name)
    assert len(refused) > 80
    assert not [line for line in refused if "\n" in line]
    assert wrong <= (KEPT if unfinished else TRUSTED)


def test_the_command_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    line = ["sample", f"{subjects.__file__}:response", "--against", f"{subjects.__file__}:law",
            "--draws", "20000", "--error", "1e-6", "--no-plot", "--format", "json", "--output",
            str(file)]  # fmt: skip
    assert invoke(line) == 3
    whole = json.loads(file.read_text())
    assert whole["verdict"] == "too few draws"
    assert invoke([*line, "--resume", str(file)]) == 3
    assert json.loads(file.read_text())["comparisons"] == whole["comparisons"]
