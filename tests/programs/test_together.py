"""Datasets explored together: what is found is what each explored alone gives, exactly."""

import random as python_random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import dpaudit
from dpaudit import program
from dpaudit.errors import LawError
from dpaudit.programs.exploring import together
from dpaudit.programs.exploring.exploration import Exploration
from dpaudit.programs.exploring.explore import explore
from dpaudit.programs.exploring.together import explore_together
from dpaudit.programs.guarding.calculating import only_calculates
from dpaudit.programs.program import Program

SPACE = list(product((-1, 0, 1), repeat=3))
Body = Callable[[Any, Any], Any]


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "WORTH", 0)


def known(rng: python_random.Random, depth: int = 2) -> Body:
    """Return a random number made of the entries of a dataset, known or not."""
    if not depth or rng.random() < 0.3:
        place, number = rng.randrange(3), Fraction(rng.randint(-3, 3), rng.randint(1, 3))
        return rng.choice([lambda x, _: x[place], lambda x, _: number, lambda x, _: x[place]])
    left, right = known(rng, depth - 1), known(rng, depth - 1)
    whole = rng.randint(1, 3)
    return rng.choice(
        [
            lambda x, r: left(x, r) + right(x, r),
            lambda x, r: left(x, r) - right(x, r),
            lambda x, r: whole * left(x, r) - 1,
            lambda x, r: left(x, r) * right(x, r),
            lambda x, r: left(x, r) / whole,
            lambda x, r: left(x, r) + 0.5,
            lambda x, r: left(x, r) // whole,
            lambda x, r: left(x, r) // right(x, r),
            lambda x, r: left(x, r) / right(x, r),
            lambda x, r: left(x, r) % whole,
            lambda x, r: abs(left(x, r)),
            lambda x, r: max(left(x, r), right(x, r)),
            lambda x, r: sum(x) - left(x, r),
            lambda x, r: sorted(x)[1],
            lambda x, r: left(x, r) if right(x, r) > 0 else -right(x, r),
            lambda x, r: Fraction(1, 2) - left(x, r),
        ]
    )


def double(random: Any) -> Any:
    return random.laplace(2)


def late(random: Any) -> Any:
    return random.exponential(2)


def written(seed: int) -> Body:
    """Return a random program: draws moved by what is known, compared, and some given out."""
    rng = python_random.Random(seed)
    drawn = tuple(rng.choice([double, late, double]) for _ in range(3))
    shifts = tuple(known(rng) for _ in range(3))
    compared = tuple((rng.randrange(3), rng.randrange(3), rng.randint(-1, 1)) for _ in range(3))
    branch, prints, coin = known(rng), rng.random() < 0.3, rng.random() < 0.3

    def body(x: Any, random: Any) -> Any:
        values = [shifts[i](x, random) + drawn[i](random) for i in range(3)]
        found: list[Any] = [bool(branch(x, random) > 0)]
        if coin and random.bernoulli("1/3"):
            return x[0]
        for i, j, c in compared:
            found.append(bool(values[i] > c) if i == j else bool(values[i] + c > values[j]))
            if found[-1] and found[0]:
                break
        return (*found, values[0]) if prints else tuple(found)

    return body


def seen(explored: Callable[[], Exploration]) -> tuple[Any, ...]:
    """Return what was explored, or why it has no law."""
    try:
        found = explored()
    except LawError as error:
        return (str(error),)
    return found.paths, found.trails, found.regions


def alone(body: Body, dataset: Any) -> Exploration:
    return explore(lambda random: body(dataset, random), 10_000)


@pytest.mark.parametrize("seed", range(80))
def test_random_programs_have_the_paths_of_each_dataset_explored_alone(seed: int) -> None:
    body = written(seed)
    assert only_calculates(body)
    one = audited(body).explorer
    one.prepare(SPACE)  # some have one path, and some are not followed so
    for dataset in SPACE:
        assert seen(lambda: one.exploration(dataset)) == seen(lambda: alone(body, dataset))  # noqa: B023


def test_most_random_programs_are_followed_together() -> None:
    found = [explore_together(written(seed), SPACE, 10_000)[0] for seed in range(30)]
    assert sum(one is not None for one in found) > 20


def above(x: Any, random: Any) -> Any:
    noisy = random.laplace(4)
    return tuple(bool(query + random.laplace(2) >= noisy) for query in x)


def test_a_path_is_run_once_for_all_datasets_and_tried_at_every_one() -> None:
    calls = []

    def body(x: Any, random: Any) -> Any:
        calls.append(x)
        return above(x, random)

    assert explore_together(body, SPACE, 1000)[0] is not None
    assert len(calls) < 4 * len(SPACE)  # 27 datasets of 8 paths each, run four times, are 864
    assert set(SPACE) <= {x for x in calls if all(type(one) is int for one in x)}


def test_a_dataset_may_be_one_number() -> None:
    def body(x: Any, random: Any) -> Any:
        return bool(x + random.laplace(1) > 0)

    found, _ = explore_together(body, [0, 1, 2], 1000)
    assert found is not None
    assert found.exploration(2).regions == alone(body, 2).regions


