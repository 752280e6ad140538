"""The table of DP-SGD runs says what was missed; how long anything takes is not tested."""

import json
from decimal import Decimal
from fractions import Fraction

from tests.benchmarks import dpsgd
from tests.benchmarks.dpsgd import HEADER, RUNS, Training, row, summary
from tests.benchmarks.measure import Run, run

ONE = Training("1", "1e-2", 100)


def certified(lower: str, upper: str, seconds: float = 1.0) -> Run:
    """Return a run that finds this interval of ε."""
    found = {"epsilon": {"lower": lower, "upper": upper}, "method": "lattice"}
    return Run(1.0, 1.0, {"rows": [found]}, seconds)


def estimated(low: float, high: float, seconds: float = 2.0) -> Run:
    return Run(1.0, 1.0, {"values": [[low, high]]}, seconds)


def test_the_grid_has_sixty_runs_with_both_ends_of_each_range() -> None:
    assert len(RUNS) == len(set(RUNS)) == 60
    for values, ends in (
        ([Decimal(one.sigma) for one in RUNS], ("0.5", "10")),
        ([Decimal(one.rate) for one in RUNS], ("1e-5", "1e-1")),
        ([Decimal(one.steps) for one in RUNS], ("1e2", "1e6")),
    ):
        assert (min(values), max(values)) == tuple(map(Decimal, ends))
    assert all(Decimal(one.delta) <= Decimal("1e-5") for one in RUNS)
    assert all(Decimal(one.delta) <= Decimal(one.rate) / 100 for one in RUNS if one.rate != "1e-1")


def test_a_line_says_what_is_missed() -> None:
    met = row(ONE, certified("1", "1.005"), estimated(0.9, 1.1))
    assert dict(zip(HEADER[8:], met[8:], strict=True)) == {
        "dp-accounting": "0.9 .. 1.1",
        "s": "2.0",
        "ratio": "0.50",
        "its interval": "contains it",
        "goal": "met",
    }
    assert row(ONE, certified("1", "1.02"), None)[-1] == "missed: 2.0 % wide"
    assert row(ONE, certified("1", "1", 61.0), None)[-1] == "missed: more than 60 s"
    assert row(ONE, None, estimated(0.9, 1.1))[-1] == "missed: no answer"
    assert row(ONE, certified("1", "1"), estimated(2, 3, 61.0))[8:11] == ["–", "> 60", "–"]
    below = row(ONE, certified("1", "1"), estimated(0.5, 0.9))
    assert below[11].startswith("below it")
    text = summary([met, below, row(ONE, None, None)])
    assert "2 of 3 runs are known" in text
    assert "around the certified interval in 1" in text
    assert "both below it in 1" in text


def test_a_run_of_the_table_is_what_both_commands_answer() -> None:
    """A real line: nothing in it is made up."""
    line = row(ONE, run(ONE.command), run(ONE.estimate))
    assert line[-1] == "met"
    assert line[11] in ("contains it", "meets it")


def test_an_accountant_without_room_is_left_out() -> None:
    """A grid of many losses is refused by the limit of memory, and ends no other process."""
    wide = Training("0.5", "1e-1", 1_000_000)
    wanted = json.loads(wide.estimate[1])
    assert Fraction(wanted["room"]) == dpsgd.ROOM
    assert dpsgd._completed([wide.estimate[0], json.dumps(wanted | {"room": 400})]) is None
