# ruff: noqa: PLW0108, SIM300  (each is written as a program writes it)
"""What an unknown number meets is answered as a known one answers, or refused: never by default.

Each row of the table gives its dataset away, by a comparison, an identity, or arguments that NumPy
does not take.  One row in four is tried in the suite;
``python -m tests.attacks.test_told_apart_by_kind`` tries all.
"""

import math
import random
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from dpaudit import check, program
from dpaudit.errors import LawError
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED
from tests.attacks.told_apart_table import ROWS, TRUE_AT, Row

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy warns of some of these comparisons

BY_NAME = {row.name: row for row in ROWS}
REFUSED = {
    "an array of complex numbers", "an array of texts", "a masked array", "singledispatch",
    "lru_cache", "the size of an object", "isin, pandas", "isin, pandas, right", "between",
    "no time", "Decimal, left", "Decimal, between", "in Decimals",
    *(name for name in TRUE_AT if name.startswith(("a slot", "is", "any is"))),
    *(name for name in TRUE_AT if "operator.is_" in name or "series" in name or "frame" in name),
    *(name for name in TRUE_AT if "index" in name or "categories" in name or "nothing" in name),
} - {"isin", "isin, a list", "isin, inverted", "isclose", "index"}  # fmt: skip
"""What is refused of some draw, though a known number has an answer."""


def program_of(row: Row) -> Any:
    return program(
        datasets=row.datasets,
        neighbours="all",
        budget=1,
        as_run=not row.ideal,
        paths=20_000,
        real_runs=64,  # what is derived is looked at here; test_real_runs_alone.py looks at these
    )(row.function)


def law_or_refusal(row: Row, dataset: int) -> Any:
    """Return the law, or the message of a refusal."""
    try:
        law = program_of(row).law(dataset)
    except LawError as error:
        return str(error)
    return {output: p.as_fraction() for output, p in law.items()}


@pytest.mark.parametrize("name", list(BY_NAME)[::4])
def test_the_law_is_the_true_one_or_it_is_refused(name: str) -> None:
    row = BY_NAME[name]
    taken = row.laws if row.takes_arguments else dict(list(row.laws.items())[-1:])
    for dataset, law in taken.items():
        found = law_or_refusal(row, dataset)
        if isinstance(found, str):
            assert "\n" not in found
            return
        assert found == {output: p for output, p in law.items() if p}


@pytest.mark.parametrize("name", sorted(TRUE_AT.keys() - REFUSED))
def test_what_programs_do_with_whole_numbers_is_followed(name: str) -> None:
    for kind in ("randrange", "integers"):
        row = BY_NAME.get(f"{name}: {kind}")
        assert row is None or not isinstance(law_or_refusal(row, 1), str)


LEAKS = [
    "in an array: randrange", "equal to any: integers", "in an array: geometric",
    "a complex number: randrange", "a float, rounded: integers", "a size: numpy.random",
    "a size of a choice: Generator", "small weights: numpy.random", "an axis: numpy.random",
]  # fmt: skip


@pytest.mark.parametrize("name", LEAKS)
def test_what_leaks_exceeds(name: str) -> None:
    assert BY_NAME[name].delta > 0
    assert check(program_of(BY_NAME[name]), n=1).verdict == "exceeds"


@pytest.mark.parametrize("name", LEAKS)
def test_the_switch_brings_the_false_answers_back(name: str) -> None:
    """So that it can be shown that something else finds them out."""
    row = BY_NAME[name]
    with FAILS_CLOSED.off():
        assert any(law_or_refusal(row, dataset) != law for dataset, law in row.laws.items())
    assert FAILS_CLOSED


def softmax(x: int) -> int:
    weights = np.exp(np.array([0.5 * x, 1.0, 1.5], dtype=np.float32))
    return int(np.random.default_rng().choice(3, p=weights / weights.sum()))


def test_weights_that_are_small_floats_are_taken_as_numpy_takes_them() -> None:
    law = program(datasets=[0, 1], neighbours="all", budget=1, as_run=True)(softmax).law(1)
    assert [round(float(law[k].as_fraction()), 6) for k in range(3)] == [
        0.186324,
        0.307196,
        0.50648,
    ]


