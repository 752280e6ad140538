"""Runs that were stopped go on where they stopped, with the same answer, and no other settings."""

import json
from collections.abc import Callable
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import dpaudit
from dpaudit import sampler
from dpaudit.cli.main import invoke
from dpaudit.errors import LawError, ParameterError, ResumeError
from dpaudit.numbers.real import real
from dpaudit.questions.sample.function import prepare
from dpaudit.report.render import render
from dpaudit.report.resume import resume_sample
from dpaudit.results import SampleReport, SampleVerdict
from dpaudit.results.documents import seal_of
from dpaudit.sampling.calls import calls_of, plan_after, plan_of, sizes_of
from dpaudit.sampling.events import HalfLine, OneOf
from dpaudit.sampling.features import Feature
from dpaudit.sampling.output_text import coded, decoded
from dpaudit.sampling.outputs import Members, Word
from dpaudit.sampling.run import run_sample
from dpaudit.sampling.sequential import Together, bound_at_any_time
from dpaudit.sampling.verdicts import at_a_stop, below, spare
from tests.sampling import subjects

GIVEN: dict[str, Any] = {
    "n": None, "draws": 20_000, "error": "1e-6", "budget": None, "against": None, "seed": 0,
    "jobs": 1, "digits": 4,
}  # fmt: skip


def stopped(subject: Any, after: int, **given: Any) -> SampleReport:
    """Return the report of a run that is stopped after so many chunks of both sides."""
    left = iter(range(after - 1))

    def save(report: Callable[[], SampleReport]) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    found, asked = prepare(subject, **{**GIVEN, **given})
    return run_sample(found, asked, save=save)


def gone_on(subject: Any, report: SampleReport, **given: Any) -> SampleReport:
    there: SampleReport = dpaudit.sample(subject, **{**GIVEN, **given}, resume=report).report
    return there


WORDS = [subjects.response, subjects.leaking, subjects.not_numbers]


@pytest.mark.parametrize("subject", WORDS, ids=lambda one: str(one.name))
def test_a_run_goes_on_to_the_same_answer(subject: Any) -> None:
    whole = dpaudit.sample(subject, **GIVEN).report
    report = stopped(subject, 3)
    assert report.verdict is SampleVerdict.UNFINISHED
    assert (report.epsilon, report.delta, report.repeated) == ("", "", 0)
    assert report.event is not None
    assert whole.event is not None
    assert report.event.draws == sum(sizes_of(16_000)[:3])
    once = gone_on(subject, report)
    assert once == replace(whole, repeated=1)
    twice = stopped(subject, 5, resume=report)  # three are done, five more
    assert twice.event is not None
    assert twice.event.draws == sum(sizes_of(16_000)[:8])
    assert gone_on(subject, twice) == replace(whole, repeated=2)
    assert gone_on(subject, whole) is whole


def test_a_run_that_may_stop_early_says_its_bounds_where_it_is_stopped() -> None:
    """They are those of its counts at any time; what is kept goes on to the same answer."""
    given = {**GIVEN, "sequential": True, "budget": "3"}
    whole = dpaudit.sample(subjects.response, **given).report
    report = stopped(subjects.response, 40, sequential=True, budget="3")
    assert report.verdict is SampleVerdict.UNFINISHED
    assert report.event is not None
    assert report.event.draws == sum(sizes_of(16_000)[:40])
    counts = Together(*map(sum, zip(*json.loads(report.kept)["chunks"], strict=True)))
    alpha = 0.75e-6
    for kind, told in (("epsilon", report.epsilon), ("delta", report.delta)):
        bound = bound_at_any_time(counts, alpha, kind, 0.0 if kind == "epsilon" else 3.0)  # type: ignore[arg-type]
        assert max(bound, 0) * (1 - 1e-5) <= float(told or 0) <= max(bound, 0)
    assert 0 < float(report.epsilon) < log(3)
    assert gone_on(subjects.response, report, sequential=True, budget="3") == replace(
        whole, repeated=1
    )
    for forged in (
        replace(report, epsilon="2"),
        replace(report, epsilon=report.epsilon + "1"),
        replace(report, sequential=False),
        replace(report, delta="0.1"),
    ):
        with pytest.raises(ParameterError):
            gone_on(subjects.response, forged, sequential=forged.sequential, budget="3")