@pytest.mark.parametrize("datasets", [[(0, 1), (1,)], [(0, True), (1, 0)], ["01", "11"], [(0,)]])
def test_other_datasets_are_explored_alone(datasets: list[Any]) -> None:
    assert explore_together(lambda x, random: random.laplace(1) > 0, datasets, 1000) == (None, None)


def audited(body: Body) -> Program:
    return program(datasets=SPACE, neighbours="one-entry", budget=1, name="one")(body)


@pytest.mark.parametrize(
    "told",
    [
        lambda q: type(q) is int,
        lambda q: isinstance(q, int),
        lambda q: q.bit_length() < 5,
        lambda q: q in {-1, 0, 1},
        lambda q: 2**q > 0,
        lambda q: f"{q}" != "",
    ],
)
def test_a_program_that_tells_numbers_apart_has_the_law_that_it_has_of_plain_ones(
    told: Callable[[Any], bool],
) -> None:
    def body(x: Any, random: Any) -> Any:
        shift = 0 if all(told(q) for q in x) else 5
        return tuple(bool(q + shift + random.laplace(2) >= 0) for q in x)

    def plain(x: Any, random: Any) -> Any:
        return tuple(bool(q + random.laplace(2) >= 0) for q in x)

    one, other = audited(body), audited(plain)
    one.explorer.prepare(SPACE)
    for dataset in SPACE[::5]:
        assert one.law(dataset) == other.law(dataset)


def test_a_leak_of_one_dataset_on_one_path_is_found() -> None:
    def body(x: Any, random: Any) -> Any:
        found = above(x, random)
        return "leak" if type(x[0]) is int and x == (1, 0, -1) and all(found) else found

    one = audited(body)
    one.explorer.prepare(SPACE)
    assert not one.explorer.together, "it tells numbers from what stands for many"
    leaking = [x for x in SPACE if "leak" in one.explorer.exploration(x).trails]
    assert leaking == [(1, 0, -1)]


def test_code_that_only_calculates_is_explored_together() -> None:
    one = audited(above)
    one.explorer.prepare(SPACE)
    assert len(one.explorer.together) == 1


@pytest.mark.parametrize("settled", [2, 5, 12, 30, 60])
def test_a_program_that_settles_after_a_few_runs_is_refused(settled: int) -> None:
    runs = [0]

    def body(x: Any, random: Any) -> Any:
        runs[0] += 1
        return (*above(x, random), runs[0] > settled)

    with pytest.raises(LawError, match=r"same|changes|again|an earlier call left"):
        dpaudit.check(audited(body), n=1)


def test_numbers_of_many_datasets_do_not_outlive_the_run() -> None:
    kept: list[Any] = [0]

    def body(x: Any, random: Any) -> Any:
        kept.append(x[0])
        return tuple(bool(query + random.laplace(2) >= kept[-2]) for query in x)

    with pytest.raises(LawError, match=r"same|again|after the run|an earlier call left"):
        dpaudit.check(audited(body), n=1)


def repeated_in_place(x: Any, _: Any) -> Any:
    held = other = [1]
    held *= x[0]
    return len(other) - x[1]


def negative_zero(x: Any, _: Any) -> Any:
    shown = "%s"
    return len(shown % (-0.0 - x[0])) - x[1]


def noise_that_cancels(x: Any, random: Any) -> Any:
    noise = random.laplace(1)
    return 1 if (noise + x[0]) - (noise + x[1]) else 0


def noise_taken_away(x: Any, random: Any) -> Any:
    noise = random.laplace(1)
    return 1 if not (noise - noise + x[0]) else x[1]


ALIKE_AND_NOT: list[Body] = [
    repeated_in_place,
    negative_zero,
    noise_that_cancels,
    noise_taken_away,
    lambda x, _: x[0] / x[1] if x[1] else x[0] % 2,
    lambda x, _: sum([0.1, x[0], 0.2, x[1]]),
    lambda x, _: max(x[0], Fraction(1, 2)) - min(x[1], True),
    lambda x, _: [1, 2, 3][x[0]] + (4, 5, 6)[x[1] :][0],
    lambda x, _: x.index(x[1]) + [0, 1].count(x[0]) + (x[2] in range(1)),
]


@pytest.mark.parametrize("number", ALIKE_AND_NOT)
def test_numbers_of_many_datasets_do_what_numbers_do_on_every_path(
    number: Body, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not every path is tried at every dataset: so without any trial, laws have to be the same."""
    monkeypatch.setattr(together, "_holds", lambda *given: True)

    def body(x: Any, random: Any) -> Any:
        found = number(x, random) > x[2]
        return found if random.bernoulli("1/2") else "other"

    one = audited(body)
    one.explorer.prepare(SPACE)
    assert one.explorer.together
    for dataset in SPACE:
        assert one.explorer.exploration(dataset).regions == alone(body, dataset).regions, dataset


def test_a_function_that_is_given_as_a_parameter_is_read() -> None:
    def body(x: Any, random: Any, how: Any = abs) -> Any:
        found = above(x, random)
        return (found, how(x)) if all(found) else found

    one = audited(body).with_parameters(how=lambda x: type(x[0]) is int and x == (1, 0, -1))
    one.explorer.prepare(SPACE)
    assert not one.explorer.together, "what it is given tells numbers from what stands for many"
    assert ((True,) * 3, True) in one.explorer.exploration((1, 0, -1)).trails