ENDS = np.array([0.0, 1.0])
OF_NOISE: list[tuple[Any, Any]] = [
    (lambda z: tuple((ENDS <= z).tolist()), lambda z: (z >= 0, z >= 1)),
    (lambda z: tuple((z > ENDS).tolist()), lambda z: (z > 0, z > 1)),
    (lambda z: tuple((ENDS + z > 2).tolist()), lambda z: (z > 2, z + 1 > 2)),
    (lambda z: tuple((2 * z - ENDS < 1).tolist()), lambda z: (2 * z < 1, 2 * z - 1 < 1)),
    (lambda z: z in ENDS, lambda z: False),
    (lambda z: bool(np.any(z != ENDS)), lambda z: True),
    (lambda z: bool(np.isin(z, ENDS)), lambda z: False),
    (lambda z: bool(np.clip(z, 0, 1) == 1), lambda z: z >= 1),
    (lambda z: bool(np.maximum(z, 0.5) > 0.5), lambda z: z > 0.5),
    (lambda z: int(np.searchsorted(ENDS, z)), lambda z: int(z > 0) + int(z > 1)),
    (lambda z: bool(np.float64(0.5) < z), lambda z: z > 0.5),
    (lambda z: math.floor(z) in np.array([0, 1]), lambda z: 0 <= z < 2),
    (lambda z: z == 0j, lambda z: False),
    (lambda z: z in (None, "0", (), 0j), lambda z: False),
]


@pytest.mark.parametrize("place", range(len(OF_NOISE)))
def test_arrays_of_numbers_meet_ideal_noise_one_by_one(place: int) -> None:
    def law(asked: Any) -> Any:
        made = program(datasets=[0], neighbours="all", budget=1)
        return made(lambda x, source: asked(source.laplace(1))).law(0)

    meeting, known = OF_NOISE[place]
    found, expected = law(meeting), law(known)
    assert found.keys() == expected.keys()
    assert all(found[output] == expected[output] for output in expected)


@pytest.mark.parametrize(
    "asked",
    [
        lambda z: z < "0", lambda z: z + "0", lambda z: z < 0j, lambda z: z * 1j, lambda z: [1] * z,
        lambda z: (0.5).__lt__(z), lambda z: z is ENDS[0], lambda z: np.sin(z),
        lambda z: np.add(z, 1, dtype=object), lambda z: np.add.outer(z, z),
        lambda z: np.isclose(z, 0), lambda z: z & 1, lambda z: z % 1, lambda z: z == Strange(),
        lambda z: z.__and__, lambda z: z == np.array(["0"]), lambda z: z < np.longdouble(1),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused_and_no_exception(asked: Any) -> None:
    """A program that catches everything learns nothing."""

    def caught(x: int, source: Any) -> Any:
        try:
            return bool(asked(source.laplace(1)))
        except Exception:
            return "caught"

    with pytest.raises(LawError):
        program(datasets=[0, 1], neighbours="all", budget=1)(caught).law(0)


class Strange(float):
    """A float that is equal to others by a rule of its own."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__


def honest(x: int) -> tuple[Any, ...]:
    drawn, kinds = random.random(), []
    best: Any = None
    for one in (drawn, 0.5):
        if best is None or one > best:
            best = one
        kinds.append(type(one) is float and isinstance(one, float))
    missing = object()
    table = {"a": 1}
    return best is not None, (best > 0.5) is True, table.get("b", missing) is missing, *kinds


def test_identities_with_what_is_no_number_are_followed() -> None:
    law = program(datasets=[0], neighbours="all", budget=1, as_run=True)(honest).law(0)
    assert {output for output, _ in law.items()} == {
        (True, above, True, True, True) for above in (True, False)
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for place, each in enumerate(BY_NAME):
        test_the_law_is_the_true_one_or_it_is_refused(each)
        print(f"{place + 1} of {len(BY_NAME)}: {each}", file=sys.stderr)