def test_a_run_of_a_fixed_number_of_draws_says_bounds_that_hold_at_any_time() -> None:
    """They take a part of the error probability that its end has not."""
    whole = dpaudit.sample(subjects.response, **{**GIVEN, "budget": "3"}).report
    report = stopped(subjects.response, 40, budget="3")
    assert report.event is not None
    assert (report.verdict, report.sequential) == (SampleVerdict.UNFINISHED, False)
    counts = Together(*map(sum, zip(*json.loads(report.kept)["chunks"], strict=True)))
    bound = bound_at_any_time(counts, 1e-6 / 16, "epsilon", 0.0)
    assert bound * (1 - 1e-5) <= float(report.epsilon) <= bound < log(3)
    assert gone_on(subjects.response, report, budget="3") == replace(whole, repeated=1)
    for forged in (
        replace(report, epsilon=report.epsilon + "1"),
        replace(report, verdict=SampleVerdict.NOT_REFUTED),
        replace(report, verdict=SampleVerdict.EXCEEDS),
    ):
        with pytest.raises(ParameterError):
            gone_on(subjects.response, forged, budget="3")


def test_what_a_stop_shows_to_be_exceeded_is_the_answer() -> None:
    report = stopped(subjects.response, 200, budget="1/2")
    assert report.event is not None
    assert report.verdict is SampleVerdict.EXCEEDS
    assert report.event.draws == sum(sizes_of(16_000)[:200]) < 16_000
    assert gone_on(subjects.response, report, budget="1/2") is report
    for forged in (replace(report, kept=""), replace(report, verdict=SampleVerdict.NOT_REFUTED)):
        with pytest.raises(ParameterError):
            gone_on(subjects.response, forged, budget="1/2")


@pytest.mark.parametrize("error", ["1e-9", "1/3", "1e-30", "0.049"])
def test_a_stop_and_an_end_share_one_error_probability(error: str) -> None:
    given = real(error)
    end, drift, stop = below(given), spare(given), at_a_stop(given)
    assert sum(map(Fraction, (end, drift / 2, stop, stop))) <= Fraction(error)
    assert stop >= float(Fraction(error)) / 16 * (1 - 1e-15)


def test_a_long_run_can_say_bounds_early() -> None:
    """Chunks are of 4,096 draws at most, but for a long call: 32 of them take a few seconds."""
    for draws in (10**6, 10**7):
        assert sum(sizes_of(draws)[:32]) <= 32 * 4_096 + (1 << 15)
        assert sum(sizes_of(draws)) == draws
    assert len(sizes_of(10**9)) < 50_000


@pytest.mark.parametrize("sequential", [True, False])
def test_a_run_that_is_stopped_at_once_has_no_bounds(sequential: bool) -> None:
    """Too few calls tell whether draws depend on each other."""
    report = stopped(subjects.response, 31, sequential=sequential, budget="3")
    assert (report.verdict, report.epsilon) == (SampleVerdict.UNFINISHED, "")


@pytest.mark.parametrize("sequential", [True, False])
def test_a_stop_after_the_last_draw_is_the_end(sequential: bool) -> None:
    given = {**GIVEN, "sequential": sequential, "budget": "3"}
    whole = dpaudit.sample(subjects.response, **given).report
    report = stopped(subjects.response, len(sizes_of(16_000)), sequential=sequential, budget="3")
    assert report == whole


def test_draws_that_depend_have_no_bounds_where_they_are_stopped() -> None:
    with pytest.raises(LawError, match="depend on each other"):
        stopped(subjects.sticky, 200, sequential=True, budget="9", draws=100_000)


