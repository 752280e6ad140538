"""Reports of ``dpaudit sample`` alone, changed and sealed anew: what is not refused is listed."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.verify import verify
from dpaudit.report.render import render
from dpaudit.results import SampleReport
from tests.campaigns import part
from tests.sampling import subjects
from tests.sampling.test_kept import REPORTS, edited, sealed, whole
from tests.sampling.test_resume import stopped

pytestmark = pytest.mark.wrong_on_purpose

LAW: dict[str, Any] = {"against": subjects.law, "draws": 200_000}
KINDS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    **REPORTS,
    "conforms": (subjects.response, LAW, whole),
    "differs": (subjects.response, {**LAW, "p": "9/10", "draws": 2_000}, whole),
}
TAKEN = {"fingerprint", "sized", "mechanism", "mechanism.name", "mechanism.p", "n", "relation",
         "datasets", "seed", "event.words", "event.x", "event.y", "repeated"}  # fmt: skip
"""What only the sampler, or new draws, could show."""
ROUNDED = {"epsilon", "delta", "event.count_x", "event.count_y", "comparisons.distance",
           "comparisons.cells.high", "comparisons.places.distance"}  # fmt: skip
"""What may differ by so little that a bound of four digits does not show it."""
KEPT = "kept.event", "kept.ranks", "kept.seen", "kept.evidence", "kept.places"
"""What a run that goes on needs: of places the counts are looked at, not the kinds of calls."""
COMPARED = {"pairs", "event", "against", "comparisons.dataset", "comparisons.worst",
            "comparisons.cells.output"}  # fmt: skip
FREE: dict[str, set[str]] = {
    "too few draws": {"budget.epsilon", "error"},
    "vacuous": {"budget.epsilon", "error"},
    "early exceeds": {"draws", "kept.vacuous"},
    "stopped exceeds": {"draws", "kept.vacuous"},
    "stopped unfinished": {"budget.epsilon", "draws", "kept.vacuous"},
    "unfinished": {"budget.epsilon", "budget.delta", "draws", "error", "kept.vacuous"},
    "early unfinished": {
        *("budget.epsilon", "budget.delta", "draws", "error", "sequential", "kept.vacuous"),
    },
    "conforms": COMPARED,
    "differs": {*COMPARED, "comparisons.drift"},  # how many sets of draws there are is not told
}  # fmt: skip
"""What else says nothing where nothing is bounded, or is of a law that is not looked at."""


def report_of(kind: str) -> SampleReport:
    subject, given, made = KINDS[kind]
    found: SampleReport = made(subject, **given)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_follow_is_not_accepted(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(render([report_of(kind)], "json"))
    assert verify(file).verdict == "accepted"
    accepted, refused = set(), 0
    for name, changed in islice(edited(json.loads(file.read_text())), 0, None, step := part(1, 36)):
        try:
            said = verify(sealed(file, changed)).verdict
        except NotAReportError:
            said = "none"
        if said == "accepted":
            accepted.add(name)
        else:
            refused += 1
    free = TAKEN | ROUNDED | FREE.get(kind, set())
    assert {name for name in accepted if not name.startswith(KEPT)} <= free
    assert refused > 80 / step


def test_counts_that_places_do_not_share_out_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    document = json.loads(render([report_of("early exceeds")], "json"))
    for side in (1, 2):
        kept = json.loads(document["kept"])
        cells = kept["places"][0][side]
        for at, count in enumerate(cells):
            cells[at] = count + 1
            found = verify(sealed(file, {**document, "kept": json.dumps(kept)}))
            assert "do not share out its counts" in found.disagreements[0].message
            cells[at] = count


DRIFTED: dict[str, Any] = {"against": subjects.law, "draws": 20_000, "error": "1e-6"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"strange": ""}, "no draws '' show a p-value"),
        ({"strange": "some"}, "no draws 'some' show a p-value"),
        ({"strange": "single calls: 0: 20001 of 20000"}, "show a p-value of"),
        ({"strange": "single calls: 7: 0 of 20000"}, "show a p-value of"),
        ({"strange": "single calls: 0: 5000 of 6666"}, "show a p-value of"),
        ({"drift": "1", "strange": ""}, "contradict its law more than by 1"),
        ({"drift": "0.5"}, "show a p-value of 0.5"),
        ({"drift": "2"}, "p-value of draws from one place is 2"),
    ],
)
def test_what_is_told_of_a_drift_follows_from_the_counts(
    change: dict[str, str], said: str, tmp_path: Path
) -> None:
    """The sampler draws otherwise in calls of one; no edit of the report can hide that."""

    @dpaudit.sampler(datasets=[0, 1], neighbours="all", budget="ln(3)")
    def alone(x: Any, size: Any, rng: Any) -> Any:
        return np.where(rng.random(size) < (0.9 if size == 1 else 0.75), x, 1 - x)

    report = dpaudit.sample(alone, **DRIFTED).report
    file = tmp_path / "report.json"
    document = json.loads(render([report], "json"))
    assert document["comparisons"][0]["strange"].startswith("single calls: ")
    assert verify(sealed(file, document)).verdict == "accepted"
    document["comparisons"][0] |= change
    found = verify(sealed(file, document))
    assert any(said in one.message for one in found.disagreements), found.disagreements


def test_places_by_other_names_are_refused(tmp_path: Path) -> None:
    report = dpaudit.sample(subjects.response, **DRIFTED).report
    file = tmp_path / "report.json"
    for words in ("calls", "the first third of the run"):
        document = json.loads(render([report], "json"))
        document["comparisons"][0]["places"][0]["words"] = words
        found = verify(sealed(file, document))
        assert any("not those of calls" in one.message for one in found.disagreements)


@pytest.mark.parametrize("sequential", [False, True])
def test_a_bound_above_the_counts_is_told(tmp_path: Path, sequential: bool) -> None:
    given: dict[str, Any] = {"p": "9/10", "draws": 20_000, "error": "1e-6"}
    report = dpaudit.sample(subjects.response, sequential=sequential, **given).report
    file = tmp_path / "report.json"
    for name in ("epsilon", "delta"):
        for factor in (0.9, 1.1):
            document = json.loads(render([report], "json"))
            document[name] = f"{float(document[name]) * factor:.6g}"
            found = verify(sealed(file, document))
            assert found.verdict == "rejected"
            assert "counts show" in str(found.disagreements[0])


def test_bounds_of_a_run_that_was_stopped_follow_from_its_counts(tmp_path: Path) -> None:
    report = stopped(subjects.response, 40, sequential=True, budget="3")
    file = tmp_path / "report.json"
    file.write_bytes(render([report], "json"))
    assert verify(file).verdict == "accepted"
    for name, told in (("epsilon", report.epsilon), ("delta", report.delta)):
        for changed in (f"{float(told or 0) * 1.1 + 0.01:.6g}", f"{float(told or 0) * 0.9:.6g}"):
            if changed in ("0", told):
                continue
            document = json.loads(render([report], "json"))
            document[name] = changed
            found = verify(sealed(file, document))
            assert "counts show" in str(found.disagreements[0]), (name, changed)
    others = {"sequential": False, "draws": 8_000, "budget": {"epsilon": "1/2", "delta": "0"}}
    for name, value in others.items():
        document = json.loads(render([report], "json"))
        document[name] = value
        assert verify(sealed(file, document)).verdict == "rejected", name


def test_the_command_verifies_and_says_what_it_takes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(render([dpaudit.sample(subjects.response, draws=4_000).report], "json"))
    assert invoke(["verify", str(file), "--budget", "ln(3)"]) == 0
    assert "nothing is drawn again" in " ".join(capfd.readouterr().out.split())
    assert invoke(["verify", str(file), "--budget", "1"]) == 1
