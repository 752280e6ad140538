"""Draws are counted together only where they have one law, wherever in calls they come from.

``python -m tests.sampling.test_drift`` tries all thirty drifting samplers; the suite two.
"""

import os
import re
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpaudit
from dpaudit.errors import LawError
from dpaudit.results import SampleVerdict
from dpaudit.sampling.binomial import drawn_at_least
from dpaudit.sampling.calls import CELLS, Chunk, calls_of, cells_of, plan_of
from dpaudit.sampling.drift import Drift, Layout
from tests.campaigns import part
from tests.sampling import drifts, subjects

DRAWS = 200_000
SEED = 20
CASES = list(drifts.cases(SEED, 30))
REFUSED = "|".join(
    (
        "draws depend on each other",
        "the draws of one call resemble each other",
        "a different distribution from",
    )
)
SOON = [case for case in CASES[: len(drifts.BY)] if not case.by.endswith("so many")]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_drifting_sampler_conforms(case: drifts.Case) -> None:
    """Each is at least 0.02 from its law in some of its places."""
    assert case.far >= Fraction(2, 100)
    try:
        found = dpaudit.sample(case.sampler(), against=case.held(), draws=DRAWS, seed=SEED)
    except LawError as error:
        assert re.search(REFUSED, str(error))  # noqa: PT017
    else:
        assert found.verdict in (SampleVerdict.DIFFERS, SampleVerdict.TOO_FEW)


@pytest.mark.parametrize("case", SOON, ids=str)
def test_a_wide_drift_is_told_in_one_line(case: drifts.Case) -> None:
    """Ten times as far: held to a law it differs, to a budget it is refused, and it says where."""
    wide = drifts.Case(case.by, "truth values", (Fraction(1, 2),) * 2, Fraction(1, 5), case.alone)
    try:
        found = dpaudit.sample(wide.sampler(), against=wide.held(), draws=40_000, seed=SEED)
    except LawError as error:
        assert re.search(REFUSED, str(error))  # noqa: PT017
    else:
        assert found.verdict is SampleVerdict.DIFFERS
        assert found.report.comparisons[0].strange
    with pytest.raises(LawError, match=REFUSED) as caught:
        dpaudit.sample(wide.sampler(), draws=40_000, seed=SEED)
    assert "\n" not in str(caught.value)


def test_a_drift_within_calls_is_told_from_single_calls() -> None:
    """p runs from 0.80 to 0.70 within a call: single draws are at 4/5, and all together at 3/4."""

    @dpaudit.sampler(datasets=[0, 1], neighbours="all", budget="ln(3)")
    def running(x: Any, size: Any, rng: Any) -> Any:
        return np.where(rng.random(size) < np.linspace(0.8, 0.7, size), x, 1 - x)

    found = dpaudit.sample(running, against=subjects.law, draws=DRAWS).report
    assert found.verdict is SampleVerdict.DIFFERS
    assert found.comparisons[0].strange.startswith("single calls: 0: ")
    with pytest.raises(
        LawError, match=r"draws late in calls of .* have a different distribution from"
    ):
        dpaudit.sample(running, draws=DRAWS)


@pytest.mark.skipif(
    not Path(f"/proc/self/task/{os.getpid()}/children").exists(),
    reason="the kernel does not list the children of a process",
)
def test_processes_are_compared() -> None:
    here = "tests.sampling.drifts"
    found = dpaudit.sample(
        f"{here}:by_process", against=drifts.process_law, draws=DRAWS, jobs=2, seed=SEED
    ).report
    assert found.verdict is not SampleVerdict.CONFORMS


@pytest.mark.parametrize("kind", drifts.KINDS)
@pytest.mark.parametrize("alone", [False, True])
def test_honest_samplers_of_the_same_kinds_conform(kind: str, alone: bool) -> None:
    case = drifts.Case(
        "size: single calls", kind, (Fraction(3, 4), Fraction(1, 4)), Fraction(0), alone
    )
    honest = case.sampler(drifts=False)
    found = dpaudit.sample(honest, against=case.held(), draws=300_000, seed=SEED)
    assert found.verdict is SampleVerdict.CONFORMS