def test_what_is_kept_is_not_drawn_again() -> None:
    calls: list[Any] = []

    @sampler(**subjects.BITS, budget="ln(3)")
    def counted(x: Any, size: Any, rng: Any) -> Any:
        calls.append((x, size))
        return np.where(rng.random(size) < 0.75, x, 1 - x)

    report = stopped(counted, 200)
    before = len(calls)
    gone_on(counted, report)
    tried = 2 * (1 + 48)
    left = plan_of(16_000, "together")[200:]
    assert len(calls) - before == tried + 2 * sum(len(calls_of(chunk)) for chunk in left)


def test_a_generator_of_its_own_cannot_go_on() -> None:
    """It starts again with the process, and not at the same place: no digest would show it."""
    state = {"rng": np.random.default_rng(5)}

    @sampler(**subjects.BITS, budget="ln(3)")
    def own(x: Any, size: Any, rng: Any) -> Any:
        return np.where(state["rng"].random(size) < 0.75, x, 1 - x)

    report = stopped(own, 100)
    assert not report.reproducible
    state["rng"] = np.random.default_rng(5)
    with pytest.raises(ParameterError, match="randomness that dpaudit does not control"):
        gone_on(own, report)


def test_draws_that_repeat_what_was_kept_are_refused() -> None:
    """Calls that are alike after the interruption, with those before, are seen by their digests."""

    @sampler(**subjects.BITS, budget="ln(3)")
    def shifted(x: Any, size: Any, rng: Any) -> Any:
        return np.where(rng.random(size) < 0.75, x, 1 - x)

    report = stopped(shifted, 3, draws=200_000)

    streams: dict[Any, Any] = {}

    @sampler(**subjects.BITS, budget="ln(3)", name="shifted")
    def again(x: Any, size: Any, rng: Any) -> Any:
        stream = rng.bit_generator.seed_seq.spawn_key
        seed = np.random.SeedSequence(0, spawn_key=(x, 1, 0))  # of the first that was counted
        first = np.random.Generator(np.random.PCG64DXSM(seed))
        drawn = streams.setdefault(stream, first) if stream[1] == 1 else rng
        return np.where(drawn.random(size) < 0.75, x, 1 - x)

    with pytest.raises(LawError, match="are those of chunk 0 of part 2"):
        gone_on(again, report, draws=200_000)


@pytest.mark.parametrize(
    "other",
    [
        {"draws": 10_000},
        {"draws": 40_000},
        {"error": "1e-3"},
        {"seed": 1},
        {"digits": 5},
        {"budget": "1"},
        {"sequential": True},
        {"p": "4/5"},
    ],
)
def test_other_settings_are_refused_in_one_line(other: dict[str, Any]) -> None:
    for report in (
        stopped(subjects.response, 3),
        dpaudit.sample(subjects.response, **GIVEN).report,
    ):
        with pytest.raises(
            ParameterError, match=r"the report has .*, the command asks for "
        ) as caught:
            gone_on(subjects.response, report, **other)
        assert "\n" not in str(caught.value)
    with pytest.raises(ParameterError, match=r"budget = .*, the command asks for none"):
        gone_on(subjects.response, report, against=subjects.law)
    with pytest.raises(ParameterError, match="the command asks for"):
        gone_on(subjects.telling, report)


def test_a_run_that_stops_early_goes_on_to_more_draws() -> None:
    few = dpaudit.sample(subjects.response, **GIVEN, sequential=True, p="76/100").report
    assert (few.verdict, few.event is not None) == (SampleVerdict.NOT_REFUTED, True)
    more = gone_on(subjects.response, few, sequential=True, p="76/100", draws=200_000)
    assert (more.verdict, more.repeated, more.draws) == (SampleVerdict.EXCEEDS, 1, 200_000)
    assert more.event is not None
    assert few.event is not None
    assert few.event.draws < more.event.draws < 200_000
    assert gone_on(subjects.response, more, sequential=True, p="76/100", draws=200_000) is more
    with pytest.raises(ParameterError, match="the report has draws = 200000"):
        gone_on(subjects.response, more, sequential=True, p="76/100", draws=100_000)


