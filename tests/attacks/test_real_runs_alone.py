"""Real runs alone refuse what unknown numbers answer falsely, with all mends of them switched off.

Each row of the table is a program that may tell an unknown number from a known one.  A law that is
wrong by 1/1000 in total variation must not be given, however it came to be derived.  One row in
eight is tried in the suite; ``python -m tests.attacks.test_real_runs_alone`` tries all.
"""

import sys

import pytest

from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.programs.real.counted import DEFAULT_RUNS
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED
from tests.attacks.told_apart_table import ROWS, Row

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy warns of some of these comparisons

BY_NAME = {row.name: row for row in ROWS}
WRONG = 1e-3


def distance(row: Row, dataset: int) -> float | str:
    """Return how far the law that is given is from the true one; the message of a refusal."""
    one = program(
        datasets=row.datasets,
        neighbours="all",
        budget=1,
        as_run=not row.ideal,
        paths=20_000,
        real_runs=DEFAULT_RUNS,  # by default the time that a machine takes has a say
    )(row.function)
    try:
        law = one.law(dataset)
    except LawError as refusal:
        return str(refusal)
    found = {output: float(mass) for output, mass in law.items()}
    true = {output: float(mass) for output, mass in row.laws[dataset].items()}
    return sum(abs(found.get(out, 0.0) - true.get(out, 0.0)) for out in found | true) / 2


@pytest.mark.parametrize("name", list(BY_NAME)[::8])
def test_no_false_law_is_given(name: str) -> None:
    row = BY_NAME[name]
    with FAILS_CLOSED.off():
        for dataset in row.laws:
            found = distance(row, dataset)
            assert isinstance(found, str) or found < WRONG


@pytest.mark.parametrize(
    "name",
    [
        "in an array: randrange", "equal to any: integers", "in an array: geometric",
        "a complex number: randrange", "a slot, mapped: geometric", "small weights: numpy.random",
        "a size: numpy.random", "a size of a choice: Generator", "an axis: numpy.random",
    ],
)  # fmt: skip
def test_it_is_real_runs_that_refuse(name: str) -> None:
    row = BY_NAME[name]
    with FAILS_CLOSED.off():
        reasons = [
            found for dataset in row.laws if isinstance(found := distance(row, dataset), str)
        ]
    assert any(
        "real run" in one or "real numbers" in one or "plain numbers" in one for one in reasons
    )


if __name__ == "__main__":
    for place, each in enumerate(BY_NAME):
        test_no_false_law_is_given(each)
        print(f"{place + 1} of {len(BY_NAME)}: {each}", file=sys.stderr)
