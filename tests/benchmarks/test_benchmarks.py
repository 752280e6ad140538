"""The benchmark runs, and believes no answer; how long anything takes is not tested."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpaudit import check
from tests.benchmarks import gates, libraries, measure, programs, running
from tests.benchmarks.cases import FULL, TINY
from tests.benchmarks.measure import ROOT, Run, fastest, run
from tests.benchmarks.methods import CERTIFIED, METHODS, Case
from tests.benchmarks.scripts import program_subjects
from tests.benchmarks.scripts.numpy_programs import laws_of
from tests.benchmarks.tables import document, headline_table, replace_table

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"


def test_every_method_agrees_on_sizes_too_small_to_tell_anything() -> None:
    outcome = running.carry_out(TINY, lambda line: None)
    assert set(outcome.sweep.worst) == set(METHODS)
    assert 0 < outcome.sweep.worst["pld"] <= 1.001e-6  # losses are rounded up
    assert abs(outcome.sweep.worst["mpmath"]) <= 1e-20
    assert outcome.sweep.worst["dpaudit"] == 0
    assert all(
        0 < found.compute < found.wall
        for found in outcome.screen.runs.values()
        if found.compute is not None
    )
    text = document(outcome)
    for case, rooms in outcome.rooms:
        assert str(case) in text
        assert "screens/exponents.py" in rooms
    for title in ("The sweep, k = 2, n = 5..6", "Targets", "Growth", "What bounds it now"):
        assert title in text
    assert headline_table(outcome) in text


def test_a_gate_is_set_beside_its_checks() -> None:
    entries = ("EHDS", "MH")
    gate, checks = gates.measured(entries, 1)
    assert set(checks) == set(entries)
    assert all(one.processor > 0 for one in (gate, *checks.values()))
    assert "| `dpaudit check` of each |" in gates.table(entries, gate, checks)


@pytest.mark.parametrize("name", programs.CASES)
def test_the_programs_have_the_epsilon_that_numpy_finds(name: str) -> None:
    p, q = laws_of(name)
    epsilon = Fraction(float(np.abs(np.log(p) - np.log(q)).max()))
    (result,) = check(getattr(program_subjects, name)).results
    off = Fraction(1, 10**12)
    low, high = (Fraction(end) for end in (result.epsilon.lower, result.epsilon.upper))
    assert low - off <= epsilon <= high + off


def test_every_method_is_tried_somewhere_in_the_growth() -> None:
    assert all(set(without) < set(METHODS) for _, without in FULL.growth)
    tried = [set(METHODS) - set(without) for _, without in FULL.growth]
    assert set.union(*tried) == set(METHODS)
    assert all(CERTIFIED.key in methods for methods in tried)


@pytest.mark.parametrize("key", METHODS)
def test_an_answer_that_is_off_is_refused(key: str) -> None:
    method = METHODS[key]
    certified = [(Fraction("0.25"), Fraction("0.250000000000001"))]
    for wrong in ("0.249999", "0.250002"):
        for value in (wrong, [wrong, wrong]):
            with pytest.raises(ValueError, match="off"):
                method.deviations(Run(1.0, 1.0, {"values": [value]}), certified)
    right = Run(1.0, 1.0, {"values": ["0.2500000000000005"]})
    assert method.deviations(right, certified) == [0.0]


def test_an_interval_beside_the_certified_one_is_refused() -> None:
    certified = [(Fraction("0.25"), Fraction("0.250000000000001"))]
    beside = Run(1.0, 1.0, {"values": [["0.250000000000002", "0.250000000000003"]]})
    with pytest.raises(ValueError, match="off"):
        METHODS["balls"].deviations(beside, certified)


def test_too_few_answers_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        CERTIFIED.deviations(Run(1.0, 1.0, {"values": []}), [(Fraction(0), Fraction(1))])


def test_the_least_of_several_runs_counts() -> None:
    runs = [Run(2.0, 5.0, {"compute": 0.5}), Run(1.0, 6.0, {"compute": 0.7})]
    assert fastest(runs) == Run(1.0, 5.0, {"compute": 0.5})


def test_a_process_that_fails_is_not_measured() -> None:
    with pytest.raises(RuntimeError, match="ended with 2"):
        run(["dpaudit", "check", "EHDS", "--n", "0"])


def test_a_process_is_measured_with_its_memory() -> None:
    arguments = METHODS["numpy"].arguments(Case(2, (10,)))
    found = measure.run(arguments)
    assert found.peak > 10
    assert found.compute is not None
    assert found.wall > found.compute


def test_a_table_replaces_what_stands_between_the_marks() -> None:
    text = "a\n<!-- benchmark: begin -->\nold\n<!-- benchmark: end -->\nb\n"
    changed = replace_table(text, "| new \\1 |")
    assert "old" not in changed
    assert "\n\n| new \\1 |\n\n" in changed
    assert replace_table(changed, "| new \\1 |") == changed
    with pytest.raises(ValueError, match="0 times"):
        replace_table("nothing", "")


def test_the_page_shows_the_table_of_the_results() -> None:
    (shown,) = re.findall(
        r"<!-- benchmark: begin -->\n\n(.*?)\n\n<!-- benchmark: end -->",
        (ROOT / "docs" / "performance.md").read_text(),
        re.DOTALL,
    )
    assert shown in RESULTS.read_text()


def test_the_sample_of_libraries_is_of_rows_that_were_explored() -> None:
    places = libraries.sample()
    assert len({one.adapter for one in places}) >= 4
    assert 3 * len(places) < len(libraries.sample(1)) <= 4 * len(places)
    text = libraries.table([libraries.Explored("a", 9, 1.0, 2.0)])
    assert "missed" in text