@pytest.mark.parametrize("seed", range(3))
def test_going_on_never_makes_an_excess_of_what_keeps_its_budget(seed: int) -> None:
    """At the budget, looked at and gone on with many times, with an error of a millionth."""
    report = None
    for draws in (2_000, 4_000, 8_000, 16_000, 32_000):
        report = dpaudit.sample(
            subjects.one_of_three, draws=draws, error="1e-6", seed=seed, sequential=True,
            resume=report,
        ).report  # fmt: skip
        assert report.verdict in (SampleVerdict.NOT_REFUTED, SampleVerdict.TOO_FEW)
    assert report is not None
    assert report.repeated == 4


KEYS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.builds(Word, st.text()) | st.builds(Members, st.lists(st.text(), max_size=3)),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=40)
@given(st.frozensets(KEYS, max_size=4), st.floats(allow_nan=False), st.booleans())
def test_an_event_reads_back_as_it_is(values: Any, bound: float, above: bool) -> None:
    feature = Feature("score", 3, (1.5, -0.1))
    for event in (
        OneOf(values),
        OneOf(frozenset({0, 1}), feature, edges=(bound,), scalar=above),
        HalfLine(feature, bound, above, scalar=False),
    ):
        found = decoded(json.loads(json.dumps(coded(event))))
        assert found == event
        assert repr(found.words()) == repr(event.words())
    with pytest.raises(TypeError, match="cannot be written as text and read back"):
        coded(OneOf(frozenset({object()})))


@given(st.integers(10, 10**6), st.integers(0, 40), st.integers(0, 10**6))
def test_chunks_that_are_left_add_up(draws: int, done: int, more: int) -> None:
    sizes = sizes_of(draws)
    assert [*sizes[:done], *_sizes_after(sizes[:done], draws)] == sizes
    first = sizes[:done]
    assert sum(first) + sum(_sizes_after(first, draws + more)) == draws + more


def _sizes_after(done: list[int], draws: int) -> list[int]:
    return [chunk.size for chunk in plan_after(done, draws, "together")]


def test_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    named = f"{subjects.__file__}:response"
    unfinished = stopped(named, 3)
    file.write_bytes(render([unfinished], "json"))
    asked = ["sample", named, "--draws", "2e4", "--error", "1e-6", "--format", "json"]
    assert invoke([*asked, "--output", str(file), "--resume"]) == 0
    found = json.loads(file.read_text())
    assert (found["verdict"], found["repeated"]) == ("not refuted", 1)
    assert "kept" not in found
    first = file.read_bytes()
    assert invoke([*asked, "--output", str(file), "--resume"]) == 0
    assert file.read_bytes() == first
    text = ["sample", named, "--draws", "2e4", "--error", "1e-6", "--no-plot"]
    assert invoke([*text, "--resume", str(file)]) == 0
    assert "continued 1 times where an earlier run had stopped" in capfd.readouterr().out
    for more, said in (
        (["--seed", "1"], "seed = 0, the command asks for 1"),
        (["--against", f"{subjects.__file__}:law"], "budget = ("),
    ):
        assert invoke([*text, *more, "--resume", str(file)]) == 2
        assert said in capfd.readouterr().err
    assert not file.with_name("none.json").exists()
    assert invoke([*text, "--resume", str(tmp_path / "none.json")]) == 2


def test_a_report_that_was_changed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(render([stopped(subjects.response, 3)], "json"))
    document = json.loads(file.read_text())
    for change in (
        {"seed": 5},
        {"version": "0"},
        {"fingerprint": ""},
        {"schema": "dpaudit.audit/1"},
    ):
        file.write_text(json.dumps(document | change))
        with pytest.raises(ResumeError):
            resume_sample(file)
    for kept in ("", "{}", "[]", '{"ranks": [0, 9]}', document["kept"].replace("half-line", "x")):
        changed = document | {"kept": kept}
        file.write_text(json.dumps(changed | {"sha256": seal_of(changed)}))
        with pytest.raises(ParameterError, match="cannot be read"):
            gone_on(subjects.response, resume_sample(file))
