"""Reports that were edited and sealed again go on only if they say what follows from their counts.

Every field of reports of every kind is changed mechanically, one at a time.  What is taken on trust
is listed by name, and the list is exactly what is not refused.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

import dpaudit
from dpaudit.cli.main import invoke
from dpaudit.errors import ParameterError, UsageError
from dpaudit.report.render import marked, render
from dpaudit.report.resume import resume_sample
from dpaudit.results import SampleReport, SampleVerdict
from dpaudit.results.documents import seal_of
from dpaudit.sampling.draws import Source
from dpaudit.sampling.state import goes_on, going_on
from dpaudit.sampling.verdicts import Judged
from tests.sampling import subjects
from tests.sampling.test_resume import gone_on, stopped

pytestmark = pytest.mark.wrong_on_purpose

DRAWS = 400
ASKED: dict[str, Any] = {"draws": DRAWS, "error": "1e-3"}
LONG: dict[str, Any] = {"draws": 20_000, "error": "1e-3"}
"""With chunks of so many draws that none is like another by chance."""


def whole(subject: Any, **given: Any) -> SampleReport:
    return dpaudit.sample(subject, **{**ASKED, **given}).report


REPORTS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "not refuted": (subjects.response, {}, whole),
    "exceeds": (subjects.response, {"p": "9/10"}, whole),
    "too few draws": (subjects.response, {"draws": 20, "error": "1e-9"}, whole),
    "vacuous": (subjects.constant, {}, whole),
    "early not refuted": (subjects.response, {"sequential": True}, whole),
    "early exceeds": (subjects.response, {"p": "9/10", "sequential": True}, whole),
    "stopped unfinished": (
        subjects.response,
        {"budget": "3"},
        lambda one, **given: stopped(one, 40, **given),
    ),
    "stopped exceeds": (
        subjects.response,
        {"p": "9/10"},
        lambda one, **given: stopped(one, 200, **given),
    ),
    "unfinished": (subjects.response, LONG, lambda one, **given: stopped(one, 12, **given)),
    "early unfinished": (
        subjects.response,
        {"sequential": True, **LONG},
        lambda one, **given: stopped(one, 12, **given),
    ),
}
"""By the verdict: the sampler, the settings, and what makes the report."""

DATASETS = {"event.x", "event.y"}
COUNTS = {"event.count_x", "event.count_y"}
SEEN = {"kept.seen", "kept.seen.part 1", "kept.seen.part 2"}
TRUSTED: dict[str, set[str]] = {
    "not refuted": {"repeated", "event.words", *DATASETS, "verdict = vacuous"},
    "exceeds": {"repeated", "event.words", *DATASETS},
    "too few draws": {"repeated", "event.words", *DATASETS, *COUNTS, "verdict = vacuous"},
    "vacuous": {"repeated", "event.words", *DATASETS, *COUNTS},
    "early not refuted": {"repeated", *DATASETS, *SEEN, "kept.evidence", "kept.places"},
    "early exceeds": {
        *("repeated", "kept.evidence", "kept.vacuous", "kept.places"),
        *DATASETS,
        *SEEN,
    },
    "unfinished": {"repeated", "kept.seen.part 1", "kept.vacuous", "kept.evidence"},
    "early unfinished": {"repeated", "kept.seen.part 1", "kept.vacuous", "kept.evidence"},
    "stopped unfinished": {  # bounds may be left out
        *("repeated", "kept.seen.part 1", "kept.vacuous", "kept.evidence", "epsilon"),
    },
    "stopped exceeds": {
        *("repeated", "kept.evidence", "kept.vacuous", "kept.places"),
        *DATASETS,
        *SEEN,
    },
}
"""What only new draws could show, or says nothing of the budget."""


def mutants(value: Any) -> Iterator[Any]:
    """Yield other values of the same place, most of them of the same type."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from {0, 7, value - 1, value + 1, 2 * value, 10**9, 10**30} - {value}
    elif isinstance(value, str):
        yield from {"", "7", f"{value}1", "nan", "-inf", "inf", (1.0).hex()} - {value}
    elif isinstance(value, list):
        yield from ([], value[:-1], [*value, *value[-1:]])
    elif isinstance(value, dict):
        yield {}
        yield {name: value[name] for name in list(value)[: len(value) // 2]}
    yield from (None, [[]])


def edits(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield what a value becomes by one change at any place in it, with the place."""
    name = ".".join(part for part in path if isinstance(part, str))
    if path[-2:-1] == ("seen",):
        name = f"kept.seen.part {1 + ('part 2' in str(value))}"
    if path:
        yield from ((name, other) for other in mutants(value) if other != value)
    if isinstance(value, dict):
        for key in list(value)[:1] + list(value)[-1:] if path[-1:] == ("seen",) else value:
            for where, other in edits(value[key], (*path, key)):
                yield where, {**value, key: other}
    if isinstance(value, list):
        for place in sorted({0, len(value) // 2, len(value) - 1} & set(range(len(value)))):
            for where, other in edits(value[place], (*path, place)):
                yield where, [*value[:place], other, *value[place + 1 :]]


def edited(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a report with one change anywhere, what is kept included."""
    rest = {name: value for name, value in document.items() if name not in ("sha256", "kept")}
    kept = document.get("kept")
    for name, other in edits(rest):
        yield name, {**other, "kept": kept} if kept else other
    for name, other in edits({"kept": json.loads(kept)} if kept else {}):
        yield name, {**rest, "kept": json.dumps(other["kept"])}
    for verdict in SampleVerdict:
        if verdict.value != document["verdict"]:
            yield (
                f"verdict = {verdict.value}",
                rest | {"verdict": verdict.value} | ({"kept": kept} if kept else {}),
            )
    yield "repeated", {**rest, "kept": kept, "repeated": 3} if kept else {**rest, "repeated": 3}
    yield "kept", {**rest, "kept": "" if kept else "{}"}
    yield "against", {**document, "against": "law"}
    yield "tolerance", {**document, "tolerance": "0.1"}
    yield "event", {**document, "event": None}


def sealed(file: Path, document: dict[str, Any]) -> Path:
    rest = {name: value for name, value in document.items() if name != "sha256"}
    file.write_text(json.dumps({**rest, "sha256": seal_of(rest)}))
    return file


def goes(subject: Any, there: SampleReport, honest: SampleReport) -> None:
    """Go as far as a run does before it draws."""
    found = ("kept", "verdict", "epsilon", "delta", "event", "selected", "repeated")
    law = ("fingerprint", "against", "comparisons", "tolerance", "sha256")
    names = [name for name in honest.__struct_fields__ if name not in (*found, *law)]
    if goes_on(there, {name: getattr(honest, name) for name in names}):
        going_on(there, Source(subject, list(subject.relation.listing(1)), 0))


@pytest.mark.parametrize("kind", REPORTS)
def test_what_does_not_follow_is_refused_in_one_line(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = SimpleNamespace(of=cache(Judged.of))  # most changes leave the counts
    monkeypatch.setattr("dpaudit.sampling.state.Judged", once)
    subject, given, made = REPORTS[kind]
    file, honest = tmp_path / "report.json", made(subject, **given)
    file.write_bytes(render([marked(honest)], "json"))
    document = json.loads(file.read_text())
    assert document["verdict"] == kind.removeprefix("early ").removeprefix("stopped ")
    goes(subject, resume_sample(file), honest)
    trusted, refused = set(), []
    for name, changed in edited(document):
        try:
            goes(subject, resume_sample(sealed(file, changed)), honest)
        except UsageError as error:
            refused.append(str(error))
        else:
            trusted.add(name)
    assert len(refused) > 80
    assert not [line for line in refused if "\n" in line]
    assert trusted == TRUSTED[kind]


def test_the_command_line_ends_with_the_code_of_bad_input(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    named = f"{subjects.__file__}:response"
    honest = whole(named, p="99/100")
    assert honest.verdict is SampleVerdict.EXCEEDS
    document = json.loads(render([marked(honest)], "json"))
    asked = ["sample", named, "--draws", str(DRAWS), "--error", "1e-3", "--set", "p=99/100"]
    for verdict in ("not refuted", "conforms", "unfinished"):
        file = sealed(tmp_path / "report.json", document | {"verdict": verdict})
        assert invoke([*asked, "--no-plot", "--resume", str(file)]) == 2
        said = capfd.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)


def test_chunks_of_several_plans_are_those_of_runs_that_went_on() -> None:
    given: dict[str, Any] = {"sequential": True, "error": "1e-3"}
    first = stopped(subjects.response, 40, **given, draws=3_000)
    second = stopped(subjects.response, 5, **given, draws=20_000, resume=first)
    third = gone_on(subjects.response, second, **given, draws=40_000)
    assert (third.selected, third.repeated) == (600, 2)
    assert gone_on(subjects.response, third, **given, draws=40_000) is third
    for change in ({"repeated": 0}, {"selected": 601 + 8_000}):
        with pytest.raises(ParameterError):
            gone_on(subjects.response, replace(third, **change), **given, draws=40_000)