def test_honest_samplers_are_refused_no_more_often_than_is_stated() -> None:
    """Of runs with an error probability of 1/20, of which each has several tests of drift."""
    runs, refused = part(240, 48), Counter[str]()
    for seed in range(runs):
        case = CASES[seed % len(CASES)]
        honest = case.sampler(drifts=False)
        given: dict[str, Any] = {"draws": 1_500, "error": "1/20", "seed": seed}
        try:
            if seed % 2:
                refused[dpaudit.sample(honest, against=case.held(), **given).verdict.value] += 1
            else:
                refused[dpaudit.sample(honest, budget="1e-9", **given).verdict.value] += 1
        except LawError as error:
            refused[str(error)] += 1
    wrong = runs - sum(refused[told] for told in ("not refuted", "too few draws", "vacuous"))
    # 12, or 2.4, are expected at most; more than 25, or 9, have a probability below 1/1000.
    assert wrong <= part(25, 9)


def test_p_values_of_one_law_are_at_least_uniform() -> None:
    """At any level, and of a rare event as well, for both tests."""
    draw = np.random.default_rng(SEED)
    plan = tuple(plan_of(20_000, "together"))
    layout = Layout(plan, "together", (), 3, 256)
    sizes = layout.sizes
    assert int(sizes.sum()) == 20_000 + 3 * 256
    for share in (0.5, 0.01):
        counts = [draw.binomial(sizes, share)[:, :, None] for _ in range(300)]
        alike = [Drift(layout, one).unequal("event").p_value for one in counts]
        known = [
            Drift(layout, one).against([(share, share)], ["event"], 1).p_value for one in counts
        ]
        for level in (0.1, 0.03):
            for found in (alike, known):
                assert sum(p <= level for p in found) <= 300 * level + 4 * (300 * level) ** 0.5
    moved = draw.binomial(sizes, 0.5)
    moved[:, :4] = draw.binomial(sizes[:, :4], 0.6)
    worst = Drift(layout, moved[:, :, None]).unequal("event")
    assert worst.p_value < 1e-9
    assert worst.draws == "single calls"


@given(st.integers(1, 60), st.data())
def test_draws_without_replacement_are_bounded_above(population: int, data: st.DataObject) -> None:
    marked = data.draw(st.integers(0, population))
    size = data.draw(st.integers(0, population))
    count = data.draw(st.integers(-1, size + 1))
    ways = sum(
        comb(marked, k) * comb(population - marked, size - k)
        for k in range(max(count, 0), size + 1)
    )
    exact = Fraction(ways, comb(population, size))
    bound = drawn_at_least(population, marked, size, count)
    assert exact <= bound <= 1
    if exact < Fraction(1, 1000):
        assert bound <= 2 * exact


@pytest.mark.parametrize("draws", [10, 50, 1_000, 9_999, 200_000, 3_000_000])
@pytest.mark.parametrize("style", ["together", "process", "sequence"])
def test_a_plan_has_all_draws_and_every_kind_of_call(draws: int, style: Any) -> None:
    plan = plan_of(draws, style)
    assert sum(chunk.size for chunk in plan) == draws
    for chunk in set(plan):
        assert sum(calls_of(chunk)) == chunk.size
        cells = cells_of(chunk, style)
        assert len(cells) == chunk.size
        assert cells.max() < CELLS
    calls = Counter(size for chunk in plan for size in calls_of(chunk))
    if style == "together":
        assert calls[1] >= min(draws // 3, 100_000)
    if style == "process":
        assert sum(calls.values()) < 700
    if style == "together" and draws >= 9_999:
        assert len(calls) >= 7  # single, four short ones, one in a chunk, and long
        assert max(calls) >= min(10 * draws // 256, 1 << 15) - 3  # which are single calls
    assert cells_of(Chunk(8), "together").tolist() == [8, 8, 9, 9, 10, 10, 11, 11]


if __name__ == "__main__":
    for each in CASES:
        test_no_drifting_sampler_conforms(each)
        print(f"does not conform: {each}")
